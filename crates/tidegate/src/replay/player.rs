//! Takes a session through a recording, as far as wanted, a bit at a time.

use std::rc::Rc;
use tidegate_data::sorted::SortedMap;

use tidegate_diag::Diagnostic;
use tidegate_runtime::{Event, FeedItem, MemoryStore, RequestId, Restore, Store, StoreRequest, StoreResponse};

use super::{Engine, Entered, Entry, Place, Recording, checksum};
use crate::{ScriptOutcome, Session, SessionOptions, taken_over, turn_of};

/// Why a recording cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The script does not run (any more): the first thing that is wrong with it.
    Script(String),
    /// The run went another way than then, at this entry.
    Differs(usize),
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReplayError::Script(why) => write!(f, "the script does not run any more: {why}"),
            ReplayError::Differs(entry) => {
                write!(f, "from entry {entry} on the run goes another way than it went then")
            }
        }
    }
}

/// A session on its way through a recording, with a store of its own in memory.
pub struct Player {
    recording: Rc<Recording>,
    options: SessionOptions,
    session: Session,
    store: MemoryStore,
    /// Entries worked off.
    at: usize,
    /// What the jobs have asked and not been answered.
    pending: SortedMap<(usize, RequestId), StoreRequest>,
    /// What was fed, for the engines to come.
    fed: Vec<(String, u32, Vec<FeedItem>)>,
    /// Of each job: the steps, over all engines, that read a row, or several.
    rows: Vec<Vec<u64>>,
    /// Of each job: rows read by its attempt.
    read: Vec<u64>,
}

impl Player {
    /// At the beginning. `options` are those of the first engine; seed and time come from the recording.
    ///
    /// # Errors
    /// When the script does not run.
    pub fn new(recording: Rc<Recording>, options: &SessionOptions) -> Result<Player, ReplayError> {
        let options = SessionOptions { seed: recording.seed, now: recording.start, journal: true, ..options.clone() };
        let mut store = MemoryStore::new();
        let session = match recording.entries.first() {
            Some(Entry::Engine(engine)) => engine_of(&recording, engine, &options)?,
            Some(Entry::From(from)) => {
                let (delete, put) = (Vec::new(), from.store.clone());
                store.execute(StoreRequest::Batch { require: Vec::new(), delete, put });
                let mut session = start(&recording.sql, &options, &from.restores)?;
                for (job, history) in session.jobs_mut().iter_mut().zip(&from.histories) {
                    job.history = history.clone();
                }
                session
            }
            _ => start(&recording.sql, &options, &[])?,
        };
        let jobs = session.jobs().len();
        let mut player = Player {
            recording,
            options,
            session,
            store,
            at: 0,
            pending: SortedMap::new(),
            fed: Vec::new(),
            rows: vec![Vec::new(); jobs],
            read: vec![0; jobs],
        };
        player.collect();
        Ok(player)
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        Place { entries: self.at, steps: self.session.jobs().iter().map(|job| job.runtime.steps()).collect() }
    }

    /// The recording.
    pub fn recording(&self) -> &Rc<Recording> {
        &self.recording
    }

    /// Whether `place` is not behind it.
    pub fn can_reach(&self, place: &Place) -> bool {
        let here = self.place();
        here.entries < place.entries
            || here.entries == place.entries && here.steps.iter().zip(&place.steps).all(|(here, there)| here <= there)
    }

    /// Goes on to `place`, while `more` says so (it is asked before every step). True when there.
    ///
    /// # Errors
    /// When the run goes another way than it went then.
    pub fn advance(&mut self, place: &Place, more: &mut dyn FnMut() -> bool) -> Result<bool, ReplayError> {
        let recording = self.recording.clone();
        while self.at < place.entries {
            let Some(entry) = recording.entries.get(self.at) else { break };
            if !self.enter(entry, more)? {
                return Ok(false);
            }
            self.at += 1;
        }
        for (number, step) in place.steps.iter().enumerate() {
            if !self.step_to(number, *step, more)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Works off one entry; false when `more` said no before it was through.
    fn enter(&mut self, entry: &Entry, more: &mut dyn FnMut() -> bool) -> Result<bool, ReplayError> {
        match entry {
            Entry::Job { job, step, what } => {
                let number = *job as usize;
                if !self.step_to(number, *step, more)? {
                    return Ok(false);
                }
                let event = match what {
                    Entered::Event(event) => event.clone(),
                    Entered::Failed(request, response) => {
                        self.pending.remove(&(number, *request));
                        Event::Response { request: *request, response: response.clone() }
                    }
                    Entered::Answered(request, sum) => {
                        let body = self.pending.remove(&(number, *request)).ok_or(ReplayError::Differs(self.at))?;
                        let response = self.store.execute(body);
                        if checksum(&response) != *sum {
                            return Err(ReplayError::Differs(self.at));
                        }
                        Event::Response { request: *request, response }
                    }
                };
                if let (0, Event::Feed { table, split, items }) = (number, &event) {
                    self.fed.push((table.clone(), *split, items.clone()));
                }
                let Some(job) = self.session.jobs_mut().get_mut(number) else {
                    return Err(ReplayError::Differs(self.at));
                };
                // Refusals were refused then, too.
                let _ = job.runtime.handle(event);
                self.collect();
            }
            Entry::Outside(request) => {
                self.store.execute(request.clone());
            }
            Entry::Lost { steps, now } => {
                for (number, step) in steps.iter().enumerate() {
                    if !self.step_to(number, *step, more)? {
                        return Ok(false);
                    }
                }
                for (_, request) in std::mem::take(&mut self.pending) {
                    self.store.execute(request);
                }
                self.options.now = *now;
                let from = self.recording.begun().map_or(&[][..], |from| &from.restores);
                let restores = taken_over(self.session.jobs().iter().map(|job| &job.history), from);
                let mut next = start(&self.recording.sql, &self.options, &restores)?;
                for (table, split, items) in &self.fed {
                    next.feed(table, *split, items);
                }
                self.go_over(next, *now);
            }
            // It was the first one: the session began so.
            Entry::Engine(_) if self.at == 0 => {}
            Entry::From(_) => {}
            Entry::Engine(engine) => {
                for (number, step) in engine.steps.iter().enumerate() {
                    if !self.step_to(number, *step, more)? {
                        return Ok(false);
                    }
                }
                self.pending.clear();
                self.fed.clear();
                let next = engine_of(&self.recording, engine, &self.options)?;
                self.go_over(next, engine.now);
            }
        }
        Ok(true)
    }

    /// A new engine takes over.
    fn go_over(&mut self, mut next: Session, now: i64) {
        for (job, before) in next.jobs_mut().iter_mut().zip(self.session.jobs()) {
            job.history = before.history.clone().go_on(now, before.runtime.steps());
        }
        self.session = next;
        self.collect();
    }

    fn step_to(&mut self, job: usize, step: u64, more: &mut dyn FnMut() -> bool) -> Result<bool, ReplayError> {
        let Some(handle) = self.session.jobs_mut().get_mut(job) else { return Err(ReplayError::Differs(self.at)) };
        let (rows, read, base) = (&mut self.rows[job], &mut self.read[job], handle.history.base());
        let mut there = true;
        while handle.runtime.steps() < step {
            if !more() {
                there = false;
                break;
            }
            if !handle.runtime.step_to(handle.runtime.steps() + 1, &mut || true) {
                // It could then.
                return Err(ReplayError::Differs(self.at));
            }
            let now = handle.runtime.rows_read();
            if now > *read {
                rows.push(base + handle.runtime.steps());
            }
            *read = now;
        }
        self.collect();
        Ok(there)
    }

    /// Notes what the jobs want of the store.
    fn collect(&mut self) {
        for job in self.session.jobs_mut() {
            job.note();
            // It is in the recording.
            job.runtime.take_journal();
        }
        // What was withheld when an engine was lost never reached the store.
        for (job, request, body) in turn_of(self.session.take_effects()).requests {
            self.pending.insert((job, request), body);
        }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, to look at its state. It must not be stepped or fed.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Logs, tables and checkpoints as they were.
    pub fn store(&self) -> &MemoryStore {
        &self.store
    }

    /// Asks the store something, which must not be a batch.
    pub fn ask(&mut self, request: StoreRequest) -> StoreResponse {
        debug_assert!(!matches!(request, StoreRequest::Batch { .. }));
        self.store.execute(request)
    }

    /// The steps of a job, over all engines, in which its sources have read rows so far.
    pub fn rows(&self, job: usize) -> &[u64] {
        self.rows.get(job).map_or(&[], Vec::as_slice)
    }

    /// What was fed so far.
    pub fn fed(&self) -> &[(String, u32, Vec<FeedItem>)] {
        &self.fed
    }

    /// The run goes on from here, maybe another way: the session (which records from now on, behind the recording up to here), the store as
    /// it is, and what the jobs have asked of it and not been answered.
    pub fn go_on(self) -> (Session, MemoryStore, Vec<(usize, RequestId, StoreRequest)>) {
        let cut = self.recording.cut(&self.place());
        let mut session = self.session;
        session.record_behind(cut.entries);
        let pending = self.pending.into_iter().map(|((job, request), body)| (job, request, body)).collect();
        (session, self.store, pending)
    }
}

fn engine_of(recording: &Recording, engine: &Engine, host: &SessionOptions) -> Result<Session, ReplayError> {
    let mut session = Session::new(engine.options(host));
    let sql = engine.sql.as_deref().unwrap_or(&recording.sql);
    ran(session.run(sql, engine.restore))?;
    Ok(session)
}

fn start(sql: &str, options: &SessionOptions, restores: &[Restore]) -> Result<Session, ReplayError> {
    let mut session = Session::new(options.clone());
    ran(session.run_from(sql, restores, Restore::None))?;
    Ok(session)
}

fn ran(outcome: Result<ScriptOutcome, Vec<Diagnostic>>) -> Result<(), ReplayError> {
    outcome.map(drop).map_err(|problems| {
        ReplayError::Script(problems.first().map_or_else(String::new, |problem| problem.message.clone()))
    })
}
