//! `SELECT .. FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY v DESC) AS rn FROM TABLE(TUMBLE(..))) WHERE rn <= 3`:
//! the first rows of each window; the first or the last row by event time (`ORDER BY ts .. rn = 1`).
//!
//! Input: `+I`, rows that carry their window; output: `+I`, in the order of their ranks, when the watermark reaches the window's end - 1 ms.
//!
//! State: `rows`: (window's end, partition, sort key, arrival number) -> row, of the rows that rank, cleared when the window fires. `watermark`: see
//! [`crate::saved_watermark`]. Late rows (their window has fired) are dropped and counted. Of equal rows the newer ranks behind; the last row by event
//! time is the newest of equal ones. Flink's counterparts: `WindowRankOperator`, `RowTimeWindowDeduplicateOperator`.

use std::collections::BTreeMap;

use arrow_array::ArrayRef;
use tidegate_data::keys::encode::encode_cell;
use tidegate_data::keys::{MAX_PARALLELISM, key_group};
use tidegate_data::{Chunk, RowKind, RowOrigin, Schema, SlotColumn, SlotType, Zone, encode_keys, hash_keys};
use tidegate_runtime::state::{MapTable, StateVisitor};
use tidegate_runtime::{CheckpointId, Context, Operator, Outcome, Progress};

use crate::meaning;
use crate::outbox::{Outbox, encode_bigint};
use crate::saved_watermark::SavedWatermark;
use crate::sort_key::{SortColumn, encode_sort_key};
use crate::stored_rows::StoredRow;
use crate::window::WindowTime;

/// What a [`WindowTopN`] is made from.
#[derive(Clone, Debug)]
pub struct WindowTopNSpec {
    /// The input's columns.
    pub input: Schema,
    /// The output's columns: the input's, then the rank if it is wanted.
    pub output: Schema,
    /// The column that holds the window's end.
    pub end_column: usize,
    /// Event time; else windows fire by the clock, and no row is late.
    pub event_time: bool,
    /// PARTITION BY besides the window.
    pub partition: Vec<usize>,
    /// ORDER BY.
    pub order: Vec<SortColumn>,
    /// The first rank that is put out, from 1.
    pub start: u64,
    /// The last one.
    pub end: u64,
    /// Whether the rank is a column.
    pub with_rank: bool,
    /// Of equal rows the newer ranks in front (the last row by event time).
    pub newest_first: bool,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// The first rows of each window and partition.
pub struct WindowTopN {
    spec: WindowTopNSpec,
    time: WindowTime,
    rows: MapTable,
    arrivals: u64,
    watermark: SavedWatermark,
    /// The windows that are open, by their end, as owners' keys: derived.
    open: BTreeMap<i64, Vec<StoredRow>>,
    firing: Vec<StoredRow>,
    outbox: Outbox,
    last_origin: Option<RowOrigin>,
}

impl WindowTopN {
    /// The operator of `spec`.
    pub fn new(spec: WindowTopNSpec) -> WindowTopN {
        WindowTopN {
            time: WindowTime::new(&spec.input, spec.end_column, spec.zone),
            rows: MapTable::ordered(Vec::new(), &[("row".to_owned(), SlotType::Bytes)])
                .of(format!("{}, the first {}", meaning::ranked(&spec.input, &spec.partition, &spec.order), spec.end))
                .showing(&spec.partition, &spec.input.fields, false)
                .with_times(true),
            arrivals: 0,
            watermark: SavedWatermark::new(),
            open: BTreeMap::new(),
            firing: Vec::new(),
            outbox: Outbox::new(&spec.output),
            last_origin: None,
            spec,
        }
    }

    /// The windows that end by then fire.
    fn close_until(&mut self, time: i64) {
        while let Some(entry) = self.open.first_entry() {
            if self.time.fires_at(*entry.key()) > time {
                break;
            }
            self.firing.extend(entry.remove());
        }
        self.firing.reverse();
    }

    /// By processing time: asks to be called when the next window ends.
    fn set_timer(&self, cx: &mut dyn Context) {
        if let (false, Some((end, _))) = (self.spec.event_time, self.open.first_key_value()) {
            cx.wake_at(self.time.fires_at(*end));
        }
    }

    fn number(&self, arrival: u64) -> [u8; 8] {
        (if self.spec.newest_first { !arrival } else { arrival }).to_be_bytes()
    }
}

impl Operator for WindowTopN {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("rows", &mut self.rows);
        visitor.table("watermark", self.watermark.table());
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.watermark.restore(cx);
        for owner in self.rows.owners() {
            let key: StoredRow = self.rows.owner_key(owner).0.into();
            self.open.entry(end_of(&key)).or_default().push(key);
            for entry in self.rows.entries(owner) {
                let number = self.rows.sub_key(entry).last_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes));
                let number = if self.spec.newest_first { !number } else { number };
                self.arrivals = self.arrivals.max(number + 1);
            }
        }
        self.set_timer(cx);
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        let ends = self.time.local(&chunk.columns[self.spec.end_column]);
        let keys: Vec<ArrayRef> = self.spec.partition.iter().map(|key| chunk.columns[*key].clone()).collect();
        let hashes = if keys.is_empty() { vec![0; chunk.len] } else { hash_keys(&keys) };
        let keys = (!keys.is_empty()).then(|| encode_keys(&keys));
        let (mut owner_key, mut sort_key) = (Vec::new(), Vec::new());
        let mut late = 0;
        for (row, &end) in ends.iter().enumerate() {
            if self.watermark.current != i64::MIN && self.time.fires_at(end) <= self.watermark.current {
                late += 1;
                continue;
            }
            owner_key.clear();
            owner_key.extend((end ^ i64::MIN).to_be_bytes());
            owner_key.extend_from_slice(keys.as_ref().map_or(&[][..], |keys| keys.row(row)));
            let owner = self.rows.owner(&owner_key, key_group(hashes[row], MAX_PARALLELISM) as u16);
            sort_key.clear();
            encode_sort_key(&mut sort_key, &self.spec.order, &chunk.columns, row);
            sort_key.extend(self.number(self.arrivals));
            self.arrivals += 1;
            let count = self.rows.count(owner);
            if count == 0 {
                self.open.entry(end).or_default().push(owner_key[..].into());
            }
            if count as u64 >= self.spec.end
                && let Some(last) = self.rows.last(owner)
            {
                if sort_key[..] >= self.rows.sub_key(last)[..] {
                    continue;
                }
                self.rows.remove(last);
            }
            let (entry, _) = self.rows.find_or_insert(owner, &sort_key);
            let mut bytes = Vec::new();
            chunk.columns.iter().for_each(|column| encode_cell(&mut bytes, column.as_ref(), row));
            let [SlotColumn::Bytes(rows)] = self.rows.columns_mut() else { unreachable!("rows are bytes") };
            rows[entry as usize] = Some(bytes.into());
            self.rows.touch(&[entry]);
        }
        if late > 0 {
            cx.late_rows(late);
        }
        self.set_timer(cx);
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        if self.spec.event_time {
            self.watermark.current = self.watermark.current.max(watermark);
            self.close_until(watermark);
        }
        self.resume(cx)
    }

    fn on_processing_time(&mut self, cx: &mut dyn Context) -> Outcome {
        if !self.spec.event_time {
            self.close_until(cx.now());
            self.set_timer(cx);
        }
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        while !self.outbox.is_full() {
            let Some(key) = self.firing.pop() else { break };
            let Some(owner) = self.rows.find_owner(&key) else { continue };
            let entries: Vec<u32> = self.rows.entries(owner).collect();
            for (rank, entry) in (1..).zip(entries).filter(|(rank, _)| *rank >= self.spec.start) {
                let [SlotColumn::Bytes(rows)] = self.rows.columns() else { unreachable!("rows are bytes") };
                let mut row = rows[entry as usize].clone().unwrap_or_default();
                if self.spec.with_rank {
                    let mut bytes = row.to_vec();
                    encode_bigint(&mut bytes, rank as i64);
                    row = bytes.into();
                }
                self.outbox.push(RowKind::Insert, row, self.last_origin);
            }
            self.rows.clear(owner);
        }
        let progress = self.outbox.flush(cx);
        Ok(if self.firing.is_empty() { progress } else { Progress::More })
    }

    fn pre_barrier(&mut self, _checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        self.watermark.save(cx);
        Ok(Progress::Done)
    }
}

fn end_of(owner_key: &[u8]) -> i64 {
    owner_key.first_chunk::<8>().map_or(i64::MIN, |bytes| i64::from_be_bytes(*bytes) ^ i64::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};

    fn top(end: u64, with_rank: bool, newest_first: bool) -> impl Fn() -> Box<dyn Operator> {
        let spec = WindowTopNSpec {
            input: schema("k STRING, v INT, e TIME"),
            output: schema(if with_rank { "k STRING, v INT, e TIME, rn BIGINT" } else { "k STRING, v INT, e TIME" }),
            end_column: 2,
            event_time: true,
            partition: vec![0],
            order: vec![SortColumn { column: 1, descending: true, nulls_first: false }],
            start: 1,
            end,
            with_rank,
            newest_first,
            zone: Zone::UTC,
        };
        move || Box::new(WindowTopN::new(spec.clone()))
    }

    #[test]
    fn the_first_rows_come_when_the_window_closes() {
        let input = schema("k STRING, v INT, e TIME");
        let late = check(
            top(2, true, false),
            &input,
            &schema("k STRING, v INT, e TIME, rn BIGINT"),
            "+I a 1 '1970-01-01 00:00:10'
             +I a 5 '1970-01-01 00:00:10'
             +I a 3 '1970-01-01 00:00:10'
             +I b 2 '1970-01-01 00:00:20'
             watermark 9999
             +I a 9 '1970-01-01 00:00:10'
             watermark 20000",
            "+I a 5 '1970-01-01 00:00:10.000' 1
             +I a 3 '1970-01-01 00:00:10.000' 2
             +I b 2 '1970-01-01 00:00:20.000' 1",
        );
        assert_eq!(late, 1);
    }

    #[test]
    fn the_newest_of_equal_rows() {
        let input = schema("k STRING, v INT, e TIME");
        check(
            top(1, false, true),
            &input,
            &input,
            "+I a NULL '1970-01-01 00:00:10'
             +I b 5 '1970-01-01 00:00:10'
             +I b 5 '1970-01-01 00:00:10'
             watermark 20000",
            "+I a NULL '1970-01-01 00:00:10.000'
             +I b 5 '1970-01-01 00:00:10.000'",
        );
    }
}
