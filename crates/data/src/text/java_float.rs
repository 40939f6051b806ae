//! The decimal digits that Java 17, on which Flink runs, chooses for a floating-point number.
//!
//! Before Java 19 `Double.toString` did not always find the shortest digits: `2.0E-3` it got right, but
//! 1.23456789029122896E17 kept a digit too many. Results must match to the character, so the same steps are taken here:
//! Steele and White's digit generation (dragon4) with a symmetric stopping test, a shortcut for whole numbers that only
//! drops digits below half a unit, and at least two digits where the exponent form is used.

use std::cmp::Ordering;

/// Digits `d1 d2 d3 ...` and an exponent `e` of the number `0.d1d2d3... * 10^e`.
pub(super) struct Digits {
    pub digits: Vec<u8>,
    pub exponent: i32,
}

/// The digits of a positive finite DOUBLE.
pub(super) fn double_digits(value: f64) -> Digits {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 0 {
        let shift = fraction.leading_zeros() as i32 - 11;
        generate(-1022 - shift, fraction << shift, 53 - shift)
    } else {
        generate(exponent - 1023, fraction | 1 << 52, 53)
    }
}

/// The digits of a positive finite FLOAT.
pub(super) fn float_digits(value: f32) -> Digits {
    let bits = value.to_bits();
    let exponent = (bits >> 23) as i32;
    let fraction = u64::from(bits & ((1 << 23) - 1));
    if exponent == 0 {
        let shift = fraction.leading_zeros() as i32 - 40;
        generate(-126 - shift, fraction << (shift + 29), 24 - shift)
    } else {
        generate(exponent - 127, (fraction | 1 << 23) << 29, 24)
    }
}

/// `fraction` has its highest bit at position 52 and stands for `fraction * 2^(exponent - 52)`; `significant` of its bits count.
fn generate(exponent: i32, fraction: u64, significant: i32) -> Digits {
    let tail_zeros = fraction.trailing_zeros() as i32;
    let fraction_bits = 53 - tail_zeros;
    let bits_below_point = (fraction_bits - exponent - 1).max(0);
    if bits_below_point == 0 && exponent <= 62 {
        return whole(exponent, fraction, significant);
    }

    // value = b / s * 10^decimal, half a unit in the last place = m / s * 10^decimal.
    let mut decimal = estimate(exponent, fraction);
    let b5 = (-decimal).max(0);
    let s5 = decimal.max(0);
    let m5 = b5;
    let mut b2 = b5 + bits_below_point + exponent;
    let mut s2 = s5 + bits_below_point;
    let mut m2 = b2 - significant;
    b2 -= fraction_bits - 1;
    let common = b2.min(s2);
    b2 -= common;
    s2 -= common;
    m2 -= common;
    if fraction_bits == 1 {
        // Below a power of two the next number is half as far away.
        m2 -= 1;
    }
    if m2 < 0 {
        b2 -= m2;
        s2 -= m2;
        m2 = 0;
    }

    // Java decides by estimates between machine words and big numbers, which treat the upper bound differently.
    let five_bits = |n: i32| if n < 27 { FIVE_BITS[n as usize] } else { n * 3 };
    let b_bits = fraction_bits + b2 + five_bits(b5);
    let ten_s_bits = s2 + 1 + five_bits(s5 + 1);
    let small = b_bits < 64 && ten_s_bits < 64;
    let word = if b_bits < 32 && ten_s_bits < 32 { 31 } else { 63 };

    let mut b = Big::new(fraction >> tail_zeros).times_five(b5).shifted(b2);
    let s = Big::new(1).times_five(s5).shifted(s2);
    let mut m = Big::new(1).times_five(m5).shifted(m2);
    let tens = s.clone().times(10);

    let mut digits: Vec<u8> = Vec::with_capacity(20);
    let step = |b: &mut Big, m: &mut Big| {
        let digit = b.divide_step(&s);
        *b = std::mem::take(b).times(10);
        *m = std::mem::take(m).times(10);
        if small && m.bits() > word {
            return (digit, true, true);
        }
        let low = b.compare(m) == Ordering::Less;
        let sum = b.plus(m);
        // In machine words the sum may overflow into a negative number.
        let high = match sum.compare(&tens) {
            Ordering::Greater => !small || sum.bits() <= word,
            Ordering::Equal => !small,
            Ordering::Less => false,
        };
        (digit, low, high)
    };
    let (digit, mut low, mut high) = step(&mut b, &mut m);
    if digit == 0 && !high {
        decimal -= 1;
    } else {
        digits.push(digit);
    }
    if !(-3..8).contains(&decimal) {
        // The exponent form has a digit behind the point, whatever it takes.
        (low, high) = (false, false);
    }
    while !low && !high {
        let digit;
        (digit, low, high) = step(&mut b, &mut m);
        digits.push(digit);
    }
    let mut digits = Digits { digits, exponent: decimal + 1 };
    let up = match (low, high) {
        (true, true) => match b.shifted(1).compare(&tens) {
            Ordering::Equal => digits.digits.last().is_some_and(|digit| digit % 2 == 1),
            order => order == Ordering::Greater,
        },
        (_, high) => high,
    };
    if up {
        digits.round_up();
    }
    digits
}

/// A whole number below 2^63: all its digits but those below half a unit.
fn whole(exponent: i32, fraction: u64, significant: i32) -> Digits {
    let mut value = if exponent >= 52 { fraction << (exponent - 52) } else { fraction >> (52 - exponent) };
    let free_bits = exponent - significant - 1;
    let mut dropped = 0;
    if exponent > significant && free_bits > 1 {
        dropped = (f64::from(free_bits) * std::f64::consts::LOG10_2) as u32;
        if free_bits < 4 {
            dropped = 0;
        }
        if dropped > 0 {
            let unit = 10u64.pow(dropped);
            let rest = value % unit;
            value = value / unit + u64::from(rest >= unit >> 1);
        }
    }
    let text = value.to_string();
    let exponent = text.len() as i32 + dropped as i32;
    let digits: Vec<u8> = text.trim_end_matches('0').bytes().map(|byte| byte - b'0').collect();
    Digits { digits: if digits.is_empty() { vec![0] } else { digits }, exponent }
}

/// floor(log10(value)), or one too many.
fn estimate(exponent: i32, fraction: u64) -> i32 {
    let mantissa = f64::from_bits(1023 << 52 | fraction & ((1 << 52) - 1));
    let log = (mantissa - 1.5) * 0.289_529_654 + 0.176_091_259 + f64::from(exponent) * std::f64::consts::LOG10_2;
    log.floor() as i32
}

/// The bits of the powers of five below 5^27.
const FIVE_BITS: [i32; 27] =
    [0, 3, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28, 31, 33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61];

impl Digits {
    fn round_up(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits[0] = 1;
        self.exponent += 1;
    }
}

/// A natural number of any size: 32-bit words, the lowest first, without leading zeros.
#[derive(Clone, Default)]
struct Big(Vec<u32>);

impl Big {
    fn new(value: u64) -> Big {
        let mut words = vec![value as u32, (value >> 32) as u32];
        trim(&mut words);
        Big(words)
    }

    fn times(mut self, factor: u32) -> Big {
        let mut carry = 0;
        for word in &mut self.0 {
            carry += u64::from(*word) * u64::from(factor);
            *word = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
        self
    }

    fn times_five(mut self, mut power: i32) -> Big {
        while power > 0 {
            let step = power.min(13);
            self = self.times(5u32.pow(step as u32));
            power -= step;
        }
        self
    }

    fn shifted(mut self, bits: i32) -> Big {
        let (words, bits) = (bits as usize / 32, bits % 32);
        self = self.times(1 << bits);
        self.0.splice(0..0, std::iter::repeat_n(0, words));
        trim(&mut self.0);
        self
    }

    fn bits(&self) -> u32 {
        self.0.last().map_or(0, |word| self.0.len() as u32 * 32 - word.leading_zeros())
    }

    fn compare(&self, other: &Big) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    fn plus(&self, other: &Big) -> Big {
        let mut words = Vec::with_capacity(self.0.len().max(other.0.len()) + 1);
        let mut carry = 0u64;
        for i in 0..self.0.len().max(other.0.len()) {
            carry += u64::from(self.0.get(i).copied().unwrap_or(0)) + u64::from(other.0.get(i).copied().unwrap_or(0));
            words.push(carry as u32);
            carry >>= 32;
        }
        if carry > 0 {
            words.push(carry as u32);
        }
        Big(words)
    }

    /// Leaves the remainder of a division whose quotient, a digit, is returned.
    fn divide_step(&mut self, divisor: &Big) -> u8 {
        let mut digit = 0;
        while self.compare(divisor) != Ordering::Less {
            let mut borrow = 0i64;
            for i in 0..self.0.len() {
                let rest = i64::from(self.0[i]) - i64::from(divisor.0.get(i).copied().unwrap_or(0)) + borrow;
                self.0[i] = rest as u32;
                borrow = rest >> 32;
            }
            trim(&mut self.0);
            digit += 1;
        }
        digit
    }
}

fn trim(words: &mut Vec<u32>) {
    while words.last() == Some(&0) {
        words.pop();
    }
}
