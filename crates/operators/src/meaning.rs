//! What the rows of a state table mean, in words: state that means something else is not taken for them.

use tidegate_data::Schema;
use tidegate_expr::{AggregateCall, AggregateFunction};

use crate::sort_key::SortColumn;

/// The aggregate calls with their arguments.
pub(crate) fn calls(calls: &[AggregateCall], input: &Schema) -> String {
    calls.iter().map(|call| self::call(call, input)).collect::<Vec<_>>().join(", ")
}

/// The aggregate calls with their arguments, and what they are grouped by.
pub(crate) fn calls_by(calls: &[AggregateCall], input: &Schema, keys: &[usize]) -> String {
    format!("{} by ({})", self::calls(calls, input), columns(keys, input))
}

fn call(call: &AggregateCall, input: &Schema) -> String {
    let counts_rows = call.function == AggregateFunction::Count && call.args.is_empty();
    let args = if counts_rows { "*".to_owned() } else { columns(&call.args, input) };
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let filter = if call.filter.is_some() { " FILTER" } else { "" };
    format!("{}({distinct}{args}){filter}", call.function.name())
}

/// Names of columns. What the planner computes before the operator has a name by its place alone: its type stands for it.
pub(crate) fn columns(columns: &[usize], input: &Schema) -> String {
    let name = |column: &usize| {
        let field = &input.fields[*column];
        if field.name.starts_with(['$', '%']) || field.name.starts_with("EXPR$") {
            field.ty.logical.to_string()
        } else {
            field.name.clone()
        }
    };
    columns.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Whole rows.
pub(crate) fn rows(input: &Schema) -> String {
    let types: Vec<String> = input.fields.iter().map(|field| field.ty.to_string()).collect();
    format!("rows ({})", types.join(", "))
}

/// Whole rows under a key.
pub(crate) fn rows_by(input: &Schema, keys: &[usize]) -> String {
    format!("{} by ({})", rows(input), columns(keys, input))
}

/// An ORDER BY.
pub(crate) fn order(order: &[SortColumn], input: &Schema) -> String {
    let column = |sort: &SortColumn| {
        let direction = if sort.descending { " DESC" } else { "" };
        let nulls = if sort.nulls_first { " NULLS FIRST" } else { " NULLS LAST" };
        columns(&[sort.column], input) + direction + nulls
    };
    format!("ordered by {}", order.iter().map(column).collect::<Vec<_>>().join(", "))
}

/// Whole rows of partitions, in an order.
pub(crate) fn ranked(input: &Schema, partition: &[usize], order: &[SortColumn]) -> String {
    format!("{}, {}", rows_by(input, partition), self::order(order, input))
}
