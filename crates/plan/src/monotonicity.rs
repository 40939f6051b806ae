//! Which columns of a node only ever grow or shrink when its rows are updated (Flink's modified monotonicity): the MAX of a
//! value that only grows can ignore retractions, so that no row in between is seen.

use tidegate_expr::AggregateFunction::{Count, Max, Min};

use crate::logical::{AggCall, AggFunction};
use crate::phys::{Changes, Phys, PhysKind};

/// What updates do to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotonicity {
    /// Nothing.
    Constant,
    /// Its values grow.
    Increasing,
    /// Its values shrink.
    Decreasing,
    /// Anything.
    None,
}

/// Whether retractions mean nothing to a call of an aggregate over this input.
pub fn ignores_retraction(call: &AggCall, keys: &[usize], input: &Phys) -> bool {
    let wanted = match call.function {
        AggFunction::Sql(Max) => Monotonicity::Increasing,
        AggFunction::Sql(Min) => Monotonicity::Decreasing,
        _ => return false,
    };
    match columns(input) {
        Some(columns) => {
            keys.iter().all(|&key| columns[key] == Monotonicity::Constant) && of_call(call, &columns) == wanted
        }
        None => false,
    }
}

fn of_call(call: &AggCall, input: &[Monotonicity]) -> Monotonicity {
    let own = match call.function {
        AggFunction::Sql(Count) => return Monotonicity::Increasing,
        AggFunction::Sql(Max) => Monotonicity::Increasing,
        AggFunction::Sql(Min) => Monotonicity::Decreasing,
        _ => return Monotonicity::None,
    };
    match call.args.first().map(|&arg| input[arg]) {
        Some(Monotonicity::Constant) => own,
        Some(below) if below == own => own,
        _ => Monotonicity::None,
    }
}

/// The columns of a node; `None` where rows are deleted or nothing is known.
pub fn columns(node: &Phys) -> Option<Vec<Monotonicity>> {
    let width = node.schema.fields.len();
    if node.changes.contains(Changes::DELETE) {
        return None;
    }
    if node.changes.is_insert_only() {
        return Some(vec![Monotonicity::Constant; width]);
    }
    match &node.kind {
        PhysKind::Exchange(_) | PhysKind::WatermarkAssigner { .. } | PhysKind::DropUpdateBefore => {
            columns(node.input())
        }
        PhysKind::Calc { projections, .. } => {
            let below = columns(node.input())?;
            let of = |rex: &crate::rex::Rex| match rex.as_column() {
                Some(column) => below[column],
                None if rex.reads_only(|column| below[column] == Monotonicity::Constant) => Monotonicity::Constant,
                None => Monotonicity::None,
            };
            Some(projections.iter().map(of).collect())
        }
        PhysKind::GroupAggregate { keys, calls, .. } => {
            let below = columns(node.input())?;
            if keys.iter().any(|&key| below[key] != Monotonicity::Constant) {
                return None;
            }
            let keys = keys.iter().map(|_| Monotonicity::Constant);
            Some(keys.chain(calls.iter().map(|call| of_call(call, &below))).collect())
        }
        _ => None,
    }
}
