//! Evaluation of an expression over a chunk.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray};
use tidegate_data::{Chunk, Zone};
use tidegate_diag::{Code, Diagnostic};

use crate::Expr;

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
}

impl Default for EvalContext {
    /// No watermark, the epoch, UTC.
    fn default() -> EvalContext {
        EvalContext { watermark: None, now: 0, zone: Zone::UTC }
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

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for EvalError {}

impl Expr {
    /// The expression's value in every row of the chunk, as a column of its type.
    ///
    /// # Errors
    /// When a row cannot be computed.
    pub fn eval(&self, chunk: &Chunk, ctx: &EvalContext) -> Result<ArrayRef, EvalError> {
        let _ = (chunk, ctx);
        Err(EvalError::new("not there yet"))
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
}
