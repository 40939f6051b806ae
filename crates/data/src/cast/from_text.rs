//! Casts from text.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray, StringArray};
use arrow_schema::{DataType as ArrowType, TimeUnit};

use super::{
    CastError, parse_boolean, parse_date, parse_decimal, parse_double, parse_integer, parse_time, parse_timestamp,
};
use crate::{DataType, LogicalType, Zone};

pub(super) fn from_text(column: &ArrayRef, to: &DataType, safe: bool, zone: Zone) -> Result<ArrayRef, CastError> {
    let texts = column.as_string::<i32>();
    match &to.logical {
        LogicalType::Boolean => {
            let truths = each(texts, safe, |text| parse_boolean(text).map(Some))?;
            Ok(Arc::new(BooleanArray::from(truths)))
        }
        LogicalType::TinyInt => parse::<Int8Type>(texts, to, safe, |text| integer(text, i8::MIN, i8::MAX)),
        LogicalType::SmallInt => parse::<Int16Type>(texts, to, safe, |text| integer(text, i16::MIN, i16::MAX)),
        LogicalType::Int => parse::<Int32Type>(texts, to, safe, |text| integer(text, i32::MIN, i32::MAX)),
        LogicalType::BigInt => parse::<Int64Type>(texts, to, safe, |text| integer(text, i64::MIN, i64::MAX)),
        LogicalType::Double => parse::<Float64Type>(texts, to, safe, |text| parse_double(text).map(Some)),
        LogicalType::Float => parse::<Float32Type>(texts, to, safe, |text| {
            // Java reads a float from the text itself, which rounds once.
            let double = parse_double(text)?;
            Ok(Some(text.trim().parse::<f32>().ok().filter(|_| double.is_finite()).unwrap_or(double as f32)))
        }),
        LogicalType::Decimal(p, s) => parse::<Decimal128Type>(texts, to, safe, |text| parse_decimal(text, *p, *s)),
        LogicalType::Date => parse::<Date32Type>(texts, to, safe, |text| parse_date(text).map(Some)),
        // Whatever the precision, the milliseconds are kept, as a source's are; the CAST of an expression cuts them.
        LogicalType::Time(_) => parse::<Time32MillisecondType>(texts, to, safe, |text| parse_time(text).map(Some)),
        LogicalType::Timestamp(p, _) => timestamps(texts, to, safe, *p, None),
        LogicalType::TimestampLtz(p, _) => timestamps(texts, to, safe, *p, Some(zone)),
        other => unreachable!("there is no cast from text to {other}"),
    }
}

fn integer<T: TryFrom<i64> + Into<i64>>(text: &str, min: T, max: T) -> Result<Option<T>, CastError> {
    let number = parse_integer(text, min.into(), max.into())?;
    Ok(T::try_from(number).ok())
}

fn each<T>(
    texts: &StringArray,
    safe: bool,
    parse: impl Fn(&str) -> Result<Option<T>, CastError>,
) -> Result<Vec<Option<T>>, CastError> {
    let parsed = texts.iter().map(|text| match text.map(&parse) {
        None => Ok(None),
        Some(Err(_)) if safe => Ok(None),
        Some(result) => result,
    });
    parsed.collect()
}

fn parse<T: ArrowPrimitiveType>(
    texts: &StringArray,
    to: &DataType,
    safe: bool,
    parse: impl Fn(&str) -> Result<Option<T::Native>, CastError>,
) -> Result<ArrayRef, CastError> {
    let array: PrimitiveArray<T> = each(texts, safe, parse)?.into_iter().collect();
    Ok(Arc::new(array.with_data_type(to.arrow())))
}

fn timestamps(
    texts: &StringArray,
    to: &DataType,
    safe: bool,
    precision: u8,
    zone: Option<Zone>,
) -> Result<ArrayRef, CastError> {
    let read = |text: &str| {
        let (seconds, nanos) = parse_timestamp(text)?;
        let seconds = zone.map_or(seconds, |zone| seconds - i64::from(zone.offset_of_local(seconds)));
        timestamp(seconds, nanos, precision).map(Some)
    };
    match to.arrow() {
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => parse::<TimestampMillisecondType>(texts, to, safe, read),
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => parse::<TimestampMicrosecondType>(texts, to, safe, read),
        _ => parse::<TimestampNanosecondType>(texts, to, safe, read),
    }
}

/// A timestamp in the unit of `precision`, with the digits beyond `precision` cut off.
pub(super) fn timestamp(seconds: i64, nanos: u32, precision: u8) -> Result<i64, CastError> {
    let step = 10i64.pow(9 - u32::from(precision));
    let nanos = i64::from(nanos) / step * step;
    let units = crate::arrow::units_per_second(precision);
    let value = seconds.checked_mul(units).and_then(|value| value.checked_add(nanos / (1_000_000_000 / units)));
    value.ok_or_else(|| out_of_range(precision))
}

pub(super) fn out_of_range(precision: u8) -> CastError {
    CastError::new(format!("TIMESTAMP({precision}) holds no times before 1677 or after 2262 here"))
}
