//! A job: events in, effects out, one scheduler step at a time.

use tidegate_diag::Diagnostic;

use crate::event::{Effect, Event, Journal};
use crate::graph::JobGraph;
use crate::settings::{JobSettings, Restore};
use crate::view::{JobState, JobView, StatePage, StateTableView};

/// A running job. It never blocks and never reads a clock: the host hands in [`Event`]s, lets it take steps, and carries out its [`Effect`]s.
pub struct Job {
    graph: JobGraph,
    journal: Journal,
    effects: Vec<Effect>,
}

impl Job {
    /// A job that begins as soon as the store has answered its first requests.
    ///
    /// # Errors
    /// TG40xx when the graph or the settings do not fit together.
    pub fn start(graph: JobGraph, settings: JobSettings, restore: Restore) -> Result<Job, Diagnostic> {
        let journal = Journal { settings, restore, entries: Vec::new(), steps: 0 };
        Ok(Job { graph, journal, effects: Vec::new() })
    }

    /// Runs a journal again: same steps, same effects. `graph` must be made of the same operators.
    ///
    /// # Errors
    /// As [`Job::start`].
    pub fn replay(graph: JobGraph, journal: &Journal) -> Result<Job, Diagnostic> {
        Job::start(graph, journal.settings.clone(), journal.restore)
    }

    /// Takes an event in.
    ///
    /// # Errors
    /// When a command was refused (the job goes on): a checkpoint by hand while one is running, a subtask that does not exist.
    pub fn handle(&mut self, event: Event) -> Result<(), Diagnostic> {
        let _ = event;
        Ok(())
    }

    /// What the job wants of its host, since the last call.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// One subtask takes one step: an element, a resumption, or a source's poll. False if none could.
    pub fn step_element(&mut self) -> bool {
        false
    }

    /// One source emits one row (or watermark, or status), then everything runs until quiet, `max_steps` at the most. Gives the steps taken.
    pub fn step_row(&mut self, max_steps: u64) -> u64 {
        let _ = max_steps;
        0
    }

    /// Steps until no subtask can take one without an event, `max_steps` at the most. Gives the steps taken.
    pub fn run_until_quiet(&mut self, max_steps: u64) -> u64 {
        let _ = max_steps;
        0
    }

    /// Steps while `more` says so and one is possible. Gives the steps taken.
    pub fn run_slice(&mut self, more: &mut dyn FnMut() -> bool) -> u64 {
        let _ = more;
        0
    }

    /// Whether no subtask can take a step without an event.
    pub fn is_quiet(&self) -> bool {
        true
    }

    /// Where the job stands.
    pub fn state(&self) -> &JobState {
        &JobState::Created
    }

    /// A picture of everything that can be seen.
    pub fn view(&self) -> JobView {
        unimplemented!("the first commit has signatures only: {}", self.graph.name)
    }

    /// The state tables of a subtask.
    pub fn state_tables(&mut self, vertex: usize, subtask: u32) -> Vec<StateTableView> {
        let _ = (vertex, subtask);
        Vec::new()
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
        let _ = (vertex, subtask, uid, table, offset, limit);
        None
    }

    /// Everything that has entered so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }
}
