//! Constants: strings of all sorts, numbers, units of time, intervals.

use tidegate_diag::{Diagnostic, Span};

use super::errors::{BAD_CONSTANT, LITERAL};
use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind, IntervalQualifier, Literal, TimeUnit};
use crate::tokens::TokenKind;

/// Units by name; the second name is the plural that intervals take as well.
const UNITS: &[(&str, &str, TimeUnit)] = &[
    ("SECOND", "SECONDS", TimeUnit::Second),
    ("MINUTE", "MINUTES", TimeUnit::Minute),
    ("HOUR", "HOURS", TimeUnit::Hour),
    ("DAY", "DAYS", TimeUnit::Day),
    ("WEEK", "WEEKS", TimeUnit::Week),
    ("MONTH", "MONTHS", TimeUnit::Month),
    ("QUARTER", "QUARTERS", TimeUnit::Quarter),
    ("YEAR", "YEARS", TimeUnit::Year),
    ("NANOSECOND", "", TimeUnit::Nanosecond),
    ("MICROSECOND", "", TimeUnit::Microsecond),
    ("MILLISECOND", "", TimeUnit::Millisecond),
    ("DECADE", "", TimeUnit::Decade),
    ("CENTURY", "", TimeUnit::Century),
    ("MILLENNIUM", "", TimeUnit::Millennium),
    ("DOW", "", TimeUnit::Dow),
    ("DOY", "", TimeUnit::Doy),
    ("ISODOW", "", TimeUnit::IsoDow),
    ("ISOYEAR", "", TimeUnit::IsoYear),
    ("EPOCH", "", TimeUnit::Epoch),
];

impl Parser<'_> {
    /// A unit of time, also as `SQL_TSI_DAY`.
    pub(super) fn time_unit(&mut self) -> Parsed<TimeUnit> {
        let word = self.peek().word().unwrap_or("").to_ascii_uppercase();
        let plain = word.strip_prefix("SQL_TSI_").unwrap_or(&word);
        let unit = match plain {
            "FRAC_SECOND" => Some(TimeUnit::Microsecond),
            _ => UNITS.iter().find(|(one, many, _)| plain == *one || (!many.is_empty() && plain == *many)).map(|u| u.2),
        };
        let Some(unit) = unit else {
            return Err(self.unexpected(&["SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"]));
        };
        self.skip(1);
        Ok(unit)
    }

    /// `DAY(3) TO SECOND(6)` and its like.
    pub(super) fn interval_qualifier(&mut self) -> Parsed<IntervalQualifier> {
        let span = self.peek().span;
        let start = self.interval_unit(&UNITS[..8])?;
        let mut qualifier = IntervalQualifier { start, end: None, precision: None, fraction: None, span };
        if self.eat("(") {
            qualifier.precision = Some(self.small_number()?);
            if start == TimeUnit::Second && self.eat(",") {
                qualifier.fraction = Some(self.small_number()?);
            }
            self.expect(")")?;
        }
        // Finer units of the same sort may follow.
        let ends: &[usize] = match start {
            TimeUnit::Year => &[5],
            TimeUnit::Day => &[2, 1, 0],
            TimeUnit::Hour => &[1, 0],
            TimeUnit::Minute => &[0],
            _ => &[],
        };
        if !ends.is_empty() && self.eat("TO") {
            let units: Vec<_> = ends.iter().map(|i| UNITS[*i]).collect();
            let end = self.interval_unit(&units)?;
            qualifier.end = Some(end);
            if end == TimeUnit::Second && self.eat("(") {
                qualifier.fraction = Some(self.small_number()?);
                self.expect(")")?;
            }
        }
        qualifier.span = self.since(span);
        Ok(qualifier)
    }

    fn interval_unit(&mut self, units: &[(&str, &str, TimeUnit)]) -> Parsed<TimeUnit> {
        match units.iter().find(|(one, many, _)| self.at(one) || self.at(many)) {
            Some((_, _, unit)) => {
                self.skip(1);
                Ok(*unit)
            }
            None => {
                let names: Vec<&str> = units.iter().map(|u| u.0).collect();
                Err(self.unexpected(&names))
            }
        }
    }

    /// A number without sign and fraction that fits the AST's precisions.
    pub(super) fn small_number(&mut self) -> Parsed<u32> {
        let token = self.peek().clone();
        let TokenKind::Number(digits) = &token.kind else {
            return Err(self.unexpected(&["a number"]));
        };
        match digits.parse() {
            Ok(n) => {
                self.skip(1);
                Ok(n)
            }
            Err(_) => Err(self.bad_literal(token.span, &format!("'{digits}' is no length or precision"))),
        }
    }

    /// `INTERVAL …`, the word taken already.
    pub(super) fn interval(&mut self, start: Span) -> Parsed<ExprKind> {
        let negative = self.at("-") && matches!(self.peek_at(1).kind, TokenKind::String(_));
        if negative || self.at("+") {
            self.skip(1);
        }
        if let TokenKind::String(value) = self.peek().kind.clone() {
            self.skip(1);
            let qualifier = self.interval_qualifier()?;
            return Ok(ExprKind::Literal(Literal::Interval { value, negative, qualifier }));
        }
        let count = match self.peek().kind.clone() {
            TokenKind::DoubleQuoted(value) => {
                self.double_quotes(false);
                self.skip(1);
                let qualifier = self.interval_qualifier()?;
                return Ok(ExprKind::Literal(Literal::Interval { value, negative, qualifier }));
            }
            TokenKind::Number(n) => {
                let span = self.next().span;
                Expr { kind: ExprKind::Literal(Literal::Number(n)), span }
            }
            _ if self.at("(") => {
                self.skip(1);
                let inner = self.expr()?;
                self.expect(")")?;
                inner
            }
            _ if self.peek().is_name() => {
                let name = self.object_name("a number")?;
                Expr { kind: ExprKind::Column(name.parts), span: name.span }
            }
            _ => {
                // `interval` alone is most likely a column.
                let d = Diagnostic::error(super::errors::RESERVED, self.encountered(self.peek()))
                    .at(self.peek().span)
                    .hint("An interval is written INTERVAL '5' SECOND; as a name INTERVAL needs backticks.")
                    .fix(start, format!("`{}`", self.source(start)));
                return Err(self.fail(d));
            }
        };
        let qualifier = self.interval_qualifier()?;
        Ok(ExprKind::IntervalOf { count: Box::new(count), qualifier })
    }

    /// A string token of any sort, taken with what may follow it.
    pub(super) fn string_literal(&mut self) -> Parsed<Option<Literal>> {
        let token = self.peek().clone();
        let literal = match token.kind {
            TokenKind::String(first) | TokenKind::National(first) => {
                self.skip(1);
                // Strings that follow each other are one, as SQL has it.
                let mut whole = first;
                while let TokenKind::String(more) = &self.peek().kind {
                    whole.push_str(more);
                    self.skip(1);
                }
                Literal::String(whole)
            }
            TokenKind::Unicode(raw) => {
                self.skip(1);
                Literal::String(self.unicode(&raw, token.span)?)
            }
            TokenKind::Hex(digits) => {
                self.skip(1);
                Literal::Bytes(self.bytes(&digits, token.span)?)
            }
            TokenKind::DoubleQuoted(text) => {
                self.double_quotes(false);
                self.skip(1);
                Literal::String(text)
            }
            _ => return Ok(None),
        };
        Ok(Some(literal))
    }

    fn bytes(&mut self, digits: &str, span: Span) -> Parsed<Vec<u8>> {
        match hex(digits) {
            Some(bytes) => Ok(bytes),
            None => {
                let even = digits.len().is_multiple_of(2);
                let what = if even { "hexadecimal digits only" } else { "an even number of hexits" };
                let d = Diagnostic::error(BAD_CONSTANT, format!("Binary literal string must contain {what}"));
                Err(self.fail(d.at(span).hint("Two digits a byte: X'00ff'.")))
            }
        }
    }

    /// Resolves the escapes of `U&'…'`; `UESCAPE 'c'` may follow.
    pub(super) fn unicode(&mut self, raw: &str, span: Span) -> Parsed<String> {
        let mut escape = '\\';
        if self.eat("UESCAPE") {
            let text = self.string("an escape character in single quotes")?;
            let mut chars = text.value.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => escape = c,
                _ => return Err(self.bad_literal(text.span, "UESCAPE takes one character")),
            }
        }
        match resolve_unicode(raw, escape) {
            Some(text) => Ok(text),
            None => {
                let why = format!("Behind {escape} stand four hexadecimal digits, or + and six");
                Err(self.bad_literal(span, &why))
            }
        }
    }

    fn bad_literal(&mut self, span: Span, why: &str) -> super::Stop {
        let d = Diagnostic::error(LITERAL, format!("{why}.")).at(span);
        self.fail(d)
    }
}

/// The bytes of an even number of hexadecimal digits.
pub(crate) fn hex(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).ok()).collect()
}

fn resolve_unicode(raw: &str, escape: char) -> Option<String> {
    let mut units: Vec<u16> = Vec::new();
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        if c != escape {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        if chars.peek() == Some(&escape) {
            chars.next();
            units.extend_from_slice(escape.encode_utf16(&mut [0; 2]));
            continue;
        }
        let long = chars.next_if_eq(&'+').is_some();
        let digits: String = chars.by_ref().take(if long { 6 } else { 4 }).collect();
        if digits.len() != if long { 6 } else { 4 } || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let code = u32::from_str_radix(&digits, 16).ok()?;
        match u16::try_from(code) {
            // Four digits may be half of a pair.
            Ok(unit) => units.push(unit),
            Err(_) => units.extend_from_slice(char::from_u32(code)?.encode_utf16(&mut [0; 2])),
        }
    }
    String::from_utf16(&units).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unicode_escapes() {
        assert_eq!(resolve_unicode("a\\00e9\\\\", '\\').as_deref(), Some("aé\\"));
        assert_eq!(resolve_unicode("!+01F600!d83d!de00", '!').as_deref(), Some("😀😀"));
        assert_eq!(resolve_unicode("\\00", '\\'), None);
        assert_eq!(resolve_unicode("\\d83d", '\\'), None);
    }
}
