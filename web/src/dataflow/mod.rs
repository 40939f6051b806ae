//! Dataflow: what is happening?

mod bundle;
mod card;
mod channel;
mod element;
mod geometry;
mod graph;
mod panel;
mod route;
mod subtask;

pub use panel::DataflowPanel;
