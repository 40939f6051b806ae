//! Faults: what can be made to go wrong by hand, each with what it shows.

mod offers;
mod outages;
mod panel;
mod places;
mod planned;
mod scenarios;
mod words;
mod zombie;

pub use panel::FaultsView;
