//! Cases, simulation, random queries against a reference, and the comparison of batch and stream.

pub mod batch;
pub mod compare;
pub mod coverage;
pub mod random;
pub mod recorded;
pub mod reference;
pub mod report;
pub mod run;
pub mod simulation;
pub mod vary;
