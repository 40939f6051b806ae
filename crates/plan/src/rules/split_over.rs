//! Calls with OVER get a node of their own: `SELECT k, SUM(v) OVER (…) + 1` is a projection over the window's columns.

use crate::logical::{Rel, RelOp};
use crate::over::{OverAgg, OverCall, OverFunction, OverGroup, SortColumn};
use crate::rex::{Rex, RexKind};

/// Takes the calls out of projections.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| split(&rel).unwrap_or(rel))
}

fn split(rel: &Rel) -> Option<Rel> {
    let RelOp::Project(exprs) = &rel.op else { return None };
    let mut calls: Vec<(OverCall, Rex)> = Vec::new();
    for rex in exprs {
        rex.any(&mut |part| {
            if let RexKind::Over(call) = &part.kind
                && !calls.iter().any(|(own, _)| own == &**call)
            {
                calls.push(((**call).clone(), part.clone()));
            }
            false
        });
    }
    if calls.is_empty() {
        return None;
    }
    // Below the window: all columns, then what its calls compute of them.
    let input = rel.input();
    let mut below: Vec<Rex> = (0..input.width()).map(|i| input.column(i)).collect();
    let mut names = input.names();
    let mut place = |rex: &Rex| {
        below.iter().position(|own| own == rex).unwrap_or_else(|| {
            names.push(format!("${}", below.len()));
            below.push(rex.clone());
            below.len() - 1
        })
    };
    let mut groups: Vec<OverGroup> = Vec::new();
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (call, rex) in &calls {
        let partition: Vec<usize> = call.partition.iter().map(&mut place).collect();
        let order: Vec<SortColumn> = call
            .order
            .iter()
            .map(|key| SortColumn { column: place(&key.rex), descending: key.descending, nulls_first: key.nulls_first })
            .collect();
        let shifts = matches!(call.function, OverFunction::Lag | OverFunction::Lead);
        let args = call
            .args
            .iter()
            .enumerate()
            .map(|(i, arg)| match arg.as_literal() {
                Some(_) if (shifts && i > 0) || call.function == OverFunction::Ntile => arg.clone(),
                _ => Rex::column(place(arg), arg.ty.clone()),
            })
            .collect();
        let agg = OverAgg { function: call.function, args, distinct: call.distinct, ty: rex.ty.clone() };
        let same =
            |group: &OverGroup| group.partition == partition && group.order == order && group.frame == call.frame;
        let group = groups.iter().position(same).unwrap_or_else(|| {
            groups.push(OverGroup { partition, order, frame: call.frame.clone(), calls: Vec::new() });
            groups.len() - 1
        });
        groups[group].calls.push(agg);
        places.push((group, groups[group].calls.len() - 1));
    }
    let width = below.len();
    let projected = match width == input.width() {
        true => input.clone(),
        false => Rel::project(input.clone(), below, names),
    };
    let before: Vec<usize> = groups
        .iter()
        .scan(width, |at, group| {
            let start = *at;
            *at += group.calls.len();
            Some(start)
        })
        .collect();
    let over = Rel::over(projected, groups);
    let column_of = |call: &OverCall, rex: &Rex| {
        let position = calls.iter().position(|(own, _)| own == call).unwrap_or_default();
        let (group, i) = places[position];
        Rex::column(before[group] + i, rex.ty.clone())
    };
    // Where nothing is computed of the results, Flink calls them by their places.
    let bare = exprs.iter().all(|rex| matches!(rex.kind, RexKind::Over(_) | RexKind::Column(_)));
    let names = rel.names().into_iter().zip(exprs).enumerate().map(|(i, (name, rex))| match rex.kind {
        RexKind::Over(_) if bare => format!("${i}"),
        _ => name,
    });
    let names = names.collect();
    let exprs = exprs.iter().map(|rex| replace(rex.clone(), &column_of)).collect();
    Some(Rel::project(over, exprs, names))
}

/// From the top, since a call holds expressions of its own.
fn replace(rex: Rex, column_of: &dyn Fn(&OverCall, &Rex) -> Rex) -> Rex {
    match &rex.kind {
        RexKind::Over(call) => column_of(call, &rex),
        _ => rex.map_children(&mut |child| replace(child, column_of)),
    }
}
