//! Dates and times since 1970, year by year and month by month.

use tidegate_data::{LogicalType, Value};

use super::{Stop, unknown};

/// Milliseconds of a day.
pub const DAY: i64 = 86_400_000;

fn leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Year, month and day of a number of days since 1970.
pub fn civil(mut days: i64) -> (i64, i64, i64) {
    let (mut year, mut month) = (1970, 1);
    while days < 0 {
        year -= 1;
        days += 365 + i64::from(leap(year));
    }
    while days >= 365 + i64::from(leap(year)) {
        days -= 365 + i64::from(leap(year));
        year += 1;
    }
    while days >= days_of(year, month) {
        days -= days_of(year, month);
        month += 1;
    }
    (year, month, days + 1)
}

/// The other way; none where there is no such day.
pub fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || day < 1 || day > days_of(year, month) {
        return None;
    }
    let years: i64 = match year >= 1970 {
        true => (1970..year).map(|year| 365 + i64::from(leap(year))).sum(),
        false => -(year..1970).map(|year| 365 + i64::from(leap(year))).sum::<i64>(),
    };
    Some(years + (1..month).map(|month| days_of(year, month)).sum::<i64>() + day - 1)
}

fn months_later(at: i64, months: i64) -> i64 {
    let (year, month, day) = civil(at);
    let count = year * 12 + month - 1 + months;
    let (year, month) = (count.div_euclid(12), count.rem_euclid(12) + 1);
    days(year, month, day.min(days_of(year, month))).unwrap_or(at)
}

/// Units of a timestamp's number in a millisecond.
fn fine(ty: &LogicalType) -> i64 {
    match ty {
        LogicalType::Timestamp(4..=6, _) => 1_000,
        LogicalType::Timestamp(7.., _) => 1_000_000,
        _ => 1,
    }
}

/// A date or timestamp in milliseconds.
pub fn milliseconds(value: i64, ty: &LogicalType) -> i64 {
    match ty {
        LogicalType::Date => value * DAY,
        _ => value.div_euclid(fine(ty)),
    }
}

/// A date or timestamp and an interval, added `sign` times.
pub fn shifted(value: i64, ty: &LogicalType, interval: i64, by: &LogicalType, sign: i64) -> i64 {
    let months = matches!(by, LogicalType::IntervalYearMonth);
    match (ty, months) {
        (LogicalType::Date, true) => months_later(value, sign * interval),
        (LogicalType::Date, false) => value + sign * (interval / DAY),
        (_, true) => {
            let day = DAY * fine(ty);
            months_later(value.div_euclid(day), sign * interval) * day + value.rem_euclid(day)
        }
        (_, false) => value + sign * interval * fine(ty),
    }
}

/// A part of a date or timestamp.
///
/// # Errors
/// Units that the reference does not know.
pub fn extract(unit: &str, value: i64, ty: &LogicalType) -> Result<Value, Stop> {
    let ms = milliseconds(value, ty);
    let (year, month, day) = civil(ms.div_euclid(DAY));
    Ok(Value::Int(match unit {
        "YEAR" => year,
        "QUARTER" => (month - 1) / 3 + 1,
        "MONTH" => month,
        "DAY" => day,
        "DOY" => ms.div_euclid(DAY) - days(year, 1, 1).unwrap_or(0) + 1,
        // The first of January 1970 was a Thursday, and Sunday is 1.
        "DOW" => (ms.div_euclid(DAY) + 4).rem_euclid(7) + 1,
        "HOUR" => ms.rem_euclid(DAY) / 3_600_000,
        "MINUTE" => ms.rem_euclid(3_600_000) / 60_000,
        "SECOND" => ms.rem_euclid(60_000) / 1_000,
        other => return Err(unknown(format!("EXTRACT({other})"))),
    }))
}

/// FLOOR and CEIL of a timestamp to a unit.
///
/// # Errors
/// Units that the reference does not know.
pub fn rounded(unit: &str, value: i64, ty: &LogicalType, up: bool) -> Result<Value, Stop> {
    let ms = milliseconds(value, ty);
    let (year, month, _) = civil(ms.div_euclid(DAY));
    let length = match unit {
        "SECOND" => Some(1_000),
        "MINUTE" => Some(60_000),
        "HOUR" => Some(3_600_000),
        "DAY" => Some(DAY),
        _ => None,
    };
    let floor = match (length, unit) {
        (Some(length), _) => ms.div_euclid(length) * length,
        (None, "MONTH") => days(year, month, 1).unwrap_or(0) * DAY,
        (None, "YEAR") => days(year, 1, 1).unwrap_or(0) * DAY,
        (None, other) => return Err(unknown(format!("FLOOR TO {other}"))),
    };
    let ms = match (length, up && floor < ms) {
        (_, false) => floor,
        (Some(length), true) => floor + length,
        (None, true) => months_later(floor / DAY, if unit == "MONTH" { 1 } else { 12 }) * DAY,
    };
    Ok(Value::Int(if *ty == LogicalType::Date { ms / DAY } else { ms * fine(ty) }))
}
