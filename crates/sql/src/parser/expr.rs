//! Operands: constants, columns, parentheses, calls.

use tidegate_diag::{Diagnostic, Span};

use super::operator::{NOT, SIGN};
use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind, FunctionCall, Ident, Literal, ObjectName, UnaryOp};
use crate::keywords;
use crate::tokens::TokenKind;

impl Parser<'_> {
    /// An operand with the fields and elements behind it.
    pub(super) fn prefix(&mut self) -> Parsed<Expr> {
        let start = self.peek().span;
        let kind = self.primary()?;
        let mut expr = Expr { kind, span: self.since(start) };
        loop {
            let kind = if self.at("[") {
                self.skip(1);
                let index = Box::new(self.expr()?);
                self.expect("]")?;
                ExprKind::Index { base: Box::new(expr), index }
            } else if self.at(".") && !self.peek_at(1).is("*") {
                self.skip(1);
                let field = self.ident_for_sure("a field name")?;
                ExprKind::Field { base: Box::new(expr), field }
            } else if self.at("::") {
                let d = Diagnostic::error(super::errors::FOREIGN, self.encountered(self.peek()))
                    .at(self.peek().span)
                    .hint("Write CAST(x AS type) instead.");
                return Err(self.fail(d));
            } else {
                return Ok(expr);
            };
            self.grow()?;
            expr = Expr { kind, span: self.since(start) };
        }
    }

    fn primary(&mut self) -> Parsed<ExprKind> {
        let token = self.peek().clone();
        match &token.kind {
            TokenKind::Number(n) => {
                self.skip(1);
                Ok(ExprKind::Literal(Literal::Number(n.clone())))
            }
            TokenKind::Word { quoted: true, .. } => self.name(),
            TokenKind::Word { value, quoted: false } => self.word(value, token.span),
            TokenKind::Symbol("(") => self.parenthesis(),
            TokenKind::Symbol("-") => self.unary(UnaryOp::Minus, SIGN),
            TokenKind::Symbol("+") => self.unary(UnaryOp::Plus, SIGN),
            TokenKind::Symbol("$") => self.name(),
            _ => match self.string_literal()? {
                Some(literal) => Ok(ExprKind::Literal(literal)),
                None => Err(self.unexpected(&["an expression"])),
            },
        }
    }

    fn unary(&mut self, op: UnaryOp, power: u8) -> Parsed<ExprKind> {
        self.skip(1);
        Ok(ExprKind::Unary { op, expr: Box::new(self.expr_above(power)?) })
    }

    /// `(a)`, `(a, b)`, `(query)`
    fn parenthesis(&mut self) -> Parsed<ExprKind> {
        if self.at_query_in_parens() {
            self.skip(1);
            let query = self.query()?;
            self.expect(")")?;
            return Ok(ExprKind::Subquery(Box::new(query)));
        }
        self.skip(1);
        let mut items = self.plain_list(Self::expr)?;
        if !self.eat(")") {
            return Err(self.unexpected(&[",", ")"]));
        }
        Ok(match items.len() {
            1 => items.remove(0).kind,
            _ => ExprKind::Row(items),
        })
    }

    /// What begins with a word without quotes.
    fn word(&mut self, word: &str, span: Span) -> Parsed<ExprKind> {
        let upper = word.to_ascii_uppercase();
        let next = self.peek_at(1);
        if matches!(next.kind, TokenKind::String(_))
            && next.span.start == span.end
            && (upper == "E" || upper.starts_with('_'))
        {
            return Err(self.unsupported(span, "A prefix of a string", "There are '…', U&'…' and X'…'."));
        }
        if let Some(kind) = self.keyword(&upper, span)? {
            return Ok(kind);
        }
        if !keywords::is_reserved(word) {
            return self.name();
        }
        if keywords::is_variable(word) {
            self.skip(1);
            if self.at("(") {
                let name = ObjectName { parts: vec![Ident { value: word.to_owned(), quoted: false, span }], span };
                return self.call(name);
            }
            return Ok(ExprKind::Function(Box::new(bare_call(word, span))));
        }
        if keywords::is_callable(word) && self.peek_at(1).is("(") {
            self.skip(1);
            let name = ObjectName { parts: vec![Ident { value: word.to_owned(), quoted: false, span }], span };
            return self.call(name);
        }
        if self.peek_at(1).is("(") && !self.is_clause_word() {
            let d = Diagnostic::error(super::errors::RESERVED, self.encountered(self.peek()))
                .at(span)
                .hint(format!("{upper} is a reserved word and no function of this dialect."));
            return Err(self.fail(d));
        }
        self.reserved_column()
    }

    /// A reserved word where an expression should be: a column of that name, if what follows allows for it.
    fn reserved_column(&mut self) -> Parsed<ExprKind> {
        const FOLLOWERS: &[&str] = &[
            ",", ")", "]", ".", "=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||", "AS", "FROM", "IS",
            "IN", "AND", "OR", "THEN", "ELSE", "END", "WHEN", "ASC", "DESC", "LIKE", "BETWEEN", "LIMIT", "ORDER",
            "GROUP",
        ];
        let next = self.peek_at(1);
        let follows = next.kind == TokenKind::End || FOLLOWERS.iter().any(|f| next.is(f));
        if self.is_clause_word() || !follows || (self.at_any(&["LIMIT", "ORDER", "GROUP"]) && next.is("BY")) {
            return Err(self.unexpected(&["an expression"]));
        }
        self.reserved_word();
        let token = self.next();
        let value = token.word().unwrap_or("").to_owned();
        let name = self.object_name_from(Ident { value, quoted: false, span: token.span })?;
        Ok(ExprKind::Column(name.parts))
    }

    /// A column, or a call.
    fn name(&mut self) -> Parsed<ExprKind> {
        let name = self.object_name("an expression")?;
        if self.at("(") {
            return self.call(name);
        }
        Ok(ExprKind::Column(name.parts))
    }

    /// Words that begin an expression of their own; none if `word` is not one of them here.
    fn keyword(&mut self, word: &str, span: Span) -> Parsed<Option<ExprKind>> {
        let text_follows = matches!(self.peek_at(1).kind, TokenKind::String(_) | TokenKind::DoubleQuoted(_));
        let literal = match word {
            "NULL" => Some(Literal::Null),
            "TRUE" => Some(Literal::Boolean(Some(true))),
            "FALSE" => Some(Literal::Boolean(Some(false))),
            "UNKNOWN" => Some(Literal::Boolean(None)),
            _ => None,
        };
        if let Some(literal) = literal {
            self.skip(1);
            return Ok(Some(ExprKind::Literal(literal)));
        }
        match word {
            "NOT" => self.unary(UnaryOp::Not, NOT).map(Some),
            "DATE" | "TIME" | "TIMESTAMP" if text_follows => {
                self.skip(1);
                let text = self.string("text in single quotes")?.value;
                Ok(Some(ExprKind::Literal(match word {
                    "DATE" => Literal::Date(text),
                    "TIME" => Literal::Time(text),
                    _ => Literal::Timestamp(text),
                })))
            }
            "TIMESTAMP" if self.peek_at(1).is("WITH") => Err(self.unsupported(
                span,
                "A constant TIMESTAMP WITH LOCAL TIME ZONE",
                "Use TO_TIMESTAMP_LTZ or CAST.",
            )),
            "INTERVAL" => {
                self.skip(1);
                self.interval(span).map(Some)
            }
            "CASE" => self.case().map(Some),
            "EXISTS" => {
                self.skip(1);
                self.expect("(")?;
                let query = self.query()?;
                self.expect(")")?;
                Ok(Some(ExprKind::Exists(Box::new(query))))
            }
            "ROW" if self.peek_at(1).is("(") => {
                self.skip(2);
                let items = self.plain_list(Self::expr)?;
                self.expect(")")?;
                Ok(Some(ExprKind::Row(items)))
            }
            "ARRAY" | "MAP" if self.peek_at(1).is("[") || self.peek_at(1).is("(") => self.collection(word).map(Some),
            "MULTISET" if self.peek_at(1).is("[") => Err(self.unsupported(span, "MULTISET[…]", "ARRAY[…] is.")),
            "RUNNING" | "FINAL"
                if self.peek_at(1).is_name() || self.peek_at(1).word().is_some_and(keywords::is_callable) =>
            {
                let is_final = word == "FINAL";
                if is_final && !self.peek_at(2).is("(") {
                    return Ok(None);
                }
                self.skip(1);
                let expr = Box::new(self.expr_above(SIGN)?);
                Ok(Some(ExprKind::MatchTime { is_final, expr }))
            }
            _ if self.peek_at(1).is("(") => self.special_call(word, span),
            _ => Ok(None),
        }
    }

    /// `ARRAY[…]`, `MAP[…]`, and the same with parentheses.
    fn collection(&mut self, word: &str) -> Parsed<ExprKind> {
        self.skip(1);
        if self.at_query_in_parens() {
            if word == "MAP" {
                let span = self.peek().span;
                return Err(self.unsupported(span, "MAP of a query", ""));
            }
            self.skip(1);
            let query = self.query()?;
            self.expect(")")?;
            return Ok(ExprKind::ArrayQuery(Box::new(query)));
        }
        let close = if self.next().is("[") { "]" } else { ")" };
        let start = self.peek().span;
        let items = if self.at(close) { Vec::new() } else { self.list(&[close], |_| false, Self::expr)? };
        if !self.eat(close) {
            return Err(self.unexpected(&[",", close]));
        }
        if word == "ARRAY" {
            return Ok(ExprKind::Array(items));
        }
        if items.len() % 2 != 0 {
            let d = Diagnostic::error(super::errors::LITERAL, "MAP requires an even number of arguments.")
                .at(self.since(start))
                .hint("Write keys and values in turns: MAP['a', 1, 'b', 2].");
            return Err(self.fail(d));
        }
        let mut entries = Vec::new();
        let mut items = items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            entries.push((key, value));
        }
        Ok(ExprKind::Map(entries))
    }

    fn case(&mut self) -> Parsed<ExprKind> {
        self.skip(1);
        let operand = if self.at("WHEN") { None } else { Some(Box::new(self.expr()?)) };
        let mut branches = Vec::new();
        while self.eat("WHEN") {
            let mut conditions = self.plain_list(Self::expr)?;
            self.expect("THEN")?;
            let result = self.expr()?;
            // `CASE x WHEN 1, 2 THEN y` is short for two branches.
            let last = conditions.pop();
            for condition in conditions {
                branches.push((condition, result.clone()));
            }
            branches.extend(last.map(|c| (c, result)));
        }
        if branches.is_empty() {
            return Err(self.unexpected(&["WHEN"]));
        }
        let otherwise = if self.eat("ELSE") { Some(Box::new(self.expr()?)) } else { None };
        if !self.eat("END") {
            return Err(self.unexpected(&["WHEN", "ELSE", "END"]));
        }
        Ok(ExprKind::Case { operand, branches, otherwise })
    }
}

/// A call without parentheses, such as `CURRENT_TIMESTAMP`.
fn bare_call(word: &str, span: Span) -> FunctionCall {
    FunctionCall {
        name: ObjectName { parts: vec![Ident { value: word.to_owned(), quoted: false, span }], span },
        parens: false,
        distinct: false,
        args: Vec::new(),
        order_by: Vec::new(),
        ignore_nulls: None,
        within_group: Vec::new(),
        filter: None,
        over: None,
        span,
    }
}
