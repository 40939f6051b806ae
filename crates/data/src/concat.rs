//! Columns put one behind the other, and values picked out of several columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, GenericByteArray, ListArray, MapArray, NullArray,
    PrimitiveArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::DataType as ArrowType;

use crate::gather::{each_number, gather};

/// All values of several columns of one type, in order.
///
/// # Panics
/// When there is no column, when types differ, and beyond 2 GiB of text.
pub fn concat(columns: &[&ArrayRef]) -> ArrayRef {
    let first = match columns {
        [] => panic!("no column has no type"),
        [only] => return (*only).clone(),
        [first, ..] => *first,
    };
    debug_assert!(columns.iter().all(|column| column.data_type() == first.data_type()), "columns of one type");
    match first.data_type() {
        ArrowType::Null => Arc::new(NullArray::new(columns.iter().map(|column| column.len()).sum())),
        ArrowType::Boolean => {
            let mut all = BooleanBufferBuilder::new(0);
            columns.iter().for_each(|column| all.append_buffer(column.as_boolean().values()));
            Arc::new(BooleanArray::new(all.finish(), nulls(columns)))
        }
        ArrowType::Utf8 => strings::<Utf8Type>(columns),
        ArrowType::Binary => strings::<BinaryType>(columns),
        ArrowType::Struct(fields) => {
            let parts = (0..fields.len()).map(|field| {
                let parts: Vec<&ArrayRef> = columns.iter().map(|column| column.as_struct().column(field)).collect();
                concat(&parts)
            });
            let len = columns.iter().map(|column| column.len()).sum();
            let all = StructArray::try_new_with_length(fields.clone(), parts.collect(), nulls(columns), len);
            Arc::new(all.expect("columns of one type"))
        }
        ArrowType::List(field) => {
            let lists = columns.iter().map(|column| column.as_list::<i32>());
            let (offsets, items) = items(lists.map(|list| (list.value_offsets(), list.values().clone())));
            Arc::new(ListArray::new(field.clone(), offsets, items, nulls(columns)))
        }
        ArrowType::Map(field, ordered) => {
            let maps = columns.iter().map(|column| column.as_map());
            let entries = |map: &MapArray| -> ArrayRef { Arc::new(map.entries().clone()) };
            let (offsets, entries) = items(maps.map(|map| (map.value_offsets(), entries(map))));
            let entries = entries.as_struct().clone();
            Arc::new(MapArray::new(field.clone(), offsets, entries, nulls(columns), *ordered))
        }
        ty => each_number!(ty, numbers, columns),
    }
}

/// Values out of several columns of one type: for each, the column and the row.
///
/// # Panics
/// When a place is out of range, and as [`concat`].
pub fn interleave(columns: &[&ArrayRef], places: &[(usize, usize)]) -> ArrayRef {
    let mut starts = Vec::with_capacity(columns.len());
    let mut start = 0;
    for column in columns {
        starts.push(start);
        start += column.len();
    }
    let rows: Vec<u32> = places.iter().map(|(column, row)| (starts[*column] + row) as u32).collect();
    gather(&concat(columns), &rows)
}

/// The same values, but NULL where `present` is not set.
#[must_use]
pub fn only_where(column: &ArrayRef, present: BooleanBuffer) -> ArrayRef {
    if *column.data_type() == ArrowType::Null {
        return column.clone();
    }
    assert_eq!(column.len(), present.len(), "a bit for each value");
    let both = NullBuffer::union(column.nulls(), Some(&NullBuffer::new(present)));
    with_nulls(column, both.filter(|nulls| nulls.null_count() > 0))
}

/// The values of a column under another mask.
fn with_nulls(column: &ArrayRef, nulls: Option<NullBuffer>) -> ArrayRef {
    match column.data_type() {
        ArrowType::Boolean => Arc::new(BooleanArray::new(column.as_boolean().values().clone(), nulls)),
        ArrowType::Utf8 => strings_with::<Utf8Type>(column, nulls),
        ArrowType::Binary => strings_with::<BinaryType>(column, nulls),
        ArrowType::Struct(fields) => {
            let columns = column.as_struct().columns().to_vec();
            // SAFETY: fields and columns are those of one column, and `only_where` has seen that the mask is as long.
            Arc::new(unsafe { StructArray::new_unchecked_with_length(fields.clone(), columns, nulls, column.len()) })
        }
        ArrowType::List(field) => {
            let list = column.as_list::<i32>();
            Arc::new(ListArray::new(field.clone(), list.offsets().clone(), list.values().clone(), nulls))
        }
        ArrowType::Map(field, ordered) => {
            let map = column.as_map();
            Arc::new(MapArray::new(field.clone(), map.offsets().clone(), map.entries().clone(), nulls, *ordered))
        }
        ty => each_number!(ty, numbers_with, column, nulls),
    }
}

fn numbers_with<T: ArrowPrimitiveType>(column: &ArrayRef, nulls: Option<NullBuffer>) -> ArrayRef {
    let all = PrimitiveArray::<T>::new(column.as_primitive::<T>().values().clone(), nulls);
    Arc::new(all.with_data_type(column.data_type().clone()))
}

fn strings_with<T: ByteArrayType<Offset = i32>>(column: &ArrayRef, nulls: Option<NullBuffer>) -> ArrayRef {
    let strings = column.as_bytes::<T>();
    // SAFETY: offsets and bytes are those of one column.
    let all =
        unsafe { GenericByteArray::<T>::new_unchecked(strings.offsets().clone(), strings.values().clone(), nulls) };
    Arc::new(all)
}

fn nulls(columns: &[&ArrayRef]) -> Option<NullBuffer> {
    if columns.iter().all(|column| column.null_count() == 0) {
        return None;
    }
    let mut all = BooleanBufferBuilder::new(0);
    for column in columns {
        match column.nulls() {
            Some(nulls) => all.append_buffer(nulls.inner()),
            None => all.append_n(column.len(), true),
        }
    }
    Some(NullBuffer::new(all.finish()))
}

fn numbers<T: ArrowPrimitiveType>(columns: &[&ArrayRef]) -> ArrayRef {
    let mut all: Vec<T::Native> = Vec::with_capacity(columns.iter().map(|column| column.len()).sum());
    columns.iter().for_each(|column| all.extend_from_slice(column.as_primitive::<T>().values()));
    let all = PrimitiveArray::<T>::new(all.into(), nulls(columns));
    Arc::new(all.with_data_type(columns[0].data_type().clone()))
}

/// The ends of pieces that come from several columns, each with offsets of its own, and where the pieces lie in these.
fn ends<'a>(offsets: impl Iterator<Item = &'a [i32]>) -> (OffsetBuffer<i32>, Vec<(usize, usize)>) {
    let mut ends = vec![0i32];
    let mut ranges = Vec::new();
    let mut total = 0usize;
    for offsets in offsets {
        let (from, to) = (offsets[0], offsets[offsets.len() - 1]);
        ends.extend(offsets[1..].iter().map(|end| (total + (end - from) as usize) as i32));
        ranges.push((from as usize, to as usize));
        total += (to - from) as usize;
    }
    assert!(i32::try_from(total).is_ok(), "a column of {total} bytes or items");
    (OffsetBuffer::new(ends.into()), ranges)
}

fn strings<T: ByteArrayType<Offset = i32>>(columns: &[&ArrayRef]) -> ArrayRef {
    let (offsets, ranges) = ends(columns.iter().map(|column| column.as_bytes::<T>().value_offsets()));
    let mut all = Vec::with_capacity(ranges.iter().map(|(from, to)| to - from).sum());
    for (column, (from, to)) in columns.iter().zip(ranges) {
        all.extend_from_slice(&column.as_bytes::<T>().value_data()[from..to]);
    }
    // SAFETY: the offsets ascend and cut the bytes where those of the columns do.
    Arc::new(unsafe { GenericByteArray::<T>::new_unchecked(offsets, Buffer::from_vec(all), nulls(columns)) })
}

fn items<'a>(lists: impl Iterator<Item = (&'a [i32], ArrayRef)>) -> (OffsetBuffer<i32>, ArrayRef) {
    let (offsets, items): (Vec<&[i32]>, Vec<ArrayRef>) = lists.unzip();
    let (ends, ranges) = ends(offsets.into_iter());
    let parts = items.iter().zip(ranges).map(|(items, (from, to))| items.slice(from, to - from));
    let parts: Vec<ArrayRef> = parts.collect();
    (ends, concat(&parts.iter().collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataType, Field, LogicalType, TimeKind, Value, build_column, value_at};

    fn columns() -> Vec<(DataType, Vec<Value>)> {
        let text = |text: &str| Value::String(text.into());
        let int =
            |ty: LogicalType| (DataType::new(ty), vec![Value::Int(1), Value::Null, Value::Int(-3), Value::Int(7)]);
        let row = LogicalType::Row(vec![
            Field { name: "a".into(), ty: DataType::new(LogicalType::Int) },
            Field { name: "b".into(), ty: DataType::string() },
        ]);
        let list = |items: &[i64]| Value::List(items.iter().map(|item| Value::Int(*item)).collect());
        let map = |entries: &[(&str, i64)]| {
            Value::Map(entries.iter().map(|(key, value)| (text(key), Value::Int(*value))).collect())
        };
        let texts = [text("a"), Value::Null, text(""), text("a string that is longer than a block"), text("ü")];
        vec![
            (DataType::new(LogicalType::Null), vec![Value::Null, Value::Null, Value::Null]),
            (DataType::new(LogicalType::Boolean), vec![Value::Boolean(true), Value::Null, Value::Boolean(false)]),
            int(LogicalType::TinyInt),
            int(LogicalType::SmallInt),
            int(LogicalType::Int),
            int(LogicalType::BigInt),
            int(LogicalType::Date),
            int(LogicalType::Time(3)),
            int(LogicalType::Timestamp(3, TimeKind::Regular)),
            int(LogicalType::Timestamp(6, TimeKind::Regular)),
            int(LogicalType::Timestamp(9, TimeKind::Regular)),
            (DataType::new(LogicalType::Float), vec![Value::Float(1.5), Value::Null, Value::Float(-0.0)]),
            (DataType::new(LogicalType::Double), vec![Value::Null, Value::Double(2.5), Value::Double(0.0)]),
            (DataType::new(LogicalType::Decimal(30, 2)), vec![Value::Decimal(1), Value::Null, Value::Decimal(-5)]),
            (DataType::string(), texts.to_vec()),
            (
                DataType::new(LogicalType::VarBinary(9)),
                vec![Value::Bytes(vec![1, 2]), Value::Null, Value::Bytes(vec![])],
            ),
            (
                DataType::new(row),
                vec![
                    Value::List(vec![Value::Int(1), text("x")]),
                    Value::Null,
                    Value::List(vec![Value::Null, text("y")]),
                ],
            ),
            (
                DataType::new(LogicalType::Array(Box::new(DataType::new(LogicalType::BigInt)))),
                vec![list(&[1, 2, 3]), Value::Null, list(&[]), list(&[4])],
            ),
            (
                DataType::new(LogicalType::Map(
                    Box::new(DataType::string()),
                    Box::new(DataType::new(LogicalType::BigInt)),
                )),
                vec![map(&[("a", 1), ("b", 2)]), Value::Null, map(&[]), map(&[("c", 3)])],
            ),
        ]
    }

    fn values(column: &ArrayRef, ty: &DataType) -> Vec<Value> {
        column.to_data().validate_full().unwrap();
        assert_eq!(*column.data_type(), ty.arrow());
        (0..column.len()).map(|row| value_at(column.as_ref(), row, ty)).collect()
    }

    #[test]
    fn every_type_is_joined_picked_and_blanked() {
        for (ty, all) in columns() {
            let whole = build_column(&ty, &all).unwrap();
            let n = all.len();
            // Pieces of a column, so that offsets do not begin with 0.
            let (tail, one, none) = (whole.slice(1, n - 1), whole.slice(n - 1, 1), whole.slice(1, 0));
            let joined = concat(&[&whole, &tail, &none, &one]);
            let expected: Vec<Value> = all.iter().chain(&all[1..]).chain(&all[n - 1..]).cloned().collect();
            assert_eq!(values(&joined, &ty), expected, "{ty}");

            let rows: Vec<u32> = (0..2 * n as u32).map(|row| (row * 2 + 1) % (n as u32 - 1)).collect();
            let expected: Vec<Value> = rows.iter().map(|row| all[*row as usize + 1].clone()).collect();
            assert_eq!(values(&gather(&tail, &rows), &ty), expected, "{ty}");
            assert_eq!(values(&gather(&tail, &[]), &ty), []);

            let picked = interleave(&[&tail, &whole], &[(1, 0), (0, n - 2), (0, 0), (1, n - 1)]);
            assert_eq!(values(&picked, &ty), [all[0].clone(), all[n - 1].clone(), all[1].clone(), all[n - 1].clone()]);

            let blanked = only_where(&tail, BooleanBuffer::collect_bool(n - 1, |row| row > 0));
            let expected: Vec<Value> = std::iter::once(Value::Null).chain(all[2..].iter().cloned()).collect();
            assert_eq!(values(&blanked, &ty), expected, "{ty}");
        }
    }
}
