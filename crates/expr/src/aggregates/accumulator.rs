//! The contract of an aggregate function at run time, and which one serves a call.

use std::borrow::Cow;

use arrow_array::{Array, ArrayRef, BooleanArray};
use tidegate_data::{DataType, SlotColumn, SlotType};

use super::batch::{Batch, Emit, Multiset, Results};
use super::dynamic::Lists;
use super::{AggregateCall, AggregateFunction, avg, count, json, lists, min_max, sum};

/// An aggregate function over state columns that somebody else keeps, a chunk of rows at a time.
///
/// The state of a group that is not there is all zero (see [`SlotColumn`]).
pub trait Accumulator {
    /// Its state columns: a label for people (none: not shown; `?`: where it is 0, the column before it is NULL), and the type.
    fn columns(&self) -> Vec<(&'static str, SlotType)>;

    /// Whether it needs a [`Multiset`] of its argument's values per group.
    fn needs_multiset(&self) -> bool {
        false
    }

    /// Whether rows with a NULL argument do not count (SQL's rule; very few functions see NULLs).
    fn skips_nulls(&self) -> bool {
        true
    }

    /// Brings the state up to date row by row, in the order of the rows, and gives the results that are wanted.
    ///
    /// `changed` gets true where the group's result before and after the row differ; it is left as it is elsewhere.
    fn update(
        &self,
        batch: &Batch<'_>,
        columns: &mut [SlotColumn],
        multiset: Option<&mut dyn Multiset>,
        emit: Emit,
        changed: Option<&mut [bool]>,
    ) -> Option<Results>;

    /// What is wrong with the state of one of these groups, in Flink's words.
    fn fault(&self, slots: &[u32], columns: &[SlotColumn]) -> Option<&'static str> {
        let _ = (slots, columns);
        None
    }

    /// The results of these groups as of now.
    fn results(&self, slots: &[u32], columns: &mut [SlotColumn]) -> Results;
}

/// What computes `call` over arguments of these types; `retracting`: rows may also be taken away.
pub fn accumulator(call: &AggregateCall, args: &[DataType], retracting: bool) -> Box<dyn Accumulator> {
    match (call.function, args) {
        (AggregateFunction::Count, _) => Box::new(count::Count),
        (AggregateFunction::Sum, [arg, ..]) => Box::new(sum::Sum::new(arg)),
        (AggregateFunction::Avg, [arg, ..]) => Box::new(avg::Avg::new(arg, &call.ty)),
        (AggregateFunction::Min, [arg, ..]) => Box::new(min_max::MinMax::new(arg, min_max::End::Low, retracting)),
        (AggregateFunction::Max, [arg, ..]) => Box::new(min_max::MinMax::new(arg, min_max::End::High, retracting)),
        (AggregateFunction::FirstValue, [arg, ..]) => {
            Lists::boxed(lists::Edge { ty: arg.clone(), last: false, retracting })
        }
        (AggregateFunction::LastValue, [arg, ..]) => {
            Lists::boxed(lists::Edge { ty: arg.clone(), last: true, retracting })
        }
        (AggregateFunction::ListAgg, [_, ..]) => Lists::boxed(lists::ListAgg),
        (AggregateFunction::ArrayAgg, [arg, ..]) => Lists::boxed(lists::ArrayAgg { ty: arg.clone() }),
        (AggregateFunction::Collect, [arg, ..]) => Lists::boxed(lists::Collect { ty: arg.clone() }),
        (AggregateFunction::Percentile, [arg, fraction]) => {
            Lists::boxed(lists::Percentile { ty: arg.clone(), fraction: fraction.clone() })
        }
        (AggregateFunction::JsonObjectAgg { absent }, [_, _]) => Lists::boxed(json::Members { absent }),
        (AggregateFunction::JsonArrayAgg { absent }, [_]) => Lists::boxed(json::Elements { absent }),
        (AggregateFunction::SingleValue, [arg, ..]) => Lists::boxed(lists::Single { ty: arg.clone() }),
        (AggregateFunction::Lag, [arg, ..]) => Lists::boxed(lists::Lag { ty: arg.clone() }),
        (AggregateFunction::Rank, _) => Lists::boxed(lists::Ranking { dense: false }),
        (AggregateFunction::DenseRank, _) => Lists::boxed(lists::Ranking { dense: true }),
        (function, _) => unreachable!("{} has other arguments", function.name()),
    }
}

/// What each row does to an aggregate (see [`Batch::deltas`]): its sign, or 0 where an argument is NULL or the FILTER does not hold.
pub fn deltas<'a>(
    signs: Option<&'a [i8]>,
    nulls_of: &[ArrayRef],
    filter: Option<&BooleanArray>,
) -> Option<Cow<'a, [i8]>> {
    let mut deltas = signs.map(Cow::Borrowed);
    let mut keep = |len: usize, keep: &dyn Fn(usize) -> bool| {
        let deltas = deltas.get_or_insert_with(|| Cow::Owned(vec![1; len])).to_mut();
        deltas.iter_mut().enumerate().filter(|(row, _)| !keep(*row)).for_each(|(_, delta)| *delta = 0);
    };
    for column in nulls_of {
        // A bare NULL has no validity buffer: all its rows are NULL.
        if let Some(nulls) = column.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
            keep(column.len(), &|row| nulls.is_valid(row));
        }
    }
    if let Some(filter) = filter {
        keep(filter.len(), &|row| filter.is_valid(row) && filter.value(row));
    }
    deltas
}
