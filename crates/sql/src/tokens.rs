//! Text to tokens: `sqlparser`'s tokenizer with Flink's lexical rules, and byte offsets for places.
//!
//! Only this file knows `sqlparser`. The grammar is our own, see [`crate::parser`]. What the tokenizer
//! takes for operators of other databases is cut up again here by its text.

use sqlparser::dialect::Dialect;
use sqlparser::tokenizer::{Location, Token as RawToken, Tokenizer, Whitespace};
use tidegate_diag::{Code, Diagnostic, Span, line_column};

/// A quote or comment that never ends.
pub const UNCLOSED: Code = Code::new("TG1003");
/// Text that is no token.
pub const STRAY: Code = Code::new("TG1012");

/// One token.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TokenKind {
    /// A keyword or name; quoted means backticks.
    Word {
        value: String,
        quoted: bool,
    },
    /// `"…"`, which Flink has no use for.
    DoubleQuoted(String),
    Number(String),
    /// `'…'` with quotes resolved.
    String(String),
    /// `N'…'`
    National(String),
    /// What stands in `X'…'`.
    Hex(String),
    /// What stands in `U&'…'`, escapes unresolved.
    Unicode(String),
    /// Punctuation and operators; `/*+` and `*/` enclose a hint.
    Symbol(&'static str),
    /// Text that is no token and was reported already.
    Bad,
    /// The end of the statement.
    End,
}

/// Longest first.
const SYMBOLS: &[&str] = &[
    "<>", "!=", "<=", ">=", "||", "=>", "==", "::", "(", ")", "[", "]", "{", "}", ",", ";", ".", ":", "=", "<", ">",
    "+", "-", "*", "/", "%", "|", "?", "^", "$", "&", "!", "@", "#", "~", "\\",
];

/// Flink's lexical rules.
#[derive(Debug)]
struct FlinkDialect;

impl Dialect for FlinkDialect {
    fn is_identifier_start(&self, c: char) -> bool {
        c.is_alphabetic() || c == '_'
    }

    fn is_identifier_part(&self, c: char) -> bool {
        c.is_alphanumeric() || c == '_' || c == '$'
    }

    fn is_delimited_identifier_start(&self, c: char) -> bool {
        c == '`'
    }

    fn supports_dollar_placeholder(&self) -> bool {
        true
    }
}

/// What a text came to.
#[derive(Debug)]
pub struct Tokens {
    /// All tokens without white space and comments.
    pub tokens: Vec<Token>,
    /// What is wrong with the text.
    pub diagnostics: Vec<Diagnostic>,
    /// From here on a missing quote may have turned strings and text inside out; `u32::MAX` if not.
    pub doubtful: u32,
}

/// Cuts a text into tokens.
pub fn tokenize(text: &str) -> Tokens {
    let mut lexer = Lexer { text, tokens: Vec::new(), diagnostics: Vec::new(), doubtful: u32::MAX };
    lexer.run(0, text.len());
    Tokens { tokens: lexer.tokens, diagnostics: lexer.diagnostics, doubtful: lexer.doubtful }
}

struct Lexer<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    doubtful: u32,
}

impl Lexer<'_> {
    fn run(&mut self, mut from: usize, to: usize) {
        while from < to {
            let piece = &self.text[from..to];
            let mut raw = Vec::new();
            let result = Tokenizer::new(&FlinkDialect, piece).tokenize_with_location_into_buf(&mut raw);
            let mut offsets = Offsets::new(piece);
            let mut end = 0;
            for token in raw {
                let start = offsets.find(token.span.start);
                end = offsets.find(token.span.end);
                self.take(token.token, from + start, from + end);
            }
            match result {
                Ok(()) => return,
                // The tokenizer stops at what it cannot read, which starts behind the last token.
                Err(_) => from = self.stop(from + end, to),
            }
        }
    }

    /// Reports what stands at `at`; gives where to go on.
    fn stop(&mut self, at: usize, to: usize) -> usize {
        let rest = &self.text[at..to];
        // The tokenizer wants no name that begins with an underscore behind a dot.
        if rest.starts_with('.') {
            self.push(TokenKind::Symbol("."), at, at + 1);
            return at + 1;
        }
        let what = match rest.as_bytes() {
            [b'\'', ..] | [_, b'\'', ..] => Some(("string", "a single quote (')")),
            [b'`', ..] => Some(("name", "a backtick (`)")),
            [b'"', ..] => Some(("name", "a double quote (\")")),
            [b'/', b'*', ..] => Some(("comment", "*/")),
            _ => None,
        };
        if let Some((what, closing)) = what {
            let d = self.unclosed(what, closing, at as u32);
            self.diagnostics.push(d);
            self.push(TokenKind::Bad, at, to);
            return to;
        }
        let c = rest.chars().next().unwrap_or(' ');
        let end = at + c.len_utf8();
        self.stray(at, end);
        end
    }

    fn unclosed(&mut self, what: &str, closing: &str, at: u32) -> Diagnostic {
        // With one quote too few, the text between two strings is taken for a string, and the last quote is
        // left over: a string over several lines that looks like SQL is more likely the culprit.
        let culprit = self.tokens.iter().find(|t| {
            what == "string"
                && matches!(&t.kind, TokenKind::String(s) if s.contains('\n') && s.contains([';', '=', ',', '(']))
        });
        let start = culprit.map_or(at, |t| t.span.start);
        self.doubtful = start;
        let place = line_column(self.text, start);
        let rest = &self.text[start as usize..];
        let line_end = start + rest.find('\n').unwrap_or(rest.len()) as u32;
        let message = format!("The {what} that begins at line {}, column {} never ends.", place.line, place.column);
        let d = Diagnostic::error(UNCLOSED, message).at(Span::new(start, line_end));
        if culprit.is_none() {
            return d.hint(format!("Close it with {closing}."));
        }
        let last = line_column(self.text, at);
        d.hint(format!(
            "It goes on over several lines, and the quote at line {}, column {} is left over. Close it with {closing}.",
            last.line, last.column
        ))
    }

    fn stray(&mut self, start: usize, end: usize) {
        let place = line_column(self.text, start as u32);
        let piece = &self.text[start..end];
        let message = format!("Encountered {piece:?} at line {}, column {}.", place.line, place.column);
        let mut d = Diagnostic::error(STRAY, message).at(Span::new(start as u32, end as u32));
        if let Some(plain) = plain_quote(piece) {
            d = d
                .hint(format!("This is a typographic character; write {plain} instead."))
                .fix(Span::new(start as u32, end as u32), plain);
        } else {
            d = d.hint("This character has no meaning in SQL outside of quotes.");
        }
        self.diagnostics.push(d);
        self.push(TokenKind::Bad, start, end);
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.tokens.push(Token { kind, span: Span::new(start as u32, end as u32) });
    }

    fn take(&mut self, raw: RawToken, start: usize, end: usize) {
        match raw {
            RawToken::Whitespace(Whitespace::MultiLineComment(body)) if body.starts_with('+') => {
                self.push(TokenKind::Symbol("/*+"), start, start + 3);
                self.run(start + 3, end - 2);
                self.push(TokenKind::Symbol("*/"), end - 2, end);
            }
            RawToken::Whitespace(_) => {}
            RawToken::Word(w) => {
                self.push(TokenKind::Word { value: w.value, quoted: w.quote_style.is_some() }, start, end);
            }
            RawToken::Number(n, long) => {
                let digits = start + n.len();
                self.push(TokenKind::Number(n), start, digits);
                if long {
                    self.push(TokenKind::Word { value: "L".into(), quoted: false }, digits, end);
                }
            }
            RawToken::SingleQuotedString(s) => match self.unicode_prefix(start) {
                Some(prefix) => {
                    self.tokens.truncate(self.tokens.len() - 2);
                    self.push(TokenKind::Unicode(s), prefix, end);
                }
                None => self.push(TokenKind::String(s), start, end),
            },
            RawToken::NationalStringLiteral(s) => self.push(TokenKind::National(s), start, end),
            RawToken::DoubleQuotedString(s) => self.push(TokenKind::DoubleQuoted(s), start, end),
            RawToken::HexStringLiteral(s) if self.text[start..end].ends_with('\'') => {
                self.push(TokenKind::Hex(s), start, end);
            }
            _ => self.cut(start, end),
        }
    }

    /// Where `U&` begins, if it stands directly before `start`.
    fn unicode_prefix(&self, start: usize) -> Option<usize> {
        let [.., word, and] = self.tokens.as_slice() else {
            return None;
        };
        let touching = word.span.end == and.span.start && and.span.end as usize == start;
        let is_u = matches!(&word.kind, TokenKind::Word { value, quoted: false } if value.eq_ignore_ascii_case("u"));
        (touching && is_u && and.kind == TokenKind::Symbol("&")).then_some(word.span.start as usize)
    }

    /// Cuts up what the tokenizer took for something that Flink does not know.
    fn cut(&mut self, mut start: usize, end: usize) {
        while start < end {
            let rest = &self.text[start..end];
            let dollar_name = rest.strip_prefix('$').is_some_and(|r| r.starts_with(|c: char| c.is_alphanumeric()));
            if dollar_name {
                let n = rest.find(|c: char| !FlinkDialect.is_identifier_part(c)).unwrap_or(rest.len());
                self.push(TokenKind::Word { value: rest[..n].into(), quoted: false }, start, start + n);
                start += n;
            } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
                self.push(TokenKind::Symbol(symbol), start, start + symbol.len());
                start += symbol.len();
            } else if rest.starts_with(|c: char| c.is_ascii_digit()) {
                let n = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                self.push(TokenKind::Number(rest[..n].into()), start, start + n);
                start += n;
            } else if rest.starts_with(|c: char| FlinkDialect.is_identifier_start(c)) {
                let n = rest.find(|c: char| !FlinkDialect.is_identifier_part(c)).unwrap_or(rest.len());
                self.push(TokenKind::Word { value: rest[..n].into(), quoted: false }, start, start + n);
                start += n;
            } else {
                let c = rest.chars().next().unwrap_or(' ');
                if !c.is_whitespace() {
                    self.stray(start, start + c.len_utf8());
                }
                start += c.len_utf8();
            }
        }
    }
}

fn plain_quote(c: &str) -> Option<&'static str> {
    match c {
        "\u{2018}" | "\u{2019}" | "\u{201c}" | "\u{201d}" | "\u{b4}" => Some("'"),
        "\u{2013}" | "\u{2014}" => Some("-"),
        _ => None,
    }
}

/// Finds byte offsets for places given by line and column, which must not go backwards.
struct Offsets<'a> {
    text: &'a str,
    offset: usize,
    line: u64,
    column: u64,
}

impl<'a> Offsets<'a> {
    fn new(text: &'a str) -> Offsets<'a> {
        Offsets { text, offset: 0, line: 1, column: 1 }
    }

    fn find(&mut self, place: Location) -> usize {
        for c in self.text[self.offset..].chars() {
            if (self.line, self.column) >= (place.line, place.column) {
                break;
            }
            self.offset += c.len_utf8();
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        tokenize(text).tokens.iter().map(|t| t.span.text(text)).collect()
    }

    #[test]
    fn spans_are_bytes_of_the_text() {
        assert_eq!(pieces("SELECT 'ü', ä\r\n -- x\n FROM `t``u`"), ["SELECT", "'ü'", ",", "ä", "FROM", "`t``u`"]);
    }

    #[test]
    fn operators_of_other_databases_are_cut_up() {
        assert_eq!(pieces("ARRAY<MAP<A,B>>"), ["ARRAY", "<", "MAP", "<", "A", ",", "B", ">", ">"]);
        assert_eq!(pieces("a->b"), ["a", "-", ">", "b"]);
        assert_eq!(pieces("B*? C?? ^$)"), ["B", "*", "?", "C", "?", "?", "^", "$", ")"]);
        assert_eq!(pieces("1L 0x1F 1_0"), ["1", "L", "0", "x1F", "1", "_0"]);
        assert_eq!(pieces("a[1]._f"), ["a", "[", "1", "]", ".", "_f"]);
    }

    #[test]
    fn hints_and_unicode_strings() {
        assert_eq!(
            pieces("t /*+ OPTIONS('a'='b') */ x"),
            ["t", "/*+", "OPTIONS", "(", "'a'", "=", "'b'", ")", "*/", "x"]
        );
        assert_eq!(pieces("U&'\\00e9' u & 'x'"), ["U&'\\00e9'", "u", "&", "'x'"]);
    }

    #[test]
    fn an_unclosed_quote_is_reported_where_it_begins() {
        let Tokens { tokens, diagnostics, .. } = tokenize("SELECT 1; SELECT 'abc\nFROM t");
        assert_eq!(tokens.len(), 5);
        assert_eq!(diagnostics[0].span, Some(Span::new(17, 21)));
        assert_eq!(diagnostics[0].code, UNCLOSED);
    }

    #[test]
    fn a_stray_character_does_not_end_the_text() {
        let Tokens { tokens, diagnostics, .. } = tokenize("SELECT \u{2018}a\u{2019} FROM t");
        assert_eq!(tokens.len(), 6);
        assert_eq!(diagnostics.len(), 2);
        assert_eq!(diagnostics[0].fix.as_ref().map(|f| f.replacement.as_str()), Some("'"));
    }
}
