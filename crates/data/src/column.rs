//! Between single values and columns.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, NullArray, PrimitiveArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType as ArrowType, Fields, TimeUnit};

use crate::arrow::{entries_field, entry_fields, list_field};
use crate::{DataType, LogicalType, Value, null_column};

/// A value that does not fit the column that was to take it.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnError {
    /// The column's type.
    pub ty: DataType,
    /// The value.
    pub value: Value,
}

impl std::fmt::Display for ColumnError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} is no value of {}", self.value, self.ty)
    }
}

impl std::error::Error for ColumnError {}

/// A column of type `ty` from single values; NULL is taken whatever the type's nullability.
///
/// # Errors
/// When a value's variant or range does not fit the type.
pub fn build_column<'a>(ty: &DataType, values: impl IntoIterator<Item = &'a Value>) -> Result<ArrayRef, ColumnError> {
    let values: Vec<&Value> = values.into_iter().collect();
    build(ty, &values)
}

fn build(ty: &DataType, values: &[&Value]) -> Result<ArrayRef, ColumnError> {
    match &ty.logical {
        LogicalType::Null => Ok(Arc::new(NullArray::new(values.len()))),
        LogicalType::Boolean => {
            let mut builder = BooleanBuilder::with_capacity(values.len());
            for value in values {
                match value {
                    Value::Null => builder.append_null(),
                    Value::Boolean(b) => builder.append_value(*b),
                    other => return Err(misfit(ty, other)),
                }
            }
            Ok(Arc::new(builder.finish()))
        }
        LogicalType::Char(_) | LogicalType::VarChar(_) => {
            let mut builder = StringBuilder::new();
            for value in values {
                match value {
                    Value::Null => builder.append_null(),
                    Value::String(text) => builder.append_value(text),
                    other => return Err(misfit(ty, other)),
                }
            }
            Ok(Arc::new(builder.finish()))
        }
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => {
            let mut builder = BinaryBuilder::new();
            for value in values {
                match value {
                    Value::Null => builder.append_null(),
                    Value::Bytes(bytes) => builder.append_value(bytes),
                    other => return Err(misfit(ty, other)),
                }
            }
            Ok(Arc::new(builder.finish()))
        }
        LogicalType::Float => primitive::<Float32Type>(ty, values, |value| match value {
            Value::Float(x) => Some(*x),
            _ => None,
        }),
        LogicalType::Double => primitive::<Float64Type>(ty, values, |value| match value {
            Value::Double(x) => Some(*x),
            _ => None,
        }),
        LogicalType::Decimal(p, s) => {
            let mut numbers = Vec::with_capacity(values.len());
            for value in values {
                numbers.push(match value {
                    Value::Null => None,
                    Value::Decimal(x) if x.unsigned_abs() < 10u128.pow(u32::from(*p)) => Some(*x),
                    other => return Err(misfit(ty, other)),
                });
            }
            let array = PrimitiveArray::<Decimal128Type>::from(numbers);
            Ok(Arc::new(array.with_data_type(ArrowType::Decimal128(*p, *s as i8))))
        }
        LogicalType::Array(element) => {
            let (offsets, nulls, items) = spread(ty, values)?;
            let items = build(element, &items)?;
            Ok(Arc::new(ListArray::new(list_field(element), offsets, items, nulls)))
        }
        LogicalType::Map(key, value) => map(ty, values, key, value),
        LogicalType::Multiset(element) => map(ty, values, element, &DataType::not_null(LogicalType::Int)),
        LogicalType::Row(fields) => {
            let mut columns = vec![Vec::with_capacity(values.len()); fields.len()];
            let mut valid = Vec::with_capacity(values.len());
            for value in values {
                match value {
                    Value::Null => {
                        valid.push(false);
                        columns.iter_mut().for_each(|column| column.push(&Value::Null));
                    }
                    Value::List(items) if items.len() == fields.len() => {
                        valid.push(true);
                        columns.iter_mut().zip(items).for_each(|(column, item)| column.push(item));
                    }
                    other => return Err(misfit(ty, other)),
                }
            }
            let arrays = columns.iter().zip(fields).map(|(column, field)| build(&field.ty, column));
            let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
            let ArrowType::Struct(fields) = ty.arrow() else { unreachable!("a ROW is a struct") };
            Ok(struct_array(fields, arrays, NullBuffer::from(valid)))
        }
        _ => match ty.arrow() {
            ArrowType::Int8 => integer::<Int8Type>(ty, values),
            ArrowType::Int16 => integer::<Int16Type>(ty, values),
            ArrowType::Int32 => integer::<Int32Type>(ty, values),
            ArrowType::Int64 => integer::<Int64Type>(ty, values),
            ArrowType::Date32 => integer::<Date32Type>(ty, values),
            ArrowType::Time32(_) => integer::<Time32MillisecondType>(ty, values),
            ArrowType::Timestamp(TimeUnit::Millisecond, _) => integer::<TimestampMillisecondType>(ty, values),
            ArrowType::Timestamp(TimeUnit::Microsecond, _) => integer::<TimestampMicrosecondType>(ty, values),
            _ => integer::<TimestampNanosecondType>(ty, values),
        },
    }
}

fn misfit(ty: &DataType, value: &Value) -> ColumnError {
    ColumnError { ty: ty.clone(), value: value.clone() }
}

fn primitive<T: ArrowPrimitiveType>(
    ty: &DataType,
    values: &[&Value],
    get: impl Fn(&Value) -> Option<T::Native>,
) -> Result<ArrayRef, ColumnError> {
    let mut numbers: Vec<Option<T::Native>> = Vec::with_capacity(values.len());
    for value in values {
        numbers.push(match value {
            Value::Null => None,
            other => Some(get(other).ok_or_else(|| misfit(ty, other))?),
        });
    }
    Ok(Arc::new(numbers.into_iter().collect::<PrimitiveArray<T>>()))
}

fn integer<T: ArrowPrimitiveType>(ty: &DataType, values: &[&Value]) -> Result<ArrayRef, ColumnError>
where
    T::Native: TryFrom<i64>,
{
    primitive::<T>(ty, values, |value| match value {
        Value::Int(x) => T::Native::try_from(*x).ok(),
        _ => None,
    })
}

type Spread<'a> = (OffsetBuffer<i32>, Option<NullBuffer>, Vec<&'a Value>);

fn spread<'a>(ty: &DataType, values: &[&'a Value]) -> Result<Spread<'a>, ColumnError> {
    let mut items = Vec::new();
    let mut lengths = Vec::with_capacity(values.len());
    let mut valid = Vec::with_capacity(values.len());
    for value in values {
        let inner: &[Value] = match value {
            Value::Null => &[],
            Value::List(inner) => inner,
            other => return Err(misfit(ty, other)),
        };
        valid.push(!matches!(value, Value::Null));
        lengths.push(inner.len());
        items.extend(inner);
    }
    Ok((OffsetBuffer::from_lengths(lengths), some_nulls(NullBuffer::from(valid)), items))
}

fn map(ty: &DataType, values: &[&Value], key: &DataType, value: &DataType) -> Result<ArrayRef, ColumnError> {
    let (mut keys, mut contents) = (Vec::new(), Vec::new());
    let mut lengths = Vec::with_capacity(values.len());
    let mut valid = Vec::with_capacity(values.len());
    for entry in values {
        let inner: &[(Value, Value)] = match entry {
            Value::Null => &[],
            Value::Map(inner) => inner,
            other => return Err(misfit(ty, other)),
        };
        if let Some((null, _)) = inner.iter().find(|(k, _)| matches!(k, Value::Null)) {
            return Err(misfit(ty, null));
        }
        valid.push(!matches!(entry, Value::Null));
        lengths.push(inner.len());
        keys.extend(inner.iter().map(|(k, _)| k));
        contents.extend(inner.iter().map(|(_, v)| v));
    }
    let arrays = vec![build(key, &keys)?, build(value, &contents)?];
    let entries = StructArray::new(entry_fields(key, value), arrays, None);
    let offsets = OffsetBuffer::from_lengths(lengths);
    let nulls = some_nulls(NullBuffer::from(valid));
    Ok(Arc::new(MapArray::new(entries_field(key, value), offsets, entries, nulls, false)))
}

fn struct_array(fields: Fields, arrays: Vec<ArrayRef>, nulls: NullBuffer) -> ArrayRef {
    let len = nulls.len();
    let nulls = some_nulls(nulls);
    match arrays.is_empty() {
        true => Arc::new(StructArray::new_empty_fields(len, nulls)),
        false => Arc::new(StructArray::new(fields, arrays, nulls)),
    }
}

fn some_nulls(nulls: NullBuffer) -> Option<NullBuffer> {
    if nulls.null_count() == 0 { None } else { Some(nulls) }
}

/// A column of `ty` without rows.
pub fn empty_column(ty: &DataType) -> ArrayRef {
    null_column(&ty.arrow(), 0)
}

/// The value in row `row` of a column of type `ty`.
pub fn value_at(array: &dyn Array, row: usize, ty: &DataType) -> Value {
    if array.is_null(row) || matches!(ty.logical, LogicalType::Null) {
        return Value::Null;
    }
    match &ty.logical {
        LogicalType::Null => Value::Null,
        LogicalType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        LogicalType::TinyInt => Value::Int(array.as_primitive::<Int8Type>().value(row).into()),
        LogicalType::SmallInt => Value::Int(array.as_primitive::<Int16Type>().value(row).into()),
        LogicalType::Int | LogicalType::IntervalYearMonth => {
            Value::Int(array.as_primitive::<Int32Type>().value(row).into())
        }
        LogicalType::BigInt | LogicalType::IntervalDayTime => Value::Int(array.as_primitive::<Int64Type>().value(row)),
        LogicalType::Float => Value::Float(array.as_primitive::<Float32Type>().value(row)),
        LogicalType::Double => Value::Double(array.as_primitive::<Float64Type>().value(row)),
        LogicalType::Decimal(..) => Value::Decimal(array.as_primitive::<Decimal128Type>().value(row)),
        LogicalType::Char(_) | LogicalType::VarChar(_) => Value::String(array.as_string::<i32>().value(row).to_owned()),
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => {
            Value::Bytes(array.as_binary::<i32>().value(row).to_owned())
        }
        LogicalType::Date => Value::Int(array.as_primitive::<Date32Type>().value(row).into()),
        LogicalType::Time(_) => Value::Int(array.as_primitive::<Time32MillisecondType>().value(row).into()),
        LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _) => Value::Int(timestamp_at(array, row, *p)),
        LogicalType::Array(element) => {
            let items = array.as_list::<i32>().value(row);
            Value::List((0..items.len()).map(|i| value_at(&items, i, element)).collect())
        }
        LogicalType::Map(key, value) => Value::Map(entries_at(array, row, key, value)),
        LogicalType::Multiset(element) => {
            Value::Map(entries_at(array, row, element, &DataType::not_null(LogicalType::Int)))
        }
        LogicalType::Row(fields) => {
            let columns = array.as_struct().columns();
            Value::List(columns.iter().zip(fields).map(|(column, field)| value_at(column, row, &field.ty)).collect())
        }
    }
}

/// The number in a timestamp column, in the unit of precision `p`.
pub(crate) fn timestamp_at(array: &dyn Array, row: usize, p: u8) -> i64 {
    match p {
        0..=3 => array.as_primitive::<TimestampMillisecondType>().value(row),
        4..=6 => array.as_primitive::<TimestampMicrosecondType>().value(row),
        _ => array.as_primitive::<TimestampNanosecondType>().value(row),
    }
}

fn entries_at(array: &dyn Array, row: usize, key: &DataType, value: &DataType) -> Vec<(Value, Value)> {
    let entries = array.as_map().value(row);
    (0..entries.len()).map(|i| (value_at(entries.column(0), i, key), value_at(entries.column(1), i, value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;

    fn round_trip(ty: DataType, values: Vec<Value>) {
        let column = build_column(&ty, &values).unwrap();
        assert_eq!(column.data_type(), &ty.arrow());
        let back: Vec<Value> = (0..column.len()).map(|row| value_at(&column, row, &ty)).collect();
        assert_eq!(back, values);
    }

    #[test]
    fn values_come_back() {
        let int = || DataType::new(LogicalType::Int);
        round_trip(int(), vec![Value::Int(1), Value::Null, Value::Int(-7)]);
        round_trip(DataType::new(LogicalType::Decimal(5, 2)), vec![Value::Decimal(12345), Value::Null]);
        let list = DataType::new(LogicalType::Array(Box::new(int())));
        round_trip(list, vec![Value::List(vec![Value::Int(1), Value::Null]), Value::Null, Value::List(vec![])]);
        let map = DataType::new(LogicalType::Map(Box::new(DataType::string()), Box::new(int())));
        round_trip(map, vec![Value::Map(vec![(Value::String("a".into()), Value::Null)]), Value::Null]);
        let row = LogicalType::Row(vec![
            Field { name: "a".into(), ty: int() },
            Field { name: "b".into(), ty: DataType::string() },
        ]);
        round_trip(DataType::new(row), vec![Value::List(vec![Value::Int(1), Value::Null]), Value::Null]);
    }

    #[test]
    fn a_value_out_of_range_is_refused() {
        assert!(build_column(&DataType::new(LogicalType::TinyInt), &[Value::Int(200)]).is_err());
        assert!(build_column(&DataType::new(LogicalType::Decimal(2, 0)), &[Value::Decimal(100)]).is_err());
    }
}
