//! SELECT: FROM, WHERE, GROUP BY, HAVING, the list of items, DISTINCT.

use tidegate_data::LogicalType;
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{Expr, ExprKind, Ident, Select, SelectItem};

use super::aggregate::{Grouping, contains_aggregate};
use super::expr::ExprContext;
use super::grouping::GroupedBy;
use super::{Binder, Scope, suggest, uniquify};
use crate::codes::{BAD_GROUPING, BAD_LITERAL, BAD_OPERANDS, NO_OBJECT};
use crate::logical::{Aggregate, Rel};
use crate::rex::Rex;
use crate::rules::simplify::{simplify_condition, simplify_written};

/// An item of the SELECT list after stars were expanded.
enum Item<'q> {
    /// A column that a star stands for.
    Column { position: usize, name: String, span: Span },
    /// A column of USING that a star stands for.
    Merged { rex: Rex, name: String, span: Span },
    /// An expression.
    Expr { expr: &'q Expr, name: String },
}

impl Item<'_> {
    fn name(&self) -> &String {
        match self {
            Item::Column { name, .. } | Item::Merged { name, .. } | Item::Expr { name, .. } => name,
        }
    }
}

impl Binder<'_> {
    /// Binds a SELECT.
    pub(super) fn select(&self, select: &Select) -> Option<Rel> {
        let windows_outside = self.windows.borrow().len();
        self.windows.borrow_mut().extend(select.windows.iter().cloned());
        self.enter_hints(select);
        let bound = self.select_inside(select);
        self.leave_hints();
        self.windows.borrow_mut().truncate(windows_outside);
        bound
    }

    fn select_inside(&self, select: &Select) -> Option<Rel> {
        self.count_part(select.span)?;
        // Without a FROM there is still something to look at: a broken scope keeps quiet about names.
        let (mut rel, scope) = match self.from(&select.from) {
            Some((rel, scope)) => (Some(rel), scope),
            None => (None, Scope::broken()),
        };
        self.check_hints(&scope);
        if let Some(filter) = &select.filter {
            rel = self.filter(rel, &scope, filter);
        }
        let items = self.expand(select, &scope);
        let grouped = select.group_by.is_some()
            || select.having.is_some()
            || items.iter().any(|item| matches!(item, Item::Expr { expr, .. } if contains_aggregate(expr)));
        let written: Vec<String> = items.iter().map(|item| item.name().clone()).collect();
        let names: Vec<String> = uniquify(written.clone());
        let input = if grouped {
            self.grouped(select, &items, names, &written, &scope, rel)
        } else {
            let cx = ExprContext::rows(&scope, "SELECT");
            let bind = || {
                let mut exprs: Vec<Rex> = items.iter().map(|item| simplify_written(self.item(item, &cx))).collect();
                exprs.extend(self.qualification(select, &cx));
                exprs
            };
            let (mut exprs, scalars) = self.with_scalars(bind);
            rel.filter(|_| !exprs.iter().any(Rex::has_error)).map(|input| {
                let input = super::scalar::joined(input, scalars, &mut exprs);
                qualified(input, exprs, names)
            })
        };
        let input = input.filter(|_| !self.has_errors())?;
        self.check_size(&input, select.span)?;
        *self.written_names.borrow_mut() = written;
        if select.distinct {
            let keys = (0..input.width()).collect();
            return Some(Rel::aggregate(input, Aggregate { keys, calls: Vec::new(), ttl: self.ttl_of(&scope) }));
        }
        Some(input)
    }

    /// The condition of QUALIFY: one that may look at window functions.
    fn qualification(&self, select: &Select, cx: &ExprContext<'_>) -> Option<Rex> {
        let condition = self.condition(select.qualify.as_ref()?, &ExprContext { clause: "QUALIFY", ..*cx });
        Some(simplify_written(condition))
    }

    fn item(&self, item: &Item<'_>, cx: &ExprContext<'_>) -> Rex {
        match item {
            Item::Expr { expr, .. } => {
                let rex = self.expr(expr, cx);
                if rex.ty.logical == LogicalType::Null && rex.as_literal().is_some() {
                    let hint = "Give it a type: CAST(NULL AS INT).";
                    return self.fail(Diagnostic::error(BAD_LITERAL, "Illegal use of 'NULL'").at(expr.span).hint(hint));
                }
                rex
            }
            Item::Column { position, span, .. } => {
                let Some((_, _, field)) = cx.scope.columns().find(|(index, ..)| index == position) else {
                    return Rex::error();
                };
                self.starred(Rex::column(*position, field.ty.clone()), &field.name, *span, cx)
            }
            Item::Merged { rex, name, span } => self.starred(rex.clone(), name, *span, cx),
        }
    }

    /// A column that a star stands for; behind a GROUP BY it has to be a key.
    fn starred(&self, column: Rex, name: &str, span: Span, cx: &ExprContext<'_>) -> Rex {
        match cx.grouping {
            None => column,
            Some(grouping) => grouping.key(&column).unwrap_or_else(|| {
                let message = format!("Expression '{name}' is not being grouped");
                self.fail(Diagnostic::error(BAD_GROUPING, message).at(span))
            }),
        }
    }

    /// A SELECT with GROUP BY, HAVING or aggregates.
    fn grouped(
        &self,
        select: &Select,
        items: &[Item<'_>],
        names: Vec<String>,
        written: &[String],
        scope: &Scope,
        rel: Option<Rel>,
    ) -> Option<Rel> {
        let rows = ExprContext::rows(scope, "GROUP BY");
        let GroupedBy { keys, sets, window, rel } = match &select.group_by {
            Some(group_by) => self.grouped_by(group_by, &rows, rel),
            None => GroupedBy { keys: Vec::new(), sets: None, window: None, rel },
        };
        if keys.iter().any(Rex::has_error) {
            // What cannot be grouped cannot be looked up: the items are still bound, over rows, for their own errors.
            let lenient = ExprContext::rows(scope, "SELECT");
            for item in items {
                if !matches!(item, Item::Expr { expr, .. } if contains_aggregate(expr)) {
                    self.item(item, &lenient);
                }
            }
            return None;
        }
        let mut grouping = Grouping::new(keys);
        (grouping.sets, grouping.window) = (sets, window);
        grouping.ttl = self.ttl_of(scope);
        let plain = ExprContext::rows(scope, "SELECT");
        let named: Vec<(&Expr, String)> = items
            .iter()
            .zip(written)
            .filter_map(|(item, name)| match item {
                Item::Expr { expr, .. } => Some((*expr, name.clone())),
                Item::Column { .. } | Item::Merged { .. } => None,
            })
            .collect();
        self.name_calls(&mut grouping, &named, &plain);
        let key_names = self.key_names(&grouping, items, written, &plain);
        let cx = ExprContext { scope, grouping: Some(&grouping), clause: "SELECT", pattern: None };
        // Calls get their places in the order of the SELECT list, messages that of Flink: HAVING comes first.
        let first = self.mark();
        let mut exprs: Vec<Rex> = items.iter().map(|item| simplify_written(self.item(item, &cx))).collect();
        exprs.extend(self.qualification(select, &cx));
        let second = self.mark();
        let having =
            select.having.as_ref().map(|having| self.condition(having, &ExprContext { clause: "HAVING", ..cx }));
        self.swap_reports(first, second);
        if exprs.iter().chain(&having).any(Rex::has_error) {
            return None;
        }
        let mut grouped = grouping.build(rel?, &key_names);
        if let Some(having) = having {
            grouped = Rel::filter(grouped, simplify_condition(having));
        }
        let project = qualified(grouped, exprs, names);
        Some(if project.is_identity() { project.into_input() } else { project })
    }

    /// The names that the SELECT list gives to the keys of a GROUP BY.
    fn key_names(
        &self,
        grouping: &Grouping,
        items: &[Item<'_>],
        names: &[String],
        cx: &ExprContext<'_>,
    ) -> Vec<Option<String>> {
        let mut found = vec![None; grouping.width()];
        for (item, name) in items.iter().zip(names) {
            if matches!(item, Item::Expr { expr, .. } if contains_aggregate(expr)) {
                continue;
            }
            let mark = self.mark();
            let rex = self.item(item, cx);
            self.rollback(mark);
            if let Some(position) = grouping.key(&rex).and_then(|key| key.as_column()) {
                found[position] = Some(name.clone());
            }
        }
        found
    }

    /// The ROW that a name means, if it is one.
    fn row_of(&self, scope: &Scope, parts: &[Ident]) -> Option<Rex> {
        let (column, taken) = scope.resolve(parts).ok()?;
        let row = (taken..parts.len()).try_fold(column, |row, next| {
            let LogicalType::Row(fields) = &row.ty.logical else { return None };
            fields.iter().find(|field| field.name == parts[next].value)?;
            Some(self.field(row, &parts[next..=next], None))
        })?;
        matches!(row.ty.logical, LogicalType::Row(_)).then_some(row)
    }

    /// The items with stars expanded, each with its name: the alias, the column's own, or `EXPR$` and its position.
    fn expand<'q>(&self, select: &'q Select, scope: &Scope) -> Vec<Item<'q>> {
        let mut items = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::Wildcard(span) => {
                    if scope.tables.is_empty() && !scope.broken {
                        self.error(NO_OBJECT, "SELECT * requires a FROM clause", *span);
                    }
                    for merged in &scope.merged {
                        let (rex, name) = (merged.rex.clone(), merged.name.clone());
                        items.push(Item::Merged { rex, name, span: *span });
                    }
                    let hidden = |position: usize| scope.merged.iter().any(|merged| merged.columns.contains(&position));
                    for (position, _, field) in scope.columns().filter(|(position, ..)| !hidden(*position)) {
                        items.push(Item::Column { position, name: field.name.clone(), span: *span });
                    }
                }
                SelectItem::QualifiedWildcard { qualifier, span } => match scope.table(&qualifier.parts) {
                    Some(table) => {
                        for (i, field) in table.schema.fields.iter().enumerate() {
                            items.push(Item::Column {
                                position: table.start + i,
                                name: field.name.clone(),
                                span: *span,
                            });
                        }
                    }
                    None if scope.broken => {}
                    None if self.row_of(scope, &qualifier.parts).is_some() => {
                        // `r.*`: the fields of a row.
                        let Some(row) = self.row_of(scope, &qualifier.parts) else { continue };
                        let LogicalType::Row(fields) = row.ty.logical.clone() else { continue };
                        for field in fields {
                            let ident = Ident { value: field.name.clone(), quoted: true, span: *span };
                            let rex = self.field(row.clone(), std::slice::from_ref(&ident), None);
                            items.push(Item::Merged { rex, name: field.name, span: *span });
                        }
                    }
                    None if qualifier.parts.len() == 1 && scope.resolve(&qualifier.parts).is_ok() => {
                        let message = "Not a record type. The '*' operator requires a record";
                        self.error(BAD_OPERANDS, message, qualifier.span);
                    }
                    None => {
                        let written = qualifier.last();
                        let error = Diagnostic::error(NO_OBJECT, format!("Unknown identifier '{}'", written.value))
                            .at(qualifier.span);
                        let names = scope.tables.iter().filter_map(|table| table.name.as_deref());
                        self.report(suggest(error, written, names));
                    }
                },
                SelectItem::Expr { expr, alias } => {
                    let name = match (alias, &expr.kind) {
                        (Some(alias), _) => alias.value.clone(),
                        (None, ExprKind::Column(parts)) => {
                            parts.last().map(|part| part.value.clone()).unwrap_or_default()
                        }
                        (None, ExprKind::Field { field, .. }) => field.value.clone(),
                        (None, _) => format!("EXPR${}", items.len()),
                    };
                    items.push(Item::Expr { expr, name });
                }
            }
        }
        items
    }
}

/// The projection; one more expression than names is a condition on its rows.
fn qualified(input: Rel, exprs: Vec<Rex>, mut names: Vec<String>) -> Rel {
    let width = names.len();
    if exprs.len() == width {
        return Rel::project(input, exprs, names);
    }
    names.push("QualifyExpression".into());
    let project = Rel::project(input, exprs, names);
    let condition = project.column(width);
    let all: Vec<usize> = (0..width).collect();
    Rel::keep(Rel::filter(project, condition), &all)
}
