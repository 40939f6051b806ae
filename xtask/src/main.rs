//! The project's own commands: serve, build, test, bench, tidy.
fn main() {}
