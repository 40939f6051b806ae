//! A file's content as rows for a table; what it is written in is told by its first character and its names.

use tidegate_data::{LogicalType, RowKind, Schema};
use tidegate_diag::{Code, Diagnostic};

use super::csv;
use super::json::{self, Json};

const UNREADABLE: Code = Code::new("TG9120");
const NO_COLUMN: Code = Code::new("TG9121");
const NO_KIND: Code = Code::new("TG9122");

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Comma-separated values.
    Csv,
    /// One JSON object a line.
    JsonLines,
    /// Debezium's change events, one a line.
    Debezium,
}

impl FileFormat {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            FileFormat::Csv => "CSV",
            FileFormat::JsonLines => "JSON lines",
            FileFormat::Debezium => "Debezium JSON",
        }
    }
}

/// A row of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// The line that it begins on, from 1.
    pub line: usize,
    /// Its kind.
    pub kind: RowKind,
    /// A text per physical column; `None` is NULL.
    pub values: Vec<Option<String>>,
}

/// The rows of a text for a table that has these physical columns and takes these kinds.
///
/// A CSV file may begin with the columns' names, in any order and not all of them (the others are NULL), with `kind` among them for the row
/// kind. An empty field is NULL, but for texts, where it is the empty text.
///
/// # Errors
/// The first line that cannot be read, with the line's number in the message.
pub fn read_rows(text: &str, schema: &Schema, kinds: &[RowKind]) -> Result<(FileFormat, Vec<FileRow>), Diagnostic> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (format, rows) = if text.trim_start().starts_with(['{', '[']) {
        json_rows(text, schema, kinds)?
    } else {
        (FileFormat::Csv, csv_rows(text, schema)?)
    };
    if let Some(row) = rows.iter().find(|row| !kinds.contains(&row.kind)) {
        let takes: Vec<&str> = kinds.iter().map(|kind| kind.text()).collect();
        let message = format!("Line {}: the table takes no {} rows, only {}.", row.line, row.kind, takes.join(", "));
        return Err(Diagnostic::error(NO_KIND, message)
            .hint("A changelog source takes others: 'changelog-mode' = 'I,UB,UA,D' in the table's options."));
    }
    Ok((format, rows))
}

fn csv_rows(text: &str, schema: &Schema) -> Result<Vec<FileRow>, Diagnostic> {
    let records = csv::records(text)
        .map_err(|line| Diagnostic::error(UNREADABLE, format!("Line {line}: a quote is not closed.")))?;
    let mut records = records.into_iter().peekable();
    let place = |name: &str| schema.fields.iter().position(|field| field.name.eq_ignore_ascii_case(name.trim()));
    let known = |name: &str| place(name).is_some() || name.trim().eq_ignore_ascii_case("kind");
    let is_head = records.peek().is_some_and(|(_, fields)| fields.iter().all(|(name, _)| known(name)));
    // Where each field goes; the row kind goes nowhere.
    let head: Vec<Option<usize>> = match is_head {
        true => records.next().map(|(_, fields)| fields.iter().map(|(name, _)| place(name)).collect()),
        false => None,
    }
    .unwrap_or_else(|| (0..schema.fields.len()).map(Some).collect());
    let mut rows = Vec::new();
    for (line, fields) in records {
        if fields.len() != head.len() {
            let message = format!("Line {line} has {} fields where {} are expected.", fields.len(), head.len());
            let names: Vec<&str> = schema.fields.iter().map(|field| &*field.name).collect();
            return Err(Diagnostic::error(UNREADABLE, message).hint(format!("The columns are {}.", names.join(", "))));
        }
        let mut row = FileRow { line, kind: RowKind::Insert, values: vec![None; schema.fields.len()] };
        for ((text, quoted), column) in fields.into_iter().zip(&head) {
            match column {
                Some(column) => {
                    let null = !quoted && (text == "NULL" || text.is_empty() && !is_text(schema, *column));
                    row.values[*column] = (!null).then_some(text);
                }
                None => row.kind = kind_of(&text, line)?,
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

fn json_rows(text: &str, schema: &Schema, kinds: &[RowKind]) -> Result<(FileFormat, Vec<FileRow>), Diagnostic> {
    let (mut format, mut rows) = (FileFormat::JsonLines, Vec::new());
    for (number, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let line = number + 1;
        let value =
            json::read(text).map_err(|why| Diagnostic::error(UNREADABLE, format!("Line {line} is no JSON: {why}.")))?;
        if !matches!(value, Json::Object(_)) {
            let message = format!("Line {line} is no JSON object.");
            return Err(
                Diagnostic::error(UNREADABLE, message).hint("Each line holds one object: {\"column\": value, …}")
            );
        }
        let event = value.get("payload").unwrap_or(&value);
        let (Some(Json::Text(op)), true) = (event.get("op"), event.get("before").or(event.get("after")).is_some())
        else {
            rows.push(FileRow { line, kind: kind_member(&value, line)?, values: members(&value, schema, line)? });
            continue;
        };
        format = FileFormat::Debezium;
        let image = |name: &str| {
            let image = event.get(name).filter(|image| matches!(image, Json::Object(_)));
            let image = image.ok_or_else(|| {
                let message = format!("Line {line}: an event with \"op\": \"{op}\" needs \"{name}\".");
                Diagnostic::error(UNREADABLE, message)
            })?;
            members(image, schema, line)
        };
        let mut push = |kind, values| rows.push(FileRow { line, kind, values });
        match op.as_str() {
            "c" | "r" => push(RowKind::Insert, image("after")?),
            "u" => {
                // Upsert sources know what was before by their key.
                if kinds.contains(&RowKind::UpdateBefore) {
                    push(RowKind::UpdateBefore, image("before")?);
                }
                push(RowKind::UpdateAfter, image("after")?);
            }
            "d" => push(RowKind::Delete, image("before")?),
            other => {
                let message = format!("Line {line}: \"op\" is \"{other}\"; c, r, u and d are known.");
                return Err(Diagnostic::error(UNREADABLE, message));
            }
        }
    }
    Ok((format, rows))
}

/// `"kind"` of a line, where that is no column's value.
fn kind_member(object: &Json, line: usize) -> Result<RowKind, Diagnostic> {
    match object.get("kind") {
        Some(Json::Text(text)) if RowKind::parse(text).is_some() => kind_of(text, line),
        _ => Ok(RowKind::Insert),
    }
}

fn kind_of(text: &str, line: usize) -> Result<RowKind, Diagnostic> {
    RowKind::parse(text.trim()).ok_or_else(|| {
        let message = format!("Line {line}: '{text}' is no row kind; +I, -U, +U and -D are.");
        Diagnostic::error(NO_KIND, message)
    })
}

fn members(object: &Json, schema: &Schema, line: usize) -> Result<Vec<Option<String>>, Diagnostic> {
    let mut values = vec![None; schema.fields.len()];
    let Json::Object(members) = object else { return Ok(values) };
    for (name, value) in members {
        let exact = schema.fields.iter().position(|field| field.name == *name);
        let column = exact.or_else(|| schema.fields.iter().position(|field| field.name.eq_ignore_ascii_case(name)));
        let Some(column) = column else {
            if name == "kind" {
                continue;
            }
            let names: Vec<&str> = schema.fields.iter().map(|field| &*field.name).collect();
            let message = format!("Line {line}: the table has no column '{name}'.");
            return Err(Diagnostic::error(NO_COLUMN, message).hint(format!("The columns are {}.", names.join(", "))));
        };
        values[column] = match value {
            Json::Null => None,
            Json::Plain(text) | Json::Text(text) => Some(text.clone()),
            Json::Array(_) | Json::Object(_) => {
                let message = format!("Line {line}: column '{name}' holds an array or an object, which are not read.");
                return Err(Diagnostic::error(UNREADABLE, message));
            }
        };
    }
    Ok(values)
}

fn is_text(schema: &Schema, column: usize) -> bool {
    matches!(schema.fields[column].ty.logical, LogicalType::Char(_) | LogicalType::VarChar(_))
}
