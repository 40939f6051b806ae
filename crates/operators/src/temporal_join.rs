//! `FROM a JOIN b FOR SYSTEM_TIME AS OF a.ts ON a.k = b.k`: each row of `a` with the version of `b` that was valid at its time; also LEFT.
//!
//! Input: any changelog on the left; on the right a versioned table (`+I`, `+U`, `-D`, each with its time). Output: left rows with their kind, joined, once the
//! watermark reaches their time, in the order of arrival per key; without a version, or with a deleted one, they vanish (inner) or come padded (left).
//!
//! State: `left`: (join key, number) -> row and time, cleared when it comes; `right`: (join key, time) -> row and whether it is there, cleared when the
//! watermark has passed a later version. A version whose key holds a NULL is never asked for and not kept. Late rows: a late left row is answered at the
//! next watermark. Flink's counterpart: `TemporalRowTimeJoinOperator`.

use std::collections::BTreeSet;

use tidegate_data::{Chunk, RowKind, RowOrigin, Schema, SlotColumn, SlotType, Zone};
use tidegate_expr::{EvalContext, Expr};
use tidegate_runtime::state::{MapTable, StateVisitor};
use tidegate_runtime::{Context, Failure, Operator, Outcome, Progress};

use crate::meaning;
use crate::stored_rows::StoredRow;
use crate::two_inputs::{EncodedRows, Pairs, rowtime, time_key, time_of};

/// What a [`TemporalJoin`] is made from. In pairs: of the left and of the right side.
#[derive(Clone, Debug)]
pub struct TemporalJoinSpec {
    /// The columns.
    pub inputs: [Schema; 2],
    /// The columns of the join key.
    pub keys: [Vec<usize>; 2],
    /// The time column.
    pub times: [usize; 2],
    /// Whether left rows come without a version, too.
    pub outer: bool,
    /// What must be true of a pair besides, over the columns of both sides.
    pub condition: Option<Expr>,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// A join with the versions of a table.
pub struct TemporalJoin {
    spec: TemporalJoinSpec,
    left: MapTable,
    right: MapTable,
    /// When a key has something to do: time, key group, key; from the tables.
    due: BTreeSet<(i64, u16, Vec<u8>)>,
    firing: Option<i64>,
    last_origin: Option<RowOrigin>,
    out: Pairs,
}

/// The columns of the tables: the row, its time (left only), its kind.
const ROW: usize = 0;
const KIND: usize = 1;
const TIME: usize = 2;

impl TemporalJoin {
    /// The operator of `spec`.
    pub fn new(spec: TemporalJoinSpec) -> TemporalJoin {
        let (row, kind) = (("row".to_owned(), SlotType::Bytes), ("kind".to_owned(), SlotType::I64));
        TemporalJoin {
            left: MapTable::ordered(Vec::new(), &[row.clone(), kind.clone(), ("time".to_owned(), SlotType::I64)])
                .of(meaning::rows_by(&spec.inputs[0], &spec.keys[0]))
                .showing(&spec.keys[0], &spec.inputs[0].fields, false),
            right: MapTable::ordered(Vec::new(), &[row, kind])
                .of(meaning::rows_by(&spec.inputs[1], &spec.keys[1]))
                .showing(&spec.keys[1], &spec.inputs[1].fields, false),
            due: BTreeSet::new(),
            firing: None,
            last_origin: None,
            out: Pairs::new(&spec.inputs, spec.condition.clone(), false),
            spec,
        }
    }
}

impl Operator for TemporalJoin {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("left", &mut self.left);
        visitor.table("right", &mut self.right);
    }

    fn restored(&mut self, _cx: &mut dyn Context) -> Outcome {
        self.due.clear();
        for owner in self.left.owners() {
            let (key, group) = self.left.owner_key(owner);
            for entry in self.left.entries(owner) {
                self.due.insert((number(&self.left, TIME, entry), group, key.to_vec()));
            }
        }
        for owner in self.right.owners() {
            let (key, group) = self.right.owner_key(owner);
            for entry in self.right.entries(owner).skip(1) {
                self.due.insert((time_of(&self.right.sub_key(entry)).0, group, key.to_vec()));
            }
        }
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, input: usize, chunk: Chunk, _cx: &mut dyn Context) -> Outcome {
        let encoded = EncodedRows::new(&chunk, &self.spec.keys[input], &[]);
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        let column = self.spec.times[input];
        let ty = self.spec.inputs[input].fields[column].ty.clone();
        for row in 0..chunk.len {
            let time = rowtime(&chunk, row, column, &ty)?;
            if input == 1 && encoded.is_alone(row) {
                continue;
            }
            let (key, group) = (encoded.key(row), encoded.group(row));
            let table = if input == 0 { &mut self.left } else { &mut self.right };
            let owner = table.owner(key, group);
            let sub_key = match input {
                0 => arrival_key(table.last(owner).map_or(0, |last| arrival_of(&table.sub_key(last)) + 1)),
                _ => time_key(time, 0),
            };
            let (entry, _) = table.find_or_insert(owner, &sub_key);
            if let SlotColumn::Bytes(stored) = &mut table.columns_mut()[ROW] {
                stored[entry as usize] = Some(encoded.row(row).into());
            }
            set_number(table, KIND, entry, kind_number(chunk.kind(row)));
            if input == 0 {
                set_number(table, TIME, entry, time);
            }
            table.touch(&[entry]);
            self.due.insert((time, group, key.to_vec()));
        }
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        self.firing = Some(watermark);
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        let context =
            EvalContext { watermark: cx.watermark(), now: cx.now(), zone: self.spec.zone, ..EvalContext::default() };
        while let Some(watermark) = self.firing
            && !self.out.is_full()
        {
            match self.due.first() {
                Some((time, ..)) if *time <= watermark => {
                    if let Some((_, _, key)) = self.due.pop_first() {
                        self.answer(&key, watermark, &context)?;
                    }
                }
                _ => self.firing = None,
            }
        }
        let progress = self.out.flush(cx);
        Ok(if self.firing.is_some() { Progress::More } else { progress })
    }
}

fn kind_number(kind: RowKind) -> i64 {
    RowKind::ALL.iter().position(|own| *own == kind).unwrap_or_default() as i64
}

fn kind_of(number: i64) -> RowKind {
    usize::try_from(number).ok().and_then(|number| RowKind::ALL.get(number)).copied().unwrap_or(RowKind::Insert)
}

/// Left rows stand in the order of their arrival, whatever their time.
fn arrival_key(arrival: u64) -> [u8; 16] {
    time_key(0, arrival)
}

fn arrival_of(sub_key: &[u8]) -> u64 {
    time_of(sub_key).1
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
}

fn stored(table: &MapTable, entry: u32) -> StoredRow {
    match &table.columns()[ROW] {
        SlotColumn::Bytes(rows) => rows[entry as usize].clone().unwrap_or_default(),
        _ => StoredRow::default(),
    }
}

impl TemporalJoin {
    /// Answers the left rows of a key whose time has come, and forgets the versions that are past.
    fn answer(&mut self, key: &[u8], watermark: i64, context: &EvalContext) -> Result<(), Failure> {
        let versions: Vec<(i64, u32)> = self.right.find_owner(key).map_or_else(Vec::new, |owner| {
            self.right.entries(owner).map(|entry| (time_of(&self.right.sub_key(entry)).0, entry)).collect()
        });
        if let Some(owner) = self.left.find_owner(key) {
            let ready: Vec<u32> =
                self.left.entries(owner).filter(|entry| number(&self.left, TIME, *entry) <= watermark).collect();
            let rows: Vec<(RowKind, StoredRow, Option<StoredRow>)> = ready
                .iter()
                .map(|entry| {
                    let time = number(&self.left, TIME, *entry);
                    let kind = kind_of(number(&self.left, KIND, *entry));
                    (kind, stored(&self.left, *entry), self.valid(&versions, time))
                })
                .collect();
            let pairs: Vec<(&[u8], &[u8])> =
                rows.iter().filter_map(|(_, row, version)| Some((&row[..], version.as_deref()?))).collect();
            let mut fulfilled = self.out.fulfil(pairs.iter().copied(), context)?.into_iter();
            for (kind, row, version) in &rows {
                let version = version.as_deref().filter(|_| fulfilled.next() == Some(true));
                if version.is_some() || self.spec.outer {
                    self.out.send(*kind, Some(row), version, self.last_origin);
                }
            }
            ready.into_iter().for_each(|entry| self.left.remove(entry));
            if self.left.count(owner) == 0 {
                self.left.clear(owner);
            }
        }
        // Of the versions up to the watermark only the last can still be asked for.
        let past = versions.iter().take_while(|(from, _)| *from <= watermark).count();
        versions[..past.saturating_sub(1)].iter().for_each(|(_, entry)| self.right.remove(*entry));
        Ok(())
    }

    /// The version that was valid at a time, if there was one and it was not deleted.
    fn valid(&self, versions: &[(i64, u32)], time: i64) -> Option<StoredRow> {
        let (_, version) = versions.iter().rev().find(|(from, _)| *from <= time)?;
        kind_of(number(&self.right, KIND, *version)).adds().then(|| stored(&self.right, *version))
    }
}
