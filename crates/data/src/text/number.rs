//! The text of numbers: Java's, since Flink's is.

use std::fmt::Write as _;

use super::java_float::{Digits, double_digits, float_digits};

/// Appends an integer.
pub fn write_integer(out: &mut String, value: i64) {
    write!(out, "{value}").expect("a string takes all");
}

/// Appends a FLOAT as Java's `Float.toString` does.
pub fn write_float(out: &mut String, value: f32) {
    if !write_special(out, value.into()) {
        write_digits(out, &float_digits(value.abs()));
    }
}

/// Appends a DOUBLE as Java's `Double.toString` does: `1.0E10`, `0.001`, `1.0E-4`, `NaN`, `Infinity`.
pub fn write_double(out: &mut String, value: f64) {
    if !write_special(out, value) {
        write_digits(out, &double_digits(value.abs()));
    }
}

/// Appends the sign, and the whole text of what has no digits; whether that was all.
fn write_special(out: &mut String, value: f64) -> bool {
    if value.is_nan() {
        out.push_str("NaN");
        return true;
    }
    if value.is_sign_negative() {
        out.push('-');
    }
    if value == 0.0 || value.is_infinite() {
        out.push_str(if value == 0.0 { "0.0" } else { "Infinity" });
        return true;
    }
    false
}

fn write_digits(out: &mut String, Digits { digits, exponent }: &Digits) {
    let push = |out: &mut String, digits: &[u8]| out.extend(digits.iter().map(|digit| char::from(b'0' + digit)));
    if (1..8).contains(exponent) {
        let whole = *exponent as usize;
        push(out, &digits[..whole.min(digits.len())]);
        (digits.len()..whole).for_each(|_| out.push('0'));
        out.push('.');
        push(out, digits.get(whole..).filter(|rest| !rest.is_empty()).unwrap_or(&[0]));
    } else if (-2..1).contains(exponent) {
        out.push_str("0.");
        (0..-exponent).for_each(|_| out.push('0'));
        push(out, digits);
    } else {
        push(out, &digits[..1]);
        out.push('.');
        push(out, if digits.len() > 1 { &digits[1..] } else { &[0] });
        write!(out, "E{}", exponent - 1).expect("a string takes all");
    }
}

/// Appends a DECIMAL with all digits of its scale.
pub fn write_decimal(out: &mut String, unscaled: i128, scale: u8) {
    let scale = usize::from(scale);
    if scale == 0 {
        write!(out, "{unscaled}").expect("a string takes all");
        return;
    }
    if unscaled < 0 {
        out.push('-');
    }
    let digits = format!("{:0width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    out.push_str(whole);
    out.push('.');
    out.push_str(fraction);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> String {
        let mut out = String::new();
        write_double(&mut out, value);
        out
    }

    #[test]
    fn doubles_read_as_in_java() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (100.0, "100.0"),
            (123456.789, "123456.789"),
            (1e7, "1.0E7"),
            (9999999.0, "9999999.0"),
            (0.001, "0.001"),
            (0.00012, "1.2E-4"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e20, "1.0E20"),
            (f64::MAX, "1.7976931348623157E308"),
            (4.9e-324, "4.9E-324"),
            (2e23, "1.9999999999999998E23"),
            (1.234_567_890_291_229e17, "1.23456789029122896E17"),
            (16_777_216.0, "1.6777216E7"),
            (9_007_199_254_740_993e3, "9.007199254740993E18"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double(value), text);
        }
        let mut out = String::new();
        write_float(&mut out, 1e-5);
        write_float(&mut out, -f32::from_bits(1));
        assert_eq!(out, "1.0E-5-1.4E-45");
    }

    #[test]
    fn decimals_show_their_scale() {
        for (unscaled, scale, text) in [(1230, 2, "12.30"), (-1, 2, "-0.01"), (0, 3, "0.000"), (-7, 0, "-7")] {
            let mut out = String::new();
            write_decimal(&mut out, unscaled, scale);
            assert_eq!(out, text);
        }
    }
}
