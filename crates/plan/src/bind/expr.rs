//! Expressions: what each form of the syntax tree becomes.

use tidegate_data::{DataType, LogicalType};
use tidegate_diag::{Diagnostic, Span};
use tidegate_expr::CallError;
use tidegate_sql::ast::{BinaryOp, Expr, ExprKind, Ident, Literal, PeriodOp, TrimSide, UnaryOp};

use super::aggregate::{Grouping, contains_aggregate, is_json_aggregate};
use super::literal::{literal, qualifier_text, signed, unit_flag, unit_length};
use super::pattern::PatternScope;
use super::time::{as_rowtime, interval_unit, keeps_mark};
use super::{Binder, Scope, data_type};
use crate::codes::{BAD_GROUPING, BAD_OPERANDS, BAD_PLAN, NO_COLUMN, NOT_BOOLEAN};
use crate::outcome::RiskKind;
use crate::rex::{Rex, RexKind};

/// Where an expression stands.
#[derive(Clone, Copy)]
pub struct ExprContext<'s> {
    /// The columns in sight.
    pub scope: &'s Scope,
    /// The groups, behind a GROUP BY; then the expression is over them.
    pub grouping: Option<&'s Grouping>,
    /// The clause, as messages name it.
    pub clause: &'static str,
    /// In DEFINE and MEASURES of a MATCH_RECOGNIZE: what the expression says of rows.
    pub pattern: Option<&'s PatternScope>,
}

impl<'s> ExprContext<'s> {
    /// An expression over plain rows.
    pub fn rows(scope: &'s Scope, clause: &'static str) -> ExprContext<'s> {
        ExprContext { scope, grouping: None, clause, pattern: None }
    }
}

impl Binder<'_> {
    /// Binds an expression; what is wrong with it is reported, and [`Rex::error`] stands in its place.
    pub fn expr(&self, expr: &Expr, cx: &ExprContext<'_>) -> Rex {
        if let Some(grouping) = cx.grouping
            && !matches!(expr.kind, ExprKind::Literal(_))
            && !contains_aggregate(expr)
        {
            // A whole expression may be a key: look at it as one over rows, without a word about its errors.
            let mark = self.mark();
            let over_rows = self.expr(expr, &ExprContext::rows(cx.scope, cx.clause));
            self.rollback(mark);
            if let Some(key) = grouping.key(&over_rows) {
                return key;
            }
        }
        match &expr.kind {
            ExprKind::Literal(value) => literal(value, expr.span).unwrap_or_else(|diagnostic| self.fail(diagnostic)),
            ExprKind::Column(parts) => self.column(parts, expr.span, cx),
            ExprKind::Unary { op, expr: operand } => self.unary(*op, operand, expr.span, cx),
            ExprKind::Binary {
                op: op @ (BinaryOp::Plus | BinaryOp::Multiply | BinaryOp::Concat), chain: true, ..
            } => self.chain(*op, expr, cx),
            ExprKind::Binary { op, left, right, .. } => self.binary(*op, left, right, expr.span, cx),
            ExprKind::Between { expr: value, negated, symmetric, low, high } => {
                let value_rex = self.expr(value, cx);
                let low = self.expr(low, cx);
                let high = self.expr(high, cx);
                let within = |low: &Rex, high: &Rex| {
                    let above = self.order(">=", value_rex.clone(), low.clone(), expr.span);
                    let below = self.order("<=", value_rex.clone(), high.clone(), expr.span);
                    and(vec![above, below])
                };
                let mut result = within(&low, &high);
                if *symmetric {
                    result = or(vec![result, within(&high, &low)]);
                }
                self.negate_if(*negated, result, expr.span)
            }
            ExprKind::InList { expr: value, negated, list } => {
                let value = self.expr(value, cx);
                let items = list.iter().map(|item| (self.expr(item, cx), item.span)).collect();
                let found = self.in_list(value, items);
                self.negate_if(*negated, found, expr.span)
            }
            ExprKind::Like { expr: value, negated, pattern, escape } => {
                self.pattern("LIKE", value, pattern, escape.as_deref(), *negated, expr.span, cx)
            }
            ExprKind::SimilarTo { expr: value, negated, pattern, escape } => {
                self.pattern("SIMILAR TO", value, pattern, escape.as_deref(), *negated, expr.span, cx)
            }
            ExprKind::IsNull { expr: operand, negated } => {
                let operand = self.expr(operand, cx);
                self.call(if *negated { "IS NOT NULL" } else { "IS NULL" }, vec![operand], expr.span)
            }
            ExprKind::IsTruth { expr: operand, negated, value } => {
                let operand = self.expr(operand, cx);
                if value.is_none() && operand.ty.logical == LogicalType::Boolean {
                    return self.call(if *negated { "IS NOT NULL" } else { "IS NULL" }, vec![operand], expr.span);
                }
                let word = match value {
                    Some(true) => "TRUE",
                    Some(false) => "FALSE",
                    None => "UNKNOWN",
                };
                let not = if *negated { "NOT " } else { "" };
                self.call(&format!("IS {not}{word}"), vec![operand], expr.span)
            }
            ExprKind::IsDistinctFrom { left, right, negated } => {
                let left = self.expr(left, cx);
                let right = self.expr(right, cx);
                self.distinct_from(left, right, *negated, expr.span)
            }
            ExprKind::Case { operand, branches, otherwise } => {
                self.case(operand.as_deref(), branches, otherwise.as_deref(), expr.span, cx)
            }
            ExprKind::Cast { expr: operand, to, try_cast } => {
                let operand_rex = self.expr(operand, cx);
                match data_type(to) {
                    Ok(ty) => {
                        if !try_cast && operand_rex.ty.logical.is_character() && !ty.logical.is_character() {
                            self.risk(RiskKind::Reading, expr.span);
                        }
                        self.cast(operand_rex, &ty, *try_cast, expr.span)
                    }
                    Err(diagnostic) => self.fail(diagnostic),
                }
            }
            ExprKind::Function(call) => self.function(call, expr.span, cx),
            ExprKind::Extract { unit, expr: operand } => {
                let operand = self.expr(operand, cx);
                self.call("EXTRACT", vec![unit_flag(*unit), operand], expr.span)
            }
            ExprKind::RoundTime { up, expr: operand, unit } => {
                let operand = self.expr(operand, cx);
                self.call(if *up { "CEIL" } else { "FLOOR" }, vec![operand, unit_flag(*unit)], expr.span)
            }
            ExprKind::TimestampAdd { unit, count, time } => {
                let (count, time) = (self.expr(count, cx), self.expr(time, cx));
                self.timestamp_add(*unit, count, time, expr.span)
            }
            ExprKind::TimestampDiff { unit, from, to } => {
                let args = vec![unit_flag(*unit), self.expr(from, cx), self.expr(to, cx)];
                self.call("TIMESTAMPDIFF", args, expr.span)
            }
            ExprKind::Trim { side, what, expr: operand } => {
                let side = match side {
                    TrimSide::Both => "BOTH",
                    TrimSide::Leading => "LEADING",
                    TrimSide::Trailing => "TRAILING",
                };
                let flag_ty = DataType::not_null(LogicalType::Char(side.len() as u32));
                let flag = Rex { kind: RexKind::Flag(side.to_string()), ty: flag_ty };
                let what = match what {
                    Some(what) => self.expr(what, cx),
                    None => literal(&Literal::String(" ".into()), expr.span).unwrap_or_else(|_| Rex::error()),
                };
                let operand = self.expr(operand, cx);
                self.call("TRIM", vec![flag, what, operand], expr.span)
            }
            ExprKind::IntervalOf { count, qualifier } => {
                let count = self.expr(count, cx);
                let one = |length: i64| {
                    let kind = RexKind::Literal {
                        value: tidegate_data::Value::Int(length),
                        unit: Some(qualifier_text(qualifier)),
                    };
                    Rex { kind, ty: DataType::not_null(super::types::interval(qualifier)) }
                };
                match (qualifier.end, unit_length(qualifier.start)) {
                    (None, Some(length)) => self.call("*", vec![one(length), count], expr.span),
                    _ => {
                        self.not_yet("This interval", expr.span);
                        Rex::error()
                    }
                }
            }
            ExprKind::Exists(query) => self.exists(query, cx.scope),
            ExprKind::InSubquery { expr: sought, negated, query } => self.is_in(sought, query, *negated, expr.span, cx),
            ExprKind::Quantified { .. } => self.refuse("A comparison with SOME, ANY or ALL of a subquery", expr.span),
            ExprKind::Subquery(query) => self.scalar(query, cx.scope),
            ExprKind::IsJson { expr: operand, negated, kind } => {
                let operand = self.expr(operand, cx);
                let tested = self.call(super::json::test_name(*kind), vec![operand], expr.span);
                self.negate_if(*negated, tested, expr.span)
            }
            ExprKind::Json(call) if is_json_aggregate(call) => self.json_aggregate(call, expr.span, cx),
            ExprKind::Json(call) => self.json_call(call, expr.span, cx),
            ExprKind::ArrayQuery(_) => self.refuse("ARRAY of a subquery", expr.span),
            ExprKind::Array(items) => self.construct("ARRAY", items.iter(), expr.span, cx),
            ExprKind::Map(entries) => {
                self.construct("MAP", entries.iter().flat_map(|(key, value)| [key, value]), expr.span, cx)
            }
            ExprKind::Row(items) => self.construct("ROW", items.iter(), expr.span, cx),
            ExprKind::Field { base, field } => self.field(self.expr(base, cx), std::slice::from_ref(field), None),
            ExprKind::Index { base, index } => {
                let args = vec![self.expr(base, cx), self.expr(index, cx)];
                self.call("ITEM", args, expr.span)
            }
            ExprKind::Period { op: PeriodOp::Overlaps, left, right } => self.overlaps(left, right, expr.span, cx),
            ExprKind::Period { .. } => self.refuse("A predicate over periods other than OVERLAPS", expr.span),
            // What is measured is measured at the end of a match.
            ExprKind::MatchTime { is_final: true, expr: inner } if cx.pattern.is_some() => self.expr(inner, cx),
            ExprKind::MatchTime { .. } => self.refuse("FINAL and RUNNING", expr.span),
        }
    }

    /// `(start, end) OVERLAPS (start, end)`, where an end may be how long it is, and lie before the start.
    fn overlaps(&self, left: &Expr, right: &Expr, span: Span, cx: &ExprContext<'_>) -> Rex {
        let ends = |period: &Expr| {
            let ExprKind::Row(parts) = &period.kind else {
                self.error(BAD_OPERANDS, "A period is written as (start, end)", period.span);
                return None;
            };
            let [start, end] = &parts[..] else {
                self.error(BAD_OPERANDS, "A period is written as (start, end)", period.span);
                return None;
            };
            let (start, end) = (self.expr(start, cx), self.expr(end, cx));
            let end = match end.ty.logical.is_interval() {
                true => self.call("+", vec![start.clone(), end], period.span),
                false => end,
            };
            let ordered = self.order("<=", start.clone(), end.clone(), period.span);
            let first = self.build_case(vec![(ordered.clone(), start.clone())], Some(end.clone()), period.span);
            let last = self.build_case(vec![(ordered, end)], Some(start), period.span);
            Some((first, last))
        };
        let (Some((a, b)), Some((c, d))) = (ends(left), ends(right)) else { return Rex::error() };
        and(vec![self.order(">=", b, c, span), self.order(">=", d, a, span)])
    }

    /// `ARRAY[…]`, `MAP[…]`, `ROW(…)`.
    fn construct<'e>(&self, op: &str, items: impl Iterator<Item = &'e Expr>, span: Span, cx: &ExprContext<'_>) -> Rex {
        let args = items.map(|item| self.expr(item, cx)).collect();
        self.call(op, args, span)
    }

    /// A condition: what is no BOOLEAN is reported.
    pub fn condition(&self, expr: &Expr, cx: &ExprContext<'_>) -> Rex {
        let rex = self.expr(expr, cx);
        if rex.has_error() || matches!(rex.ty.logical, LogicalType::Boolean | LogicalType::Null) {
            return rex;
        }
        self.error(NOT_BOOLEAN, format!("{} clause must be a condition", cx.clause), expr.span);
        Rex::error()
    }

    fn refuse(&self, what: &str, span: Span) -> Rex {
        self.not_yet(what, span);
        Rex::error()
    }

    pub(super) fn fail(&self, diagnostic: Diagnostic) -> Rex {
        self.report(diagnostic);
        Rex::error()
    }

    /// A call, its error reported at `span`.
    pub(super) fn call(&self, op: &str, args: Vec<Rex>, span: Span) -> Rex {
        let units: Vec<String> = args.iter().filter_map(interval_unit).collect();
        let rowtime = keeps_mark(op)
            && args.iter().find(|arg| arg.ty.logical.is_timestamp()).is_some_and(|arg| arg.ty.is_rowtime());
        match Rex::call(op, args) {
            Ok(mut rex) => {
                if rowtime {
                    rex.ty = as_rowtime(&rex.ty);
                }
                rex
            }
            Err(mut error) => {
                // The library knows of intervals only whether they are of months or of milliseconds.
                for unit in units {
                    for general in ["<INTERVAL SECOND(3)>", "<INTERVAL MONTH>"] {
                        error.message = error.message.replacen(general, &format!("<INTERVAL {unit}>"), 1);
                    }
                }
                self.fail_call(error, span)
            }
        }
    }

    pub(super) fn fail_call(&self, error: CallError, span: Span) -> Rex {
        let mut diagnostic = error.into_diagnostic(span);
        if diagnostic.message.starts_with("Cannot apply") {
            diagnostic.code = BAD_OPERANDS;
        }
        if diagnostic.message.ends_with("cannot be converted into JSON.") {
            diagnostic.code = BAD_PLAN;
        }
        self.fail(diagnostic)
    }

    fn column(&self, parts: &[Ident], span: Span, cx: &ExprContext<'_>) -> Rex {
        let resolved = match cx.scope.resolve(parts) {
            Err(Some(error)) => self.outer_column(parts).ok_or(Some(error)),
            resolved => resolved,
        };
        match resolved {
            Err(Some(mut diagnostic)) => {
                if cx.clause == "CREATE TABLE" && diagnostic.code == NO_COLUMN {
                    let name = parts.last().map_or("", |part| part.value.as_str());
                    diagnostic.message = format!("Unknown identifier '{name}'");
                }
                self.fail(diagnostic)
            }
            Err(None) => Rex::error(),
            Ok((column, taken)) => match (cx.grouping, column.as_column()) {
                (Some(_), Some(_)) => {
                    let written: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
                    let name = written.join(".");
                    self.report(
                        Diagnostic::error(BAD_GROUPING, format!("Expression '{name}' is not being grouped"))
                            .at(span)
                            .hint("Add it to GROUP BY, or put it into an aggregate function such as MAX."),
                    );
                    Rex::error()
                }
                (_, position) => {
                    let table = cx.scope.columns().find(|(index, ..)| Some(*index) == position);
                    let table = table.and_then(|(_, table, _)| table.name.as_deref());
                    (taken..parts.len()).fold(column, |row, next| self.field(row, &parts[taken - 1..=next], table))
                }
            },
        }
    }

    /// The field that the last part of `path` names; `row` is what the parts before it mean.
    pub(super) fn field(&self, row: Rex, path: &[Ident], table: Option<&str>) -> Rex {
        let ([first, ..], Some(field), false) = (path, path.last(), row.has_error()) else { return Rex::error() };
        let names: Vec<&str> = match &row.ty.logical {
            LogicalType::Row(fields) => fields.iter().map(|field| field.name.as_str()).collect(),
            _ => Vec::new(),
        };
        if !names.contains(&field.value.as_str()) {
            let written: Vec<&str> = path.iter().map(|part| part.value.as_str()).collect();
            let place = table.map_or_else(|| "any table".to_owned(), |table| format!("table '{table}'"));
            let message = format!("Column '{}' not found in {place}", written.join("."));
            let diagnostic = Diagnostic::error(NO_COLUMN, message).at(first.span.to(field.span));
            return self.fail(super::scope::suggest(diagnostic, field, names));
        }
        let ty = DataType::not_null(LogicalType::Char(field.value.len() as u32));
        let name = Rex { kind: RexKind::Flag(field.value.clone()), ty };
        self.call(".", vec![row, name], field.span)
    }

    fn unary(&self, op: UnaryOp, operand: &Expr, span: Span, cx: &ExprContext<'_>) -> Rex {
        if let (UnaryOp::Minus, ExprKind::Literal(Literal::Number(digits))) = (op, &operand.kind) {
            // -2147483648 is an INT although 2147483648 is none.
            let negative = Literal::Number(format!("-{digits}"));
            return signed(&negative, operand.span).unwrap_or_else(|diagnostic| self.fail(diagnostic));
        }
        let rex = self.expr(operand, cx);
        match op {
            UnaryOp::Plus => rex,
            UnaryOp::Minus => self.call("-", vec![rex], span),
            UnaryOp::Not => self.call("NOT", vec![rex], span),
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr, span: Span, cx: &ExprContext<'_>) -> Rex {
        let l = self.expr(left, cx);
        let r = self.expr(right, cx);
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let name = if op == BinaryOp::And { "AND" } else { "OR" };
                // The library checks the operands; the junction is flat.
                let checked = self.call(name, vec![l.clone(), r.clone()], span);
                if checked.has_error() {
                    return Rex::error();
                }
                if op == BinaryOp::And { and(vec![l, r]) } else { or(vec![l, r]) }
            }
            BinaryOp::Eq => self.equality("=", l, r, span),
            BinaryOp::NotEq => self.equality("<>", l, r, span),
            BinaryOp::Lt => self.order("<", l, r, span),
            BinaryOp::LtEq => self.order("<=", l, r, span),
            BinaryOp::Gt => self.order(">", l, r, span),
            BinaryOp::GtEq => self.order(">=", l, r, span),
            // An interval before a time is one behind it.
            BinaryOp::Plus if l.ty.logical.is_interval() && r.ty.logical.is_datetime() => {
                self.call("+", vec![r, l], span)
            }
            BinaryOp::Plus => self.call("+", vec![l, r], span),
            BinaryOp::Minus => self.call("-", vec![l, r], span),
            BinaryOp::Multiply => self.call("*", vec![l, r], span),
            BinaryOp::Divide | BinaryOp::Modulo => {
                if r.ty.logical.is_exact_numeric() && may_be_zero(&r) {
                    self.risk(RiskKind::Division, span);
                }
                self.call(if op == BinaryOp::Divide { "/" } else { "%" }, vec![l, r], span)
            }
            BinaryOp::Concat if l.ty.logical.is_binary() && r.ty.logical.is_binary() => {
                self.error(BAD_PLAN, "String expression type expected.", span);
                Rex::error()
            }
            BinaryOp::Concat => self.call("||", vec![l, r], span),
        }
    }

    fn negate_if(&self, negated: bool, rex: Rex, span: Span) -> Rex {
        if negated { self.call("NOT", vec![rex], span) } else { rex }
    }

    #[allow(clippy::too_many_arguments, reason = "one place for LIKE and SIMILAR TO")]
    fn pattern(
        &self,
        op: &str,
        value: &Expr,
        pattern: &Expr,
        escape: Option<&Expr>,
        negated: bool,
        span: Span,
        cx: &ExprContext<'_>,
    ) -> Rex {
        let mut args = vec![self.expr(value, cx), self.expr(pattern, cx)];
        args.extend(escape.map(|escape| self.expr(escape, cx)));
        let matched = self.call(op, args, span);
        self.negate_if(negated, matched, span)
    }
}

/// Whether a divisor can be zero, as far as that can be told.
pub(super) fn may_be_zero(rex: &Rex) -> bool {
    matches!(rex.as_literal(), None | Some(tidegate_data::Value::Int(0) | tidegate_data::Value::Decimal(0)))
}

/// AND of terms; one that could not be bound spoils it.
pub(super) fn and(terms: Vec<Rex>) -> Rex {
    if terms.iter().any(Rex::has_error) { Rex::error() } else { Rex::and(terms) }
}

/// OR of terms; one that could not be bound spoils it.
pub(super) fn or(terms: Vec<Rex>) -> Rex {
    if terms.iter().any(Rex::has_error) { Rex::error() } else { Rex::or(terms) }
}
