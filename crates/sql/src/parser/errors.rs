//! What is said about text that does not parse.

use tidegate_diag::{Code, Diagnostic, Span, closest, line_column};

use super::{MAX_DEPTH, Parser, Stop};
use crate::keywords;
use crate::tokens::{Token, TokenKind};

/// A token that does not fit.
pub const UNEXPECTED: Code = Code::new("TG1001");
/// A reserved word used as a name.
pub const RESERVED: Code = Code::new("TG1002");
/// Double quotes.
pub const DOUBLE_QUOTES: Code = Code::new("TG1004");
/// A comma too many.
pub const TRAILING_COMMA: Code = Code::new("TG1005");
/// A comma too few.
pub const MISSING_COMMA: Code = Code::new("TG1006");
/// No semicolon between two statements.
pub const MISSING_SEMICOLON: Code = Code::new("TG1007");
/// Too much nesting.
pub const TOO_DEEP: Code = Code::new("TG1008");
/// Flink's, but not (yet) Tidegate's.
pub const UNSUPPORTED: Code = Code::new("TG1009");
/// Text that begins like no statement.
pub const NO_STATEMENT: Code = Code::new("TG1010");
/// A constant that is not well formed.
pub const LITERAL: Code = Code::new("TG1011");
/// A constant that is well formed, yet not one: Flink says so when it validates.
pub const BAD_CONSTANT: Code = Code::new("TG2222");
/// Another database's way of writing it.
pub const FOREIGN: Code = Code::new("TG1013");
/// A script that is too long.
pub const TOO_LONG: Code = Code::new("TG1016");
/// A clause at the wrong place.
pub const ORDER: Code = Code::new("TG1014");

/// Begin or join clauses, so that a name is more likely missing before them than spelt like them.
const CLAUSE_WORDS: &[&str] = &[
    "FROM", "WHERE", "SELECT", "ON", "AS", "WITH", "VALUES", "HAVING", "JOIN", "UNION", "INTO", "BY", "AND", "OR",
    "IS", "THEN", "ELSE", "WHEN", "CASE", "IN", "BETWEEN", "LIKE", "NOT", "NULL", "INSERT", "CREATE", "DROP",
];

/// The most text of a script, comments and white space aside.
const MAX_BYTES: usize = 1 << 20;
/// The most words and signs of a script.
const MAX_TOKENS: usize = 300_000;

/// A script that is too long to be looked at between two strokes of a key.
pub(super) fn too_long(tokens: &[Token]) -> Option<Diagnostic> {
    let mut bytes = 0;
    let first = tokens.iter().enumerate().find(|(index, token)| {
        bytes += (token.span.end - token.span.start) as usize;
        bytes > MAX_BYTES || *index >= MAX_TOKENS
    });
    let message = match first?.0 >= MAX_TOKENS {
        true => format!("The script is too long: more than {MAX_TOKENS} words and signs."),
        false => "The script is too long: more than 1 MB of SQL.".to_owned(),
    };
    let hint = "Rows belong into an input and not into the SQL: lines that begin with --! are not counted, and files can be \
                read into a table.";
    Some(Diagnostic::error(TOO_LONG, message).at(first?.1.span).hint(hint))
}

impl Parser<'_> {
    /// Reports `d` and gives up on the statement.
    pub(super) fn fail(&mut self, d: Diagnostic) -> Stop {
        self.diagnostics.push(d);
        Stop
    }

    /// Reports `d` and goes on.
    pub(super) fn report(&mut self, d: Diagnostic) {
        self.diagnostics.push(d);
    }

    /// `Encountered "x" at line 1, column 2.`
    pub(super) fn encountered(&self, token: &Token) -> String {
        let place = line_column(self.text, token.span.start);
        let shown = match &token.kind {
            TokenKind::End => "<EOF>".to_owned(),
            _ => {
                let text = self.source(token.span);
                let line = text.split('\n').next().unwrap_or(text);
                match line.char_indices().nth(40) {
                    Some((cut, _)) => format!("{}…", &line[..cut]),
                    None => line.to_owned(),
                }
            }
        };
        format!("Encountered \"{shown}\" at line {}, column {}.", place.line, place.column)
    }

    /// The next token fits none of `expected`: keywords, symbols, or descriptions such as "a name".
    pub(super) fn unexpected(&mut self, expected: &[&str]) -> Stop {
        let token = self.peek().clone();
        if token.kind == TokenKind::Bad {
            return Stop;
        }
        if let Some((span, word)) = self.misspelt_alias() {
            let alias = Token { kind: TokenKind::Bad, span };
            let d = Diagnostic::error(UNEXPECTED, self.encountered(&alias))
                .at(span)
                .hint(format!("Did you mean {word}?"))
                .fix(span, word);
            return self.fail(d);
        }
        let mut message = self.encountered(&token);
        let quoted: Vec<String> =
            expected.iter().map(|e| if is_description(e) { (*e).to_owned() } else { format!("\"{e}\"") }).collect();
        match quoted.as_slice() {
            [] => {}
            [one] => message.push_str(&format!(" Was expecting {one}.")),
            [many @ .., last] => message.push_str(&format!(" Was expecting {} or {last}.", many.join(", "))),
        }
        let mut d = Diagnostic::error(UNEXPECTED, message).at(token.span);
        if let Some(word) = token.word() {
            let words = expected.iter().filter(|e| !is_description(e) && e.len() > 1);
            if let Some(meant) = closest(word, words.copied()) {
                d = d.hint(format!("Did you mean {meant}?")).fix(token.span, meant);
            } else if keywords::is_reserved(word) && expected.iter().any(|e| e.contains("name")) {
                d = d.hint(format!("A name is missing before {}.", word.to_ascii_uppercase()));
            }
        } else if matches!(token.kind, TokenKind::String(_)) && expected.iter().any(|e| e.contains("name")) {
            d = d.hint("Single quotes make a string; a name stands in backticks or without quotes.");
        }
        if d.hints.is_empty() {
            d = d.hint_opt(self.general_hint(&token, expected).map(str::to_owned));
        }
        self.fail(d)
    }

    /// What to do about a token that does not fit, where no word looks like it.
    fn general_hint(&self, token: &Token, expected: &[&str]) -> Option<&'static str> {
        let waits = |what: &str| expected.contains(&what);
        Some(match &token.kind {
            TokenKind::End if waits(")") => "A parenthesis is never closed.",
            TokenKind::End => "The statement ends before it is complete.",
            TokenKind::Symbol(")") if waits("the end of the statement") => "There is one parenthesis ) too many.",
            TokenKind::Symbol(")") if waits("a column name") => "A table has at least one column: name TYPE.",
            TokenKind::Symbol("?" | ":" | "@") => "There are no parameters and variables: write the value itself.",
            _ if waits("a number of rows") => "A whole number is written there, 0 or more.",
            _ if token.is("ON") && self.previous_is("DISTINCT") => {
                "DISTINCT ON is another database's: number the rows with ROW_NUMBER() OVER (PARTITION BY …) and keep the first."
            }
            _ if token.is("FROM") && self.previous_is("SELECT") => {
                "Say what is selected: columns, or * for all of them."
            }
            _ if waits("METADATA") => {
                "A column is name TYPE [NOT NULL], name AS expression or name TYPE METADATA; nothing else follows."
            }
            _ if waits("SECOND") => "Such as INTERVAL '5' SECOND or EXTRACT(HOUR FROM ts).",
            _ => return None,
        })
    }

    fn previous_is(&self, word: &str) -> bool {
        self.pos.checked_sub(1).is_some_and(|last| self.tokens[last].is(word))
    }

    /// Remembers that the token taken last is an alias without AS, which may be a misspelt word of `clauses`.
    pub(super) fn alias_instead_of(&mut self, clauses: &'static [&'static str]) {
        self.alias = Some((self.pos, clauses));
    }

    /// The alias just taken, if it looks like a misspelt keyword.
    pub(super) fn misspelt_alias(&self) -> Option<(Span, &'static str)> {
        let (pos, clauses) = self.alias?;
        if pos != self.pos {
            return None;
        }
        let token = &self.tokens[pos - 1];
        let meant = closest(token.word()?, clauses.iter().copied())?;
        Some((token.span, clauses.iter().find(|c| **c == meant)?))
    }

    pub(super) fn is_clause_word(&self) -> bool {
        CLAUSE_WORDS.iter().any(|w| self.at(w))
    }

    /// The next token is a reserved word where a name is meant.
    pub(super) fn reserved_word(&mut self) {
        let token = self.peek().clone();
        let word = token.word().unwrap_or("");
        let d = Diagnostic::error(RESERVED, self.encountered(&token))
            .at(token.span)
            .hint(format!("{} is a reserved word; as a name it needs backticks: `{word}`.", word.to_ascii_uppercase()))
            .fix(token.span, format!("`{word}`"));
        self.report(d);
    }

    /// The next token is in double quotes; `name` says whether a name is meant, or else a string.
    pub(super) fn double_quotes(&mut self, name: bool) {
        let token = self.peek().clone();
        let TokenKind::DoubleQuoted(inner) = &token.kind else {
            return;
        };
        let d = Diagnostic::error(DOUBLE_QUOTES, self.encountered(&token)).at(token.span);
        let d = if name {
            d.hint("Names stand in backticks, not in double quotes.")
                .fix(token.span, format!("`{}`", inner.replace('`', "``")))
        } else {
            d.hint("Strings stand in single quotes, names in backticks; double quotes have no meaning.")
                .fix(token.span, format!("'{}'", inner.replace('\'', "''")))
        };
        self.report(d);
    }

    /// The comma taken last is followed by what ends the list.
    pub(super) fn trailing_comma(&mut self) {
        let comma = self.previous_span();
        let token = self.peek().clone();
        let d = Diagnostic::error(TRAILING_COMMA, self.encountered(&token))
            .at(comma)
            .hint("Remove the comma before it.")
            .fix(comma, "");
        self.report(d);
    }

    /// The next token begins another item of a list.
    pub(super) fn missing_comma(&mut self) {
        let token = self.peek().clone();
        let before = self.previous_span();
        let d = Diagnostic::error(MISSING_COMMA, format!("{} Was expecting \",\".", self.encountered(&token)))
            .at(token.span)
            .hint("Is a comma missing before it?")
            .fix(Span::at(before.end), ",");
        self.report(d);
    }

    /// The statement is complete, yet something follows.
    pub(super) fn left_over(&mut self) {
        let token = self.peek().clone();
        let clauses = ["FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "JOIN"];
        if self.misspelt_alias().is_none() && clauses.iter().any(|c| token.is(c)) {
            let d = Diagnostic::error(UNEXPECTED, self.encountered(&token))
                .at(token.span)
                .hint("The order is SELECT … FROM … JOIN … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT ….");
            self.report(d);
        } else {
            self.unexpected(self.may_follow);
        }
    }

    /// The next token begins another statement.
    pub(super) fn missing_semicolon(&mut self) {
        let token = self.peek().clone();
        let before = self.previous_span();
        let d = Diagnostic::error(MISSING_SEMICOLON, format!("{} Was expecting \";\".", self.encountered(&token)))
            .at(token.span)
            .hint("Statements are separated by semicolons.")
            .fix(Span::at(before.end), ";");
        self.report(d);
    }

    pub(super) fn too_deep(&mut self) -> Stop {
        let span = self.peek().span;
        // Every frame on the way back may find that the tree is too high: once is enough.
        if self.diagnostics.last().is_none_or(|d| d.code != TOO_DEEP) {
            let d = Diagnostic::error(
                TOO_DEEP,
                format!(
                    "The statement nests too deeply: more than {MAX_DEPTH} levels, or too long a chain of operators."
                ),
            )
            .at(span)
            .hint("Split it up with views or with WITH; a long chain of OR or = can be an IN list.");
            self.report(d);
        }
        Stop
    }

    /// Flink takes this, Tidegate does not.
    pub(super) fn unsupported(&mut self, span: Span, what: &str, hint: &str) -> Stop {
        let mut d = Diagnostic::error(UNSUPPORTED, format!("{what} is not supported here.")).at(span);
        if !hint.is_empty() {
            d = d.hint(hint);
        }
        self.fail(d)
    }

    /// Another database writes it like this; Flink writes `instead`.
    pub(super) fn foreign(&mut self, span: Span, message: &str, instead: &str) {
        let d =
            Diagnostic::error(FOREIGN, message).at(span).hint(format!("Write {instead} instead.")).fix(span, instead);
        self.report(d);
    }
}

/// Whether this is said in words rather than the text of a token.
fn is_description(expected: &str) -> bool {
    expected.starts_with(|c: char| c.is_ascii_lowercase())
}
