//! Three-valued logic: AND, OR, NOT, IS [NOT] TRUE, FALSE and UNKNOWN.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use tidegate_data::{DataType, LogicalType};

use super::comparison::{IS_NOT_NULL, IS_NULL};
use super::signature::{Family, check};
use super::{Binding, Call, Kernel, ScalarFunction, Shape};
use crate::eval::{Datum, EvalError, Input, evaluate_rows};
use crate::{CallError, Expr};

pub(super) const BINDINGS: &[Binding] = &[
    Binding { name: "AND", bind: |_, args| bind_connective(&AND, args) },
    Binding { name: "OR", bind: |_, args| bind_connective(&OR, args) },
    Binding { name: "NOT", bind: |name, args| Ok(NOT.on_booleans(check(name, args, &[&[Family::Boolean]])?)) },
    Binding { name: "IS TRUE", bind: |_, args| bind_test(&IS_TRUE, args) },
    Binding { name: "IS NOT TRUE", bind: |_, args| bind_test(&IS_NOT_TRUE, args) },
    Binding { name: "IS FALSE", bind: |_, args| bind_test(&IS_FALSE, args) },
    Binding { name: "IS NOT FALSE", bind: |_, args| bind_test(&IS_NOT_FALSE, args) },
    Binding { name: "IS UNKNOWN", bind: |_, args| bind_test(&IS_NULL, args) },
    Binding { name: "IS NOT UNKNOWN", bind: |_, args| bind_test(&IS_NOT_NULL, args) },
];

pub(crate) static AND: ScalarFunction =
    ScalarFunction::new("AND", Kernel::Lazy(|args, _, input| connect(args, input, false)))
        .cheap()
        .shown_as(Shape::Infix);
pub(crate) static OR: ScalarFunction =
    ScalarFunction::new("OR", Kernel::Lazy(|args, _, input| connect(args, input, true))).cheap().shown_as(Shape::Infix);
pub(crate) static NOT: ScalarFunction = ScalarFunction::strict("NOT", |call| {
    let operand = call.values[0].array().as_boolean();
    Ok(Arc::new(BooleanArray::new(!operand.values(), operand.nulls().cloned())))
})
.cheap();

const fn test(name: &'static str, kernel: fn(&Call<'_>) -> Result<ArrayRef, EvalError>) -> ScalarFunction {
    ScalarFunction::new(name, Kernel::Plain(kernel)).cheap().shown_as(Shape::Postfix)
}

pub(crate) static IS_TRUE: ScalarFunction = test("IS TRUE", |call| Ok(truth_test(call, true, true)));
static IS_NOT_TRUE: ScalarFunction = test("IS NOT TRUE", |call| Ok(truth_test(call, true, false)));
static IS_FALSE: ScalarFunction = test("IS FALSE", |call| Ok(truth_test(call, false, true)));
static IS_NOT_FALSE: ScalarFunction = test("IS NOT FALSE", |call| Ok(truth_test(call, false, false)));

fn truth_test(call: &Call<'_>, wanted: bool, positive: bool) -> ArrayRef {
    let operand = call.booleans(0);
    let truths = BooleanBuffer::collect_bool(call.len, |row| (operand.get(row) == Some(wanted)) == positive);
    Arc::new(BooleanArray::new(truths, None))
}

fn bind_test(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(function.name, args, &[&[Family::Boolean]])?;
    Ok(function.on(args, DataType::not_null(LogicalType::Boolean)))
}

/// Two or more operands; nested ones of the same kind are taken in.
fn bind_connective(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let mut flat = Vec::new();
    let mut args = args.into_iter();
    let mut left = args.next().into_iter().collect::<Vec<_>>();
    for right in args {
        left.push(right);
        let checked = check(function.name, left, &[&[Family::Boolean, Family::Boolean]])?;
        left = vec![function.on_booleans(checked)];
    }
    let Some(whole) = left.pop() else { return Err(CallError::count(function.name, 0, "2")) };
    flatten(function, whole, &mut flat);
    match flat.len() {
        1 => check(function.name, flat, &[&[Family::Boolean, Family::Boolean]]).map(|_| unreachable!("one is not two")),
        _ => Ok(function.on_booleans(flat)),
    }
}

fn flatten(function: &'static ScalarFunction, expr: Expr, flat: &mut Vec<Expr>) {
    match expr.kind {
        crate::ExprKind::Call { function: inner, args } if inner == function => {
            args.into_iter().for_each(|arg| flatten(function, arg, flat));
        }
        kind => flat.push(Expr { kind, ty: expr.ty }),
    }
}

/// AND (`decisive` is false) or OR (`decisive` is true). An operand that may fail is computed only for the rows that those before it leave undecided.
fn connect(args: &[Expr], input: &Input<'_>, decisive: bool) -> Result<Datum, EvalError> {
    let mut state: Option<BooleanArray> = None;
    for arg in args {
        let next = match &state {
            Some(so_far) if arg.can_fail() => {
                let open: Vec<u32> = (0..input.len as u32)
                    .filter(|row| so_far.is_null(*row as usize) || so_far.value(*row as usize) != decisive)
                    .collect();
                if open.len() == input.len {
                    spread(&arg.evaluate(input)?, input.len)
                } else if open.is_empty() {
                    break;
                } else {
                    scatter(&evaluate_rows(arg, input, &open)?, &open, input.len, decisive)
                }
            }
            _ => spread(&arg.evaluate(input)?, input.len),
        };
        state = Some(match state {
            None => next,
            Some(so_far) => combine(&so_far, &next, decisive),
        });
    }
    Ok(Datum::Column(Arc::new(state.expect("AND and OR have operands"))))
}

fn spread(value: &Datum, len: usize) -> BooleanArray {
    match value {
        Datum::Column(array) => array.as_boolean().clone(),
        Datum::Scalar(array) if array.is_null(0) => BooleanArray::new_null(len),
        Datum::Scalar(array) => {
            let truth = array.as_boolean().value(0);
            BooleanArray::new(if truth { BooleanBuffer::new_set(len) } else { BooleanBuffer::new_unset(len) }, None)
        }
    }
}

fn scatter(value: &Datum, rows: &[u32], len: usize, rest: bool) -> BooleanArray {
    let part = spread(value, rows.len());
    let mut truths = vec![Some(rest); len];
    rows.iter().enumerate().for_each(|(at, row)| truths[*row as usize] = part.is_valid(at).then(|| part.value(at)));
    truths.into()
}

/// Bit by bit: a decisive value decides, else NULL wins.
fn combine(a: &BooleanArray, b: &BooleanArray, decisive: bool) -> BooleanArray {
    let values = if decisive { a.values() | b.values() } else { a.values() & b.values() };
    if a.null_count() == 0 && b.null_count() == 0 {
        return BooleanArray::new(values, None);
    }
    let valid = |array: &BooleanArray| match array.nulls() {
        None => BooleanBuffer::new_set(array.len()),
        Some(nulls) => nulls.inner().clone(),
    };
    let (valid_a, valid_b) = (valid(a), valid(b));
    let decided = |array: &BooleanArray, valid: &BooleanBuffer| {
        if decisive { array.values() & valid } else { &!array.values() & valid }
    };
    let decided = &decided(a, &valid_a) | &decided(b, &valid_b);
    let known = &(&valid_a & &valid_b) | &decided;
    let values = if decisive { decided } else { !&decided };
    BooleanArray::new(values, Some(NullBuffer::new(known)))
}
