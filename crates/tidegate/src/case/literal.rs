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
        let names: Vec<String> =
            schema.fields.iter().map(|field| format!("{} {}", field.name, field.ty.logical)).collect();
        let hint = format!("A value each for {}; computed and metadata columns get none.", names.join(", "));
        return Err(vec![Diagnostic::error(WRONG_COUNT, message).at(span).hint(hint)]);
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

/// The value of a literal for a column of type `ty`.
///
/// # Errors
/// Why it does not fit, for people.
pub(crate) fn value(ty: &DataType, literal: &Literal, zone: Zone) -> Result<Value, String> {
    let misfit = || Err(format!("this is no {ty}."));
    match (&literal.kind, &ty.logical) {
        (ValueKind::Null, _) if !ty.nullable => Err(format!("NULL does not fit {ty}.")),
        (ValueKind::Null, _) => Ok(Value::Null),
        (ValueKind::Boolean(value), LogicalType::Boolean) => Ok(Value::Boolean(*value)),
        (ValueKind::Number(text) | ValueKind::String(text), _) if ty.logical.is_numeric() => {
            exact(&ty.logical, text.trim())?;
            parse_value(ty, Some(text), zone)
        }
        (ValueKind::String(text), _) if ty.logical.is_character() => Ok(Value::String(text.clone())),
        (ValueKind::String(text), _) if ty.logical.is_datetime() => {
            // As Java writes it, with a T; an instant may be given in UTC, with a Z.
            let plain = text.trim().replacen('T', " ", 1);
            match (plain.strip_suffix('Z'), &ty.logical) {
                (Some(utc), LogicalType::TimestampLtz(..)) => parse_value(ty, Some(utc), Zone::UTC),
                _ => parse_value(ty, Some(&plain), zone),
            }
        }
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
        (ValueKind::Number(text), logical) if logical.is_character() || logical.is_datetime() => {
            Err(format!("this is no {ty}; it stands in single quotes: '{text}'."))
        }
        (ValueKind::Map(entries), LogicalType::Multiset(element)) => {
            let count = DataType::not_null(LogicalType::Int);
            let entries = entries.iter().map(|(k, v)| Ok((value(element, k, zone)?, value(&count, v, zone)?)));
            entries.collect::<Result<_, String>>().map(Value::Map)
        }
        _ => misfit(),
    }
}

/// Input is taken as it is or not at all: a cast would round what has too many digits.
fn exact(ty: &LogicalType, text: &str) -> Result<(), String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let (true, true, Ok(exponent)) = (plain(whole), plain(fraction), exponent.parse::<i32>().map(i64::from)) else {
        // What is no number at all is for the cast to say.
        return Ok(());
    };
    if ty.is_integer() && !plain(digits) {
        return Err(format!("'{text}' is no {ty}: it is not a whole number."));
    }
    if let LogicalType::Decimal(precision, scale) = ty {
        let all = format!("{whole}{fraction}");
        // Digits behind the point that count: a zero at the end is none, in whichever half it stands.
        let zeros = all.len() - all.trim_end_matches('0').len();
        let behind = fraction.len() as i64 - exponent - zeros as i64;
        if zeros < all.len() && behind > i64::from(*scale) {
            return Err(format!("'{text}' does not fit {ty}: it has {behind} digits behind the point."));
        }
        let whole = all.trim_start_matches('0').len() as i64 - fraction.len() as i64;
        let room = i64::from(*precision) - i64::from(*scale);
        if zeros < all.len() && whole + exponent > room {
            return Err(format!("'{text}' does not fit {ty}: it has more than {room} digits before the point."));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_digit_of_a_decimal_is_lost() {
        let ty = LogicalType::Decimal(5, 2);
        for text in ["0", "0.000", "123.45", "-999.990", "1e2", "12300e-4", "0.00100e1", "1.5E+2", "000123.4"] {
            assert_eq!(exact(&ty, text), Ok(()), "{text}");
        }
        for text in ["1.234", "1e-5", "10e-4", "1000", "1e3", "0.1e5", "1e2000000000", "-1234.5"] {
            assert!(exact(&ty, text).is_err(), "{text}");
        }
        for text in ["1.0", "1e3", "-2.5"] {
            assert!(exact(&LogicalType::Int, text).is_err(), "{text}");
        }
    }
}
