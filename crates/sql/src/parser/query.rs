//! Queries, down to the tables of `FROM`.

use tidegate_diag::{Diagnostic, Span};

use super::errors::FOREIGN;
use super::operator::{LONG_CHAIN, balanced};
use super::{Parsed, Parser, Stop};
use crate::ast::{
    Cte, Expr, ExprKind, GroupBy, GroupingItem, GroupingKind, Hint, HintOption, Ident, Literal, NamedWindow,
    ObjectName, Query, Select, SelectItem, SetExpr, SetExprKind, SetOp, StringLit,
};
use crate::tokens::TokenKind;

/// What may follow an item of a projection, for which an alias may have been mistaken.
const AFTER_ITEM: &[&str] =
    &["FROM", "WHERE", "UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "GROUP", "HAVING", "AS", "OVER"];

impl Parser<'_> {
    /// Whether a query begins here, perhaps behind parentheses.
    pub(super) fn at_query(&self) -> bool {
        let mut n = 0;
        while self.peek_at(n).is("(") {
            n += 1;
        }
        let token = self.peek_at(n);
        ["SELECT", "WITH", "VALUES"].iter().any(|w| token.is(w)) || (token.is("TABLE") && self.peek_at(n + 1).is_name())
    }

    /// Whether a parenthesis comes next that holds a query as a whole, not an expression that begins with one.
    pub(super) fn at_query_in_parens(&self) -> bool {
        if !self.at("(") {
            return false;
        }
        if !self.peek_at(1).is("(") {
            return ["SELECT", "WITH", "VALUES"].iter().any(|w| self.peek_at(1).is(w))
                || (self.peek_at(1).is("TABLE") && self.peek_at(2).is_name());
        }
        // `((SELECT 1) + 1)` or `((SELECT 1) UNION SELECT 2)`: the token behind the inner parenthesis tells.
        let mut inner = self.pos + 1;
        while self.tokens.get(inner).is_some_and(|t| t.is("(")) {
            inner += 1;
        }
        if !self.tokens.get(inner).is_some_and(|t| ["SELECT", "WITH", "VALUES"].iter().any(|w| t.is(w))) {
            return false;
        }
        let mut open = 0;
        for token in &self.tokens[self.pos + 1..] {
            match token.kind {
                TokenKind::Symbol("(") => open += 1,
                TokenKind::Symbol(")") => open -= 1,
                _ if open == 0 => {
                    return ["UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "OFFSET", "FETCH", "MINUS"]
                        .iter()
                        .any(|w| token.is(w));
                }
                _ => {}
            }
            if open < 0 {
                return true;
            }
        }
        false
    }

    pub(super) fn query(&mut self) -> Parsed<Query> {
        self.nested(Self::query_inner)
    }

    fn query_inner(&mut self) -> Parsed<Query> {
        let start = self.peek().span;
        let mut with = Vec::new();
        let mut recursive = false;
        if self.eat("WITH") {
            recursive = self.eat("RECURSIVE");
            with = self.list(&["SELECT"], |p| p.is_word() && p.peek_at(1).is("AS"), Self::cte)?;
        }
        let body = self.set_expr(0)?;
        let order_by = self.order_by()?;
        let mut limit = None;
        let mut offset = None;
        if self.eat("LIMIT") {
            if !self.eat("ALL") {
                limit = Some(self.row_count()?);
            }
            if self.at(",") {
                let d = Diagnostic::error(
                    FOREIGN,
                    "'LIMIT start, count' is not allowed under the current SQL conformance level.",
                )
                .at(self.peek().span)
                .hint("Write LIMIT count OFFSET start.");
                return Err(self.fail(d));
            }
        }
        if self.eat("OFFSET") {
            offset = Some(self.row_count()?);
            if !self.eat("ROWS") {
                self.eat("ROW");
            }
        }
        if limit.is_none() && self.eat("FETCH") {
            if !self.eat("FIRST") && !self.eat("NEXT") {
                return Err(self.unexpected(&["FIRST", "NEXT"]));
            }
            limit = Some(self.row_count()?);
            if !self.eat("ROWS") && !self.eat("ROW") {
                return Err(self.unexpected(&["ROWS"]));
            }
            self.expect("ONLY")?;
        }
        Ok(Query { with, recursive, body, order_by, limit, offset, span: self.since(start) })
    }

    fn row_count(&mut self) -> Parsed<Expr> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Number(n) => {
                self.skip(1);
                Ok(Expr { kind: ExprKind::Literal(Literal::Number(n)), span: token.span })
            }
            _ => Err(self.unexpected(&["a number of rows"])),
        }
    }

    fn cte(&mut self) -> Parsed<Cte> {
        let start = self.peek().span;
        let name = self.ident("a name")?;
        let columns = if self.at("(") { self.ident_list("a column name")? } else { Vec::new() };
        self.expect("AS")?;
        self.expect("(")?;
        let query = self.query()?;
        self.expect(")")?;
        Ok(Cte { name, columns, query, span: self.since(start) })
    }

    /// UNION and EXCEPT bind as 1, INTERSECT as 2; all lean left.
    fn set_expr(&mut self, power: u8) -> Parsed<SetExpr> {
        let start = self.peek().span;
        let kind = self.nested(Self::set_operand)?;
        let mut left = SetExpr { kind, span: self.since(start) };
        loop {
            let (op, binding) = if self.at("UNION") {
                (SetOp::Union, 1)
            } else if self.at("EXCEPT") || self.at("MINUS") {
                (SetOp::Except, 1)
            } else if self.at("INTERSECT") {
                (SetOp::Intersect, 2)
            } else {
                return Ok(left);
            };
            if binding <= power {
                return Ok(left);
            }
            if op == SetOp::Union && self.peek_at(1).is("ALL") {
                left = self.union_all(left, start)?;
                continue;
            }
            self.grow()?;
            let op_start = self.peek().span;
            if self.at("MINUS") {
                self.foreign(op_start, "MINUS is not allowed under the current SQL conformance level.", "EXCEPT");
            }
            self.skip(1);
            let all = self.eat("ALL");
            if !all {
                self.eat("DISTINCT");
            }
            let op_span = self.since(op_start);
            let right = Box::new(self.set_expr(binding)?);
            let kind = SetExprKind::SetOp { op, all, op_span, left: Box::new(left), right };
            left = SetExpr { kind, span: self.since(start) };
        }
    }

    /// `left` and all queries behind it that UNION ALL joins to it. Many of them become a balanced tree, which means the same.
    fn union_all(&mut self, left: SetExpr, start: Span) -> Parsed<SetExpr> {
        let mut queries = vec![left];
        let mut signs = Vec::new();
        while self.at_all(&["UNION", "ALL"]) {
            if queries.len() <= LONG_CHAIN {
                self.grow()?;
            }
            let sign = self.peek().span;
            self.skip(2);
            signs.push(self.since(sign));
            queries.push(self.set_expr(1)?);
        }
        let join = |left: SetExpr, op_span, right: SetExpr| {
            let span = left.span.to(right.span);
            let (left, right) = (Box::new(left), Box::new(right));
            SetExpr { kind: SetExprKind::SetOp { op: SetOp::Union, all: true, op_span, left, right }, span }
        };
        if queries.len() > LONG_CHAIN {
            return Ok(balanced(queries, &signs, &join));
        }
        let mut queries = queries.into_iter();
        let first = SetExpr { span: start.to(queries.as_slice()[0].span), ..queries.next().ok_or(Stop)? };
        Ok(queries.zip(signs).fold(first, |left, (right, sign)| join(left, sign, right)))
    }

    fn set_operand(&mut self) -> Parsed<SetExprKind> {
        if self.eat("(") {
            let query = Box::new(self.query()?);
            self.expect(")")?;
            return Ok(SetExprKind::Query(query));
        }
        if self.eat("VALUES") {
            let another = |p: &Self| p.at("(");
            return Ok(SetExprKind::Values(self.list(&[], another, Self::expr)?));
        }
        if self.eat("TABLE") {
            return Ok(SetExprKind::Table(self.object_name("a table name")?));
        }
        if self.at("SELECT") {
            return Ok(SetExprKind::Select(Box::new(self.select()?)));
        }
        Err(self.unexpected(&["SELECT", "VALUES", "TABLE", "("]))
    }

    fn select(&mut self) -> Parsed<Select> {
        let start = self.peek().span;
        self.skip(1);
        let hints = self.hints()?;
        if self.at("STREAM") && !self.peek_at(1).is(",") && !self.peek_at(1).is("FROM") {
            let span = self.peek().span;
            return Err(self.unsupported(
                span,
                "SELECT STREAM",
                "Leave STREAM out: every query over a stream is a continuous one.",
            ));
        }
        let distinct = self.eat("DISTINCT");
        if !distinct {
            self.eat("ALL");
        }
        let another = |p: &Self| {
            p.peek().is_name()
                || matches!(p.peek().kind, TokenKind::Number(_) | TokenKind::String(_))
                || p.at_any(&["CASE", "CAST"])
        };
        let projection = self.list(&["FROM"], another, Self::select_item)?;
        let mut select = Select {
            hints,
            distinct,
            projection,
            from: Vec::new(),
            filter: None,
            group_by: None,
            having: None,
            windows: Vec::new(),
            qualify: None,
            span: start,
        };
        if self.eat("FROM") {
            self.behind_from(&mut select)?;
        }
        select.span = self.since(start);
        Ok(select)
    }

    fn behind_from(&mut self, select: &mut Select) -> Parsed<()> {
        select.from = self.table_list()?;
        if self.eat("WHERE") {
            select.filter = Some(self.expr()?);
        }
        if self.at("GROUP") {
            select.group_by = Some(self.group_by()?);
        }
        if self.eat("HAVING") {
            select.having = Some(self.expr()?);
        }
        if self.eat("WINDOW") {
            select.windows = self.plain_list(Self::named_window)?;
        }
        if self.eat("QUALIFY") {
            select.qualify = Some(self.expr()?);
        }
        Ok(())
    }

    fn named_window(&mut self) -> Parsed<NamedWindow> {
        let name = self.ident("a window name")?;
        self.expect("AS")?;
        Ok(NamedWindow { name, spec: self.window_spec()? })
    }

    fn select_item(&mut self) -> Parsed<SelectItem> {
        let start = self.peek().span;
        if self.eat("*") {
            return Ok(SelectItem::Wildcard(start));
        }
        let expr = self.expr()?;
        if self.at(".") && self.peek_at(1).is("*") {
            let in_parens = self.source(expr.span).starts_with('(');
            let ExprKind::Column(parts) = expr.kind else {
                self.skip(1);
                return Err(self.unexpected(&["a field name"]));
            };
            self.skip(1);
            if in_parens {
                return Err(self.unexpected(&["a field name"]));
            }
            self.skip(1);
            let qualifier = ObjectName { parts, span: expr.span };
            return Ok(SelectItem::QualifiedWildcard { qualifier, span: self.since(start) });
        }
        let alias = if self.eat("AS") {
            Some(self.alias_name()?)
        } else if self.peek().is_name() {
            let alias = self.ident("a name")?;
            self.alias_instead_of(AFTER_ITEM);
            Some(alias)
        } else if matches!(self.peek().kind, TokenKind::DoubleQuoted(_)) {
            Some(self.ident("a name")?)
        } else if self.reserved_alias() {
            Some(self.ident_for_sure("a name")?)
        } else {
            None
        };
        Ok(SelectItem::Expr { expr, alias })
    }

    fn alias_name(&mut self) -> Parsed<Ident> {
        // `a AS from FROM t` can only mean a name.
        if self.reserved_alias() { self.ident_for_sure("a name") } else { self.ident("a name") }
    }

    /// Whether a reserved word comes next that is followed by the end of an item.
    fn reserved_alias(&self) -> bool {
        self.peek().word().is_some_and(crate::keywords::is_reserved)
            && !self.is_clause_word()
            && (self.peek_at(1).is(",") || self.peek_at(1).is("FROM"))
    }

    fn group_by(&mut self) -> Parsed<GroupBy> {
        let start = self.peek().span;
        self.skip(1);
        self.expect("BY")?;
        let distinct = self.eat("DISTINCT");
        if !distinct {
            self.eat("ALL");
        }
        let closing = ["ORDER", "HAVING", "WINDOW", "QUALIFY", "LIMIT", ")"];
        let items = self.list(&closing, |_| false, Self::grouping_item)?;
        Ok(GroupBy { distinct, items, span: self.since(start) })
    }

    fn grouping_item(&mut self) -> Parsed<GroupingItem> {
        self.nested(Self::grouping_item_inner)
    }

    fn grouping_item_inner(&mut self) -> Parsed<GroupingItem> {
        let start = self.peek().span;
        let kind = if self.eat_all(&["GROUPING", "SETS"]) {
            self.expect("(")?;
            let sets = self.plain_list(Self::grouping_item)?;
            self.expect(")")?;
            GroupingKind::Sets(sets)
        } else if self.at_all(&["ROLLUP", "("]) || self.at_all(&["CUBE", "("]) {
            let rollup = self.next().is("ROLLUP");
            self.skip(1);
            let sets = self.plain_list(|p| Ok(set_of(p.expr()?)))?;
            self.expect(")")?;
            if rollup { GroupingKind::Rollup(sets) } else { GroupingKind::Cube(sets) }
        } else if self.eat_all(&["(", ")"]) {
            GroupingKind::Set(Vec::new())
        } else {
            let explicit_row = self.at("ROW");
            let expr = self.expr()?;
            match expr.kind {
                ExprKind::Row(items) if !explicit_row => GroupingKind::Set(items),
                kind => GroupingKind::Expr(Expr { kind, span: expr.span }),
            }
        };
        Ok(GroupingItem { kind, span: self.since(start) })
    }

    /// `/*+ NAME(…), … */`, if it is there.
    pub(super) fn hints(&mut self) -> Parsed<Vec<Hint>> {
        if !self.eat("/*+") {
            return Ok(Vec::new());
        }
        let hints = self.list(
            &["*/"],
            |_| false,
            |p| {
                let start = p.peek().span;
                let name = p.ident("the name of a hint")?;
                let mut options = Vec::new();
                if p.eat("(") && !p.eat(")") {
                    options = p.plain_list(Self::hint_option)?;
                    p.expect(")")?;
                }
                Ok(Hint { name, options, span: p.since(start) })
            },
        )?;
        self.expect("*/")?;
        Ok(hints)
    }

    fn hint_option(&mut self) -> Parsed<HintOption> {
        let first = self.hint_text()?;
        if !self.eat("=") {
            return Ok(HintOption { key: None, value: first });
        }
        Ok(HintOption { key: Some(first), value: self.hint_text()? })
    }

    fn hint_text(&mut self) -> Parsed<StringLit> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Word { .. } => {
                let name = self.object_name("a name")?;
                Ok(StringLit { value: name.to_string(), span: name.span })
            }
            TokenKind::Number(value) => {
                self.skip(1);
                Ok(StringLit { value, span: token.span })
            }
            _ => self.string("text in single quotes"),
        }
    }
}

/// `(a, b)` or `a` as one element of a ROLLUP or CUBE.
fn set_of(expr: Expr) -> Vec<Expr> {
    match expr.kind {
        ExprKind::Row(items) => items,
        kind => vec![Expr { kind, span: expr.span }],
    }
}
