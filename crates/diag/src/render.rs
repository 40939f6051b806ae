//! Findings as plain text for a terminal, with the line and a caret below it.

use std::fmt::Write as _;

use crate::{Diagnostic, line_column};

/// The finding as text: headline, place, the line with carets, hints. `name` names the script.
pub fn render(diagnostic: &Diagnostic, name: &str, text: &str) -> String {
    let mut out = format!("{diagnostic}\n");
    if let Some(span) = diagnostic.span {
        let place = line_column(text, span.start);
        let _ = writeln!(out, "  --> {name}:{}:{}", place.line, place.column);
        if let Some(line) = text.split('\n').nth(place.line as usize - 1) {
            let line = line.trim_end_matches('\r');
            let number = place.line.to_string();
            let pad = " ".repeat(number.len());
            let column = place.column as usize - 1;
            let (line, column) = cut(line, column);
            let to_line_end = line.chars().count().saturating_sub(column);
            let width = span.text(text).chars().take_while(|c| *c != '\n').count().min(to_line_end).max(1);
            let indent: String = line.chars().take(column).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            let _ = writeln!(out, " {pad} |\n {number} | {line}\n {pad} | {indent}{}", "^".repeat(width));
        }
    }
    for hint in &diagnostic.hints {
        let _ = writeln!(out, "  hint: {hint}");
    }
    out
}

/// The most characters of a line that are shown.
const MOST: usize = 160;
/// How many of them stand before the place that is meant.
const BEFORE: usize = 40;

/// A line that is not too long to be read, and the column in it: what is left out is a `…`.
fn cut(line: &str, column: usize) -> (String, usize) {
    let length = line.chars().count();
    if length <= MOST {
        return (line.to_owned(), column);
    }
    let first = column.saturating_sub(BEFORE).min(length - MOST);
    let mut shown: String = line.chars().skip(first).take(MOST).collect();
    if first + MOST < length {
        shown.push('…');
    }
    match first {
        0 => (shown, column),
        _ => (format!("…{shown}"), column - first + 1),
    }
}

/// All findings as text, separated by an empty line.
pub fn render_all(diagnostics: &[Diagnostic], name: &str, text: &str) -> String {
    let parts: Vec<String> = diagnostics.iter().map(|d| render(d, name, text)).collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use crate::{Code, Diagnostic, Span, render};

    #[test]
    fn the_caret_stands_below_its_word() {
        let text = "SELECT a\nFORM t";
        let d = Diagnostic::error(Code::new("TG1001"), "Encountered \"FORM\".")
            .at(Span::new(9, 13))
            .hint("Did you mean FROM?");
        let expected = "error[TG1001]: Encountered \"FORM\".\n  --> q.sql:2:1\n   |\n 2 | FORM t\n   | ^^^^\n  hint: Did you mean FROM?\n";
        assert_eq!(render(&d, "q.sql", text), expected);
    }

    #[test]
    fn of_a_long_line_what_is_around_the_place_is_shown() {
        let text = format!("SELECT {} x {} FROM t", "a, ".repeat(400), ", b".repeat(400));
        let at = text.find('x').unwrap() as u32;
        let shown = render(&Diagnostic::error(Code::new("TG1001"), "x").at(Span::new(at, at + 1)), "q", &text);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[3].starts_with(" 1 | …") && lines[3].ends_with('…') && lines[3].chars().count() < 180, "{shown}");
        let caret = lines[4].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[3].chars().nth(caret), Some('x'));
        let whole =
            render(&Diagnostic::error(Code::new("TG1001"), "x").at(Span::new(0, text.len() as u32)), "q", &text);
        assert!(whole.lines().all(|line| line.chars().count() < 180), "{whole}");
    }

    #[test]
    fn a_place_at_the_end_of_the_text_still_gets_a_caret() {
        let d = Diagnostic::error(Code::new("TG1001"), "x").at(Span::at(2));
        assert!(render(&d, "q", "ab").ends_with("1 | ab\n   |   ^\n"));
    }
}
