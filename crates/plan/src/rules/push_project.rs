//! Projections below unions, joins and windows: each side of a UNION ALL computes for itself, and a window function is given only
//! the columns that are read above it.

use super::prune_join;
use crate::logical::{Rel, RelOp, Window};
use crate::rex::Rex;

/// Pushes projections down.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut push)
}

pub(super) fn push(rel: Rel) -> Rel {
    let Rel { op: RelOp::Project(exprs), mut inputs, schema } = rel else { return rel };
    let mut input = inputs.swap_remove(0);
    // A filter between a projection and a window reads columns, too.
    let condition = match (&input.op, input.inputs.first().map(|below| &below.op)) {
        (RelOp::Filter(condition), Some(RelOp::Window(_) | RelOp::Over(_) | RelOp::Rank(_) | RelOp::Join(_))) => {
            Some(condition.clone())
        }
        _ => None,
    };
    if condition.is_some() {
        input = input.into_input();
    }
    match input.op {
        RelOp::Join(_) => {
            let (exprs, condition, joined) =
                prune_join::below_join(&exprs, condition.as_ref(), &input, &push).unwrap_or((exprs, condition, input));
            Rel { op: RelOp::Project(exprs), inputs: vec![filtered(joined, condition)], schema }
        }
        RelOp::Union => {
            let names: Vec<String> = schema.fields.iter().map(|field| field.name.clone()).collect();
            let branches = input
                .inputs
                .into_iter()
                .map(|branch| {
                    // Nullability and time attributes are each branch's own.
                    let own: Vec<Rex> = (0..branch.width()).map(|i| branch.column(i)).collect();
                    let exprs = exprs.iter().map(|rex| rex.clone().substitute(&own)).collect();
                    push(Rel::project(branch, exprs, names.clone()))
                })
                .collect();
            Rel { op: RelOp::Union, inputs: branches, schema }
        }
        RelOp::Over(_) | RelOp::Rank(_) => {
            let rel = Rel { op: RelOp::Project(Vec::new()), inputs: Vec::new(), schema };
            super::prune_over::below(exprs, condition, rel, input)
        }
        RelOp::Window(window) => below_window(exprs, condition, schema, window, input.inputs, input.schema),
        _ => Rel { op: RelOp::Project(exprs), inputs: vec![input], schema },
    }
}

/// Leaves out what neither the projection nor the window reads.
fn below_window(
    exprs: Vec<Rex>,
    condition: Option<Rex>,
    schema: tidegate_data::Schema,
    window: Window,
    mut inputs: Vec<Rel>,
    window_schema: tidegate_data::Schema,
) -> Rel {
    let input = inputs.swap_remove(0);
    let width = input.width();
    let mut used = vec![false; window_schema.fields.len()];
    exprs.iter().chain(&condition).for_each(|rex| rex.mark_columns(&mut used));
    used[window.time_column] = true;
    window.shape.partition().iter().for_each(|&column| used[column] = true);
    let kept: Vec<usize> = (0..width).filter(|&i| used[i]).collect();
    if kept.len() == width {
        let windowed =
            filtered(Rel { op: RelOp::Window(window), inputs: vec![input], schema: window_schema }, condition);
        return Rel { op: RelOp::Project(exprs), inputs: vec![windowed], schema };
    }
    let moved = |column: usize| match column.checked_sub(width) {
        Some(property) => kept.len() + property,
        None => kept.iter().position(|&i| i == column).unwrap_or_default(),
    };
    let mut fields: Vec<_> = kept.iter().map(|&i| window_schema.fields[i].clone()).collect();
    fields.extend(window_schema.fields[width..].iter().cloned());
    let shape = window.shape.moved(&moved);
    let window = Window { time_column: moved(window.time_column), shape, ..window };
    let below = push(Rel::keep(input, &kept));
    let windowed = Rel { op: RelOp::Window(window), inputs: vec![below], schema: tidegate_data::Schema { fields } };
    let windowed = filtered(windowed, condition.map(|condition| condition.map_columns(&moved)));
    let exprs = exprs.into_iter().map(|rex| rex.map_columns(&moved)).collect();
    Rel { op: RelOp::Project(exprs), inputs: vec![windowed], schema }
}

fn filtered(rel: Rel, condition: Option<Rex>) -> Rel {
    match condition {
        Some(condition) => Rel::filter(rel, condition),
        None => rel,
    }
}
