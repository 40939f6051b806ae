//! Functions of text.

mod encode;
mod kinds;
mod like;
mod pad;
mod printf;
mod search;
mod slice;
mod url;

use tidegate_data::{DataType, LogicalType};

use super::signature::{Family, any_nullable, check, check_variadic, nullable_if_any};
use super::{Binding, Call, Kernel, ScalarFunction};
use crate::eval::EvalError;
use crate::{CallError, Expr};

pub(super) use encode::BINDINGS as ENCODE;
pub(super) use encode::encode_base64;
pub(super) use kinds::BINDINGS as KINDS;
pub(super) use like::BINDINGS as LIKE;
pub(super) use pad::BINDINGS as PAD;
pub(super) use printf::BINDINGS as PRINTF;
pub(super) use search::BINDINGS as SEARCH;
pub(super) use slice::BINDINGS as SLICE;
pub(super) use url::BINDINGS as URL;

use arrow_array::ArrayRef;

pub(super) const BINDINGS: &[Binding] = &[
    Binding { name: "UPPER", bind: |_, args| bind_same(&UPPER, args) },
    Binding { name: "LOWER", bind: |_, args| bind_same(&LOWER, args) },
    Binding { name: "INITCAP", bind: |_, args| bind_same(&INITCAP, args) },
    Binding { name: "REVERSE", bind: |_, args| bind_string(&REVERSE, args, &[&[Family::Character]]) },
    Binding { name: "CHAR_LENGTH", bind: |name, args| bind_int(&CHAR_LENGTH, name, args) },
    Binding { name: "CHARACTER_LENGTH", bind: |name, args| bind_int(&CHAR_LENGTH, name, args) },
    Binding { name: "ASCII", bind: |name, args| bind_int(&ASCII, name, args) },
    Binding { name: "||", bind: |_, args| bind_concatenation(args) },
    Binding {
        name: "CONCAT",
        bind: |name, args| {
            let args = check_variadic(name, args, Family::Character, 1)?;
            Ok(CONCAT.on_strings(args))
        },
    },
    Binding {
        name: "CONCAT_WS",
        bind: |name, args| {
            let args = check_variadic(name, args, Family::Character, 1)?;
            // NULL only where the separator is: NULL values are left out.
            let ty = DataType::string().with_nullable(args[0].ty.nullable || any_nullable(&args));
            Ok(CONCAT_WS.on(args, ty))
        },
    },
    Binding { name: "TRANSLATE", bind: |_, args| bind_string(&TRANSLATE, args, &[&[Family::Character; 3]]) },
    Binding { name: "ELT", bind: bind_elt },
];

static UPPER: ScalarFunction =
    ScalarFunction::strict("UPPER", |call| map(call, |text, out| out.push_str(&text.to_uppercase())));
static LOWER: ScalarFunction =
    ScalarFunction::strict("LOWER", |call| map(call, |text, out| out.push_str(&text.to_lowercase())));
static INITCAP: ScalarFunction = ScalarFunction::strict("INITCAP", |call| map(call, initcap));
static REVERSE: ScalarFunction =
    ScalarFunction::strict("REVERSE", |call| map(call, |text, out| out.extend(text.chars().rev())));
static CHAR_LENGTH: ScalarFunction =
    ScalarFunction::strict("CHAR_LENGTH", |call| integers(call, |text| text.chars().count() as i32));
static ASCII: ScalarFunction = ScalarFunction::strict("ASCII", |call| {
    // A Java byte has a sign.
    integers(call, |text| text.bytes().next().map_or(0, |byte| i32::from(byte as i8)))
});
static CONCATENATION: ScalarFunction = ScalarFunction::strict("||", concatenate);
static CONCAT: ScalarFunction = ScalarFunction::strict("CONCAT", concatenate);
static CONCAT_WS: ScalarFunction = ScalarFunction::new("CONCAT_WS", Kernel::Plain(concat_ws));
static TRANSLATE: ScalarFunction = ScalarFunction::strict("TRANSLATE", translate);
static ELT: ScalarFunction = ScalarFunction::new("ELT", Kernel::Plain(elt));

/// A new text from each text of the first argument.
pub(super) fn map(call: &Call<'_>, f: impl Fn(&str, &mut String)) -> Result<ArrayRef, EvalError> {
    let texts = call.strings(0);
    Ok(call.make_strings(|row, out| texts.get(row).map(|text| f(text, out)).is_some()))
}

fn integers(call: &Call<'_>, f: impl Fn(&str) -> i32) -> Result<ArrayRef, EvalError> {
    let texts = call.strings(0);
    Ok(call.make_numbers::<arrow_array::types::Int32Type>(|row| texts.get(row).map(&f)))
}

/// Words of ASCII letters and digits begin with a capital; whatever else there is parts them (Calcite's rule).
fn initcap(text: &str, out: &mut String) {
    let mut start = true;
    for c in text.chars() {
        out.push(if start { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() });
        start = !c.is_ascii_alphanumeric();
    }
}

fn concatenate(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    if call.ty.logical.is_binary() {
        let parts: Vec<_> = (0..call.values.len()).map(|index| call.binaries(index)).collect();
        return Ok(call.make_binaries(|row| {
            parts.iter().try_fold(Vec::new(), |mut whole, part| {
                whole.extend_from_slice(part.get(row)?);
                Some(whole)
            })
        }));
    }
    let parts: Vec<_> = (0..call.values.len()).map(|index| call.strings(index)).collect();
    Ok(call.make_strings(|row, out| parts.iter().all(|part| part.get(row).map(|text| out.push_str(text)).is_some())))
}

fn concat_ws(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let separator = call.strings(0);
    let parts: Vec<_> = (1..call.values.len()).map(|index| call.strings(index)).collect();
    Ok(call.make_strings(|row, out| {
        let Some(separator) = separator.get(row) else { return false };
        for (index, text) in parts.iter().filter_map(|part| part.get(row)).enumerate() {
            if index > 0 {
                out.push_str(separator);
            }
            out.push_str(text);
        }
        true
    }))
}

/// Each character of the second text becomes the one at its place in the third, or nothing where that is shorter.
fn translate(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, from, to) = (call.strings(0), call.strings(1), call.strings(2));
    Ok(call.make_strings(|row, out| {
        let (Some(text), Some(from), Some(to)) = (texts.get(row), from.get(row), to.get(row)) else { return false };
        for c in text.chars() {
            match from.chars().position(|known| known == c) {
                None => out.push(c),
                Some(at) => out.extend(to.chars().nth(at)),
            }
        }
        true
    }))
}

fn bind_elt(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() < 2 {
        return Err(CallError::count(name, args.len(), "2"));
    }
    let form: Vec<Family> =
        std::iter::once(Family::Integer).chain(args[1..].iter().map(|_| Family::Character)).collect();
    let args = check(name, args, &[&form])?;
    Ok(ELT.on(args, DataType::string()))
}

fn elt(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let index = call.integers(0)?;
    let texts: Vec<_> = (1..call.values.len()).map(|index| call.strings(index)).collect();
    Ok(call.make_slices(|row| {
        let index = usize::try_from(index.get(row)?).ok()?.checked_sub(1)?;
        texts.get(index)?.get(row)
    }))
}

// Binding.

impl ScalarFunction {
    /// A call that gives a STRING, NULL only if an argument may be.
    pub(super) fn on_strings(&'static self, args: Vec<Expr>) -> Expr {
        let ty = nullable_if_any(DataType::string().logical, &args);
        self.on(args, ty)
    }
}

pub(super) fn bind_string(
    function: &'static ScalarFunction,
    args: Vec<Expr>,
    forms: &[&[Family]],
) -> Result<Expr, CallError> {
    Ok(function.on_strings(check(function.name, args, forms)?))
}

fn bind_same(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(function.name, args, &[&[Family::Character]])?;
    let ty = args[0].ty.clone();
    Ok(function.on(args, ty))
}

fn bind_int(function: &'static ScalarFunction, name: &str, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(name, args, &[&[Family::Character]])?;
    let ty = nullable_if_any(LogicalType::Int, &args);
    Ok(function.on(args, ty))
}

/// The length of a text's type, whether it varies or not.
pub(super) fn length(ty: &LogicalType) -> u32 {
    match ty {
        LogicalType::Char(n) | LogicalType::VarChar(n) | LogicalType::Binary(n) | LogicalType::VarBinary(n) => *n,
        _ => DataType::MAX_LENGTH,
    }
}

/// VARCHAR of the length of a text's type.
pub(super) fn varying(ty: &LogicalType) -> LogicalType {
    LogicalType::VarChar(length(ty))
}

fn bind_concatenation(args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check("||", args, &[&[Family::String, Family::String], &[Family::Equivalent, Family::Equivalent]])?;
    let (a, b) = (&args[0].ty.logical, &args[1].ty.logical);
    if a.is_character() != b.is_character() || a.is_binary() != b.is_binary() {
        return Err(super::signature::misfit(
            "||",
            &args,
            &[&[Family::String, Family::String], &[Family::Equivalent, Family::Equivalent]],
        ));
    }
    let length = length(a).saturating_add(length(b)).min(DataType::MAX_LENGTH);
    let logical = match (a, b) {
        (LogicalType::Char(_), LogicalType::Char(_)) => LogicalType::Char(length),
        (LogicalType::Binary(_), LogicalType::Binary(_)) => LogicalType::Binary(length),
        (a, _) if a.is_character() => LogicalType::VarChar(length),
        _ => LogicalType::VarBinary(length),
    };
    let ty = nullable_if_any(logical, &args);
    Ok(CONCATENATION.on(args, ty))
}
