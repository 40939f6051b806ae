//! The log: partitioned, replayable, with offsets and transactions.
//!
//! | key under `log/<topic>/` | value |
//! |---|---|
//! | `end/<partition>` | the offset of the next row; there is one such key per partition |
//! | `data/<partition>/<offset>` | rows from that offset on: time, transaction, columns |
//! | `txn/<sink>/<subtask>/<epoch>-<number>` | `committed` or `aborted`; an open transaction has none |
//! | `group/<group>/<partition>` | the offset from which a consumer group goes on |
//! | `writer/…`, `open/…`, `done/…` | see [`crate::transaction`] |
//!
//! As in Kafka, rows of a transaction lie in the log as they are written, and a commit flips one marker. A committed reader
//! passes over the rows of aborted transactions and stops before the first row of an open one.

mod append;
mod fetch;
mod read;
mod sink;
mod source;
mod startup;
#[cfg(test)]
mod tests;

use tidegate_data::connector::{MAX_PARTITIONS, OptionProblem, OptionSpec, OptionType, PARALLELISM, TableShape};
use tidegate_data::{Chunk, ConnectorSpec, DataType, LogicalType, Schema, TimeKind};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::{Key, StoreRequest};

use crate::codec::{Block, Input, put_number, put_text, read_block, write_block};
use crate::kafka;
use crate::names::Listing;
use crate::options::Options;
use crate::transaction::{escape, prefix};

pub use append::{Append, Appended, Step};
pub use read::{Isolation, LogBatch, LogPage, Query, Status, copied, copy, read};
pub(crate) use sink::sink;
pub(crate) use source::source;
pub(crate) use startup::read_to;

const RULE: Code = Code::new("TG5031");

/// What `log` can do.
pub(crate) fn spec() -> ConnectorSpec {
    let mut options = vec![
        OptionSpec::optional("topic", OptionType::Text, "The topic; without it, the table's own name."),
        OptionSpec::optional(
            "partitions",
            OptionType::Between(1, MAX_PARTITIONS),
            "Partitions of the topic, when this table is the first to use it; 1 without it.",
        ),
        OptionSpec::optional(
            "key.fields",
            OptionType::Text,
            "The columns, separated by ';', whose values choose the partition of a written row.",
        ),
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
        OptionSpec::optional(
            "scan.startup.specific-offsets",
            OptionType::Text,
            "Where each partition begins: 'partition:0,offset:42;partition:1,offset:300'.",
        ),
        OptionSpec::optional(
            "scan.startup.timestamp-millis",
            OptionType::Int,
            "The time at which reading begins, in ms since 1970.",
        ),
    ]
}

/// Options of reading that every name of the log has.
pub(crate) fn scan_options() -> Vec<OptionSpec> {
    use OptionType::{Duration, Enum, Int, Text};
    const ENDS: OptionType = Enum(&["unbounded", "latest-offset", "group-offsets", "timestamp", "specific-offsets"]);
    vec![
        OptionSpec::with_default("scan.bounded.mode", ENDS, "unbounded", "Where reading ends."),
        OptionSpec::optional(
            "scan.bounded.specific-offsets",
            Text,
            "Where each partition ends: 'partition:0,offset:42;partition:1,offset:300'.",
        ),
        OptionSpec::optional("scan.bounded.timestamp-millis", Int, "The time at which reading ends, in ms since 1970."),
        OptionSpec::optional(
            "scan.topic-partition-discovery.interval",
            Duration,
            "How often to look for new partitions; has no effect here.",
        ),
        OptionSpec::optional("scan.parallelism", PARALLELISM, "Subtasks of the source."),
        OptionSpec::with_default(
            "scan.watermark.emit.strategy",
            Enum(&["on-periodic", "on-event"]),
            "on-periodic",
            "When a watermark is sent.",
        ),
        OptionSpec::optional(
            "scan.watermark.idle-timeout",
            Duration,
            "A partition without rows for this long does not hold watermarks back.",
        ),
    ]
}

/// Options of writing that every name of the log has.
pub(crate) fn sink_options() -> Vec<OptionSpec> {
    use OptionType::{Enum, Text};
    vec![
        OptionSpec::with_default(
            "sink.partitioner",
            Enum(&["default", "fixed", "round-robin"]),
            "default",
            "Which partition a row goes to.",
        ),
        OptionSpec::with_default(
            "sink.delivery-guarantee",
            Enum(&["none", "at-least-once", "exactly-once"]),
            "at-least-once",
            "What holds after a failure; exactly-once writes in transactions that commit with checkpoints.",
        ),
        OptionSpec::optional(
            "sink.transactional-id-prefix",
            Text,
            "Prefix of the transactions' ids, needed for exactly-once with Kafka.",
        ),
        OptionSpec::optional(
            "sink.transaction-naming-strategy",
            Enum(&["DEFAULT", "INCREMENTING", "POOLING"]),
            "How transactions are named; has no effect here.",
        ),
        OptionSpec::optional("sink.parallelism", PARALLELISM, "Subtasks of the sink."),
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
        OptionSpec::with_default(
            "properties.transaction.timeout.ms",
            OptionType::Int,
            "3600000",
            "How long a transaction of a sink may be open, ms: one that is not committed by then is rolled back.",
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
            let hint = format!("Add '{other}', or choose another '{mode}'.");
            problems.push(OptionProblem::at(mode, Diagnostic::error(RULE, message).hint(hint)));
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

/// The topics that a store holds.
pub const TOPICS: Listing = Listing { kind: "log/" };

/// The request that removes a topic with everything in it, open transactions too.
pub fn drop_request(topic: &str) -> StoreRequest {
    StoreRequest::Batch { require: Vec::new(), delete: vec![prefix(base(topic))], put: Vec::new() }
}

/// What all keys of a topic begin with.
pub(crate) fn base(topic: &str) -> String {
    format!("log/{}/", escape(topic))
}

/// The topics of a table: several only for a source.
pub(crate) fn topics(options: Options<'_>, table: &str) -> Vec<String> {
    options.text("topic").unwrap_or(table).split(';').filter(|topic| !topic.is_empty()).map(str::to_owned).collect()
}

/// Partitions that a topic gets when a table is the first to use it.
pub(crate) fn partitions(options: Options<'_>) -> u32 {
    options.int("partitions").map_or(1, |n| n.clamp(1, MAX_PARTITIONS) as u32)
}

/// The range of a topic's ends of partitions.
fn ends(topic: &str) -> (Key, Key) {
    prefix(base(topic) + "end/")
}

/// The key of a partition's end.
fn end(topic: &str, partition: u32) -> Key {
    format!("{}end/{partition:05}", base(topic)).into()
}

/// The ends of all partitions, in their order, from the entries of [`ends`].
fn read_ends(entries: &[(Key, bytes::Bytes)]) -> Vec<u64> {
    entries
        .iter()
        .map(|(_, value)| std::str::from_utf8(value).ok().and_then(|end| end.parse().ok()).unwrap_or(0))
        .collect()
}

/// The range of a partition's rows.
fn data(topic: &str, partition: u32) -> (Key, Key) {
    prefix(format!("{}data/{partition:05}/", base(topic)))
}

/// The key of the rows of a partition from an offset on.
fn batch_key(topic: &str, partition: u32, offset: u64) -> Key {
    format!("{}data/{partition:05}/{offset:016}", base(topic)).into()
}

/// Partition and offset of [`batch_key`].
fn read_batch_key(topic: &str, key: &[u8]) -> Option<(u32, u64)> {
    let rest = std::str::from_utf8(key.get(base(topic).len() + "data/".len()..)?).ok()?;
    let (partition, offset) = rest.split_once('/')?;
    Some((partition.parse().ok()?, offset.parse().ok()?))
}

/// The key that tells how a transaction ended.
fn status_key(topic: &str, transaction: &str) -> Key {
    format!("{}txn/{transaction}", base(topic)).into()
}

const COMMITTED: &[u8] = b"committed";
const ABORTED: &[u8] = b"aborted";

/// Rows as they are stored: when they were written, by which transaction (empty: none), and what.
fn write_batch(timestamp: i64, transaction: &str, schema: &Schema, rows: &Chunk) -> Vec<u8> {
    let mut out = Vec::new();
    put_number(&mut out, timestamp.max(0) as u64);
    put_text(&mut out, transaction);
    write_block(&mut out, schema, rows);
    out
}

/// What [`write_batch`] wrote: time, transaction, rows.
fn read_batch(value: &[u8]) -> Option<(i64, Option<String>, Block)> {
    let mut input = Input(value);
    let timestamp = i64::try_from(input.number()?).ok()?;
    let transaction = input.text()?;
    let transaction = (!transaction.is_empty()).then(|| transaction.to_owned());
    Some((timestamp, transaction, read_block(&mut input)?))
}
