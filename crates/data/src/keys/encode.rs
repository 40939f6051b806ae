//! Keys as bytes whose order is the key's order: NULL first, then ascending.
//!
//! Each column is a mark (0 NULL, 1 a value) and, for a value: integers big-endian with the sign bit turned, floating
//! point by its total order, strings with 0 written as `0 255` and ended by `0 0`, ARRAY and MAP as items each behind a 1, ended by a 0.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType as ArrowType, TimeUnit};

use crate::{DataType, LogicalType, Value, build_column};

/// Encoded keys, one per row, in one buffer.
#[derive(Clone, Debug, Default)]
pub struct EncodedKeys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl EncodedKeys {
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The key of row `row`.
    #[inline]
    pub fn row(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.bytes[start..self.ends[row]]
    }

    /// All keys in the order of their rows.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|row| self.row(row))
    }
}

/// Encodes the keys of all rows.
///
/// # Panics
/// When `columns` is empty.
pub fn encode_keys(columns: &[ArrayRef]) -> EncodedKeys {
    let len = columns.first().expect("a key has columns").len();
    let mut encoded = EncodedKeys { bytes: Vec::with_capacity(len * columns.len() * 9), ends: Vec::with_capacity(len) };
    for row in 0..len {
        for column in columns {
            encode_cell(&mut encoded.bytes, column.as_ref(), row);
        }
        encoded.ends.push(encoded.bytes.len());
    }
    encoded
}

/// Appends one cell's encoding.
pub fn encode_cell(out: &mut Vec<u8>, column: &dyn Array, row: usize) {
    if column.is_null(row) || column.data_type() == &ArrowType::Null {
        out.push(0);
        return;
    }
    out.push(1);
    match column.data_type() {
        ArrowType::Boolean => out.push(column.as_boolean().value(row).into()),
        ArrowType::Int8 => out.push(value::<Int8Type>(column, row) as u8 ^ 0x80),
        ArrowType::Int16 => out.extend((value::<Int16Type>(column, row) ^ i16::MIN).to_be_bytes()),
        ArrowType::Int32 => out.extend((value::<Int32Type>(column, row) ^ i32::MIN).to_be_bytes()),
        ArrowType::Int64 => out.extend((value::<Int64Type>(column, row) ^ i64::MIN).to_be_bytes()),
        ArrowType::Date32 => out.extend((value::<Date32Type>(column, row) ^ i32::MIN).to_be_bytes()),
        ArrowType::Time32(_) => out.extend((value::<Time32MillisecondType>(column, row) ^ i32::MIN).to_be_bytes()),
        ArrowType::Timestamp(unit, _) => {
            let number = match unit {
                TimeUnit::Millisecond => value::<TimestampMillisecondType>(column, row),
                TimeUnit::Microsecond => value::<TimestampMicrosecondType>(column, row),
                _ => value::<TimestampNanosecondType>(column, row),
            };
            out.extend((number ^ i64::MIN).to_be_bytes());
        }
        ArrowType::Decimal128(..) => out.extend((value::<Decimal128Type>(column, row) ^ i128::MIN).to_be_bytes()),
        ArrowType::Float32 => {
            let bits = value::<Float32Type>(column, row).to_bits();
            out.extend((bits ^ if bits >> 31 == 1 { u32::MAX } else { 1 << 31 }).to_be_bytes());
        }
        ArrowType::Float64 => {
            let bits = value::<Float64Type>(column, row).to_bits();
            out.extend((bits ^ if bits >> 63 == 1 { u64::MAX } else { 1 << 63 }).to_be_bytes());
        }
        ArrowType::Utf8 => encode_bytes(out, column.as_string::<i32>().value(row).as_bytes()),
        ArrowType::Binary => encode_bytes(out, column.as_binary::<i32>().value(row)),
        ArrowType::List(_) => {
            let items = column.as_list::<i32>().value(row);
            for item in 0..items.len() {
                out.push(1);
                encode_cell(out, &items, item);
            }
            out.push(0);
        }
        ArrowType::Map(..) => {
            let entries = column.as_map().value(row);
            for entry in 0..entries.len() {
                out.push(1);
                encode_cell(out, entries.column(0), entry);
                encode_cell(out, entries.column(1), entry);
            }
            out.push(0);
        }
        ArrowType::Struct(_) => {
            column.as_struct().columns().iter().for_each(|field| encode_cell(out, field.as_ref(), row));
        }
        other => unreachable!("no logical type lies in memory as {other}"),
    }
}

#[inline(always)]
fn value<T: ArrowPrimitiveType>(column: &dyn Array, row: usize) -> T::Native {
    column.as_primitive::<T>().value(row)
}

fn encode_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.contains(&0) {
        for byte in bytes {
            out.push(*byte);
            if *byte == 0 {
                out.push(255);
            }
        }
    } else {
        out.extend_from_slice(bytes);
    }
    out.extend([0, 0]);
}

/// The columns of encoded keys, of the types that were encoded.
///
/// # Panics
/// When a key was not made by [`encode_keys`] over columns of these types.
pub fn decode_keys<'a>(keys: impl IntoIterator<Item = &'a [u8]>, types: &[DataType]) -> Vec<ArrayRef> {
    let mut rest: Vec<&[u8]> = keys.into_iter().collect();
    let columns = types.iter().map(|ty| decode_column(&mut rest, ty)).collect();
    debug_assert!(rest.iter().all(|key| key.is_empty()), "a key has more columns than types");
    columns
}

/// Takes one column off the front of every key.
fn decode_column(keys: &mut [&[u8]], ty: &DataType) -> ArrayRef {
    match ty.arrow() {
        ArrowType::Int32 => numbers::<Int32Type, 4>(keys, |b| i32::from_be_bytes(b) ^ i32::MIN),
        ArrowType::Int64 => numbers::<Int64Type, 8>(keys, |b| i64::from_be_bytes(b) ^ i64::MIN),
        ArrowType::Int16 => numbers::<Int16Type, 2>(keys, |b| i16::from_be_bytes(b) ^ i16::MIN),
        ArrowType::Int8 => numbers::<Int8Type, 1>(keys, |[b]| (b ^ 0x80) as i8),
        ArrowType::Date32 => numbers::<Date32Type, 4>(keys, |b| i32::from_be_bytes(b) ^ i32::MIN),
        ArrowType::Time32(_) => numbers::<Time32MillisecondType, 4>(keys, |b| i32::from_be_bytes(b) ^ i32::MIN),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => {
            numbers::<TimestampMillisecondType, 8>(keys, |b| i64::from_be_bytes(b) ^ i64::MIN)
        }
        ArrowType::Utf8 => {
            let mut builder = StringBuilder::new();
            for key in keys {
                match take_mark(key) {
                    true => {
                        let bytes = take_bytes(key);
                        builder.append_value(std::str::from_utf8(&bytes).expect("a string was encoded"));
                    }
                    false => builder.append_null(),
                }
            }
            Arc::new(builder.finish())
        }
        ArrowType::Binary => {
            let mut builder = BinaryBuilder::new();
            for key in keys {
                match take_mark(key) {
                    true => builder.append_value(take_bytes(key)),
                    false => builder.append_null(),
                }
            }
            Arc::new(builder.finish())
        }
        ArrowType::Boolean => {
            let mut builder = BooleanBuilder::new();
            for key in keys {
                let value = take_mark(key).then(|| take::<1>(key) == [1]);
                builder.append_option(value);
            }
            Arc::new(builder.finish())
        }
        _ => {
            let values: Vec<Value> = keys.iter_mut().map(|key| decode_value(key, ty)).collect();
            build_column(ty, &values).expect("the values were taken from a column of this type")
        }
    }
}

fn numbers<T: ArrowPrimitiveType, const N: usize>(
    keys: &mut [&[u8]],
    decode: impl Fn([u8; N]) -> T::Native,
) -> ArrayRef {
    let numbers = keys.iter_mut().map(|key| take_mark(key).then(|| decode(take::<N>(key))));
    Arc::new(numbers.collect::<PrimitiveArray<T>>())
}

/// Takes one value off the front of an encoded key.
pub fn decode_value(key: &mut &[u8], ty: &DataType) -> Value {
    if !take_mark(key) {
        return Value::Null;
    }
    match &ty.logical {
        LogicalType::Null => Value::Null,
        LogicalType::Boolean => Value::Boolean(take::<1>(key) == [1]),
        LogicalType::Float => {
            let bits = u32::from_be_bytes(take(key));
            Value::Float(f32::from_bits(bits ^ if bits >> 31 == 1 { 1 << 31 } else { u32::MAX }))
        }
        LogicalType::Double => {
            let bits = u64::from_be_bytes(take(key));
            Value::Double(f64::from_bits(bits ^ if bits >> 63 == 1 { 1 << 63 } else { u64::MAX }))
        }
        LogicalType::Decimal(..) => Value::Decimal(i128::from_be_bytes(take(key)) ^ i128::MIN),
        LogicalType::Char(_) | LogicalType::VarChar(_) => {
            Value::String(String::from_utf8(take_bytes(key)).expect("a string was encoded"))
        }
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => Value::Bytes(take_bytes(key)),
        LogicalType::Array(element) => {
            let mut items = Vec::new();
            while take::<1>(key) == [1] {
                items.push(decode_value(key, element));
            }
            Value::List(items)
        }
        LogicalType::Map(name, value) => Value::Map(decode_entries(key, name, value)),
        LogicalType::Multiset(element) => {
            Value::Map(decode_entries(key, element, &DataType::not_null(LogicalType::Int)))
        }
        LogicalType::Row(fields) => Value::List(fields.iter().map(|field| decode_value(key, &field.ty)).collect()),
        _ => Value::Int(match ty.arrow() {
            ArrowType::Int8 => i64::from((take::<1>(key)[0] ^ 0x80) as i8),
            ArrowType::Int16 => i64::from(i16::from_be_bytes(take(key)) ^ i16::MIN),
            ArrowType::Int32 | ArrowType::Date32 | ArrowType::Time32(_) => {
                i64::from(i32::from_be_bytes(take(key)) ^ i32::MIN)
            }
            _ => i64::from_be_bytes(take(key)) ^ i64::MIN,
        }),
    }
}

fn decode_entries(key: &mut &[u8], name: &DataType, value: &DataType) -> Vec<(Value, Value)> {
    let mut entries = Vec::new();
    while take::<1>(key) == [1] {
        let name = decode_value(key, name);
        entries.push((name, decode_value(key, value)));
    }
    entries
}

fn take_mark(key: &mut &[u8]) -> bool {
    take::<1>(key) == [1]
}

fn take<const N: usize>(key: &mut &[u8]) -> [u8; N] {
    let (head, rest) = key.split_first_chunk::<N>().expect("a key is not cut short");
    *key = rest;
    *head
}

fn take_bytes(key: &mut &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let end = key.iter().position(|byte| *byte == 0).expect("a string has an end");
        bytes.extend_from_slice(&key[..end]);
        let mark = key[end + 1];
        *key = &key[end + 2..];
        if mark == 0 {
            return bytes;
        }
        bytes.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ty: DataType, ascending: Vec<Value>) {
        let column = build_column(&ty, &ascending).unwrap();
        let encoded = encode_keys(&[column.clone(), column.clone()]);
        for row in 1..encoded.len() {
            assert!(encoded.row(row - 1) < encoded.row(row), "{:?}", &ascending[row - 1..=row]);
        }
        let back = decode_keys(encoded.iter(), &[ty.clone(), ty]);
        assert_eq!(&back[0], &column);
        assert_eq!(&back[1], &column);
    }

    #[test]
    fn bytes_keep_the_order_and_come_back() {
        let integers = || vec![Value::Null, Value::Int(-5), Value::Int(-1), Value::Int(0), Value::Int(127)];
        for ty in [
            LogicalType::TinyInt,
            LogicalType::SmallInt,
            LogicalType::Int,
            LogicalType::BigInt,
            LogicalType::Date,
            LogicalType::Time(0),
            LogicalType::Timestamp(3, crate::TimeKind::Regular),
            LogicalType::Timestamp(6, crate::TimeKind::Regular),
            LogicalType::TimestampLtz(9, crate::TimeKind::Regular),
        ] {
            check(DataType::new(ty), integers());
        }
        let texts = ["", "\0", "\0\0", "\0a", "a", "a\0", "ab", "b"];
        let texts = std::iter::once(Value::Null).chain(texts.map(|text| Value::String(text.into())));
        check(DataType::string(), texts.collect());
        let doubles = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, 2.0, f64::INFINITY].map(Value::Double);
        check(DataType::new(LogicalType::Double), doubles.to_vec());
        let decimals = [-(10i128.pow(37)), -1, 0, 1, 10i128.pow(37)].map(Value::Decimal);
        check(DataType::new(LogicalType::Decimal(38, 4)), decimals.to_vec());
        check(DataType::new(LogicalType::Boolean), vec![Value::Null, Value::Boolean(false), Value::Boolean(true)]);
        let list = |items: &[i64]| Value::List(items.iter().map(|x| Value::Int(*x)).collect());
        let ints = DataType::new(LogicalType::Array(Box::new(DataType::new(LogicalType::Int))));
        check(ints, vec![Value::Null, list(&[]), list(&[-3]), list(&[1]), list(&[1, 0]), list(&[2])]);
    }
}
