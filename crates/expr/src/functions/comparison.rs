//! Comparisons: `= <> < <= > >=`, IS [NOT] NULL, IS [NOT] DISTINCT FROM and BETWEEN.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BooleanArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType as ArrowType, TimeUnit};
use tidegate_data::{Cast, DataType, LogicalType, Value, arrow::units_per_second, can_cast, decimal, value_at};

use super::args::{Numbers, compare};
use super::logic::{AND, OR};
use super::signature::{Family, any_nullable, misfit};
use super::{Binding, Call, Kernel, ScalarFunction, Shape};
use crate::build::{as_decimal, cast, common_type};
use crate::eval::{EvalError, full_null};
use crate::{CallError, Expr};

pub(super) const BINDINGS: &[Binding] = &[
    Binding { name: "=", bind: |_, args| bind_comparison(&EQUAL, args) },
    Binding { name: "<>", bind: |_, args| bind_comparison(&NOT_EQUAL, args) },
    Binding { name: "!=", bind: |_, args| bind_comparison(&NOT_EQUAL, args) },
    Binding { name: "<", bind: |_, args| bind_comparison(&LESS, args) },
    Binding { name: "<=", bind: |_, args| bind_comparison(&LESS_OR_EQUAL, args) },
    Binding { name: ">", bind: |_, args| bind_comparison(&GREATER, args) },
    Binding { name: ">=", bind: |_, args| bind_comparison(&GREATER_OR_EQUAL, args) },
    Binding { name: "IS NULL", bind: |_, args| bind_null_test(&IS_NULL, args) },
    Binding { name: "IS NOT NULL", bind: |_, args| bind_null_test(&IS_NOT_NULL, args) },
    Binding { name: "IS DISTINCT FROM", bind: |_, args| bind_distinct(&IS_DISTINCT_FROM, args) },
    Binding { name: "IS NOT DISTINCT FROM", bind: |_, args| bind_distinct(&IS_NOT_DISTINCT_FROM, args) },
    Binding { name: "BETWEEN", bind: |_, args| bind_between(args, false, false) },
    Binding { name: "NOT BETWEEN", bind: |_, args| bind_between(args, true, false) },
    Binding { name: "BETWEEN SYMMETRIC", bind: |_, args| bind_between(args, false, true) },
    Binding { name: "NOT BETWEEN SYMMETRIC", bind: |_, args| bind_between(args, true, true) },
];

const fn comparison(name: &'static str, kernel: fn(&Call<'_>) -> Result<ArrayRef, EvalError>) -> ScalarFunction {
    ScalarFunction::strict(name, kernel).cheap().shown_as(Shape::Infix)
}

pub(crate) static EQUAL: ScalarFunction = comparison("=", |call| compare_values(call, Operator::Equal));
pub(crate) static NOT_EQUAL: ScalarFunction = comparison("<>", |call| compare_values(call, Operator::NotEqual));
pub(crate) static LESS: ScalarFunction = comparison("<", |call| compare_values(call, Operator::Less));
pub(crate) static LESS_OR_EQUAL: ScalarFunction = comparison("<=", |call| compare_values(call, Operator::LessOrEqual));
pub(crate) static GREATER: ScalarFunction = comparison(">", |call| compare_values(call, Operator::Greater));
pub(crate) static GREATER_OR_EQUAL: ScalarFunction =
    comparison(">=", |call| compare_values(call, Operator::GreaterOrEqual));

static IS_DISTINCT_FROM: ScalarFunction =
    ScalarFunction::new("IS DISTINCT FROM", Kernel::Plain(|call| distinct(call, true))).shown_as(Shape::Infix);
static IS_NOT_DISTINCT_FROM: ScalarFunction =
    ScalarFunction::new("IS NOT DISTINCT FROM", Kernel::Plain(|call| distinct(call, false))).shown_as(Shape::Infix);

pub(crate) static IS_NULL: ScalarFunction =
    ScalarFunction::new("IS NULL", Kernel::Plain(|call| null_test(call, false))).cheap().shown_as(Shape::Postfix);
pub(crate) static IS_NOT_NULL: ScalarFunction =
    ScalarFunction::new("IS NOT NULL", Kernel::Plain(|call| null_test(call, true))).cheap().shown_as(Shape::Postfix);

/// What is asked of two values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operator {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Operator::Equal => order == Ordering::Equal,
            Operator::NotEqual => order != Ordering::Equal,
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => order != Ordering::Greater,
            Operator::Greater => order == Ordering::Greater,
            Operator::GreaterOrEqual => order != Ordering::Less,
        }
    }
}

/// Compares the first two arguments.
pub(crate) fn compare_values(call: &Call<'_>, operator: Operator) -> Result<ArrayRef, EvalError> {
    let (left, right) = (call.arg_type(0), call.arg_type(1));
    let (array, other) = (call.values[0].array(), call.values[1].array());
    if array.data_type() == other.data_type() {
        let compared = match array.data_type() {
            ArrowType::Int8 | ArrowType::Int16 => compare_numbers(&call.integers(0)?, &call.integers(1)?, operator),
            ArrowType::Int32 => numbers::<Int32Type>(call, operator),
            ArrowType::Int64 => numbers::<Int64Type>(call, operator),
            ArrowType::Float32 => compare_numbers(&call.doubles(0)?, &call.doubles(1)?, operator),
            ArrowType::Float64 => numbers::<Float64Type>(call, operator),
            ArrowType::Decimal128(..) => numbers::<Decimal128Type>(call, operator),
            ArrowType::Date32 => numbers::<Date32Type>(call, operator),
            ArrowType::Time32(_) => numbers::<Time32MillisecondType>(call, operator),
            ArrowType::Timestamp(TimeUnit::Millisecond, _) => numbers::<TimestampMillisecondType>(call, operator),
            ArrowType::Timestamp(TimeUnit::Microsecond, _) => numbers::<TimestampMicrosecondType>(call, operator),
            ArrowType::Timestamp(..) => numbers::<TimestampNanosecondType>(call, operator),
            ArrowType::Utf8 => strings(call, operator),
            ArrowType::Binary => {
                let (left, right) = (call.binaries(0), call.binaries(1));
                return Ok(rows(call, |row| Some(operator.holds(left.get(row)?.cmp(right.get(row)?)))));
            }
            ArrowType::Boolean => {
                let (left, right) = (call.booleans(0), call.booleans(1));
                return Ok(rows(call, |row| Some(operator.holds(left.get(row)?.cmp(&right.get(row)?)))));
            }
            _ => return Ok(nested(call, operator)),
        };
        return Ok(Arc::new(compared));
    }
    // A comparison that ends here is not on the fast path: the binder gives what is common the same type.
    if left.is_approximate() || right.is_approximate() {
        let (left, right) = (call.doubles(0)?, call.doubles(1)?);
        return Ok(Arc::new(compare_numbers(&left, &right, operator)));
    }
    if let (Some((_, s1)), Some((_, s2))) = (as_decimal(left), as_decimal(right)) {
        if left.is_integer() && right.is_integer() {
            return Ok(Arc::new(compare_numbers(&call.integers(0)?, &call.integers(1)?, operator)));
        }
        let as_is = |index, scale| call.as_type(index, &LogicalType::Decimal(38, scale));
        let (left, right) = (as_is(0, s1)?, as_is(1, s2)?);
        let (left, right) = (Numbers::<Decimal128Type>::new(&left), Numbers::<Decimal128Type>::new(&right));
        return Ok(rows(call, |row| Some(operator.holds(decimal::compare(left.get(row)?, s1, right.get(row)?, s2)))));
    }
    if let (Some(p), Some(q)) = (timestamp_precision(left), timestamp_precision(right)) {
        let (left, right) = (times(call, 0, p)?, times(call, 1, q)?);
        return Ok(rows(call, |row| Some(operator.holds(left(row)?.cmp(&right(row)?)))));
    }
    // A string against a date or time: what does not parse is NULL.
    let (string, wanted) = if left.is_character() { (0, right) } else { (1, left) };
    let ty = DataType::new(wanted.clone());
    let converted = call.values[string].try_map(|array| {
        tidegate_data::cast_column(array, &call.args[string].ty, &ty, true, call.ctx.zone).map_err(EvalError::from)
    })?;
    if converted.is_null_scalar() {
        return Ok(full_null(&DataType::new(LogicalType::Boolean), call.len));
    }
    let mut values = call.values.to_vec();
    let mut args = call.args.to_vec();
    values[string] = converted;
    args[string] = crate::literal(tidegate_data::Value::Null, ty);
    compare_values(&Call { values: &values, args: &args, ..*call }, operator)
}

fn numbers<T: ArrowPrimitiveType>(call: &Call<'_>, operator: Operator) -> BooleanArray
where
    T::Native: PartialOrd,
{
    compare_numbers(&call.numbers::<T>(0), &call.numbers::<T>(1), operator)
}

/// Three loops for each type: the other operators have the operands or the result the other way round. NaN is equal to nothing and beyond all
/// order, as in Java.
fn compare_numbers<T: ArrowPrimitiveType>(left: &Numbers<T>, right: &Numbers<T>, operator: Operator) -> BooleanArray
where
    T::Native: PartialOrd,
{
    let (left, right) = match operator {
        Operator::Greater | Operator::GreaterOrEqual => (right, left),
        _ => (left, right),
    };
    match operator {
        Operator::Equal => compare(left, right, |a, b| a == b),
        Operator::NotEqual => {
            let equal = compare_numbers(left, right, Operator::Equal);
            BooleanArray::new(!equal.values(), equal.nulls().cloned())
        }
        Operator::Less | Operator::Greater => compare(left, right, |a, b| a < b),
        Operator::LessOrEqual | Operator::GreaterOrEqual => compare(left, right, |a, b| a <= b),
    }
}

/// Strings compare by their bytes. Rows under NULL are compared too: their text is empty.
fn strings(call: &Call<'_>, operator: Operator) -> BooleanArray {
    let (left, right) = (call.strings(0), call.strings(1));
    let truths = match operator {
        Operator::Equal => BooleanBuffer::collect_bool(call.len, |row| left.raw(row) == right.raw(row)),
        Operator::NotEqual => BooleanBuffer::collect_bool(call.len, |row| left.raw(row) != right.raw(row)),
        _ => BooleanBuffer::collect_bool(call.len, |row| operator.holds(left.raw(row).cmp(right.raw(row)))),
    };
    BooleanArray::new(truths, call.nulls())
}

fn rows(call: &Call<'_>, row: impl FnMut(usize) -> Option<bool>) -> ArrayRef {
    call.make_booleans(row)
}

fn timestamp_precision(ty: &LogicalType) -> Option<u8> {
    match ty {
        LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _) => Some(*p),
        _ => None,
    }
}

/// Nanoseconds, in which timestamps of all precisions compare.
fn times(call: &Call<'_>, index: usize, precision: u8) -> Result<impl Fn(usize) -> Option<i128>, EvalError> {
    let ticks = call.ticks(index);
    let factor = i128::from(1_000_000_000 / units_per_second(precision));
    Ok(move |row| ticks.get(row).map(|value: i64| i128::from(value) * factor))
}

/// ARRAY, MAP and ROW, which have no order.
fn nested(call: &Call<'_>, operator: Operator) -> ArrayRef {
    let value = |index: usize, row: usize| {
        let value = &call.values[index];
        value_at(value.array(), if value.is_scalar() { 0 } else { row }, &call.args[index].ty)
    };
    rows(call, |row| {
        let (left, right) = (value(0, row), value(1, row));
        let known = !left.is_null() && !right.is_null();
        known.then(|| (operator == Operator::Equal) == same(&left, &right, &call.args[0].ty))
    })
}

/// Whether two nested values are equal: elements of an ARRAY and values of a MAP that are NULL equal nothing, fields of a ROW equal each
/// other; the order of a MAP does not count.
fn same(left: &Value, right: &Value, ty: &DataType) -> bool {
    let known = |a: &Value, b: &Value, ty: &DataType| !a.is_null() && !b.is_null() && same(a, b, ty);
    match (left, right, &ty.logical) {
        (Value::List(a), Value::List(b), LogicalType::Array(element)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| known(a, b, element))
        }
        (Value::List(a), Value::List(b), LogicalType::Row(fields)) => {
            a.iter().zip(b).zip(fields).all(|((a, b), field)| a.is_null() && b.is_null() || known(a, b, &field.ty))
        }
        (Value::Map(a), Value::Map(b), LogicalType::Map(key, value)) => {
            let found = |(k, v): &(Value, Value)| b.iter().any(|(own, w)| same(k, own, key) && known(v, w, value));
            a.len() == b.len() && a.iter().all(found)
        }
        (a, b, _) => a == b,
    }
}

fn distinct(call: &Call<'_>, negate: bool) -> Result<ArrayRef, EvalError> {
    let null = |index: usize| {
        let value = &call.values[index];
        let (array, scalar) = (value.array().clone(), value.is_scalar());
        move |row: usize| array.is_null(if scalar { 0 } else { row })
    };
    let (left, right) = (null(0), null(1));
    let equal = compare_values(call, Operator::Equal)?;
    let equal = arrow_array::cast::AsArray::as_boolean(&equal).clone();
    Ok(call.make_booleans(|row| {
        let same = match (left(row), right(row)) {
            (true, true) => true,
            (false, false) => equal.is_valid(row) && equal.value(row),
            _ => false,
        };
        Some(same != negate)
    }))
}

fn null_test(call: &Call<'_>, present: bool) -> Result<ArrayRef, EvalError> {
    let array = call.values[0].array();
    let truths = match (array.data_type(), array.nulls()) {
        (ArrowType::Null, _) => BooleanBuffer::collect_bool(call.len, |_| !present),
        (_, None) => BooleanBuffer::collect_bool(call.len, |_| present),
        (_, Some(nulls)) if call.values[0].is_scalar() => {
            BooleanBuffer::collect_bool(call.len, |_| nulls.is_valid(0) == present)
        }
        (_, Some(nulls)) if present => nulls.inner().clone(),
        (_, Some(nulls)) => !nulls.inner(),
    };
    Ok(Arc::new(BooleanArray::new(truths, None)))
}

// Binding.

fn bind_null_test(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() != 1 {
        return Err(CallError::count(function.name, args.len(), "1"));
    }
    Ok(function.on(args, DataType::not_null(LogicalType::Boolean)))
}

/// Calcite's families of comparable types. Text is comparable to everything, at first.
fn comparable(a: &LogicalType, b: &LogicalType) -> bool {
    use LogicalType::*;
    match (a, b) {
        (Null, _) | (_, Null) => true,
        (a, b) if a.is_numeric() && b.is_numeric() => true,
        (a, b) if a.is_binary() && b.is_binary() => true,
        (a, b) if a.is_timestamp() && b.is_timestamp() => true,
        (Time(_), Time(_)) => true,
        (a, b) if a.is_character() || b.is_character() => !is_nested(a) && !is_nested(b),
        (a, b) if is_nested(a) => common_type(&[DataType::new(a.clone()), DataType::new(b.clone())]).is_some(),
        (a, b) => a == b,
    }
}

fn is_nested(ty: &LogicalType) -> bool {
    matches!(ty, LogicalType::Array(_) | LogicalType::Map(..) | LogicalType::Multiset(_) | LogicalType::Row(_))
}

/// Gives both sides the types that Flink's planner gives them.
fn align(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<[Expr; 2], CallError> {
    let [left, right] = <[Expr; 2]>::try_from(args).map_err(|args| CallError::count(function.name, args.len(), "2"))?;
    let (a, b) = (&left.ty.logical, &right.ty.logical);
    let unordered = function == &EQUAL || function == &NOT_EQUAL;
    if !comparable(a, b) || !unordered && (is_nested(a) || is_nested(b)) {
        let args = [left, right];
        return Err(misfit(function.name, &args, &[&[Family::Comparable, Family::Comparable]]));
    }
    if a.without_time_attribute() == b.without_time_attribute() {
        return Ok([left, right]);
    }
    let text = a.is_character() != b.is_character() && *a != LogicalType::Null && *b != LogicalType::Null;
    if text && unordered {
        let other = if a.is_character() { b } else { a };
        if other.is_datetime() {
            return Ok([left, right]);
        }
    }
    let other = if a.is_character() { b } else { a };
    let interval = matches!(other, LogicalType::IntervalYearMonth | LogicalType::IntervalDayTime);
    if text && (unordered || interval) {
        return Err(CallError::arguments(
            format!("implicit type conversion between {} and {} is not supported now", root(a), root(b)),
            None,
        ));
    }
    let common = if text {
        let other = if a.is_character() { b } else { a };
        // Calcite leaves headroom for numbers in text.
        let wide = if other.is_numeric() { LogicalType::BigInt } else { other.clone() };
        common_type(&[DataType::new(other.clone()), DataType::new(wide)])
    } else if unordered || *a == LogicalType::Null || *b == LogicalType::Null {
        common_type(&[left.ty.clone(), right.ty.clone()])
    } else {
        None
    };
    let Some(common) = common else { return Ok([left, right]) };
    Ok([convert(left, &common)?, convert(right, &common)?])
}

/// A cast where the types differ. Literals become literals of the other type if they keep their value.
pub(crate) fn convert(expr: Expr, to: &DataType) -> Result<Expr, CallError> {
    if expr.ty.logical.without_time_attribute() == to.logical.without_time_attribute() {
        return Ok(expr);
    }
    if can_cast(&expr.ty, to) == Cast::No {
        return Ok(expr);
    }
    cast(expr, to, false).map(crate::fold_constants)
}

fn root(ty: &LogicalType) -> String {
    let name = DataType::new(ty.clone()).calcite();
    name.split('(').next().unwrap_or_default().to_owned()
}

pub(crate) fn bind_comparison(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = align(function, args)?.to_vec();
    // Text that does not parse as a date makes NULL of a comparison.
    let lenient = args[0].ty.logical.is_character() != args[1].ty.logical.is_character();
    let ty = DataType { logical: LogicalType::Boolean, nullable: any_nullable(&args) || lenient };
    Ok(function.on(args, ty))
}

fn bind_distinct(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = align(&EQUAL, args)?;
    Ok(function.on(args.to_vec(), DataType::not_null(LogicalType::Boolean)))
}

fn bind_between(args: Vec<Expr>, negate: bool, symmetric: bool) -> Result<Expr, CallError> {
    let name = if negate { "NOT BETWEEN" } else { "BETWEEN" };
    let [value, low, high] = <[Expr; 3]>::try_from(args).map_err(|args| CallError::count(name, args.len(), "3"))?;
    let within = |low: &Expr, high: &Expr| {
        let (lower, upper, both) =
            if negate { (&LESS, &GREATER, &OR) } else { (&GREATER_OR_EQUAL, &LESS_OR_EQUAL, &AND) };
        let lower = bind_comparison(lower, vec![value.clone(), low.clone()])?;
        let upper = bind_comparison(upper, vec![value.clone(), high.clone()])?;
        Ok::<_, CallError>(both.on_booleans(vec![lower, upper]))
    };
    let straight = within(&low, &high)?;
    if !symmetric {
        return Ok(straight);
    }
    let crossed = within(&high, &low)?;
    Ok((if negate { &AND } else { &OR }).on_booleans(vec![straight, crossed]))
}

impl ScalarFunction {
    /// A call over BOOLEANs that gives one, NULL only if one of them may be.
    pub(crate) fn on_booleans(&'static self, args: Vec<Expr>) -> Expr {
        let ty = DataType { logical: LogicalType::Boolean, nullable: any_nullable(&args) };
        self.on(args, ty)
    }
}
