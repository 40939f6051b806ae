//! Numbers and truth values from text, with Flink's errors (its `BinaryStringDataUtil`).

use super::CastError;
use crate::decimal::{POWER_LIMIT, digit_count, divide_half_up, fits, power_of_ten};

/// A whole number between `min` and `max`; digits behind a point are checked and dropped. Blanks at both ends do not count.
///
/// # Errors
/// When the text is no number, or too large a one.
pub fn parse_integer(text: &str, min: i64, max: i64) -> Result<i64, CastError> {
    let text = trim(text);
    let fail = |reason: &str| Err(CastError::new(format!("For input string: '{text}'. {reason}")));
    let (negative, digits) = match text.as_bytes() {
        [] => return fail("Input is empty."),
        [b'-' | b'+'] => return fail("Input has only positive or negative symbol."),
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    // TINYINT and SMALLINT are read as INT first.
    let (lowest, highest) = if max > i64::from(i32::MAX) { (min, max) } else { (i32::MIN.into(), i32::MAX.into()) };
    let mut digits = digits.iter();
    // Downwards, for there is one more negative number.
    let mut number = 0i64;
    for byte in digits.by_ref() {
        match byte {
            b'.' => break,
            b'0'..=b'9' => {
                let next = number.checked_mul(10).and_then(|n| n.checked_sub(i64::from(byte - b'0')));
                match next.filter(|next| *next >= lowest) {
                    Some(next) => number = next,
                    None => return fail("Overflow."),
                }
            }
            _ => return fail("Invalid character found."),
        }
    }
    if !digits.all(u8::is_ascii_digit) {
        return fail("Invalid character found.");
    }
    if !negative {
        match number.checked_neg().filter(|number| *number <= highest) {
            Some(positive) => number = positive,
            None => return fail("Overflow."),
        }
    }
    if number < min || number > max { fail("Overflow.") } else { Ok(number) }
}

/// `true`, `t`, `yes`, `y`, `1` or `false`, `f`, `no`, `n`, `0`, in any case. (Blanks do count.)
///
/// # Errors
/// For anything else.
pub fn parse_boolean(text: &str) -> Result<bool, CastError> {
    match text.to_lowercase().as_str() {
        "t" | "true" | "y" | "yes" | "1" => Ok(true),
        "f" | "false" | "n" | "no" | "0" => Ok(false),
        _ => Err(CastError::new(format!("Cannot parse '{text}' as BOOLEAN."))),
    }
}

/// A floating-point number as Java's `Double.parseDouble` reads it.
///
/// # Errors
/// When the text is no number.
pub fn parse_double(text: &str) -> Result<f64, CastError> {
    let trimmed = text.trim_matches(|c: char| c <= ' ');
    if trimmed.is_empty() {
        return Err(CastError::new("empty String"));
    }
    let (sign, magnitude) = match trimmed.as_bytes()[0] {
        b'-' => (-1.0, &trimmed[1..]),
        b'+' => (1.0, &trimmed[1..]),
        _ => (1.0, trimmed),
    };
    let number = match magnitude {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        _ => {
            // Java takes a suffix for the type, and no words but those two.
            let digits = magnitude.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(magnitude);
            let plain = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
            if plain { digits.parse().ok() } else { None }
        }
    };
    number.map(|number: f64| sign * number).ok_or_else(|| CastError::new(format!("For input string: \"{trimmed}\"")))
}

/// A DECIMAL(`precision`, `scale`), rounded half up; unscaled.
///
/// `Ok(None)` is a number with too many digits for a type of more than 18; Flink makes an error of it for shorter ones.
///
/// # Errors
/// When the text is no number, or (up to 18 digits) does not fit.
pub fn parse_decimal(text: &str, precision: u8, scale: u8) -> Result<Option<i128>, CastError> {
    let text = trim(text);
    if precision > 18 || text.len() > 18 {
        return parse_long_decimal(text, precision, scale);
    }
    let fail = || CastError::new(format!("For input string: '{text}'. Overflow."));
    parse_short_decimal(text.as_bytes(), precision, scale).map(Some).ok_or_else(fail)
}

/// Flink's own parser. It counts leading zeros as digits, and rounding may add a digit too many.
fn parse_short_decimal(text: &[u8], precision: u8, scale: u8) -> Option<i128> {
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (mut significand, mut len, mut point) = (0i128, 0i64, None);
    while let [byte, after @ ..] = rest {
        match byte {
            b'0'..=b'9' => {
                significand = significand * 10 + i128::from(byte - b'0');
                len += 1;
            }
            b'.' if point.is_none() => point = Some(len),
            _ => break,
        }
        rest = after;
    }
    if len == 0 {
        return None;
    }
    let mut exponent = point.unwrap_or(len) - len;
    if let [b'e' | b'E', after @ ..] = rest {
        let (negative, digits) = match after {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let stated = digits.iter().fold(0i64, |n, byte| (n * 10 + i64::from(byte - b'0')).min(400));
        exponent += if negative { -stated } else { stated };
        rest = &[];
    }
    if !rest.is_empty() {
        return None;
    }
    let change = exponent + i64::from(scale);
    if len + change > i64::from(precision) {
        return None;
    }
    let unscaled = if change >= 0 {
        significand * power_of_ten(change as u32)
    } else {
        divide_half_up(significand, power_of_ten((-change).min(len + 1) as u32))
    };
    Some(if negative { -unscaled } else { unscaled })
}

/// As Java's `BigDecimal` reads it.
fn parse_long_decimal(text: &str, precision: u8, scale: u8) -> Result<Option<i128>, CastError> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let (mut significand, mut dropped, mut fraction, mut seen) = (0i128, 0i64, 0i64, false);
    let mut point = false;
    let mut rest = digits;
    while let [byte, after @ ..] = rest {
        match byte {
            b'0'..=b'9' => {
                seen = true;
                fraction += i64::from(point);
                // More than 38 digits behind the first one that counts can only matter for rounding a value that fits no type.
                if digit_count(significand) < POWER_LIMIT {
                    significand = significand * 10 + i128::from(byte - b'0');
                } else {
                    dropped += 1;
                }
            }
            b'.' if !point => point = true,
            b'e' | b'E' if seen => break,
            other => {
                let character = char::from(*other);
                return Err(CastError::new(format!(
                    "Character {character} is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark."
                )));
            }
        }
        rest = after;
    }
    if !seen {
        return Err(CastError::new(if text.is_empty() {
            "Index 0 out of bounds for length 0"
        } else {
            "No digits found."
        }));
    }
    let mut exponent = dropped - fraction;
    if let [_, after @ ..] = rest {
        let stated = std::str::from_utf8(after).ok().and_then(|text| text.parse::<i64>().ok());
        exponent += stated.ok_or_else(|| CastError::new("No exponent digits."))?.clamp(-100_000, 100_000);
    }
    let change = exponent + i64::from(scale);
    let unscaled = if significand == 0 {
        Some(0)
    } else if change >= 0 {
        let factor = (change < 39).then(|| power_of_ten(change as u32));
        factor.and_then(|factor| significand.checked_mul(factor))
    } else if change < -38 {
        Some(0)
    } else {
        Some(divide_half_up(significand, power_of_ten(-change as u32)))
    };
    Ok(unscaled.filter(|value| fits(*value, precision)).map(|value| if negative { -value } else { value }))
}

fn trim(text: &str) -> &str {
    text.trim_matches(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        let int = |text| parse_integer(text, i32::MIN.into(), i32::MAX.into()).map_err(|error| error.message);
        assert_eq!(int(" 12 "), Ok(12));
        assert_eq!(int("-7.9"), Ok(-7));
        assert_eq!(int(".5"), Ok(0));
        assert_eq!(int("-2147483648"), Ok(-2_147_483_648));
        assert_eq!(int("2147483648"), Err("For input string: '2147483648'. Overflow.".into()));
        assert_eq!(int("1e3"), Err("For input string: '1e3'. Invalid character found.".into()));
        assert_eq!(int(""), Err("For input string: ''. Input is empty.".into()));
        assert_eq!(parse_integer("-9223372036854775808", i64::MIN, i64::MAX), Ok(i64::MIN));
        assert!(parse_integer("128", -128, 127).is_err());
    }

    #[test]
    fn decimals_with_flinks_quirks() {
        assert_eq!(parse_decimal("9999.95", 5, 1), Ok(Some(100_000)));
        assert!(parse_decimal("000123", 5, 1).is_err());
        assert_eq!(parse_decimal("000123", 20, 0), Ok(Some(123)));
        assert_eq!(parse_decimal("1e3", 5, 1), Ok(Some(10_000)));
        assert_eq!(parse_decimal("-7.95", 20, 1), Ok(Some(-80)));
        assert_eq!(parse_decimal("1e30", 20, 2), Ok(None));
        assert_eq!(parse_decimal("0.05", 5, 1), Ok(Some(1)));
    }

    #[test]
    fn doubles_as_in_java() {
        assert_eq!(parse_double("1e3"), Ok(1000.0));
        assert_eq!(parse_double(" 5. "), Ok(5.0));
        assert_eq!(parse_double("1.5f"), Ok(1.5));
        for text in ["inf", "nan", "infinity", "1_0", "0x1F", "abc", "+-1"] {
            assert!(parse_double(text).is_err(), "{text}");
        }
    }
}
