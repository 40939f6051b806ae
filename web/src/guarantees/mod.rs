//! Guarantees side by side: the same crashes under every guarantee and with every kind of sink; and a bill service in two ways.

mod amounts;
mod batches;
mod bills;
mod nine;
mod outcome;
mod panel;
mod run_line;

#[cfg(feature = "parts")]
pub use amounts::AmountsView;
#[cfg(feature = "parts")]
pub use batches::BatchesView;
#[cfg(feature = "parts")]
pub use outcome::OutcomeView;
pub use panel::GuaranteesView;
