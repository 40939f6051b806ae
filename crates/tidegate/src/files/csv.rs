//! Comma-separated values as RFC 4180 has them: quotes around commas, line ends and doubled quotes.

/// A field: its text, and whether it was quoted.
pub(super) type Field = (String, bool);

/// A record: the line that it begins on, from 1, and its fields.
pub(super) type Record = (usize, Vec<Field>);

/// The records of a text; empty lines are passed over.
///
/// # Errors
/// The line of a quote that is not closed.
pub(super) fn records(text: &str) -> Result<Vec<Record>, usize> {
    let (mut records, mut fields) = (Vec::new(), Vec::new());
    let (mut field, mut quoted) = (String::new(), false);
    let (mut line, mut begun) = (1, 1);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if field.is_empty() && !quoted => {
                quoted = true;
                let opened = line;
                loop {
                    match chars.next() {
                        Some('"') if chars.peek() == Some(&'"') => {
                            chars.next();
                            field.push('"');
                        }
                        Some('"') => break,
                        Some(inside) => {
                            line += usize::from(inside == '\n');
                            field.push(inside);
                        }
                        None => return Err(opened),
                    }
                }
            }
            ',' => fields.push((std::mem::take(&mut field), std::mem::take(&mut quoted))),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' => {
                end(&mut records, &mut fields, &mut field, &mut quoted, begun);
                line += 1;
                begun = line;
            }
            other => field.push(other),
        }
    }
    end(&mut records, &mut fields, &mut field, &mut quoted, begun);
    Ok(records)
}

fn end(records: &mut Vec<Record>, fields: &mut Vec<Field>, field: &mut String, quoted: &mut bool, line: usize) {
    if fields.is_empty() && field.trim().is_empty() && !*quoted {
        field.clear();
        return;
    }
    fields.push((std::mem::take(field), std::mem::take(quoted)));
    records.push((line, std::mem::take(fields)));
}

#[cfg(test)]
mod tests {
    use super::records;

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
        assert_eq!(records("a\nb").map(|all| all[1].0), Ok(2));
    }
}
