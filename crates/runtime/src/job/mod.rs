//! A job: events in, effects out, one scheduler step at a time.

mod background;
pub(crate) mod build;
mod checkpoints;
mod disturbed;
mod fits;
mod left_open;
mod lifecycle;
mod load;
mod merge;
mod observe;
mod restarts;
mod schedule;
mod startup;
mod transactions;

use std::collections::VecDeque;
use tidegate_data::sorted::SortedMap;

use tidegate_data::Chunk;
use tidegate_diag::Diagnostic;

use crate::checkpoint::keys::Keys;
use crate::env::{Env, Owner};
use crate::errors;
use crate::event::{Command, Effect, Event, Journal, JournalEntry, Stop};
use crate::graph::JobGraph;
use crate::operator::{FeedItem, SplitRead};
use crate::rng::Rng;
use crate::scenario::Planned;
use crate::settings::{CheckpointMode, JobSettings, Policy, Restore};
use crate::store::{RequestId, StoreResponse};
use crate::subtask::Mail;
use crate::view::{JobState, JobView, LogEntry, LogEvent, StatePage, StateTableView, SubtaskView, TransactionView};

use build::Attempt;
use checkpoints::Coordinator;
use disturbed::Disturbed;
use left_open::LeftBehind;
use merge::Merge;
use restarts::Restarts;
use startup::Startup;

/// The most log entries kept.
const LOG: usize = 256;

/// A running job. It never blocks and never reads a clock: the host hands in [`Event`]s, lets it take steps, and carries out its [`Effect`]s.
///
/// A job asks the store before its first step, so nothing runs before the first answers have come.
pub struct Job {
    graph: JobGraph,
    settings: JobSettings,
    journal: Journal,
    env: Env,
    state: JobState,
    attempt: Option<Attempt>,
    startup: Option<Startup>,
    coordinator: Coordinator,
    merge: Option<Merge>,
    disturbed: Disturbed,
    /// What is planned to go wrong, over all attempts.
    plans: Vec<VecDeque<Planned>>,
    /// The engine is lost, or was taken for dead: nothing happens any more, or until it comes back.
    halted: bool,
    /// The job ends with a savepoint: before the first completed one only [`Stop::Drain`] does anything.
    stop: Option<Stop>,
    /// The savepoint with which it ends is complete: only commits are left to do.
    stopped: bool,
    /// What the next attempt is restored from, if the one before has failed while it was starting from anything but the latest checkpoint.
    again: Option<Restore>,
    /// The epoch that this engine has written last, and the highest one of which it does not know whether it has.
    held: u64,
    tried: u64,
    restarts: Restarts,
    /// What was fed, for the next attempt: table, split, items.
    fed: Vec<(String, u32, Vec<FeedItem>)>,
    rng: Rng,
    /// Who comes next in turn.
    cursor: usize,
    /// Subtasks chosen by hand.
    choices: VecDeque<(usize, u32)>,
    /// Subtasks that are ready to run, and subtasks that have closed.
    opened: usize,
    closed: usize,
    /// Rows that the sources had read in the attempt that ran before.
    read_before: u64,
    log: VecDeque<LogEntry>,
    transactions: VecDeque<TransactionView>,
    /// Transactions that attempts have left open, by their names.
    left_open: SortedMap<String, LeftBehind>,
    /// Log entries ever written.
    logged: u64,
    /// Subtasks as they were when the last attempt ended.
    last_seen: Vec<SubtaskView>,
    /// The time last asked to be woken at.
    announced: Option<i64>,
}

impl Job {
    /// A job that begins as soon as the store has answered its first requests.
    ///
    /// # Errors
    /// TG4001, TG4002 when the graph or the settings do not fit together.
    pub fn start(graph: JobGraph, settings: JobSettings, restore: Restore) -> Result<Job, Diagnostic> {
        build::check(&graph, &settings)?;
        let mut job = Job {
            env: Env {
                now: settings.now,
                step: 0,
                watched: settings.watched,
                chunk_limit: settings.chunk_limit,
                draw: (settings.policy == Policy::Seeded).then_some(settings.seed),
                budget: None,
                draining: false,
                still: false,
                stopped: false,
                ending: false,
                attempt: 0,
                engine: settings.seed ^ (settings.now as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                segments: 0,
                keys: Keys::new(&settings.job),
                requests: SortedMap::new(),
                next_request: 1,
                effects: Vec::new(),
                signals: Vec::new(),
                wake_dirty: false,
            },
            journal: Journal { settings: settings.clone(), restore, entries: Vec::new(), steps: 0 },
            state: JobState::Created,
            attempt: None,
            startup: None,
            coordinator: Coordinator::default(),
            merge: None,
            disturbed: Disturbed::default(),
            plans: Vec::new(),
            halted: false,
            stop: None,
            stopped: false,
            again: None,
            held: 0,
            tried: 0,
            restarts: Restarts::new(settings.restart.clone()),
            fed: Vec::new(),
            rng: Rng::new(settings.seed),
            cursor: 0,
            choices: VecDeque::new(),
            opened: 0,
            read_before: 0,
            closed: 0,
            log: VecDeque::new(),
            transactions: VecDeque::new(),
            left_open: SortedMap::new(),
            logged: 0,
            last_seen: Vec::new(),
            announced: None,
            graph,
            settings,
        };
        job.begin_attempt(restore, true);
        Ok(job)
    }

    /// Runs a journal again: same steps, same effects. `graph` must be made of the same operators.
    ///
    /// # Errors
    /// As [`Job::start`].
    pub fn replay(graph: JobGraph, journal: &Journal) -> Result<Job, Diagnostic> {
        let mut job = Job::start(graph, journal.settings.clone(), journal.restore)?;
        for entry in &journal.entries {
            while job.env.step < entry.step && job.step() {}
            // Refusals were refused then, too.
            let _ = job.handle(entry.event.clone());
        }
        while job.env.step < journal.steps && job.step() {}
        Ok(job)
    }

    /// Takes an event in.
    ///
    /// # Errors
    /// When a command was refused (the job goes on): a checkpoint by hand while one is running, a subtask that does not exist.
    pub fn handle(&mut self, event: Event) -> Result<(), Diagnostic> {
        if self.settings.journal {
            self.journal.entries.push(JournalEntry { step: self.env.step, event: event.clone() });
        }
        if self.halted {
            return Ok(());
        }
        let result = match event {
            Event::Time(now) => {
                self.on_time(now);
                Ok(())
            }
            Event::Response { request, response } => {
                self.on_response(request, response);
                Ok(())
            }
            Event::Feed { table, split, items } => {
                self.on_feed(table, split, items);
                Ok(())
            }
            Event::Command(command) => self.on_command(command),
        };
        self.work_off_signals();
        result
    }

    fn on_time(&mut self, now: i64) {
        if now <= self.env.now {
            return;
        }
        self.env.now = now;
        self.env.wake_dirty = true;
        if let JobState::Restarting { at } = self.state
            && at <= now
        {
            let restore = self.again.take().unwrap_or(Restore::Latest);
            self.begin_attempt(restore, false);
        }
        self.late_acknowledgements();
        self.checkpoints_on_time();
        self.roll_back_what_is_over();
    }

    fn on_response(&mut self, request: RequestId, response: StoreResponse) {
        match self.env.requests.remove(&request) {
            Some(Owner::Operator(subtask, position)) => {
                if let Some(attempt) = &mut self.attempt {
                    attempt.subtasks[subtask].post(Mail::Response(position, request, response));
                }
            }
            Some(Owner::Persist(subtask)) => {
                if let Some(attempt) = &mut self.attempt {
                    attempt.subtasks[subtask].files.response(request, response, &mut self.env);
                }
            }
            Some(Owner::Merge) => self.merge_response(request, response),
            Some(Owner::Startup) => self.startup_response(request, response),
            Some(Owner::Coordinator) => self.coordinator_response(request, response),
            Some(Owner::LeftOpen) => self.rolled_back(request, &response),
            None => {}
        }
    }

    fn on_feed(&mut self, table: String, split: u32, items: Vec<FeedItem>) {
        // While state is being loaded it only goes to the others that are fed afterwards.
        if let (Some(attempt), None) = (&mut self.attempt, &self.startup) {
            for subtask in &mut attempt.subtasks {
                let source = self.graph.vertices[subtask.vertex].source.as_ref();
                if source.is_some_and(|source| source.table == table) {
                    subtask.feed(split, &items);
                }
            }
        }
        self.fed.push((table, split, items));
    }

    /// The same as [`Event::Feed`] for a job that is not recorded, one source after the other: `settle` lets what a source has read run its course
    /// before the next one reads. So two scans of a table cannot race.
    pub fn feed_in_turn(&mut self, table: &str, split: u32, items: &[FeedItem], settle: &mut dyn FnMut(&mut Job)) {
        self.fed.push((table.to_owned(), split, items.to_vec()));
        let number = self.env.attempt;
        let reads =
            |vertex: &usize| self.graph.vertices[*vertex].source.as_ref().is_some_and(|source| source.table == table);
        let readers: Vec<usize> = (0..self.graph.vertices.len()).filter(reads).collect();
        for vertex in readers {
            // Another attempt, or one whose state is being loaded, is fed all of it when it begins.
            match &mut self.attempt {
                Some(attempt) if self.startup.is_none() && self.env.attempt == number => {
                    for subtask in attempt.subtasks.iter_mut().filter(|subtask| subtask.vertex == vertex) {
                        subtask.feed(split, items);
                    }
                }
                _ => return,
            }
            self.work_off_signals();
            settle(self);
        }
    }

    fn on_command(&mut self, command: Command) -> Result<(), Diagnostic> {
        if let Command::RestoreFrom(checkpoint) = command {
            return self.restore_from(checkpoint);
        }
        if self.state.is_terminal() {
            return Err(Diagnostic::error(errors::COMMAND, "The job has ended."));
        }
        match command {
            Command::TriggerCheckpoint => return self.trigger_by_hand(false, None),
            Command::Savepoint { stop } => return self.trigger_by_hand(true, stop),
            Command::KillSubtask { vertex, index } => return self.kill(vertex, index),
            Command::FailJob => self.fail_by_hand(),
            Command::Cancel => self.cancel(),
            Command::SetChunkLimit(limit) => self.env.chunk_limit = limit.clamp(1, Chunk::MAX_ROWS),
            Command::SetWatched(watched) => self.env.watched = watched,
            Command::SetPolicy(policy) => {
                self.settings.policy = policy;
                self.env.draw = (policy == Policy::Seeded).then_some(self.settings.seed);
                self.choices.clear();
            }
            Command::Choose { vertex, index } => {
                if self.settings.policy == Policy::Chosen {
                    self.choices.push_back((vertex, index));
                }
            }
            Command::Release(budget) => self.env.budget = budget,
            Command::Disturb(disturbance) => self.disturb(disturbance),
            Command::Plan(steps) => self.plan(steps),
            Command::Unplan => self.call_off(),
            Command::RestoreFrom(_) => {}
        }
        Ok(())
    }

    /// It was taken for dead ([`crate::Mishap::Zombie`]), and comes back.
    pub fn wake_up(&mut self) {
        self.halted = false;
        self.plans.clear();
    }

    /// How it makes checkpoints.
    pub fn checkpoint_mode(&self) -> CheckpointMode {
        self.settings.checkpoints.mode
    }

    /// What is planned to go wrong, list by list.
    pub fn planned(&self) -> Vec<Vec<Planned>> {
        self.plans.iter().map(|plan| plan.iter().copied().collect()).collect()
    }

    /// What the job wants of its host, since the last call.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.env.effects)
    }

    /// One subtask takes one step: an element, a resumption, or a source's poll. False if none could.
    pub fn step_element(&mut self) -> bool {
        self.release(None);
        self.step()
    }

    /// One source emits one row (or watermark, or status), then everything runs until quiet, `max_steps` at the most. Gives the steps taken.
    /// Afterwards sources hold until one of the other ways to step is used.
    pub fn step_row(&mut self, max_steps: u64) -> u64 {
        let limit = self.env.chunk_limit;
        self.set_chunk_limit(1);
        self.release(Some(1));
        let mut steps = 0;
        while steps < max_steps && self.step() {
            steps += 1;
        }
        self.set_chunk_limit(limit);
        steps
    }

    /// Steps until no subtask can take one without an event, `max_steps` at the most. Gives the steps taken.
    pub fn run_until_quiet(&mut self, max_steps: u64) -> u64 {
        let mut left = max_steps;
        self.run_slice(&mut || {
            let more = left > 0;
            left = left.saturating_sub(1);
            more
        })
    }

    /// Steps while `more` says so and one is possible. Gives the steps taken.
    pub fn run_slice(&mut self, more: &mut dyn FnMut() -> bool) -> u64 {
        self.release(None);
        let mut steps = 0;
        while more() && self.step() {
            steps += 1;
        }
        steps
    }

    /// Whether no subtask can take a step without an event.
    pub fn is_quiet(&self) -> bool {
        !self.has_step()
    }

    /// Where the job stands.
    pub fn state(&self) -> &JobState {
        &self.state
    }

    /// The name under which its checkpoints lie in the store.
    pub fn store_name(&self) -> &str {
        &self.settings.job
    }

    /// Scheduler steps taken.
    pub fn steps(&self) -> u64 {
        self.env.step
    }

    /// Host time, ms.
    pub fn now(&self) -> i64 {
        self.env.now
    }

    /// A picture of everything that can be seen.
    pub fn view(&self) -> JobView {
        self.observe()
    }

    /// How many log entries there have been, those included that are no longer kept.
    pub fn logged(&self) -> u64 {
        self.logged
    }

    /// The log entries from number `from` on, as far as they are kept.
    pub fn log_since(&self, from: u64) -> impl Iterator<Item = &LogEntry> {
        let fresh = self.logged.saturating_sub(from).min(self.log.len() as u64) as usize;
        self.log.iter().skip(self.log.len() - fresh)
    }

    /// The state tables of a subtask; empty if it is not running.
    pub fn state_tables(&mut self, vertex: usize, subtask: u32) -> Vec<StateTableView> {
        let Some(attempt) = &mut self.attempt else { return Vec::new() };
        let Some(id) = attempt.find(vertex, subtask) else { return Vec::new() };
        observe::state_tables(&mut attempt.subtasks[id])
    }

    /// Entries `offset..offset + limit` of a table; `None` if there is no such table.
    pub fn state_page(
        &mut self,
        vertex: usize,
        subtask: u32,
        uid: &str,
        table: &str,
        offset: usize,
        limit: usize,
    ) -> Option<StatePage> {
        let attempt = self.attempt.as_mut()?;
        let id = attempt.find(vertex, subtask)?;
        observe::state_page(&mut attempt.subtasks[id], uid, table, offset, limit)
    }

    /// How far the source at the head of a subtask has read its splits; `None` if there is no such subtask now.
    pub fn splits_read(&self, vertex: usize, subtask: u32) -> Option<Vec<SplitRead>> {
        let attempt = self.attempt.as_ref()?;
        let id = attempt.find(vertex, subtask)?;
        Some(attempt.subtasks[id].chain.splits_read())
    }

    /// Everything that has entered so far (no entries unless the settings ask for a journal).
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Gives what has entered since the last call, and forgets it.
    pub fn take_journal(&mut self) -> Vec<JournalEntry> {
        std::mem::take(&mut self.journal.entries)
    }

    /// Steps as a journal says: until `step` steps have been taken in all, while `more` says so and one is possible. Unlike the other ways to
    /// step it leaves alone what sources may do. True when there.
    pub fn step_to(&mut self, step: u64, more: &mut dyn FnMut() -> bool) -> bool {
        while self.env.step < step {
            if !more() || !self.step() {
                return false;
            }
        }
        true
    }

    fn release(&mut self, budget: Option<u64>) {
        if self.env.budget != budget {
            let _ = self.handle(Event::Command(Command::Release(budget)));
        }
    }

    fn set_chunk_limit(&mut self, limit: usize) {
        if self.env.chunk_limit != limit {
            let _ = self.handle(Event::Command(Command::SetChunkLimit(limit)));
        }
    }

    fn log(&mut self, event: LogEvent) {
        if self.log.len() == LOG {
            self.log.pop_front();
        }
        self.logged += 1;
        self.log.push_back(LogEntry { step: self.env.step, at: self.env.now, event });
    }
}
