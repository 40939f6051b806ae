//! `SELECT .. FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM t) WHERE rn = 1`: one row per key, the first or the last
//! by event time or by arrival.
//!
//! Input: `+I`. Output: the first row by arrival is a `+I` at once; the first by event time a `+I` when the watermark has reached its time; the last one
//! comes at once, `+I` or `-U`/`+U`, also where the two rows are equal (by event time: unless an earlier one arrives later).
//!
//! State: `rows`: key -> time, row; the row is empty once the first one is out. Cleared by TTL alone. `watermark` (first by event time): see
//! [`crate::saved_watermark`]. Late rows: of the first by event time those at or below the watermark are dropped and counted.
//! Flink's counterparts: `ProcTimeDeduplicateKeepFirstRowFunction`, `ProcTimeDeduplicateKeepLastRowFunction`, `RowTimeDeduplicateFunction`,
//! `RowTimeDeduplicateKeepFirstRowFunction`.

use std::collections::BTreeMap;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMillisecondType;
use tidegate_data::keys::encode::encode_cell;
use tidegate_data::{Chunk, RowKind, RowOrigin, Schema, SlotColumn, SlotType, encode_keys, hash_keys};
use tidegate_runtime::state::{GroupTable, StateVisitor};
use tidegate_runtime::{CheckpointId, Context, Operator, Outcome, Progress};

use crate::failure::null_rowtime;
use crate::meaning;
use crate::outbox::Outbox;
use crate::saved_watermark::SavedWatermark;
use crate::stored_rows::StoredRow;
use crate::window::first_null;

/// What a [`Deduplicate`] is made from.
#[derive(Clone, Debug)]
pub struct DeduplicateSpec {
    /// The columns.
    pub input: Schema,
    /// PARTITION BY.
    pub keys: Vec<usize>,
    /// The rowtime column; none for arrival.
    pub rowtime: Option<usize>,
    /// Keep the last row, not the first.
    pub keep_last: bool,
    /// Whether `-U` rows are wanted.
    pub emit_update_before: bool,
    /// `table.exec.state.ttl` in ms, 0 for none.
    pub state_ttl: i64,
}

/// One row per key.
pub struct Deduplicate {
    spec: DeduplicateSpec,
    rows: GroupTable,
    watermark: SavedWatermark,
    /// First by event time: the keys whose row is not out yet, by its time. Some are out of date.
    waiting: BTreeMap<i64, Vec<u32>>,
    pending: Option<(Chunk, usize)>,
    firing: Vec<u32>,
    outbox: Outbox,
    last_origin: Option<RowOrigin>,
}

impl Deduplicate {
    /// The operator of `spec`.
    pub fn new(spec: DeduplicateSpec) -> Deduplicate {
        let types = spec.keys.iter().map(|key| spec.input.fields[*key].ty.clone()).collect();
        // By arrival there is no time, and of the first only that it was there.
        let time = if spec.rowtime.is_some() { "time" } else { "" };
        let columns = [(time.to_owned(), SlotType::I64), ("row".to_owned(), SlotType::Bytes)];
        let end = if spec.keep_last { "last" } else { "first" };
        let meaning = format!("the {end} of {}", meaning::rows_by(&spec.input, &spec.keys));
        Deduplicate {
            rows: GroupTable::new(types, &columns).of(meaning).showing(&spec.input.fields).kept_for(spec.state_ttl),
            watermark: SavedWatermark::new(),
            waiting: BTreeMap::new(),
            pending: None,
            firing: Vec::new(),
            outbox: Outbox::new(&spec.input),
            last_origin: None,
            spec,
        }
    }

    fn waits(&self) -> bool {
        self.spec.rowtime.is_some() && !self.spec.keep_last
    }
}

impl Operator for Deduplicate {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("rows", &mut self.rows);
        if self.waits() {
            visitor.table("watermark", self.watermark.table());
        }
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.watermark.restore(cx);
        if self.waits() {
            let slots: Vec<u32> = self.rows.live().collect();
            let (times, rows) = columns(&mut self.rows);
            for slot in slots.into_iter().filter(|slot| rows[*slot as usize].is_some()) {
                self.waiting.entry(times[slot as usize]).or_default().push(slot);
            }
        }
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        if let Some(rowtime) = self.spec.rowtime
            && first_null(&chunk.columns[rowtime]).is_some()
        {
            return Err(null_rowtime());
        }
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        self.rows.expire(cx.now());
        if self.waits() {
            self.wait(&chunk, cx);
            return Ok(Progress::Done);
        }
        if !self.spec.keep_last {
            return Ok(self.first(&chunk, cx));
        }
        self.pending = Some((chunk, 0));
        self.resume(cx)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        self.watermark.current = self.watermark.current.max(watermark);
        self.rows.expire(cx.now());
        while let Some(entry) = self.waiting.first_entry().filter(|entry| *entry.key() <= watermark) {
            let (time, slots) = entry.remove_entry();
            let (times, rows) = columns(&mut self.rows);
            let due = |slot: &u32| times[*slot as usize] == time && rows[*slot as usize].is_some();
            self.firing.extend(slots.into_iter().filter(due));
        }
        self.firing.reverse();
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        if let Some((chunk, done)) = self.pending.take() {
            let part = chunk.slice(done, (chunk.len - done).min(Chunk::MAX_ROWS / 2));
            self.last(&part);
            if done + part.len < chunk.len {
                self.pending = Some((chunk, done + part.len));
            }
        }
        while let Some(slot) = self.firing.pop() {
            let (_, rows) = columns(&mut self.rows);
            if let Some(row) = rows[slot as usize].take() {
                self.outbox.push(RowKind::Insert, row, self.last_origin);
                self.rows.touch(&[slot]);
            }
            if self.outbox.is_full() {
                break;
            }
        }
        let progress = self.outbox.flush(cx);
        let more = self.pending.is_some() || !self.firing.is_empty() || progress == Progress::More;
        Ok(if more { Progress::More } else { Progress::Done })
    }

    fn pre_barrier(&mut self, _checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        self.watermark.save(cx);
        Ok(Progress::Done)
    }
}

impl Deduplicate {
    /// The groups of the rows of a chunk, and the rows that are the first of theirs.
    fn resolve(&mut self, chunk: &Chunk) -> (Vec<u32>, Vec<u32>) {
        let keys: Vec<ArrayRef> = self.spec.keys.iter().map(|key| chunk.columns[*key].clone()).collect();
        let hashes = if keys.is_empty() { vec![0; chunk.len] } else { hash_keys(&keys) };
        let (mut slots, mut fresh) = (Vec::new(), Vec::new());
        self.rows.resolve(&keys, &[], &hashes, |_| true, &mut slots, &mut fresh);
        (slots, fresh)
    }

    /// First by arrival.
    fn first(&mut self, chunk: &Chunk, cx: &mut dyn Context) -> Progress {
        let (_, fresh) = self.resolve(chunk);
        if !fresh.is_empty() {
            cx.emit(chunk.take(&fresh));
        }
        Progress::Done
    }

    /// First by event time.
    fn wait(&mut self, chunk: &Chunk, cx: &mut dyn Context) {
        let Some(rowtime) = self.spec.rowtime else { return };
        let times_of_rows = chunk.columns[rowtime].as_primitive::<TimestampMillisecondType>().values();
        let kept: Vec<u32> =
            (0..chunk.len as u32).filter(|row| times_of_rows[*row as usize] > self.watermark.current).collect();
        if kept.len() < chunk.len {
            cx.late_rows((chunk.len - kept.len()) as u64);
        }
        let chunk = chunk.take(&kept);
        if chunk.len == 0 {
            return;
        }
        let (slots, fresh) = self.resolve(&chunk);
        let mut is_fresh = vec![false; chunk.len];
        fresh.iter().for_each(|row| is_fresh[*row as usize] = true);
        let times_of_rows = chunk.columns[rowtime].as_primitive::<TimestampMillisecondType>().values();
        let (times, rows) = columns(&mut self.rows);
        let mut touched = Vec::new();
        for (row, slot) in slots.iter().enumerate() {
            let (at, time) = (*slot as usize, times_of_rows[row]);
            // A key without a row whose turn has come is done.
            if !is_fresh[row] && (rows[at].is_none() || times[at] <= time) {
                continue;
            }
            let mut bytes = Vec::new();
            chunk.columns.iter().for_each(|column| encode_cell(&mut bytes, column.as_ref(), row));
            (times[at], rows[at]) = (time, Some(bytes.into()));
            touched.push(*slot);
            self.waiting.entry(time).or_default().push(*slot);
        }
        self.rows.touch(&touched);
    }

    /// The last one.
    fn last(&mut self, chunk: &Chunk) {
        let (slots, _) = self.resolve(chunk);
        let encoded = encode_keys(&chunk.columns);
        let rowtimes = self.spec.rowtime.map(|column| chunk.columns[column].as_primitive::<TimestampMillisecondType>());
        let (times, rows) = columns(&mut self.rows);
        let mut touched = Vec::new();
        for (row, slot) in slots.iter().enumerate() {
            let at = *slot as usize;
            let time = rowtimes.as_ref().map_or(0, |times| times.value(row));
            if rows[at].is_some() && time < times[at] {
                continue;
            }
            let (new, origin): (StoredRow, _) = (encoded.row(row).into(), chunk.origin(row));
            times[at] = time;
            match rows[at].replace(new.clone()) {
                None => self.outbox.push(RowKind::Insert, new, origin),
                Some(old) => {
                    if self.spec.emit_update_before {
                        self.outbox.push(RowKind::UpdateBefore, old, origin);
                    }
                    self.outbox.push(RowKind::UpdateAfter, new, origin);
                }
            }
            touched.push(*slot);
        }
        self.rows.touch(&touched);
    }
}

fn columns(table: &mut GroupTable) -> (&mut [i64], &mut [Option<StoredRow>]) {
    match table.columns_mut() {
        [SlotColumn::I64(times), SlotColumn::Bytes(rows)] => (times, rows),
        other => unreachable!("the state is a time and a row, not {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};

    fn deduplicate(rowtime: Option<usize>, keep_last: bool) -> impl Fn() -> Box<dyn Operator> {
        let spec = DeduplicateSpec {
            input: input(),
            keys: vec![0],
            rowtime,
            keep_last,
            emit_update_before: true,
            state_ttl: 0,
        };
        move || Box::new(Deduplicate::new(spec.clone()))
    }

    fn input() -> Schema {
        schema("k STRING, v INT, ts ROWTIME")
    }

    const ROWS: &str = "+I a 1 '1970-01-01 00:00:03'
        +I b 2 '1970-01-01 00:00:04'
        +I a 3 '1970-01-01 00:00:02'
        +I a 4 '1970-01-01 00:00:02'
        watermark 3000
        +I a 5 '1970-01-01 00:00:01'
        +I c 6 '1970-01-01 00:00:03'
        +I c 7 '1970-01-01 00:00:09'
        +I a 8 '1970-01-01 00:00:09'
        watermark 10000";

    #[test]
    fn the_first_by_event_time_waits() {
        let late = check(
            deduplicate(Some(2), false),
            &input(),
            &input(),
            ROWS,
            "+I a 3 '1970-01-01 00:00:02.000'
             +I b 2 '1970-01-01 00:00:04.000'
             +I c 7 '1970-01-01 00:00:09.000'",
        );
        assert_eq!(late, 2);
    }

    #[test]
    fn the_last_by_event_time() {
        check(
            deduplicate(Some(2), true),
            &input(),
            &input(),
            ROWS,
            "+I a 1 '1970-01-01 00:00:03.000'
             +I b 2 '1970-01-01 00:00:04.000'
             +I c 6 '1970-01-01 00:00:03.000'
             -U c 6 '1970-01-01 00:00:03.000'
             +U c 7 '1970-01-01 00:00:09.000'
             -U a 1 '1970-01-01 00:00:03.000'
             +U a 8 '1970-01-01 00:00:09.000'",
        );
    }

    #[test]
    fn by_arrival() {
        let rows = "+I a 1 NULL
            +I a 2 NULL
            +I b 3 NULL
            +I a 2 NULL";
        check(deduplicate(None, false), &input(), &input(), rows, "+I a 1 NULL\n+I b 3 NULL");
        check(
            deduplicate(None, true),
            &input(),
            &input(),
            rows,
            "+I a 1 NULL\n-U a 1 NULL\n+U a 2 NULL\n+I b 3 NULL\n-U a 2 NULL\n+U a 2 NULL",
        );
    }
}
