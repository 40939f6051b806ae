//! What stands behind `FROM`: tables, table functions, subqueries, joins.

use tidegate_diag::Diagnostic;

use super::errors::ORDER;
use super::{Parsed, Parser};
use crate::ast::{FunctionCall, Ident, Join, JoinCondition, JoinKind, ObjectName, TableAlias, TableRef, TableRefKind};

/// What may follow a table, for which an alias may have been mistaken.
const AFTER_TABLE: &[&str] = &[
    "WHERE",
    "GROUP",
    "ORDER",
    "HAVING",
    "JOIN",
    "LEFT",
    "RIGHT",
    "INNER",
    "CROSS",
    "FULL",
    "ON",
    "USING",
    "UNION",
    "LIMIT",
    "EXCEPT",
    "INTERSECT",
    "WINDOW",
    "MATCH_RECOGNIZE",
];

impl Parser<'_> {
    pub(super) fn table_list(&mut self) -> Parsed<Vec<TableRef>> {
        self.list(&["WHERE", "GROUP", "ORDER"], |_| false, Self::joined)
    }

    /// Tables and the joins between them; these lean left.
    fn joined(&mut self) -> Parsed<TableRef> {
        self.nested(|p| {
            let start = p.peek().span;
            let mut left = p.table_ref()?;
            while let Some((kind, natural, words)) = p.join_words() {
                p.grow()?;
                let op_start = p.peek().span;
                p.skip(words);
                let op_span = p.since(op_start);
                let right = p.table_ref()?;
                let condition = if p.eat("ON") {
                    JoinCondition::On(p.expr()?)
                } else if p.at_all(&["USING", "("]) {
                    p.skip(1);
                    JoinCondition::Using(p.ident_list("a column name")?)
                } else {
                    JoinCondition::None
                };
                let join = Box::new(Join { left, right, kind, natural, condition, op_span });
                left = TableRef { kind: TableRefKind::Join(join), alias: None, span: p.since(start) };
            }
            if p.at_any(&["INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL"]) {
                p.skip(1);
                return Err(p.unexpected(&["JOIN"]));
            }
            Ok(left)
        })
    }

    /// The join that comes next: its sort, NATURAL, and of how many words it is.
    fn join_words(&self) -> Option<(JoinKind, bool, usize)> {
        let natural = usize::from(self.at("NATURAL"));
        let kinds = [
            ("INNER", JoinKind::Inner, false),
            ("LEFT", JoinKind::Left, true),
            ("RIGHT", JoinKind::Right, true),
            ("FULL", JoinKind::Full, true),
            ("CROSS", JoinKind::Cross, false),
        ];
        let mut n = natural;
        let mut kind = JoinKind::Inner;
        if let Some((_, k, outer)) = kinds.iter().find(|(w, ..)| self.peek_at(n).is(w)) {
            kind = *k;
            n += 1;
            if *outer && self.peek_at(n).is("OUTER") {
                n += 1;
            }
        }
        self.peek_at(n).is("JOIN").then_some((kind, natural == 1, n + 1))
    }

    fn table_ref(&mut self) -> Parsed<TableRef> {
        let start = self.peek().span;
        let kind = self.table_factor()?;
        let mut table = TableRef { kind, alias: None, span: self.since(start) };
        if self.at("MATCH_RECOGNIZE") {
            let recognize = self.match_recognize(table)?;
            let kind = TableRefKind::MatchRecognize(Box::new(recognize));
            table = TableRef { kind, alias: None, span: self.since(start) };
        }
        table.alias = self.table_alias()?;
        if let (TableRefKind::Join(_), Some(alias)) = (&table.kind, &table.alias) {
            let span = alias.name.span;
            let d = Diagnostic::error(super::errors::UNEXPECTED, "Join expression encountered in illegal context.")
                .at(span)
                .hint("A join in parentheses takes no alias; make it a query: (SELECT * FROM …) AS x.");
            return Err(self.fail(d));
        }
        table.span = self.since(start);
        if self.at_any(&["PIVOT", "UNPIVOT", "TABLESAMPLE"]) {
            let token = self.peek().clone();
            let what = self.source(token.span).to_ascii_uppercase();
            return Err(self.unsupported(token.span, &what, ""));
        }
        if table.alias.is_some()
            && (self.at_all(&["FOR", "SYSTEM_TIME"]) || self.at("/*+") || self.at("MATCH_RECOGNIZE"))
        {
            let token = self.peek().clone();
            let what = if self.at("FOR") { "FOR SYSTEM_TIME AS OF" } else { "This" };
            let d = Diagnostic::error(ORDER, self.encountered(&token))
                .at(token.span)
                .hint(format!("{what} comes before the alias of the table."));
            return Err(self.fail(d));
        }
        Ok(table)
    }

    fn table_alias(&mut self) -> Parsed<Option<TableAlias>> {
        let name = if self.eat("AS") {
            self.ident("a name")?
        } else if self.peek().is_name() {
            let name = self.ident("a name")?;
            self.alias_instead_of(AFTER_TABLE);
            name
        } else {
            return Ok(None);
        };
        let columns = if self.at("(") { self.ident_list("a column name")? } else { Vec::new() };
        Ok(Some(TableAlias { name, columns }))
    }

    fn table_factor(&mut self) -> Parsed<TableRefKind> {
        let lateral = self.eat("LATERAL");
        if self.at("(") {
            return self.table_in_parens(lateral);
        }
        if self.at_all(&["UNNEST", "("]) {
            self.skip(2);
            let args = self.plain_list(Self::expr)?;
            self.expect(")")?;
            let with_ordinality = self.eat_all(&["WITH", "ORDINALITY"]);
            return Ok(TableRefKind::Unnest { args, with_ordinality });
        }
        if self.at_all(&["TABLE", "("]) {
            self.skip(2);
            let name = self.function_name()?;
            let call = self.function_call(name)?;
            if !self.eat(")") {
                return Err(self.unexpected(&[",", ")"]));
            }
            return Ok(TableRefKind::Function { lateral, call });
        }
        if self.at("TABLE") {
            return Err(self.unexpected(&["a table name", "("]));
        }
        let name = self.object_name("a table name")?;
        if self.at("(") {
            let call: FunctionCall = self.function_call(name)?;
            return Ok(TableRefKind::Function { lateral, call });
        }
        let hints = self.hints()?;
        let mut as_of = None;
        if self.at_all(&["FOR", "SYSTEM_TIME"]) {
            self.skip(2);
            self.expect_all(&["AS", "OF"])?;
            // `AS` behind the time begins the alias.
            as_of = Some(self.expr()?);
        }
        Ok(TableRefKind::Table { name, hints, as_of })
    }

    fn function_name(&mut self) -> Parsed<ObjectName> {
        let token = self.peek().clone();
        if let Some(word) = token.word().filter(|w| crate::keywords::is_callable(w)) {
            let name = Ident { value: word.to_owned(), quoted: false, span: token.span };
            self.skip(1);
            return Ok(ObjectName { parts: vec![name], span: token.span });
        }
        self.object_name("a table function")
    }

    /// `( query )` or `( joins )`
    fn table_in_parens(&mut self, lateral: bool) -> Parsed<TableRefKind> {
        let query = self.at_query_in_parens();
        self.skip(1);
        if query {
            let query = Box::new(self.query()?);
            self.expect(")")?;
            return Ok(TableRefKind::Subquery { lateral, query });
        }
        let start = self.peek().span;
        let table = self.joined()?;
        if !matches!(table.kind, TableRefKind::Join(_)) {
            let d = Diagnostic::error(super::errors::UNEXPECTED, "Expected query or join.")
                .at(self.since(start))
                .hint("Leave out the parentheses.");
            return Err(self.fail(d));
        }
        self.expect(")")?;
        Ok(table.kind)
    }
}
