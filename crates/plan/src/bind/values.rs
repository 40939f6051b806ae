//! VALUES: rows written in the statement.

use tidegate_data::{DataType, Field, Schema};
use tidegate_diag::Span;
use tidegate_sql::ast::{Expr, ExprKind};

use super::expr::ExprContext;
use super::{Binder, Scope};
use crate::codes::SET_OPERATION;
use crate::logical::{Rel, RelOp};
use crate::rex::{Rex, fold};

impl Binder<'_> {
    /// Binds `VALUES (…), (…)`: one source where all values are constants of the columns' types, else a union of one
    /// projection per row, as in Flink.
    pub(super) fn values(&self, rows: &[Expr], span: Span) -> Option<Rel> {
        let scope = Scope::default();
        let cx = ExprContext::rows(&scope, "VALUES");
        let mut bound: Vec<Vec<Rex>> = Vec::with_capacity(rows.len());
        for row in rows {
            let items: Vec<&Expr> = match &row.kind {
                ExprKind::Row(items) => items.iter().collect(),
                _ => vec![row],
            };
            let rexes: Vec<Rex> = items.into_iter().map(|item| self.expr(item, &cx)).collect();
            if let Some(first) = bound.first()
                && first.len() != rexes.len()
            {
                let message = "Values passed to VALUES operator must have compatible types";
                self.error(SET_OPERATION, message, row.span);
                return None;
            }
            bound.push(rexes);
        }
        self.written_names.borrow_mut().clear();
        if bound.iter().flatten().any(Rex::has_error) {
            return None;
        }
        let width = bound.first().map_or(0, Vec::len);
        let mut types = Vec::with_capacity(width);
        for column in 0..width {
            let all: Vec<DataType> = bound.iter().map(|row| row[column].ty.clone()).collect();
            match tidegate_expr::common_type(&all) {
                Some(ty) => types.push(ty),
                None => {
                    self.error(SET_OPERATION, "Values passed to VALUES operator must have compatible types", span);
                    return None;
                }
            }
        }
        let fields: Vec<Field> =
            types.iter().enumerate().map(|(i, ty)| Field { name: format!("EXPR${i}"), ty: ty.clone() }).collect();
        let constants = bound.iter().all(|row| row.iter().zip(&types).all(|(rex, ty)| fits(rex, ty)));
        if constants {
            let rows =
                bound.into_iter().map(|row| row.into_iter().zip(&types).map(|(rex, ty)| retype(rex, ty)).collect());
            return Some(Rel { op: RelOp::Values(rows.collect()), inputs: Vec::new(), schema: Schema { fields } });
        }
        let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        let inputs: Vec<Rel> =
            bound.into_iter().map(|row| Rel::project(super::from::one_row(), row, names.clone())).collect();
        if inputs.len() == 1 {
            return inputs.into_iter().next();
        }
        Some(Rel { op: RelOp::Union, inputs, schema: Schema { fields } })
    }
}

/// Whether a value is a constant that a column of type `ty` takes without a cast that plans show.
fn fits(rex: &Rex, ty: &DataType) -> bool {
    rex.as_literal().is_some()
        && (rex.ty.logical == ty.logical || (rex.ty.logical.is_character() && ty.logical.is_character()))
}

fn retype(rex: Rex, ty: &DataType) -> Rex {
    let wanted = ty.with_nullable(rex.ty.nullable);
    match rex.clone().cast(&wanted, false) {
        Ok(cast) => fold(cast),
        Err(_) => rex,
    }
}
