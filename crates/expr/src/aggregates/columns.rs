//! Arguments and state columns as the kernels read them: few types, so that few loops are compiled.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use std::sync::Arc;

use tidegate_data::keys::encode::encode_cell;
use tidegate_data::{DataType, SlotColumn, SlotType};

/// Which state column holds values of a type.
pub(super) fn slot_type(ty: &DataType) -> SlotType {
    match ty.arrow() {
        ArrowType::Decimal128(..) => SlotType::I128,
        ArrowType::Float32 | ArrowType::Float64 => SlotType::F64,
        ArrowType::Utf8 | ArrowType::Binary => SlotType::Bytes,
        _ => SlotType::I64,
    }
}

/// Integers, times and booleans as 64-bit integers.
pub(super) fn integers(column: &ArrayRef) -> Cow<'_, [i64]> {
    fn narrow<T: ArrowPrimitiveType<Native: Into<i64>>>(column: &ArrayRef) -> Cow<'_, [i64]> {
        Cow::Owned(column.as_primitive::<T>().values().iter().map(|value| (*value).into()).collect())
    }
    fn wide<T: ArrowPrimitiveType<Native = i64>>(column: &ArrayRef) -> Cow<'_, [i64]> {
        Cow::Borrowed(column.as_primitive::<T>().values())
    }
    match column.data_type() {
        ArrowType::Boolean => Cow::Owned(column.as_boolean().values().iter().map(i64::from).collect()),
        ArrowType::Int8 => narrow::<Int8Type>(column),
        ArrowType::Int16 => narrow::<Int16Type>(column),
        ArrowType::Int32 => narrow::<Int32Type>(column),
        ArrowType::Date32 => narrow::<Date32Type>(column),
        ArrowType::Time32(_) => narrow::<Time32MillisecondType>(column),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => wide::<TimestampMillisecondType>(column),
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => wide::<TimestampMicrosecondType>(column),
        ArrowType::Timestamp(_, _) => wide::<TimestampNanosecondType>(column),
        ArrowType::Int64 => wide::<Int64Type>(column),
        // A bare NULL: no value is ever looked at.
        _ => Cow::Owned(vec![0; column.len()]),
    }
}

/// FLOAT and DOUBLE as 64-bit floating point.
pub(super) fn floats(column: &ArrayRef) -> Cow<'_, [f64]> {
    match column.as_primitive_opt::<Float64Type>() {
        Some(column) => Cow::Borrowed(column.values()),
        None => Cow::Owned(column.as_primitive::<Float32Type>().values().iter().map(|value| (*value).into()).collect()),
    }
}

/// DECIMALs, unscaled.
pub(super) fn decimals(column: &ArrayRef) -> &[i128] {
    column.as_primitive::<Decimal128Type>().values()
}

/// The bytes of a string or binary value.
#[inline]
pub(super) fn bytes_at(column: &ArrayRef, row: usize) -> &[u8] {
    match column.as_string_opt::<i32>() {
        Some(strings) => strings.value(row).as_bytes(),
        None => column.as_binary::<i32>().value(row),
    }
}

/// Appends a value as `encode_cell` does, so that equal bytes are equal values to Java's `equals`: all NaNs are one.
pub fn encode_value(out: &mut Vec<u8>, column: &ArrayRef, row: usize) {
    match column.data_type() {
        ArrowType::Float32 if column.is_valid(row) && column.as_primitive::<Float32Type>().value(row).is_nan() => {
            out.push(1);
            out.extend((f32::NAN.copysign(1.0).to_bits() ^ 1 << 31).to_be_bytes());
        }
        ArrowType::Float64 if column.is_valid(row) && column.as_primitive::<Float64Type>().value(row).is_nan() => {
            out.push(1);
            out.extend((f64::NAN.copysign(1.0).to_bits() ^ 1 << 63).to_be_bytes());
        }
        _ => encode_cell(out, column.as_ref(), row),
    }
}

pub(super) fn i64s(column: &mut SlotColumn) -> &mut [i64] {
    match column {
        SlotColumn::I64(values) => values,
        other => unreachable!("the state column is {other:?}"),
    }
}

pub(super) fn i128s(column: &mut SlotColumn) -> &mut [i128] {
    match column {
        SlotColumn::I128(values) => values,
        other => unreachable!("the state column is {other:?}"),
    }
}

pub(super) fn f64s(column: &mut SlotColumn) -> &mut [f64] {
    match column {
        SlotColumn::F64(values) => values,
        other => unreachable!("the state column is {other:?}"),
    }
}

pub(super) fn byte_strings(column: &mut SlotColumn) -> &mut [Option<Arc<[u8]>>] {
    match column {
        SlotColumn::Bytes(values) => values,
        other => unreachable!("the state column is {other:?}"),
    }
}
