//! Case files: driving them with one row in flight, and their results as JSON.

mod driver;
mod json;
mod literal;

use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::FeedItem;
use tidegate_sql::case::{Case, Input, InputKind};

use crate::Session;

pub use driver::{CaseOptions, Driver, run};
pub use json::{to_json, to_table};

const NO_SUCH_TABLE: Code = Code::new("TG6010");
const BAD_MARK: Code = Code::new("TG6011");

/// What a case came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseResult {
    /// The input, line by line, as the recorded ones number it.
    pub steps: Vec<StepText>,
    /// One per SELECT and per INSERT target, and one per statement that prints.
    pub results: Vec<CaseOutput>,
    /// What ended the case.
    pub error: Option<CaseError>,
}

/// A line of input.
#[derive(Clone, Debug, PartialEq)]
pub enum StepText {
    /// A row of a table.
    Row(String, String),
    /// A mark: watermark, idle, end.
    Mark(String, String),
}

/// A result.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseOutput {
    /// The statement's number, from 1.
    pub statement: u32,
    /// Its line.
    pub line: u32,
    /// The sink of an INSERT.
    pub sink: Option<String>,
    /// Its text.
    pub sql: String,
    /// Name and Flink's type text.
    pub columns: Vec<(String, String)>,
    /// `I,UB,UA,D`
    pub changelog_mode: String,
    /// The changelog: step, kind, values.
    pub rows: Vec<CaseRow>,
    /// What a printing statement printed.
    pub output: Option<Vec<Vec<Option<String>>>>,
}

/// A row of a changelog.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseRow {
    /// The input line that caused it; the number of lines plus one for the end of all input.
    pub step: u64,
    /// `+I`, `-U`, `+U`, `-D`
    pub op: &'static str,
    /// The values as text.
    pub row: Vec<Option<String>>,
}

/// An error that ended a case.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseError {
    /// `case`, `parse`, `validate`, `plan` or `run`.
    pub stage: &'static str,
    /// The statement's number, from 1.
    pub statement: u32,
    /// All that was found; the first one counts.
    pub problems: Vec<Diagnostic>,
}

impl CaseError {
    /// The first problem's message.
    pub fn message(&self) -> &str {
        self.problems.first().map_or("", |problem| &problem.message)
    }
}

/// Reads the `--!` lines of a script.
pub fn read(text: &str) -> Case {
    tidegate_sql::case::read_case(text)
}

/// The items of a case's input, by the tables' types.
///
/// # Errors
/// Every line that does not fit its table (TG6xxx).
pub fn feeds(case: &Case, session: &Session) -> Result<Vec<(String, u32, FeedItem)>, Vec<Diagnostic>> {
    let (mut items, mut problems) = (Vec::new(), Vec::new());
    for step in &case.steps {
        let Some(schema) = session.physical(&step.table) else {
            let message = format!("The script has no table '{}' to send this to.", step.table);
            problems.push(Diagnostic::error(NO_SUCH_TABLE, message).at(step.span));
            continue;
        };
        let item = match &step.input {
            Input::Row { kind, values } => {
                let kind = match kind {
                    InputKind::Insert => tidegate_data::RowKind::Insert,
                    InputKind::UpdateBefore => tidegate_data::RowKind::UpdateBefore,
                    InputKind::UpdateAfter => tidegate_data::RowKind::UpdateAfter,
                    InputKind::Delete => tidegate_data::RowKind::Delete,
                };
                literal::row(&schema, values, session.zone(), step.span).map(|row| FeedItem::Row(kind, row))
            }
            Input::Watermark(text) => session
                .parse_watermark(text)
                .map_err(|why| vec![Diagnostic::error(BAD_MARK, why).at(step.span)]),
            Input::Idle => Ok(FeedItem::Idle),
            Input::End => Ok(FeedItem::End),
        };
        match item {
            Ok(item) => items.push((step.table.clone(), 0, item)),
            Err(more) => problems.extend(more),
        }
    }
    if problems.is_empty() { Ok(items) } else { Err(problems) }
}
