//! A session with a store in memory and a time of its own: what is compared side by side runs in one of these.

use tidegate_runtime::outage::{Outages, Place, Slow};
use tidegate_runtime::{Command, Effect, Event, MemoryStore, Store, StoreResponse};

use crate::Session;

/// A session, its store and its time.
pub(crate) struct Rig {
    pub session: Session,
    pub store: MemoryStore,
    /// Host time, ms.
    pub now: i64,
    /// How slow checkpoint storage is; a request is carried out at once, and others are answered at once.
    outages: Outages,
    /// Answers on their way: when they arrive, the job, its request.
    answers: Vec<(i64, usize, u64, StoreResponse)>,
}

impl Rig {
    /// A rig whose time begins at `now`, and whose checkpoint storage takes `delay` ms to answer.
    pub fn new(session: Session, now: i64, delay: i64) -> Rig {
        let mut outages = Outages::default();
        outages.slow_down(Place::Checkpoints, Slow { ms: delay, rate: 0 });
        Rig { session, store: MemoryStore::new(), now, outages, answers: Vec::new() }
    }

    /// Lets so many ms pass.
    pub fn pass(&mut self, ms: i64) {
        self.now += ms;
        self.session.time(self.now);
        self.settle();
    }

    /// One element by one subtask of each job. False if none had anything to do.
    pub fn step(&mut self) -> bool {
        let mut any = false;
        for job in self.session.jobs_mut() {
            any |= job.runtime.step_element();
        }
        self.settle();
        any
    }

    /// Tells a job to do something; what it refuses is not done.
    pub fn command(&mut self, job: usize, command: Command) {
        let _ = self.session.jobs_mut()[job].runtime.handle(Event::Command(command));
        self.settle();
    }

    /// Carries out what the jobs want of the store, and brings them the answers whose time has come.
    pub fn settle(&mut self) {
        loop {
            for (job, effect) in self.session.take_effects() {
                if let Effect::Store { request, body } = effect {
                    let at = self.outages.answered_at(&body, self.now).unwrap_or(self.now);
                    let response = self.store.execute(body);
                    self.answers.push((at, job, request, response));
                }
            }
            let now = self.now;
            let due: Vec<_> = self.answers.extract_if(.., |(at, ..)| *at <= now).collect();
            if due.is_empty() {
                return;
            }
            for (_, job, request, response) in due {
                // An answer is never refused.
                let _ = self.session.jobs_mut()[job].runtime.handle(Event::Response { request, response });
            }
        }
    }
}
