//! Type names of the syntax tree as data types, with Flink's bounds and defaults.

use tidegate_data::{DataType, Field, LogicalType, TimeKind};
use tidegate_diag::{Diagnostic, closest};
use tidegate_sql::ast::{IntervalQualifier, TimeUnit, TypeKind, TypeName};

use crate::codes::{BAD_TYPE, NOT_YET};

/// The types that can be named, for hints.
const TYPE_NAMES: [&str; 20] = [
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL",
    "CHAR",
    "VARCHAR",
    "STRING",
    "BINARY",
    "VARBINARY",
    "BYTES",
    "DATE",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMP_LTZ",
    "ARRAY",
    "ROW",
];

/// The data type that a type name stands for.
///
/// # Errors
/// Lengths and precisions out of bounds, in Flink's words; types that are not supported yet.
pub fn data_type(name: &TypeName) -> Result<DataType, Diagnostic> {
    let error = |message: String| Diagnostic::error(BAD_TYPE, message).at(name.span);
    let not_yet = |what: &str| Diagnostic::error(NOT_YET, format!("{what} is not supported yet.")).at(name.span);
    let length = |n: Option<u32>, what: &str| match n {
        None => Ok(1),
        Some(0) => {
            Err(error(format!("{what} string length must be between 1 and {} (both inclusive).", DataType::MAX_LENGTH)))
        }
        Some(n) => Ok(n.min(DataType::MAX_LENGTH)),
    };
    let precision = |p: Option<u32>, default: u8, what: &str| match p {
        None => Ok(default),
        Some(p @ 0..=9) => Ok(p as u8),
        Some(_) => Err(error(format!("{what} precision must be between 0 and 9 (both inclusive)."))),
    };
    let logical = match &name.kind {
        TypeKind::Boolean => LogicalType::Boolean,
        TypeKind::TinyInt => LogicalType::TinyInt,
        TypeKind::SmallInt => LogicalType::SmallInt,
        TypeKind::Int => LogicalType::Int,
        TypeKind::BigInt => LogicalType::BigInt,
        TypeKind::Float => LogicalType::Float,
        TypeKind::Double => LogicalType::Double,
        TypeKind::Decimal { precision, scale } => {
            let p = precision.unwrap_or(10);
            let s = scale.unwrap_or(0);
            // More digits than there are become as many as there are.
            let p = p.min(38);
            if p == 0 {
                return Err(error("Decimal precision must be between 1 and 38 (both inclusive).".into()));
            }
            if s > p {
                return Err(error(format!("Decimal scale must be between 0 and the precision {p} (both inclusive).")));
            }
            LogicalType::Decimal(p as u8, s as u8)
        }
        TypeKind::Char(n) => LogicalType::Char(length(*n, "Character")?),
        TypeKind::Varchar(None) => LogicalType::VarChar(DataType::MAX_LENGTH),
        TypeKind::Varchar(n) => LogicalType::VarChar(length(*n, "Variable character")?),
        TypeKind::String => LogicalType::VarChar(DataType::MAX_LENGTH),
        TypeKind::Binary(n) => LogicalType::Binary(length(*n, "Binary")?),
        TypeKind::Varbinary(None) => LogicalType::VarBinary(DataType::MAX_LENGTH),
        TypeKind::Varbinary(n) => LogicalType::VarBinary(length(*n, "Variable binary")?),
        TypeKind::Bytes => LogicalType::VarBinary(DataType::MAX_LENGTH),
        TypeKind::Date => LogicalType::Date,
        // Flink's SQL knows TIME(0) only: other precisions are taken and forgotten.
        TypeKind::Time(p) => {
            precision(*p, 0, "Time")?;
            LogicalType::Time(0)
        }
        TypeKind::Timestamp(p) => LogicalType::Timestamp(precision(*p, 6, "Timestamp")?, TimeKind::Regular),
        TypeKind::TimestampLtz(p) => {
            LogicalType::TimestampLtz(precision(*p, 6, "Timestamp with local time zone")?, TimeKind::Regular)
        }
        TypeKind::TimestampTz(_) => return Err(not_yet("TIMESTAMP WITH TIME ZONE")),
        TypeKind::Interval(qualifier) => interval(qualifier),
        TypeKind::Array(element) => LogicalType::Array(Box::new(data_type(element)?)),
        TypeKind::Map(key, value) => LogicalType::Map(Box::new(data_type(key)?), Box::new(data_type(value)?)),
        TypeKind::Multiset(element) => LogicalType::Multiset(Box::new(data_type(element)?)),
        TypeKind::Row(fields) => LogicalType::Row(
            fields
                .iter()
                .map(|field| Ok(Field { name: field.name.value.clone(), ty: data_type(&field.ty)? }))
                .collect::<Result<_, Diagnostic>>()?,
        ),
        TypeKind::Raw(_) => return Err(not_yet("RAW")),
        TypeKind::Variant => return Err(not_yet("VARIANT")),
        TypeKind::Null => LogicalType::Null,
        TypeKind::Named(object) => {
            let text: Vec<&str> = object.parts.iter().map(|part| part.value.as_str()).collect();
            let text = text.join(".");
            let unknown = error(format!("Unknown identifier '{text}'"));
            return Err(match closest(&text, TYPE_NAMES) {
                Some(near) => unknown.hint(format!("Did you mean {near}?")).fix(name.span, near),
                None => unknown.hint(format!("There is no such type. The types are {}.", TYPE_NAMES.join(", "))),
            });
        }
    };
    Ok(DataType { logical, nullable: name.nullable.unwrap_or(true) })
}

/// The type of an interval: of months, or of milliseconds.
pub fn interval(qualifier: &IntervalQualifier) -> LogicalType {
    match qualifier.start {
        TimeUnit::Year
        | TimeUnit::Quarter
        | TimeUnit::Month
        | TimeUnit::Decade
        | TimeUnit::Century
        | TimeUnit::Millennium => LogicalType::IntervalYearMonth,
        _ => LogicalType::IntervalDayTime,
    }
}
