//! Faults: what can be made to go wrong by hand, each with what it shows.

mod outages;
mod panel;
mod places;

pub use panel::FaultsView;
