//! `SELECT a, b + 1 FROM t LIMIT 2`: what is computed is computed for the rows that are left.

use crate::logical::{Rel, RelOp};
use crate::over::SortColumn;

/// Exchanges projections with the limits above them.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| exchange(&rel).unwrap_or(rel))
}

fn exchange(rel: &Rel) -> Option<Rel> {
    if let RelOp::Project(exprs) = &rel.op {
        // Of what is sorted by time only some is wanted: it is computed behind.
        let RelOp::Sort(sort) = &rel.input().op else { return None };
        let below = match sort.fetch {
            None => moved(rel.input())?,
            Some(_) => return None,
        };
        return Some(Rel::project(below, exprs.clone(), rel.names()));
    }
    let RelOp::Sort(sort) = &rel.op else { return None };
    sort.fetch?;
    moved(rel)
}

/// A sort with the projection below it above it.
fn moved(rel: &Rel) -> Option<Rel> {
    let RelOp::Sort(sort) = &rel.op else { return None };
    let RelOp::Project(exprs) = &rel.input().op else { return None };
    let order: Option<Vec<SortColumn>> = sort
        .order
        .iter()
        .map(|key| exprs[key.column].as_column().map(|column| SortColumn { column, ..*key }))
        .collect();
    let mut below = sort.clone();
    below.order = order?;
    let source = rel.input().input().clone();
    let schema = source.schema.clone();
    let sorted = Rel { op: RelOp::Sort(below), inputs: vec![source], schema };
    Some(Rel::project(sorted, exprs.clone(), rel.names()))
}
