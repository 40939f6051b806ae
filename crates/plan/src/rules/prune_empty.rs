//! A filter that is never TRUE leaves nothing: `WHERE FALSE` is an empty VALUES, and so is what is built on it.

use crate::logical::{JoinKind, Rel, RelOp};

/// Replaces what yields no row by an empty VALUES.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |mut rel| {
        let empty = match &rel.op {
            RelOp::Filter(condition) => condition.is_false() || is_empty(rel.input()),
            RelOp::Project(_) | RelOp::Over(_) | RelOp::Rank(_) | RelOp::Expand(_) | RelOp::Correlate(_) => {
                is_empty(rel.input())
            }
            RelOp::Sort(sort) => sort.fetch == Some(0) || is_empty(rel.input()),
            // A global aggregate over nothing is a plan of its own.
            RelOp::Aggregate(aggregate) => !aggregate.keys.is_empty() && is_empty(rel.input()),
            RelOp::Join(join) => match join.kind {
                JoinKind::Inner | JoinKind::Semi => rel.inputs.iter().any(is_empty) || join.condition.is_false(),
                JoinKind::Left | JoinKind::Anti => is_empty(&rel.inputs[0]),
                JoinKind::Right => is_empty(&rel.inputs[1]),
                JoinKind::Full => rel.inputs.iter().all(is_empty),
            },
            RelOp::Union => {
                if rel.inputs.iter().all(is_empty) {
                    true
                } else {
                    rel.inputs.retain(|input| !is_empty(input));
                    if rel.inputs.len() == 1 {
                        return rel.into_input();
                    }
                    false
                }
            }
            _ => false,
        };
        if empty {
            return Rel { op: RelOp::Values(Vec::new()), inputs: Vec::new(), schema: rel.schema };
        }
        rel
    })
}

fn is_empty(rel: &Rel) -> bool {
    matches!(&rel.op, RelOp::Values(rows) if rows.is_empty())
}
