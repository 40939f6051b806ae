//! Cases, simulation and the comparison of batch and stream.
