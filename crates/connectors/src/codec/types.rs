//! Types and schemas as bytes.

use tidegate_data::{DataType, Field, LogicalType, Schema, TimeKind};

use super::{Input, put_number, put_text};

const NULLABLE: u8 = 0x80;

/// Appends the columns' names and types.
pub(crate) fn write_schema(out: &mut Vec<u8>, schema: &Schema) {
    write_fields(out, &schema.fields);
}

/// What [`write_schema`] wrote.
pub(crate) fn read_schema(input: &mut Input<'_>) -> Option<Schema> {
    read_fields(input, 0).map(|fields| Schema { fields })
}

fn write_fields(out: &mut Vec<u8>, fields: &[Field]) {
    put_number(out, fields.len() as u64);
    for field in fields {
        put_text(out, &field.name);
        write_type(out, &field.ty);
    }
}

fn read_fields(input: &mut Input<'_>, depth: u8) -> Option<Vec<Field>> {
    let len = input.number()?;
    let mut fields = Vec::new();
    for _ in 0..len {
        fields.push(Field { name: input.text()?.to_owned(), ty: read_type(input, depth)? });
    }
    Some(fields)
}

fn write_type(out: &mut Vec<u8>, ty: &DataType) {
    let tag = match &ty.logical {
        LogicalType::Null => 0,
        LogicalType::Boolean => 1,
        LogicalType::TinyInt => 2,
        LogicalType::SmallInt => 3,
        LogicalType::Int => 4,
        LogicalType::BigInt => 5,
        LogicalType::Float => 6,
        LogicalType::Double => 7,
        LogicalType::Decimal(..) => 8,
        LogicalType::Char(_) => 9,
        LogicalType::VarChar(_) => 10,
        LogicalType::Binary(_) => 11,
        LogicalType::VarBinary(_) => 12,
        LogicalType::Date => 13,
        LogicalType::Time(_) => 14,
        LogicalType::Timestamp(..) => 15,
        LogicalType::TimestampLtz(..) => 16,
        LogicalType::IntervalYearMonth => 17,
        LogicalType::IntervalDayTime => 18,
        LogicalType::Array(_) => 19,
        LogicalType::Map(..) => 20,
        LogicalType::Multiset(_) => 21,
        LogicalType::Row(_) => 22,
    };
    out.push(tag | if ty.nullable { NULLABLE } else { 0 });
    match &ty.logical {
        LogicalType::Decimal(p, s) => out.extend([*p, *s]),
        LogicalType::Char(n) | LogicalType::VarChar(n) | LogicalType::Binary(n) | LogicalType::VarBinary(n) => {
            put_number(out, u64::from(*n));
        }
        LogicalType::Time(p) => out.push(*p),
        LogicalType::Timestamp(p, kind) | LogicalType::TimestampLtz(p, kind) => out.extend([*p, *kind as u8]),
        LogicalType::Array(element) | LogicalType::Multiset(element) => write_type(out, element),
        LogicalType::Map(key, value) => {
            write_type(out, key);
            write_type(out, value);
        }
        LogicalType::Row(fields) => write_fields(out, fields),
        _ => {}
    }
}

fn read_type(input: &mut Input<'_>, depth: u8) -> Option<DataType> {
    // A deep nest can only be nonsense, and must not use up the stack.
    if depth > 64 {
        return None;
    }
    let tag = input.byte()?;
    let inner = |input: &mut Input<'_>| read_type(input, depth + 1).map(Box::new);
    let length = |input: &mut Input<'_>| u32::try_from(input.number()?).ok();
    let logical = match tag & !NULLABLE {
        0 => LogicalType::Null,
        1 => LogicalType::Boolean,
        2 => LogicalType::TinyInt,
        3 => LogicalType::SmallInt,
        4 => LogicalType::Int,
        5 => LogicalType::BigInt,
        6 => LogicalType::Float,
        7 => LogicalType::Double,
        8 => match (input.byte()?, input.byte()?) {
            (p @ 1..=38, s) if s <= p => LogicalType::Decimal(p, s),
            _ => return None,
        },
        9 => LogicalType::Char(length(input)?),
        10 => LogicalType::VarChar(length(input)?),
        11 => LogicalType::Binary(length(input)?),
        12 => LogicalType::VarBinary(length(input)?),
        13 => LogicalType::Date,
        14 => LogicalType::Time(input.byte()?),
        15 => LogicalType::Timestamp(input.byte()?, read_kind(input)?),
        16 => LogicalType::TimestampLtz(input.byte()?, read_kind(input)?),
        17 => LogicalType::IntervalYearMonth,
        18 => LogicalType::IntervalDayTime,
        19 => LogicalType::Array(inner(input)?),
        20 => LogicalType::Map(inner(input)?, inner(input)?),
        21 => LogicalType::Multiset(inner(input)?),
        22 => LogicalType::Row(read_fields(input, depth + 1)?),
        _ => return None,
    };
    Some(DataType { logical, nullable: tag & NULLABLE != 0 })
}

fn read_kind(input: &mut Input<'_>) -> Option<TimeKind> {
    match input.byte()? {
        0 => Some(TimeKind::Regular),
        1 => Some(TimeKind::Rowtime),
        2 => Some(TimeKind::Proctime),
        _ => None,
    }
}
