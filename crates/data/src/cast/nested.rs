//! Casts of ARRAY, MAP, MULTISET and ROW: of each part.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow_schema::DataType as ArrowType;

use super::{CastError, cast_column};
use crate::arrow::{entries_field, entry_fields, list_field};
use crate::{DataType, LogicalType, Zone};

pub(super) fn cast_nested(
    column: &ArrayRef,
    from: &DataType,
    to: &DataType,
    safe: bool,
    zone: Zone,
) -> Result<ArrayRef, CastError> {
    match (&from.logical, &to.logical) {
        (LogicalType::Array(from), LogicalType::Array(element)) => {
            let list = column.as_list::<i32>();
            let items = cast_column(list.values(), from, element, safe, zone)?;
            Ok(Arc::new(ListArray::new(list_field(element), list.offsets().clone(), items, list.nulls().cloned())))
        }
        (LogicalType::Map(from_key, from_value), LogicalType::Map(key, value)) => {
            cast_map(column, (from_key, from_value), (key, value), safe, zone)
        }
        (LogicalType::Multiset(from), LogicalType::Multiset(element)) => {
            let count = DataType::not_null(LogicalType::Int);
            cast_map(column, (from, &count), (element, &count), safe, zone)
        }
        (LogicalType::Row(from), LogicalType::Row(fields)) => {
            let row = column.as_struct();
            let columns = row.columns().iter().zip(from.iter().zip(fields));
            let columns = columns.map(|(column, (from, to))| cast_column(column, &from.ty, &to.ty, safe, zone));
            let columns = columns.collect::<Result<Vec<_>, _>>()?;
            let ArrowType::Struct(fields) = to.arrow() else { unreachable!("a ROW is a struct") };
            if columns.is_empty() {
                return Ok(column.clone());
            }
            Ok(Arc::new(StructArray::new(fields, columns, row.nulls().cloned())))
        }
        (from, to) => unreachable!("there is no cast from {from} to {to}"),
    }
}

fn cast_map(
    column: &ArrayRef,
    (from_key, from_value): (&DataType, &DataType),
    (key, value): (&DataType, &DataType),
    safe: bool,
    zone: Zone,
) -> Result<ArrayRef, CastError> {
    let map = column.as_map();
    let keys = cast_column(map.keys(), from_key, key, safe, zone)?;
    let values = cast_column(map.values(), from_value, value, safe, zone)?;
    let entries = StructArray::new(entry_fields(key, value), vec![keys, values], None);
    let offsets = map.offsets().clone();
    Ok(Arc::new(MapArray::new(entries_field(key, value), offsets, entries, map.nulls().cloned(), false)))
}
