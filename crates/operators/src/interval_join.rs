//! `a JOIN b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '5' SECOND AND b.ts`: pairs whose times lie close to one another; LEFT, RIGHT, FULL.
//!
//! Input: inserts on each side. Output: inserts. A pair comes with its second row. A row of an outer side that met none comes padded with NULLs: at once
//! if it is too late to meet any, else when a timer of its key clears it away (or a row of the other side comes by) after its last chance.
//! By processing time a row's time is when it comes.
//!
//! State: `left`, `right`: (join key, time and number) -> row and whether it met one, cleared by the timers; `timers`: (join key, side) -> time.
//! Late rows: still meet what is there. The watermark goes on later by the larger bound, so that no row of the output is late.
//! Flink's counterparts: `RowTimeIntervalJoin`, `ProcTimeIntervalJoin`, whose ways of clearing (in rounds, per key, and on the way through the rows) are copied.

use std::collections::BTreeSet;

use tidegate_data::{Chunk, RowKind, RowOrigin, Schema, SlotColumn, SlotType, Zone};
use tidegate_expr::{EvalContext, Expr};
use tidegate_runtime::state::{MapTable, StateVisitor};
use tidegate_runtime::{Context, Failure, Operator, Outcome, Progress};

use crate::meaning;
use crate::stored_rows::StoredRow;
use crate::two_inputs::{EncodedRows, Pairs, arrivals, rowtime, time_key, time_of};

/// What an [`IntervalJoin`] is made from. In pairs: of the left and of the right side.
#[derive(Clone, Debug)]
pub struct IntervalJoinSpec {
    /// The columns.
    pub inputs: [Schema; 2],
    /// The columns of the join key.
    pub keys: [Vec<usize>; 2],
    /// The time column; none for processing time.
    pub times: Option<[usize; 2]>,
    /// The bounds of left time minus right time, in ms.
    pub bounds: (i64, i64),
    /// `table.exec.interval-join.min-cleanup-interval`, in ms: timers wait so much longer, to clear more at once.
    pub min_cleanup: i64,
    /// Whether rows come without a match, too.
    pub outer: [bool; 2],
    /// What must be true of a pair besides, over the columns of both sides.
    pub condition: Option<Expr>,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// An interval join.
pub struct IntervalJoin {
    spec: IntervalJoinSpec,
    /// How far the left side's time may lie behind the right one's, and the other way round.
    relative: [i64; 2],
    rows: [MapTable; 2],
    timers: MapTable,
    /// The times at which the timers fire; from `timers`.
    due: BTreeSet<(i64, u16, Vec<u8>)>,
    /// Until when rows of a side were cleared last, whatever the key.
    expired: [i64; 2],
    pending: Option<Work>,
    firing: Option<i64>,
    out: Pairs,
}

/// A chunk in work: where it came from, and the row that is next.
struct Work {
    side: usize,
    chunk: Chunk,
    encoded: EncodedRows,
    row: usize,
}

const ROW: usize = 0;
const MET: usize = 1;

impl IntervalJoin {
    /// The operator of `spec`.
    pub fn new(spec: IntervalJoinSpec) -> IntervalJoin {
        let columns = [("row".to_owned(), SlotType::Bytes), ("met".to_owned(), SlotType::I64)];
        let rows =
            |side: usize| {
                MapTable::ordered(Vec::new(), &columns)
                    .of(meaning::rows_by(&spec.inputs[side], &spec.keys[side]))
                    .showing(&spec.keys[side], &spec.inputs[side].fields, false)
            };
        IntervalJoin {
            relative: [-spec.bounds.0, spec.bounds.1],
            rows: [rows(0), rows(1)],
            timers: MapTable::ordered(Vec::new(), &[("time".to_owned(), SlotType::I64)]),
            due: BTreeSet::new(),
            expired: [0, 0],
            pending: None,
            firing: None,
            out: Pairs::new(&spec.inputs, spec.condition.clone(), false),
            spec,
        }
    }
}

impl Operator for IntervalJoin {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("left", &mut self.rows[0]);
        visitor.table("right", &mut self.rows[1]);
        visitor.table("timers", &mut self.timers);
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.due.clear();
        for owner in self.timers.owners() {
            let (key, group) = self.timers.owner_key(owner);
            for entry in self.timers.entries(owner) {
                self.due.insert((number(&self.timers, 0, entry), group, key.to_vec()));
            }
        }
        self.wake(cx);
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, side: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let encoded = EncodedRows::new(&chunk, &self.spec.keys[side], &[]);
        self.pending = Some(Work { side, chunk, encoded, row: 0 });
        self.resume(cx)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        if self.spec.times.is_none() {
            return Ok(Progress::Done);
        }
        self.firing = Some(watermark);
        self.resume(cx)
    }

    fn on_processing_time(&mut self, cx: &mut dyn Context) -> Outcome {
        self.firing = Some(cx.now());
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        if let Some(mut work) = self.pending.take() {
            let context = EvalContext {
                watermark: cx.watermark(),
                now: cx.now(),
                zone: self.spec.zone,
                ..EvalContext::default()
            };
            let now = match self.spec.times {
                Some(_) => cx.watermark().unwrap_or(0).max(0),
                None => cx.now(),
            };
            while work.row < work.chunk.len && !self.out.is_full() {
                self.row(&work, now, &context)?;
                work.row += 1;
            }
            if work.row < work.chunk.len {
                self.pending = Some(work);
            }
        }
        while let Some(now) = self.firing
            && !self.out.is_full()
        {
            match self.due.first() {
                Some((time, ..)) if *time <= now => {
                    if let Some((time, group, key)) = self.due.pop_first() {
                        self.fire(time, group, &key, now);
                    }
                }
                _ => self.firing = None,
            }
        }
        let progress = self.out.flush(cx);
        if self.pending.is_some() || self.firing.is_some() {
            return Ok(Progress::More);
        }
        self.wake(cx);
        Ok(progress)
    }

    fn output_watermark(&self, watermark: i64) -> i64 {
        match watermark {
            i64::MAX => watermark,
            _ if self.spec.times.is_none() => watermark,
            _ => watermark.saturating_sub(self.relative[0].max(self.relative[1]).max(0)),
        }
    }
}

fn number(table: &MapTable, column: usize, entry: u32) -> i64 {
    match &table.columns()[column] {
        SlotColumn::I64(numbers) => numbers[entry as usize],
        _ => 0,
    }
}

fn set_number(table: &mut MapTable, column: usize, entry: u32, value: i64) {
    if let SlotColumn::I64(numbers) = &mut table.columns_mut()[column] {
        numbers[entry as usize] = value;
    }
    table.touch(&[entry]);
}

impl IntervalJoin {
    /// By processing time: asks to be called for the first timer.
    fn wake(&self, cx: &mut dyn Context) {
        if let (None, Some((time, ..))) = (self.spec.times, self.due.first()) {
            cx.wake_at(*time);
        }
    }

    fn stored(&self, side: usize, entry: u32) -> StoredRow {
        match &self.rows[side].columns()[ROW] {
            SlotColumn::Bytes(rows) => rows[entry as usize].clone().unwrap_or_default(),
            _ => StoredRow::default(),
        }
    }

    fn send(&mut self, side: usize, own: &[u8], other: Option<&[u8]>, origin: Option<RowOrigin>) {
        let (left, right) = if side == 0 { (Some(own), other) } else { (other, Some(own)) };
        self.out.send(RowKind::Insert, left, right, origin);
    }

    /// A row comes: it meets what is there of the other side, what is too old there is cleared, and it waits for more.
    fn row(&mut self, work: &Work, now: i64, context: &EvalContext) -> Result<(), Failure> {
        let (side, other, row) = (work.side, 1 - work.side, work.row);
        let (key, own, origin) = (work.encoded.key(row), work.encoded.row(row), work.chunk.origin(row));
        let time = match self.spec.times {
            Some(times) => {
                let ty = &self.spec.inputs[side].fields[times[side]].ty;
                rowtime(&work.chunk, row, times[side], ty)?
            }
            None => now,
        };
        let (lowest, highest) = (time.saturating_sub(self.relative[other]), time.saturating_add(self.relative[side]));
        let mut met = false;
        if self.expired[other] < highest {
            self.expired[other] = expiry(now, self.relative[other]);
            if let Some(owner) = self.rows[other].find_owner(key) {
                let all: Vec<(u32, i64)> = self.rows[other]
                    .entries(owner)
                    .map(|entry| (entry, time_of(&self.rows[other].sub_key(entry)).0))
                    .collect();
                if !work.encoded.is_alone(row) {
                    let within = all.iter().filter(|(_, time)| (lowest..=highest).contains(time));
                    let found: Vec<(u32, StoredRow)> =
                        within.map(|(entry, _)| (*entry, self.stored(other, *entry))).collect();
                    let pairs = found.iter().map(|(_, row)| if side == 0 { (own, &row[..]) } else { (&row[..], own) });
                    let fulfilled = self.out.fulfil(pairs, context)?;
                    for ((entry, row), _) in found.iter().zip(fulfilled).filter(|(_, fulfilled)| *fulfilled) {
                        met = true;
                        self.send(side, own, Some(row), origin);
                        set_number(&mut self.rows[other], MET, *entry, 1);
                    }
                }
                for (entry, time) in all {
                    if time <= self.expired[other] {
                        self.clear(other, entry, origin);
                    }
                }
                if self.rows[other].count(owner) == 0 {
                    self.rows[other].clear(owner);
                }
            }
        }
        if now < highest {
            let group = work.encoded.group(row);
            self.keep(side, key, group, time, own.into(), met);
            let timer = self.timers.owner(key, group);
            if self.timers.find(timer, &[other as u8]).is_none() {
                self.set_timer(timer, side, time);
            }
        } else if !met && self.spec.outer[side] {
            self.send(side, own, None, origin);
        }
        Ok(())
    }

    fn keep(&mut self, side: usize, key: &[u8], group: u16, time: i64, row: StoredRow, met: bool) {
        let table = &mut self.rows[side];
        let owner = table.owner(key, group);
        let arrival = arrivals(table, owner, time);
        let (entry, _) = table.find_or_insert(owner, &time_key(time, arrival));
        if let SlotColumn::Bytes(rows) = &mut table.columns_mut()[ROW] {
            rows[entry as usize] = Some(row);
        }
        set_number(table, MET, entry, i64::from(met));
    }

    /// Clears an entry away; one of an outer side that met nothing comes padded.
    fn clear(&mut self, side: usize, entry: u32, origin: Option<RowOrigin>) {
        if self.spec.outer[side] && number(&self.rows[side], MET, entry) == 0 {
            let row = self.stored(side, entry);
            self.send(side, &row, None, origin);
        }
        self.rows[side].remove(entry);
    }

    /// Sets the timer that clears the rows of `side`, by its earliest row.
    fn set_timer(&mut self, owner: u32, side: usize, earliest: i64) {
        let delay = self.relative[side].saturating_add(self.spec.min_cleanup).saturating_add(1);
        let at = earliest.saturating_add(delay);
        let (entry, _) = self.timers.find_or_insert(owner, &[1 - side as u8]);
        set_number(&mut self.timers, 0, entry, at);
        let (key, group) = self.timers.owner_key(owner);
        self.due.insert((at, group, key.to_vec()));
    }

    /// A timer of a key: the rows of the sides whose timer it is go, as far as they are too old.
    fn fire(&mut self, time: i64, group: u16, key: &[u8], now: i64) {
        let owner = self.timers.owner(key, group);
        // Flink looks at the left side's timer first: it clears the right side.
        for side in [1, 0] {
            let Some(timer) = self.timers.find(owner, &[1 - side as u8]) else { continue };
            if number(&self.timers, 0, timer) != time {
                continue;
            }
            self.timers.remove(timer);
            self.expired[side] = expiry(now.max(0), self.relative[side]);
            let Some(kept) = self.rows[side].find_owner(key) else { continue };
            let all: Vec<u32> = self.rows[side].entries(kept).collect();
            let mut earliest = None;
            for entry in all {
                let (time, _) = time_of(&self.rows[side].sub_key(entry));
                if time <= self.expired[side] {
                    self.clear(side, entry, None);
                } else {
                    earliest.get_or_insert(time);
                }
            }
            match earliest {
                Some(earliest) => self.set_timer(owner, side, earliest),
                None => self.rows[side].clear(kept),
            }
        }
        if self.timers.count(owner) == 0 {
            self.timers.clear(owner);
        }
    }
}

/// The time until which rows are too old; `relative` is how far they may lie behind.
fn expiry(now: i64, relative: i64) -> i64 {
    if now == i64::MAX { i64::MAX } else { now.saturating_sub(relative).saturating_sub(1) }
}
