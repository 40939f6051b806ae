//! Savepoints: by hand, to stop with and without drain, to go on from elsewhere, and what is said where state does not fit.

mod support;

use std::cell::RefCell;
use std::rc::Rc;

use support::*;
use tidegate_runtime::view::*;
use tidegate_runtime::*;

type Shared = Rc<RefCell<Collected>>;

/// Source -> count and sum per key -> collected rows.
fn sums(parallelism: u32, out: &Shared) -> JobGraph {
    let sink = out.clone();
    JobGraph {
        name: "sums".to_owned(),
        vertices: vec![
            source("t", 1, vec![]),
            vertex("Sum", parallelism, vec![operator("sum", |_| Box::new(CountAndSum::default()))]),
            vertex("Sink", 1, vec![operator("sink", move |_| Box::new(CollectSink(sink.clone())))]),
        ],
        edges: vec![
            Edge { from: 0, to: 1, input: 0, exchange: Exchange::Hash(vec![0]) },
            Edge { from: 1, to: 2, input: 0, exchange: Exchange::Rebalance },
        ],
    }
}

fn settings(mode: CheckpointMode) -> JobSettings {
    JobSettings { checkpoints: CheckpointSettings { mode, ..Default::default() }, ..Default::default() }
}

fn run(job: &mut Job, store: &mut MemoryStore) {
    host::run_until_quiet(job, store, 100_000);
}

fn start(graph: JobGraph, settings: JobSettings, restore: Restore, store: &mut MemoryStore) -> Job {
    let mut job = Job::start(graph, settings, restore).unwrap();
    run(&mut job, store);
    job
}

fn tell(job: &mut Job, store: &mut MemoryStore, command: Command) -> CheckpointView {
    job.handle(Event::Command(command)).unwrap();
    run(job, store);
    let view = job.view().history.last().cloned().unwrap();
    assert_eq!(view.status, CheckpointStatus::Completed);
    view
}

fn write(job: &mut Job, store: &mut MemoryStore, rows: &[[i64; 2]]) {
    feed(job, "t", 0, rows.iter().map(|values| row(values)).collect());
    run(job, store);
}

/// The last row of each key.
fn last(out: &Shared) -> Vec<Vec<i64>> {
    let mut rows: Vec<Vec<i64>> = Vec::new();
    for (_, values) in &out.borrow().rows {
        rows.retain(|row| row[0] != values[0]);
        rows.push(values.clone());
    }
    rows.sort();
    rows
}

/// Count and sum per key.
fn wanted(rows: &[[i64; 2]]) -> Vec<Vec<i64>> {
    let mut keys: Vec<i64> = rows.iter().map(|row| row[0]).collect();
    keys.sort_unstable();
    keys.dedup();
    let of = |key: i64| rows.iter().filter(move |row| row[0] == key).map(|row| row[1]);
    keys.into_iter().map(|key| vec![key, of(key).count() as i64, of(key).sum()]).collect()
}

fn failure(job: &Job) -> tidegate_diag::Diagnostic {
    match job.state() {
        JobState::Failed(diagnostic) => diagnostic.clone(),
        state => panic!("{state:?}"),
    }
}

const MODES: [CheckpointMode; 5] = [
    CheckpointMode::Aligned,
    CheckpointMode::Unaligned { after: 0 },
    CheckpointMode::AtLeastOnce,
    CheckpointMode::StopTheWorld,
    CheckpointMode::Off,
];

#[test]
fn a_savepoint_takes_no_checkpoints_place_and_stays() {
    let out = Shared::default();
    let mut store = MemoryStore::new();
    let mut job = start(sums(2, &out), settings(CheckpointMode::Aligned), Restore::None, &mut store);
    write(&mut job, &mut store, &[[1, 1]]);
    tell(&mut job, &mut store, Command::TriggerCheckpoint);
    let savepoint = tell(&mut job, &mut store, Command::Savepoint { stop: None });
    assert!(savepoint.savepoint && savepoint.by_hand);
    assert_eq!(job.view().retained, [1, 2]);
    for value in 0..12 {
        write(&mut job, &mut store, &[[1, value], [value, 1]]);
        tell(&mut job, &mut store, Command::TriggerCheckpoint);
    }
    assert_eq!(job.view().retained, [2, 14]);
    // A new engine knows which is which.
    let mut job = start(sums(2, &out), settings(CheckpointMode::Aligned), Restore::Latest, &mut store);
    tell(&mut job, &mut store, Command::TriggerCheckpoint);
    assert_eq!(job.view().retained, [2, 15]);
    let out = Shared::default();
    let mut job = start(sums(3, &out), settings(CheckpointMode::Aligned), Restore::Id(2), &mut store);
    write(&mut job, &mut store, &[[0, 0], [1, 10]]);
    assert_eq!(last(&out), [[1, 2, 11]]);
}

#[test]
fn a_job_stops_with_a_savepoint_and_goes_on_from_it_at_another_parallelism() {
    let rows: Vec<[i64; 2]> = (0..40).map(|i| [i % 7, i]).collect();
    for mode in MODES {
        let out = Shared::default();
        let mut store = MemoryStore::new();
        let mut job = start(sums(2, &out), settings(mode), Restore::None, &mut store);
        write(&mut job, &mut store, &rows[..20]);
        feed(&mut job, "t", 0, rows[20..].iter().map(|values| row(values)).collect());
        // Some of the rest is on its way when the job stops.
        job.handle(Event::Command(Command::SetChunkLimit(1))).unwrap();
        job.handle(Event::Command(Command::Savepoint { stop: Some(Stop::Suspend) })).unwrap();
        for _ in 0..5 {
            job.step_element();
        }
        run(&mut job, &mut store);
        let savepoint = job.view().history.last().cloned().unwrap();
        assert!(savepoint.savepoint && savepoint.status == CheckpointStatus::Completed, "{mode:?}");
        assert_eq!(job.state(), &JobState::Finished, "{mode:?}");
        let before = out.borrow().clone();
        assert!((20..40).contains(&before.rows.len()), "{mode:?}: {} rows came before", before.rows.len());
        assert!(before.watermarks.iter().all(|watermark| *watermark < i64::MAX), "time has not come to its end");
        let refused = job.handle(Event::Command(Command::TriggerCheckpoint)).unwrap_err();
        assert_eq!(refused.code, errors::COMMAND);
        for parallelism in [1, 3] {
            let (out, mut store) = (Shared::default(), store.clone());
            *out.borrow_mut() = before.clone();
            let mut job = start(sums(parallelism, &out), settings(mode), Restore::Id(savepoint.id), &mut store);
            write(&mut job, &mut store, &rows);
            assert_eq!(out.borrow().rows.len(), rows.len(), "{mode:?}: nothing is lost, and nothing comes twice");
            assert_eq!(last(&out), wanted(&rows), "{mode:?}");
        }
    }
}

#[test]
fn a_drained_job_comes_to_the_end_of_time() {
    for mode in MODES {
        let out = Shared::default();
        let mut store = MemoryStore::new();
        let mut job = start(sums(2, &out), settings(mode), Restore::None, &mut store);
        write(&mut job, &mut store, &[[1, 1], [2, 2]]);
        let savepoint = tell(&mut job, &mut store, Command::Savepoint { stop: Some(Stop::Drain) });
        assert!(savepoint.savepoint, "{mode:?}");
        assert_eq!(job.state(), &JobState::Finished, "{mode:?}");
        assert_eq!(out.borrow().watermarks.last(), Some(&i64::MAX), "{mode:?}");
        assert_eq!(job.view().retained, [savepoint.id], "{mode:?}");
    }
}

#[test]
fn a_job_that_fails_before_its_savepoint_goes_on() {
    for stop in [Stop::Suspend, Stop::Drain] {
        let out = Shared::default();
        let mut store = MemoryStore::new();
        let restart = RestartStrategy::FixedDelay { attempts: 1, delay: 0 };
        let settings = JobSettings { restart, ..settings(CheckpointMode::Aligned) };
        let mut job = start(sums(1, &out), settings, Restore::None, &mut store);
        write(&mut job, &mut store, &[[1, 1]]);
        tell(&mut job, &mut store, Command::TriggerCheckpoint);
        job.handle(Event::Command(Command::Savepoint { stop: Some(stop) })).unwrap();
        job.step_element();
        job.handle(Event::Command(Command::FailJob)).unwrap();
        run(&mut job, &mut store);
        assert_eq!(job.state(), &JobState::Running, "{stop:?}");
        write(&mut job, &mut store, &[[1, 5]]);
        assert_eq!(last(&out), [[1, 2, 6]], "{stop:?}");
    }
}

#[test]
fn an_engine_that_takes_over_a_stopped_job_only_ends_it() {
    for mode in MODES {
        for stop in [Stop::Suspend, Stop::Drain] {
            let out = Shared::default();
            let mut store = MemoryStore::new();
            let mut job = start(sums(2, &out), settings(mode), Restore::None, &mut store);
            write(&mut job, &mut store, &[[1, 1], [2, 2]]);
            let id = tell(&mut job, &mut store, Command::Savepoint { stop: Some(stop) }).id;
            let written = out.borrow().rows.len();
            let mut job = start(sums(3, &out), settings(mode), Restore::Latest, &mut store);
            write(&mut job, &mut store, &[[1, 1], [2, 2], [3, 3]]);
            assert_eq!(job.state(), &JobState::Finished, "{mode:?}, {stop:?}");
            assert_eq!(out.borrow().rows.len(), written, "{mode:?}, {stop:?}: it reads nothing more");
            // Who asks for the savepoint wants the job to go on.
            let mut job = start(sums(2, &out), settings(mode), Restore::Id(id), &mut store);
            write(&mut job, &mut store, &[[1, 1], [2, 2], [3, 3]]);
            assert_eq!(job.state(), &JobState::Running, "{mode:?}, {stop:?}");
            assert_eq!(out.borrow().rows.len(), written + 1, "{mode:?}, {stop:?}");
        }
    }
}

#[test]
fn a_savepoint_waits_for_the_checkpoint_in_progress() {
    for stop in [None, Some(Stop::Suspend), Some(Stop::Drain)] {
        let out = Shared::default();
        let mut store = MemoryStore::new();
        let mut job = start(sums(2, &out), settings(CheckpointMode::Aligned), Restore::None, &mut store);
        write(&mut job, &mut store, &[[1, 1]]);
        job.handle(Event::Command(Command::TriggerCheckpoint)).unwrap();
        job.handle(Event::Command(Command::Savepoint { stop })).unwrap();
        let second = job.handle(Event::Command(Command::Savepoint { stop })).unwrap_err();
        assert_eq!(second.code, errors::CHECKPOINT_REFUSED);
        run(&mut job, &mut store);
        let history: Vec<(bool, CheckpointStatus)> =
            job.view().history.iter().map(|view| (view.savepoint, view.status.clone())).collect();
        assert_eq!(history, [false, true].map(|savepoint| (savepoint, CheckpointStatus::Completed)), "{stop:?}");
        assert_eq!(*job.state() == JobState::Finished, stop.is_some(), "{stop:?}");
    }
    // With the attempt it is given up.
    let restart = RestartStrategy::FixedDelay { attempts: 1, delay: 0 };
    let settings = JobSettings { restart, ..settings(CheckpointMode::Aligned) };
    let mut store = MemoryStore::new();
    let mut job = start(sums(1, &Shared::default()), settings, Restore::None, &mut store);
    job.handle(Event::Command(Command::TriggerCheckpoint)).unwrap();
    job.handle(Event::Command(Command::Savepoint { stop: None })).unwrap();
    job.handle(Event::Command(Command::FailJob)).unwrap();
    run(&mut job, &mut store);
    assert_eq!(job.state(), &JobState::Running);
    assert!(job.view().retained.is_empty());
    assert!(job.view().log.iter().any(|entry| matches!(entry.event, LogEvent::CheckpointRefused { .. })));
}

#[test]
fn a_savepoint_of_a_past_that_was_given_up_is_there_for_those_who_ask_for_it() {
    let graph = || sums(1, &Shared::default());
    let aligned = || settings(CheckpointMode::Aligned);
    let restored = |job: &Job| {
        job.view().log.iter().find_map(|entry| match entry.event {
            LogEvent::Restored { checkpoint, .. } => Some(checkpoint),
            _ => None,
        })
    };
    let mut store = MemoryStore::new();
    let mut job = start(graph(), aligned(), Restore::None, &mut store);
    for value in 1..=2 {
        write(&mut job, &mut store, &[[1, value]]);
        tell(&mut job, &mut store, Command::Savepoint { stop: None });
    }
    // Back to the first one: an engine that takes over must not go on with the second.
    let job = start(graph(), aligned(), Restore::Id(1), &mut store);
    assert_eq!(job.view().retained, [1, 2]);
    let mut job = start(graph(), aligned(), Restore::Latest, &mut store);
    assert_eq!((restored(&job), job.view().retained), (Some(1), vec![1, 2]));
    tell(&mut job, &mut store, Command::TriggerCheckpoint);
    let job = start(graph(), aligned(), Restore::Latest, &mut store);
    assert_eq!((restored(&job), job.view().retained), (Some(3), vec![1, 2, 3]));
    // And forward again. The checkpoint goes, since it is none of this past.
    let job = start(graph(), aligned(), Restore::Id(2), &mut store);
    assert_eq!((restored(&job), job.view().retained), (Some(2), vec![1, 2]));
    let job = start(graph(), aligned(), Restore::Latest, &mut store);
    assert_eq!((restored(&job), job.view().retained), (Some(2), vec![1, 2]));
}

#[test]
fn what_does_not_fit_is_said_operator_by_operator() {
    let out = Shared::default();
    let mut store = MemoryStore::new();
    let mut job = start(sums(2, &out), settings(CheckpointMode::Aligned), Restore::None, &mut store);
    write(&mut job, &mut store, &[[1, 1], [2, 2]]);
    let id = tell(&mut job, &mut store, Command::Savepoint { stop: Some(Stop::Suspend) }).id;
    let other = || JobGraph {
        name: "other".to_owned(),
        vertices: vec![source("u", 1, vec![operator("copy", |_| Box::new(CountAndSum::default()))])],
        edges: vec![],
    };
    let failed = failure(&start(other(), settings(CheckpointMode::Aligned), Restore::Id(id), &mut store.clone()));
    assert_eq!(failed.code, errors::UNCLAIMED_STATE);
    let lines: Vec<&str> = failed.message.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("`source-t`") && lines[1].contains("`sum`"), "{lines:?}");
    assert!(failed.hints.iter().any(|hint| hint.contains("ignore-unclaimed-state")), "{failed:?}");
    let lenient = JobSettings { ignore_unclaimed_state: true, ..settings(CheckpointMode::Aligned) };
    let job = start(other(), lenient, Restore::Id(id), &mut store);
    assert_eq!(job.state(), &JobState::Running);
}
