//! Expressions: operators, predicates, CASE, CAST.

use tidegate_data::{DataType, LogicalType, TimeKind};
use tidegate_diag::{Diagnostic, Span};
use tidegate_expr::CallError;
use tidegate_sql::ast::{BinaryOp, Expr, ExprKind, Ident, Literal, TimeUnit, TrimSide, UnaryOp};

use super::aggregate::{Grouping, contains_aggregate};
use super::literal::{literal, qualifier_text, unit_flag, unit_length};
use super::{Binder, Scope, data_type};
use crate::codes::{BAD_GROUPING, BAD_LITERAL, BAD_OPERANDS, NO_COLUMN, NOT_BOOLEAN};
use crate::rex::{Rex, RexKind, fold};

/// Where an expression stands.
#[derive(Clone, Copy)]
pub struct ExprContext<'s> {
    /// The columns in sight.
    pub scope: &'s Scope,
    /// The groups, behind a GROUP BY; then the expression is over them.
    pub grouping: Option<&'s Grouping>,
    /// The clause, as messages name it.
    pub clause: &'static str,
}

impl<'s> ExprContext<'s> {
    /// An expression over plain rows.
    pub fn rows(scope: &'s Scope, clause: &'static str) -> ExprContext<'s> {
        ExprContext { scope, grouping: None, clause }
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
                    Ok(ty) => self.cast(operand_rex, &ty, *try_cast, expr.span),
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
            ExprKind::Exists(_) => self.refuse("EXISTS", expr.span),
            ExprKind::InSubquery { .. } => self.refuse("IN with a subquery", expr.span),
            ExprKind::Quantified { .. } => self.refuse("A comparison with SOME, ANY or ALL of a subquery", expr.span),
            ExprKind::Subquery(_) => self.refuse("A subquery as a value", expr.span),
            ExprKind::IsJson { .. } | ExprKind::Json(_) => self.refuse("JSON", expr.span),
            ExprKind::Array(_) | ExprKind::ArrayQuery(_) => self.refuse("ARRAY", expr.span),
            ExprKind::Map(_) => self.refuse("MAP", expr.span),
            ExprKind::Row(_) => self.refuse("ROW", expr.span),
            ExprKind::Field { .. } => self.refuse("Access to a field of a ROW", expr.span),
            ExprKind::Index { .. } => self.refuse("Access to an element of an ARRAY or a MAP", expr.span),
            ExprKind::Period { .. } => self.refuse("A predicate over periods", expr.span),
            ExprKind::MatchTime { .. } => self.refuse("FINAL and RUNNING", expr.span),
        }
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
        self.fail(diagnostic)
    }

    fn column(&self, parts: &[Ident], span: Span, cx: &ExprContext<'_>) -> Rex {
        match cx.scope.resolve(parts) {
            Err(Some(mut diagnostic)) => {
                if cx.clause == "CREATE TABLE" && diagnostic.code == NO_COLUMN {
                    let name = parts.last().map_or("", |part| part.value.as_str());
                    diagnostic.message = format!("Unknown identifier '{name}'");
                }
                self.fail(diagnostic)
            }
            Err(None) => Rex::error(),
            Ok((_, taken)) if taken < parts.len() => self.refuse("Access to a field of a ROW", span),
            Ok((column, _)) => match (cx.grouping, column.as_column()) {
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
                _ => column,
            },
        }
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
            BinaryOp::Divide => self.call("/", vec![l, r], span),
            BinaryOp::Modulo => self.call("%", vec![l, r], span),
            BinaryOp::Concat => self.call("||", vec![l, r], span),
        }
    }

    /// `IS [NOT] DISTINCT FROM` in terms of `=` and IS NULL, as in Calcite.
    fn distinct_from(&self, left: Rex, right: Rex, negated: bool, span: Span) -> Rex {
        let op = if negated { "IS NOT DISTINCT FROM" } else { "IS DISTINCT FROM" };
        let checked = self.call(op, vec![left.clone(), right.clone()], span);
        let null = |rex: &Rex| rex.as_literal() == Some(&tidegate_data::Value::Null);
        if checked.has_error() || null(&left) || null(&right) || !(left.ty.nullable && right.ty.nullable) {
            return checked;
        }
        let boolean = DataType::not_null(LogicalType::Boolean);
        let equal = self.equality("=", left.clone(), right.clone(), span);
        let test = |op: &str, rex: Rex| Rex::typed_call(op, vec![rex], boolean.clone());
        if negated {
            Rex::or(vec![Rex::and(vec![test("IS NULL", left), test("IS NULL", right)]), test("IS TRUE", equal)])
        } else {
            Rex::and(vec![
                Rex::or(vec![test("IS NOT NULL", left), test("IS NOT NULL", right)]),
                test("IS NOT TRUE", equal),
            ])
        }
    }

    /// `x IN (a, b)` as comparisons; the constants get one type among them.
    fn in_list(&self, value: Rex, items: Vec<(Rex, Span)>) -> Rex {
        if value.has_error() || items.iter().any(|(item, _)| item.has_error()) {
            return Rex::error();
        }
        for (item, span) in &items {
            // A text among numbers, or a number among texts, is read as the other; nothing else is.
            let mixed = value.ty.logical.is_character() != item.ty.logical.is_character()
                && value.ty.logical != LogicalType::Boolean
                && item.ty.logical != LogicalType::Boolean;
            let takes = mixed && item.clone().cast(&value.ty, false).is_ok();
            if !takes && Rex::call("=", vec![value.clone(), item.clone()]).is_err() {
                self.error(BAD_OPERANDS, "Values passed to IN operator must have compatible types", *span);
                return Rex::error();
            }
        }
        let types: Vec<DataType> = items.iter().map(|(item, _)| item.ty.clone()).collect();
        let wanted = match tidegate_expr::common_type(&types) {
            Some(ty) if ty.logical.is_character() && value.ty.logical.is_character() => ty,
            _ => value.ty.clone(),
        };
        let boolean = |nullable: bool| DataType { logical: LogicalType::Boolean, nullable };
        let terms = items.into_iter().map(|(item, span)| {
            let null = item.as_literal() == Some(&tidegate_data::Value::Null);
            let ty = wanted.with_nullable(item.ty.nullable);
            match item.clone().cast(&ty, false).map(|cast| fold_constant(&item, cast)) {
                Ok(cast) if !null && cast.as_literal().is_some_and(|v| *v != tidegate_data::Value::Null) => {
                    Rex::typed_call("=", vec![value.clone(), cast], boolean(value.ty.nullable))
                }
                _ => self.equality("=", value.clone(), item, span),
            }
        });
        or(terms.collect())
    }

    /// `<` and its like: a text beside an integer makes BIGINTs of both, one beside a time is read as such a time.
    fn order(&self, op: &str, left: Rex, right: Rex, span: Span) -> Rex {
        let text = |rex: &Rex| rex.ty.logical.is_character();
        let other = match (text(&left), text(&right)) {
            (true, false) => &right,
            (false, true) => &left,
            _ => return self.call(op, vec![left, right], span),
        };
        let target = match &other.ty.logical {
            ty if ty.is_integer() => LogicalType::BigInt,
            ty if ty.is_timestamp() || *ty == LogicalType::Date => ty.without_time_attribute(),
            _ => return self.call(op, vec![left, right], span),
        };
        let convert = |rex: Rex| {
            let ty = DataType { logical: target.clone(), nullable: rex.ty.nullable };
            match rex.clone().cast(&ty, false) {
                Ok(cast) if rex.as_literal().is_some() => fold_constant(&rex, cast),
                Ok(cast) => cast,
                Err(_) => rex,
            }
        };
        let (l, r) = match target.is_integer() {
            true => (convert(left), convert(right)),
            false if text(&left) => (convert(left), right),
            false => (left, convert(right)),
        };
        self.call(op, vec![l, r], span)
    }

    /// `=` and its like: both sides get the type that takes both, as in Calcite.
    pub(super) fn equality(&self, op: &str, left: Rex, right: Rex, span: Span) -> Rex {
        let checked = self.call(op, vec![left.clone(), right.clone()], span);
        if checked.has_error() {
            return checked;
        }
        let plain =
            |rex: &Rex| DataType { logical: rex.ty.logical.without_time_attribute(), nullable: rex.ty.nullable };
        let sides = [plain(&left), plain(&right)];
        if sides[0].logical != sides[1].logical
            && let Some(common) = tidegate_expr::common_type(&sides)
        {
            let convert = |rex: Rex| {
                let ty = common.with_nullable(rex.ty.nullable);
                rex.clone().cast(&ty, false).map(|cast| fold_constant(&rex, cast))
            };
            if let (Ok(left), Ok(right)) = (convert(left), convert(right)) {
                return Rex::typed_call(op, vec![left, right], checked.ty);
            }
        }
        checked
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

    fn case(
        &self,
        operand: Option<&Expr>,
        branches: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
        span: Span,
        cx: &ExprContext<'_>,
    ) -> Rex {
        let operand = operand.map(|operand| self.expr(operand, cx));
        let mut bound = Vec::with_capacity(branches.len());
        for (when, then) in branches {
            let condition = match &operand {
                Some(operand) => {
                    let when_rex = self.expr(when, cx);
                    self.equality("=", operand.clone(), when_rex, when.span)
                }
                None => {
                    let rex = self.expr(when, cx);
                    if !rex.has_error() && !matches!(rex.ty.logical, LogicalType::Boolean | LogicalType::Null) {
                        self.error(NOT_BOOLEAN, "Expected a boolean type", when.span);
                    }
                    rex
                }
            };
            bound.push((condition, self.expr(then, cx)));
        }
        let otherwise = otherwise.map(|otherwise| self.expr(otherwise, cx));
        self.build_case(bound, otherwise, span)
    }

    /// A CASE whose values all get the type that takes them all.
    pub(super) fn build_case(&self, branches: Vec<(Rex, Rex)>, otherwise: Option<Rex>, span: Span) -> Rex {
        let broken =
            branches.iter().flat_map(|(condition, value)| [condition, value]).chain(&otherwise).any(Rex::has_error);
        if broken {
            return Rex::error();
        }
        let plain =
            |rex: &Rex| DataType { logical: rex.ty.logical.without_time_attribute(), nullable: rex.ty.nullable };
        let null = DataType::new(LogicalType::Null);
        let rowtime = branches
            .iter()
            .map(|(_, value)| value)
            .chain(&otherwise)
            .find(|value| value.ty.logical.is_timestamp())
            .is_some_and(|value| value.ty.is_rowtime());
        let mut types: Vec<DataType> = branches.iter().map(|(_, value)| plain(value)).collect();
        types.push(otherwise.as_ref().map_or(null, plain));
        let Some(ty) = tidegate_expr::common_type(&types) else {
            self.error(BAD_OPERANDS, "Illegal mixing of types in CASE or COALESCE statement", span);
            return Rex::error();
        };
        let convert = |rex: Rex| -> Rex {
            if rex.as_literal() == Some(&tidegate_data::Value::Null) {
                return Rex::null(&ty);
            }
            if rex.ty.is_rowtime() {
                return rex;
            }
            match rex.clone().cast(&ty, false) {
                Ok(cast) if rex.as_literal().is_some() => fold_constant(&rex, cast),
                Ok(mut cast) => {
                    if matches!(cast.kind, RexKind::Cast { .. }) && cast != rex {
                        cast.ty.nullable = ty.nullable;
                    }
                    cast
                }
                Err(error) => self.fail_call(error, span),
            }
        };
        let attribute = if rowtime { as_rowtime(&ty) } else { ty.clone() };
        let convert =
            |rex: Rex| if rowtime && !rex.ty.is_rowtime() { convert(rex).as_type(&attribute) } else { convert(rex) };
        let branches = branches.into_iter().map(|(condition, value)| (condition, convert(value))).collect();
        let otherwise = otherwise.map_or_else(|| Rex::null(&attribute), convert);
        Rex { kind: RexKind::Case { branches, otherwise: Box::new(otherwise) }, ty: attribute }
    }

    /// CAST; of a constant NULL it is a NULL of that type, and other constants are computed right away.
    pub(super) fn cast(&self, operand: Rex, ty: &DataType, safe: bool, span: Span) -> Rex {
        if operand.has_error() {
            return operand;
        }
        if operand.as_literal() == Some(&tidegate_data::Value::Null) {
            return Rex::null(ty);
        }
        if !safe && let Some(rex) = boolean_cast(&operand, ty) {
            return rex;
        }
        let constant = operand.as_literal().is_some();
        let written = operand.clone();
        // A time attribute loses its mark.
        if operand.ty.is_rowtime() && operand.ty.logical.without_time_attribute() == ty.logical && !safe {
            let plain = ty.with_nullable(operand.ty.nullable);
            return operand.as_type(&plain);
        }
        match operand.cast(ty, safe) {
            Ok(cast) if constant && !safe => fold_constant(&written, cast),
            Ok(cast) => cast,
            Err(error) => self.fail_call(error, span),
        }
    }

    /// TIMESTAMPADD as the addition of an interval, where it is one.
    fn timestamp_add(&self, unit: TimeUnit, count: Rex, time: Rex, span: Span) -> Rex {
        let checked = self.call("TIMESTAMPADD", vec![unit_flag(unit), count.clone(), time.clone()], span);
        let of_days =
            matches!(unit, TimeUnit::Week | TimeUnit::Day | TimeUnit::Month | TimeUnit::Quarter | TimeUnit::Year);
        let adds = time.ty.logical.is_timestamp() || (time.ty.logical == LogicalType::Date && of_days);
        let Some(length) = unit_length(unit).filter(|_| adds && !checked.has_error() && count.ty.logical.is_integer())
        else {
            return checked;
        };
        let months = matches!(unit, TimeUnit::Month | TimeUnit::Quarter | TimeUnit::Year);
        let interval = |amount: i64| {
            let ty = if months { LogicalType::IntervalYearMonth } else { LogicalType::IntervalDayTime };
            let kind = RexKind::Literal {
                value: tidegate_data::Value::Int(amount),
                unit: Some(super::unit_name(unit).into()),
            };
            Rex { kind, ty: DataType::not_null(ty) }
        };
        let amount = match count.as_literal() {
            Some(tidegate_data::Value::Int(count)) => match count.checked_mul(length) {
                Some(amount) => interval(amount),
                None => return checked,
            },
            Some(_) => return checked,
            None => match Rex::call("*", vec![interval(length), count]) {
                Ok(amount) => amount,
                Err(_) => return checked,
            },
        };
        match self.call("+", vec![time, amount], span) {
            sum if sum.has_error() || sum.ty.logical.without_time_attribute() != checked.ty.logical => checked,
            sum => Rex { ty: checked.ty, ..sum },
        }
    }
}

/// Functions of a time attribute that keep its mark, by their first time argument.
fn keeps_mark(op: &str) -> bool {
    matches!(op, "+" | "-" | "FLOOR" | "CEIL" | "COALESCE" | "IFNULL" | "IF" | "NULLIF")
}

/// A cast of a constant, computed. A number keeps the digits that were written.
pub(super) fn fold_constant(written: &Rex, cast: Rex) -> Rex {
    let mut folded = fold(cast);
    let digits = match &written.kind {
        RexKind::Literal { unit: None, .. } if written.ty.logical.is_exact_numeric() => {
            Some(crate::text::digits(written))
        }
        RexKind::Literal { unit: Some(digits), .. } if written.ty.logical.is_numeric() => Some(digits.clone()),
        _ => None,
    };
    let approximate_or_decimal =
        matches!(folded.ty.logical, LogicalType::Decimal(..) | LogicalType::Double | LogicalType::Float);
    if let (Some(digits), RexKind::Literal { unit, .. }, true) = (digits, &mut folded.kind, approximate_or_decimal) {
        *unit = Some(digits);
    }
    folded
}

fn as_rowtime(ty: &DataType) -> DataType {
    let logical = match ty.logical {
        LogicalType::Timestamp(p, _) => LogicalType::Timestamp(p, TimeKind::Rowtime),
        LogicalType::TimestampLtz(p, _) => LogicalType::TimestampLtz(p, TimeKind::Rowtime),
        ref other => other.clone(),
    };
    DataType { logical, nullable: ty.nullable }
}

/// The unit of an interval constant.
fn interval_unit(rex: &Rex) -> Option<String> {
    match &rex.kind {
        RexKind::Literal { unit: Some(unit), .. } if rex.ty.logical.is_interval() => Some(unit.clone()),
        _ => None,
    }
}

/// CAST between BOOLEAN and exact numbers as Calcite writes it: `x <> 0`, and CASE of 1 and 0.
fn boolean_cast(operand: &Rex, ty: &DataType) -> Option<Rex> {
    use tidegate_data::Value;
    let number = |value: i64, ty: &LogicalType| {
        let (stored, unit) = match ty {
            LogicalType::Decimal(_, scale) => {
                (Value::Decimal(i128::from(value) * 10i128.pow(u32::from(*scale))), Some(value.to_string()))
            }
            _ => (Value::Int(value), None),
        };
        Rex { kind: RexKind::Literal { value: stored, unit }, ty: DataType::not_null(ty.clone()) }
    };
    let source = &operand.ty.logical;
    if ty.logical == LogicalType::Boolean && source.is_exact_numeric() {
        let boolean = DataType { logical: LogicalType::Boolean, nullable: operand.ty.nullable };
        return Some(Rex::typed_call("<>", vec![operand.clone(), number(0, source)], boolean));
    }
    if *source == LogicalType::Boolean && ty.logical.is_exact_numeric() && operand.as_literal().is_none() {
        let case = |condition: Rex, value: Rex, otherwise: Rex, nullable: bool| {
            let kind = RexKind::Case { branches: vec![(condition, value)], otherwise: Box::new(otherwise) };
            Rex { kind, ty: ty.with_nullable(nullable) }
        };
        let inner = case(operand.clone(), number(1, &ty.logical), number(0, &ty.logical), false);
        if !operand.ty.nullable {
            return Some(inner);
        }
        let known = Rex::typed_call("IS NOT NULL", vec![operand.clone()], DataType::not_null(LogicalType::Boolean));
        return Some(case(known, inner, Rex::null(ty), true));
    }
    None
}

/// A number with its sign.
fn signed(number: &Literal, span: Span) -> Result<Rex, Diagnostic> {
    let Literal::Number(text) = number else { return literal(number, span) };
    let digits = text.trim_start_matches('-');
    if digits == "2147483648" {
        let ty = DataType::not_null(LogicalType::Int);
        return Ok(Rex::literal(tidegate_data::Value::Int(i32::MIN.into()), ty));
    }
    if digits == "9223372036854775808" {
        let ty = DataType::not_null(LogicalType::BigInt);
        return Ok(Rex::literal(tidegate_data::Value::Int(i64::MIN), ty));
    }
    let positive = literal(&Literal::Number(digits.to_string()), span)?;
    let ty = positive.ty.clone();
    match positive.as_literal() {
        Some(tidegate_data::Value::Int(value)) => Ok(Rex::literal(tidegate_data::Value::Int(-value), ty)),
        Some(tidegate_data::Value::Decimal(value)) => Ok(Rex::literal(tidegate_data::Value::Decimal(-value), ty)),
        Some(tidegate_data::Value::Double(value)) => Ok(Rex::literal(tidegate_data::Value::Double(-value), ty)),
        _ => Err(Diagnostic::error(BAD_LITERAL, format!("Numeric literal '{text}' out of range")).at(span)),
    }
}

fn and(terms: Vec<Rex>) -> Rex {
    if terms.iter().any(Rex::has_error) { Rex::error() } else { Rex::and(terms) }
}

fn or(terms: Vec<Rex>) -> Rex {
    if terms.iter().any(Rex::has_error) { Rex::error() } else { Rex::or(terms) }
}
