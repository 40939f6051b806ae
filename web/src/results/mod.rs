//! Results: what came out?

mod batch;
mod beside;
mod changelog;
mod checkpoint_parts;
mod checkpoints;
mod columns;
mod download;
mod encoding;
mod failure;
mod panel;
mod plan;
mod savepoint;
mod sink;
mod state_view;
mod table;
mod together;

pub use panel::ResultsPanel;
pub use sink::SinkView;
