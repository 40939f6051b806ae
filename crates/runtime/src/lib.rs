//! The dataflow machine: elements, channels, subtasks, scheduler, state and checkpoints.

pub mod element;
pub mod graph;
pub mod operator;
pub mod state;
pub mod store;

pub use element::{Barrier, CheckpointId, Element, WatermarkStatus};
pub use graph::{Exchange, JobGraph, OperatorSpec, Vertex};
pub use operator::{Context, Failure, Operator, Outcome, Progress, Source, SubtaskInfo};
pub use store::{Key, RequestId, Store, StoreRequest, StoreResponse};
