//! Sessions in state: which rows belong together, which have come to their end. What session windows share, with and without aggregates.
//!
//! State: `sessions`: (key, start in local ms) -> end; `rows`: (key, time, arrival number) -> row, kind. Both go when the session fires. Sessions that
//! a row brings together become one. `watermark`: see [`crate::saved_watermark`]. Late rows (of a session of their own that has ended) are dropped.

use std::collections::{BTreeMap, VecDeque};

use arrow_array::ArrayRef;
use tidegate_data::keys::{MAX_PARALLELISM, key_group};
use tidegate_data::{Chunk, RowKind, Schema, SlotColumn, SlotType, Zone, encode_keys, hash_keys};
use tidegate_runtime::state::{MapTable, StateVisitor};
use tidegate_runtime::{Context, Failure};

use crate::failure::null_rowtime;
use crate::meaning;
use crate::saved_watermark::SavedWatermark;
use crate::stored_rows::StoredRow;
use crate::window::{Window, WindowTime, first_null};

/// The sessions of an operator's rows.
pub(crate) struct Sessions {
    keys: Vec<usize>,
    time_column: usize,
    gap: i64,
    event_time: bool,
    pub(crate) time: WindowTime,
    sessions: MapTable,
    rows: MapTable,
    arrivals: u64,
    pub(crate) watermark: SavedWatermark,
    /// The keys with a session that ends then: derived. Some have grown since.
    ends: BTreeMap<i64, Vec<StoredRow>>,
    /// The sessions that fire now.
    firing: VecDeque<(StoredRow, Window)>,
}

/// A row of a session that fires.
pub(crate) struct SessionRow {
    /// When it came, against the others.
    pub(crate) arrival: u64,
    /// The row.
    pub(crate) row: StoredRow,
    /// How it came.
    pub(crate) kind: RowKind,
}

const KINDS: [RowKind; 4] = [RowKind::Insert, RowKind::UpdateBefore, RowKind::UpdateAfter, RowKind::Delete];

impl Sessions {
    /// Sessions of `keys` over a rowtime column.
    pub(crate) fn new(
        input: &Schema,
        keys: &[usize],
        (time_column, event_time): (usize, bool),
        gap: i64,
        zone: Zone,
    ) -> Sessions {
        let row = [("row".to_owned(), SlotType::Bytes), (String::new(), SlotType::I64)];
        Sessions {
            keys: keys.to_vec(),
            time_column,
            gap,
            event_time,
            time: WindowTime::new(input, time_column, zone),
            sessions: MapTable::ordered(Vec::new(), &[("end".to_owned(), SlotType::I64)])
                .showing(keys, &input.fields, false)
                .with_times(false),
            rows: MapTable::ordered(Vec::new(), &row)
                .of(format!("{}, gap {gap} ms", meaning::rows_by(input, keys)))
                .showing(keys, &input.fields, false),
            arrivals: 0,
            watermark: SavedWatermark::new(),
            ends: BTreeMap::new(),
            firing: VecDeque::new(),
        }
    }

    /// Shows the tables.
    pub(crate) fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("sessions", &mut self.sessions);
        visitor.table("rows", &mut self.rows);
        visitor.table("watermark", self.watermark.table());
    }

    /// Derives what is not in state.
    pub(crate) fn restored(&mut self, cx: &mut dyn Context) {
        self.watermark.restore(cx);
        for owner in self.sessions.owners() {
            let key: StoredRow = self.sessions.owner_key(owner).0.into();
            for entry in self.sessions.entries(owner) {
                self.ends.entry(number(&self.sessions, 0, entry)).or_default().push(key.clone());
            }
        }
        for owner in self.rows.owners() {
            for entry in self.rows.entries(owner) {
                self.arrivals = self.arrivals.max(arrival_of(&self.rows.sub_key(entry)) + 1);
            }
        }
        self.set_timer(cx);
    }

    /// By processing time: asks to be called when the next session may end.
    fn set_timer(&self, cx: &mut dyn Context) {
        if let (false, Some((end, _))) = (self.event_time, self.ends.first_key_value()) {
            cx.wake_at(self.time.fires_at(*end));
        }
    }

    /// By processing time: what has come to its end fires.
    pub(crate) fn on_processing_time(&mut self, cx: &mut dyn Context) {
        if !self.event_time {
            self.close_until(cx.now());
            self.set_timer(cx);
        }
    }

    /// Takes rows in.
    pub(crate) fn add(&mut self, chunk: &Chunk, cx: &mut dyn Context) -> Result<(), Failure> {
        let rowtime = &chunk.columns[self.time_column];
        if first_null(rowtime).is_some() {
            return Err(null_rowtime());
        }
        let times = self.time.local(rowtime);
        let keys: Vec<ArrayRef> = self.keys.iter().map(|key| chunk.columns[*key].clone()).collect();
        let hashes = if keys.is_empty() { vec![0; chunk.len] } else { hash_keys(&keys) };
        let keys = (!keys.is_empty()).then(|| encode_keys(&keys));
        let encoded = encode_keys(&chunk.columns);
        let mut late = 0;
        for (row, &time) in times.iter().enumerate() {
            let key = keys.as_ref().map_or(&[][..], |keys| keys.row(row));
            let group = key_group(hashes[row], MAX_PARALLELISM) as u16;
            if !self.join(key, group, time) {
                late += 1;
                continue;
            }
            let owner = self.rows.owner(key, group);
            let mut sub_key = in_order(time).to_vec();
            sub_key.extend(self.arrivals.to_be_bytes());
            self.arrivals += 1;
            let (entry, _) = self.rows.find_or_insert(owner, &sub_key);
            let [SlotColumn::Bytes(rows), SlotColumn::I64(kinds)] = self.rows.columns_mut() else {
                unreachable!("a row and its kind")
            };
            rows[entry as usize] = Some(encoded.row(row).into());
            let kind = chunk.kind(row);
            kinds[entry as usize] = KINDS.iter().position(|own| *own == kind).unwrap_or_default() as i64;
            self.rows.touch(&[entry]);
        }
        if late > 0 {
            cx.late_rows(late);
        }
        self.set_timer(cx);
        Ok(())
    }

    /// Puts a row of this time into a session, new or there; false when it is late.
    fn join(&mut self, key: &[u8], group: u16, time: i64) -> bool {
        let owner = self.sessions.owner(key, group);
        let (mut start, mut end) = (time, time + self.gap);
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

    /// The watermark has risen: what has come to its end fires, in the order of the ends.
    pub(crate) fn on_watermark(&mut self, watermark: i64) {
        if self.event_time {
            self.watermark.current = self.watermark.current.max(watermark);
            self.close_until(watermark);
        }
    }

    fn close_until(&mut self, time: i64) {
        while let Some(entry) = self.ends.first_entry() {
            let end = *entry.key();
            if self.time.fires_at(end) > time {
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
    }

    /// Whether sessions are left that fire now.
    pub(crate) fn is_firing(&self) -> bool {
        !self.firing.is_empty()
    }

    /// The next session that fires, with its rows in the order of their times.
    pub(crate) fn next(&mut self) -> Option<(Window, Vec<SessionRow>)> {
        let (key, window) = self.firing.pop_front()?;
        let Some(owner) = self.rows.find_owner(&key) else { return Some((window, Vec::new())) };
        let entries: Vec<u32> = self
            .rows
            .entries_from(owner, &in_order(window.0))
            .take_while(|entry| from_order(&self.rows.sub_key(*entry)) < window.1)
            .collect();
        let mut rows = Vec::with_capacity(entries.len());
        for entry in entries {
            let SlotColumn::Bytes(stored) = &self.rows.columns()[0] else { unreachable!("rows are bytes") };
            rows.push(SessionRow {
                arrival: arrival_of(&self.rows.sub_key(entry)),
                row: stored[entry as usize].clone().unwrap_or_default(),
                kind: KINDS[number(&self.rows, 1, entry) as usize & 3],
            });
            self.rows.remove(entry);
        }
        if self.rows.count(owner) == 0 {
            self.rows.clear(owner);
        }
        Some((window, rows))
    }
}

fn in_order(time: i64) -> [u8; 8] {
    (time ^ i64::MIN).to_be_bytes()
}

fn from_order(key: &[u8]) -> i64 {
    key.first_chunk::<8>().map_or(i64::MIN, |bytes| i64::from_be_bytes(*bytes) ^ i64::MIN)
}

fn arrival_of(key: &[u8]) -> u64 {
    key.last_chunk::<8>().map_or(0, |number| u64::from_be_bytes(*number))
}

fn number(table: &MapTable, column: usize, entry: u32) -> i64 {
    let SlotColumn::I64(values) = &table.columns()[column] else { unreachable!("a number") };
    values[entry as usize]
}
