//! Regular expressions: REGEXP, REGEXP_EXTRACT, REGEXP_REPLACE and their kin.
//!
//! The engine is our own, since Rust's have no look-around, references back, possessive repetition or `\Q..\E`, and find
//! other matches than Java's next to an empty one.

mod class;
mod parse;
mod program;

use std::cell::RefCell;

use arrow_array::ArrayRef;
use arrow_array::types::Int32Type;
use tidegate_data::{DataType, LogicalType, Value};

use self::program::Regex;
use super::signature::{Family, check};
use super::{Binding, Call, Kernel, ScalarFunction};
use crate::eval::EvalError;
use crate::{CallError, Expr};

const TWO: &[&[Family]] = &[&[Family::Character; 2]];
const EXTRACT_FORMS: &[&[Family]] =
    &[&[Family::Character; 2], &[Family::Character, Family::Character, Family::Integer]];

pub(super) const BINDINGS: &[Binding] = &[
    Binding { name: "REGEXP", bind: |name, args| Ok(REGEXP.on_booleans(check(name, args, TWO)?)) },
    Binding { name: "REGEXP_EXTRACT", bind: |name, args| bind_text(&EXTRACT, check(name, args, EXTRACT_FORMS)?) },
    Binding {
        name: "REGEXP_REPLACE",
        bind: |name, args| Ok(REPLACE.on_strings(check(name, args, &[&[Family::Character; 3]])?)),
    },
    Binding { name: "REGEXP_SUBSTR", bind: |name, args| bind_text(&SUBSTR, check(name, args, TWO)?) },
    Binding {
        name: "REGEXP_EXTRACT_ALL",
        bind: |name, args| bind_texts(&EXTRACT_ALL, check(name, args, EXTRACT_FORMS)?),
    },
    Binding { name: "REGEXP_COUNT", bind: |name, args| bind_int(&COUNT, check(name, args, TWO)?) },
    Binding { name: "REGEXP_INSTR", bind: |name, args| bind_int(&INSTR, check(name, args, TWO)?) },
];

static REGEXP: ScalarFunction = ScalarFunction::strict("REGEXP", matches);
static EXTRACT: ScalarFunction = ScalarFunction::strict("REGEXP_EXTRACT", extract);
static REPLACE: ScalarFunction = ScalarFunction::strict("REGEXP_REPLACE", replace);
static SUBSTR: ScalarFunction = ScalarFunction::strict("REGEXP_SUBSTR", extract);
static EXTRACT_ALL: ScalarFunction =
    ScalarFunction::new("REGEXP_EXTRACT_ALL", Kernel::Rows { strict: usize::MAX, row: extract_all });
static COUNT: ScalarFunction =
    ScalarFunction::strict("REGEXP_COUNT", |call| integers(call, |regex, text| regex.find_all(text).count() as i32));
static INSTR: ScalarFunction = ScalarFunction::strict("REGEXP_INSTR", |call| {
    integers(call, |regex, text| {
        regex.find(text, 0).map_or(0, |found| text[..found.whole().start].chars().count() as i32 + 1)
    })
});

thread_local! {
    /// The patterns last used: compiling one takes longer than using it. What is in it changes no result.
    static PATTERNS: RefCell<Vec<(String, Regex)>> = const { RefCell::new(Vec::new()) };
}

const KEPT: usize = 16;

/// Uses a compiled pattern.
///
/// # Errors
/// What is wrong with the pattern.
pub(super) fn with_pattern<T>(pattern: &str, f: impl FnOnce(&Regex) -> T) -> Result<T, String> {
    PATTERNS.with_borrow_mut(|patterns| {
        let at = match patterns.iter().position(|(known, _)| known == pattern) {
            Some(at) => at,
            None => {
                let regex = Regex::new(pattern)?;
                if patterns.len() == KEPT {
                    patterns.remove(0);
                }
                patterns.push((pattern.to_owned(), regex));
                patterns.len() - 1
            }
        };
        Ok(f(&patterns[at].1))
    })
}

/// Whether the pattern occurs in the text. An empty pattern occurs nowhere, nor does one that is wrong.
fn matches(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, patterns) = (call.strings(0), call.strings(1));
    Ok(call.make_booleans(|row| {
        let (text, pattern) = (texts.get(row)?, patterns.get(row)?);
        Some(!pattern.is_empty() && with_pattern(pattern, |regex| regex.is_match(text)).unwrap_or(false))
    }))
}

/// The part that the pattern, or a group of it, matches first; NULL if none does, or if the pattern or the group is wrong.
fn extract(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, patterns) = (call.strings(0), call.strings(1));
    let groups = if call.values.len() == 3 { Some(call.integers(2)?) } else { None };
    Ok(call.make_slices(|row| {
        let (text, pattern) = (texts.get(row)?, patterns.get(row)?);
        let group = groups.as_ref().map_or(Some(0), |groups| groups.get(row))?;
        let group = usize::try_from(group).ok()?;
        with_pattern(pattern, |regex| regex.find(text, 0)?.get(group)).ok().flatten().map(|range| &text[range])
    }))
}

/// What a group, the first by default, matches each time; NULL if the pattern or the group is wrong.
fn extract_all(_: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let (Value::String(text), Value::String(pattern)) = (&row[0], &row[1]) else { return Ok(Value::Null) };
    let group = match row.get(2) {
        Some(Value::Int(group)) => *group,
        _ => 1,
    };
    let Ok(group) = usize::try_from(group) else { return Ok(Value::Null) };
    let found = with_pattern(pattern, |regex| {
        let text_of =
            |range: Option<std::ops::Range<usize>>| range.map_or(Value::Null, |range| Value::from(&text[range]));
        (group < regex.groups()).then(|| regex.find_all(text).map(|found| text_of(found.get(group))).collect())
    });
    Ok(found.ok().flatten().map_or(Value::Null, Value::List))
}

/// The parts of a text between the matches of a pattern, `limit` of them at most, as Java's `String.split` has them before it leaves
/// empty ones at the end out.
///
/// # Errors
/// What is wrong with the pattern.
pub(super) fn split<'t>(pattern: &str, text: &'t str, limit: usize) -> Result<Vec<&'t str>, String> {
    with_pattern(pattern, |regex| {
        let mut parts = Vec::new();
        let mut end = 0;
        for found in regex.find_all(text) {
            let range = found.whole();
            // A match of nothing at the beginning parts nothing.
            if parts.len() + 1 >= limit || range.end == 0 {
                continue;
            }
            parts.push(&text[end..range.start]);
            end = range.end;
        }
        parts.push(&text[end..]);
        parts
    })
}

/// Every match replaced by the third text as it stands; NULL if the pattern is wrong.
fn replace(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, patterns, replacements) = (call.strings(0), call.strings(1), call.strings(2));
    Ok(call.make_strings(|row, out| {
        let (Some(text), Some(pattern), Some(replacement)) = (texts.get(row), patterns.get(row), replacements.get(row))
        else {
            return false;
        };
        let replaced = with_pattern(pattern, |regex| {
            let mut end = 0;
            for found in regex.find_all(text) {
                let range = found.whole();
                out.push_str(&text[end..range.start]);
                out.push_str(replacement);
                end = range.end;
            }
            out.push_str(&text[end..]);
        });
        replaced.is_ok()
    }))
}

fn integers(call: &Call<'_>, f: impl Fn(&Regex, &str) -> i32) -> Result<ArrayRef, EvalError> {
    let (texts, patterns) = (call.strings(0), call.strings(1));
    Ok(call.make_numbers::<Int32Type>(|row| {
        let (text, pattern) = (texts.get(row)?, patterns.get(row)?);
        with_pattern(pattern, |regex| f(regex, text)).ok()
    }))
}

fn bind_text(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    Ok(function.on(args, DataType::string()))
}

fn bind_texts(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    Ok(function.on(args, DataType::new(LogicalType::Array(Box::new(DataType::string())))))
}

fn bind_int(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    Ok(function.on(args, DataType::new(LogicalType::Int)))
}
