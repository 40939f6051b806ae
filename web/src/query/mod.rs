//! Query: what did I ask?

mod editor;
mod panel;
mod problems;

pub use panel::{QueryPanel, rates};
