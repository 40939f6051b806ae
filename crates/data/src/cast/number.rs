//! Casts among numbers and truth values: Java's conversions, so integers wrap and floating point saturates.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Decimal128Array, Float64Array, Int64Array, PrimitiveArray,
};
use arrow_buffer::BooleanBuffer;

use super::{CastError, parse_decimal};
use crate::decimal::{power_of_ten, rescale, to_double};
use crate::{LogicalType, text};

pub(super) fn cast_number(
    column: &ArrayRef,
    from: &LogicalType,
    to: &LogicalType,
    safe: bool,
) -> Result<ArrayRef, CastError> {
    Ok(match from {
        LogicalType::TinyInt => from_integer(&column.as_primitive::<Int8Type>().unary(i64::from), to),
        LogicalType::SmallInt => from_integer(&column.as_primitive::<Int16Type>().unary(i64::from), to),
        LogicalType::Int | LogicalType::IntervalYearMonth => {
            from_integer(&column.as_primitive::<Int32Type>().unary(i64::from), to)
        }
        LogicalType::BigInt | LogicalType::IntervalDayTime => from_integer(column.as_primitive::<Int64Type>(), to),
        LogicalType::Float => from_floating(&column.as_primitive::<Float32Type>().unary(f64::from), to, safe)?,
        LogicalType::Double => from_floating(column.as_primitive::<Float64Type>(), to, safe)?,
        LogicalType::Decimal(_, scale) => from_decimal(column.as_primitive::<Decimal128Type>(), *scale, to),
        LogicalType::Boolean => from_boolean(column.as_boolean(), to),
        other => unreachable!("there is no cast from {other} to {to}"),
    })
}

fn map<T: ArrowPrimitiveType, U: ArrowPrimitiveType>(
    column: &PrimitiveArray<T>,
    f: impl Fn(T::Native) -> U::Native,
) -> ArrayRef {
    Arc::new(column.unary::<_, U>(f))
}

fn truth<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, f: impl Fn(T::Native) -> bool) -> ArrayRef {
    let values = column.values();
    let truths = BooleanBuffer::collect_bool(values.len(), |row| f(values[row]));
    Arc::new(BooleanArray::new(truths, column.nulls().cloned()))
}

fn decimal(values: impl Iterator<Item = Option<i128>>, precision: u8, scale: u8) -> ArrayRef {
    let array: Decimal128Array = values.collect();
    let array = array.with_precision_and_scale(precision, scale as i8);
    Arc::new(array.expect("a DECIMAL type is in Arrow's range"))
}

/// Narrower integers come widened: a second pass, and a quarter of the code.
fn from_integer(column: &Int64Array, to: &LogicalType) -> ArrayRef {
    match to {
        LogicalType::TinyInt => map::<_, Int8Type>(column, |x| x as i8),
        LogicalType::SmallInt => map::<_, Int16Type>(column, |x| x as i16),
        LogicalType::Int | LogicalType::IntervalYearMonth => map::<_, Int32Type>(column, |x| x as i32),
        LogicalType::BigInt | LogicalType::IntervalDayTime => Arc::new(column.clone()),
        LogicalType::Float => map::<_, Float32Type>(column, |x| x as f32),
        LogicalType::Double => map::<_, Float64Type>(column, |x| x as f64),
        LogicalType::Boolean => truth(column, |x| x != 0),
        LogicalType::Decimal(p, s) => {
            decimal(column.iter().map(|x| x.and_then(|x| rescale(x.into(), 0, *p, *s))), *p, *s)
        }
        other => unreachable!("there is no cast from an integer to {other}"),
    }
}

/// A FLOAT comes as a DOUBLE, which holds it exactly.
fn from_floating(column: &Float64Array, to: &LogicalType, safe: bool) -> Result<ArrayRef, CastError> {
    Ok(match to {
        LogicalType::TinyInt => map::<_, Int8Type>(column, |x| x as i32 as i8),
        LogicalType::SmallInt => map::<_, Int16Type>(column, |x| x as i32 as i16),
        LogicalType::Int => map::<_, Int32Type>(column, |x| x as i32),
        LogicalType::BigInt => map::<_, Int64Type>(column, |x| x as i64),
        LogicalType::Float => map::<_, Float32Type>(column, |x| x as f32),
        LogicalType::Double => Arc::new(column.clone()),
        LogicalType::Boolean => truth(column, |x| x != 0.0),
        LogicalType::Decimal(p, s) => {
            let mut values = Vec::with_capacity(column.len());
            for value in column.iter() {
                values.push(match value.map(|value| decimal_of(value, *p, *s)) {
                    None => None,
                    Some(Ok(value)) => value,
                    Some(Err(_)) if safe => None,
                    Some(Err(error)) => return Err(error),
                });
            }
            decimal(values.into_iter(), *p, *s)
        }
        other => unreachable!("there is no cast from floating point to {other}"),
    })
}

/// Java goes by the text: `BigDecimal.valueOf`.
fn decimal_of(value: f64, precision: u8, scale: u8) -> Result<Option<i128>, CastError> {
    let mut digits = String::new();
    text::number::write_double(&mut digits, value);
    if !value.is_finite() {
        let first = digits.trim_start_matches('-').chars().next().unwrap_or('N');
        return Err(CastError::new(format!(
            "Character {first} is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark."
        )));
    }
    // Through the parser for long decimals, which makes NULL of what does not fit.
    let wide = parse_decimal(&digits, 38, scale)?;
    Ok(wide.filter(|value| value.unsigned_abs() < power_of_ten(precision.into()).unsigned_abs()))
}

fn from_decimal(column: &Decimal128Array, from: u8, to: &LogicalType) -> ArrayRef {
    let unit = power_of_ten(from.into());
    match to {
        LogicalType::TinyInt => map::<_, Int8Type>(column, |x| (x / unit) as i8),
        LogicalType::SmallInt => map::<_, Int16Type>(column, |x| (x / unit) as i16),
        LogicalType::Int => map::<_, Int32Type>(column, |x| (x / unit) as i32),
        LogicalType::BigInt => map::<_, Int64Type>(column, |x| (x / unit) as i64),
        LogicalType::Float => map::<_, Float32Type>(column, |x| to_double(x, from) as f32),
        LogicalType::Double => map::<_, Float64Type>(column, |x| to_double(x, from)),
        LogicalType::Boolean => truth(column, |x| x != 0),
        LogicalType::Decimal(p, s) => decimal(column.iter().map(|x| x.and_then(|x| rescale(x, from, *p, *s))), *p, *s),
        other => unreachable!("there is no cast from DECIMAL to {other}"),
    }
}

fn from_boolean(column: &BooleanArray, to: &LogicalType) -> ArrayRef {
    fn numbers<T: ArrowPrimitiveType>(column: &BooleanArray, zero: T::Native, one: T::Native) -> ArrayRef {
        let values = column.values().iter().map(|truth| if truth { one } else { zero });
        Arc::new(PrimitiveArray::<T>::new(values.collect(), column.nulls().cloned()))
    }
    match to {
        LogicalType::TinyInt => numbers::<Int8Type>(column, 0, 1),
        LogicalType::SmallInt => numbers::<Int16Type>(column, 0, 1),
        LogicalType::Int => numbers::<Int32Type>(column, 0, 1),
        LogicalType::BigInt => numbers::<Int64Type>(column, 0, 1),
        LogicalType::Float => numbers::<Float32Type>(column, 0.0, 1.0),
        LogicalType::Double => numbers::<Float64Type>(column, 0.0, 1.0),
        LogicalType::Decimal(p, s) => {
            decimal(column.iter().map(|x| x.and_then(|x| rescale(x.into(), 0, *p, *s))), *p, *s)
        }
        other => unreachable!("there is no cast from BOOLEAN to {other}"),
    }
}
