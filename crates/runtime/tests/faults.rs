//! Faults that are set off by hand: slow channels, failures at a chosen moment, spoilt checkpoints, and the way back to a checkpoint.

mod support;

use std::cell::RefCell;
use std::rc::Rc;

use support::*;
use tidegate_runtime::spoil::{Harm, Spoiled, Spoiling};
use tidegate_runtime::view::*;
use tidegate_runtime::*;

type Shared = Rc<RefCell<Collected>>;

/// Two sources of one table -> count and sum per key -> collected rows.
fn sums(out: &Shared) -> JobGraph {
    let sink = out.clone();
    JobGraph {
        name: "sums".to_owned(),
        vertices: vec![
            source("t", 2, vec![]),
            vertex("Sum", 1, vec![operator("sum", |_| Box::new(CountAndSum::default()))]),
            vertex("Sink", 1, vec![operator("sink", move |_| Box::new(CollectSink(sink.clone())))]),
        ],
        edges: vec![
            Edge { from: 0, to: 1, input: 0, exchange: Exchange::Hash(vec![0]) },
            Edge { from: 1, to: 2, input: 0, exchange: Exchange::Rebalance },
        ],
    }
}

fn start(out: &Shared, mode: CheckpointMode, store: &mut MemoryStore) -> Job {
    let settings = JobSettings {
        checkpoints: CheckpointSettings { mode, retained: 3, ..Default::default() },
        restart: RestartStrategy::FixedDelay { attempts: 10, delay: 0 },
        chunk_limit: 1,
        ..Default::default()
    };
    let mut job = Job::start(sums(out), settings, Restore::None).unwrap();
    run(&mut job, store);
    job
}

fn run(job: &mut Job, store: &mut MemoryStore) {
    host::run_until_quiet(job, store, 100_000);
}

fn tell(job: &mut Job, store: &mut MemoryStore, command: Command) {
    job.handle(Event::Command(command)).unwrap();
    run(job, store);
}

fn write(job: &mut Job, store: &mut MemoryStore, split: u32, values: &[i64]) {
    feed(job, "t", split, values.iter().map(|value| row(&[1, *value])).collect());
    run(job, store);
}

/// The last sum.
fn sum(out: &Shared) -> i64 {
    out.borrow().rows.last().map_or(0, |(_, values)| values[2])
}

fn restored(job: &Job) -> Vec<CheckpointId> {
    let log = job.view().log;
    let of = |entry: &LogEntry| match entry.event {
        LogEvent::Restored { checkpoint, .. } => Some(checkpoint),
        _ => None,
    };
    log.iter().filter_map(of).collect()
}

#[test]
fn a_slow_channel_holds_back_aligned_barriers_and_not_those_that_overtake() {
    for (mode, waits) in [(CheckpointMode::Aligned, true), (CheckpointMode::Unaligned { after: 0 }, false)] {
        let out = Shared::default();
        let mut store = MemoryStore::new();
        let mut job = start(&out, mode, &mut store);
        let slow = Disturbance::SlowChannel { from: (0, 0), to: (1, 0), pace: 100 };
        tell(&mut job, &mut store, Command::Disturb(slow));
        write(&mut job, &mut store, 0, &[1, 2, 3]);
        write(&mut job, &mut store, 1, &[10]);
        assert_eq!(sum(&out), 10, "{mode:?}: only the other channel has given something up");
        tell(&mut job, &mut store, Command::TriggerCheckpoint);
        assert_eq!(job.view().checkpoint.is_some(), waits, "{mode:?}");
        let mut now = 0;
        while job.view().checkpoint.is_some() || sum(&out) < 16 {
            now += 50;
            assert!(now < 2_000, "{mode:?}: it comes to an end");
            job.handle(Event::Time(now)).unwrap();
            run(&mut job, &mut store);
        }
        assert!(now >= 300, "{mode:?}: one element in 100 ms");
        let fast = Disturbance::SlowChannel { from: (0, 0), to: (1, 0), pace: 0 };
        tell(&mut job, &mut store, Command::Disturb(fast));
        write(&mut job, &mut store, 0, &[100, 200]);
        assert_eq!(sum(&out), 316, "{mode:?}");
        assert_eq!(job.view().retained, [1], "{mode:?}");
    }
}

#[test]
fn a_failure_before_the_decision_leaves_no_checkpoint() {
    for moment in [Moment::Triggered, Moment::Voted] {
        let out = Shared::default();
        let mut store = MemoryStore::new();
        let mut job = start(&out, CheckpointMode::Aligned, &mut store);
        write(&mut job, &mut store, 0, &[1]);
        tell(&mut job, &mut store, Command::Disturb(Disturbance::FailAt(moment)));
        tell(&mut job, &mut store, Command::TriggerCheckpoint);
        let view = job.view();
        assert!(view.retained.is_empty() && restored(&job).is_empty(), "{moment:?}");
        assert!(matches!(view.history[0].status, CheckpointStatus::Failed(_)), "{moment:?}");
        assert_eq!((view.attempt, job.state()), (2, &JobState::Running), "{moment:?}");
        // It fails once.
        tell(&mut job, &mut store, Command::TriggerCheckpoint);
        assert_eq!(job.view().retained, [2], "{moment:?}");
        assert_eq!(sum(&out), 1, "{moment:?}");
    }
}

#[test]
fn a_job_goes_back_to_any_checkpoint_that_is_kept_also_when_it_has_ended() {
    let out = Shared::default();
    let mut store = MemoryStore::new();
    let mut job = start(&out, CheckpointMode::Aligned, &mut store);
    for value in [1, 2, 4] {
        write(&mut job, &mut store, 0, &[value]);
        tell(&mut job, &mut store, Command::TriggerCheckpoint);
    }
    assert_eq!(job.view().retained, [1, 2, 3]);
    let unknown = job.handle(Event::Command(Command::RestoreFrom(7))).unwrap_err();
    assert_eq!(unknown.code, errors::NO_CHECKPOINT);
    tell(&mut job, &mut store, Command::RestoreFrom(1));
    assert_eq!((restored(&job), job.view().retained), (vec![1], vec![1]));
    assert_eq!(sum(&out), 7, "what came after is read again");
    tell(&mut job, &mut store, Command::Savepoint { stop: Some(Stop::Suspend) });
    assert_eq!(job.state(), &JobState::Finished);
    tell(&mut job, &mut store, Command::RestoreFrom(4));
    assert_eq!(job.state(), &JobState::Running);
    write(&mut job, &mut store, 1, &[8]);
    assert_eq!(sum(&out), 15);
}

#[test]
fn a_spoilt_checkpoint_is_named_and_the_one_before_is_taken() {
    for harm in [Harm::Lost, Harm::Damaged] {
        let out = Shared::default();
        let mut store = MemoryStore::new();
        let spoil = |store: &mut MemoryStore| {
            let (mut work, mut request) = Spoiling::new("job", harm);
            loop {
                match work.next(store.execute(request)) {
                    Spoiled::Ask(next) => request = next,
                    end => return end,
                }
            }
        };
        let mut job = start(&out, CheckpointMode::Aligned, &mut store);
        assert!(matches!(spoil(&mut store), Spoiled::Not(_)), "there is none");
        for value in [1, 2] {
            write(&mut job, &mut store, 0, &[value]);
            tell(&mut job, &mut store, Command::TriggerCheckpoint);
        }
        assert_eq!(spoil(&mut store), Spoiled::Done(2), "{harm:?}");
        assert!(restored(&job).is_empty(), "nobody has noticed");
        tell(&mut job, &mut store, Command::FailJob);
        assert_eq!(restored(&job), [1], "{harm:?}");
        let named = |entry: &LogEntry| matches!(entry.event, LogEvent::CheckpointDamaged { checkpoint: 2, .. });
        assert!(job.view().log.iter().any(named), "{harm:?}");
        assert_eq!((sum(&out), job.state()), (3, &JobState::Running), "{harm:?}");
    }
}

#[test]
fn who_starts_from_a_checkpoint_means_it_also_when_storage_is_away_at_first() {
    let out = Shared::default();
    let mut store = MemoryStore::new();
    let mut job = start(&out, CheckpointMode::Aligned, &mut store);
    for value in [1, 2] {
        write(&mut job, &mut store, 0, &[value]);
        tell(&mut job, &mut store, Command::TriggerCheckpoint);
    }
    // All that it asks of the store at first is answered with a failure.
    job.handle(Event::Command(Command::RestoreFrom(1))).unwrap();
    let mut failures = 0;
    while !matches!(job.state(), JobState::Restarting { .. }) {
        for effect in job.take_effects() {
            if let Effect::Store { request, .. } = effect {
                failures += 1;
                assert!(failures < 100, "it gives up in the end");
                let response = StoreResponse::Failed { message: "away".to_owned(), uncertain: false };
                job.handle(Event::Response { request, response }).unwrap();
            }
        }
    }
    job.handle(Event::Time(1_000)).unwrap();
    run(&mut job, &mut store);
    assert_eq!((restored(&job), job.state()), (vec![1], &JobState::Running));
}
