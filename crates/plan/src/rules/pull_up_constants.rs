//! A constant among several GROUP BY keys is no key: it is computed above the aggregate (`SELECT DISTINCT v, 'c' …`).

use crate::logical::{Aggregate, Rel, RelOp};
use crate::rex::Rex;

/// Pulls constant keys above their aggregates; one key always stays.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| {
        let RelOp::Aggregate(aggregate) = &rel.op else { return rel };
        let RelOp::Project(exprs) = &rel.input().op else { return rel };
        let constant = |key: &usize| exprs[*key].as_literal().is_some();
        let mut kept: Vec<usize> = (0..aggregate.keys.len()).filter(|&i| !constant(&aggregate.keys[i])).collect();
        if kept.is_empty() && !aggregate.keys.is_empty() {
            kept.push(0);
        }
        if kept.len() == aggregate.keys.len() {
            return rel;
        }
        let keys = aggregate.keys.len();
        let reduced = Aggregate { keys: kept.iter().map(|&i| aggregate.keys[i]).collect(), calls: aggregate.calls.clone() };
        let values: Vec<Rex> = aggregate.keys.iter().map(|&key| exprs[key].clone()).collect();
        let names = rel.names();
        let input = rel.into_input();
        // Unnamed calls keep the names of their old positions.
        let mut reduced = reduced;
        for (i, call) in reduced.calls.iter_mut().enumerate() {
            call.name.get_or_insert_with(|| names[keys + i].clone());
        }
        let calls = reduced.calls.len();
        let aggregated = Rel::aggregate(input, reduced);
        let above: Vec<Rex> = (0..keys)
            .map(|i| match kept.iter().position(|&k| k == i) {
                Some(position) => aggregated.column(position),
                None => values[i].clone(),
            })
            .chain((0..calls).map(|i| aggregated.column(kept.len() + i)))
            .collect();
        Rel::project(aggregated, above, names)
    })
}
