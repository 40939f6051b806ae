//! Simulated runs: a seed picks interleaving, sizes, checkpoints, faults, kills and the answers of the store; the invariants hold after every run.
//!
//! `TIDEGATE_SEED=n` runs one seed; `TIDEGATE_RUNS=n` another number of them.

mod plan;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;

use plan::Plan;
use support::txn_sink::committed;
use support::*;
use tidegate_runtime::rng::Rng;
use tidegate_runtime::sim::{Faults, SimHost};
use tidegate_runtime::*;

/// Runs in the test command, all parts together.
const RUNS: u64 = 10_000;
/// Parts that the test harness runs side by side.
const PARTS: u64 = 4;

/// What happened in a run, for statistics and for comparing two runs of one seed.
#[derive(Clone, Debug, Default, PartialEq)]
struct Report {
    steps: u64,
    checkpoints: u64,
    aborted: u64,
    restores: u64,
    merges: u64,
    kills: usize,
    crashes: usize,
    zombies: usize,
    store: MemoryStore,
}

struct Run {
    plan: Plan,
    rng: Rng,
    store: MemoryStore,
    host: SimHost,
    job: Job,
    /// The parallelism of the job that runs.
    parallelism: [u32; 3],
    now: i64,
    /// How many items of each feed have been fed.
    fed: Vec<usize>,
    /// Hosts of engines that are gone, with what is still under way.
    ghosts: Vec<SimHost>,
    /// An engine that was taken for dead.
    zombie: Option<(Job, SimHost)>,
    seen: BTreeSet<Vec<u8>>,
    report: Report,
    /// Checkpoints whose barriers have been sent, by any engine.
    triggered: BTreeSet<CheckpointId>,
    /// Prints what happens.
    verbose: bool,
}

impl Run {
    fn new(seed: u64, verbose: bool) -> Run {
        let plan = Plan::draw(seed);
        let mut rng = Rng::new(seed ^ 0x5eed);
        let parallelism = draw_parallelism(&mut rng);
        let mut job = Job::start(plan.graph(parallelism), plan.settings.clone(), Restore::Latest).unwrap();
        // All splits are known from the start, so that all count for the watermark.
        plan.feeds.iter().for_each(|(table, split, _)| feed(&mut job, table, *split, vec![]));
        Run {
            host: SimHost::new(rng.next_u64(), plan.faults),
            store: MemoryStore::new(),
            fed: vec![0; plan.feeds.len()],
            job,
            parallelism,
            now: 0,
            ghosts: Vec::new(),
            zombie: None,
            seen: BTreeSet::new(),
            report: Report::default(),
            triggered: BTreeSet::new(),
            plan,
            rng,
            verbose,
        }
    }

    /// Anything may happen.
    fn storm(&mut self) {
        for _ in 0..50 + self.rng.below(300) {
            match self.rng.below(12) {
                0 => self.feed_some(),
                1 => self.pass_time(20),
                2 => drop(self.job.handle(Event::Command(Command::TriggerCheckpoint))),
                3 if self.report.kills < self.plan.kills && self.rng.one_in(3) => self.kill(),
                4 if self.report.crashes < self.plan.crashes && self.rng.one_in(3) => self.crash(),
                5 => {
                    let limit = 1 + self.rng.below(8);
                    self.job.handle(Event::Command(Command::SetChunkLimit(limit))).ok();
                }
                6 => drop(self.job.step_row(20)),
                7 | 8 => self.step(40),
                _ => self.step(5),
            }
            self.round();
        }
    }

    /// Everything goes well until the job is finished.
    fn calm(&mut self) {
        self.host.faults = Faults::NONE;
        for _ in 0..4000 {
            self.feed_some();
            self.round();
            self.job.run_until_quiet(100);
            self.pass_time(5);
            if self.job.state().is_terminal() && self.host.is_quiet() {
                break;
            }
        }
        if *self.job.state() != JobState::Finished {
            panic!("it came to no good end: {:?}\n{:?}\n{:#?}", self.job.state(), self.plan, self.job.view());
        }
        while self.ghosts.iter().any(|ghost| !ghost.is_quiet()) {
            self.ghosts.iter_mut().for_each(|ghost| ghost.ghost_round(&mut self.store));
        }
    }

    fn step(&mut self, most: usize) {
        let steps = self.rng.below(most) as u64;
        self.job.run_until_quiet(steps);
    }

    fn round(&mut self) {
        self.host.round(&mut self.job, &mut self.store);
        self.ghosts.iter_mut().for_each(|ghost| ghost.ghost_round(&mut self.store));
        if let Some((job, host)) = &mut self.zombie {
            job.run_until_quiet(10);
            host.round(job, &mut self.store);
        }
        self.look();
    }

    /// What a committed reader has seen stays.
    fn look(&mut self) {
        let prefix = b"sink/marker/".to_vec();
        let markers = self.store.entries().range(bytes::Bytes::from(prefix)..);
        let now: BTreeSet<Vec<u8>> =
            markers.map(|(key, _)| key.to_vec()).take_while(|key| key.starts_with(b"sink/marker/")).collect();
        assert!(self.seen.is_subset(&now), "something committed was taken back");
        self.seen = now;
    }

    fn feed_some(&mut self) {
        if self.plan.feeds.is_empty() {
            return;
        }
        let i = self.rng.below(self.plan.feeds.len());
        let (table, split, items) = &self.plan.feeds[i];
        let from = self.fed[i];
        let to = (from + 1 + self.rng.below(6)).min(items.len());
        if from < to {
            feed(&mut self.job, table, *split, items[from..to].to_vec());
            self.fed[i] = to;
        }
    }

    fn pass_time(&mut self, most: usize) {
        self.now += 1 + self.rng.below(most) as i64;
        self.job.handle(Event::Time(self.now)).unwrap();
    }

    fn kill(&mut self) {
        self.report.kills += 1;
        let command = if self.rng.one_in(4) {
            Command::FailJob
        } else {
            Command::KillSubtask { vertex: self.rng.below(3), index: self.rng.below(3) as u32 }
        };
        let _ = self.job.handle(Event::Command(command));
    }

    /// The engine dies, or is only taken for dead, and another one takes its place, perhaps at another parallelism.
    fn crash(&mut self) {
        self.report.crashes += 1;
        let parallelism = draw_parallelism(&mut self.rng);
        let mut settings = self.plan.settings.clone();
        settings.seed = self.rng.next_u64();
        settings.now = self.now;
        let job = Job::start(self.plan.graph(parallelism), settings, Restore::Latest).unwrap();
        self.parallelism = parallelism;
        let mut job = std::mem::replace(&mut self.job, job);
        let mut host = std::mem::replace(&mut self.host, SimHost::new(self.rng.next_u64(), self.plan.faults));
        // An engine that has not begun would take over in its turn, and be right.
        if self.rng.one_in(3) && *job.state() == JobState::Running {
            self.report.zombies += 1;
            job.handle(Event::Command(Command::Release(None))).ok();
            if let Some((before, mut host)) = self.zombie.replace((job, host)) {
                self.note(&before);
                host.crash();
                self.ghosts.push(host);
            }
        } else {
            self.note(&job);
            host.crash();
            self.ghosts.push(host);
        }
        for (i, (table, split, items)) in self.plan.feeds.iter().enumerate() {
            feed(&mut self.job, table, *split, items[..self.fed[i]].to_vec());
        }
    }

    /// Notes what an engine has done when it goes.
    fn note(&mut self, job: &Job) {
        self.report.steps += job.steps();
        for entry in job.view().log {
            if self.verbose {
                println!("{:>6} {:>6} ms  {:?}", entry.step, entry.at, entry.event);
            }
            match entry.event {
                view::LogEvent::CheckpointTriggered { checkpoint } => {
                    assert!(self.triggered.insert(checkpoint), "checkpoint {checkpoint} was triggered twice");
                }
                view::LogEvent::CheckpointCompleted { .. } => self.report.checkpoints += 1,
                view::LogEvent::CheckpointAborted { .. } => self.report.aborted += 1,
                view::LogEvent::Restored { .. } => self.report.restores += 1,
                view::LogEvent::Merged { .. } => self.report.merges += 1,
                _ => {}
            }
        }
    }

    /// A job that has finished can be started again from its last checkpoint, and has nothing more to do.
    fn come_back(&mut self) {
        let parallelism = draw_parallelism(&mut self.rng);
        let mut job = Job::start(self.plan.graph(parallelism), self.plan.settings.clone(), Restore::Latest).unwrap();
        for (table, split, items) in &self.plan.feeds {
            feed(&mut job, table, *split, items.clone());
        }
        host::run_until_quiet(&mut job, &mut self.store, 100_000);
        assert_eq!(job.state(), &JobState::Finished);
        self.note(&job);
        self.look();
    }

    fn finish(mut self) -> Report {
        let job = std::mem::replace(&mut self.job, idle_job());
        self.note(&job);
        if self.plan.settings.journal {
            let replayed = Job::replay(self.plan.graph(self.parallelism), job.journal()).unwrap();
            assert!(replayed.view() == job.view(), "a journal gave another run");
        }
        if let Some((zombie, _)) = self.zombie.take() {
            self.note(&zombie);
        }
        self.look();
        if self.rng.one_in(4) {
            self.come_back();
        }
        self.plan.check(committed(&self.store).into_values().flatten().collect());
        self.report.store = self.store;
        self.report
    }
}

fn draw_parallelism(rng: &mut Rng) -> [u32; 3] {
    [0; 3].map(|_| 1 + rng.below(3) as u32)
}

/// A job that does nothing, to stand where another one was.
fn idle_job() -> Job {
    let graph = JobGraph { name: String::new(), vertices: vec![source("none", 1, vec![])], edges: vec![] };
    Job::start(graph, JobSettings::default(), Restore::None).unwrap()
}

fn simulate(seed: u64, verbose: bool) -> Report {
    let mut run = Run::new(seed, verbose);
    if verbose {
        println!("{:#?}", run.plan);
    }
    run.storm();
    run.calm();
    run.finish()
}

/// Says which seed it was when a run fails.
struct Tell(u64);

impl Drop for Tell {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("simulation: failing seed {0} (TIDEGATE_SEED={0} runs it alone)", self.0);
        }
    }
}

fn part(part: u64) {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("TIDEGATE_SEED") {
        if part == 0 {
            let tell = Tell(seed);
            println!("{:?}", Report { store: MemoryStore::new(), ..simulate(seed, true) });
            drop(tell);
        }
        return;
    }
    let runs = number("TIDEGATE_RUNS").unwrap_or(RUNS);
    let mut total = Report::default();
    for seed in (0..runs).filter(|seed| seed % PARTS == part) {
        let _tell = Tell(seed);
        let report = simulate(seed, false);
        if (seed / PARTS).is_multiple_of(64) {
            assert!(simulate(seed, false) == report, "two runs of one seed differ");
        }
        total.steps += report.steps;
        total.checkpoints += report.checkpoints;
        total.aborted += report.aborted;
        total.restores += report.restores;
        total.merges += report.merges;
        total.kills += report.kills;
        total.crashes += report.crashes;
        total.zombies += report.zombies;
    }
    println!("{total:?}");
    // A simulation in which nothing happens proves nothing.
    if runs == RUNS {
        assert!(
            total.checkpoints > runs / PARTS && total.restores > runs / PARTS / 4 && total.merges > runs / PARTS / 4
        );
        assert!(total.aborted > runs / PARTS / 4 && total.zombies > 10);
    }
}

#[test]
fn simulation_part_0() {
    part(0);
}

#[test]
fn simulation_part_1() {
    part(1);
}

#[test]
fn simulation_part_2() {
    part(2);
}

#[test]
fn simulation_part_3() {
    part(3);
}
