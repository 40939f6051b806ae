//! Under `WHERE k = 'a'` the column k is that constant: `SELECT k, v … WHERE k = 'a'` computes it, above a join as well.

use crate::logical::{Rel, RelOp};
use crate::rex::{Rex, RexKind};

/// Puts constants in the place of columns in projections above filters.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| {
        let RelOp::Project(exprs) = &rel.op else { return rel };
        let constants = known(rel.input());
        if constants.is_empty() {
            return rel;
        }
        let exprs = exprs.iter().map(|rex| {
            rex.clone().transform(&mut |part| match part.kind {
                RexKind::Column(index) => match constants.iter().find(|(column, _)| *column == index) {
                    Some((_, value)) => value.clone().typed_as(&part.ty),
                    None => part,
                },
                _ => part,
            })
        });
        let exprs = exprs.collect();
        let names = rel.names();
        Rel::project(rel.into_input(), exprs, names)
    })
}

/// The columns of which a filter says what they are, also below a join.
fn known(rel: &Rel) -> Vec<(usize, Rex)> {
    match &rel.op {
        RelOp::Filter(condition) => {
            let mut all: Vec<(usize, Rex)> = condition.clone().conjuncts().iter().filter_map(constant).collect();
            if let RelOp::Join(_) = rel.input().op {
                all.extend(condition.clone().conjuncts().iter().filter_map(null));
                all.extend(known(rel.input()));
            }
            all
        }
        RelOp::Join(join) => {
            let width = rel.inputs[0].width();
            let mut all = if join.kind.keeps_right() { Vec::new() } else { known(&rel.inputs[0]) };
            if !join.kind.keeps_left() && !join.kind.is_semi() {
                all.extend(known(&rel.inputs[1]).into_iter().map(|(column, value)| (column + width, value)));
            }
            all
        }
        _ => Vec::new(),
    }
}

/// The column that a condition says is NULL.
fn null(term: &Rex) -> Option<(usize, Rex)> {
    let [operand] = term.args_of("IS NULL")? else { return None };
    Some((operand.as_column()?, Rex::null(&operand.ty)))
}

/// The column and the constant that a condition says are equal.
fn constant(term: &Rex) -> Option<(usize, Rex)> {
    let [left, right] = term.args_of("=")? else { return None };
    let column = left.as_column()?;
    right.as_literal()?;
    (left.ty.logical == right.ty.logical).then(|| (column, right.clone()))
}
