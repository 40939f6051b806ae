//! CAST, and the constants that are read as another type where they stand.

use tidegate_data::{DataType, LogicalType, Value};
use tidegate_diag::Span;

use super::Binder;
use crate::rex::{Rex, RexKind, fold};

impl Binder<'_> {
    /// CAST; of a constant NULL it is a NULL of that type, and other constants are computed right away.
    pub(super) fn cast(&self, operand: Rex, ty: &DataType, safe: bool, span: Span) -> Rex {
        if operand.has_error() {
            return operand;
        }
        if operand.as_literal() == Some(&Value::Null) {
            return Rex::null(ty);
        }
        if !safe && let Some(rex) = boolean_cast(&operand, ty) {
            return rex;
        }
        let constant = operand.as_literal().is_some();
        let written = operand.clone();
        // A time attribute loses its mark.
        if operand.ty.is_rowtime() && operand.ty.logical.without_time_attribute() == ty.logical && !safe {
            let plain = ty.with_nullable(operand.ty.nullable);
            return operand.typed_as(&plain);
        }
        match operand.cast(ty, safe) {
            Ok(cast) if constant && !safe => fold_constant(&written, cast),
            Ok(cast) => cast,
            Err(error) => self.fail_call(error, span),
        }
    }
}

/// A cast of a constant, computed. A number keeps the digits that were written.
pub(super) fn fold_constant(written: &Rex, cast: Rex) -> Rex {
    let mut folded = fold(cast);
    let digits = match &written.kind {
        RexKind::Literal { unit: None, .. } if written.ty.logical.is_exact_numeric() => {
            Some(crate::text::digits(written))
        }
        RexKind::Literal { unit: Some(digits), .. } if written.ty.logical.is_numeric() => Some(digits.clone()),
        _ => None,
    };
    let approximate_or_decimal =
        matches!(folded.ty.logical, LogicalType::Decimal(..) | LogicalType::Double | LogicalType::Float);
    if let (Some(digits), RexKind::Literal { unit, .. }, true) = (digits, &mut folded.kind, approximate_or_decimal) {
        *unit = Some(digits);
    }
    folded
}

/// CAST between BOOLEAN and exact numbers as Calcite writes it: `x <> 0`, and CASE of 1 and 0.
fn boolean_cast(operand: &Rex, ty: &DataType) -> Option<Rex> {
    let number = |value: i64, ty: &LogicalType| {
        let (stored, unit) = match ty {
            LogicalType::Decimal(_, scale) => {
                (Value::Decimal(i128::from(value) * 10i128.pow(u32::from(*scale))), Some(value.to_string()))
            }
            _ => (Value::Int(value), None),
        };
        Rex { kind: RexKind::Literal { value: stored, unit }, ty: DataType::not_null(ty.clone()) }
    };
    let source = &operand.ty.logical;
    if ty.logical == LogicalType::Boolean && source.is_exact_numeric() {
        let boolean = DataType { logical: LogicalType::Boolean, nullable: operand.ty.nullable };
        return Some(Rex::typed_call("<>", vec![operand.clone(), number(0, source)], boolean));
    }
    if *source == LogicalType::Boolean && ty.logical.is_exact_numeric() && operand.as_literal().is_none() {
        let case = |condition: Rex, value: Rex, otherwise: Rex, nullable: bool| {
            let kind = RexKind::Case { branches: vec![(condition, value)], otherwise: Box::new(otherwise) };
            Rex { kind, ty: ty.with_nullable(nullable) }
        };
        let inner = case(operand.clone(), number(1, &ty.logical), number(0, &ty.logical), false);
        if !operand.ty.nullable {
            return Some(inner);
        }
        let known = Rex::typed_call("IS NOT NULL", vec![operand.clone()], DataType::not_null(LogicalType::Boolean));
        return Some(case(known, inner, Rex::null(ty), true));
    }
    None
}
