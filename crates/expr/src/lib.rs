//! Bound expressions, evaluated a column at a time, and the aggregate functions.

pub mod aggregates;
pub mod build;
pub mod eval;
pub mod expr;
pub mod functions;

pub use aggregates::{AggregateCall, AggregateFunction};
pub use build::{CallError, call, cast, common_type, literal};
pub use eval::{EvalContext, EvalError};
pub use expr::{Expr, ExprKind};
