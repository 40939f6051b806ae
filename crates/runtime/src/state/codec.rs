//! The bytes of a state entry's row: each slot column's value in turn, integers as variable-length zigzag numbers.

use std::sync::Arc;

use tidegate_data::keys::encode::decode_value;
use tidegate_data::{DataType, Field, LogicalType, SlotColumn, Value, Zone, build_column, cell_text};

/// Appends an unsigned number, seven bits a byte, low ones first.
pub(super) fn put_unsigned(out: &mut Vec<u8>, mut value: u128) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes an unsigned number off the front.
pub(super) fn take_unsigned(bytes: &mut &[u8]) -> Option<u128> {
    let mut value = 0u128;
    for shift in (0..128).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u128::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn put_signed(out: &mut Vec<u8>, value: i128) {
    put_unsigned(out, (value << 1 ^ value >> 127) as u128);
}

fn take_signed(bytes: &mut &[u8]) -> Option<i128> {
    let value = take_unsigned(bytes)?;
    Some((value >> 1) as i128 ^ -((value & 1) as i128))
}

/// Appends a time.
pub(super) fn put_time(out: &mut Vec<u8>, time: i64) {
    put_signed(out, time.into());
}

/// Takes a time off the front.
pub(super) fn take_time(bytes: &mut &[u8]) -> Option<i64> {
    i64::try_from(take_signed(bytes)?).ok()
}

/// Appends the row in slot `slot`.
pub(super) fn put_row(out: &mut Vec<u8>, columns: &[SlotColumn], slot: u32) {
    let slot = slot as usize;
    for column in columns {
        match column {
            SlotColumn::I64(values) => put_signed(out, values[slot].into()),
            SlotColumn::I128(values) => put_signed(out, values[slot]),
            SlotColumn::F64(values) => out.extend(values[slot].to_le_bytes()),
            SlotColumn::Bytes(values) => match &values[slot] {
                None => out.push(0),
                Some(bytes) => {
                    put_unsigned(out, bytes.len() as u128 + 1);
                    out.extend_from_slice(bytes);
                }
            },
        }
    }
}

/// Sets the row in slot `slot`; `None` when the bytes do not fit the columns.
pub(super) fn take_row(mut bytes: &[u8], columns: &mut [SlotColumn], slot: u32) -> Option<()> {
    let slot = slot as usize;
    for column in columns {
        match column {
            SlotColumn::I64(values) => values[slot] = i64::try_from(take_signed(&mut bytes)?).ok()?,
            SlotColumn::I128(values) => values[slot] = take_signed(&mut bytes)?,
            SlotColumn::F64(values) => {
                let (head, rest) = bytes.split_first_chunk()?;
                values[slot] = f64::from_le_bytes(*head);
                bytes = rest;
            }
            SlotColumn::Bytes(values) => {
                values[slot] = match usize::try_from(take_unsigned(&mut bytes)?).ok()? {
                    0 => None,
                    len => {
                        let (head, rest) = bytes.split_at_checked(len - 1)?;
                        bytes = rest;
                        Some(Arc::from(head))
                    }
                };
            }
        }
    }
    bytes.is_empty().then_some(())
}

/// The label of a column that is no value of its own: where it is 0, the column before it is NULL.
const IS_SET: &str = "?";

/// The label of whole rows, which are shown field by field where the fields are known.
const ROW: &str = "row";
/// The label of times, in ms.
const TIMES: [&str; 2] = ["time", "end"];

/// How a column is shown whose slots do not say what they hold.
#[derive(Clone, Debug)]
pub(super) enum Look {
    /// Numbers as values of this type: a DECIMAL has its scale, a DATE is one.
    As(DataType),
    /// Encoded rows, field by field.
    Fields(Vec<Field>),
}

/// The row in slot `slot` for people; columns without a label, and whole rows that are not there, are left out. `fields` are those of
/// whole rows, `looks` say of other columns (by place) how they are shown.
pub(super) fn row_text(
    columns: &[SlotColumn],
    labels: &[String],
    slot: u32,
    fields: &[Field],
    looks: &[(usize, Look)],
) -> String {
    let slot = slot as usize;
    let mut parts = Vec::new();
    for (place, (column, label)) in columns.iter().zip(labels).enumerate() {
        if label.is_empty() || label == IS_SET {
            continue;
        }
        let set = labels.get(place + 1).filter(|next| *next == IS_SET).and(columns.get(place + 1));
        if matches!(set, Some(SlotColumn::I64(set)) if set[slot] == 0) {
            parts.push(format!("{label}=NULL"));
            continue;
        }
        let look = looks.iter().find(|(of, _)| *of == place).map(|(_, look)| look);
        let text = match (column, look) {
            (SlotColumn::I64(values), Some(Look::As(ty))) => typed(ty, values[slot].into()),
            (SlotColumn::I128(values), Some(Look::As(ty))) => typed(ty, values[slot]),
            (SlotColumn::Bytes(values), Some(Look::Fields(fields))) => {
                parts.extend(values[slot].as_ref().map(|bytes| named(bytes, fields)));
                continue;
            }
            (SlotColumn::I64(values), _) if TIMES.contains(&label.as_str()) => time_text(values[slot]),
            (SlotColumn::I64(values), _) => values[slot].to_string(),
            (SlotColumn::I128(values), _) => values[slot].to_string(),
            (SlotColumn::F64(values), _) => values[slot].to_string(),
            (SlotColumn::Bytes(values), _) => match &values[slot] {
                None if label == ROW => continue,
                None => "NULL".to_owned(),
                Some(bytes) if label == ROW && !fields.is_empty() => {
                    parts.push(named(bytes, fields));
                    continue;
                }
                Some(bytes) => bytes_text(bytes),
            },
        };
        parts.push(format!("{label}={text}"));
    }
    parts.join(", ")
}

/// A time, in ms.
pub(super) fn time_text(time: i64) -> String {
    let mut text = String::new();
    tidegate_data::text::time::write_timestamp(&mut text, time, 3);
    text
}

/// Bytes of which it is not known what they are: a text, or how many there are.
pub(super) fn bytes_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => text.to_owned(),
        _ => format!("{} bytes", bytes.len()),
    }
}

/// A number in a slot as a value of this type.
pub(super) fn typed(ty: &DataType, number: i128) -> String {
    let value = match ty.logical {
        LogicalType::Decimal(..) => Value::Decimal(number),
        LogicalType::Boolean => Value::Boolean(number != 0),
        _ => i64::try_from(number).map_or(Value::Null, Value::Int),
    };
    let column = build_column(&ty.with_nullable(true), [&value]).ok();
    column.and_then(|column| cell_text(&*column, 0, ty, Zone::UTC)).unwrap_or_else(|| number.to_string())
}

/// The values of an encoded row, with the names of its fields.
pub(super) fn named(bytes: &[u8], fields: &[Field]) -> String {
    let texts = texts(bytes, fields.iter().map(|field| &field.ty));
    let named = texts.iter().zip(fields).map(|(text, field)| format!("{}={text}", field.name));
    named.collect::<Vec<_>>().join(", ")
}

/// The values of an encoded key or row, as texts.
pub(super) fn texts<'a>(mut bytes: &[u8], types: impl Iterator<Item = &'a DataType>) -> Vec<String> {
    let mut texts = Vec::new();
    for ty in types {
        if bytes.is_empty() {
            break;
        }
        let value = decode_value(&mut bytes, ty);
        let column = build_column(&ty.with_nullable(true), [&value]);
        let text = column.ok().and_then(|column| cell_text(&*column, 0, ty, Zone::UTC));
        texts.push(text.unwrap_or_else(|| "NULL".to_owned()));
    }
    texts
}

/// The name of a column's type in a table's schema.
pub(super) fn type_name(column: &SlotColumn) -> String {
    match column {
        SlotColumn::I64(_) => "i64",
        SlotColumn::I128(_) => "i128",
        SlotColumn::F64(_) => "f64",
        SlotColumn::Bytes(_) => "bytes",
    }
    .to_owned()
}

/// A table's schema, with what its rows mean.
pub(super) fn with_meaning(schema: String, meaning: &str) -> String {
    if meaning.is_empty() { schema } else { format!("{schema} of {meaning}") }
}

/// Approximate bytes of the columns.
pub(super) fn column_bytes(columns: &[SlotColumn]) -> usize {
    columns
        .iter()
        .map(|column| match column {
            SlotColumn::I64(values) => values.capacity() * 8,
            SlotColumn::I128(values) => values.capacity() * 16,
            SlotColumn::F64(values) => values.capacity() * 8,
            // Counting each string would cost a pass over all of them: 32 bytes stand for one.
            SlotColumn::Bytes(values) => values.capacity() * 16 + values.len() * 32,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        let numbers = [0, 1, -1, 63, -64, 64, i64::MAX, i64::MIN];
        let wide = [0, i128::MAX, i128::MIN, -1, 1 << 100, 7, 8, 9];
        let strings = [None, Some(Arc::from(&b""[..])), Some(Arc::from(vec![7u8; 300]))];
        for slot in 0..8 {
            let mut columns = vec![
                SlotColumn::I64(vec![numbers[slot]]),
                SlotColumn::I128(vec![wide[slot]]),
                SlotColumn::F64(vec![numbers[slot] as f64 / 3.0]),
                SlotColumn::Bytes(vec![strings[slot % 3].clone()]),
            ];
            let mut bytes = Vec::new();
            put_row(&mut bytes, &columns, 0);
            let wanted = format!("{columns:?}");
            columns.iter_mut().for_each(|column| column.clear(0));
            take_row(&bytes, &mut columns, 0).unwrap();
            assert_eq!(format!("{columns:?}"), wanted);
            assert!(take_row(&bytes[..bytes.len() - 1], &mut columns, 0).is_none());
        }
    }
}
