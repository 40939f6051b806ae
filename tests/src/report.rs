//! A small test runner: names, filters, one line per failure, a panic counts as one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// What the command line asks for: words that a name must contain, all of them. Options of cargo's own runner are passed over.
pub fn filters() -> Vec<String> {
    std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect()
}

/// Whether the whole matrix is to be run, not a sample of it.
pub fn all() -> bool {
    std::env::var("TIDEGATE_TEST_ALL").is_ok_and(|value| value != "0")
}

/// Collects verdicts and prints them.
pub struct Report {
    title: &'static str,
    filters: Vec<String>,
    passed: usize,
    expected: usize,
    failed: Vec<String>,
}

impl Report {
    /// A report under a title.
    pub fn new(title: &'static str) -> Report {
        Report { title, filters: filters(), passed: 0, expected: 0, failed: Vec::new() }
    }

    /// Whether this name is asked for.
    pub fn wants(&self, name: &str) -> bool {
        self.filters.iter().all(|filter| name.contains(filter.as_str()))
    }

    /// Runs one test, which gives all that is wrong. With `known` it is expected to fail, for that reason, and fails if it does not.
    pub fn test(&mut self, name: &str, known: Option<&str>, test: impl FnOnce() -> Vec<String>) {
        if !self.wants(name) {
            return;
        }
        let found = catch_unwind(AssertUnwindSafe(test)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            vec![format!("panicked: {}", text.unwrap_or_default())]
        });
        match (found.is_empty(), known) {
            (true, None) => self.passed += 1,
            (true, Some(_)) => {
                println!("{name}: passes, so its known failure is over; remove the file that says so\n");
                self.failed.push(name.to_owned());
            }
            (false, Some(_)) => self.expected += 1,
            (false, None) => {
                println!("{name}:\n  {}\n", found.join("\n  "));
                self.failed.push(name.to_owned());
            }
        }
    }

    /// Prints the sum.
    pub fn finish(self) -> ExitCode {
        let verdict = if self.failed.is_empty() { "ok" } else { "FAILED" };
        println!(
            "{}: {verdict}. {} passed; {} failed; {} known failures",
            self.title,
            self.passed,
            self.failed.len(),
            self.expected
        );
        if self.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
