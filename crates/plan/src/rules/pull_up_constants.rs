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
        let reduced = Aggregate {
            keys: kept.iter().map(|&i| aggregate.keys[i]).collect(),
            calls: aggregate.calls.clone(),
            ttl: aggregate.ttl,
        };
        let values: Vec<Rex> = aggregate.keys.iter().map(|&key| exprs[key].clone()).collect();
        let names = rel.names();
        let input = rel.into_input();
        // Unnamed calls keep the names of their old positions.
        let mut reduced = reduced;
        for (i, call) in reduced.calls.iter_mut().enumerate() {
            call.name.get_or_insert_with(|| names[keys + i].clone());
        }
        let calls = reduced.calls.len();
        let aggregated = prune_input(Rel::aggregate(input, reduced));
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

/// Leaves out what the projection below an aggregate computes for nobody.
fn prune_input(rel: Rel) -> Rel {
    let RelOp::Aggregate(aggregate) = &rel.op else { return rel };
    let RelOp::Project(exprs) = &rel.input().op else { return rel };
    let used = |column: usize| {
        aggregate.keys.contains(&column)
            || aggregate.calls.iter().any(|call| call.args.contains(&column) || call.filter == Some(column))
    };
    let kept: Vec<usize> = (0..exprs.len()).filter(|&column| used(column)).collect();
    if kept.is_empty() || kept.len() == exprs.len() {
        return rel;
    }
    let moved = |column: usize| kept.iter().position(|&own| own == column).unwrap_or_default();
    let mut aggregate = aggregate.clone();
    aggregate.keys.iter_mut().for_each(|key| *key = moved(*key));
    for call in &mut aggregate.calls {
        call.args.iter_mut().for_each(|arg| *arg = moved(*arg));
        call.filter = call.filter.map(moved);
    }
    let below = rel.into_input();
    let names = kept.iter().map(|&column| below.schema.fields[column].name.clone()).collect();
    let RelOp::Project(exprs) = &below.op else { return below };
    let exprs = kept.iter().map(|&column| exprs[column].clone()).collect();
    Rel::aggregate(Rel::project(below.into_input(), exprs, names), aggregate)
}
