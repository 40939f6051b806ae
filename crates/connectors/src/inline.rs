//! `'connector' = 'inline'`: a table whose rows are fed in by hand or by a case.

use tidegate_data::connector::{OptionProblem, OptionSpec, OptionType, TableShape, parse_boolean};
use tidegate_data::{ChangelogMode, ConnectorSpec};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::graph::SourceFactory;

use crate::args::SourceArgs;
use crate::options::find;

const BAD_MODE: Code = Code::new("TG5020");

/// What it can do.
pub(crate) fn spec() -> ConnectorSpec {
    ConnectorSpec {
        options: vec![
            OptionSpec::with_default(
                "changelog-mode",
                OptionType::Text,
                "I",
                "The row kinds of the rows fed in: I, or I,UB,UA,D, or I,UA,D with a primary key.",
            ),
            OptionSpec::optional(
                "sink.changelog-mode",
                OptionType::Text,
                "The row kinds that the table takes as a sink; without it, whatever the query yields.",
            ),
            OptionSpec::with_default(
                "watermark.push-down",
                OptionType::Boolean,
                "false",
                "Whether the source itself makes the watermarks of the table's expression.",
            ),
            OptionSpec::with_default("partitions", OptionType::Int, "1", "Splits of the table, spread over the subtasks."),
            OptionSpec::with_default(
                "scan.watermark.emit.strategy",
                OptionType::Enum(&["on-periodic", "on-event"]),
                "on-periodic",
                "When a pushed-down watermark is sent.",
            ),
        ],
        source: true,
        sink: true,
        source_mode: |options, _| {
            find(options, "changelog-mode").and_then(parse_mode).unwrap_or(ChangelogMode::INSERT_ONLY)
        },
        sink_mode: |options, _| find(options, "sink.changelog-mode").and_then(parse_mode),
        watermark_push_down: |options| find(options, "watermark.push-down").and_then(parse_boolean).unwrap_or(false),
        rules,
        ..ConnectorSpec::new("inline")
    }
}

fn parse_mode(text: &str) -> Option<ChangelogMode> {
    ChangelogMode::parse(&text.to_uppercase())
}

fn rules(table: &TableShape<'_>) -> Vec<OptionProblem> {
    let mut problems = Vec::new();
    for key in ["changelog-mode", "sink.changelog-mode"] {
        if let Some(text) = table.options.get(key)
            && parse_mode(text).is_none()
        {
            let message = format!("Invalid value '{text}' for option '{key}': I, UB, UA, D expected.");
            problems.push(OptionProblem::at(key, Diagnostic::error(BAD_MODE, message).hint("An example: 'I,UB,UA,D'.")));
        }
    }
    if let Some(n) = table.options.get("partitions").and_then(|n| n.trim().parse::<i64>().ok())
        && !(1..=1024).contains(&n)
    {
        let message = format!("Invalid value '{n}' for option 'partitions': expected 1 to 1024.");
        problems.push(OptionProblem::at("partitions", Diagnostic::error(BAD_MODE, message)));
    }
    problems
}

/// Makes the source.
pub(crate) fn source(args: SourceArgs) -> Result<SourceFactory, Diagnostic> {
    Err(crate::args::not_yet(&args.connector))
}
