//! Every case gives exactly what Flink gave: `cargo test -p tidegate-tests --test cases -- [words of the case's name]`.

use std::process::ExitCode;

use tidegate::case::CaseOptions;
use tidegate_tests::compare::exact;
use tidegate_tests::recorded::cases;
use tidegate_tests::report::Report;
use tidegate_tests::run::run;

fn main() -> ExitCode {
    let mut report = Report::new("cases");
    for case in cases() {
        let name = format!("{}/{}", case.area, case.name);
        report.test(&name, case.known_failure.as_deref(), || {
            exact(&case.expected, &run(&case.text, &CaseOptions::default()))
        });
    }
    report.finish()
}
