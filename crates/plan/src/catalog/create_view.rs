//! CREATE VIEW.

use tidegate_data::Schema;
use tidegate_diag::Diagnostic;
use tidegate_sql::ast::CreateView;

use super::{Catalog, Relation, View};
use crate::bind::Binder;
use crate::codes::NO_COLUMN;
use crate::outcome::Outcome;

impl Catalog {
    pub(super) fn create_view(&mut self, create: &CreateView, text: &str) -> Result<Outcome, Vec<Diagnostic>> {
        let name = create.name.last().value.clone();
        let taken = if create.temporary { &self.temporary } else { &self.relations };
        if taken.contains_key(&name) && !create.if_not_exists {
            return Err(vec![super::exists(&name, create.name.span)]);
        }
        let binder = Binder::new(self);
        let bound = binder.query(&create.query);
        let (Some(rel), false) = (bound, binder.has_errors()) else {
            return Err(binder.into_diagnostics());
        };
        let mut schema: Schema = rel.schema;
        if !create.columns.is_empty() {
            if create.columns.len() != schema.fields.len() {
                let wanted: Vec<&str> = create.columns.iter().map(|column| column.value.as_str()).collect();
                let given: Vec<&str> = schema.fields.iter().map(|field| field.name.as_str()).collect();
                let message = format!(
                    "VIEW definition and input fields not match:\n\tDef fields: [{}].\n\tInput fields: [{}].",
                    wanted.join(", "),
                    given.join(", ")
                );
                return Err(vec![Diagnostic::error(NO_COLUMN, message).at(create.name.span)]);
            }
            for (field, column) in schema.fields.iter_mut().zip(&create.columns) {
                field.name.clone_from(&column.value);
            }
        }
        let view = View {
            name,
            columns: create.columns.iter().map(|column| column.value.clone()).collect(),
            query: create.query.clone(),
            // Stars and names mean what they mean now.
            text: crate::expand::query_text(self, &create.query)
                .unwrap_or_else(|| create.query.span.text(text).to_string()),
            schema,
            comment: create.comment.as_ref().map(|comment| comment.value.clone()),
        };
        self.store(&create.name, create.temporary, create.if_not_exists, Relation::View(Box::new(view)))
    }
}
