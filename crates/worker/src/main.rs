//! The engine inside the web worker.
fn main() {}
