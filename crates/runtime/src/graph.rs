//! The job graph: what the facade builds and the runtime executes.

use crate::operator::{Operator, Source, SubtaskInfo};

/// How rows get from the subtasks of one vertex to those of the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// Subtask i to subtask i; needs equal parallelism.
    Forward,
    /// By the key group of these columns.
    Hash(Vec<usize>),
    /// In turn.
    Rebalance,
    /// Everything to everybody.
    Broadcast,
}

/// Makes one instance for a subtask, again for every attempt.
pub type OperatorFactory = Box<dyn Fn(&SubtaskInfo) -> Box<dyn Operator>>;
/// Makes the source of a subtask.
pub type SourceFactory = Box<dyn Fn(&SubtaskInfo) -> Box<dyn Source>>;

/// One operator of a chain.
pub struct OperatorSpec {
    /// Stable name of its state.
    pub uid: String,
    /// What people read: `GroupAggregate`.
    pub name: String,
    /// Flink's text of it.
    pub description: String,
    /// Makes it.
    pub factory: OperatorFactory,
}

/// The head of a source vertex.
pub struct SourceSpec {
    /// Stable name of its state.
    pub uid: String,
    /// What people read: `Source: orders`.
    pub name: String,
    /// The table it reads, to which items are fed.
    pub table: String,
    /// Makes it.
    pub factory: SourceFactory,
}

/// A chain of operators, run by `parallelism` subtasks.
pub struct Vertex {
    /// Name of the chain, as Flink joins them: `Source: orders -> Calc`.
    pub name: String,
    /// How many subtasks.
    pub parallelism: u32,
    /// The source at its head, if it is one.
    pub source: Option<SourceSpec>,
    /// The operators behind it, in order. The first one sees the vertex's inputs by number.
    pub operators: Vec<OperatorSpec>,
}

/// A connection between two vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index of the vertex that sends.
    pub from: usize,
    /// Index of the vertex that receives.
    pub to: usize,
    /// Which input of the receiver's first operator it is.
    pub input: usize,
    /// How rows are spread.
    pub exchange: Exchange,
}

/// The whole job.
#[derive(Default)]
pub struct JobGraph {
    /// Name of the job, for people.
    pub name: String,
    /// Its chains.
    pub vertices: Vec<Vertex>,
    /// Their connections; no cycles.
    pub edges: Vec<Edge>,
}
