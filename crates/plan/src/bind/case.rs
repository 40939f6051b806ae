//! CASE, and what Calcite makes one of: COALESCE, NULLIF, IF.

use tidegate_data::{DataType, LogicalType, Value};
use tidegate_diag::Span;
use tidegate_sql::ast::Expr;

use super::Binder;
use super::cast::fold_constant;
use super::expr::ExprContext;
use super::time::as_rowtime;
use crate::codes::{BAD_OPERANDS, NOT_BOOLEAN};
use crate::rex::{Rex, RexKind};

impl Binder<'_> {
    /// CASE as it is written; behind an operand its branches are comparisons.
    pub(super) fn case(
        &self,
        operand: Option<&Expr>,
        branches: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
        span: Span,
        cx: &ExprContext<'_>,
    ) -> Rex {
        let operand = operand.map(|operand| self.expr(operand, cx));
        let mut bound = Vec::with_capacity(branches.len());
        for (when, then) in branches {
            let condition = match &operand {
                Some(operand) => {
                    let when_rex = self.expr(when, cx);
                    self.equality("=", operand.clone(), when_rex, when.span)
                }
                None => {
                    let rex = self.expr(when, cx);
                    if !rex.has_error() && !matches!(rex.ty.logical, LogicalType::Boolean | LogicalType::Null) {
                        self.error(NOT_BOOLEAN, "Expected a boolean type", when.span);
                    }
                    rex
                }
            };
            bound.push((condition, self.expr(then, cx)));
        }
        let otherwise = otherwise.map(|otherwise| self.expr(otherwise, cx));
        self.build_case(bound, otherwise, span)
    }

    /// A CASE whose values all get the type that takes them all.
    pub(super) fn build_case(&self, branches: Vec<(Rex, Rex)>, otherwise: Option<Rex>, span: Span) -> Rex {
        let broken =
            branches.iter().flat_map(|(condition, value)| [condition, value]).chain(&otherwise).any(Rex::has_error);
        if broken {
            return Rex::error();
        }
        let plain =
            |rex: &Rex| DataType { logical: rex.ty.logical.without_time_attribute(), nullable: rex.ty.nullable };
        let null = DataType::new(LogicalType::Null);
        let rowtime = branches
            .iter()
            .map(|(_, value)| value)
            .chain(&otherwise)
            .find(|value| value.ty.logical.is_timestamp())
            .is_some_and(|value| value.ty.is_rowtime());
        let mut types: Vec<DataType> = branches.iter().map(|(_, value)| plain(value)).collect();
        types.push(otherwise.as_ref().map_or(null, plain));
        let Some(ty) = tidegate_expr::common_type(&types) else {
            self.error(BAD_OPERANDS, "Illegal mixing of types in CASE or COALESCE statement", span);
            return Rex::error();
        };
        let convert = |rex: Rex| -> Rex {
            if rex.as_literal() == Some(&Value::Null) {
                return Rex::null(&ty);
            }
            if rex.ty.is_rowtime() {
                return rex;
            }
            match rex.clone().cast(&ty, false) {
                Ok(cast) if rex.as_literal().is_some() => fold_constant(&rex, cast),
                Ok(mut cast) => {
                    if matches!(cast.kind, RexKind::Cast { .. }) && cast != rex {
                        cast.ty.nullable = ty.nullable;
                    }
                    cast
                }
                Err(error) => self.fail_call(error, span),
            }
        };
        let attribute = if rowtime { as_rowtime(&ty) } else { ty.clone() };
        let convert =
            |rex: Rex| if rowtime && !rex.ty.is_rowtime() { convert(rex).typed_as(&attribute) } else { convert(rex) };
        let branches = branches.into_iter().map(|(condition, value)| (condition, convert(value))).collect();
        let otherwise = otherwise.map_or_else(|| Rex::null(&attribute), convert);
        Rex { kind: RexKind::Case { branches, otherwise: Box::new(otherwise) }, ty: attribute }
    }
}
