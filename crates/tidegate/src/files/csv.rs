//! Comma-separated values as RFC 4180 has them: quotes around commas, line ends and doubled quotes.

/// A field: its text, and whether it was quoted.
pub(super) type Field = (String, bool);

/// A record: the line that it begins on, from 1, and its fields.
pub(super) type Record = (usize, Vec<Field>);

/// The records of a text, one after the other; empty lines are passed over.
#[derive(Clone, Debug)]
pub(super) struct Records {
    /// Where the next one begins: byte and line.
    at: usize,
    line: usize,
}

impl Records {
    /// From the start of a text.
    pub fn new() -> Records {
        Records { at: 0, line: 1 }
    }

    /// The next record of the text; `None` at its end.
    ///
    /// # Errors
    /// The line of a quote that is not closed.
    pub fn next(&mut self, text: &str) -> Result<Option<Record>, usize> {
        let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
        let mut begun = self.line;
        let rest = &text[self.at..];
        let mut chars = rest.char_indices().peekable();
        while let Some((place, char)) = chars.next() {
            match char {
                '"' if field.is_empty() && !quoted => {
                    quoted = true;
                    let opened = self.line;
                    loop {
                        match chars.next().map(|(_, char)| char) {
                            Some('"') if chars.peek().is_some_and(|(_, next)| *next == '"') => {
                                chars.next();
                                field.push('"');
                            }
                            Some('"') => break,
                            Some(inside) => {
                                self.line += usize::from(inside == '\n');
                                field.push(inside);
                            }
                            None => return Err(opened),
                        }
                    }
                }
                ',' => fields.push((std::mem::take(&mut field), std::mem::take(&mut quoted))),
                '\r' if chars.peek().is_some_and(|(_, next)| *next == '\n') => {}
                '\n' => {
                    self.line += 1;
                    if fields.is_empty() && field.trim().is_empty() && !quoted {
                        field.clear();
                        begun = self.line;
                        continue;
                    }
                    self.at += place + 1;
                    fields.push((field, quoted));
                    return Ok(Some((begun, fields)));
                }
                other => field.push(other),
            }
        }
        self.at = text.len();
        if fields.is_empty() && field.trim().is_empty() && !quoted {
            return Ok(None);
        }
        fields.push((field, quoted));
        Ok(Some((begun, fields)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Record, Records};

    fn records(text: &str) -> Result<Vec<Record>, usize> {
        let (mut records, mut all) = (Records::new(), Vec::new());
        while let Some(record) = records.next(text)? {
            all.push(record);
        }
        Ok(all)
    }

    fn texts(text: &str) -> Vec<Vec<String>> {
        let records = records(text).expect("closed quotes");
        records.into_iter().map(|(_, fields)| fields.into_iter().map(|(text, _)| text).collect()).collect()
    }

    #[test]
    fn quotes_keep_commas_lines_and_quotes() {
        assert_eq!(texts("a,\"b,\"\"c\"\"\nd\"\r\n\n,x\n"), [vec!["a", "b,\"c\"\nd"], vec!["", "x"]]);
    }

    #[test]
    fn says_where_an_open_quote_began() {
        assert_eq!(records("a\n\"b\nc"), Err(2));
        assert_eq!(records("a\n\n\nb").map(|all| all[1].0), Ok(4));
    }
}
