//! Runs the simulation: many seeds, or one of them again with all that happens.

// Held to by the engine; this is a program like any other.
#![allow(clippy::disallowed_methods)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use tidegate_tests::simulation::search::search;
use tidegate_tests::simulation::{How, Outcome, simulate};

const USAGE: &str = "simulate [--runs N] [--first N] [--minutes M] [--threads N] | simulate --seed N

  --runs N      how many seeds, 1000 without it
  --first N     the first of them, 0 without it, so that a search can go on where another one stopped
  --minutes M   stop after so long; says which seed would come next
  --threads N   so many at a time, 2 without it
  --seed N      one seed, with all that happens";

/// Seeds between two looks at the clock.
const PART: u64 = 500;
/// So many parts later it is said how far it is.
const SAID: u64 = 20;

fn main() -> ExitCode {
    let mut numbers = [("--runs", None), ("--first", None), ("--minutes", None), ("--threads", None), ("--seed", None)];
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
    let [(_, runs), (_, first), (_, minutes), (_, threads), (_, seed)] = numbers;
    if let Some(seed) = seed {
        println!("{:#?}", simulate(seed, &How { verbose: true, ..How::default() }));
        return ExitCode::SUCCESS;
    }
    let begin = Instant::now();
    let limit = minutes.map(|minutes| Duration::from_secs(60 * minutes));
    let mut next = first.unwrap_or(0);
    let end = next + runs.unwrap_or(if limit.is_some() { u64::MAX / 2 } else { 1_000 });
    let mut total = Outcome::default();
    while next < end && limit.is_none_or(|limit| begin.elapsed() < limit) {
        let part = PART.min(end - next);
        match search(next, part, threads.unwrap_or(2).max(1), 64) {
            Ok(outcome) => total.add(&outcome),
            Err(failure) => {
                eprintln!("{}", failure.explain());
                return ExitCode::FAILURE;
            }
        }
        next += part;
        if (next / PART).is_multiple_of(SAID) {
            // Who stops it knows where it goes on.
            eprintln!("the next seed is {next}; {:.0} s", begin.elapsed().as_secs_f64());
        }
    }
    println!("{total:#?}\nthe next seed is {next}; {:.1} s", begin.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}
