//! A projection below an aggregate that only changes the order of all columns is left out: `SELECT v, COUNT(k) … GROUP BY v`
//! over (k, v).

use crate::logical::{Aggregate, Rel, RelOp};

/// Takes projections that only permute into the aggregates above them.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| {
        let RelOp::Aggregate(aggregate) = &rel.op else { return rel };
        let RelOp::Project(exprs) = &rel.input().op else { return rel };
        let Some(columns) = exprs.iter().map(|rex| rex.as_column()).collect::<Option<Vec<usize>>>() else { return rel };
        let mut sorted = columns.clone();
        sorted.sort_unstable();
        if sorted != (0..rel.input().input().width()).collect::<Vec<_>>() {
            return rel;
        }
        let mut moved = Aggregate {
            keys: aggregate.keys.iter().map(|&key| columns[key]).collect(),
            calls: aggregate.calls.clone(),
            ttl: aggregate.ttl,
        };
        // The output has its keys in the order of the input; where that changes, the projection stays.
        if !moved.keys.is_sorted() {
            return rel;
        }
        for call in &mut moved.calls {
            call.args.iter_mut().for_each(|arg| *arg = columns[*arg]);
            call.filter = call.filter.map(|filter| columns[filter]);
        }
        Rel::aggregate(rel.into_input().into_input(), moved)
    })
}
