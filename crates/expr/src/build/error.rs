//! Why a call cannot be bound, in Flink's words.

use tidegate_data::{DataType, LogicalType};
use tidegate_diag::{Code, Diagnostic, Span, did_you_mean};

use crate::Expr;
use crate::functions::{self, signature::is_infix};

/// The code of a call of a function that does not exist.
pub const UNKNOWN_FUNCTION: Code = Code::new("TG2201");
/// The code of a call with arguments of wrong number or types.
pub const WRONG_ARGUMENTS: Code = Code::new("TG2202");

/// Why a call cannot be bound.
#[derive(Clone, Debug, PartialEq)]
pub struct CallError {
    /// [`UNKNOWN_FUNCTION`] or [`WRONG_ARGUMENTS`].
    pub code: Code,
    /// What is wrong, in Flink's words.
    pub message: String,
    /// The position of the argument at fault, if it is one.
    pub argument: Option<usize>,
    /// What can be done about it.
    pub hints: Vec<String>,
}

impl CallError {
    /// There is no function of that name.
    pub fn unknown<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> CallError {
        CallError {
            code: UNKNOWN_FUNCTION,
            message: format!("No match found for function signature {name}"),
            argument: None,
            hints: did_you_mean(name, candidates).into_iter().collect(),
        }
    }

    pub(crate) fn unknown_function(name: &str, args: &[Expr]) -> CallError {
        let mut error = CallError::unknown(name, functions::names());
        let families: Vec<String> = args.iter().map(|arg| format!("<{}>", family(&arg.ty.logical))).collect();
        error.message = format!("No match found for function signature {name}({})", families.join(", "));
        error
    }

    /// The arguments are not what the function takes.
    pub fn arguments(message: impl Into<String>, argument: Option<usize>) -> CallError {
        CallError { code: WRONG_ARGUMENTS, message: message.into(), argument, hints: Vec::new() }
    }

    /// The number of arguments is wrong; `expected` is a number or a range in words.
    pub fn count(name: &str, _given: usize, expected: &str) -> CallError {
        CallError::arguments(
            format!("Invalid number of arguments to function '{name}'. Was expecting {expected} arguments"),
            None,
        )
    }

    /// The types of the arguments are wrong: `Cannot apply 'F' to arguments of type 'F(<INTEGER>)'. Supported form(s): ...`.
    pub fn cannot_apply(name: &str, args: &[DataType], forms: &[String]) -> CallError {
        let types: Vec<String> = args.iter().map(|ty| format!("<{}>", ty.calcite())).collect();
        let symbol = is_infix(name);
        let given = match &types[..] {
            [left, right] if symbol => format!("{left} {name} {right}"),
            [operand] if symbol || name == "NOT" => format!("{name}{operand}"),
            types => format!("{name}({})", types.join(", ")),
        };
        let forms: Vec<String> = forms.iter().map(|form| format!("'{form}'")).collect();
        let forms = forms.join("\n");
        CallError::arguments(
            format!("Cannot apply '{name}' to arguments of type '{given}'. Supported form(s): {forms}"),
            None,
        )
    }

    /// The finding at `span` (of the call, or of the argument at fault).
    pub fn into_diagnostic(self, span: Span) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code, self.message).at(span);
        diagnostic.hints = self.hints;
        diagnostic
    }
}

/// Calcite's family of a type, as in `No match found for function signature F(<CHARACTER>)`.
fn family(ty: &LogicalType) -> String {
    match ty {
        ty if ty.is_numeric() => "NUMERIC".to_owned(),
        ty if ty.is_character() => "CHARACTER".to_owned(),
        ty if ty.is_binary() => "BINARY".to_owned(),
        LogicalType::IntervalYearMonth => "INTERVAL_YEAR_MONTH".to_owned(),
        LogicalType::IntervalDayTime => "INTERVAL_DAY_TIME".to_owned(),
        ty if ty.is_timestamp() => "TIMESTAMP".to_owned(),
        LogicalType::Time(_) => "TIME".to_owned(),
        other => DataType::new(other.clone()).calcite(),
    }
}

impl std::fmt::Display for CallError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CallError {}
