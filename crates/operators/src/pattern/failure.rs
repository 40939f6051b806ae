//! How a search for patterns fails.

use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::Failure;

const SKIP: Code = Code::new("TG4304");

/// `AFTER MATCH SKIP TO` a variable that has no row in the match.
pub(super) fn no_such_row(variable: &str, found: &str) -> Failure {
    let message = format!("Could not skip to {variable}. No such element in the found match {{{found}}}");
    let hint = "The variable may be left out by its quantifier: SKIP TO one that always has a row.";
    Failure { diagnostic: Diagnostic::error(SKIP, message).hint(hint) }
}

/// `AFTER MATCH SKIP TO` the row where the match began: it would be found again for ever.
pub(super) fn first_row() -> Failure {
    let hint = "SKIP TO a variable behind the first row of the match, or SKIP TO NEXT ROW.";
    Failure { diagnostic: Diagnostic::error(SKIP, "Could not skip to first element of a match.").hint(hint) }
}
