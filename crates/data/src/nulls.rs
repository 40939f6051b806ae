//! Columns of NULLs and columns without rows, of our types alone: Arrow's own way to them brings all of its types into the wasm.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, ListArray, MapArray, NullArray, PrimitiveArray,
    StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use arrow_schema::DataType as ArrowType;

use crate::gather::each_number;

/// A column of `len` NULLs of the Arrow type of one of our types.
pub fn null_column(ty: &ArrowType, len: usize) -> ArrayRef {
    // As everywhere: no mask where nothing is NULL.
    let nulls = (len > 0).then(|| NullBuffer::new_null(len));
    match ty {
        ArrowType::Null => Arc::new(NullArray::new(len)),
        ArrowType::Boolean => Arc::new(BooleanArray::new(BooleanBuffer::new_unset(len), nulls)),
        ArrowType::Utf8 => Arc::new(StringArray::new(OffsetBuffer::new_zeroed(len), Vec::<u8>::new().into(), nulls)),
        ArrowType::Binary => Arc::new(BinaryArray::new(OffsetBuffer::new_zeroed(len), Vec::<u8>::new().into(), nulls)),
        ArrowType::Struct(fields) if fields.is_empty() => Arc::new(StructArray::new_empty_fields(len, nulls)),
        ArrowType::Struct(fields) => {
            let columns = fields.iter().map(|field| null_column(field.data_type(), len)).collect();
            // SAFETY: each column is of its field's type and has as many values as there are rows.
            Arc::new(unsafe { StructArray::new_unchecked_with_length(fields.clone(), columns, nulls, len) })
        }
        ArrowType::List(field) => {
            let items = null_column(field.data_type(), 0);
            Arc::new(ListArray::new(field.clone(), OffsetBuffer::new_zeroed(len), items, nulls))
        }
        ArrowType::Map(field, ordered) => {
            let ArrowType::Struct(fields) = field.data_type() else { unreachable!("a map's entries are a struct") };
            let columns = fields.iter().map(|field| null_column(field.data_type(), 0)).collect();
            let entries = StructArray::new(fields.clone(), columns, None);
            Arc::new(MapArray::new(field.clone(), OffsetBuffer::new_zeroed(len), entries, nulls, *ordered))
        }
        ty => each_number!(ty, numbers, ty, nulls, len),
    }
}

fn numbers<T: ArrowPrimitiveType>(ty: &ArrowType, nulls: Option<NullBuffer>, len: usize) -> ArrayRef {
    let zeros = vec![T::Native::default(); len];
    Arc::new(PrimitiveArray::<T>::new(zeros.into(), nulls).with_data_type(ty.clone()))
}
