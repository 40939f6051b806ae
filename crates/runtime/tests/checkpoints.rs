//! Checkpoints: alignment that can be seen, what they write, what is kept, and how a job comes back from one.

mod support;

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use support::txn_sink::{Guarantee, TxnSink, committed};
use support::*;
use tidegate_data::Chunk;
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::view::*;
use tidegate_runtime::*;

type Shared = Rc<RefCell<Collected>>;

/// Keeps the last value per key; a negative one removes the key.
#[derive(Default)]
struct Last {
    table: Keyed,
}

impl Operator for Last {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("last", &mut self.table);
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        for (_, row) in rows(&chunk) {
            self.table.set(row[0], (row[1] >= 0).then(|| vec![row[1]]));
        }
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}

fn last_operator() -> OperatorSpec {
    operator("last", |_| Box::new(Last::default()))
}

/// Source -> hash -> last value per key.
fn last_per_key(parallelism: u32) -> JobGraph {
    JobGraph {
        name: "last".to_owned(),
        vertices: vec![source("t", 1, vec![]), vertex("Last", parallelism, vec![last_operator()])],
        edges: vec![Edge { from: 0, to: 1, input: 0, exchange: Exchange::Hash(vec![0]) }],
    }
}

fn settings() -> JobSettings {
    JobSettings { checkpoints: CheckpointSettings { retained: 2, ..Default::default() }, ..Default::default() }
}

fn start(graph: JobGraph, settings: JobSettings, restore: Restore, store: &mut MemoryStore) -> Job {
    let mut job = Job::start(graph, settings, restore).unwrap();
    host::run_until_quiet(&mut job, store, 100_000);
    job
}

fn checkpoint(job: &mut Job, store: &mut MemoryStore) -> CheckpointView {
    job.handle(Event::Command(Command::TriggerCheckpoint)).unwrap();
    host::run_until_quiet(job, store, 1_000_000);
    let view = job.view().history.last().cloned().unwrap();
    assert_eq!(view.status, CheckpointStatus::Completed);
    view
}

fn write(job: &mut Job, store: &mut MemoryStore, rows: impl IntoIterator<Item = (i64, i64)>) {
    feed(job, "t", 0, rows.into_iter().map(|(key, value)| row(&[key, value])).collect());
    host::run_until_quiet(job, store, 1_000_000);
}

/// All entries of the table of last values, over all subtasks.
fn state(job: &mut Job) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for index in 0..8 {
        let page = job.state_page(1, index, "last", "last", 0, usize::MAX);
        all.extend(page.into_iter().flat_map(|page| page.rows));
    }
    all.sort();
    all
}

fn logged(job: &Job, wanted: impl Fn(&LogEvent) -> bool) -> usize {
    job.view().log.iter().filter(|entry| wanted(&entry.event)).count()
}

fn segments(store: &MemoryStore) -> Vec<Key> {
    let is_segment = |key: &&Key| key.windows(8).any(|part| part == b"segment/");
    store.entries().keys().filter(is_segment).cloned().collect()
}

/// Two sources into one sink, stepped by hand.
fn two_into_one(out: &Shared, settings: JobSettings) -> (Job, MemoryStore) {
    let sink = out.clone();
    let graph = JobGraph {
        name: "two into one".to_owned(),
        vertices: vec![
            source("t", 2, vec![]),
            vertex("Sink", 1, vec![operator("sink", move |_| Box::new(CollectSink(sink.clone())))]),
        ],
        edges: vec![Edge { from: 0, to: 1, input: 0, exchange: Exchange::Rebalance }],
    };
    let mut store = MemoryStore::new();
    let job = start(graph, settings, Restore::None, &mut store);
    (job, store)
}

fn choose(job: &mut Job, vertex: usize, index: u32, times: usize) -> u64 {
    job.handle(Event::Command(Command::SetPolicy(Policy::Chosen))).unwrap();
    let mut steps = 0;
    for _ in 0..times {
        job.handle(Event::Command(Command::Choose { vertex, index })).unwrap();
        steps += u64::from(job.step_element());
    }
    steps
}

#[test]
fn alignment_blocks_the_channel_that_is_ahead_and_everybody_can_see_it() {
    let out = Shared::default();
    let (mut job, mut store) = two_into_one(&out, JobSettings { chunk_limit: 1, ..settings() });
    job.handle(Event::Command(Command::TriggerCheckpoint)).unwrap();
    host::carry_out(&mut job, &mut store);
    assert_eq!(job.view().checkpoint.map(|view| view.status), Some(CheckpointStatus::InProgress));
    feed(&mut job, "t", 0, (0..3).map(|i| row(&[i])).collect());
    feed(&mut job, "t", 1, (10..12).map(|i| row(&[i])).collect());

    // Source 0 sends its barrier and then a row; the sink takes the barrier.
    choose(&mut job, 0, 0, 4);
    host::carry_out(&mut job, &mut store);
    choose(&mut job, 1, 0, 1);
    let view = job.view();
    assert_eq!(view.subtasks[2].status, SubtaskStatus::Aligning { checkpoint: 1, received: 1, of: 2 });
    assert!(view.channels[0].blocked && !view.channels[1].blocked);
    assert_eq!(view.channels[0].queue[0], ElementView::Rows(1));
    assert_eq!(view.subtasks[0].acknowledged, Some(true));
    assert_eq!(choose(&mut job, 1, 0, 2), 0, "the sink has nothing to take");
    job.handle(Event::Command(Command::SetPolicy(Policy::RoundRobin))).unwrap();

    host::run_until_quiet(&mut job, &mut store, 1000);
    let view = job.view();
    assert_eq!(view.history.last().map(|view| &view.status), Some(&CheckpointStatus::Completed));
    let figures = view.history.last().unwrap().subtasks[2].unwrap();
    assert!(figures.queued >= 1 && figures.alignment_steps >= 1, "{figures:?}");
    assert!(view.channels.iter().all(|channel| !channel.blocked));
    assert_eq!(out.borrow().rows.len(), 5);
}

#[test]
fn an_expired_checkpoint_unblocks_what_it_blocked_and_the_next_one_completes() {
    let out = Shared::default();
    let checkpoints = CheckpointSettings { timeout: 100, tolerable_failures: 1, ..Default::default() };
    let (mut job, mut store) = two_into_one(&out, JobSettings { checkpoints, ..settings() });
    job.handle(Event::Command(Command::TriggerCheckpoint)).unwrap();
    host::carry_out(&mut job, &mut store);
    choose(&mut job, 0, 0, 2);
    choose(&mut job, 1, 0, 1);
    assert!(job.view().channels[0].blocked);
    job.handle(Event::Time(100)).unwrap();
    choose(&mut job, 1, 0, 1);
    assert!(!job.view().channels[0].blocked);
    assert_eq!(
        job.view().history[0].status,
        CheckpointStatus::Failed("Checkpoint expired before completing.".to_owned())
    );
    job.handle(Event::Command(Command::SetPolicy(Policy::RoundRobin))).unwrap();
    // Source 1 has not seen the first one, whose late acknowledgements count for nothing.
    assert_eq!(checkpoint(&mut job, &mut store).id, 2);
    assert_eq!(job.view().retained, [2]);
}

#[test]
fn a_checkpoint_costs_what_changed_also_after_a_restore() {
    let mut store = MemoryStore::new();
    let mut job = start(last_per_key(1), settings(), Restore::None, &mut store);
    write(&mut job, &mut store, (0..20_000).map(|key| (key, 1)));
    let full = checkpoint(&mut job, &mut store);
    assert!(full.bytes > 20_000 * 16, "{}", full.bytes);
    let figures = full.subtasks[1].unwrap();
    assert_eq!(figures.entries, 20_000);
    assert!(figures.sync_steps >= 5, "read out in bits: {figures:?}");
    write(&mut job, &mut store, [(7, 2), (8, -1)]);
    assert!(checkpoint(&mut job, &mut store).bytes < 200);
    let before = state(&mut job);
    assert_eq!(before.len(), 19_999);

    for parallelism in [1, 3, 2] {
        job = start(last_per_key(parallelism), settings(), Restore::Latest, &mut store);
        assert_eq!(job.state(), &JobState::Running);
        assert_eq!(state(&mut job), before, "at parallelism {parallelism}");
        assert!(checkpoint(&mut job, &mut store).bytes < 400);
    }
}

#[test]
fn small_segments_are_merged_and_removals_stay_removed() {
    let mut store = MemoryStore::new();
    let checkpoints = CheckpointSettings { generations: 3, retained: 1, ..Default::default() };
    let settings = JobSettings { checkpoints, ..settings() };
    let mut job = start(last_per_key(2), settings.clone(), Restore::None, &mut store);
    write(&mut job, &mut store, (0..5_000).map(|key| (key, 1)));
    checkpoint(&mut job, &mut store);
    for round in 0..12 {
        // The last one goes and comes again.
        let again = [(round + 300, -1), (round + 300, round)];
        write(&mut job, &mut store, [(round, -1), (round + 100, round), (4_999, round)].into_iter().chain(again));
        checkpoint(&mut job, &mut store);
    }
    assert!(logged(&job, |event| matches!(event, LogEvent::Merged { .. })) > 2);
    checkpoint(&mut job, &mut store);
    let before = state(&mut job);
    assert_eq!(before.len(), 4_988);
    // Two tables of two subtasks with at most three generations, and the source's positions.
    assert!(segments(&store).len() <= 10, "{}", segments(&store).len());
    let mut job = start(last_per_key(3), settings, Restore::Latest, &mut store);
    assert_eq!(state(&mut job), before);
}

/// A job that has completed checkpoints 1 and 2, with one entry more in the second.
fn two_checkpoints(store: &mut MemoryStore) -> Job {
    let mut job = start(last_per_key(1), settings(), Restore::None, store);
    write(&mut job, store, [(1, 1)]);
    checkpoint(&mut job, store);
    write(&mut job, store, [(2, 2)]);
    checkpoint(&mut job, store);
    job
}

#[test]
fn a_damaged_checkpoint_is_named_and_the_one_before_it_is_used() {
    for what in ["segment", "missing", "manifest"] {
        let mut store = MemoryStore::new();
        two_checkpoints(&mut store);
        let newest = store.entries().iter().rev().find_map(|(key, value)| {
            let is = |part: &[u8]| key.windows(part.len()).any(|window| window == part);
            let wanted: &[u8] = if what == "manifest" { b"manifest/" } else { b"segment/" };
            is(wanted).then(|| (key.clone(), value.clone()))
        });
        let (key, value) = newest.unwrap();
        if what == "missing" {
            store.entries_mut().remove(&key);
        } else {
            let mut spoilt = value.to_vec();
            let at = spoilt.len() / 2;
            spoilt[at] ^= 1;
            store.entries_mut().insert(key, Bytes::from(spoilt));
        }
        let mut job = start(last_per_key(1), settings(), Restore::Latest, &mut store);
        assert_eq!(job.state(), &JobState::Running, "{what}");
        assert_eq!(
            logged(&job, |event| matches!(event, LogEvent::CheckpointDamaged { checkpoint: 2, .. })),
            1,
            "{what}"
        );
        assert_eq!(logged(&job, |event| matches!(event, LogEvent::Restored { checkpoint: 1, .. })), 1, "{what}");
        assert_eq!(state(&mut job), [("1".to_owned(), "[1]".to_owned())], "{what}");
        // Numbers go on behind the damaged one.
        assert_eq!(checkpoint(&mut job, &mut store).id, 3);
    }
}

#[test]
fn without_a_whole_checkpoint_the_job_does_not_begin_from_nothing() {
    let mut store = MemoryStore::new();
    two_checkpoints(&mut store);
    for key in segments(&store) {
        store.entries_mut().insert(key, Bytes::from_static(b"spoilt"));
    }
    let job = start(last_per_key(1), settings(), Restore::Latest, &mut store);
    let JobState::Failed(diagnostic) = job.state() else { panic!("{:?}", job.state()) };
    assert_eq!(diagnostic.code, errors::DAMAGED);
    let job = start(last_per_key(1), settings(), Restore::None, &mut store);
    assert_eq!(job.state(), &JobState::Running);
    assert!(segments(&store).is_empty());
}

#[test]
fn an_older_checkpoint_can_be_chosen_and_later_ones_are_dropped() {
    let mut store = MemoryStore::new();
    two_checkpoints(&mut store);
    let mut job = start(last_per_key(1), settings(), Restore::Id(1), &mut store);
    assert_eq!(state(&mut job), [("1".to_owned(), "[1]".to_owned())]);
    assert_eq!(job.view().retained, [1]);
    let mut job = start(last_per_key(1), settings(), Restore::Latest, &mut store);
    assert_eq!(state(&mut job).len(), 1);
    let job = start(last_per_key(1), settings(), Restore::Id(7), &mut store);
    assert!(matches!(job.state(), JobState::Failed(diagnostic) if diagnostic.code == errors::NO_CHECKPOINT));
}

#[test]
fn state_that_does_not_fit_is_refused() {
    let mut store = MemoryStore::new();
    two_checkpoints(&mut store);
    let code = |job: &Job| match job.state() {
        JobState::Failed(diagnostic) => Some(diagnostic.code),
        _ => None,
    };
    let other = || {
        let mut graph = last_per_key(1);
        graph.vertices[1].operators = vec![operator("sum", |_| Box::new(CountAndSum::default()))];
        graph
    };
    let mut copy = store.clone();
    assert_eq!(code(&start(other(), settings(), Restore::Latest, &mut copy)), Some(errors::UNCLAIMED_STATE));
    let lenient = JobSettings { ignore_unclaimed_state: true, ..settings() };
    assert_eq!(code(&start(other(), lenient, Restore::Latest, &mut copy)), None);

    struct Renamed(state::ListTable);
    impl Operator for Renamed {
        fn state(&mut self, visitor: &mut dyn StateVisitor) {
            visitor.table("last", &mut self.0);
        }
        fn on_chunk(&mut self, _: usize, _: Chunk, _: &mut dyn Context) -> Outcome {
            Ok(Progress::Done)
        }
    }
    let mut graph = last_per_key(1);
    let list = || state::ListTable::new(state::Scope::Split, "something else", |_, _| Default::default());
    graph.vertices[1].operators = vec![operator("last", move |_| Box::new(Renamed(list())))];
    let mut copy = store.clone();
    assert_eq!(code(&start(graph, settings(), Restore::Latest, &mut copy)), Some(errors::SCHEMA_CHANGED));

    let fewer = JobSettings { max_parallelism: 64, ..settings() };
    assert_eq!(
        code(&start(last_per_key(1), fewer, Restore::Latest, &mut store)),
        Some(errors::MAX_PARALLELISM_CHANGED)
    );
}

#[test]
fn only_the_last_checkpoints_are_kept_and_nothing_that_they_do_not_need() {
    let mut store = MemoryStore::new();
    let mut job = two_checkpoints(&mut store);
    for round in 0..20 {
        write(&mut job, &mut store, [(round % 3, round)]);
        checkpoint(&mut job, &mut store);
    }
    assert_eq!(job.view().retained, [21, 22]);
    let manifests = store.entries().keys().filter(|key| key.windows(9).any(|part| part == b"manifest/")).count();
    assert_eq!(manifests, 2);
    let before = segments(&store);
    // A new engine removes what no checkpoint refers to: there was nothing, or next to it (a merge since the last checkpoint).
    start(last_per_key(1), settings(), Restore::Latest, &mut store);
    let after = segments(&store);
    let garbage = before.iter().filter(|key| !after.contains(key)).count();
    assert!(garbage <= 2, "{garbage} of {} were garbage", before.len());
}

#[test]
fn periodic_checkpoints_keep_their_distance() {
    let mut store = MemoryStore::new();
    let checkpoints = CheckpointSettings { interval: Some(100), min_pause: 150, ..Default::default() };
    let mut job = start(last_per_key(1), JobSettings { checkpoints, ..settings() }, Restore::None, &mut store);
    let mut triggered = Vec::new();
    for now in (10..=1000).step_by(10) {
        job.handle(Event::Time(now)).unwrap();
        if let Some(view) = job.view().checkpoint {
            triggered.push(now);
            assert_eq!(view.triggered.1, now);
            let refused = job.handle(Event::Command(Command::TriggerCheckpoint)).unwrap_err();
            assert_eq!(refused.code, errors::CHECKPOINT_REFUSED);
        }
        host::run_until_quiet(&mut job, &mut store, 1000);
    }
    assert_eq!(triggered, [100, 250, 400, 550, 700, 850, 1000]);
}

/// An acknowledgement is late, and checkpoints are wanted all the time.
fn crowded(mode: CheckpointMode, concurrent: usize, min_pause: i64) -> (Job, MemoryStore) {
    let mut store = MemoryStore::new();
    let checkpoints = CheckpointSettings { mode, concurrent, min_pause, interval: Some(10), ..Default::default() };
    let mut job = start(last_per_key(2), JobSettings { checkpoints, ..settings() }, Restore::None, &mut store);
    let late = Disturbance::DelayAcknowledgement { vertex: 1, index: 1, by: 35 };
    job.handle(Event::Command(Command::Disturb(late))).unwrap();
    (job, store)
}

fn pass(job: &mut Job, store: &mut MemoryStore, now: i64) {
    job.handle(Event::Time(now)).unwrap();
    write(job, store, [(now, now)]);
}

fn ends(job: &Job) -> Vec<(CheckpointId, String)> {
    let text = |status: &CheckpointStatus| match status {
        CheckpointStatus::Completed => "completed".to_owned(),
        CheckpointStatus::Failed(why) => why.clone(),
        other => format!("{other:?}"),
    };
    job.view().history.iter().map(|one| (one.id, text(&one.status))).collect()
}

#[test]
fn several_checkpoints_are_under_way_at_a_time() {
    for mode in [CheckpointMode::Aligned, CheckpointMode::AtLeastOnce] {
        let (mut job, mut store) = crowded(mode, 2, 0);
        pass(&mut job, &mut store, 10);
        assert_eq!(ends(&job), [], "{mode:?}: it waits for an acknowledgement that is late");
        pass(&mut job, &mut store, 20);
        // The second one overtakes the first, which is not needed any more, and is no failure.
        let subsumed = "Checkpoint has been subsumed by checkpoint 2.".to_owned();
        assert_eq!(ends(&job), [(1, subsumed), (2, "completed".to_owned())], "{mode:?}");
        assert_eq!(job.state(), &JobState::Running);
        assert_eq!(job.view().retained, [2]);
        // What comes late counts for nothing.
        for now in [30, 40, 50] {
            pass(&mut job, &mut store, now);
        }
        assert_eq!(job.view().retained, [5], "{mode:?}");
        // The row of 50 came behind the barrier of the fifth.
        let expected: Vec<_> = state(&mut job).into_iter().filter(|(key, _)| key != "50").collect();
        let restored = JobSettings { checkpoints: CheckpointSettings { mode, ..settings().checkpoints }, ..settings() };
        let mut job = start(last_per_key(2), restored, Restore::Latest, &mut store);
        write(&mut job, &mut store, []);
        assert!(job.view().log.iter().any(|entry| matches!(entry.event, LogEvent::Restored { checkpoint: 5, .. })));
        assert_eq!(state(&mut job), expected, "{mode:?}");
    }
}

#[test]
fn no_more_checkpoints_are_under_way_than_allowed() {
    // One at a time; and where there is a pause between them, whatever is allowed.
    for (concurrent, min_pause) in [(1, 0), (3, 1)] {
        let (mut job, mut store) = crowded(CheckpointMode::Aligned, concurrent, min_pause);
        for now in [10, 20, 30, 40] {
            pass(&mut job, &mut store, now);
        }
        assert_eq!(ends(&job), []);
        pass(&mut job, &mut store, 46);
        assert_eq!(ends(&job)[0], (1, "completed".to_owned()));
    }
    let concurrent = |mode| CheckpointSettings { mode, concurrent: 2, ..Default::default() };
    for mode in [CheckpointMode::Unaligned { after: 0 }, CheckpointMode::StopTheWorld] {
        let settings = JobSettings { checkpoints: concurrent(mode), ..settings() };
        let refused = Job::start(last_per_key(1), settings, Restore::None).err().expect("it is refused");
        assert_eq!(refused.code, errors::SETTING);
        assert!(refused.message.contains("max-concurrent-checkpoints is 1"), "{}", refused.message);
    }
}

#[test]
fn the_job_asks_to_be_woken() {
    let mut store = MemoryStore::new();
    let checkpoints = CheckpointSettings { interval: Some(100), timeout: 70, ..Default::default() };
    let restart = RestartStrategy::FixedDelay { attempts: 1, delay: 30 };
    let settings = JobSettings { checkpoints, restart, ..settings() };
    let mut job = Job::start(last_per_key(1), settings, Restore::None).unwrap();
    let mut wakes = Vec::new();
    for _ in 0..10 {
        wakes.extend(host::carry_out(&mut job, &mut store));
        job.run_until_quiet(10);
    }
    job.handle(Event::Time(100)).unwrap();
    wakes.extend(job.take_effects().into_iter().filter_map(|effect| match effect {
        Effect::Wake { at } => Some(at),
        Effect::Store { .. } | Effect::Mishap(_) => None,
    }));
    // Nobody answers: the checkpoint expires, which is one failure too many.
    job.handle(Event::Time(170)).unwrap();
    wakes.extend(host::carry_out(&mut job, &mut store));
    assert_eq!(job.state(), &JobState::Restarting { at: 200 });
    assert_eq!(wakes, [100, 170, 200]);
    job.handle(Event::Time(200)).unwrap();
    host::run_until_quiet(&mut job, &mut store, 1000);
    assert_eq!((job.state(), job.view().attempt), (&JobState::Running, 2));
    job.handle(Event::Command(Command::KillSubtask { vertex: 1, index: 0 })).unwrap();
    assert!(matches!(job.state(), JobState::Failed(diagnostic) if diagnostic.code == errors::KILLED));
    assert_eq!(job.view().subtasks[1].status, SubtaskStatus::Failed);
}

#[test]
fn a_bounded_job_ends_with_a_checkpoint_that_commits() {
    let mut store = MemoryStore::new();
    let sink = || operator("sink", |_| Box::new(TxnSink::new(Guarantee::ExactlyOnce)));
    let graph = JobGraph {
        name: "bounded".to_owned(),
        vertices: vec![source("t", 2, vec![]), vertex("Sink", 2, vec![sink()])],
        edges: vec![Edge { from: 0, to: 1, input: 0, exchange: Exchange::Rebalance }],
    };
    let mut job = start(graph, settings(), Restore::None, &mut store);
    // One split ends early: its subtask counts as having acknowledged.
    feed(&mut job, "t", 0, vec![row(&[1]), FeedItem::End]);
    feed(&mut job, "t", 1, vec![row(&[2]), row(&[3])]);
    host::run_until_quiet(&mut job, &mut store, 1000);
    assert_eq!(job.view().subtasks[0].status, SubtaskStatus::Finished);
    checkpoint(&mut job, &mut store);
    assert_eq!(committed(&store).values().flatten().count(), 3);
    feed(&mut job, "t", 1, vec![row(&[4]), FeedItem::End]);
    host::run_until_quiet(&mut job, &mut store, 1000);
    assert_eq!(job.state(), &JobState::Finished);
    assert_eq!(committed(&store).values().flatten().count(), 4);
    assert_eq!(logged(&job, |event| matches!(event, LogEvent::CheckpointCompleted { .. })), 2);
}
