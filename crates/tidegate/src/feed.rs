//! Rows typed by hand: text to values, by `CAST(text AS type)`.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use tidegate_data::{Chunk, DataType, RowKind, Schema, Value, Zone, build_column, cast_column, cell_text, value_at};

/// A value that does not fit its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The column, from 0.
    pub column: usize,
    /// Why.
    pub message: String,
}

/// The values of a row, one text per physical column, `None` for NULL.
///
/// # Errors
/// Every value that does not fit.
pub fn parse_row(schema: &Schema, texts: &[Option<String>], zone: Zone) -> Result<Vec<Value>, Vec<FieldError>> {
    if texts.len() != schema.fields.len() {
        let message = format!("The table has {} columns, but {} values were given.", schema.fields.len(), texts.len());
        return Err(vec![FieldError { column: texts.len().min(schema.fields.len().saturating_sub(1)), message }]);
    }
    let (mut row, mut errors) = (Vec::new(), Vec::new());
    for (column, (field, text)) in schema.fields.iter().zip(texts).enumerate() {
        let cut = text.as_deref().filter(|text| field.ty.logical.is_integer() && !is_whole(text));
        let value = match cut {
            // A cast would cut the fraction off without a word.
            Some(text) => Err(format!("'{text}' is no {}.", field.ty.with_nullable(true))),
            None => parse_value(&field.ty, text.as_deref(), zone),
        };
        match value {
            Ok(value) => row.push(value),
            Err(message) => errors.push(FieldError { column, message }),
        }
    }
    if errors.is_empty() { Ok(row) } else { Err(errors) }
}

/// Whether a text is a whole number: digits, and a sign at the most.
fn is_whole(text: &str) -> bool {
    let digits = text.trim();
    let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// One value of type `ty`.
///
/// # Errors
/// Why the text does not fit, for people.
pub fn parse_value(ty: &DataType, text: Option<&str>, zone: Zone) -> Result<Value, String> {
    let Some(text) = text else {
        return if ty.nullable { Ok(Value::Null) } else { Err(format!("NULL does not fit {ty}.")) };
    };
    let column: ArrayRef = Arc::new(StringArray::from(vec![text]));
    let cast = cast_column(&column, &DataType::string(), ty, false, zone)
        .map_err(|_| format!("'{text}' is no {}.", ty.with_nullable(true)))?;
    match value_at(&*cast, 0, ty) {
        Value::Null if !ty.nullable => Err(format!("'{text}' is no {ty}.")),
        Value::Null => Err(format!("'{text}' is no {}.", ty.with_nullable(true))),
        value => Ok(value),
    }
}

/// A timestamp text as milliseconds, for an explicit watermark.
///
/// # Errors
/// Why the text is no timestamp.
pub fn parse_watermark(text: &str) -> Result<i64, String> {
    let ty = DataType::new(tidegate_data::LogicalType::Timestamp(3, tidegate_data::TimeKind::Regular));
    match parse_value(&ty, Some(text), Zone::UTC)? {
        Value::Int(ms) => Ok(ms),
        _ => Err(format!("'{text}' is no timestamp.")),
    }
}

/// One value as Flink's text of it; `None` for NULL.
pub fn value_text(ty: &DataType, value: &Value, zone: Zone) -> Option<String> {
    let column = build_column(&ty.with_nullable(true), [value]).ok()?;
    cell_text(&*column, 0, ty, zone)
}

/// The values of a row as texts.
pub fn row_texts(schema: &Schema, values: &[Value], zone: Zone) -> Vec<Option<String>> {
    schema.fields.iter().zip(values).map(|(field, value)| value_text(&field.ty, value, zone)).collect()
}

/// Rows as a chunk of a table's physical columns.
///
/// # Errors
/// When a value does not fit its column.
pub fn rows_chunk(schema: &Schema, rows: Vec<(RowKind, Vec<Value>)>) -> Result<Chunk, String> {
    let columns = schema.fields.iter().enumerate().map(|(column, field)| {
        build_column(&field.ty, rows.iter().map(|(_, row)| &row[column])).map_err(|error| error.to_string())
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    Ok(Chunk::with_kinds(columns, rows.iter().map(|(kind, _)| *kind).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_data::{Field, LogicalType};

    #[test]
    fn whole_numbers_are_not_cut_from_others() {
        let schema = Schema { fields: vec![Field { name: "n".into(), ty: DataType::new(LogicalType::BigInt) }] };
        let row = |text: &str| parse_row(&schema, &[Some(text.to_owned())], Zone::UTC);
        assert_eq!(row(" -12 "), Ok(vec![Value::Int(-12)]));
        for text in ["1.5", "1.0", "1e3", "", "-", "one"] {
            let message = format!("'{text}' is no BIGINT.");
            assert_eq!(row(text), Err(vec![FieldError { column: 0, message }]), "{text}");
        }
        assert_eq!(parse_row(&schema, &[None], Zone::UTC), Ok(vec![Value::Null]));
    }
}
