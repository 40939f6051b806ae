//! FLOOR and CEIL: of a number, or of a date or time to a unit.
//!
//! As in Flink, units from the week up look at the day only, and before 1970 the day is cut toward zero; weeks begin on Sunday.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::types::{Date32Type, Int64Type, Time32MillisecondType};
use tidegate_data::arrow::units_per_second;
use tidegate_data::calendar::{MS_PER_DAY, civil_from_days, days_from_civil};
use tidegate_data::{DataType, LogicalType, Value};

use super::arithmetic::timestamps;
use super::unit::Unit;
use super::zone_of;
use crate::eval::EvalError;
use crate::functions::math::bind_whole;
use crate::functions::signature::nullable_if_any;
use crate::functions::{Binding, Call, ScalarFunction};
use crate::{CallError, Expr};

pub(in crate::functions) const BINDINGS: &[Binding] = &[
    Binding { name: "FLOOR", bind: |_, args| bind(&FLOOR, args) },
    Binding { name: "CEIL", bind: |_, args| bind(&CEIL, args) },
    Binding { name: "CEILING", bind: |_, args| bind(&CEIL, args) },
];

static FLOOR: ScalarFunction = ScalarFunction::strict("FLOOR", |call| round(call, false)).zoned();
static CEIL: ScalarFunction = ScalarFunction::strict("CEIL", |call| round(call, true)).zoned();

fn bind(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    match args.len() {
        1 => bind_whole(function.name, args),
        2 => {
            Unit::of(function.name, &args[1])?;
            if !args[0].ty.logical.is_datetime() {
                return Err(not_for(function.name, &args));
            }
            let ty: DataType = nullable_if_any(args[0].ty.logical.without_time_attribute(), &args[..1]);
            Ok(function.on(args, ty))
        }
        n => Err(CallError::count(function.name, n, "1 or 2")),
    }
}

fn not_for(name: &str, args: &[Expr]) -> CallError {
    let word = args[1].as_literal();
    let word = if let Some(Value::String(word)) = word { word.to_uppercase() } else { String::new() };
    let forms = [
        "<NUMERIC>",
        "<DATETIME_INTERVAL>",
        "<DATE> TO <TIME_UNIT>",
        "<TIME> TO <TIME_UNIT>",
        "<TIMESTAMP> TO <TIME_UNIT>",
    ];
    let forms: Vec<String> = forms.iter().map(|form| format!("'{name}({form})'")).collect();
    let message = format!(
        "Cannot apply '{name}' to arguments of type '{name}(<{}>, <INTERVAL {word}>)'. Supported form(s): {}",
        args[0].ty.calcite(),
        forms.join("\n")
    );
    CallError::arguments(message, Some(0))
}

fn round(call: &Call<'_>, up: bool) -> Result<ArrayRef, EvalError> {
    let unit = Unit::of("FLOOR", &call.args[1]).expect("the binder has checked the unit");
    Ok(match call.arg_type(0) {
        LogicalType::Date => {
            let days = call.numbers::<Date32Type>(0);
            Arc::new(days.array().unary::<_, Date32Type>(|days| round_days(unit, days, up)))
        }
        LogicalType::Time(_) => {
            let times = call.numbers::<Time32MillisecondType>(0);
            let length = unit.milliseconds();
            Arc::new(
                times.array().unary::<_, Time32MillisecondType>(|time| round_to(i64::from(time), length, up) as i32),
            )
        }
        LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _) => {
            let zone = zone_of(call, 0);
            let per_ms = units_per_second(*p) / 1000;
            let rounded = call.ticks(0).array().unary::<_, Int64Type>(|ticks| {
                let ms = ticks.div_euclid(per_ms);
                let offset = zone.to_local_ms(ms) - ms;
                (round_milliseconds(unit, ms + offset, up) - offset) * per_ms
            });
            timestamps(rounded, call.ty)
        }
        other => unreachable!("{other} is no date or time"),
    })
}

fn round_to(value: i64, length: i64, up: bool) -> i64 {
    let floor = value.div_euclid(length) * length;
    if up && floor < value { floor + length } else { floor }
}

fn round_milliseconds(unit: Unit, ms: i64, up: bool) -> i64 {
    if unit == Unit::Week || unit.is_months() {
        return i64::from(round_days(unit, (ms / MS_PER_DAY) as i32, up)) * MS_PER_DAY;
    }
    round_to(ms, unit.milliseconds(), up)
}

fn round_days(unit: Unit, days: i32, up: bool) -> i32 {
    let (year, month, day) = civil_from_days(days);
    let (month, first) = (month as i32, month == 1 && day == 1);
    let up_year = |length: i32| if up { length } else { 0 };
    match unit {
        Unit::Millennium => days_from_civil(1000 * ((year + 999) / 1000) - 999 + up_year(1000), 1, 1),
        Unit::Century => days_from_civil(100 * ((year + 99) / 100) - 99 + up_year(100), 1, 1),
        Unit::Decade => days_from_civil(10 * (year / 10) + up_year(10), 1, 1),
        Unit::Year | Unit::IsoYear => days_from_civil(year + i32::from(up && !first), 1, 1),
        Unit::Quarter => {
            let quarter = (month + 2) / 3 + i32::from(up && !first);
            days_from_civil(year, quarter * 3 - 2, 1)
        }
        Unit::Month => days_from_civil(year, month + i32::from(up && day > 1), 1),
        Unit::Week => {
            let since_sunday = (days + 4).rem_euclid(7);
            days - since_sunday + if up && since_sunday > 0 { 7 } else { 0 }
        }
        _ => days,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_to_units() {
        let date = |y, m, d| days_from_civil(y, m, d);
        let check = |unit, up, from, to| assert_eq!(round_days(unit, from, up), to, "{unit:?} {up}");
        check(Unit::Week, false, date(2024, 5, 17), date(2024, 5, 12));
        check(Unit::Week, true, date(2024, 5, 17), date(2024, 5, 19));
        check(Unit::Week, true, date(2024, 5, 19), date(2024, 5, 19));
        check(Unit::Month, true, date(2024, 12, 2), date(2025, 1, 1));
        check(Unit::Quarter, false, date(2024, 5, 17), date(2024, 4, 1));
        check(Unit::Year, true, date(2024, 1, 1), date(2024, 1, 1));
        check(Unit::Century, false, date(2024, 1, 1), date(2001, 1, 1));
    }
}
