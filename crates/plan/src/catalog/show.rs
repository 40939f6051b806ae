//! SHOW and DESCRIBE.

use tidegate_data::Schema;
use tidegate_diag::Diagnostic;
use tidegate_sql::ast::{ObjectName, Show, StringLit};

use super::{Catalog, Column, ColumnKind, DATABASE_PATH, Relation, Table, View};
use crate::codes::NO_OBJECT;
use crate::outcome::Outcome;
use crate::unparse::{name, string};

impl Catalog {
    pub(super) fn show(&self, show: &Show) -> Result<Outcome, Diagnostic> {
        match show {
            Show::Tables(like) => Ok(list("table name", self.names().map(String::from), like.as_ref())),
            Show::Views(like) => {
                let views = self.names().filter(|name| matches!(self.relation(name), Some(Relation::View(_))));
                Ok(list("view name", views.map(String::from), like.as_ref()))
            }
            Show::Functions { user, like } => {
                Ok(list("function name", self.function_names(*user).into_iter(), like.as_ref()))
            }
            Show::Columns(table) => self.describe(table),
            Show::CreateTable(object) => match self.find(object) {
                Some(Relation::Table(table)) => Ok(single(create_table_text(table))),
                Some(Relation::View(_)) => {
                    Err(unknown("SHOW CREATE TABLE is only supported for tables, but", object, "is a view."))
                }
                None => Err(unknown(
                    "Could not execute SHOW CREATE TABLE. Table with identifier",
                    object,
                    "does not exist.",
                )),
            },
            Show::CreateView(object) => match self.find(object) {
                Some(Relation::View(view)) => Ok(single(create_view_text(view))),
                Some(Relation::Table(_)) => {
                    Err(unknown("SHOW CREATE VIEW is only supported for views, but", object, "is a table."))
                }
                None => {
                    Err(unknown("Could not execute SHOW CREATE VIEW. View with identifier", object, "does not exist."))
                }
            },
        }
    }

    /// DESCRIBE: one row per column; a column of comments only where there are some.
    pub(super) fn describe(&self, object: &ObjectName) -> Result<Outcome, Diagnostic> {
        let mut rows = match self.find(object) {
            Some(Relation::Table(table)) => describe_table(table),
            Some(Relation::View(view)) => describe_view(&view.schema),
            None => {
                let error = unknown("Tables or views with the identifier", object, "doesn't exist.");
                return Err(crate::bind::suggest(error, object.last(), self.names()));
            }
        };
        let mut columns: Vec<String> =
            ["name", "type", "null", "key", "extras", "watermark"].map(String::from).to_vec();
        if rows.iter().any(|row| row.last().is_some_and(Option::is_some)) {
            columns.push("comment".into());
        } else {
            rows.iter_mut().for_each(|row| row.truncate(columns.len()));
        }
        Ok(Outcome::Table { columns, rows })
    }
}

fn unknown(before: &str, object: &ObjectName, after: &str) -> Diagnostic {
    let message = format!("{before} '{}' {after}", super::path_of(&object.last().value));
    Diagnostic::error(NO_OBJECT, message).at(object.span)
}

fn list(column: &str, names: impl Iterator<Item = String>, like: Option<&StringLit>) -> Outcome {
    let rows =
        names.filter(|name| like.is_none_or(|like| is_like(name, &like.value))).map(|name| vec![Some(name)]).collect();
    Outcome::Table { columns: vec![column.into()], rows }
}

fn single(text: String) -> Outcome {
    Outcome::Table { columns: vec!["result".into()], rows: vec![vec![Some(text)]] }
}

/// SQL's LIKE with `%` and `_`.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('%') => {
            let starts = text.char_indices().map(|(i, _)| i).chain([text.len()]);
            let mut starts = starts;
            starts.any(|i| is_like(&text[i..], rest.as_str()))
        }
        Some(c) => {
            let mut chars = text.chars();
            chars.next().is_some_and(|own| c == '_' || c == own) && is_like(chars.as_str(), rest.as_str())
        }
    }
}

fn describe_table(table: &Table) -> Vec<Vec<Option<String>>> {
    let key = |column: &Column| {
        let key = table.primary_key.as_ref()?;
        key.columns.contains(&column.name).then(|| format!("PRI({})", key.columns.join(", ")))
    };
    let row = |(i, column): (usize, &Column)| {
        let extras = match &column.kind {
            ColumnKind::Physical => None,
            ColumnKind::Computed(computed) => Some(format!("AS {}", computed.text)),
            ColumnKind::Metadata { key, is_virtual, .. } => Some(metadata_text(column, key, *is_virtual)),
        };
        let watermark = table.watermark.as_ref().filter(|watermark| watermark.column == i);
        vec![
            Some(column.name.clone()),
            Some(column.ty.with_nullable(true).to_string()),
            Some(truth(column.ty.nullable)),
            key(column),
            extras,
            watermark.map(|watermark| watermark.text.clone()),
            column.comment.clone(),
        ]
    };
    table.columns.iter().enumerate().map(row).collect()
}

fn describe_view(schema: &Schema) -> Vec<Vec<Option<String>>> {
    let fields = schema.fields.iter().map(|field| {
        let ty = field.ty.with_nullable(true).to_string();
        vec![Some(field.name.clone()), Some(ty), Some(truth(field.ty.nullable)), None, None, None, None]
    });
    fields.collect()
}

fn truth(value: bool) -> String {
    if value { "TRUE".into() } else { "FALSE".into() }
}

fn metadata_text(column: &Column, key: &str, is_virtual: bool) -> String {
    let from = if column.name == key { String::new() } else { format!(" FROM {}", string(key)) };
    format!("METADATA{from}{}", if is_virtual { " VIRTUAL" } else { "" })
}

fn create_table_text(table: &Table) -> String {
    let mut lines = Vec::new();
    for column in &table.columns {
        // A rowtime is declared as a plain timestamp.
        let plain = tidegate_data::DataType {
            logical: column.ty.logical.without_time_attribute(),
            nullable: column.ty.nullable,
        };
        let mut line = match &column.kind {
            ColumnKind::Physical => format!("{} {plain}", name(&column.name)),
            ColumnKind::Metadata { key, is_virtual, .. } => {
                format!("{} {plain} {}", name(&column.name), metadata_text(column, key, *is_virtual))
            }
            ColumnKind::Computed(computed) => format!("{} AS {}", name(&column.name), computed.text),
        };
        if let Some(comment) = &column.comment {
            line.push_str(&format!(" COMMENT {}", string(comment)));
        }
        lines.push(line);
    }
    if let Some(watermark) = &table.watermark {
        lines.push(format!("WATERMARK FOR {} AS {}", name(&table.columns[watermark.column].name), watermark.text));
    }
    if let Some(key) = &table.primary_key {
        let columns: Vec<String> = key.columns.iter().map(|column| name(column)).collect();
        lines.push(format!("CONSTRAINT {} PRIMARY KEY ({}) NOT ENFORCED", name(&key.name), columns.join(", ")));
    }
    let comment = table.comment.as_ref().map(|comment| format!("COMMENT {}\n", string(comment))).unwrap_or_default();
    let options: Vec<String> =
        table.options.iter().map(|(key, value)| format!("  {} = {}", string(key), string(value))).collect();
    format!(
        "CREATE TABLE {} (\n  {}\n)\n{comment}WITH (\n{}\n)\n",
        quoted_path(&table.name),
        lines.join(",\n  "),
        options.join(",\n")
    )
}

fn create_view_text(view: &View) -> String {
    let columns: Vec<String> = view.schema.fields.iter().map(|field| format!("  {}", name(&field.name))).collect();
    let comment = view.comment.as_ref().map(|comment| format!("COMMENT {}\n", string(comment))).unwrap_or_default();
    format!("CREATE VIEW {} (\n{}\n)\n{comment}AS {}\n", quoted_path(&view.name), columns.join(",\n"), view.text)
}

fn quoted_path(object: &str) -> String {
    format!("{}.{}.{}", name(DATABASE_PATH[0]), name(DATABASE_PATH[1]), name(object))
}

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn like_knows_two_wildcards() {
        assert!(is_like("orders", "ord%"));
        assert!(is_like("orders", "o_ders"));
        assert!(!is_like("orders", "order"));
        assert!(is_like("", "%"));
    }
}
