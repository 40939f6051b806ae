//! Inputs: what is coming in?

mod form;
mod panel;
mod source;

pub use panel::InputsPanel;
