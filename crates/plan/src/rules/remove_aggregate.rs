//! `GROUP BY id` over rows that are unique by `id` groups nothing: it is a projection, as long as there is nothing but SUM,
//! MIN and MAX in it. So is `SELECT DISTINCT` over distinct rows.

use tidegate_expr::AggregateFunction;

use crate::logical::{AggFunction, Rel, RelOp};
use crate::unique::is_unique;

/// Removes aggregates that group single rows.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| {
        let RelOp::Aggregate(aggregate) = &rel.op else { return rel };
        let simple = aggregate.calls.iter().all(|call| {
            use AggregateFunction::{Max, Min, Sum};
            matches!(call.function, AggFunction::Sql(Sum | Min | Max)) && call.filter.is_none() && call.args.len() == 1
        });
        if aggregate.keys.is_empty() || !simple || !is_unique(rel.input(), &aggregate.keys) {
            return rel;
        }
        let columns: Vec<usize> =
            aggregate.keys.iter().copied().chain(aggregate.calls.iter().map(|call| call.args[0])).collect();
        let types: Vec<_> = rel.schema.fields.iter().map(|field| field.ty.clone()).collect();
        let input = rel.into_input();
        let names = columns.iter().map(|&i| input.schema.fields[i].name.clone()).collect();
        let exprs = columns.iter().zip(types).map(|(&i, ty)| {
            let column = input.column(i);
            if column.ty.logical == ty.logical { column } else { column.typed_as(&ty) }
        });
        let exprs = exprs.collect();
        Rel::project(input, exprs, crate::bind::uniquify(names))
    })
}
