//! A zombie: an engine that was taken for dead. Another one has taken over; then the old one comes back, knows nothing of it, and goes
//! on writing. The store refuses it, and it ends with that.

use tidegate_data::sorted::SortedMap;
use tidegate_diag::Diagnostic;
use tidegate_runtime::view::LogEvent;
use tidegate_runtime::{
    Command, Effect, Event, FeedItem, JobState, Mishap, RequestId, Restore, StoreRequest, StoreResponse,
};

use crate::replay::feeds_of;
use crate::{Session, SessionOptions};

/// The most refused requests remembered.
const TRIED: usize = 8;

/// Requests of jobs: job, number, what is asked.
pub type Withheld = Vec<(usize, RequestId, StoreRequest)>;

/// What jobs want of their host in one turn.
#[derive(Debug, Default)]
pub struct Turned {
    /// What is asked of the store.
    pub requests: Withheld,
    /// What is to go wrong: by which job's plan, and how many of the requests go before it.
    pub mishaps: Vec<(usize, Mishap, usize)>,
    /// What a job asks that has just been lost, or been taken for dead: it does not leave the engine.
    pub withheld: Withheld,
}

/// Sorts what the jobs want ([`Session::take_effects`]).
pub fn turn_of(effects: Vec<(usize, Effect)>) -> Turned {
    let (mut turned, mut gone) = (Turned::default(), None);
    for (job, effect) in effects {
        match effect {
            Effect::Store { request, body } if gone == Some(job) => turned.withheld.push((job, request, body)),
            Effect::Store { request, body } => turned.requests.push((job, request, body)),
            Effect::Mishap(mishap) => {
                turned.mishaps.push((job, mishap, turned.requests.len()));
                if matches!(mishap, Mishap::EngineLost | Mishap::Zombie) {
                    gone = Some(job);
                }
            }
            Effect::Wake { .. } => {}
        }
    }
    turned
}

/// The old engine.
pub struct Zombie {
    session: Session,
    job: usize,
    awake: bool,
    /// Answers that came while it was away.
    held: Vec<(usize, RequestId, StoreResponse)>,
    /// What it was about to ask.
    withheld: Withheld,
    asked: SortedMap<(usize, RequestId), StoreRequest>,
    over: bool,
    tried: Vec<String>,
    fenced: Option<Diagnostic>,
}

impl Session {
    /// Another engine takes over at host time `now`: this session is that one from now on, and goes on recording behind the old one's recording.
    /// `withheld` it asks of the store when it comes back. Its job `job` is the one that is looked at.
    ///
    /// # Errors
    /// When the run is not recorded (any more), or its script does not run.
    pub fn take_over(&mut self, sql: &str, job: usize, now: i64, withheld: Withheld) -> Result<Zombie, String> {
        let Some(recorder) = self.recorder() else {
            return Err("the run is not recorded, or has become too long".to_owned());
        };
        let entries = recorder.entries().to_vec();
        let mut next = Session::new(SessionOptions { now, ..self.options().clone() });
        if let Err(problems) = next.run(sql, Restore::Latest) {
            return Err(problems.first().map_or_else(String::new, |problem| problem.message.clone()));
        }
        for (table, split, items) in feeds_of(&entries) {
            next.feed(&table, split, &items);
        }
        let mut steps = Vec::new();
        for (job, old) in next.jobs_mut().iter_mut().zip(self.jobs_mut()) {
            old.note();
            steps.push(old.runtime.steps());
            job.history = old.history.clone().go_on(now, old.runtime.steps());
        }
        next.record_behind(entries);
        if let Some(recorder) = next.recorder() {
            recorder.lost(steps, now);
        }
        // What is planned goes on with the engine that has taken over.
        for (job, old) in next.jobs_mut().iter_mut().zip(self.jobs()) {
            for steps in old.runtime.planned() {
                let _ = job.runtime.handle(Event::Command(Command::Plan(steps)));
            }
        }
        let mut session = std::mem::replace(self, next);
        session.stop_recording();
        Ok(Zombie {
            session,
            job,
            awake: false,
            over: false,
            held: Vec::new(),
            withheld,
            asked: SortedMap::new(),
            tried: Vec::new(),
            fenced: None,
        })
    }
}

impl Zombie {
    /// The store answers one of its requests.
    pub fn hear(&mut self, job: usize, request: RequestId, response: StoreResponse) {
        let body = self.asked.remove(&(job, request));
        if let (StoreResponse::Refused { .. }, Some(body)) = (&response, &body)
            && self.tried.len() < TRIED
        {
            self.tried.push(tidegate_connectors::describe(body));
        }
        if !self.awake {
            return self.held.push((job, request, response));
        }
        if let Some(job) = self.session.jobs_mut().get_mut(job) {
            // An answer is never refused.
            let _ = job.runtime.handle(Event::Response { request, response });
        }
    }

    /// Rows that come in reach it as well.
    pub fn feed(&mut self, table: &str, split: u32, items: &[FeedItem]) {
        if self.awake {
            self.session.feed(table, split, items);
        }
    }

    /// It takes some steps, once the jobs of the engine that has taken over run. Gives what it asks of the store.
    pub fn turn(&mut self, successor: &Session, now: i64, steps: u64) -> Withheld {
        if self.over {
            return Vec::new();
        }
        let mut wanted = Vec::new();
        if !self.awake {
            let runs = |job: &crate::JobHandle| matches!(job.runtime.state(), JobState::Running | JobState::Finished);
            if !successor.jobs().iter().all(runs) {
                return Vec::new();
            }
            self.awake = true;
            self.session.jobs_mut().iter_mut().for_each(|job| job.runtime.wake_up());
            wanted.append(&mut self.withheld);
            for (job, request, response) in std::mem::take(&mut self.held) {
                self.hear(job, request, response);
            }
        }
        self.session.time(now);
        for job in self.session.jobs_mut() {
            job.runtime.run_until_quiet(steps);
        }
        let Some(job) = self.session.jobs().get(self.job) else { return Vec::new() };
        if *job.runtime.state() != JobState::Running {
            // Were it to start again it would take over in its turn, and be right.
            let log = job.runtime.view().log;
            let why = log.into_iter().rev().find_map(|entry| match entry.event {
                LogEvent::Failed { diagnostic, .. } => Some(diagnostic),
                _ => None,
            });
            (self.fenced, self.over) = (why, true);
            return Vec::new();
        }
        let effects = self.session.take_effects();
        wanted.append(&mut turn_of(effects).requests);
        for (job, request, body) in &wanted {
            self.asked.insert((*job, *request), body.clone());
        }
        wanted
    }

    /// The attempt that it believes to be.
    pub fn attempt(&self) -> u64 {
        self.session.jobs().get(self.job).map_or(0, |job| job.runtime.view().attempt)
    }

    /// The job that is looked at.
    pub fn job(&self) -> usize {
        self.job
    }

    /// Whether it has come back.
    pub fn is_awake(&self) -> bool {
        self.awake
    }

    /// What it has tried and was refused, in words.
    pub fn tried(&self) -> &[String] {
        &self.tried
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The error with which it has ended.
    pub fn fenced(&self) -> Option<&Diagnostic> {
        self.fenced.as_ref()
    }
}
