//! Parts of a text: SUBSTRING, LEFT, RIGHT, TRIM and its kin, SPLIT_INDEX, OVERLAY. Positions count characters from 1.

use arrow_array::ArrayRef;
use tidegate_data::{DataType, LogicalType, Value};

use super::{length, varying};
use crate::eval::EvalError;
use crate::functions::signature::{Family, any_nullable, check, nullable_if_any};
use crate::functions::{Binding, Call, ScalarFunction};
use crate::{CallError, Expr};

pub(in crate::functions) const BINDINGS: &[Binding] = &[
    Binding { name: "SUBSTRING", bind: bind_substring },
    Binding { name: "SUBSTR", bind: bind_substring },
    Binding { name: "LEFT", bind: |_, args| bind_end(&LEFT, args) },
    Binding { name: "RIGHT", bind: |_, args| bind_end(&RIGHT, args) },
    Binding { name: "TRIM", bind: bind_trim },
    Binding { name: "LTRIM", bind: |_, args| bind_trim_of(&LTRIM, args) },
    Binding { name: "RTRIM", bind: |_, args| bind_trim_of(&RTRIM, args) },
    Binding { name: "BTRIM", bind: |_, args| bind_trim_of(&BTRIM, args) },
    Binding { name: "SPLIT_INDEX", bind: bind_split_index },
    Binding { name: "OVERLAY", bind: bind_overlay },
];

static SUBSTRING: ScalarFunction = ScalarFunction::strict("SUBSTRING", substring);
static LEFT: ScalarFunction = ScalarFunction::strict("LEFT", |call| end(call, |text, n| &text[..byte_at(text, n)]));
static RIGHT: ScalarFunction = ScalarFunction::strict("RIGHT", |call| {
    end(call, |text, n| &text[byte_at(text, text.chars().count().saturating_sub(n))..])
});
static TRIM: ScalarFunction = ScalarFunction::strict("TRIM", trim);
static LTRIM: ScalarFunction = ScalarFunction::strict("LTRIM", |call| trim_of(call, true, false));
static RTRIM: ScalarFunction = ScalarFunction::strict("RTRIM", |call| trim_of(call, false, true));
static BTRIM: ScalarFunction = ScalarFunction::strict("BTRIM", |call| trim_of(call, true, true));
static SPLIT_INDEX: ScalarFunction = ScalarFunction::strict("SPLIT_INDEX", split_index);
static OVERLAY: ScalarFunction = ScalarFunction::strict("OVERLAY", overlay);

/// Where the character of number `n`, from 0, begins; the end if there are fewer.
pub(super) fn byte_at(text: &str, n: usize) -> usize {
    if text.is_ascii() {
        return n.min(text.len());
    }
    text.char_indices().nth(n).map_or(text.len(), |(at, _)| at)
}

/// Flink's rule: position 0 is 1, negative ones count from the end, one before the beginning gives nothing, a negative length NULL.
fn part(text: &str, position: i64, length: i64) -> Option<&str> {
    if length < 0 {
        return None;
    }
    let count = if text.is_ascii() { text.len() } else { text.chars().count() } as i64;
    let start = match position {
        0 => 0,
        p if p > 0 => p - 1,
        p => count + p,
    };
    if start < 0 || start >= count {
        return Some("");
    }
    let from = byte_at(text, start as usize);
    let rest = &text[from..];
    Some(if length >= count - start { rest } else { &rest[..byte_at(rest, length as usize)] })
}

fn substring(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, position) = (call.strings(0), call.integers(1)?);
    if call.values.len() == 2 {
        return Ok(call.make_slices(|row| part(texts.get(row)?, position.get(row)?, i64::MAX)));
    }
    let length = call.integers(2)?;
    Ok(call.make_slices(|row| part(texts.get(row)?, position.get(row)?, length.get(row)?)))
}

fn end(call: &Call<'_>, f: for<'a> fn(&'a str, usize) -> &'a str) -> Result<ArrayRef, EvalError> {
    let (texts, count) = (call.strings(0), call.integers(1)?);
    Ok(call.make_slices(|row| {
        let text = texts.get(row)?;
        Some(f(text, count.get(row)?.max(0) as usize))
    }))
}

fn trimmed<'a>(text: &'a str, characters: &str, leading: bool, trailing: bool) -> &'a str {
    let drop = |c: char| characters.contains(c);
    let text = if leading { text.trim_start_matches(drop) } else { text };
    if trailing { text.trim_end_matches(drop) } else { text }
}

/// `TRIM(flag, characters, text)`.
fn trim(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (flag, characters, texts) = (call.strings(0), call.strings(1), call.strings(2));
    let flag = flag.raw(0);
    let (leading, trailing) = (flag != "TRAILING", flag != "LEADING");
    Ok(call.make_slices(|row| Some(trimmed(texts.get(row)?, characters.get(row)?, leading, trailing))))
}

/// `LTRIM(text [, characters])` and its kin.
fn trim_of(call: &Call<'_>, leading: bool, trailing: bool) -> Result<ArrayRef, EvalError> {
    let texts = call.strings(0);
    if call.values.len() == 1 {
        return Ok(call.make_slices(|row| Some(trimmed(texts.get(row)?, " ", leading, trailing))));
    }
    let characters = call.strings(1);
    Ok(call.make_slices(|row| Some(trimmed(texts.get(row)?, characters.get(row)?, leading, trailing))))
}

/// An empty text has no parts; an empty separator parts at blanks (Apache Commons' `splitByWholeSeparatorPreserveAllTokens`).
fn split_index(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, index) = (call.strings(0), call.integers(2)?);
    let by_code = call.arg_type(1).is_integer();
    let codes = if by_code { Some(call.integers(1)?) } else { None };
    let separators = if by_code { None } else { Some(call.strings(1)) };
    Ok(call.make_slices(|row| {
        let text = texts.get(row)?;
        let index = usize::try_from(index.get(row)?).ok()?;
        if text.is_empty() {
            return None;
        }
        if let Some(codes) = &codes {
            let separator = char::from_u32(codes.get(row)? as u32)?;
            return text.split(separator).nth(index);
        }
        match separators.as_ref()?.get(row)? {
            "" => text.split(char::is_whitespace).nth(index),
            separator => text.split(separator).nth(index),
        }
    }))
}

/// Counts UTF-16 units, as Java strings do.
fn overlay(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, replacements, start) = (call.strings(0), call.strings(1), call.integers(2)?);
    let length = if call.values.len() == 4 { Some(call.integers(3)?) } else { None };
    Ok(call.make_strings(|row, out| {
        let (Some(text), Some(replacement), Some(start)) = (texts.get(row), replacements.get(row), start.get(row))
        else {
            return false;
        };
        let units: Vec<u16> = text.encode_utf16().collect();
        let count = units.len() as i64;
        let length = match &length {
            None => replacement.encode_utf16().count() as i64,
            Some(length) => match length.get(row) {
                None => return false,
                Some(length) => length,
            },
        };
        if start <= 0 || start > count {
            out.push_str(text);
            return true;
        }
        push_utf16(out, &units[..start as usize - 1]);
        out.push_str(replacement);
        if start.saturating_add(length) <= count && length > 0 {
            push_utf16(out, &units[(start - 1 + length) as usize..]);
        }
        true
    }))
}

/// Appends UTF-16; half a character becomes a question mark, as when Java writes it as UTF-8.
pub(super) fn push_utf16(out: &mut String, units: &[u16]) {
    out.extend(char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or('?')));
}

// Binding.

fn bind_substring(_: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(
        "SUBSTRING",
        args,
        &[&[Family::Character, Family::Integer], &[Family::Character, Family::Integer, Family::Integer]],
    )?;
    // A negative length gives NULL whatever the arguments.
    let ty = DataType::new(varying(&args[0].ty.logical));
    Ok(SUBSTRING.on(args, ty))
}

fn bind_end(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(function.name, args, &[&[Family::Character, Family::Integer]])?;
    // Flink's type takes NULL whatever the arguments.
    let ty = DataType::new(varying(&args[0].ty.logical));
    Ok(function.on(args, ty))
}

fn bind_trim(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    let literal = |text: &str| {
        let ty = DataType::not_null(LogicalType::Char(text.len() as u32));
        crate::literal(Value::String(text.to_owned()), ty)
    };
    let mut args = args;
    if args.len() == 1 {
        args.splice(0..0, [literal("BOTH"), literal(" ")]);
    } else if args.len() == 2 {
        args.insert(1, literal(" "));
    }
    if let Some(other) = args[1..].iter().find(|arg| !Family::Character.takes(&arg.ty.logical)) {
        let (what, text) = (args[1].ty.calcite(), args[2].ty.calcite());
        return Err(CallError::arguments(
            format!(
                "Cannot apply 'TRIM' to arguments of type 'TRIM([BOTH|LEADING|TRAILING] <{what}> FROM <{text}>)'. \
                 Supported form(s): 'TRIM([BOTH|LEADING|TRAILING] <STRING> FROM <STRING>)'"
            ),
            args.iter().position(|arg| std::ptr::eq(arg, other)),
        ));
    }
    let args = check(name, args, &[&[Family::Character; 3]])?;
    let ty = DataType { logical: varying(&args[2].ty.logical), nullable: any_nullable(&args) };
    Ok(TRIM.on(args, ty))
}

fn bind_trim_of(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(function.name, args, &[&[Family::Character], &[Family::Character; 2]])?;
    let ty = nullable_if_any(varying(&args[0].ty.logical), &args);
    Ok(function.on(args, ty))
}

fn bind_split_index(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(
        name,
        args,
        &[
            &[Family::Character, Family::Integer, Family::Integer],
            &[Family::Character, Family::Character, Family::Integer],
        ],
    )?;
    Ok(SPLIT_INDEX.on(args, DataType::string()))
}

fn bind_overlay(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    use Family::{Character, Integer};
    let args = check(name, args, &[&[Character, Character, Integer], &[Character, Character, Integer, Integer]])?;
    let lengths = length(&args[0].ty.logical).saturating_add(length(&args[1].ty.logical));
    let ty = nullable_if_any(LogicalType::VarChar(lengths.min(DataType::MAX_LENGTH)), &args);
    Ok(OVERLAY.on(args, ty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_text() {
        assert_eq!(part("abc", 2, i64::MAX), Some("bc"));
        assert_eq!(part("abc", 0, 2), Some("ab"));
        assert_eq!(part("abc", -2, 1), Some("b"));
        assert_eq!(part("x", -3, 2), Some(""));
        assert_eq!(part("äöü", 2, 1), Some("ö"));
        assert_eq!(part("abc", 1, -1), None);
        assert_eq!(part("", 1, 1), Some(""));
    }
}
