//! Looking for one text in another: POSITION, LOCATE, INSTR, REPLACE, STARTSWITH, ENDSWITH.

use arrow_array::ArrayRef;
use arrow_array::types::Int32Type;
use tidegate_data::LogicalType;

use super::bind_string;
use super::slice::byte_at;
use crate::eval::EvalError;
use crate::functions::signature::{Family, check, nullable_if_any};
use crate::functions::{Binding, Call, ScalarFunction};
use crate::{CallError, Expr};

pub(in crate::functions) const BINDINGS: &[Binding] = &[
    Binding { name: "POSITION", bind: |name, args| bind_position(&POSITION, name, args) },
    Binding { name: "LOCATE", bind: |name, args| bind_position(&LOCATE, name, args) },
    Binding { name: "INSTR", bind: |name, args| bind_position(&INSTR, name, args) },
    Binding { name: "REPLACE", bind: |_, args| bind_string(&REPLACE, args, &[&[Family::Character; 3]]) },
    Binding { name: "STARTSWITH", bind: |_, args| bind_test(&STARTSWITH, args) },
    Binding { name: "ENDSWITH", bind: |_, args| bind_test(&ENDSWITH, args) },
];

static POSITION: ScalarFunction = ScalarFunction::strict("POSITION", |call| position(call, 1, 0));
static LOCATE: ScalarFunction = ScalarFunction::strict("LOCATE", |call| position(call, 1, 0));
static INSTR: ScalarFunction = ScalarFunction::strict("INSTR", |call| position(call, 0, 1));
static REPLACE: ScalarFunction = ScalarFunction::strict("REPLACE", replace);
static STARTSWITH: ScalarFunction =
    ScalarFunction::strict("STARTSWITH", |call| test(call, |text, part| text.starts_with(part)));
static ENDSWITH: ScalarFunction =
    ScalarFunction::strict("ENDSWITH", |call| test(call, |text, part| text.ends_with(part)));

/// The position of the first occurrence at or behind a third argument, from 1; 0 if there is none.
fn position(call: &Call<'_>, text: usize, part: usize) -> Result<ArrayRef, EvalError> {
    let (texts, parts) = (call.strings(text), call.strings(part));
    let from = if call.values.len() == 3 { Some(call.integers(2)?) } else { None };
    Ok(call.make_numbers::<Int32Type>(|row| {
        let from = from.as_ref().map_or(Some(1), |from| from.get(row))?;
        Some(find(texts.get(row)?, parts.get(row)?, from))
    }))
}

fn find(text: &str, part: &str, from: i64) -> i32 {
    if part.is_empty() {
        return 1;
    }
    let start = byte_at(text, (from - 1).max(0) as usize);
    text[start..].find(part).map_or(0, |at| text[..start + at].chars().count() as i32 + 1)
}

fn replace(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, from, to) = (call.strings(0), call.strings(1), call.strings(2));
    Ok(call.make_strings(|row, out| {
        let (Some(text), Some(from), Some(to)) = (texts.get(row), from.get(row), to.get(row)) else { return false };
        out.push_str(&text.replace(from, to));
        true
    }))
}

fn test(call: &Call<'_>, f: impl Fn(&str, &str) -> bool) -> Result<ArrayRef, EvalError> {
    let (texts, parts) = (call.strings(0), call.strings(1));
    Ok(call.make_booleans(|row| Some(f(texts.get(row)?, parts.get(row)?))))
}

fn bind_position(function: &'static ScalarFunction, name: &str, args: Vec<Expr>) -> Result<Expr, CallError> {
    use Family::{Character, Integer};
    let args = check(name, args, &[&[Character, Character], &[Character, Character, Integer]])?;
    let ty = nullable_if_any(LogicalType::Int, &args);
    Ok(function.on(args, ty))
}

fn bind_test(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    Ok(function.on_booleans(check(function.name, args, &[&[Family::Character; 2]])?))
}
