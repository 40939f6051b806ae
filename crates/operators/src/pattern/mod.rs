//! `FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts … PATTERN (A B+ C) …)`: rows that follow one another as a pattern says, one row for each match.
//!
//! Input and output: `+I`; the partition's columns, then the measures. By event time rows are looked at in the order of their times when the watermark
//! passes, by processing time as they come.
//!
//! State: `waiting`: (partition, time, ORDER BY, arrival number) -> row: those that wait for the watermark. `rows`: (partition, number, time) -> row: those
//! that partial matches are made of, cleared when the last of these is found or given up. `matches`: partition -> the number of the next row, the partial
//! matches and the whole ones that an earlier partial match holds back. Late rows: those at or below the watermark are dropped and counted.
//! Flink's counterpart: `CepOperator` over the automaton of the pattern ([`nfa`]).

mod failure;
mod nfa;
mod queue;
mod saved;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::BooleanArray;
use tidegate_data::{
    Chunk, DataType, RowKind, RowOrigin, Schema, SlotColumn, SlotType, Zone, decode_keys, encode_keys,
};
use tidegate_expr::EvalContext;
use tidegate_runtime::state::{MapTable, StateVisitor};
use tidegate_runtime::{CheckpointId, Context, Failure, Operator, Outcome, Progress};

use crate::meaning;
use crate::outbox::Outbox;
use crate::saved_watermark::SavedWatermark;
use crate::sort_key::{SortColumn, encode_sort_key};
use crate::stored_rows::StoredRow;
use crate::two_inputs::{EncodedRows, rowtime, time_key, time_of};
use nfa::{Computation, First, Matches, Nfa, Stop};
use values::{KeyRows, Place};

pub use values::{PatternExpr, PatternValue};

/// A variable of a pattern.
#[derive(Clone, Debug)]
pub struct PatternVariable {
    /// Its name.
    pub name: String,
    /// How many rows it takes at least.
    pub min: u32,
    /// How many it takes at most, if there is a bound.
    pub max: Option<u32>,
    /// Whether it takes as many as it can.
    pub greedy: bool,
    /// What is true of a row of it.
    pub condition: Option<PatternExpr>,
}

/// Where the search goes on after a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipTo {
    /// At the row behind its first.
    NextRow,
    /// At the row behind its last.
    PastLastRow,
    /// At the first row of a variable.
    First(usize),
    /// At the last row of a variable.
    Last(usize),
}

/// What a [`PatternMatch`] is made from.
#[derive(Clone, Debug)]
pub struct PatternMatchSpec {
    /// The input's columns.
    pub input: Schema,
    /// The output's columns.
    pub output: Schema,
    /// PARTITION BY.
    pub partition: Vec<usize>,
    /// The rowtime that rows are ordered by; none for processing time.
    pub rowtime: Option<usize>,
    /// ORDER BY behind the time.
    pub order: Vec<SortColumn>,
    /// The pattern: its variables, one behind the other.
    pub variables: Vec<PatternVariable>,
    /// WITHIN, in ms; 0 without.
    pub within: i64,
    /// AFTER MATCH.
    pub skip: SkipTo,
    /// MEASURES.
    pub measures: Vec<PatternExpr>,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// MATCH_RECOGNIZE.
pub struct PatternMatch {
    spec: PatternMatchSpec,
    types: Vec<DataType>,
    nfa: Nfa,
    waiting: MapTable,
    rows: MapTable,
    matches: MapTable,
    watermark: SavedWatermark,
    arrivals: u64,
    /// When something is to be done for a partition: derived.
    due: BTreeSet<(i64, u16, Vec<u8>)>,
    firing_until: Option<i64>,
    outbox: Outbox,
    last_origin: Option<RowOrigin>,
}

/// How many rows of a partition are worked off at a time.
const ROWS_AT_A_TIME: usize = 1_024;

impl PatternMatch {
    /// The operator of `spec`.
    pub fn new(spec: PatternMatchSpec) -> PatternMatch {
        let table = || {
            MapTable::ordered(Vec::new(), &[("row".to_owned(), SlotType::Bytes)])
                .of(meaning::rows_by(&spec.input, &spec.partition))
                .showing(&spec.partition, &spec.input.fields, false)
        };
        let variable = |own: &PatternVariable| match own.max {
            Some(max) => format!("{}{{{},{max}}}{}", own.name, own.min, if own.greedy { "" } else { "?" }),
            None => format!("{}{{{},}}{}", own.name, own.min, if own.greedy { "" } else { "?" }),
        };
        let pattern: Vec<String> = spec.variables.iter().map(variable).collect();
        let by = meaning::columns(&spec.partition, &spec.input);
        let matches = format!("matches of {} by ({by})", pattern.join(" "));
        PatternMatch {
            types: spec.input.fields.iter().map(|field| field.ty.clone()).collect(),
            nfa: Nfa::new(&spec.variables, spec.skip, spec.within),
            waiting: table(),
            rows: table(),
            matches: MapTable::ordered(Vec::new(), &[("matches".to_owned(), SlotType::Bytes)]).of(matches).showing(
                &spec.partition,
                &spec.input.fields,
                false,
            ),
            watermark: SavedWatermark::new(),
            arrivals: 0,
            due: BTreeSet::new(),
            firing_until: None,
            outbox: Outbox::new(&spec.output),
            last_origin: None,
            spec,
        }
    }
}

impl Operator for PatternMatch {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("waiting", &mut self.waiting);
        visitor.table("rows", &mut self.rows);
        visitor.table("matches", &mut self.matches);
        if self.spec.rowtime.is_some() {
            visitor.table("watermark", self.watermark.table());
        }
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.watermark.restore(cx);
        let mut due = BTreeSet::new();
        for owner in self.waiting.owners() {
            let (key, group) = self.waiting.owner_key(owner);
            for entry in self.waiting.entries(owner) {
                let sub_key = self.waiting.sub_key(entry);
                let number = sub_key.last_chunk::<8>().map_or(0, |number| u64::from_be_bytes(*number));
                self.arrivals = self.arrivals.max(number + 1);
                due.insert((time_of(&sub_key).0, group, key.to_vec()));
            }
        }
        for owner in self.matches.owners() {
            let (key, group) = self.matches.owner_key(owner);
            let (_, matches) = self.stored_matches(key);
            due.extend(self.nfa.deadlines(&matches).into_iter().map(|time| (time, group, key.to_vec())));
        }
        self.due = due;
        self.wake(cx);
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        let nulls_match = vec![true; self.spec.partition.len()];
        let encoded = EncodedRows::new(&chunk, &self.spec.partition, &nulls_match);
        let mut late = 0;
        for row in 0..chunk.len {
            let time = match self.spec.rowtime {
                Some(column) => rowtime(&chunk, row, column, &self.types[column])?,
                None => cx.now(),
            };
            if self.spec.rowtime.is_some() && time <= self.watermark.current {
                late += 1;
                continue;
            }
            let (key, group) = (encoded.key(row), encoded.group(row));
            let mut sub_key = time_key(time, 0)[..8].to_vec();
            encode_sort_key(&mut sub_key, &self.spec.order, &chunk.columns, row);
            sub_key.extend(self.arrivals.to_be_bytes());
            self.arrivals += 1;
            let owner = self.waiting.owner(key, group);
            put(&mut self.waiting, owner, &sub_key, encoded.row(row).into());
            self.due.insert((time, group, key.to_vec()));
        }
        if late > 0 {
            cx.late_rows(late);
        }
        match (self.spec.rowtime, self.spec.order.is_empty()) {
            (None, true) => {
                self.firing_until = Some(cx.now());
                self.resume(cx)
            }
            _ => {
                self.wake(cx);
                Ok(Progress::Done)
            }
        }
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        if self.spec.rowtime.is_none() {
            return Ok(Progress::Done);
        }
        self.watermark.current = self.watermark.current.max(watermark);
        self.firing_until = Some(watermark);
        self.resume(cx)
    }

    fn on_processing_time(&mut self, cx: &mut dyn Context) -> Outcome {
        if self.spec.rowtime.is_some() {
            return Ok(Progress::Done);
        }
        // Rows of one instant are put in order once it is over.
        self.firing_until = Some(cx.now() - i64::from(!self.spec.order.is_empty()));
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        let context =
            EvalContext { watermark: cx.watermark(), now: cx.now(), zone: self.spec.zone, ..EvalContext::default() };
        while let Some(until) = self.firing_until
            && !self.outbox.is_full()
        {
            match self.due.first() {
                Some((time, ..)) if *time <= until => {
                    if let Some((_, group, key)) = self.due.pop_first() {
                        self.fire(&key, group, until, &context)?;
                    }
                }
                _ => self.firing_until = None,
            }
        }
        let progress = self.outbox.flush(cx);
        if self.firing_until.is_some() {
            return Ok(Progress::More);
        }
        self.wake(cx);
        Ok(progress)
    }

    fn pre_barrier(&mut self, _checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        self.watermark.save(cx);
        Ok(Progress::Done)
    }
}

fn put(table: &mut MapTable, owner: u32, sub_key: &[u8], row: StoredRow) {
    let (entry, _) = table.find_or_insert(owner, sub_key);
    let [SlotColumn::Bytes(rows)] = table.columns_mut() else { unreachable!("rows are bytes") };
    rows[entry as usize] = Some(row);
    table.touch(&[entry]);
}

fn stored(table: &MapTable, entry: u32) -> StoredRow {
    let [SlotColumn::Bytes(rows)] = table.columns() else { unreachable!("rows are bytes") };
    rows[entry as usize].clone().unwrap_or_default()
}

/// The place of a row among those that matches are made of: its number, and its time.
fn numbered(first: First) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&first.number.to_be_bytes());
    key[8..].copy_from_slice(&(first.time ^ i64::MIN).to_be_bytes());
    key
}

impl PatternMatch {
    /// By processing time nothing but the clock calls again.
    fn wake(&self, cx: &mut dyn Context) {
        if let (None, Some((time, ..))) = (self.spec.rowtime, self.due.first()) {
            cx.wake_at(time + i64::from(!self.spec.order.is_empty()));
        }
    }

    /// The number of a partition's next row, and its matches.
    fn stored_matches(&self, key: &[u8]) -> (u64, Matches) {
        let entry = self.matches.find_owner(key).and_then(|owner| self.matches.first(owner));
        entry
            .and_then(|entry| saved::decode(&stored(&self.matches, entry), self.spec.variables.len()))
            .unwrap_or_else(|| (0, self.nfa.begin()))
    }

    /// Works off the rows of a partition up to a time, some at a time.
    fn fire(&mut self, key: &[u8], group: u16, until: i64, context: &EvalContext) -> Result<(), Failure> {
        let (mut next, mut matches) = self.stored_matches(key);
        let kept: Vec<(First, StoredRow)> = match self.rows.find_owner(key) {
            Some(owner) => self.rows.entries(owner).map(|entry| self.kept_row(entry)).collect(),
            None => Vec::new(),
        };
        let (taken, done) = self.take_waiting(key, until, &mut next);
        let kept_before = kept.len();
        let all: Vec<(First, StoredRow)> = kept.into_iter().chain(taken).collect();
        let rows = KeyRows {
            first: all.first().map_or(next, |(first, _)| first.number),
            columns: decode_keys(all.iter().map(|(_, row)| &row[..]), &self.types),
            times: all.iter().map(|(first, _)| first.time).collect(),
        };
        let alone: Vec<Option<BooleanArray>> = (0..self.spec.variables.len())
            .map(|own| self.spec.variables[own].condition.as_ref()?.of_rows_alone(own, &rows, context))
            .collect();
        let mut found = Vec::new();
        for (first, _) in &all[kept_before..] {
            found.extend(self.nfa.advance(&mut matches, first.time).map_err(|stop| self.failure(stop, &rows))?);
            let at = (first.number - rows.first) as usize;
            let mut holds = |variable: usize, computation: &Computation| -> Result<bool, Failure> {
                match (&alone[variable], &self.spec.variables[variable].condition) {
                    (Some(known), _) => Ok(known.value(at)),
                    (None, None) => Ok(true),
                    (None, Some(condition)) => {
                        let current = Some((variable, first.number));
                        condition.holds(Place { rows: &rows, taken: computation, current, context })
                    }
                }
            };
            let completed = self.nfa.row(&mut matches, *first, &mut holds);
            found.extend(completed.map_err(|stop| self.failure(stop, &rows))?);
        }
        if done {
            found.extend(self.nfa.advance(&mut matches, until).map_err(|stop| self.failure(stop, &rows))?);
        } else {
            self.due.insert((until, group, key.to_vec()));
        }
        for computation in &found {
            self.emit(computation, &rows, context)?;
        }
        self.save(key, group, next, &matches, &all, kept_before);
        let deadlines = self.nfa.deadlines(&matches).into_iter().filter(|time| *time > until);
        self.due.extend(deadlines.map(|time| (time, group, key.to_vec())));
        Ok(())
    }

    fn failure(&self, stop: Stop, rows: &KeyRows) -> Failure {
        match stop {
            Stop::Failed(failure) => failure,
            Stop::FirstRow => failure::first_row(),
            Stop::NoSuchRow(variable, found) => {
                // As Flink writes it: rows by their times, and their numbers within these.
                let event = |number: u64| {
                    let at = (number - rows.first) as usize;
                    let time = rows.times[at];
                    let id = rows.times[..at].iter().filter(|own| **own == time).count();
                    format!("EventId{{id={id}, timestamp={time}}}")
                };
                let list = |own: usize| found.rows(own).map(event).collect::<Vec<_>>().join(", ");
                let names = self.spec.variables.iter().enumerate();
                let taken = names.filter(|(own, _)| !found.rows(*own).is_empty());
                let taken: Vec<String> = taken.map(|(own, name)| format!("{}=[{}]", name.name, list(own))).collect();
                failure::no_such_row(&self.spec.variables[variable].name, &taken.join(", "))
            }
        }
    }

    fn kept_row(&self, entry: u32) -> (First, StoredRow) {
        let sub_key = self.rows.sub_key(entry);
        let part = |range: std::ops::Range<usize>| {
            sub_key.get(range).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_be_bytes)
        };
        let first = First { number: part(0..8), time: part(8..16) as i64 ^ i64::MIN };
        (first, stored(&self.rows, entry))
    }

    /// Takes rows that have waited long enough out of state, and numbers them. Says whether these were all.
    fn take_waiting(&mut self, key: &[u8], until: i64, next: &mut u64) -> (Vec<(First, StoredRow)>, bool) {
        let Some(owner) = self.waiting.find_owner(key) else { return (Vec::new(), true) };
        let mut taken = Vec::new();
        while let Some(entry) = self.waiting.first(owner) {
            let time = time_of(&self.waiting.sub_key(entry)).0;
            if time > until {
                return (taken, true);
            }
            if taken.len() >= ROWS_AT_A_TIME {
                return (taken, false);
            }
            taken.push((First { time, number: *next }, stored(&self.waiting, entry)));
            *next += 1;
            self.waiting.remove(entry);
        }
        self.waiting.clear(owner);
        (taken, true)
    }

    fn emit(&mut self, computation: &Computation, rows: &KeyRows, context: &EvalContext) -> Result<(), Failure> {
        let place = Place { rows, taken: computation, current: None, context };
        let first = (computation.rank() - rows.first) as u32;
        let mut columns: Vec<_> =
            self.spec.partition.iter().map(|key| tidegate_data::gather(&rows.columns[*key], &[first])).collect();
        for measure in &self.spec.measures {
            columns.push(measure.value(place)?);
        }
        let row: Arc<[u8]> = match columns.is_empty() {
            true => Arc::default(),
            false => encode_keys(&columns).row(0).into(),
        };
        self.outbox.push(RowKind::Insert, row, self.last_origin);
        Ok(())
    }

    /// Writes down what has changed: of `all` rows the first `kept_before` are in state.
    fn save(
        &mut self,
        key: &[u8],
        group: u16,
        next: u64,
        matches: &Matches,
        all: &[(First, StoredRow)],
        kept_before: usize,
    ) {
        let needed = matches.partial.iter().chain(matches.complete.iter()).filter_map(|own| own.first);
        let needed = needed.map(|first| first.number).min().unwrap_or(next);
        let owner = self.rows.owner(key, group);
        for (i, (first, row)) in all.iter().enumerate() {
            let known = i < kept_before;
            if first.number < needed {
                if let Some(entry) = known.then(|| self.rows.find(owner, &numbered(*first))).flatten() {
                    self.rows.remove(entry);
                }
            } else if !known {
                put(&mut self.rows, owner, &numbered(*first), row.clone());
            }
        }
        if self.rows.count(owner) == 0 {
            self.rows.clear(owner);
        }
        let owner = self.matches.owner(key, group);
        if *matches == self.nfa.begin() {
            // Nothing has begun: the numbers may as well begin anew.
            self.matches.clear(owner);
        } else {
            put(&mut self.matches, owner, &[], saved::encode(next, matches).into());
        }
    }
}
