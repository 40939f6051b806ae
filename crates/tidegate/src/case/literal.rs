//! Values of a case's input lines, by the types of the table's columns.

use tidegate_data::{DataType, LogicalType, Schema, Value, Zone};
use tidegate_diag::{Code, Diagnostic, Span};
use tidegate_sql::case::{Value as Literal, ValueKind};

use crate::feed::parse_value;

const WRONG_COUNT: Code = Code::new("TG6012");
const BAD_VALUE: Code = Code::new("TG6013");

/// A row of `schema` from its literals.
///
/// # Errors
/// Every value that does not fit.
pub fn row(schema: &Schema, literals: &[Literal], zone: Zone, span: Span) -> Result<Vec<Value>, Vec<Diagnostic>> {
    if literals.len() != schema.fields.len() {
        let message =
            format!("The row has {} values, the table {} physical columns.", literals.len(), schema.fields.len());
        return Err(vec![Diagnostic::error(WRONG_COUNT, message).at(span)]);
    }
    let (mut row, mut problems) = (Vec::new(), Vec::new());
    for (field, literal) in schema.fields.iter().zip(literals) {
        match value(&field.ty, literal, zone) {
            Ok(value) => row.push(value),
            Err(why) => {
                let message = format!("Column '{}': {why}", field.name);
                problems.push(Diagnostic::error(BAD_VALUE, message).at(literal.span));
            }
        }
    }
    if problems.is_empty() { Ok(row) } else { Err(problems) }
}

fn value(ty: &DataType, literal: &Literal, zone: Zone) -> Result<Value, String> {
    let misfit = || Err(format!("this is no {ty}."));
    match (&literal.kind, &ty.logical) {
        (ValueKind::Null, _) if !ty.nullable => Err(format!("NULL does not fit {ty}.")),
        (ValueKind::Null, _) => Ok(Value::Null),
        (ValueKind::Boolean(value), LogicalType::Boolean) => Ok(Value::Boolean(*value)),
        (ValueKind::Number(text), _) if ty.logical.is_numeric() => parse_value(ty, Some(text), zone),
        (ValueKind::String(text), _) if ty.logical.is_character() => Ok(Value::String(text.clone())),
        (ValueKind::String(text), _) if ty.logical.is_datetime() => {
            // As Java writes it, with a T; an instant may be given in UTC, with a Z.
            let plain = text.trim().replacen('T', " ", 1);
            match (plain.strip_suffix('Z'), &ty.logical) {
                (Some(utc), LogicalType::TimestampLtz(..)) => parse_value(ty, Some(utc), Zone::UTC),
                _ => parse_value(ty, Some(&plain), zone),
            }
        }
        (ValueKind::String(text), _) if ty.logical.is_numeric() => parse_value(ty, Some(text), zone),
        (ValueKind::Bytes(bytes), _) if ty.logical.is_binary() => Ok(Value::Bytes(bytes.clone())),
        (ValueKind::Array(items), LogicalType::Array(element)) => {
            items.iter().map(|item| value(element, item, zone)).collect::<Result<_, _>>().map(Value::List)
        }
        (ValueKind::Row(items), LogicalType::Row(fields)) if items.len() == fields.len() => {
            let items = items.iter().zip(fields).map(|(item, field)| value(&field.ty, item, zone));
            items.collect::<Result<_, _>>().map(Value::List)
        }
        (ValueKind::Map(entries), LogicalType::Map(key, item)) => {
            let entries = entries.iter().map(|(k, v)| Ok((value(key, k, zone)?, value(item, v, zone)?)));
            entries.collect::<Result<_, String>>().map(Value::Map)
        }
        _ => misfit(),
    }
}
