//! Subqueries in WHERE: `IN (SELECT …)`, `EXISTS` and their negations become semi and anti joins; what a subquery says of the query
//! around it becomes part of their condition.

use tidegate_diag::Span;
use tidegate_sql::ast::{BinaryOp, Expr, ExprKind, Query, UnaryOp};

use super::expr::ExprContext;
use super::{Binder, Scope};
use crate::codes::BAD_OPERANDS;
use crate::logical::{AggCall, AggFunction, Aggregate, JoinKind, Rel, RelOp};
use crate::rex::{Rex, RexKind};
use crate::rules::push_join_expressions;

/// A subquery that stands as a term of a WHERE.
struct Term<'q> {
    query: &'q Query,
    /// What is looked for; none for EXISTS.
    sought: Option<&'q Expr>,
    negated: bool,
    span: Span,
}

impl Binder<'_> {
    /// Binds a WHERE over `rel`.
    pub(super) fn filter(&self, rel: Option<Rel>, scope: &Scope, filter: &Expr) -> Option<Rel> {
        let cx = ExprContext::rows(scope, "WHERE");
        let mut terms = Vec::new();
        conjuncts(filter, &mut terms);
        if !terms.iter().any(|term| subquery(term).is_some()) {
            let (condition, scalars) = self.with_scalars(|| self.condition(filter, &cx));
            return rel.map(|input| filtered(input, condition, scalars));
        }
        let mut joins = Vec::new();
        let (plain, scalars) = self.with_scalars(|| {
            let mut plain = Vec::new();
            for term in terms {
                match subquery(term) {
                    Some(found) => joins.push(self.semi_join(rel.as_ref(), scope, &found)),
                    None => plain.push(self.condition(term, &cx)),
                }
            }
            plain
        });
        if plain.iter().any(Rex::has_error) {
            return None;
        }
        let mut rel = rel?;
        for join in joins {
            let (right, kind, condition) = join?;
            rel = push_join_expressions::push(Rel::join(rel, right, kind, condition));
        }
        Some(if plain.is_empty() { rel } else { filtered(rel, Rex::and(plain), scalars) })
    }

    /// The right side, the sort and the condition of the join that a subquery means.
    fn semi_join(&self, left: Option<&Rel>, scope: &Scope, term: &Term<'_>) -> Option<(Rel, JoinKind, Rex)> {
        self.outer.borrow_mut().push(scope.clone());
        let bound = self.query(term.query);
        self.outer.borrow_mut().pop();
        let sought: Option<Vec<Rex>> = term.sought.map(|sought| {
            let cx = ExprContext::rows(scope, "WHERE");
            match &sought.kind {
                ExprKind::Row(items) => items.iter().map(|item| self.expr(item, &cx)).collect(),
                _ => vec![self.expr(sought, &cx)],
            }
        });
        let (left, bound) = (left?, bound?);
        let width = left.width();
        let columns = bound.width();
        let Some((right, mut correlated)) = decorrelate(bound) else {
            self.not_yet("A reference to the outer query at this place of a subquery", term.query.span);
            return None;
        };
        for rex in &mut correlated {
            *rex = over_both(rex.clone(), width);
        }
        let right = if sought.is_some() { right } else { only_read(right, &mut correlated, width) };
        let mut conditions = Vec::new();
        if let Some(sought) = sought {
            if sought.len() != columns {
                let message = "Values passed to IN operator must have compatible types";
                self.error(BAD_OPERANDS, message, term.span);
                return None;
            }
            for (i, value) in sought.into_iter().enumerate() {
                let found = right.column(i).map_columns(&|column| column + width);
                let equal = self.equality("=", value.clone(), found.clone(), term.span);
                if equal.has_error() {
                    return None;
                }
                conditions.push(if term.negated { unless_different(value, found, equal) } else { equal });
            }
        }
        conditions.extend(correlated);
        let right = if conditions.is_empty() { any_row(right) } else { right };
        if conditions.is_empty() {
            conditions.push(right.column(0).map_columns(&|column| column + width));
        }
        let kind = if term.negated { JoinKind::Anti } else { JoinKind::Semi };
        Some((right, kind, Rex::and(conditions)))
    }

    /// The column of a query around this one that a name means.
    pub(super) fn outer_column(&self, parts: &[tidegate_sql::ast::Ident]) -> Option<(Rex, usize)> {
        let outer = self.outer.borrow();
        let (column, taken) = outer.last()?.resolve(parts).ok()?;
        let ty = column.ty.clone();
        column.as_column().map(|index| (Rex { kind: RexKind::Outer(index), ty }, taken))
    }
}

/// The rows for which a condition is TRUE, without the values of subqueries that it reads.
fn filtered(rel: Rel, condition: Rex, scalars: Vec<super::scalar::Scalar>) -> Rel {
    if condition.is_true() {
        return rel;
    }
    if scalars.is_empty() {
        return Rel::filter(rel, condition);
    }
    let columns: Vec<usize> = (0..rel.width()).collect();
    let mut condition = [condition];
    let rel = super::scalar::joined(rel, scalars, &mut condition);
    let [condition] = condition;
    Rel::keep(Rel::filter(rel, condition), &columns)
}

/// The right side of an EXISTS with the columns alone that its terms read.
fn only_read(right: Rel, terms: &mut [Rex], width: usize) -> Rel {
    let mut used = vec![false; width + right.width()];
    terms.iter().for_each(|term| term.mark_columns(&mut used));
    let kept: Vec<usize> = (0..right.width()).filter(|column| used[width + column]).collect();
    if kept.is_empty() {
        return right;
    }
    for term in terms {
        *term = term.clone().map_columns(&|column| match column.checked_sub(width) {
            Some(own) => width + kept.iter().position(|kept| *kept == own).unwrap_or_default(),
            None => column,
        });
    }
    Rel::keep(right, &kept)
}

/// The terms of an AND.
fn conjuncts<'q>(expr: &'q Expr, out: &mut Vec<&'q Expr>) {
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::And, left, right, .. } => {
            conjuncts(left, out);
            conjuncts(right, out);
        }
        _ => out.push(expr),
    }
}

fn subquery(expr: &Expr) -> Option<Term<'_>> {
    match &expr.kind {
        ExprKind::InSubquery { expr: sought, negated, query } => {
            Some(Term { query, sought: Some(sought), negated: *negated, span: expr.span })
        }
        ExprKind::Exists(query) => Some(Term { query, sought: None, negated: false, span: expr.span }),
        ExprKind::Unary { op: UnaryOp::Not, expr: inner } => {
            let term = subquery(inner)?;
            Some(Term { negated: !term.negated, ..term })
        }
        _ => None,
    }
}

/// NOT IN: a pair counts as equal where it cannot be told.
fn unless_different(value: Rex, found: Rex, equal: Rex) -> Rex {
    let boolean = tidegate_data::DataType::not_null(tidegate_data::LogicalType::Boolean);
    let nulls = [value, found].into_iter().filter(|rex| rex.ty.nullable);
    let mut terms: Vec<Rex> = nulls.map(|rex| Rex::typed_call("IS NULL", vec![rex], boolean.clone())).collect();
    terms.push(equal);
    Rex::or(terms)
}

/// Whether a relation has a row, as one row with one column.
fn any_row(rel: Rel) -> Rel {
    let ones = Rel::project(rel, vec![Rex::boolean(true)], vec!["i".into()]);
    let ty = tidegate_data::DataType::new(tidegate_data::LogicalType::Boolean);
    let min = AggCall {
        function: AggFunction::Sql(tidegate_expr::AggregateFunction::Min),
        distinct: false,
        args: vec![0],
        filter: None,
        ty,
        name: Some("m".into()),
    };
    let found = Rel::aggregate(ones, Aggregate { keys: Vec::new(), calls: vec![min], ttl: None });
    let boolean = tidegate_data::DataType::not_null(tidegate_data::LogicalType::Boolean);
    let there = Rex::typed_call("IS NOT NULL", vec![found.column(0)], boolean);
    Rel::project(found, vec![there], vec!["$f0".into()])
}

pub(super) fn has_outer(rex: &Rex) -> bool {
    rex.any(&mut |part| matches!(part.kind, RexKind::Outer(_)))
}

/// A term over the columns of a subquery and of the query around it, as one over both sides of a join.
fn over_both(rex: Rex, width: usize) -> Rex {
    rex.transform(&mut |part| match part.kind {
        RexKind::Outer(index) => Rex::column(index, part.ty),
        RexKind::Column(index) => Rex::column(index + width, part.ty),
        _ => part,
    })
}

/// The subquery without references to the query around it, and the terms that it had with such ones, over its columns.
pub(super) fn decorrelate(rel: Rel) -> Option<(Rel, Vec<Rex>)> {
    let Rel { op, mut inputs, schema } = rel;
    match op {
        RelOp::Project(mut exprs) => {
            if exprs.iter().any(has_outer) {
                return None;
            }
            let (input, terms) = decorrelate(inputs.swap_remove(0))?;
            let mut names: Vec<String> = schema.fields.into_iter().map(|field| field.name).collect();
            // What the terms read has to come through.
            let terms = terms.into_iter().map(|term| {
                term.transform(&mut |part| match part.kind {
                    RexKind::Column(index) => {
                        let at = exprs.iter().position(|rex| rex.as_column() == Some(index)).unwrap_or_else(|| {
                            exprs.push(input.column(index));
                            names.push(input.schema.fields[index].name.clone());
                            exprs.len() - 1
                        });
                        Rex::column(at, part.ty)
                    }
                    _ => part,
                })
            });
            let terms: Vec<Rex> = terms.collect();
            let names = super::uniquify(names);
            Some((Rel::project(input, exprs, names), terms))
        }
        RelOp::Filter(condition) => {
            let (input, mut terms) = decorrelate(inputs.swap_remove(0))?;
            let (outer, own): (Vec<Rex>, Vec<Rex>) = condition.conjuncts().into_iter().partition(has_outer);
            terms.extend(outer);
            Some((if own.is_empty() { input } else { Rel::filter(input, Rex::and(own)) }, terms))
        }
        op => {
            let rel = Rel { op, inputs, schema };
            (!reads_outer(&rel)).then_some((rel, Vec::new()))
        }
    }
}

fn reads_outer(rel: &Rel) -> bool {
    let own = match &rel.op {
        RelOp::Project(exprs) => exprs.iter().any(has_outer),
        RelOp::Filter(condition) => has_outer(condition),
        RelOp::Join(join) => has_outer(&join.condition),
        RelOp::Values(rows) => rows.iter().flatten().any(has_outer),
        RelOp::Correlate(correlate) => correlate.args.iter().chain(&correlate.condition).any(has_outer),
        _ => false,
    };
    own || rel.inputs.iter().any(reads_outer)
}
