//! The rows that a SELECT, `print` and `inline` as a sink keep for people to look at.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use tidegate_data::connector::{OptionSpec, OptionType};
use tidegate_data::{Chunk, ConnectorSpec, RowKind, RowOrigin, Schema, Zone, cell_text, encode_keys};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::args::{ResultKind, SinkArgs, SinkParts};

/// What `print` can do.
pub(crate) fn print_spec() -> ConnectorSpec {
    ConnectorSpec {
        options: vec![
            OptionSpec::optional("print-identifier", OptionType::Text, "A word before each printed row."),
            OptionSpec::with_default("standard-error", OptionType::Boolean, "false", "Print to standard error."),
            OptionSpec::optional("sink.parallelism", OptionType::Int, "Subtasks of the sink."),
        ],
        sink: true,
        ..ConnectorSpec::new("print")
    }
}

/// The most rows kept; older ones are counted.
const KEPT: u64 = 1_000_000;

/// The collected rows of one result, and the dynamic table that they make.
#[derive(Default)]
pub struct CollectBuffer {
    schema: Schema,
    step: u64,
    /// Chunks with the number of their first row and their step.
    chunks: VecDeque<(u64, u64, Chunk)>,
    first: u64,
    total: u64,
    table: Table,
    /// How far the table is up to date.
    applied: u64,
}

/// A row of the changelog, as texts.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedRow {
    /// Its number, from 0.
    pub number: u64,
    /// The step it belongs to.
    pub step: u64,
    /// Its kind.
    pub kind: RowKind,
    /// Its values.
    pub values: Vec<Option<String>>,
    /// The input row that caused it.
    pub origin: Option<RowOrigin>,
}

impl CollectBuffer {
    /// Says to which step the rows belong that are collected from now on.
    pub fn set_step(&mut self, step: u64) {
        self.step = step;
    }

    /// The number of the first row still kept.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// How many rows have been collected.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Rows `from..from + limit`, as far as they are kept.
    pub fn rows(&self, from: u64, limit: usize, zone: Zone) -> Vec<CollectedRow> {
        let from = from.max(self.first);
        let begin = self.chunks.partition_point(|(number, _, chunk)| number + chunk.len as u64 <= from);
        let mut rows = Vec::new();
        for (number, step, chunk) in self.chunks.iter().skip(begin) {
            for row in from.saturating_sub(*number) as usize..chunk.len {
                if rows.len() >= limit {
                    return rows;
                }
                rows.push(CollectedRow {
                    number: number + row as u64,
                    step: *step,
                    kind: chunk.kind(row),
                    values: self.texts(chunk, row, zone),
                    origin: chunk.origin(row),
                });
            }
        }
        rows
    }

    /// How many rows the dynamic table has.
    pub fn table_len(&mut self) -> usize {
        self.apply();
        self.table.rows.len()
    }

    /// Rows of the dynamic table, oldest first, and the number of the changelog row that last changed each.
    pub fn table(&mut self, from: usize, limit: usize, zone: Zone) -> Vec<(Vec<Option<String>>, u64)> {
        self.apply();
        let rows = self.table.rows.values().skip(from).take(limit);
        rows.map(|row| (self.texts(&row.chunk, row.row, zone), row.changed)).collect()
    }

    fn push(&mut self, chunk: Chunk) {
        let number = self.total;
        self.total += chunk.len as u64;
        self.chunks.push_back((number, self.step, chunk));
        // The table must have seen a row before it goes.
        if self.total - self.first > KEPT + Chunk::MAX_ROWS as u64 {
            self.apply();
            while let Some((number, _, chunk)) = self.chunks.front()
                && self.total - number > KEPT + chunk.len as u64
            {
                self.first = number + chunk.len as u64;
                self.chunks.pop_front();
            }
        }
    }

    fn apply(&mut self) {
        let begin = self.chunks.partition_point(|(number, _, chunk)| number + chunk.len as u64 <= self.applied);
        for (number, _, chunk) in self.chunks.iter().skip(begin) {
            self.table.apply(*number, chunk);
        }
        self.applied = self.total;
    }

    fn texts(&self, chunk: &Chunk, row: usize, zone: Zone) -> Vec<Option<String>> {
        let columns = chunk.columns.iter().zip(&self.schema.fields);
        columns.map(|(column, field)| cell_text(&**column, row, &field.ty, zone)).collect()
    }
}

/// The dynamic table: a multiset of rows, in the order in which they came; an update stays in its place.
#[derive(Default)]
struct Table {
    key: Option<Vec<usize>>,
    rows: BTreeMap<u64, TableRow>,
    places: BTreeMap<Vec<u8>, Vec<u64>>,
    next: u64,
    /// The place that a -U has just left.
    left: Option<u64>,
}

struct TableRow {
    chunk: Chunk,
    row: usize,
    changed: u64,
}

impl Table {
    fn apply(&mut self, number: u64, chunk: &Chunk) {
        let keys = match &self.key {
            Some(key) if !key.is_empty() => encode_keys(&key.iter().map(|&column| chunk.columns[column].clone()).collect::<Vec<_>>()),
            _ => encode_keys(&chunk.columns),
        };
        let keyed = self.key.as_ref().is_some_and(|key| !key.is_empty());
        for row in 0..chunk.len {
            let kind = chunk.kind(row);
            let place = self.places.entry(keys.row(row).to_vec()).or_default();
            let entry = TableRow { chunk: chunk.clone(), row, changed: number + row as u64 };
            if kind.adds() {
                if let (true, Some(at)) = (keyed, place.last()) {
                    self.rows.insert(*at, entry);
                } else {
                    let at = self.left.take().filter(|_| kind == RowKind::UpdateAfter).unwrap_or(self.next);
                    self.next = self.next.max(at + 1);
                    place.push(at);
                    self.rows.insert(at, entry);
                }
            } else {
                let gone = place.pop();
                if place.is_empty() {
                    self.places.remove(keys.row(row));
                }
                if let Some(at) = gone {
                    self.rows.remove(&at);
                    self.left = (kind == RowKind::UpdateBefore).then_some(at);
                }
            }
        }
    }
}

struct Collect {
    buffer: Rc<RefCell<CollectBuffer>>,
}

/// Makes the sink.
pub(crate) fn sink(args: SinkArgs) -> SinkParts {
    let table = Table { key: args.primary_key, ..Table::default() };
    let buffer = CollectBuffer { schema: args.physical, table, ..CollectBuffer::default() };
    let buffer = Rc::new(RefCell::new(buffer));
    let results = Some(buffer.clone());
    SinkParts { factory: Box::new(move |_| Box::new(Collect { buffer: buffer.clone() })), results, kind: ResultKind::Collected }
}

impl Operator for Collect {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, _cx: &mut dyn Context) -> Outcome {
        self.buffer.borrow_mut().push(chunk);
        Ok(Progress::Done)
    }
}
