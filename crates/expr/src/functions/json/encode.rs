//! Values as parts of a JSON document.

use tidegate_data::text::number::{write_decimal, write_double};
use tidegate_data::{DataType, LogicalType, Value, Zone, build_column, cell_text};

use super::document::{Json, as_java};
use crate::functions::string::encode_base64;

/// Why values of a type cannot be in a document, in Flink's words.
pub(super) fn refusal(ty: &DataType) -> Option<String> {
    let inner = |parts: &[&DataType]| parts.iter().find_map(|part| refusal(part));
    match &ty.logical {
        LogicalType::Date
        | LogicalType::Time(_)
        | LogicalType::IntervalDayTime
        | LogicalType::IntervalYearMonth
        | LogicalType::Multiset(_) => Some(format!("Type '{ty}' is not scalar or cannot be converted into JSON.")),
        LogicalType::Array(element) => inner(&[element]),
        LogicalType::Map(key, value) => inner(&[key, value]),
        LogicalType::Row(fields) => fields.iter().find_map(|field| refusal(&field.ty)),
        _ => None,
    }
}

/// A value of a type as JSON.
pub(super) fn encode(value: &Value, ty: &DataType, zone: Zone) -> Json {
    match (value, &ty.logical) {
        (Value::Null, _) => Json::Null,
        (Value::Boolean(truth), _) => Json::Boolean(*truth),
        (Value::String(text), _) => Json::Text(text.clone()),
        (Value::Bytes(bytes), _) => {
            let mut text = String::new();
            encode_base64(bytes, &mut text);
            Json::Text(text)
        }
        (Value::Decimal(number), LogicalType::Decimal(_, scale)) => {
            let mut text = String::new();
            write_decimal(&mut text, *number, *scale);
            Json::Number(text)
        }
        (Value::Double(number), _) if number.is_finite() => double(*number),
        (Value::Float(number), _) if number.is_finite() => double(f64::from(*number)),
        (Value::Int(number), logical) if logical.is_integer() => Json::Number(number.to_string()),
        (Value::List(items), LogicalType::Array(element)) => {
            Json::Array(items.iter().map(|item| encode(item, element, zone)).collect())
        }
        (Value::List(items), LogicalType::Row(fields)) => Json::Object(
            items.iter().zip(fields).map(|(item, field)| (field.name.clone(), encode(item, &field.ty, zone))).collect(),
        ),
        (Value::Map(entries), LogicalType::Map(key_type, value_type)) => {
            let text = |key: &Value| match encode(key, key_type, zone) {
                Json::Text(text) => text,
                other => other.text(),
            };
            Json::Object(entries.iter().map(|(k, v)| (text(k), encode(v, value_type, zone))).collect())
        }
        (value, logical) => {
            let column = build_column(ty, [value]).expect("a value has its type");
            let text = cell_text(&column, 0, ty, zone).unwrap_or_default();
            Json::Text(if logical.is_timestamp() { iso(&text) } else { text })
        }
    }
}

fn double(number: f64) -> Json {
    let mut text = String::new();
    write_double(&mut text, number);
    Json::Number(as_java(&text))
}

/// `2024-01-02T03:04:05`, with a fraction by threes where there is one.
fn iso(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    let out = whole.replacen(' ', "T", 1);
    if fraction.is_empty() {
        return out;
    }
    let width = fraction.len().div_ceil(3) * 3;
    format!("{out}.{fraction:0<width$}")
}
