//! Seeded runs of the whole engine against a hostile world; `TIDEGATE_SEED=n` runs one of them.

use tidegate_tests::report::all;
use tidegate_tests::simulation::search::search;
use tidegate_tests::simulation::{How, simulate};

/// Runs in the test command.
const RUNS: u64 = 20_000;
/// Runs when everything is to be tested.
const ALL_RUNS: u64 = 50_000;

#[test]
fn simulation() {
    if let Some(seed) = std::env::var("TIDEGATE_SEED").ok().and_then(|text| text.parse().ok()) {
        println!("{:#?}", simulate(seed, &How { verbose: true, ..How::default() }));
        return;
    }
    let runs = if all() { ALL_RUNS } else { RUNS };
    let total = search(0, runs, 2, 32).unwrap_or_else(|failure| panic!("{}", failure.explain()));
    println!("{total:?}");
    // A simulation in which nothing happens proves nothing.
    assert!(total.checkpoints > runs && total.restores > runs / 5);
    assert!(
        total.aborted > runs / 5 && total.zombies > runs / 20 && total.trials > runs / 5 && total.moves > runs / 50
    );
    assert!(
        total.outages > runs / 10
            && total.damaged > runs / 500
            && total.agreed > runs / 10
            && total.expired > runs / 1_000
    );
}
