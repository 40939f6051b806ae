//! Hints behind SELECT: `STATE_TTL('orders' = '1 d')` says how long the state of an input is kept, whatever `table.exec.state.ttl` says.
//!
//! It counts for the joins and the grouping of its own SELECT, not of queries within; the name is that of a table, a view or an alias there. A join's
//! input that is itself a join has no name.

use tidegate_diag::{Diagnostic, Span, closest};
use tidegate_sql::ast::Select;

use super::{Binder, Scope};
use crate::codes::BAD_HINT;
use crate::config::parse_duration;

/// What Flink knows. Those that are not explained above choose between ways to do the same, which a stream has not, or concern lookups
/// in outer systems.
const KNOWN: [&str; 8] =
    ["STATE_TTL", "LOOKUP", "BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP", "MULTI_JOIN", "OPTIONS"];

/// How long the state of an input is kept.
pub(super) struct TtlHint {
    name: String,
    millis: i64,
    span: Span,
}

impl Binder<'_> {
    /// Reads the hints of a SELECT, which count until [`Binder::leave_hints`].
    pub(super) fn enter_hints(&self, select: &Select) {
        let mut own = Vec::new();
        for hint in &select.hints {
            if hint.name.is("STATE_TTL") {
                for option in &hint.options {
                    let Some(name) = &option.key else {
                        let message = "Invalid list options in STATE_TTL hint, only support key-value options.";
                        self.report(Diagnostic::error(BAD_HINT, message).at(hint.span).hint(FORM));
                        break;
                    };
                    match parse_duration(&option.value.value) {
                        Some(millis) => own.push(TtlHint { name: name.value.clone(), millis, span: name.span }),
                        None => {
                            // In the words of Flink's duration parser.
                            let value = option.value.value.trim();
                            let unit = value.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
                            let why = if unit.len() == value.len() {
                                "text does not start with a number, and is not a valid ISO-8601 duration format"
                            } else {
                                "the unit is unknown"
                            };
                            let message = format!("Invalid STATE_TTL hint value: {why}: {value}");
                            let hint = "A duration is a number and a unit: '30 s', '12 h', '1 d'; '0 s' is for ever.";
                            self.report(Diagnostic::error(BAD_HINT, message).at(option.value.span).hint(hint));
                        }
                    }
                }
            } else if !KNOWN.iter().any(|known| hint.name.is(known)) {
                let message = format!("Hint: {} should be registered in the HintStrategyTable", hint.name.value);
                let mut error = Diagnostic::error(BAD_HINT, message).at(hint.name.span);
                if let Some(near) = closest(&hint.name.value.to_ascii_uppercase(), KNOWN) {
                    error = error.hint(format!("Did you mean {near}?")).fix(hint.name.span, near);
                }
                self.report(error);
            }
        }
        self.ttls.borrow_mut().push(own);
    }

    /// Looks whether the hints name tables of FROM. Whether these are kept in state does not matter.
    pub(super) fn check_hints(&self, scope: &Scope) {
        let named = |hint: &TtlHint| scope.tables.iter().any(|table| table.name.as_ref() == Some(&hint.name));
        for hint in self.ttls.borrow().last().into_iter().flatten().filter(|hint| !scope.broken && !named(hint)) {
            let message = format!(
                "The options of following hints cannot match the name of input tables or views: \n`{}` in `STATE_TTL`",
                hint.name
            );
            let advice = "Name a table of this SELECT's FROM, by its alias where it has one.";
            self.report(Diagnostic::error(BAD_HINT, message).at(hint.span).hint(advice));
        }
    }

    /// Ends what [`Binder::enter_hints`] began.
    pub(super) fn leave_hints(&self) {
        self.ttls.borrow_mut().pop();
    }

    /// What a hint says of the state of an input, in ms.
    pub(super) fn ttl_of(&self, input: &Scope) -> Option<i64> {
        let [table] = input.tables.as_slice() else { return None };
        let ttls = self.ttls.borrow();
        let hint = ttls.last()?.iter().rfind(|hint| table.name.as_ref() == Some(&hint.name))?;
        Some(hint.millis)
    }
}

const FORM: &str = "The form is STATE_TTL('table' = '1 d', 'other' = '12 h').";
