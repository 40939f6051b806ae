//! Tables of FROM that read those to their left: `CROSS JOIN UNNEST(t.tags)`, `, LATERAL (SELECT … WHERE r.k = l.k)`.

use tidegate_data::{DataType, Field, LogicalType, Schema};
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{Expr, TableAlias, TableRef, TableRefKind};

use super::expr::ExprContext;
use super::subquery::decorrelate;
use super::{Binder, Scope};
use crate::codes::{BAD_JOIN, BAD_OPERANDS, BAD_PLAN, NO_COLUMN};
use crate::correlate::Correlate;
use crate::logical::{Aggregate, JoinKind, Rel, RelOp};
use crate::physical::{TableFunction, Unnested};
use crate::rex::{Rex, RexKind};
use crate::rules::push_join_expressions;

/// What Flink's planner says of what it cannot take out of a correlation.
const NO_CORRELATE: &str = "unexpected correlate variable $cor1 in the plan";

/// Whether a table of FROM may read those to its left.
pub(super) fn is_lateral(table: &TableRef) -> bool {
    matches!(&table.kind, TableRefKind::Unnest { .. } | TableRefKind::Subquery { lateral: true, .. })
}

impl Binder<'_> {
    /// The join with a table that reads the left side; `on` is bound over both sides.
    pub(super) fn lateral(
        &self,
        (left, left_scope): (Rel, Scope),
        table: &TableRef,
        kind: JoinKind,
        on: Option<&Expr>,
    ) -> Option<(Rel, Scope)> {
        self.count_part(table.span)?;
        if kind.keeps_right() {
            let name = if kind == JoinKind::Full { "FULL" } else { "RIGHT" };
            let hint = "Its rows belong to a row of the left side: CROSS JOIN, or LEFT JOIN … ON TRUE.";
            self.report(Diagnostic::error(BAD_JOIN, format!("Unknown join type {name}")).at(table.span).hint(hint));
            return None;
        }
        match &table.kind {
            TableRefKind::Unnest { args, with_ordinality } => {
                let (correlate, scope) = self.unnest(args, *with_ordinality, table, &left_scope)?;
                let names = scope.columns().map(|(.., field)| field.name.clone()).collect();
                let (scope, on) = self.both((&left, left_scope), scope, table, kind, on)?;
                unnested(left, correlate, names, kind, on)
                    .or_else(|| self.refuse_condition(table.span))
                    .map(|rel| (rel, scope))
            }
            TableRefKind::Subquery { query, .. } => {
                self.outer.borrow_mut().push(left_scope.clone());
                let bound = self.query(query);
                self.outer.borrow_mut().pop();
                let bound = super::from::unsorted(bound?);
                let (named, scope) = self.aliased(bound.clone(), table.alias.as_ref(), None, Vec::new())?;
                let names = named.names();
                let (scope, on) = self.both((&left, left_scope), scope, table, kind, on)?;
                let joined = decorrelated(bound, &left).and_then(|found| beside(left, found, kind, on, names));
                if joined.is_none() {
                    let hint = "Its conditions on the table before it may stand in WHERE, and not below ORDER BY, LIMIT or another grouping.";
                    self.report(Diagnostic::error(BAD_PLAN, NO_CORRELATE).at(table.span).hint(hint));
                }
                joined.map(|rel| (rel, scope))
            }
            _ => None,
        }
    }

    fn refuse_condition<T>(&self, span: Span) -> Option<T> {
        let hint = "UNNEST is joined ON TRUE, or on its own columns; put conditions over both sides into WHERE.";
        self.report(Diagnostic::error(BAD_PLAN, NO_CORRELATE).at(span).hint(hint));
        None
    }

    /// The scope of both sides, and the condition.
    fn both(
        &self,
        (left, left_scope): (&Rel, Scope),
        right: Scope,
        table: &TableRef,
        kind: JoinKind,
        on: Option<&Expr>,
    ) -> Option<(Scope, Option<Rex>)> {
        self.distinct_names(&left_scope, &right, table.span)?;
        let scope = super::join::beside(left_scope, right, left.width());
        let condition = on.map(|on| self.condition(on, &ExprContext::rows(&scope, "ON")));
        if condition.as_ref().is_some_and(Rex::has_error) {
            return None;
        }
        let scope = super::join::padded(scope, kind, left.width());
        Some((scope, condition.filter(|condition| !condition.is_true())))
    }

    /// UNNEST alone: over one row.
    pub(super) fn unnest_alone(&self, args: &[Expr], ordinality: bool, table: &TableRef) -> Option<(Rel, Scope)> {
        let (correlate, scope) = self.unnest(args, ordinality, table, &Scope::default())?;
        Some((correlate.over(no_columns()), scope))
    }

    /// The call and the names of its columns.
    fn unnest(&self, args: &[Expr], ordinality: bool, table: &TableRef, scope: &Scope) -> Option<(Correlate, Scope)> {
        let [arg] = args else {
            self.not_yet("UNNEST of several collections", table.span);
            return None;
        };
        let rex = self.expr(arg, &ExprContext::rows(scope, "UNNEST"));
        if rex.has_error() {
            return None;
        }
        let plain = |name: &str, ty: &DataType| Field { name: name.into(), ty: ty.clone() };
        let (of, mut written) = match &rex.ty.logical {
            LogicalType::Array(element) => (Unnested::Array, vec![plain("EXPR$0", element)]),
            LogicalType::Multiset(element) => (Unnested::Multiset, vec![plain("EXPR$0", element)]),
            LogicalType::Map(key, value) => (Unnested::Map, vec![plain("KEY", key), plain("VALUE", value)]),
            _ => {
                let ty = rex.ty.with_nullable(true).calcite();
                let message = format!(
                    "Cannot apply 'UNNEST' to arguments of type 'UNNEST(<{ty}>)'. Supported form(s): 'UNNEST(<MULTISET>)'"
                );
                let error = Diagnostic::error(BAD_OPERANDS, message).at(table.span);
                self.report(error.hint("UNNEST takes an ARRAY, a MAP or a MULTISET."));
                return None;
            }
        };
        let mut columns: Vec<Field> =
            written.iter().enumerate().map(|(i, field)| plain(&format!("f{i}"), &field.ty)).collect();
        if let (true, LogicalType::Row(fields)) = (written.len() == 1, &written[0].ty.logical) {
            let nullable = written[0].ty.nullable;
            let field = |field: &Field| plain(&field.name, &field.ty.with_nullable(field.ty.nullable || nullable));
            columns = fields.iter().map(field).collect();
            written = columns.clone();
        } else if ordinality && columns.len() == 1 {
            columns = written.clone();
        }
        if ordinality {
            let number = plain("ORDINALITY", &DataType::not_null(LogicalType::Int));
            columns.push(number.clone());
            written.push(number);
        }
        let schema = self.named_columns(written, table.alias.as_ref())?;
        let name = table.alias.as_ref().map(|alias| alias.name.value.clone());
        let scope = Scope::of(name, Vec::new(), schema);
        let function = TableFunction::Unnest { of, ordinality };
        Some((Correlate { function, args: vec![rex], columns, condition: None, outer: false }, scope))
    }

    /// The columns with the names of an alias: one column alone is called as the alias itself.
    fn named_columns(&self, mut fields: Vec<Field>, alias: Option<&TableAlias>) -> Option<Schema> {
        let Some(alias) = alias else { return Some(Schema { fields }) };
        match alias.columns.as_slice() {
            [] => {
                if let [single] = fields.as_mut_slice() {
                    single.name.clone_from(&alias.name.value);
                }
            }
            columns if columns.len() != fields.len() => {
                let names: Vec<String> = fields.iter().map(|field| format!("'{}'", field.name)).collect();
                let message = format!(
                    "List of column aliases must have same degree as table; table has {} columns ({}), whereas alias list has {} columns",
                    fields.len(),
                    names.join(", "),
                    columns.len()
                );
                self.error(NO_COLUMN, message, alias.name.span);
                return None;
            }
            columns => {
                fields.iter_mut().zip(columns).for_each(|(field, column)| field.name.clone_from(&column.value));
            }
        }
        Some(Schema { fields })
    }
}

/// A row of no columns.
fn no_columns() -> Rel {
    Rel { op: RelOp::Values(vec![Vec::new()]), inputs: Vec::new(), schema: Schema::default() }
}

/// The left side with the rows of an UNNEST; none where Flink has no plan for the condition.
fn unnested(left: Rel, mut correlate: Correlate, names: Vec<String>, kind: JoinKind, on: Option<Rex>) -> Option<Rel> {
    if !crate::correlate::reads_outer(&correlate.args) {
        let right = correlate.over(no_columns());
        return Some(Rel::join(left, right, kind, on.unwrap_or(Rex::boolean(true))));
    }
    let width = left.width();
    correlate.outer = kind == JoinKind::Left;
    // The names come with a projection, which Flink keeps below where there is more to it than names.
    if on.is_some() || (correlate.outer && correlate.columns.iter().any(|field| !field.ty.nullable)) {
        correlate.columns.iter_mut().zip(names).for_each(|(field, name)| field.name = name);
    }
    let Some(on) = on else { return Some(correlate.over(left)) };
    if on.reads_only(|column| column >= width) {
        correlate.condition = Some(on.map_columns(&|column| column - width));
        return Some(correlate.over(left));
    }
    None
}

/// A subquery that is joined to the rows that it is for.
struct Decorrelated {
    right: Rel,
    /// Over the columns of `right`, and those of the rows that it is for (as [`RexKind::Outer`]).
    condition: Rex,
    /// The subquery's columns, over those of `right`.
    values: Vec<Rex>,
}

fn decorrelated(bound: Rel, left: &Rel) -> Option<Decorrelated> {
    let width = bound.width();
    if let Some((right, condition, values)) = super::scalar::one_row_for_each(&bound, left) {
        return Some(Decorrelated { right, condition, values });
    }
    let (right, terms) = decorrelate(bound)?;
    let columns = |right: &Rel| (0..width).map(|column| right.column(column)).collect();
    let own_column = |term: &Rex| match term.args_of("=")? {
        [Rex { kind: RexKind::Outer(_), .. }, own] | [own, Rex { kind: RexKind::Outer(_), .. }] => own.as_column(),
        _ => None,
    };
    let boolean = DataType::not_null(LogicalType::Boolean);
    if let Some(own) = terms.iter().map(own_column).collect::<Option<Vec<usize>>>() {
        let nullable = own.into_iter().filter(|column| right.schema.fields[*column].ty.nullable);
        let there: Vec<Rex> =
            nullable.map(|c| Rex::typed_call("IS NOT NULL", vec![right.column(c)], boolean.clone())).collect();
        let right = if there.is_empty() { right } else { Rel::filter(right, Rex::and(there)) };
        return Some(Decorrelated { values: columns(&right), condition: Rex::and(terms), right });
    }
    // Other comparisons are made with the different values that the rows have: these are joined to the rows then.
    let mut outer: Vec<usize> = Vec::new();
    for term in &terms {
        term.any(&mut |part| {
            if let RexKind::Outer(index) = part.kind
                && !outer.contains(&index)
            {
                outer.push(index);
            }
            false
        });
    }
    let known = Rel::keep(left.clone(), &outer);
    let keys: Vec<usize> = (0..outer.len()).collect();
    let known = Rel::aggregate(known, Aggregate { keys, calls: Vec::new(), ttl: None });
    let start = right.width();
    let place = |part: Rex| match part.kind {
        RexKind::Outer(index) => {
            let at = outer.iter().position(|own| *own == index).unwrap_or_default();
            Rex::column(start + at, part.ty)
        }
        _ => part,
    };
    let within = terms.into_iter().map(|term| term.transform(&mut |part| place(part)));
    let within = Rex::and(within.collect());
    let right = Rel::join(right, known, JoinKind::Inner, within);
    let equal = outer.iter().enumerate().map(|(at, index)| {
        let own = right.column(start + at);
        let one = Rex { kind: RexKind::Outer(*index), ty: own.ty.clone() };
        let nullable = own.ty.nullable;
        Rex::typed_call("=", vec![one, own], DataType { logical: LogicalType::Boolean, nullable })
    });
    let condition = Rex::and(equal.collect());
    Some(Decorrelated { values: columns(&right), condition, right })
}

/// Both sides joined: the left columns, then those of the subquery, called `own`. `on` is over these; none where an outer join cannot take it.
fn beside(left: Rel, subquery: Decorrelated, kind: JoinKind, on: Option<Rex>, own: Vec<String>) -> Option<Rel> {
    let width = left.width();
    let Decorrelated { right, condition, values } = subquery;
    let moved = |rex: Rex| {
        rex.transform(&mut |part| match part.kind {
            RexKind::Outer(index) => Rex::column(index, part.ty),
            RexKind::Column(index) => Rex::column(index + width, part.ty),
            _ => part,
        })
    };
    let (condition, values) = (moved(condition), values.into_iter().map(moved).collect::<Vec<Rex>>());
    let mut terms = vec![condition];
    let mut above = on;
    if kind == JoinKind::Left
        && let Some(on) = above.take()
    {
        let plain: Option<Vec<usize>> = values.iter().map(Rex::as_column).collect();
        let plain = plain?;
        terms.push(on.map_columns(&|column| column.checked_sub(width).map_or(column, |own| plain[own])));
    }
    let terms: Vec<Rex> = terms.into_iter().filter(|term| !term.is_true()).collect();
    let joined = push_join_expressions::push(Rel::join(left, right, kind, Rex::and(terms)));
    let mut exprs: Vec<Rex> = (0..width).map(|column| joined.column(column)).collect();
    let names = super::uniquify(joined.names().into_iter().take(width).chain(own).collect());
    exprs.extend(values.into_iter().map(|value| {
        value.transform(&mut |part| match part.kind {
            RexKind::Column(index) => joined.column(index),
            _ => part,
        })
    }));
    let rel = Rel::project(joined, exprs, names);
    Some(match above {
        Some(on) => Rel::filter(rel, on),
        None => rel,
    })
}
