//! What names mean inside a query: the tables of FROM and their columns.

use std::collections::BTreeSet;
use tidegate_data::sorted::SortedMap;

use tidegate_data::{Field, Schema};
use tidegate_diag::{Diagnostic, Span, closest, listed};
use tidegate_sql::ast::Ident;

use crate::codes::{AMBIGUOUS, NO_COLUMN, NO_OBJECT};
use crate::rex::Rex;

/// The tables that a clause sees, in order.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The tables.
    pub tables: Vec<ScopeTable>,
    /// The columns of USING and NATURAL, each one column of two.
    pub merged: Vec<Merged>,
    /// Whether a table could not be bound: then unknown names are no news.
    pub broken: bool,
}

/// A column that stands for one of each side of a join.
#[derive(Clone, Debug)]
pub struct Merged {
    /// Its name.
    pub name: String,
    /// Its value.
    pub rex: Rex,
    /// The columns that it stands for.
    pub columns: Vec<usize>,
}

/// One table of a scope.
#[derive(Clone, Debug)]
pub struct ScopeTable {
    /// The alias, or the table's own name; `None` for an unnamed subquery.
    pub name: Option<String>,
    /// The table's full path, where it is one of the catalog without an alias.
    pub path: Vec<String>,
    /// The position of its first column in the relation of the whole FROM.
    pub start: usize,
    /// Its columns.
    pub schema: Schema,
}

impl Scope {
    /// A scope of one table.
    pub fn of(name: Option<String>, path: Vec<String>, schema: Schema) -> Scope {
        Scope { tables: vec![ScopeTable { name, path, start: 0, schema }], ..Scope::default() }
    }

    /// A scope in which nothing is reported as unknown, since something else was.
    pub fn broken() -> Scope {
        Scope { broken: true, ..Scope::default() }
    }

    /// All columns in order: position, table, field.
    pub fn columns(&self) -> impl Iterator<Item = (usize, &ScopeTable, &Field)> {
        self.tables.iter().flat_map(|table| {
            table.schema.fields.iter().enumerate().map(move |(i, field)| (table.start + i, table, field))
        })
    }

    /// The column of this name without a table, if it is the only one.
    pub fn unqualified(&self, name: &str) -> Option<Rex> {
        if let Some(merged) = self.merged.iter().find(|merged| merged.name == name) {
            return Some(merged.rex.clone());
        }
        let mut found = self.columns().filter(|(.., field)| field.name == name);
        match (found.next(), found.next()) {
            (Some((position, _, field)), None) => Some(Rex::column(position, field.ty.clone())),
            _ => None,
        }
    }

    /// The column `table.column` as messages name it, by position.
    pub fn qualified(&self, position: usize) -> String {
        let found = self.columns().find(|(index, ..)| *index == position);
        match found {
            Some((_, ScopeTable { name: Some(table), .. }, field)) => format!("{table}.{}", field.name),
            Some((.., field)) => field.name.clone(),
            None => String::new(),
        }
    }

    /// The table that `parts` name, by alias, name or path.
    pub fn table(&self, parts: &[Ident]) -> Option<&ScopeTable> {
        match parts {
            [name] => self.tables.iter().find(|table| table.name.as_deref() == Some(&name.value)),
            path => self.tables.iter().find(|table| {
                !table.path.is_empty()
                    && table.path.len() >= path.len()
                    && table.path[table.path.len() - path.len()..]
                        .iter()
                        .zip(path)
                        .all(|(own, part)| *own == part.value)
            }),
        }
    }

    /// The column that a name of several parts means, and how many of the parts it took; the rest are fields.
    ///
    /// # Errors
    /// An unknown or ambiguous name, in Calcite's words. `None` where another error hides it.
    pub fn resolve(&self, parts: &[Ident]) -> Result<(Rex, usize), Option<Diagnostic>> {
        let first = &parts[0];
        for qualifier in (1..parts.len()).rev() {
            if let Some(table) = self.table(&parts[..qualifier]) {
                let column = &parts[qualifier];
                return match table.schema.index_of(&column.value) {
                    Some(i) => Ok((Rex::column(table.start + i, table.schema.fields[i].ty.clone()), qualifier + 1)),
                    None => {
                        let names = table.schema.fields.iter().map(|field| field.name.as_str());
                        let qualifier: Vec<&str> = parts[..qualifier].iter().map(|part| part.value.as_str()).collect();
                        let message = format!("Column '{}' not found in table '{}'", column.value, qualifier.join("."));
                        Err(Some(suggest(Diagnostic::error(NO_COLUMN, message).at(column.span), column, names)))
                    }
                };
            }
        }
        if let Some(merged) = self.merged.iter().find(|merged| merged.name == first.value) {
            return Ok((merged.rex.clone(), 1));
        }
        let mut found = self.columns().filter(|(.., field)| field.name == first.value);
        match (found.next(), found.next()) {
            (Some((position, _, field)), None) => Ok((Rex::column(position, field.ty.clone()), 1)),
            (Some((position, ..)), Some((other, ..))) => {
                let message = format!("Column '{}' is ambiguous", first.value);
                let (one, another) = (self.qualified(position), self.qualified(other));
                let hint = match one == another {
                    true => format!("The table has several columns of this name: give each its own, {one} AS other."),
                    false => format!("It is both {one} and {another}: put the table's name before it."),
                };
                Err(Some(Diagnostic::error(AMBIGUOUS, message).at(first.span).hint(hint)))
            }
            _ if self.broken => Err(None),
            _ if parts.len() > 1 => {
                let message = format!("Table '{}' not found", first.value);
                let names = self.tables.iter().filter_map(|table| table.name.as_deref());
                Err(Some(suggest(Diagnostic::error(NO_OBJECT, message).at(first.span), first, names)))
            }
            _ => {
                let names: Vec<&str> = self.columns().map(|(.., field)| field.name.as_str()).collect();
                let mut message = format!("Column '{}' not found in any table", first.value);
                if let Some(name) = names.iter().find(|name| name.eq_ignore_ascii_case(&first.value)) {
                    message.push_str(&format!("; did you mean '{name}'?"));
                }
                Err(Some(suggest(Diagnostic::error(NO_COLUMN, message).at(first.span), first, names)))
            }
        }
    }
}

/// Adds the likest name as hint and as fix.
pub fn suggest<'a>(diagnostic: Diagnostic, written: &Ident, names: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    suggest_at(diagnostic, &written.value, written.span, names)
}

/// Adds the name that is most like `written` as hint and as fix for `span`.
pub fn suggest_at<'a>(
    diagnostic: Diagnostic,
    written: &str,
    span: Span,
    names: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    let names: Vec<&str> = names.into_iter().collect();
    let kind = match diagnostic.code {
        NO_COLUMN => "Columns",
        NO_OBJECT => "Tables and views",
        _ => "Names",
    };
    let all = (!names.is_empty()).then(|| format!("{kind} in sight: {}.", listed(&names)));
    match closest(written, names) {
        Some(near) => diagnostic.hint(format!("Did you mean '{near}'?")).fix(span, quoted(near)),
        None => diagnostic.hint_opt(all),
    }
}

/// A name as SQL takes it: in backticks where it needs them.
pub fn quoted(name: &str) -> String {
    let plain = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
    if plain { name.to_string() } else { format!("`{}`", name.replace('`', "``")) }
}

/// Makes names unique as Calcite does: `a`, `a0`, `a1`.
pub fn uniquify(names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    // The number with which the search for a free name begins: those before it are taken.
    let mut next: SortedMap<String, usize> = SortedMap::new();
    let mut result = Vec::with_capacity(names.len());
    for name in names {
        let mut unique = name.clone();
        if seen.contains(&unique) {
            let n = next.get_or_default(name.clone());
            while seen.contains(&unique) {
                unique = format!("{name}{n}");
                *n += 1;
            }
        }
        seen.insert(unique.clone());
        result.push(unique);
    }
    result
}
