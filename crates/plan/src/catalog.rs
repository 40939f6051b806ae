//! The catalog: tables, views, the configuration, and what the connectors take.

use std::collections::BTreeMap;

use tidegate_data::{ConnectorSpec, DataType, Schema};
use tidegate_diag::{Code, Diagnostic, Span};
use tidegate_expr::Expr;
use tidegate_sql::ast;

use crate::config::Config;
use crate::outcome::Outcome;

const NOT_YET: Code = Code::new("TG2001");

/// Tables, views and the configuration of one script.
#[derive(Clone, Debug)]
pub struct Catalog {
    connectors: Vec<ConnectorSpec>,
    relations: BTreeMap<String, Relation>,
    config: Config,
}

/// What a name of the catalog stands for.
#[derive(Clone, Debug)]
pub enum Relation {
    /// A table.
    Table(Table),
    /// A view.
    View(View),
}

/// A table with its columns, options and constraints.
#[derive(Clone, Debug)]
pub struct Table {
    /// The name without catalog and database.
    pub name: String,
    /// All columns in order.
    pub columns: Vec<Column>,
    /// The primary key's column names.
    pub primary_key: Option<Vec<String>>,
    /// The options, `connector` included.
    pub options: BTreeMap<String, String>,
    /// The value of `'connector'`.
    pub connector: String,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The name.
    pub name: String,
    /// Its type, time attribute included.
    pub ty: DataType,
    /// Its sort.
    pub kind: ColumnKind,
}

/// The sorts of columns.
#[derive(Clone, Debug)]
pub enum ColumnKind {
    /// Stored.
    Physical,
    /// Given by the connector.
    Metadata {
        /// The connector's key.
        key: String,
        /// Whether sinks leave it out.
        is_virtual: bool,
    },
    /// Computed from the others.
    Computed(Expr),
}

/// A view.
#[derive(Clone, Debug)]
pub struct View {
    /// The name without catalog and database.
    pub name: String,
}

impl Table {
    /// The physical columns: what a data row of the table holds.
    pub fn physical(&self) -> Schema {
        Schema {
            fields: self
                .columns
                .iter()
                .filter(|column| matches!(column.kind, ColumnKind::Physical))
                .map(|column| tidegate_data::Field { name: column.name.clone(), ty: column.ty.clone() })
                .collect(),
        }
    }
}

impl Catalog {
    /// An empty catalog that knows these connectors.
    pub fn new(connectors: Vec<ConnectorSpec>) -> Catalog {
        Catalog { connectors, relations: BTreeMap::new(), config: Config::default() }
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
        match self.relations.get(name) {
            Some(Relation::Table(table)) => Some(table),
            _ => None,
        }
    }

    /// The connectors that tables can have.
    pub fn connectors(&self) -> &[ConnectorSpec] {
        &self.connectors
    }

    /// Executes one statement of the script `text`: changes the catalog, prints, or plans a job.
    ///
    /// # Errors
    /// All that is wrong with the statement; the catalog is then as before.
    pub fn execute(&mut self, text: &str, statement: &ast::Statement) -> Result<Outcome, Vec<Diagnostic>> {
        let _: (&str, Span) = (text, statement.span);
        Err(vec![Diagnostic::error(NOT_YET, "This statement is not supported yet.").at(statement.span)])
    }
}
