//! CASE and COALESCE: a value is computed for those rows only that take it, so that an error elsewhere fails nothing.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use tidegate_data::{DataType, gather, interleave};

use super::{Datum, EvalError, Input};
use crate::Expr;

/// Which of several sources each row takes its value from.
struct Choice<'a> {
    sources: Vec<Datum>,
    /// Per row: the source and the row in it.
    picks: Vec<(usize, usize)>,
    input: &'a Input<'a>,
}

const OPEN: usize = usize::MAX;

impl<'a> Choice<'a> {
    fn new(input: &'a Input<'a>) -> Choice<'a> {
        Choice { sources: Vec::new(), picks: vec![(OPEN, 0); input.len], input }
    }

    /// Gives the rows at `rows` the value of `expr`.
    fn pick(&mut self, rows: &[u32], expr: &Expr) -> Result<(), EvalError> {
        if rows.is_empty() {
            return Ok(());
        }
        let source = self.sources.len();
        let whole = rows.len() == self.input.len;
        let value = if whole || !expr.can_fail() && is_cheap(expr) {
            expr.evaluate(self.input)?
        } else {
            // Only part of the rows is computed; `position` counts within the part.
            let value = evaluate_rows(expr, self.input, rows)?;
            for (position, row) in rows.iter().enumerate() {
                self.picks[*row as usize] = (source, if value.is_scalar() { 0 } else { position });
            }
            self.sources.push(value);
            return Ok(());
        };
        for row in rows {
            self.picks[*row as usize] = (source, if value.is_scalar() { 0 } else { *row as usize });
        }
        self.sources.push(value);
        Ok(())
    }

    fn finish(mut self, ty: &DataType) -> Datum {
        if self.input.len == 0 {
            return Datum::Column(tidegate_data::empty_column(ty));
        }
        if let [only] = &self.sources[..]
            && self.picks.iter().all(|pick| pick.0 == 0)
            && (only.is_scalar() || only.array().len() == self.input.len)
        {
            return only.clone();
        }
        if self.picks.iter().any(|pick| pick.0 == OPEN) {
            let null = self.sources.len();
            self.sources.push(Datum::null(ty));
            self.picks.iter_mut().filter(|pick| pick.0 == OPEN).for_each(|pick| *pick = (null, 0));
        }
        let arrays: Vec<&ArrayRef> = self.sources.iter().map(Datum::array).collect();
        Datum::Column(interleave(&arrays, &self.picks))
    }
}

/// Whether computing it for some rows too many costs less than picking rows out.
fn is_cheap(expr: &Expr) -> bool {
    match &expr.kind {
        crate::ExprKind::Column(_) | crate::ExprKind::Literal(_) => true,
        crate::ExprKind::Call { function, args } => function.is_cheap && args.iter().all(is_cheap),
        _ => false,
    }
}

/// Evaluates an expression for some rows; the result has a value for each of them.
pub(crate) fn evaluate_rows(expr: &Expr, input: &Input<'_>, rows: &[u32]) -> Result<Datum, EvalError> {
    let needed = expr.columns();
    let mut columns: Vec<ArrayRef> = input.columns.to_vec();
    for column in needed {
        columns[column] = gather(&input.columns[column], rows);
    }
    expr.evaluate(&Input { columns: &columns, len: rows.len(), ctx: input.ctx })
}

/// The rows among `rows` for which a condition holds, and the others.
fn split(condition: &Expr, input: &Input<'_>, rows: Vec<u32>) -> Result<(Vec<u32>, Vec<u32>), EvalError> {
    let whole = rows.len() == input.len;
    let partial = !whole && condition.can_fail();
    let value = if partial { evaluate_rows(condition, input, &rows)? } else { condition.evaluate(input)? };
    let truths: &BooleanArray = value.array().as_boolean();
    let holds = |at: usize| truths.is_valid(at) && truths.value(at);
    if value.is_scalar() {
        return Ok(if holds(0) { (rows, Vec::new()) } else { (Vec::new(), rows) });
    }
    let mut position = 0;
    Ok(rows.into_iter().partition(|row| {
        let at = if partial { position } else { *row as usize };
        position += 1;
        holds(at)
    }))
}

fn all_rows(input: &Input<'_>) -> Vec<u32> {
    (0..input.len as u32).collect()
}

/// `CASE WHEN ... THEN ... ELSE ... END`.
pub(crate) fn case(
    branches: &[(Expr, Expr)],
    otherwise: &Expr,
    ty: &DataType,
    input: &Input<'_>,
) -> Result<Datum, EvalError> {
    let mut choice = Choice::new(input);
    let mut open = all_rows(input);
    for (condition, value) in branches {
        if open.is_empty() {
            break;
        }
        let (taken, left) = split(condition, input, open)?;
        choice.pick(&taken, value)?;
        open = left;
    }
    choice.pick(&open, otherwise)?;
    Ok(choice.finish(ty))
}

/// The first value that is not NULL.
pub(crate) fn coalesce(args: &[Expr], ty: &DataType, input: &Input<'_>) -> Result<Datum, EvalError> {
    let mut choice = Choice::new(input);
    let mut open = all_rows(input);
    for arg in args {
        choice.pick(&open, arg)?;
        let sources = &choice.sources;
        open.retain(|row| {
            let (source, at) = choice.picks[*row as usize];
            sources[source].array().is_null(at)
        });
        if open.is_empty() {
            break;
        }
    }
    Ok(choice.finish(ty))
}
