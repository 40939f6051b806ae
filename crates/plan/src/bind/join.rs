//! `JOIN … ON`, `USING`, `NATURAL`, `CROSS JOIN` and commas in FROM.

use tidegate_data::Schema;
use tidegate_diag::Diagnostic;
use tidegate_sql::ast::{Ident, Join, JoinCondition, JoinKind as WrittenKind, TableRef};

use super::expr::ExprContext;
use super::scope::Merged;
use super::{Binder, Scope, suggest};
use crate::codes::{AMBIGUOUS, BAD_JOIN, BAD_OPERANDS, NO_COLUMN};
use crate::logical::{JoinKind, Rel};
use crate::rex::Rex;
use crate::rules::push_join_expressions;
use crate::rules::simplify::simplify_condition;

/// A comma between tables: all pairs, or those of a row and a version of the right side.
pub(super) fn cross(
    (left, left_scope): (Rel, Scope),
    (right, right_scope): (Rel, Scope),
    version: Option<Rex>,
    ttl: [Option<i64>; 2],
) -> (Rel, Scope) {
    let scope = beside(left_scope, right_scope, left.width());
    let condition = version.unwrap_or(Rex::boolean(true));
    (super::temporal::joined(left, right, JoinKind::Inner, condition).kept_for(ttl), scope)
}

fn written_kind(kind: WrittenKind) -> JoinKind {
    match kind {
        WrittenKind::Inner | WrittenKind::Cross => JoinKind::Inner,
        WrittenKind::Left => JoinKind::Left,
        WrittenKind::Right => JoinKind::Right,
        WrittenKind::Full => JoinKind::Full,
    }
}

/// The tables of both sides, in order.
pub(super) fn beside(mut left: Scope, right: Scope, width: usize) -> Scope {
    left.tables.extend(right.tables.into_iter().map(|mut table| {
        table.start += width;
        table
    }));
    left.merged.extend(right.merged.into_iter().map(|merged| Merged {
        rex: merged.rex.map_columns(&|column| column + width),
        columns: merged.columns.into_iter().map(|column| column + width).collect(),
        ..merged
    }));
    left.broken |= right.broken;
    left
}

impl Binder<'_> {
    pub(super) fn join(&self, join: &Join) -> Option<(Rel, Scope)> {
        if super::lateral::is_lateral(&join.right) {
            return self.lateral_join(join);
        }
        let left = self.table_ref(&join.left);
        let right = self.table_ref(&join.right);
        let ((left, left_scope), (right, right_scope)) = (left?, right?);
        self.unversioned(&join.left)?;
        let kind = written_kind(join.kind);
        self.distinct_names(&left_scope, &right_scope, join.right.span)?;
        let ttl = [self.ttl_of(&left_scope), self.ttl_of(&right_scope)];
        let width = left.width();
        let columns = self.shared_columns(join, &left_scope, &right_scope)?;
        let scope = beside(left_scope.clone(), right_scope.clone(), width);
        let mut merged = Vec::new();
        let condition = match &join.condition {
            JoinCondition::On(condition) => {
                let bound = self.condition(condition, &ExprContext::rows(&scope, "ON"));
                if bound.has_error() {
                    return None;
                }
                bound
            }
            _ => {
                let mut terms = Vec::new();
                for name in &columns {
                    let (one, other) = (left_scope.unqualified(&name.value)?, right_scope.unqualified(&name.value)?);
                    let other = other.map_columns(&|column| column + width);
                    if Rex::call("=", vec![one.clone(), other.clone()]).is_err() {
                        let message = format!(
                            "Column '{}' matched using NATURAL keyword or USING clause has incompatible types: cannot compare '{}' to '{}'",
                            name.value,
                            one.ty.with_nullable(true).calcite(),
                            other.ty.with_nullable(true).calcite()
                        );
                        self.error(BAD_OPERANDS, message, name.span);
                        return None;
                    }
                    terms.push(self.equality("=", one.clone(), other.clone(), name.span));
                    merged.push((name.value.clone(), one, other));
                }
                Rex::and(terms)
            }
        };
        let version = self.version_term(&join.right, (&left, &left_scope), &right, kind)?;
        let condition = match version {
            Some(version) => Rex::and(vec![condition, version]),
            None => condition,
        };
        let scope = padded(scope, kind, width);
        let scope = with_merged(scope, merged, kind);
        let rel = super::temporal::joined(left, right, kind, simplify_condition(collapsed(condition)));
        Some((push_join_expressions::push(rel.kept_for(ttl)), scope))
    }

    /// A join with UNNEST or a LATERAL subquery.
    fn lateral_join(&self, join: &Join) -> Option<(Rel, Scope)> {
        let left = self.table_ref(&join.left)?;
        self.unversioned(&join.left)?;
        let kind = written_kind(join.kind);
        let on = match &join.condition {
            JoinCondition::On(on) if join.kind != WrittenKind::Cross => Some(on),
            JoinCondition::None if join.kind == WrittenKind::Cross => None,
            JoinCondition::Using(_) => {
                self.not_yet("USING with UNNEST or LATERAL", join.op_span);
                return None;
            }
            _ if join.natural => {
                self.not_yet("NATURAL with UNNEST or LATERAL", join.op_span);
                return None;
            }
            _ => {
                self.shared_columns(join, &left.1, &Scope::broken())?;
                None
            }
        };
        self.lateral(left, &join.right, kind, on)
    }

    /// The columns of USING or NATURAL; what is wrong with the words around them is reported.
    fn shared_columns(&self, join: &Join, left: &Scope, right: &Scope) -> Option<Vec<Ident>> {
        let refuse = |message: &str| {
            self.error(BAD_JOIN, message, join.op_span);
            None
        };
        let cross = join.kind == WrittenKind::Cross;
        match &join.condition {
            _ if join.natural && cross => {
                refuse("Cannot specify condition (NATURAL keyword, or ON or USING clause) following CROSS JOIN")
            }
            JoinCondition::On(_) | JoinCondition::Using(_) if cross => {
                refuse("Cannot specify condition (NATURAL keyword, or ON or USING clause) following CROSS JOIN")
            }
            JoinCondition::On(_) | JoinCondition::Using(_) if join.natural => {
                refuse("Cannot specify NATURAL keyword with ON or USING clause")
            }
            JoinCondition::None if !cross && !join.natural => {
                let message =
                    "INNER, LEFT, RIGHT or FULL join requires a condition (NATURAL keyword or ON or USING clause)";
                let hint = "Say when rows match: ON a.k = b.k. For all pairs, CROSS JOIN.";
                self.report(Diagnostic::error(BAD_JOIN, message).at(join.op_span).hint(hint));
                None
            }
            JoinCondition::Using(columns) => {
                for column in columns {
                    for side in [left, right] {
                        match side.columns().filter(|(.., field)| field.name == column.value).count() {
                            1 => {}
                            _ if side.merged.iter().any(|merged| merged.name == column.value) => {}
                            0 => {
                                let names = side.columns().map(|(.., field)| field.name.as_str());
                                let message = format!("Column '{}' not found in any table", column.value);
                                let error = Diagnostic::error(NO_COLUMN, message).at(column.span);
                                self.report(suggest(error, column, names));
                                return None;
                            }
                            _ => {
                                let message = format!(
                                    "Column name '{}' in NATURAL join or USING clause is not unique on one side of join",
                                    column.value
                                );
                                self.error(AMBIGUOUS, message, column.span);
                                return None;
                            }
                        }
                    }
                }
                Some(columns.clone())
            }
            JoinCondition::None if join.natural => {
                let mut names: Vec<Ident> = Vec::new();
                for (.., field) in left.columns() {
                    let here = right.columns().filter(|(.., other)| other.name == field.name).count();
                    if here > 0 && !names.iter().any(|name| name.value == field.name) {
                        names.push(Ident { value: field.name.clone(), span: join.op_span, quoted: false });
                    }
                }
                Some(names)
            }
            _ => Some(Vec::new()),
        }
    }

    /// Two tables of one FROM need two names.
    pub(super) fn distinct_names(&self, left: &Scope, right: &Scope, span: tidegate_diag::Span) -> Option<()> {
        for name in right.tables.iter().filter_map(|table| table.name.as_ref()) {
            if left.tables.iter().any(|table| table.name.as_ref() == Some(name)) {
                let message = format!("Duplicate relation name '{name}' in FROM clause");
                let hint = format!("Give it a name of its own: {name} AS {name}2.");
                self.report(Diagnostic::error(AMBIGUOUS, message).at(span).hint(hint));
                return None;
            }
        }
        Some(())
    }

    /// The same for tables between commas.
    pub(super) fn unique_tables(&self, bound: &[(Rel, Scope)], tables: &[TableRef]) -> Option<()> {
        for (i, (_, right)) in bound.iter().enumerate() {
            for (_, left) in &bound[..i] {
                self.distinct_names(left, right, tables[i].span)?;
            }
        }
        Some(())
    }
}

/// `IS NOT DISTINCT FROM` where it was written out: as one term it is a join key.
fn collapsed(condition: Rex) -> Rex {
    let terms = condition.conjuncts().into_iter().map(|term| {
        let whole = |op: &str, rex: &Rex| rex.args_of(op).map(<[Rex]>::to_vec);
        let found = whole("OR", &term).and_then(|either| match either.as_slice() {
            [nulls, equal] => {
                let (nulls, equal) = (whole("AND", nulls)?, whole("IS TRUE", equal)?);
                let equal = whole("=", equal.first()?)?;
                let null = |i: usize| whole("IS NULL", nulls.get(i)?)?.into_iter().next();
                (nulls.len() == 2 && null(0)? == equal[0] && null(1)? == equal[1]).then_some(equal)
            }
            _ => None,
        });
        match found {
            Some(args) => {
                let boolean = tidegate_data::DataType::not_null(tidegate_data::LogicalType::Boolean);
                Rex::typed_call("IS NOT DISTINCT FROM", args, boolean)
            }
            None => term,
        }
    });
    Rex::and(terms.collect())
}

/// The scope with the columns nullable that a join pads.
pub(super) fn padded(mut scope: Scope, kind: JoinKind, width: usize) -> Scope {
    let nullable =
        |schema: &mut Schema| schema.fields.iter_mut().for_each(|field| field.ty = field.ty.with_nullable(true));
    for table in &mut scope.tables {
        if (table.start < width && kind.keeps_right()) || (table.start >= width && kind.keeps_left()) {
            nullable(&mut table.schema);
        }
    }
    scope
}

/// The scope with the columns of USING: each is one column, with the value of the side that has one.
fn with_merged(mut scope: Scope, columns: Vec<(String, Rex, Rex)>, kind: JoinKind) -> Scope {
    let mut all: Vec<Merged> = Vec::new();
    for (name, left, right) in columns {
        let nullable = |rex: &Rex, padded: bool| Rex {
            ty: if padded { rex.ty.with_nullable(true) } else { rex.ty.clone() },
            ..rex.clone()
        };
        let (one, other) = (nullable(&left, kind.keeps_right()), nullable(&right, kind.keeps_left()));
        let hidden = scope.merged.iter().filter(|merged| merged.name == name).flat_map(|merged| merged.columns.clone());
        let mut hidden: Vec<usize> = hidden.collect();
        hidden.extend([&left, &right].into_iter().filter_map(|rex| rex.as_column()));
        hidden.sort_unstable();
        hidden.dedup();
        // Flink computes it for all sorts of joins, also where one side would do.
        let rex = Rex::call("COALESCE", vec![one.clone(), other]).unwrap_or(one);
        scope.merged.retain(|merged| merged.name != name);
        all.push(Merged { name, rex, columns: hidden });
    }
    all.extend(std::mem::take(&mut scope.merged));
    scope.merged = all;
    scope
}
