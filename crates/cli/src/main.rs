//! The command line: run, explain and bench.
fn main() {}
