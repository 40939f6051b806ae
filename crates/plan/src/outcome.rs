//! What a statement comes to: a message, a printed table, or a job.

use tidegate_data::DataType;
use tidegate_diag::Span;

use crate::config::Config;
use crate::physical::{NodeId, PhysicalPlan};

/// What executing a statement gives.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The catalog or the configuration changed.
    Ddl {
        /// One line for the person: Flink's `OK`, or a remark such as that a key has no effect here.
        message: String,
    },
    /// Something to print: SHOW, DESCRIBE, EXPLAIN, SET without arguments.
    Table {
        /// The heads of the columns.
        columns: Vec<String>,
        /// The rows; `None` is NULL.
        rows: Vec<Vec<Option<String>>>,
    },
    /// A query or an insert (or a statement set): something that runs.
    Job(Box<JobPlan>),
}

/// A job, ready to be turned into operators.
#[derive(Clone, Debug)]
pub struct JobPlan {
    /// What runs.
    pub plan: PhysicalPlan,
    /// What comes out: one for a SELECT, one per INSERT.
    pub results: Vec<ResultTarget>,
    /// The configuration as it was when the job was made.
    pub config: Config,
    /// The text of EXPLAIN with changelog modes, as lines; a SELECT with the sink that takes its rows.
    pub explain: Vec<String>,
    /// The same for people: of a SELECT without that sink, which no script names.
    pub shown: Vec<String>,
    /// The statement's place in the script.
    pub span: Span,
    /// What in it can fail as rows come.
    pub risks: Vec<Risk>,
}

/// An expression that fails for some rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Risk {
    /// How it fails.
    pub kind: RiskKind,
    /// Its place in the script.
    pub span: Span,
    /// Its text.
    pub text: String,
}

/// How an expression fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RiskKind {
    /// It divides exact numbers.
    Division,
    /// It reads a text as another type.
    Reading,
}

/// One result of a job.
#[derive(Clone, Debug)]
pub struct ResultTarget {
    /// The sink table of an INSERT; none for a SELECT.
    pub sink: Option<String>,
    /// The plan's node that receives the rows: a `Sink` or the `Collect`.
    pub node: NodeId,
    /// The columns: of the query for a SELECT, of the sink table for an INSERT.
    pub columns: Vec<(String, DataType)>,
    /// The row kinds that arrive, as text (`I,UB,UA,D`).
    pub changelog_mode: String,
    /// The statement's text, of a statement set the text of the whole set.
    pub sql: String,
    /// The line of the script on which the statement begins, from 1.
    pub line: u32,
    /// The statement's number in the script, from 1.
    pub statement: u32,
}
