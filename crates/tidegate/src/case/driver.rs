//! Drives a case: every job gets all the input from the start, one row in flight, the store answering at once.

use tidegate_data::sorted;
use tidegate_diag::Diagnostic;
use tidegate_runtime::{
    Command, Effect, Event, FeedItem, Job, JobState, MemoryStore, Policy, RestartStrategy, Restore, Store,
};
use tidegate_sql::case::{Case, Input};

use super::{CaseError, CaseOutput, CaseResult, CaseRow, StepText};
use crate::session::column_texts;
use crate::{JobHandle, Said, Session, SessionOptions};

/// Seconds without a row after which nothing more is expected by the clock.
const STILL_SECONDS: u32 = 60;
/// Rows after which a source by the clock counts as one without end.
const MOST_BY_THE_CLOCK: u64 = 1_000_000;
/// The most scheduler steps of one input line.
const STEPS: u64 = 10_000_000;
/// Rounds of effects and steps after which a case is taken to go on for ever.
const ROUNDS: usize = 100_000;

/// How a case is run.
#[derive(Clone, Debug)]
pub struct CaseOptions {
    /// `parallelism.default`, whatever the script says.
    pub parallelism: Option<u32>,
    /// The most rows of a source's poll.
    pub chunk_size: usize,
    /// Settings whatever the script says.
    pub settings: Vec<(String, String)>,
    /// The seed of the scheduler.
    pub seed: u64,
    /// Who takes the next step.
    pub policy: Policy,
    /// A checkpoint after every so many input lines.
    pub checkpoint_every: Option<u64>,
    /// The job fails before the rows of these lines are worked off.
    pub crash_at: Vec<u64>,
    /// All input at once instead of one row in flight; all rows then belong to the last step.
    pub free_running: bool,
}

impl Default for CaseOptions {
    fn default() -> CaseOptions {
        CaseOptions {
            parallelism: None,
            chunk_size: 1,
            settings: Vec::new(),
            seed: 0,
            policy: Policy::RoundRobin,
            checkpoint_every: None,
            crash_at: Vec::new(),
            free_running: false,
        }
    }
}

/// Runs a case.
pub fn run(text: &str, options: &CaseOptions) -> CaseResult {
    match Driver::new(text, options) {
        Ok(mut driver) => {
            driver.run_all();
            driver.result
        }
        Err(result) => *result,
    }
}

/// A case on its way, for those who want to do something in between.
pub struct Driver {
    /// Catalog and jobs.
    pub session: Session,
    /// Logs, tables and checkpoints.
    pub store: MemoryStore,
    /// What has come out.
    pub result: CaseResult,
    case: Case,
    /// The input of the job at work, line by line; nothing where it does not read the table.
    items: Vec<Option<(String, u32, FeedItem)>>,
    options: CaseOptions,
    text: String,
    /// The input line at which the job at work failed.
    failed_at: Option<u64>,
}

impl Driver {
    /// Reads a case and plans its jobs; none has run yet.
    ///
    /// # Errors
    /// The result of a case that ends here, with its error.
    pub fn new(text: &str, options: &CaseOptions) -> Result<Driver, Box<CaseResult>> {
        let case = super::read(text);
        let mut result = CaseResult { steps: step_texts(text, &case), ..CaseResult::default() };
        if !case.diagnostics.is_empty() {
            result.error = Some(CaseError { stage: "case", statement: 0, problems: case.diagnostics });
            return Err(Box::new(result));
        }
        let mut session = Session::new(session_options(options));
        let (outcome, faulty) = session.run_statements(text, Restore::None);
        result.error = faulty.map(|(statement, problems)| refused(statement, problems));
        for (number, statement) in outcome.statements.iter().enumerate() {
            if let Said::Table { rows, .. } = &statement.said {
                result.results.push(CaseOutput {
                    statement: number as u32 + 1,
                    line: 0,
                    sink: None,
                    sql: statement.sql.clone(),
                    columns: Vec::new(),
                    changelog_mode: String::new(),
                    rows: Vec::new(),
                    output: Some(rows.clone()),
                    committed: None,
                });
            }
        }
        let problems = super::unknown_tables(&case, text);
        if !problems.is_empty() && result.error.is_none() {
            result.error = Some(CaseError { stage: "case", statement: 0, problems });
            return Err(Box::new(result));
        }
        let text = text.to_owned();
        Ok(Driver {
            session,
            store: MemoryStore::default(),
            result,
            case,
            items: Vec::new(),
            options: options.clone(),
            text,
            failed_at: None,
        })
    }

    /// Runs every job over all the input, until one fails.
    pub fn run_all(&mut self) {
        for job in 0..self.session.jobs().len() {
            if !self.run_job(job) {
                break;
            }
        }
        sorted::sort_by_key(&mut self.result.results, |result| result.statement);
    }

    /// The number of input lines.
    pub fn steps(&self) -> u64 {
        self.case.steps.len() as u64
    }

    /// Reads the input for a job, by the types of the tables that it reads. Gives whether it fits; the case ends where it does not.
    pub fn load(&mut self, job: usize) -> bool {
        match super::feeds(&self.case, &self.session, job) {
            Ok(items) => {
                self.items = items;
                true
            }
            Err(problems) => {
                let statement = self.job(job).results.first().map_or(0, |result| result.target.statement);
                self.fail(CaseError { stage: "case", statement, problems });
                false
            }
        }
    }

    /// What ends the case; of several the one that comes first in the script counts.
    fn fail(&mut self, error: CaseError) {
        if self.result.error.as_ref().is_none_or(|old| error.statement <= old.statement) {
            self.result.error = Some(error);
        }
    }

    /// Runs one job over all the input and adds its results. Gives whether it came to its end.
    pub fn run_job(&mut self, job: usize) -> bool {
        self.failed_at = None;
        if !self.load(job) {
            return false;
        }
        self.pump(job);
        for step in 1..=self.steps() {
            self.job(job).set_step(step);
            if self.options.crash_at.contains(&step) {
                // A job that has ended cannot fail any more.
                let _ = self.job_mut(job).runtime.handle(Event::Command(Command::FailJob));
            }
            if self.options.free_running {
                self.feed(job, step);
            } else {
                self.feed_in_turn(job, step);
                self.pump(job);
            }
            if self.options.checkpoint_every.is_some_and(|every| step % every == 0) {
                let _ = self.job_mut(job).runtime.handle(Event::Command(Command::TriggerCheckpoint));
                self.pump(job);
            }
            if self.job(job).runtime.state().is_terminal()
                && !matches!(self.job(job).runtime.state(), JobState::Finished)
            {
                self.failed_at = (!self.options.free_running).then_some(step);
                break;
            }
        }
        self.pump(job);
        self.job(job).set_step(self.steps() + 1);
        self.end_input(job);
        self.collect(job)
    }

    /// Hands input line `step` (from 1) to a job that it has been loaded for.
    pub fn feed(&mut self, job: usize, step: u64) {
        let Some((table, split, item)) = self.items[step as usize - 1].clone() else { return };
        let event = Event::Feed { table, split, items: vec![item] };
        let _ = self.job_mut(job).runtime.handle(event);
    }

    /// The same, one scan of the table after the other, in the order of the plan, until nothing moves any more.
    fn feed_in_turn(&mut self, job: usize, step: u64) {
        let Some((table, split, item)) = self.items[step as usize - 1].clone() else { return };
        let Driver { session, store, .. } = self;
        let runtime = &mut session.jobs_mut()[job].runtime;
        runtime.feed_in_turn(&table, split, &[item], &mut |runtime| settle(runtime, store));
    }

    /// Another engine takes the job at work over from its last checkpoint, at another parallelism; it is fed what it was fed up to line `step`.
    pub fn rescale(&mut self, job: usize, parallelism: u32, step: u64) {
        self.options.parallelism = Some(parallelism);
        let now = self.job(job).runtime.now();
        self.session = Session::new(SessionOptions { now, ..session_options(&self.options) });
        // What is wrong with the script was said the first time.
        let _ = self.session.run_statements(&self.text, Restore::Latest);
        (1..=step).for_each(|line| self.feed(job, line));
        self.pump(job);
    }

    /// Ends every table, in the order of first mention.
    pub fn end_input(&mut self, job: usize) {
        let mut tables = self.case.tables.clone();
        for feed in self.session.feeds() {
            if !tables.contains(&feed.table) {
                tables.push(feed.table);
            }
        }
        for table in tables {
            let splits = self.session.feeds().iter().find(|feed| feed.table == table).map_or(1, |feed| feed.splits);
            for split in 0..splits {
                let event = Event::Feed { table: table.clone(), split, items: vec![FeedItem::End] };
                let _ = self.job_mut(job).runtime.handle(event);
            }
            self.pump(job);
        }
        self.let_time_pass(job);
    }

    /// What comes by the clock and not from the case (`datagen`) comes now: seconds pass at once, until the job has ended or
    /// nothing more comes.
    fn let_time_pass(&mut self, job: usize) {
        let (mut read, mut still) = (self.job(job).runtime.rows_read(), 0);
        while *self.job(job).runtime.state() == JobState::Running && still < STILL_SECONDS && read < MOST_BY_THE_CLOCK {
            let now = self.job(job).runtime.now();
            let _ = self.job_mut(job).runtime.handle(Event::Time(now + 1_000));
            self.pump(job);
            let so_far = self.job(job).runtime.rows_read();
            still = if so_far == read { still + 1 } else { 0 };
            read = so_far;
        }
    }

    /// Lets a job run until nothing moves any more, carrying out its effects.
    pub fn pump(&mut self, job: usize) {
        let Driver { session, store, .. } = self;
        settle(&mut session.jobs_mut()[job].runtime, store);
    }

    /// Carries out what a job wants of the store. Gives whether there was anything.
    pub fn carry_out(&mut self, job: usize) -> bool {
        let Driver { session, store, .. } = self;
        carry_out(&mut session.jobs_mut()[job].runtime, store)
    }

    /// A job.
    pub fn job(&self, job: usize) -> &JobHandle {
        &self.session.jobs()[job]
    }

    /// A job, to step it.
    pub fn job_mut(&mut self, job: usize) -> &mut JobHandle {
        &mut self.session.jobs_mut()[job]
    }

    /// Adds what a job's results have collected, and its failure. Gives whether there was none.
    pub fn collect(&mut self, job: usize) -> bool {
        let zone = super::zone_of(self.job(job));
        let handle = &self.session.jobs()[job];
        for result in &handle.results {
            let committed = super::committed::rows(&result.kind, &mut self.store, zone);
            let target = &result.target;
            let rows = result.buffer.as_ref().map_or_else(Vec::new, |buffer| {
                let buffer = buffer.borrow();
                let rows = buffer.rows(buffer.first(), usize::MAX, zone);
                rows.into_iter().map(|row| CaseRow { step: row.step, op: row.kind.text(), row: row.values }).collect()
            });
            // Several INSERTs of a statement set may have one sink: they are one result.
            let mut results = self.result.results.iter_mut();
            let same =
                results.find(|old| old.statement == target.statement && old.sink.is_some() && old.sink == target.sink);
            if let Some(old) = same {
                old.rows.extend(rows);
                sorted::sort_by_key(&mut old.rows, |row| row.step);
                old.committed = committed;
                continue;
            }
            self.result.results.push(CaseOutput {
                statement: target.statement,
                line: target.line,
                sink: target.sink.clone(),
                sql: target.sql.clone(),
                columns: column_texts(&target.columns),
                changelog_mode: target.changelog_mode.clone(),
                rows,
                output: None,
                committed,
            });
        }
        let statement = handle.results.first().map_or(0, |result| result.target.statement);
        let failure = match handle.runtime.state() {
            JobState::Failed(_) => handle.failure().map(|problem| self.with_line(problem)),
            JobState::Finished => None,
            state => {
                let message = format!("The job did not come to its end: it is {state:?}.");
                let hint = "A case ends, so each of its sources has to: 'number-of-rows' bounds a datagen table, \
                            'scan.bounded.mode' = 'latest-offset' a log.";
                Some(Diagnostic::error(tidegate_diag::Code::new("TG4099"), message).hint(hint))
            }
        };
        let fine = failure.is_none();
        if let Some(problem) = failure {
            self.fail(CaseError { stage: "run", statement, problems: vec![problem] });
        }
        fine
    }

    /// A failure with the line of input that brought it about.
    fn with_line(&self, problem: Diagnostic) -> Diagnostic {
        let Some(step) = self.failed_at.and_then(|step| self.case.steps.get(step as usize - 1)) else { return problem };
        let hint = format!("It came with line {}: {} of {}.", step.line, step.span.text(&self.text), step.table);
        problem.hint(hint)
    }

    /// The script.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn session_options(options: &CaseOptions) -> SessionOptions {
    let mut overrides = options.settings.clone();
    if let Some(parallelism) = options.parallelism {
        overrides.push(("parallelism.default".to_owned(), parallelism.to_string()));
    }
    SessionOptions {
        job_prefix: "case/".into(),
        seed: options.seed,
        chunk_limit: options.chunk_size,
        policy: options.policy,
        restart: match options.crash_at.is_empty() {
            true => RestartStrategy::None,
            // Only the crashes that were asked for are restarted from.
            false => RestartStrategy::Hands { attempts: 0, delay: 0 },
        },
        defaults: vec![("pipeline.auto-watermark-interval".into(), "0".into())],
        overrides,
        ..SessionOptions::default()
    }
}

/// Lets a job run until nothing moves any more.
fn settle(runtime: &mut Job, store: &mut MemoryStore) {
    for _ in 0..ROUNDS {
        let mut moved = carry_out(runtime, store);
        moved |= runtime.run_until_quiet(STEPS) > 0;
        if let JobState::Restarting { at } = *runtime.state() {
            let _ = runtime.handle(Event::Time(at));
            moved = true;
        }
        if !moved {
            return;
        }
    }
}

fn carry_out(runtime: &mut Job, store: &mut MemoryStore) -> bool {
    let mut any = false;
    for effect in runtime.take_effects() {
        if let Effect::Store { request, body } = effect {
            let response = store.execute(body);
            let _ = runtime.handle(Event::Response { request, response });
            any = true;
        }
    }
    any
}

/// The error of a statement that was refused: its stage by the first problem's code.
fn refused(statement: u32, mut problems: Vec<Diagnostic>) -> CaseError {
    sorted::sort_by_key(&mut problems, |problem| !problem.is_error());
    let stage = match problems.first().map_or(0, |problem| problem.code.number() / 1000) {
        1 => "parse",
        3 | 4 => "plan",
        6 => "case",
        _ => "validate",
    };
    CaseError { stage, statement, problems }
}

fn step_texts(text: &str, case: &Case) -> Vec<StepText> {
    let said = |step: &tidegate_sql::case::Step| match &step.input {
        Input::Row { .. } => StepText::Row(step.table.clone(), step.span.text(text).to_owned()),
        Input::Watermark(at) => StepText::Watermark(step.table.clone(), at.clone()),
        Input::Idle => StepText::Mark(step.table.clone(), "idle".into()),
        Input::End => StepText::Mark(step.table.clone(), "end".into()),
    };
    case.steps.iter().map(said).collect()
}
