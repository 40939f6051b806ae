//! What a query means does not depend on parallelism, chunk size, scheduling, or failures.

use std::process::ExitCode;

use tidegate_tests::report::Report;

fn main() -> ExitCode {
    Report::new("variations").finish()
}
