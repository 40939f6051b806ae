//! A file's content as rows for a table; what it is written in is told by its first character and its names.

use tidegate_data::{LogicalType, RowKind, Schema};
use tidegate_diag::{Code, Diagnostic};

use super::csv::Records;
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
    /// An array of JSON objects.
    JsonArray,
    /// Debezium's change events, one a line.
    Debezium,
}

impl FileFormat {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            FileFormat::Csv => "CSV",
            FileFormat::JsonLines => "JSON lines",
            FileFormat::JsonArray => "a JSON array",
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

/// The rows of a text for a table that has these physical columns and takes these kinds: all of them at once, see [`FileReader`].
///
/// # Errors
/// The first line that cannot be read, with the line's number in the message.
pub fn read_rows(text: &str, schema: &Schema, kinds: &[RowKind]) -> Result<(FileFormat, Vec<FileRow>), Diagnostic> {
    let mut reader = FileReader::new(text.to_owned(), schema.clone(), kinds.to_vec())?;
    let mut all = Vec::new();
    loop {
        let rows = reader.read(usize::MAX)?;
        if rows.is_empty() {
            return Ok((reader.format(), all));
        }
        all.extend(rows);
    }
}

/// Reads the rows of a text, some at a time.
///
/// A CSV file may begin with the columns' names, in any order and not all of them (the others are NULL), with `kind` among them for the row
/// kind. An empty field is NULL, but for texts, where it is the empty text.
pub struct FileReader {
    text: String,
    schema: Schema,
    kinds: Vec<RowKind>,
    format: FileFormat,
    place: Place,
}

/// How far a reader has come.
enum Place {
    /// The records, and where each field goes; the row kind goes nowhere.
    Csv(Records, Vec<Option<usize>>),
    /// The byte and the line of the next line.
    Lines(usize, usize),
    /// The byte and the line of the next element, and whether it is the first.
    Array(usize, usize, bool),
    /// All is read.
    End,
}

impl FileReader {
    /// A reader at the start of the text, behind its head.
    ///
    /// # Errors
    /// When the head cannot be read.
    pub fn new(text: String, schema: Schema, kinds: Vec<RowKind>) -> Result<FileReader, Diagnostic> {
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        let begin = text.len() - text.trim_start().len();
        let line = 1 + count_lines(&text[..begin]);
        let (format, place) = match text[begin..].chars().next() {
            Some('{') => (FileFormat::JsonLines, Place::Lines(begin, line)),
            Some('[') => (FileFormat::JsonArray, Place::Array(begin + 1, line, true)),
            _ => (FileFormat::Csv, Place::Csv(Records::new(), (0..schema.fields.len()).map(Some).collect())),
        };
        let mut reader = FileReader { text, schema, kinds, format, place };
        reader.pass_head()?;
        Ok(reader)
    }

    /// What the text is written in, as far as it has been read.
    pub fn format(&self) -> FileFormat {
        self.format
    }

    /// About `limit` more rows; none at the end.
    ///
    /// # Errors
    /// The first line that cannot be read, with the line's number in the message.
    pub fn read(&mut self, limit: usize) -> Result<Vec<FileRow>, Diagnostic> {
        let mut rows = Vec::new();
        while rows.len() < limit {
            let more = match &self.place {
                Place::Csv(..) => self.record(&mut rows)?,
                Place::Lines(at, line) => self.line(*at, *line, &mut rows)?,
                Place::Array(at, line, first) => self.element(*at, *line, *first, &mut rows)?,
                Place::End => false,
            };
            if !more {
                self.place = Place::End;
                break;
            }
        }
        if let Some(row) = rows.iter().find(|row| !self.kinds.contains(&row.kind)) {
            let takes: Vec<&str> = self.kinds.iter().map(|kind| kind.text()).collect();
            let message =
                format!("Line {}: the table takes no {} rows, only {}.", row.line, row.kind, takes.join(", "));
            return Err(Diagnostic::error(NO_KIND, message)
                .hint("A changelog source takes others: 'changelog-mode' = 'I,UB,UA,D' in the table's options."));
        }
        Ok(rows)
    }

    /// Passes over the columns' names, if the text begins with them.
    fn pass_head(&mut self) -> Result<(), Diagnostic> {
        let Place::Csv(records, head) = &mut self.place else { return Ok(()) };
        let mut ahead = records.clone();
        let Some((_, fields)) = ahead.next(&self.text).map_err(open_quote)? else { return Ok(()) };
        let place = |name: &str| self.schema.fields.iter().position(|own| own.name.eq_ignore_ascii_case(name.trim()));
        let known = |name: &str| place(name).is_some() || name.trim().eq_ignore_ascii_case("kind");
        if fields.iter().all(|(name, _)| known(name)) {
            *head = fields.iter().map(|(name, _)| place(name)).collect();
            *records = ahead;
        }
        Ok(())
    }

    /// The next record of a CSV file.
    fn record(&mut self, rows: &mut Vec<FileRow>) -> Result<bool, Diagnostic> {
        let Place::Csv(records, head) = &mut self.place else { return Ok(false) };
        let Some((line, fields)) = records.next(&self.text).map_err(open_quote)? else { return Ok(false) };
        if fields.len() != head.len() {
            let message = format!("Line {line} has {} fields where {} are expected.", fields.len(), head.len());
            let names: Vec<&str> = self.schema.fields.iter().map(|field| &*field.name).collect();
            let problem = Diagnostic::error(UNREADABLE, message).hint(format!("The columns are {}.", names.join(", ")));
            return Err(match separator(&fields) {
                Some(other) => {
                    problem.hint(format!("Fields are separated by commas here; this file seems to use {other}."))
                }
                None => problem,
            });
        }
        let mut row = FileRow { line, kind: RowKind::Insert, values: vec![None; self.schema.fields.len()] };
        for ((text, quoted), column) in fields.into_iter().zip(&*head) {
            match column {
                Some(column) => {
                    let null = !quoted && (text == "NULL" || text.is_empty() && !is_text(&self.schema, *column));
                    row.values[*column] = (!null).then_some(text);
                }
                None => row.kind = kind_of(&text, line)?,
            }
        }
        rows.push(row);
        Ok(true)
    }

    /// The next line of JSON.
    fn line(&mut self, at: usize, line: usize, rows: &mut Vec<FileRow>) -> Result<bool, Diagnostic> {
        let rest = &self.text[at..];
        if rest.is_empty() {
            return Ok(false);
        }
        let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let text = &rest[..end];
        if !text.trim().is_empty() {
            let value = json::read(text).map_err(|why| {
                let problem = Diagnostic::error(UNREADABLE, format!("Line {line} is no JSON: {why}."));
                problem.hint(
                    "Each line holds one whole object; objects over several lines are read from an array: [{…}, {…}]",
                )
            })?;
            self.format = object_rows(&value, line, &self.schema, &self.kinds, rows, self.format)?;
        }
        self.place = Place::Lines(at + end, line + 1);
        Ok(true)
    }

    /// The next element of an array.
    fn element(&mut self, at: usize, line: usize, first: bool, rows: &mut Vec<FileRow>) -> Result<bool, Diagnostic> {
        let wrong = |line: usize, why: &str| Diagnostic::error(UNREADABLE, format!("Line {line} is no JSON: {why}."));
        let (mut at, mut line) = (at, line);
        let mut space = |at: &mut usize| {
            let rest = &self.text[*at..];
            let passed = rest.len() - rest.trim_start().len();
            line += count_lines(&rest[..passed]);
            *at += passed;
            line
        };
        let mut here = space(&mut at);
        if self.text[at..].starts_with(']') {
            at += 1;
            here = space(&mut at);
            return match self.text[at..].chars().next() {
                None => Ok(false),
                Some(more) => Err(wrong(here, &format!("'{more}' behind the array"))),
            };
        }
        if !first {
            match self.text[at..].chars().next() {
                Some(',') => at += 1,
                Some(other) => return Err(wrong(here, &format!("',' or ']' expected, '{other}' found"))),
                None => return Err(wrong(here, "the array does not end")),
            }
            here = space(&mut at);
        }
        let (value, length) = json::first(&self.text[at..]).map_err(|why| wrong(here, &why))?;
        self.format = object_rows(&value, here, &self.schema, &self.kinds, rows, self.format)?;
        let after = here + count_lines(&self.text[at..at + length]);
        self.place = Place::Array(at + length, after, false);
        Ok(true)
    }
}

fn count_lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

fn open_quote(line: usize) -> Diagnostic {
    Diagnostic::error(UNREADABLE, format!("Line {line}: a quote is not closed."))
}

/// What else than commas may be meant to separate these fields.
fn separator(fields: &[(String, bool)]) -> Option<&'static str> {
    let has = |char: char| fields.iter().any(|(text, quoted)| !quoted && text.contains(char));
    [(';', "semicolons"), ('\t', "tabs"), ('|', "bars")].into_iter().find(|(char, _)| has(*char)).map(|(_, name)| name)
}

/// The rows of one object: itself, or those of a change event. Gives the format of a file that holds such an object.
fn object_rows(
    value: &Json,
    line: usize,
    schema: &Schema,
    kinds: &[RowKind],
    rows: &mut Vec<FileRow>,
    format: FileFormat,
) -> Result<FileFormat, Diagnostic> {
    if !matches!(value, Json::Object(_)) {
        let message = format!("Line {line} is no JSON object.");
        let hint = "Each line, or each element of the array, is one object: {\"column\": value, …}";
        return Err(Diagnostic::error(UNREADABLE, message).hint(hint));
    }
    let event = value.get("payload").unwrap_or(value);
    let (Some(Json::Text(op)), true) = (event.get("op"), event.get("before").or(event.get("after")).is_some()) else {
        rows.push(FileRow { line, kind: kind_member(value, line)?, values: members(value, schema, line)? });
        return Ok(format);
    };
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
    Ok(FileFormat::Debezium)
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
