//! Guarantees side by side: the same crashes under every guarantee and with every kind of sink.

mod outcome;
mod panel;

#[cfg(feature = "parts")]
pub use outcome::OutcomeView;
pub use panel::GuaranteesView;
