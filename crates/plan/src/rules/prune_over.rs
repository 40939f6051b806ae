//! Below a window function or a rank only those columns are computed that are read above it, or that it reads itself.

use super::push_project::push;
use crate::logical::{Rel, RelOp};
use crate::over::Rank;
use crate::rex::Rex;

/// Prunes below `input`, an OVER or a rank under a projection (and a filter between).
pub fn below(exprs: Vec<Rex>, condition: Option<Rex>, rel: Rel, input: Rel) -> Rel {
    let names = rel.names();
    let width = input.input().width();
    let mut used = vec![false; input.width()];
    exprs.iter().chain(&condition).for_each(|rex| rex.mark_columns(&mut used));
    let with_rank = used.get(width).copied().unwrap_or(false);
    match &input.op {
        RelOp::Rank(rank) => {
            rank.partition.iter().for_each(|&column| used[column] = true);
            rank.order.iter().for_each(|key| used[key.column] = true);
        }
        RelOp::Over(groups) => {
            for group in groups {
                group.partition.iter().for_each(|&column| used[column] = true);
                group.order.iter().for_each(|key| used[key.column] = true);
                group.calls.iter().flat_map(|call| &call.args).for_each(|arg| arg.mark_columns(&mut used));
            }
        }
        _ => return Rel::project(filtered(input, condition), exprs, names),
    }
    let kept: Vec<usize> = (0..width).filter(|&column| used[column]).collect();
    let moved = |column: usize| match column.checked_sub(width) {
        Some(result) => kept.len() + result,
        None => kept.iter().position(|&own| own == column).unwrap_or_default(),
    };
    let mut fields: Vec<_> = kept.iter().map(|&column| input.schema.fields[column].clone()).collect();
    let (op, results) = match input.op.clone() {
        RelOp::Rank(mut rank) => {
            rank.partition.iter_mut().for_each(|column| *column = moved(*column));
            rank.order.iter_mut().for_each(|key| key.column = moved(key.column));
            let results = if with_rank { &input.schema.fields[width..] } else { &[] };
            (RelOp::Rank(Rank { with_rank, ..rank }), results)
        }
        RelOp::Over(mut groups) => {
            for group in &mut groups {
                group.partition.iter_mut().for_each(|column| *column = moved(*column));
                group.order.iter_mut().for_each(|key| key.column = moved(key.column));
                for arg in group.calls.iter_mut().flat_map(|call| &mut call.args) {
                    *arg = arg.clone().map_columns(&moved);
                }
            }
            (RelOp::Over(groups), &input.schema.fields[width..])
        }
        op => (op, &input.schema.fields[width..]),
    };
    fields.extend(results.iter().cloned());
    let source = input.into_input();
    let source = match (&source.op, &op) {
        _ if kept.len() == width => source,
        // Flink prunes the rows of a window behind the window function.
        (RelOp::Window(_), RelOp::Rank(_)) => Rel::keep(source, &kept),
        _ => push(Rel::keep(source, &kept)),
    };
    let pruned = Rel { op, inputs: vec![source], schema: tidegate_data::Schema { fields } };
    let pruned = filtered(pruned, condition.map(|condition| condition.map_columns(&moved)));
    let exprs = exprs.into_iter().map(|rex| rex.map_columns(&moved)).collect();
    Rel::project(pruned, exprs, names)
}

fn filtered(rel: Rel, condition: Option<Rex>) -> Rel {
    match condition {
        Some(condition) => Rel::filter(rel, condition),
        None => rel,
    }
}
