//! Aggregates over a list of values.

use std::cmp::Ordering;

use tidegate_data::{DataType, LogicalType, Value};
use tidegate_expr::AggregateFunction;
use tidegate_plan::bound::{AggFunction, Aggregate};

use super::big::Big;
use super::number::{exact, fitted, wrapped};
use super::rel::same;
use super::{Row, Stop, fails, unknown};

/// GROUP BY: the keys and the calls of each group. Where no rows are there is no group, also without keys.
///
/// # Errors
/// When a call cannot be computed.
pub fn rows(aggregate: &Aggregate, input: &[Row], types: &[DataType]) -> Result<Vec<Row>, Stop> {
    let mut groups: Vec<(Row, Vec<&Row>)> = Vec::new();
    for row in input {
        let key: Row = aggregate.keys.iter().map(|key| row[*key].clone()).collect();
        match groups.iter_mut().find(|(own, _)| same(own, &key)) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    let mut out = Vec::new();
    for (mut key, rows) in groups {
        for call in &aggregate.calls {
            let counted = rows.iter().filter(|row| call.filter.is_none_or(|at| row[at] == Value::Boolean(true)));
            let args: Vec<Row> = counted.map(|row| call.args.iter().map(|arg| row[*arg].clone()).collect()).collect();
            let ty = call.args.first().map(|arg| types[*arg].logical.clone());
            key.push(value(call.function, call.distinct, args, ty.as_ref(), &call.ty.logical)?);
        }
        out.push(key);
    }
    Ok(out)
}

/// An aggregate over the arguments of its rows, in the order of their coming.
///
/// # Errors
/// When it cannot be computed.
pub fn value(
    function: AggFunction,
    distinct: bool,
    args: Vec<Row>,
    from: Option<&LogicalType>,
    ty: &LogicalType,
) -> Result<Value, Stop> {
    let AggFunction::Sql(function) = function else {
        let sum = value(AggFunction::Sql(AggregateFunction::Sum), distinct, args, from, ty)?;
        let zero = if matches!(ty, LogicalType::Decimal(..)) { Value::Decimal(0) } else { Value::Int(0) };
        return Ok(if sum.is_null() { zero } else { sum });
    };
    let mut present: Vec<Row> = args.iter().filter(|args| !args.iter().any(Value::is_null)).cloned().collect();
    if distinct {
        let mut different: Vec<Row> = Vec::new();
        for args in present {
            if !different.iter().any(|own| same(own, &args)) {
                different.push(args);
            }
        }
        present = different;
    }
    let values: Vec<&Value> = present.iter().filter_map(|args| args.first()).collect();
    let count = present.len() as i64;
    let best = |wanted: Ordering| {
        let better = |best: &&Value, next: &&Value| super::rel::order(next, best) == wanted;
        let best = values.iter().copied().reduce(|best, next| if better(&best, &next) { next } else { best });
        best.cloned().unwrap_or(Value::Null)
    };
    match function {
        AggregateFunction::Count => Ok(Value::Int(count)),
        AggregateFunction::Min => Ok(best(Ordering::Less)),
        AggregateFunction::Max => Ok(best(Ordering::Greater)),
        AggregateFunction::SingleValue => match args.as_slice() {
            [] => Ok(Value::Null),
            [only] => Ok(only[0].clone()),
            _ => Err(fails("SingleValueAggFunction received more than one element.")),
        },
        AggregateFunction::Sum | AggregateFunction::Avg if count == 0 => Ok(Value::Null),
        AggregateFunction::Sum | AggregateFunction::Avg => {
            sum(&values, from.ok_or_else(|| unknown("a sum of nothing"))?, ty, function == AggregateFunction::Avg)
        }
        other => Err(unknown(other.name())),
    }
}

/// The sum, or the average, of at least one value.
fn sum(values: &[&Value], from: &LogicalType, ty: &LogicalType, average: bool) -> Result<Value, Stop> {
    let count = values.len() as i64;
    match ty {
        LogicalType::Double | LogicalType::Float => {
            let all = values.iter().filter_map(|value| super::number::double(value, from));
            let sum: f64 = all.sum::<f64>() / if average { count as f64 } else { 1.0 };
            Ok(if *ty == LogicalType::Float { Value::Float(sum as f32) } else { Value::Double(sum) })
        }
        LogicalType::Decimal(precision, scale) => {
            let all = values.iter().filter_map(|value| exact(value, from));
            let (sum, own) = all.fold((Big::of(0), 0), |(sum, _), (next, own)| (sum.plus(&next), own));
            if !average {
                return Ok(fitted(&sum, own.into(), *precision, *scale));
            }
            let shift = 40;
            let (quotient, _) = sum.shifted(shift).divided(&Big::of(count.into()));
            Ok(fitted(&quotient, i64::from(own) + shift as i64, *precision, *scale))
        }
        _ => {
            let sum: i128 = values.iter().map(|value| if let Value::Int(n) = value { i128::from(*n) } else { 0 }).sum();
            Ok(Value::Int(match average {
                false => wrapped(sum, ty),
                true => wrapped(i128::from(sum as i64 / count), ty),
            }))
        }
    }
}
