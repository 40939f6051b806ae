//! Tokens to statements: a recursive-descent parser for Flink's grammar.
//!
//! It reads one statement at a time. What it can guess (a missing comma, a reserved word as a name) it
//! reports and reads on; at anything else it gives up on the statement and goes on behind its semicolon.
//! The grammar was checked against Flink's own parser, see `tests/flink.txt`.
//!
//! Why not `sqlparser`'s own grammar on its tokens: its tree has no place for half of Flink's clauses,
//! leaves out the spans of many nodes, takes much that Flink refuses, and words its errors in another way.

mod alter;
mod errors;
mod expr;
mod function;
mod literal;
mod operator;
mod pattern;
mod query;
mod statement;
mod table;
mod table_ref;
mod types;

pub(crate) use literal::hex;

use tidegate_diag::{Diagnostic, Span};

use crate::Script;
use crate::ast::{Ident, ObjectName, Statement, StringLit};
use crate::keywords;
use crate::tokens::{Token, TokenKind, Tokens, tokenize};

/// How deep expressions, queries and types may nest: what the stack of a WebAssembly module bears.
const MAX_DEPTH: u32 = 100;
/// How high a tree may grow, counting chains such as `a + b + c` as well.
const MAX_HEIGHT: u32 = 300;

/// The statement cannot be read on; why was reported already.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop;

pub(crate) type Parsed<T> = Result<T, Stop>;

pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    pos: usize,
    /// Stands behind the last token, where the semicolon is or the text ends.
    end: Token,
    diagnostics: Vec<Diagnostic>,
    depth: u32,
    /// The height of the highest tree finished in the frame at work.
    height: u32,
    /// The token behind an alias without AS, and what else that alias could have been meant for.
    alias: Option<(usize, &'static [&'static str])>,
    /// What could still have followed where the statement ended.
    may_follow: &'static [&'static str],
    /// The table or view that the statement creates, once its name is known.
    creates: Option<String>,
}

/// Reads a whole script; a faulty statement does not keep the others from being read.
pub(crate) fn parse(text: &str) -> Script {
    let Tokens { tokens, diagnostics, doubtful } = tokenize(text);
    let mut script = Script::default();
    if let Some(d) = errors::too_long(&tokens) {
        script.diagnostics.push(d);
        return script;
    }
    let mut ordinal = 0;
    let mut start = 0;
    while start < tokens.len() {
        let end = statement_end(&tokens, start);
        if end > start {
            let place = tokens.get(end).map_or(text.len() as u32, |t| t.span.start);
            let mut parser = Parser::new(text, &tokens[start..end], place);
            parser.statements(&mut ordinal, &mut script);
            script.diagnostics.append(&mut parser.diagnostics);
        }
        start = end + 1;
    }
    // Where a quote is missing, what follows was read inside out.
    script.diagnostics.retain(|d| d.span.is_none_or(|s| s.start < doubtful));
    script.diagnostics.extend(diagnostics);
    script.diagnostics.sort_by_key(|d| d.span.map_or(0, |s| s.start));
    script
}

/// The index of the semicolon that ends the statement, or the number of tokens.
fn statement_end(tokens: &[Token], start: usize) -> usize {
    let is = |i: usize, word: &str| tokens.get(i).is_some_and(|t| t.is(word));
    let semicolon = |from: usize| (from..tokens.len()).find(|i| is(*i, ";")).unwrap_or(tokens.len());
    let first = semicolon(start);
    // A statement set holds semicolons; it ends behind `; END`.
    let head = &tokens[start..first.min(start + 8)];
    let opens = ["EXECUTE", "EXPLAIN", "BEGIN", "COMPILE"].iter().any(|w| is(start, w))
        && head.windows(2).any(|w| w[0].is("STATEMENT") && w[1].is("SET"));
    if !opens {
        return first;
    }
    let mut at = first;
    while at < tokens.len() {
        if is(at + 1, "END") && (at + 2 >= tokens.len() || is(at + 2, ";")) {
            return at + 2;
        }
        if !is(at + 1, "INSERT") {
            break;
        }
        at = semicolon(at + 1);
    }
    at
}

impl Token {
    /// Whether this is the keyword (case aside) or symbol `what`.
    pub(crate) fn is(&self, what: &str) -> bool {
        match &self.kind {
            TokenKind::Word { value, quoted: false } => value.eq_ignore_ascii_case(what),
            TokenKind::Symbol(s) => *s == what,
            _ => false,
        }
    }

    /// The word, if it is one without quotes.
    pub(crate) fn word(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Word { value, quoted: false } => Some(value),
            _ => None,
        }
    }

    /// Whether this is a name or a word that may be used as one without quotes.
    pub(crate) fn is_name(&self) -> bool {
        match &self.kind {
            TokenKind::Word { value, quoted } => *quoted || !keywords::is_reserved(value),
            _ => false,
        }
    }
}

// Looking and moving.
impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: &'a [Token], end: u32) -> Parser<'a> {
        Parser {
            text,
            tokens,
            pos: 0,
            end: Token { kind: TokenKind::End, span: Span::at(end) },
            diagnostics: Vec::new(),
            depth: 0,
            height: 0,
            alias: None,
            may_follow: &[],
            creates: None,
        }
    }

    fn statements(&mut self, ordinal: &mut u32, script: &mut Script) {
        loop {
            *ordinal += 1;
            let start = self.peek().span;
            script.starts.push((start.start, *ordinal));
            self.creates = None;
            self.may_follow = &["the end of the statement"];
            let Ok(kind) = self.statement() else {
                script.lost.extend(self.creates.take());
                return;
            };
            let span = self.since(start);
            script.statements.push(Statement { kind, span, ordinal: *ordinal });
            if self.at_end() {
                return;
            }
            if !keywords::STATEMENT_WORDS.iter().any(|w| self.at(w) && keywords::is_reserved(w)) {
                self.left_over();
                return;
            }
            self.missing_semicolon();
        }
    }

    fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    fn peek_at(&self, n: usize) -> &Token {
        self.tokens.get(self.pos + n).unwrap_or(&self.end)
    }

    fn at_end(&self) -> bool {
        self.pos >= self.tokens.len()
    }

    /// Whether the next token is this keyword or symbol.
    fn at(&self, what: &str) -> bool {
        self.peek().is(what)
    }

    fn at_any(&self, what: &[&str]) -> bool {
        what.iter().any(|w| self.at(w))
    }

    /// Whether the next tokens are these keywords or symbols.
    fn at_all(&self, what: &[&str]) -> bool {
        what.iter().enumerate().all(|(i, w)| self.peek_at(i).is(w))
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.pos = (self.pos + 1).min(self.tokens.len());
        token
    }

    fn skip(&mut self, n: usize) {
        self.pos = (self.pos + n).min(self.tokens.len());
    }

    /// Takes the next token if it is this keyword or symbol.
    fn eat(&mut self, what: &str) -> bool {
        let is = self.at(what);
        if is {
            self.skip(1);
        }
        is
    }

    /// Takes the next tokens if they are these keywords or symbols.
    fn eat_all(&mut self, what: &[&str]) -> bool {
        let are = self.at_all(what);
        if are {
            self.skip(what.len());
        }
        are
    }

    /// The next token must be this keyword or symbol.
    fn expect(&mut self, what: &str) -> Parsed<Span> {
        if self.at(what) { Ok(self.next().span) } else { Err(self.unexpected(&[what])) }
    }

    fn expect_all(&mut self, what: &[&str]) -> Parsed<()> {
        what.iter().try_for_each(|w| self.expect(w).map(|_| ()))
    }

    /// From `start` to the token taken last.
    fn since(&self, start: Span) -> Span {
        self.pos.checked_sub(1).map_or(start, |last| start.to(self.tokens[last].span))
    }

    fn previous_span(&self) -> Span {
        self.pos.checked_sub(1).map_or(Span::at(0), |last| self.tokens[last].span)
    }

    fn source(&self, span: Span) -> &'a str {
        span.text(self.text)
    }
}

// Depth.
impl Parser<'_> {
    /// Runs `parse` one level deeper; its tree is one higher than the highest of its children.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let outer = std::mem::replace(&mut self.height, 0);
        let result = parse(self);
        self.depth -= 1;
        self.grow()?;
        self.height = self.height.max(outer);
        result
    }

    /// Counts a node on top of what the frame has finished.
    fn grow(&mut self) -> Parsed<()> {
        self.height += 1;
        if self.height > MAX_HEIGHT { Err(self.too_deep()) } else { Ok(()) }
    }
}

// Names, strings, lists.
impl Parser<'_> {
    /// A name; a reserved word or double quotes in its place are reported and taken for one.
    fn ident(&mut self, what: &str) -> Parsed<Ident> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Word { value, quoted } => {
                if !quoted && keywords::is_reserved(&value) {
                    if self.is_clause_word() {
                        return Err(self.unexpected(&[what]));
                    }
                    self.reserved_word();
                }
                self.skip(1);
                Ok(Ident { value, quoted, span: token.span })
            }
            TokenKind::DoubleQuoted(value) => {
                self.double_quotes(true);
                self.skip(1);
                Ok(Ident { value, quoted: true, span: token.span })
            }
            _ => Err(self.unexpected(&[what])),
        }
    }

    /// A name at a place where even a word such as FROM can only be meant as one.
    fn ident_for_sure(&mut self, what: &str) -> Parsed<Ident> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Word { value, quoted: false } if keywords::is_reserved(&value) => {
                self.reserved_word();
                self.skip(1);
                Ok(Ident { value, quoted: false, span: token.span })
            }
            _ => self.ident(what),
        }
    }

    /// `[[catalog.]database.]object`
    fn object_name(&mut self, what: &str) -> Parsed<ObjectName> {
        let first = self.ident(what)?;
        self.object_name_from(first)
    }

    fn object_name_from(&mut self, first: Ident) -> Parsed<ObjectName> {
        let start = first.span;
        let mut parts = vec![first];
        while self.at(".") && !self.peek_at(1).is("*") {
            self.skip(1);
            parts.push(self.ident_for_sure("a name")?);
        }
        Ok(ObjectName { parts, span: self.since(start) })
    }

    /// `( name, … )`
    fn ident_list(&mut self, what: &str) -> Parsed<Vec<Ident>> {
        self.expect("(")?;
        let names = self.list(&[")"], Parser::is_word, |p| p.ident(what))?;
        self.expect(")")?;
        Ok(names)
    }

    fn is_word(&self) -> bool {
        self.peek().is_name()
    }

    /// A string in quotes, where the grammar takes no expression.
    fn string(&mut self, what: &str) -> Parsed<StringLit> {
        let token = self.peek().clone();
        let value = match token.kind {
            TokenKind::String(value) | TokenKind::National(value) => value,
            TokenKind::Unicode(raw) => {
                self.skip(1);
                let value = self.unicode(&raw, token.span)?;
                return Ok(StringLit { value, span: self.since(token.span) });
            }
            TokenKind::DoubleQuoted(value) => {
                self.double_quotes(false);
                value
            }
            _ => return Err(self.unexpected(&[what])),
        };
        self.skip(1);
        Ok(StringLit { value, span: token.span })
    }

    /// Items separated by commas, at least one. `closing` may follow the list: a comma before it is one too
    /// many. Where `another` says that the next token begins an item, a comma is missing.
    fn list<T>(
        &mut self,
        closing: &[&str],
        another: fn(&Self) -> bool,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        loop {
            if self.eat(",") {
                if self.at_any(closing) || self.at_end() {
                    self.trailing_comma();
                    return Ok(items);
                }
            } else if !self.at_end() && self.misspelt_alias().is_none() && another(self) {
                self.missing_comma();
            } else {
                return Ok(items);
            }
            items.push(item(self)?);
        }
    }

    /// Items separated by commas where nothing is guessed.
    fn plain_list<T>(&mut self, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.list(&[")"], |_| false, item)
    }
}
