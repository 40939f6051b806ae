//! The input of a case: the `--!` lines of a script, in their order.
//!
//! ```text
//! --! data orders
//! --! +I[1, 'it''s', NULL, 1.5, TRUE, X'00ff', [1, 2], {'k': 1}, (1, 'x')]
//! --! watermark '2024-01-01 00:00:10'
//! --! idle
//! --! end
//! ```

use tidegate_diag::{Code, Diagnostic, Span, closest};

use crate::parser::hex;

/// A line that is no step.
pub const BAD_LINE: Code = Code::new("TG6001");
/// A step before the first `--! data TABLE`.
pub const NO_TABLE: Code = Code::new("TG6002");
/// A row whose values cannot be read.
pub const BAD_ROW: Code = Code::new("TG6003");

/// How deep arrays, maps and rows of one value may nest.
const MAX_DEPTH: u32 = 32;

/// The input that a script carries in its `--!` lines. They are comments to SQL, so the script itself
/// is the whole text, and spans hold for both.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Case {
    /// What comes in, over all tables; step n of a result is `steps[n - 1]`.
    pub steps: Vec<Step>,
    /// The tables with a step, in order of first mention, which is the order in which they end.
    pub tables: Vec<String>,
    /// What is wrong with the lines (TG6xxx).
    pub diagnostics: Vec<Diagnostic>,
}

/// One line of input.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The table it comes from, as written.
    pub table: String,
    /// What comes.
    pub input: Input,
    /// Its line in the text, from 1.
    pub line: u32,
    /// The text behind `--!`.
    pub span: Span,
}

/// What can come in.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// `+I[…]`
    Row {
        /// Its kind.
        kind: InputKind,
        /// One value per physical column.
        values: Vec<Value>,
    },
    /// `watermark '…'`: a timestamp as text.
    Watermark(String),
    /// `idle`: no watermark is waited for until the table's next row.
    Idle,
    /// `end`: nothing more comes.
    End,
}

/// The kind of an input row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// `+I`
    Insert,
    /// `-U`
    UpdateBefore,
    /// `+U`
    UpdateAfter,
    /// `-D`
    Delete,
}

/// A value as written; the column's type says what it means.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Its text.
    pub span: Span,
}

/// The sorts of values.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueKind {
    /// `NULL`
    Null,
    /// `TRUE`, `FALSE`
    Boolean(bool),
    /// A number with its sign, as written; whether it is one is for the column's type to say.
    Number(String),
    /// `'text'`, quotes resolved
    String(String),
    /// `X'00ff'`
    Bytes(Vec<u8>),
    /// `[a, b]`
    Array(Vec<Value>),
    /// `{k: v}`
    Map(Vec<(Value, Value)>),
    /// `(a, b)`
    Row(Vec<Value>),
}

/// Reads the `--!` lines of a script.
pub fn read_case(text: &str) -> Case {
    let mut case = Case::default();
    let mut table: Option<String> = None;
    let mut start = 0;
    for (index, line) in text.split('\n').enumerate() {
        let offset = start;
        start += line.len() + 1;
        let Some(body) = line.trim_start().strip_prefix("--!") else { continue };
        let at = offset + line.len() - body.trim_start().len();
        let body = body.trim();
        let span = Span::new(at as u32, (at + body.len()) as u32);
        if body.is_empty() {
            continue;
        }
        if let Some(name) = data_line(body) {
            table = Some(name.to_owned());
            continue;
        }
        if strip_word(body, "data").is_some_and(|name| !name.is_empty() && !name.contains(char::is_whitespace)) {
            let name = body[4..].trim().trim_end_matches(':');
            let message = format!("'{name}' is no name of a table.");
            let hint = format!(
                "A name of other characters than letters, digits, _ and $ stands in backticks: --! data `{name}`"
            );
            case.diagnostics.push(Diagnostic::error(BAD_LINE, message).at(span).hint(hint));
            // What follows is for this table.
            table = Some(name.to_owned());
            continue;
        }
        let Some(table) = &table else {
            case.diagnostics.push(
                Diagnostic::error(NO_TABLE, format!("No '--! data TABLE' before: {body}"))
                    .at(span)
                    .hint("Say first which table the input is for, such as: --! data orders"),
            );
            continue;
        };
        match step(body, at) {
            Ok(input) => {
                if !case.tables.contains(table) {
                    case.tables.push(table.clone());
                }
                case.steps.push(Step { table: table.clone(), input, line: index as u32 + 1, span });
            }
            Err(d) => case.diagnostics.push(d.or_at(span)),
        }
    }
    case
}

/// Reads one row such as `+I[1, 'a']`, as a person may type it; spans count from the text's beginning.
pub fn read_row(text: &str) -> Result<(InputKind, Vec<Value>), Diagnostic> {
    let indent = text.len() - text.trim_start().len();
    row(text.trim(), indent).map_err(|d| d.or_at(Span::new(0, text.len() as u32)))
}

/// Reads one value such as `'a'` or `[1, 2]`; spans count from the text's beginning.
pub fn read_value(text: &str) -> Result<Value, Diagnostic> {
    let mut reader = Reader { text, pos: 0, base: 0, depth: 0 };
    let value = reader.value()?;
    reader.finish("the value")?;
    Ok(value)
}

/// The table of `data TABLE`, which may stand in backticks and be followed by a colon.
fn data_line(body: &str) -> Option<&str> {
    let rest = strip_word(body, "data")?;
    let name = rest.trim_end_matches(':').trim();
    if let Some(quoted) = name.strip_prefix('`').and_then(|n| n.strip_suffix('`')) {
        return (!quoted.is_empty() && !quoted.contains('`')).then_some(quoted);
    }
    let mut chars = name.chars();
    let first = chars.next()?;
    ((first.is_alphabetic() || first == '_') && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$'))
        .then_some(name)
}

/// What follows `word` and white space.
fn strip_word<'a>(body: &'a str, word: &str) -> Option<&'a str> {
    let head = body.get(..word.len())?;
    let rest = &body[word.len()..];
    (head.eq_ignore_ascii_case(word) && rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

fn step(body: &str, at: usize) -> Result<Input, Diagnostic> {
    if body.eq_ignore_ascii_case("idle") {
        return Ok(Input::Idle);
    }
    if body.eq_ignore_ascii_case("end") {
        return Ok(Input::End);
    }
    if let Some(time) = strip_word(body, "watermark") {
        return match time.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
            Some(t) if !t.contains('\'') => Ok(Input::Watermark(t.to_owned())),
            _ => Err(Diagnostic::error(BAD_LINE, "A timestamp in single quotes is expected behind watermark.")
                .hint("Such as: --! watermark '2024-01-01 00:00:10'")),
        };
    }
    let (kind, values) = row(body, at)?;
    Ok(Input::Row { kind, values })
}

fn row(body: &str, at: usize) -> Result<(InputKind, Vec<Value>), Diagnostic> {
    let kind = match body.get(..2) {
        Some("+I") => InputKind::Insert,
        Some("-U") => InputKind::UpdateBefore,
        Some("+U") => InputKind::UpdateAfter,
        Some("-D") => InputKind::Delete,
        _ => {
            let word = body.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
            let d = Diagnostic::error(BAD_LINE, format!("+I, -U, +U or -D expected: {body}"));
            return Err(match closest(word, ["data", "watermark", "idle", "end"]) {
                Some(meant) => d.hint(format!("Did you mean '{meant}'?")),
                None => d.hint("A line is a row such as +I[1, 'a'], data TABLE, watermark '…', idle or end."),
            });
        }
    };
    let mut reader = Reader { text: body, pos: 2, base: at, depth: 0 };
    reader.expect('[')?;
    let values = reader.list(']')?;
    reader.finish("the row")?;
    Ok((kind, values))
}

/// Reads values from one line.
struct Reader<'a> {
    text: &'a str,
    pos: usize,
    /// Where the line's text begins in the script.
    base: usize,
    depth: u32,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.pos += rest.len() - rest.trim_start().len();
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        self.space();
        let is = self.peek() == Some(c);
        if is {
            self.pos += c.len_utf8();
        }
        is
    }

    fn expect(&mut self, c: char) -> Result<(), Diagnostic> {
        if self.eat(c) { Ok(()) } else { Err(self.error(self.pos, format!("'{c}' expected"))) }
    }

    fn finish(&mut self, what: &str) -> Result<(), Diagnostic> {
        self.space();
        if self.rest().is_empty() {
            return Ok(());
        }
        Err(self.error(self.pos, format!("Text after {what}: {}", self.rest())))
    }

    fn span(&self, from: usize) -> Span {
        Span::new((self.base + from) as u32, (self.base + self.pos) as u32)
    }

    /// `message` at the text from `from` to the end.
    fn error(&self, from: usize, message: impl Into<String>) -> Diagnostic {
        let end = self.base + self.text.len();
        Diagnostic::error(BAD_ROW, message).at(Span::new((self.base + from) as u32, end as u32))
    }

    fn list(&mut self, close: char) -> Result<Vec<Value>, Diagnostic> {
        let mut values = Vec::new();
        if self.eat(close) {
            return Ok(values);
        }
        loop {
            values.push(self.value()?);
            if !self.eat(',') {
                break;
            }
        }
        self.expect(close)?;
        Ok(values)
    }

    fn value(&mut self) -> Result<Value, Diagnostic> {
        self.space();
        let from = self.pos;
        if self.depth >= MAX_DEPTH {
            return Err(self.error(from, format!("Values nest at most {MAX_DEPTH} levels deep.")));
        }
        self.depth += 1;
        let kind = self.kind(from);
        self.depth -= 1;
        Ok(Value { kind: kind?, span: self.span(from) })
    }

    fn kind(&mut self, from: usize) -> Result<ValueKind, Diagnostic> {
        let rest = self.rest();
        if rest.starts_with('\'') {
            return self.quoted().map(ValueKind::String);
        }
        if rest.starts_with("X'") || rest.starts_with("x'") {
            self.pos += 1;
            let digits = self.quoted()?;
            return match hex(&digits) {
                Some(bytes) => Ok(ValueKind::Bytes(bytes)),
                None => Err(self.error(from, "X'…' takes an even number of hexadecimal digits.")),
            };
        }
        if self.eat('[') {
            return self.list(']').map(ValueKind::Array);
        }
        if self.eat('(') {
            return self.list(')').map(ValueKind::Row);
        }
        if self.eat('{') {
            return self.map();
        }
        let end = rest.find(|c: char| ",]}):".contains(c) || c.is_whitespace()).unwrap_or(rest.len());
        let word = &rest[..end];
        self.pos += end;
        if word.is_empty() {
            return Err(self.error(from, "A value is expected.").hint(VALUES));
        }
        if word.eq_ignore_ascii_case("NULL") {
            return Ok(ValueKind::Null);
        }
        if word.eq_ignore_ascii_case("TRUE") || word.eq_ignore_ascii_case("FALSE") {
            return Ok(ValueKind::Boolean(word.len() == 4));
        }
        if word.starts_with('"') {
            return Err(self.error(from, "Strings stand in single quotes.").hint(VALUES));
        }
        Ok(ValueKind::Number(word.to_owned()))
    }

    /// Behind `{`. A key that comes twice keeps its first place and takes its last value.
    fn map(&mut self) -> Result<ValueKind, Diagnostic> {
        let mut entries: Vec<(Value, Value)> = Vec::new();
        if self.eat('}') {
            return Ok(ValueKind::Map(entries));
        }
        loop {
            let key = self.value()?;
            self.expect(':')?;
            let value = self.value()?;
            match entries.iter_mut().find(|(k, _)| k.kind == key.kind) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
            if !self.eat(',') {
                break;
            }
        }
        self.expect('}')?;
        Ok(ValueKind::Map(entries))
    }

    fn quoted(&mut self) -> Result<String, Diagnostic> {
        let from = self.pos;
        let mut text = String::new();
        let mut rest = &self.rest()[1..];
        loop {
            let Some(end) = rest.find('\'') else {
                return Err(self
                    .error(from, "This quote is never closed.")
                    .hint("A quote inside of a string is written twice: 'it''s'."));
            };
            text.push_str(&rest[..end]);
            rest = &rest[end + 1..];
            match rest.strip_prefix('\'') {
                Some(more) => {
                    text.push('\'');
                    rest = more;
                }
                None => break,
            }
        }
        self.pos = self.text.len() - rest.len();
        Ok(text)
    }
}

const VALUES: &str = "A value is a number, a 'string', NULL, TRUE, FALSE, X'hex', [a, b], {k: v} or (a, b).";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_everything() {
        let text = "SELECT 1;\n  --! data `orders`:\n--! +U[1, 'it''s', NULL, -1.5e3, TRUE, X'00ff', [1, NULL], {'k': 1}, (1, 'x'), []]\n";
        let case = read_case(text);
        assert!(case.diagnostics.is_empty(), "{:?}", case.diagnostics);
        assert_eq!(case.tables, ["orders"]);
        let step = &case.steps[0];
        assert_eq!((step.table.as_str(), step.line), ("orders", 3));
        assert!(step.span.text(text).starts_with("+U[1") && step.span.text(text).ends_with(']'));
        let Input::Row { kind, values } = &step.input else { panic!("a row") };
        assert_eq!(*kind, InputKind::UpdateAfter);
        let texts: Vec<&str> = values.iter().map(|v| v.span.text(text)).collect();
        assert_eq!(
            texts,
            ["1", "'it''s'", "NULL", "-1.5e3", "TRUE", "X'00ff'", "[1, NULL]", "{'k': 1}", "(1, 'x')", "[]"]
        );
        assert_eq!(values[1].kind, ValueKind::String("it's".into()));
        assert_eq!(values[5].kind, ValueKind::Bytes(vec![0, 255]));
    }

    #[test]
    fn the_other_steps() {
        let case = read_case("--! data a\n--! watermark '2024-01-01 00:00:10'\n--!idle\n--! data b\n--! END\n--!\n");
        let inputs: Vec<&Input> = case.steps.iter().map(|s| &s.input).collect();
        assert_eq!(inputs, [&Input::Watermark("2024-01-01 00:00:10".into()), &Input::Idle, &Input::End]);
        assert_eq!(case.tables, ["a", "b"]);
    }

    #[test]
    fn all_errors_are_reported_with_their_place() {
        let text = "--! +I[1]\n--! data t\n--! +X[1]\n--! +I[1\n--! +I['a]\n--! +I[1] x\n--! watermrk 'x'\n--! watermark x\n--! +I[X'0']\n--! +I[1,]\n";
        let case = read_case(text);
        let codes: Vec<Code> = case.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, [NO_TABLE, BAD_LINE, BAD_ROW, BAD_ROW, BAD_ROW, BAD_LINE, BAD_LINE, BAD_ROW, BAD_ROW]);
        assert!(case.diagnostics.iter().all(|d| d.span.is_some()));
        assert_eq!(case.diagnostics[5].hints, ["Did you mean 'watermark'?"]);
        assert!(case.steps.is_empty());
    }

    #[test]
    fn values_do_not_nest_without_end() {
        let deep = format!("--! data t\n--! +I[{}]", "[".repeat(100_000));
        assert_eq!(read_case(&deep).diagnostics[0].code, BAD_ROW);
    }
}
