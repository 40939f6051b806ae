//! Copies of columns in the patterns that changelogs need.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, StringArray, UInt32Array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use tidegate_data::{Kinds, RowKind};

/// The rows of a column at these positions.
pub(crate) fn take(column: &ArrayRef, rows: &[u32]) -> ArrayRef {
    let rows = UInt32Array::from(rows.to_vec());
    arrow_select::take::take(column, &rows, None).expect("positions are in range, and every type has a kernel")
}

/// Every row twice: the keys of `-U` and `+U`.
pub(crate) fn twice(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        ArrowType::Int64 => numbers_twice::<Int64Type>(column),
        ArrowType::Int32 => numbers_twice::<Int32Type>(column),
        ArrowType::Date32 => numbers_twice::<Date32Type>(column),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => numbers_twice::<TimestampMillisecondType>(column),
        ArrowType::Utf8 => strings_twice(column.as_string()),
        _ => {
            let rows: Vec<u32> = (0..2 * column.len() as u32).map(|row| row / 2).collect();
            take(column, &rows)
        }
    }
}

fn nulls_twice(column: &dyn Array) -> Option<NullBuffer> {
    let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0)?;
    Some(NullBuffer::new(BooleanBuffer::collect_bool(2 * nulls.len(), |row| nulls.is_valid(row / 2))))
}

fn numbers_twice<T: ArrowPrimitiveType>(column: &ArrayRef) -> ArrayRef {
    let numbers = column.as_primitive::<T>();
    let mut doubled = vec![T::default_value(); 2 * numbers.len()];
    for (pair, number) in doubled.chunks_exact_mut(2).zip(numbers.values()) {
        pair[0] = *number;
        pair[1] = *number;
    }
    let doubled = PrimitiveArray::<T>::new(doubled.into(), nulls_twice(numbers));
    Arc::new(doubled.with_data_type(column.data_type().clone()))
}

fn strings_twice(strings: &StringArray) -> ArrayRef {
    let offsets = strings.value_offsets();
    let bytes = &strings.value_data()[offsets[0] as usize..offsets[strings.len()] as usize];
    let mut doubled = Vec::with_capacity(2 * bytes.len());
    let mut ends = Vec::with_capacity(2 * strings.len() + 1);
    let mut end = 0;
    ends.push(0);
    let uniform = offsets.windows(2).all(|ends| ends[1] - ends[0] == 16);
    if uniform {
        // Of one short length: copies of known size.
        for text in bytes.chunks_exact(16) {
            doubled.extend_from_slice(text);
            doubled.extend_from_slice(text);
        }
        ends.extend((1..=2 * strings.len() as i32).map(|row| 16 * row));
    } else {
        for text in offsets.windows(2) {
            let text = &strings.value_data()[text[0] as usize..text[1] as usize];
            doubled.extend_from_slice(text);
            doubled.extend_from_slice(text);
            ends.push(end + text.len() as i32);
            end += 2 * text.len() as i32;
            ends.push(end);
        }
    }
    let offsets = OffsetBuffer::new(ends.into());
    let nulls = nulls_twice(strings);
    // SAFETY: the offsets ascend and cut the bytes where those of `strings` do, each piece twice.
    Arc::new(unsafe { StringArray::new_unchecked(offsets, Buffer::from_vec(doubled), nulls) })
}

/// Row kinds in a pattern, made once and shared by all chunks of one length.
pub(crate) struct KindPattern {
    pattern: &'static [RowKind],
    made: Option<Kinds>,
    len: usize,
}

impl KindPattern {
    pub(crate) fn new(pattern: &'static [RowKind]) -> KindPattern {
        KindPattern { pattern, made: None, len: 0 }
    }

    /// `len` kinds.
    pub(crate) fn get(&mut self, len: usize) -> Kinds {
        match &self.made {
            Some(kinds) if self.len == len => kinds.clone(),
            _ => {
                let kinds = Kinds::Each(self.pattern.iter().copied().cycle().take(len).collect());
                self.len = len;
                self.made.insert(kinds).clone()
            }
        }
    }
}
