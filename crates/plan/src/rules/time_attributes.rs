//! A time attribute that is computed with becomes a plain timestamp: `ts + INTERVAL '1' DAY` reads `CAST(ts AS TIMESTAMP(3))`.
//! So does one that is grouped by or aggregated; passed on as it is, it stays one.

use tidegate_data::DataType;

use crate::logical::{Aggregate, Rel, RelOp};
use crate::rex::{Rex, RexKind};
use crate::window::window_columns;

/// Makes plain timestamps of time attributes where Flink does.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |mut rel| {
        match &rel.op {
            RelOp::Filter(_) => {
                if let RelOp::Filter(condition) = rel.op {
                    rel.op = RelOp::Filter(materialize(condition, true));
                }
            }
            RelOp::Project(_) => {
                if let RelOp::Project(exprs) = rel.op {
                    rel.op = RelOp::Project(exprs.into_iter().map(|rex| materialize(rex, false)).collect());
                }
            }
            RelOp::Aggregate(aggregate) => {
                let aggregate = aggregate.clone();
                return below_aggregate(rel, aggregate);
            }
            _ => {}
        }
        rel
    })
}

fn is_attribute(ty: &DataType) -> bool {
    ty.is_rowtime() || ty.is_proctime()
}

fn plain(ty: &DataType) -> DataType {
    DataType { logical: ty.logical.without_time_attribute(), nullable: ty.nullable }
}

fn materialize(rex: Rex, inside: bool) -> Rex {
    if inside && matches!(rex.kind, RexKind::Column(_)) && is_attribute(&rex.ty) {
        let ty = plain(&rex.ty);
        return rex.as_type(&ty);
    }
    // A cast to a plain timestamp is such a cast already.
    if let RexKind::Cast { input, .. } = &rex.kind {
        if matches!(input.kind, RexKind::Column(_)) {
            return rex;
        }
    }
    rex.map_children(&mut |child| materialize(child, true))
}

/// Keys and arguments that are time attributes; those of a window aggregate's window stay.
fn below_aggregate(rel: Rel, aggregate: Aggregate) -> Rel {
    let window = window_columns(rel.input());
    let grouped_by_window = window.as_ref().is_some_and(|window| window.is_grouped(&aggregate.keys));
    let mut changed: Vec<usize> = aggregate.calls.iter().flat_map(|call| call.args.iter().copied()).collect();
    changed.extend(aggregate.keys.iter().copied().filter(|key| {
        !(grouped_by_window && window.as_ref().is_some_and(|window| window.time.contains(key)))
    }));
    changed.retain(|&column| is_attribute(&rel.input().schema.fields[column].ty));
    if changed.is_empty() {
        return rel;
    }
    let input = rel.into_input();
    let names = input.names();
    let exprs = (0..input.width())
        .map(|i| {
            let column = input.column(i);
            let ty = plain(&column.ty);
            if changed.contains(&i) { column.as_type(&ty) } else { column }
        })
        .collect();
    Rel::aggregate(Rel::project(input, exprs, names), aggregate)
}
