//! How a type lies in memory: its Arrow type, and the units of its timestamps.

use std::sync::Arc;

use arrow_schema::{DataType as ArrowType, Field as ArrowField, Fields, TimeUnit};

use crate::types::{DataType, LogicalType};

/// The unit of a timestamp of precision `precision`: milliseconds to 3, microseconds to 6, else nanoseconds.
pub fn timestamp_unit(precision: u8) -> TimeUnit {
    match precision {
        0..=3 => TimeUnit::Millisecond,
        4..=6 => TimeUnit::Microsecond,
        _ => TimeUnit::Nanosecond,
    }
}

/// How many of a timestamp's units make one second.
pub fn units_per_second(precision: u8) -> i64 {
    match precision {
        0..=3 => 1_000,
        4..=6 => 1_000_000,
        _ => 1_000_000_000,
    }
}

impl DataType {
    /// The Arrow type of a column of this type (see the table in [`crate::types`]).
    pub fn arrow(&self) -> ArrowType {
        match &self.logical {
            LogicalType::Null => ArrowType::Null,
            LogicalType::Boolean => ArrowType::Boolean,
            LogicalType::TinyInt => ArrowType::Int8,
            LogicalType::SmallInt => ArrowType::Int16,
            LogicalType::Int | LogicalType::IntervalYearMonth => ArrowType::Int32,
            LogicalType::BigInt | LogicalType::IntervalDayTime => ArrowType::Int64,
            LogicalType::Float => ArrowType::Float32,
            LogicalType::Double => ArrowType::Float64,
            LogicalType::Decimal(p, s) => ArrowType::Decimal128(*p, *s as i8),
            LogicalType::Char(_) | LogicalType::VarChar(_) => ArrowType::Utf8,
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => ArrowType::Binary,
            LogicalType::Date => ArrowType::Date32,
            LogicalType::Time(_) => ArrowType::Time32(TimeUnit::Millisecond),
            LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _) => {
                ArrowType::Timestamp(timestamp_unit(*p), None)
            }
            LogicalType::Array(element) => ArrowType::List(list_field(element)),
            LogicalType::Map(key, value) => ArrowType::Map(entries_field(key, value), false),
            LogicalType::Multiset(element) => {
                ArrowType::Map(entries_field(element, &DataType::not_null(LogicalType::Int)), false)
            }
            LogicalType::Row(fields) => ArrowType::Struct(
                fields.iter().map(|field| ArrowField::new(field.name.clone(), field.ty.arrow(), true)).collect(),
            ),
        }
    }
}

/// The field of a list's elements. Nullability is kept out of Arrow's types: the logical type has it.
pub(crate) fn list_field(element: &DataType) -> Arc<ArrowField> {
    Arc::new(ArrowField::new("item", element.arrow(), true))
}

/// The field of a map's entries.
pub(crate) fn entries_field(key: &DataType, value: &DataType) -> Arc<ArrowField> {
    Arc::new(ArrowField::new("entries", ArrowType::Struct(entry_fields(key, value)), false))
}

/// Key and value of a map's entries. Arrow has no NULL key; Flink's maps may have one, at most in theory.
pub(crate) fn entry_fields(key: &DataType, value: &DataType) -> Fields {
    Fields::from(vec![ArrowField::new("key", key.arrow(), false), ArrowField::new("value", value.arrow(), true)])
}
