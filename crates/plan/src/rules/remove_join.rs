//! `SELECT DISTINCT a.v FROM a LEFT JOIN b ON …` needs no b: the join adds no row that differs.

use crate::logical::{JoinKind, Rel, RelOp};
use crate::rex::Rex;

/// Removes outer joins below aggregates that read one side only and do not see how often a row is there.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| removed(&rel).unwrap_or(rel))
}

fn removed(rel: &Rel) -> Option<Rel> {
    let RelOp::Aggregate(aggregate) = &rel.op else { return None };
    if aggregate.calls.iter().any(|call| !call.distinct) {
        return None;
    }
    let RelOp::Project(exprs) = &rel.input().op else { return None };
    let joined = rel.input().input();
    let RelOp::Join(join) = &joined.op else { return None };
    let width = joined.inputs[0].width();
    let names = rel.input().names();
    let (input, exprs) = match join.kind {
        JoinKind::Left if exprs.iter().all(|rex| rex.reads_only(|column| column < width)) => {
            (joined.inputs[0].clone(), exprs.clone())
        }
        JoinKind::Right if exprs.iter().all(|rex| rex.reads_only(|column| column >= width)) => {
            let exprs: Vec<Rex> = exprs.iter().map(|rex| rex.clone().map_columns(&|column| column - width)).collect();
            (joined.inputs[1].clone(), exprs)
        }
        _ => return None,
    };
    let columns: Option<Vec<usize>> = exprs.iter().map(Rex::as_column).collect();
    if let Some(columns) = columns
        && aggregate.keys.iter().map(|&key| columns[key]).is_sorted()
    {
        // Bare columns are read where they are.
        let mut moved = aggregate.clone();
        moved.keys.iter_mut().for_each(|key| *key = columns[*key]);
        moved.calls.iter_mut().for_each(|call| {
            call.args.iter_mut().for_each(|arg| *arg = columns[*arg]);
            call.filter = call.filter.map(|filter| columns[filter]);
        });
        return Some(Rel::aggregate(input, moved));
    }
    Some(Rel::aggregate(Rel::project(input, exprs, names), aggregate.clone()))
}
