//! Queries: WITH, set operations, ORDER BY and LIMIT around a SELECT or VALUES.

use std::sync::Arc;

use tidegate_data::{DataType, Field, LogicalType, Schema};
use tidegate_diag::Diagnostic;
use tidegate_sql::ast::{Query, SetExpr, SetExprKind, SetOp};

use super::{Binder, CteFrame};
use crate::codes::SET_OPERATION;
use crate::logical::{Aggregate, JoinKind, Rel, RelOp};
use crate::rex::Rex;

impl Binder<'_> {
    /// Binds a query. `None` when it has errors; all are reported.
    pub fn query(&self, query: &Query) -> Option<Rel> {
        self.nested(query.span, || {
            let outer = self.ctes.borrow().len();
            if query.recursive {
                self.not_yet("WITH RECURSIVE", query.span);
            }
            for cte in &query.with {
                let visible = self.ctes.borrow().len();
                self.ctes.borrow_mut().push(Arc::new(CteFrame { cte: cte.clone(), visible }));
            }
            // What is inside has lists of its own.
            let outside = self.scalars.replace(None);
            let body = self.ordered(query);
            *self.scalars.borrow_mut() = outside;
            self.ctes.borrow_mut().truncate(outer);
            body
        })
    }

    pub(super) fn set_expr(&self, body: &SetExpr) -> Option<Rel> {
        match &body.kind {
            SetExprKind::Select(select) => self.select(select),
            SetExprKind::Values(rows) => self.values(rows, body.span),
            SetExprKind::Table(name) => {
                let table = self.named_table(name, &[], None)?;
                self.written_names.borrow_mut().clear();
                let all: Vec<usize> = (0..table.rel.width()).collect();
                Some(Rel::keep(table.rel, &all))
            }
            SetExprKind::Query(query) => self.query(query),
            SetExprKind::SetOp { op, all, left, right, .. } => {
                let bound_left = self.set_expr(left);
                // The columns of a set operation are called as those of its left side.
                let names = self.written_names.borrow().clone();
                let bound_right = self.set_expr(right);
                *self.written_names.borrow_mut() = names;
                match (op, all) {
                    (SetOp::Union, true) => self.union(bound_left?, bound_right?, right, "UNION ALL"),
                    (SetOp::Union, false) => {
                        let all = self.union(bound_left?, bound_right?, right, "UNION")?;
                        let keys = (0..all.width()).collect();
                        Some(Rel::aggregate(all, Aggregate { keys, calls: Vec::new(), ttl: None }))
                    }
                    (SetOp::Except, false) => {
                        self.distinct_set(bound_left?, bound_right?, right, "EXCEPT", JoinKind::Anti)
                    }
                    (SetOp::Intersect, false) => {
                        self.distinct_set(bound_left?, bound_right?, right, "INTERSECT", JoinKind::Semi)
                    }
                    (SetOp::Except, true) => {
                        super::set_all::except_all(self.union(bound_left?, bound_right?, right, "EXCEPT ALL")?)
                    }
                    (SetOp::Intersect, true) => {
                        super::set_all::intersect_all(self.union(bound_left?, bound_right?, right, "INTERSECT ALL")?)
                    }
                }
            }
        }
    }

    /// INTERSECT and EXCEPT: the different rows of the left side that are on the right side, or are not; NULLs are equal.
    fn distinct_set(&self, left: Rel, right: Rel, right_text: &SetExpr, what: &str, kind: JoinKind) -> Option<Rel> {
        let Rel { mut inputs, schema, .. } = self.union(left, right, right_text, what)?;
        let (right, left) = (inputs.pop()?, inputs.pop()?);
        let (left, right) = (coerce(left, &schema), coerce(right, &schema));
        let width = left.width();
        let terms = (0..width).map(|i| {
            let (one, other) = (left.column(i), right.column(i).map_columns(&|column| column + width));
            let nullable = one.ty.nullable || other.ty.nullable;
            let boolean = DataType { logical: LogicalType::Boolean, nullable: false };
            Rex::typed_call(if nullable { "IS NOT DISTINCT FROM" } else { "=" }, vec![one, other], boolean)
        });
        let condition = Rex::and(terms.collect());
        let joined = Rel::join(left, right, kind, condition);
        Some(Rel::aggregate(joined, Aggregate { keys: (0..width).collect(), calls: Vec::new(), ttl: None }))
    }

    /// Both sides below one another: columns by position, each of the type that takes both sides' values.
    fn union(&self, left: Rel, right: Rel, right_text: &SetExpr, what: &str) -> Option<Rel> {
        if left.width() != right.width() {
            let message = format!("Column count mismatch in {what}");
            self.report(Diagnostic::error(SET_OPERATION, message).at(right_text.span).hint(format!(
                "The left side has {} columns, the right side {}.",
                left.width(),
                right.width()
            )));
            return None;
        }
        let mut fields = Vec::with_capacity(left.width());
        for (i, (l, r)) in left.schema.fields.iter().zip(&right.schema.fields).enumerate() {
            match union_type(&l.ty, &r.ty) {
                Some(ty) => fields.push(Field { name: l.name.clone(), ty }),
                None => {
                    self.report(
                        Diagnostic::error(SET_OPERATION, format!("Type mismatch in column {} of {what}", i + 1))
                            .at(right_text.span)
                            .hint(format!("It is {} on the left and {} on the right.", l.ty, r.ty)),
                    );
                }
            }
        }
        if fields.len() < left.width() {
            return None;
        }
        Some(Rel { op: RelOp::Union, inputs: vec![left, right], schema: Schema { fields } })
    }
}

/// The type of a column of a union. The left side says whether it is a time attribute.
fn union_type(left: &DataType, right: &DataType) -> Option<DataType> {
    let nullable = left.nullable || right.nullable;
    if left.logical == right.logical {
        return Some(left.with_nullable(nullable));
    }
    let plain = |ty: &DataType| DataType { logical: ty.logical.without_time_attribute(), nullable: ty.nullable };
    if plain(left).logical == plain(right).logical {
        return Some(left.with_nullable(nullable));
    }
    tidegate_expr::common_type(&[plain(left), plain(right)])
}

/// An input of a union cast to the union's types, nullability included.
pub(crate) fn coerce(input: Rel, schema: &Schema) -> Rel {
    let same = input.schema.fields.iter().zip(&schema.fields).all(|(own, wanted)| own.ty == wanted.ty);
    if same {
        return input;
    }
    let exprs: Vec<Rex> =
        schema.fields.iter().enumerate().map(|(i, wanted)| input.column(i).typed_as(&wanted.ty)).collect();
    let names = input.names();
    Rel::project(input, exprs, names)
}
