//! Rows as lines of CSV and of JSON.

use tidegate_data::{DataType, LogicalType};

/// The line of names: `kind`, unless it is left out, and the columns.
pub fn csv_head(with_kind: bool, columns: &[(String, DataType)]) -> String {
    let kind = with_kind.then_some("kind");
    let fields: Vec<String> = kind.into_iter().chain(columns.iter().map(|(name, _)| &**name)).map(field).collect();
    fields.join(",") + "\n"
}

/// A row as a line of CSV. NULL is an empty field, the empty text is quoted.
pub fn csv_line(kind: Option<&str>, values: &[Option<String>]) -> String {
    let values = values.iter().map(|value| value.as_deref().map_or_else(String::new, field));
    let fields: Vec<String> = kind.map(str::to_owned).into_iter().chain(values).collect();
    fields.join(",") + "\n"
}

fn field(text: &str) -> String {
    let plain = !text.is_empty() && text != "NULL" && !text.contains(['"', ',', '\n', '\r']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// A row as a line of JSON: numbers and truth values as such, all else as text.
pub fn json_line(kind: Option<&str>, columns: &[(String, DataType)], values: &[Option<String>]) -> String {
    let kind = kind.map(|kind| format!("\"kind\":{}", quoted(kind)));
    let members = columns.iter().zip(values).map(|((name, ty), value)| {
        let value = match value {
            None => "null".to_owned(),
            Some(text) if is_plain(ty, text) => text.to_lowercase(),
            Some(text) => quoted(text),
        };
        format!("{}:{value}", quoted(name))
    });
    let members: Vec<String> = kind.into_iter().chain(members).collect();
    format!("{{{}}}\n", members.join(","))
}

fn is_plain(ty: &DataType, text: &str) -> bool {
    let finite = text.ends_with(|char: char| char.is_ascii_digit()) && !text.starts_with('+');
    match ty.logical {
        LogicalType::Boolean => true,
        LogicalType::TinyInt | LogicalType::SmallInt | LogicalType::Int | LogicalType::BigInt => true,
        LogicalType::Float | LogicalType::Double | LogicalType::Decimal(..) => finite,
        _ => false,
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}
