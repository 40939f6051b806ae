//! One column as bytes: a mark for NULLs, then the values in little-endian, lengths before what varies.

use std::sync::Arc;

use super::{Input, put_number};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, ListArray, MapArray, NullArray, PrimitiveArray,
    StringArray, StructArray,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType as ArrowType, FieldRef, TimeUnit};

/// Appends a column.
pub fn write(out: &mut Vec<u8>, array: &dyn Array) {
    if array.data_type() == &ArrowType::Null {
        return;
    }
    match array.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => out.push(0),
        Some(nulls) => {
            out.push(1);
            put_bits(out, nulls.inner());
        }
    }
    match array.data_type() {
        ArrowType::Boolean => put_bits(out, array.as_boolean().values()),
        ArrowType::Int8 => put_fixed::<Int8Type>(out, array),
        ArrowType::Int16 => put_fixed::<Int16Type>(out, array),
        ArrowType::Int32 => put_fixed::<Int32Type>(out, array),
        ArrowType::Int64 => put_fixed::<Int64Type>(out, array),
        ArrowType::Float32 => put_fixed::<Float32Type>(out, array),
        ArrowType::Float64 => put_fixed::<Float64Type>(out, array),
        ArrowType::Decimal128(..) => put_fixed::<Decimal128Type>(out, array),
        ArrowType::Date32 => put_fixed::<Date32Type>(out, array),
        ArrowType::Time32(_) => put_fixed::<Time32MillisecondType>(out, array),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => put_fixed::<TimestampMillisecondType>(out, array),
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => put_fixed::<TimestampMicrosecondType>(out, array),
        ArrowType::Timestamp(..) => put_fixed::<TimestampNanosecondType>(out, array),
        ArrowType::Utf8 => {
            let array = array.as_string::<i32>();
            put_bytes(out, array.offsets(), array.values());
        }
        ArrowType::Binary => {
            let array = array.as_binary::<i32>();
            put_bytes(out, array.offsets(), array.values());
        }
        ArrowType::List(_) => {
            let array = array.as_list::<i32>();
            let (first, last) = put_lengths(out, array.offsets());
            write(out, &array.values().slice(first, last - first));
        }
        ArrowType::Map(..) => {
            let array = array.as_map();
            let (first, last) = put_lengths(out, array.offsets());
            for column in array.entries().columns() {
                write(out, &column.slice(first, last - first));
            }
        }
        ArrowType::Struct(_) => array.as_struct().columns().iter().for_each(|column| write(out, column.as_ref())),
        other => unreachable!("no logical type lies in memory as {other}"),
    }
}

/// Reads a column of `len` values of a type; `None` if it is not one.
pub fn read(input: &mut Input<'_>, ty: &ArrowType, len: usize) -> Option<ArrayRef> {
    if ty == &ArrowType::Null {
        return Some(Arc::new(NullArray::new(len)));
    }
    let nulls = match input.byte()? {
        0 => None,
        1 => Some(NullBuffer::new(take_bits(input, len)?)),
        _ => return None,
    };
    Some(match ty {
        ArrowType::Boolean => Arc::new(BooleanArray::new(take_bits(input, len)?, nulls)),
        ArrowType::Int8 => fixed::<Int8Type>(input, ty, len, nulls)?,
        ArrowType::Int16 => fixed::<Int16Type>(input, ty, len, nulls)?,
        ArrowType::Int32 => fixed::<Int32Type>(input, ty, len, nulls)?,
        ArrowType::Int64 => fixed::<Int64Type>(input, ty, len, nulls)?,
        ArrowType::Float32 => fixed::<Float32Type>(input, ty, len, nulls)?,
        ArrowType::Float64 => fixed::<Float64Type>(input, ty, len, nulls)?,
        ArrowType::Decimal128(..) => fixed::<Decimal128Type>(input, ty, len, nulls)?,
        ArrowType::Date32 => fixed::<Date32Type>(input, ty, len, nulls)?,
        ArrowType::Time32(_) => fixed::<Time32MillisecondType>(input, ty, len, nulls)?,
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => fixed::<TimestampMillisecondType>(input, ty, len, nulls)?,
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => fixed::<TimestampMicrosecondType>(input, ty, len, nulls)?,
        ArrowType::Timestamp(..) => fixed::<TimestampNanosecondType>(input, ty, len, nulls)?,
        ArrowType::Utf8 => {
            let (offsets, bytes) = take_bytes(input, len)?;
            Arc::new(StringArray::try_new(offsets, bytes, nulls).ok()?)
        }
        ArrowType::Binary => {
            let (offsets, bytes) = take_bytes(input, len)?;
            Arc::new(BinaryArray::try_new(offsets, bytes, nulls).ok()?)
        }
        ArrowType::List(field) => {
            let (offsets, items) = take_lengths(input, len)?;
            let values = read_field(input, field, items)?;
            Arc::new(ListArray::try_new(field.clone(), offsets, values, nulls).ok()?)
        }
        ArrowType::Map(field, sorted) => {
            let (offsets, items) = take_lengths(input, len)?;
            let ArrowType::Struct(fields) = field.data_type() else { return None };
            let columns = fields.iter().map(|field| read_field(input, field, items)).collect::<Option<Vec<_>>>()?;
            let entries = StructArray::try_new(fields.clone(), columns, None).ok()?;
            Arc::new(MapArray::try_new(field.clone(), offsets, entries, nulls, *sorted).ok()?)
        }
        ArrowType::Struct(fields) if fields.is_empty() => Arc::new(StructArray::new_empty_fields(len, nulls)),
        ArrowType::Struct(fields) => {
            let columns = fields.iter().map(|field| read_field(input, field, len)).collect::<Option<Vec<_>>>()?;
            Arc::new(StructArray::try_new(fields.clone(), columns, nulls).ok()?)
        }
        _ => return None,
    })
}

fn read_field(input: &mut Input<'_>, field: &FieldRef, len: usize) -> Option<ArrayRef> {
    read(input, field.data_type(), len)
}

fn put_fixed<T: ArrowPrimitiveType>(out: &mut Vec<u8>, array: &dyn Array) {
    // Arrow's buffers are little-endian wherever Tidegate runs.
    out.extend_from_slice(array.as_primitive::<T>().values().inner().as_slice());
}

fn fixed<T: ArrowPrimitiveType>(
    input: &mut Input<'_>,
    ty: &ArrowType,
    len: usize,
    nulls: Option<NullBuffer>,
) -> Option<ArrayRef> {
    let bytes = input.take(len.checked_mul(T::Native::get_byte_width())?)?;
    let values = ScalarBuffer::<T::Native>::new(Buffer::from(bytes), 0, len);
    Some(Arc::new(PrimitiveArray::<T>::try_new(values, nulls).ok()?.with_data_type(ty.clone())))
}

fn put_bits(out: &mut Vec<u8>, bits: &BooleanBuffer) {
    // `sliced` starts at bit 0; what lies behind the last bit is of no account, and is cleared to keep equal rows equal.
    let bytes = bits.sliced();
    let len = bits.len().div_ceil(8);
    out.extend_from_slice(&bytes.as_slice()[..len]);
    if !bits.len().is_multiple_of(8)
        && let Some(last) = out.last_mut()
    {
        *last &= (1 << (bits.len() % 8)) - 1;
    }
}

fn take_bits(input: &mut Input<'_>, len: usize) -> Option<BooleanBuffer> {
    let bytes = input.take(len.div_ceil(8))?;
    Some(BooleanBuffer::new(Buffer::from(bytes), 0, len))
}

/// Writes the lengths between offsets; gives the first and the last offset.
fn put_lengths(out: &mut Vec<u8>, offsets: &OffsetBuffer<i32>) -> (usize, usize) {
    for pair in offsets.windows(2) {
        put_number(out, (pair[1] - pair[0]) as u64);
    }
    (offsets[0] as usize, offsets[offsets.len() - 1] as usize)
}

fn take_lengths(input: &mut Input<'_>, len: usize) -> Option<(OffsetBuffer<i32>, usize)> {
    // Each length takes a byte at least: a nonsensical `len` must not allocate.
    if len > input.0.len() {
        return None;
    }
    let mut offsets = Vec::with_capacity(len + 1);
    let mut end = 0i32;
    offsets.push(0);
    for _ in 0..len {
        end = end.checked_add(i32::try_from(input.number()?).ok()?)?;
        offsets.push(end);
    }
    Some((OffsetBuffer::new(offsets.into()), end as usize))
}

fn put_bytes(out: &mut Vec<u8>, offsets: &OffsetBuffer<i32>, values: &Buffer) {
    let (first, last) = put_lengths(out, offsets);
    out.extend_from_slice(&values.as_slice()[first..last]);
}

fn take_bytes(input: &mut Input<'_>, len: usize) -> Option<(OffsetBuffer<i32>, Buffer)> {
    let (offsets, bytes) = take_lengths(input, len)?;
    Some((offsets, Buffer::from(input.take(bytes)?)))
}
