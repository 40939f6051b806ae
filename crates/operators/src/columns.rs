//! Copies of columns in the patterns that changelogs need.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use tidegate_data::{Kinds, RowKind, gather};

/// Every row twice: the keys of `-U` and `+U`.
pub(crate) fn twice(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        ArrowType::Int64 => numbers_twice::<Int64Type>(column),
        ArrowType::Int32 => numbers_twice::<Int32Type>(column),
        ArrowType::Date32 => numbers_twice::<Date32Type>(column),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => numbers_twice::<TimestampMillisecondType>(column),
        _ => {
            let rows: Vec<u32> = (0..2 * column.len() as u32).map(|row| row / 2).collect();
            gather(column, &rows)
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
