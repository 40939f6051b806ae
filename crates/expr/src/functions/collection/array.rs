//! The functions of arrays: ARRAY_APPEND to ARRAY_UNION, and SPLIT.

use std::cmp::Ordering;
use tidegate_data::sorted;

use tidegate_data::{DataType, LogicalType, Value};

use super::{Entry, Takes, compare, element, entry, equal, items, of_element};
use crate::Expr;
use crate::eval::EvalError;
use crate::functions::Call;
use crate::functions::signature::any_nullable;

pub(super) const TABLE: &[Entry] = &[
    entry("ARRAY_APPEND", &[Takes::Array, Takes::Element], 2, extended, |_, row| {
        Ok(Value::List(items(&row[0]).iter().chain([&row[1]]).cloned().collect()))
    })
    .lenient(),
    entry("ARRAY_PREPEND", &[Takes::Array, Takes::Element], 2, extended, |_, row| {
        Ok(Value::List([&row[1]].into_iter().chain(items(&row[0])).cloned().collect()))
    })
    .lenient(),
    entry("ARRAY_CONCAT", &[Takes::SameArray], 1, as_first_if_any, |_, row| {
        Ok(Value::List(row.iter().flat_map(items).cloned().collect()))
    })
    .repeating(),
    entry("ARRAY_CONTAINS", &[Takes::Array, Takes::Element], 2, truth, |_, row| {
        Ok(Value::Boolean(items(&row[0]).iter().any(|item| equal(item, &row[1]))))
    })
    .lenient(),
    entry("ARRAY_DISTINCT", &[Takes::Array], 1, as_first, |_, row| Ok(distinct(items(&row[0]).iter()))),
    entry("ARRAY_EXCEPT", &[Takes::SameArray, Takes::SameArray], 2, as_first_if_any, |_, row| {
        let without = items(&row[1]);
        Ok(distinct(items(&row[0]).iter().filter(|item| !without.iter().any(|other| equal(item, other)))))
    }),
    entry("ARRAY_INTERSECT", &[Takes::SameArray, Takes::SameArray], 2, as_first_if_any, |_, row| {
        let with = items(&row[1]);
        Ok(distinct(items(&row[0]).iter().filter(|item| with.iter().any(|other| equal(item, other)))))
    }),
    entry("ARRAY_UNION", &[Takes::SameArray, Takes::SameArray], 2, as_first_if_any, |_, row| {
        Ok(distinct(row.iter().flat_map(items)))
    }),
    entry("ARRAY_JOIN", &[Takes::Texts, Takes::Text, Takes::Text], 2, text, join),
    entry("ARRAY_MAX", &[Takes::Array], 1, some_element, |_, row| Ok(extreme(&row[0], Ordering::Greater))),
    entry("ARRAY_MIN", &[Takes::Array], 1, some_element, |_, row| Ok(extreme(&row[0], Ordering::Less))),
    entry("ARRAY_POSITION", &[Takes::Array, Takes::Element], 2, number, |_, row| {
        let at = items(&row[0]).iter().position(|item| equal(item, &row[1]));
        Ok(Value::Int(at.map_or(0, |at| at as i64 + 1)))
    }),
    entry("ARRAY_REMOVE", &[Takes::Array, Takes::Element], 2, as_first, |_, row| {
        Ok(Value::List(items(&row[0]).iter().filter(|item| !equal(item, &row[1])).cloned().collect()))
    })
    .lenient(),
    entry("ARRAY_REVERSE", &[Takes::Array], 1, as_first, |_, row| {
        Ok(Value::List(items(&row[0]).iter().rev().cloned().collect()))
    }),
    entry("ARRAY_SLICE", &[Takes::Array, Takes::Integer, Takes::Integer], 2, as_first_if_any, slice),
    entry("ARRAY_SORT", &[Takes::Array, Takes::Boolean, Takes::Boolean], 1, as_first_if_any, sort),
    entry("SPLIT", &[Takes::Text, Takes::Text], 2, texts, split),
];

fn as_first(args: &[Expr]) -> DataType {
    args[0].ty.clone()
}

/// The first argument's type, NULL if any of them is.
fn as_first_if_any(args: &[Expr]) -> DataType {
    args[0].ty.with_nullable(any_nullable(args))
}

/// An array with one element more.
fn extended(args: &[Expr]) -> DataType {
    let own = of_element(&args[0].ty);
    let element = own.with_nullable(own.nullable || args[1].ty.nullable);
    DataType { logical: LogicalType::Array(Box::new(element)), nullable: any_nullable(args) }
}

fn truth(args: &[Expr]) -> DataType {
    DataType { logical: LogicalType::Boolean, nullable: args[0].ty.nullable }
}

fn number(args: &[Expr]) -> DataType {
    DataType { logical: LogicalType::Int, nullable: any_nullable(args) }
}

fn text(args: &[Expr]) -> DataType {
    DataType::string().with_nullable(any_nullable(args))
}

fn texts(args: &[Expr]) -> DataType {
    DataType { logical: LogicalType::Array(Box::new(DataType::string())), nullable: any_nullable(args) }
}

fn some_element(args: &[Expr]) -> DataType {
    of_element(&args[0].ty).with_nullable(true)
}

fn distinct<'v>(values: impl Iterator<Item = &'v Value>) -> Value {
    let mut kept: Vec<Value> = Vec::new();
    for value in values {
        if !kept.iter().any(|own| equal(own, value)) {
            kept.push(value.clone());
        }
    }
    Value::List(kept)
}

/// NULLs are left out, or replaced by a third argument.
fn join(_: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        _ => None,
    };
    let instead = row.get(2).and_then(text);
    let parts: Vec<String> = items(&row[0]).iter().filter_map(|item| text(item).or_else(|| instead.clone())).collect();
    Ok(Value::String(parts.join(&text(&row[1]).unwrap_or_default())))
}

fn extreme(array: &Value, wanted: Ordering) -> Value {
    let values = items(array).iter().filter(|item| !item.is_null());
    values.reduce(|best, item| if compare(item, best) == wanted { item } else { best }).cloned().unwrap_or(Value::Null)
}

/// From the first to the last position, both included; from the end where they are negative.
fn slice(_: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let array = items(&row[0]);
    let len = array.len() as i64;
    let place = |at: usize, default: i64| match row.get(at) {
        Some(Value::Int(at)) if *at < 0 => at + len + 1,
        Some(Value::Int(at)) => *at,
        _ => default,
    };
    let from = place(1, 1).max(1);
    let to = match place(2, len) {
        0 if row.get(2) == Some(&Value::Int(0)) => 1,
        to => to.min(len),
    };
    let range = if from > to { 0..0 } else { from as usize - 1..to as usize };
    Ok(Value::List(array.get(range).unwrap_or_default().to_vec()))
}

/// Ascending with NULLs first, unless told otherwise; NULLs are last where it is descending.
fn sort(call: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let flag = |at: usize, default: bool| match row.get(at) {
        Some(Value::Boolean(flag)) => *flag,
        _ => default,
    };
    debug_assert!(element(call.arg_type(0)).is_some());
    let ascending = flag(1, true);
    let nulls_first = flag(2, ascending);
    let (nulls, mut values): (Vec<Value>, Vec<Value>) = items(&row[0]).iter().cloned().partition(Value::is_null);
    sorted::sort_by(&mut values, |a, b| if ascending { compare(a, b) } else { compare(b, a) });
    let (first, second) = if nulls_first { (nulls, values) } else { (values, nulls) };
    Ok(Value::List(first.into_iter().chain(second).collect()))
}

/// By each occurrence of a delimiter; by nothing, into characters.
fn split(_: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let (Value::String(text), Value::String(delimiter)) = (&row[0], &row[1]) else { return Ok(Value::Null) };
    let parts: Vec<Value> = match delimiter.as_str() {
        "" => text.chars().map(|c| Value::String(c.to_string())).collect(),
        delimiter => text.split(delimiter).map(Value::from).collect(),
    };
    Ok(Value::List(parts))
}
