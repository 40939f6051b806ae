//! Arithmetic, a value at a time: integers wrap, a DECIMAL with too many digits is NULL, an exact division by zero fails.

use std::cmp::Ordering;

use tidegate_data::{LogicalType, Value};

use super::big::Big;
use super::{Stop, fails, unknown};

/// Precision and scale of a number as a DECIMAL.
pub fn digits_of(ty: &LogicalType) -> Option<(u8, u8)> {
    Some(match ty {
        LogicalType::TinyInt => (3, 0),
        LogicalType::SmallInt => (5, 0),
        LogicalType::Int => (10, 0),
        LogicalType::BigInt => (19, 0),
        LogicalType::Decimal(p, s) => (*p, *s),
        _ => return None,
    })
}

/// An integer cut to its type, as Java cuts it.
pub fn wrapped(value: i128, ty: &LogicalType) -> i64 {
    match ty {
        LogicalType::TinyInt => i64::from(value as i8),
        LogicalType::SmallInt => i64::from(value as i16),
        LogicalType::Int | LogicalType::IntervalYearMonth | LogicalType::Date => i64::from(value as i32),
        _ => value as i64,
    }
}

/// A number as a DOUBLE.
pub fn double(value: &Value, ty: &LogicalType) -> Option<f64> {
    Some(match value {
        Value::Int(value) => *value as f64,
        Value::Float(value) => f64::from(*value),
        Value::Double(value) => *value,
        Value::Decimal(value) => {
            let scale = digits_of(ty)?.1;
            format!("{value}e-{scale}").parse().ok()?
        }
        _ => return None,
    })
}

fn single(value: &Value) -> Option<f32> {
    Some(match value {
        Value::Int(value) => *value as f32,
        Value::Float(value) => *value,
        Value::Double(value) => *value as f32,
        _ => return None,
    })
}

/// An exact number without its point, and its scale.
pub fn exact(value: &Value, ty: &LogicalType) -> Option<(Big, u8)> {
    Some(match value {
        Value::Int(value) => (Big::of(i128::from(*value)), 0),
        Value::Decimal(value) => (Big::of(*value), digits_of(ty)?.1),
        _ => return None,
    })
}

/// A number of scale `from` as a DECIMAL, rounded half up; NULL where it has too many digits.
pub fn fitted(number: &Big, from: i64, precision: u8, scale: u8) -> Value {
    let change = i64::from(scale) - from;
    let scaled = if change >= 0 { number.shifted(change as usize) } else { number.rounded(-change as usize) };
    match scaled.narrow() {
        Some(value) if scaled.len() <= usize::from(precision) => Value::Decimal(value),
        _ => Value::Null,
    }
}

/// Both numbers at one scale.
fn aligned((a, s): (Big, u8), (b, t): (Big, u8)) -> (Big, Big, u8) {
    let scale = s.max(t);
    (a.shifted(usize::from(scale - s)), b.shifted(usize::from(scale - t)), scale)
}

/// The order of two numbers; none with NaN.
pub fn order(a: &Value, ta: &LogicalType, b: &Value, tb: &LogicalType) -> Option<Ordering> {
    if let (Some(a), Some(b)) = (exact(a, ta), exact(b, tb)) {
        let (a, b, _) = aligned(a, b);
        return Some(a.order(&b));
    }
    double(a, ta)?.partial_cmp(&double(b, tb)?)
}

/// `a op b` as a value of `ty`, none of them NULL.
///
/// # Errors
/// An exact division by zero.
pub fn binary(
    op: &str,
    (a, ta): (&Value, &LogicalType),
    (b, tb): (&Value, &LogicalType),
    ty: &LogicalType,
) -> Result<Value, Stop> {
    let unfit = || unknown(format!("{op} of {a:?} and {b:?} as {ty}"));
    match ty {
        LogicalType::Float => {
            let (Some(a), Some(b)) = (single(a), single(b)) else { return Err(unfit()) };
            Ok(Value::Float(match op {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                _ => return Err(unfit()),
            }))
        }
        LogicalType::Double => {
            let (Some(a), Some(b)) = (double(a, ta), double(b, tb)) else { return Err(unfit()) };
            Ok(Value::Double(match op {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                _ => return Err(unfit()),
            }))
        }
        LogicalType::Decimal(precision, scale) => {
            let (Some(a), Some(b)) = (exact(a, ta), exact(b, tb)) else { return Err(unfit()) };
            decimal(op, a, b, *precision, *scale)
        }
        _ => {
            let (Value::Int(a), Value::Int(b)) = (a, b) else { return Err(unfit()) };
            let (a, b) = (i128::from(*a), i128::from(*b));
            if matches!(op, "/" | "MOD") && b == 0 {
                return Err(fails("/ by zero"));
            }
            Ok(Value::Int(wrapped(
                match op {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "/" => a / b,
                    "MOD" => a % b,
                    _ => return Err(unfit()),
                },
                ty,
            )))
        }
    }
}

fn decimal(op: &str, a: (Big, u8), b: (Big, u8), precision: u8, scale: u8) -> Result<Value, Stop> {
    if matches!(op, "/" | "MOD") && b.0.is_empty() {
        return Err(fails(if a.0.is_empty() { "Division undefined" } else { "Division by zero" }));
    }
    Ok(match op {
        "+" => {
            let (a, b, from) = aligned(a, b);
            fitted(&a.plus(&b), from.into(), precision, scale)
        }
        "-" => {
            let (a, b, from) = aligned(a, b);
            fitted(&a.plus(&b.negated()), from.into(), precision, scale)
        }
        "*" => fitted(&a.0.times(&b.0), i64::from(a.1) + i64::from(b.1), precision, scale),
        "MOD" => {
            let (a, b, from) = aligned(a, b);
            fitted(&a.divided(&b).1, from.into(), precision, scale)
        }
        "/" => {
            // To 38 digits that count, then to the scale.
            let shift = 40 + b.0.len();
            let (quotient, _) = a.0.shifted(shift).divided(&b.0);
            let from = i64::from(a.1) - i64::from(b.1) + shift as i64;
            let surplus = quotient.len().saturating_sub(38);
            fitted(&quotient.rounded(surplus), from - surplus as i64, precision, scale)
        }
        _ => return Err(unknown(format!("{op} of decimals"))),
    })
}

/// `-a`
///
/// # Errors
/// None but for what is no number.
pub fn negated(a: &Value, ty: &LogicalType) -> Result<Value, Stop> {
    Ok(match a {
        Value::Int(a) => Value::Int(wrapped(-i128::from(*a), ty)),
        Value::Float(a) => Value::Float(-a),
        Value::Double(a) => Value::Double(-a),
        Value::Decimal(a) => Value::Decimal(-a),
        other => return Err(unknown(format!("- of {other:?}"))),
    })
}

/// ABS, SIGN, FLOOR and CEIL, and ROUND to `places` behind the point.
///
/// # Errors
/// None but for what is no number.
pub fn rounding(op: &str, a: &Value, from: &LogicalType, ty: &LogicalType) -> Result<Value, Stop> {
    let unfit = || unknown(format!("{op} of {a:?}"));
    let of_double = |a: f64| match op {
        "ABS" => a.abs(),
        "FLOOR" => a.floor(),
        "CEIL" => a.ceil(),
        _ => {
            if a == 0.0 || a.is_nan() {
                a
            } else {
                a.signum()
            }
        }
    };
    Ok(match a {
        Value::Int(a) => match op {
            "ABS" => Value::Int(wrapped(i128::from(*a).abs(), ty)),
            "SIGN" => Value::Int(a.signum()),
            _ => Value::Int(*a),
        },
        Value::Double(a) => Value::Double(of_double(*a)),
        Value::Float(a) => Value::Float(of_double(f64::from(*a)) as f32),
        Value::Decimal(a) => {
            let (Some((_, scale)), Some((precision, to))) = (digits_of(from), digits_of(ty)) else {
                return Err(unfit());
            };
            let one = 10i128.pow(u32::from(scale));
            match op {
                "ABS" => Value::Decimal(a.abs()),
                "SIGN" => fitted(&Big::of(a.signum()), 0, precision, to),
                "FLOOR" => fitted(&Big::of(a.div_euclid(one)), 0, precision, to),
                _ => fitted(&Big::of(-(-a).div_euclid(one)), 0, precision, to),
            }
        }
        _ => return Err(unfit()),
    })
}
