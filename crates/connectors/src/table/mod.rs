//! The table store: rows by primary key or appended, transactions, and readers at two isolation levels.
//!
//! | key under `table/<name>/` | value |
//! |---|---|
//! | `row/<row>` | a committed row; `<row>` is the primary key's bytes, or `<sink>/<subtask>/<epoch>-<number>` |
//! | `txn/<sink>/<subtask>/<epoch>-<number>/<row>` | what an open transaction does to a row: puts it or deletes it |
//! | `schema/<hash>` | the columns of rows that were written with them |
//! | `current` | the hash of the columns last written |
//! | `writer/…`, `open/…`, `done/…` | see [`crate::transaction`] |
//!
//! A commit moves what is staged to `row/` in one atomic batch. So a committed reader needs to look at nothing else.

mod lookup;
mod read;
mod sink;
mod source;
#[cfg(test)]
mod tests;
mod write;

use tidegate_data::connector::{OptionProblem, OptionSpec, OptionType, PARALLELISM, TableShape};
use tidegate_data::{ChangelogMode, Chunk, ConnectorSpec, Schema};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::{Key, StoreRequest};

use crate::codec::{Input, read_rows, write_rows};
use crate::names::Listing;
use crate::options::Options;
use crate::transaction::{escape, prefix};

pub use lookup::{Compute, Holds, LookupArgs, lookup};
pub use read::{Isolation, Query, TablePage, read};
pub(crate) use sink::sink;
pub(crate) use source::source;
pub use write::put;

const RULE: Code = Code::new("TG5040");

/// What `table` can do.
pub(crate) fn spec() -> ConnectorSpec {
    use OptionType::{Duration, Enum, Int, Text};
    ConnectorSpec {
        options: vec![
            OptionSpec::optional("table-name", Text, "Name in the table store; without it, the table's own name."),
            OptionSpec::with_default(
                "isolation-level",
                Enum(&["read-committed", "read-uncommitted"]),
                "read-committed",
                "Whether reading sees rows of transactions that are not committed yet.",
            ),
            OptionSpec::with_default(
                "sink.delivery-guarantee",
                Enum(&["none", "at-least-once", "exactly-once"]),
                "at-least-once",
                "What holds after a failure; exactly-once writes in transactions that commit with checkpoints.",
            ),
            OptionSpec::with_default(
                "sink.transaction-timeout",
                Duration,
                "1 h",
                "How long a transaction may be open: one that is not committed by then is rolled back.",
            ),
            OptionSpec::with_default(
                "sink.buffer-flush.max-rows",
                Int,
                "0",
                "Rows to buffer before they are written; 0 for none.",
            ),
            OptionSpec::with_default(
                "sink.buffer-flush.interval",
                Duration,
                "0",
                "How long to buffer at the most; 0 for not at all.",
            ),
            OptionSpec::optional("sink.parallelism", PARALLELISM, "Subtasks of the sink."),
        ],
        source: true,
        sink: true,
        sink_mode,
        rules,
        ..ConnectorSpec::new("table")
    }
}

/// What `jdbc` can do.
pub(crate) fn jdbc_spec() -> ConnectorSpec {
    use OptionType::{Boolean, Duration, Enum, Int, Text};
    const NO_EFFECT: &str = "Accepted as Flink does; has no effect here.";
    ConnectorSpec {
        options: vec![
            OptionSpec::required(
                "url",
                Text,
                "The JDBC URL; here any text does, for the table store of the playground is read.",
            ),
            OptionSpec::required("table-name", Text, "Name of the table in the table store."),
            OptionSpec::optional("driver", Text, NO_EFFECT),
            OptionSpec::optional("username", Text, NO_EFFECT),
            OptionSpec::optional("password", Text, NO_EFFECT),
            OptionSpec::optional("compatible-mode", Text, NO_EFFECT),
            OptionSpec::optional("properties.*", Text, NO_EFFECT),
            OptionSpec::with_default("connection.max-retry-timeout", Duration, "60 s", NO_EFFECT),
            OptionSpec::optional("scan.partition.column", Text, NO_EFFECT),
            OptionSpec::optional("scan.partition.num", Int, NO_EFFECT),
            OptionSpec::optional("scan.partition.lower-bound", Int, NO_EFFECT),
            OptionSpec::optional("scan.partition.upper-bound", Int, NO_EFFECT),
            OptionSpec::with_default("scan.fetch-size", Int, "0", NO_EFFECT),
            OptionSpec::with_default("scan.auto-commit", Boolean, "true", NO_EFFECT),
            OptionSpec::optional("scan.parallelism", PARALLELISM, "Subtasks of the source."),
            OptionSpec::with_default("lookup.cache", Enum(&["NONE", "PARTIAL"]), "NONE", NO_EFFECT),
            OptionSpec::optional("lookup.partial-cache.max-rows", Int, NO_EFFECT),
            OptionSpec::optional("lookup.partial-cache.expire-after-write", Duration, NO_EFFECT),
            OptionSpec::optional("lookup.partial-cache.expire-after-access", Duration, NO_EFFECT),
            OptionSpec::with_default("lookup.partial-cache.cache-missing-key", Boolean, "true", NO_EFFECT),
            OptionSpec::optional("lookup.cache.max-rows", Int, NO_EFFECT),
            OptionSpec::optional("lookup.cache.ttl", Duration, NO_EFFECT),
            OptionSpec::with_default("lookup.cache.caching-missing-key", Boolean, "true", NO_EFFECT),
            OptionSpec::with_default("lookup.max-retries", Int, "3", NO_EFFECT),
            OptionSpec::with_default("filter.handling.policy", Enum(&["always", "never"]), "always", NO_EFFECT),
            OptionSpec::with_default(
                "sink.buffer-flush.max-rows",
                Int,
                "100",
                "Rows to buffer before they are written; 0 for none.",
            ),
            OptionSpec::with_default(
                "sink.buffer-flush.interval",
                Duration,
                "1 s",
                "How long to buffer at the most; 0 for not at all.",
            ),
            OptionSpec::with_default("sink.max-retries", Int, "3", NO_EFFECT),
            OptionSpec::optional("sink.parallelism", PARALLELISM, "Subtasks of the sink."),
        ],
        source: true,
        sink: true,
        sink_mode,
        rules,
        ..ConnectorSpec::new("jdbc")
    }
}

/// Upserts by primary key; without one the table only grows.
fn sink_mode(_options: &[(String, String)], has_key: bool) -> Option<ChangelogMode> {
    Some(if has_key { ChangelogMode::UPSERT } else { ChangelogMode::INSERT_ONLY })
}

fn rules(table: &TableShape<'_>) -> Vec<OptionProblem> {
    let mut problems = Vec::new();
    if table.options.get("table-name").is_some_and(|name| name.is_empty()) {
        problems
            .push(OptionProblem::at("table-name", Diagnostic::error(RULE, "Option 'table-name' must not be empty.")));
    }
    problems
}

/// The name in the table store of a table with these options.
pub(crate) fn store_name(options: Options<'_>, table: &str) -> String {
    options.text("table-name").unwrap_or(table).to_owned()
}

/// What all keys of a table begin with.
pub(crate) fn base(name: &str) -> String {
    format!("table/{}/", escape(name))
}

/// The tables that a store holds.
pub const TABLES: Listing = Listing { kind: "table/" };

/// The requests that remove a table with everything in it, open transactions too.
pub fn drop_request(name: &str) -> StoreRequest {
    StoreRequest::Batch { require: Vec::new(), delete: vec![prefix(base(name))], put: Vec::new() }
}

/// The range of a table's committed rows.
fn rows(name: &str) -> (Key, Key) {
    prefix(base(name) + "row/")
}

/// The name of a schema: the same columns have the same, whoever writes them.
fn schema_hash(bytes: &[u8]) -> u64 {
    tidegate_data::keys::hash::hash_bytes(bytes)
}

const PUT: u8 = 1;
const DELETE: u8 = 0;

/// A row to be put, as it is staged and stored: a mark, the hash of its columns, the row.
fn write_row(hash: u64, row: &Chunk) -> Vec<u8> {
    debug_assert_eq!(row.len, 1);
    let mut out = vec![PUT];
    out.extend(hash.to_be_bytes());
    write_rows(&mut out, row);
    out
}

/// The hash of a stored row's columns.
fn row_schema(value: &[u8]) -> Option<u64> {
    value.get(1..9).and_then(|hash| hash.try_into().ok()).map(u64::from_be_bytes)
}

/// A stored row whose columns are known.
fn read_row(value: &[u8], schema: &Schema) -> Option<Chunk> {
    read_rows(&mut Input(value.get(9..)?), schema).filter(|chunk| chunk.len == 1)
}
