//! Evaluation of an expression over a chunk.

use tidegate_diag::Diagnostic;

/// What an expression may see besides the row.
#[derive(Clone, Debug)]
pub struct EvalContext {
    /// The operator's current watermark in ms, if any has come (CURRENT_WATERMARK).
    pub watermark: Option<i64>,
    /// Processing time in ms since the epoch (the host's clock).
    pub now: i64,
    /// `table.local-time-zone`, an IANA name or a fixed offset.
    pub zone: String,
}

/// Why a row could not be computed; it fails the job.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalError {
    /// What went wrong, in Flink's words where it has some.
    pub diagnostic: Diagnostic,
}
