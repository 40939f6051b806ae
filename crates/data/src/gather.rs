//! Rows of a column picked by number: what filters, joins and changelogs copy.
//!
//! Numbers and strings have loops of their own, without a call per row; all other types go through Arrow's kernel.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, GenericByteArray, PrimitiveArray, StructArray, UInt32Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::{DataType as ArrowType, TimeUnit};

/// The values of `column` at `rows`, in that order; a row may come several times.
///
/// # Panics
/// When a row is out of range.
pub fn gather(column: &ArrayRef, rows: &[u32]) -> ArrayRef {
    let highest = rows.iter().fold(0, |highest, row| highest.max(*row));
    assert!(rows.is_empty() || (highest as usize) < column.len(), "row {highest} of {}", column.len());
    match column.data_type() {
        ArrowType::Int64 => numbers::<Int64Type>(column, rows),
        ArrowType::Int32 => numbers::<Int32Type>(column, rows),
        ArrowType::Float64 => numbers::<Float64Type>(column, rows),
        ArrowType::Date32 => numbers::<Date32Type>(column, rows),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => numbers::<TimestampMillisecondType>(column, rows),
        ArrowType::Utf8 => strings::<Utf8Type>(column, rows),
        ArrowType::Binary => strings::<BinaryType>(column, rows),
        ArrowType::Struct(fields) => {
            let row = column.as_struct();
            let columns = row.columns().iter().map(|column| gather(column, rows)).collect();
            let nulls = gather_nulls(row, rows);
            // SAFETY: the fields are those of `column`, and all have as many values as there are rows.
            Arc::new(unsafe { StructArray::new_unchecked_with_length(fields.clone(), columns, nulls, rows.len()) })
        }
        _ => arrow(column, rows),
    }
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

fn arrow(column: &ArrayRef, rows: &[u32]) -> ArrayRef {
    let rows = UInt32Array::from(rows.to_vec());
    arrow_select::take::take(column, &rows, None).expect("rows are in range, and every type has a kernel")
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
    if i32::try_from(total).is_err() {
        return arrow(column, rows);
    }
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
    use arrow_array::{BinaryArray, Date32Array, Float64Array, Int32Array, Int64Array, StringArray};
    use arrow_array::{Decimal128Array, TimestampMillisecondArray};

    #[test]
    fn the_same_as_arrows_take() {
        let texts =
            ["", "a", "sixteen bytes ab", "seventeen bytes a", "ü", "a string that is longer than two blocks of it"];
        let texts: Vec<Option<&str>> = texts.into_iter().map(Some).chain([None, Some("the end")]).collect();
        let numbers: Vec<Option<i64>> = (0..8).map(|n| (n % 3 != 1).then_some(n * 7 - 9)).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from(texts.clone())),
            Arc::new(BinaryArray::from_iter(texts.iter().map(|text| text.map(str::as_bytes)))),
            Arc::new(StringArray::from(vec!["x"; 8])),
            Arc::new(Int64Array::from(numbers.clone())),
            Arc::new(Int32Array::from_iter(numbers.iter().map(|n| n.map(|n| n as i32)))),
            Arc::new(Float64Array::from_iter(numbers.iter().map(|n| n.map(|n| n as f64)))),
            Arc::new(Date32Array::from_iter(numbers.iter().map(|n| n.map(|n| n as i32)))),
            Arc::new(TimestampMillisecondArray::from(numbers.clone()).with_timezone("UTC")),
            Arc::new(BooleanArray::from_iter(numbers.iter().map(|n| n.map(|n| n > 5)))),
            Arc::new(Decimal128Array::from_iter(numbers.iter().map(|n| n.map(i128::from)))),
        ];
        for column in columns {
            for column in [column.clone(), column.slice(2, 5), column.slice(1, 7)] {
                let n = column.len() as u32;
                for rows in [vec![], vec![0], (0..n).collect(), (0..3 * n).map(|i| (i * 5 + 3) % n).collect()] {
                    let gathered = gather(&column, &rows);
                    assert_eq!(&gathered, &arrow(&column, &rows), "{rows:?} of {column:?}");
                    gathered.to_data().validate_full().unwrap();
                }
            }
        }
    }

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
    #[should_panic(expected = "row 3 of 3")]
    fn a_row_out_of_range_is_refused() {
        gather(&(Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef), &[0, 3]);
    }
}
