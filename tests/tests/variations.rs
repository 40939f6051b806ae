//! What a query means does not depend on parallelism, chunk size, scheduling, or failures: every case is run in a few
//! ways drawn from a seed, with `TIDEGATE_TEST_ALL=1` in all of them.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use tidegate::case::CaseOptions;
use tidegate_tests::compare::exact;
use tidegate_tests::recorded::{CaseFile, cases};
use tidegate_tests::report::{Report, all};
use tidegate_tests::run::run;
use tidegate_tests::vary::{KILLS, Variation, check, matrix, mix};

/// Variations of a case that are run if not all are.
const SAMPLE: u64 = 4;

fn main() -> ExitCode {
    let mut report = Report::new("variations");
    let matrix = matrix();
    for (number, case) in cases().iter().enumerate() {
        // What is refused runs in no way, and what fails would fail again after each restart.
        if case.known_failure.is_some() || case.expected.error.is_some() {
            continue;
        }
        // What does not even pass as it is fails elsewhere.
        let wanted = |variation: &&Variation| report.wants(&name_of(case, **variation));
        if !matrix.iter().any(|v| wanted(&v))
            || !exact(&case.expected, &run(&case.text, &CaseOptions::default())).is_empty()
        {
            continue;
        }
        let chosen: Vec<usize> = match all() {
            true => (0..matrix.len()).collect(),
            false => (0..SAMPLE).map(|n| mix(number as u64, n) as usize % matrix.len()).collect(),
        };
        for variation in chosen.into_iter().map(|index| matrix[index]) {
            report.test(&name_of(case, variation), None, || check(case, variation));
        }
    }
    let [kills, engines] = &KILLS;
    let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
    println!(
        "jobs killed within a checkpoint: {}; engines lost for another parallelism: {}",
        count(kills),
        count(engines)
    );
    report.finish()
}

fn name_of(case: &CaseFile, variation: Variation) -> String {
    format!("{}/{} · {variation}", case.area, case.name)
}
