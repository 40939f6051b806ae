//! What a text is: IS_ALPHA, IS_DIGIT, IS_DECIMAL; TYPEOF of anything.

use arrow_array::ArrayRef;
use tidegate_data::cast::{parse_double, parse_integer};
use tidegate_data::{DataType, LogicalType, Value};

use crate::eval::EvalError;
use crate::functions::signature::{Family, check};
use crate::functions::{Binding, Call, Kernel, ScalarFunction};
use crate::{CallError, Expr, literal};

pub(in crate::functions) const BINDINGS: &[Binding] = &[
    Binding { name: "IS_ALPHA", bind: |_, args| bind(&IS_ALPHA, args) },
    Binding { name: "IS_DIGIT", bind: |_, args| bind(&IS_DIGIT, args) },
    Binding { name: "IS_DECIMAL", bind: |_, args| bind(&IS_DECIMAL, args) },
    Binding { name: "TYPEOF", bind: bind_typeof },
];

static IS_ALPHA: ScalarFunction =
    ScalarFunction::new("IS_ALPHA", Kernel::Plain(|call| test(call, |text| all(text, char::is_alphabetic))));
static IS_DIGIT: ScalarFunction =
    ScalarFunction::new("IS_DIGIT", Kernel::Plain(|call| test(call, |text| all(text, char::is_numeric))));
static IS_DECIMAL: ScalarFunction = ScalarFunction::new(
    "IS_DECIMAL",
    Kernel::Plain(|call| {
        test(call, |text| parse_integer(text, i64::MIN, i64::MAX).is_ok() || parse_double(text).is_ok())
    }),
);

fn all(text: &str, is: fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(is)
}

/// NULL is nothing of the kind.
fn test(call: &Call<'_>, is: impl Fn(&str) -> bool) -> Result<ArrayRef, EvalError> {
    let texts = call.strings(0);
    Ok(call.make_booleans(|row| Some(texts.get(row).is_some_and(&is))))
}

fn bind(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(function.name, args, &[&[Family::Character]])?;
    Ok(function.on(args, DataType::not_null(LogicalType::Boolean)))
}

/// The type is known before any row is: the call is a constant.
fn bind_typeof(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    let [operand] = &args[..] else { return Err(CallError::count(name, args.len(), "1")) };
    Ok(literal(Value::String(operand.ty.to_string()), DataType::string()))
}
