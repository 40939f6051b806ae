//! Two-phase commit as it runs: the coordinator, the sink's subtasks as participants, and what the readers see.

mod countdown;
mod moments;
mod panel;
mod transactions;

pub use panel::CommitView;
