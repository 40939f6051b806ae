//! `SELECT .. FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS rn FROM t) WHERE rn <= 3`; ORDER BY with LIMIT, and
//! LIMIT alone (no order: the first rows to arrive).
//!
//! Input: any changelog; output: with the rank (or a rank to start from) `-U`/`+U` of each position that changes, from the top down, `+I` and `-D` of
//! the last one; without it `-D` of the row that drops out, then `+I` of the one that comes in. The first row alone, of rows that are only appended or
//! updated upwards, is `-U`/`+U`. Of equal rows the newer ranks behind.
//!
//! State: `rows`: (partition, sort key, arrival number) -> row and, where rows are updated by key, that key. `Append` and `Update` keep the rows that
//! rank, `Retract` keeps all; a row goes when it drops out or is taken away. Late rows: there is no time.
//! Flink's counterparts: `AppendOnlyTopNFunction`, `FastTop1Function`, `UpdatableTopNFunction`, `RetractableTopNFunction`.

use arrow_array::ArrayRef;
use tidegate_data::keys::encode::encode_cell;
use tidegate_data::keys::{MAX_PARALLELISM, key_group};
use tidegate_data::{Chunk, RowKind, RowOrigin, Schema, SlotColumn, SlotType, encode_keys, hash_keys};
use tidegate_runtime::state::{MapTable, StateVisitor};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::meaning;
use crate::outbox::{Outbox, encode_bigint};
use crate::sort_key::{SortColumn, encode_sort_key};
use crate::stored_rows::{RowEquality, StoredRow};

/// What the input's changes are like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopNStrategy {
    /// Rows are only added.
    Append,
    /// Rows are added, and updated by this key (columns of the input), but never to a lower rank.
    Update(Vec<usize>),
    /// Anything.
    Retract,
}

/// What a [`TopN`] is made from.
#[derive(Clone, Debug)]
pub struct TopNSpec {
    /// The input's columns.
    pub input: Schema,
    /// The output's columns: the input's, then the rank if it is wanted.
    pub output: Schema,
    /// PARTITION BY.
    pub partition: Vec<usize>,
    /// ORDER BY.
    pub order: Vec<SortColumn>,
    /// The first rank that is put out, from 1.
    pub start: u64,
    /// The last one.
    pub end: u64,
    /// Whether the rank is a column.
    pub with_rank: bool,
    /// The input's changes.
    pub strategy: TopNStrategy,
    /// Whether `-U` rows are wanted.
    pub emit_update_before: bool,
    /// `table.exec.state.ttl` in ms, 0 for none.
    pub state_ttl: i64,
}

/// The first rows of each partition.
pub struct TopN {
    spec: TopNSpec,
    /// Whether positions are followed, not only which rows are among the first.
    by_position: bool,
    equality: RowEquality,
    rows: MapTable,
    /// The next arrival number: above all in `rows`.
    arrivals: u64,
    /// The chunk in work, and how many of its rows are done.
    pending: Option<(Chunk, usize)>,
    outbox: Outbox,
}

impl TopN {
    /// The operator of `spec`.
    pub fn new(spec: TopNSpec) -> TopN {
        // The key is part of the row: people need it no second time.
        let columns = ["row", ""].map(|label| (label.to_owned(), SlotType::Bytes));
        let columns = if matches!(spec.strategy, TopNStrategy::Update(_)) { &columns[..] } else { &columns[..1] };
        let mut meaning = meaning::ranked(&spec.input, &spec.partition, &spec.order);
        if !matches!(spec.strategy, TopNStrategy::Retract) {
            // Only what is in the range is kept.
            meaning += &format!(", the first {}", spec.end);
        }
        TopN {
            by_position: spec.with_rank || spec.start > 1,
            equality: RowEquality::new(&spec.input),
            rows: MapTable::ordered(Vec::new(), columns)
                .of(meaning)
                .showing(&spec.partition, &spec.input.fields, false)
                .kept_for(spec.state_ttl),
            arrivals: 0,
            pending: None,
            outbox: Outbox::new(&spec.output),
            spec,
        }
    }
}

impl Operator for TopN {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("rows", &mut self.rows);
    }

    fn restored(&mut self, _cx: &mut dyn Context) -> Outcome {
        let owners: Vec<u32> = self.rows.owners().collect();
        for owner in owners {
            for entry in self.rows.entries(owner) {
                let sub_key = self.rows.sub_key(entry);
                let number = sub_key.last_chunk::<8>().map_or(0, |number| u64::from_be_bytes(*number));
                self.arrivals = self.arrivals.max(number + 1);
            }
        }
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.rows.expire(cx.now());
        self.pending = Some((chunk, 0));
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        if let Some((chunk, done)) = self.pending.take() {
            let done = self.work(&chunk, done);
            if done < chunk.len {
                self.pending = Some((chunk, done));
            }
        }
        Ok(match (self.outbox.flush(cx), &self.pending) {
            (Progress::Done, None) => Progress::Done,
            _ => Progress::More,
        })
    }
}

/// A row of the input on its way in.
struct Arrival<'a> {
    columns: &'a [ArrayRef],
    row: usize,
    origin: Option<RowOrigin>,
}

impl Arrival<'_> {
    fn encode(&self) -> StoredRow {
        let mut bytes = Vec::new();
        self.columns.iter().for_each(|column| encode_cell(&mut bytes, column.as_ref(), self.row));
        bytes.into()
    }
}

impl TopN {
    /// Takes rows from `done` on until a chunk of output is full; gives how many are done now.
    fn work(&mut self, chunk: &Chunk, mut done: usize) -> usize {
        let keys: Vec<ArrayRef> = self.spec.partition.iter().map(|key| chunk.columns[*key].clone()).collect();
        let hashes = if keys.is_empty() { vec![0; chunk.len] } else { hash_keys(&keys) };
        let keys = (!keys.is_empty()).then(|| encode_keys(&keys));
        let mut sort_key = Vec::new();
        while done < chunk.len && !self.outbox.is_full() {
            let row = done;
            done += 1;
            let key = keys.as_ref().map_or(&[][..], |keys| keys.row(row));
            let owner = self.rows.owner(key, key_group(hashes[row], MAX_PARALLELISM) as u16);
            sort_key.clear();
            encode_sort_key(&mut sort_key, &self.spec.order, &chunk.columns, row);
            let arrival = Arrival { columns: &chunk.columns, row, origin: chunk.origin(row) };
            match (&self.spec.strategy, chunk.kind(row).adds()) {
                (TopNStrategy::Append, true) => self.append(owner, &mut sort_key, &arrival, None),
                (TopNStrategy::Update(key), true) => {
                    let mut row_key = Vec::new();
                    key.iter().for_each(|key| encode_cell(&mut row_key, chunk.columns[*key].as_ref(), row));
                    self.update(owner, &mut sort_key, &arrival, row_key.into());
                }
                (TopNStrategy::Retract, true) => self.add(owner, &mut sort_key, &arrival),
                (TopNStrategy::Retract, false) => self.retract(owner, &sort_key, &arrival),
                (_, false) => {}
            }
            if self.rows.count(owner) == 0 {
                self.rows.clear(owner);
            }
        }
        done
    }

    fn stored(&self, entry: u32) -> StoredRow {
        let SlotColumn::Bytes(rows) = &self.rows.columns()[0] else { unreachable!("rows are bytes") };
        rows[entry as usize].clone().unwrap_or_default()
    }

    fn insert(&mut self, owner: u32, sort_key: &mut Vec<u8>, row: StoredRow, key: Option<StoredRow>) -> u32 {
        sort_key.extend(self.arrivals.to_be_bytes());
        self.arrivals += 1;
        let (entry, _) = self.rows.find_or_insert(owner, sort_key);
        self.put(entry, row, key);
        entry
    }

    fn put(&mut self, entry: u32, row: StoredRow, key: Option<StoredRow>) {
        for (column, bytes) in self.rows.columns_mut().iter_mut().zip([Some(row), key]) {
            let SlotColumn::Bytes(rows) = column else { unreachable!("rows are bytes") };
            rows[entry as usize] = bytes;
        }
        self.rows.touch(&[entry]);
    }

    /// The rank of an entry, if it is among those that rank.
    fn rank(&self, owner: u32, entry: u32) -> Option<u64> {
        let place = self.rows.entries(owner).take(self.spec.end as usize).position(|other| other == entry)?;
        Some(place as u64 + 1)
    }

    fn emit(&mut self, kind: RowKind, row: &StoredRow, rank: u64, origin: Option<RowOrigin>) {
        if kind == RowKind::UpdateBefore && !self.spec.emit_update_before {
            return;
        }
        if rank < self.spec.start || rank > self.spec.end {
            return;
        }
        if !self.spec.with_rank {
            self.outbox.push(kind, row.clone(), origin);
            return;
        }
        let mut bytes = row.to_vec();
        encode_bigint(&mut bytes, rank as i64);
        self.outbox.push(kind, bytes.into(), origin);
    }

    fn replace(&mut self, old: &StoredRow, new: &StoredRow, rank: u64, origin: Option<RowOrigin>) {
        self.emit(RowKind::UpdateBefore, old, rank, origin);
        self.emit(RowKind::UpdateAfter, new, rank, origin);
    }

    /// `new` has come to `rank`: each row from there on moves down by one.
    fn shift_down(&mut self, owner: u32, new: StoredRow, rank: u64, origin: Option<RowOrigin>) {
        let behind: Vec<u32> =
            self.rows.entries(owner).skip(rank as usize).take((self.spec.end - rank + 1) as usize).collect();
        let (mut current, mut rank) = (new, rank);
        for entry in behind {
            let old = self.stored(entry);
            self.replace(&old, &current, rank, origin);
            (current, rank) = (old, rank + 1);
        }
        self.emit(RowKind::Insert, &current, rank, origin);
    }

    /// A row that is added, where what drops out never comes back.
    fn append(&mut self, owner: u32, sort_key: &mut Vec<u8>, arrival: &Arrival<'_>, key: Option<StoredRow>) {
        let full = self.rows.count(owner) as u64 >= self.spec.end;
        let last = self.rows.last(owner).filter(|_| full);
        // A key of its own length is below one that it begins, and the newer of two equals ranks behind.
        if last.is_some_and(|last| {
            let last = self.rows.sub_key(last);
            sort_key[..] >= last[..last.len() - 8]
        }) {
            return;
        }
        let row = arrival.encode();
        let entry = self.insert(owner, sort_key, row.clone(), key);
        let dropped = last.map(|last| (last, self.stored(last)));
        if self.by_position {
            if let Some(rank) = self.rank(owner, entry) {
                self.shift_down(owner, row, rank, arrival.origin);
            }
        } else if let Some((_, old)) = &dropped {
            if self.spec.end == 1 {
                self.replace(old, &row, 1, arrival.origin);
            } else {
                self.emit(RowKind::Delete, old, 1, arrival.origin);
                self.emit(RowKind::Insert, &row, 1, arrival.origin);
            }
        } else {
            self.emit(RowKind::Insert, &row, 1, arrival.origin);
        }
        if let Some((last, _)) = dropped {
            self.rows.remove(last);
        }
    }

    /// A row that is added or takes the place of the one with its key.
    fn update(&mut self, owner: u32, sort_key: &mut Vec<u8>, arrival: &Arrival<'_>, key: StoredRow) {
        let SlotColumn::Bytes(keys) = &self.rows.columns()[1] else { unreachable!("keys are bytes") };
        let Some(entry) = self.rows.entries(owner).find(|entry| keys[*entry as usize].as_deref() == Some(&key[..]))
        else {
            self.append(owner, sort_key, arrival, Some(key));
            return;
        };
        let (old, row) = (self.stored(entry), arrival.encode());
        let old_rank = self.rank(owner, entry).unwrap_or(self.spec.end);
        let sub_key = self.rows.sub_key(entry);
        if sub_key[..sub_key.len() - 8] == sort_key[..] {
            self.put(entry, row.clone(), Some(key));
            self.replace(&old, &row, old_rank, arrival.origin);
            return;
        }
        let before: Vec<StoredRow> = match self.by_position {
            true => self.rows.entries(owner).map(|entry| self.stored(entry)).collect(),
            false => Vec::new(),
        };
        self.rows.remove(entry);
        let entry = self.insert(owner, sort_key, row.clone(), Some(key));
        if !self.by_position {
            self.replace(&old, &row, 1, arrival.origin);
            return;
        }
        // Rows between the two places have moved by one. (A row may move down: from NULL, which is the lowest minimum.)
        let rank = self.rank(owner, entry).unwrap_or(self.spec.end);
        let (first, last) = (rank.min(old_rank), rank.max(old_rank));
        let moved: Vec<StoredRow> = self
            .rows
            .entries(owner)
            .skip(first as usize - 1)
            .take((last - first + 1) as usize)
            .map(|entry| self.stored(entry))
            .collect();
        for (at, row) in (first..).zip(moved) {
            self.replace(&before[at as usize - 1], &row, at, arrival.origin);
        }
    }

    fn add(&mut self, owner: u32, sort_key: &mut Vec<u8>, arrival: &Arrival<'_>) {
        let row = arrival.encode();
        let entry = self.insert(owner, sort_key, row.clone(), None);
        let Some(rank) = self.rank(owner, entry) else { return };
        if self.by_position {
            self.shift_down(owner, row, rank, arrival.origin);
            return;
        }
        let dropped = self.rows.entries(owner).nth(self.spec.end as usize);
        if let Some(dropped) = dropped.map(|entry| self.stored(entry)) {
            self.emit(RowKind::Delete, &dropped, 1, arrival.origin);
        }
        self.emit(RowKind::Insert, &row, 1, arrival.origin);
    }

    fn retract(&mut self, owner: u32, sort_key: &[u8], arrival: &Arrival<'_>) {
        let row = arrival.encode();
        let mut found = None;
        for entry in self.rows.entries_from(owner, sort_key) {
            let sub_key = self.rows.sub_key(entry);
            if sub_key[..sub_key.len() - 8] != *sort_key {
                break;
            }
            if self.equality.equal(&self.stored(entry), &row) {
                found = Some(entry);
                break;
            }
        }
        let Some(entry) = found else { return };
        let (rank, removed) = (self.rank(owner, entry), self.stored(entry));
        self.rows.remove(entry);
        let Some(rank) = rank else { return };
        if !self.by_position {
            self.emit(RowKind::Delete, &removed, 1, arrival.origin);
            let raised = self.rows.entries(owner).nth(self.spec.end as usize - 1);
            if let Some(raised) = raised.map(|entry| self.stored(entry)) {
                self.emit(RowKind::Insert, &raised, 1, arrival.origin);
            }
            return;
        }
        let behind: Vec<u32> =
            self.rows.entries(owner).skip(rank as usize - 1).take((self.spec.end - rank + 1) as usize).collect();
        let (mut current, mut at) = (removed, rank);
        for entry in behind {
            let next = self.stored(entry);
            self.replace(&current, &next, at, arrival.origin);
            (current, at) = (next, at + 1);
        }
        self.emit(RowKind::Delete, &current, at, arrival.origin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};

    fn top(strategy: TopNStrategy, range: (u64, u64), with_rank: bool) -> impl Fn() -> Box<dyn Operator> {
        let spec = TopNSpec {
            input: schema("k STRING, v INT"),
            output: output(with_rank),
            partition: vec![0],
            order: vec![SortColumn { column: 1, descending: true, nulls_first: false }],
            start: range.0,
            end: range.1,
            with_rank,
            strategy,
            emit_update_before: true,
            state_ttl: 0,
        };
        move || Box::new(TopN::new(spec.clone()))
    }

    fn output(with_rank: bool) -> Schema {
        schema(if with_rank { "k STRING, v INT, rn BIGINT" } else { "k STRING, v INT" })
    }

    #[test]
    fn rows_that_are_added() {
        let rows = "+I a 1
            +I a 3
            +I b 9
            +I a 2
            +I a 0
            +I a NULL
            +I a 3";
        let input = schema("k STRING, v INT");
        check(
            top(TopNStrategy::Append, (1, 2), true),
            &input,
            &output(true),
            rows,
            "+I a 1 1
             -U a 1 1
             +U a 3 1
             +I a 1 2
             +I b 9 1
             -U a 1 2
             +U a 2 2
             -U a 2 2
             +U a 3 2",
        );
        check(
            top(TopNStrategy::Append, (1, 2), false),
            &input,
            &output(false),
            rows,
            "+I a 1
             +I a 3
             +I b 9
             -D a 1
             +I a 2
             -D a 2
             +I a 3",
        );
        check(
            top(TopNStrategy::Append, (1, 1), false),
            &input,
            &output(false),
            rows,
            "+I a 1
             -U a 1
             +U a 3
             +I b 9",
        );
    }

    #[test]
    fn rows_that_are_taken_away() {
        let rows = "+I a 1
            +I a 3
            +I a 2
            -D a 3
            -D a 7
            +I a 2
            -U a 1
            +U a 5
            -D a 2
            -D a 2
            -D a 5";
        let input = schema("k STRING, v INT");
        check(
            top(TopNStrategy::Retract, (1, 2), true),
            &input,
            &output(true),
            rows,
            "+I a 1 1
             -U a 1 1
             +U a 3 1
             +I a 1 2
             -U a 1 2
             +U a 2 2
             -U a 3 1
             +U a 2 1
             -U a 2 2
             +U a 1 2
             -U a 1 2
             +U a 2 2
             -U a 2 1
             +U a 5 1
             -U a 2 2
             +U a 2 2
             -U a 2 2
             +U a 2 2
             -D a 2 2
             -D a 5 1",
        );
        check(
            top(TopNStrategy::Retract, (1, 2), false),
            &input,
            &output(false),
            rows,
            "+I a 1
             +I a 3
             -D a 1
             +I a 2
             -D a 3
             +I a 1
             -D a 1
             +I a 2
             -D a 2
             +I a 5
             -D a 2
             +I a 2
             -D a 2
             -D a 5",
        );
    }

    #[test]
    fn rows_that_are_updated_upwards() {
        let rows = "+I a 1
            +I b 1
            +U b 2
            +U a 5
            +U a 5";
        let input = schema("k STRING, v INT");
        let by_key = |with_rank| {
            let make = TopNSpec {
                input: schema("k STRING, v INT"),
                output: output(with_rank),
                partition: Vec::new(),
                order: vec![SortColumn { column: 1, descending: true, nulls_first: false }],
                start: 1,
                end: 2,
                with_rank,
                strategy: TopNStrategy::Update(vec![0]),
                emit_update_before: true,
                state_ttl: 0,
            };
            move || -> Box<dyn Operator> { Box::new(TopN::new(make.clone())) }
        };
        check(
            by_key(true),
            &input,
            &output(true),
            rows,
            "+I a 1 1
             +I b 1 2
             -U a 1 1
             +U b 2 1
             -U b 1 2
             +U a 1 2
             -U b 2 1
             +U a 5 1
             -U a 1 2
             +U b 2 2
             -U a 5 1
             +U a 5 1",
        );
    }
}
