//! PRINTF: Java's format texts, as far as SQL's values go: `%s %d %x %o %c %b %f %e %%` with width, precision, `-`, `0`, `,`, `+`. What Java
//! refuses gives NULL.

use tidegate_data::{DataType, LogicalType, Value, Zone, build_column, cell_text};

use crate::eval::EvalError;
use crate::functions::{Binding, Call, Kernel, ScalarFunction};
use crate::{CallError, Expr};

pub(in crate::functions) const BINDINGS: &[Binding] = &[Binding { name: "PRINTF", bind: |_, args| bind(args) }];

static PRINTF: ScalarFunction = ScalarFunction::new("PRINTF", Kernel::Rows { strict: 0, row: printf });

fn bind(args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.is_empty() || !args[0].ty.logical.is_character() && args[0].ty.logical != LogicalType::Null {
        return Err(CallError::arguments("Invalid input arguments.", Some(0)));
    }
    Ok(PRINTF.on(args, DataType::string()))
}

fn printf(call: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let Value::String(format) = &row[0] else { return Ok(Value::Null) };
    let types: Vec<&DataType> = call.args.iter().map(|arg| &arg.ty).collect();
    Ok(formatted(format, &row[1..], &types[1..], call.ctx.zone).map_or(Value::Null, Value::String))
}

#[derive(Default)]
struct Spec {
    left: bool,
    zero: bool,
    group: bool,
    plus: bool,
    width: usize,
    precision: Option<usize>,
}

fn formatted(format: &str, args: &[Value], types: &[&DataType], zone: Zone) -> Option<String> {
    let mut out = String::new();
    let mut next = 0;
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = Spec::default();
        while let Some(flag) = chars.next_if(|c| "-0,+".contains(*c)) {
            match flag {
                '-' => spec.left = true,
                '0' => spec.zero = true,
                ',' => spec.group = true,
                _ => spec.plus = true,
            }
        }
        let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut digits = String::new();
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            digits
        };
        spec.width = match number(&mut chars).as_str() {
            "" => 0,
            digits => digits.parse().ok().filter(|width| *width <= 10_000)?,
        };
        if chars.next_if_eq(&'.').is_some() {
            spec.precision = Some(number(&mut chars).parse().ok().filter(|precision| *precision <= 10_000)?);
        }
        let conversion = chars.next()?;
        let text = match conversion {
            '%' => "%".to_owned(),
            'n' => "\n".to_owned(),
            _ => {
                let (value, ty) = (args.get(next)?, *types.get(next)?);
                next += 1;
                let text = one(conversion.to_ascii_lowercase(), value, ty, &spec, zone)?;
                if conversion.is_ascii_uppercase() { text.to_uppercase() } else { text }
            }
        };
        let gap = spec.width.saturating_sub(text.chars().count());
        match (spec.left, spec.zero && text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit())) {
            (true, _) => out.extend(text.chars().chain(std::iter::repeat_n(' ', gap))),
            (false, true) => {
                let sign = usize::from(text.starts_with(['-', '+']));
                out.push_str(&text[..sign]);
                out.extend(std::iter::repeat_n('0', gap));
                out.push_str(&text[sign..]);
            }
            (false, false) => out.extend(std::iter::repeat_n(' ', gap).chain(text.chars())),
        }
    }
    Some(out)
}

fn one(conversion: char, value: &Value, ty: &DataType, spec: &Spec, zone: Zone) -> Option<String> {
    let cut = |text: String| match spec.precision {
        Some(length) => text.chars().take(length).collect(),
        None => text,
    };
    let signed = |text: String| if spec.plus && !text.starts_with('-') { format!("+{text}") } else { text };
    match (conversion, value) {
        ('b', Value::Null) => Some("false".into()),
        ('b', Value::Boolean(truth)) => Some(truth.to_string()),
        ('b', _) => Some("true".into()),
        (_, Value::Null) => Some(cut("null".into())),
        ('s', Value::Boolean(truth)) => Some(cut(truth.to_string())),
        ('s', value) => {
            let column = build_column(ty, [value]).ok()?;
            Some(cut(cell_text(&column, 0, ty, zone)?))
        }
        ('d', Value::Int(number)) if ty.logical.is_integer() && spec.precision.is_none() => {
            Some(signed(if spec.group { grouped(&number.to_string()) } else { number.to_string() }))
        }
        ('x' | 'o', Value::Int(number)) if ty.logical.is_integer() => {
            // Of the width of its type.
            let bits = match ty.logical {
                LogicalType::TinyInt => *number as u8 as u64,
                LogicalType::SmallInt => *number as u16 as u64,
                LogicalType::Int => *number as u32 as u64,
                _ => *number as u64,
            };
            Some(if conversion == 'x' { format!("{bits:x}") } else { format!("{bits:o}") })
        }
        ('c', Value::Int(number)) if ty.logical.is_integer() => char::from_u32(*number as u32).map(String::from),
        ('f', value) => {
            let places = spec.precision.unwrap_or(6);
            let text = match (value, &ty.logical) {
                (Value::Double(number), _) if number.is_finite() => fixed(*number, places),
                (Value::Float(number), _) if number.is_finite() => fixed(f64::from(*number), places),
                (Value::Decimal(number), LogicalType::Decimal(_, scale)) => {
                    let mut text = String::new();
                    tidegate_data::text::number::write_decimal(&mut text, *number, *scale);
                    rounded(&text, places)
                }
                _ => return None,
            };
            Some(signed(if spec.group { grouped(&text) } else { text }))
        }
        ('e', Value::Double(number)) if number.is_finite() => {
            let text = format!("{number:.*e}", spec.precision.unwrap_or(6));
            let (mantissa, exponent) = text.split_once('e')?;
            let exponent: i32 = exponent.parse().ok()?;
            let sign = if exponent < 0 { '-' } else { '+' };
            Some(signed(format!("{mantissa}e{sign}{:02}", exponent.abs())))
        }
        _ => None,
    }
}

/// With so many places, halves rounded up, as Java does it on the shortest text of the number.
fn fixed(number: f64, places: usize) -> String {
    rounded(&format!("{number}"), places)
}

fn rounded(text: &str, places: usize) -> String {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let mut digits: Vec<u8> = whole.bytes().chain(part.bytes().chain(std::iter::repeat(b'0')).take(places)).collect();
    if part.as_bytes().get(places).is_some_and(|digit| *digit >= b'5') {
        let mut at = digits.len();
        loop {
            if at == 0 {
                digits.insert(0, b'1');
                break;
            }
            at -= 1;
            if digits[at] < b'9' {
                digits[at] += 1;
                break;
            }
            digits[at] = b'0';
        }
    }
    let text = String::from_utf8_lossy(&digits).into_owned();
    let (whole, part) = text.split_at(text.len() - places);
    format!("{sign}{whole}{}{part}", if places == 0 { "" } else { "." })
}

/// A comma between thousands.
fn grouped(text: &str) -> String {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, part) = text.find('.').map_or((text, ""), |at| text.split_at(at));
    let mut out = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + part
}
