//! How an operator fails: the codes, and Flink's words.

use tidegate_diag::{Code, Diagnostic};
use tidegate_expr::EvalError;
use tidegate_runtime::Failure;

const NULL_ROWTIME: Code = Code::new("TG4301");
const SEVERAL_ROWS: Code = Code::new("TG4303");
const CONSTRAINT_VIOLATED: Code = Code::new("TG4302");

/// A row without a time where there has to be one.
pub(crate) fn null_rowtime() -> Failure {
    let message = "RowTime field should not be null, please convert it to a non-null long value.";
    let hint = "Filter such rows out before the watermark is made, or give them a time: COALESCE(ts, ...).";
    Failure { diagnostic: Diagnostic::error(NULL_ROWTIME, message).hint(hint) }
}

/// A subquery that is a value, and has several rows.
pub(crate) fn several_rows(message: &str) -> Failure {
    let hint =
        "A subquery that stands for a value may yield one row: give it an aggregate, LIMIT 1, or a condition on a key.";
    Failure { diagnostic: Diagnostic::error(SEVERAL_ROWS, message).hint(hint) }
}

/// A row that the sink's columns do not take.
pub(crate) fn constraint_violated(message: String) -> Failure {
    Failure { diagnostic: Diagnostic::error(CONSTRAINT_VIOLATED, message) }
}

/// A row that could not be computed.
pub(crate) fn not_computed(error: EvalError) -> Failure {
    Failure { diagnostic: error.diagnostic }
}
