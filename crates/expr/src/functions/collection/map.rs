//! The functions of maps: MAP_ENTRIES to MAP_VALUES, and STR_TO_MAP.

use tidegate_data::{DataType, Field, LogicalType, Value};

use super::order::{as_hash_map, deduplicated};
use super::{Entry, Takes, entries, entry, items, of_element};
use crate::Expr;
use crate::eval::EvalError;
use crate::functions::signature::any_nullable;
use crate::functions::{Call, regexp};

pub(super) const TABLE: &[Entry] = &[
    entry(
        "MAP_KEYS",
        &[Takes::Map],
        1,
        |args| array(args, parts(&args[0].ty).0),
        |_, row| Ok(Value::List(entries(&row[0]).iter().map(|(key, _)| key.clone()).collect())),
    ),
    entry(
        "MAP_VALUES",
        &[Takes::Map],
        1,
        |args| array(args, parts(&args[0].ty).1),
        |_, row| Ok(Value::List(entries(&row[0]).iter().map(|(_, value)| value.clone()).collect())),
    ),
    entry(
        "MAP_ENTRIES",
        &[Takes::Map],
        1,
        |args| {
            let (key, value) = parts(&args[0].ty);
            let fields = vec![Field { name: "key".into(), ty: key }, Field { name: "value".into(), ty: value }];
            array(args, DataType::new(LogicalType::Row(fields)))
        },
        |_, row| {
            let pair = |(key, value): &(Value, Value)| Value::List(vec![key.clone(), value.clone()]);
            Ok(Value::List(entries(&row[0]).iter().map(pair).collect()))
        },
    ),
    entry(
        "MAP_FROM_ARRAYS",
        &[Takes::Array, Takes::Array],
        2,
        |args| {
            let logical = LogicalType::Map(Box::new(of_element(&args[0].ty)), Box::new(of_element(&args[1].ty)));
            DataType { logical, nullable: any_nullable(args) }
        },
        from_arrays,
    )
    .risky(),
    entry(
        "MAP_UNION",
        &[Takes::SameMap],
        1,
        |args| args[0].ty.with_nullable(any_nullable(args)),
        // Those of the later map come first.
        |_, row| Ok(deduplicated(row.iter().rev().flat_map(entries).cloned(), false)),
    )
    .repeating(),
    entry(
        "STR_TO_MAP",
        &[Takes::Text, Takes::Text, Takes::Text],
        1,
        |_| DataType::new(LogicalType::Map(Box::new(DataType::string()), Box::new(DataType::string()))),
        str_to_map,
    )
    .risky(),
];

fn array(args: &[Expr], element: DataType) -> DataType {
    DataType { logical: LogicalType::Array(Box::new(element)), nullable: args[0].ty.nullable }
}

fn parts(ty: &DataType) -> (DataType, DataType) {
    match &ty.logical {
        LogicalType::Map(key, value) => ((**key).clone(), (**value).clone()),
        _ => (DataType::new(LogicalType::Null), DataType::new(LogicalType::Null)),
    }
}

fn no_null_key() -> EvalError {
    let mut error = EvalError::new("A key of a MAP is NULL.");
    error.diagnostic = error
        .diagnostic
        .hint("Maps with a NULL as a key are not kept here: leave such entries out, or give them another key.");
    error
}

/// `MAP[key, value, …]`.
pub(super) fn construct(_: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let mut kept = Vec::with_capacity(row.len() / 2);
    for pair in row.chunks_exact(2) {
        if pair[0].is_null() {
            return Err(no_null_key());
        }
        kept.push((pair[0].clone(), pair[1].clone()));
    }
    Ok(deduplicated(kept, true))
}

fn from_arrays(_: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let (keys, values) = (items(&row[0]), items(&row[1]));
    if keys.len() != values.len() {
        return Err(EvalError::new(format!(
            "Invalid function MAP_FROM_ARRAYS call:\nThe length of the keys array {} is not equal to the length of the values array {}",
            keys.len(),
            values.len()
        )));
    }
    if keys.iter().any(Value::is_null) {
        return Err(no_null_key());
    }
    Ok(Value::Map(keys.iter().cloned().zip(values.iter().cloned()).collect()))
}

/// Entries parted by one pattern, keys and values by another; what has no value has NULL.
fn str_to_map(_: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let text = |at: usize, default: &str| match row.get(at) {
        Some(Value::String(text)) => text.clone(),
        _ => default.to_owned(),
    };
    let (whole, list, pair) = (text(0, ""), text(1, ","), text(2, "="));
    if whole.is_empty() {
        return Ok(Value::Map(Vec::new()));
    }
    let mut parts = regexp::split(&list, &whole, usize::MAX).map_err(EvalError::new)?;
    while parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    let mut found = Vec::with_capacity(parts.len());
    for part in &parts {
        let halves = regexp::split(&pair, part, 2).map_err(EvalError::new)?;
        found.push(match &halves[..] {
            [key, value] => (Value::from(*key), Value::from(*value)),
            _ => (Value::from(*part), Value::Null),
        });
    }
    Ok(as_hash_map(found, parts.len()))
}
