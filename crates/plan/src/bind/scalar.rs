//! Subqueries as values: `(SELECT MAX(v) FROM t)` is a column of a join with the one row that it yields, one that speaks of the query
//! around it a column of a join with one row per value that it speaks of. EXISTS where it is no term of a WHERE asks whether that row is there.

use tidegate_data::{DataType, Field, LogicalType, Schema, Value};
use tidegate_diag::Span;
use tidegate_expr::AggregateFunction;
use tidegate_sql::ast::{Expr, ExprKind, Query};

use super::expr::ExprContext;
use super::subquery::{decorrelate, has_outer};
use super::{Binder, Scope};
use crate::logical::{AggCall, AggFunction, Aggregate, JoinKind, Rel, RelOp};
use crate::rex::{Rex, RexKind};
use crate::rules::push_join_expressions;

/// From here on columns are values of subqueries, until [`joined`] has found their places.
const PLACEHOLDER: usize = 1 << 30;

/// A subquery that is a value.
#[derive(Clone)]
pub(super) struct Scalar {
    pub(super) rel: Rel,
    /// The value, over the columns of `rel`; in the making, several.
    pub(super) values: Vec<Rex>,
    /// Over the columns of the query around it (as [`RexKind::Outer`]) and of `rel`.
    pub(super) condition: Rex,
    /// Whether it is an answer that is never NULL, such as that of EXISTS.
    pub(super) exists: bool,
    /// A further relation that is joined before `rel`, by a condition of its own; then `values` are over its columns and those of `rel` behind them.
    pub(super) counts: Option<(Rel, JoinKind, Rex)>,
    /// What takes the place of the empty VALUES at the bottom of `rel` once the query around is known.
    pub(super) later: Option<Later>,
}

/// An aggregate over the rows of a subquery and the different values that the query around has, where these are compared otherwise than by equality.
#[derive(Clone)]
pub(super) struct Later {
    input: Rel,
    /// Over the columns of `input` and of the query around.
    terms: Vec<Rex>,
    /// The columns of the query around: the keys.
    outer: Vec<usize>,
    /// Over the keys, then the columns of `input`.
    aggregate: Aggregate,
}

impl Later {
    fn over(self, around: &Rel) -> Rel {
        let keys: Vec<usize> = (0..self.outer.len()).collect();
        let none = Aggregate { keys: keys.clone(), calls: Vec::new(), ttl: None };
        let known = Rel::aggregate(Rel::keep(around.clone(), &self.outer), none);
        let width = self.input.width();
        let within = self.terms.into_iter().map(|term| {
            term.transform(&mut |part| match part.kind {
                RexKind::Outer(index) => {
                    let at = self.outer.iter().position(|own| *own == index).unwrap_or_default();
                    Rex::column(width + at, part.ty)
                }
                _ => part,
            })
        });
        let joined = Rel::join(self.input, known, JoinKind::Inner, Rex::and(within.collect()));
        let order: Vec<usize> = (width..width + keys.len()).chain(0..width).collect();
        Rel::aggregate(Rel::keep(joined, &order), self.aggregate)
    }
}

/// The relation with `made` in the place of the empty VALUES at its bottom.
fn completed(rel: Rel, made: Rel) -> Rel {
    let Rel { op, inputs, schema } = rel;
    match inputs.into_iter().next() {
        Some(input) => Rel { op, inputs: vec![completed(input, made)], schema },
        None => made,
    }
}

impl Scalar {
    fn value_type(&self) -> DataType {
        self.values[0].ty.with_nullable(!self.exists)
    }
}

impl Binder<'_> {
    /// A subquery as a value. A clause that takes none has no list to put it on.
    pub(super) fn scalar(&self, query: &Query, scope: &Scope) -> Rex {
        if self.scalars.borrow().is_none() {
            self.not_yet("A subquery as a value at this place", query.span);
            return Rex::error();
        }
        self.outer.borrow_mut().push(scope.clone());
        let bound = self.query(query);
        self.outer.borrow_mut().pop();
        let Some(bound) = bound else { return Rex::error() };
        if bound.width() != 1 {
            let message = "Cannot apply '$SCALAR_QUERY' to arguments of type '$SCALAR_QUERY(<RECORDTYPE>)'";
            self.report(
                tidegate_diag::Diagnostic::error(crate::codes::BAD_OPERANDS, message)
                    .at(query.span)
                    .hint("A subquery that is a value has one column."),
            );
            return Rex::error();
        }
        match one_row_each(bound) {
            Some(scalar) => self.placed(scalar),
            None => self.refused(query),
        }
    }

    /// EXISTS as a value.
    pub(super) fn exists(&self, query: &Query, scope: &Scope) -> Rex {
        if self.scalars.borrow().is_none() {
            self.not_yet("EXISTS at this place", query.span);
            return Rex::error();
        }
        self.outer.borrow_mut().push(scope.clone());
        let bound = self.query(query);
        self.outer.borrow_mut().pop();
        let Some(bound) = bound else { return Rex::error() };
        match found(bound) {
            Some(scalar) => self.placed(scalar),
            None => self.refused(query),
        }
    }

    /// `sought IN (SELECT …)` as a value: TRUE where a row is found, NULL where it cannot be told, FALSE otherwise.
    pub(super) fn is_in(&self, sought: &Expr, query: &Query, negated: bool, span: Span, cx: &ExprContext<'_>) -> Rex {
        if self.scalars.borrow().is_none() || cx.grouping.is_some() {
            self.not_yet("IN with a subquery at this place", query.span);
            return Rex::error();
        }
        self.outer.borrow_mut().push(cx.scope.clone());
        let bound = self.query(query);
        self.outer.borrow_mut().pop();
        let sought: Vec<Rex> = match &sought.kind {
            ExprKind::Row(items) => items.iter().map(|item| self.expr(item, cx)).collect(),
            _ => vec![self.expr(sought, cx)],
        };
        let Some(bound) = bound.filter(|_| !sought.iter().any(Rex::has_error)) else { return Rex::error() };
        if sought.len() != bound.width() {
            let message = "Values passed to IN operator must have compatible types";
            self.error(crate::codes::BAD_OPERANDS, message, span);
            return Rex::error();
        }
        if sought.iter().any(|rex| has_outer(rex) || !rex.reads_only(|c| c < PLACEHOLDER)) {
            return self.refused(query);
        }
        let sought: Vec<Rex> = sought.into_iter().map(of_outer).collect();
        let mut equal = Vec::new();
        for (i, value) in sought.iter().enumerate() {
            let term = self.equality("=", value.clone(), bound.column(i), span);
            if term.has_error() {
                return Rex::error();
            }
            equal.push(term);
        }
        match super::in_value::value(bound, sought, equal, negated) {
            Some(scalar) => self.placed(scalar),
            None => self.refused(query),
        }
    }

    fn refused(&self, query: &Query) -> Rex {
        self.not_yet("A subquery that speaks of the query around it in this way", query.span);
        Rex::error()
    }

    /// What stands for a subquery until its place is known.
    fn placed(&self, scalar: Scalar) -> Rex {
        let ty = scalar.value_type();
        let mut scalars = self.scalars.borrow_mut();
        let list = scalars.get_or_insert_default();
        list.push(scalar);
        Rex::column(PLACEHOLDER + list.len() - 1, ty)
    }

    /// Binds expressions that may hold subqueries as values; gives these.
    pub(super) fn with_scalars<T>(&self, bind: impl FnOnce() -> T) -> (T, Vec<Scalar>) {
        let outside = self.scalars.replace(Some(Vec::new()));
        let bound = bind();
        let found = self.scalars.replace(outside);
        (bound, found.unwrap_or_default())
    }
}

/// The relation with the subqueries' columns behind its own, and expressions that read them.
pub(super) fn joined(mut rel: Rel, scalars: Vec<Scalar>, exprs: &mut [Rex]) -> Rel {
    let mut values = Vec::with_capacity(scalars.len());
    let around = rel.clone();
    for scalar in scalars {
        let (start, ty) = (rel.width(), scalar.value_type());
        let right = match scalar.later {
            Some(later) => completed(scalar.rel, later.over(&around)),
            None => scalar.rel,
        };
        let mut joins = vec![(right, JoinKind::Left, scalar.condition)];
        joins.extend(scalar.counts);
        for (right, kind, condition) in joins.into_iter().rev() {
            let width = rel.width();
            let condition = condition.transform(&mut |part| match part.kind {
                RexKind::Outer(index) => Rex::column(index, part.ty),
                RexKind::Column(index) => Rex::column(index + width, part.ty),
                _ => part,
            });
            rel = push_join_expressions::push(Rel::join(rel, right, kind, condition));
        }
        let padded = scalar.values[0].clone().transform(&mut |part| match part.kind {
            RexKind::Column(index) => rel.column(index + start),
            RexKind::Outer(index) => rel.column(index),
            _ => part,
        });
        values.push(Rex { ty, ..padded });
    }
    for rex in exprs {
        *rex = rex.clone().transform(&mut |part| match part.as_column().and_then(|c| c.checked_sub(PLACEHOLDER)) {
            Some(n) => values[n].clone(),
            None => part,
        });
    }
    rel
}

/// An expression over the rows of the query around a subquery, as one inside it.
fn of_outer(rex: Rex) -> Rex {
    rex.transform(&mut |part| match part.kind {
        RexKind::Column(index) => Rex { kind: RexKind::Outer(index), ty: part.ty },
        _ => part,
    })
}

/// COUNT where no row matches: it is 0, which a padded row does not say.
fn zero_without_row(count: Rex) -> Rex {
    let ty = count.ty.with_nullable(false);
    let boolean = DataType::not_null(LogicalType::Boolean);
    let none = Rex::typed_call("IS NULL", vec![count.clone()], boolean);
    let zero = Rex::literal(Value::Int(0), ty.clone());
    Rex { kind: RexKind::Case { branches: vec![(none, zero)], otherwise: Box::new(count) }, ty }
}

/// A subquery with a row for each row of the query around it.
fn one_row_each(rel: Rel) -> Option<Scalar> {
    if is_one_row(&rel) {
        return aggregated(rel);
    }
    // That there is one row at most is seen when it runs.
    let names = rel.schema.clone();
    let (input, terms) = decorrelate(rel)?;
    let single = AggCall {
        function: AggFunction::Sql(AggregateFunction::SingleValue),
        distinct: false,
        args: vec![0],
        filter: None,
        ty: names.fields[0].ty.with_nullable(true),
        name: None,
    };
    grouped(input, terms, Aggregate { keys: Vec::new(), calls: vec![single], ttl: None }, &[None])
}

/// Whether a subquery has a row for a row of the query around it.
fn found(rel: Rel) -> Option<Scalar> {
    let (input, terms) = decorrelate(rel)?;
    let none = Aggregate { keys: Vec::new(), calls: Vec::new(), ttl: None };
    let (rel, condition, later) = if terms.is_empty() {
        let ones = Rel::project(input, vec![Rex::boolean(true)], vec!["i".into()]);
        (Rel::aggregate(ones, Aggregate { keys: vec![0], ..none }), Rex::boolean(true), None)
    } else {
        let keyed = grouped(input, terms, none, &[])?;
        let (mut exprs, mut names): (Vec<Rex>, Vec<String>) =
            ((0..keyed.rel.width()).map(|column| keyed.rel.column(column)).collect(), keyed.rel.names());
        names.push(format!("$f{}", exprs.len()));
        exprs.push(Rex::boolean(true));
        (Rel::project(keyed.rel, exprs, names), keyed.condition, keyed.later)
    };
    let there =
        Rex::typed_call("IS NOT NULL", vec![rel.column(rel.width() - 1)], DataType::not_null(LogicalType::Boolean));
    Some(Scalar { rel, values: vec![there], condition, exists: true, counts: None, later })
}

/// The row that an aggregate without keys has for each row of `around`: the relation, the condition that joins it, and its columns.
pub(super) fn one_row_for_each(rel: &Rel, around: &Rel) -> Option<(Rel, Rex, Vec<Rex>)> {
    if !is_one_row(rel) {
        return None;
    }
    let Scalar { rel, values, condition, later, .. } = aggregated(rel.clone())?;
    let rel = match later {
        Some(later) => completed(rel, later.over(around)),
        None => rel,
    };
    Some((rel, condition, values))
}

/// Whether a relation is an aggregate without keys, perhaps below projections.
fn is_one_row(rel: &Rel) -> bool {
    match &rel.op {
        RelOp::Project(_) => is_one_row(rel.input()),
        RelOp::Aggregate(aggregate) => aggregate.keys.is_empty(),
        _ => false,
    }
}

fn aggregated(rel: Rel) -> Option<Scalar> {
    let Rel { op, mut inputs, schema } = rel;
    match op {
        RelOp::Project(exprs) => {
            if exprs.iter().any(has_outer) {
                return None;
            }
            let below = aggregated(inputs.swap_remove(0))?;
            if below.condition.is_true() {
                let names = schema.fields.into_iter().map(|field| field.name).collect();
                let rel = Rel::project(below.rel, exprs, names);
                let values = (0..rel.width()).map(|column| rel.column(column)).collect();
                return Some(Scalar { values, rel, ..below });
            }
            // Computed above the join: what it makes of NULLs is the value where no row matches.
            let value = |rex: Rex| {
                rex.transform(&mut |part| match part.as_column() {
                    Some(column) => below.values[column].clone(),
                    None => part,
                })
            };
            let values = exprs.into_iter().map(value).collect();
            Some(Scalar { values, ..below })
        }
        RelOp::Aggregate(aggregate) => {
            let (input, terms) = decorrelate(inputs.swap_remove(0))?;
            let named = |name: String| (!name.starts_with("$f")).then_some(name);
            let names: Vec<Option<String>> = schema.fields.into_iter().map(|field| named(field.name)).collect();
            grouped(input, terms, aggregate, &names)
        }
        _ => None,
    }
}

/// Whether a term says that a column equals one of the query around.
fn is_plain(term: &Rex) -> bool {
    let Some([one, other]) = term.args_of("=") else { return false };
    let outer = |rex: &Rex| matches!(rex.kind, RexKind::Outer(_));
    (outer(one) && other.as_column().is_some()) || (outer(other) && one.as_column().is_some())
}

/// The same for other comparisons.
fn grouped_later(input: Rel, terms: Vec<Rex>, aggregate: Aggregate, names: &[Option<String>]) -> Scalar {
    let mut outer: Vec<(usize, DataType)> = Vec::new();
    for term in &terms {
        term.any(&mut |part| {
            if let RexKind::Outer(index) = part.kind
                && !outer.iter().any(|(own, _)| *own == index)
            {
                outer.push((index, part.ty.clone()));
            }
            false
        });
    }
    let count = outer.len();
    let mut calls = aggregate.calls;
    for (call, name) in calls.iter_mut().zip(names) {
        call.args.iter_mut().for_each(|arg| *arg += count);
        call.filter = call.filter.map(|filter| filter + count);
        if call.name.is_none() {
            call.name = name.clone();
        }
    }
    let mut fields: Vec<Field> = Vec::new();
    fields.extend(outer.iter().enumerate().map(|(i, (_, ty))| Field { name: format!("k{i}"), ty: ty.clone() }));
    for call in &calls {
        let name = call.name.clone().unwrap_or_else(|| format!("$f{}", fields.len()));
        fields.push(Field { name, ty: call.ty.clone() });
    }
    let rel = Rel { op: RelOp::Values(Vec::new()), inputs: Vec::new(), schema: Schema { fields } };
    let equal = outer.iter().enumerate().map(|(at, (index, ty))| {
        let one = Rex { kind: RexKind::Outer(*index), ty: ty.clone() };
        let boolean = DataType { logical: LogicalType::Boolean, nullable: ty.nullable };
        Rex::typed_call("=", vec![one, Rex::column(at, ty.clone())], boolean)
    });
    let condition = Rex::and(equal.collect());
    let values = (count..rel.width()).zip(&calls).map(|(column, call)| {
        let value = rel.column(column);
        if call.function.name() == "COUNT" { zero_without_row(value) } else { value }
    });
    let values = values.collect();
    let aggregate = Aggregate { keys: (0..count).collect(), calls, ttl: None };
    let outer = outer.into_iter().map(|(index, _)| index).collect();
    let later = Some(Later { input, terms, outer, aggregate });
    Scalar { values, rel, condition, exists: false, counts: None, later }
}

/// An aggregate over a subquery's rows, by what these are compared with in the query around it: `terms`.
pub(super) fn grouped(input: Rel, terms: Vec<Rex>, aggregate: Aggregate, names: &[Option<String>]) -> Option<Scalar> {
    if terms.is_empty() {
        let rel = Rel::aggregate(input, aggregate);
        let values = (0..rel.width()).map(|column| rel.column(column)).collect();
        return Some(Scalar { values, rel, condition: Rex::boolean(true), exists: false, counts: None, later: None });
    }
    if !terms.iter().all(is_plain) {
        return Some(grouped_later(input, terms, aggregate, names));
    }
    let mut keys: Vec<usize> = Vec::new();
    let mut condition = Vec::new();
    for term in terms {
        let [one, other] = term.args_of("=")? else { return None };
        let (own, outer) = if has_outer(one) { (other, one) } else { (one, other) };
        let column = own.as_column()?;
        if !matches!(outer.kind, RexKind::Outer(_)) {
            return None;
        }
        let at = keys.iter().position(|key| *key == column).unwrap_or_else(|| {
            keys.push(column);
            keys.len() - 1
        });
        let key = Rex::column(at, own.ty.clone());
        condition.push(Rex::typed_call("=", vec![outer.clone(), key], term.ty.clone()));
    }
    let boolean = DataType::not_null(LogicalType::Boolean);
    let nullable = keys.iter().filter(|key| input.schema.fields[**key].ty.nullable);
    let there: Vec<Rex> =
        nullable.map(|key| Rex::typed_call("IS NOT NULL", vec![input.column(*key)], boolean.clone())).collect();
    let input = if there.is_empty() { input } else { Rel::filter(input, Rex::and(there)) };
    // The keys come first, as grouping has it; of the rest, what is read.
    let mut order = keys.clone();
    let read =
        |column: &usize| aggregate.calls.iter().any(|call| call.args.contains(column) || call.filter == Some(*column));
    order.extend((0..input.width()).filter(|column| !keys.contains(column)).filter(read));
    let place = |column: usize| order.iter().position(|own| *own == column).unwrap_or_default();
    let mut calls = aggregate.calls;
    for (call, name) in calls.iter_mut().zip(names) {
        call.args.iter_mut().for_each(|arg| *arg = place(*arg));
        call.filter = call.filter.map(place);
        if call.name.is_none() {
            call.name = name.clone();
        }
    }
    let counts: Vec<bool> = calls.iter().map(|call| call.function.name() == "COUNT").collect();
    let rel = Rel::aggregate(Rel::keep(input, &order), Aggregate { keys: (0..keys.len()).collect(), calls, ttl: None });
    let values = (keys.len()..rel.width()).zip(counts).map(|(column, counts)| {
        let value = rel.column(column);
        if counts { zero_without_row(value) } else { value }
    });
    Some(Scalar {
        values: values.collect(),
        rel,
        condition: Rex::and(condition),
        exists: false,
        counts: None,
        later: None,
    })
}
