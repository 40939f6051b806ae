//! EXTRACT and its shorthands, YEAR(x) to SECOND(x).
//!
//! Flink divides toward zero, so that before 1970 the last hours of a day count for the next one, and the parts of the clock are negative.

use arrow_array::ArrayRef;
use arrow_array::types::Int64Type;
use tidegate_data::calendar::{MS_PER_DAY, civil_from_days, days_from_civil};
use tidegate_data::{DataType, LogicalType, Value};

use super::unit::Unit;
use super::{milliseconds, zone_of};
use crate::eval::EvalError;
use crate::functions::signature::nullable_if_any;
use crate::functions::{Binding, Call, ScalarFunction};
use crate::{CallError, Expr};

macro_rules! shorthands {
    ($($name:literal $unit:literal;)*) => {
        pub(in crate::functions) const BINDINGS: &[Binding] = &[
            Binding { name: "EXTRACT", bind: bind_extract },
            $(Binding { name: $name, bind: |name, args| bind_shorthand(name, $unit, args) },)*
        ];
    };
}

shorthands! {
    "YEAR" "YEAR";
    "QUARTER" "QUARTER";
    "MONTH" "MONTH";
    "WEEK" "WEEK";
    "DAYOFYEAR" "DOY";
    "DAYOFMONTH" "DAY";
    "DAYOFWEEK" "DOW";
    "HOUR" "HOUR";
    "MINUTE" "MINUTE";
    "SECOND" "SECOND";
}

static EXTRACT: ScalarFunction = ScalarFunction::strict("EXTRACT", extract).zoned();

fn bind_shorthand(name: &'static str, unit: &str, args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() != 1 {
        return Err(CallError::count(name, args.len(), "1"));
    }
    let ty = DataType::not_null(LogicalType::Char(unit.len() as u32));
    let mut whole = vec![crate::literal(Value::String(unit.to_owned()), ty)];
    whole.extend(args);
    bind_extract("EXTRACT", whole)
}

fn bind_extract(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() != 2 {
        return Err(CallError::count(name, args.len(), "2"));
    }
    let unit = Unit::of(name, &args[0])?;
    let operand = &args[1].ty.logical;
    if !operand.is_datetime() && !operand.is_interval() {
        let word = args[0].as_literal();
        let word = if let Some(Value::String(word)) = word { word.to_uppercase() } else { String::new() };
        return Err(CallError::arguments(
            format!(
                "Cannot apply 'EXTRACT' to arguments of type 'EXTRACT(<INTERVAL {word}> FROM <{}>)'. Supported form(s): \
                 'EXTRACT(<DATETIME_INTERVAL> FROM <DATETIME_INTERVAL>)'\n'EXTRACT(<DATETIME_INTERVAL> FROM <DATETIME>)'",
                args[1].ty.calcite(),
            ),
            Some(1),
        ));
    }
    let clock = !unit.is_months() && unit.milliseconds() < MS_PER_DAY;
    if !clock && matches!(operand, LogicalType::Time(_)) {
        let word = args[0].as_literal();
        let word = if let Some(Value::String(word)) = word { word.to_uppercase() } else { String::new() };
        return Err(CallError::arguments(format!("unit {word} can not be applied to time variable"), Some(0)));
    }
    let ty = nullable_if_any(LogicalType::BigInt, &args[1..]);
    Ok(EXTRACT.on(args, ty))
}

fn extract(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let unit = Unit::of("EXTRACT", &call.args[0]).expect("the binder has checked the unit");
    if call.arg_type(1).is_interval() {
        let interval = call.integers_of_interval(1)?;
        let months = matches!(call.arg_type(1), LogicalType::IntervalYearMonth);
        return Ok(
            call.make_numbers::<Int64Type>(|row| interval.get(row).map(|value| of_interval(unit, value, months)))
        );
    }
    let zone = zone_of(call, 1);
    let below_ms: Option<(_, i64)> = match (unit, call.arg_type(1)) {
        (Unit::Microsecond | Unit::Nanosecond, LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _)) => {
            Some((call.ticks(1), tidegate_data::arrow::units_per_second(*p)))
        }
        _ => None,
    };
    let times = milliseconds(call, 1);
    Ok(call.make_numbers::<Int64Type>(|row| {
        let ms = zone.to_local_ms(times.get(row)?);
        let nanos = match &below_ms {
            Some((ticks, units)) => ticks.get(row)?.rem_euclid(units / 1000) * (1_000_000_000 / units),
            None => 0,
        };
        Some(of_milliseconds(unit, ms, nanos))
    }))
}

/// The part of a local time in milliseconds (and nanoseconds below them).
fn of_milliseconds(unit: Unit, ms: i64, nanos: i64) -> i64 {
    match unit {
        Unit::Hour => ms % MS_PER_DAY / 3_600_000,
        Unit::Minute => ms % 3_600_000 / 60_000,
        Unit::Second => ms % 60_000 / 1000,
        Unit::Millisecond => ms % 1000,
        Unit::Microsecond => ms % 1000 * 1000 + nanos / 1000,
        Unit::Nanosecond => ms % 1000 * 1_000_000 + nanos,
        Unit::Epoch => ms / 1000,
        _ => of_days(unit, (ms / MS_PER_DAY) as i32),
    }
}

fn of_days(unit: Unit, days: i32) -> i64 {
    let (year, month, day) = civil_from_days(days);
    let weekday = (days + 3).rem_euclid(7);
    let part = match unit {
        Unit::Year => year,
        Unit::Quarter => (month as i32 + 2) / 3,
        Unit::Month => month as i32,
        Unit::Day => day as i32,
        Unit::DayOfYear => days - days_from_civil(year, 1, 1) + 1,
        // Sunday is 1.
        Unit::DayOfWeek => (weekday + 1) % 7 + 1,
        // Monday is 1.
        Unit::IsoDayOfWeek => weekday + 1,
        Unit::Week => iso_week(days).1,
        Unit::IsoYear => iso_week(days).0,
        Unit::Decade => year / 10,
        Unit::Century => {
            if year > 0 {
                (year + 99) / 100
            } else {
                (year - 99) / 100
            }
        }
        Unit::Millennium => {
            if year > 0 {
                (year + 999) / 1000
            } else {
                (year - 999) / 1000
            }
        }
        _ => 0,
    };
    part.into()
}

/// The ISO year and week: week 1 has the year's first Thursday.
fn iso_week(days: i32) -> (i32, i32) {
    let thursday = days - (days + 3).rem_euclid(7) + 3;
    let (year, ..) = civil_from_days(thursday);
    (year, (thursday - days_from_civil(year, 1, 1)) / 7 + 1)
}

fn of_interval(unit: Unit, value: i64, months: bool) -> i64 {
    if months {
        return match unit {
            Unit::Month => value % 12,
            Unit::Quarter => value % 12 / 3 + 1,
            unit if unit.is_months() => value / unit.months(),
            _ => 0,
        };
    }
    match unit {
        Unit::Day => value / MS_PER_DAY,
        unit if unit.is_months() => 0,
        unit => of_milliseconds(unit, value, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_days() {
        let days = days_from_civil(2024, 12, 31);
        assert_eq!(of_days(Unit::Week, days), 1);
        assert_eq!(of_days(Unit::IsoYear, days), 2025);
        assert_eq!(of_days(Unit::DayOfYear, days), 366);
        assert_eq!(of_days(Unit::DayOfWeek, days), 3);
        assert_eq!(of_days(Unit::Week, days_from_civil(2023, 1, 1)), 52);
        assert_eq!(of_days(Unit::IsoYear, days_from_civil(2023, 1, 1)), 2022);
        assert_eq!(of_days(Unit::IsoDayOfWeek, days_from_civil(2024, 2, 29)), 4);
    }

    #[test]
    fn the_end_of_1969_counts_for_1970() {
        assert_eq!(of_milliseconds(Unit::Year, -1, 0), 1970);
        assert_eq!(of_milliseconds(Unit::Hour, -3_600_000, 0), -1);
    }
}
