//! `+`, `-`, `*` and `/` with dates, times and intervals; TIMESTAMPADD and TIMESTAMPDIFF.
//!
//! Months move to the same day of another month, or to its last; days and less are milliseconds, in UTC also for TIMESTAMP_LTZ.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use tidegate_data::calendar::{MS_PER_DAY, add_months};
use tidegate_data::{DataType, LogicalType, TimeKind, Value, arrow::units_per_second};

use super::milliseconds;
use super::unit::Unit;
use crate::build::literal;
use crate::eval::EvalError;
use crate::functions::args::binary;
use crate::functions::signature::{Family, misfit, nullable_if_any};
use crate::functions::{Binding, Call, ScalarFunction, Shape};
use crate::{CallError, Expr};

pub(in crate::functions) const BINDINGS: &[Binding] = &[
    Binding { name: "TIMESTAMPADD", bind: bind_timestampadd },
    Binding { name: "TIMESTAMPDIFF", bind: bind_timestampdiff },
    Binding { name: "MINUS_DATE", bind: |_, args| bind_difference(args) },
];

static SHIFT: ScalarFunction = ScalarFunction::strict("+", |call| shift(call, 1)).cheap().shown_as(Shape::Infix);
static SHIFT_BACK: ScalarFunction = ScalarFunction::strict("-", |call| shift(call, -1)).cheap().shown_as(Shape::Infix);
static DIFFERENCE: ScalarFunction = ScalarFunction::strict("-", difference).shown_as(Shape::Infix);
static TIMESTAMPDIFF: ScalarFunction = ScalarFunction::strict("TIMESTAMPDIFF", timestampdiff);
static ADD_INTERVALS: ScalarFunction =
    ScalarFunction::strict("+", |call| intervals(call, i64::wrapping_add)).shown_as(Shape::Infix);
static SUBTRACT_INTERVALS: ScalarFunction =
    ScalarFunction::strict("-", |call| intervals(call, i64::wrapping_sub)).shown_as(Shape::Infix);
static MULTIPLY_INTERVAL: ScalarFunction =
    ScalarFunction::strict("*", |call| intervals(call, i64::wrapping_mul)).shown_as(Shape::Infix);
static DIVIDE_INTERVAL: ScalarFunction = ScalarFunction::strict("/", divide_interval)
    .failing(|args, _| !matches!(args[1].as_literal(), Some(Value::Int(n)) if *n != 0))
    .shown_as(Shape::Infix);

const PLUS_FORMS: &[&[Family]] = &[
    &[Family::Numeric, Family::Numeric],
    &[Family::Interval, Family::Interval],
    &[Family::Datetime, Family::Interval],
    &[Family::Interval, Family::Datetime],
];

pub(in crate::functions) fn bind_plus(args: Vec<Expr>) -> Result<Expr, CallError> {
    let kinds = kinds(&args);
    match kinds[..] {
        [Kind::Datetime, Kind::Interval] => Ok(shifted(&SHIFT, args)),
        [Kind::Interval, Kind::Datetime] => Ok(shifted(&SHIFT, args.into_iter().rev().collect())),
        [Kind::Interval, Kind::Interval] if args[0].ty.logical == args[1].ty.logical => {
            let ty = nullable_if_any(args[0].ty.logical.clone(), &args);
            Ok(ADD_INTERVALS.on(args, ty))
        }
        _ => Err(misfit("+", &args, PLUS_FORMS)),
    }
}

pub(in crate::functions) fn bind_minus(args: Vec<Expr>) -> Result<Expr, CallError> {
    match kinds(&args)[..] {
        [Kind::Datetime, Kind::Interval] => Ok(shifted(&SHIFT_BACK, args)),
        [Kind::Interval, Kind::Interval] if args[0].ty.logical == args[1].ty.logical => {
            let ty = nullable_if_any(args[0].ty.logical.clone(), &args);
            Ok(SUBTRACT_INTERVALS.on(args, ty))
        }
        _ => Err(misfit("-", &args, &PLUS_FORMS[..3])),
    }
}

pub(in crate::functions) fn bind_times(args: Vec<Expr>) -> Result<Expr, CallError> {
    const FORMS: &[&[Family]] = &[
        &[Family::Numeric, Family::Numeric],
        &[Family::Interval, Family::Numeric],
        &[Family::Numeric, Family::Interval],
    ];
    let args: Vec<Expr> = match kinds(&args)[..] {
        [Kind::Interval, Kind::Number] => args,
        [Kind::Number, Kind::Interval] => args.into_iter().rev().collect(),
        _ => return Err(misfit("*", &args, FORMS)),
    };
    let ty = nullable_if_any(args[0].ty.logical.clone(), &args);
    Ok(MULTIPLY_INTERVAL.on(args, ty))
}

pub(in crate::functions) fn bind_divided(args: Vec<Expr>) -> Result<Expr, CallError> {
    const FORMS: &[&[Family]] = &[&[Family::Numeric, Family::Numeric], &[Family::Interval, Family::Numeric]];
    match kinds(&args)[..] {
        [Kind::Interval, Kind::Number] => {
            let ty = nullable_if_any(args[0].ty.logical.clone(), &args);
            Ok(DIVIDE_INTERVAL.on(args, ty))
        }
        _ => Err(misfit("/", &args, FORMS)),
    }
}

/// The difference of two dates or times, as the interval that the unit (the first argument) belongs to: `(a - b) DAY`.
fn bind_difference(args: Vec<Expr>) -> Result<Expr, CallError> {
    let [unit, a, b] = <[Expr; 3]>::try_from(args).map_err(|args| CallError::count("-", args.len(), "3"))?;
    let logical =
        if Unit::of("-", &unit)?.is_months() { LogicalType::IntervalYearMonth } else { LogicalType::IntervalDayTime };
    let args = vec![a, b];
    if kinds(&args) != [Kind::Datetime, Kind::Datetime] {
        return Err(misfit("-", &args, &PLUS_FORMS[..3]));
    }
    let ty = nullable_if_any(logical, &args);
    Ok(DIFFERENCE.on(args, ty))
}

fn bind_timestampadd(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() != 3 {
        return Err(CallError::count(name, args.len(), "3"));
    }
    let unit = Unit::of(name, &args[0])?;
    if !Family::Integer.takes(&args[1].ty.logical) || !Family::Datetime.takes(&args[2].ty.logical) {
        let [word, count, time] = [0, 1, 2].map(|index| args[index].ty.calcite());
        let word = args[0].as_literal().map_or(word, unit_word);
        return Err(CallError::arguments(
            format!(
                "Cannot apply 'TIMESTAMPADD' to arguments of type 'TIMESTAMPADD(<INTERVAL {word}>, <{count}>, <{time}>)'. \
                 Supported form(s): 'TIMESTAMPADD(<ANY>, <INTEGER>, <DATETIME>)'"
            ),
            None,
        ));
    }
    let [_, count, mut time] = <[Expr; 3]>::try_from(args).expect("three were counted");
    let one = if unit.is_months() { unit.months() } else { unit.milliseconds() };
    let logical = if unit.is_months() { LogicalType::IntervalYearMonth } else { LogicalType::IntervalDayTime };
    let ty = DataType::not_null(logical.clone());
    let interval = match count.as_literal() {
        Some(Value::Int(count)) => literal(Value::Int(count * one), ty),
        _ => bind_times(vec![literal(Value::Int(one), ty), count])?,
    };
    if time.ty.logical == LogicalType::Date && !unit.is_months() && unit.milliseconds() < MS_PER_DAY {
        time = crate::cast(time, &DataType::new(LogicalType::Timestamp(6, TimeKind::Regular)), false)?;
    }
    Ok(shifted(&SHIFT, vec![time, interval]))
}

fn bind_timestampdiff(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    const FORMS: &[&[Family]] = &[&[Family::Any, Family::Datetime, Family::Datetime]];
    if args.len() != 3 {
        return Err(CallError::count(name, args.len(), "3"));
    }
    Unit::of(name, &args[0])?;
    if args[1..].iter().any(|arg| !arg.ty.logical.is_timestamp() && arg.ty.logical != LogicalType::Date) {
        return Err(misfit(name, &args, FORMS));
    }
    let zoned = |arg: &Expr| matches!(arg.ty.logical, LogicalType::TimestampLtz(..));
    if zoned(&args[1]) != zoned(&args[2]) {
        return Err(CallError::arguments("TIMESTAMP_LTZ only supports diff between the same type.", None));
    }
    let ty = nullable_if_any(LogicalType::Int, &args[1..]);
    Ok(TIMESTAMPDIFF.on(args, ty))
}

fn unit_word(value: &Value) -> String {
    if let Value::String(word) = value { word.to_uppercase() } else { String::new() }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Datetime,
    Interval,
    Other,
}

fn kinds(args: &[Expr]) -> Vec<Kind> {
    let kind = |arg: &Expr| match &arg.ty.logical {
        ty if ty.is_numeric() => Kind::Number,
        ty if ty.is_datetime() => Kind::Datetime,
        ty if ty.is_interval() => Kind::Interval,
        _ => Kind::Other,
    };
    args.iter().map(kind).collect()
}

fn shifted(function: &'static ScalarFunction, args: Vec<Expr>) -> Expr {
    let ty = nullable_if_any(args[0].ty.logical.without_time_attribute(), &args);
    function.on(args, ty)
}

/// A date or time, and an interval to add `sign` times.
fn shift(call: &Call<'_>, sign: i64) -> Result<ArrayRef, EvalError> {
    let months = matches!(call.arg_type(1), LogicalType::IntervalYearMonth);
    let interval = call.integers_of_interval(1)?;
    Ok(match (call.arg_type(0), months) {
        (LogicalType::Date, true) => {
            let days = call.numbers::<Date32Type>(0);
            Arc::new(binary::<_, _, Date32Type>(&days, &interval, |days, n| add_months(days, (sign * n) as i32)))
        }
        (LogicalType::Date, false) => {
            let days = call.numbers::<Date32Type>(0);
            Arc::new(binary::<_, _, Date32Type>(&days, &interval, |days, ms| {
                days.wrapping_add((sign * (ms / MS_PER_DAY)) as i32)
            }))
        }
        (LogicalType::Time(_), false) => {
            let times = call.numbers::<Time32MillisecondType>(0);
            Arc::new(binary::<_, _, Time32MillisecondType>(&times, &interval, |time, ms| {
                ((i64::from(time) + MS_PER_DAY + sign * (ms % MS_PER_DAY)) % MS_PER_DAY) as i32
            }))
        }
        (LogicalType::Time(_), true) => call.values[0].clone().into_array(call.len),
        (LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _), months) => {
            let units = units_per_second(*p);
            let ticks = call.ticks(0);
            let moved = if months {
                let day = units * 86_400;
                binary::<_, _, Int64Type>(&ticks, &interval, |value, n| {
                    let days = add_months(value.div_euclid(day) as i32, (sign * n) as i32);
                    i64::from(days).wrapping_mul(day).wrapping_add(value.rem_euclid(day))
                })
            } else {
                let per_ms = units / 1000;
                binary::<_, _, Int64Type>(&ticks, &interval, |value, ms| {
                    value.wrapping_add((sign * ms).wrapping_mul(per_ms))
                })
            };
            timestamps(moved, call.ty)
        }
        (other, _) => unreachable!("{other} is no date or time"),
    })
}

/// Ticks as the array of a timestamp type.
pub(in crate::functions) fn timestamps(ticks: PrimitiveArray<Int64Type>, ty: &DataType) -> ArrayRef {
    match ty.arrow() {
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => {
            Arc::new(ticks.reinterpret_cast::<TimestampMillisecondType>())
        }
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => {
            Arc::new(ticks.reinterpret_cast::<TimestampMicrosecondType>())
        }
        _ => Arc::new(ticks.reinterpret_cast::<TimestampNanosecondType>()),
    }
}

/// Whole months from one instant to another, both in milliseconds.
fn months_between(from: i64, to: i64) -> i64 {
    if to < from {
        return -months_between(to, from);
    }
    let (from_day, to_day) = (from.div_euclid(MS_PER_DAY) as i32, to.div_euclid(MS_PER_DAY) as i32);
    let mut months = i64::from(to_day - from_day) / 31;
    while add_months(from_day, months as i32 + 1) <= to_day {
        months += 1;
    }
    let reached = add_months(from_day, months as i32);
    if reached == to_day && to.rem_euclid(MS_PER_DAY) < from.rem_euclid(MS_PER_DAY) { months - 1 } else { months }
}

fn difference(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (a, b) = (milliseconds(call, 0), milliseconds(call, 1));
    Ok(match &call.ty.logical {
        LogicalType::IntervalYearMonth => {
            Arc::new(binary::<_, _, Int32Type>(&a, &b, |a, b| months_between(b, a) as i32))
        }
        _ => Arc::new(binary::<_, _, Int64Type>(&a, &b, |a, b| a - b)),
    })
}

fn timestampdiff(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let unit = Unit::of("TIMESTAMPDIFF", &call.args[0]).expect("the binder has checked the unit");
    let (from, to) = (milliseconds(call, 1), milliseconds(call, 2));
    Ok(Arc::new(if unit.is_months() {
        binary::<_, _, Int32Type>(&from, &to, |from, to| (months_between(from, to) / unit.months()) as i32)
    } else {
        binary::<_, _, Int32Type>(&from, &to, |from, to| ((to - from) / unit.milliseconds()) as i32)
    }))
}

/// Interval and interval, or interval and number.
fn intervals(call: &Call<'_>, f: fn(i64, i64) -> i64) -> Result<ArrayRef, EvalError> {
    let (a, b) = (call.integers_of_interval(0)?, call.integers_of_interval(1)?);
    Ok(match &call.ty.logical {
        LogicalType::IntervalYearMonth => Arc::new(binary::<_, _, Int32Type>(&a, &b, |a, b| f(a, b) as i32)),
        _ => Arc::new(binary::<_, _, Int64Type>(&a, &b, f)),
    })
}

fn divide_interval(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (a, b) = (call.integers_of_interval(0)?, call.integers_of_interval(1)?);
    if (0..call.len).any(|row| a.get(row).is_some() && b.get(row) == Some(0)) {
        return Err(EvalError::new("/ by zero"));
    }
    intervals(call, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_data::calendar::days_from_civil;

    #[test]
    fn whole_months() {
        let at = |y, m, d, hour: i64| i64::from(days_from_civil(y, m, d)) * MS_PER_DAY + hour * 3_600_000;
        assert_eq!(months_between(at(2024, 1, 31, 23), at(2024, 3, 31, 22)), 1);
        assert_eq!(months_between(at(2024, 2, 29, 12), at(2024, 3, 31, 22)), 1);
        assert_eq!(months_between(at(2024, 1, 31, 0), at(2020, 2, 28, 0)), -47);
        assert_eq!(months_between(at(2024, 1, 31, 0), at(2024, 2, 29, 0)), 1);
    }
}
