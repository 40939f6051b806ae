//! WHERE and HAVING as far down as they go: through projections, unions, joins, and (what is on the keys) aggregates.

use super::push_into_join;
use super::simplify::simplify_condition;
use crate::logical::{Rel, RelOp};
use crate::rex::Rex;

/// Pushes all filters of a plan down.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut push)
}

fn push(rel: Rel) -> Rel {
    let Rel { op: RelOp::Filter(condition), mut inputs, schema } = rel else {
        return match rel.op {
            RelOp::Join(join) => push_into_join::filter(None, join, rel.inputs, &push),
            _ => rel,
        };
    };
    let input = inputs.swap_remove(0);
    match input.op {
        RelOp::Filter(below) => {
            let condition = simplify_condition(Rex::and(vec![below, condition]));
            let inner = input.inputs.into_iter().next();
            match inner {
                Some(inner) => push(Rel::filter(inner, condition)),
                None => Rel { op: RelOp::Filter(condition), inputs: Vec::new(), schema },
            }
        }
        RelOp::Project(exprs) if exprs.iter().all(|rex| rex.is_deterministic() && !rex.has_over()) => {
            let condition = simplify_condition(condition.substitute(&exprs));
            let names = input.schema.fields.iter().map(|field| field.name.clone()).collect();
            let mut below = input.inputs;
            let below = below.swap_remove(0);
            let filtered = if condition.is_true() { below } else { push(Rel::filter(below, condition)) };
            Rel::project(filtered, exprs, names)
        }
        RelOp::Aggregate(ref aggregate) if !aggregate.keys.is_empty() => {
            let keys = aggregate.keys.clone();
            let (on_keys, rest): (Vec<Rex>, Vec<Rex>) = condition.conjuncts().into_iter().partition(|term| {
                term.is_deterministic() && !term.is_constant() && term.reads_only(|column| column < keys.len())
            });
            let mut aggregated = input;
            if !on_keys.is_empty() {
                let pushed = Rex::and(on_keys).map_columns(&|column| keys[column]);
                let below = aggregated.inputs.swap_remove(0);
                aggregated.inputs.push(push(Rel::filter(below, pushed)));
            }
            if rest.is_empty() { aggregated } else { Rel::filter(aggregated, Rex::and(rest)) }
        }
        RelOp::Lookup(lookup) => match input.inputs.into_iter().next() {
            Some(below) => crate::lookup::filtered(condition, *lookup, below, input.schema, &push),
            None => Rel { op: RelOp::Filter(condition), inputs: Vec::new(), schema },
        },
        RelOp::Correlate(correlate) => match input.inputs.into_iter().next() {
            Some(below) => crate::correlate::filtered(condition, *correlate, below, &push),
            None => Rel { op: RelOp::Filter(condition), inputs: Vec::new(), schema },
        },
        RelOp::Join(join) => push_into_join::filter(Some(condition), join, input.inputs, &push),
        RelOp::Union => {
            let inputs = input.inputs.into_iter().map(|branch| push(Rel::filter(branch, condition.clone()))).collect();
            Rel { op: RelOp::Union, inputs, schema: input.schema }
        }
        _ => Rel { op: RelOp::Filter(condition), inputs: vec![input], schema },
    }
}
