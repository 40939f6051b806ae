//! A JSON document: read from its text, written as text.

use std::fmt::Write as _;
use tidegate_data::sorted;

/// How deep objects and arrays may lie in each other.
const DEPTH: usize = 500;

/// A JSON value. Members keep their order; of two with one name the last counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Boolean(bool),
    /// A number as Java's `BigDecimal` writes it: `2.50`, `1E+2`.
    Number(String),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
    /// A part that is text already.
    Raw(String),
}

impl Json {
    /// Reads a document.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.blank();
        if reader.at < text.len() { Err(reader.unexpected()) } else { Ok(value) }
    }

    /// Whether it is neither an object nor an array.
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Json::Array(_) | Json::Object(_) | Json::Raw(_))
    }

    /// Adds its text, without blanks, members by name, as Flink writes it.
    pub fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Json::Number(text) | Json::Raw(text) => out.push_str(text),
            Json::Text(text) => write_text(out, text),
            Json::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                let mut members: Vec<&(String, Json)> = members.iter().collect();
                sorted::sort_by(&mut members, |a, b| a.0.cmp(&b.0));
                for (at, (name, value)) in members.into_iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_text(out, name);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// Its text, without blanks.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

/// A text in quotes, with what has to be escaped.
pub(crate) fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => write!(out, "\\u{:04X}", c as u32).expect("a string takes all"),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The text of a number as Java's `BigDecimal` has it.
pub(super) fn as_java(text: &str) -> String {
    if !text.contains(['.', 'e', 'E']) {
        return if text == "-0" { "0".to_owned() } else { text.to_owned() };
    }
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(if exponent.starts_with('-') { -99_999 } else { 99_999 });
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{part}");
    let digits = match all.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let sign = if digits == "0" { "" } else { sign };
    let scale = part.len() as i64 - exponent;
    let adjusted = digits.len() as i64 - 1 - scale;
    if scale >= 0 && adjusted >= -6 {
        if scale == 0 {
            return format!("{sign}{digits}");
        }
        let scale = scale as usize;
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, part) = padded.split_at(padded.len() - scale);
        return format!("{sign}{whole}.{part}");
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    match adjusted {
        0 => format!("{sign}{first}{point}{rest}"),
        adjusted => format!("{sign}{first}{point}{rest}E{adjusted:+}"),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn unexpected(&self) -> String {
        match self.text[self.at..].chars().next() {
            Some(c) => format!("Unexpected character '{c}' at position {}", self.at + 1),
            None => "Unexpected end of the document".to_owned(),
        }
    }

    fn eat(&mut self, wanted: u8) -> Result<(), String> {
        if self.peek() == Some(wanted) {
            self.at += 1;
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEPTH {
            return Err(format!("The document is nested more than {DEPTH} levels deep"));
        }
        self.blank();
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                let mut members: Vec<(String, Json)> = Vec::new();
                self.blank();
                if self.peek() == Some(b'}') {
                    self.at += 1;
                    return Ok(Json::Object(members));
                }
                loop {
                    self.blank();
                    let name = self.string()?;
                    self.blank();
                    self.eat(b':')?;
                    let value = self.value(depth + 1)?;
                    match members.iter_mut().find(|(own, _)| *own == name) {
                        Some(known) => known.1 = value,
                        None => members.push((name, value)),
                    }
                    self.blank();
                    if self.peek() != Some(b',') {
                        self.eat(b'}')?;
                        return Ok(Json::Object(members));
                    }
                    self.at += 1;
                }
            }
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                self.blank();
                if self.peek() == Some(b']') {
                    self.at += 1;
                    return Ok(Json::Array(items));
                }
                loop {
                    items.push(self.value(depth + 1)?);
                    self.blank();
                    if self.peek() != Some(b',') {
                        self.eat(b']')?;
                        return Ok(Json::Array(items));
                    }
                    self.at += 1;
                }
            }
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                for (word, value) in
                    [("true", Json::Boolean(true)), ("false", Json::Boolean(false)), ("null", Json::Null)]
                {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.unexpected())
            }
        }
    }

    fn digits(&mut self) -> Result<(), String> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected());
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            // No zeros before other digits.
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected());
        }
        Ok(Json::Number(as_java(&self.text[start..self.at])))
    }

    fn string(&mut self) -> Result<String, String> {
        self.eat(b'"')?;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else { return Err(self.unexpected()) };
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(out);
                }
                '\\' => {
                    self.at += 1;
                    self.escape(&mut out)?;
                }
                c if c < ' ' => return Err(self.unexpected()),
                c => {
                    out.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), String> {
        let simple = match self.peek() {
            Some(c @ (b'"' | b'\\' | b'/')) => c as char,
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                let high = self.hex()?;
                let low = (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u");
                let code = if low {
                    let back = self.at;
                    self.at += 2;
                    match self.hex()? {
                        low @ 0xdc00..0xe000 => 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00),
                        _ => {
                            self.at = back;
                            high
                        }
                    }
                } else {
                    high
                };
                out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                return Ok(());
            }
            _ => return Err(self.unexpected()),
        };
        out.push(simple);
        self.at += 1;
        Ok(())
    }

    fn hex(&mut self) -> Result<u32, String> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(digits) = digits else { return Err(self.unexpected()) };
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| self.unexpected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_come_back() {
        for text in ["null", "[1,-2.50,1E+2,\"a\\\"\\\\\\u0001\"]", "{\"a\":{\"b\":[]},\"c\":{}}", "\"é\""] {
            assert_eq!(Json::parse(text).unwrap().text(), text);
        }
        assert_eq!(Json::parse(" { \"a\" : 1 , \"a\" : 2 } ").unwrap().text(), "{\"a\":2}");
        assert_eq!(Json::parse("\"\\ud83d\\ude00\"").unwrap(), Json::Text("😀".into()));
        for text in ["", "{", "[1,]", "01", "1.", "tru", "\"\n\"", "1 2", "{\"a\" 1}", "\"\\x\""] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }
}
