//! CREATE TABLE: columns, constraints, watermark, options, AS.

use std::sync::Arc;
use tidegate_data::sorted;

use tidegate_data::{DataType, LogicalType, Schema, TimeKind};
use tidegate_diag::{Diagnostic, Span, line_column};
use tidegate_sql::ast::{self, ColumnDef, CreateTable, ExprKind, WatermarkDef};

use super::{Catalog, Column, ColumnKind, Computed, PrimaryKey, Relation, Table, Watermark};
use crate::bind::{Binder, data_type, suggest, suggest_at};
use crate::codes::{BAD_KEY, BAD_TABLE, BAD_WATERMARK, NOT_YET};
use crate::outcome::Outcome;
use crate::rex::Rex;
use crate::unparse::expr_text;

/// The text of the script and the statement in it, for messages that name a place.
#[derive(Clone, Copy)]
struct Place<'t> {
    text: &'t str,
    statement: Span,
}

impl Place<'_> {
    /// `line 1, column 37`, counted in the statement, as Flink counts.
    fn of(self, span: Span) -> String {
        let start = self.statement.start.min(span.start);
        let place = line_column(self.text.get(start as usize..).unwrap_or(""), span.start - start);
        format!("line {}, column {}", place.line, place.column)
    }
}

impl Catalog {
    pub(super) fn create_table(
        &mut self,
        create: &CreateTable,
        text: &str,
        statement: Span,
    ) -> Result<Outcome, Vec<Diagnostic>> {
        let name = create.name.last().value.clone();
        let taken = if create.temporary { &self.temporary } else { &self.relations };
        if taken.contains_key(&name) && !create.if_not_exists {
            return Err(vec![super::exists(&name, create.name.span)]);
        }
        let merged = self.with_like(create).map_err(|mut error| {
            if let (crate::codes::NO_OBJECT, Some(at)) = (error.code, error.span) {
                error.message.push_str(&format!(", at {}", Place { text, statement }.of(at)));
            }
            vec![error]
        })?;
        let table = self.table_of(&merged, text, statement)?;
        self.store(&create.name, create.temporary, create.if_not_exists, Relation::Table(Box::new(table)))
    }

    /// The table that a definition without LIKE makes.
    pub(super) fn table_of(&self, create: &CreateTable, text: &str, statement: Span) -> Result<Table, Vec<Diagnostic>> {
        let place = Place { text, statement };
        let binder = Binder::new(self);
        let mut found = refused(create);
        let mut columns = self.columns(create, &mut found);
        let primary_key = primary_key(create, &mut columns, place, &mut found);
        let mut table = Table {
            name: create.name.last().value.clone(),
            columns,
            watermark: None,
            primary_key,
            options: create
                .options
                .iter()
                .map(|o| (o.key.value.clone(), option_value(&o.key.value, &o.value.value)))
                .collect(),
            connector: String::new(),
            faults: self.option_faults(&create.options, create.name.span),
            comment: create.comment.as_ref().map(|comment| comment.value.clone()),
            definition: Arc::new(create.clone()),
        };
        table.connector = table.options.get("connector").cloned().unwrap_or_default();
        self.metadata(create, &mut table);
        compute(&binder, create, &mut table);
        match create.watermarks.as_slice() {
            [] => {}
            [watermark] => rowtime(&binder, watermark, &mut table, place, &mut found),
            [_, second, ..] => {
                let message = "Multiple WATERMARK statements is not supported yet.";
                found.push(Diagnostic::error(BAD_WATERMARK, message).at(second.span));
            }
        }
        found.extend(binder.into_diagnostics());
        if found.iter().any(Diagnostic::is_error) {
            return Err(found);
        }
        Ok(table)
    }

    /// `CREATE TABLE … AS query`: the table has the query's columns, and an INSERT fills it.
    pub(super) fn create_table_as(
        &mut self,
        create: &CreateTable,
        query: &ast::Query,
        text: &str,
        statement: &ast::Statement,
    ) -> Result<Outcome, Vec<Diagnostic>> {
        let name = create.name.last().value.clone();
        if create.if_not_exists && self.relation(&name).is_some() {
            return Ok(super::done(super::OK));
        }
        let binder = Binder::new(self);
        let bound = binder.query(query);
        let found = binder.into_diagnostics();
        let Some(bound) = bound.filter(|_| found.is_empty()) else { return Err(found) };
        let mut own = create.clone();
        own.as_query = None;
        let mut columns: Vec<ColumnDef> = Vec::new();
        for field in &bound.schema.fields {
            let name = ast::Ident { value: field.name.clone(), quoted: true, span: query.span };
            let Some(ty) = type_name(&field.ty, query.span) else {
                let message = format!("CREATE TABLE AS with a column of type {} is not supported yet.", field.ty);
                return Err(vec![Diagnostic::error(NOT_YET, message).at(query.span)]);
            };
            match own.columns.iter().position(|column| column.name.value == field.name) {
                // A column that both have is as the statement says.
                Some(at) => columns.push(own.columns.remove(at)),
                None => columns.push(ColumnDef {
                    name,
                    kind: ast::ColumnKind::Physical(ty),
                    comment: None,
                    span: query.span,
                }),
            }
        }
        // The statement's own columns come first, as in Flink.
        own.columns.extend(columns);
        self.create_table(&own, text, statement.span)?;
        let insert = ast::Insert {
            table: create.name.clone(),
            hints: Vec::new(),
            partition: Vec::new(),
            columns: bound
                .schema
                .fields
                .iter()
                .map(|field| ast::Ident { value: field.name.clone(), quoted: true, span: query.span })
                .collect(),
            overwrite: false,
            query: query.clone(),
            span: statement.span,
        };
        let kind = ast::StatementKind::Insert(Box::new(insert));
        let inserted = ast::Statement { kind, span: statement.span, ordinal: statement.ordinal };
        match crate::planner::plan(self, text, &inserted) {
            Ok(job) => Ok(Outcome::Job(Box::new(job))),
            Err(found) => {
                let space = if create.temporary { &mut self.temporary } else { &mut self.relations };
                space.remove(&name);
                Err(found)
            }
        }
    }

    /// The columns with their names and the types that are written.
    fn columns(&self, create: &CreateTable, found: &mut Vec<Diagnostic>) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::with_capacity(create.columns.len());
        for definition in &create.columns {
            let (kind, ty) = match &definition.kind {
                ast::ColumnKind::Physical(ty) => (ColumnKind::Physical, Some(ty)),
                ast::ColumnKind::Metadata { ty, key, is_virtual } => {
                    let key = key.as_ref().map_or(&definition.name.value, |key| &key.value).clone();
                    let delivered = DataType::new(LogicalType::Null);
                    (ColumnKind::Metadata { key, is_virtual: *is_virtual, delivered }, Some(ty))
                }
                ast::ColumnKind::Computed(_) => {
                    let computed = Computed { rex: Rex::error(), text: String::new() };
                    (ColumnKind::Computed(computed), None)
                }
            };
            if columns.iter().any(|column| column.name == definition.name.value) {
                let sort = match kind {
                    ColumnKind::Physical => "A regular Column",
                    ColumnKind::Metadata { .. } => "A metadata column",
                    ColumnKind::Computed(_) => "A generated column",
                };
                let message = format!("{sort} named '{}' already exists in the table.", definition.name.value);
                found.push(Diagnostic::error(BAD_TABLE, message).at(definition.name.span));
                continue;
            }
            let ty = match ty.map(data_type) {
                Some(Ok(ty)) => ty,
                Some(Err(diagnostic)) => {
                    found.push(diagnostic);
                    DataType::new(LogicalType::Null)
                }
                None => DataType::new(LogicalType::Null),
            };
            let comment = definition.comment.as_ref().map(|comment| comment.value.clone());
            columns.push(Column { name: definition.name.value.clone(), ty, kind, comment });
        }
        columns
    }

    /// Looks up in which type the connector delivers each metadata column.
    fn metadata(&self, create: &CreateTable, table: &mut Table) {
        let path = table.path();
        let Some(spec) = self.connector(&table.connector) else { return };
        for column in &mut table.columns {
            let ColumnKind::Metadata { key, delivered, .. } = &mut column.kind else { continue };
            match spec.metadata.iter().find(|(own, _)| own == key) {
                Some((_, ty)) => *delivered = ty.clone(),
                None => {
                    let mut known: Vec<&str> = spec.metadata.iter().map(|(own, _)| *own).collect();
                    sorted::sort(&mut known);
                    let message = if known.is_empty() {
                        format!(
                            "Table '{}' declares metadata columns, but the underlying DynamicTableSource doesn't implement the SupportsReadingMetadata interface. Therefore, metadata cannot be read from the given source.",
                            spec.name
                        )
                    } else {
                        format!(
                            "Invalid metadata key '{key}' in column '{}' of table '{path}'. The DynamicTableSource supports the following metadata keys for reading:\n{}",
                            column.name,
                            known.join("\n")
                        )
                    };
                    let at = definition(create, &column.name).map_or(Span::NONE, |definition| definition.span);
                    let error = Diagnostic::error(BAD_TABLE, message).at(at);
                    table.faults.push(suggest_at(error, key, at, []).hint(match known.len() {
                        0 => format!("'{}' offers no metadata.", spec.name),
                        _ => format!("'{}' offers: {}.", spec.name, known.join(", ")),
                    }));
                }
            }
        }
    }
}

/// Changelog modes are taken in small letters, too.
fn option_value(key: &str, value: &str) -> String {
    if key.ends_with("changelog-mode") { value.to_ascii_uppercase() } else { value.to_string() }
}

fn definition<'c>(create: &'c CreateTable, name: &str) -> Option<&'c ColumnDef> {
    create.columns.iter().find(|definition| definition.name.value == name)
}

/// What the grammar takes and the engine does not.
fn refused(create: &CreateTable) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut refuse = |what: &str, span: Span| {
        found.push(Diagnostic::error(NOT_YET, format!("{what} is not supported yet.")).at(span));
    };
    if let Some(column) = create.partitioned_by.first() {
        refuse("PARTITIONED BY", column.span);
    }
    if let Some(distribution) = &create.distribution {
        refuse("DISTRIBUTED BY", distribution.span);
    }
    found
}

/// The primary key; its columns become NOT NULL.
fn primary_key(
    create: &CreateTable,
    columns: &mut [Column],
    place: Place<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<PrimaryKey> {
    let mut key: Option<PrimaryKey> = None;
    for constraint in &create.constraints {
        if !constraint.primary {
            found.push(Diagnostic::error(BAD_KEY, "UNIQUE constraint is not supported yet").at(constraint.span));
            continue;
        }
        if key.is_some() {
            found.push(Diagnostic::error(BAD_KEY, "Duplicate primary key definition").at(constraint.span));
            continue;
        }
        if constraint.enforced != Some(false) {
            let message = "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint. ENFORCED/NOT ENFORCED controls if the constraint checks are performed on the incoming/outgoing data. Flink does not own the data therefore the only supported mode is the NOT ENFORCED mode";
            let end = Span::at(constraint.span.end);
            found.push(
                Diagnostic::error(BAD_KEY, message)
                    .at(constraint.span)
                    .hint("Write PRIMARY KEY (…) NOT ENFORCED.")
                    .fix(if constraint.enforced.is_none() { end } else { constraint.span }, " NOT ENFORCED"),
            );
        }
        let mut names = Vec::new();
        for column in &constraint.columns {
            match columns.iter_mut().find(|own| own.name == column.value) {
                None => {
                    let message = format!(
                        "Primary key column '{}' is not defined in the schema at {}",
                        column.value,
                        place.of(column.span)
                    );
                    let known = create.columns.iter().map(|definition| definition.name.value.as_str());
                    found.push(suggest(Diagnostic::error(BAD_KEY, message).at(column.span), column, known));
                }
                Some(own) if !matches!(own.kind, ColumnKind::Physical) => {
                    let message = format!(
                        "Could not create a PRIMARY KEY with column '{}' at {}.\nA PRIMARY KEY constraint must be declared on physical columns.",
                        column.value,
                        place.of(column.span)
                    );
                    found.push(Diagnostic::error(BAD_KEY, message).at(column.span));
                }
                Some(own) => {
                    own.ty.nullable = false;
                    names.push(column.value.clone());
                }
            }
        }
        let name =
            constraint.name.as_ref().map_or_else(|| format!("PK_{}", names.join("_")), |name| name.value.clone());
        key = Some(PrimaryKey { name, columns: names });
    }
    key
}

/// Binds the computed columns over the physical and metadata columns.
fn compute(binder: &Binder<'_>, create: &CreateTable, table: &mut Table) {
    let schema = table.scan_schema();
    for index in 0..table.columns.len() {
        let Some(ast::ColumnKind::Computed(expr)) = definition(create, &table.columns[index].name).map(|d| &d.kind)
        else {
            continue;
        };
        let rex = binder.table_expr(expr, schema.clone(), &table.name);
        let column = &mut table.columns[index];
        column.ty = rex.ty.clone();
        column.kind = ColumnKind::Computed(Computed { rex, text: expr_text(expr) });
    }
}

/// `WATERMARK FOR`: the column becomes an event-time attribute.
fn rowtime(
    binder: &Binder<'_>,
    watermark: &WatermarkDef,
    table: &mut Table,
    place: Place<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let written = watermark.column.last();
    let index = match watermark.column.parts.len() {
        1 => table.columns.iter().position(|column| column.name == written.value),
        _ => None,
    };
    let Some(index) = index else {
        let names: Vec<String> = table.columns.iter().map(|column| format!("'{}'", column.name)).collect();
        let message = format!(
            "The rowtime attribute field '{}' is not defined in the table schema, at {}\nAvailable fields: [{}]",
            watermark.column.parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join("."),
            place.of(watermark.column.span),
            names.join(", ")
        );
        let error = Diagnostic::error(BAD_WATERMARK, message).at(watermark.column.span);
        found.push(suggest(error, written, table.columns.iter().map(|column| column.name.as_str())));
        return;
    };
    let ty = table.columns[index].ty.clone();
    let kind = match ty.logical {
        // What could not be bound was reported as such.
        LogicalType::Null => return,
        LogicalType::Timestamp(p @ 0..=3, _) => LogicalType::Timestamp(p, TimeKind::Rowtime),
        LogicalType::TimestampLtz(p @ 0..=3, _) => LogicalType::TimestampLtz(p, TimeKind::Rowtime),
        _ => {
            let message = format!(
                "Invalid data type of time field for watermark definition. The field must be of type TIMESTAMP(p) or TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the time field type is {ty}"
            );
            found.push(Diagnostic::error(BAD_WATERMARK, message).at(watermark.column.span));
            return;
        }
    };
    let schema = Schema::new(table.columns.iter().map(|column| (column.name.clone(), column.ty.clone())));
    let source = matches!(&watermark.expr.kind, ExprKind::Function(call) if call.name.last().is("SOURCE_WATERMARK") && call.args.is_empty());
    let expr = if source {
        Rex::typed_call("SOURCE_WATERMARK", Vec::new(), ty.clone())
    } else {
        binder.table_expr(&watermark.expr, schema, &table.name)
    };
    let timestamp = matches!(expr.ty.logical, LogicalType::Timestamp(0..=3, _) | LogicalType::TimestampLtz(0..=3, _));
    if !timestamp && !expr.has_error() {
        let message = format!(
            "Invalid data type of expression for watermark definition. The field must be of type TIMESTAMP(p) or TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the watermark expression type is {}",
            expr.ty
        );
        found.push(Diagnostic::error(BAD_WATERMARK, message).at(watermark.expr.span));
        return;
    }
    table.columns[index].ty = DataType { logical: kind.clone(), nullable: ty.nullable };
    // Whatever its declared precision, a time attribute counts milliseconds.
    let attribute = match kind {
        LogicalType::TimestampLtz(..) => LogicalType::TimestampLtz(3, TimeKind::Rowtime),
        _ => LogicalType::Timestamp(3, TimeKind::Rowtime),
    };
    let ty = DataType { logical: attribute, nullable: ty.nullable };
    table.watermark = Some(Watermark { column: index, ty, expr, text: expr_text(&watermark.expr) });
}

/// A type as it could have been written; none for one that has no name in SQL.
fn type_name(ty: &DataType, span: Span) -> Option<ast::TypeName> {
    use ast::TypeKind;
    let inner = |ty: &DataType| type_name(ty, span).map(Box::new);
    let kind = match &ty.logical {
        LogicalType::Boolean => TypeKind::Boolean,
        LogicalType::TinyInt => TypeKind::TinyInt,
        LogicalType::SmallInt => TypeKind::SmallInt,
        LogicalType::Int => TypeKind::Int,
        LogicalType::BigInt => TypeKind::BigInt,
        LogicalType::Float => TypeKind::Float,
        LogicalType::Double => TypeKind::Double,
        LogicalType::Decimal(p, s) => TypeKind::Decimal { precision: Some(u32::from(*p)), scale: Some(u32::from(*s)) },
        LogicalType::Char(n) => TypeKind::Char(Some(*n)),
        LogicalType::VarChar(n) => TypeKind::Varchar(Some(*n)),
        LogicalType::Binary(n) => TypeKind::Binary(Some(*n)),
        LogicalType::VarBinary(n) => TypeKind::Varbinary(Some(*n)),
        LogicalType::Date => TypeKind::Date,
        LogicalType::Time(p) => TypeKind::Time(Some(u32::from(*p))),
        LogicalType::Timestamp(p, _) => TypeKind::Timestamp(Some(u32::from(*p))),
        LogicalType::TimestampLtz(p, _) => TypeKind::TimestampLtz(Some(u32::from(*p))),
        LogicalType::Array(element) => TypeKind::Array(inner(element)?),
        LogicalType::Map(key, value) => TypeKind::Map(inner(key)?, inner(value)?),
        LogicalType::Multiset(element) => TypeKind::Multiset(inner(element)?),
        LogicalType::Row(fields) => TypeKind::Row(
            fields
                .iter()
                .map(|field| {
                    let name = ast::Ident { value: field.name.clone(), quoted: true, span };
                    Some(ast::RowField { name, ty: type_name(&field.ty, span)?, comment: None })
                })
                .collect::<Option<_>>()?,
        ),
        LogicalType::Null | LogicalType::IntervalDayTime | LogicalType::IntervalYearMonth => return None,
    };
    Some(ast::TypeName { kind, nullable: Some(ty.nullable), span })
}
