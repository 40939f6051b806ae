//! A session: one script's catalog and the jobs that its statements have become.

use std::rc::Rc;
use tidegate_data::sorted;

use tidegate_connectors::ReadTo;
use tidegate_data::connector::MAX_PARTITIONS;
use tidegate_data::{DataType, RowKind, Schema, Zone};
use tidegate_diag::Diagnostic;
use tidegate_plan::{Catalog, Config, JobPlan, Outcome, Table};
use tidegate_runtime::{Effect, Event, FeedItem, Policy, RestartStrategy, Restore};
use tidegate_sql::ast::StatementKind;
use tidegate_sql::parse_script;

use crate::feed::{FieldError, parse_row, parse_watermark};
use crate::job::JobHandle;
use crate::replay::{Entry, Recorder};

/// How a session runs its jobs.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// What the jobs' names in the store begin with.
    pub job_prefix: String,
    /// The seed of scheduler and generators.
    pub seed: u64,
    /// Host time at the start, ms.
    pub now: i64,
    /// Elements that a channel holds.
    pub channel_capacity: usize,
    /// The most rows of a source's poll.
    pub chunk_limit: usize,
    /// Who takes the next step.
    pub policy: Policy,
    /// Whether rows carry the input row that caused them.
    pub watched: bool,
    /// Whether jobs keep a journal.
    pub journal: bool,
    /// What happens on a failure when the script does not say.
    pub restart: RestartStrategy,
    /// Settings before the script's own: defaults of the host that a script may SET otherwise.
    pub defaults: Vec<(String, String)>,
    /// Settings after the script's own, which nothing overrides.
    pub overrides: Vec<(String, String)>,
    /// Sources, by their names in the plan, that read once more what was read up to some place, and end there.
    pub read_to: Vec<(String, ReadTo)>,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            job_prefix: "job/".to_owned(),
            seed: 0,
            now: 0,
            channel_capacity: 8,
            chunk_limit: tidegate_data::Chunk::MAX_ROWS,
            policy: Policy::RoundRobin,
            watched: false,
            journal: false,
            restart: RestartStrategy::None,
            defaults: Vec::new(),
            overrides: Vec::new(),
            read_to: Vec::new(),
        }
    }
}

/// What a script came to.
#[derive(Debug, Default)]
pub struct ScriptOutcome {
    /// Statement by statement.
    pub statements: Vec<StatementOutcome>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// What a statement came to.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementOutcome {
    /// Its text.
    pub sql: String,
    /// What it said.
    pub said: Said,
}

/// What a statement said.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A sentence.
    Message(String),
    /// A table.
    Table {
        /// Heads.
        columns: Vec<String>,
        /// Rows.
        rows: Vec<Vec<Option<String>>>,
    },
    /// It became this job of the session.
    Job(usize),
}

/// A table that rows can be sent to.
#[derive(Clone, Debug, PartialEq)]
pub struct Feed {
    /// Its name.
    pub table: String,
    /// Its connector.
    pub connector: String,
    /// Its physical columns.
    pub physical: Schema,
    /// The kinds of rows that it takes.
    pub kinds: Vec<RowKind>,
    /// How many splits it has.
    pub splits: u32,
    /// `ts AS ts - INTERVAL '5' SECOND`
    pub watermark: Option<String>,
    /// Its options.
    pub options: std::collections::BTreeMap<String, String>,
}

/// A table's name, its connector, and its columns with their types.
pub type TableNames = (String, String, Vec<(String, String)>);

/// A script that was read and planned.
#[derive(Clone, Debug)]
pub struct Planned {
    catalog: Rc<Catalog>,
    plans: Vec<JobPlan>,
}

/// One script's catalog and jobs.
pub struct Session {
    options: SessionOptions,
    catalog: Rc<Catalog>,
    jobs: Vec<JobHandle>,
    recorder: Option<Recorder>,
}

impl Session {
    /// A session in which nothing runs.
    pub fn new(options: SessionOptions) -> Session {
        let mut catalog = Catalog::new(tidegate_connectors::specs());
        for (key, value) in &options.defaults {
            catalog.config_mut().set_unchecked(key, value);
        }
        Session { options, catalog: Rc::new(catalog), jobs: Vec::new(), recorder: None }
    }

    /// Reads and plans a script, to be started as often as wanted.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn planned(text: &str, options: &SessionOptions) -> Result<Planned, Vec<Diagnostic>> {
        let mut session = Session::new(options.clone());
        let (plans, _) = session.plan(text)?;
        Ok(Planned { catalog: session.catalog, plans })
    }

    /// A session with the jobs of a script that was planned before. The options' defaults are those of then.
    ///
    /// # Errors
    /// As [`Session::run`], but for what is wrong with the text.
    pub fn start(options: SessionOptions, planned: &Planned, restore: Restore) -> Result<Session, Vec<Diagnostic>> {
        let mut session = Session { options, catalog: planned.catalog.clone(), jobs: Vec::new(), recorder: None };
        session.begin(planned.plans.clone(), &[], restore)?;
        Ok(session)
    }

    /// What is wrong with a script; nothing runs, nothing changes.
    pub fn check(text: &str, options: &SessionOptions) -> Vec<Diagnostic> {
        match Session::new(options.clone()).plan(text) {
            Ok((_, outcome)) => outcome.warnings,
            Err(problems) => problems,
        }
    }

    /// The tables and views that a script declares, faulty statements passed over: name, connector, columns with their types.
    pub fn tables_of(text: &str, options: &SessionOptions) -> Vec<TableNames> {
        let mut session = Session::new(options.clone());
        for statement in &parse_script(text).statements {
            // What is wrong with the others is `check`'s to say.
            let _ = Rc::make_mut(&mut session.catalog).execute(text, statement);
        }
        let tables = session.catalog.tables().map(|table| {
            let columns = table.columns.iter().map(|column| (column.name.clone(), column.ty.to_string()));
            (table.name.clone(), table.connector.clone(), columns.collect())
        });
        let views = session.catalog.names().filter_map(|name| {
            let schema = session.catalog.view_schema(name)?;
            let columns = schema.fields.iter().map(|field| (field.name.clone(), field.ty.to_string()));
            Some((name.to_owned(), "view".to_owned(), columns.collect()))
        });
        tables.chain(views).collect()
    }

    /// The names of functions that a query may call, sorted.
    pub fn function_names() -> Vec<String> {
        let word = |name: &&str| name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
        let mut names: Vec<String> = tidegate_expr::functions::names().filter(word).map(str::to_uppercase).collect();
        names.extend(["COUNT", "SUM", "MIN", "MAX", "AVG", "TUMBLE", "HOP", "CUMULATE", "SESSION"].map(str::to_owned));
        sorted::sort(&mut names);
        names.dedup();
        names
    }

    /// Starts the jobs of a script in this session, which must be new. If anything in it is wrong, nothing starts.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn run(&mut self, text: &str, restore: Restore) -> Result<ScriptOutcome, Vec<Diagnostic>> {
        self.run_from(text, &[], restore)
    }

    /// The same, with a place to begin from for each of the first jobs, and one for all others.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run_from(
        &mut self,
        text: &str,
        first: &[Restore],
        others: Restore,
    ) -> Result<ScriptOutcome, Vec<Diagnostic>> {
        let (plans, outcome) = self.plan(text)?;
        self.begin(plans, first, others)?;
        Ok(outcome)
    }

    fn begin(&mut self, plans: Vec<JobPlan>, first: &[Restore], others: Restore) -> Result<(), Vec<Diagnostic>> {
        let mut jobs = Vec::new();
        for mut plan in plans {
            for (key, value) in &self.options.overrides {
                plan.config.set_unchecked(key, value);
            }
            let span = plan.span;
            let restore = first.get(jobs.len()).copied().unwrap_or(others);
            let job = JobHandle::start(plan, jobs.len() + 1, &self.options, restore);
            jobs.push(job.map_err(|problem| vec![problem.or_at(span)])?);
        }
        self.jobs = jobs;
        Ok(())
    }

    /// As [`Session::run`], but statement by statement, as Flink's own client does: what stands before the first faulty
    /// statement counts, its jobs start. Gives what the script came to, and the faulty statement's number with what is wrong.
    pub fn run_statements(&mut self, text: &str, restore: Restore) -> (ScriptOutcome, Option<(u32, Vec<Diagnostic>)>) {
        let script = parse_script(text);
        let mut outcome = ScriptOutcome::default();
        let (errors, warnings): (Vec<_>, Vec<_>) = script.diagnostics.iter().cloned().partition(Diagnostic::is_error);
        outcome.warnings = warnings;
        let of = |problem: &Diagnostic| problem.span.map_or(1, |span| script.statement_at(span.start));
        let mut faulty = errors.first().map(|first| {
            let statement = of(first);
            (statement, errors.iter().filter(|problem| of(problem) == statement).cloned().collect())
        });
        let last = faulty.as_ref().map_or(u32::MAX, |(statement, _)| *statement);
        for statement in script.statements.iter().filter(|statement| statement.ordinal < last) {
            let said = match Rc::make_mut(&mut self.catalog).execute(text, statement) {
                Ok(Outcome::Ddl { message }) => Said::Message(message),
                Ok(Outcome::Table { columns, rows }) => Said::Table { columns, rows },
                Ok(Outcome::Job(mut plan)) => {
                    for (key, value) in &self.options.overrides {
                        plan.config.set_unchecked(key, value);
                    }
                    match JobHandle::start(*plan, self.jobs.len() + 1, &self.options, restore) {
                        Ok(job) => self.jobs.push(job),
                        Err(problem) => {
                            faulty = Some((statement.ordinal, vec![problem.or_at(statement.span)]));
                            break;
                        }
                    }
                    Said::Job(self.jobs.len() - 1)
                }
                Err(problems) => {
                    faulty = Some((statement.ordinal, problems));
                    break;
                }
            };
            let sql = statement.span.text(text).to_owned();
            outcome.statements.push(StatementOutcome { sql, said });
        }
        (outcome, faulty)
    }

    fn plan(&mut self, text: &str) -> Result<(Vec<JobPlan>, ScriptOutcome), Vec<Diagnostic>> {
        let script = parse_script(text);
        let (mut problems, mut plans, mut outcome) = (script.diagnostics, Vec::new(), ScriptOutcome::default());
        // Tables and views that would be there, were they not faulty themselves: that they are missing is no news.
        let mut lost = script.lost;
        for statement in &script.statements {
            let said = match Rc::make_mut(&mut self.catalog).execute(text, statement) {
                Ok(Outcome::Ddl { message }) => Said::Message(message),
                Ok(Outcome::Table { columns, rows }) => Said::Table { columns, rows },
                Ok(Outcome::Job(plan)) => {
                    plans.push(*plan);
                    Said::Job(plans.len() - 1)
                }
                Err(more) => {
                    // What is wrong with a table comes up again in each statement that reads it.
                    for problem in more {
                        if !problems.contains(&problem) && !is_of_lost(&problem, &lost) {
                            problems.push(problem);
                        }
                    }
                    // From the next statement on: one that reads itself has no other problem than that.
                    match &statement.kind {
                        StatementKind::CreateTable(create) => lost.push(create.name.last().value.clone()),
                        StatementKind::CreateView(create) => lost.push(create.name.last().value.clone()),
                        _ => {}
                    }
                    continue;
                }
            };
            let span = statement.span;
            let sql = text.get(span.start as usize..span.end as usize).unwrap_or_default().to_owned();
            outcome.statements.push(StatementOutcome { sql, said });
        }
        if problems.iter().any(Diagnostic::is_error) {
            return Err(problems);
        }
        outcome.warnings = problems;
        Ok((plans, outcome))
    }

    /// The jobs.
    pub fn jobs(&self) -> &[JobHandle] {
        &self.jobs
    }

    /// The jobs, to step them.
    pub fn jobs_mut(&mut self) -> &mut [JobHandle] {
        &mut self.jobs
    }

    pub(crate) fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// The seed of its jobs.
    pub fn seed(&self) -> u64 {
        self.options.seed
    }

    /// The configuration after the script.
    pub fn config(&self) -> &Config {
        self.catalog.config()
    }

    /// The catalog after the script.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The tables that jobs read and that rows can be sent to, in the order of their names; generators are among them.
    pub fn feeds(&self) -> Vec<Feed> {
        let read = |table: &&Table| self.jobs.iter().any(|job| job.sources.contains(&table.name));
        self.catalog.tables().filter(read).map(|table| self.feed_of(table)).collect()
    }

    fn feed_of(&self, table: &Table) -> Feed {
        let pairs = table.option_pairs();
        let spec = self.catalog.connector(&table.connector);
        let mode = spec.map(|spec| (spec.source_mode)(&pairs, table.primary_key.is_some())).unwrap_or_default();
        let splits = table.options.get("partitions").and_then(|count| count.parse().ok()).unwrap_or(1);
        let splits = match table.connector.as_str() {
            // Each subtask makes rows of its own.
            "datagen" => u32::try_from(self.catalog.config().parallelism()).unwrap_or(1),
            _ => splits,
        };
        let splits = splits.clamp(1, MAX_PARTITIONS as u32);
        let watermark = table
            .watermark
            .as_ref()
            .map(|watermark| format!("{} AS {}", table.columns[watermark.column].name, watermark.text));
        Feed {
            table: table.name.clone(),
            connector: table.connector.clone(),
            physical: table.physical(),
            kinds: RowKind::ALL.into_iter().filter(|kind| mode.contains(*kind)).collect(),
            splits,
            watermark,
            options: table.options.clone(),
        }
    }

    /// A row for `table` from texts, one per physical column.
    ///
    /// # Errors
    /// Every value that does not fit; an unknown table is an error of column 0.
    pub fn parse_row(&self, table: &str, kind: RowKind, texts: &[Option<String>]) -> Result<FeedItem, Vec<FieldError>> {
        let schema = self
            .physical(table)
            .ok_or_else(|| vec![FieldError { column: 0, message: format!("There is no table '{table}'.") }])?;
        Ok(FeedItem::Row(kind, parse_row(&schema, texts, self.zone())?))
    }

    /// A watermark from a timestamp text.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse_watermark(&self, text: &str) -> Result<FeedItem, String> {
        parse_watermark(text).map(FeedItem::Watermark)
    }

    /// The physical columns of a table.
    pub fn physical(&self, table: &str) -> Option<Schema> {
        self.catalog.table(table).map(Table::physical)
    }

    /// `table.local-time-zone`
    pub fn zone(&self) -> Zone {
        Zone::parse(self.catalog.config().time_zone()).unwrap_or(Zone::UTC)
    }

    /// Hands items to the sources of `table` in every job.
    pub fn feed(&mut self, table: &str, split: u32, items: &[FeedItem]) {
        for job in &mut self.jobs {
            // Feeding is never refused.
            let _ = job.runtime.handle(Event::Feed { table: table.to_owned(), split, items: items.to_vec() });
        }
    }

    /// Tells every job the time.
    pub fn time(&mut self, now: i64) {
        for job in &mut self.jobs {
            let _ = job.runtime.handle(Event::Time(now));
        }
    }

    /// Records what enters from now on, behind what was recorded before. (Jobs keep a journal only where the options say so.)
    pub fn record_behind(&mut self, entries: Vec<Entry>) {
        for job in &mut self.jobs {
            job.runtime.take_journal();
        }
        self.recorder = Some(Recorder::behind(entries));
    }

    /// What has entered up to now, if it is recorded.
    pub fn recorder(&mut self) -> Option<&mut Recorder> {
        self.record();
        self.recorder.as_mut()
    }

    /// Stops recording.
    pub fn stop_recording(&mut self) {
        self.recorder = None;
    }

    /// Takes what has entered the jobs into the recording. To be called before one job is told what comes of another: answers are
    /// recorded in the order in which they came.
    pub fn record(&mut self) {
        for (number, job) in self.jobs.iter_mut().enumerate() {
            let journal = job.runtime.take_journal();
            if let Some(recorder) = &mut self.recorder {
                recorder.note(number, journal, job.runtime.logged());
            }
        }
    }

    /// What the jobs want of their host, with the job's number.
    pub fn take_effects(&mut self) -> Vec<(usize, Effect)> {
        self.record();
        let mut effects = Vec::new();
        for (number, job) in self.jobs.iter_mut().enumerate() {
            let wanted = job.runtime.take_effects();
            if let (Some(recorder), false) = (&mut self.recorder, wanted.is_empty()) {
                recorder.stir(number);
            }
            effects.extend(wanted.into_iter().map(|effect| (number, effect)));
        }
        effects
    }
}

/// Whether a problem only says that a table or view is not there which is faulty itself.
fn is_of_lost(problem: &Diagnostic, lost: &[String]) -> bool {
    problem.code == tidegate_plan::codes::NO_OBJECT
        && lost.iter().any(|name| problem.message.starts_with(&format!("Object '{name}' not found")))
}

/// The columns of a schema as name and Flink's type text.
pub fn column_texts(columns: &[(String, DataType)]) -> Vec<(String, String)> {
    columns.iter().map(|(name, ty)| (name.clone(), ty.to_string())).collect()
}
