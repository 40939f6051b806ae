//! A reader of JSON that keeps numbers as they are written: a DECIMAL must not pass through a floating-point number.

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    /// `null`
    Null,
    /// A number, `true` or `false`, as written.
    Plain(String),
    /// A text.
    Text(String),
    /// An object, in its order.
    Object(Vec<(String, Json)>),
    /// An array, as written.
    Array(String),
}

impl Json {
    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(own, _)| own == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// Deepest nesting.
const DEEPEST: usize = 64;

/// Reads one value; behind it there is nothing but white space.
///
/// # Errors
/// What is wrong, for people.
pub(super) fn read(text: &str) -> Result<Json, String> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    match reader.rest().chars().next() {
        None => Ok(value),
        Some(more) => Err(format!("'{more}' behind the value")),
    }
}

/// Reads the value that a text begins with; gives where it ends.
///
/// # Errors
/// What is wrong, for people.
pub(super) fn first(text: &str) -> Result<(Json, usize), String> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    Ok((value, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn takes(&mut self, wanted: char) -> bool {
        self.space();
        let is = self.rest().starts_with(wanted);
        self.at += if is { wanted.len_utf8() } else { 0 };
        is
    }

    fn wants(&mut self, wanted: char) -> Result<(), String> {
        if self.takes(wanted) {
            return Ok(());
        }
        match self.rest().chars().next() {
            Some(found) => Err(format!("'{wanted}' expected, '{found}' found")),
            None => Err(format!("'{wanted}' expected, but the line ends")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err("too many values within each other".to_owned());
        }
        self.space();
        let start = self.at;
        match self.rest().chars().next() {
            Some('{') => {
                self.at += 1;
                let mut members = Vec::new();
                if self.takes('}') {
                    return Ok(Json::Object(members));
                }
                loop {
                    self.space();
                    let name = self.string()?;
                    self.wants(':')?;
                    members.push((name, self.value(depth + 1)?));
                    if !self.takes(',') {
                        self.wants('}')?;
                        return Ok(Json::Object(members));
                    }
                }
            }
            Some('[') => {
                self.at += 1;
                if !self.takes(']') {
                    loop {
                        self.value(depth + 1)?;
                        if !self.takes(',') {
                            break;
                        }
                    }
                    self.wants(']')?;
                }
                Ok(Json::Array(self.text[start..self.at].to_owned()))
            }
            Some('"') => Ok(Json::Text(self.string()?)),
            _ => {
                let rest = self.rest();
                let end = rest.find(|char: char| !(char.is_ascii_alphanumeric() || "+-.".contains(char)));
                let word = &rest[..end.unwrap_or(rest.len())];
                self.at += word.len();
                match word {
                    "null" => Ok(Json::Null),
                    "true" | "false" => Ok(Json::Plain(word.to_owned())),
                    "" => Err("a value expected".to_owned()),
                    number if number.starts_with(|char: char| char == '-' || char.is_ascii_digit()) => {
                        Ok(Json::Plain(number.to_owned()))
                    }
                    other => Err(format!("'{other}' is no value")),
                }
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.rest().starts_with('"') {
            return Err("a name in quotes expected".to_owned());
        }
        self.at += 1;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((place, char)) = chars.next() {
            match char {
                '"' => {
                    self.at += place + 1;
                    return Ok(text);
                }
                '\\' => match chars.next().map(|(_, char)| char) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('b') => text.push('\u{8}'),
                    Some('f') => text.push('\u{c}'),
                    Some('u') => {
                        let first = hex(&mut chars)?;
                        let code = if (0xD800..0xDC00).contains(&first) {
                            let pair = (chars.next().map(|(_, char)| char), chars.next().map(|(_, char)| char));
                            let second = if pair == (Some('\\'), Some('u')) { hex(&mut chars)? } else { 0 };
                            if !(0xDC00..0xE000).contains(&second) {
                                return Err("half of a surrogate pair".to_owned());
                            }
                            0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
                        } else {
                            first
                        };
                        text.push(char::from_u32(code).ok_or("half of a surrogate pair")?);
                    }
                    Some(other @ ('"' | '\\' | '/')) => text.push(other),
                    _ => return Err("an unknown escape behind '\\'".to_owned()),
                },
                other => text.push(other),
            }
        }
        Err("a text without its closing quote".to_owned())
    }
}

fn hex(chars: &mut std::str::CharIndices<'_>) -> Result<u32, String> {
    let mut code = 0;
    for _ in 0..4 {
        let digit =
            chars.next().and_then(|(_, char)| char.to_digit(16)).ok_or("four hex digits expected behind '\\u'")?;
        code = code * 16 + digit;
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::{Json, read};

    #[test]
    fn numbers_stay_as_written() {
        let value =
            read(r#" {"a": 12345678901234567890.123, "b": [1, {"c": 2}], "d": "\u00e9\ud83d\ude00\n", "e": null} "#);
        let value = value.expect("an object");
        assert_eq!(value.get("a"), Some(&Json::Plain("12345678901234567890.123".into())));
        assert_eq!(value.get("b"), Some(&Json::Array("[1, {\"c\": 2}]".into())));
        assert_eq!(value.get("d"), Some(&Json::Text("é😀\n".into())));
        assert_eq!(value.get("e"), Some(&Json::Null));
    }

    #[test]
    fn bad_texts_are_refused() {
        for text in ["", "{", "{\"a\" 1}", "{\"a\":1,}", "\"\\x\"", "\"\\ud800\"", "nul", "1 2", "[1,", "\"é"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }
}
