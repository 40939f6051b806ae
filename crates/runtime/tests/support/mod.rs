//! Small operators for tests: numbers in, counts and sums per key, windows with a timer per window, collected rows out.

#![allow(dead_code)]

pub mod txn_sink;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array};
use tidegate_data::keys::key_group;
use tidegate_data::{Chunk, RowKind, Value, hash_keys};
use tidegate_runtime::state::{EntryRef, ListTable, Scope, StateTable, StateVisitor};
use tidegate_runtime::*;

/// A chunk of `+I` rows of BIGINT columns.
pub fn chunk(columns: &[Vec<i64>]) -> Chunk {
    let arrays: Vec<ArrayRef> =
        columns.iter().map(|column| Arc::new(Int64Array::from(column.clone())) as ArrayRef).collect();
    Chunk::insert(arrays, columns[0].len())
}

/// The rows of a chunk of BIGINT columns.
pub fn rows(chunk: &Chunk) -> Vec<(RowKind, Vec<i64>)> {
    let columns: Vec<&Int64Array> = chunk.columns.iter().map(|column| column.as_primitive::<Int64Type>()).collect();
    (0..chunk.len).map(|row| (chunk.kind(row), columns.iter().map(|column| column.value(row)).collect())).collect()
}

/// Reads what is fed to it: split s belongs to subtask s % parallelism. Keeps the number of items taken per split.
pub struct FedSource {
    splits: BTreeMap<u32, Vec<FeedItem>>,
    taken: BTreeMap<u32, usize>,
    positions: ListTable,
    /// Watermark and idleness of each split: the source's watermark is the minimum over those that count.
    watermarks: BTreeMap<u32, (i64, bool)>,
    sent: i64,
    ended: bool,
    turn: usize,
    index: u32,
    parallelism: u32,
}

impl FedSource {
    pub fn new(info: &SubtaskInfo) -> FedSource {
        FedSource {
            splits: BTreeMap::new(),
            taken: BTreeMap::new(),
            positions: ListTable::new(Scope::Union, "split INT -> position BIGINT", |k, v| {
                (format!("{k:?}"), format!("{v:?}"))
            }),
            watermarks: BTreeMap::new(),
            sent: i64::MIN,
            ended: false,
            turn: 0,
            index: info.index,
            parallelism: info.parallelism,
        }
    }

    fn owns(&self, split: u32) -> bool {
        split % self.parallelism == self.index
    }

    fn join_watermarks(&mut self, cx: &mut dyn Context) {
        let counts = |split: &u32| {
            let items = &self.splits[split];
            let taken = self.taken.get(split).copied().unwrap_or(0);
            !(items.last() == Some(&FeedItem::End) && taken >= items.len() - 1)
        };
        let splits: Vec<(i64, bool)> = self
            .splits
            .keys()
            .filter(|split| counts(split))
            .map(|split| self.watermarks.get(split).copied().unwrap_or((i64::MIN, false)))
            .collect();
        match splits.iter().filter(|(_, idle)| !idle).map(|(watermark, _)| *watermark).min() {
            Some(watermark) if watermark > self.sent => {
                self.sent = watermark;
                cx.emit_watermark(watermark);
            }
            None if !splits.is_empty() => cx.emit_status(WatermarkStatus::Idle),
            _ => {}
        }
    }

    /// Whether every split has ended (an `End` in one split ends it; a source without splits ends with `End` in split 0).
    fn all_ended(&self) -> bool {
        let ended = |split: &u32, items: &Vec<FeedItem>| {
            items.last() == Some(&FeedItem::End) && self.taken.get(split).copied().unwrap_or(0) >= items.len() - 1
        };
        self.ended && self.splits.iter().all(|(split, items)| ended(split, items))
    }
}

impl Source for FedSource {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("positions", &mut self.positions);
    }

    fn restored(&mut self, _cx: &mut dyn Context) -> Outcome {
        let all: Vec<(u32, u64)> = self
            .positions
            .iter()
            .map(|(k, v)| (u32::from_be_bytes(k.try_into().unwrap()), u64::from_be_bytes(v.try_into().unwrap())))
            .collect();
        for (split, position) in all {
            if self.owns(split) {
                self.taken.insert(split, position as usize);
            } else {
                self.positions.remove(&split.to_be_bytes());
            }
        }
        Ok(Progress::Done)
    }

    fn poll(&mut self, limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
        let splits: Vec<u32> = self.splits.keys().copied().collect();
        for i in 0..splits.len() {
            let split = splits[(self.turn + i) % splits.len()];
            let items = &self.splits[&split];
            let from = self.taken.get(&split).copied().unwrap_or(0);
            if from >= items.len() || items[from] == FeedItem::End {
                continue;
            }
            let to = match &items[from] {
                FeedItem::Row(..) => {
                    let rows = items[from..].iter().take_while(|item| matches!(item, FeedItem::Row(..))).take(limit);
                    let rows: Vec<(RowKind, Vec<i64>)> = rows
                        .map(|item| {
                            let FeedItem::Row(kind, values) = item else { unreachable!() };
                            let values = values.iter().map(|value| match value {
                                Value::Int(x) => *x,
                                _ => panic!("numbers only"),
                            });
                            (*kind, values.collect())
                        })
                        .collect();
                    cx.emit(chunk_of(&rows));
                    self.watermarks.entry(split).or_insert((i64::MIN, false)).1 = false;
                    from + rows.len()
                }
                FeedItem::Watermark(watermark) => {
                    self.watermarks.insert(split, (*watermark, false));
                    self.join_watermarks(cx);
                    from + 1
                }
                FeedItem::Idle => {
                    self.watermarks.entry(split).or_insert((i64::MIN, false)).1 = true;
                    self.join_watermarks(cx);
                    from + 1
                }
                FeedItem::End => unreachable!(),
            };
            self.taken.insert(split, to);
            self.positions.put(&split.to_be_bytes(), &(to as u64).to_be_bytes());
            self.turn = (self.turn + i + 1) % splits.len();
            return Ok(Polled::Emitted);
        }
        Ok(if self.all_ended() { Polled::Ended } else { Polled::Pending })
    }

    fn feed(&mut self, split: u32, items: &[FeedItem]) {
        self.ended |= items.contains(&FeedItem::End);
        if self.owns(split) {
            self.splits.entry(split).or_default().extend_from_slice(items);
        }
    }
}

/// A chunk of rows of any kind.
pub fn chunk_of(rows: &[(RowKind, Vec<i64>)]) -> Chunk {
    let width = rows.first().map_or(0, |row| row.1.len());
    let columns = (0..width).map(|c| Arc::new(rows.iter().map(|row| row.1[c]).collect::<Int64Array>()) as ArrayRef);
    Chunk::with_kinds(columns.collect(), rows.iter().map(|row| row.0).collect())
}

/// A keyed table of numbers for tests: key -> numbers, by key group.
#[derive(Default)]
pub struct Keyed {
    pub entries: BTreeMap<(u16, i64), Vec<i64>>,
    changed: std::collections::BTreeSet<(u16, i64)>,
}

impl Keyed {
    /// The key group of a key.
    pub fn group(key: i64) -> u16 {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![key]));
        key_group(hash_keys(&[column])[0], 128) as u16
    }

    pub fn get(&self, key: i64) -> Option<&Vec<i64>> {
        self.entries.get(&(Keyed::group(key), key))
    }

    pub fn set(&mut self, key: i64, value: Option<Vec<i64>>) {
        self.set_in(Keyed::group(key), key, value);
    }

    /// Sets the value of a key that is composed of the stream's key, whose key group this is, and more.
    pub fn set_in(&mut self, group: u16, key: i64, value: Option<Vec<i64>>) {
        let at = (group, key);
        self.changed.insert(at);
        match value {
            Some(value) => drop(self.entries.insert(at, value)),
            None => drop(self.entries.remove(&at)),
        }
    }
}

impl StateTable for Keyed {
    fn schema(&self) -> String {
        "key BIGINT -> numbers".to_owned()
    }

    fn scope(&self) -> Scope {
        Scope::Keyed
    }

    fn snapshot(&mut self, limit: usize, sink: &mut dyn FnMut(EntryRef<'_>)) -> bool {
        for _ in 0..limit {
            let Some(at) = self.changed.pop_first() else { return false };
            let value: Option<Vec<u8>> =
                self.entries.get(&at).map(|numbers| numbers.iter().flat_map(|n| n.to_be_bytes()).collect());
            sink(EntryRef { key_group: at.0, key: &at.1.to_be_bytes(), value: value.as_deref() });
        }
        !self.changed.is_empty()
    }

    fn load(&mut self, entry: EntryRef<'_>) -> Result<(), String> {
        let key = i64::from_be_bytes(entry.key.try_into().map_err(|_| "a key has 8 bytes".to_owned())?);
        match entry.value {
            None => drop(self.entries.remove(&(entry.key_group, key))),
            Some(value) => {
                let numbers = value.chunks_exact(8).map(|n| i64::from_be_bytes(n.try_into().unwrap())).collect();
                self.entries.insert((entry.key_group, key), numbers);
            }
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn bytes(&self) -> usize {
        self.entries.values().map(|numbers| 8 + 8 * numbers.len()).sum()
    }

    fn page(&self, offset: usize, limit: usize) -> Vec<(String, String)> {
        let entries = self.entries.iter().skip(offset).take(limit);
        entries.map(|((_, key), numbers)| (key.to_string(), format!("{numbers:?}"))).collect()
    }
}

/// `SELECT k, COUNT(*), SUM(v) GROUP BY k` over (k, v, …) as an upsert stream: `+I` first, then `+U`.
#[derive(Default)]
pub struct CountAndSum {
    table: Keyed,
}

impl Operator for CountAndSum {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("groups", &mut self.table);
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let mut out = Vec::new();
        for (_, row) in rows(&chunk) {
            let (kind, count, sum) = match self.table.get(row[0]) {
                None => (RowKind::Insert, 0, 0),
                Some(numbers) => (RowKind::UpdateAfter, numbers[0], numbers[1]),
            };
            let group = cx.subtask().parallelism * u32::from(Keyed::group(row[0])) / cx.subtask().max_parallelism;
            assert_eq!(group, cx.subtask().index, "a row came to a subtask that does not own its key");
            self.table.set(row[0], Some(vec![count + 1, sum + row[1]]));
            out.push((kind, vec![row[0], count + 1, sum + row[1]]));
        }
        cx.emit(chunk_of(&out));
        Ok(Progress::Done)
    }
}

/// Counts (k, v, ts) per window of 10: emits (window, count) when the watermark passes the window's end, one row a call; late rows are counted.
#[derive(Default)]
pub struct WindowCount {
    table: Keyed,
    watermark: Option<i64>,
}

impl WindowCount {
    fn fire(&mut self, cx: &mut dyn Context) -> Outcome {
        let Some(watermark) = self.watermark else { return Ok(Progress::Done) };
        let due = self.table.entries.keys().copied().find(|(_, key)| (key / 1000 + 10) - 1 <= watermark);
        let Some((group, key)) = due else { return Ok(Progress::Done) };
        let count = self.table.entries[&(group, key)][0];
        self.table.set_in(group, key, None);
        cx.emit(chunk(&[vec![key % 1000], vec![key / 1000], vec![count]]));
        Ok(Progress::More)
    }
}

impl Operator for WindowCount {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("windows", &mut self.table);
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        for (_, row) in rows(&chunk) {
            let start = row[2].div_euclid(10) * 10;
            if cx.watermark().is_some_and(|watermark| start + 9 <= watermark) {
                cx.late_rows(1);
                continue;
            }
            let (group, key) = (Keyed::group(row[0]), start * 1000 + row[0]);
            let count = self.table.entries.get(&(group, key)).map_or(0, |numbers| numbers[0]);
            self.table.set_in(group, key, Some(vec![count + 1]));
        }
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        self.watermark = Some(watermark);
        self.fire(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        self.fire(cx)
    }
}

/// Counts per key and gives the counts out when its input has ended, two keys a call, as a batch job would.
#[derive(Default)]
pub struct CountAtEnd {
    table: Keyed,
}

impl CountAtEnd {
    fn give_out(&mut self, cx: &mut dyn Context) -> Outcome {
        let due: Vec<(u16, i64)> = self.table.entries.keys().take(2).copied().collect();
        if due.is_empty() {
            return Ok(Progress::Done);
        }
        let rows = due.iter().map(|at| (RowKind::Insert, vec![at.1, self.table.entries[at][0]]));
        cx.emit(chunk_of(&rows.collect::<Vec<_>>()));
        due.iter().for_each(|at| self.table.set_in(at.0, at.1, None));
        Ok(Progress::More)
    }
}

impl Operator for CountAtEnd {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("counts", &mut self.table);
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, _cx: &mut dyn Context) -> Outcome {
        for (_, row) in rows(&chunk) {
            let count = self.table.get(row[0]).map_or(0, |numbers| numbers[0]);
            self.table.set(row[0], Some(vec![count + 1]));
        }
        Ok(Progress::Done)
    }

    fn end_input(&mut self, _input: usize, cx: &mut dyn Context) -> Outcome {
        self.give_out(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        self.give_out(cx)
    }
}

/// What has reached a sink.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collected {
    pub rows: Vec<(RowKind, Vec<i64>)>,
    pub watermarks: Vec<i64>,
    pub chunks: Vec<usize>,
}

/// Collects what reaches it, beyond the life of the job.
pub struct CollectSink(pub Rc<RefCell<Collected>>);

impl Operator for CollectSink {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, _cx: &mut dyn Context) -> Outcome {
        let mut collected = self.0.borrow_mut();
        collected.rows.extend(rows(&chunk));
        collected.chunks.push(chunk.len);
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, _cx: &mut dyn Context) -> Outcome {
        self.0.borrow_mut().watermarks.push(watermark);
        Ok(Progress::Done)
    }
}

/// A vertex with a source of a table, and operators behind it.
pub fn source(table: &str, parallelism: u32, operators: Vec<OperatorSpec>) -> Vertex {
    let spec = SourceSpec {
        uid: format!("source-{table}"),
        name: format!("Source: {table}"),
        table: table.to_owned(),
        factory: Box::new(|info| Box::new(FedSource::new(info))),
    };
    Vertex { name: format!("Source: {table}"), parallelism, source: Some(spec), operators }
}

/// A vertex without a source.
pub fn vertex(name: &str, parallelism: u32, operators: Vec<OperatorSpec>) -> Vertex {
    Vertex { name: name.to_owned(), parallelism, source: None, operators }
}

/// An operator of the chain.
pub fn operator(uid: &str, factory: impl Fn(&SubtaskInfo) -> Box<dyn Operator> + 'static) -> OperatorSpec {
    OperatorSpec { uid: uid.to_owned(), name: uid.to_owned(), description: uid.to_owned(), factory: Box::new(factory) }
}

/// A row to be fed.
pub fn row(values: &[i64]) -> FeedItem {
    FeedItem::Row(RowKind::Insert, values.iter().map(|value| Value::Int(*value)).collect())
}

/// Feeds items to a split.
pub fn feed(job: &mut Job, table: &str, split: u32, items: Vec<FeedItem>) {
    job.handle(Event::Feed { table: table.to_owned(), split, items }).unwrap();
}
