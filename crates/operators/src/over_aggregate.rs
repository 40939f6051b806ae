//! `SELECT .., SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM t`, ts an event or processing time.
//!
//! Input and output: `+I`; the row's columns, then the results. By event time rows come out in the order of their times when the watermark passes,
//! by processing time at once. RANGE: rows of one time have one result, ROWS: one after the other in the order of arrival.
//!
//! State: `keys`: partition -> time of the last row worked off, when a partition of a bounded RANGE is forgotten, the aggregates' state.
//! `rows`: (partition, time, arrival number) -> row: those that wait, and with a bounded frame those that are still in it.
//! `distinct-N`, `values-N`: see [`crate::aggregation`]. `watermark` (unbounded frames): see [`crate::saved_watermark`].
//! Late rows are dropped and counted: with an unbounded frame those at or below the watermark, with a bounded one those at or below the last
//! time worked off in their partition. Flink's counterparts: `RowTime{Rows,Range}{Unbounded,Bounded}PrecedingFunction`,
//! `ProcTimeUnboundedPrecedingFunction`, `ProcTimeRowsBoundedPrecedingFunction`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMillisecondType;
use tidegate_data::keys::encode::encode_cell;
use tidegate_data::{
    Chunk, DataType, RowKind, RowOrigin, Schema, SlotColumn, SlotType, Value, build_column, decode_keys, encode_keys,
    gather, hash_keys,
};
use tidegate_expr::AggregateCall;
use tidegate_expr::aggregates::Emit;
use tidegate_runtime::state::{GroupTable, MISSING, MapTable, StateVisitor};
use tidegate_runtime::{CheckpointId, Context, Operator, Outcome, Progress};

use crate::aggregation::{Aggregation, Rows};
use crate::failure::null_rowtime;
use crate::meaning;
use crate::outbox::Outbox;
use crate::saved_watermark::SavedWatermark;
use crate::stored_rows::StoredRow;
use crate::window::first_null;

/// The rows that a result is over; all end at the current row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverFrame {
    /// ROWS UNBOUNDED PRECEDING
    UnboundedRows,
    /// RANGE UNBOUNDED PRECEDING
    UnboundedRange,
    /// ROWS n PRECEDING
    Rows(u64),
    /// RANGE n PRECEDING, in ms.
    Range(i64),
}

/// What an [`OverAggregate`] is made from.
#[derive(Clone, Debug)]
pub struct OverAggregateSpec {
    /// The input's columns.
    pub input: Schema,
    /// The output's columns: the input's, then the results.
    pub output: Schema,
    /// PARTITION BY.
    pub partition: Vec<usize>,
    /// The rowtime column; none for processing time.
    pub rowtime: Option<usize>,
    /// The frame.
    pub frame: OverFrame,
    /// The aggregates, over the input's columns and the constants behind them.
    pub aggregates: Vec<AggregateCall>,
    /// Constants that the aggregates read.
    pub constants: Vec<(DataType, Value)>,
    /// `table.exec.state.ttl` in ms, 0 for none. A bounded RANGE forgets by event time and does not heed it.
    pub state_ttl: i64,
}

/// Aggregates with OVER.
pub struct OverAggregate {
    spec: OverAggregateSpec,
    types: Vec<DataType>,
    aggregation: Aggregation,
    keys: GroupTable,
    rows: MapTable,
    /// The number of each partition in `rows`, and how many of its rows are in a bounded frame, by slot: derived.
    owners: Vec<u32>,
    framed: Vec<u64>,
    arrivals: u64,
    watermark: SavedWatermark,
    /// The partitions that have something to do at a time: derived.
    timers: BTreeMap<i64, Vec<u32>>,
    firing: VecDeque<(i64, Vec<u32>)>,
    outbox: Outbox,
    last_origin: Option<RowOrigin>,
}

/// State columns before those of the aggregates.
const OWN: usize = 2;

impl OverAggregate {
    /// The operator of `spec`.
    pub fn new(spec: OverAggregateSpec) -> OverAggregate {
        let mut wide = spec.input.clone();
        for (i, (ty, _)) in spec.constants.iter().enumerate() {
            wide.fields.push(tidegate_data::Field { name: format!("${i}"), ty: ty.clone() });
        }
        let bounded = matches!(spec.frame, OverFrame::Rows(_) | OverFrame::Range(_));
        // As in Flink: what keeps rows, or waits for a watermark, is cleaned up half a time later, by a timer.
        let by_arrival = spec.rowtime.is_none() && !bounded;
        let ttl = match spec.frame {
            OverFrame::Range(_) => 0,
            _ if by_arrival => spec.state_ttl,
            _ => spec.state_ttl.saturating_mul(3) / 2,
        };
        let aggregation = Aggregation::new(&spec.aggregates, &wide, bounded, OWN);
        let aggregation = aggregation.kept_for(if by_arrival { ttl } else { 0 });
        let mut columns = vec![("last".to_owned(), SlotType::I64), ("forget".to_owned(), SlotType::I64)];
        columns.extend_from_slice(aggregation.columns());
        let types = spec.partition.iter().map(|key| spec.input.fields[*key].ty.clone()).collect();
        let calls = meaning::calls_by(&spec.aggregates, &wide, &spec.partition);
        OverAggregate {
            types: spec.input.fields.iter().map(|field| field.ty.clone()).collect(),
            keys: GroupTable::new(types, &columns)
                .of(format!("{calls} over {:?}", spec.frame))
                .typed(aggregation.types())
                .kept_for(ttl),
            aggregation,
            rows: MapTable::ordered(Vec::new(), &[("row".to_owned(), SlotType::Bytes)])
                .of(meaning::rows_by(&spec.input, &spec.partition))
                .showing(&spec.partition, &spec.input.fields, false)
                .of_groups(),
            owners: Vec::new(),
            framed: Vec::new(),
            arrivals: 0,
            watermark: SavedWatermark::new(),
            timers: BTreeMap::new(),
            firing: VecDeque::new(),
            outbox: Outbox::new(&spec.output),
            last_origin: None,
            spec,
        }
    }

    fn bounded(&self) -> bool {
        matches!(self.spec.frame, OverFrame::Rows(_) | OverFrame::Range(_))
    }
}

impl Operator for OverAggregate {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("keys", &mut self.keys);
        visitor.table("rows", &mut self.rows);
        self.aggregation.state(visitor);
        if self.spec.rowtime.is_some() && !self.bounded() {
            visitor.table("watermark", self.watermark.table());
        }
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.watermark.restore(cx);
        let slots: Vec<u32> = self.keys.live().collect();
        for slot in slots {
            let owner = self.owner(slot);
            let (last, forget) = (self.own(0, slot), self.own(1, slot));
            let (by_time, bounded) = (self.spec.rowtime.is_some(), self.bounded());
            let waits = |time: i64| by_time && (!bounded || time > last);
            for entry in self.rows.entries(owner) {
                let (time, number) = place(&self.rows.sub_key(entry));
                self.arrivals = self.arrivals.max(number + 1);
                if waits(time) {
                    schedule(&mut self.timers, time, slot);
                } else {
                    self.framed[slot as usize] += 1;
                }
            }
            if forget != 0 {
                schedule(&mut self.timers, forget, slot);
            }
        }
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        self.expire(cx.now());
        let keys: Vec<ArrayRef> = self.spec.partition.iter().map(|key| chunk.columns[*key].clone()).collect();
        let hashes = if keys.is_empty() { vec![0; chunk.len] } else { hash_keys(&keys) };
        let (mut slots, mut fresh) = (Vec::new(), Vec::new());
        let Some(rowtime) = self.spec.rowtime else {
            self.keys.resolve(&keys, &[], &hashes, |_| true, &mut slots, &mut fresh);
            self.at_once(chunk, &slots, cx);
            return Ok(Progress::Done);
        };
        if first_null(&chunk.columns[rowtime]).is_some() {
            return Err(null_rowtime());
        }
        let times = chunk.columns[rowtime].as_primitive::<TimestampMillisecondType>().values();
        let (bounded, watermark) = (self.bounded(), self.watermark.current);
        let in_time = |row: usize| bounded || times[row] > watermark;
        self.keys.resolve(&keys, &[], &hashes, in_time, &mut slots, &mut fresh);
        let encoded = encode_keys(&chunk.columns);
        let mut late = 0;
        for (row, &slot) in slots.iter().enumerate() {
            let time = times[row];
            if slot == MISSING || !in_time(row) || (bounded && time <= self.own(0, slot)) {
                late += 1;
                continue;
            }
            self.keep(slot, time, encoded.row(row).into());
            self.keys.touch(&[slot]);
            schedule(&mut self.timers, time, slot);
            if let OverFrame::Range(length) = self.spec.frame {
                self.remember(slot, time, length);
            }
        }
        if late > 0 {
            cx.late_rows(late);
        }
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        self.watermark.current = self.watermark.current.max(watermark);
        self.expire(cx.now());
        while let Some(entry) = self.timers.first_entry().filter(|entry| *entry.key() <= watermark) {
            self.firing.push_back(entry.remove_entry());
        }
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        while !self.outbox.is_full() {
            let Some((time, slots)) = self.firing.pop_front() else { break };
            self.work_off(time, slots);
        }
        let progress = self.outbox.flush(cx);
        Ok(if self.firing.is_empty() { progress } else { Progress::More })
    }

    fn pre_barrier(&mut self, _checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        self.watermark.save(cx);
        Ok(Progress::Done)
    }
}

/// The place of a row in its partition: its time, then the order of arrival.
fn sub_key(time: i64, number: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&(time ^ i64::MIN).to_be_bytes());
    key[8..].copy_from_slice(&number.to_be_bytes());
    key
}

fn place(sub_key: &[u8]) -> (i64, u64) {
    let part = |bytes: Option<&[u8]>| bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; 8]);
    let time = i64::from_be_bytes(part(sub_key.get(..8))) ^ i64::MIN;
    (time, u64::from_be_bytes(part(sub_key.get(8..))))
}

fn schedule(timers: &mut BTreeMap<i64, Vec<u32>>, time: i64, slot: u32) {
    let slots = timers.entry(time).or_default();
    if slots.last() != Some(&slot) {
        slots.push(slot);
    }
}

/// Rows to add (1) and to take back (-1), in order.
#[derive(Default)]
struct Steps {
    rows: Vec<StoredRow>,
    slots: Vec<u32>,
    signs: Vec<i8>,
}

impl Steps {
    fn push(&mut self, row: StoredRow, slot: u32, sign: i8) {
        self.rows.push(row);
        self.slots.push(slot);
        self.signs.push(sign);
    }
}

impl OverAggregate {
    /// Forgets the partitions that are over; one whose rows wait for the watermark stays.
    fn expire(&mut self, now: i64) {
        for slot in self.keys.over(now) {
            let (owner, last) = (self.owner(slot), self.own(0, slot));
            let newest = self.rows.last(owner).map(|entry| place(&self.rows.sub_key(entry)).0);
            if self.spec.rowtime.is_some() && newest.is_some_and(|time| !self.bounded() || time > last) {
                self.keys.touch(&[slot]);
            } else {
                self.forget(slot);
            }
        }
        self.aggregation.expire(now);
    }

    fn own(&self, column: usize, slot: u32) -> i64 {
        let SlotColumn::I64(values) = &self.keys.columns()[column] else { unreachable!("times are numbers") };
        values[slot as usize]
    }

    fn set_own(&mut self, column: usize, slot: u32, value: i64) {
        let SlotColumn::I64(values) = &mut self.keys.columns_mut()[column] else { unreachable!("times are numbers") };
        values[slot as usize] = value;
        self.keys.touch(&[slot]);
    }

    fn owner(&mut self, slot: u32) -> u32 {
        let at = slot as usize;
        if at >= self.owners.len() {
            self.owners.resize(at + 1, MISSING);
            self.framed.resize(at + 1, 0);
        }
        if self.owners[at] == MISSING {
            let mut key = Vec::new();
            self.keys.key_bytes(slot, &mut key);
            self.owners[at] = self.rows.owner(&key, self.keys.group_of(slot));
        }
        self.owners[at]
    }

    fn keep(&mut self, slot: u32, time: i64, row: StoredRow) {
        let owner = self.owner(slot);
        let (entry, _) = self.rows.find_or_insert(owner, &sub_key(time, self.arrivals));
        self.arrivals += 1;
        let [SlotColumn::Bytes(rows)] = self.rows.columns_mut() else { unreachable!("rows are bytes") };
        rows[entry as usize] = Some(row);
        self.rows.touch(&[entry]);
    }

    fn stored(&self, entry: u32) -> StoredRow {
        let [SlotColumn::Bytes(rows)] = self.rows.columns() else { unreachable!("rows are bytes") };
        rows[entry as usize].clone().unwrap_or_default()
    }

    /// Puts off the time at which a partition of a bounded RANGE is forgotten, as Flink does (`registerCleanupTimer`).
    fn remember(&mut self, slot: u32, time: i64, length: i64) {
        let forget = self.own(1, slot);
        if forget == 0 || forget < time.saturating_add(length).saturating_add(1) {
            let later = time.saturating_add(length.saturating_mul(3) / 2).saturating_add(1);
            self.set_own(1, slot, later);
            schedule(&mut self.timers, later, slot);
        }
    }

    fn wide(&self, mut columns: Vec<ArrayRef>, len: usize) -> Vec<ArrayRef> {
        for (ty, value) in &self.spec.constants {
            let constant = build_column(ty, std::iter::repeat_n(value, len));
            columns.push(constant.expect("a constant is of its type"));
        }
        columns
    }

    /// Takes steps; gives the results behind each, or none.
    fn aggregate(&mut self, steps: &Steps, emit: Emit) -> Vec<ArrayRef> {
        if steps.rows.is_empty() {
            return Vec::new();
        }
        let columns = self.wide(decode_keys(steps.rows.iter().map(|row| &row[..]), &self.types), steps.rows.len());
        let signs = steps.signs.contains(&-1).then_some(&steps.signs[..]);
        let rows = Rows { columns: &columns, slots: &steps.slots, signs, steps: None };
        let results = self.aggregation.update(&rows, &mut self.keys, emit, None);
        self.keys.touch(&steps.slots);
        self.aggregation.finish(results)
    }

    /// By processing time.
    fn at_once(&mut self, chunk: Chunk, slots: &[u32], cx: &mut dyn Context) {
        let results = match self.spec.frame {
            OverFrame::Rows(preceding) => {
                let encoded = encode_keys(&chunk.columns);
                let mut steps = Steps::default();
                let mut added = Vec::new();
                for (row, &slot) in slots.iter().enumerate() {
                    self.make_room(slot, preceding, &mut steps);
                    let bytes: StoredRow = encoded.row(row).into();
                    self.keep(slot, 0, bytes.clone());
                    added.push(steps.rows.len() as u32);
                    steps.push(bytes, slot, 1);
                }
                let results = self.aggregate(&steps, Emit::After);
                results.iter().map(|column| gather(column, &added)).collect()
            }
            _ => {
                let columns = self.wide(chunk.columns.clone(), chunk.len);
                let rows = Rows { columns: &columns, slots, signs: None, steps: None };
                let results = self.aggregation.update(&rows, &mut self.keys, Emit::After, None);
                self.keys.touch(slots);
                self.aggregation.finish(results)
            }
        };
        let mut columns = chunk.columns.clone();
        columns.extend(results);
        cx.emit(chunk.with_columns(columns));
    }

    /// Makes room in a frame of `preceding` rows and the current one: the oldest leaves it, if it is full.
    fn make_room(&mut self, slot: u32, preceding: u64, steps: &mut Steps) {
        let owner = self.owner(slot);
        if self.framed[slot as usize] <= preceding {
            self.framed[slot as usize] += 1;
        } else if let Some(oldest) = self.rows.first(owner) {
            steps.push(self.stored(oldest), slot, -1);
            self.rows.remove(oldest);
        }
    }

    /// All that is due at `time`.
    fn work_off(&mut self, time: i64, mut slots: Vec<u32>) {
        let mut seen = BTreeSet::new();
        slots.retain(|slot| seen.insert(*slot));
        let mut steps = Steps::default();
        let mut due: Vec<(u32, StoredRow, u32)> = Vec::new();
        for slot in slots {
            let forget = self.own(1, slot);
            if forget != 0 && forget <= time {
                self.forget(slot);
                continue;
            }
            let owner = self.owner(slot);
            if let OverFrame::Range(length) = self.spec.frame {
                while let Some(oldest) = self.rows.first(owner) {
                    if place(&self.rows.sub_key(oldest)).0 >= time.saturating_sub(length) {
                        break;
                    }
                    steps.push(self.stored(oldest), slot, -1);
                    self.rows.remove(oldest);
                }
            }
            let mut now: Vec<u32> = Vec::new();
            for entry in self.rows.entries_from(owner, &sub_key(time, 0)) {
                if place(&self.rows.sub_key(entry)).0 != time {
                    break;
                }
                now.push(entry);
            }
            if now.is_empty() {
                continue;
            }
            for entry in now {
                let row = self.stored(entry);
                match self.spec.frame {
                    OverFrame::Rows(preceding) => self.make_room(slot, preceding, &mut steps),
                    OverFrame::Range(_) => {}
                    OverFrame::UnboundedRows | OverFrame::UnboundedRange => self.rows.remove(entry),
                }
                due.push((slot, row.clone(), steps.rows.len() as u32));
                steps.push(row, slot, 1);
            }
            if self.bounded() {
                self.set_own(0, slot, time);
            }
        }
        let by_row = matches!(self.spec.frame, OverFrame::Rows(_) | OverFrame::UnboundedRows);
        let results = self.aggregate(&steps, if by_row { Emit::After } else { Emit::Nothing });
        let results = match by_row {
            true => {
                let added: Vec<u32> = due.iter().map(|(.., step)| *step).collect();
                results.iter().map(|column| gather(column, &added)).collect()
            }
            false => {
                let slots: Vec<u32> = due.iter().map(|(slot, ..)| *slot).collect();
                self.aggregation.results(&slots, self.keys.columns_mut())
            }
        };
        for (i, (_, row, _)) in due.iter().enumerate() {
            let mut bytes = row.to_vec();
            results.iter().for_each(|column| encode_cell(&mut bytes, column.as_ref(), i));
            self.outbox.push(RowKind::Insert, bytes.into(), self.last_origin);
        }
    }

    fn forget(&mut self, slot: u32) {
        let owner = self.owner(slot);
        self.rows.clear(owner);
        self.owners[slot as usize] = MISSING;
        self.framed[slot as usize] = 0;
        self.aggregation.release(slot);
        self.keys.remove(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{calls, check, schema};

    fn over(rowtime: Option<usize>, frame: OverFrame) -> impl Fn() -> Box<dyn Operator> {
        let input = schema("k STRING, v INT, ts ROWTIME");
        let spec = OverAggregateSpec {
            aggregates: calls(&["SUM(v)", "COUNT()", "MIN(v)"], &input),
            input,
            output: output(),
            partition: vec![0],
            rowtime,
            frame,
            constants: Vec::new(),
            state_ttl: 0,
        };
        move || Box::new(OverAggregate::new(spec.clone()))
    }

    fn output() -> Schema {
        schema("k STRING, v INT, ts ROWTIME, s INT, c BIGINT, m INT")
    }

    const ROWS: &str = "+I a 1 '1970-01-01 00:00:01'
        +I a 4 '1970-01-01 00:00:03'
        +I a 2 '1970-01-01 00:00:02'
        +I b 9 '1970-01-01 00:00:02'
        +I a 3 '1970-01-01 00:00:02'
        watermark 2500
        +I a 7 '1970-01-01 00:00:02.2'
        +I a 8 '1970-01-01 00:00:02'
        watermark 9000";

    #[test]
    fn unbounded_frames() {
        let input = schema("k STRING, v INT, ts ROWTIME");
        let late = check(
            over(Some(2), OverFrame::UnboundedRows),
            &input,
            &output(),
            ROWS,
            "+I a 1 '1970-01-01 00:00:01.000' 1 1 1
             +I a 2 '1970-01-01 00:00:02.000' 3 2 1
             +I a 3 '1970-01-01 00:00:02.000' 6 3 1
             +I b 9 '1970-01-01 00:00:02.000' 9 1 9
             +I a 4 '1970-01-01 00:00:03.000' 10 4 1",
        );
        assert_eq!(late, 2);
        check(
            over(Some(2), OverFrame::UnboundedRange),
            &input,
            &output(),
            ROWS,
            "+I a 1 '1970-01-01 00:00:01.000' 1 1 1
             +I a 2 '1970-01-01 00:00:02.000' 6 3 1
             +I a 3 '1970-01-01 00:00:02.000' 6 3 1
             +I b 9 '1970-01-01 00:00:02.000' 9 1 9
             +I a 4 '1970-01-01 00:00:03.000' 10 4 1",
        );
    }

    #[test]
    fn bounded_frames() {
        let input = schema("k STRING, v INT, ts ROWTIME");
        let late = check(
            over(Some(2), OverFrame::Rows(1)),
            &input,
            &output(),
            ROWS,
            "+I a 1 '1970-01-01 00:00:01.000' 1 1 1
             +I a 2 '1970-01-01 00:00:02.000' 3 2 1
             +I a 3 '1970-01-01 00:00:02.000' 5 2 2
             +I b 9 '1970-01-01 00:00:02.000' 9 1 9
             +I a 7 '1970-01-01 00:00:02.200' 10 2 3
             +I a 4 '1970-01-01 00:00:03.000' 11 2 4",
        );
        assert_eq!(late, 1);
        check(
            over(Some(2), OverFrame::Range(1_000)),
            &input,
            &output(),
            ROWS,
            "+I a 1 '1970-01-01 00:00:01.000' 1 1 1
             +I a 2 '1970-01-01 00:00:02.000' 6 3 1
             +I a 3 '1970-01-01 00:00:02.000' 6 3 1
             +I b 9 '1970-01-01 00:00:02.000' 9 1 9
             +I a 7 '1970-01-01 00:00:02.200' 12 3 2
             +I a 4 '1970-01-01 00:00:03.000' 16 4 2",
        );
    }

    #[test]
    fn by_processing_time() {
        let input = schema("k STRING, v INT, ts ROWTIME");
        let rows = "+I a 1 NULL\n+I a 2 NULL\n+I b 5 NULL\n+I a 3 NULL";
        check(
            over(None, OverFrame::Rows(1)),
            &input,
            &output(),
            rows,
            "+I a 1 NULL 1 1 1\n+I a 2 NULL 3 2 1\n+I b 5 NULL 5 1 5\n+I a 3 NULL 5 2 2",
        );
        check(
            over(None, OverFrame::UnboundedRows),
            &input,
            &output(),
            rows,
            "+I a 1 NULL 1 1 1\n+I a 2 NULL 3 2 1\n+I b 5 NULL 5 1 5\n+I a 3 NULL 6 3 1",
        );
    }
}
