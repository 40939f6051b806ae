//! Arithmetic over numbers: integers wrap, DECIMAL overflow is NULL, an exact division by zero fails the row.
//!
//! `+`, `-`, `*` and `/` with dates, times or intervals are in `time::arithmetic`.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::ArrowNativeType;
use tidegate_data::{DataType, LogicalType, Value, cast_column, decimal};

use super::args::{Numbers, binary};
use super::signature::{Family, check, misfit, nullable_if_any};
use super::time::arithmetic as datetime;
use super::{Binding, Call, ScalarFunction, Shape};
use crate::build::{arithmetic, as_decimal};
use crate::eval::EvalError;
use crate::{CallError, Expr};

pub(super) const BINDINGS: &[Binding] = &[
    Binding { name: "+", bind: |_, args| if args.len() == 1 { bind_plus(args) } else { bind_add(args) } },
    Binding { name: "-", bind: |_, args| if args.len() == 1 { bind_minus(args) } else { bind_subtract(args) } },
    Binding { name: "*", bind: |_, args| bind_multiply(args) },
    Binding { name: "/", bind: |_, args| bind_divide(args) },
    Binding { name: "%", bind: bind_remainder },
    Binding { name: "MOD", bind: bind_remainder },
];

static ADD: ScalarFunction = ScalarFunction::strict("+", ring::<Add>).cheap().shown_as(Shape::Infix);
static SUBTRACT: ScalarFunction = ScalarFunction::strict("-", ring::<Subtract>).cheap().shown_as(Shape::Infix);
static MULTIPLY: ScalarFunction = ScalarFunction::strict("*", ring::<Multiply>).cheap().shown_as(Shape::Infix);
static DIVIDE: ScalarFunction = ScalarFunction::strict("/", divide).failing(divisor_may_be_zero).shown_as(Shape::Infix);
static REMAINDER: ScalarFunction = ScalarFunction::strict("MOD", remainder).failing(divisor_may_be_zero);
static NEGATE: ScalarFunction = ScalarFunction::strict("-", negate).cheap();

/// One of `+`, `-` and `*`, for every kind of number.
trait Ring {
    fn int<T: Integer>(a: T, b: T) -> T;
    fn float(a: f64, b: f64) -> f64;
    fn decimal(a: i128, s1: u8, b: i128, s2: u8, ty: (u8, u8)) -> Option<i128>;
}

struct Add;
struct Subtract;
struct Multiply;

impl Ring for Add {
    #[inline(always)]
    fn int<T: Integer>(a: T, b: T) -> T {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn float(a: f64, b: f64) -> f64 {
        a + b
    }
    fn decimal(a: i128, s1: u8, b: i128, s2: u8, ty: (u8, u8)) -> Option<i128> {
        decimal::add(a, s1, b, s2, ty)
    }
}

impl Ring for Subtract {
    #[inline(always)]
    fn int<T: Integer>(a: T, b: T) -> T {
        a.wrapping_sub(b)
    }
    #[inline(always)]
    fn float(a: f64, b: f64) -> f64 {
        a - b
    }
    fn decimal(a: i128, s1: u8, b: i128, s2: u8, ty: (u8, u8)) -> Option<i128> {
        decimal::add(a, s1, -b, s2, ty)
    }
}

impl Ring for Multiply {
    #[inline(always)]
    fn int<T: Integer>(a: T, b: T) -> T {
        a.wrapping_mul(b)
    }
    #[inline(always)]
    fn float(a: f64, b: f64) -> f64 {
        a * b
    }
    fn decimal(a: i128, s1: u8, b: i128, s2: u8, ty: (u8, u8)) -> Option<i128> {
        decimal::multiply(a, s1, b, s2, ty)
    }
}

/// What the integer types have in common.
pub(crate) trait Integer: ArrowNativeType {
    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_sub(self, other: Self) -> Self;
    fn wrapping_mul(self, other: Self) -> Self;
    fn wrapping_div(self, other: Self) -> Self;
    fn wrapping_rem(self, other: Self) -> Self;
    fn wrapping_neg(self) -> Self;
}

macro_rules! integer {
    ($($ty:ty),*) => {$(
        impl Integer for $ty {
            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self { <$ty>::wrapping_add(self, other) }
            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self { <$ty>::wrapping_sub(self, other) }
            #[inline(always)]
            fn wrapping_mul(self, other: Self) -> Self { <$ty>::wrapping_mul(self, other) }
            #[inline(always)]
            fn wrapping_div(self, other: Self) -> Self { <$ty>::wrapping_div(self, other) }
            #[inline(always)]
            fn wrapping_rem(self, other: Self) -> Self { <$ty>::wrapping_rem(self, other) }
            #[inline(always)]
            fn wrapping_neg(self) -> Self { <$ty>::wrapping_neg(self) }
        }
    )*};
}
integer!(i8, i16, i32, i64);

fn operands<T: ArrowPrimitiveType>(call: &Call<'_>) -> Result<[Numbers<T>; 2], EvalError> {
    let ty = &call.ty.logical;
    Ok([Numbers::new(&call.as_type(0, ty)?), Numbers::new(&call.as_type(1, ty)?)])
}

fn ring<R: Ring>(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    fn ints<R: Ring, T: ArrowPrimitiveType<Native: Integer>>(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
        let [a, b] = operands::<T>(call)?;
        Ok(Arc::new(binary::<T, T, T>(&a, &b, |a, b| R::int(a, b))))
    }
    match &call.ty.logical {
        LogicalType::TinyInt | LogicalType::SmallInt => widened(call, ring::<R>),
        LogicalType::Int => ints::<R, Int32Type>(call),
        LogicalType::BigInt => ints::<R, Int64Type>(call),
        LogicalType::Float | LogicalType::Double => floats(call, R::float),
        LogicalType::Decimal(p, s) => decimals(call, &|a, s1, b, s2| Ok(R::decimal(a, s1, b, s2, (*p, *s)))),
        other => unreachable!("the binder gives no arithmetic on numbers the type {other}"),
    }
}

/// Computed as INT and cut to its own type, which comes to the same modulo 2^n.
fn widened(call: &Call<'_>, kernel: fn(&Call<'_>) -> Result<ArrayRef, EvalError>) -> Result<ArrayRef, EvalError> {
    let wide = DataType { logical: LogicalType::Int, ..*call.ty };
    let result = kernel(&Call { ty: &wide, ..*call })?;
    Ok(cast_column(&result, &wide, call.ty, false, call.ctx.zone)?)
}

/// FLOAT is computed as DOUBLE and rounded: that has more than twice its digits, so rounding twice does no harm.
fn floats(call: &Call<'_>, f: impl Fn(f64, f64) -> f64) -> Result<ArrayRef, EvalError> {
    let single = call.ty.logical == LogicalType::Float;
    let [a, b] = match single {
        true => operands::<Float32Type>(call)?.map(|operand| operand.map(f64::from)),
        false => operands::<Float64Type>(call)?,
    };
    let result = binary::<Float64Type, Float64Type, Float64Type>(&a, &b, f);
    Ok(match single {
        true => Arc::new(result.unary::<_, Float32Type>(|x| x as f32)),
        false => Arc::new(result),
    })
}

/// Row by row over unscaled values and their scales.
fn decimals(
    call: &Call<'_>,
    f: &dyn Fn(i128, u8, i128, u8) -> Result<Option<i128>, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let operand = |index: usize| {
        let (precision, scale) = as_decimal(call.arg_type(index)).expect("an exact number");
        Ok::<_, EvalError>((call.as_type(index, &LogicalType::Decimal(precision, scale))?, scale))
    };
    let ((a, s1), (b, s2)) = (operand(0)?, operand(1)?);
    let (a, b) = (Numbers::<Decimal128Type>::new(&a), Numbers::<Decimal128Type>::new(&b));
    let mut values = Vec::with_capacity(call.len);
    for row in 0..call.len {
        values.push(match (a.get(row), b.get(row)) {
            (Some(a), Some(b)) => f(a, s1, b, s2)?,
            _ => None,
        });
    }
    Ok(Arc::new(PrimitiveArray::<Decimal128Type>::from(values).with_data_type(call.ty.arrow())))
}

fn by_zero() -> EvalError {
    EvalError::new("/ by zero")
}

fn decimal_by_zero(dividend: i128) -> EvalError {
    EvalError::new(if dividend == 0 { "Division undefined" } else { "Division by zero" })
}

fn divisor_may_be_zero(args: &[Expr], ty: &DataType) -> bool {
    let divisor = args.get(1).and_then(Expr::as_literal);
    !ty.logical.is_approximate()
        && !matches!(divisor, Some(Value::Int(n)) if *n != 0)
        && !matches!(divisor, Some(Value::Decimal(n)) if *n != 0)
}

/// Division or remainder of integers; `f` is not called with a divisor of 0.
fn checked<T: ArrowPrimitiveType<Native: Integer>>(
    a: &Numbers<T>,
    b: &Numbers<T>,
    f: impl Fn(T::Native, T::Native) -> T::Native,
) -> Result<ArrayRef, EvalError> {
    let zero = T::Native::default();
    match b.column() {
        None if b.scalar() == zero => match a.column() {
            Some(column) if column.null_count() == column.len() => Ok(Arc::new(column.clone())),
            _ => Err(by_zero()),
        },
        None => Ok(Arc::new(binary::<T, T, T>(a, b, f))),
        Some(divisors) => {
            let result = binary::<T, T, T>(a, b, |a, b| if b == zero { zero } else { f(a, b) });
            let zeros = divisors.values().iter().enumerate().filter(|(_, divisor)| **divisor == zero);
            for (row, _) in zeros {
                if result.is_valid(row) {
                    return Err(by_zero());
                }
            }
            Ok(Arc::new(result))
        }
    }
}

fn divide(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    fn ints<T: ArrowPrimitiveType<Native: Integer>>(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
        let [a, b] = operands::<T>(call)?;
        checked(&a, &b, Integer::wrapping_div)
    }
    match &call.ty.logical {
        LogicalType::TinyInt | LogicalType::SmallInt => widened(call, divide),
        LogicalType::Int => ints::<Int32Type>(call),
        LogicalType::BigInt => ints::<Int64Type>(call),
        LogicalType::Float | LogicalType::Double => floats(call, |a, b| a / b),
        LogicalType::Decimal(p, s) => decimals(call, &|a, s1, b, s2| {
            if b == 0 { Err(decimal_by_zero(a)) } else { Ok(decimal::divide(a, s1, b, s2, (*p, *s))) }
        }),
        other => unreachable!("the binder gives no division of numbers the type {other}"),
    }
}

fn remainder(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    if let LogicalType::Decimal(p, s) = &call.ty.logical {
        return decimals(call, &|a, s1, b, s2| {
            if b == 0 { Err(decimal_by_zero(a)) } else { Ok(decimal::remainder(a, s1, b, s2, (*p, *s))) }
        });
    }
    // Computed as BIGINT; the result is no larger than the divisor, whose type it has.
    let (a, b) = (call.integers(0)?, call.integers(1)?);
    let wide = checked(&a, &b, Integer::wrapping_rem)?;
    let bigint = DataType::new(LogicalType::BigInt);
    Ok(cast_column(&wide, &bigint, call.ty, false, call.ctx.zone)?)
}

fn negate(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    fn ints<T: ArrowPrimitiveType<Native: Integer>>(call: &Call<'_>) -> ArrayRef {
        let operand = call.numbers::<T>(0);
        Arc::new(operand.array().unary::<_, T>(Integer::wrapping_neg))
    }
    Ok(match &call.ty.logical {
        LogicalType::TinyInt => ints::<Int8Type>(call),
        LogicalType::SmallInt => ints::<Int16Type>(call),
        LogicalType::Int | LogicalType::IntervalYearMonth => ints::<Int32Type>(call),
        LogicalType::BigInt | LogicalType::IntervalDayTime => ints::<Int64Type>(call),
        LogicalType::Float => Arc::new(call.numbers::<Float32Type>(0).array().unary::<_, Float32Type>(|x| -x)),
        LogicalType::Double => Arc::new(call.numbers::<Float64Type>(0).array().unary::<_, Float64Type>(|x| -x)),
        _ => {
            let negated = call.numbers::<Decimal128Type>(0).array().unary::<_, Decimal128Type>(|x| -x);
            Arc::new(negated.with_data_type(call.ty.arrow()))
        }
    })
}

// Binding.

fn both_numeric(args: &[Expr]) -> bool {
    args.len() == 2 && args.iter().all(|arg| Family::Numeric.takes(&arg.ty.logical))
}

fn bind_numbers(
    function: &'static ScalarFunction,
    args: Vec<Expr>,
    of_decimals: fn((u8, u8), (u8, u8)) -> (u8, u8),
) -> Result<Expr, CallError> {
    let args = check(function.name, args, &[&[Family::Numeric, Family::Numeric]])?;
    let logical = arithmetic(&args[0].ty.logical, &args[1].ty.logical, of_decimals);
    let ty = nullable_if_any(logical.expect("numbers have a common type"), &args);
    Ok(function.on(args, ty))
}

fn bind_add(args: Vec<Expr>) -> Result<Expr, CallError> {
    if both_numeric(&args) {
        return bind_numbers(&ADD, args, decimal::sum_type);
    }
    datetime::bind_plus(args)
}

fn bind_subtract(args: Vec<Expr>) -> Result<Expr, CallError> {
    if both_numeric(&args) {
        return bind_numbers(&SUBTRACT, args, decimal::sum_type);
    }
    datetime::bind_minus(args)
}

fn bind_multiply(args: Vec<Expr>) -> Result<Expr, CallError> {
    if both_numeric(&args) {
        return bind_numbers(&MULTIPLY, args, decimal::product_type);
    }
    datetime::bind_times(args)
}

fn bind_divide(args: Vec<Expr>) -> Result<Expr, CallError> {
    if both_numeric(&args) {
        return bind_numbers(&DIVIDE, args, decimal::quotient_type);
    }
    datetime::bind_divided(args)
}

fn bind_remainder(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(name, args, &[&[Family::ExactNumeric, Family::ExactNumeric]])?;
    let (a, b) = (&args[0].ty.logical, &args[1].ty.logical);
    let logical = if a.is_integer() && b.is_integer() {
        b.clone()
    } else {
        arithmetic(a, b, decimal::remainder_type).expect("exact numbers have a common type")
    };
    let ty = nullable_if_any(logical, &args);
    Ok(REMAINDER.on(args, ty))
}

fn bind_plus(args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check("+", args, &[&[Family::Numeric], &[Family::Interval]])?;
    Ok(args.into_iter().next().expect("one argument"))
}

fn bind_minus(args: Vec<Expr>) -> Result<Expr, CallError> {
    if !args[0].ty.logical.is_numeric() && !args[0].ty.logical.is_interval() {
        return Err(misfit("-", &args, &[&[Family::Numeric], &[Family::Interval]]));
    }
    let ty = args[0].ty.clone();
    Ok(NEGATE.on(args, ty))
}
