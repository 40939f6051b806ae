//! Cases, simulation and the comparison of batch and stream.

pub mod compare;
pub mod recorded;
pub mod report;
pub mod run;
pub mod vary;
