//! The catalog: tables, views, the configuration, and what the connectors take.

mod alter;
mod create_table;
mod create_view;
mod functions;
mod options;
mod show;

use std::collections::BTreeMap;
use std::sync::Arc;
use tidegate_data::sorted::{self, SortedMap};

use tidegate_data::{ConnectorSpec, DataType, Field, Schema};
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{CreateTable, Drop, DropObject, ObjectName, Query, Statement, StatementKind};

pub use functions::UserFunction;

use crate::codes::NO_OBJECT;
use crate::config::Config;
use crate::outcome::Outcome;
use crate::rex::Rex;

/// Where all tables and views live.
pub const DATABASE_PATH: [&str; 2] = ["default_catalog", "default_database"];

/// Tables, views and the configuration of one script.
#[derive(Clone, Debug)]
pub struct Catalog {
    connectors: Vec<ConnectorSpec>,
    relations: SortedMap<String, Relation>,
    /// Temporary tables and views; they hide others of the same name.
    temporary: SortedMap<String, Relation>,
    /// Functions of the script, by name in small letters.
    functions: SortedMap<String, UserFunction>,
    config: Config,
}

/// What a name of the catalog stands for.
#[derive(Clone, Debug)]
pub enum Relation {
    /// A table.
    Table(Box<Table>),
    /// A view.
    View(Box<View>),
}

/// A table with its columns, options and constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name without catalog and database.
    pub name: String,
    /// All columns in order.
    pub columns: Vec<Column>,
    /// The watermark, if one is declared.
    pub watermark: Option<Watermark>,
    /// The primary key's name and columns.
    pub primary_key: Option<PrimaryKey>,
    /// The options, `connector` included.
    pub options: BTreeMap<String, String>,
    /// The value of `'connector'`; empty when there is none.
    pub connector: String,
    /// What is wrong with the options; said when the table is used, as in Flink.
    pub faults: Vec<Diagnostic>,
    /// `COMMENT '…'`
    pub comment: Option<String>,
    /// The statement that it comes from, LIKE and ALTER TABLE worked into it.
    pub definition: Arc<CreateTable>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The name.
    pub name: String,
    /// Its type, time attribute included.
    pub ty: DataType,
    /// Its sort.
    pub kind: ColumnKind,
    /// `COMMENT '…'`
    pub comment: Option<String>,
}

/// The sorts of columns.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnKind {
    /// Stored.
    Physical,
    /// Given by the connector.
    Metadata {
        /// The connector's key.
        key: String,
        /// Whether sinks leave it out.
        is_virtual: bool,
        /// The type in which the connector delivers it.
        delivered: DataType,
    },
    /// Computed from the others.
    Computed(Computed),
}

/// A computed column.
#[derive(Clone, Debug, PartialEq)]
pub struct Computed {
    /// The expression over the physical columns, then the metadata columns.
    pub rex: Rex,
    /// Its text as DESCRIBE shows it.
    pub text: String,
}

/// `WATERMARK FOR column AS expression`
#[derive(Clone, Debug, PartialEq)]
pub struct Watermark {
    /// The rowtime column, as position in the table's columns.
    pub column: usize,
    /// The time attribute's type.
    pub ty: DataType,
    /// The expression over all columns; a call of `SOURCE_WATERMARK` when the source gives it.
    pub expr: Rex,
    /// Its text as DESCRIBE shows it.
    pub text: String,
}

/// `PRIMARY KEY (columns) NOT ENFORCED`
#[derive(Clone, Debug, PartialEq)]
pub struct PrimaryKey {
    /// The constraint's name; `PK_` and the columns by default.
    pub name: String,
    /// Its columns.
    pub columns: Vec<String>,
}

/// A view.
#[derive(Clone, Debug)]
pub struct View {
    /// The name without catalog and database.
    pub name: String,
    /// Names for its columns.
    pub columns: Vec<String>,
    /// What it stands for; bound anew at each use.
    pub query: Query,
    /// The text of its query, names in full where that can be told.
    pub text: String,
    /// The columns at the time of its creation, for DESCRIBE.
    pub schema: Schema,
    /// `COMMENT '…'`
    pub comment: Option<String>,
}

impl Table {
    /// The physical columns: what a data row of the table holds.
    pub fn physical(&self) -> Schema {
        let physical = self.columns.iter().filter(|column| matches!(column.kind, ColumnKind::Physical));
        Schema { fields: physical.map(plain_field).collect() }
    }

    /// What a scan yields: the physical columns, then the metadata columns.
    pub fn scan_schema(&self) -> Schema {
        let mut schema = self.physical();
        for column in &self.columns {
            if let ColumnKind::Metadata { delivered, .. } = &column.kind {
                schema.fields.push(Field { name: column.name.clone(), ty: delivered.clone() });
            }
        }
        schema
    }

    /// The metadata columns: key and the type in which the connector delivers it.
    pub fn metadata(&self) -> Vec<(String, DataType)> {
        let metadata = self.columns.iter().filter_map(|column| match &column.kind {
            ColumnKind::Metadata { key, delivered, .. } => Some((key.clone(), delivered.clone())),
            _ => None,
        });
        metadata.collect()
    }

    /// A declared column over the columns of the scan. A rowtime is a plain timestamp there.
    pub fn column_rex(&self, column: &Column, scan: &Schema) -> Rex {
        match &column.kind {
            ColumnKind::Computed(computed) => computed.rex.clone(),
            _ => {
                // Names of physical and metadata columns are unique within a table.
                let index = scan.index_of(&column.name).unwrap_or_default();
                let read = Rex::column(index, scan.fields[index].ty.clone());
                let wanted = plain_field(column).ty;
                read.clone().cast(&wanted, false).unwrap_or(read)
            }
        }
    }

    /// The primary key as positions among the physical columns; `None` also when it names others.
    pub fn physical_key(&self) -> Option<Vec<usize>> {
        let physical = self.physical();
        let key = self.primary_key.as_ref()?;
        key.columns.iter().map(|name| physical.index_of(name)).collect()
    }

    /// `default_catalog.default_database.name`
    pub fn path(&self) -> String {
        path_of(&self.name)
    }

    /// The options as pairs.
    pub fn option_pairs(&self) -> Vec<(String, String)> {
        self.options.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}

fn plain_field(column: &Column) -> Field {
    let ty = DataType { logical: column.ty.logical.without_time_attribute(), nullable: column.ty.nullable };
    Field { name: column.name.clone(), ty }
}

/// The full name of an object.
pub(crate) fn path_of(name: &str) -> String {
    format!("{}.{}.{name}", DATABASE_PATH[0], DATABASE_PATH[1])
}

impl Catalog {
    /// An empty catalog that knows these connectors.
    pub fn new(connectors: Vec<ConnectorSpec>) -> Catalog {
        Catalog {
            connectors,
            relations: SortedMap::new(),
            temporary: SortedMap::new(),
            functions: SortedMap::new(),
            config: Config::default(),
        }
    }

    /// The configuration as SET and RESET left it.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The configuration, to be set from outside the script (a test's or the page's own defaults).
    pub fn config_mut(&mut self) -> &mut Config {
        &mut self.config
    }

    /// The table of this name, if there is one.
    pub fn table(&self, name: &str) -> Option<&Table> {
        match self.relation(name) {
            Some(Relation::Table(table)) => Some(table),
            _ => None,
        }
    }

    /// All tables, by name.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.names().filter_map(|name| self.table(name))
    }

    /// The columns of the view of this name, if there is one.
    pub fn view_schema(&self, name: &str) -> Option<&Schema> {
        match self.relation(name) {
            Some(Relation::View(view)) => Some(&view.schema),
            _ => None,
        }
    }

    /// The connectors that tables can have.
    pub fn connectors(&self) -> &[ConnectorSpec] {
        &self.connectors
    }

    /// The connector of this name.
    pub fn connector(&self, name: &str) -> Option<&ConnectorSpec> {
        self.connectors.iter().find(|spec| spec.name == name)
    }

    /// The names of all tables and views, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = self.relations.keys().chain(self.temporary.keys()).map(String::as_str).collect();
        sorted::sort(&mut names);
        names.dedup();
        names.into_iter()
    }

    fn relation(&self, name: &str) -> Option<&Relation> {
        self.temporary.get(name).or_else(|| self.relations.get(name))
    }

    /// The table or view that a name of one to three parts means.
    pub(crate) fn find(&self, name: &ObjectName) -> Option<&Relation> {
        let (object, qualifier) = name.parts.split_last()?;
        let expected = &DATABASE_PATH[DATABASE_PATH.len().checked_sub(qualifier.len())?..];
        let qualified = qualifier.iter().zip(expected).all(|(part, own)| part.value == *own);
        if qualified { self.relation(&object.value) } else { None }
    }

    /// Executes one statement of the script `text`: changes the catalog, prints, or plans a job.
    ///
    /// # Errors
    /// All that is wrong with the statement; the catalog is then as before.
    pub fn execute(&mut self, text: &str, statement: &Statement) -> Result<Outcome, Vec<Diagnostic>> {
        let mut outcome = self.carry_out(text, statement);
        if let Err(diagnostics) = &mut outcome {
            crate::hints::complete(diagnostics, self);
        }
        outcome
    }

    fn carry_out(&mut self, text: &str, statement: &Statement) -> Result<Outcome, Vec<Diagnostic>> {
        match &statement.kind {
            StatementKind::CreateTable(create) => match &create.as_query {
                Some(query) => self.create_table_as(create, query, text, statement),
                None => self.create_table(create, text, statement.span),
            },
            StatementKind::CreateView(create) => self.create_view(create, text),
            StatementKind::AlterTable(alter) => self.alter_table(alter, text, statement.span),
            StatementKind::CreateFunction(create) => self.create_function(create),
            StatementKind::Drop(drop) if drop.object == DropObject::Function => self.drop_function(drop),
            StatementKind::Drop(drop) => self.drop_object(drop),
            StatementKind::Set(None) => {
                let rows =
                    self.config.entries().map(|(key, value)| vec![Some(key.into()), Some(value.into())]).collect();
                Ok(Outcome::Table { columns: vec!["key".into(), "value".into()], rows })
            }
            StatementKind::Set(Some(option)) => {
                let (key, value) = (&option.key, &option.value);
                match self.config.set(&key.value, &value.value, key.span, value.span) {
                    Ok(remark) => Ok(done(remark.unwrap_or_else(|| OK.into()))),
                    Err(diagnostic) => Err(vec![diagnostic]),
                }
            }
            StatementKind::Reset(key) => {
                let key = key.as_ref().map(|key| (key.value.as_str(), key.span));
                self.config.reset(key).map(|()| done(OK)).map_err(|diagnostic| vec![diagnostic])
            }
            StatementKind::Show(show) => self.show(show).map_err(|diagnostic| vec![diagnostic]),
            StatementKind::Describe(name) => self.describe(name).map_err(|diagnostic| vec![diagnostic]),
            StatementKind::Explain(explain) => crate::planner::explain(self, text, explain),
            StatementKind::Insert(_) | StatementKind::StatementSet(_) | StatementKind::Query(_) => {
                crate::planner::plan(self, text, statement).map(|job| Outcome::Job(Box::new(job)))
            }
        }
    }

    fn drop_object(&mut self, drop: &Drop) -> Result<Outcome, Vec<Diagnostic>> {
        let name = &drop.name.last().value;
        let matches = |relation: Option<&Relation>| {
            matches!(
                (relation, drop.object),
                (Some(Relation::Table(_)), DropObject::Table) | (Some(Relation::View(_)), DropObject::View)
            )
        };
        if self.find(&drop.name).is_some() {
            if drop.temporary && matches(self.temporary.get(name)) {
                self.temporary.remove(name);
                return Ok(done(OK));
            }
            if !drop.temporary && matches(self.relations.get(name)) {
                if self.temporary.contains_key(name) {
                    let kind = if drop.object == DropObject::Table { "table" } else { "view" };
                    let message = format!(
                        "Temporary {kind} with identifier '{}' exists. Drop it first before removing the permanent {kind}.",
                        path_of(name)
                    );
                    return Err(vec![Diagnostic::error(NO_OBJECT, message).at(drop.name.span)]);
                }
                self.relations.remove(name);
                return Ok(done(OK));
            }
            // A temporary object goes without the word TEMPORARY, too, where nothing else has the name.
            if !drop.temporary && !self.relations.contains_key(name) && matches(self.temporary.get(name)) {
                self.temporary.remove(name);
                return Ok(done(OK));
            }
        }
        if drop.if_exists {
            return Ok(done(OK));
        }
        let kind = match (drop.temporary, drop.object) {
            (false, DropObject::Table) => "Table",
            (_, DropObject::Function) => "Function",
            (false, DropObject::View) => "View",
            (true, DropObject::Table) => "Temporary table",
            (true, DropObject::View) => "Temporary view",
        };
        let message = format!("{kind} with identifier '{}' does not exist.", path_of(name));
        let error = Diagnostic::error(NO_OBJECT, message).at(drop.name.span);
        Err(vec![crate::bind::suggest(error, drop.name.last(), self.names())])
    }

    /// Stores a table or view under its name; what was there under `IF NOT EXISTS` stays.
    fn store(
        &mut self,
        name: &ObjectName,
        temporary: bool,
        if_not_exists: bool,
        relation: Relation,
    ) -> Result<Outcome, Vec<Diagnostic>> {
        let object = name.last().value.clone();
        let space = if temporary { &mut self.temporary } else { &mut self.relations };
        if space.contains_key(&object) {
            if if_not_exists {
                return Ok(done(OK));
            }
            return Err(vec![exists(&object, name.span)]);
        }
        space.insert(object, relation);
        Ok(done(OK))
    }
}

const OK: &str = "OK";

fn done(message: impl Into<String>) -> Outcome {
    Outcome::Ddl { message: message.into() }
}

fn exists(name: &str, span: Span) -> Diagnostic {
    let message =
        format!("Table (or view) {}.{name} already exists in Catalog {}.", DATABASE_PATH[1], DATABASE_PATH[0]);
    Diagnostic::error(crate::codes::OBJECT_EXISTS, message).at(span).hint("Use another name, or DROP it first.")
}
