//! `COUNT(v), SUM(v), AVG(v)` needs only a count and a sum: AVG and SUM are computed from them above the aggregate. Flink's
//! planner does so when it leaves fewer calls; the rule is needed to the row, since a sum whose average is the same is still
//! an update.

use tidegate_data::{DataType, LogicalType, Value};
use tidegate_expr::AggregateFunction::{Avg, Count, Max, Min, Sum};

use crate::logical::{AggCall, AggFunction, Aggregate, Rel, RelOp};
use crate::rex::{Rex, RexKind};

/// Reduces the aggregates of a plan where it pays.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| reduce(&rel).unwrap_or(rel))
}

struct Reduction<'a> {
    input: &'a Rel,
    keys: &'a [usize],
    calls: Vec<AggCall>,
}

impl Reduction<'_> {
    /// The column of a call in the reduced aggregate; equal calls are one.
    fn add(&mut self, call: AggCall) -> Rex {
        let same = |own: &AggCall| {
            own.function == call.function
                && own.distinct == call.distinct
                && own.args == call.args
                && own.filter == call.filter
        };
        let position = match self.calls.iter().position(same) {
            Some(position) => position,
            None => {
                self.calls.push(call);
                self.calls.len() - 1
            }
        };
        Rex::column(self.keys.len() + position, self.calls[position].ty.clone())
    }

    /// COUNT of the call's argument: COUNT(*) where it is never NULL.
    fn count(&mut self, call: &AggCall) -> Rex {
        let nullable = self.input.schema.fields[call.args[0]].ty.nullable;
        let args = if nullable || call.distinct { call.args.clone() } else { Vec::new() };
        self.add(AggCall {
            function: AggFunction::Sql(Count),
            distinct: call.distinct,
            args,
            filter: call.filter,
            ty: DataType::not_null(LogicalType::BigInt),
            name: None,
        })
    }

    /// SUM(x) as `CASE WHEN COUNT(x) = 0 THEN NULL ELSE $SUM0(x) END`.
    fn sum(&mut self, call: &AggCall, ty: &DataType, name: Option<String>) -> Option<Rex> {
        let sum0 = AggCall { function: AggFunction::Sum0, ty: ty.with_nullable(false), name, ..call.clone() };
        let nullable = ty.nullable;
        let sum = self.add(sum0);
        if !nullable {
            return Some(sum);
        }
        let count = self.count(call);
        let none = is_zero(count);
        let kind = RexKind::Case { branches: vec![(none, Rex::null(ty))], otherwise: Box::new(sum) };
        Some(Rex { kind, ty: ty.with_nullable(true) })
    }
}

fn is_zero(count: Rex) -> Rex {
    let zero = Rex::literal(Value::Int(0), DataType::not_null(LogicalType::Int));
    Rex::typed_call("=", vec![count, zero], DataType::not_null(LogicalType::Boolean))
}

fn reduce(rel: &Rel) -> Option<Rel> {
    let RelOp::Aggregate(aggregate) = &rel.op else { return None };
    let keys = aggregate.keys.as_slice();
    let mut reduction = Reduction { input: rel.input(), keys, calls: Vec::new() };
    let mut exprs: Vec<Rex> = (0..keys.len()).map(|key| rel.column(key)).collect();
    for call in &aggregate.calls {
        let key = call.args.first().and_then(|arg| keys.iter().position(|key| key == arg));
        let plain = call.filter.is_none() && !call.distinct;
        let rex = match call.function {
            // Of a key all values are equal.
            AggFunction::Sql(Min | Max | Avg)
                if plain && key.is_some_and(|key| rel.schema.fields[key].ty.logical == call.ty.logical) =>
            {
                rel.column(key.unwrap_or_default())
            }
            AggFunction::Sql(Sum) => reduction.sum(call, &call.ty, call.name.clone())?,
            AggFunction::Sql(Avg) => average(&mut reduction, call)?,
            _ => reduction.add(call.clone()),
        };
        exprs.push(rex);
    }
    if reduction.calls.len() >= aggregate.calls.len() {
        return None;
    }
    let calls = reduction.calls;
    let names = rel.names();
    let aggregated = Rel::aggregate(rel.input().clone(), Aggregate { keys: keys.to_vec(), calls, ttl: aggregate.ttl });
    Some(Rel::project(aggregated, exprs, names))
}

/// AVG(x) as the sum divided by the count, cast to the average's type.
fn average(reduction: &mut Reduction<'_>, call: &AggCall) -> Option<Rex> {
    let arg = &reduction.input.schema.fields[call.args[0]].ty;
    let (_, mut sum_type) = tidegate_expr::aggregates::resolve("SUM", std::slice::from_ref(arg), call.distinct).ok()?;
    sum_type.nullable = call.ty.nullable;
    let sum = reduction.sum(call, &sum_type, None)?;
    let count = reduction.count(call);
    let quotient = Rex::call("/", vec![sum, count]).ok()?;
    if quotient.ty.logical == call.ty.logical {
        return Some(quotient);
    }
    quotient.cast(&call.ty, false).ok()
}
