//! ALTER TABLE, and LIKE in CREATE TABLE: both make another definition of a table out of the one that it was made by (Flink's
//! `MergeTableLikeUtil` for LIKE).

use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{
    AlterAction, AlterTable, ColumnDef, ColumnKind, Constraint, CreateTable, LikeFeature, LikeStrategy, SqlOption,
};

use super::{Catalog, Relation, done, path_of};
use crate::codes::{BAD_KEY, BAD_OPTION, BAD_TABLE, BAD_WATERMARK, NO_OBJECT};
use crate::outcome::Outcome;

impl Catalog {
    /// The definition with that of the table behind LIKE merged into it.
    pub(super) fn with_like(&self, create: &CreateTable) -> Result<CreateTable, Diagnostic> {
        let Some(like) = &create.like else { return Ok(create.clone()) };
        let Some(Relation::Table(base)) = self.find(&like.table) else {
            let path = super::DATABASE_PATH.iter().copied().chain([like.table.last().value.as_str()]);
            let quoted: Vec<String> = path.map(|part| format!("`{part}`")).collect();
            let message = format!("Source table '{}' of the LIKE clause not found in the catalog", quoted.join("."));
            let error = Diagnostic::error(NO_OBJECT, message).at(like.table.span);
            return Err(crate::bind::suggest(error, like.table.last(), self.names()));
        };
        let base = &base.definition;
        let strategy = |feature: LikeFeature| {
            let said = |wanted: LikeFeature| like.options.iter().rev().find(|option| option.feature == wanted);
            let default = match feature {
                LikeFeature::Options => LikeStrategy::Overwriting,
                _ => LikeStrategy::Including,
            };
            let all = said(LikeFeature::All).map(|option| match option.strategy {
                // INCLUDING ALL says what holds anyway.
                LikeStrategy::Including => default,
                other => other,
            });
            said(feature).map(|option| option.strategy).or(all).unwrap_or(default)
        };
        let mut merged = create.clone();
        merged.like = None;
        merged.columns = columns(base, create, &strategy)?;
        let taken = |what: &str, at: Span, clause: &str| {
            let message = format!(
                "{what} You might want to specify EXCLUDING {clause}{}.",
                if clause == "CONSTRAINTS" { String::new() } else { format!(" or OVERWRITING {clause}") }
            );
            Diagnostic::error(BAD_TABLE, message).at(at)
        };
        match (strategy(LikeFeature::Watermarks), create.watermarks.first()) {
            (LikeStrategy::Excluding, _) => {}
            (LikeStrategy::Including, Some(own)) if !base.watermarks.is_empty() => {
                let column = own.column.last();
                if base.watermarks.iter().any(|known| known.column.last().value == column.value) {
                    let what = format!(
                        "There already exists a watermark spec for column '{}' in the base table.",
                        column.value
                    );
                    return Err(taken(&what, own.span, "WATERMARKS"));
                }
                merged.watermarks.extend(base.watermarks.iter().cloned());
            }
            (LikeStrategy::Overwriting, Some(_)) => {}
            (_, None) => merged.watermarks.clone_from(&base.watermarks),
            (_, Some(_)) => {}
        }
        let is_key = |constraint: &&Constraint| constraint.primary;
        if strategy(LikeFeature::Constraints) != LikeStrategy::Excluding
            && let Some(known) = base.constraints.iter().find(is_key)
        {
            match create.constraints.iter().find(is_key) {
                Some(own) => {
                    return Err(taken("The base table already has a primary key.", own.span, "CONSTRAINTS"));
                }
                None => merged.constraints.push(known.clone()),
            }
        }
        if strategy(LikeFeature::Partitions) != LikeStrategy::Excluding && merged.partitioned_by.is_empty() {
            merged.partitioned_by.clone_from(&base.partitioned_by);
        }
        if strategy(LikeFeature::Distribution) != LikeStrategy::Excluding && merged.distribution.is_none() {
            merged.distribution.clone_from(&base.distribution);
        }
        let how = strategy(LikeFeature::Options);
        if how != LikeStrategy::Excluding {
            for option in &base.options {
                match create.options.iter().find(|own| own.key.value == option.key.value) {
                    Some(own) if how == LikeStrategy::Including => {
                        let what = format!(
                            "There already exists an option ['{}' -> '{}']  in the base table.",
                            option.key.value, option.value.value
                        );
                        return Err(taken(&what, own.key.span, "OPTIONS"));
                    }
                    Some(_) => {}
                    None => merged.options.push(option.clone()),
                }
            }
        }
        Ok(merged)
    }

    /// ALTER TABLE: the table is made anew from its changed definition.
    pub(super) fn alter_table(
        &mut self,
        alter: &AlterTable,
        text: &str,
        statement: Span,
    ) -> Result<Outcome, Vec<Diagnostic>> {
        let name = alter.name.last().value.clone();
        let old = match self.find(&alter.name) {
            Some(Relation::Table(table)) => table.definition.clone(),
            Some(Relation::View(_)) => {
                let message = format!("ALTER TABLE for a view is not allowed: '{}'", path_of(&name));
                return Err(vec![Diagnostic::error(BAD_TABLE, message).at(alter.name.span)]);
            }
            None if alter.if_exists => return Ok(done(super::OK)),
            None => {
                let written: Vec<String> = super::DATABASE_PATH
                    .iter()
                    .copied()
                    .chain([name.as_str()])
                    .map(|part| format!("`{part}`"))
                    .collect();
                let message = format!("Table {} doesn't exist or is a temporary table.", written.join("."));
                let error = Diagnostic::error(NO_OBJECT, message).at(alter.name.span);
                return Err(vec![crate::bind::suggest(error, alter.name.last(), self.names())]);
            }
        };
        let mut new = (*old).clone();
        change(&mut new, &alter.action, alter.span).map_err(|mut error| {
            error.message = format!("Failed to execute ALTER TABLE statement.\n{}", error.message);
            vec![error]
        })?;
        let renamed = new.name.last().value.clone();
        if renamed != name && self.relation(&renamed).is_some() {
            return Err(vec![super::exists(&renamed, alter.span)]);
        }
        let table = self.table_of(&new, text, statement)?;
        let space = if self.temporary.contains_key(&name) { &mut self.temporary } else { &mut self.relations };
        space.remove(&name);
        space.insert(renamed, Relation::Table(Box::new(table)));
        Ok(done(super::OK))
    }
}

/// The columns of both: the other table's first.
fn columns(
    base: &CreateTable,
    create: &CreateTable,
    strategy: &dyn Fn(LikeFeature) -> LikeStrategy,
) -> Result<Vec<ColumnDef>, Diagnostic> {
    let how = |column: &ColumnDef| match column.kind {
        ColumnKind::Physical(_) => LikeStrategy::Including,
        ColumnKind::Metadata { .. } => strategy(LikeFeature::Metadata),
        ColumnKind::Computed(_) => strategy(LikeFeature::Generated),
    };
    let mut columns: Vec<ColumnDef> =
        base.columns.iter().filter(|column| how(column) != LikeStrategy::Excluding).cloned().collect();
    keep_not_null(&mut columns, base);
    for own in &create.columns {
        let Some(at) = columns.iter().position(|known| known.name.value == own.name.value) else {
            columns.push(own.clone());
            continue;
        };
        let (sort, clause) = match (&own.kind, &columns[at].kind) {
            (ColumnKind::Computed(_), ColumnKind::Computed(_)) => ("A generated column", "GENERATED"),
            (ColumnKind::Metadata { .. }, ColumnKind::Metadata { .. }) => ("A metadata column", "METADATA"),
            _ => ("A column", ""),
        };
        if clause.is_empty() || how(own) != LikeStrategy::Overwriting {
            let advice = match clause {
                "" => String::new(),
                clause => format!(" You might want to specify EXCLUDING {clause} or OVERWRITING {clause}."),
            };
            let message = format!("{sort} named '{}' already exists in the base table.{advice}", own.name.value);
            return Err(Diagnostic::error(BAD_TABLE, message).at(own.name.span));
        }
        columns[at] = own.clone();
    }
    Ok(columns)
}

/// What the primary key made NOT NULL stays so without it.
fn keep_not_null(columns: &mut [ColumnDef], table: &CreateTable) {
    let keys =
        table.constraints.iter().filter(|constraint| constraint.primary).flat_map(|constraint| &constraint.columns);
    for key in keys {
        let column = columns.iter_mut().find(|column| column.name.value == key.value);
        if let Some(ColumnDef { kind: ColumnKind::Physical(ty), .. }) = column {
            ty.nullable = Some(false);
        }
    }
}

fn change(table: &mut CreateTable, action: &AlterAction, at: Span) -> Result<(), Diagnostic> {
    let unknown = |name: &str, span: Span, names: Vec<String>| {
        let message = format!("The column `{name}` does not exist in the base table.");
        let error = Diagnostic::error(BAD_TABLE, message).at(span);
        crate::bind::suggest_at(error, name, span, names.iter().map(String::as_str))
    };
    let names = |table: &CreateTable| table.columns.iter().map(|column| column.name.value.clone()).collect();
    match action {
        AlterAction::Set(options) => options.iter().for_each(|option| set(&mut table.options, option)),
        AlterAction::Reset(keys) => {
            for key in keys {
                if key.value == "connector" {
                    let message = "ALTER TABLE RESET does not support changing 'connector'";
                    return Err(Diagnostic::error(BAD_OPTION, message).at(key.span));
                }
                table.options.retain(|option| option.key.value != key.value);
            }
        }
        AlterAction::Rename(name) => table.name = name.clone(),
        AlterAction::RenameColumn(old, new) => {
            if table.columns.iter().any(|column| column.name.value == new.value) {
                let message = format!("The column `{}` already existed in table schema.", new.value);
                return Err(Diagnostic::error(BAD_TABLE, message).at(new.span));
            }
            let Some(column) = table.columns.iter_mut().find(|column| column.name.value == old.value) else {
                return Err(unknown(&old.value, old.span, names(table)));
            };
            column.name = new.clone();
            let keys = table.constraints.iter_mut().flat_map(|constraint| &mut constraint.columns);
            keys.filter(|key| key.value == old.value).for_each(|key| key.value.clone_from(&new.value));
        }
        AlterAction::Elements { add, columns, watermarks, constraints } => {
            for column in columns {
                let known = table.columns.iter_mut().find(|known| known.name.value == column.name.value);
                match (known, add) {
                    (Some(known), false) => *known = column.clone(),
                    (None, true) => table.columns.push(column.clone()),
                    (Some(_), true) => {
                        let message =
                            format!("Try to add a column `{}` which already exists in the table.", column.name.value);
                        return Err(Diagnostic::error(BAD_TABLE, message).at(column.name.span));
                    }
                    (None, false) => {
                        return Err(unknown(&column.name.value, column.name.span, names(table)));
                    }
                }
            }
            if let Some(watermark) = watermarks.first() {
                if *add != table.watermarks.is_empty() {
                    let message = match add {
                        true => {
                            "The base table has already defined the watermark strategy. You might want to drop it before adding a new one."
                        }
                        false => {
                            "The base table does not define any watermark strategy. You might want to add a new one."
                        }
                    };
                    return Err(Diagnostic::error(BAD_WATERMARK, message).at(watermark.span));
                }
                table.watermarks.clone_from(watermarks);
            }
            if let Some(constraint) = constraints.first() {
                let known = table.constraints.iter().any(|constraint| constraint.primary);
                if *add == known {
                    let message = match add {
                        true => {
                            "The base table has already defined the primary key constraint. You might want to drop it before adding a new one."
                        }
                        false => {
                            "The base table does not define any primary key constraint. You might want to add a new one."
                        }
                    };
                    return Err(Diagnostic::error(BAD_KEY, message).at(constraint.span));
                }
                table.constraints.clone_from(constraints);
            }
        }
        AlterAction::DropColumns(dropped) => {
            for column in dropped {
                if !table.columns.iter().any(|known| known.name.value == column.value) {
                    return Err(unknown(&column.value, column.span, names(table)));
                }
                if table
                    .constraints
                    .iter()
                    .flat_map(|constraint| &constraint.columns)
                    .any(|key| key.value == column.value)
                {
                    let message = format!("The column `{}` is used as the primary key.", column.value);
                    return Err(Diagnostic::error(BAD_TABLE, message).at(column.span));
                }
                table.columns.retain(|known| known.name.value != column.value);
            }
        }
        AlterAction::DropWatermark => {
            if table.watermarks.is_empty() {
                let message = "The base table does not define any watermark strategy.";
                return Err(Diagnostic::error(BAD_WATERMARK, message).at(at));
            }
            table.watermarks.clear();
        }
        AlterAction::DropKey => {
            if !table.constraints.iter().any(|constraint| constraint.primary) {
                let message = "The base table does not define any primary key.";
                return Err(Diagnostic::error(BAD_KEY, message).at(at));
            }
            let mut columns = std::mem::take(&mut table.columns);
            keep_not_null(&mut columns, table);
            table.columns = columns;
            table.constraints.retain(|constraint| !constraint.primary);
        }
    }
    Ok(())
}

fn set(options: &mut Vec<SqlOption>, option: &SqlOption) {
    match options.iter_mut().find(|known| known.key.value == option.key.value) {
        Some(known) => *known = option.clone(),
        None => options.push(option.clone()),
    }
}
