//! The log: partitioned, replayable, with offsets and transactions.

use tidegate_data::connector::{OptionProblem, OptionSpec, OptionType, TableShape};
use tidegate_data::{ConnectorSpec, DataType, LogicalType, TimeKind};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::graph::SourceFactory;

use crate::args::{SinkArgs, SinkParts, SourceArgs};
use crate::kafka;

const RULE: Code = Code::new("TG5031");

/// What `log` can do.
pub(crate) fn spec() -> ConnectorSpec {
    let mut options = vec![
        OptionSpec::optional("topic", OptionType::Text, "The topic; without it, the table's own name."),
        OptionSpec::optional("partitions", OptionType::Int, "Partitions of the topic, when this table is the first to use it; 1 without it."),
        OptionSpec::optional("key.fields", OptionType::Text, "The columns, separated by ';', whose values choose the partition of a written row."),
        OptionSpec::optional("value.format", OptionType::Text, "Format of the rows."),
    ];
    options.extend(scan_options());
    options.extend(startup_options("earliest-offset"));
    options.extend(sink_options());
    options.extend(property_options());
    options.extend(kafka::format_options());
    ConnectorSpec {
        options,
        source: true,
        sink: true,
        metadata: metadata(),
        source_mode: kafka::changelog_of_format,
        sink_mode: |options, key| Some(kafka::changelog_of_format(options, key)),
        watermark_push_down: |_| true,
        rules,
        ..ConnectorSpec::new("log")
    }
}

/// Options on where a source begins.
pub(crate) fn startup_options(default: &'static str) -> Vec<OptionSpec> {
    const MODES: OptionType =
        OptionType::Enum(&["earliest-offset", "latest-offset", "group-offsets", "timestamp", "specific-offsets"]);
    vec![
        OptionSpec::with_default("scan.startup.mode", MODES, default, "Where reading begins."),
        OptionSpec::optional("scan.startup.specific-offsets", OptionType::Text, "Where each partition begins: 'partition:0,offset:42;partition:1,offset:300'."),
        OptionSpec::optional("scan.startup.timestamp-millis", OptionType::Int, "The time at which reading begins, in ms since 1970."),
    ]
}

/// Options of reading that every name of the log has.
pub(crate) fn scan_options() -> Vec<OptionSpec> {
    use OptionType::{Duration, Enum, Int, Text};
    const ENDS: OptionType = Enum(&["unbounded", "latest-offset", "group-offsets", "timestamp", "specific-offsets"]);
    vec![
        OptionSpec::with_default("scan.bounded.mode", ENDS, "unbounded", "Where reading ends."),
        OptionSpec::optional("scan.bounded.specific-offsets", Text, "Where each partition ends: 'partition:0,offset:42;partition:1,offset:300'."),
        OptionSpec::optional("scan.bounded.timestamp-millis", Int, "The time at which reading ends, in ms since 1970."),
        OptionSpec::optional("scan.topic-partition-discovery.interval", Duration, "How often to look for new partitions; has no effect here."),
        OptionSpec::optional("scan.parallelism", Int, "Subtasks of the source."),
        OptionSpec::with_default("scan.watermark.emit.strategy", Enum(&["on-periodic", "on-event"]), "on-periodic", "When a watermark is sent."),
        OptionSpec::optional("scan.watermark.idle-timeout", Duration, "A partition without rows for this long does not hold watermarks back."),
    ]
}

/// Options of writing that every name of the log has.
pub(crate) fn sink_options() -> Vec<OptionSpec> {
    use OptionType::{Enum, Int, Text};
    vec![
        OptionSpec::with_default("sink.partitioner", Enum(&["default", "fixed", "round-robin"]), "default", "Which partition a row goes to."),
        OptionSpec::with_default(
            "sink.delivery-guarantee",
            Enum(&["none", "at-least-once", "exactly-once"]),
            "at-least-once",
            "What holds after a failure; exactly-once writes in transactions that commit with checkpoints.",
        ),
        OptionSpec::optional("sink.transactional-id-prefix", Text, "Prefix of the transactions' ids, needed for exactly-once with Kafka."),
        OptionSpec::optional("sink.transaction-naming-strategy", Enum(&["DEFAULT", "INCREMENTING", "POOLING"]), "How transactions are named; has no effect here."),
        OptionSpec::optional("sink.parallelism", Int, "Subtasks of the sink."),
    ]
}

/// Kafka's own properties.
pub(crate) fn property_options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::optional("properties.group.id", OptionType::Text, "Name under which read offsets are committed."),
        OptionSpec::with_default(
            "properties.isolation.level",
            OptionType::Enum(&["read_uncommitted", "read_committed"]),
            "read_uncommitted",
            "Whether rows of open and aborted transactions are read.",
        ),
        OptionSpec::with_default(
            "properties.auto.offset.reset",
            OptionType::Enum(&["earliest", "latest", "none"]),
            "none",
            "Where to begin when the group has committed no offsets.",
        ),
        OptionSpec::optional("properties.*", OptionType::Text, "A property of Kafka's clients; has no effect here."),
    ]
}

/// The metadata columns of a source, in Flink's types.
pub(crate) fn metadata() -> Vec<(&'static str, DataType)> {
    let headers = LogicalType::Map(
        Box::new(DataType::not_null(LogicalType::VarChar(DataType::MAX_LENGTH))),
        Box::new(DataType::not_null(LogicalType::VarBinary(DataType::MAX_LENGTH))),
    );
    vec![
        ("topic", DataType::string().with_nullable(false)),
        ("partition", DataType::not_null(LogicalType::Int)),
        ("headers", DataType::not_null(headers)),
        ("leader-epoch", DataType::new(LogicalType::Int)),
        ("offset", DataType::not_null(LogicalType::BigInt)),
        ("timestamp", DataType::not_null(LogicalType::TimestampLtz(3, TimeKind::Regular))),
        ("timestamp-type", DataType::string().with_nullable(false)),
    ]
}

/// What all names of the log ask of a table.
pub(crate) fn rules(table: &TableShape<'_>) -> Vec<OptionProblem> {
    let mut problems = Vec::new();
    let options = table.options;
    let word = |key: &str| options.get(key).map(|value| value.to_lowercase());
    let mut needs = |mode: &str, value: &str, other: &str| {
        if word(mode).as_deref() == Some(value) && !options.contains_key(other) {
            let message = format!("'{other}' is required in '{value}' mode but missing.");
            problems.push(OptionProblem::at(mode, Diagnostic::error(RULE, message)));
        }
    };
    needs("scan.startup.mode", "specific-offsets", "scan.startup.specific-offsets");
    needs("scan.startup.mode", "timestamp", "scan.startup.timestamp-millis");
    needs("scan.startup.mode", "group-offsets", "properties.group.id");
    needs("scan.bounded.mode", "specific-offsets", "scan.bounded.specific-offsets");
    needs("scan.bounded.mode", "timestamp", "scan.bounded.timestamp-millis");
    needs("scan.bounded.mode", "group-offsets", "properties.group.id");
    problems
}

/// Makes the source.
pub(crate) fn source(args: SourceArgs) -> Result<SourceFactory, Diagnostic> {
    Err(crate::args::not_yet(&args.connector))
}

/// Makes the sink.
pub(crate) fn sink(args: SinkArgs) -> Result<SinkParts, Diagnostic> {
    Err(crate::args::not_yet(&args.connector))
}
