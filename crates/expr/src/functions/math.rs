//! Functions of numbers. Transcendental ones come from one library on every machine, so that a run is the same everywhere.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{ArrayRef, ArrowPrimitiveType};
use tidegate_data::decimal::{self, power_of_ten};
use tidegate_data::{DataType, LogicalType, Value};

use super::args::binary;
use super::arithmetic::Integer;
use super::signature::{Family, check, misfit, nullable_if_any};
use super::{Binding, Call, ScalarFunction};
use crate::build::literal;
use crate::eval::EvalError;
use crate::{CallError, Expr};

const ONE: &[&[Family]] = &[&[Family::Numeric]];
const TWO: &[&[Family]] = &[&[Family::Numeric; 2]];
const ROUND_FORMS: &[&[Family]] = &[&[Family::Numeric, Family::Integer], &[Family::Numeric]];

macro_rules! of_double {
    ($($static:ident $name:literal $function:expr;)*) => {
        $(static $static: ScalarFunction = ScalarFunction::strict($name, |call| of_one(call, $function));)*
    };
}

of_double! {
    EXP "EXP" libm::exp;
    LN "LN" libm::log;
    LOG10 "LOG10" libm::log10;
    LOG2 "LOG2" |x| libm::log(x) / libm::log(2.0);
    SIN "SIN" libm::sin;
    COS "COS" libm::cos;
    TAN "TAN" libm::tan;
    COT "COT" |x| 1.0 / libm::tan(x);
    ASIN "ASIN" libm::asin;
    ACOS "ACOS" libm::acos;
    ATAN "ATAN" libm::atan;
    SINH "SINH" libm::sinh;
    COSH "COSH" libm::cosh;
    TANH "TANH" libm::tanh;
    DEGREES "DEGREES" f64::to_degrees;
    RADIANS "RADIANS" |x| x / 180.0 * std::f64::consts::PI;
    SQRT "SQRT" |x| libm::pow(x, 0.5);
}

static POWER: ScalarFunction = ScalarFunction::strict("POWER", |call| of_two(call, libm::pow));
static ATAN2: ScalarFunction = ScalarFunction::strict("ATAN2", |call| of_two(call, libm::atan2));
static LOG: ScalarFunction = ScalarFunction::strict("LOG", |call| {
    if call.values.len() == 1 {
        return of_one(call, libm::log);
    }
    of_two(call, |base, x| libm::log(x) / libm::log(base))
});
static ABS: ScalarFunction = ScalarFunction::strict("ABS", abs);
static SIGN: ScalarFunction = ScalarFunction::strict("SIGN", sign);
static CEIL: ScalarFunction = ScalarFunction::strict("CEIL", |call| to_whole(call, true));
static FLOOR: ScalarFunction = ScalarFunction::strict("FLOOR", |call| to_whole(call, false));
static ROUND: ScalarFunction = ScalarFunction::strict("ROUND", |call| round(call, true));
static TRUNCATE: ScalarFunction = ScalarFunction::strict("TRUNCATE", |call| round(call, false));

pub(super) const BINDINGS: &[Binding] = &[
    Binding {
        name: "ABS",
        bind: |name, args| bind_same(&ABS, check(name, args, &[&[Family::Numeric], &[Family::Interval]])?),
    },
    Binding { name: "SIGN", bind: |name, args| bind_same(&SIGN, check(name, args, ONE)?) },
    Binding { name: "ROUND", bind: |_, args| bind_round(&ROUND, args) },
    Binding { name: "TRUNCATE", bind: |_, args| bind_round(&TRUNCATE, args) },
    Binding { name: "POWER", bind: |name, args| bind_double(&POWER, check(name, args, TWO)?) },
    Binding { name: "SQRT", bind: |name, args| bind_double(&SQRT, check(name, args, ONE)?) },
    Binding { name: "EXP", bind: |name, args| bind_double(&EXP, check(name, args, ONE)?) },
    Binding { name: "LN", bind: |name, args| bind_double(&LN, check(name, args, ONE)?) },
    Binding { name: "LOG", bind: |name, args| bind_double(&LOG, check(name, args, &[ONE[0], TWO[0]])?) },
    Binding { name: "LOG10", bind: |name, args| bind_double(&LOG10, check(name, args, ONE)?) },
    Binding { name: "LOG2", bind: |name, args| bind_double(&LOG2, check(name, args, ONE)?) },
    Binding { name: "SIN", bind: |name, args| bind_double(&SIN, check(name, args, ONE)?) },
    Binding { name: "COS", bind: |name, args| bind_double(&COS, check(name, args, ONE)?) },
    Binding { name: "TAN", bind: |name, args| bind_double(&TAN, check(name, args, ONE)?) },
    Binding { name: "COT", bind: |name, args| bind_double(&COT, check(name, args, ONE)?) },
    Binding { name: "ASIN", bind: |name, args| bind_double(&ASIN, check(name, args, ONE)?) },
    Binding { name: "ACOS", bind: |name, args| bind_double(&ACOS, check(name, args, ONE)?) },
    Binding { name: "ATAN", bind: |name, args| bind_double(&ATAN, check(name, args, ONE)?) },
    Binding { name: "ATAN2", bind: |name, args| bind_double(&ATAN2, check(name, args, TWO)?) },
    Binding { name: "SINH", bind: |name, args| bind_double(&SINH, check(name, args, ONE)?) },
    Binding { name: "COSH", bind: |name, args| bind_double(&COSH, check(name, args, ONE)?) },
    Binding { name: "TANH", bind: |name, args| bind_double(&TANH, check(name, args, ONE)?) },
    Binding { name: "DEGREES", bind: |name, args| bind_double(&DEGREES, check(name, args, ONE)?) },
    Binding { name: "RADIANS", bind: |name, args| bind_double(&RADIANS, check(name, args, ONE)?) },
    Binding { name: "PI", bind: |name, args| bind_constant(name, args, std::f64::consts::PI) },
    Binding { name: "E", bind: |name, args| bind_constant(name, args, std::f64::consts::E) },
];

fn of_one(call: &Call<'_>, f: impl Fn(f64) -> f64) -> Result<ArrayRef, EvalError> {
    Ok(Arc::new(call.doubles(0)?.array().unary::<_, Float64Type>(f)))
}

fn of_two(call: &Call<'_>, f: impl Fn(f64, f64) -> f64) -> Result<ArrayRef, EvalError> {
    Ok(Arc::new(binary::<_, _, Float64Type>(&call.doubles(0)?, &call.doubles(1)?, f)))
}

/// The operand, number by number, in its own type.
struct Each {
    float: fn(f64) -> f64,
    decimal: fn(i128, i128) -> i128,
}

fn each(call: &Call<'_>, ints: [fn(i64) -> i64; 4], functions: &Each) -> ArrayRef {
    fn int<T: ArrowPrimitiveType>(call: &Call<'_>, f: fn(i64) -> i64, back: fn(i64) -> T::Native) -> ArrayRef
    where
        T::Native: Integer + Into<i64>,
    {
        Arc::new(call.numbers::<T>(0).array().unary::<_, T>(|x| back(f(x.into()))))
    }
    match call.arg_type(0) {
        LogicalType::TinyInt => int::<Int8Type>(call, ints[0], |x| x as i8),
        LogicalType::SmallInt => int::<Int16Type>(call, ints[1], |x| x as i16),
        LogicalType::Int | LogicalType::IntervalYearMonth => int::<Int32Type>(call, ints[2], |x| x as i32),
        LogicalType::BigInt | LogicalType::IntervalDayTime => int::<Int64Type>(call, ints[3], |x| x),
        LogicalType::Float => {
            let f = functions.float;
            Arc::new(call.numbers::<Float32Type>(0).array().unary::<_, Float32Type>(|x| f(x.into()) as f32))
        }
        LogicalType::Double => {
            let f = functions.float;
            Arc::new(call.numbers::<Float64Type>(0).array().unary::<_, Float64Type>(f))
        }
        LogicalType::Decimal(_, scale) => {
            let (f, unit) = (functions.decimal, power_of_ten((*scale).into()));
            let values = call.numbers::<Decimal128Type>(0).array().unary::<_, Decimal128Type>(|x| f(x, unit));
            Arc::new(values.with_data_type(call.ty.arrow()))
        }
        other => unreachable!("{other} is no number"),
    }
}

fn abs(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    // The smallest number of each width is its own absolute value, as in Java.
    Ok(each(call, [i64::wrapping_abs; 4], &Each { float: f64::abs, decimal: |x, _| x.abs() }))
}

fn sign(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let float = |x: f64| if x == 0.0 || x.is_nan() { x } else { x.signum() };
    Ok(each(call, [i64::signum; 4], &Each { float, decimal: |x, unit| x.signum() * unit }))
}

fn to_whole(call: &Call<'_>, up: bool) -> Result<ArrayRef, EvalError> {
    let same = |x: i64| x;
    let functions = if up {
        Each { float: f64::ceil, decimal: |x, unit| -(-x).div_euclid(unit) }
    } else {
        Each { float: f64::floor, decimal: i128::div_euclid }
    };
    Ok(each(call, [same; 4], &functions))
}

/// Rounds half away from zero, or cuts, at a number of digits behind the point (before it, if negative).
fn round(call: &Call<'_>, half_up: bool) -> Result<ArrayRef, EvalError> {
    let digits = if call.values.len() == 2 { Some(call.integers(1)?) } else { None };
    let digits = |row: usize| digits.as_ref().map_or(Some(0), |digits| digits.get(row)).map(|n| n.clamp(-400, 400));
    let shorten = move |value: i128, drop: i64| match u32::try_from(drop) {
        Err(_) | Ok(0) => value,
        Ok(drop) if drop > 38 => 0,
        Ok(drop) => {
            let unit = power_of_ten(drop);
            let kept = if half_up { decimal::divide_half_up(value, unit) } else { value / unit };
            kept.saturating_mul(unit)
        }
    };
    let operand = call.arg_type(0);
    Ok(match operand {
        ty if ty.is_integer() => {
            let values = call.integers(0)?;
            let rounded = call_numbers(call, |row| Some(shorten(values.get(row)?.into(), -digits(row)?) as i64));
            let bigint = DataType::new(LogicalType::BigInt);
            tidegate_data::cast_column(&rounded, &bigint, call.ty, false, call.ctx.zone)?
        }
        LogicalType::Decimal(_, scale) => {
            let values = call.numbers::<Decimal128Type>(0);
            let LogicalType::Decimal(p, s) = call.ty.logical else { unreachable!("the binder keeps DECIMAL") };
            call.make_numbers::<Decimal128Type>(|row| {
                let shortened = shorten(values.get(row)?, i64::from(*scale) - digits(row)?);
                decimal::rescale(shortened, *scale, p, s)
            })
        }
        LogicalType::Float => {
            let values = call.numbers::<Float32Type>(0);
            call.make_numbers::<Float32Type>(|row| {
                let value = values.get(row)?;
                let mut text = String::new();
                tidegate_data::text::number::write_float(&mut text, value);
                Some(round_text(&text, value.into(), digits(row)?, half_up) as f32)
            })
        }
        _ => {
            let values = call.numbers::<Float64Type>(0);
            call.make_numbers::<Float64Type>(|row| {
                let value = values.get(row)?;
                let mut text = String::new();
                tidegate_data::text::number::write_double(&mut text, value);
                Some(round_text(&text, value, digits(row)?, half_up))
            })
        }
    })
}

fn call_numbers(call: &Call<'_>, row: impl FnMut(usize) -> Option<i64>) -> ArrayRef {
    let numbers: arrow_array::Int64Array = (0..call.len).map(row).collect();
    Arc::new(numbers)
}

/// Floating point is rounded by its decimal text, as Java's `BigDecimal.valueOf(x).setScale(..)` does.
fn round_text(text: &str, value: f64, digits: i64, half_up: bool) -> f64 {
    if !value.is_finite() {
        return value;
    }
    let (mantissa, exponent) = text.split_once('E').unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().expect("a number's text has a number for its exponent");
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let unscaled: i128 = format!("{whole}{fraction}").parse().expect("digits");
    let scale = fraction.len() as i64 - exponent;
    let drop = scale - digits;
    if drop <= 0 {
        return value;
    }
    if drop > 38 {
        return 0.0;
    }
    let unit = power_of_ten(drop as u32);
    let kept = if half_up { decimal::divide_half_up(unscaled, unit) } else { unscaled / unit };
    // What is rounded to nothing has no sign.
    format!("{kept}e{}", -digits).parse().expect("a decimal number")
}

// Binding.

fn bind_same(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let ty = args[0].ty.clone();
    Ok(function.on(args, ty))
}

fn bind_double(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let ty = nullable_if_any(LogicalType::Double, &args);
    Ok(function.on(args, ty))
}

fn bind_constant(name: &'static str, args: Vec<Expr>, value: f64) -> Result<Expr, CallError> {
    if !args.is_empty() {
        return Err(CallError::count(name, args.len(), "0"));
    }
    Ok(literal(Value::Double(value), DataType::not_null(LogicalType::Double)))
}

/// CEIL or FLOOR of a number.
pub(super) fn bind_whole(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    let function = if name == "FLOOR" { &FLOOR } else { &CEIL };
    if !args[0].ty.logical.is_numeric() {
        return Err(misfit(name, &args, ONE));
    }
    let logical = match &args[0].ty.logical {
        LogicalType::Decimal(p, _) => LogicalType::Decimal(*p, 0),
        other => other.clone(),
    };
    let ty = nullable_if_any(logical, &args);
    Ok(function.on(args, ty))
}

fn bind_round(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(function.name, args, ROUND_FORMS)?;
    let digits = match args.get(1).map(Expr::as_literal) {
        None => Some(0),
        Some(Some(Value::Int(digits))) => Some(*digits),
        Some(_) => None,
    };
    let logical = match (&args[0].ty.logical, digits) {
        // Flink's `findRoundDecimalType`: one more digit, for 9.9 may become 10.
        (LogicalType::Decimal(p, s), Some(digits)) if digits < i64::from(*s) => {
            let scale = digits.max(0) as u8;
            LogicalType::Decimal((1 + p - s + scale).min(decimal::MAX_PRECISION), scale)
        }
        (other, _) => other.clone(),
    };
    let ty = nullable_if_any(logical, &args);
    Ok(function.on(args, ty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floating_point_is_rounded_by_its_text() {
        assert_eq!(round_text("0.125", 0.125, 2, true), 0.13);
        assert_eq!(round_text("2.5", 2.5, 0, true), 3.0);
        assert_eq!(round_text("-2.5", -2.5, 0, true), -3.0);
        assert_eq!(round_text("-0.4", -0.4, 0, true).to_bits(), 0.0f64.to_bits());
        assert_eq!(round_text("1.0E20", 1e20, 1, true), 1e20);
        assert_eq!(round_text("155.0", 155.0, -1, true), 160.0);
        assert_eq!(round_text("1.5E-9", 1.5e-9, 2, true), 0.0);
    }
}
