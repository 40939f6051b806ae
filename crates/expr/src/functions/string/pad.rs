//! LPAD, RPAD and REPEAT. Padding counts UTF-16 units, as Java strings do.

use arrow_array::ArrayRef;

use super::bind_string;
use super::slice::push_utf16;
use crate::eval::EvalError;
use crate::functions::signature::Family;
use crate::functions::{Binding, Call, ScalarFunction};

const PAD_FORMS: &[&[Family]] = &[&[Family::Character, Family::Integer, Family::Character]];

pub(in crate::functions) const BINDINGS: &[Binding] = &[
    Binding { name: "LPAD", bind: |_, args| bind_string(&LPAD, args, PAD_FORMS) },
    Binding { name: "RPAD", bind: |_, args| bind_string(&RPAD, args, PAD_FORMS) },
    Binding { name: "REPEAT", bind: |_, args| bind_string(&REPEAT, args, &[&[Family::Character, Family::Integer]]) },
];

static LPAD: ScalarFunction = ScalarFunction::strict("LPAD", |call| pad(call, true));
static RPAD: ScalarFunction = ScalarFunction::strict("RPAD", |call| pad(call, false));
static REPEAT: ScalarFunction = ScalarFunction::strict("REPEAT", repeat);

/// More than any text in a stream, and still an amount of memory that can be had.
const MOST: i64 = 1 << 28;

/// NULL for a negative length or an empty filling; too long a text is cut at its end.
fn pad(call: &Call<'_>, left: bool) -> Result<ArrayRef, EvalError> {
    let (texts, lengths, fillings) = (call.strings(0), call.integers(1)?, call.strings(2));
    Ok(call.make_strings(|row, out| {
        let (Some(text), Some(length), Some(filling)) = (texts.get(row), lengths.get(row), fillings.get(row)) else {
            return false;
        };
        if !(0..=MOST).contains(&length) || filling.is_empty() {
            return false;
        }
        let length = length as usize;
        let units: Vec<u16> = text.encode_utf16().take(length).collect();
        let filling: Vec<u16> = filling.encode_utf16().collect();
        let fill = filling.iter().copied().cycle().take(length - units.len());
        let whole: Vec<u16> = if left {
            fill.chain(units.iter().copied()).collect()
        } else {
            units.iter().copied().chain(fill).collect()
        };
        push_utf16(out, &whole);
        true
    }))
}

fn repeat(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, counts) = (call.strings(0), call.integers(1)?);
    if let Some(row) = (0..call.len).find(|row| {
        let length = texts.get(*row).map_or(0, str::len) as i64;
        counts.get(*row).is_some_and(|count| count.max(0).saturating_mul(length) > MOST)
    }) {
        let count = counts.get(row).unwrap_or_default();
        return Err(EvalError::new(format!("REPEAT by {count} gives too long a text")));
    }
    Ok(call.make_strings(|row, out| {
        let (Some(text), Some(count)) = (texts.get(row), counts.get(row)) else { return false };
        (0..count).for_each(|_| out.push_str(text));
        true
    }))
}
