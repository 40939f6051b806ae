//! What a connector accepts, said once by the connector and read by the planner.

use crate::ChangelogMode;

/// The type of an option's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionType {
    /// Any text.
    Text,
    /// A whole number.
    Int,
    /// A floating-point number.
    Double,
    /// `true` or `false`.
    Boolean,
    /// Flink's duration text, `10 s`, `500 ms`.
    Duration,
    /// Flink's memory size, `64 mb`.
    Memory,
    /// One of these words.
    Enum(&'static [&'static str]),
}

/// One option of a connector. A name may hold `*` for a column's name (`fields.*.min`) or any suffix (`properties.*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// The option's name, as Flink spells it.
    pub name: &'static str,
    /// What its value must be.
    pub ty: OptionType,
    /// Whether a table without it is refused.
    pub required: bool,
    /// What it means when absent, as text; `None` when there is no default.
    pub default: Option<&'static str>,
    /// One sentence for the page and the error message.
    pub doc: &'static str,
}

/// What a connector can do and which options it takes.
#[derive(Clone, Debug)]
pub struct ConnectorSpec {
    /// The value of `'connector'`.
    pub name: &'static str,
    /// All options but `connector` itself.
    pub options: Vec<OptionSpec>,
    /// Whether it can be read.
    pub source: bool,
    /// Whether it can be written.
    pub sink: bool,
    /// Metadata columns that a source offers: key and type text.
    pub metadata: Vec<(&'static str, crate::DataType)>,
    /// The row kinds that a source yields, from the table's options and whether it has a primary key.
    pub source_mode: fn(options: &[(String, String)], has_key: bool) -> ChangelogMode,
    /// The row kinds that a sink takes; `None` takes whatever the query yields.
    pub sink_mode: fn(options: &[(String, String)], has_key: bool) -> Option<ChangelogMode>,
    /// Whether the source takes the table's watermark itself, so that the plan has no watermark assigner.
    pub watermark_push_down: fn(options: &[(String, String)]) -> bool,
}
