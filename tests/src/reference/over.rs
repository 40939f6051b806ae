//! Calls with OVER: for each row, over the rows of its partition.

use std::cmp::Ordering;

use tidegate_data::{DataType, Value};
use tidegate_plan::bound::{Bound, OverCall, OverFunction, Rex, RexKind, SortColumn};

use super::expr::value;
use super::rel::{by_columns, lower, same};
use super::{Row, Stop, aggregate, unknown};

/// The expressions with a column in the place of each call with OVER, and the rows with these columns behind them.
///
/// # Errors
/// When a call cannot be computed.
pub fn worked_out(exprs: &[Rex], width: usize, mut rows: Vec<Row>) -> Result<(Vec<Rex>, Vec<Row>), Stop> {
    let mut calls: Vec<OverCall> = Vec::new();
    let replaced = exprs.iter().cloned().map(|rex| {
        rex.transform(&mut |part| match part.kind {
            RexKind::Over(call) => {
                calls.push(*call);
                Rex::column(width + calls.len() - 1, part.ty)
            }
            _ => part,
        })
    });
    let replaced: Vec<Rex> = replaced.collect();
    let originals = rows.clone();
    for call in &calls {
        for (row, result) in rows.iter_mut().zip(computed(call, &originals)?) {
            row.push(result);
        }
    }
    Ok((replaced, rows))
}

fn computed(call: &OverCall, rows: &[Row]) -> Result<Vec<Value>, Stop> {
    let all = |exprs: Vec<&Rex>, row: &Row| -> Result<Row, Stop> {
        exprs.into_iter().map(|rex| value(&lower(rex)?, row)).collect()
    };
    let mut facts = Vec::new();
    for row in rows {
        let keys = all(call.order.iter().map(|key| &key.rex).collect(), row)?;
        facts.push((all(call.partition.iter().collect(), row)?, keys, all(call.args.iter().collect(), row)?));
    }
    let order: Vec<SortColumn> = (0..)
        .zip(&call.order)
        .map(|(column, key)| SortColumn { column, descending: key.descending, nulls_first: key.nulls_first })
        .collect();
    let mut out = Vec::new();
    for (own, (partition, keys, _)) in facts.iter().enumerate() {
        let mut peers: Vec<usize> = (0..rows.len()).filter(|at| same(&facts[*at].0, partition)).collect();
        peers.sort_by(|a, b| by_columns(&order, &facts[*a].1, &facts[*b].1));
        let place = peers.iter().position(|at| *at == own).unwrap_or(0);
        let before = |at: &&usize| by_columns(&order, &facts[**at].1, keys) == Ordering::Less;
        out.push(match call.function {
            OverFunction::RowNumber => Value::Int(place as i64 + 1),
            OverFunction::Rank => Value::Int(peers.iter().filter(before).count() as i64 + 1),
            OverFunction::DenseRank => {
                let mut smaller: Vec<&Row> = peers.iter().filter(before).map(|at| &facts[*at].1).collect();
                smaller.dedup_by(|a, b| same(a, b));
                Value::Int(smaller.len() as i64 + 1)
            }
            OverFunction::Aggregate(function) => {
                let within = peers.iter().enumerate().filter(|(index, at)| {
                    let (key, here) = (&facts[**at].1, keys);
                    match call.frame.rows {
                        true => {
                            by_rows(call.frame.start, *index, place, false)
                                && by_rows(call.frame.end, *index, place, true)
                        }
                        false => {
                            by_range(call.frame.start, key, here, &order, false)
                                && by_range(call.frame.end, key, here, &order, true)
                        }
                    }
                });
                let args: Vec<Row> = within.map(|(_, at)| facts[*at].2.clone()).collect();
                let ty = result_type(call, function)?;
                let from = call.args.first().map(|arg| arg.ty.logical.clone());
                aggregate::value(function, call.distinct, args, from.as_ref(), &ty.logical)?
            }
            other => return Err(unknown(other.name())),
        });
    }
    Ok(out)
}

fn result_type(call: &OverCall, function: tidegate_plan::bound::AggFunction) -> Result<DataType, Stop> {
    let args: Vec<DataType> = call.args.iter().map(|arg| arg.ty.clone()).collect();
    let resolved = tidegate_expr::aggregates::resolve(function.name().trim_matches(['$', '0']), &args, call.distinct);
    resolved.map(|(_, ty)| ty).map_err(|_| unknown(function.name()))
}

fn by_rows(bound: Bound, index: usize, place: usize, end: bool) -> bool {
    let apart = index as i64 - place as i64;
    let within = |limit: i64| if end { apart <= limit } else { apart >= limit };
    match bound {
        Bound::UnboundedPreceding | Bound::UnboundedFollowing => true,
        Bound::Preceding(n) => within(-n),
        Bound::CurrentRow => within(0),
        Bound::Following(n) => within(n),
    }
}

/// Rows of equal keys lie in a range together.
fn by_range(bound: Bound, key: &[Value], here: &[Value], order: &[SortColumn], end: bool) -> bool {
    let against = |distance: i64| {
        let moved: Row = here
            .iter()
            .map(|value| match value {
                Value::Int(time) => Value::Int(time + distance),
                other => other.clone(),
            })
            .collect();
        let order = by_columns(order, key, &moved);
        order == Ordering::Equal || (order == Ordering::Less) == end
    };
    match bound {
        Bound::UnboundedPreceding | Bound::UnboundedFollowing => true,
        Bound::Preceding(n) => against(-n),
        Bound::CurrentRow => against(0),
        Bound::Following(n) => against(n),
    }
}
