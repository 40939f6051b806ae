//! Cases, simulation and the comparison of batch and stream.

pub mod batch;
pub mod compare;
pub mod coverage;
pub mod recorded;
pub mod report;
pub mod run;
pub mod simulation;
pub mod vary;
