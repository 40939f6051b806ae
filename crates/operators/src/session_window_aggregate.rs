//! `SELECT k, window_start, window_end, COUNT(*) FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), ..)) GROUP BY k, window_start, window_end`.
//!
//! Input: any changelog; output: `+I` only, keys, aggregates and window columns of each session, when the watermark reaches its end - 1 ms, sessions in
//! the order of their ends. A session whose rows were all taken back yields nothing.
//!
//! State: `sessions`: (key, start in local ms) -> end; `rows`: (key, time, arrival number) -> row, kind. Both go when the session fires. Sessions that
//! a row brings together become one, which needs no merging of aggregates: these are computed when the session fires. `watermark`: see
//! [`crate::saved_watermark`]. Late rows (of a session of their own that has ended) are dropped and counted. A NULL rowtime fails the job.
//! Flink's counterpart: `UnsliceWindowAggProcessor`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};
use tidegate_data::keys::{MAX_PARALLELISM, key_group};
use tidegate_data::{
    Chunk, DataType, LogicalType, Origins, RowKind, RowOrigin, Schema, SlotColumn, SlotType, Zone, decode_keys,
    encode_keys, hash_keys,
};
use tidegate_expr::AggregateCall;
use tidegate_expr::aggregates::Emit;
use tidegate_runtime::state::{GroupTable, MapTable, StateVisitor};
use tidegate_runtime::{CheckpointId, Context, Operator, Outcome, Progress};

use crate::aggregation::{Aggregation, Rows};
use crate::failure::null_rowtime;
use crate::saved_watermark::SavedWatermark;
use crate::stored_rows::StoredRow;
use crate::window::{Window, WindowProperty, WindowTime, first_null};

/// What a [`SessionWindowAggregate`] is made from.
#[derive(Clone, Debug)]
pub struct SessionWindowAggregateSpec {
    /// The input's columns.
    pub input: Schema,
    /// The rowtime column.
    pub time_column: usize,
    /// What ends a session, in ms.
    pub gap: i64,
    /// The grouping columns besides the window.
    pub keys: Vec<usize>,
    /// The aggregates.
    pub aggregates: Vec<AggregateCall>,
    /// The window's columns behind keys and aggregates.
    pub properties: Vec<WindowProperty>,
    /// Whether the input may hold `-U` and `-D`.
    pub retracting_input: bool,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// GROUP BY a session.
pub struct SessionWindowAggregate {
    spec: SessionWindowAggregateSpec,
    types: Vec<DataType>,
    time: WindowTime,
    sessions: MapTable,
    rows: MapTable,
    arrivals: u64,
    watermark: SavedWatermark,
    /// The keys with a session that ends then: derived. Some have grown since.
    ends: BTreeMap<i64, Vec<StoredRow>>,
    firing: VecDeque<(StoredRow, Window)>,
    last_origin: Option<RowOrigin>,
}

impl SessionWindowAggregate {
    /// The operator of `spec`.
    pub fn new(spec: SessionWindowAggregateSpec) -> SessionWindowAggregate {
        let row = [("row".to_owned(), SlotType::Bytes), ("kind".to_owned(), SlotType::I64)];
        SessionWindowAggregate {
            types: spec.input.fields.iter().map(|field| field.ty.clone()).collect(),
            time: WindowTime::new(&spec.input, spec.time_column, spec.zone),
            sessions: MapTable::ordered(Vec::new(), &[("end".to_owned(), SlotType::I64)]),
            rows: MapTable::ordered(Vec::new(), &row),
            arrivals: 0,
            watermark: SavedWatermark::new(),
            ends: BTreeMap::new(),
            firing: VecDeque::new(),
            last_origin: None,
            spec,
        }
    }
}

impl Operator for SessionWindowAggregate {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("sessions", &mut self.sessions);
        visitor.table("rows", &mut self.rows);
        visitor.table("watermark", self.watermark.table());
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.watermark.restore(cx);
        for owner in self.sessions.owners() {
            let key: StoredRow = self.sessions.owner_key(owner).0.into();
            for entry in self.sessions.entries(owner) {
                self.ends.entry(number(&self.sessions, 0, entry)).or_default().push(key.clone());
            }
        }
        for owner in self.rows.owners() {
            for entry in self.rows.entries(owner) {
                let sub_key = self.rows.sub_key(entry);
                let arrival = sub_key.last_chunk::<8>().map_or(0, |number| u64::from_be_bytes(*number));
                self.arrivals = self.arrivals.max(arrival + 1);
            }
        }
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let rowtime = &chunk.columns[self.spec.time_column];
        if first_null(rowtime).is_some() {
            return Err(null_rowtime());
        }
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        let times = self.time.local(rowtime);
        let keys: Vec<ArrayRef> = self.spec.keys.iter().map(|key| chunk.columns[*key].clone()).collect();
        let hashes = if keys.is_empty() { vec![0; chunk.len] } else { hash_keys(&keys) };
        let keys = (!keys.is_empty()).then(|| encode_keys(&keys));
        let encoded = encode_keys(&chunk.columns);
        let mut late = 0;
        for (row, &time) in times.iter().enumerate() {
            let key = keys.as_ref().map_or(&[][..], |keys| keys.row(row));
            let group = key_group(hashes[row], MAX_PARALLELISM) as u16;
            if !self.join_session(key, group, time) {
                late += 1;
                continue;
            }
            let owner = self.rows.owner(key, group);
            let mut sub_key = in_order(time).to_vec();
            sub_key.extend(self.arrivals.to_be_bytes());
            self.arrivals += 1;
            let (entry, _) = self.rows.find_or_insert(owner, &sub_key);
            let [SlotColumn::Bytes(rows), SlotColumn::I64(signs)] = self.rows.columns_mut() else {
                unreachable!("a row and its kind")
            };
            rows[entry as usize] = Some(encoded.row(row).into());
            signs[entry as usize] = if chunk.kind(row).adds() { 1 } else { -1 };
            self.rows.touch(&[entry]);
        }
        if late > 0 {
            cx.late_rows(late);
        }
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        self.watermark.current = self.watermark.current.max(watermark);
        while let Some(entry) = self.ends.first_entry() {
            let end = *entry.key();
            if self.time.fires_at(end) > watermark {
                break;
            }
            for key in entry.remove() {
                let Some(owner) = self.sessions.find_owner(&key) else { continue };
                let session = self.sessions.entries(owner).find(|entry| number(&self.sessions, 0, *entry) == end);
                if let Some(session) = session {
                    let start = from_order(&self.sessions.sub_key(session));
                    self.sessions.remove(session);
                    if self.sessions.count(owner) == 0 {
                        self.sessions.clear(owner);
                    }
                    self.firing.push_back((key, (start, end)));
                }
            }
        }
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        while !self.firing.is_empty() {
            if let Some(out) = self.fire() {
                cx.emit(out);
                break;
            }
        }
        Ok(if self.firing.is_empty() { Progress::Done } else { Progress::More })
    }

    fn pre_barrier(&mut self, _checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        self.watermark.save(cx);
        Ok(Progress::Done)
    }
}

fn in_order(time: i64) -> [u8; 8] {
    (time ^ i64::MIN).to_be_bytes()
}

fn from_order(key: &[u8]) -> i64 {
    key.first_chunk::<8>().map_or(i64::MIN, |bytes| i64::from_be_bytes(*bytes) ^ i64::MIN)
}

fn number(table: &MapTable, column: usize, entry: u32) -> i64 {
    let SlotColumn::I64(values) = &table.columns()[column] else { unreachable!("a number") };
    values[entry as usize]
}

impl SessionWindowAggregate {
    /// Puts a row of this time into a session, new or there; false when it is late.
    fn join_session(&mut self, key: &[u8], group: u16, time: i64) -> bool {
        let owner = self.sessions.owner(key, group);
        let (mut start, mut end) = (time, time + self.spec.gap);
        let mut merged = Vec::new();
        for entry in self.sessions.entries(owner) {
            let own: Window = (from_order(&self.sessions.sub_key(entry)), number(&self.sessions, 0, entry));
            // Sessions that only touch are one as well.
            if own.0 <= end && own.1 >= start {
                (start, end) = (start.min(own.0), end.max(own.1));
                merged.push((entry, own));
            }
        }
        if self.watermark.current != i64::MIN && self.time.fires_at(end) <= self.watermark.current {
            if self.sessions.count(owner) == 0 {
                self.sessions.clear(owner);
            }
            return false;
        }
        if let [(_, own)] = merged[..]
            && own == (start, end)
        {
            return true;
        }
        for (entry, _) in merged {
            self.sessions.remove(entry);
        }
        let (entry, _) = self.sessions.find_or_insert(owner, &in_order(start));
        let [SlotColumn::I64(ends)] = self.sessions.columns_mut() else { unreachable!("a session has an end") };
        ends[entry as usize] = end;
        self.sessions.touch(&[entry]);
        self.ends.entry(end).or_default().push(key.into());
        true
    }

    /// The results of the next sessions that fire, a chunk of them at most; `None` when they are all empty.
    fn fire(&mut self) -> Option<Chunk> {
        let (mut rows, mut signs, mut numbers) = (Vec::<StoredRow>::new(), Vec::new(), Vec::<i64>::new());
        let mut windows: Vec<Window> = Vec::new();
        let mut firsts: Vec<u32> = Vec::new();
        while windows.len() < Chunk::MAX_ROWS && rows.len() < 4 * Chunk::MAX_ROWS {
            let Some((key, window)) = self.firing.pop_front() else { break };
            let Some(owner) = self.rows.find_owner(&key) else { continue };
            let entries: Vec<u32> = self
                .rows
                .entries_from(owner, &in_order(window.0))
                .take_while(|entry| from_order(&self.rows.sub_key(*entry)) < window.1)
                .collect();
            let first = rows.len() as u32;
            let mut total = 0;
            for entry in entries {
                let SlotColumn::Bytes(stored) = &self.rows.columns()[0] else { unreachable!("rows are bytes") };
                rows.push(stored[entry as usize].clone().unwrap_or_default());
                let sign = number(&self.rows, 1, entry);
                total += sign;
                signs.push(sign as i8);
                numbers.push(windows.len() as i64);
                self.rows.remove(entry);
            }
            if self.rows.count(owner) == 0 {
                self.rows.clear(owner);
            }
            if total == 0 && self.spec.retracting_input {
                rows.truncate(first as usize);
                signs.truncate(first as usize);
                numbers.truncate(first as usize);
                continue;
            }
            windows.push(window);
            firsts.push(first);
        }
        if windows.is_empty() {
            return None;
        }
        let columns = decode_keys(rows.iter().map(|row| &row[..]), &self.types);
        let mut out: Vec<ArrayRef> =
            self.spec.keys.iter().map(|key| crate::columns::take(&columns[*key], &firsts)).collect();
        out.extend(self.aggregates(&columns, &signs, numbers, windows.len()));
        out.extend(self.spec.properties.iter().map(|property| self.time.property(*property, &windows)));
        let mut out = Chunk::with_kinds(out, vec![RowKind::Insert; windows.len()]);
        out.origins = self.last_origin.map(|origin| Arc::new(Origins::uniform(out.len, origin)));
        Some(out)
    }

    /// The aggregates of these rows by the number of their session.
    fn aggregates(&self, columns: &[ArrayRef], signs: &[i8], numbers: Vec<i64>, sessions: usize) -> Vec<ArrayRef> {
        let spec = &self.spec;
        let mut aggregation = Aggregation::new(&spec.aggregates, &spec.input, spec.retracting_input, 0);
        let number = DataType::not_null(LogicalType::BigInt);
        let mut groups = GroupTable::new(vec![number], aggregation.columns());
        let key: ArrayRef = Arc::new(Int64Array::from(numbers));
        let (mut slots, mut fresh) = (Vec::new(), Vec::new());
        let keys = [key];
        groups.resolve(&keys, &[], &hash_keys(&keys), |_| true, &mut slots, &mut fresh);
        let signs = signs.contains(&-1).then_some(signs);
        let rows = Rows { columns, slots: &slots, signs, steps: None };
        aggregation.update(&rows, &mut groups, Emit::Nothing, None);
        let of_sessions: Vec<u32> = fresh.iter().map(|row| slots[*row as usize]).collect();
        debug_assert_eq!(of_sessions.len(), sessions);
        aggregation.results(&of_sessions, groups.columns_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{calls, check, schema};

    fn session(retracting_input: bool) -> impl Fn() -> Box<dyn Operator> {
        let input = schema("k STRING, v INT, ts ROWTIME");
        let spec = SessionWindowAggregateSpec {
            aggregates: calls(&["COUNT()", "MAX(v)"], &input),
            input,
            time_column: 2,
            gap: 10_000,
            keys: vec![0],
            properties: vec![WindowProperty::Start, WindowProperty::End],
            retracting_input,
            zone: Zone::UTC,
        };
        move || Box::new(SessionWindowAggregate::new(spec.clone()))
    }

    #[test]
    fn a_row_brings_two_sessions_together() {
        let late = check(
            session(false),
            &schema("k STRING, v INT, ts ROWTIME"),
            &schema("k STRING, c BIGINT, m INT, s TIME, e TIME"),
            "+I a 1 '1970-01-01 00:00:01'
             +I a 9 '1970-01-01 00:00:18'
             +I b 5 '1970-01-01 00:00:01'
             +I a 3 '1970-01-01 00:00:09'
             watermark 10999
             +I b 6 '1970-01-01 00:00:00'
             +I b 7 '1970-01-01 00:00:02'
             watermark 30000",
            "+I b 1 5 '1970-01-01 00:00:01.000' '1970-01-01 00:00:11.000'
             +I b 1 7 '1970-01-01 00:00:02.000' '1970-01-01 00:00:12.000'
             +I a 3 9 '1970-01-01 00:00:01.000' '1970-01-01 00:00:28.000'",
        );
        assert_eq!(late, 1);
    }

    #[test]
    fn rows_taken_back_leave_no_session() {
        check(
            session(true),
            &schema("k STRING, v INT, ts ROWTIME"),
            &schema("k STRING, c BIGINT, m INT, s TIME, e TIME"),
            "+I a 1 '1970-01-01 00:00:01'
             +I b 2 '1970-01-01 00:00:01'
             +I b 8 '1970-01-01 00:00:03'
             -D a 1 '1970-01-01 00:00:01'
             -D b 8 '1970-01-01 00:00:03'
             watermark 30000",
            "+I b 1 2 '1970-01-01 00:00:01.000' '1970-01-01 00:00:13.000'",
        );
    }
}
