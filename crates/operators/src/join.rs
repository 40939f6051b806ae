//! `a JOIN b ON a.k = b.k`, LEFT, RIGHT, FULL and CROSS, with any further condition, over changelogs.
//!
//! Input: any changelog on each side. Output: an inner join hands on the kind of the input row; where a side is an outer one, its rows without a match
//! come padded with NULLs, are taken back (`-D`) by the first match and come again (`+I`) with the last match gone; there the pairs are `+I` and `-D`
//! whatever the input row was. NULL keys meet nothing.
//!
//! State: `left`, `right`: see [`crate::join_state`]; cleared when their rows are taken away. Late rows: there is no time.
//! One call takes on so many pairs that 4,096 rows come of it at most; a key that meets more goes on with the next call.
//! Flink's counterpart: `StreamingJoinOperator`.

use std::sync::Arc;

use arrow_array::ArrayRef;
use tidegate_data::{Chunk, Origins, RowKind, Zone, gather_or_null};
use tidegate_expr::{EvalContext, Expr};
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::join_state::{JoinSide, JoinSideSpec, Pairs, Step, Work};

/// What a [`Join`] is made from.
#[derive(Clone, Debug)]
pub struct JoinSpec {
    /// The left side.
    pub left: JoinSideSpec,
    /// The right side.
    pub right: JoinSideSpec,
    /// Whether rows of the left and of the right side come without a match, too.
    pub outer: [bool; 2],
    /// Of each column of the join key, whether NULL equals NULL.
    pub nulls_match: Vec<bool>,
    /// What must be true of a pair besides, over the columns of both sides.
    pub condition: Option<Expr>,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// A regular join.
pub struct Join {
    sides: [JoinSide; 2],
    outer: [bool; 2],
    nulls_match: Vec<bool>,
    condition: Option<Expr>,
    zone: Zone,
    work: Option<Work>,
}

impl Join {
    /// The operator of `spec`.
    pub fn new(spec: JoinSpec) -> Join {
        Join {
            sides: [JoinSide::new(&spec.left, spec.outer[0]), JoinSide::new(&spec.right, spec.outer[1])],
            outer: spec.outer,
            nulls_match: spec.nulls_match,
            condition: spec.condition,
            zone: spec.zone,
            work: None,
        }
    }
}

impl Operator for Join {
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
            let out = self.process(&mut work, &pairs);
            let out = out.finish(&work, &pairs);
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

/// Output in the making: per row its kind, the input row and the pair whose stored row it takes; none of one is a padding with NULLs.
#[derive(Default)]
struct Output {
    kinds: Vec<RowKind>,
    inputs: Vec<Option<u32>>,
    stored: Vec<Option<u32>>,
    causes: Vec<usize>,
}

impl Output {
    fn push(&mut self, kind: RowKind, cause: usize, input: Option<usize>, stored: Option<usize>) {
        self.kinds.push(kind);
        self.inputs.push(input.map(|row| row as u32));
        self.stored.push(stored.map(|pair| pair as u32));
        self.causes.push(cause);
    }

    fn finish(self, work: &Work, pairs: &Pairs) -> Option<Chunk> {
        if self.kinds.is_empty() {
            return None;
        }
        let own = work.chunk.columns.iter().map(|column| gather_or_null(column, &self.inputs));
        let stored = pairs.others.iter().map(|column| gather_or_null(column, &self.stored));
        let columns: Vec<ArrayRef> = match work.side {
            0 => own.chain(stored).collect(),
            _ => stored.chain(own).collect(),
        };
        let mut out = Chunk::with_kinds(columns, self.kinds);
        let origins = work.chunk.origins.as_ref();
        out.origins = origins.map(|origins| Arc::new(Origins::select(origins, self.causes.into_iter())));
        Some(out)
    }
}

impl Join {
    fn process(&mut self, work: &mut Work, pairs: &Pairs) -> Output {
        let side = work.side;
        let (own_outer, other_outer) = (self.outer[side], self.outer[1 - side]);
        let mut out = Output::default();
        for step in &pairs.steps {
            match *step {
                Step::Pair { row, entry, pair, last } => {
                    if !pairs.fulfils(pair) {
                        continue;
                    }
                    work.met += 1;
                    let kind = work.chunk.kind(row);
                    let met = self.sides[1 - side].matches(entry);
                    if kind.adds() {
                        if other_outer && met == 0 {
                            out.push(RowKind::Delete, row, None, Some(pair));
                        }
                        let kind = if own_outer || other_outer { RowKind::Insert } else { kind };
                        out.push(kind, row, Some(row), Some(pair));
                    } else {
                        let kind = if own_outer { RowKind::Delete } else { kind };
                        out.push(kind, row, Some(row), Some(pair));
                        if other_outer && met == 1 {
                            out.push(RowKind::Insert, row, None, Some(pair));
                        }
                    }
                    if other_outer && last {
                        self.sides[1 - side].set_matches(entry, met + if kind.adds() { 1 } else { -1 });
                    }
                }
                Step::End { row } => {
                    let adds = work.chunk.kind(row).adds();
                    if own_outer && work.met == 0 {
                        out.push(if adds { RowKind::Insert } else { RowKind::Delete }, row, Some(row), None);
                    }
                    if adds {
                        self.sides[side].add(work, row, work.met);
                    } else {
                        self.sides[side].retract(work, row);
                    }
                    work.met = 0;
                }
            }
        }
        out
    }
}
