//! Casts to text and to bytes: CHAR(n) pads with blanks, BINARY(n) with zeros, both and VARCHAR(n), VARBINARY(n) cut.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};

use crate::text::write_cell;
use crate::{DataType, LogicalType, Zone};

pub(super) fn to_text(column: &ArrayRef, from: &DataType, to: &LogicalType, zone: Zone) -> ArrayRef {
    let (length, pad) = match to {
        LogicalType::Char(n) => (*n as usize, true),
        LogicalType::VarChar(n) => (*n as usize, false),
        other => unreachable!("{other} is not text"),
    };
    let unlimited = length == DataType::MAX_LENGTH as usize;
    match &from.logical {
        // Values of a CHAR(n) need not be n long, so only the limit counts.
        LogicalType::Char(n) | LogicalType::VarChar(n) if !pad && *n as usize <= length => return column.clone(),
        _ => {}
    }
    let mut builder = StringBuilder::with_capacity(column.len(), column.len() * 8);
    let mut text = String::new();
    for row in 0..column.len() {
        if column.is_null(row) {
            builder.append_null();
            continue;
        }
        text.clear();
        write_cell(&mut text, column, row, from, zone, false);
        if !unlimited {
            fit(&mut text, length, pad);
        }
        builder.append_value(&text);
    }
    Arc::new(builder.finish())
}

fn fit(text: &mut String, length: usize, pad: bool) {
    match text.char_indices().nth(length) {
        Some((end, _)) => text.truncate(end),
        None if pad => {
            let missing = length - text.chars().count();
            text.extend(std::iter::repeat_n(' ', missing));
        }
        None => {}
    }
}

pub(super) fn to_binary(column: &ArrayRef, from: &LogicalType, to: &LogicalType) -> ArrayRef {
    let (length, pad) = match to {
        LogicalType::Binary(n) => (*n as usize, true),
        LogicalType::VarBinary(n) => (*n as usize, false),
        other => unreachable!("{other} is not binary"),
    };
    let mut builder = BinaryBuilder::with_capacity(column.len(), column.len() * 8);
    let mut append = |value: Option<&[u8]>| match value {
        None => builder.append_null(),
        Some(bytes) if bytes.len() < length && pad => {
            let mut padded = bytes.to_vec();
            padded.resize(length, 0);
            builder.append_value(padded);
        }
        Some(bytes) => builder.append_value(&bytes[..bytes.len().min(length)]),
    };
    if from.is_character() {
        column.as_string::<i32>().iter().for_each(|text| append(text.map(str::as_bytes)));
    } else {
        column.as_binary::<i32>().iter().for_each(append);
    }
    Arc::new(builder.finish())
}
