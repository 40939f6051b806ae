//! A simulation that finds nothing proves nothing: known mistakes are planted, one at a time, and it must find each of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use tidegate::runtime::mistakes::Mistake;
use tidegate_tests::simulation::search::find;

/// Runs within which a mistake must be found.
const RUNS: u64 = 2_000;
const THREADS: usize = 2;

#[test]
fn every_planted_mistake_is_found() {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut missed = Vec::new();
        while let Some(mistake) = Mistake::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
            match find(*mistake, RUNS) {
                Some(failure) => {
                    let words = failure.message.lines().nth(1).unwrap_or(&failure.message);
                    println!("{mistake:?}: found in run {}: {words}", failure.seed + 1);
                }
                None => missed.push(*mistake),
            }
        }
        missed
    };
    let missed: Vec<Mistake> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("panics are caught")).collect()
    });
    assert!(missed.is_empty(), "not found within {RUNS} runs: {missed:?}");
}
