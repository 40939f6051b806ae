//! What a query means, computed a row at a time: nested loops over plain rows, from the plan as it is bound. Parser and binder are the
//! engine's; rules, changelog modes, state and operators, and how expressions are computed, are not.
//!
//! It knows no time: rows are all there, and what waits for a watermark in the engine has come. So a row that the engine drops as late,
//! or a result that it keeps back, is a difference; who compares avoids the one and waits for the other.

mod aggregate;
mod big;
mod cast;
mod expr;
mod number;
mod over;
mod rel;
mod text;
mod time;
mod window;

use std::collections::BTreeMap;

use tidegate::Session;
use tidegate::SessionOptions;
use tidegate::data::{RowKind, Value};
use tidegate::runtime::{FeedItem, Restore};
use tidegate_data::{DataType, Zone};
use tidegate_sql::ast::StatementKind;

pub use expr::value;

/// A row.
pub type Row = Vec<Value>;
/// A row as texts.
pub type Texts = Vec<Option<String>>;
/// A table as a bag of rows.
pub type Bag = BTreeMap<Texts, i64>;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// A row cannot be computed, in Flink's words.
    Fails(String),
    /// The script is refused.
    Refused(String),
    /// The reference does not know this: a gap of its own.
    Unknown(String),
}

fn fails(why: impl Into<String>) -> Stop {
    Stop::Fails(why.into())
}

fn unknown(what: impl Into<String>) -> Stop {
    Stop::Unknown(what.into())
}

/// A script with one query over tables of rows that were fed, ready to be computed at each of its lines.
pub struct Reference {
    plan: tidegate_plan::bound::Rel,
    /// Table, kind and row of each line that the query reads, by the number of the line from 1.
    lines: Vec<(usize, String, RowKind, Row)>,
    /// The key of each table that has one.
    keys: BTreeMap<String, Vec<usize>>,
}

impl Reference {
    /// Reads a case with one query, its last statement.
    ///
    /// # Errors
    /// What is refused.
    pub fn of(script: &str) -> Result<Reference, Stop> {
        let mut session = Session::new(SessionOptions::default());
        let refused = |problems: Vec<tidegate::diag::Diagnostic>| {
            Stop::Refused(problems.first().map_or_else(String::new, |problem| problem.message.clone()))
        };
        session.run(script, Restore::None).map_err(refused)?;
        let case = tidegate::case::read(script);
        let items = tidegate::case::input(script, &case, &session).map_err(refused)?;
        let parsed = tidegate_sql::parse_script(script);
        let query = parsed.statements.last().map(|statement| &statement.kind);
        let Some(StatementKind::Query(query)) = query else { return Err(unknown("a script without a query")) };
        let plan = tidegate_plan::bound::query(session.catalog(), query).map_err(refused)?;
        let reads = |table: &str| session.jobs().iter().any(|job| job.sources.iter().any(|own| own == table));
        let numbers = (1..).zip(&case.steps).filter(|(_, step)| reads(&step.table)).map(|(number, _)| number);
        let mut lines = Vec::new();
        for (number, (table, _, item)) in numbers.zip(items) {
            if let FeedItem::Row(kind, row) = item {
                lines.push((number, table, kind, row));
            }
        }
        let key = |table: &tidegate_plan::Table| table.physical_key().map(|key| (table.name.clone(), key));
        let keys = session.catalog().tables().filter(|table| is_upsert(table)).filter_map(key).collect();
        Ok(Reference { plan, lines, keys })
    }

    /// The query's result over the lines up to and with `line`.
    ///
    /// # Errors
    /// When a row cannot be computed.
    pub fn rows(&self, line: usize) -> Result<Vec<Row>, Stop> {
        let mut tables: BTreeMap<String, Vec<Row>> = BTreeMap::new();
        for (number, table, kind, row) in &self.lines {
            if *number > line {
                break;
            }
            let rows = tables.entry(table.clone()).or_default();
            let same = |other: &Row| match self.keys.get(table) {
                Some(key) => key.iter().all(|column| other[*column] == row[*column]),
                None => other == row,
            };
            let old = rows.iter().position(same);
            match (kind, old) {
                (RowKind::Insert | RowKind::UpdateAfter, Some(old)) if self.keys.contains_key(table) => {
                    rows[old] = row.clone();
                }
                (RowKind::Insert | RowKind::UpdateAfter, _) => rows.push(row.clone()),
                (RowKind::Delete | RowKind::UpdateBefore, Some(old)) => {
                    rows.remove(old);
                }
                (RowKind::Delete | RowKind::UpdateBefore, None) => {}
            }
        }
        rel::rows(&self.plan, &tables)
    }

    /// The same as a bag of texts.
    ///
    /// # Errors
    /// When a row cannot be computed.
    pub fn bag(&self, line: usize) -> Result<Bag, Stop> {
        let mut bag = Bag::new();
        for row in self.rows(line)? {
            *bag.entry(self.texts(&row)).or_default() += 1;
        }
        Ok(bag)
    }

    /// The texts of a row of the result.
    pub fn texts(&self, row: &[Value]) -> Texts {
        let types = self.plan.schema.fields.iter().map(|field| &field.ty);
        row.iter().zip(types).map(|(value, ty)| shown(value, ty)).collect()
    }
}

fn is_upsert(table: &tidegate_plan::Table) -> bool {
    table.options.get("changelog-mode").is_some_and(|mode| mode.contains("UA") && !mode.contains("UB"))
}

fn shown(value: &Value, ty: &DataType) -> Option<String> {
    tidegate::value_text(ty, value, Zone::UTC)
}
