//! Casts among DATE, TIME, TIMESTAMP and TIMESTAMP_LTZ.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{ArrayRef, ArrowPrimitiveType, PrimitiveArray};

use super::CastError;
use super::from_text::out_of_range;
use crate::arrow::units_per_second;
use crate::calendar::MS_PER_DAY;
use crate::text::time::{to_instant, to_local};
use crate::{LogicalType, Zone};

pub(super) fn cast_time(
    column: &ArrayRef,
    from: &LogicalType,
    to: &LogicalType,
    safe: bool,
    zone: Zone,
) -> Result<ArrayRef, CastError> {
    use LogicalType::*;
    let from_local = !matches!(from, TimestampLtz(..));
    Ok(match (from, to) {
        (Time(_), Time(p)) => {
            let times = column.as_primitive::<Time32MillisecondType>();
            Arc::new(times.unary::<_, Time32MillisecondType>(|time| cut_time(time, *p)))
        }
        (Date, Timestamp(p, _) | TimestampLtz(p, _)) => {
            let days = column.as_primitive::<Date32Type>();
            let ms = days.unary::<_, Int64Type>(|days| i64::from(days) * MS_PER_DAY);
            to_timestamp(&ms, 3, *p, zone_change(from_local, to, zone), safe)?
        }
        (Time(_), Timestamp(p, _) | TimestampLtz(p, _)) => {
            let times = column.as_primitive::<Time32MillisecondType>();
            let ms = times.unary::<_, Int64Type>(i64::from);
            to_timestamp(&ms, 3, *p, zone_change(from_local, to, zone), safe)?
        }
        (Timestamp(p, _) | TimestampLtz(p, _), Timestamp(q, _) | TimestampLtz(q, _)) => {
            to_timestamp(&numbers(column, *p), *p, *q, zone_change(from_local, to, zone), safe)?
        }
        (Timestamp(p, _), Date) => Arc::new(numbers(column, *p).unary::<_, Date32Type>(|value| {
            // Toward zero, as Flink divides: before 1970 a day late but for midnight.
            (milliseconds(value, *p) / MS_PER_DAY) as i32
        })),
        (Timestamp(p, _), Time(q)) => Arc::new(
            numbers(column, *p)
                .unary::<_, Time32MillisecondType>(|value| cut_time((milliseconds(value, *p) % MS_PER_DAY) as i32, *q)),
        ),
        (TimestampLtz(p, _), Date) => {
            Arc::new(numbers(column, *p).unary::<_, Date32Type>(|value| {
                milliseconds(to_local(value, *p, zone), *p).div_euclid(MS_PER_DAY) as i32
            }))
        }
        (TimestampLtz(p, _), Time(q)) => Arc::new(numbers(column, *p).unary::<_, Time32MillisecondType>(|value| {
            cut_time(milliseconds(to_local(value, *p, zone), *p).rem_euclid(MS_PER_DAY) as i32, *q)
        })),
        (from, to) => unreachable!("there is no cast from {from} to {to}"),
    })
}

/// Drops the digits beyond a TIME's precision, toward zero.
fn cut_time(ms: i32, precision: u8) -> i32 {
    let unit = 10i32.pow(3 - u32::from(precision.min(3)));
    ms / unit * unit
}

#[derive(Clone, Copy)]
enum ZoneChange {
    None,
    ToLocal(Zone),
    ToInstant(Zone),
}

fn zone_change(from_local: bool, to: &LogicalType, zone: Zone) -> ZoneChange {
    match (from_local, matches!(to, LogicalType::Timestamp(..))) {
        (true, false) => ZoneChange::ToInstant(zone),
        (false, true) => ZoneChange::ToLocal(zone),
        _ => ZoneChange::None,
    }
}

fn milliseconds(value: i64, precision: u8) -> i64 {
    value.div_euclid(units_per_second(precision) / 1000)
}

/// The numbers of a timestamp column of precision `p`.
fn numbers(column: &ArrayRef, p: u8) -> PrimitiveArray<Int64Type> {
    match p {
        0..=3 => column.as_primitive::<TimestampMillisecondType>().reinterpret_cast(),
        4..=6 => column.as_primitive::<TimestampMicrosecondType>().reinterpret_cast(),
        _ => column.as_primitive::<TimestampNanosecondType>().reinterpret_cast(),
    }
}

fn to_timestamp(
    values: &PrimitiveArray<Int64Type>,
    from: u8,
    to: u8,
    change: ZoneChange,
    safe: bool,
) -> Result<ArrayRef, CastError> {
    fn array<T: ArrowPrimitiveType<Native = i64>>(values: PrimitiveArray<Int64Type>) -> ArrayRef {
        Arc::new(values.reinterpret_cast::<T>())
    }
    let (have, want) = (units_per_second(from), units_per_second(to));
    // Flink cuts milliseconds toward zero and what is below them downward.
    let cut = if to < from && to < 3 { 10i64.pow(3 - u32::from(to)) } else { 1 };
    let cut_fine = match to {
        4..=5 if to < from => 10i64.pow(6 - u32::from(to)),
        7..=8 if to < from => 10i64.pow(9 - u32::from(to)),
        _ => 1,
    };
    let convert = |value: i64| {
        let value = match change {
            ZoneChange::None => value,
            ZoneChange::ToLocal(zone) => to_local(value, from, zone),
            ZoneChange::ToInstant(zone) => to_instant(value, from, zone),
        };
        if want >= have { value.checked_mul(want / have) } else { Some(value.div_euclid(have / want)) }
            .map(|value| value / cut * cut)
            .map(|value| value.div_euclid(cut_fine) * cut_fine)
    };
    let converted = if to <= 6 {
        values.unary::<_, Int64Type>(|value| convert(value).unwrap_or(i64::MAX))
    } else if safe {
        values.unary_opt::<_, Int64Type>(convert)
    } else {
        values.try_unary::<_, Int64Type, _>(|value| convert(value).ok_or_else(|| out_of_range(to)))?
    };
    Ok(match to {
        0..=3 => array::<TimestampMillisecondType>(converted),
        4..=6 => array::<TimestampMicrosecondType>(converted),
        _ => array::<TimestampNanosecondType>(converted),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataType, TimeKind, Value, build_column, cast_column, cell_text};

    fn cast(text: &str, via: LogicalType, to: LogicalType, zone: Zone) -> String {
        let (via, to) = (DataType::new(via), DataType::new(to));
        let texts = build_column(&DataType::string(), &[Value::from(text)]).unwrap();
        let column = cast_column(&texts, &DataType::string(), &via, false, zone).unwrap();
        let column = cast_column(&column, &via, &to, false, zone).unwrap();
        cell_text(&column, 0, &to, zone).unwrap()
    }

    #[test]
    fn times_change_their_type() {
        let plain = |p| LogicalType::Timestamp(p, TimeKind::Regular);
        let ltz = |p| LogicalType::TimestampLtz(p, TimeKind::Regular);
        let new_york = Zone::parse("America/New_York").unwrap();
        let check = |text, via, to, expected| assert_eq!(cast(text, via, to, new_york), expected);
        check("2024-03-10", LogicalType::Date, ltz(3), "2024-03-10 00:00:00.000");
        check("2024-03-10 02:30:00.123456", plain(6), ltz(3), "2024-03-10 03:30:00.123");
        check("2024-03-10 02:30:00.123456", plain(6), LogicalType::Time(0), "02:30:00");
        check("2024-03-10 02:30:00.123456", plain(6), plain(1), "2024-03-10 02:30:00.1");
        check("2024-03-10 02:30:00.123456", plain(6), plain(5), "2024-03-10 02:30:00.12345");
        check("2024-03-10 02:30:00.123456", plain(6), plain(9), "2024-03-10 02:30:00.123456000");
        check("1969-12-31 23:59:59.999", plain(3), LogicalType::Date, "1970-01-01");
        check("1969-12-31 23:59:59.999", plain(3), plain(0), "1970-01-01 00:00:00");
        check("1969-12-31 23:00:00.000", ltz(3), LogicalType::Date, "1969-12-31");
        check("10:00:00", LogicalType::Time(0), plain(3), "1970-01-01 10:00:00.000");
    }
}
