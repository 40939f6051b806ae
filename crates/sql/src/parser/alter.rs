//! `ALTER TABLE`.

use super::table::Elements;
use super::{Parsed, Parser};
use crate::ast::{AlterAction, AlterTable, StatementKind};

impl Parser<'_> {
    pub(super) fn alter(&mut self) -> Parsed<StatementKind> {
        let start = self.peek().span;
        self.skip(1);
        if !self.at("TABLE") {
            let what = self.peek().clone();
            if self.at_any(&["VIEW", "FUNCTION", "CATALOG", "DATABASE", "MODEL", "MATERIALIZED", "CONNECTION"]) {
                let name = format!("ALTER {}", self.source(what.span).to_ascii_uppercase());
                return Err(self.unsupported(start.to(what.span), &name, "DROP it, and CREATE it anew."));
            }
            return Err(self.unexpected(&["TABLE"]));
        }
        self.skip(1);
        let if_exists = self.eat_all(&["IF", "EXISTS"]);
        let name = self.object_name("a table name")?;
        let from = self.peek().span;
        let action = if self.eat("SET") {
            AlterAction::Set(self.options()?)
        } else if self.eat("RESET") {
            self.expect("(")?;
            let keys = self.plain_list(|p| p.string("a key in single quotes"))?;
            self.expect(")")?;
            AlterAction::Reset(keys)
        } else if self.eat("RENAME") {
            if self.eat("TO") {
                AlterAction::Rename(self.object_name("a table name")?)
            } else {
                let column = self.ident("a column name")?;
                self.expect("TO")?;
                AlterAction::RenameColumn(column, self.ident("a column name")?)
            }
        } else if self.at("ADD") || self.at("MODIFY") {
            let add = self.next().is("ADD");
            let mut elements = Elements::default();
            let mut one = |p: &mut Self| -> Parsed<()> {
                p.eat("COLUMN");
                p.element(&mut elements)?;
                if p.at("FIRST") || p.at("AFTER") {
                    let span = p.peek().span;
                    return Err(p.unsupported(span, "A place among the columns", "A new column comes last."));
                }
                Ok(())
            };
            if self.eat("(") {
                self.plain_list(one)?;
                self.expect(")")?;
            } else {
                one(self)?;
            }
            let Elements { columns, watermarks, constraints } = elements;
            AlterAction::Elements { add, columns, watermarks, constraints }
        } else if self.eat("DROP") {
            if self.eat("WATERMARK") {
                AlterAction::DropWatermark
            } else if self.eat_all(&["PRIMARY", "KEY"]) {
                AlterAction::DropKey
            } else if self.at("(") {
                AlterAction::DropColumns(self.ident_list("a column name")?)
            } else {
                AlterAction::DropColumns(vec![self.ident("a column name")?])
            }
        } else {
            return Err(self.unexpected(&["SET", "RESET", "ADD", "MODIFY", "DROP", "RENAME"]));
        };
        let span = self.since(from);
        Ok(StatementKind::AlterTable(Box::new(AlterTable { if_exists, name, action, span })))
    }
}
