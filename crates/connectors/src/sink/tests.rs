//! The frame against a store that fails, attempts that die at every request, and requests that land long after.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tidegate_data::{ChangelogMode, RowKind};
use tidegate_runtime::state::{EntryRef, StateTable, StateVisitor};
use tidegate_runtime::{MemoryStore, Operator, Progress, Store, StoreRequest, StoreResponse};

use crate::args::{SinkArgs, SinkParts, sink};
use crate::testing::{Cx, ints, rows, schema};
use crate::{log, table};

/// What is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// A table that only grows.
    Append,
    /// A table with a primary key.
    Upsert,
    /// A topic of three partitions.
    Log,
}

/// The row that ghosts write.
const GHOST: i64 = 1_000_003;

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// What a subtask's checkpoints have written, in order: entries that were put and removed.
type Ops = Vec<(Vec<u8>, Option<Vec<u8>>)>;

struct TakeOps<'a>(&'a mut Ops);

impl StateVisitor for TakeOps<'_> {
    fn table(&mut self, _name: &str, table: &mut dyn StateTable) {
        while table.snapshot(1, &mut |entry| self.0.push((entry.key.to_vec(), entry.value.map(<[u8]>::to_vec)))) {}
    }
}

struct LoadAll<'a>(&'a BTreeMap<Vec<u8>, Vec<u8>>);

impl StateVisitor for LoadAll<'_> {
    fn table(&mut self, _name: &str, table: &mut dyn StateTable) {
        for (key, value) in self.0 {
            table.load(EntryRef { key_group: 0, key, value: Some(value) }).unwrap();
        }
    }
}

#[derive(Clone, Default)]
struct Checkpoint {
    position: u64,
    ops: Vec<Ops>,
}

struct Subtask {
    operator: Box<dyn Operator>,
    cx: Cx,
    ops: Ops,
    opened: bool,
    waiting: bool,
    /// The barrier of this checkpoint has yet to come.
    barrier: Option<u64>,
    /// It has gone through; what the state was then.
    snapshot: Option<(u64, Ops)>,
    /// Under way is a barrier, not a row.
    in_barrier: Option<u64>,
    /// Checkpoints that are complete, of which it does not know yet.
    notices: VecDeque<u64>,
    ended: bool,
    rows: u64,
}

struct World {
    target: Target,
    parts: SinkParts,
    store: MemoryStore,
    rng: Rng,
    /// Requests of dead attempts, or ones whose answer was lost, that may still land.
    late: Vec<StoreRequest>,
    subtasks: Vec<Subtask>,
    /// The subtasks of a dead attempt that do not know it.
    ghosts: Vec<Subtask>,
    attempt: u64,
    position: u64,
    total: u64,
    /// The checkpoint under way, and its position.
    running: Option<(u64, u64)>,
    last_id: u64,
    completed: Checkpoint,
    exact: bool,
    seen: BTreeSet<i64>,
    requests: u64,
    /// The request before (or after) which everything dies.
    kill: Option<(u64, bool)>,
    /// How restored union state is made of the subtasks' parts.
    sequential: bool,
}

fn world(target: Target, guarantee: &str, seed: u64, total: u64) -> World {
    let mut options: BTreeMap<String, String> = BTreeMap::new();
    options.insert("sink.delivery-guarantee".into(), guarantee.into());
    if target == Target::Log {
        options.insert("partitions".into(), "3".into());
    }
    let args = SinkArgs {
        table: "out".into(),
        connector: if target == Target::Log { "log" } else { "table" }.into(),
        options,
        physical: schema(),
        primary_key: (target == Target::Upsert).then(|| vec![0]),
        mode: if target == Target::Upsert { ChangelogMode::UPSERT } else { ChangelogMode::INSERT_ONLY },
        writer: "job/sink".into(),
    };
    World {
        target,
        parts: sink(args).unwrap(),
        store: MemoryStore::new(),
        rng: Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        late: Vec::new(),
        subtasks: Vec::new(),
        ghosts: Vec::new(),
        attempt: 0,
        position: 0,
        total,
        running: None,
        last_id: 0,
        completed: Checkpoint::default(),
        exact: guarantee == "exactly-once",
        seen: BTreeSet::new(),
        requests: 0,
        kill: None,
        sequential: seed.is_multiple_of(2),
    }
}

/// Row `position` of the input: the key, what happens to it, its value. Without a key every row has its own.
fn input(target: Target, position: u64) -> (RowKind, i64, i64) {
    let position = position as i64;
    match target {
        Target::Upsert => {
            let kind = if position % 11 == 7 { RowKind::Delete } else { RowKind::UpdateAfter };
            (kind, position % 5, position)
        }
        _ => (RowKind::Insert, position, position),
    }
}

impl World {
    fn start(&mut self, parallelism: u32) {
        self.attempt += 1;
        self.running = None;
        self.position = self.completed.position;
        let mut state = BTreeMap::new();
        let parts: Vec<BTreeMap<Vec<u8>, Vec<u8>>> = self
            .completed
            .ops
            .iter()
            .map(|ops| {
                let mut part = if self.sequential { std::mem::take(&mut state) } else { BTreeMap::new() };
                for (key, value) in ops {
                    match value {
                        Some(value) => drop(part.insert(key.clone(), value.clone())),
                        None => drop(part.remove(key)),
                    }
                }
                state = part.clone();
                part
            })
            .collect();
        if !self.sequential {
            state = parts.into_iter().flatten().collect();
        }
        self.subtasks = (0..parallelism)
            .map(|index| {
                let mut cx = Cx::new(index, parallelism, self.attempt);
                cx.now = 1_000 * self.attempt as i64;
                let mut operator = (self.parts.factory)(&cx.info);
                operator.state(&mut LoadAll(&state));
                let waiting = operator.restored(&mut cx).unwrap() == Progress::Wait;
                Subtask {
                    operator,
                    cx,
                    ops: state.iter().map(|(k, v)| (k.clone(), Some(v.clone()))).collect(),
                    opened: !waiting,
                    waiting,
                    barrier: None,
                    snapshot: None,
                    in_barrier: None,
                    notices: VecDeque::new(),
                    ended: false,
                    rows: 0,
                }
            })
            .collect();
    }

    /// Everything dies; what was asked for may land now, later or never.
    fn crash(&mut self) {
        let keep_ghosts = self.kill.is_none() && self.rng.one_in(3);
        for mut subtask in std::mem::take(&mut self.subtasks) {
            if keep_ghosts && subtask.opened {
                self.ghosts.push(subtask);
                continue;
            }
            for (_, request) in std::mem::take(&mut subtask.cx.requests) {
                match self.rng.below(3) {
                    0 => drop(self.store.execute(request)),
                    1 => self.late.push(request),
                    _ => {}
                }
            }
        }
        let parallelism = 1 + self.rng.below(4) as u32;
        self.start(parallelism);
    }

    fn is_open(&self) -> bool {
        self.subtasks.iter().all(|subtask| subtask.opened)
    }

    /// One subtask's request is answered, or not.
    fn answer(&mut self, i: usize, faults: bool) {
        let Some((id, request)) = self.subtasks[i].cx.requests.pop_front() else { return };
        self.requests += 1;
        if let Some((number, after)) = self.kill
            && number == self.requests
        {
            if after {
                self.store.execute(request);
            }
            self.crash();
            return;
        }
        let fate = if faults { self.rng.below(12) } else { 99 };
        let batch = matches!(request, StoreRequest::Batch { .. });
        let failed = |uncertain: bool| StoreResponse::Failed { message: "away".into(), uncertain };
        let response = match fate {
            0 => failed(false),
            1 if batch => failed(true),
            2 if batch => {
                self.store.execute(request);
                failed(true)
            }
            3 if batch => {
                self.late.push(request);
                failed(true)
            }
            _ => self.store.execute(request),
        };
        let subtask = &mut self.subtasks[i];
        subtask.operator.on_response(id, response, &mut subtask.cx).expect("nobody fences off the living");
        self.resume(i);
    }

    /// A subtask that waits is called again.
    fn resume(&mut self, i: usize) {
        let subtask = &mut self.subtasks[i];
        if subtask.waiting && subtask.operator.resume(&mut subtask.cx).unwrap() == Progress::Done {
            subtask.waiting = false;
            subtask.opened = true;
            self.passed(i);
        }
    }

    /// A subtask is through with what it was given.
    fn passed(&mut self, i: usize) {
        let subtask = &mut self.subtasks[i];
        if let Some(checkpoint) = subtask.in_barrier.take() {
            subtask.operator.state(&mut TakeOps(&mut subtask.ops));
            subtask.snapshot = Some((checkpoint, subtask.ops.clone()));
        }
    }

    fn tick(&mut self, i: usize, ms: i64) {
        let subtask = &mut self.subtasks[i];
        subtask.cx.now += ms;
        if subtask.cx.wake.is_some_and(|at| at <= subtask.cx.now) {
            subtask.cx.wake = None;
            if subtask.waiting {
                self.resume(i);
            } else {
                subtask.operator.on_processing_time(&mut subtask.cx).unwrap();
            }
        }
    }

    fn feed(&mut self) {
        if self.position >= self.total || !self.is_open() {
            return;
        }
        let row = input(self.target, self.position);
        let i = (row.1 as u64 % self.subtasks.len() as u64) as usize;
        let subtask = &mut self.subtasks[i];
        if subtask.waiting || subtask.barrier.is_some() {
            return;
        }
        self.position += 1;
        subtask.rows += 1;
        subtask.waiting = subtask.operator.on_chunk(0, rows(&[row]), &mut subtask.cx).unwrap() == Progress::Wait;
    }

    fn trigger(&mut self) {
        if self.running.is_some() || !self.is_open() {
            return;
        }
        self.last_id += 1;
        self.running = Some((self.last_id, self.position));
        self.subtasks.iter_mut().for_each(|subtask| {
            subtask.barrier = Some(self.last_id);
            subtask.snapshot = None;
        });
    }

    fn barrier(&mut self, i: usize) {
        let subtask = &mut self.subtasks[i];
        if subtask.waiting {
            return;
        }
        let Some(checkpoint) = subtask.barrier.take() else { return };
        subtask.in_barrier = Some(checkpoint);
        subtask.waiting = subtask.operator.pre_barrier(checkpoint, &mut subtask.cx).unwrap() == Progress::Wait;
        if !subtask.waiting {
            self.passed(i);
        }
    }

    fn give_up(&mut self) {
        let Some((id, _)) = self.running.take() else { return };
        for subtask in &mut self.subtasks {
            subtask.barrier = None;
            subtask.operator.on_checkpoint_aborted(id, &mut subtask.cx).unwrap();
        }
    }

    fn complete(&mut self) {
        let Some((id, position)) = self.running else { return };
        let done = |subtask: &Subtask| subtask.snapshot.as_ref().is_some_and(|(of, _)| *of == id);
        if !self.subtasks.iter().all(done) {
            return;
        }
        self.running = None;
        let ops = self.subtasks.iter_mut().filter_map(|subtask| subtask.snapshot.take()).map(|(_, ops)| ops).collect();
        self.completed = Checkpoint { position, ops };
        self.subtasks.iter_mut().for_each(|subtask| subtask.notices.push_back(id));
    }

    fn notify(&mut self, i: usize) {
        let subtask = &mut self.subtasks[i];
        if let Some(id) = subtask.notices.pop_front() {
            subtask.operator.on_checkpoint_complete(id, &mut subtask.cx).unwrap();
        }
    }

    /// A ghost goes on as if nothing had happened. It may fail, but not harm.
    fn haunt(&mut self) {
        if self.ghosts.is_empty() {
            return;
        }
        let i = self.rng.below(self.ghosts.len() as u64) as usize;
        let ghost = &mut self.ghosts[i];
        let cx = &mut ghost.cx;
        let alive = match (cx.requests.pop_front(), self.rng.below(4)) {
            (Some((id, request)), _) => {
                let response = self.store.execute(request);
                ghost.operator.on_response(id, response, cx).is_ok()
                    && (!ghost.waiting
                        || ghost.operator.resume(cx).is_ok_and(|p| {
                            ghost.waiting = p == Progress::Wait;
                            true
                        }))
            }
            (None, 0) if !ghost.waiting => ghost.operator.on_chunk(0, rows(&[(RowKind::Insert, GHOST, 0)]), cx).is_ok(),
            (None, 1) => match ghost.notices.pop_front() {
                Some(id) => ghost.operator.on_checkpoint_complete(id, cx).is_ok(),
                None => true,
            },
            (None, 2) if !ghost.waiting => {
                let outcome = ghost.operator.pre_barrier(self.last_id + 100, cx);
                ghost.waiting = outcome == Ok(Progress::Wait);
                outcome.is_ok()
            }
            _ => false,
        };
        if !alive {
            self.ghosts.remove(i);
        }
    }

    fn committed(&mut self) -> Vec<(i64, i64)> {
        match self.target {
            Target::Log => {
                let page = log::read(&mut self.store, "out", log::Isolation::ReadCommitted).unwrap();
                let pairs = page.batches.iter().flat_map(|batch| {
                    let chunk = &batch.rows.chunk;
                    ints(chunk, 0).into_iter().zip(ints(chunk, 1)).collect::<Vec<_>>()
                });
                pairs.collect()
            }
            _ => {
                let page = table::read(&mut self.store, "out", table::Isolation::ReadCommitted).unwrap();
                assert!(page.uncommitted.iter().all(|uncommitted| !uncommitted));
                if page.rows.len == 0 {
                    return Vec::new();
                }
                ints(&page.rows, 0).into_iter().zip(ints(&page.rows, 1)).collect()
            }
        }
    }

    /// What must hold at any time.
    fn check(&mut self) {
        if !self.exact {
            return;
        }
        let committed = self.committed();
        for (_, value) in &committed {
            assert!((*value as u64) < self.completed.position, "row {value} is seen before its checkpoint is complete");
        }
        if self.target != Target::Upsert {
            let ids: BTreeSet<i64> = committed.iter().map(|(id, _)| *id).collect();
            assert_eq!(ids.len(), committed.len(), "a row is there twice");
            assert!(self.seen.is_subset(&ids), "a row that was seen is gone");
            self.seen = ids;
        }
    }

    /// Nothing fails any more: the input ends, and the last checkpoint is taken.
    fn finish(&mut self) {
        for _ in 0..1_000_000 {
            for i in 0..self.subtasks.len() {
                if i >= self.subtasks.len() {
                    break;
                }
                self.tick(i, 10_000);
                while !self.subtasks.get(i).is_none_or(|subtask| subtask.cx.requests.is_empty()) {
                    self.answer(i, false);
                }
                if i < self.subtasks.len() {
                    self.barrier(i);
                    self.notify(i);
                }
            }
            self.complete();
            self.feed();
            let end = self.position >= self.total && self.is_open();
            for subtask in self.subtasks.iter_mut().filter(|s| end && !s.ended && !s.waiting && s.barrier.is_none()) {
                subtask.ended = true;
                subtask.waiting = subtask.operator.end_input(0, &mut subtask.cx).unwrap() == Progress::Wait;
            }
            let all_ended = self.subtasks.iter().all(|subtask| subtask.ended && !subtask.waiting);
            if all_ended && self.completed.position == self.total && self.running.is_none() {
                let quiet = self.subtasks.iter().all(|s| s.notices.is_empty() && s.cx.requests.is_empty());
                if quiet && self.subtasks.iter().all(|subtask| subtask.operator.is_finished()) {
                    return;
                }
            } else if all_ended && self.running.is_none() {
                self.trigger();
            }
        }
        panic!("the sink never finishes");
    }

    /// What must have come out in the end.
    fn verify(&mut self) {
        for request in std::mem::take(&mut self.late) {
            self.store.execute(request);
        }
        self.check();
        let mut committed = self.committed();
        committed.sort_unstable();
        let mut wanted: Vec<(i64, i64)> = match self.target {
            Target::Upsert => {
                let mut rows = BTreeMap::new();
                for (kind, id, value) in (0..self.total).map(|position| input(self.target, position)) {
                    match kind {
                        RowKind::Delete => drop(rows.remove(&id)),
                        _ => drop(rows.insert(id, value)),
                    }
                }
                rows.into_iter().collect()
            }
            _ => (0..self.total as i64).map(|id| (id, id)).collect(),
        };
        wanted.sort_unstable();
        if !self.exact && self.target != Target::Upsert {
            // At least once: none is missing.
            committed.dedup();
        }
        if !self.exact {
            // What a ghost wrote before it was fenced off.
            committed.retain(|(id, _)| *id != GHOST);
        }
        assert_eq!(committed, wanted);
        if self.exact {
            assert!(
                !self.store.entries().keys().any(|key| key.windows(6).any(|part| part == b"/open/")),
                "a transaction stays open"
            );
            let staged = table::read(&mut self.store, "out", table::Isolation::ReadUncommitted).unwrap();
            assert!(staged.uncommitted.iter().all(|uncommitted| !uncommitted));
        }
    }
}

/// A run in which anything may happen at any time.
fn simulate(target: Target, guarantee: &str, seed: u64) {
    let mut world = world(target, guarantee, seed, 60);
    let parallelism = 1 + world.rng.below(3) as u32;
    world.start(parallelism);
    for _ in 0..600 {
        let i = world.rng.below(world.subtasks.len() as u64) as usize;
        match world.rng.below(40) {
            0..=15 => world.answer(i, true),
            16..=22 => world.feed(),
            23..=26 => world.barrier(i),
            27..=28 => world.trigger(),
            29..=30 => world.complete(),
            31..=32 => world.notify(i),
            33 => {
                let ms = world.rng.below(400) as i64;
                world.tick(i, ms);
            }
            34 if world.rng.one_in(3) => world.give_up(),
            35 if world.rng.one_in(4) => world.crash(),
            36 if !world.late.is_empty() => {
                let i = world.rng.below(world.late.len() as u64) as usize;
                let request = world.late.remove(i);
                world.store.execute(request);
            }
            37..=38 => world.haunt(),
            _ => {}
        }
        world.check();
    }
    world.finish();
    world.verify();
}

fn simulate_all(target: Target, guarantee: &str) {
    for seed in 1..=150 {
        let run = std::panic::AssertUnwindSafe(|| simulate(target, guarantee, seed));
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("{target:?}, {guarantee}: seed {seed} fails");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn exactly_once_into_a_table_that_grows() {
    simulate_all(Target::Append, "exactly-once");
}

#[test]
fn exactly_once_into_a_table_with_a_key() {
    simulate_all(Target::Upsert, "exactly-once");
}

#[test]
fn exactly_once_into_a_log() {
    simulate_all(Target::Log, "exactly-once");
}

#[test]
fn at_least_once_loses_nothing() {
    for target in [Target::Append, Target::Upsert, Target::Log] {
        simulate_all(target, "at-least-once");
    }
}

/// A run without chance, that dies before or after the answer to one request.
fn killed(target: Target, at: u64, after: bool) -> u64 {
    let mut world = world(target, "exactly-once", at.wrapping_mul(2) + u64::from(after), 12);
    world.kill = Some((at, after));
    world.start(2);
    for step in 0..40u64 {
        for i in 0..world.subtasks.len() {
            while world.subtasks.get(i).is_some_and(|subtask| !subtask.cx.requests.is_empty()) {
                world.answer(i, false);
                world.check();
            }
        }
        world.feed();
        match step % 8 {
            3 => world.trigger(),
            // Every second checkpoint is given up after all have pre-committed.
            6 if step % 16 < 8 => world.give_up(),
            6 => world.complete(),
            _ => {}
        }
        for i in 0..world.subtasks.len() {
            world.barrier(i);
            world.notify(i);
        }
    }
    world.finish();
    world.verify();
    world.requests
}

#[test]
fn death_at_every_request() {
    for target in [Target::Append, Target::Upsert, Target::Log] {
        let requests = killed(target, u64::MAX, false);
        assert!(requests > 30, "{requests}");
        for at in 1..=requests {
            killed(target, at, false);
            killed(target, at, true);
        }
    }
}

#[test]
fn a_checkpoint_that_is_given_up_commits_with_the_next() {
    let mut world = world(Target::Append, "exactly-once", 1, 10);
    world.start(1);
    let settle = |world: &mut World| {
        while !world.subtasks[0].cx.requests.is_empty() {
            world.answer(0, false);
        }
    };
    settle(&mut world);
    world.feed();
    world.trigger();
    world.barrier(0);
    settle(&mut world);
    world.give_up();
    world.feed();
    settle(&mut world);
    assert_eq!(world.committed(), []);
    let dirty = table::read(&mut world.store, "out", table::Isolation::ReadUncommitted).unwrap();
    assert_eq!((ints(&dirty.rows, 0), dirty.uncommitted), (vec![0, 1], vec![true, true]));
    world.trigger();
    world.barrier(0);
    settle(&mut world);
    world.complete();
    assert_eq!(world.committed(), []);
    world.notify(0);
    settle(&mut world);
    assert_eq!(world.committed(), [(0, 0), (1, 1)]);
}
