//! Rows typed by hand: text to values, by `CAST(text AS type)`, or as a case writes them where there is no such cast.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use tidegate_data::{
    Chunk, DataType, LogicalType, RowKind, Schema, Value, Zone, build_column, cast_column, cell_text, value_at,
};

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
    match &ty.logical {
        LogicalType::Array(_) | LogicalType::Map(..) | LogicalType::Multiset(_) | LogicalType::Row(_) => {
            return written(ty, text, zone);
        }
        LogicalType::IntervalYearMonth | LogicalType::IntervalDayTime => {
            let value = interval(text, ty.logical == LogicalType::IntervalYearMonth);
            return value
                .ok_or_else(|| format!("'{text}' is no {}: write 2-06 or 1 12:30:00.000.", ty.with_nullable(true)));
        }
        _ => {}
    }
    let column: ArrayRef = Arc::new(StringArray::from(vec![text]));
    let cast = cast_column(&column, &DataType::string(), ty, false, zone)
        .map_err(|_| format!("'{text}' is no {}.", ty.with_nullable(true)))?;
    match value_at(&*cast, 0, ty) {
        Value::Null if !ty.nullable => Err(format!("'{text}' is no {ty}.")),
        Value::Null => Err(format!("'{text}' is no {}.", ty.with_nullable(true))),
        value => Ok(value),
    }
}

/// A value of many, as a case's data writes it: `[1, 2]`, `{'a': 1}`, `(1, 'a')`.
fn written(ty: &DataType, text: &str, zone: Zone) -> Result<Value, String> {
    let form = match &ty.logical {
        LogicalType::Array(_) => "[1, 2] or ['a', NULL]",
        LogicalType::Row(_) => "(1, 'a')",
        LogicalType::Multiset(_) => "{'a': 2}, each value with its count",
        _ => "{'a': 1}",
    };
    let literal = tidegate_sql::case::read_value(text.trim())
        .map_err(|_| format!("'{text}' is no {}: it is written like {form}.", ty.with_nullable(true)))?;
    crate::case::literal::value(ty, &literal, zone).map_err(|why| format!("'{text}': {why} It is written like {form}."))
}

/// Months of `years-months`, or milliseconds of `days hours:minutes:seconds`, with a sign or without.
fn interval(text: &str, months: bool) -> Option<Value> {
    let text = text.trim();
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let number = |digits: &str, below: i64| {
        let digits =
            Some(digits).filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.parse::<i64>().ok().filter(|number| *number < below)
    };
    if months {
        let (years, months) = text.split_once('-')?;
        return Some(Value::Int(sign * (number(years, 100_000_000)? * 12 + number(months, 12)?)));
    }
    let (days, time) = text.split_once(' ')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let [hours, minutes, seconds] = time.split(':').collect::<Vec<_>>().try_into().ok()?;
    let fraction = Some(fraction).filter(|fraction| fraction.len() <= 3)?;
    let ms = number(&format!("{fraction:0<3}"), 1000)?;
    let seconds = (number(hours, 24)? * 60 + number(minutes, 60)?) * 60 + number(seconds, 60)?;
    Some(Value::Int(sign * ((number(days, 10_000_000)? * 86_400 + seconds) * 1000 + ms)))
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

/// The rows of a chunk as texts.
pub fn chunk_texts(chunk: &Chunk, schema: &Schema, zone: Zone) -> Vec<Vec<Option<String>>> {
    let row = |row: usize| {
        let columns = chunk.columns.iter().zip(&schema.fields);
        columns.map(|(column, field)| cell_text(&**column, row, &field.ty, zone)).collect()
    };
    (0..chunk.len).map(row).collect()
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
    use tidegate_data::Field;

    #[test]
    fn values_of_many_are_written_as_in_a_case() {
        let int = || Box::new(DataType::new(LogicalType::Int));
        let read = |ty: &LogicalType, text: &str| parse_value(&DataType::new(ty.clone()), Some(text), Zone::UTC);
        let list = LogicalType::Array(int());
        assert_eq!(read(&list, " [1, NULL] "), Ok(Value::List(vec![Value::Int(1), Value::Null])));
        assert_eq!(read(&list, "[]"), Ok(Value::List(vec![])));
        let bag = LogicalType::Multiset(int());
        assert_eq!(read(&bag, "{7: 2}"), Ok(Value::Map(vec![(Value::Int(7), Value::Int(2))])));
        let map = LogicalType::Map(int(), int());
        for (ty, texts) in [
            (&list, ["", "1", "['a']", "[1"]),
            (&bag, ["", "{7}", "{7: NULL}", "[7]"]),
            (&map, ["", "{", "{1: 'x'}", "x"]),
        ] {
            for text in texts {
                let why = read(ty, text).expect_err(text);
                assert!(why.contains("is written like"), "{why}");
            }
        }
        assert_eq!(read(&LogicalType::IntervalYearMonth, "-2-06"), Ok(Value::Int(-30)));
        assert_eq!(read(&LogicalType::IntervalDayTime, "+1 12:30:00.5"), Ok(Value::Int(131_400_500)));
        for text in ["", "1", "1-12", "1 24:00:00", "1 1:1", "1 1:1:1.1234", "--1-1"] {
            for ty in [LogicalType::IntervalYearMonth, LogicalType::IntervalDayTime] {
                assert!(read(&ty, text).is_err(), "{text}");
            }
        }
    }

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
