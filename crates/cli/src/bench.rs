//! `tidegate bench`: rows per second of four queries and the pause of a checkpoint, or Nexmark's queries, or what checkpoints cost, natively.

use tidegate::bench::{self, BenchOptions};

use crate::{ERRORS, RAN};

/// Measures and prints.
#[expect(clippy::disallowed_methods, reason = "a measurement needs a clock; the engine is handed the time")]
pub fn bench(quick: bool, nexmark: bool, checkpoints: bool) -> u8 {
    let begin = std::time::Instant::now();
    let clock = move || begin.elapsed().as_secs_f64() * 1000.0;
    let options = if quick { BenchOptions::QUICK } else { BenchOptions::FULL };
    let measured = match (nexmark, checkpoints) {
        (true, _) => bench::nexmark(options, &clock),
        (_, true) => bench::modes::checkpoints(options, &clock),
        _ => bench::bench(options, &clock, &mut |_| {}),
    };
    match measured {
        Ok(figures) => {
            println!("{figures:#}");
            RAN
        }
        Err(why) => {
            eprintln!("The measurement failed: {why}");
            ERRORS
        }
    }
}
