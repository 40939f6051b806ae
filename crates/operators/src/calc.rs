//! `SELECT a + 1 FROM t WHERE b > 0`: filters, then computes.
//!
//! Input: any changelog; output: the same, kinds and origins unchanged, so that an update across the filter's border arrives as a lone `+U` or
//! leaves as a lone `-U`. No state. Late rows pass. A row that cannot be computed fails the job; the rows before it have gone out by then.
//! Flink's counterpart: `StreamExecCalc`.

use std::cell::Cell;
use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray};
use tidegate_data::{Chunk, Schema, Zone};
use tidegate_expr::{EvalContext, EvalError, Expr, ExprKind};
use tidegate_runtime::{Context, Failure, Operator, Outcome, Progress, SubtaskInfo};

use crate::failure::not_computed;

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
    condition: Option<Expr>,
    projections: Vec<Expr>,
    /// Which columns of the input the projections read: the others need not be filtered.
    read: Vec<bool>,
    zone: Zone,
    /// Moves on with each chunk: RAND and UUID follow from it, from the time, and from which subtask this is.
    draws: u64,
}

impl Calc {
    /// The operator of `spec`.
    pub fn new(spec: CalcSpec) -> Calc {
        let mut read = vec![false; spec.input.fields.len()];
        spec.projections.iter().for_each(|projection| mark_columns(projection, &mut read));
        // Two of them in one subtask draw other numbers.
        let chance = |expr: &&Expr| !expr.is_deterministic();
        let drawing = spec.projections.iter().chain(&spec.condition).filter(chance);
        let draws = drawing.fold(0, |seed, expr| seed_of_text(seed, &format!("{expr:?}")));
        Calc { condition: spec.condition, projections: spec.projections, read, zone: spec.zone, draws }
    }
}

fn seed_of_text(seed: u64, text: &str) -> u64 {
    text.bytes()
        .fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn seed_of(subtask: &SubtaskInfo) -> u64 {
    seed_of_text((u64::from(subtask.index) << 32) ^ subtask.attempt, &subtask.job)
}

impl Operator for Calc {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let chance = Cell::new(self.draws ^ (cx.now() as u64).rotate_left(32) ^ seed_of(cx.subtask()));
        let context = EvalContext { watermark: cx.watermark(), now: cx.now(), zone: self.zone, chance };
        // The next chunk begins elsewhere, at the same time of the clock too.
        self.draws = self.draws.wrapping_add(0x2545_f491_4f6c_dd1d);
        match self.compute(&chunk, &context) {
            Ok(Some(out)) => cx.emit(out),
            Ok(None) => {}
            Err(_) => self.compute_up_to_the_failure(&chunk, &context, cx)?,
        }
        Ok(Progress::Done)
    }
}

impl Calc {
    fn compute(&self, chunk: &Chunk, context: &EvalContext) -> Result<Option<Chunk>, EvalError> {
        let filtered;
        let chunk = match &self.condition {
            None => chunk,
            Some(condition) => {
                let keep = condition.filter(chunk, context)?;
                match keep.true_count() {
                    0 => return Ok(None),
                    all if all == chunk.len => chunk,
                    some => {
                        filtered = self.only_read(chunk).filter(&keep);
                        debug_assert_eq!(filtered.len, some);
                        &filtered
                    }
                }
            }
        };
        let columns = self.projections.iter().map(|projection| match projection.kind {
            ExprKind::Column(column) => Ok(chunk.columns[column].clone()),
            _ => projection.eval(chunk, context),
        });
        Ok(Some(chunk.with_columns(columns.collect::<Result<_, _>>()?)))
    }

    /// The chunk with nothing in the columns that no projection reads.
    fn only_read(&self, chunk: &Chunk) -> Chunk {
        let nothing: ArrayRef = Arc::new(NullArray::new(chunk.len));
        let columns = chunk.columns.iter().zip(&self.read);
        chunk.with_columns(columns.map(|(column, read)| if *read { column.clone() } else { nothing.clone() }).collect())
    }

    /// Row by row: what comes before the row that fails goes out, whatever the chunk it came in.
    fn compute_up_to_the_failure(
        &self,
        chunk: &Chunk,
        context: &EvalContext,
        cx: &mut dyn Context,
    ) -> Result<(), Failure> {
        let mut computed = Vec::new();
        let mut failure = Ok(());
        for row in 0..chunk.len {
            match self.compute(&chunk.slice(row, 1), context) {
                Ok(out) => computed.extend(out),
                Err(error) => {
                    failure = Err(not_computed(error));
                    break;
                }
            }
        }
        if !computed.is_empty() {
            cx.emit(Chunk::concat(&computed));
        }
        failure
    }
}

fn mark_columns(expr: &Expr, read: &mut [bool]) {
    match &expr.kind {
        ExprKind::Column(column) => read[*column] = true,
        ExprKind::Literal(_) => {}
        ExprKind::Cast { input, .. } => mark_columns(input, read),
        ExprKind::Case { branches, otherwise } => {
            for (condition, value) in branches {
                mark_columns(condition, read);
                mark_columns(value, read);
            }
            mark_columns(otherwise, read);
        }
        ExprKind::Call { args, .. } => args.iter().for_each(|arg| mark_columns(arg, read)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};
    use tidegate_data::{DataType, LogicalType, Value};
    use tidegate_expr::{call, column, literal};

    #[test]
    fn kinds_pass_and_rows_before_a_failure_go_out() {
        let input = schema("a INT, b INT, s STRING");
        let int = |number| literal(Value::Int(number), DataType::not_null(LogicalType::Int));
        let col = |index: usize| column(index, schema("a INT, b INT, s STRING").fields[index].ty.clone());
        let quotient = call("/", vec![int(10), col(0)]).unwrap();
        let spec = CalcSpec {
            input: input.clone(),
            condition: Some(call(">", vec![col(1), int(0)]).unwrap()),
            projections: vec![col(2), quotient],
            zone: Zone::UTC,
        };
        check(
            move || Box::new(Calc::new(spec.clone())),
            &input,
            &schema("s STRING, q INT"),
            "+I 5 1 a
             -U 0 0 b
             +U 2 3 b
             -D 1 NULL c
             -D 3 1 NULL
             +I 0 1 d
             +I 1 1 e",
            "+I a 2
             +U b 5
             -D NULL 3
             failed: / by zero",
        );
    }
}
