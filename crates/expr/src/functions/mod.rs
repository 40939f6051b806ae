//! The scalar functions, one file per family.

pub(crate) mod args;
mod arithmetic;
mod chance;
mod collection;
mod comparison;
mod conditional;
mod hash;
pub(crate) mod json;
mod logic;
mod math;
mod regexp;
mod row;
pub(crate) mod signature;
mod string;
pub(crate) mod time;

use std::fmt;

use arrow_array::ArrayRef;
use tidegate_data::{DataType, Value};

pub(crate) use args::Call;
pub(crate) use comparison::convert;
pub(crate) use signature::Binding;

use crate::eval::{Datum, EvalError, Input};
use crate::{CallError, Expr};

/// A scalar function or operator, as a bound call refers to it.
pub struct ScalarFunction {
    /// Its name, as plans show it.
    pub name: &'static str,
    /// Whether equal arguments always give an equal result.
    pub deterministic: bool,
    pub(crate) kernel: Kernel,
    pub(crate) shape: Shape,
    /// Whether a row may fail, given the arguments and the result type.
    pub(crate) can_fail: fn(&[Expr], &DataType) -> bool,
    /// Whether the session's time zone plays a part.
    pub(crate) reads_zone: bool,
    /// Whether it costs about a nanosecond a row.
    pub(crate) is_cheap: bool,
}

/// How a function is computed.
#[derive(Clone, Copy)]
pub(crate) enum Kernel {
    /// From its arguments' values; NULL if one of them is NULL. The kernel need not expect NULL scalars.
    Strict(fn(&Call<'_>) -> Result<ArrayRef, EvalError>),
    /// From its arguments' values.
    Plain(fn(&Call<'_>) -> Result<ArrayRef, EvalError>),
    /// From the values of one row; NULL if one of the first `strict` arguments is. For functions of nested values and of documents.
    Rows { strict: usize, row: fn(&Call<'_>, &[Value]) -> Result<Value, EvalError> },
    /// From the arguments themselves.
    Lazy(fn(&[Expr], &DataType, &Input<'_>) -> Result<Datum, EvalError>),
}

/// How an execution plan shows a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `F(a, b)`.
    Function,
    /// `(a + b)`.
    Infix,
    /// `a IS NULL`.
    Postfix,
    /// `a.b`, where b is the name of a field.
    Field,
}

impl ScalarFunction {
    /// A deterministic function that cannot fail and is shown as `NAME(...)`.
    pub(crate) const fn new(name: &'static str, kernel: Kernel) -> ScalarFunction {
        ScalarFunction {
            name,
            deterministic: true,
            kernel,
            shape: Shape::Function,
            can_fail: |_, _| false,
            reads_zone: false,
            is_cheap: false,
        }
    }

    pub(crate) const fn strict(
        name: &'static str,
        kernel: fn(&Call<'_>) -> Result<ArrayRef, EvalError>,
    ) -> ScalarFunction {
        ScalarFunction::new(name, Kernel::Strict(kernel))
    }

    pub(crate) const fn cheap(mut self) -> ScalarFunction {
        self.is_cheap = true;
        self
    }

    pub(crate) const fn shown_as(mut self, shape: Shape) -> ScalarFunction {
        self.shape = shape;
        self
    }

    pub(crate) const fn failing(mut self, can_fail: fn(&[Expr], &DataType) -> bool) -> ScalarFunction {
        self.can_fail = can_fail;
        self
    }

    pub(crate) const fn volatile(mut self) -> ScalarFunction {
        self.deterministic = false;
        self
    }

    pub(crate) const fn zoned(mut self) -> ScalarFunction {
        self.reads_zone = true;
        self
    }

    /// A call of it; the arguments are what it takes.
    pub(crate) fn on(&'static self, args: Vec<Expr>, ty: DataType) -> Expr {
        Expr { kind: crate::ExprKind::Call { function: self, args }, ty }
    }
}

impl PartialEq for ScalarFunction {
    fn eq(&self, other: &ScalarFunction) -> bool {
        std::ptr::eq(self, other)
    }
}

impl fmt::Debug for ScalarFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All names that can be called, family by family.
const FAMILIES: &[&[Binding]] = &[
    comparison::BINDINGS,
    logic::BINDINGS,
    arithmetic::BINDINGS,
    conditional::BINDINGS,
    math::BINDINGS,
    string::BINDINGS,
    string::SLICE,
    string::SEARCH,
    string::PAD,
    string::LIKE,
    string::ENCODE,
    string::KINDS,
    string::URL,
    string::PRINTF,
    chance::BINDINGS,
    regexp::BINDINGS,
    hash::BINDINGS,
    row::BINDINGS,
    collection::BINDINGS,
    json::BINDINGS,
    time::ARITHMETIC,
    time::EXTRACT,
    time::ROUND,
    time::TEXT,
    time::NOW,
];

/// Finds what a name stands for; case does not count.
pub(crate) fn find(name: &str) -> Option<&'static Binding> {
    FAMILIES.iter().copied().flatten().find(|binding| binding.name.eq_ignore_ascii_case(name))
}

/// The names of all functions, operators included, in no particular order.
pub fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().copied().flatten().map(|binding| binding.name)
}

/// Binds a call, or says why not.
pub(crate) fn bind(name: &str, args: Vec<Expr>) -> Result<Expr, CallError> {
    match find(name) {
        Some(binding) => (binding.bind)(binding.name, args),
        None => Err(CallError::unknown_function(name, &args)),
    }
}
