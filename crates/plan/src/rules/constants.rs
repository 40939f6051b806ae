//! Under `WHERE k = 'a'` the column k is that constant: `SELECT k, v … WHERE k = 'a'` computes it.

use crate::logical::{Rel, RelOp};
use crate::rex::{Rex, RexKind};

/// Puts constants in the place of columns in projections directly above filters.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| {
        let RelOp::Project(exprs) = &rel.op else { return rel };
        let RelOp::Filter(condition) = &rel.input().op else { return rel };
        let constants: Vec<(usize, Rex)> = condition.clone().conjuncts().iter().filter_map(constant).collect();
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

/// The column and the constant that a condition says are equal.
fn constant(term: &Rex) -> Option<(usize, Rex)> {
    let [left, right] = term.args_of("=")? else { return None };
    let column = left.as_column()?;
    right.as_literal()?;
    (left.ty.logical == right.ty.logical).then(|| (column, right.clone()))
}
