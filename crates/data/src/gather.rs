//! Rows of a column picked by number: what filters, joins and changelogs copy.
//!
//! One loop for each type, without a call per row, and for our types alone: Arrow's kernels bring all of theirs along, a megabyte of wasm.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, GenericByteArray, ListArray, MapArray, NullArray,
    PrimitiveArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::DataType as ArrowType;

use crate::concat::only_where;
use crate::nulls::null_column;

/// Calls a function that is generic over Arrow's number types for the one that a column of type `$ty` has.
macro_rules! each_number {
    ($ty:expr, $function:ident, $($arg:expr),*) => {
        match $ty {
            ArrowType::Int8 => $function::<Int8Type>($($arg),*),
            ArrowType::Int16 => $function::<Int16Type>($($arg),*),
            ArrowType::Int32 => $function::<Int32Type>($($arg),*),
            ArrowType::Int64 => $function::<Int64Type>($($arg),*),
            ArrowType::Float32 => $function::<Float32Type>($($arg),*),
            ArrowType::Float64 => $function::<Float64Type>($($arg),*),
            ArrowType::Decimal128(..) => $function::<Decimal128Type>($($arg),*),
            ArrowType::Date32 => $function::<Date32Type>($($arg),*),
            ArrowType::Time32(_) => $function::<Time32MillisecondType>($($arg),*),
            ArrowType::Timestamp(arrow_schema::TimeUnit::Millisecond, _) => {
                $function::<TimestampMillisecondType>($($arg),*)
            }
            ArrowType::Timestamp(arrow_schema::TimeUnit::Microsecond, _) => {
                $function::<TimestampMicrosecondType>($($arg),*)
            }
            ArrowType::Timestamp(..) => $function::<TimestampNanosecondType>($($arg),*),
            other => unreachable!("no type of ours is kept as {other}"),
        }
    };
}
pub(crate) use each_number;

/// The values of `column` at `rows`, in that order; a row may come several times.
///
/// # Panics
/// When a row is out of range.
pub fn gather(column: &ArrayRef, rows: &[u32]) -> ArrayRef {
    let highest = rows.iter().fold(0, |highest, row| highest.max(*row));
    assert!(rows.is_empty() || (highest as usize) < column.len(), "row {highest} of {}", column.len());
    match column.data_type() {
        ArrowType::Null => Arc::new(NullArray::new(rows.len())),
        ArrowType::Boolean => {
            let values = column.as_boolean().values();
            let gathered = BooleanBuffer::collect_bool(rows.len(), |at| values.value(rows[at] as usize));
            Arc::new(BooleanArray::new(gathered, gather_nulls(column, rows)))
        }
        ArrowType::Utf8 => strings::<Utf8Type>(column, rows),
        ArrowType::Binary => strings::<BinaryType>(column, rows),
        ArrowType::Struct(fields) => {
            let row = column.as_struct();
            let columns = row.columns().iter().map(|column| gather(column, rows)).collect();
            let nulls = gather_nulls(row, rows);
            // SAFETY: the fields are those of `column`, and all have as many values as there are rows.
            Arc::new(unsafe { StructArray::new_unchecked_with_length(fields.clone(), columns, nulls, rows.len()) })
        }
        ArrowType::List(field) => {
            let list = column.as_list::<i32>();
            let (offsets, items) = items(list.value_offsets(), rows);
            Arc::new(ListArray::new(field.clone(), offsets, gather(list.values(), &items), gather_nulls(list, rows)))
        }
        ArrowType::Map(field, ordered) => {
            let map = column.as_map();
            let (offsets, items) = items(map.value_offsets(), rows);
            let entries: ArrayRef = Arc::new(map.entries().clone());
            let entries = gather(&entries, &items).as_struct().clone();
            Arc::new(MapArray::new(field.clone(), offsets, entries, gather_nulls(map, rows), *ordered))
        }
        ty => each_number!(ty, numbers, column, rows),
    }
}

/// The values of `column` at `rows`, NULL where there is none: what an outer join adds.
///
/// # Panics
/// When a row is out of range.
pub fn gather_or_null(column: &ArrayRef, rows: &[Option<u32>]) -> ArrayRef {
    if column.is_empty() {
        assert!(rows.iter().all(Option::is_none), "a row of an empty column");
        return null_column(column.data_type(), rows.len());
    }
    let places: Vec<u32> = rows.iter().map(|row| row.unwrap_or_default()).collect();
    let gathered = gather(column, &places);
    if rows.iter().all(Option::is_some) {
        return gathered;
    }
    only_where(&gathered, BooleanBuffer::collect_bool(rows.len(), |at| rows[at].is_some()))
}

/// The offsets of the lists at these rows, and the rows of their items.
fn items(offsets: &[i32], rows: &[u32]) -> (OffsetBuffer<i32>, Vec<u32>) {
    let mut ends = Vec::with_capacity(rows.len() + 1);
    let mut items = Vec::new();
    ends.push(0);
    for row in rows {
        items.extend(offsets[*row as usize] as u32..offsets[*row as usize + 1] as u32);
        ends.push(items.len() as i32);
    }
    (OffsetBuffer::new(ends.into()), items)
}

/// The rows at which `keep` is true (NULL is not), ascending.
pub fn selected(keep: &BooleanArray) -> Vec<u32> {
    let wanted = match keep.nulls() {
        None => keep.values().clone(),
        Some(nulls) => keep.values() & nulls.inner(),
    };
    let count = wanted.count_set_bits();
    let mut rows = Vec::with_capacity(count);
    let chunks = wanted.bit_chunks();
    let mut first = 0;
    for mut word in chunks.iter_padded() {
        if word == u64::MAX {
            rows.extend(first..first + 64);
        } else {
            while word != 0 {
                rows.push(first + word.trailing_zeros());
                word &= word - 1;
            }
        }
        first += 64;
    }
    debug_assert_eq!(rows.len(), count);
    rows
}

fn gather_nulls(column: &dyn Array, rows: &[u32]) -> Option<NullBuffer> {
    let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0)?;
    Some(NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), |at| nulls.is_valid(rows[at] as usize))))
}

fn numbers<T: ArrowPrimitiveType>(column: &ArrayRef, rows: &[u32]) -> ArrayRef {
    let numbers = column.as_primitive::<T>();
    let values = numbers.values();
    // SAFETY: `gather` has checked that all rows are in range.
    let gathered: Vec<T::Native> = rows.iter().map(|row| unsafe { *values.get_unchecked(*row as usize) }).collect();
    let gathered = PrimitiveArray::<T>::new(gathered.into(), gather_nulls(numbers, rows));
    Arc::new(gathered.with_data_type(column.data_type().clone()))
}

/// How many bytes of a string are copied at once: a block has no loop and no call.
const BLOCK: usize = 16;

fn strings<T: ByteArrayType<Offset = i32>>(column: &ArrayRef, rows: &[u32]) -> ArrayRef {
    let strings = column.as_bytes::<T>();
    let (offsets, bytes) = (strings.value_offsets(), strings.value_data());
    let mut ends: Vec<i32> = Vec::with_capacity(rows.len() + 1);
    let mut total = 0usize;
    ends.push(0);
    for row in rows {
        // SAFETY: `gather` has checked that all rows are in range, and there is one offset more than rows.
        let (start, end) = unsafe { (offsets.get_unchecked(*row as usize), offsets.get_unchecked(*row as usize + 1)) };
        total += (end - start) as usize;
        ends.push(total as i32);
    }
    assert!(i32::try_from(total).is_ok(), "a column of {total} bytes");
    let mut gathered: Vec<u8> = Vec::with_capacity(total + BLOCK);
    let target = gathered.as_mut_ptr();
    // Up to here a block ends within the source.
    let blocks = bytes.len().checked_sub(BLOCK);
    let mut to = 0;
    for (row, end) in rows.iter().zip(&ends[1..]) {
        let end = *end as usize;
        let len = end - to;
        // SAFETY: the row is in range; offsets ascend and lie within `bytes`; `gathered` has room for `total` bytes and one block. What a
        // block writes beyond its string is overwritten by the next string or cut off at the end.
        unsafe {
            let from = *offsets.get_unchecked(*row as usize) as usize;
            let (source, target) = (bytes.as_ptr().add(from), target.add(to));
            if len <= BLOCK && blocks.is_some_and(|last| from <= last) {
                std::ptr::copy_nonoverlapping(source, target, BLOCK);
            } else {
                std::ptr::copy_nonoverlapping(source, target, len);
            }
        }
        to = end;
    }
    // SAFETY: the strings, end to end, have filled that many bytes.
    unsafe { gathered.set_len(total) };
    // SAFETY: the offsets begin with 0, ascend, and cut the bytes where those of `strings` do.
    Arc::new(unsafe {
        let offsets = OffsetBuffer::new_unchecked(ends.into());
        GenericByteArray::<T>::new_unchecked(offsets, Buffer::from_vec(gathered), gather_nulls(strings, rows))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int64Array, StringArray};

    #[test]
    fn selected_rows_are_those_that_are_true() {
        let truth = |row: u32| match row % 7 {
            _ if (64..200).contains(&row) => Some(true),
            0 => None,
            n => Some(n % 2 == 1),
        };
        let keep: BooleanArray = (0..517).map(truth).collect();
        for (offset, len) in [(0, 517), (3, 514), (65, 130), (64, 64), (10, 0)] {
            let expected: Vec<u32> = (0..len as u32).filter(|row| truth(row + offset as u32) == Some(true)).collect();
            assert_eq!(selected(&keep.slice(offset, len)), expected);
        }
    }

    #[test]
    fn strings_of_all_lengths_lie_where_they_should() {
        let texts: Vec<String> =
            (0..40).map(|len| "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"[..len].to_owned()).collect();
        let column: ArrayRef = Arc::new(StringArray::from(texts.clone()));
        for rows in [(0..40).collect(), (0..40).rev().collect(), (0..200).map(|i| i * 7 % 40).collect::<Vec<u32>>()] {
            let expected = StringArray::from_iter_values(rows.iter().map(|row| &texts[*row as usize]));
            assert_eq!(gather(&column, &rows).as_string::<i32>(), &expected);
        }
    }

    #[test]
    fn where_there_is_no_row_is_null() {
        let column: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c")]));
        let gathered = gather_or_null(&column, &[Some(2), None, Some(1), Some(0), Some(2)]);
        assert_eq!(gathered.as_string::<i32>(), &StringArray::from(vec![Some("c"), None, None, Some("a"), Some("c")]));
        let gathered = gather_or_null(&column.slice(0, 0), &[None, None]);
        assert_eq!(gathered.as_string::<i32>(), &StringArray::from(vec![None::<&str>, None]));
    }

    #[test]
    #[should_panic(expected = "row 3 of 3")]
    fn a_row_out_of_range_is_refused() {
        gather(&(Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef), &[0, 3]);
    }
}
