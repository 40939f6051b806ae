//! Inputs: what is coming in?

mod advance;
mod file;
mod form;
mod panel;
mod source;

pub use panel::InputsPanel;
