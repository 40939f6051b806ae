//! Runs the simulation: `simulate [--runs N] [--first N]` many seeds, `simulate --seed N` one of them, with all that happens.

use std::process::ExitCode;

use tidegate_tests::simulation::{Outcome, simulate};

const USAGE: &str = "simulate [--runs N] [--first N] | simulate --seed N";

fn main() -> ExitCode {
    let mut numbers = [("--runs", None), ("--first", None), ("--seed", None)];
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let known = numbers.iter_mut().find(|(name, _)| *name == word);
        match (known, words.next().and_then(|number| number.parse::<u64>().ok())) {
            (Some(slot), Some(number)) => slot.1 = Some(number),
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    let [(_, runs), (_, first), (_, seed)] = numbers;
    if let Some(seed) = seed {
        println!("{:#?}", simulate(seed, true));
        return ExitCode::SUCCESS;
    }
    let first = first.unwrap_or(0);
    let mut total = Outcome::default();
    for seed in first..first + runs.unwrap_or(1_000) {
        match std::panic::catch_unwind(|| simulate(seed, false)) {
            Ok(outcome) => total.add(&outcome),
            Err(_) => {
                eprintln!("failing seed: {seed} (--seed {seed} runs it alone)");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{total:#?}");
    ExitCode::SUCCESS
}
