//! The whole engine in a hostile world: a seed picks a script, its input, the scheduler's choices, checkpoints, failures of
//! subtasks and of whole engines, and how the store answers. Afterwards the sinks must hold what they promise.
//!
//! The runtime has a simulation of its own; this one goes through SQL and the real connectors: with `exactly-once` nothing
//! is lost and nothing is there twice, with `at-least-once` nothing is lost, and what a committed reader has seen stays.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use tidegate::data::{Chunk, RowKind, Schema, Value, value_at};
use tidegate::runtime::rng::Rng;
use tidegate::runtime::sim::{Faults, SimHost};
use tidegate::runtime::view::LogEvent;
use tidegate::runtime::{Command, Event, FeedItem, JobState, Policy, RestartStrategy, Restore};
use tidegate::store::{MemoryStore, log, table};
use tidegate::{JobHandle, Session, SessionOptions};

/// What the job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Copies rows into a log.
    Log,
    /// Copies rows into a table without a key.
    Append,
    /// Copies rows into a table with a key.
    Keyed,
    /// Counts and sums per key into a table.
    Sums,
}

/// A run, drawn from its seed.
#[derive(Clone, Debug)]
pub struct Plan {
    shape: Shape,
    exactly_once: bool,
    faults: Faults,
    kills: usize,
    crashes: usize,
    /// Rows per split: id, key, value. A key is always in the same split.
    rows: Vec<Vec<[i64; 3]>>,
    interval: Option<usize>,
    timeout: usize,
    retained: usize,
    capacity: usize,
    chunk: usize,
    seeded: bool,
}

impl Plan {
    fn draw(seed: u64) -> Plan {
        let mut rng = Rng::new(seed);
        let shape = [Shape::Log, Shape::Append, Shape::Keyed, Shape::Sums][rng.below(4)];
        let faults = match rng.below(4) {
            0 => Faults::NONE,
            1 => Faults { fail: 0, uncertain: 0, delay: 1 + rng.below(20) },
            _ => Faults { fail: 8 + rng.below(30), uncertain: 8 + rng.below(30), delay: rng.below(8) },
        };
        let splits = 1 + rng.below(3);
        let keys = splits * (1 + rng.below(3));
        let mut rows = vec![Vec::new(); splits];
        for id in 0..rng.below(90) {
            let key = rng.below(keys);
            rows[key % splits].push([id as i64, key as i64, 1 + rng.below(50) as i64]);
        }
        Plan {
            shape,
            exactly_once: !rng.one_in(4),
            faults,
            kills: rng.below(4),
            crashes: rng.below(4),
            rows,
            interval: if rng.one_in(4) { None } else { Some(10 + rng.below(60)) },
            timeout: if rng.one_in(3) { 20 + rng.below(50) } else { 10_000 },
            retained: 1 + rng.below(3),
            capacity: 1 + rng.below(4),
            chunk: 1 + rng.below(8),
            seeded: !rng.one_in(3),
        }
    }

    fn script(&self, parallelism: usize) -> String {
        let mut sql = String::new();
        let mut set = |key: &str, value: String| {
            let _ = writeln!(sql, "SET '{key}' = '{value}';");
        };
        set("parallelism.default", parallelism.to_string());
        set("execution.checkpointing.timeout", format!("{} ms", self.timeout));
        set("execution.checkpointing.num-retained", self.retained.to_string());
        set("execution.checkpointing.tolerable-failed-checkpoints", "3".into());
        if let Some(interval) = self.interval {
            set("execution.checkpointing.interval", format!("{interval} ms"));
        }
        let guarantee = if self.exactly_once { "exactly-once" } else { "at-least-once" };
        let columns = match self.shape {
            Shape::Log | Shape::Append => "id INT, k INT, v INT",
            Shape::Keyed => "id INT, k INT, v INT, PRIMARY KEY (id) NOT ENFORCED",
            Shape::Sums => "k INT, n BIGINT, s INT, PRIMARY KEY (k) NOT ENFORCED",
        };
        let connector = if self.shape == Shape::Log { "log" } else { "table" };
        let query = match self.shape {
            Shape::Sums => "SELECT k, COUNT(*), SUM(v) FROM src GROUP BY k",
            _ => "SELECT id, k, v FROM src WHERE v > 0",
        };
        let _ = write!(
            sql,
            "CREATE TABLE src (id INT, k INT, v INT) WITH ('connector' = 'inline', 'partitions' = '{}');\n\
             CREATE TABLE sink ({columns}) WITH ('connector' = '{connector}', 'sink.delivery-guarantee' = '{guarantee}');\n\
             INSERT INTO sink {query};\n",
            self.rows.len()
        );
        sql
    }

    /// The rows of a key, in their order.
    fn of_key(&self, key: i64) -> impl Iterator<Item = &[i64; 3]> {
        self.rows.iter().flatten().filter(move |row| row[1] == key)
    }

    fn keys(&self) -> BTreeSet<i64> {
        self.rows.iter().flatten().map(|row| row[1]).collect()
    }
}

/// What happened in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Scheduler steps of all engines.
    pub steps: u64,
    /// Checkpoints completed.
    pub checkpoints: u64,
    /// Checkpoints given up.
    pub aborted: u64,
    /// Times that state was loaded.
    pub restores: u64,
    /// Subtasks or jobs killed.
    pub kills: usize,
    /// Engines that went away.
    pub crashes: usize,
    /// Engines that were only taken for dead.
    pub zombies: usize,
    /// A fingerprint of the store at the end: two runs of one seed have the same.
    pub fingerprint: u64,
}

impl Outcome {
    /// Adds another run's figures.
    pub fn add(&mut self, other: &Outcome) {
        self.steps += other.steps;
        self.checkpoints += other.checkpoints;
        self.aborted += other.aborted;
        self.restores += other.restores;
        self.kills += other.kills;
        self.crashes += other.crashes;
        self.zombies += other.zombies;
    }
}

struct Run {
    plan: Plan,
    rng: Rng,
    store: MemoryStore,
    session: Session,
    host: SimHost,
    now: i64,
    /// How many rows of each split have been fed, and whether its end was.
    fed: Vec<(usize, bool)>,
    ghosts: Vec<SimHost>,
    zombie: Option<(Session, SimHost)>,
    /// What a committed reader has seen: ids, or for sums the count of each key.
    seen: BTreeMap<i64, i64>,
    outcome: Outcome,
    verbose: bool,
}

/// Runs a seed.
///
/// # Panics
/// When a promise is broken; the message says which.
pub fn simulate(seed: u64, verbose: bool) -> Outcome {
    let plan = Plan::draw(seed);
    if verbose {
        println!("{plan:#?}\n{}", plan.script(1));
    }
    let mut rng = Rng::new(seed ^ 0x5eed);
    let session = start(&plan, &mut rng, 0);
    let mut run = Run {
        host: SimHost::new(rng.next_u64(), plan.faults),
        store: MemoryStore::default(),
        session,
        now: 0,
        fed: vec![(0, false); plan.rows.len()],
        ghosts: Vec::new(),
        zombie: None,
        seen: BTreeMap::new(),
        outcome: Outcome::default(),
        rng,
        plan,
        verbose,
    };
    run.storm();
    run.calm();
    run.finish()
}

/// A new engine over the store, perhaps at another parallelism.
fn start(plan: &Plan, rng: &mut Rng, now: i64) -> Session {
    let parallelism = 1 + rng.below(3);
    let mut session = Session::new(SessionOptions {
        seed: rng.next_u64(),
        now,
        channel_capacity: plan.capacity,
        chunk_limit: plan.chunk,
        policy: if plan.seeded { Policy::Seeded } else { Policy::RoundRobin },
        restart: RestartStrategy::FixedDelay { attempts: u32::MAX, delay: rng.below(20) as i64 },
        ..SessionOptions::default()
    });
    if let Err(problems) = session.run(&plan.script(parallelism), Restore::Latest) {
        panic!("the script is refused: {problems:?}");
    }
    session
}

fn job(session: &mut Session) -> &mut JobHandle {
    &mut session.jobs_mut()[0]
}

impl Run {
    /// Anything may happen.
    fn storm(&mut self) {
        for _ in 0..40 + self.rng.below(250) {
            match self.rng.below(12) {
                0 => self.feed_some(false),
                1 => self.pass_time(20),
                2 => self.command(Command::TriggerCheckpoint),
                3 if self.outcome.kills < self.plan.kills && self.rng.one_in(3) => self.kill(),
                4 if self.outcome.crashes < self.plan.crashes && self.rng.one_in(3) => self.crash(),
                5 => {
                    let limit = 1 + self.rng.below(8);
                    self.command(Command::SetChunkLimit(limit));
                }
                6 | 7 => self.step(40),
                _ => self.step(5),
            }
            self.round();
            if self.rng.one_in(4) {
                self.look();
            }
        }
    }

    /// Everything goes well until the job is finished.
    fn calm(&mut self) {
        self.host.faults = Faults::NONE;
        for _ in 0..4_000 {
            self.feed_some(true);
            self.round();
            self.step(200);
            self.pass_time(5);
            let ended = job(&mut self.session).runtime.state().is_terminal();
            if ended && self.host.is_quiet() {
                break;
            }
        }
        let state = job(&mut self.session).runtime.state().clone();
        assert!(state == JobState::Finished, "the job came to no good end: {state:?}");
        while self.ghosts.iter().any(|ghost| !ghost.is_quiet()) {
            self.ghosts.iter_mut().for_each(|ghost| ghost.ghost_round(&mut self.store));
        }
    }

    fn step(&mut self, most: usize) {
        let steps = self.rng.below(most) as u64;
        job(&mut self.session).runtime.run_until_quiet(steps);
    }

    fn command(&mut self, command: Command) {
        // Refused when the job is not running; then nothing happens.
        let _ = job(&mut self.session).runtime.handle(Event::Command(command));
    }

    fn round(&mut self) {
        self.host.round(&mut job(&mut self.session).runtime, &mut self.store);
        self.ghosts.iter_mut().for_each(|ghost| ghost.ghost_round(&mut self.store));
        if let Some((session, host)) = &mut self.zombie {
            job(session).runtime.run_until_quiet(10);
            host.round(&mut job(session).runtime, &mut self.store);
        }
    }

    fn pass_time(&mut self, most: usize) {
        self.now += 1 + self.rng.below(most) as i64;
        self.session.time(self.now);
    }

    fn feed_some(&mut self, with_end: bool) {
        let split = self.rng.below(self.plan.rows.len());
        let (from, ended) = self.fed[split];
        let rows = &self.plan.rows[split];
        let to = (from + 1 + self.rng.below(6)).min(rows.len());
        let mut items = items(&rows[from..to]);
        let end = with_end && to == rows.len() && !ended;
        if end {
            items.push(FeedItem::End);
        }
        if !items.is_empty() {
            self.session.feed("src", split as u32, &items);
        }
        self.fed[split] = (to, ended || end);
    }

    fn kill(&mut self) {
        self.outcome.kills += 1;
        let command = match self.rng.one_in(4) {
            true => Command::FailJob,
            false => Command::KillSubtask { vertex: self.rng.below(3), index: self.rng.below(3) as u32 },
        };
        self.command(command);
    }

    /// The engine goes away, or is only taken for dead, and another one takes over.
    fn crash(&mut self) {
        self.outcome.crashes += 1;
        let session = start(&self.plan, &mut self.rng, self.now);
        let mut old = std::mem::replace(&mut self.session, session);
        let host = SimHost::new(self.rng.next_u64(), self.plan.faults);
        let mut host = std::mem::replace(&mut self.host, host);
        // An engine that has not begun would take over in its turn, and be right.
        if self.rng.one_in(3) && *job(&mut old).runtime.state() == JobState::Running {
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
        for (split, (rows, ended)) in self.fed.iter().enumerate() {
            let mut items = items(&self.plan.rows[split][..*rows]);
            if *ended {
                items.push(FeedItem::End);
            }
            self.session.feed("src", split as u32, &items);
        }
    }

    fn note(&mut self, session: &mut Session) {
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

    /// The sink's rows as a reader sees them.
    fn read(&mut self, committed: bool) -> Vec<[i64; 3]> {
        let mut rows = Vec::new();
        if self.plan.shape == Shape::Log {
            let isolation = if committed { log::Isolation::ReadCommitted } else { log::Isolation::ReadUncommitted };
            let page = log::read(&mut self.store, "sink", isolation).expect("a log that can be read");
            for batch in &page.batches {
                numbers(&batch.rows.schema, &batch.rows.chunk, &mut rows);
            }
        } else {
            let isolation = if committed { table::Isolation::ReadCommitted } else { table::Isolation::ReadUncommitted };
            let page = table::read(&mut self.store, "sink", isolation).expect("a table that can be read");
            numbers(&page.schema, &page.rows, &mut rows);
        }
        rows
    }

    /// What holds at any time for readers.
    fn look(&mut self) {
        let rows = self.read(true);
        let mut now: BTreeMap<i64, i64> = BTreeMap::new();
        for row in &rows {
            if self.plan.shape == Shape::Sums {
                let [key, count, sum] = *row;
                let so_far = self.plan.of_key(key).take(count as usize).map(|row| row[2]).sum::<i64>();
                // Before the first failure at-least-once is exact, afterwards rows may count twice on their way.
                if self.plan.exactly_once {
                    assert_eq!(sum, so_far, "key {key} holds {count} rows, but not the sum of the first {count}");
                }
                now.insert(key, count);
            } else {
                let known = self.plan.rows.iter().flatten().any(|known| known == row);
                assert!(known, "a row that was never fed: {row:?}");
                *now.entry(row[0]).or_default() += 1;
            }
        }
        if self.plan.exactly_once {
            if self.plan.shape != Shape::Sums {
                let twice = now.iter().find(|(_, count)| **count > 1);
                assert_eq!(twice, None, "a row is there twice");
            }
            for (id, count) in &self.seen {
                assert!(now.get(id).is_some_and(|now| now >= count), "what was committed of {id} has gone");
            }
        }
        self.seen = now;
        let uncommitted = self.read(false).len();
        assert!(uncommitted >= rows.len(), "a reader of uncommitted rows sees fewer: {uncommitted} of {}", rows.len());
    }

    fn finish(mut self) -> Outcome {
        let mut session = std::mem::replace(&mut self.session, Session::new(SessionOptions::default()));
        self.note(&mut session);
        if let Some((mut zombie, _)) = self.zombie.take() {
            self.note(&mut zombie);
        }
        self.look();
        let mut rows = self.read(true);
        let mut wanted: Vec<[i64; 3]> = match self.plan.shape {
            Shape::Sums => self
                .plan
                .keys()
                .into_iter()
                .map(|key| {
                    let (count, sum) = self.plan.of_key(key).fold((0, 0), |(n, s), row| (n + 1, s + row[2]));
                    [key, count, sum]
                })
                .collect(),
            _ => self.plan.rows.iter().flatten().copied().collect(),
        };
        rows.sort_unstable();
        if !self.plan.exactly_once {
            rows.dedup();
        }
        wanted.sort_unstable();
        assert_eq!(rows, wanted, "the sink does not hold what was fed");
        for (key, value) in self.store.entries() {
            for byte in key.iter().chain(value.iter()) {
                self.outcome.fingerprint = (self.outcome.fingerprint ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        self.outcome
    }
}

fn items(rows: &[[i64; 3]]) -> Vec<FeedItem> {
    rows.iter().map(|row| FeedItem::Row(RowKind::Insert, row.map(Value::Int).to_vec())).collect()
}

fn numbers(schema: &Schema, chunk: &Chunk, rows: &mut Vec<[i64; 3]>) {
    for row in 0..chunk.len {
        let mut cells = [0; 3];
        for (column, cell) in cells.iter_mut().enumerate() {
            if let Value::Int(number) = value_at(chunk.columns[column].as_ref(), row, &schema.fields[column].ty) {
                *cell = number;
            }
        }
        rows.push(cells);
    }
}
