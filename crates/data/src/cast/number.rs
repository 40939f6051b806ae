//! Casts among numbers and truth values: Java's conversions, so integers wrap and floating point saturates.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Decimal128Array, PrimitiveArray};
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
        LogicalType::TinyInt => from_integer(column.as_primitive::<Int8Type>(), to),
        LogicalType::SmallInt => from_integer(column.as_primitive::<Int16Type>(), to),
        LogicalType::Int | LogicalType::IntervalYearMonth => from_integer(column.as_primitive::<Int32Type>(), to),
        LogicalType::BigInt | LogicalType::IntervalDayTime => from_integer(column.as_primitive::<Int64Type>(), to),
        LogicalType::Float => from_floating(column.as_primitive::<Float32Type>(), to, safe)?,
        LogicalType::Double => from_floating(column.as_primitive::<Float64Type>(), to, safe)?,
        LogicalType::Decimal(_, scale) => from_decimal(column.as_primitive::<Decimal128Type>(), *scale, to),
        LogicalType::Boolean => from_boolean(column.as_boolean(), to),
        other => unreachable!("there is no cast from {other} to {to}"),
    })
}

/// What `as` is in generic code.
trait Number: Copy {
    fn i64(self) -> i64;
    fn f64(self) -> f64;
    fn f32(self) -> f32;
}

macro_rules! number {
    ($($ty:ty),*) => {$(
        impl Number for $ty {
            #[inline(always)]
            fn i64(self) -> i64 { self as i64 }
            #[inline(always)]
            fn f64(self) -> f64 { self as f64 }
            #[inline(always)]
            fn f32(self) -> f32 { self as f32 }
        }
    )*};
}
number!(i8, i16, i32, i64, f32, f64);

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

fn from_integer<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, to: &LogicalType) -> ArrayRef
where
    T::Native: Number,
{
    match to {
        LogicalType::TinyInt => map::<T, Int8Type>(column, |x| x.i64() as i8),
        LogicalType::SmallInt => map::<T, Int16Type>(column, |x| x.i64() as i16),
        LogicalType::Int | LogicalType::IntervalYearMonth => map::<T, Int32Type>(column, |x| x.i64() as i32),
        LogicalType::BigInt | LogicalType::IntervalDayTime => map::<T, Int64Type>(column, Number::i64),
        LogicalType::Float => map::<T, Float32Type>(column, Number::f32),
        LogicalType::Double => map::<T, Float64Type>(column, Number::f64),
        LogicalType::Boolean => truth(column, |x| x.i64() != 0),
        LogicalType::Decimal(p, s) => {
            decimal(column.iter().map(|x| x.and_then(|x| rescale(x.i64().into(), 0, *p, *s))), *p, *s)
        }
        other => unreachable!("there is no cast from an integer to {other}"),
    }
}

fn from_floating<T: ArrowPrimitiveType>(
    column: &PrimitiveArray<T>,
    to: &LogicalType,
    safe: bool,
) -> Result<ArrayRef, CastError>
where
    T::Native: Number,
{
    Ok(match to {
        LogicalType::TinyInt => map::<T, Int8Type>(column, |x| x.f64() as i32 as i8),
        LogicalType::SmallInt => map::<T, Int16Type>(column, |x| x.f64() as i32 as i16),
        LogicalType::Int => map::<T, Int32Type>(column, |x| x.f64() as i32),
        LogicalType::BigInt => map::<T, Int64Type>(column, |x| x.f64() as i64),
        LogicalType::Float => map::<T, Float32Type>(column, Number::f32),
        LogicalType::Double => map::<T, Float64Type>(column, Number::f64),
        LogicalType::Boolean => truth(column, |x| x.f64() != 0.0),
        LogicalType::Decimal(p, s) => {
            let mut values = Vec::with_capacity(column.len());
            for value in column.iter() {
                values.push(match value.map(|value| decimal_of(value.f64(), *p, *s)) {
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
