//! Chunks as text, for tests and debugging: one row a line, its kind, then its values.
//!
//! ```text
//! +I 1 a 2.5
//! -U 2 'two words' NULL
//! ```

use crate::cast::cast_column;
use crate::{Chunk, DataType, RowKind, Schema, Value, Zone, build_column, text};

impl Chunk {
    /// Reads a chunk of columns as `schema` says. Values are what `CAST('...' AS type)` takes, apart from NULL;
    /// those with a space in them, an empty string and the string NULL stand in single quotes.
    ///
    /// # Panics
    /// When the text is not of that form; it is part of a test.
    pub fn parse(text: &str, schema: &Schema) -> Chunk {
        let mut kinds = Vec::new();
        let mut cells: Vec<Vec<Value>> = vec![Vec::new(); schema.fields.len()];
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut words = words(line).into_iter();
            let kind = words.next().and_then(|word| RowKind::parse(&word.text));
            kinds.push(kind.unwrap_or_else(|| panic!("no row kind in `{line}`")));
            for column in &mut cells {
                let word = words.next().unwrap_or_else(|| panic!("too few values in `{line}`"));
                let null = !word.quoted && word.text == "NULL";
                column.push(if null { Value::Null } else { Value::String(word.text) });
            }
            assert!(words.next().is_none(), "too many values in `{line}`");
        }
        let columns = cells.iter().zip(&schema.fields).map(|(values, field)| {
            let strings = build_column(&DataType::string(), values).expect("strings");
            cast_column(&strings, &DataType::string(), &field.ty, false, Zone::UTC)
                .unwrap_or_else(|error| panic!("`{}`: {error}", field.name))
        });
        Chunk::with_kinds(columns.collect(), kinds)
    }

    /// The text that [`Chunk::parse`] reads, without quotes for values that need none; timestamps in UTC.
    pub fn to_text(&self, schema: &Schema) -> String {
        let mut out = String::new();
        for row in 0..self.len {
            out.push_str(self.kind(row).text());
            for (column, field) in self.columns.iter().zip(&schema.fields) {
                out.push(' ');
                match text::cell_text(column, row, &field.ty, Zone::UTC) {
                    None => out.push_str("NULL"),
                    Some(text) if text.is_empty() || text == "NULL" || text.contains([' ', '\'', '\n']) => {
                        out.push('\'');
                        out.push_str(&text.replace('\'', "''"));
                        out.push('\'');
                    }
                    Some(text) => out.push_str(&text),
                }
            }
            out.push('\n');
        }
        out
    }
}

struct Word {
    text: String,
    quoted: bool,
}

fn words(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut word = Word { text: String::new(), quoted: c == '\'' };
        if word.quoted {
            while let Some(c) = chars.next() {
                if c == '\'' && chars.next_if_eq(&'\'').is_none() {
                    break;
                }
                word.text.push(c);
            }
        } else {
            word.text.push(c);
            while let Some(c) = chars.next_if(|c| !c.is_whitespace()) {
                word.text.push(c);
            }
        }
        words.push(word);
    }
    words
}
