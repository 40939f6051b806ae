//! A simulated run: engines over one store, and what befalls them.

use std::collections::BTreeMap;

use tidegate::runtime::host::run_until_quiet;
use tidegate::runtime::outage::Outages;
use tidegate::runtime::rng::Rng;
use tidegate::runtime::sim::{Faults, SimHost};
use tidegate::runtime::spoil::{Harm, Spoiled, Spoiling};
use tidegate::runtime::view::{CheckpointStatus, LogEvent};
use tidegate::runtime::{Command, Disturbance, Event, FeedItem, Job, JobState, Policy, RestartStrategy, Restore, Stop};
use tidegate::store::{MemoryStore, Store};
use tidegate::{JobHandle, Session, SessionOptions};

use super::Outcome;
use super::check::Seen;
use super::plan::{Mode, Plan};
use super::schedule::Action;

/// Rounds after which a run that goes well must have come to its end.
const ROUNDS: usize = 4_000;

/// What a job says that has no whole checkpoint left.
const DAMAGED: &str = "TG4021";

/// A run.
pub(super) struct Run {
    pub(super) plan: Plan,
    rng: Rng,
    pub(super) store: MemoryStore,
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
    /// What a committed reader has seen.
    pub(super) seen: Seen,
    /// Watermarks of subtasks in the running attempt.
    watermarks: BTreeMap<(u64, usize, u32), i64>,
    outcome: Outcome,
    verbose: bool,
}

/// A new engine over the store.
fn start(plan: &Plan, parallelism: usize, seed: u64, now: i64, restore: Restore) -> Session {
    let parallelism = parallelism.min(plan.most_subtasks());
    let mut session = Session::new(SessionOptions {
        seed,
        now,
        channel_capacity: plan.capacity,
        chunk_limit: plan.chunk,
        policy: if plan.seeded { Policy::Seeded } else { Policy::RoundRobin },
        restart: RestartStrategy::FixedDelay { attempts: u32::MAX, delay: plan.delay as i64 },
        ..SessionOptions::default()
    });
    if let Err(problems) = session.run(&plan.script(parallelism), restore) {
        panic!("the script is refused: {problems:?}");
    }
    session
}

fn job(session: &mut Session) -> &mut JobHandle {
    &mut session.jobs_mut()[0]
}

impl Run {
    pub(super) fn new(seed: u64, plan: Plan, verbose: bool) -> Run {
        let mut rng = Rng::new(seed ^ 0x5eed);
        let session = start(&plan, 1 + rng.below(4), rng.next_u64(), 0, Restore::Latest);
        Run {
            host: SimHost::new(rng.next_u64(), plan.faults),
            store: MemoryStore::default(),
            session,
            now: 0,
            fed: plan.tables.iter().map(|splits| vec![(0, false); splits.len()]).collect(),
            ghosts: Vec::new(),
            zombie: None,
            moving: None,
            from: None,
            damaged: false,
            expected: None,
            seen: Seen::default(),
            watermarks: BTreeMap::new(),
            outcome: Outcome { runs: 1, ..Outcome::default() },
            rng,
            plan,
            verbose,
        }
    }

    /// The storm, then all goes well until the job is finished.
    pub(super) fn execute(mut self, schedule: &[Action]) -> Outcome {
        for action in schedule {
            if self.verbose {
                println!("{:>6} {:>6} ms  {action:?}", self.runtime().steps(), self.now);
            }
            self.act(*action);
            self.round();
            self.arrive();
            self.look_at_the_restore();
            if self.verbose {
                self.show();
            }
        }
        self.host.faults = Faults::NONE;
        self.host.outages = Outages::default();
        self.windows_fire();
        self.end();
        self.finish()
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
            if due.is_empty() || self.holds(&due) || self.is_lost() {
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
        if self.verbose && state != JobState::Finished {
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
        self.host.round(&mut job(&mut self.session).runtime, &mut self.store);
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

    fn feed_again(&self, session: &mut Session) {
        for (table, splits) in self.fed.iter().enumerate() {
            for (split, (items, ended)) in splits.iter().enumerate() {
                let again = if self.plan.mode == Mode::OffAtLatest { 0 } else { *items };
                let mut items = self.plan.items(&self.plan.tables[table][split][..again]);
                if *ended {
                    items.push(FeedItem::End);
                }
                session.feed(self.plan.table(table), split as u32, &items);
            }
        }
    }

    /// The engine goes away, or is only taken for dead, and another one takes over.
    fn crash(&mut self, parallelism: usize, seed: u64, zombie: bool) {
        self.outcome.crashes += 1;
        let restore = self.from.map_or(Restore::Latest, Restore::Id);
        let session = start(&self.plan, parallelism, seed, self.now, restore);
        self.take_over(session, zombie);
    }

    fn take_over(&mut self, session: Session, zombie: bool) {
        let mut old = std::mem::replace(&mut self.session, session);
        let host = SimHost::new(self.rng.next_u64(), self.host.faults);
        let mut host = std::mem::replace(&mut self.host, host);
        // An engine that has not begun would take over in its turn, and be right.
        if zombie && *job(&mut old).runtime.state() == JobState::Running {
            self.outcome.zombies += 1;
            if let Some((mut before, mut host)) = self.zombie.replace((old, host)) {
                self.note(&mut before);
                host.crash();
                self.ghosts.push(host);
            }
        } else {
            self.note(&mut old);
            host.crash();
            self.ghosts.push(host);
        }
        let mut session = std::mem::replace(&mut self.session, Session::new(SessionOptions::default()));
        self.feed_again(&mut session);
        self.session = session;
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
        let session = start(&self.plan, parallelism, seed, self.now, Restore::Id(savepoint));
        self.take_over(session, false);
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
        let mut session =
            start(&self.plan, parallelism, seed, self.now, if exact { Restore::Id(any) } else { Restore::Latest });
        self.feed_again(&mut session);
        let mut store = self.store.clone();
        run_until_quiet(&mut job(&mut session).runtime, &mut store, 100_000);
        let runtime = &job(&mut session).runtime;
        let state = runtime.state().clone();
        let loaded = runtime.view().log.into_iter().any(|entry| match entry.event {
            LogEvent::Restored { checkpoint, .. } if exact => checkpoint == any,
            LogEvent::Restored { checkpoint, .. } => checkpoint >= newest,
            _ => false,
        });
        let good = matches!(state, JobState::Running | JobState::Finished);
        assert!(loaded && good, "of {:?} none was restored (exact: {exact}): {state:?}", view.retained);
        self.outcome.trials += 1;
    }

    pub(super) fn note(&mut self, session: &mut Session) {
        let job = job(session);
        self.outcome.steps += job.runtime.steps();
        for entry in job.runtime.view().log {
            if self.verbose {
                println!("{:>6} {:>6} ms  {:?}", entry.step, entry.at, entry.event);
            }
            match entry.event {
                LogEvent::CheckpointCompleted { .. } => self.outcome.checkpoints += 1,
                LogEvent::CheckpointAborted { .. } => self.outcome.aborted += 1,
                LogEvent::Restored { .. } => self.outcome.restores += 1,
                _ => {}
            }
        }
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

    fn finish(mut self) -> Outcome {
        let mut session = std::mem::replace(&mut self.session, Session::new(SessionOptions::default()));
        self.note(&mut session);
        self.session = session;
        if let Some((mut zombie, _)) = self.zombie.take() {
            self.note(&mut zombie);
        }
        if self.is_lost() {
            self.outcome.lost += 1;
        } else {
            self.look();
            self.look_at_the_end();
        }
        for (key, value) in self.store.entries() {
            for byte in key.iter().chain(value.iter()) {
                self.outcome.fingerprint = (self.outcome.fingerprint ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        self.outcome
    }
}
