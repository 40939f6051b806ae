//! `INTERSECT ALL` and `EXCEPT ALL`: the rows of both sides are counted, and each comes out as often as the counts say.

use tidegate_data::{DataType, LogicalType, Value};
use tidegate_expr::AggregateFunction;

use super::query::coerce;
use super::uniquify;
use crate::correlate::Correlate;
use crate::logical::{AggCall, AggFunction, Aggregate, Rel, RelOp};
use crate::physical::TableFunction;
use crate::rex::Rex;

/// Rows that are on both sides, as often as on the one that has fewer.
pub(super) fn intersect_all(union: Rel) -> Option<Rel> {
    let boolean = DataType::new(LogicalType::Boolean);
    let markers = [[Rex::boolean(true), Rex::null(&boolean)], [Rex::null(&boolean), Rex::boolean(true)]];
    let counts = ["vcol_left_cnt", "vcol_right_cnt"].map(|name| (AggregateFunction::Count, name, not_null_bigint()));
    let names = ["vcol_left_marker", "vcol_right_marker"];
    let counted = counted(union, markers.map(Vec::from), &names, &counts)?;
    let width = counted.width() - 2;
    let (left, right) = (counted.column(width), counted.column(width + 1));
    let is_there = |count: &Rex| Rex::call(">=", vec![count.clone(), Rex::literal(Value::Int(1), int())]).ok();
    let both = Rel::filter(counted, Rex::and(vec![is_there(&left)?, is_there(&right)?]));
    let more = Rex::call(">", vec![left.clone(), right.clone()]).ok()?;
    let fewer = Rex::call("IF", vec![more, right, left]).ok()?;
    Some(repeated(both, width, fewer, "$f0"))
}

/// Rows of the left side, as often as there are more of them than on the right side.
pub(super) fn except_all(union: Rel) -> Option<Rel> {
    let marker = |value: i64| vec![Rex::literal(Value::Int(value), not_null_bigint())];
    let sum = [(AggregateFunction::Sum, "sum_vcol_marker", DataType::new(LogicalType::BigInt))];
    let summed = counted(union, [marker(1), marker(-1)], &["vcol_marker"], &sum)?;
    let width = summed.width() - 1;
    let sum = summed.column(width);
    let some = Rex::call(">", vec![sum.clone(), Rex::literal(Value::Int(0), int())]).ok()?;
    Some(repeated(Rel::filter(summed, some), width, sum, "sum_vcol_marker"))
}

fn int() -> DataType {
    DataType::not_null(LogicalType::Int)
}

fn not_null_bigint() -> DataType {
    DataType::not_null(LogicalType::BigInt)
}

/// The different rows of both sides, with an aggregate over each of the columns that `markers` adds to the sides.
fn counted(
    union: Rel,
    markers: [Vec<Rex>; 2],
    names: &[&str],
    calls: &[(AggregateFunction, &str, DataType)],
) -> Option<Rel> {
    let Rel { mut inputs, mut schema, .. } = union;
    let width = schema.fields.len();
    let (right, left) = (inputs.pop()?, inputs.pop()?);
    let sides = [left, right].into_iter().zip(markers).map(|(side, markers)| {
        let side = coerce(side, &schema);
        let own = side.names();
        let mut exprs: Vec<Rex> = (0..width).map(|column| side.column(column)).collect();
        exprs.extend(markers);
        Rel::project(side, exprs, own.into_iter().chain(names.iter().map(|name| (*name).to_owned())).collect())
    });
    let sides: Vec<Rel> = sides.collect();
    for (i, name) in names.iter().enumerate() {
        let nullable = sides.iter().any(|side| side.schema.fields[width + i].ty.nullable);
        let ty = sides[0].schema.fields[width + i].ty.with_nullable(nullable);
        schema.fields.push(tidegate_data::Field { name: (*name).to_owned(), ty });
    }
    let all = Rel { op: RelOp::Union, inputs: sides, schema };
    let calls = calls.iter().enumerate().map(|(i, (function, name, ty))| AggCall {
        function: AggFunction::Sql(*function),
        distinct: false,
        args: vec![width + i],
        filter: None,
        ty: ty.clone(),
        name: Some((*name).to_owned()),
    });
    Some(Rel::aggregate(all, Aggregate { keys: (0..width).collect(), calls: calls.collect(), ttl: None }))
}

/// The first `width` columns, each row `times`.
fn repeated(rel: Rel, width: usize, times: Rex, name: &str) -> Rel {
    let names: Vec<String> = rel.names().into_iter().take(width).collect();
    let mut exprs = vec![times];
    exprs.extend((0..width).map(|column| rel.column(column)));
    let input = Rel::project(rel, exprs, uniquify([name.to_owned()].into_iter().chain(names.clone()).collect()));
    let columns = input.schema.fields[1..].to_vec();
    let args = (0..=width).map(|column| input.column(column)).collect();
    let correlate = Correlate { function: TableFunction::Replicate, args, columns, condition: None, outer: false };
    let repeated = correlate.over(input);
    let exprs = (width + 1..2 * width + 1).map(|column| repeated.column(column)).collect();
    Rel::project(repeated, exprs, names)
}
