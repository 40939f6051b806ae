//! A host of the kind that the page's worker is: answers late, time that goes on, engines that get lost.

use std::collections::VecDeque;

use tidegate::diag::Diagnostic;
use tidegate::replay::{Begun, Entry, Recording};
use tidegate::runtime::{Command, Event, FeedItem, Mishap, RestartStrategy, Restore};
use tidegate::store::{MemoryStore, Store, StoreRequest, StoreResponse};
use tidegate::{Session, SessionOptions, Withheld, Zombie, taken_over, turn_of};

pub const START: i64 = 1_700_000_000_000;

pub fn options() -> SessionOptions {
    SessionOptions {
        now: START,
        chunk_limit: 1,
        watched: true,
        journal: true,
        seed: 11,
        restart: RestartStrategy::FixedDelay { attempts: u32::MAX, delay: 1000 },
        defaults: vec![("execution.checkpointing.num-retained".into(), "5".into())],
        ..SessionOptions::default()
    }
}

/// A run and its surroundings.
pub struct Host {
    pub sql: String,
    pub session: Session,
    pub store: MemoryStore,
    pub now: i64,
    waiting: VecDeque<(usize, u64, StoreRequest)>,
    fed: Vec<(String, u32, Vec<FeedItem>)>,
    /// Host time at which the run was begun.
    start: i64,
    /// What was planned to go wrong with the host, and has come.
    pub asked: Vec<Mishap>,
    /// An engine that was taken for dead.
    pub zombie: Option<Zombie>,
    /// What it asks the store.
    haunting: VecDeque<(usize, u64, StoreRequest)>,
}

impl Host {
    pub fn new(sql: &str) -> Host {
        let mut session = Session::new(options());
        session.run(sql, Restore::None).expect("the script runs");
        session.record_behind(Vec::new());
        let (store, waiting, fed) = (MemoryStore::new(), VecDeque::new(), Vec::new());
        Host {
            sql: sql.to_owned(),
            session,
            store,
            now: START,
            waiting,
            fed,
            start: START,
            asked: Vec::new(),
            zombie: None,
            haunting: VecDeque::new(),
        }
    }

    pub fn feed(&mut self, table: &str, split: u32, values: &[&str]) {
        self.feed_nullable(table, split, &values.iter().map(|text| Some(*text)).collect::<Vec<_>>());
    }

    /// The same; `None` is NULL.
    pub fn feed_nullable(&mut self, table: &str, split: u32, values: &[Option<&str>]) {
        let texts: Vec<Option<String>> = values.iter().map(|text| text.map(str::to_owned)).collect();
        let row = self.session.parse_row(table, tidegate::data::RowKind::Insert, &texts).expect("the row fits");
        self.session.feed(table, split, std::slice::from_ref(&row));
        if let Some(zombie) = &mut self.zombie {
            zombie.feed(table, split, std::slice::from_ref(&row));
        }
        self.fed.push((table.to_owned(), split, vec![row]));
    }

    pub fn command(&mut self, job: usize, command: Command) {
        let _ = self.session.jobs_mut()[job].runtime.handle(Event::Command(command));
    }

    /// Time goes on.
    pub fn pass(&mut self, ms: i64) {
        self.now += ms;
        self.session.time(self.now);
        self.collect();
    }

    /// So many steps by each job.
    pub fn step(&mut self, steps: usize) {
        for _ in 0..steps {
            for job in self.session.jobs_mut() {
                job.runtime.step_element();
            }
        }
        self.collect();
    }

    /// One input row of each job.
    pub fn step_row(&mut self) {
        for job in self.session.jobs_mut() {
            job.runtime.step_row(200);
        }
        self.collect();
    }

    /// Answers so many of the requests under way.
    pub fn answer(&mut self, count: usize) {
        for _ in 0..count {
            let Some((job, request, body)) = self.waiting.pop_front() else { return };
            let response = self.store.execute(body);
            let _ = self.session.jobs_mut()[job].runtime.handle(Event::Response { request, response });
            self.collect();
        }
    }

    fn collect(&mut self) {
        for job in self.session.jobs_mut() {
            job.note();
        }
        let turned = turn_of(self.session.take_effects());
        self.waiting.extend(turned.requests);
        for (job, mishap, _) in turned.mishaps {
            match mishap {
                Mishap::EngineLost => self.lose_engine(),
                Mishap::Zombie => self.haunt(job, turned.withheld.clone()),
                mishap => self.asked.push(mishap),
            }
        }
    }

    /// The engine is taken for dead.
    fn haunt(&mut self, job: usize, withheld: Withheld) {
        let (sql, now) = (self.sql.clone(), self.now);
        let mut zombie = self.session.take_over(&sql, job, now, withheld).expect("it is recorded");
        // What it had asked is carried out; the answers wait for it.
        for (job, request, body) in self.waiting.drain(..) {
            let response = self.store.execute(body);
            zombie.hear(job, request, response);
        }
        self.zombie = Some(zombie);
        self.collect();
    }

    /// The zombie takes some steps, and the store answers it.
    fn haunted(&mut self) -> bool {
        let Some(zombie) = &mut self.zombie else { return false };
        let wanted = zombie.turn(&self.session, self.now, 50);
        self.haunting.extend(wanted);
        let Some((job, request, body)) = self.haunting.pop_front() else { return false };
        let response = self.store.execute(body.clone());
        if let (StoreRequest::Batch { .. }, StoreResponse::Done) = (&body, &response)
            && let Some(recorder) = self.session.recorder()
        {
            recorder.outside(body);
        }
        zombie.hear(job, request, response);
        true
    }

    /// Until nothing moves.
    pub fn settle(&mut self) {
        for _ in 0..10_000 {
            self.answer(usize::MAX);
            let mut moved = false;
            for job in self.session.jobs_mut() {
                moved |= job.runtime.step_element();
            }
            self.collect();
            moved |= self.haunted();
            if !moved && self.waiting.is_empty() {
                return;
            }
        }
        panic!("it does not come to rest");
    }

    /// The engine is gone with what it had not been answered; another one takes over.
    pub fn lose_engine(&mut self) {
        for job in self.session.jobs_mut() {
            job.note();
        }
        self.waiting.extend(turn_of(self.session.take_effects()).requests);
        for (_, _, body) in self.waiting.drain(..) {
            self.store.execute(body);
        }
        let mut session = Session::new(SessionOptions { now: self.now, ..options() });
        let mut entries = self.session.recorder().expect("it records").entries().to_vec();
        let from = match entries.first() {
            Some(Entry::From(from)) => from.restores.clone(),
            _ => Vec::new(),
        };
        let restores = taken_over(self.session.jobs().iter().map(|job| &job.history), &from);
        session.run_from(&self.sql, &restores, Restore::Latest).expect("the script runs");
        for (table, split, items) in &self.fed {
            session.feed(table, *split, items);
        }
        let mut steps = Vec::new();
        for (job, old) in session.jobs_mut().iter_mut().zip(self.session.jobs_mut()) {
            old.note();
            steps.push(old.runtime.steps());
            job.history = old.history.clone().go_on(self.now, old.runtime.steps());
        }
        entries.push(Entry::Lost { steps, now: self.now });
        session.record_behind(entries);
        self.session = session;
        self.collect();
    }

    /// Another session, with this script, starts from what is in the store and reads the same input.
    pub fn start_again(&mut self, sql: &str, restore: Restore) {
        let mut session = Session::new(SessionOptions { now: self.now, ..options() });
        session.run(sql, restore).expect("the script runs");
        for (table, split, items) in &self.fed {
            session.feed(table, *split, items);
        }
        self.waiting.clear();
        (self.session, self.sql) = (session, sql.to_owned());
        self.settle();
    }

    /// Another script takes the place of this run and begins from what that has left; if something does not fit, this run stays.
    pub fn begin_from(&mut self, sql: &str, first: &[Restore]) -> Vec<Diagnostic> {
        let store: Vec<_> = self.store.entries().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        let mut session = Session::new(SessionOptions { now: self.now, ..options() });
        session.run_from(sql, first, Restore::None).expect("the script runs");
        let misfits = session.misfits(&store);
        if !misfits.is_empty() {
            return misfits;
        }
        let mut histories = Vec::new();
        for (job, old) in session.jobs_mut().iter_mut().zip(self.session.jobs_mut()) {
            old.note();
            job.history = old.history.begin_from(&old.runtime.view().retained);
            histories.push(job.history.clone());
        }
        let begun = Begun { restores: session.restores(), histories, store };
        session.record_behind(vec![Entry::From(Box::new(begun))]);
        for (table, split, items) in &self.fed {
            session.feed(table, *split, items);
        }
        self.waiting.clear();
        (self.session, self.sql, self.start) = (session, sql.to_owned(), self.now);
        self.collect();
        Vec::new()
    }

    pub fn recording(&mut self) -> Recording {
        Recording {
            sql: self.sql.clone(),
            seed: options().seed,
            start: self.start,
            entries: self.session.recorder().expect("it records").entries().to_vec(),
            steps: self.session.jobs().iter().map(|job| job.runtime.steps()).collect(),
        }
    }
}
