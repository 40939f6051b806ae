//! Functions of dates and times.

pub(crate) mod arithmetic;
mod extract;
mod fields;
mod legacy_format;
mod now;
mod pattern;
mod round;
mod text;
pub(crate) mod unit;

pub(super) use arithmetic::BINDINGS as ARITHMETIC;
pub(super) use extract::BINDINGS as EXTRACT;
pub(super) use now::BINDINGS as NOW;
pub(super) use round::BINDINGS as ROUND;
pub(super) use text::BINDINGS as TEXT;

use arrow_array::types::{Date32Type, Int64Type, Time32MillisecondType};
use tidegate_data::calendar::MS_PER_DAY;
use tidegate_data::{LogicalType, Zone, arrow::units_per_second};

use super::Call;
use super::args::Numbers;

/// Milliseconds since the epoch of a DATE, TIME or timestamp argument.
pub(super) fn milliseconds(call: &Call<'_>, index: usize) -> Numbers<Int64Type> {
    match call.arg_type(index) {
        LogicalType::Date => call.numbers::<Date32Type>(index).map(|days| i64::from(days) * MS_PER_DAY),
        LogicalType::Time(_) => call.numbers::<Time32MillisecondType>(index).map(i64::from),
        LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _) => {
            let per_ms = units_per_second(*p) / 1000;
            call.ticks(index).map(|value| value.div_euclid(per_ms))
        }
        other => unreachable!("{other} is no date or time"),
    }
}

/// The session's zone for a TIMESTAMP_LTZ, UTC for everything else: what turns its milliseconds into those of a wall clock.
pub(super) fn zone_of(call: &Call<'_>, index: usize) -> Zone {
    if matches!(call.arg_type(index), LogicalType::TimestampLtz(..)) { call.ctx.zone } else { Zone::UTC }
}
