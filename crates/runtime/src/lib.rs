//! The dataflow machine: elements, channels, subtasks, scheduler, state and checkpoints.

mod align;
mod chain;
mod channel;
mod checkpoint;
pub mod codec;
mod context;
pub mod element;
mod env;
pub mod errors;
pub mod event;
pub mod graph;
pub mod host;
mod job;
pub mod mistakes;
pub mod operator;
pub mod outage;
mod output;
pub mod rng;
pub mod settings;
pub mod sim;
mod snapshot;
pub mod state;
pub mod store;
mod subtask;
mod valve;
pub mod view;

pub use checkpoint::spoil;
pub use element::{Barrier, BarrierKind, CheckpointId, Element, WatermarkStatus};
pub use event::{Command, Disturbance, Effect, Event, Journal, JournalEntry, Moment, Stop};
pub use graph::{Edge, Exchange, JobGraph, OperatorSpec, SourceSpec, Vertex};
pub use job::Job;
pub use operator::{Context, Failure, FeedItem, Operator, Outcome, Polled, Progress, Source, SubtaskInfo};
pub use settings::{CheckpointMode, CheckpointSettings, JobSettings, Policy, RestartStrategy, Restore};
pub use store::{Key, MemoryStore, RequestId, Store, StoreRequest, StoreResponse};
pub use view::{JobState, JobView};
