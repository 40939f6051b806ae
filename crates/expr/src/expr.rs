//! The bound expression tree: every node typed, names gone, casts explicit.

use tidegate_data::{DataType, Value};

use crate::functions::ScalarFunction;

/// A bound expression with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// The type of its result, nullability included.
    pub ty: DataType,
}

/// The forms of a bound expression. Everything else (operators, LIKE, IN over literals, EXTRACT, ...) is a `Call`.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A column of the input, by position.
    Column(usize),
    /// A constant.
    Literal(Value),
    /// A conversion to `Expr::ty`.
    Cast {
        /// What is converted.
        input: Box<Expr>,
        /// TRY_CAST: a failure gives NULL instead of failing the job.
        safe: bool,
    },
    /// `CASE WHEN condition THEN value ... ELSE otherwise END`, all values already of `Expr::ty`; evaluated lazily.
    Case {
        /// Conditions and values.
        branches: Vec<(Expr, Expr)>,
        /// The ELSE value (a NULL literal when there is none).
        otherwise: Box<Expr>,
    },
    /// A function or operator on arguments that already have the types it wants.
    Call {
        /// The function.
        function: &'static ScalarFunction,
        /// Its arguments.
        args: Vec<Expr>,
    },
}
