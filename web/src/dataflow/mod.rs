//! Dataflow: what is happening?

mod channel;
mod geometry;
mod panel;
mod subtask;

pub use panel::DataflowPanel;
