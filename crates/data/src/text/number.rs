//! The text of numbers: Java's, since Flink's is.

use std::fmt::{LowerExp, Write as _};

/// Appends an integer.
pub fn write_integer(out: &mut String, value: i64) {
    write!(out, "{value}").expect("a string takes all");
}

/// Appends a FLOAT as Java's `Float.toString` does.
pub fn write_float(out: &mut String, value: f32) {
    write_java(out, value, value.is_nan(), value == 0.0, value.is_sign_negative(), value.is_infinite());
}

/// Appends a DOUBLE as Java's `Double.toString` does: `1.0E10`, `0.001`, `1.0E-4`, `NaN`, `Infinity`.
pub fn write_double(out: &mut String, value: f64) {
    write_java(out, value, value.is_nan(), value == 0.0, value.is_sign_negative(), value.is_infinite());
}

fn write_java(out: &mut String, value: impl LowerExp, nan: bool, zero: bool, negative: bool, infinite: bool) {
    if nan {
        out.push_str("NaN");
        return;
    }
    if negative {
        out.push('-');
    }
    if infinite {
        out.push_str("Infinity");
        return;
    }
    if zero {
        out.push_str("0.0");
        return;
    }
    // Rust gives the shortest digits that read back as the same number, as `d.ddde±x`.
    let shortest = format!("{value:e}");
    let shortest = shortest.trim_start_matches('-');
    let (mantissa, exponent) = shortest.split_once('e').expect("an exponent is always there");
    let exponent: i32 = exponent.parse().expect("a number");
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if (-3..7).contains(&exponent) {
        if exponent < 0 {
            out.push_str("0.");
            (1..-exponent).for_each(|_| out.push('0'));
            out.push_str(&digits);
        } else {
            let whole = exponent as usize + 1;
            out.push_str(&digits[..whole.min(digits.len())]);
            (digits.len()..whole).for_each(|_| out.push('0'));
            out.push('.');
            out.push_str(if digits.len() > whole { &digits[whole..] } else { "0" });
        }
    } else {
        out.push_str(&digits[..1]);
        out.push('.');
        out.push_str(if digits.len() > 1 { &digits[1..] } else { "0" });
        write!(out, "E{exponent}").expect("a string takes all");
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
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double(value), text);
        }
        let mut out = String::new();
        write_float(&mut out, 1e-5);
        assert_eq!(out, "1.0E-5");
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
