//! The transport bar: what drives the run, and what has happened to it.

mod back;
mod bar;
mod timeline;

pub use back::PastNote;
pub use bar::TransportBar;
