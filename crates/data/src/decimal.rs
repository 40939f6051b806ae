//! DECIMAL arithmetic on unscaled 128-bit integers, with the result types and the rounding (half up) of Flink.
//!
//! A result with too many digits is `None`, which the callers make NULL.

use arrow_buffer::i256;

/// The largest precision.
pub const MAX_PRECISION: u8 = 38;

/// The smallest scale that digits are cut to when a result type would be too wide.
const MIN_ADJUSTED_SCALE: u8 = 6;

/// How many digits a 128-bit integer holds for sure.
pub(crate) const POWER_LIMIT: u32 = 38;

/// 10^`exponent`, for exponents up to 38.
pub const fn power_of_ten(exponent: u32) -> i128 {
    POWERS[exponent as usize]
}

static POWERS: [i128; 39] = {
    let mut powers = [1i128; 39];
    let mut i = 1;
    while i < 39 {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// The number of decimal digits (0 has one).
pub fn digit_count(value: i128) -> u32 {
    value.unsigned_abs().checked_ilog10().unwrap_or(0) + 1
}

/// Whether the value has no more than `precision` digits.
#[inline]
pub fn fits(value: i128, precision: u8) -> bool {
    value.unsigned_abs() < POWERS[precision as usize].unsigned_abs()
}

/// Moves a value from one scale to another, rounding half up, and checks that it fits.
#[inline]
pub fn rescale(value: i128, from: u8, precision: u8, to: u8) -> Option<i128> {
    let scaled = if to >= from {
        value.checked_mul(POWERS[(to - from) as usize])?
    } else {
        divide_half_up(value, POWERS[(from - to) as usize])
    };
    fits(scaled, precision).then_some(scaled)
}

/// Division that rounds half away from zero; the divisor is positive.
#[inline]
pub fn divide_half_up(value: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (value / divisor, value % divisor);
    if rest.unsigned_abs() >= divisor.unsigned_abs().div_ceil(2) { quotient + value.signum() } else { quotient }
}

/// A precision and a scale that fit into 38 digits: the fraction gives way, down to 6 digits.
const fn adjust(precision: u32, scale: u32) -> (u8, u8) {
    if precision <= MAX_PRECISION as u32 {
        return (precision as u8, scale as u8);
    }
    let whole = precision - scale;
    let least = if scale < MIN_ADJUSTED_SCALE as u32 { scale } else { MIN_ADJUSTED_SCALE as u32 };
    let room = (MAX_PRECISION as u32).saturating_sub(whole);
    (MAX_PRECISION, if room > least { room as u8 } else { least as u8 })
}

/// The type of a sum or difference of two DECIMALs, each (precision, scale).
pub fn sum_type((p1, s1): (u8, u8), (p2, s2): (u8, u8)) -> (u8, u8) {
    let scale = u32::from(s1.max(s2));
    adjust(u32::from(p1 - s1).max(u32::from(p2 - s2)) + scale + 1, scale)
}

/// The type of a product.
pub fn product_type((p1, s1): (u8, u8), (p2, s2): (u8, u8)) -> (u8, u8) {
    adjust(u32::from(p1) + u32::from(p2) + 1, u32::from(s1) + u32::from(s2))
}

/// The type of a quotient.
pub fn quotient_type((p1, s1): (u8, u8), (p2, s2): (u8, u8)) -> (u8, u8) {
    let scale = (u32::from(s1) + u32::from(p2) + 1).max(6);
    adjust(u32::from(p1 - s1) + u32::from(s2) + scale, scale)
}

/// The type of a remainder.
pub fn remainder_type((p1, s1): (u8, u8), (p2, s2): (u8, u8)) -> (u8, u8) {
    let scale = u32::from(s1.max(s2));
    adjust(u32::from((p1 - s1).min(p2 - s2)) + scale, scale)
}

/// The least type that holds the values of both.
pub fn common_type((p1, s1): (u8, u8), (p2, s2): (u8, u8)) -> (u8, u8) {
    let scale = s1.max(s2);
    let whole = (p1 - s1).max(p2 - s2).min(MAX_PRECISION);
    let scale = scale.min(MAX_PRECISION - whole);
    (whole + scale, scale)
}

/// The order of two values at their scales.
pub fn compare(a: i128, s1: u8, b: i128, s2: u8) -> std::cmp::Ordering {
    let common = s1.max(s2);
    let wide = |value: i128, s: u8| i256::from_i128(value).wrapping_mul(i256::from_i128(POWERS[(common - s) as usize]));
    wide(a, s1).cmp(&wide(b, s2))
}

/// `a + b` (the sum of unscaled values at scales `s1`, `s2`) as DECIMAL(`precision`, `scale`).
pub fn add(a: i128, s1: u8, b: i128, s2: u8, (precision, scale): (u8, u8)) -> Option<i128> {
    let common = s1.max(s2);
    let aligned = |value: i128, s: u8| value.checked_mul(POWERS[(common - s) as usize]);
    if let (Some(a), Some(b)) = (aligned(a, s1), aligned(b, s2))
        && let Some(sum) = a.checked_add(b)
    {
        return rescale(sum, common, precision, scale);
    }
    let wide = |value: i128, s: u8| i256::from_i128(value).wrapping_mul(i256::from_i128(POWERS[(common - s) as usize]));
    narrow(wide(a, s1).wrapping_add(wide(b, s2)), common.into(), precision, scale)
}

/// `a * b` as DECIMAL(`precision`, `scale`).
pub fn multiply(a: i128, s1: u8, b: i128, s2: u8, (precision, scale): (u8, u8)) -> Option<i128> {
    let from = u32::from(s1) + u32::from(s2);
    match a.checked_mul(b) {
        Some(product) if from <= 38 => rescale(product, from as u8, precision, scale),
        _ => narrow(i256::from_i128(a).wrapping_mul(i256::from_i128(b)), from, precision, scale),
    }
}

/// `a / b`, first to 38 significant digits and then to the scale of the type, half up both times.
///
/// # Panics
/// When `b` is 0.
pub fn divide(a: i128, s1: u8, b: i128, s2: u8, (precision, scale): (u8, u8)) -> Option<i128> {
    if a == 0 {
        return Some(0);
    }
    let negative = (a < 0) != (b < 0);
    let (a, b) = (a.unsigned_abs(), b.unsigned_abs());
    let digits = |value: u128| value.ilog10() + 1;
    // The quotient of what is shifted so far has 38 or 39 digits.
    let shift = 38 - digits(a) + digits(b);
    let dividend = i256::from_i128(a as i128).wrapping_mul(wide_power(shift));
    let divisor = i256::from_i128(b as i128);
    let quotient = dividend.wrapping_div(divisor);
    let rest = dividend.wrapping_rem(divisor);
    // 39 digits may exceed 128 bits with a sign, so the last one is cut off before the narrowing.
    let (quotient, from) = if quotient >= i256::from_i128(POWERS[38]) {
        let ten = i256::from_i128(10);
        let last = quotient.wrapping_rem(ten);
        let cut = quotient.wrapping_div(ten).to_i128()?;
        (cut + i128::from(last >= i256::from_i128(5)), i64::from(shift) - 1)
    } else {
        let whole = quotient.to_i128()?;
        (whole + i128::from(rest.wrapping_add(rest) >= divisor), i64::from(shift))
    };
    let quotient = if negative { -quotient } else { quotient };
    // `quotient` has the scale from + s1 - s2, which may lie far off either end.
    let from = from + i64::from(s1) - i64::from(s2);
    let change = i64::from(scale) - from;
    let scaled = if change >= 0 {
        quotient.checked_mul(*POWERS.get(change as usize)?)?
    } else {
        POWERS.get(-change as usize).map_or(0, |divisor| divide_half_up(quotient, *divisor))
    };
    fits(scaled, precision).then_some(scaled)
}

/// `a % b` with the sign of `a`.
///
/// # Panics
/// When `b` is 0.
pub fn remainder(a: i128, s1: u8, b: i128, s2: u8, (precision, scale): (u8, u8)) -> Option<i128> {
    let common = s1.max(s2);
    let wide = |value: i128, s: u8| i256::from_i128(value).wrapping_mul(i256::from_i128(POWERS[(common - s) as usize]));
    narrow(wide(a, s1).wrapping_rem(wide(b, s2)), common.into(), precision, scale)
}

fn wide_power(exponent: u32) -> i256 {
    let low = exponent.min(38);
    i256::from_i128(POWERS[low as usize]).wrapping_mul(i256::from_i128(POWERS[(exponent - low) as usize]))
}

fn narrow(value: i256, from: u32, precision: u8, scale: u8) -> Option<i128> {
    let scale = u32::from(scale);
    let scaled = if scale >= from {
        value.checked_mul(wide_power(scale - from))?
    } else {
        let divisor = wide_power(from - scale);
        let (quotient, rest) = (value.wrapping_div(divisor), value.wrapping_rem(divisor));
        let rest = rest.wrapping_abs();
        let up = rest.wrapping_add(rest) >= divisor;
        let one = if value < i256::ZERO { i256::MINUS_ONE } else { i256::ONE };
        if up { quotient.wrapping_add(one) } else { quotient }
    };
    let scaled = scaled.to_i128()?;
    fits(scaled, precision).then_some(scaled)
}

/// The nearest DOUBLE.
pub fn to_double(value: i128, scale: u8) -> f64 {
    // Both exact, so that the division rounds once.
    if value.unsigned_abs() < 1 << 53 && scale <= 22 {
        return value as f64 / POWERS[scale as usize] as f64;
    }
    let mut text = String::new();
    crate::text::number::write_decimal(&mut text, value, scale);
    text.parse().expect("a decimal number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_types_are_flinks() {
        assert_eq!(sum_type((10, 2), (5, 3)), (12, 3));
        assert_eq!(sum_type((38, 10), (10, 2)), (38, 9));
        assert_eq!(sum_type((38, 18), (38, 18)), (38, 17));
        assert_eq!(product_type((10, 2), (5, 3)), (16, 5));
        assert_eq!(product_type((38, 10), (10, 2)), (38, 6));
        assert_eq!(product_type((20, 0), (20, 0)), (38, 0));
        assert_eq!(product_type((38, 18), (10, 0)), (38, 7));
        assert_eq!(quotient_type((10, 2), (5, 3)), (19, 8));
        assert_eq!(quotient_type((38, 10), (10, 2)), (38, 8));
        assert_eq!(remainder_type((10, 2), (5, 3)), (5, 3));
        assert_eq!(common_type((5, 2), (10, 0)), (12, 2));
    }

    #[test]
    fn half_goes_up() {
        assert_eq!(rescale(195, 2, 20, 1), Some(20));
        assert_eq!(rescale(-195, 2, 20, 1), Some(-20));
        assert_eq!(rescale(194, 2, 20, 1), Some(19));
        assert_eq!(rescale(9999, 2, 3, 1), None);
        assert_eq!(divide_half_up(7, 5), 1);
        assert_eq!(divide_half_up(8, 5), 2);
    }

    #[test]
    fn quotients_round_at_38_digits_and_at_the_scale() {
        assert_eq!(divide(1234, 2, 1005, 3, (19, 8)), Some(1_227_860_697));
        assert_eq!(divide(-1, 2, -3000, 3, (19, 8)), Some(333_333));
        let nines = POWERS[38] - 1;
        assert_eq!(divide(nines, 0, 10, 0, (38, 6)), None);
        assert_eq!(divide(nines, 18, 3, 0, (38, 18)), Some(nines / 3));
        assert_eq!(divide(1, 18, nines, 0, (38, 18)), Some(0));
        assert_eq!(remainder(7, 0, -4, 0, (10, 0)), Some(3));
        assert_eq!(multiply(nines, 18, nines, 18, (38, 6)), None);
        assert_eq!(add(nines, 0, 1, 0, (38, 0)), None);
    }

    #[test]
    fn doubles_are_the_nearest() {
        assert_eq!(to_double(1_234_567_890_150, 5), 12_345_678.901_5);
        assert_eq!(to_double(12_345_678_901_234_567_890_123, 18), 12_345.678_901_234_567);
    }
}
