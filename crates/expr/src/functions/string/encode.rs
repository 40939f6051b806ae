//! Texts as codes and bytes: CHR, HEX, UNHEX, BIN, TO_BASE64, FROM_BASE64, ENCODE, DECODE.

use std::fmt::Write as _;

use arrow_array::ArrayRef;
use tidegate_data::{DataType, LogicalType};

use super::bind_string;
use crate::eval::EvalError;
use crate::functions::signature::{Family, check, nullable_if_any};
use crate::functions::{Binding, Call, ScalarFunction};
use crate::{CallError, Expr};

pub(in crate::functions) const BINDINGS: &[Binding] = &[
    Binding {
        name: "CHR",
        bind: |name, args| Ok(CHR.on(check(name, args, &[&[Family::Integer]])?, DataType::string())),
    },
    Binding { name: "HEX", bind: |_, args| bind_string(&HEX, args, &[&[Family::Integer], &[Family::Character]]) },
    Binding { name: "UNHEX", bind: |name, args| Ok(UNHEX.on(check(name, args, &[&[Family::Character]])?, bytes())) },
    Binding { name: "BIN", bind: |_, args| bind_string(&BIN, args, &[&[Family::Integer]]) },
    Binding { name: "TO_BASE64", bind: |_, args| bind_string(&TO_BASE64, args, &[&[Family::Character]]) },
    Binding { name: "FROM_BASE64", bind: |_, args| bind_string(&FROM_BASE64, args, &[&[Family::Character]]) },
    Binding { name: "ENCODE", bind: bind_encode },
    Binding { name: "DECODE", bind: |_, args| bind_string(&DECODE, args, &[&[Family::Binary, Family::Character]]) },
];

static CHR: ScalarFunction = ScalarFunction::strict("CHR", |call| {
    let codes = call.integers(0)?;
    Ok(call.make_strings(|row, out| {
        let Some(code) = codes.get(row) else { return false };
        if code >= 0 {
            out.push(char::from((code & 0xff) as u8));
        }
        true
    }))
});
static HEX: ScalarFunction = ScalarFunction::strict("HEX", hex);
static UNHEX: ScalarFunction = ScalarFunction::strict("UNHEX", |call| {
    let texts = call.strings(0);
    Ok(call.make_binaries(|row| unhex(texts.get(row)?)))
});
static BIN: ScalarFunction = ScalarFunction::strict("BIN", |call| {
    let numbers = call.integers(0)?;
    Ok(call.make_strings(|row, out| numbers.get(row).map(|number| write(out, format_args!("{number:b}"))).is_some()))
});
static TO_BASE64: ScalarFunction =
    ScalarFunction::strict("TO_BASE64", |call| super::map(call, |text, out| encode_base64(text.as_bytes(), out)));
static FROM_BASE64: ScalarFunction = ScalarFunction::strict("FROM_BASE64", from_base64).failing(|_, _| true);
static ENCODE: ScalarFunction = ScalarFunction::strict("ENCODE", encode).failing(|_, _| true);
static DECODE: ScalarFunction = ScalarFunction::strict("DECODE", decode).failing(|_, _| true);

fn bytes() -> DataType {
    DataType::new(LogicalType::VarBinary(DataType::MAX_LENGTH))
}

fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes all");
}

fn hex(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    if call.arg_type(0).is_integer() {
        let numbers = call.integers(0)?;
        return Ok(call.make_strings(|row, out| numbers.get(row).map(|n| write(out, format_args!("{n:X}"))).is_some()));
    }
    super::map(call, |text, out| text.bytes().for_each(|byte| write(out, format_args!("{byte:02X}"))))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let mut digits = digits?;
    if digits.len() % 2 == 1 {
        // Flink's own reading of an odd number of digits: the first one counts as 0.
        digits.splice(..1, [0, 0]);
    }
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(in crate::functions) fn encode_base64(bytes: &[u8], out: &mut String) {
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let more = digit <= chunk.len();
            out.push(if more { char::from(BASE64[(word >> (18 - 6 * digit) & 63) as usize]) } else { '=' });
        }
    }
}

fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.as_bytes().chunks(4) {
        let mut word = 0u32;
        for byte in chunk {
            let digit = BASE64.iter().position(|known| known == byte);
            let digit = digit.ok_or_else(|| format!("Illegal base64 character {byte:x}"))?;
            word = word << 6 | digit as u32;
        }
        if chunk.len() == 1 {
            return Err("Last unit does not have enough valid bits".to_owned());
        }
        word <<= 6 * (4 - chunk.len());
        bytes.extend_from_slice(&word.to_be_bytes()[1..chunk.len()]);
    }
    Ok(bytes)
}

fn from_base64(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let texts = call.strings(0);
    let mut failure = None;
    let decoded = call.make_strings(|row, out| match texts.get(row).map(decode_base64) {
        None => false,
        Some(Ok(bytes)) => {
            out.push_str(&String::from_utf8_lossy(&bytes));
            true
        }
        Some(Err(message)) => {
            failure.get_or_insert(message);
            false
        }
    });
    failure.map_or(Ok(decoded), |message| Err(EvalError::new(message)))
}

/// The character sets that every Java machine has.
#[derive(Clone, Copy)]
enum Charset {
    Ascii,
    Latin1,
    Utf8,
    Utf16 { big: bool, mark: bool },
}

impl Charset {
    fn parse(name: &str) -> Result<Charset, EvalError> {
        match name.to_ascii_uppercase().as_str() {
            "US-ASCII" | "ASCII" => Ok(Charset::Ascii),
            "ISO-8859-1" | "LATIN1" => Ok(Charset::Latin1),
            "UTF-8" | "UTF8" => Ok(Charset::Utf8),
            "UTF-16" => Ok(Charset::Utf16 { big: true, mark: true }),
            "UTF-16BE" => Ok(Charset::Utf16 { big: true, mark: false }),
            "UTF-16LE" => Ok(Charset::Utf16 { big: false, mark: false }),
            _ => Err(EvalError::new(name)),
        }
    }

    fn encode(self, text: &str) -> Vec<u8> {
        let narrow = |limit: u32| text.chars().map(|c| if u32::from(c) < limit { c as u8 } else { b'?' }).collect();
        match self {
            Charset::Ascii => narrow(0x80),
            Charset::Latin1 => narrow(0x100),
            Charset::Utf8 => text.as_bytes().to_vec(),
            Charset::Utf16 { big, mark } => {
                let marked = if mark && !text.is_empty() { Some(0xfeff) } else { None };
                let units = marked.into_iter().chain(text.encode_utf16());
                units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
            }
        }
    }

    fn decode(self, bytes: &[u8]) -> String {
        match self {
            Charset::Ascii => {
                bytes.iter().map(|byte| if *byte < 0x80 { char::from(*byte) } else { '\u{fffd}' }).collect()
            }
            Charset::Latin1 => bytes.iter().map(|byte| char::from(*byte)).collect(),
            Charset::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Charset::Utf16 { big, mark } => {
                let (big, bytes) = match bytes {
                    [0xfe, 0xff, rest @ ..] if mark => (true, rest),
                    [0xff, 0xfe, rest @ ..] if mark => (false, rest),
                    bytes => (big, bytes),
                };
                let unit = |pair: &[u8]| {
                    let pair = [pair[0], pair[1]];
                    if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
                };
                let pairs = bytes.chunks_exact(2);
                let cut = if pairs.remainder().is_empty() { "" } else { "\u{fffd}" };
                String::from_utf16_lossy(&pairs.map(unit).collect::<Vec<u16>>()) + cut
            }
        }
    }
}

fn encode(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, names) = (call.strings(0), call.strings(1));
    let charsets = charsets(call, &names)?;
    Ok(call.make_binaries(|row| Some(charsets(row)?.encode(texts.get(row)?))))
}

fn decode(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (bytes, names) = (call.binaries(0), call.strings(1));
    let charsets = charsets(call, &names)?;
    Ok(call.make_strings(|row, out| {
        let (Some(charset), Some(bytes)) = (charsets(row), bytes.get(row)) else { return false };
        out.push_str(&charset.decode(bytes));
        true
    }))
}

fn charsets<'a>(
    call: &Call<'_>,
    names: &'a crate::functions::args::Strings<'a>,
) -> Result<impl Fn(usize) -> Option<Charset> + 'a, EvalError> {
    for row in 0..call.len {
        if let Some(name) = names.get(row) {
            Charset::parse(name)?;
        }
    }
    Ok(|row| Charset::parse(names.get(row)?).ok())
}

fn bind_encode(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(name, args, &[&[Family::Character; 2]])?;
    let ty = nullable_if_any(bytes().logical, &args);
    Ok(ENCODE.on(args, ty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_there_and_back() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            let mut out = String::new();
            encode_base64(bytes.as_bytes(), &mut out);
            assert_eq!(out, text);
            assert_eq!(decode_base64(text).unwrap(), bytes.as_bytes());
        }
        assert!(decode_base64("a b").is_err());
    }
}
