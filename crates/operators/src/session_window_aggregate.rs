//! `SELECT k, window_start, window_end, COUNT(*) FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), ..)) GROUP BY k, window_start, window_end`.
//!
//! Input: any changelog; output: `+I` only, keys, aggregates and window columns of each session, when the watermark reaches its end - 1 ms, sessions in
//! the order of their ends. A session whose rows were all taken back yields nothing.
//!
//! State: see [`crate::sessions`]; sessions that a row brings together need no merging of aggregates, since these are computed when a session fires.
//! Late rows (of a session of their own that has ended) are dropped and counted. A NULL rowtime fails the job.
//! Flink's counterpart: `UnsliceWindowAggProcessor`.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};
use tidegate_data::{Chunk, DataType, LogicalType, Origins, RowKind, RowOrigin, Schema, Zone, decode_keys, hash_keys};
use tidegate_expr::AggregateCall;
use tidegate_expr::aggregates::Emit;
use tidegate_runtime::state::{GroupTable, StateVisitor};
use tidegate_runtime::{CheckpointId, Context, Operator, Outcome, Progress};

use crate::aggregation::{Aggregation, Rows};
use crate::sessions::Sessions;
use crate::stored_rows::StoredRow;
use crate::window::{Window, WindowProperty};

/// What a [`SessionWindowAggregate`] is made from.
#[derive(Clone, Debug)]
pub struct SessionWindowAggregateSpec {
    /// The input's columns.
    pub input: Schema,
    /// The time column.
    pub time_column: usize,
    /// Event time; else sessions end by the clock, and no row is late.
    pub event_time: bool,
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
    sessions: Sessions,
    last_origin: Option<RowOrigin>,
}

impl SessionWindowAggregate {
    /// The operator of `spec`.
    pub fn new(spec: SessionWindowAggregateSpec) -> SessionWindowAggregate {
        SessionWindowAggregate {
            types: spec.input.fields.iter().map(|field| field.ty.clone()).collect(),
            sessions: Sessions::new(&spec.input, &spec.keys, (spec.time_column, spec.event_time), spec.gap, spec.zone),
            last_origin: None,
            spec,
        }
    }
}

impl Operator for SessionWindowAggregate {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        self.sessions.state(visitor);
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.sessions.restored(cx);
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        self.sessions.add(&chunk, cx)?;
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        self.sessions.on_watermark(watermark);
        self.resume(cx)
    }

    fn on_processing_time(&mut self, cx: &mut dyn Context) -> Outcome {
        self.sessions.on_processing_time(cx);
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        while self.sessions.is_firing() {
            if let Some(out) = self.fire() {
                cx.emit(out);
                break;
            }
        }
        Ok(if self.sessions.is_firing() { Progress::More } else { Progress::Done })
    }

    fn pre_barrier(&mut self, _checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        self.sessions.watermark.save(cx);
        Ok(Progress::Done)
    }
}

impl SessionWindowAggregate {
    /// The results of the next sessions that fire, a chunk of them at most; `None` when they are all empty.
    fn fire(&mut self) -> Option<Chunk> {
        let (mut rows, mut signs, mut numbers) = (Vec::<StoredRow>::new(), Vec::new(), Vec::<i64>::new());
        let mut windows: Vec<Window> = Vec::new();
        let mut firsts: Vec<u32> = Vec::new();
        while windows.len() < Chunk::MAX_ROWS && rows.len() < 4 * Chunk::MAX_ROWS {
            let Some((window, of_session)) = self.sessions.next() else { break };
            let total: i64 = of_session.iter().map(|row| if row.kind.adds() { 1 } else { -1 }).sum();
            if of_session.is_empty() || (total == 0 && self.spec.retracting_input) {
                continue;
            }
            firsts.push(rows.len() as u32);
            for row in of_session {
                rows.push(row.row);
                signs.push(if row.kind.adds() { 1 } else { -1 });
                numbers.push(windows.len() as i64);
            }
            windows.push(window);
        }
        if windows.is_empty() {
            return None;
        }
        let columns = decode_keys(rows.iter().map(|row| &row[..]), &self.types);
        let mut out: Vec<ArrayRef> =
            self.spec.keys.iter().map(|key| tidegate_data::gather(&columns[*key], &firsts)).collect();
        out.extend(self.aggregates(&columns, &signs, numbers, windows.len()));
        let property = |property: &WindowProperty| self.sessions.time.property(*property, &windows);
        out.extend(self.spec.properties.iter().map(property));
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
            event_time: true,
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
