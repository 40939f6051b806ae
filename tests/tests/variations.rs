//! What a query means does not depend on parallelism, chunk size, scheduling, or failures: every case is run in a few
//! ways drawn from a seed, with `TIDEGATE_TEST_ALL=1` in all of them.

use std::process::ExitCode;

use tidegate_tests::recorded::cases;
use tidegate_tests::report::{Report, all};
use tidegate_tests::vary::{check, matrix, mix};

/// Variations of a case that are run if not all are.
const SAMPLE: u64 = 4;

fn main() -> ExitCode {
    let mut report = Report::new("variations");
    let matrix = matrix();
    for (number, case) in cases().iter().enumerate() {
        // What is refused runs in no way.
        if case.known_failure.is_some() || case.expected.error.as_ref().is_some_and(|e| e.stage != "run") {
            continue;
        }
        let chosen: Vec<usize> = match all() {
            true => (0..matrix.len()).collect(),
            false => (0..SAMPLE).map(|n| mix(number as u64, n) as usize % matrix.len()).collect(),
        };
        for variation in chosen.into_iter().map(|index| matrix[index]) {
            let name = format!("{}/{} · {variation}", case.area, case.name);
            report.test(&name, None, || check(case, variation));
        }
    }
    report.finish()
}
