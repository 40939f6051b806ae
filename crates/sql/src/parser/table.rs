//! `CREATE TABLE`.

use tidegate_diag::{Diagnostic, Span};

use super::errors::ORDER;
use super::{Parsed, Parser};
use crate::ast::{
    ColumnDef, ColumnKind, Constraint, CreateTable, Distribution, Expr, ExprKind, Ident, Like, LikeFeature, LikeOption,
    LikeStrategy, Literal, SqlOption, StatementKind, WatermarkDef,
};
use crate::tokens::TokenKind;

/// What a table's parentheses hold.
#[derive(Default)]
pub(super) struct Elements {
    pub columns: Vec<ColumnDef>,
    pub watermarks: Vec<WatermarkDef>,
    pub constraints: Vec<Constraint>,
}

impl Parser<'_> {
    pub(super) fn create_table(&mut self, temporary: bool) -> Parsed<StatementKind> {
        let if_not_exists = self.eat_all(&["IF", "NOT", "EXISTS"]);
        let name = self.object_name("a table name")?;
        self.creates = Some(name.last().value.clone());
        let mut elements = Elements::default();
        if self.eat("(") {
            self.list(&[")"], Parser::at_column, |p| p.element(&mut elements))?;
            if !self.eat(")") {
                return Err(self.unexpected(&[",", ")", "NOT", "PRIMARY", "COMMENT", "METADATA"]));
            }
        }
        let comment = self.comment()?;
        let distribution = self.distribution()?;
        let partitioned_by =
            if self.eat_all(&["PARTITIONED", "BY"]) { self.ident_list("a column name")? } else { Vec::new() };
        let options = if self.eat("WITH") { self.options()? } else { Vec::new() };
        let like = if self.at("LIKE") { Some(self.like_clause()?) } else { None };
        let as_query = if self.eat("AS") { Some(self.query()?) } else { None };
        self.misplaced()?;
        self.may_follow = &["COMMENT", "PARTITIONED", "WITH", "LIKE", "AS", "the end of the statement"];
        Ok(StatementKind::CreateTable(Box::new(CreateTable {
            temporary,
            if_not_exists,
            name,
            columns: elements.columns,
            watermarks: elements.watermarks,
            constraints: elements.constraints,
            comment,
            distribution,
            partitioned_by,
            options,
            like,
            as_query,
        })))
    }

    /// Clauses that would have had to come before.
    fn misplaced(&mut self) -> Parsed<()> {
        let (clause, before) = if self.at("COMMENT") {
            ("COMMENT", "PARTITIONED BY and WITH")
        } else if self.at("PARTITIONED") {
            ("PARTITIONED BY", "WITH")
        } else if self.at("WITH") {
            ("WITH", "LIKE")
        } else {
            return Ok(());
        };
        let token = self.peek().clone();
        let d = Diagnostic::error(ORDER, self.encountered(&token))
            .at(token.span)
            .hint(format!("{clause} comes before {before}."));
        Err(self.fail(d))
    }

    /// Whether the next tokens look like another column, so that a comma is missing before them.
    fn at_column(&self) -> bool {
        if self.at_any(&["WATERMARK", "PRIMARY", "CONSTRAINT", "UNIQUE"]) {
            return true;
        }
        matches!(self.peek().kind, TokenKind::Word { .. })
            && self.peek_at(1).word().is_some_and(|w| super::types::is_type_word(w) || w.eq_ignore_ascii_case("AS"))
            && !self.at_any(&["METADATA", "COMMENT", "NOT", "NULL", "FROM", "VIRTUAL"])
    }

    pub(super) fn element(&mut self, elements: &mut Elements) -> Parsed<()> {
        let start = self.peek().span;
        if self.at_all(&["WATERMARK", "FOR"]) {
            self.skip(2);
            let column = self.object_name("a column name")?;
            self.expect("AS")?;
            let expr = self.expr()?;
            elements.watermarks.push(WatermarkDef { column, expr, span: self.since(start) });
            return Ok(());
        }
        if self.at("WATERMARK") && self.peek_at(2).is("AS") {
            self.skip(1);
            return Err(self.unexpected(&["FOR"]));
        }
        let named = self.at("CONSTRAINT");
        if named || self.at_all(&["PRIMARY", "KEY"]) || self.at_all(&["UNIQUE", "("]) {
            let name = self.constraint_name()?;
            let primary = self.constraint_kind()?;
            let columns = self.ident_list("a column name")?;
            let enforced = self.enforced()?;
            elements.constraints.push(Constraint { name, primary, columns, enforced, span: self.since(start) });
            return Ok(());
        }
        let name = self.ident_for_sure("a column name")?;
        let kind =
            if self.eat("AS") { ColumnKind::Computed(self.expr()?) } else { self.typed_column(&name, elements)? };
        let comment = self.comment()?;
        if comment.is_some() && self.at_any(&["PRIMARY", "CONSTRAINT", "UNIQUE", "METADATA", "NOT"]) {
            let token = self.peek().clone();
            let d = Diagnostic::error(ORDER, self.encountered(&token))
                .at(token.span)
                .hint("COMMENT comes last in the definition of a column.");
            return Err(self.fail(d));
        }
        elements.columns.push(ColumnDef { name, kind, comment, span: self.since(start) });
        Ok(())
    }

    fn typed_column(&mut self, name: &Ident, elements: &mut Elements) -> Parsed<ColumnKind> {
        let ty = self.data_type()?;
        if self.eat("METADATA") {
            let key = if self.eat("FROM") { Some(self.string("a metadata key in single quotes")?) } else { None };
            let is_virtual = self.eat("VIRTUAL");
            if is_virtual && self.at("FROM") {
                let token = self.peek().clone();
                let d = Diagnostic::error(ORDER, self.encountered(&token))
                    .at(token.span)
                    .hint("VIRTUAL comes behind FROM 'key'.");
                return Err(self.fail(d));
            }
            return Ok(ColumnKind::Metadata { ty, key, is_virtual });
        }
        while self.at_any(&["CONSTRAINT", "PRIMARY", "UNIQUE"]) {
            let start = self.peek().span;
            let constraint = self.constraint_name()?;
            let primary = self.constraint_kind()?;
            let enforced = self.enforced()?;
            let columns = vec![name.clone()];
            let span = self.since(start);
            elements.constraints.push(Constraint { name: constraint, primary, columns, enforced, span });
        }
        if self.at("DEFAULT") {
            let span = self.peek().span;
            return Err(self.unsupported(
                span,
                "DEFAULT",
                "Flink's columns have no default; COALESCE in the query gives one.",
            ));
        }
        if self.at("FROM") {
            let span = Span::at(self.peek().span.start);
            let d = Diagnostic::error(super::errors::UNEXPECTED, self.encountered(self.peek()))
                .at(self.peek().span)
                .hint("METADATA is missing before FROM.")
                .fix(span, "METADATA ");
            return Err(self.fail(d));
        }
        Ok(ColumnKind::Physical(ty))
    }

    fn constraint_name(&mut self) -> Parsed<Option<Ident>> {
        if self.eat("CONSTRAINT") { Ok(Some(self.ident("a name")?)) } else { Ok(None) }
    }

    fn constraint_kind(&mut self) -> Parsed<bool> {
        if self.eat("UNIQUE") {
            return Ok(false);
        }
        if self.eat("PRIMARY") {
            self.expect("KEY")?;
            return Ok(true);
        }
        Err(self.unexpected(&["PRIMARY", "UNIQUE"]))
    }

    fn enforced(&mut self) -> Parsed<Option<bool>> {
        if self.eat("ENFORCED") {
            return Ok(Some(true));
        }
        if self.at("NOT") && !self.peek_at(1).is("NULL") {
            self.skip(1);
            self.expect("ENFORCED")?;
            return Ok(Some(false));
        }
        Ok(None)
    }

    fn distribution(&mut self) -> Parsed<Option<Distribution>> {
        let start = self.peek().span;
        if !self.eat("DISTRIBUTED") {
            return Ok(None);
        }
        let mut kind = None;
        let mut columns = Vec::new();
        if self.eat("BY") {
            if self.at("HASH") || self.at("RANGE") {
                let token = self.next();
                kind = Some(Ident { value: token.word().unwrap_or("").to_owned(), quoted: false, span: token.span });
            }
            columns = self.ident_list("a column name")?;
        } else if !self.at("INTO") {
            return Err(self.unexpected(&["BY", "INTO"]));
        }
        let mut buckets = None;
        if self.eat("INTO") {
            let token = self.peek().clone();
            let TokenKind::Number(n) = token.kind else {
                return Err(self.unexpected(&["a number"]));
            };
            self.skip(1);
            buckets = Some(Expr { kind: ExprKind::Literal(Literal::Number(n)), span: token.span });
            self.expect("BUCKETS")?;
        }
        Ok(Some(Distribution { kind, columns, buckets, span: self.since(start) }))
    }

    /// `( 'key' = 'value', … )`
    pub(super) fn options(&mut self) -> Parsed<Vec<SqlOption>> {
        self.expect("(")?;
        if self.eat(")") {
            return Ok(Vec::new());
        }
        let another = |p: &Self| matches!(p.peek().kind, TokenKind::String(_) | TokenKind::DoubleQuoted(_));
        let options = self.list(&[")"], another, |p| {
            let key = p.option_text("an option's key in single quotes")?;
            p.expect("=")?;
            let value = p.option_text("an option's value in single quotes")?;
            Ok(SqlOption { key, value })
        })?;
        if !self.eat(")") {
            return Err(self.unexpected(&[",", ")"]));
        }
        Ok(options)
    }

    /// A string; a bare word or number is reported and taken for one.
    fn option_text(&mut self, what: &str) -> Parsed<crate::ast::StringLit> {
        let start = self.peek().span;
        let bare = matches!(self.peek().kind, TokenKind::Word { .. } | TokenKind::Number(_));
        if !bare {
            return self.string(what);
        }
        self.skip(1);
        while self.at_any(&[".", "-"]) && matches!(self.peek_at(1).kind, TokenKind::Word { .. } | TokenKind::Number(_))
        {
            self.skip(2);
        }
        let span = self.since(start);
        let value = self.source(span).trim_matches('`').to_owned();
        self.foreign(span, "Keys and values of options stand in single quotes.", &format!("'{value}'"));
        Ok(crate::ast::StringLit { value, span })
    }

    fn like_clause(&mut self) -> Parsed<Like> {
        let start = self.peek().span;
        self.skip(1);
        let table = self.object_name("a table name")?;
        let mut options = Vec::new();
        if self.eat("(") {
            while !self.eat(")") {
                options.push(self.like_option()?);
            }
        }
        Ok(Like { table, options, span: self.since(start) })
    }

    fn like_option(&mut self) -> Parsed<LikeOption> {
        const STRATEGIES: [(&str, LikeStrategy); 3] = [
            ("INCLUDING", LikeStrategy::Including),
            ("EXCLUDING", LikeStrategy::Excluding),
            ("OVERWRITING", LikeStrategy::Overwriting),
        ];
        const FEATURES: [(&str, LikeFeature); 8] = [
            ("ALL", LikeFeature::All),
            ("CONSTRAINTS", LikeFeature::Constraints),
            ("DISTRIBUTION", LikeFeature::Distribution),
            ("GENERATED", LikeFeature::Generated),
            ("METADATA", LikeFeature::Metadata),
            ("OPTIONS", LikeFeature::Options),
            ("PARTITIONS", LikeFeature::Partitions),
            ("WATERMARKS", LikeFeature::Watermarks),
        ];
        let start = self.peek().span;
        let Some((_, strategy)) = STRATEGIES.iter().find(|(w, _)| self.at(w)) else {
            return Err(self.unexpected(&["INCLUDING", "EXCLUDING", "OVERWRITING"]));
        };
        self.skip(1);
        let Some((_, feature)) = FEATURES.iter().find(|(w, _)| self.at(w)) else {
            return Err(self.unexpected(&FEATURES.map(|(w, _)| w)));
        };
        self.skip(1);
        Ok(LikeOption { strategy: *strategy, feature: *feature, span: self.since(start) })
    }
}
