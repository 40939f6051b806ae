//! Computing what depends on no row.

use tidegate_data::{LogicalType, Value};

use crate::eval::EvalContext;
use crate::expr::{Expr, ExprKind};

/// The expression with everything computed that depends on no row, no clock and no session. What would fail stays as it
/// is and fails when a row gets there.
pub fn fold_constants(expr: Expr) -> Expr {
    let expr = expr.map_children(&mut fold_constants);
    let foldable = match &expr.kind {
        ExprKind::Column(_) | ExprKind::Literal(_) => false,
        _ => expr.is_deterministic() && !reads_zone(&expr) && expr.children().into_iter().all(is_literal),
    };
    if !foldable || !fits_literal(&expr) {
        return expr;
    }
    match expr.eval_constant(&EvalContext::default()) {
        Ok(value) if !value.is_null() || expr.ty.nullable => Expr { kind: ExprKind::Literal(value), ty: expr.ty },
        _ => expr,
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(_))
}

/// There are no constants of nested types, as there are none in Flink.
fn fits_literal(expr: &Expr) -> bool {
    use LogicalType::{Array, Map, Multiset, Null, Row};
    !matches!(expr.ty.logical, Null | Array(_) | Map(..) | Multiset(_) | Row(_))
}

/// Whether the session's time zone plays a part.
fn reads_zone(expr: &Expr) -> bool {
    let zoned = |expr: &Expr| matches!(expr.ty.logical, LogicalType::TimestampLtz(..));
    match &expr.kind {
        ExprKind::Cast { input, .. } => zoned(expr) != zoned(input) && !matches!(input.as_literal(), Some(Value::Null)),
        ExprKind::Call { function, .. } => function.reads_zone,
        _ => false,
    }
}
