//! An upsert source (`I,UA,D` with a primary key): makes a full changelog of it.
//!
//! Input: `+I`, `+U`, `-D` (whose values may be NULL but for the key); output: `+I` for a key that is new, `-U`/`+U` for one that is there (without `-U` if
//! nobody wants it), `-D` with the values from state. A row equal to the one in state and a delete of an unknown key vanish. With a
//! condition only rows that meet it are kept: an update across it is a `+I` or a `-D`.
//!
//! State: `rows`: primary key -> the last row (that meets the condition), cleared when it is deleted. Late rows: there is no time. Flink's counterpart:
//! `ProcTimeDeduplicateKeepLastRowFunction` (`DeduplicateFunctionHelper`).

use arrow_array::ArrayRef;
use tidegate_data::{Chunk, RowKind, Schema, SlotColumn, SlotType, Zone, encode_keys, hash_keys};
use tidegate_expr::{EvalContext, Expr};
use tidegate_runtime::state::{GroupTable, MISSING, StateVisitor};
use tidegate_runtime::{Context, Failure, Operator, Outcome, Progress};

use crate::failure::not_computed;
use crate::meaning;
use crate::stored_rows::{Emitted, RowEquality, StoredRow};

/// What a [`ChangelogNormalize`] is made from.
#[derive(Clone, Debug)]
pub struct ChangelogNormalizeSpec {
    /// The columns.
    pub input: Schema,
    /// The primary key columns.
    pub keys: Vec<usize>,
    /// A filter applied inside it.
    pub condition: Option<Expr>,
    /// Whether `-U` rows are wanted.
    pub emit_update_before: bool,
    /// `table.exec.state.ttl` in ms, 0 for none.
    pub state_ttl: i64,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// Last row per key.
pub struct ChangelogNormalize {
    spec: ChangelogNormalizeSpec,
    equality: RowEquality,
    rows: GroupTable,
    /// The chunk in work, and how many of its rows are done.
    pending: Option<(Chunk, usize)>,
}

impl ChangelogNormalize {
    /// The operator of `spec`.
    pub fn new(spec: ChangelogNormalizeSpec) -> ChangelogNormalize {
        let types = spec.keys.iter().map(|key| spec.input.fields[*key].ty.clone()).collect();
        let rows = GroupTable::new(types, &[("row".to_owned(), SlotType::Bytes)])
            .of(meaning::rows_by(&spec.input, &spec.keys))
            .showing(&spec.input.fields)
            .kept_for(spec.state_ttl);
        ChangelogNormalize { equality: RowEquality::new(&spec.input), rows, pending: None, spec }
    }
}

impl Operator for ChangelogNormalize {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("rows", &mut self.rows);
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.rows.expire(cx.now());
        self.pending = Some((chunk, 0));
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        while let Some((chunk, done)) = self.pending.take() {
            let part = chunk.slice(done, (chunk.len - done).min(Chunk::MAX_ROWS / 2));
            let out = self.normalize(&part, cx)?;
            if done + part.len < chunk.len {
                self.pending = Some((chunk, done + part.len));
            }
            if let Some(out) = out {
                cx.emit(out);
                break;
            }
        }
        Ok(if self.pending.is_some() { Progress::More } else { Progress::Done })
    }
}

impl ChangelogNormalize {
    fn normalize(&mut self, chunk: &Chunk, cx: &mut dyn Context) -> Result<Option<Chunk>, Failure> {
        let passes = match &self.spec.condition {
            None => None,
            Some(condition) => {
                let context = EvalContext {
                    watermark: cx.watermark(),
                    now: cx.now(),
                    zone: self.spec.zone,
                    ..EvalContext::default()
                };
                Some(condition.filter(chunk, &context).map_err(not_computed)?)
            }
        };
        let passes = |row: usize| passes.as_ref().is_none_or(|passes| passes.value(row));
        let keys: Vec<ArrayRef> = self.spec.keys.iter().map(|key| chunk.columns[*key].clone()).collect();
        let (mut slots, mut fresh) = (Vec::new(), Vec::new());
        let may_insert = |row: usize| chunk.kind(row).adds() && passes(row);
        self.rows.resolve(&keys, &[], &hash_keys(&keys), may_insert, &mut slots, &mut fresh);
        let encoded = encode_keys(&chunk.columns);
        let mut emitted = Emitted::default();
        let [SlotColumn::Bytes(stored)] = self.rows.columns_mut() else { unreachable!("rows are bytes") };
        let mut touched = Vec::new();
        for (row, slot) in slots.iter().enumerate() {
            if *slot == MISSING {
                continue;
            }
            let place = &mut stored[*slot as usize];
            let adds = chunk.kind(row).adds();
            let new: Option<StoredRow> = match (place.as_ref(), adds) {
                (None, true) if passes(row) => {
                    emitted.input(RowKind::Insert, row);
                    Some(encoded.row(row).into())
                }
                (None, _) => continue,
                (Some(old), true) if self.spec.state_ttl == 0 && self.equality.equal(old, encoded.row(row)) => continue,
                (Some(old), true) if passes(row) => {
                    if self.spec.emit_update_before {
                        emitted.stored(RowKind::UpdateBefore, old.clone(), row);
                    }
                    emitted.input(RowKind::UpdateAfter, row);
                    Some(encoded.row(row).into())
                }
                (Some(old), _) => {
                    emitted.stored(RowKind::Delete, old.clone(), row);
                    None
                }
            };
            *place = new;
            touched.push(*slot);
        }
        let mut gone: Vec<u32> = slots.iter().copied().filter(|slot| *slot != MISSING).collect();
        gone.retain(|slot| stored[*slot as usize].is_none());
        gone.sort_unstable();
        gone.dedup();
        self.rows.touch(&touched);
        gone.into_iter().for_each(|slot| self.rows.remove(slot));
        Ok(emitted.finish(chunk, &self.spec.input))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};

    fn normalize(emit_update_before: bool) -> impl Fn() -> Box<dyn Operator> {
        let (input, zone) = (schema("id INT, v INT, d DOUBLE"), Zone::UTC);
        let keys = vec![0];
        let spec = ChangelogNormalizeSpec { input, keys, condition: None, emit_update_before, state_ttl: 0, zone };
        move || Box::new(ChangelogNormalize::new(spec.clone()))
    }

    const SCRIPT: &str = "+I 1 10 0.0
        +U 1 11 0.0
        +I 1 11 -0.0
        +U 2 20 NaN
        +U 2 20 NaN
        -D 3 NULL NULL
        -D 1 NULL NULL
        -D 1 NULL NULL
        +I 1 12 NULL";

    #[test]
    fn updates_and_deletes_get_the_old_row() {
        let schema = schema("id INT, v INT, d DOUBLE");
        check(
            normalize(true),
            &schema,
            &schema,
            SCRIPT,
            "+I 1 10 0.0
             -U 1 10 0.0
             +U 1 11 0.0
             +I 2 20 NaN
             -U 2 20 NaN
             +U 2 20 NaN
             -D 1 11 0.0
             +I 1 12 NULL",
        );
        check(
            normalize(false),
            &schema,
            &schema,
            SCRIPT,
            "+I 1 10 0.0
             +U 1 11 0.0
             +I 2 20 NaN
             +U 2 20 NaN
             -D 1 11 0.0
             +I 1 12 NULL",
        );
    }
}
