//! Evaluation of an expression over a chunk, a column at a time.

mod datum;
mod lazy;

pub(crate) use datum::{Datum, full_null, union_nulls};
pub(crate) use lazy::{case, coalesce, evaluate_rows};

use std::cell::Cell;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use tidegate_data::{Chunk, DataType, LogicalType, Value, Zone, build_column, cast_column, value_at};
use tidegate_diag::{Code, Diagnostic};

use crate::functions::{Call, Kernel};
use crate::{Expr, ExprKind};

/// The code of a row that could not be computed.
pub const COMPUTATION_FAILED: Code = Code::new("TG4201");

/// What an expression may see besides the row.
#[derive(Clone, Debug)]
pub struct EvalContext {
    /// The operator's current watermark in ms, if any has come (CURRENT_WATERMARK).
    pub watermark: Option<i64>,
    /// Processing time in ms since the epoch (the host's clock).
    pub now: i64,
    /// `table.local-time-zone`.
    pub zone: Zone,
    /// Where RAND and UUID take their numbers from: the operator sets it, each number moves it on.
    pub chance: Cell<u64>,
}

impl Default for EvalContext {
    /// No watermark, the epoch, UTC.
    fn default() -> EvalContext {
        EvalContext { watermark: None, now: 0, zone: Zone::UTC, chance: Cell::new(0) }
    }
}

/// Why a row could not be computed; it fails the job.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalError {
    /// What went wrong, in Flink's words where it has some.
    pub diagnostic: Diagnostic,
}

impl EvalError {
    /// A failure with this message.
    pub fn new(message: impl Into<String>) -> EvalError {
        EvalError { diagnostic: Diagnostic::error(COMPUTATION_FAILED, message) }
    }
}

impl From<tidegate_data::CastError> for EvalError {
    fn from(error: tidegate_data::CastError) -> EvalError {
        EvalError::new(error.message)
    }
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for EvalError {}

/// The rows that an expression is evaluated over.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub columns: &'a [ArrayRef],
    pub len: usize,
    pub ctx: &'a EvalContext,
}

impl Expr {
    /// The expression's value in every row of the chunk, as a column of its type.
    ///
    /// # Errors
    /// When a row cannot be computed.
    pub fn eval(&self, chunk: &Chunk, ctx: &EvalContext) -> Result<ArrayRef, EvalError> {
        let input = Input { columns: &chunk.columns, len: chunk.len, ctx };
        Ok(self.evaluate(&input)?.into_array(chunk.len))
    }

    /// Which rows of the chunk a BOOLEAN expression holds for; the result has no NULL (NULL is false).
    ///
    /// # Errors
    /// When a row cannot be computed.
    pub fn filter(&self, chunk: &Chunk, ctx: &EvalContext) -> Result<BooleanArray, EvalError> {
        let values = self.eval(chunk, ctx)?;
        let values = values.as_boolean();
        match values.nulls() {
            None => Ok(values.clone()),
            Some(nulls) => Ok(BooleanArray::new(values.values() & nulls.inner(), None)),
        }
    }

    /// The value of an expression that reads no column.
    ///
    /// # Errors
    /// When it cannot be computed.
    ///
    /// # Panics
    /// When the expression does read a column.
    pub fn eval_constant(&self, ctx: &EvalContext) -> Result<tidegate_data::Value, EvalError> {
        let array = self.evaluate(&Input { columns: &[], len: 1, ctx })?.into_array(1);
        Ok(tidegate_data::value_at(&array, 0, &self.ty))
    }

    pub(crate) fn evaluate(&self, input: &Input<'_>) -> Result<Datum, EvalError> {
        match &self.kind {
            ExprKind::Column(column) => Ok(Datum::Column(input.columns[*column].clone())),
            ExprKind::Literal(value) => {
                Ok(Datum::Scalar(build_column(&self.ty, [value]).expect("the binder gives a literal the type it has")))
            }
            ExprKind::Cast { input: inner, safe } => {
                let value = inner.evaluate(input)?;
                value.try_map(|array| {
                    let cast = cast_column(array, &inner.ty, &self.ty, *safe, input.ctx.zone)?;
                    match self.ty.logical {
                        // A text may have more digits than the type.
                        LogicalType::Time(_) if inner.ty.logical.is_character() => {
                            let exact = DataType::new(LogicalType::Time(3));
                            Ok(cast_column(&cast, &exact, &self.ty, *safe, input.ctx.zone)?)
                        }
                        _ => Ok(cast),
                    }
                })
            }
            ExprKind::Case { branches, otherwise } => case(branches, otherwise, &self.ty, input),
            ExprKind::Call { function, args } => match function.kernel {
                Kernel::Lazy(kernel) => kernel(args, &self.ty, input),
                Kernel::Strict(kernel) => self.call(args, &kernel, usize::MAX, input),
                Kernel::Plain(kernel) => self.call(args, &kernel, 0, input),
                Kernel::Rows { strict, row } => self.call(args, &|call| by_rows(call, strict, row), strict, input),
            },
        }
    }

    fn call(
        &self,
        args: &[Expr],
        kernel: &dyn Fn(&Call<'_>) -> Result<ArrayRef, EvalError>,
        strict: usize,
        input: &Input<'_>,
    ) -> Result<Datum, EvalError> {
        let mut values = Vec::with_capacity(args.len());
        let mut null = false;
        for arg in args {
            // Also behind a NULL: what fails there fails the row.
            let value = arg.evaluate(input)?;
            null |= values.len() < strict && value.is_null_scalar();
            values.push(value);
        }
        if null {
            return Ok(Datum::null(&self.ty));
        }
        // A call over constants only is computed once.
        let constant = !values.is_empty()
            && values.iter().all(|value| matches!(value, Datum::Scalar(_)))
            && matches!(&self.kind, ExprKind::Call { function, .. } if function.deterministic);
        let len = if constant { 1 } else { input.len };
        let array = kernel(&Call { values: &values, args, ty: &self.ty, len, ctx: input.ctx })?;
        debug_assert_eq!(array.len(), len, "{self:?}");
        debug_assert_eq!(array.data_type(), &self.ty.arrow(), "{self:?}");
        Ok(if constant { Datum::Scalar(array) } else { Datum::Column(array) })
    }

    /// Whether some row may fail to compute. What cannot fail is computed for all rows at once, even where laziness would spare some.
    pub(crate) fn can_fail(&self) -> bool {
        let own = match &self.kind {
            ExprKind::Column(_) | ExprKind::Literal(_) | ExprKind::Case { .. } => false,
            ExprKind::Cast { input, safe } => !safe && tidegate_data::cast_can_fail(&input.ty, &self.ty),
            ExprKind::Call { function, args } => (function.can_fail)(args, &self.ty),
        };
        own || self.children().into_iter().any(Expr::can_fail)
    }
}

/// A column whose values come one by one.
fn by_rows(
    call: &Call<'_>,
    strict: usize,
    row: fn(&Call<'_>, &[Value]) -> Result<Value, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let mut made = Vec::with_capacity(call.len);
    let mut values = Vec::with_capacity(call.args.len());
    for index in 0..call.len {
        values.clear();
        for (value, arg) in call.values.iter().zip(call.args) {
            let at = if value.is_scalar() { 0 } else { index };
            values.push(value_at(value.array(), at, &arg.ty));
        }
        let missing = values.iter().take(strict).any(Value::is_null);
        made.push(if missing { Value::Null } else { row(call, &values)? });
    }
    build_column(call.ty, &made).map_err(|error| EvalError::new(error.to_string()))
}
