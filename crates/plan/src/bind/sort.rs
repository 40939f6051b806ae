//! ORDER BY, LIMIT and OFFSET of a query.

use tidegate_data::{LogicalType, Value};
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{Expr, ExprKind, Literal, OrderItem, Query, SelectItem, SetExpr, SetExprKind};

use super::expr::ExprContext;
use super::{Binder, Scope};
use crate::codes::{BAD_LITERAL, BAD_PLAN};
use crate::logical::{Rel, RelOp};
use crate::over::{Sort, SortColumn};
use crate::rex::Rex;

/// Where an item of ORDER BY is found.
enum Found {
    /// A column of the result.
    Column(usize),
    /// An expression that the query computes beside its result: the number of it.
    Hidden(usize),
}

impl Binder<'_> {
    /// Binds the body of a query with what stands behind it.
    pub(super) fn ordered(&self, query: &Query) -> Option<Rel> {
        if query.order_by.is_empty() && query.limit.is_none() && query.offset.is_none() {
            return self.set_expr(&query.body);
        }
        let fetch = self.row_count(query.limit.as_ref());
        let offset = self.row_count(query.offset.as_ref());
        let (body, found, names) = self.order_items(query);
        let (rel, fetch, offset) = (body?, fetch?, offset?);
        let width = names.len();
        let found = found?;
        // What is computed for the order alone, and is there already, is not computed twice.
        let (rel, places) = hidden_columns(rel, width);
        let order: Vec<SortColumn> = found
            .iter()
            .zip(&query.order_by)
            .map(|(found, item)| SortColumn {
                column: match found {
                    Found::Column(column) => *column,
                    Found::Hidden(number) => places[*number],
                },
                descending: item.descending,
                nulls_first: item.nulls_first.unwrap_or(!item.descending),
            })
            .fold(Vec::new(), |mut order: Vec<SortColumn>, key| {
                // A column that was there is ordered by already.
                if !order.iter().any(|own| own.column == key.column) {
                    order.push(key);
                }
                order
            });
        let schema = rel.schema.clone();
        let sorted = Rel {
            op: RelOp::Sort(Sort { order, offset: offset.filter(|n| *n > 0), fetch }),
            inputs: vec![rel],
            schema,
        };
        if sorted.width() == width {
            return Some(sorted);
        }
        let all: Vec<usize> = (0..width).collect();
        Some(Rel::keep(sorted, &all))
    }

    /// The body with the expressions of ORDER BY that are no columns of the result behind these.
    fn order_items(&self, query: &Query) -> (Option<Rel>, Option<Vec<Found>>, Vec<String>) {
        let mark = self.mark();
        let plain = self.set_expr(&query.body);
        let Some(plain) = plain else { return (None, None, Vec::new()) };
        let written = self.written_names.borrow().clone();
        let names = plain.names();
        let mut hidden: Vec<&Expr> = Vec::new();
        let mut found = Vec::new();
        for item in &query.order_by {
            match self.result_column(item, &written, &names) {
                Ok(Some(column)) => found.push(Found::Column(column)),
                Ok(None) => {
                    found.push(Found::Hidden(hidden.len()));
                    hidden.push(&item.expr);
                }
                Err(diagnostic) => {
                    self.report(diagnostic);
                    return (Some(plain), None, names);
                }
            }
        }
        if hidden.is_empty() {
            return (Some(plain), Some(found), names);
        }
        match &query.body.kind {
            SetExprKind::Select(select) if !select.distinct => {
                self.rollback(mark);
                let mut wider = select.clone();
                // An alias in an expression stands for what it names.
                let items = hidden.iter().map(|expr| SelectItem::Expr { expr: (*expr).clone(), alias: None });
                wider.projection.extend(items);
                let kind = SetExprKind::Select(wider);
                let body = self.set_expr(&SetExpr { kind, span: query.body.span });
                *self.written_names.borrow_mut() = written;
                (body, Some(found), names)
            }
            _ => {
                let scope = Scope::of(None, Vec::new(), plain.schema.clone());
                let cx = ExprContext::rows(&scope, "ORDER");
                let mut exprs: Vec<Rex> = (0..plain.width()).map(|i| plain.column(i)).collect();
                exprs.extend(hidden.iter().map(|expr| self.expr(expr, &cx)));
                if exprs.iter().any(Rex::has_error) {
                    return (Some(plain), None, names);
                }
                let wider =
                    (0..exprs.len()).map(|i| names.get(i).cloned().unwrap_or_else(|| format!("EXPR${i}"))).collect();
                (Some(Rel::project(plain, exprs, wider)), Some(found), names)
            }
        }
    }

    /// The column of the result that an item names, by name or number.
    fn result_column(
        &self,
        item: &OrderItem,
        written: &[String],
        names: &[String],
    ) -> Result<Option<usize>, Diagnostic> {
        match &item.expr.kind {
            ExprKind::Literal(Literal::Number(digits)) => match digits.parse::<usize>() {
                Ok(n) if (1..=names.len()).contains(&n) => Ok(Some(n - 1)),
                _ => Err(Diagnostic::error(BAD_LITERAL, "Ordinal out of range").at(item.expr.span)),
            },
            ExprKind::Column(parts) if parts.len() == 1 => {
                let visible = if written.len() == names.len() { written } else { names };
                Ok(visible.iter().position(|name| *name == parts[0].value))
            }
            _ => Ok(None),
        }
    }

    /// A number of rows; the outer `None` after an error.
    #[allow(clippy::option_option, reason = "an error, nothing written, a number")]
    fn row_count(&self, expr: Option<&Expr>) -> Option<Option<u64>> {
        let Some(expr) = expr else { return Some(None) };
        let scope = Scope::default();
        let rex = self.expr(expr, &ExprContext::rows(&scope, "LIMIT"));
        if rex.has_error() {
            return None;
        }
        match (rex.as_literal(), &rex.ty.logical) {
            (Some(Value::Int(n)), LogicalType::Int | LogicalType::BigInt) if *n >= 0 => Some(Some(*n as u64)),
            _ => {
                self.refuse_count(expr.span);
                None
            }
        }
    }

    fn refuse_count(&self, span: Span) {
        self.error(BAD_PLAN, "LIMIT and OFFSET take a whole number of rows.", span);
    }
}

/// The relation with its columns from `width` on, without those that it has before, and where each of them is.
fn hidden_columns(rel: Rel, width: usize) -> (Rel, Vec<usize>) {
    let RelOp::Project(exprs) = &rel.op else {
        let places = (width..rel.width()).collect();
        return (rel, places);
    };
    let mut kept: Vec<usize> = (0..width).collect();
    let mut places = Vec::new();
    for (i, rex) in exprs.iter().enumerate().skip(width) {
        let place = kept.iter().position(|&own| exprs[own] == *rex).unwrap_or_else(|| {
            kept.push(i);
            kept.len() - 1
        });
        places.push(place);
    }
    if kept.len() == exprs.len() {
        return (rel, places);
    }
    let exprs = kept.iter().map(|&i| exprs[i].clone()).collect();
    let names = kept.iter().map(|&i| rel.schema.fields[i].name.clone()).collect();
    (Rel::project(rel.into_input(), exprs, names), places)
}
