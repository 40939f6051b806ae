//! Projections on projections become one; one that changes nothing goes away. Names of columns that it gave go with it, as
//! in Flink: the result's own names are kept beside the plan.

use super::simplify::simplify_value;
use crate::logical::{Rel, RelOp};
use crate::rex::Rex;

/// Merges and removes projections.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| remove(merge(remove(rel))))
}

fn merge(rel: Rel) -> Rel {
    let Rel { op: RelOp::Project(exprs), mut inputs, schema } = rel else { return rel };
    let input = inputs.swap_remove(0);
    match input.op {
        RelOp::Project(below) if below.iter().all(Rex::is_deterministic) => {
            let exprs = exprs.into_iter().map(|rex| simplify_value(rex.substitute(&below))).collect();
            merge(Rel { op: RelOp::Project(exprs), inputs: input.inputs, schema })
        }
        _ => Rel { op: RelOp::Project(exprs), inputs: vec![input], schema },
    }
}

fn remove(rel: Rel) -> Rel {
    match &rel.op {
        RelOp::Project(exprs)
            if exprs.len() == rel.input().width()
                && exprs
                    .iter()
                    .enumerate()
                    .all(|(i, rex)| rex.as_column() == Some(i) && rex.ty == rel.input().schema.fields[i].ty) =>
        {
            rel.into_input()
        }
        _ => rel,
    }
}
