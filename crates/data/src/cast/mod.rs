//! Casts between all types, as Flink has them, in one place.

mod from_text;
mod nested;
mod number;
mod parse_number;
mod parse_time;
mod rules;
mod time;
mod to_text;

pub use parse_number::{parse_boolean, parse_decimal, parse_double, parse_integer};
pub use parse_time::{parse_date, parse_time, parse_timestamp};
pub use rules::{Cast, can_cast};

use arrow_array::{Array, ArrayRef};

use crate::{DataType, LogicalType, Zone, null_column};

/// A value that CAST could not convert, in Flink's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastError {
    /// The message.
    pub message: String,
}

impl CastError {
    pub(crate) fn new(message: impl Into<String>) -> CastError {
        CastError { message: message.into() }
    }
}

impl std::fmt::Display for CastError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CastError {}

/// Whether a cast between these types can meet a value that it cannot convert.
pub fn cast_can_fail(from: &DataType, to: &DataType) -> bool {
    use LogicalType::*;
    match (&from.logical, &to.logical) {
        (from, to) if from.is_character() => !to.is_character() && !to.is_binary(),
        (Float | Double, Decimal(..)) => true,
        (from, Timestamp(p, _) | TimestampLtz(p, _)) if from.is_datetime() => *p > 6,
        (Array(from), Array(to)) | (Multiset(from), Multiset(to)) => cast_can_fail(from, to),
        (Map(from_key, from_value), Map(to_key, to_value)) => {
            cast_can_fail(from_key, to_key) || cast_can_fail(from_value, to_value)
        }
        (Row(from), Row(to)) => from.iter().zip(to).any(|(from, to)| cast_can_fail(&from.ty, &to.ty)),
        _ => false,
    }
}

/// Converts a column. With `safe` (TRY_CAST) a value that cannot be converted becomes NULL.
///
/// # Errors
/// When a value cannot be converted and the cast is not safe.
///
/// # Panics
/// When [`can_cast`] says [`Cast::No`].
pub fn cast_column(
    column: &ArrayRef,
    from: &DataType,
    to: &DataType,
    safe: bool,
    zone: Zone,
) -> Result<ArrayRef, CastError> {
    let (source, target) = (&from.logical, &to.logical);
    if source.without_time_attribute() == target.without_time_attribute() {
        return Ok(column.clone());
    }
    if matches!(source, LogicalType::Null) || column.null_count() == column.len() {
        return Ok(null_column(&to.arrow(), column.len()));
    }
    match (source, target) {
        (_, LogicalType::Char(_) | LogicalType::VarChar(_)) => Ok(to_text::to_text(column, from, target, zone)),
        (_, LogicalType::Binary(_) | LogicalType::VarBinary(_)) => Ok(to_text::to_binary(column, source, target)),
        (source, _) if source.is_character() => from_text::from_text(column, to, safe, zone),
        (LogicalType::Array(_) | LogicalType::Map(..) | LogicalType::Multiset(_) | LogicalType::Row(_), _) => {
            nested::cast_nested(column, from, to, safe, zone)
        }
        (source, target) if source.is_datetime() && target.is_datetime() => {
            time::cast_time(column, source, target, safe, zone)
        }
        (LogicalType::IntervalYearMonth | LogicalType::IntervalDayTime, _) if source == target => Ok(column.clone()),
        (source, target) => number::cast_number(column, source, target, safe),
    }
}
