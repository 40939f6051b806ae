//! CAST and TRY_CAST, a value at a time.

use tidegate_data::{LogicalType, Value};

use super::big::Big;
use super::number::{digits_of, double, fitted, wrapped};
use super::time::{self, DAY};
use super::{Stop, fails, unknown};

/// A value that is not NULL as one of another type.
///
/// # Errors
/// When it cannot be converted, or the reference does not know how.
pub fn cast(value: &Value, from: &LogicalType, to: &LogicalType) -> Result<Value, Stop> {
    use LogicalType::*;
    if from.without_time_attribute() == to.without_time_attribute() {
        return Ok(value.clone());
    }
    match to {
        Char(_) | VarChar(_) => return text_of(value, from).map(|text| Value::String(sized(text, to))),
        _ if from.is_character() => {
            let Value::String(text) = value else { return Err(unknown("a text that is none")) };
            return read(text, to);
        }
        _ => {}
    }
    let gap = || unknown(format!("CAST({from} AS {to})"));
    Ok(match (value, to) {
        (Value::Boolean(truth), to) if to.is_integer() => Value::Int(i64::from(*truth)),
        (Value::Boolean(truth), Double) => Value::Double(f64::from(u8::from(*truth))),
        (Value::Boolean(truth), Float) => Value::Float(f32::from(u8::from(*truth))),
        (Value::Boolean(truth), Decimal(p, s)) => fitted(&Big::of(i128::from(*truth)), 0, *p, *s),
        (value, Boolean) if from.is_numeric() => Value::Boolean(match value {
            Value::Int(number) => *number != 0,
            Value::Decimal(number) => *number != 0,
            other => double(other, from).is_some_and(|number| number != 0.0),
        }),
        (value, to) if from.is_numeric() && to.is_numeric() => return number(value, from, to),
        (Value::Int(days), Timestamp(p, _)) if *from == Date => in_unit(days * DAY, 0, *p),
        (Value::Int(value), Date) if from.is_timestamp() => {
            Value::Int(time::milliseconds(*value, from).div_euclid(DAY))
        }
        (Value::Int(value), Timestamp(q, _)) => {
            let Timestamp(p, _) = from else { return Err(gap()) };
            let per_second = units(*p);
            let nanos = value.rem_euclid(per_second) * (1_000_000_000 / per_second);
            in_unit(value.div_euclid(per_second) * 1_000, nanos, *q)
        }
        _ => return Err(gap()),
    })
}

fn units(precision: u8) -> i64 {
    match precision {
        0..=3 => 1_000,
        4..=6 => 1_000_000,
        _ => 1_000_000_000,
    }
}

/// A timestamp: whole seconds in ms, and nanoseconds, whose digits beyond the precision are cut off.
fn in_unit(ms: i64, nanos: i64, precision: u8) -> Value {
    let step = 10i64.pow(9 - u32::from(precision));
    let units = units(precision);
    Value::Int(ms / 1_000 * units + nanos / step * step / (1_000_000_000 / units))
}

fn number(value: &Value, from: &LogicalType, to: &LogicalType) -> Result<Value, Stop> {
    use LogicalType::*;
    let gap = || unknown(format!("CAST({from} AS {to}) of {value:?}"));
    Ok(match (value, to) {
        (_, Double) => Value::Double(double(value, from).ok_or_else(gap)?),
        (Value::Int(value), Float) => Value::Float(*value as f32),
        (_, Float) => Value::Float(double(value, from).ok_or_else(gap)? as f32),
        (Value::Int(value), Decimal(p, s)) => fitted(&Big::of(i128::from(*value)), 0, *p, *s),
        (Value::Decimal(value), Decimal(p, s)) => {
            fitted(&Big::of(*value), digits_of(from).ok_or_else(gap)?.1.into(), *p, *s)
        }
        (Value::Float(_) | Value::Double(_), Decimal(p, s)) => {
            let number = double(value, from).ok_or_else(gap)?;
            if !number.is_finite() {
                return Err(fails("Infinite or NaN"));
            }
            let (digits, scale) = point(&format!("{number}")).ok_or_else(gap)?;
            fitted(&digits, scale, *p, *s)
        }
        (Value::Int(value), to) => Value::Int(wrapped(i128::from(*value), to)),
        (Value::Decimal(value), to) => {
            let whole = value / 10i128.pow(digits_of(from).ok_or_else(gap)?.1.into());
            Value::Int(wrapped(i128::from(whole as i64), to))
        }
        (Value::Float(_) | Value::Double(_), to) => {
            let number = double(value, from).ok_or_else(gap)?;
            Value::Int(match to {
                BigInt => number as i64,
                _ => wrapped(i128::from(number as i32), to),
            })
        }
        _ => return Err(gap()),
    })
}

/// Digits with a point, as a whole number and how many stand behind the point.
fn point(text: &str) -> Option<(Big, i64)> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let zero = Big::of(0);
    let number = digits.bytes().fold(zero, |sum, byte| sum.shifted(1).plus(&Big::of(i128::from(byte - b'0'))));
    Some((if negative { number.negated() } else { number }, fraction.len() as i64))
}

/// What a text says as a value of another type.
fn read(text: &str, to: &LogicalType) -> Result<Value, Stop> {
    use LogicalType::*;
    let bad = || fails(format!("'{text}' is no {to}"));
    let trimmed = text.trim_matches(' ');
    Ok(match to {
        Boolean => match text.to_lowercase().as_str() {
            "t" | "true" | "y" | "yes" | "1" => Value::Boolean(true),
            "f" | "false" | "n" | "no" | "0" => Value::Boolean(false),
            _ => return Err(bad()),
        },
        TinyInt | SmallInt | Int | BigInt => {
            let (whole, fraction) = trimmed.split_once('.').unwrap_or((trimmed, ""));
            let signs = whole.len() - whole.trim_start_matches(['+', '-']).len();
            // A sign alone is no number, but a point alone is 0.
            let bare = trimmed.is_empty() || trimmed == "-" || trimmed == "+";
            if bare || signs > 1 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(bad());
            }
            let digits = if whole.len() == signs { "0" } else { whole };
            let number: i128 = digits.parse().map_err(|_| bad())?;
            if i128::from(wrapped(number, to)) != number {
                return Err(bad());
            }
            Value::Int(wrapped(number, to))
        }
        Decimal(p, s) => {
            let (digits, scale) = point(trimmed).ok_or_else(bad)?;
            match fitted(&digits, scale, *p, *s) {
                Value::Null if *p <= 18 => return Err(bad()),
                number => number,
            }
        }
        Double => Value::Double(plain_float(trimmed).ok_or_else(bad)?),
        Float => Value::Float(plain_float(trimmed).and_then(|_| trimmed.parse().ok()).ok_or_else(bad)?),
        Date => {
            // What is missing from the end is 1, and what stands behind a blank does not count.
            let date = text.split(' ').next().unwrap_or_default();
            let full = format!("{date}{}", "-1".repeat(2usize.saturating_sub(date.matches('-').count())));
            Value::Int(day(&full).ok_or_else(bad)?)
        }
        Timestamp(p, _) => {
            let (date, clock) = text.split_once(' ').unwrap_or((text, "00:00:00"));
            // A day that its month has not is the month's last one.
            let day = day(date)
                .or_else(|| last(date))
                .filter(|_| date.split('-').all(|part| part.len() > 1))
                .ok_or_else(bad)?;
            let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
            let parts: Option<Vec<i64>> = clock.split(':').map(|part| part.parse().ok()).collect();
            let seconds = match parts.as_deref() {
                Some([hour @ 0..24, minute @ 0..60, second @ 0..60]) => hour * 3_600 + minute * 60 + second,
                _ => return Err(bad()),
            };
            let nanos: i64 =
                if fraction.is_empty() { 0 } else { format!("{fraction:0<9}").parse().map_err(|_| bad())? };
            in_unit(day * DAY + seconds * 1_000, nanos, *p)
        }
        _ => return Err(unknown(format!("a text as {to}"))),
    })
}

fn plain_float(text: &str) -> Option<f64> {
    let digit = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    if text.bytes().all(digit) { text.parse().ok() } else { None }
}

fn day(text: &str) -> Option<i64> {
    let number = |part: &str| part.parse().ok().filter(|_| part.bytes().all(|byte| byte.is_ascii_digit()));
    let parts: Option<Vec<i64>> = text.split('-').map(number).collect();
    match parts?.as_slice() {
        [year, month, day] => time::days(*year, *month, *day),
        _ => None,
    }
}

/// The last day of its month, for a day up to 31.
fn last(text: &str) -> Option<i64> {
    let (month, day_of) = text.rsplit_once('-')?;
    let wanted: i64 = day_of.parse().ok().filter(|day| *day <= 31)?;
    (28..wanted).rev().find_map(|less| day(&format!("{month}-{less}")))
}

/// A text cut, and for CHAR padded, to the length of its type.
fn sized(text: String, to: &LogicalType) -> String {
    match to {
        LogicalType::Char(n) => text.chars().chain(std::iter::repeat(' ')).take(*n as usize).collect(),
        LogicalType::VarChar(n) => text.chars().take(*n as usize).collect(),
        _ => text,
    }
}

/// A value as text.
fn text_of(value: &Value, from: &LogicalType) -> Result<String, Stop> {
    Ok(match (value, from) {
        (Value::String(text), _) => text.clone(),
        (Value::Boolean(truth), _) => String::from(if *truth { "TRUE" } else { "FALSE" }),
        (Value::Decimal(number), LogicalType::Decimal(_, scale)) => {
            let digits = format!("{:0>width$}", number.unsigned_abs(), width = usize::from(*scale) + 1);
            let (whole, fraction) = digits.split_at(digits.len() - usize::from(*scale));
            let sign = if *number < 0 { "-" } else { "" };
            if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
        }
        (Value::Int(days), LogicalType::Date) => {
            let (year, month, day) = time::civil(*days);
            format!("{year:04}-{month:02}-{day:02}")
        }
        (Value::Int(ticks), LogicalType::Timestamp(p, _)) => {
            let second = units(*p);
            let of_day = ticks.div_euclid(second).rem_euclid(86_400);
            let (year, month, day) = time::civil(ticks.div_euclid(second).div_euclid(86_400));
            let clock = format!("{:02}:{:02}:{:02}", of_day / 3_600, of_day / 60 % 60, of_day % 60);
            let all = format!("{:09}", ticks.rem_euclid(second) * (1_000_000_000 / second));
            let kept = all.trim_end_matches('0').len().max(usize::from(*p));
            let fraction = if kept == 0 { String::new() } else { format!(".{}", &all[..kept]) };
            format!("{year:04}-{month:02}-{day:02} {clock}{fraction}")
        }
        (Value::Int(number), from) if from.is_integer() => number.to_string(),
        (Value::Double(number), _) => java(*number, &format!("{number:e}")),
        (Value::Float(number), _) => java(f64::from(*number), &format!("{number:e}")),
        _ => return Err(unknown(format!("the text of {value:?} as {from}"))),
    })
}

/// A floating-point number as Java writes it, from its shortest digits with an exponent.
fn java(number: f64, shortest: &str) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number.is_infinite() {
        return format!("{sign}Infinity");
    }
    let (mantissa, exponent) = shortest.trim_start_matches('-').split_once('e').unwrap_or(("0", "0"));
    let (digits, exponent): (String, i32) = (mantissa.replace('.', ""), exponent.parse().unwrap_or(0));
    if number == 0.0 {
        return format!("{sign}0.0");
    }
    let behind = |fraction: &str| if fraction.is_empty() { "0".to_owned() } else { fraction.to_owned() };
    match exponent {
        -3..=-1 => format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
        0..7 => {
            let whole = exponent as usize + 1;
            let padded = format!("{digits:0<whole$}");
            format!("{sign}{}.{}", &padded[..whole], behind(&padded[whole..]))
        }
        _ => format!("{sign}{}.{}E{exponent}", &digits[..1], behind(&digits[1..])),
    }
}
