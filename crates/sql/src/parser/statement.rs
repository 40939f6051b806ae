//! Statements other than `CREATE TABLE`.

use tidegate_diag::{Diagnostic, closest};

use super::errors::NO_STATEMENT;
use super::{Parsed, Parser};
use crate::ast::{
    CreateFunction, CreateView, Drop, DropObject, Explain, ExplainDetail, Insert, Show, SqlOption, Statement,
    StatementKind, StringLit,
};
use crate::keywords;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parsed<StatementKind> {
        if self.at_query() {
            return Ok(StatementKind::Query(Box::new(self.query()?)));
        }
        let first = self.peek().clone();
        match first.word().map(str::to_ascii_uppercase).as_deref() {
            Some("INSERT") => Ok(StatementKind::Insert(Box::new(self.insert()?))),
            Some("CREATE") => self.create(),
            Some("ALTER") => self.alter(),
            Some("DROP") => self.drop_statement(),
            Some("SET") => self.set(),
            Some("RESET") => {
                self.skip(1);
                let key = if self.at_end() { None } else { Some(self.string("a key in single quotes")?) };
                Ok(StatementKind::Reset(key))
            }
            Some("SHOW") => self.show(),
            Some("DESCRIBE" | "DESC") => {
                self.skip(1);
                self.eat("EXTENDED");
                Ok(StatementKind::Describe(self.object_name("a table name")?))
            }
            Some("EXPLAIN") => self.explain(),
            Some("EXECUTE") => {
                if self.at_all(&["EXECUTE", "PLAN"]) {
                    return Err(self.unsupported(first.span, "EXECUTE PLAN", ""));
                }
                self.skip(1);
                self.statement_set_or_one()
            }
            Some("BEGIN") if self.at_all(&["BEGIN", "STATEMENT", "SET"]) => {
                self.skip(3);
                self.expect(";")?;
                self.inserts()
            }
            _ => Err(self.no_statement()),
        }
    }

    fn no_statement(&mut self) -> super::Stop {
        let token = self.peek().clone();
        let Some(word) = token.word() else {
            return self.unexpected(&["a statement"]);
        };
        if keywords::OTHER_STATEMENT_WORDS.iter().any(|w| self.at(w)) {
            let what = word.to_ascii_uppercase();
            return self.unsupported(token.span, &format!("The statement {what}"), SUPPORTED);
        }
        let mut d = Diagnostic::error(NO_STATEMENT, self.encountered(&token)).at(token.span);
        d = match closest(word, keywords::STATEMENT_WORDS.iter().copied()) {
            Some(meant) => d.hint(format!("Did you mean {meant}?")).fix(token.span, meant),
            None => d.hint(SUPPORTED),
        };
        self.fail(d)
    }

    fn drop_statement(&mut self) -> Parsed<StatementKind> {
        self.skip(1);
        let temporary = self.eat("TEMPORARY");
        let object = if self.eat("TABLE") {
            DropObject::Table
        } else if self.eat("VIEW") {
            DropObject::View
        } else if self.eat("FUNCTION") {
            DropObject::Function
        } else if self.at_any(&["CATALOG", "DATABASE", "SYSTEM", "MODEL", "MATERIALIZED", "CONNECTION"]) {
            let span = self.peek().span;
            return Err(self.unsupported(span, "Dropping anything but a table, a view or a function", ""));
        } else {
            return Err(self.unexpected(&["TABLE", "VIEW"]));
        };
        let if_exists = self.eat_all(&["IF", "EXISTS"]);
        let name = self.object_name("a name")?;
        Ok(StatementKind::Drop(Drop { object, temporary, if_exists, name }))
    }

    fn set(&mut self) -> Parsed<StatementKind> {
        self.skip(1);
        if self.at_end() {
            return Ok(StatementKind::Set(None));
        }
        let key = self.set_text("a key in single quotes")?;
        self.expect("=")?;
        let value = self.set_text("a value in single quotes")?;
        Ok(StatementKind::Set(Some(SqlOption { key, value })))
    }

    /// A string; words without quotes, as older clients took them, are reported and taken for one.
    fn set_text(&mut self, what: &str) -> Parsed<StringLit> {
        let start = self.peek().span;
        let bare = |p: &Self| !p.at_end() && !p.at("=");
        if self.peek().word().is_none() && !matches!(self.peek().kind, crate::tokens::TokenKind::Number(_)) {
            return self.string(what);
        }
        while bare(self) {
            self.skip(1);
        }
        let span = self.since(start);
        let text = self.source(span).to_owned();
        self.foreign(span, "Keys and values of SET stand in single quotes.", &format!("'{text}'"));
        Ok(StringLit { value: text, span })
    }

    fn show(&mut self) -> Parsed<StatementKind> {
        self.skip(1);
        let span = self.peek().span;
        let show = if self.eat("TABLES") {
            Show::Tables(self.show_like()?)
        } else if self.eat("VIEWS") {
            Show::Views(self.show_like()?)
        } else if self.at("FUNCTIONS") || self.at_all(&["USER", "FUNCTIONS"]) {
            let user = self.eat("USER");
            self.skip(1);
            Show::Functions { user, like: self.show_like()? }
        } else if self.eat_all(&["CREATE", "TABLE"]) {
            Show::CreateTable(self.object_name("a table name")?)
        } else if self.eat_all(&["CREATE", "VIEW"]) {
            Show::CreateView(self.object_name("a view name")?)
        } else if self.eat("COLUMNS") {
            if !self.eat("FROM") && !self.eat("IN") {
                return Err(self.unexpected(&["FROM", "IN"]));
            }
            let name = self.object_name("a table name")?;
            if !self.at_end() {
                let span = self.peek().span;
                return Err(self.unsupported(span, "A pattern for SHOW COLUMNS", ""));
            }
            Show::Columns(name)
        } else if self.at_any(&[
            "CATALOGS",
            "DATABASES",
            "CURRENT",
            "JARS",
            "JOBS",
            "MODULES",
            "FULL",
            "PARTITIONS",
            "PROCEDURES",
            "MODELS",
            "MATERIALIZED",
            "CREATE",
        ]) {
            let what = format!("SHOW {}", self.source(span).to_ascii_uppercase());
            return Err(self.unsupported(
                span,
                &what,
                "SHOW takes TABLES, VIEWS, FUNCTIONS, COLUMNS and CREATE TABLE.",
            ));
        } else {
            return Err(self.unexpected(&["TABLES", "VIEWS", "FUNCTIONS", "COLUMNS", "CREATE"]));
        };
        Ok(StatementKind::Show(show))
    }

    fn show_like(&mut self) -> Parsed<Option<StringLit>> {
        if self.at_any(&["FROM", "IN", "NOT", "ILIKE"]) {
            let span = self.peek().span;
            return Err(self.unsupported(span, "This form of SHOW", "LIKE 'pattern' is."));
        }
        if self.eat("LIKE") { Ok(Some(self.string("a pattern in single quotes")?)) } else { Ok(None) }
    }

    fn explain(&mut self) -> Parsed<StatementKind> {
        self.skip(1);
        let mut details = Vec::new();
        if !self.eat_all(&["PLAN", "FOR"]) {
            const DETAILS: [(&str, ExplainDetail); 4] = [
                ("CHANGELOG_MODE", ExplainDetail::ChangelogMode),
                ("ESTIMATED_COST", ExplainDetail::EstimatedCost),
                ("JSON_EXECUTION_PLAN", ExplainDetail::JsonExecutionPlan),
                ("PLAN_ADVICE", ExplainDetail::PlanAdvice),
            ];
            while let Some((word, detail)) = DETAILS.iter().find(|(w, _)| self.at(w)) {
                details.push(*detail);
                self.skip(1);
                if !self.eat(",") {
                    break;
                }
                if !DETAILS.iter().any(|(w, _)| self.at(w)) {
                    return Err(self.unexpected(&DETAILS.map(|(w, _)| w)));
                }
                let _ = word;
            }
        }
        let start = self.peek().span;
        let kind = if self.at_query() {
            StatementKind::Query(Box::new(self.query()?))
        } else if self.at("STATEMENT") {
            self.statement_set_or_one()?
        } else if self.at("INSERT") {
            StatementKind::Insert(Box::new(self.insert()?))
        } else {
            return Err(self.unexpected(&[
                "SELECT",
                "INSERT",
                "STATEMENT",
                "CHANGELOG_MODE",
                "PLAN_ADVICE",
                "JSON_EXECUTION_PLAN",
                "ESTIMATED_COST",
            ]));
        };
        let statement = Box::new(Statement { kind, span: self.since(start), ordinal: 0 });
        Ok(StatementKind::Explain(Explain { details, statement }))
    }

    /// What follows `EXECUTE`.
    fn statement_set_or_one(&mut self) -> Parsed<StatementKind> {
        if self.at_query() {
            return Ok(StatementKind::Query(Box::new(self.query()?)));
        }
        if self.at("INSERT") {
            return Ok(StatementKind::Insert(Box::new(self.insert()?)));
        }
        self.expect_all(&["STATEMENT", "SET"])?;
        self.eat("AS");
        self.expect("BEGIN")?;
        self.inserts()
    }

    /// `INSERT …; INSERT …; END`
    fn inserts(&mut self) -> Parsed<StatementKind> {
        let mut inserts = Vec::new();
        loop {
            if !self.at("INSERT") {
                let expected: &[&str] = if inserts.is_empty() { &["INSERT"] } else { &["INSERT", "END"] };
                return Err(self.unexpected(expected));
            }
            inserts.push(self.insert()?);
            if self.at("INSERT") {
                self.missing_semicolon();
            } else if self.at_end() {
                let d = self.encountered(&self.end);
                let d = Diagnostic::error(super::errors::UNEXPECTED, format!("{d} Was expecting \"END\"."))
                    .at(self.end.span)
                    .hint("A statement set is closed with `END;` behind the semicolon of its last INSERT.");
                return Err(self.fail(d));
            } else {
                self.expect(";")?;
            }
            if self.eat("END") {
                return Ok(StatementKind::StatementSet(inserts));
            }
        }
    }

    fn insert(&mut self) -> Parsed<Insert> {
        let start = self.peek().span;
        self.skip(1);
        let overwrite = self.eat("OVERWRITE");
        if !overwrite {
            self.expect("INTO")?;
        }
        let table = self.object_name("a table name")?;
        let hints = self.hints()?;
        let mut partition = Vec::new();
        if self.eat("PARTITION") {
            self.expect("(")?;
            partition = self.plain_list(|p| {
                let name = p.ident("a column name")?;
                p.expect("=")?;
                Ok((name, p.expr()?))
            })?;
            self.expect(")")?;
        }
        let mut columns = Vec::new();
        if self.at("(") && !self.at_query() {
            columns = self.ident_list("a column name")?;
        }
        if !self.at_query() {
            return Err(self.unexpected(&["SELECT", "VALUES", "WITH"]));
        }
        let query = self.query()?;
        Ok(Insert { table, hints, partition, columns, overwrite, query, span: self.since(start) })
    }

    fn create(&mut self) -> Parsed<StatementKind> {
        let start = self.peek().span;
        self.skip(1);
        if self.at_all(&["OR", "REPLACE"]) || self.at_all(&["OR", "ALTER"]) {
            let span = self.peek().span.to(self.peek_at(1).span);
            return Err(self.unsupported(span, "CREATE OR REPLACE", "DROP it first: DROP TABLE IF EXISTS …;"));
        }
        let temporary = self.eat("TEMPORARY");
        if self.eat("TABLE") {
            return self.create_table(temporary);
        }
        if self.eat("VIEW") {
            return self.create_view(temporary);
        }
        if self.at("FUNCTION") || self.at_all(&["SYSTEM", "FUNCTION"]) {
            return self.create_function();
        }
        let what = self.peek().clone();
        if self.at_any(&["SYSTEM", "CATALOG", "DATABASE", "MODEL", "MATERIALIZED", "CONNECTION"]) {
            let name = format!("CREATE {}", self.source(what.span).to_ascii_uppercase());
            return Err(self.unsupported(start.to(what.span), &name, SUPPORTED));
        }
        Err(self.unexpected(&["TABLE", "VIEW", "TEMPORARY"]))
    }

    fn create_view(&mut self, temporary: bool) -> Parsed<StatementKind> {
        let if_not_exists = self.eat_all(&["IF", "NOT", "EXISTS"]);
        let name = self.object_name("a view name")?;
        self.creates = Some(name.last().value.clone());
        let columns = if self.at("(") { self.ident_list("a column name")? } else { Vec::new() };
        let comment = self.comment()?;
        self.expect("AS")?;
        if !self.at_query() {
            return Err(self.unexpected(&["SELECT", "VALUES", "WITH"]));
        }
        let query = self.query()?;
        Ok(StatementKind::CreateView(Box::new(CreateView { temporary, if_not_exists, name, columns, comment, query })))
    }

    /// `FUNCTION [IF NOT EXISTS] f(x INT, …) [RETURNS type] RETURN expression`: our own, in the place of Flink's classes.
    fn create_function(&mut self) -> Parsed<StatementKind> {
        self.eat("SYSTEM");
        self.skip(1);
        let if_not_exists = self.eat_all(&["IF", "NOT", "EXISTS"]);
        let name = self.object_name("a function name")?;
        if self.at("AS") || self.at("LANGUAGE") {
            let span = self.peek().span;
            let hint = "Say what a call computes: CREATE FUNCTION f(x INT) RETURN x + 1.";
            return Err(self.unsupported(span, "A function that is a class", hint));
        }
        self.expect("(")?;
        let mut parameters = Vec::new();
        if !self.at(")") {
            parameters = self.plain_list(|p| Ok((p.ident("a parameter's name")?, p.cast_type()?)))?;
        }
        self.expect(")")?;
        let returns = if self.eat("RETURNS") { Some(self.cast_type()?) } else { None };
        self.expect("RETURN")?;
        let body = self.expr()?;
        let create = CreateFunction { if_not_exists, name, parameters, returns, body };
        Ok(StatementKind::CreateFunction(Box::new(create)))
    }

    /// `COMMENT '…'`
    pub(super) fn comment(&mut self) -> Parsed<Option<StringLit>> {
        if self.eat("COMMENT") { Ok(Some(self.string("a comment in single quotes")?)) } else { Ok(None) }
    }
}

const SUPPORTED: &str = "There are SELECT, INSERT INTO, CREATE TABLE, CREATE VIEW, CREATE FUNCTION, ALTER TABLE, DROP, SET, RESET, SHOW, DESCRIBE, \
     EXPLAIN and EXECUTE STATEMENT SET.";
