//! Subqueries as values: `(SELECT MAX(v) FROM t)` is a column of a join with the one row that it yields, one that speaks of the query
//! around it a column of a join with one row per value that it speaks of.

use tidegate_data::{DataType, LogicalType, Value};
use tidegate_sql::ast::Query;

use super::subquery::{decorrelate, has_outer};
use super::{Binder, Scope};
use crate::logical::{Aggregate, JoinKind, Rel, RelOp};
use crate::rex::{Rex, RexKind};

/// From here on columns are values of subqueries, until [`joined`] has found their places.
const PLACEHOLDER: usize = 1 << 30;

/// A subquery that is a value.
#[derive(Clone)]
pub(super) struct Scalar {
    rel: Rel,
    /// The value, over the columns of `rel`; in the making, several.
    values: Vec<Rex>,
    /// Over the columns of the query around it (as [`RexKind::Outer`]) and of `rel`.
    condition: Rex,
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
        let Some(scalar) = one_row_each(bound) else {
            self.not_yet("A subquery as a value that is no aggregate over all its rows", query.span);
            return Rex::error();
        };
        let ty = scalar.values[0].ty.with_nullable(true);
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
    for scalar in scalars {
        let width = rel.width();
        let condition = scalar.condition.transform(&mut |part| match part.kind {
            RexKind::Outer(index) => Rex::column(index, part.ty),
            RexKind::Column(index) => Rex::column(index + width, part.ty),
            _ => part,
        });
        let padded = scalar.values[0].clone().transform(&mut |part| match part.kind {
            RexKind::Column(index) => Rex::column(index + width, part.ty.with_nullable(true)),
            _ => part,
        });
        values.push(Rex { ty: padded.ty.with_nullable(true), ..padded });
        rel = Rel::join(rel, scalar.rel, JoinKind::Left, condition);
    }
    for rex in exprs {
        *rex = rex.clone().transform(&mut |part| match part.as_column().and_then(|c| c.checked_sub(PLACEHOLDER)) {
            Some(n) => values[n].clone(),
            None => part,
        });
    }
    rel
}

/// COUNT where no row matches: it is 0, which a padded row does not say.
fn zero_without_row(count: Rex) -> Rex {
    let ty = count.ty.with_nullable(false);
    let boolean = DataType::not_null(LogicalType::Boolean);
    let none = Rex::typed_call("IS NULL", vec![count.clone()], boolean);
    let zero = Rex::literal(Value::Int(0), ty.clone());
    Rex { kind: RexKind::Case { branches: vec![(none, zero)], otherwise: Box::new(count) }, ty }
}

/// A subquery with one row: an aggregate without keys, perhaps below projections. One that speaks of the query around it is grouped
/// by what that is compared with.
fn one_row_each(rel: Rel) -> Option<Scalar> {
    let Rel { op, mut inputs, schema } = rel;
    match op {
        RelOp::Project(exprs) => {
            if exprs.iter().any(has_outer) {
                return None;
            }
            let below = one_row_each(inputs.swap_remove(0))?;
            if below.condition.is_true() {
                let names = schema.fields.into_iter().map(|field| field.name).collect();
                let rel = Rel::project(below.rel, exprs, names);
                return Some(Scalar { values: vec![rel.column(0)], rel, ..below });
            }
            // Computed above the join: what it makes of NULLs is the value where no row matches.
            let [value]: [Rex; 1] = exprs.try_into().ok()?;
            let value = value.transform(&mut |part| match part.as_column() {
                Some(column) => below.values[column].clone(),
                None => part,
            });
            Some(Scalar { values: vec![value], ..below })
        }
        RelOp::Aggregate(aggregate) if aggregate.keys.is_empty() => {
            let (input, terms) = decorrelate(inputs.swap_remove(0))?;
            if terms.is_empty() {
                let rel = Rel::aggregate(input, aggregate);
                let values = (0..rel.width()).map(|column| rel.column(column)).collect();
                return Some(Scalar { values, rel, condition: Rex::boolean(true) });
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
            // The keys come first, as grouping has it.
            let mut order = keys.clone();
            let read = |column: &usize| {
                aggregate.calls.iter().any(|call| call.args.contains(column) || call.filter == Some(*column))
            };
            order.extend((0..input.width()).filter(|column| !keys.contains(column)).filter(read));
            let place = |column: usize| order.iter().position(|own| *own == column).unwrap_or_default();
            let mut calls = aggregate.calls;
            for (call, field) in calls.iter_mut().zip(&schema.fields) {
                call.args.iter_mut().for_each(|arg| *arg = place(*arg));
                call.filter = call.filter.map(place);
                if call.name.is_none() && !field.name.starts_with("$f") {
                    call.name = Some(field.name.clone());
                }
            }
            let input = Rel::keep(input, &order);
            let grouped = Aggregate { keys: (0..keys.len()).collect(), calls };
            let counts: Vec<bool> = grouped.calls.iter().map(|call| call.function.name() == "COUNT").collect();
            let rel = Rel::aggregate(input, grouped);
            let values = (keys.len()..rel.width()).zip(counts).map(|(column, counts)| {
                let value = rel.column(column);
                if counts { zero_without_row(value) } else { value }
            });
            Some(Scalar { values: values.collect(), rel, condition: Rex::and(condition) })
        }
        _ => None,
    }
}
