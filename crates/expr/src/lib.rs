//! Bound expressions, evaluated a column at a time, and the aggregate functions.

pub mod aggregates;
pub mod build;
mod describe;
pub mod eval;
pub mod expr;
pub mod functions;

pub use aggregates::{AggregateCall, AggregateFunction};
pub use build::{CallError, call, case, cast, column, common_type, fold_constants, literal};
pub use describe::Notation;
pub use eval::{EvalContext, EvalError};
pub use expr::{Expr, ExprKind};
