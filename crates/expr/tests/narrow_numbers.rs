//! FLOAT, TINYINT and SMALLINT are computed in wider types: that must come to the same as in their own.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int8Type, Int16Type};
use arrow_array::{ArrayRef, Float32Array, Int8Array, Int16Array};
use tidegate_data::{Chunk, DataType, LogicalType};
use tidegate_expr::{EvalContext, call, column};

const ROWS: usize = 20_000;

/// Bits without order.
fn bits() -> impl FnMut() -> u64 {
    let mut state = 7u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 32
    }
}

fn eval(name: &str, ty: LogicalType, a: ArrayRef, b: ArrayRef) -> ArrayRef {
    let arg = |index| column(index, DataType::new(ty.clone()));
    let expr = call(name, vec![arg(0), arg(1)]).unwrap();
    expr.eval(&Chunk::insert(vec![a, b], ROWS), &EvalContext::default()).unwrap()
}

#[test]
fn a_float_is_rounded_once() {
    let mut next = bits();
    // All there is: subnormal, infinite, not a number; every other pair is of one size, where rounding shows.
    let one: Vec<f32> = (0..ROWS).map(|_| f32::from_bits(next() as u32)).collect();
    let other: Vec<f32> = one
        .iter()
        .enumerate()
        .map(|(row, near)| match row % 2 {
            0 => f32::from_bits(next() as u32),
            _ => f32::from_bits(near.to_bits() ^ (next() as u32 & 0x80FF_FFFF)),
        })
        .collect();
    let array = |values: &[f32]| Arc::new(Float32Array::from(values.to_vec())) as ArrayRef;
    let steps: [(&str, fn(f32, f32) -> f32); 4] =
        [("+", |a, b| a + b), ("-", |a, b| a - b), ("*", |a, b| a * b), ("/", |a, b| a / b)];
    for (name, step) in steps {
        let result = eval(name, LogicalType::Float, array(&one), array(&other));
        for (row, value) in result.as_primitive::<Float32Type>().values().iter().enumerate() {
            let (a, b) = (one[row], other[row]);
            let expected = step(a, b);
            let same = value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan();
            assert!(same, "{a:e} {name} {b:e} is {expected:e}, not {value:e}");
        }
    }
    let tests: [(&str, fn(f32, f32) -> bool); 6] = [
        ("=", |a, b| a == b),
        ("<>", |a, b| a != b),
        ("<", |a, b| a < b),
        ("<=", |a, b| a <= b),
        (">", |a, b| a > b),
        (">=", |a, b| a >= b),
    ];
    for (name, test) in tests {
        let result = eval(name, LogicalType::Float, array(&one), array(&other));
        for (row, value) in result.as_boolean().values().iter().enumerate() {
            assert_eq!(value, test(one[row], other[row]), "{} {name} {}", one[row], other[row]);
        }
    }
}

#[test]
fn a_narrow_integer_wraps_at_its_own_width() {
    let mut next = bits();
    let one: Vec<i16> = (0..ROWS).map(|_| next() as i16).collect();
    // No zero, as it is divided by.
    let other: Vec<i16> = (0..ROWS).map(|row| if row % 5 == 0 { -1 } else { next() as i16 | 1 }).collect();
    let array = |values: &[i16]| Arc::new(Int16Array::from(values.to_vec())) as ArrayRef;
    let bytes = |values: &[i16]| Arc::new(values.iter().map(|value| *value as i8).collect::<Int8Array>()) as ArrayRef;
    let steps: [(&str, fn(i16, i16) -> i16, fn(i8, i8) -> i8); 4] = [
        ("+", i16::wrapping_add, i8::wrapping_add),
        ("-", i16::wrapping_sub, i8::wrapping_sub),
        ("*", i16::wrapping_mul, i8::wrapping_mul),
        ("/", i16::wrapping_div, i8::wrapping_div),
    ];
    for (name, small, tiny) in steps {
        let result = eval(name, LogicalType::SmallInt, array(&one), array(&other));
        for (row, value) in result.as_primitive::<Int16Type>().values().iter().enumerate() {
            assert_eq!(*value, small(one[row], other[row]), "{} {name} {}", one[row], other[row]);
        }
        let result = eval(name, LogicalType::TinyInt, bytes(&one), bytes(&other));
        for (row, value) in result.as_primitive::<Int8Type>().values().iter().enumerate() {
            assert_eq!(
                *value,
                tiny(one[row] as i8, other[row] as i8),
                "{} {name} {}",
                one[row] as i8,
                other[row] as i8
            );
        }
    }
}
