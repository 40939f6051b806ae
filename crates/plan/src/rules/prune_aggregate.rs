//! Aggregate calls that nothing above reads are not computed: `SELECT k, s FROM (SELECT k, SUM(v) AS s, COUNT(*) …)`.

use crate::logical::{Aggregate, Rel, RelOp};
use crate::rex::Rex;

/// Prunes calls below a projection, or below a filter below a projection.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| {
        let RelOp::Project(exprs) = &rel.op else { return rel };
        let (aggregated, condition) = match &rel.input().op {
            RelOp::Aggregate(_) => (rel.input(), None),
            RelOp::Filter(condition) if matches!(rel.input().input().op, RelOp::Aggregate(_)) => {
                (rel.input().input(), Some(condition))
            }
            _ => return rel,
        };
        let RelOp::Aggregate(aggregate) = &aggregated.op else { return rel };
        let mut used = vec![false; aggregated.width()];
        exprs.iter().chain(condition).for_each(|rex| rex.mark_columns(&mut used));
        let keys = aggregate.keys.len();
        let kept: Vec<usize> = (0..aggregate.calls.len()).filter(|&i| used[keys + i]).collect();
        if kept.len() == aggregate.calls.len() || (keys == 0 && kept.is_empty()) {
            return rel;
        }
        let calls = kept.iter().map(|&i| {
            let mut call = aggregate.calls[i].clone();
            call.name.get_or_insert_with(|| aggregated.schema.fields[keys + i].name.clone());
            call
        });
        let pruned = Aggregate { keys: aggregate.keys.clone(), calls: calls.collect(), ttl: aggregate.ttl };
        let moved = |column: usize| match column.checked_sub(keys) {
            None => column,
            Some(call) => keys + kept.iter().position(|&i| i == call).unwrap_or_default(),
        };
        let names = rel.names();
        let exprs: Vec<Rex> = exprs.iter().map(|rex| rex.clone().map_columns(&moved)).collect();
        let condition = condition.map(|condition| condition.clone().map_columns(&moved));
        let input = rel.into_input();
        let aggregated = if condition.is_some() { input.into_input() } else { input };
        let mut below = Rel::aggregate(aggregated.into_input(), pruned);
        if let Some(condition) = condition {
            below = Rel::filter(below, condition);
        }
        Rel::project(below, exprs, names)
    })
}
