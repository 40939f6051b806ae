//! INSERT INTO: the query's columns against the sink's, with the casts that Flink makes by itself.

use std::sync::Arc;

use tidegate_data::{DataType, LogicalType, Schema};
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{Ident, Insert};

use super::{Binder, suggest};
use crate::catalog::{ColumnKind, Relation, Table};
use crate::codes::{BAD_SINK, NO_COLUMN, NO_OBJECT};
use crate::logical::{Rel, RelOp, SinkTarget};
use crate::rex::Rex;

impl Binder<'_> {
    /// Binds an INSERT. `None` when it has errors.
    pub fn insert(&self, insert: &Insert) -> Option<Rel> {
        let table = self.sink_table(insert);
        let query = self.query(&insert.query);
        if let Some((column, _)) = insert.partition.first() {
            self.not_yet("PARTITION in an INSERT", column.span);
        }
        let table = table?;
        let columns: Vec<usize> = (0..table.columns.len())
            .filter(|&i| match &table.columns[i].kind {
                ColumnKind::Physical => true,
                ColumnKind::Metadata { is_virtual, .. } => !is_virtual,
                ColumnKind::Computed(_) => false,
            })
            .collect();
        if let Some(&column) = columns.iter().find(|&&i| matches!(table.columns[i].kind, ColumnKind::Metadata { .. })) {
            let name = &table.columns[column].name;
            self.not_yet(&format!("Writing the metadata column '{name}'"), insert.table.span);
            return None;
        }
        let targets = self.targets(insert, table, &columns);
        let query = query?;
        let query = match targets? {
            None => query,
            Some(targets) => self.arrange(query, insert, table, &columns, &targets)?,
        };
        let target_columns = self.targets_for_display(insert, table);
        let query = self.fit(query, table, &columns, insert)?;
        let schema = query.schema.clone();
        let target = SinkTarget { table: Some(table.clone()), name: table.name.clone(), target_columns };
        Some(Rel { op: RelOp::Sink(Arc::new(target)), inputs: vec![query], schema })
    }

    fn sink_table(&self, insert: &Insert) -> Option<&Table> {
        match self.catalog.find(&insert.table) {
            Some(Relation::Table(table)) => {
                if let Some(diagnostic) = self.catalog.sink_fault(table, insert.overwrite, insert.table.span) {
                    self.report(diagnostic);
                    return None;
                }
                Some(table)
            }
            Some(Relation::View(_)) => {
                let message = format!("Sink '{}' does not exists", crate::catalog::path_of(&insert.table.last().value));
                let error = Diagnostic::error(crate::codes::BAD_PLAN, message).at(insert.table.span);
                self.report(error.hint("It is a view; only tables can be written."));
                None
            }
            None => {
                let name = insert.table.last();
                let message = format!(
                    "Cannot find table '`default_catalog`.`default_database`.`{}`' in any of the catalogs [default_catalog], nor as a temporary table.",
                    name.value
                );
                let error = Diagnostic::error(NO_OBJECT, message).at(insert.table.span);
                self.report(suggest(error, name, self.catalog.names()));
                None
            }
        }
    }

    /// The positions among `columns` that the column list names. `Some(None)` without a list, `None` on errors.
    fn targets(&self, insert: &Insert, table: &Table, columns: &[usize]) -> Option<Option<Vec<usize>>> {
        if insert.columns.is_empty() {
            return Some(None);
        }
        let mut targets: Vec<usize> = Vec::new();
        let mut good = true;
        for column in &insert.columns {
            let position = columns.iter().position(|&i| table.columns[i].name == column.value);
            match position {
                Some(position) if targets.contains(&position) => {
                    self.error(
                        NO_COLUMN,
                        format!("Target column '{}' is assigned more than once", column.value),
                        column.span,
                    );
                    good = false;
                }
                Some(position) => targets.push(position),
                None => {
                    let error = Diagnostic::error(NO_COLUMN, format!("Unknown target column '{}'", column.value))
                        .at(column.span);
                    self.report(suggest(error, column, columns.iter().map(|&i| table.columns[i].name.as_str())));
                    good = false;
                }
            }
        }
        good.then_some(Some(targets))
    }

    /// The named columns as positions in the whole table, as plans show them.
    fn targets_for_display(&self, insert: &Insert, table: &Table) -> Option<Vec<usize>> {
        if insert.columns.is_empty() {
            return None;
        }
        let position = |name: &Ident| table.columns.iter().position(|column| column.name == name.value);
        Some(insert.columns.iter().filter_map(position).collect())
    }

    /// Brings the query's columns into the sink's order, with NULL for what is not named.
    fn arrange(&self, query: Rel, insert: &Insert, table: &Table, columns: &[usize], targets: &[usize]) -> Option<Rel> {
        if targets.len() != query.width() {
            self.report(
                Diagnostic::error(NO_COLUMN, "Number of columns must match number of query columns")
                    .at(insert.table.span.to(insert.columns.last().map_or(Span::NONE, |column| column.span)))
                    .hint(format!("The list names {} columns, the query yields {}.", targets.len(), query.width())),
            );
            return None;
        }
        let mut exprs = Vec::with_capacity(columns.len());
        let mut names = Vec::with_capacity(columns.len());
        for (position, &column) in columns.iter().enumerate() {
            match targets.iter().position(|&target| target == position) {
                Some(source) => {
                    names.push(query.schema.fields[source].name.clone());
                    exprs.push(query.column(source));
                }
                None => {
                    let column = &table.columns[column];
                    if !column.ty.nullable {
                        let message = format!("Column '{}' has no default value and does not allow NULLs", column.name);
                        self.error(BAD_SINK, message, insert.table.span);
                        return None;
                    }
                    names.push(format!("EXPR${position}"));
                    exprs.push(Rex::null(&plain(&column.ty)));
                }
            }
        }
        // Names of a projection are positions where the SELECT list had none of its own.
        for (position, name) in names.iter_mut().enumerate() {
            if name.starts_with("EXPR$") {
                *name = format!("EXPR${position}");
            }
        }
        Some(match query.op {
            RelOp::Project(inner) => {
                let exprs = exprs.into_iter().map(|rex| rex.substitute(&inner)).collect();
                let [input]: [Rel; 1] = query.inputs.try_into().ok()?;
                Rel::project(input, exprs, names)
            }
            RelOp::Values(rows) if rows.len() == 1 => {
                let exprs = exprs.into_iter().map(|rex| rex.substitute(&rows[0])).collect();
                Rel::project(super::from::one_row(), exprs, names)
            }
            _ => Rel::project(query, exprs, names),
        })
    }

    /// Checks the types against the sink's and casts where Flink does.
    fn fit(&self, query: Rel, table: &Table, columns: &[usize], insert: &Insert) -> Option<Rel> {
        let sink: Vec<(String, DataType)> =
            columns.iter().map(|&i| (table.columns[i].name.clone(), plain(&table.columns[i].ty))).collect();
        if sink.len() != query.width() {
            self.mismatch("Different number of columns.", table, &query.schema, &sink, insert);
            return None;
        }
        let mut cast = false;
        for (i, (field, (name, ty))) in query.schema.fields.iter().zip(&sink).enumerate() {
            let source = plain(&field.ty);
            if !is_implicit(&source.logical, &ty.logical) {
                let cause = format!("Incompatible types for sink column '{name}' at position {i}.");
                self.mismatch(&cause, table, &query.schema, &sink, insert);
                return None;
            }
            cast |= !needs_no_cast(&source.logical, &ty.logical);
        }
        if !cast {
            return Some(query);
        }
        let mut exprs = Vec::with_capacity(sink.len());
        for (i, (_, ty)) in sink.iter().enumerate() {
            let column = query.column(i);
            if plain(&column.ty).logical == ty.logical {
                exprs.push(column);
                continue;
            }
            match column.cast(ty, false) {
                Ok(mut cast) => {
                    cast.ty.nullable = true;
                    exprs.push(cast);
                }
                Err(error) => {
                    self.fail_call(error, insert.query.span);
                    return None;
                }
            }
        }
        let names = sink.into_iter().map(|(name, _)| name).collect();
        Some(Rel::project(query, exprs, names))
    }

    fn mismatch(&self, cause: &str, table: &Table, query: &Schema, sink: &[(String, DataType)], insert: &Insert) {
        let query: Vec<String> = query.fields.iter().map(|f| format!("{}: {}", f.name, plain(&f.ty))).collect();
        let sink: Vec<String> = sink.iter().map(|(name, ty)| format!("{name}: {}", ty.with_nullable(true))).collect();
        let message = format!(
            "Column types of query result and sink for '{}' do not match.\nCause: {cause}\n\nQuery schema: [{}]\nSink schema:  [{}]",
            table.path(),
            query.join(", "),
            sink.join(", ")
        );
        self.error(BAD_SINK, message, insert.query.span);
    }
}

fn plain(ty: &DataType) -> DataType {
    DataType { logical: ty.logical.without_time_attribute(), nullable: ty.nullable }
}

/// Whether an INSERT converts between these types by itself (Flink's `supportsImplicitCast`).
pub fn is_implicit(from: &LogicalType, to: &LogicalType) -> bool {
    use LogicalType as T;
    if from == to || matches!(from, T::Null) {
        return true;
    }
    match to {
        T::Char(_) => matches!(from, T::Char(_)),
        T::VarChar(_) => from.is_character(),
        T::Binary(_) => matches!(from, T::Binary(_)),
        T::VarBinary(_) => from.is_binary(),
        T::Decimal(..) => from.is_numeric(),
        T::TinyInt => matches!(from, T::TinyInt),
        T::SmallInt => matches!(from, T::TinyInt | T::SmallInt),
        T::Int => matches!(from, T::TinyInt | T::SmallInt | T::Int),
        T::BigInt => from.is_integer(),
        T::Float => from.is_exact_numeric() || matches!(from, T::Float),
        T::Double => from.is_numeric(),
        T::Date | T::Time(_) => from.is_timestamp(),
        T::Timestamp(..) | T::TimestampLtz(..) => from.is_timestamp(),
        _ => false,
    }
}

/// Whether the values of one type are values of the other as they are (Flink's `supportsAvoidingCast`).
fn needs_no_cast(from: &LogicalType, to: &LogicalType) -> bool {
    use LogicalType as T;
    match (from, to) {
        (T::Char(a) | T::VarChar(a), T::VarChar(b)) | (T::Binary(a) | T::VarBinary(a), T::VarBinary(b)) => a <= b,
        (T::Timestamp(a, _), T::Timestamp(b, _)) | (T::TimestampLtz(a, _), T::TimestampLtz(b, _)) => a == b,
        _ => from == to,
    }
}
