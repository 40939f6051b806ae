//! Long chains of one operator, `a + b + c + …`: they lean left, but as a tree that high nobody could walk them.

use tidegate_data::{DataType, LogicalType};
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{BinaryOp, Expr, ExprKind};

use super::Binder;
use super::expr::ExprContext;
use crate::codes::TOO_LARGE;
use crate::rex::Rex;

/// The most operands of a chain whose result depends on which are joined first.
const MAX_LEANING: usize = 250;

impl Binder<'_> {
    /// Binds a long chain. Integers wrap around, so their sums and products may be taken in any order, once all are of the type
    /// of the result; so may joined texts. Others have to lean left.
    pub(super) fn chain(&self, op: BinaryOp, expr: &Expr, cx: &ExprContext<'_>) -> Rex {
        let mut operands = Vec::new();
        flatten(op, expr, &mut operands);
        let rexes: Vec<Rex> = operands.iter().map(|operand| self.expr(operand, cx)).collect();
        if rexes.iter().any(Rex::has_error) {
            return Rex::error();
        }
        let name = match op {
            BinaryOp::Plus => "+",
            BinaryOp::Multiply => "*",
            _ => "||",
        };
        let mut rest = rexes.into_iter();
        let mut result = rest.next().unwrap_or_else(Rex::error);
        // Neighbours of one result type, with what came out before them.
        let mut run = vec![result.clone()];
        let mut ty: Option<DataType> = None;
        let mut leaning = 0;
        for (rex, operand) in rest.zip(operands.iter().skip(1)) {
            let so_far = ty.clone().unwrap_or_else(|| result.ty.clone());
            let sides = vec![Rex::column(0, so_far), Rex::column(1, rex.ty.clone())];
            let both = self.call(name, sides, operands[0].span.to(operand.span));
            if both.has_error() {
                return Rex::error();
            }
            if !free(op, &both.ty.logical) {
                leaning += 1;
            }
            if ty.as_ref().is_some_and(|ty| ty.logical != both.ty.logical && op != BinaryOp::Concat) {
                result = self.joined(op, name, run, ty.as_ref(), expr.span);
                run = vec![result.clone()];
            }
            run.push(rex);
            ty = Some(both.ty);
        }
        if leaning > MAX_LEANING {
            let ty = ty.map_or(result.ty.logical, |ty| ty.logical);
            let message = format!(
                "A chain of {} operands of '{name}' is too long: at most {MAX_LEANING} of type {ty}.",
                operands.len(),
            );
            let hint = format!("Put parts of it into parentheses: (a {name} b {name} …) {name} (c {name} d {name} …).");
            return self.fail(Diagnostic::error(TOO_LARGE, message).at(expr.span).hint(hint));
        }
        self.joined(op, name, run, ty.as_ref(), expr.span)
    }

    /// Operands whose results are all of type `ty`, joined.
    fn joined(&self, op: BinaryOp, name: &str, operands: Vec<Rex>, ty: Option<&DataType>, span: Span) -> Rex {
        let join = |left: Rex, right: Rex| self.call(name, vec![left, right], span);
        match ty {
            Some(ty) if free(op, &ty.logical) && op == BinaryOp::Concat => balanced(operands, &join),
            Some(ty) if free(op, &ty.logical) => {
                let wide: Vec<Rex> = operands.into_iter().map(|rex| self.cast(rex, ty, false, span)).collect();
                balanced(wide, &join)
            }
            _ => operands.into_iter().reduce(join).unwrap_or_else(Rex::error),
        }
    }
}

/// Whether operands may be joined in any order that keeps them beside their neighbours.
fn free(op: BinaryOp, result: &LogicalType) -> bool {
    if op == BinaryOp::Concat { result.is_character() } else { result.is_integer() }
}

/// The operands of a chain, in their order.
fn flatten<'q>(op: BinaryOp, expr: &'q Expr, out: &mut Vec<&'q Expr>) {
    match &expr.kind {
        ExprKind::Binary { op: own, left, right, chain: true, .. } if *own == op => {
            flatten(op, left, out);
            flatten(op, right, out);
        }
        _ => out.push(expr),
    }
}

fn balanced(mut rexes: Vec<Rex>, join: &dyn Fn(Rex, Rex) -> Rex) -> Rex {
    if rexes.len() == 1 {
        return rexes.remove(0);
    }
    let right = rexes.split_off(rexes.len().div_ceil(2));
    join(balanced(rexes, join), balanced(right, join))
}
