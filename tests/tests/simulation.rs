//! Seeded runs of the whole engine against a hostile world; `TIDEGATE_SEED=n` runs one of them.

use tidegate_tests::report::all;
use tidegate_tests::simulation::{Outcome, simulate};

/// Runs in the test command.
const RUNS: u64 = 4_000;
/// Runs when everything is to be tested.
const ALL_RUNS: u64 = 20_000;
/// Parts that run side by side.
const PARTS: u64 = 2;

/// Says which seed it was when a run fails.
struct Tell(u64);

impl Drop for Tell {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("simulation: failing seed {0} (TIDEGATE_SEED={0} runs it alone)", self.0);
        }
    }
}

fn part(part: u64) {
    if let Some(seed) = std::env::var("TIDEGATE_SEED").ok().and_then(|text| text.parse().ok()) {
        if part == 0 {
            let _tell = Tell(seed);
            println!("{:#?}", simulate(seed, true));
        }
        return;
    }
    let runs = if all() { ALL_RUNS } else { RUNS };
    let mut total = Outcome::default();
    for seed in (0..runs).filter(|seed| seed % PARTS == part) {
        let _tell = Tell(seed);
        let outcome = simulate(seed, false);
        if (seed / PARTS).is_multiple_of(32) {
            assert_eq!(simulate(seed, false), outcome, "two runs of one seed differ");
        }
        total.add(&outcome);
    }
    println!("{total:?}");
    // A simulation in which nothing happens proves nothing.
    let runs = runs / PARTS;
    assert!(total.checkpoints > runs && total.restores > runs / 5);
    assert!(total.aborted > runs / 5 && total.zombies as u64 > runs / 20);
}

#[test]
fn simulation_part_0() {
    part(0);
}

#[test]
fn simulation_part_1() {
    part(1);
}
