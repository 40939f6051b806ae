//! A simulated run: engines over one store, and what befalls them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tidegate::replay::{Engine, Entered, Entry, Recording};
use tidegate::runtime::host::run_until_quiet;
use tidegate::runtime::outage::Outages;
use tidegate::runtime::rng::Rng;
use tidegate::runtime::sim::{Faults, SimHost};
use tidegate::runtime::spoil::{Harm, Spoiled, Spoiling};
use tidegate::runtime::view::{CheckpointStatus, LogEntry, LogEvent};
use tidegate::runtime::{Command, Disturbance, Event, FeedItem, Job, JobState, Policy, Restore, Stop};
use tidegate::store::{MemoryStore, Store};
use tidegate::{JobHandle, Planned, Session, SessionOptions};

use super::check::Seen;
use super::plan::{Mode, Plan, Row};
use super::schedule::Action;
use super::shelf::Shelf;
use super::{How, Outcome};

/// Rounds after which a run that goes well must have come to its end.
const ROUNDS: usize = 4_000;

/// What a job says that has no whole checkpoint left.
const DAMAGED: &str = "TG4021";

/// A run.
pub(super) struct Run {
    pub(super) plan: Plan,
    rng: Rng,
    pub(super) store: Shelf,
    session: Session,
    host: SimHost,
    now: i64,
    /// How many items of each split have been fed, by table, and whether its end was.
    fed: Vec<Vec<(usize, bool)>>,
    ghosts: Vec<SimHost>,
    zombie: Option<(Session, SimHost)>,
    /// The job is being stopped with a savepoint, to be started from it with this parallelism and seed.
    moving: Option<(usize, u64)>,
    /// It has been started from this savepoint, and has not run since: who takes over starts from it, too.
    from: Option<u64>,
    /// A checkpoint has been spoilt: what it had committed may come a second time, and the job may end for it.
    damaged: bool,
    /// The checkpoint that was spoilt, until it is known what is restored instead.
    expected: Option<u64>,
    /// The time of transactions was over once: rows of a completed checkpoint may be lost, and then the job says so.
    expired: bool,
    pub(super) lossy: bool,
    /// What the query gives for all of the input.
    pub(super) wanted: Rc<Vec<Row>>,
    /// What a committed reader has seen, and what it reads, by what has changed in the store.
    pub(super) seen: Seen,
    pub(super) looked: Option<u64>,
    pub(super) committed: Option<(u64, Rc<Vec<Row>>)>,
    /// Watermarks of subtasks in the running attempt.
    watermarks: BTreeMap<(u64, usize, u32), i64>,
    outcome: Outcome,
    how: How,
}

thread_local! {
    /// Scripts that were planned, by their text without settings: there are a few hundred.
    static PLANNED: RefCell<BTreeMap<String, Planned>> = const { RefCell::new(BTreeMap::new()) };
}

/// A new engine over the store.
fn start(plan: &Plan, how: &How, parallelism: usize, seed: u64, now: i64, restore: Restore) -> Session {
    let options = SessionOptions {
        seed,
        now,
        channel_capacity: plan.capacity,
        chunk_limit: plan.chunk,
        policy: policy(plan),
        watched: how.watched,
        journal: how.recorded,
        overrides: plan.settings(parallelism),
        ..SessionOptions::default()
    };
    let text = plan.statements();
    let session = PLANNED.with_borrow_mut(|known| {
        if !known.contains_key(&text) {
            known.insert(text.clone(), Session::planned(&text, &SessionOptions::default())?);
        }
        Session::start(options, &known[&text], restore)
    });
    session.unwrap_or_else(|problems| panic!("the script is refused: {problems:?}"))
}

/// Counts what an engine has done that is gone now.
fn note(outcome: &mut Outcome, lossy: &mut bool, verbose: bool, session: &Session) {
    let runtime = &session.jobs()[0].runtime;
    outcome.steps += runtime.steps();
    if verbose {
        for transaction in runtime.view().transactions {
            println!("{} of {:?}: {:?}", transaction.name, transaction.subtask, transaction.steps);
        }
    }
    for entry in runtime.log_since(0) {
        if verbose {
            println!("{:>6} {:>6} ms  {:?}", entry.step, entry.at, entry.event);
        }
        match entry.event {
            LogEvent::CheckpointCompleted { .. } => outcome.checkpoints += 1,
            LogEvent::CheckpointAborted { .. } => outcome.aborted += 1,
            LogEvent::Restored { .. } => outcome.restores += 1,
            LogEvent::TransactionLost { .. } => *lossy = true,
            _ => {}
        }
    }
}

/// A new engine is fed what has been fed.
fn feed_again(plan: &Plan, fed: &[Vec<(usize, bool)>], session: &mut Session) {
    for (table, splits) in fed.iter().enumerate() {
        for (split, (items, ended)) in splits.iter().enumerate() {
            let again = if plan.mode == Mode::OffAtLatest { 0 } else { *items };
            let mut items = plan.items(&plan.tables[table][split][..again]);
            if *ended {
                items.push(FeedItem::End);
            }
            session.feed(plan.table(table), split as u32, &items);
        }
    }
}

fn policy(plan: &Plan) -> Policy {
    if plan.seeded { Policy::Seeded } else { Policy::RoundRobin }
}

fn job(session: &mut Session) -> &mut JobHandle {
    &mut session.jobs_mut()[0]
}

impl Run {
    pub(super) fn new(seed: u64, plan: Plan, how: &How) -> Run {
        let mut rng = Rng::new(seed ^ 0x5eed);
        let (parallelism, draw) = (1 + rng.below(4), rng.next_u64());
        let mut run = Run {
            host: SimHost::new(rng.next_u64(), plan.faults),
            store: Shelf::default(),
            session: start(&plan, how, parallelism, draw, 0, Restore::Latest),
            now: 0,
            fed: plan.tables.iter().map(|splits| vec![(0, false); splits.len()]).collect(),
            ghosts: Vec::new(),
            zombie: None,
            moving: None,
            from: None,
            damaged: false,
            expected: None,
            expired: false,
            lossy: false,
            wanted: Rc::new(plan.wanted()),
            seen: Seen::default(),
            looked: None,
            committed: None,
            watermarks: BTreeMap::new(),
            outcome: Outcome { runs: 1, ..Outcome::default() },
            rng,
            plan,
            how: how.clone(),
        };
        run.store.tape = how.recorded.then(Vec::new);
        run.tell(Vec::new(), parallelism, draw, Restore::Latest);
        run
    }

    /// The storm, then all goes well until the job is finished.
    pub(super) fn execute(&mut self, schedule: &[Action]) -> Outcome {
        for action in schedule {
            if self.how.verbose {
                println!("{:>6} {:>6} ms  {action:?}", self.runtime().steps(), self.now);
            }
            self.act(*action);
            self.round();
            self.arrive();
            self.look_at_the_restore();
            if self.how.verbose {
                self.show();
            }
        }
        self.host.faults = Faults::NONE;
        self.host.outages = Outages::default();
        self.try_restore(1 + self.now as usize % 4, 0);
        self.windows_fire();
        self.end();
        self.finish()
    }

    /// For the recording: an engine begins. `steps` are those that the one before has taken.
    fn tell(&mut self, steps: Vec<u64>, parallelism: usize, seed: u64, restore: Restore) {
        let Some(tape) = &mut self.store.tape else { return };
        tape.push(Entry::Engine(Box::new(Engine {
            steps,
            sql: Some(self.plan.script(parallelism)),
            restore,
            seed,
            now: self.now,
            channel_capacity: self.plan.capacity,
            chunk_limit: self.plan.chunk,
            policy: policy(&self.plan),
            watched: self.how.watched,
        })));
    }

    /// For the recording: what has entered the job. What the store did for it stands there already, so answers are written out.
    fn write_down(&mut self) {
        let Some(tape) = &mut self.store.tape else { return };
        for entered in self.session.jobs_mut()[0].runtime.take_journal() {
            let what = match entered.event {
                Event::Response { request, response } => Entered::Failed(request, response),
                event => Entered::Event(event),
            };
            tape.push(Entry::Job { job: 0, step: entered.step, what });
        }
    }

    /// The run so far as the page plays it.
    pub(super) fn recording(&mut self) -> Recording {
        self.write_down();
        let mut entries = self.store.tape.take().unwrap_or_default();
        let engines = entries.iter_mut().filter_map(|entry| match entry {
            Entry::Engine(engine) => Some(engine),
            _ => None,
        });
        let mut engines: Vec<_> = engines.collect();
        let (sql, seed) =
            engines.last().map(|last| (last.sql.clone().unwrap_or_default(), last.seed)).unwrap_or_default();
        for engine in &mut engines {
            engine.sql.take_if(|own| *own == sql);
        }
        Recording { sql, seed, start: 0, entries, steps: vec![self.runtime().steps()] }
    }

    /// The session and the store, to be compared.
    pub(super) fn state(&mut self) -> (u64, MemoryStore) {
        (self.session.digest(), self.store.inner.clone())
    }

    /// Where watermarks and queues are.
    fn show(&mut self) {
        let view = self.runtime().view();
        let time = |at: Option<i64>| at.map_or("-".to_owned(), |at| at.to_string());
        let mut text = format!("        {:?}", view.state);
        for subtask in &view.subtasks {
            text += &format!(" {}.{}@{}/{}", subtask.vertex, subtask.index, time(subtask.watermark), subtask.rows_in);
        }
        for channel in view.channels.iter().filter(|channel| channel.queued > 0) {
            text += &format!(" {:?}->{:?}{:?}", channel.from, channel.to, channel.queue);
        }
        println!("{text}");
    }

    fn runtime(&mut self) -> &mut Job {
        &mut job(&mut self.session).runtime
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Feed(table, split, items) => self.feed(table, split, items, false),
            Action::Time(ms) => self.pass_time(ms),
            Action::Checkpoint => self.command(Command::TriggerCheckpoint),
            Action::Kill(vertex, index) => self.kill(Command::KillSubtask { vertex, index }),
            Action::Fail => self.kill(Command::FailJob),
            Action::FailOnCompletion => self.kill(Command::Disturb(Disturbance::FailOnCompletion)),
            Action::FailAt(moment) => self.kill(Command::Disturb(Disturbance::FailAt(moment))),
            Action::Outage(place, outage, ms) => {
                self.outcome.outages += 1;
                self.host.outages.begin(place, outage, self.now + ms);
            }
            Action::Expire => {
                self.expired = true;
                self.command(Command::Disturb(Disturbance::ExpireTransactions));
            }
            Action::Slow(from, to, pace) => {
                self.command(Command::Disturb(Disturbance::SlowChannel { from, to, pace }));
            }
            Action::LoseAcknowledgement(vertex, index) => {
                self.command(Command::Disturb(Disturbance::LoseAcknowledgement { vertex, index }));
            }
            Action::DelayAcknowledgement(vertex, index, by) => {
                self.command(Command::Disturb(Disturbance::DelayAcknowledgement { vertex, index, by }));
            }
            Action::Crash(parallelism, seed) => self.crash(parallelism, seed, false),
            Action::Zombie(parallelism, seed) => self.crash(parallelism, seed, true),
            // Where a failed job goes on with what comes, it is fed nothing that was before a savepoint either.
            Action::Savepoint | Action::Move(..) if self.plan.mode == Mode::OffAtLatest => {}
            Action::Move(parallelism, seed) => self.relocate(parallelism, seed),
            Action::Damage(harm, parallelism, seed) => self.damage(harm, parallelism, seed),
            Action::Savepoint => self.command(Command::Savepoint { stop: None }),
            Action::Chunk(limit) => self.command(Command::SetChunkLimit(limit)),
            Action::Step(steps) => drop(self.runtime().run_until_quiet(steps)),
            Action::Look => self.look(),
            Action::Restore(parallelism, seed) => self.try_restore(parallelism, seed),
        }
    }

    /// Once everything has been fed, the windows whose time is over must come out, before any split ends.
    fn windows_fire(&mut self) {
        let due = self.plan.due();
        let everywhere: Vec<(usize, usize)> =
            self.fed.iter().enumerate().flat_map(|(t, splits)| (0..splits.len()).map(move |s| (t, s))).collect();
        everywhere.iter().for_each(|(table, split)| self.feed(*table, *split, usize::MAX, false));
        for round in 0..ROUNDS {
            if due.is_empty() || self.holds(&due) || self.is_lost() || self.has_lost() {
                return;
            }
            if round % 10 == 0 {
                self.command(Command::TriggerCheckpoint);
            }
            self.round();
            self.runtime().run_until_quiet(200);
            self.pass_time(5);
            self.arrive();
        }
        let view = self.runtime().view();
        let marks: Vec<_> = view.subtasks.iter().map(|s| (s.vertex, s.index, s.watermark, s.idle)).collect();
        panic!("windows whose time is over have not fired: {due:?}; watermarks are {marks:?}");
    }

    /// Every split ends, and the job comes to its end.
    fn end(&mut self) {
        for table in 0..self.fed.len() {
            (0..self.fed[table].len()).for_each(|split| self.feed(table, split, usize::MAX, true));
        }
        for _ in 0..ROUNDS {
            self.round();
            self.runtime().run_until_quiet(200);
            self.pass_time(5);
            self.arrive();
            if self.runtime().state().is_terminal() && self.host.is_quiet() {
                break;
            }
        }
        let state = self.runtime().state().clone();
        if self.how.verbose && state != JobState::Finished {
            let view = self.runtime().view();
            println!("{:#?}", (view.log, view.checkpoint, view.subtasks));
        }
        let fine = state == JobState::Finished || self.is_lost();
        assert!(fine, "the job came to no good end: {state:?}");
        while self.ghosts.iter().any(|ghost| !ghost.is_quiet()) {
            self.ghosts.iter_mut().for_each(|ghost| ghost.ghost_round(&mut self.store));
        }
    }

    fn command(&mut self, command: Command) {
        // Refused when the job is not running; then nothing happens.
        let _ = self.runtime().handle(Event::Command(command));
    }

    fn kill(&mut self, command: Command) {
        self.outcome.kills += 1;
        self.command(command);
    }

    fn round(&mut self) {
        self.write_down();
        self.host.round(&mut job(&mut self.session).runtime, &mut self.store);
        self.write_down();
        self.ghosts.iter_mut().for_each(|ghost| ghost.ghost_round(&mut self.store));
        if let Some((session, host)) = &mut self.zombie {
            job(session).runtime.run_until_quiet(10);
            host.round(&mut job(session).runtime, &mut self.store);
        }
    }

    fn pass_time(&mut self, ms: i64) {
        self.now += ms;
        self.session.time(self.now);
        if let Some((session, _)) = &mut self.zombie {
            session.time(self.now);
        }
    }

    fn feed(&mut self, table: usize, split: usize, items: usize, with_end: bool) {
        let all = &self.plan.tables[table][split];
        let (from, ended) = self.fed[table][split];
        let to = from.saturating_add(items).min(all.len());
        let mut items = self.plan.items(&all[from..to]);
        let end = with_end && !ended;
        if end {
            items.push(FeedItem::End);
        }
        if !items.is_empty() {
            self.session.feed(self.plan.table(table), split as u32, &items);
        }
        self.fed[table][split] = (to, ended || end);
    }

    /// The engine goes away, or is only taken for dead, and another one takes over.
    fn crash(&mut self, parallelism: usize, seed: u64, zombie: bool) {
        self.outcome.crashes += 1;
        let restore = self.from.map_or(Restore::Latest, Restore::Id);
        self.take_over(parallelism, seed, restore, zombie);
    }

    fn take_over(&mut self, parallelism: usize, seed: u64, restore: Restore, zombie: bool) {
        self.write_down();
        let steps = vec![self.runtime().steps()];
        self.tell(steps, parallelism, seed, restore);
        let session = start(&self.plan, &self.how, parallelism, seed, self.now, restore);
        let mut old = std::mem::replace(&mut self.session, session);
        let host = SimHost::new(self.rng.next_u64(), self.host.faults);
        let mut host = std::mem::replace(&mut self.host, host);
        // An engine that has not begun would take over in its turn, and be right.
        if zombie && *job(&mut old).runtime.state() == JobState::Running {
            self.outcome.zombies += 1;
            if let Some((before, mut host)) = self.zombie.replace((old, host)) {
                note(&mut self.outcome, &mut self.lossy, self.how.verbose, &before);
                host.crash();
                self.ghosts.push(host);
            }
        } else {
            note(&mut self.outcome, &mut self.lossy, self.how.verbose, &old);
            host.crash();
            self.ghosts.push(host);
        }
        feed_again(&self.plan, &self.fed, &mut self.session);
        self.watermarks.clear();
        self.expected = None;
    }

    /// Whether the sink has to hold each row once.
    pub(super) fn is_exact(&self) -> bool {
        self.plan.is_exact() && !self.damaged
    }

    /// Something of the newest checkpoint is spoilt, or gone. Who restores must say so and take the one before, or go no further.
    fn damage(&mut self, harm: Harm, parallelism: usize, seed: u64) {
        let view = self.runtime().view();
        let Some(newest) = view.retained.last().copied().filter(|_| self.from.is_none()) else { return };
        // One of which nobody knows whether it is there is none to be missed.
        if view.checkpoint.is_some_and(|checkpoint| checkpoint.status == CheckpointStatus::Completing)
            || view.history.last().is_none_or(|last| last.id != newest)
        {
            return;
        }
        self.write_down();
        let (mut work, mut request) = Spoiling::new(self.runtime().store_name(), harm);
        let spoilt = loop {
            match work.next(self.store.execute(request)) {
                Spoiled::Ask(next) => request = next,
                Spoiled::Done(checkpoint) => break checkpoint,
                Spoiled::Not(_) => return,
            }
        };
        assert_eq!(spoilt, newest, "another checkpoint is the newest");
        self.damaged = true;
        self.crash(parallelism, seed, false);
        self.expected = Some(newest);
    }

    /// Whether the job has ended because no whole checkpoint was left.
    fn is_lost(&mut self) -> bool {
        let damaged = self.damaged;
        damaged && matches!(self.runtime().state(), JobState::Failed(problem) if problem.code.to_string() == DAMAGED)
    }

    /// An engine that takes an older checkpoint than the newest says that this one is damaged; none begins from nothing.
    fn look_at_the_restore(&mut self) {
        let Some(expected) = self.expected else { return };
        let view = self.runtime().view();
        let restored = view.log.iter().find_map(|entry| match entry.event {
            LogEvent::Restored { checkpoint, .. } => Some(checkpoint),
            _ => None,
        });
        assert!(restored.is_some() || view.state != JobState::Running, "it began from nothing");
        let Some(restored) = restored else { return };
        // What was asked for before the engine went away may have made a newer one since.
        if restored < expected {
            let named = view.log.iter().any(
                |entry| matches!(entry.event, LogEvent::CheckpointDamaged { checkpoint, .. } if checkpoint == expected),
            );
            assert!(named, "checkpoint {restored} was taken and nobody said that {expected} is damaged");
            self.outcome.damaged += 1;
        }
        self.expected = None;
    }

    /// The job is stopped with a savepoint, by an engine that may be lost on the way. Where the savepoint does not come about, the job goes on.
    fn relocate(&mut self, parallelism: usize, seed: u64) {
        if self.runtime().handle(Event::Command(Command::Savepoint { stop: Some(Stop::Suspend) })).is_ok() {
            self.moving = Some((parallelism, seed));
        }
    }

    /// Once it has stopped, it is started from there.
    fn arrive(&mut self) {
        if matches!(self.runtime().state(), JobState::Running | JobState::Finished) {
            self.from = None;
        }
        if self.runtime().state() != &JobState::Finished {
            return;
        }
        let Some((parallelism, seed)) = self.moving.take() else { return };
        let Some(savepoint) = self.runtime().view().retained.last().copied() else { return };
        self.outcome.moves += 1;
        self.from = Some(savepoint);
        self.take_over(parallelism, seed, Restore::Id(savepoint), false);
    }

    /// Any checkpoint that is complete can be restored, at any parallelism.
    fn try_restore(&mut self, parallelism: usize, seed: u64) {
        if self.damaged {
            return;
        }
        let view = self.runtime().view();
        let Some(newest) = view.retained.last().copied() else { return };
        // One that is about to be replaced may be gone already, also when nobody could say whether it has been replaced.
        let completing = view.checkpoint.is_some_and(|checkpoint| checkpoint.status == CheckpointStatus::Completing);
        let in_doubt = view.history.last().is_none_or(|last| last.id != newest);
        let any = view.retained[(seed % view.retained.len() as u64) as usize];
        let exact = !completing && !in_doubt && !seed.is_multiple_of(3);
        let restore = if exact { Restore::Id(any) } else { Restore::Latest };
        let how = How { watched: self.how.watched, ..How::default() };
        let mut session = start(&self.plan, &how, parallelism, seed, self.now, restore);
        feed_again(&self.plan, &self.fed, &mut session);
        let mut store = self.store.inner.clone();
        let runtime = &mut job(&mut session).runtime;
        run_until_quiet(runtime, &mut store, 100_000);
        let state = runtime.state().clone();
        let loaded = runtime.view().log.into_iter().any(|entry| match entry.event {
            LogEvent::Restored { checkpoint, .. } if exact => checkpoint == any,
            LogEvent::Restored { checkpoint, .. } => checkpoint >= newest,
            _ => false,
        });
        let good = matches!(state, JobState::Running | JobState::Finished);
        assert!(loaded && good, "of {:?} none was restored (exact: {exact}): {state:?}", view.retained);
        self.outcome.trials += 1;
        // From the latest on, positions and state agree if what was fed is counted once, all of it.
        let goes_on = !exact && self.from.is_none() && self.moving.is_none();
        if goes_on && self.is_exact() && !self.has_lost() && !self.plan.timed() {
            let asked = runtime.handle(Event::Command(Command::TriggerCheckpoint));
            if asked.is_err() && state != JobState::Finished {
                return;
            }
            run_until_quiet(runtime, &mut store, 100_000);
            let lost = |entry: &LogEntry| matches!(entry.event, LogEvent::TransactionLost { .. });
            if runtime.log_since(0).any(lost) {
                return;
            }
            let mut part = self.plan.clone();
            for (splits, fed) in part.tables.iter_mut().zip(&self.fed) {
                splits.iter_mut().zip(fed).for_each(|(split, (items, _))| split.truncate(*items));
            }
            let mut rows = super::check::read(&part, &mut store, true);
            rows.sort_unstable();
            assert_eq!(rows, part.wanted(), "what is restored does not go on from where it was");
            self.outcome.agreed += 1;
        }
    }

    /// Whether rows of a completed checkpoint are lost, as the time of their transaction was over, and the job says so.
    fn has_lost(&mut self) -> bool {
        if !self.expired || self.lossy {
            return self.lossy;
        }
        let engines = std::iter::once(&self.session).chain(self.zombie.iter().map(|(session, _)| session));
        let mut log = engines.flat_map(|session| session.jobs()[0].runtime.view().log);
        self.lossy = log.any(|entry| matches!(entry.event, LogEvent::TransactionLost { .. }));
        self.lossy
    }

    /// Within an attempt no watermark goes back.
    pub(super) fn look_at_watermarks(&mut self) {
        // While an attempt starts, what is seen is the one before.
        if *self.runtime().state() != JobState::Running {
            return;
        }
        let view = self.runtime().view();
        for subtask in view.subtasks {
            let Some(now) = subtask.watermark else { continue };
            let place = (view.attempt, subtask.vertex, subtask.index);
            let before = self.watermarks.insert(place, now);
            assert!(before.is_none_or(|before| before <= now), "the watermark of {place:?} went back to {now}");
        }
    }

    fn finish(&mut self) -> Outcome {
        note(&mut self.outcome, &mut self.lossy, self.how.verbose, &self.session);
        if let Some((zombie, _)) = &self.zombie {
            note(&mut self.outcome, &mut self.lossy, self.how.verbose, zombie);
        }
        if self.is_lost() {
            self.outcome.lost += 1;
        } else {
            self.look();
            self.look_at_the_end();
        }
        self.outcome.expired += u64::from(self.lossy);
        for (key, value) in self.store.inner.entries() {
            for byte in key.iter().chain(value.iter()) {
                self.outcome.fingerprint = (self.outcome.fingerprint ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        self.outcome.clone()
    }
}
