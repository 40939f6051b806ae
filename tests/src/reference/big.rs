//! Whole numbers of any length, digit by digit, so that nothing of the engine's arithmetic is used twice.

use std::cmp::Ordering;

/// A whole number: its sign, and its decimal digits from the last to the first, without leading zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Big {
    negative: bool,
    digits: Vec<u8>,
}

impl Big {
    fn new(negative: bool, mut digits: Vec<u8>) -> Big {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Big { negative: negative && !digits.is_empty(), digits }
    }

    /// The number.
    pub fn of(value: i128) -> Big {
        let digits = value.unsigned_abs().to_string().bytes().rev().map(|byte| byte - b'0').collect();
        Big::new(value < 0, digits)
    }

    /// The number, if it has no more than 38 digits.
    pub fn narrow(&self) -> Option<i128> {
        if self.digits.len() > 38 {
            return None;
        }
        let size = self.digits.iter().rev().fold(0i128, |sum, digit| sum * 10 + i128::from(*digit));
        Some(if self.negative { -size } else { size })
    }

    /// How many digits it has; 0 has none.
    pub fn len(&self) -> usize {
        self.digits.len()
    }

    /// Whether it is 0.
    pub fn is_empty(&self) -> bool {
        self.digits.is_empty()
    }

    fn size_order(a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
    }

    /// Which is larger.
    pub fn order(&self, other: &Big) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => Big::size_order(&self.digits, &other.digits),
            (true, true) => Big::size_order(&other.digits, &self.digits),
        }
    }

    /// The same with the other sign.
    pub fn negated(&self) -> Big {
        Big::new(!self.negative, self.digits.clone())
    }

    /// The sum.
    pub fn plus(&self, other: &Big) -> Big {
        if self.negative != other.negative {
            let (large, small) = match Big::size_order(&self.digits, &other.digits) {
                Ordering::Less => (other, self),
                _ => (self, other),
            };
            return Big::new(large.negative, less(&large.digits, &small.digits));
        }
        let mut digits = Vec::new();
        let mut carry = 0;
        for place in 0..self.digits.len().max(other.digits.len()) {
            let sum = digit(&self.digits, place) + digit(&other.digits, place) + carry;
            digits.push(sum % 10);
            carry = sum / 10;
        }
        digits.push(carry);
        Big::new(self.negative, digits)
    }

    /// The product.
    pub fn times(&self, other: &Big) -> Big {
        let mut sums = vec![0u32; self.digits.len() + other.digits.len() + 1];
        for (i, a) in self.digits.iter().enumerate() {
            for (j, b) in other.digits.iter().enumerate() {
                sums[i + j] += u32::from(*a) * u32::from(*b);
            }
        }
        let mut carry = 0;
        let digits = sums.into_iter().map(|sum| {
            let sum = sum + carry;
            carry = sum / 10;
            (sum % 10) as u8
        });
        Big::new(self.negative != other.negative, digits.collect())
    }

    /// Times ten to the power of `places`.
    pub fn shifted(&self, places: usize) -> Big {
        let mut digits = vec![0; places];
        digits.extend(&self.digits);
        Big::new(self.negative, digits)
    }

    /// The quotient toward zero, and the rest with the sign of the dividend. The divisor is not 0.
    pub fn divided(&self, other: &Big) -> (Big, Big) {
        let (mut quotient, mut rest) = (vec![0; self.digits.len()], Vec::new());
        for place in (0..self.digits.len()).rev() {
            rest.insert(0, self.digits[place]);
            while rest.last() == Some(&0) {
                rest.pop();
            }
            while Big::size_order(&rest, &other.digits) != Ordering::Less {
                rest = less(&rest, &other.digits);
                while rest.last() == Some(&0) {
                    rest.pop();
                }
                quotient[place] += 1;
            }
        }
        (Big::new(self.negative != other.negative, quotient), Big::new(self.negative, rest))
    }

    /// Without its last `places` digits, rounded half away from zero.
    pub fn rounded(&self, places: usize) -> Big {
        let half = places > 0 && digit(&self.digits, places - 1) >= 5;
        let cut = Big::new(self.negative, self.digits.iter().skip(places).copied().collect());
        let one = Big { negative: self.negative, digits: vec![1] };
        if half { cut.plus(&one) } else { cut }
    }
}

fn digit(digits: &[u8], place: usize) -> u8 {
    digits.get(place).copied().unwrap_or(0)
}

/// The difference of sizes; the first is no smaller.
fn less(large: &[u8], small: &[u8]) -> Vec<u8> {
    let mut borrow = 0;
    let digits = (0..large.len()).map(|place| {
        let (own, taken) = (large[place], digit(small, place) + borrow);
        borrow = u8::from(own < taken);
        own + 10 * borrow - taken
    });
    digits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_machine_computes() {
        for a in [0i128, 1, -1, 9, 10, -105, 123_456, -99_999_999_999] {
            for b in [1i128, -1, 7, 10, -33, 1_000_003, 99_999_999_999] {
                let (x, y) = (Big::of(a), Big::of(b));
                assert_eq!(x.plus(&y).narrow(), Some(a + b));
                assert_eq!(x.times(&y).narrow(), Some(a * b));
                let (quotient, rest) = x.divided(&y);
                assert_eq!((quotient.narrow(), rest.narrow()), (Some(a / b), Some(a % b)));
                assert_eq!(x.order(&y), a.cmp(&b));
            }
        }
        assert_eq!(Big::of(-1250).rounded(2).narrow(), Some(-13));
        assert_eq!(Big::of(1249).rounded(2).narrow(), Some(12));
        assert_eq!(Big::of(7).rounded(2).narrow(), Some(0));
    }
}
