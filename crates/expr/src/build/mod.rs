//! From names and arguments to bound expressions: overloads, implicit casts, exact result types.

mod error;
mod fold;
mod types;

pub use error::{CallError, UNKNOWN_FUNCTION, WRONG_ARGUMENTS};
pub use fold::fold_constants;
pub use types::common_type;
pub(crate) use types::{arithmetic, as_decimal};

use tidegate_data::{DataType, LogicalType, Value};

use crate::expr::{Expr, ExprKind};
use crate::functions::convert;

/// A constant of the given type.
pub fn literal(value: Value, ty: DataType) -> Expr {
    Expr { kind: ExprKind::Literal(value), ty }
}

/// A column of the input.
pub fn column(index: usize, ty: DataType) -> Expr {
    Expr { kind: ExprKind::Column(index), ty }
}

/// CAST (or, with `safe`, TRY_CAST) to a type. The result takes NULL if the input does, or if the cast is safe,
/// whatever nullability `to` has.
///
/// # Errors
/// When Flink has no such cast.
pub fn cast(input: Expr, to: &DataType, safe: bool) -> Result<Expr, CallError> {
    if tidegate_data::can_cast(&input.ty, to) == tidegate_data::Cast::No {
        let message =
            format!("Cast function cannot convert value of type {} to type {}", input.ty.calcite(), to.calcite());
        return Err(CallError::arguments(message, Some(0)));
    }
    let ty = to.with_nullable(input.ty.nullable || safe);
    Ok(Expr { kind: ExprKind::Cast { input: Box::new(input), safe }, ty })
}

/// A call of the operator or function `name`.
///
/// Operators go by their SQL text: `=`, `<>`, `<`, `<=`, `>`, `>=`, `AND`, `OR`, `NOT`, `+`, `-` (one or two
/// arguments), `*`, `/`, `%`, `||`, `IS NULL`, `IS NOT NULL`, `IS [NOT] TRUE | FALSE | UNKNOWN`, `IS [NOT] DISTINCT FROM`,
/// `[NOT] IN`, `[NOT] BETWEEN`, `[NOT] LIKE`, `[NOT] SIMILAR TO` (with the escape character as third argument). A unit
/// (`EXTRACT`, `FLOOR`, `CEIL`, `TIMESTAMPADD`, `TIMESTAMPDIFF`) is a string literal at its place in the SQL.
///
/// # Errors
/// When there is no such function, or it takes no such arguments; the text is Flink's.
pub fn call(name: &str, args: Vec<Expr>) -> Result<Expr, CallError> {
    crate::functions::bind(name, args)
}

/// `CASE WHEN condition THEN value ... ELSE otherwise END`.
///
/// # Errors
/// When a condition is not BOOLEAN or the values have no common type.
pub fn case(branches: Vec<(Expr, Expr)>, otherwise: Option<Expr>) -> Result<Expr, CallError> {
    if branches.iter().any(|(condition, _)| !matches!(condition.ty.logical, LogicalType::Boolean | LogicalType::Null)) {
        return Err(CallError::arguments("Expected a boolean type", None));
    }
    let otherwise = otherwise.unwrap_or_else(|| literal(Value::Null, DataType::new(LogicalType::Null)));
    let mut types: Vec<DataType> = branches.iter().map(|(_, value)| value.ty.clone()).collect();
    types.push(otherwise.ty.clone());
    let ty = common_type(&types)
        .ok_or_else(|| CallError::arguments("Illegal mixing of types in CASE or COALESCE statement", None))?;
    if ty.logical == LogicalType::Null {
        return Err(CallError::arguments("ELSE clause or at least one THEN clause must be non-NULL", None));
    }
    let boolean = DataType::new(LogicalType::Boolean);
    let branches =
        branches.into_iter().map(|(condition, value)| Ok((convert(condition, &boolean)?, convert(value, &ty)?)));
    let branches = branches.collect::<Result<Vec<_>, CallError>>()?;
    let otherwise = Box::new(convert(otherwise, &ty)?);
    Ok(Expr { kind: ExprKind::Case { branches, otherwise }, ty })
}
