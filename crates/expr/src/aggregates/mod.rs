//! Aggregate functions: names, argument checks and exact result types.

mod accumulator;
mod avg;
mod batch;
mod columns;
mod count;
mod dynamic;
mod json;
mod kernel;
mod lists;
mod min_max;
mod sum;
#[cfg(test)]
mod tests;

pub use accumulator::{Accumulator, accumulator, deltas};
pub use batch::{Batch, Emit, Multiset, Results, Step};
pub use columns::encode_value;

use tidegate_data::{DataType, LogicalType};

use crate::build::CallError;

/// One aggregate call of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateCall {
    /// The function.
    pub function: AggregateFunction,
    /// Input columns; `COUNT(*)` has none.
    pub args: Vec<usize>,
    /// The input column (BOOLEAN) of a FILTER clause.
    pub filter: Option<usize>,
    /// Whether only distinct values count.
    pub distinct: bool,
    /// The result type.
    pub ty: DataType,
    /// The output column's name.
    pub name: String,
}

/// The aggregate functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateFunction {
    /// COUNT(x), or COUNT(*) without an argument.
    Count,
    /// SUM(x).
    Sum,
    /// MIN(x).
    Min,
    /// MAX(x).
    Max,
    /// AVG(x).
    Avg,
    /// FIRST_VALUE(x).
    FirstValue,
    /// LAST_VALUE(x).
    LastValue,
    /// LISTAGG(text, delimiter).
    ListAgg,
    /// ARRAY_AGG(x).
    ArrayAgg,
    /// COLLECT(x).
    Collect,
    /// PERCENTILE(x, fraction).
    Percentile,
    /// JSON_OBJECTAGG(KEY k VALUE v): `[k, v as JSON]`, with or without members that are NULL; not found by name.
    JsonObjectAgg {
        /// ABSENT ON NULL.
        absent: bool,
    },
    /// JSON_ARRAYAGG(v): `[v as JSON]`, with or without items that are NULL; not found by name.
    JsonArrayAgg {
        /// ABSENT ON NULL.
        absent: bool,
    },
    /// The value of the only row there is: a subquery as a value; not found by name.
    SingleValue,
    /// LAG(x, offset, default) with OVER; not found by name.
    Lag,
    /// RANK() with OVER, its arguments the order's columns; not found by name.
    Rank,
    /// DENSE_RANK() with OVER, as RANK.
    DenseRank,
}

impl AggregateFunction {
    /// All that have a name of their own in SQL.
    pub const ALL: [AggregateFunction; 11] = [
        AggregateFunction::Count,
        AggregateFunction::Sum,
        AggregateFunction::Min,
        AggregateFunction::Max,
        AggregateFunction::Avg,
        AggregateFunction::FirstValue,
        AggregateFunction::LastValue,
        AggregateFunction::ListAgg,
        AggregateFunction::ArrayAgg,
        AggregateFunction::Collect,
        AggregateFunction::Percentile,
    ];

    /// The SQL name.
    pub const fn name(self) -> &'static str {
        match self {
            AggregateFunction::Count => "COUNT",
            AggregateFunction::Sum => "SUM",
            AggregateFunction::Min => "MIN",
            AggregateFunction::Max => "MAX",
            AggregateFunction::Avg => "AVG",
            AggregateFunction::FirstValue => "FIRST_VALUE",
            AggregateFunction::LastValue => "LAST_VALUE",
            AggregateFunction::ListAgg => "LISTAGG",
            AggregateFunction::ArrayAgg => "ARRAY_AGG",
            AggregateFunction::Collect => "COLLECT",
            AggregateFunction::Percentile => "PERCENTILE",
            AggregateFunction::JsonObjectAgg { absent: false } => "JSON_OBJECTAGG_NULL_ON_NULL",
            AggregateFunction::JsonObjectAgg { absent: true } => "JSON_OBJECTAGG_ABSENT_ON_NULL",
            AggregateFunction::JsonArrayAgg { absent: false } => "JSON_ARRAYAGG_NULL_ON_NULL",
            AggregateFunction::JsonArrayAgg { absent: true } => "JSON_ARRAYAGG_ABSENT_ON_NULL",
            AggregateFunction::SingleValue => "SINGLE_VALUE",
            AggregateFunction::Lag => "LAG",
            AggregateFunction::Rank => "RANK",
            AggregateFunction::DenseRank => "DENSE_RANK",
        }
    }
}

/// The function that `name` means for arguments of these types, and its result type.
///
/// Nullability is that of a grouped call without FILTER: an aggregate other than COUNT over a `NOT NULL` argument is
/// `NOT NULL`. Without GROUP BY, or with FILTER, the caller makes it nullable (Calcite's `AGG_SUM`).
///
/// # Errors
/// When there is no such function, or it does not take such arguments.
pub fn resolve(name: &str, args: &[DataType], distinct: bool) -> Result<(AggregateFunction, DataType), CallError> {
    let function = AggregateFunction::ALL.into_iter().find(|function| function.name().eq_ignore_ascii_case(name));
    let function =
        function.ok_or_else(|| CallError::unknown(name, AggregateFunction::ALL.map(AggregateFunction::name)))?;
    if function == AggregateFunction::Count {
        if args.is_empty() && distinct {
            return Err(CallError::arguments("COUNT(DISTINCT *) is not a call of COUNT", None));
        }
        return Ok((function, DataType::not_null(LogicalType::BigInt)));
    }
    if let (AggregateFunction::ListAgg, [text, delimiter]) = (function, args)
        && text.logical.is_character()
        && delimiter.logical.is_character()
    {
        return Ok((function, DataType { nullable: text.nullable, ..DataType::string() }));
    }
    if let (AggregateFunction::Percentile, [value, fraction]) = (function, args)
        && value.logical.is_numeric()
        && fraction.logical.is_numeric()
    {
        return Ok((function, DataType::new(LogicalType::Double)));
    }
    let [arg] = args else {
        return Err(CallError::count(function.name(), args.len(), "1"));
    };
    let logical = match (function, &arg.logical) {
        (AggregateFunction::Sum, LogicalType::Decimal(_, scale)) => LogicalType::Decimal(38, *scale),
        (AggregateFunction::Avg, LogicalType::Decimal(_, scale)) => LogicalType::Decimal(38, (*scale).max(6)),
        (AggregateFunction::Sum | AggregateFunction::Avg, ty) if ty.is_numeric() => ty.clone(),
        // Of nested types the planner has none.
        (AggregateFunction::Min | AggregateFunction::Max, ty) => ty.without_time_attribute(),
        (AggregateFunction::FirstValue | AggregateFunction::LastValue, ty) => ty.without_time_attribute(),
        (AggregateFunction::ArrayAgg, ty) => {
            let element = DataType { logical: ty.without_time_attribute(), nullable: arg.nullable };
            return Ok((function, DataType::new(LogicalType::Array(Box::new(element)))));
        }
        (AggregateFunction::Collect, ty) => {
            let element = DataType { logical: ty.without_time_attribute(), nullable: arg.nullable };
            return Ok((function, DataType::not_null(LogicalType::Multiset(Box::new(element)))));
        }
        (AggregateFunction::ListAgg, ty) if ty.is_character() => {
            return Ok((function, DataType { nullable: arg.nullable, ..DataType::string() }));
        }
        (AggregateFunction::ListAgg, _) => {
            return Err(CallError::cannot_apply(
                "LISTAGG",
                args,
                &["LISTAGG(<CHARACTER>)".into(), "LISTAGG(<CHARACTER>, <CHARACTER>)".into()],
            ));
        }
        (AggregateFunction::Sum | AggregateFunction::Avg, _) => {
            return Err(CallError::cannot_apply(function.name(), args, &[format!("{}(<NUMERIC>)", function.name())]));
        }
        _ => {
            let form = format!("{}(<COMPARABLE_TYPE>)", function.name());
            return Err(CallError::cannot_apply(function.name(), args, &[form]));
        }
    };
    Ok((function, DataType { logical, nullable: arg.nullable }))
}
