//! Writes a table: upserts by primary key, or appends.

use std::collections::BTreeMap;
use std::rc::Rc;
use tidegate_data::sorted::SortedSet;

use arrow_array::ArrayRef;
use bytes::Bytes;
use tidegate_data::{Chunk, Kinds, RowKind, Schema, encode_keys};
use tidegate_diag::Diagnostic;
use tidegate_runtime::{Failure, Key};

use super::{DELETE, base, row_schema, schema_hash, store_name, write_row};
use crate::args::{ResultKind, SinkArgs, SinkParts};
use crate::client::{Task, Write, WriteTask};
use crate::codec::write_schema;
use crate::options::Options;
use crate::sink::{Committer, Guarantee, Open, SinkWriter, TwoPhase, timeout_of};
use crate::transaction::{Names, Transaction, only, prefix};

/// The most rows of one batch.
const BATCH: usize = 4_096;

/// Makes the sink.
pub(crate) fn sink(args: SinkArgs) -> Result<SinkParts, Diagnostic> {
    let options = Options(&args.options);
    let name = store_name(options, &args.table);
    let jdbc = args.connector == "jdbc";
    let setup = Setup {
        base: base(&name),
        names: Names::new(&base(&name), &args.writer),
        schema: args.physical.clone(),
        key: args.primary_key.clone(),
        max_rows: options.int("sink.buffer-flush.max-rows").unwrap_or(if jdbc { 100 } else { 0 }).max(0) as usize,
        interval: options.duration("sink.buffer-flush.interval", if jdbc { 1_000 } else { 0 }),
    };
    let guarantee = (Guarantee::of(options), timeout_of(options));
    let transactional = guarantee.0 == Guarantee::ExactlyOnce;
    let factory = move |_: &tidegate_runtime::SubtaskInfo| -> Box<dyn tidegate_runtime::Operator> {
        let committer = TableCommitter { base: setup.base.clone(), names: setup.names.clone() };
        let writer = Box::new(TableWriter::new(setup.clone()));
        Box::new(TwoPhase::new(setup.names.clone(), guarantee, writer, Rc::new(committer)))
    };
    Ok(SinkParts { factory: Box::new(factory), results: None, kind: ResultKind::Table(name), transactional })
}

#[derive(Clone)]
struct Setup {
    base: String,
    names: Names,
    schema: Schema,
    key: Option<Vec<usize>>,
    max_rows: usize,
    interval: i64,
}

struct TableWriter {
    setup: Setup,
    schema: Bytes,
    hash: u64,
    /// Row name to what becomes of it: the value to put, or none to delete it.
    buffer: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    /// When the first row of the buffer came.
    since: i64,
    /// What the names of appended rows begin with.
    append: String,
    appended: u64,
}

impl TableWriter {
    fn new(setup: Setup) -> TableWriter {
        let mut schema = Vec::new();
        write_schema(&mut schema, &setup.schema);
        let hash = schema_hash(&schema);
        TableWriter {
            setup,
            schema: schema.into(),
            hash,
            buffer: BTreeMap::new(),
            since: 0,
            append: String::new(),
            appended: 0,
        }
    }
}

impl SinkWriter for TableWriter {
    fn opened(&mut self, subtask: u32, epoch: u64) {
        self.append = format!("{}/{subtask:05}/{epoch:010}-", self.setup.names.sink());
    }

    fn write(&mut self, chunk: &Chunk, now: i64) -> Result<(), Failure> {
        if self.buffer.is_empty() {
            self.since = now;
        }
        let keys = self.setup.key.as_ref().map(|key| {
            let columns: Vec<ArrayRef> = key.iter().map(|column| chunk.columns[*column].clone()).collect();
            encode_keys(&columns)
        });
        for row in 0..chunk.len {
            let kind = chunk.kind(row);
            let deletes = match kind {
                RowKind::Insert | RowKind::UpdateAfter => false,
                // As Flink's: the row that comes after it has the same key and replaces it.
                RowKind::UpdateBefore => continue,
                RowKind::Delete => true,
            };
            let name = match &keys {
                Some(keys) => keys.row(row).to_vec(),
                None => {
                    self.appended += 1;
                    format!("{}{:010}", self.append, self.appended).into_bytes()
                }
            };
            let value = (!deletes).then(|| {
                let mut one = chunk.slice(row, 1);
                one.kinds = Kinds::Insert;
                write_row(self.hash, &one)
            });
            self.buffer.insert(name, value);
        }
        Ok(())
    }

    fn buffered(&self) -> usize {
        self.buffer.len()
    }

    fn due(&self) -> Option<i64> {
        let Setup { max_rows, interval, .. } = self.setup;
        let full = max_rows > 0 && self.buffer.len() >= max_rows;
        match (self.buffer.is_empty(), interval) {
            (true, _) => None,
            (false, interval) if interval > 0 && !full => Some(self.since.saturating_add(interval)),
            // Without an interval only a full buffer is written, as in Flink; with neither, each row at once.
            (false, _) if max_rows > 0 && !full => Some(i64::MAX),
            (false, _) => Some(i64::MIN),
        }
    }

    fn flush(&mut self, into: Option<&Open>, now: i64) -> Box<dyn Task> {
        self.since = now;
        let rest = match self.buffer.iter().nth(BATCH).map(|(name, _)| name.clone()) {
            Some(name) => self.buffer.split_off(&name),
            None => BTreeMap::new(),
        };
        let rows = std::mem::replace(&mut self.buffer, rest);
        let base = &self.setup.base;
        let mut write = Write::default();
        write.put.push((format!("{base}schema/{:016x}", self.hash).into(), self.schema.clone()));
        if let Some(open) = into {
            write.put.push(open.marker.clone());
        } else {
            write.put.push(current(base, self.hash));
        }
        let start = into.map_or_else(|| format!("{base}row/"), |open| format!("{base}txn/{}/", open.id));
        for (name, value) in rows {
            let key = Key::from([start.as_bytes(), &name].concat());
            match (value, into) {
                (Some(value), _) => write.put.push((key, value.into())),
                (None, Some(_)) => write.put.push((key, Bytes::from_static(&[DELETE]))),
                (None, None) => write.delete.push(only(key)),
            }
        }
        Box::new(WriteTask(Some(write)))
    }
}

fn current(base: &str, hash: u64) -> (Key, Bytes) {
    (format!("{base}current").into(), format!("{hash:016x}").into())
}

struct TableCommitter {
    base: String,
    names: Names,
}

impl TableCommitter {
    fn start(&self, transaction: Transaction) -> String {
        format!("{}txn/{}/", self.base, self.names.id(transaction))
    }
}

impl Committer for TableCommitter {
    fn staged(&self, transaction: Transaction) -> Option<(Key, Key)> {
        Some(prefix(self.start(transaction)))
    }

    fn commit(&self, transaction: Transaction, staged: Vec<(Key, Bytes)>) -> Write {
        let start = self.start(transaction).len();
        let mut write = Write { delete: vec![prefix(self.start(transaction))], ..Write::default() };
        let hashes: SortedSet<u64> = staged.iter().filter_map(|(_, value)| row_schema(value)).collect();
        write.put.extend(hashes.iter().next_back().map(|hash| current(&self.base, *hash)));
        for (key, value) in staged {
            let row = Key::from([self.base.as_bytes(), b"row/", &key[start..]].concat());
            if value.first() == Some(&DELETE) {
                write.delete.push(only(row));
            } else {
                write.put.push((row, value));
            }
        }
        write
    }

    fn abort(&self, transaction: Transaction) -> Write {
        Write { delete: vec![prefix(self.start(transaction))], ..Write::default() }
    }
}
