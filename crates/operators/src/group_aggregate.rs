//! `SELECT k, COUNT(*) FROM t GROUP BY k`, also `SELECT DISTINCT` (no aggregates) and a global aggregate (no keys).
//!
//! Input: any changelog, row by row; the kind of an added row (`+I`, `+U`) does not matter. Output: keys, then aggregates; `+I` for a
//! group's first row, then `-U`/`+U` back to back (without `-U` if nobody wants it), `-D` when its last row is taken away. A row that does
//! not change the result yields nothing, unless a state TTL is set. A retraction for a group that is not there vanishes.
//!
//! State: `groups`: key -> number of rows (retracting input only) and the aggregates' state; cleared when that number gets to 0, or by TTL.
//! `distinct-N`, `values-N`: see [`crate::aggregation`]. Late rows: none, there is no time. Flink's counterpart: `GroupAggFunction`.

use std::sync::Arc;

use arrow_array::ArrayRef;
use tidegate_data::{Chunk, Kinds, Origins, RowKind, Schema, SlotColumn, SlotType, gather, hash_keys};
use tidegate_expr::AggregateCall;
use tidegate_expr::aggregates::{Emit, Step};
use tidegate_runtime::state::{GroupTable, MISSING, StateVisitor};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::aggregation::{Aggregation, Rows};
use crate::columns::{KindPattern, twice};
use crate::failure::several_rows;
use crate::meaning;

/// What a [`GroupAggregate`] is made from.
#[derive(Clone, Debug)]
pub struct GroupAggregateSpec {
    /// The input's columns.
    pub input: Schema,
    /// The grouping columns (none: one global group).
    pub keys: Vec<usize>,
    /// The aggregates.
    pub aggregates: Vec<AggregateCall>,
    /// Whether `-U` rows are wanted.
    pub emit_update_before: bool,
    /// Whether the input may hold `-U` and `-D`.
    pub retracting_input: bool,
    /// `table.exec.state.ttl` in ms, 0 for none: with a TTL unchanged results are sent again.
    pub state_ttl: i64,
}

/// GROUP BY without windows.
pub struct GroupAggregate {
    keys: Vec<usize>,
    emit: Emit,
    retracting: bool,
    suppresses: bool,
    aggregation: Aggregation,
    groups: GroupTable,
    updates: KindPattern,
    /// The chunk in work: how many of its rows are done, and the hashes of its keys.
    pending: Option<(Chunk, usize, Vec<u64>)>,
    scratch: Scratch,
}

/// Buffers that are used again for every chunk.
#[derive(Default)]
struct Scratch {
    slots: Vec<u32>,
    fresh: Vec<u32>,
    signs: Vec<i8>,
    steps: Vec<Step>,
    changed: Vec<bool>,
}

impl GroupAggregate {
    /// The operator of `spec`.
    pub fn new(spec: GroupAggregateSpec) -> GroupAggregate {
        let counted = usize::from(spec.retracting_input);
        let aggregation = Aggregation::new(&spec.aggregates, &spec.input, spec.retracting_input, counted);
        let aggregation = aggregation.kept_for(spec.state_ttl);
        let mut columns = vec![("rows".to_owned(), SlotType::I64); counted];
        columns.extend_from_slice(aggregation.columns());
        let types = spec.keys.iter().map(|key| spec.input.fields[*key].ty.clone()).collect();
        let pattern: &[RowKind] = if spec.emit_update_before {
            &[RowKind::UpdateBefore, RowKind::UpdateAfter]
        } else {
            &[RowKind::UpdateAfter]
        };
        let meaning = meaning::calls_by(&spec.aggregates, &spec.input, &spec.keys);
        GroupAggregate {
            keys: spec.keys,
            emit: if spec.emit_update_before { Emit::Both } else { Emit::After },
            retracting: spec.retracting_input,
            suppresses: spec.state_ttl == 0 && !aggregation.changes_always(),
            groups: GroupTable::new(types, &columns).of(meaning).typed(aggregation.types()).kept_for(spec.state_ttl),
            aggregation,
            updates: KindPattern::new(pattern),
            pending: None,
            scratch: Scratch::default(),
        }
    }
}

impl Operator for GroupAggregate {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("groups", &mut self.groups);
        self.aggregation.state(visitor);
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        for slot in self.groups.over(cx.now()) {
            self.aggregation.release(slot);
            self.groups.remove(slot);
        }
        self.aggregation.expire(cx.now());
        let hashes = if self.keys.is_empty() { vec![0; chunk.len] } else { hash_keys(&self.key_columns(&chunk)) };
        self.pending = Some((chunk, 0, hashes));
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        while let Some((chunk, done, hashes)) = self.pending.take() {
            let rows =
                (chunk.len - done).min(if self.emit == Emit::Both { Chunk::MAX_ROWS / 2 } else { Chunk::MAX_ROWS });
            let part = chunk.slice(done, rows);
            let out = self.process(&part, &hashes[done..done + rows]);
            if let Some(fault) = self.aggregation.fault(&self.scratch.slots, self.groups.columns()) {
                return Err(several_rows(fault));
            }
            if done + rows < chunk.len {
                self.pending = Some((chunk, done + rows, hashes));
            }
            if let Some(out) = out {
                cx.emit(out);
                break;
            }
        }
        Ok(if self.pending.is_some() { Progress::More } else { Progress::Done })
    }
}

impl GroupAggregate {
    fn key_columns(&self, chunk: &Chunk) -> Vec<ArrayRef> {
        self.keys.iter().map(|key| chunk.columns[*key].clone()).collect()
    }

    /// Works rows off, at most as many as have room in one chunk of output.
    fn process(&mut self, chunk: &Chunk, hashes: &[u64]) -> Option<Chunk> {
        let keys = self.key_columns(chunk);
        let mut scratch = std::mem::take(&mut self.scratch);
        let Scratch { slots, fresh, signs, steps, changed } = &mut scratch;
        let kinds = match &chunk.kinds {
            Kinds::Each(kinds) if kinds.iter().any(|kind| !kind.adds()) => Some(&kinds[..]),
            _ => None,
        };
        match kinds {
            None => self.groups.resolve(&keys, &[], hashes, |_| true, slots, fresh),
            Some(kinds) => self.groups.resolve(&keys, &[], hashes, |row| kinds[row].adds(), slots, fresh),
        }
        steps.clear();
        signs.clear();
        if self.retracting {
            self.count_rows(kinds, slots, steps);
        } else {
            steps.resize(chunk.len, Step::Next);
            fresh.iter().for_each(|row| steps[*row as usize] = Step::First);
        }
        if let Some(kinds) = kinds {
            signs.extend(kinds.iter().map(|kind| kind.sign() as i8));
        }
        changed.clear();
        changed.resize(chunk.len, !self.suppresses);
        let rows = Rows {
            columns: &chunk.columns,
            slots,
            signs: kinds.is_some().then_some(signs),
            // Only where something is taken away can a group go.
            steps: kinds.is_some().then_some(steps),
        };
        let wants_changes = self.suppresses.then_some(&mut changed[..]);
        let mut results = self.aggregation.update(&rows, &mut self.groups, self.emit, wants_changes);
        self.tidy(kinds.is_some(), slots, steps);

        let all_updated = steps.iter().zip(changed.iter()).all(|(step, changed)| *step == Step::Next && *changed);
        let out = if all_updated {
            let keys = keys.iter().map(|key| if self.emit == Emit::Both { twice(key) } else { key.clone() });
            let columns: Vec<ArrayRef> = keys.chain(self.aggregation.finish(results)).collect();
            let width = if self.emit == Emit::Both { 2 } else { 1 };
            let len = chunk.len * width;
            let origins = chunk.origins.as_ref().map(|origins| {
                let runs = origins.runs.iter().map(|(end, origin)| (end * width as u32, *origin));
                Arc::new(Origins { runs: runs.collect() })
            });
            Some(Chunk { columns, kinds: self.updates.get(len), len, origins })
        } else {
            let (positions, kinds) = self.emitted(steps, changed);
            let rows: Vec<u32> = positions
                .iter()
                .map(|position| if self.emit == Emit::Both { position / 2 } else { *position })
                .collect();
            results.iter_mut().for_each(|results| results.select(&positions));
            let keys = keys.iter().map(|key| gather(key, &rows));
            let columns = keys.chain(self.aggregation.finish(results)).collect();
            let mut out = Chunk::with_kinds(columns, kinds);
            let origins = chunk.origins.as_ref();
            out.origins = origins.map(|origins| Arc::new(origins.select(rows.iter().map(|row| *row as usize))));
            (out.len > 0).then_some(out)
        };
        self.scratch = scratch;
        out
    }

    /// Counts the rows of each group, and says what each row means for it.
    fn count_rows(&mut self, kinds: Option<&[RowKind]>, slots: &[u32], steps: &mut Vec<Step>) {
        let SlotColumn::I64(counts) = &mut self.groups.columns_mut()[0] else { unreachable!("rows are counted") };
        for (row, slot) in slots.iter().enumerate() {
            if *slot == MISSING {
                steps.push(Step::Ignored);
                continue;
            }
            let count = &mut counts[*slot as usize];
            let before = *count;
            steps.push(if kinds.is_none_or(|kinds| kinds[row].adds()) {
                *count += 1;
                if before == 0 { Step::First } else { Step::Next }
            } else if before == 0 {
                Step::Ignored
            } else {
                *count -= 1;
                if before == 1 { Step::Last } else { Step::Next }
            });
        }
    }

    /// Marks what changed, and removes the groups that are empty now.
    fn tidy(&mut self, retracted: bool, slots: &[u32], steps: &[Step]) {
        if !retracted {
            self.groups.touch(slots);
            return;
        }
        for (slot, step) in slots.iter().zip(steps) {
            if *step != Step::Ignored {
                self.groups.touch(&[*slot]);
            }
        }
        for (slot, step) in slots.iter().zip(steps) {
            let SlotColumn::I64(counts) = &self.groups.columns()[0] else { unreachable!("rows are counted") };
            if *step == Step::Last && counts[*slot as usize] == 0 && self.groups.is_live(*slot) {
                self.aggregation.release(*slot);
                self.groups.remove(*slot);
            }
        }
    }

    /// Which of the results go out (by position: one or two per row), and with which kinds.
    fn emitted(&self, steps: &[Step], changed: &[bool]) -> (Vec<u32>, Vec<RowKind>) {
        let both = self.emit == Emit::Both;
        let mut positions = Vec::with_capacity(2 * steps.len());
        let mut kinds = Vec::with_capacity(2 * steps.len());
        for (row, (step, changed)) in steps.iter().zip(changed).enumerate() {
            let before = if both { 2 * row as u32 } else { row as u32 };
            let after = if both { before + 1 } else { before };
            match step {
                Step::First => {
                    positions.push(after);
                    kinds.push(RowKind::Insert);
                }
                Step::Next if *changed => {
                    if both {
                        positions.push(before);
                        kinds.push(RowKind::UpdateBefore);
                    }
                    positions.push(after);
                    kinds.push(RowKind::UpdateAfter);
                }
                Step::Last => {
                    positions.push(before);
                    kinds.push(RowKind::Delete);
                }
                Step::Next | Step::Ignored => {}
            }
        }
        (positions, kinds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{calls, check, schema};
    use tidegate_data::DataType;

    fn group(
        keys: &[usize],
        aggregates: &[&str],
        update_before: bool,
        retracting: bool,
    ) -> impl Fn() -> Box<dyn Operator> {
        let input = input();
        let spec = GroupAggregateSpec {
            aggregates: calls(aggregates, &input),
            input,
            keys: keys.to_vec(),
            emit_update_before: update_before,
            retracting_input: retracting,
            state_ttl: 0,
        };
        move || Box::new(GroupAggregate::new(spec.clone()))
    }

    fn input() -> Schema {
        schema("k STRING, v INT, d DOUBLE, b BOOLEAN, l BIGINT")
    }

    fn output(keys: &str, aggregates: &[&str]) -> Schema {
        let mut output = schema(keys);
        for call in calls(aggregates, &input()) {
            output.fields.push(tidegate_data::Field { name: call.name.clone(), ty: call.ty });
        }
        output
    }

    #[test]
    fn updates_come_in_pairs() {
        let aggregates = ["COUNT()", "SUM(v)", "AVG(v)", "MAX(k)"];
        check(
            group(&[0], &aggregates, true, false),
            &input(),
            &output("k STRING", &aggregates),
            "+I a 5 NULL NULL NULL
             +I b NULL NULL NULL NULL
             +I a 2 NULL NULL NULL
             +I b 1 NULL NULL NULL
             +I NULL 7 NULL NULL NULL
             +I NULL -8 NULL NULL NULL",
            "+I a 1 5 5 a
             +I b 1 NULL NULL b
             -U a 1 5 5 a
             +U a 2 7 3 a
             -U b 1 NULL NULL b
             +U b 2 1 1 b
             +I NULL 1 7 7 NULL
             -U NULL 1 7 7 NULL
             +U NULL 2 -1 0 NULL",
        );
    }

    #[test]
    fn a_row_that_changes_nothing_is_silent() {
        let aggregates = ["MAX(v)", "SUM(d)"];
        check(
            group(&[], &aggregates, true, false),
            &input(),
            &output("", &aggregates),
            "+I a 5 0.0 NULL NULL
             +I a 4 -0.0 NULL NULL
             +I a NULL NULL NULL NULL
             +I a 1 NaN NULL NULL
             +I a 1 1 NULL NULL
             +I a 6 1 NULL NULL",
            "+I 5 0.0
             -U 5 0.0
             +U 5 NaN
             -U 5 NaN
             +U 5 NaN
             -U 5 NaN
             +U 6 NaN",
        );
    }

    #[test]
    fn groups_go_with_their_last_row() {
        let aggregates = ["COUNT(v)", "MIN(v)", "MAX(d)", "SUM(DISTINCT v)", "COUNT(DISTINCT v) FILTER b"];
        let script = "-D a 9 9 TRUE 1
             +I a 5 1 TRUE 1
             +I a 5 2 FALSE 1
             +I a 3 -0.0 NULL 1
             -U a 5 2 FALSE 1
             +U a 5 NaN TRUE 1
             -D a 3 -0.0 NULL 1
             -D a 5 NaN TRUE 1
             -U a 5 1 TRUE 1
             +U a NULL 1 TRUE 1
             -D a NULL 1 TRUE 1
             -D a NULL 1 TRUE 1
             +I a 1 1 TRUE 1";
        check(
            group(&[0, 4], &aggregates, true, true),
            &input(),
            &output("k STRING, l BIGINT", &aggregates),
            script,
            "+I a 1 1 5 1.0 5 1
             -U a 1 1 5 1.0 5 1
             +U a 1 2 5 2.0 5 1
             -U a 1 2 5 2.0 5 1
             +U a 1 3 3 2.0 8 1
             -U a 1 3 3 2.0 8 1
             +U a 1 2 3 1.0 8 1
             -U a 1 2 3 1.0 8 1
             +U a 1 3 3 NaN 8 1
             -U a 1 3 3 NaN 8 1
             +U a 1 2 5 NaN 5 1
             -U a 1 2 5 NaN 5 1
             +U a 1 1 5 1.0 5 1
             -D a 1 1 5 1.0 5 1
             +I a 1 0 NULL 1.0 NULL 0
             -D a 1 0 NULL 1.0 NULL 0
             +I a 1 1 1 1.0 1 1",
        );
        check(
            group(&[0, 4], &["COUNT()"], false, true),
            &input(),
            &output("k STRING, l BIGINT", &["COUNT()"]),
            script,
            "+I a 1 1
             +U a 1 2
             +U a 1 3
             +U a 1 2
             +U a 1 3
             +U a 1 2
             +U a 1 1
             -D a 1 1
             +I a 1 1
             -D a 1 1
             +I a 1 1",
        );
    }

    #[test]
    fn distinct_rows() {
        check(
            group(&[1], &[], true, true),
            &input(),
            &schema("v INT"),
            "+I a 1 NULL NULL NULL
             +I b 1 NULL NULL NULL
             +I b NULL NULL NULL NULL
             -D a 1 NULL NULL NULL
             -D b 1 NULL NULL NULL",
            "+I 1
             +I NULL
             -D 1",
        );
    }

    #[test]
    fn a_chunk_of_many_rows_goes_out_in_parts() {
        let rows: String = (0..10_000).map(|row| format!("+I k{} {row} NULL NULL NULL\n", row % 7)).collect();
        let mut expected = String::new();
        for row in 0..10_000 {
            let key = row % 7;
            match row / 7 {
                0 => expected.push_str(&format!("+I k{key} 1\n")),
                n => expected.push_str(&format!("-U k{key} {n}\n+U k{key} {}\n", n + 1)),
            }
        }
        let output = Schema::new([("k", DataType::string()), ("c", calls(&["COUNT()"], &input())[0].ty.clone())]);
        check(group(&[0], &["COUNT()"], true, false), &input(), &output, &rows, &expected);
    }
}
