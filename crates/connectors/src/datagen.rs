//! `'connector' = 'datagen'`: rows made up, by Flink's options.

use tidegate_data::connector::{OptionProblem, OptionSpec, OptionType, TableShape};
use tidegate_data::ConnectorSpec;
use tidegate_diag::Diagnostic;
use tidegate_runtime::graph::SourceFactory;

use crate::args::SourceArgs;

/// What it can do.
pub(crate) fn spec() -> ConnectorSpec {
    use OptionType::{Boolean, Duration, Double, Enum, Int, Text};
    ConnectorSpec {
        options: vec![
            OptionSpec::with_default("rows-per-second", Int, "10000", "Rows per second, over all subtasks."),
            OptionSpec::optional("number-of-rows", Int, "The table ends after so many rows; without it, it never does."),
            OptionSpec::optional("scan.parallelism", Int, "Subtasks of the source."),
            OptionSpec::with_default("fields.*.kind", Enum(&["random", "sequence"]), "random", "How the column is made."),
            OptionSpec::optional("fields.*.min", Text, "The least random value (numbers)."),
            OptionSpec::optional("fields.*.max", Text, "The greatest random value (numbers)."),
            OptionSpec::with_default("fields.*.max-past", Duration, "0", "How far a random timestamp may lie in the past."),
            OptionSpec::with_default("fields.*.length", Int, "100", "Length of a random string, binary or collection."),
            OptionSpec::with_default("fields.*.var-len", Boolean, "false", "Whether the length varies, from 1 on."),
            OptionSpec::optional("fields.*.start", Text, "First value of a sequence."),
            OptionSpec::optional("fields.*.end", Text, "Last value of a sequence; the table ends with it."),
            OptionSpec::with_default("fields.*.null-rate", Double, "0", "The share of NULLs, 0 to 1."),
        ],
        source: true,
        rules,
        ..ConnectorSpec::new("datagen")
    }
}

fn rules(_table: &TableShape<'_>) -> Vec<OptionProblem> {
    Vec::new()
}

/// Makes the source.
pub(crate) fn source(args: SourceArgs) -> Result<SourceFactory, Diagnostic> {
    Err(crate::args::not_yet(&args.connector))
}
