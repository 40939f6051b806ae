//! Case files: driving them with one row in flight, and their results as JSON.

mod committed;
mod driver;
mod json;
pub(crate) mod literal;

use tidegate_data::{RowKind, Zone};
use tidegate_diag::{Code, Diagnostic, Span, did_you_mean};
use tidegate_runtime::FeedItem;
use tidegate_sql::ast::{AlterAction, StatementKind};
use tidegate_sql::case::{Case, Input, InputKind};

use crate::{JobHandle, Session};

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
    /// A watermark of a table.
    Watermark(String, String),
    /// A mark: idle, end.
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
    /// What lies in the table or log that an INSERT wrote to.
    pub committed: Option<Vec<Vec<Option<String>>>>,
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

/// `table.local-time-zone` as it was when the job was made.
fn zone_of(job: &JobHandle) -> Zone {
    Zone::parse(job.plan.config.time_zone()).unwrap_or(Zone::UTC)
}

/// The table that a statement makes, or gives another name.
fn created(statement: &StatementKind) -> Option<&str> {
    match statement {
        StatementKind::CreateTable(create) => Some(create.name.last().value.as_str()),
        StatementKind::AlterTable(alter) => match &alter.action {
            AlterAction::Rename(name) => Some(name.last().value.as_str()),
            _ => None,
        },
        _ => None,
    }
}

/// Lines for tables that the script never makes.
fn unknown_tables(case: &Case, text: &str) -> Vec<Diagnostic> {
    let script = tidegate_sql::parse_script(text);
    let names = || script.statements.iter().filter_map(|statement| created(&statement.kind));
    let made = |name: &str| script.lost.iter().any(|lost| lost == name) || names().any(|own| own == name);
    let unknown = |table: &&String| !made(table);
    let problem = |table: &String| {
        let step = case.steps.iter().find(|step| step.table == *table);
        let all: Vec<&str> = names().collect();
        let of_all = match all.is_empty() {
            true => "The script makes no table: CREATE TABLE … WITH ('connector' = 'inline').".to_owned(),
            false => format!("Its tables are {}.", all.join(", ")),
        };
        Diagnostic::error(NO_SUCH_TABLE, format!("The script has no table '{table}' to send this to."))
            .at(step.map_or(Span::NONE, |step| step.span))
            .hint_opt(did_you_mean(table, names()))
            .hint(of_all)
    };
    case.tables.iter().filter(unknown).map(problem).collect()
}

/// The whole input of a script that runs at once, for all its jobs together: table, split, item. Lines for tables that no job reads
/// are left out.
///
/// # Errors
/// Lines for tables that the script never makes, and those that do not fit their table (TG6xxx).
pub fn input(text: &str, case: &Case, session: &Session) -> Result<Vec<(String, u32, FeedItem)>, Vec<Diagnostic>> {
    let unknown = unknown_tables(case, text);
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let jobs = 0..session.jobs().len();
    let feeds = jobs.map(|job| feeds(case, session, job)).collect::<Result<Vec<_>, _>>()?;
    let line = |line: usize| feeds.iter().find_map(|feeds| feeds[line].clone());
    Ok((0..case.steps.len()).filter_map(line).collect())
}

/// What a job is fed, line by line: table, split, item; nothing for tables that it does not read.
type Feeds = Vec<Option<(String, u32, FeedItem)>>;

/// The input of a job by the types of the tables that it reads.
///
/// # Errors
/// Every line that does not fit its table (TG6xxx), as far as people read on.
fn feeds(case: &Case, session: &Session, job: usize) -> Result<Feeds, Vec<Diagnostic>> {
    const MOST: usize = 50;
    let job = &session.jobs()[job];
    let zone = zone_of(job);
    let (mut items, mut problems) = (Vec::new(), Vec::new());
    for step in &case.steps {
        let schema = job.sources.contains(&step.table).then(|| session.physical(&step.table)).flatten();
        let Some(schema) = schema else {
            items.push(None);
            continue;
        };
        if problems.len() >= MOST {
            break;
        }
        let item = match &step.input {
            Input::Row { kind, values } => {
                let kind = match kind {
                    InputKind::Insert => RowKind::Insert,
                    InputKind::UpdateBefore => RowKind::UpdateBefore,
                    InputKind::UpdateAfter => RowKind::UpdateAfter,
                    InputKind::Delete => RowKind::Delete,
                };
                match literal::row(&schema, values, zone, step.span) {
                    Ok(row) => FeedItem::Row(kind, row),
                    Err(more) => {
                        problems.extend(more);
                        continue;
                    }
                }
            }
            Input::Watermark(text) => match session.parse_watermark(text) {
                Ok(mark) => mark,
                Err(why) => {
                    let hint = "A watermark is a timestamp without a zone, such as '2024-01-01 00:00:10'.";
                    problems.push(Diagnostic::error(BAD_MARK, why).at(step.span).hint(hint));
                    continue;
                }
            },
            Input::Idle => FeedItem::Idle,
            Input::End => FeedItem::End,
        };
        items.push(Some((step.table.clone(), 0, item)));
    }
    if problems.is_empty() { Ok(items) } else { Err(problems) }
}
