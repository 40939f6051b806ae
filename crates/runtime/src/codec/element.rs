//! Elements of a channel as bytes: what was on its way when a barrier overtook it.

use std::sync::Arc;

use arrow_schema::{DataType as ArrowType, Field, Fields, TimeUnit};
use tidegate_data::{Chunk, Kinds, RowKind};

use super::{Input, array, put_number, put_text};
use crate::element::{Element, WatermarkStatus};

/// The bytes of an element; `None` for barriers and the end, which come anew after a restore.
pub(crate) fn encode(element: &Element) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    match element {
        Element::Chunk(chunk) => {
            out.push(0);
            put_number(&mut out, chunk.len as u64);
            match &chunk.kinds {
                Kinds::Insert => out.push(0),
                Kinds::Each(kinds) => {
                    out.push(1);
                    out.extend(kinds.iter().map(|kind| *kind as u8));
                }
            }
            put_number(&mut out, chunk.columns.len() as u64);
            for column in &chunk.columns {
                write_type(&mut out, column.data_type())?;
                array::write(&mut out, column.as_ref());
            }
        }
        Element::Watermark(watermark) => {
            out.push(1);
            out.extend(watermark.to_le_bytes());
        }
        Element::Status(status) => out.extend([2, u8::from(*status == WatermarkStatus::Idle)]),
        Element::Barrier(_) | Element::End => return None,
    }
    Some(out)
}

/// What [`encode`] wrote; `None` if it is not that.
pub(crate) fn decode(bytes: &[u8]) -> Option<Element> {
    let input = &mut Input(bytes);
    Some(match input.byte()? {
        0 => {
            let len = usize::try_from(input.number()?).ok()?;
            let kinds = match input.byte()? {
                0 => Kinds::Insert,
                _ => {
                    let kinds = input.take(len)?.iter().map(|byte| RowKind::ALL.get(usize::from(*byte)).copied());
                    Kinds::Each(kinds.collect::<Option<Vec<_>>>()?.into())
                }
            };
            let mut columns = Vec::new();
            for _ in 0..input.number()? {
                let ty = read_type(input, 0)?;
                columns.push(array::read(input, &ty, len)?);
            }
            Element::Chunk(Chunk { columns, kinds, len, origins: None })
        }
        1 => Element::Watermark(i64::from_le_bytes(input.take(8)?.try_into().ok()?)),
        2 if input.byte()? == 1 => Element::Status(WatermarkStatus::Idle),
        2 => Element::Status(WatermarkStatus::Active),
        _ => return None,
    })
}

fn write_type(out: &mut Vec<u8>, ty: &ArrowType) -> Option<()> {
    let tag = match ty {
        ArrowType::Null => 0,
        ArrowType::Boolean => 1,
        ArrowType::Int8 => 2,
        ArrowType::Int16 => 3,
        ArrowType::Int32 => 4,
        ArrowType::Int64 => 5,
        ArrowType::Float32 => 6,
        ArrowType::Float64 => 7,
        ArrowType::Decimal128(..) => 8,
        ArrowType::Date32 => 9,
        ArrowType::Time32(_) => 10,
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => 11,
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => 12,
        ArrowType::Timestamp(..) => 13,
        ArrowType::Utf8 => 14,
        ArrowType::Binary => 15,
        ArrowType::List(_) => 16,
        ArrowType::Map(..) => 17,
        ArrowType::Struct(_) => 18,
        _ => return None,
    };
    out.push(tag);
    match ty {
        ArrowType::Decimal128(p, s) => out.extend([*p, *s as u8]),
        ArrowType::Timestamp(_, zone) => put_text(out, zone.as_deref().unwrap_or_default()),
        ArrowType::List(field) => write_field(out, field)?,
        ArrowType::Map(field, sorted) => {
            out.push(u8::from(*sorted));
            write_field(out, field)?;
        }
        ArrowType::Struct(fields) => {
            put_number(out, fields.len() as u64);
            for field in fields {
                write_field(out, field)?;
            }
        }
        _ => {}
    }
    Some(())
}

fn write_field(out: &mut Vec<u8>, field: &Field) -> Option<()> {
    put_text(out, field.name());
    out.push(u8::from(field.is_nullable()));
    write_type(out, field.data_type())
}

fn read_type(input: &mut Input<'_>, depth: u8) -> Option<ArrowType> {
    // A deep nest can only be nonsense, and must not use up the stack.
    if depth > 64 {
        return None;
    }
    let unit = |tag| match tag {
        11 => TimeUnit::Millisecond,
        12 => TimeUnit::Microsecond,
        _ => TimeUnit::Nanosecond,
    };
    Some(match input.byte()? {
        0 => ArrowType::Null,
        1 => ArrowType::Boolean,
        2 => ArrowType::Int8,
        3 => ArrowType::Int16,
        4 => ArrowType::Int32,
        5 => ArrowType::Int64,
        6 => ArrowType::Float32,
        7 => ArrowType::Float64,
        8 => ArrowType::Decimal128(input.byte()?, input.byte()? as i8),
        9 => ArrowType::Date32,
        10 => ArrowType::Time32(TimeUnit::Millisecond),
        tag @ 11..=13 => {
            let zone = input.text()?;
            ArrowType::Timestamp(unit(tag), (!zone.is_empty()).then(|| zone.into()))
        }
        14 => ArrowType::Utf8,
        15 => ArrowType::Binary,
        16 => ArrowType::List(Arc::new(read_field(input, depth)?)),
        17 => {
            let sorted = input.byte()? == 1;
            ArrowType::Map(Arc::new(read_field(input, depth)?), sorted)
        }
        18 => {
            let count = input.number()?;
            let fields = (0..count).map(|_| read_field(input, depth)).collect::<Option<Vec<Field>>>()?;
            ArrowType::Struct(Fields::from(fields))
        }
        _ => return None,
    })
}

fn read_field(input: &mut Input<'_>, depth: u8) -> Option<Field> {
    let name = input.text()?.to_owned();
    let nullable = input.byte()? == 1;
    Some(Field::new(name, read_type(input, depth + 1)?, nullable))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_data::{DataType, Field as Column, LogicalType, Value, build_column};

    #[test]
    fn elements_come_back() {
        let new = DataType::new;
        let row = LogicalType::Row(vec![Column { name: "a".into(), ty: DataType::string() }]);
        let columns = [
            (new(LogicalType::Int), Value::Int(7)),
            (DataType::string(), Value::from("x")),
            (new(LogicalType::Decimal(10, 2)), Value::Decimal(123)),
            (new(LogicalType::Array(Box::new(new(LogicalType::BigInt)))), Value::List(vec![Value::Int(1)])),
            (new(row), Value::List(vec![Value::Null])),
        ];
        let columns = columns.iter().map(|(ty, value)| build_column(ty, [value, &Value::Null]).unwrap()).collect();
        let kinds = Kinds::from(vec![RowKind::UpdateBefore, RowKind::UpdateAfter]);
        let chunk = Chunk { columns, kinds, len: 2, origins: None };
        let elements = [Element::Chunk(chunk), Element::Watermark(-5), Element::Status(WatermarkStatus::Idle)];
        for element in elements {
            let bytes = encode(&element).unwrap();
            let back = decode(&bytes).unwrap();
            assert_eq!(format!("{back:?}"), format!("{element:?}"));
            assert!((0..bytes.len()).all(|cut| decode(&bytes[..cut]).is_none()));
        }
        assert!(encode(&Element::End).is_none());
    }
}
