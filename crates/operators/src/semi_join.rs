//! `WHERE k IN (SELECT …)`, `EXISTS`, and their negations: the left rows that meet a row of the right side, or none.
//!
//! Input: any changelog on each side. Output: left rows. One that comes while it meets something (semi) or nothing (anti) passes as it is; one that meets
//! its first right row comes with that row's kind (semi) or leaves with `-D` (anti), one that loses its last leaves with that row's kind or comes with `+I`.
//!
//! State: `left`, `right`: see [`crate::join_state`]; cleared when their rows are taken away. Late rows: there is no time.
//! Flink's counterpart: `StreamingSemiAntiJoinOperator`.

use std::sync::Arc;

use arrow_array::ArrayRef;
use tidegate_data::{Chunk, Origins, RowKind, Zone, gather_or_null};
use tidegate_expr::{EvalContext, Expr};
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::join_state::{JoinSide, JoinSideSpec, Pairs, Step, Work};

/// What a [`SemiJoin`] is made from.
#[derive(Clone, Debug)]
pub struct SemiJoinSpec {
    /// The left side.
    pub left: JoinSideSpec,
    /// The right side.
    pub right: JoinSideSpec,
    /// Whether the rows without a match are wanted.
    pub anti: bool,
    /// Of each column of the join key, whether NULL equals NULL.
    pub nulls_match: Vec<bool>,
    /// What must be true of a pair besides, over the columns of both sides.
    pub condition: Option<Expr>,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// A semi or an anti join.
pub struct SemiJoin {
    sides: [JoinSide; 2],
    anti: bool,
    nulls_match: Vec<bool>,
    condition: Option<Expr>,
    zone: Zone,
    work: Option<Work>,
}

impl SemiJoin {
    /// The operator of `spec`.
    pub fn new(spec: SemiJoinSpec) -> SemiJoin {
        SemiJoin {
            sides: [JoinSide::new(&spec.left, true), JoinSide::new(&spec.right, false)],
            anti: spec.anti,
            nulls_match: spec.nulls_match,
            condition: spec.condition,
            zone: spec.zone,
            work: None,
        }
    }
}

impl Operator for SemiJoin {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        self.sides[0].state("left", visitor);
        self.sides[1].state("right", visitor);
    }

    fn on_chunk(&mut self, input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.sides.iter_mut().for_each(|side| side.expire(cx.now()));
        self.work = Some(Work::new(chunk, input, &self.sides[input], &self.nulls_match));
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        let context =
            EvalContext { watermark: cx.watermark(), now: cx.now(), zone: self.zone, ..EvalContext::default() };
        while let Some(mut work) = self.work.take() {
            if work.is_done() {
                break;
            }
            let pairs = work.search(&self.sides[1 - work.side], self.condition.as_ref(), &context)?;
            let out = if work.side == 0 { self.left(&mut work, &pairs) } else { self.right(&mut work, &pairs) };
            if !work.is_done() {
                self.work = Some(work);
            }
            if let Some(out) = out {
                cx.emit(out);
                break;
            }
        }
        Ok(if self.work.is_some() { Progress::More } else { Progress::Done })
    }
}

impl SemiJoin {
    /// Rows of the left side pass, or do not.
    fn left(&mut self, work: &mut Work, pairs: &Pairs) -> Option<Chunk> {
        let mut passed: Vec<u32> = Vec::new();
        for step in &pairs.steps {
            match *step {
                Step::Pair { pair, .. } => work.met += usize::from(pairs.fulfils(pair)),
                Step::End { row } => {
                    if (work.met == 0) == self.anti {
                        passed.push(row as u32);
                    }
                    if work.chunk.kind(row).adds() {
                        self.sides[0].add(work, row, work.met);
                    } else {
                        self.sides[0].retract(work, row);
                    }
                    work.met = 0;
                }
            }
        }
        (!passed.is_empty()).then(|| work.chunk.take(&passed))
    }

    /// Rows of the right side let left rows come and go.
    fn right(&mut self, work: &mut Work, pairs: &Pairs) -> Option<Chunk> {
        let (mut kinds, mut stored, mut causes) = (Vec::new(), Vec::new(), Vec::new());
        for step in &pairs.steps {
            match *step {
                Step::Pair { row, entry, pair, last } => {
                    if !pairs.fulfils(pair) {
                        continue;
                    }
                    let kind = work.chunk.kind(row);
                    let met = self.sides[0].matches(entry);
                    if met == i64::from(!kind.adds()) {
                        kinds.push(match (self.anti, kind.adds()) {
                            (false, _) => kind,
                            (true, true) => RowKind::Delete,
                            (true, false) => RowKind::Insert,
                        });
                        stored.push(Some(pair as u32));
                        causes.push(row);
                    }
                    if last {
                        self.sides[0].set_matches(entry, met + if kind.adds() { 1 } else { -1 });
                    }
                }
                Step::End { row } => {
                    if work.chunk.kind(row).adds() {
                        self.sides[1].add(work, row, 0);
                    } else {
                        self.sides[1].retract(work, row);
                    }
                }
            }
        }
        if kinds.is_empty() {
            return None;
        }
        let columns: Vec<ArrayRef> = pairs.others.iter().map(|column| gather_or_null(column, &stored)).collect();
        let mut out = Chunk::with_kinds(columns, kinds);
        let origins = work.chunk.origins.as_ref();
        out.origins = origins.map(|origins| Arc::new(Origins::select(origins, causes.into_iter())));
        Some(out)
    }
}
