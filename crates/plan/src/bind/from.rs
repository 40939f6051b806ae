//! FROM: tables, views, common table expressions, subqueries, windowing table functions.

use std::sync::Arc;

use tidegate_data::{DataType, Field, LogicalType, Schema, Value};
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{Expr, Hint, ObjectName, TableAlias, TableRef, TableRefKind};

use super::{Binder, Scope, suggest};
use crate::catalog::{DATABASE_PATH, Relation, Table, View};
use crate::codes::{BAD_OPTION, NO_OBJECT};
use crate::logical::{JoinKind, Rel, RelOp, ScanTable};
use crate::rex::Rex;

/// A table of FROM: its rows, and its full path where it is one of the catalog.
pub(super) struct NamedTable {
    pub rel: Rel,
    pub path: Vec<String>,
}

impl Binder<'_> {
    /// Binds FROM. `None` when it has errors.
    pub(super) fn from(&self, tables: &[TableRef]) -> Option<(Rel, Scope)> {
        if let Some(first) = tables.iter().skip(1).position(super::lateral::is_lateral) {
            // Those before it are what it may read.
            let (before, rest) = tables.split_at(first + 1);
            let mut joined = self.from(before)?;
            for table in rest {
                joined = match super::lateral::is_lateral(table) {
                    true => self.lateral(joined, table, JoinKind::Inner, None)?,
                    false => {
                        let right = self.table_ref(table)?;
                        self.distinct_names(&joined.1, &right.1, table.span)?;
                        let term = self.version_term(table, (&joined.0, &joined.1), &right.0, JoinKind::Inner)?;
                        let ttl = [self.ttl_of(&joined.1), self.ttl_of(&right.1)];
                        super::join::cross(joined, right, term, ttl)
                    }
                };
            }
            return Some(joined);
        }
        let bound: Vec<Option<(Rel, Scope)>> = tables.iter().map(|table| self.table_ref(table)).collect();
        if bound.is_empty() {
            return Some((one_row(), Scope::default()));
        }
        // All are bound before one that failed ends it.
        let bound = bound.into_iter().collect::<Option<Vec<(Rel, Scope)>>>()?;
        self.unique_tables(&bound, tables)?;
        self.unversioned(&tables[0])?;
        let mut all = bound.into_iter().zip(tables);
        let (mut joined, _) = all.next()?;
        for (right, table) in all {
            let term = self.version_term(table, (&joined.0, &joined.1), &right.0, JoinKind::Inner)?;
            let ttl = [self.ttl_of(&joined.1), self.ttl_of(&right.1)];
            joined = super::join::cross(joined, right, term, ttl);
        }
        Some(joined)
    }

    pub(super) fn table_ref(&self, table: &TableRef) -> Option<(Rel, Scope)> {
        self.count_part(table.span)?;
        let alias = table.alias.as_ref();
        match &table.kind {
            TableRefKind::Table { name, hints, .. } => {
                let named = self.named_table(name, hints, alias.map(|alias| alias.name.span))?;
                let own = name.last().value.clone();
                let path = if alias.is_some() { Vec::new() } else { named.path };
                self.aliased(named.rel, alias, Some(own), path)
            }
            TableRefKind::Subquery { query, .. } => {
                let rel = unsorted(self.query(query)?);
                let written = self.written_names.take();
                let (rel, mut scope) = self.aliased(rel, alias, None, Vec::new())?;
                // Two columns of one name have different names in the plan, but the name is ambiguous.
                if alias.is_none_or(|alias| alias.columns.is_empty()) && written.len() == rel.width() {
                    for table in &mut scope.tables {
                        for (field, name) in table.schema.fields.iter_mut().zip(&written) {
                            field.name.clone_from(name);
                        }
                    }
                }
                Some((rel, scope))
            }
            TableRefKind::Function { call, lateral } => {
                if *lateral {
                    self.not_yet("LATERAL TABLE", table.span);
                    return None;
                }
                let rel = self.window_function(call)?;
                self.aliased(rel, alias, None, Vec::new())
            }
            TableRefKind::Join(join) => self.join(join),
            TableRefKind::Unnest { args, with_ordinality } => self.unnest_alone(args, *with_ordinality, table),
            TableRefKind::MatchRecognize(pattern) => self.match_recognize(pattern, alias),
        }
    }

    /// Gives a relation its alias, with names for its columns where there are some.
    pub(super) fn aliased(
        &self,
        rel: Rel,
        alias: Option<&TableAlias>,
        own: Option<String>,
        path: Vec<String>,
    ) -> Option<(Rel, Scope)> {
        let Some(alias) = alias else {
            let scope = Scope::of(own, path, rel.schema.clone());
            return Some((rel, scope));
        };
        let rel = if alias.columns.is_empty() {
            rel
        } else {
            if alias.columns.len() != rel.width() {
                let columns: Vec<&str> = alias.columns.iter().map(|column| column.value.as_str()).collect();
                let message = format!(
                    "List of column aliases must have same degree as table; table has {} columns ({}), whereas alias list has {} columns",
                    rel.width(),
                    rel.schema.fields.iter().map(|f| format!("'{}'", f.name)).collect::<Vec<_>>().join(", "),
                    columns.len()
                );
                self.error(crate::codes::NO_COLUMN, message, alias.name.span);
                return None;
            }
            rename(rel, alias.columns.iter().map(|column| column.value.clone()).collect())
        };
        let scope = Scope::of(Some(alias.name.value.clone()), path, rel.schema.clone());
        Some((rel, scope))
    }

    /// The rows of a common table expression, a table or a view.
    pub(super) fn named_table(&self, name: &ObjectName, hints: &[Hint], _alias: Option<Span>) -> Option<NamedTable> {
        if let [single] = name.parts.as_slice() {
            let frame = self.ctes.borrow().iter().rev().find(|frame| frame.cte.name.value == single.value).cloned();
            if let Some(frame) = frame {
                let hidden = self.ctes.borrow_mut().split_off(frame.visible);
                let rel = self.query(&frame.cte.query).map(unsorted);
                self.ctes.borrow_mut().extend(hidden);
                let rel = rel?;
                let columns = &frame.cte.columns;
                if columns.is_empty() {
                    return Some(NamedTable { rel, path: Vec::new() });
                }
                if columns.len() != rel.width() {
                    let hint = format!("The query has {} columns, the list {}.", rel.width(), columns.len());
                    let message = "Number of columns must match number of query columns";
                    self.report(Diagnostic::error(crate::codes::NO_COLUMN, message).at(frame.cte.name.span).hint(hint));
                    return None;
                }
                let names = columns.iter().map(|column| column.value.clone()).collect();
                return Some(NamedTable { rel: project_as(rel, names), path: Vec::new() });
            }
        }
        let relation = self.lookup(name)?;
        let mut path: Vec<String> = DATABASE_PATH.iter().map(|part| part.to_string()).collect();
        path.push(name.last().value.clone());
        match relation {
            Relation::Table(table) => {
                if let Some(faults) = self.catalog.source_fault(table, name.span) {
                    faults.into_iter().for_each(|fault| self.report(fault));
                    return None;
                }
                let table = self.with_hints(table, hints)?;
                Some(NamedTable { rel: scan(table), path })
            }
            Relation::View(view) => {
                if self.views.borrow().iter().any(|own| own == &view.name) {
                    let message = format!("View '{}' reads itself.", view.name);
                    let hint = "What it is made from has its name now. Give the view another one.";
                    self.report(Diagnostic::error(crate::codes::NO_OBJECT, message).at(name.span).hint(hint));
                    return None;
                }
                self.views.borrow_mut().push(view.name.clone());
                // A view sees the catalog, not the common table expressions of the query that uses it.
                let hidden = std::mem::take(&mut *self.ctes.borrow_mut());
                let around = std::mem::take(&mut *self.outer.borrow_mut());
                let outside = self.in_view.replace(true);
                let rel = self.query(&view.query);
                self.in_view.set(outside);
                self.views.borrow_mut().pop();
                *self.outer.borrow_mut() = around;
                *self.ctes.borrow_mut() = hidden;
                let rel = self.as_created(rel?, view, name.span)?;
                Some(NamedTable { rel, path })
            }
        }
    }

    /// The table or view that a name means.
    pub(crate) fn lookup(&self, name: &ObjectName) -> Option<&Relation> {
        let found = self.catalog.find(name);
        if found.is_none() {
            let written: Vec<&str> = name.parts.iter().map(|part| part.value.as_str()).collect();
            let mut message = format!("Object '{}' not found", written.join("."));
            if let Some(other) = self.catalog.names().find(|other| other.eq_ignore_ascii_case(&name.last().value)) {
                message.push_str(&format!(" within 'default_catalog.default_database'; did you mean '{other}'?"));
            } else if self.in_view.get() {
                message.push_str(" within 'default_catalog.default_database'");
            }
            let error = Diagnostic::error(NO_OBJECT, message).at(name.span);
            let ctes: Vec<String> = self.ctes.borrow().iter().map(|frame| frame.cte.name.value.clone()).collect();
            let names = self.catalog.names().chain(ctes.iter().map(String::as_str));
            self.report(suggest(error, name.last(), names));
        }
        found
    }

    /// A view's rows with the columns that it had when it was created: a star in it stands for those of that day.
    fn as_created(&self, rel: Rel, view: &View, span: Span) -> Option<Rel> {
        let created: Vec<String> = view.schema.fields.iter().map(|field| field.name.clone()).collect();
        if rel.width() == created.len() {
            return Some(if rel.names() == created { rel } else { rename(rel, created) });
        }
        let positions: Vec<Option<usize>> = created.iter().map(|name| rel.schema.index_of(name)).collect();
        for (name, position) in created.iter().zip(&positions) {
            if position.is_none() {
                self.error(
                    crate::codes::NO_COLUMN,
                    format!("Column '{name}' not found in table '{}'", view.name),
                    span,
                );
                return None;
            }
        }
        let kept: Vec<usize> = positions.into_iter().flatten().collect();
        Some(Rel::keep(rel, &kept))
    }

    /// The table with the options of an `OPTIONS` hint; other hints say nothing about rows.
    fn with_hints(&self, table: &Table, hints: &[Hint]) -> Option<Table> {
        let mut table = table.clone();
        for hint in hints.iter().filter(|hint| hint.name.is("OPTIONS")) {
            for option in &hint.options {
                let Some(key) = &option.key else {
                    self.error(BAD_OPTION, "OPTIONS takes pairs, 'key' = 'value'.", hint.span);
                    return None;
                };
                if let Err(diagnostic) = self.catalog.check_option(&table.connector, key, &option.value) {
                    self.report(diagnostic);
                    return None;
                }
                table.options.insert(key.value.clone(), option.value.value.clone());
            }
        }
        Some(table)
    }

    /// An expression over the columns of a table definition.
    pub(crate) fn table_expr(&self, expr: &Expr, schema: Schema, table: &str) -> Rex {
        let scope = Scope::of(Some(table.to_string()), Vec::new(), schema);
        self.expr(expr, &super::expr::ExprContext::rows(&scope, "CREATE TABLE"))
    }
}

/// What a SELECT without FROM reads: one row.
pub(crate) fn one_row() -> Rel {
    let zero = Rex::literal(Value::Int(0), DataType::not_null(LogicalType::Int));
    let schema = Schema { fields: vec![Field { name: "ZERO".into(), ty: zero.ty.clone() }] };
    Rel { op: RelOp::Values(vec![vec![zero]]), inputs: Vec::new(), schema }
}

/// Renames the columns of a relation, by a projection where its names mean something.
pub(crate) fn rename(mut rel: Rel, names: Vec<String>) -> Rel {
    if let RelOp::Values(_) | RelOp::Project(_) = rel.op {
        for (field, name) in rel.schema.fields.iter_mut().zip(names) {
            field.name = name;
        }
        return rel;
    }
    project_as(rel, names)
}

/// A projection that only renames.
pub(crate) fn project_as(rel: Rel, names: Vec<String>) -> Rel {
    let exprs = (0..rel.width()).map(|i| rel.column(i)).collect();
    Rel::project(rel, exprs, names)
}

/// A table's rows: the scan, its computed columns, its watermarks.
pub(crate) fn scan(table: Table) -> Rel {
    let scan_schema = table.scan_schema();
    let needs_project = table.columns.len() != scan_schema.fields.len()
        || table.columns.iter().zip(&scan_schema.fields).any(|(column, field)| column.name != field.name);
    let columns: Vec<(String, Rex)> =
        table.columns.iter().map(|column| (column.name.clone(), table.column_rex(column, &scan_schema))).collect();
    let watermark = table.watermark.clone();
    let scan = RelOp::Scan(Arc::new(ScanTable { table, watermark: None }));
    let mut rel = Rel { op: scan, inputs: Vec::new(), schema: scan_schema };
    if needs_project {
        let (names, exprs) = columns.into_iter().unzip();
        rel = Rel::project(rel, exprs, names);
    }
    if let Some(watermark) = watermark {
        let mut schema = rel.schema.clone();
        schema.fields[watermark.column].ty = watermark.ty;
        let op = RelOp::WatermarkAssigner { rowtime: watermark.column, watermark: watermark.expr };
        rel = Rel { op, inputs: vec![rel], schema };
    }
    rel
}

/// A subquery without the ORDER BY that nobody sees: only with a LIMIT does it mean something.
pub(super) fn unsorted(rel: Rel) -> Rel {
    match &rel.op {
        RelOp::Sort(sort) if sort.fetch.is_none() && sort.offset.is_none() => rel.into_input(),
        _ => rel,
    }
}
