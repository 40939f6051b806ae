//! Rows, watermarks and ends on their way through chains and exchanges.

mod support;

use std::cell::RefCell;
use std::rc::Rc;

use support::*;
use tidegate_data::RowKind;
use tidegate_runtime::*;

type Shared = Rc<RefCell<Collected>>;

/// Source -> hash -> count and sum -> sink.
fn counting(parallelism: u32, out: &Shared) -> JobGraph {
    let sink = out.clone();
    JobGraph {
        name: "counting".to_owned(),
        vertices: vec![
            source("t", parallelism, vec![]),
            vertex("Count", parallelism, vec![operator("count", |_| Box::new(CountAndSum::default()))]),
            vertex("Sink", 1, vec![operator("sink", move |_| Box::new(CollectSink(sink.clone())))]),
        ],
        edges: vec![
            Edge { from: 0, to: 1, input: 0, exchange: Exchange::Hash(vec![0]) },
            Edge { from: 1, to: 2, input: 0, exchange: Exchange::Rebalance },
        ],
    }
}

fn run(graph: JobGraph, settings: JobSettings, feeds: &[(u32, Vec<FeedItem>)]) -> Job {
    let mut job = Job::start(graph, settings, Restore::None).unwrap();
    let mut store = MemoryStore::new();
    for (split, items) in feeds {
        feed(&mut job, "t", *split, items.clone());
    }
    host::run_until_quiet(&mut job, &mut store, 100_000);
    job
}

#[test]
fn counts_per_key_at_any_parallelism() {
    let mut tables = Vec::new();
    for parallelism in [1, 2, 4] {
        let out = Shared::default();
        let mut items: Vec<FeedItem> = (0..1000).map(|i| row(&[i % 7, i, i])).collect();
        items.push(FeedItem::End);
        let job = run(counting(parallelism, &out), JobSettings::default(), &[(0, items)]);
        assert_eq!(job.state(), &JobState::Finished);
        let mut last = std::collections::BTreeMap::new();
        for (_, row) in &out.borrow().rows {
            last.insert(row[0], row.clone());
        }
        tables.push(last);
        assert_eq!(out.borrow().rows.len(), 1000);
        assert_eq!(out.borrow().watermarks, [i64::MAX]);
    }
    assert_eq!(tables[0].len(), 7);
    assert_eq!(tables[0], tables[1]);
    assert_eq!(tables[0], tables[2]);
}

#[test]
fn a_row_at_a_time() {
    let out = Shared::default();
    let mut job = Job::start(counting(1, &out), JobSettings::default(), Restore::None).unwrap();
    let mut store = MemoryStore::new();
    feed(&mut job, "t", 0, vec![row(&[1, 10, 0]), row(&[1, 5, 0]), row(&[2, 1, 0])]);
    host::carry_out(&mut job, &mut store);
    let mut seen = Vec::new();
    for _ in 0..4 {
        job.step_row(1000);
        seen.push(out.borrow().rows.len());
    }
    assert_eq!(seen, [1, 2, 3, 3]);
    assert_eq!(out.borrow().rows[1], (RowKind::UpdateAfter, vec![1, 2, 15]));
    assert_eq!(job.state(), &JobState::Running);
}

#[test]
fn a_full_channel_stops_its_producer() {
    let out = Shared::default();
    let settings = JobSettings { policy: Policy::Chosen, chunk_limit: 1, channel_capacity: 2, ..Default::default() };
    let mut job = Job::start(counting(1, &out), settings, Restore::None).unwrap();
    let mut store = MemoryStore::new();
    feed(&mut job, "t", 0, (0..10).map(|i| row(&[i, 0, 0])).collect());
    host::carry_out(&mut job, &mut store);
    let choose = |job: &mut Job, vertex, times: usize| {
        for _ in 0..times {
            job.handle(Event::Command(Command::Choose { vertex, index: 0 })).unwrap();
        }
        job.run_until_quiet(1000)
    };
    (0..3).for_each(|vertex| {
        choose(&mut job, vertex, 2);
    });
    assert_eq!(choose(&mut job, 0, 10), 2);
    let view = job.view();
    assert_eq!(view.subtasks[0].status, view::SubtaskStatus::BackPressured);
    assert_eq!((view.channels[0].queued, view.channels[0].capacity), (2, 2));
    // The ten choices still stand: as soon as there is room the source goes on.
    assert_eq!(choose(&mut job, 1, 1), 2);
}

#[test]
fn a_watermark_is_the_minimum_over_all_splits() {
    let out = Shared::default();
    let sink = out.clone();
    let graph = JobGraph {
        name: "watermarks".to_owned(),
        vertices: vec![
            source("t", 2, vec![]),
            vertex("Sink", 1, vec![operator("sink", move |_| Box::new(CollectSink(sink.clone())))]),
        ],
        edges: vec![Edge { from: 0, to: 1, input: 0, exchange: Exchange::Rebalance }],
    };
    let mut job = Job::start(graph, JobSettings::default(), Restore::None).unwrap();
    let mut store = MemoryStore::new();
    let mut step = |split, item| {
        feed(&mut job, "t", split, vec![item]);
        host::run_until_quiet(&mut job, &mut store, 1000);
        out.borrow().watermarks.clone()
    };
    assert!(step(0, FeedItem::Watermark(5)).is_empty());
    assert_eq!(step(1, FeedItem::Watermark(3)), [3]);
    assert_eq!(step(1, FeedItem::Watermark(9)), [3, 5]);
    assert_eq!(step(0, FeedItem::Idle), [3, 5, 9]);
    assert_eq!(step(1, FeedItem::Watermark(12)), [3, 5, 9, 12]);
    // Split 0 is behind and does not take back what was said; it counts again when it has caught up.
    assert_eq!(step(0, row(&[1])), [3, 5, 9, 12]);
    assert_eq!(step(1, FeedItem::Watermark(20)), [3, 5, 9, 12, 20]);
    assert_eq!(step(0, FeedItem::Watermark(21)), [3, 5, 9, 12, 20]);
    assert_eq!(step(1, FeedItem::Watermark(30)), [3, 5, 9, 12, 20, 21]);
}

#[test]
fn a_window_fires_row_by_row_and_counts_late_rows() {
    let out = Shared::default();
    let sink = out.clone();
    let graph = JobGraph {
        name: "windows".to_owned(),
        vertices: vec![source(
            "t",
            1,
            vec![
                operator("window", |_| Box::new(WindowCount::default())),
                operator("sink", move |_| Box::new(CollectSink(sink.clone()))),
            ],
        )],
        edges: vec![],
    };
    let mut items: Vec<FeedItem> = (0..40).map(|i| row(&[i % 4, 0, i])).collect();
    items.push(FeedItem::Watermark(19));
    items.push(row(&[0, 0, 5]));
    items.push(FeedItem::End);
    let job = run(graph, JobSettings::default(), &[(0, items)]);
    assert_eq!(job.state(), &JobState::Finished);
    assert_eq!(out.borrow().rows.len(), 16);
    assert_eq!(out.borrow().watermarks, [19, i64::MAX]);
    assert_eq!(job.view().subtasks[0].late_rows, 1);
}

#[test]
fn the_same_journal_gives_the_same_run() {
    for seed in 0..20 {
        let settings = JobSettings {
            seed,
            policy: Policy::Seeded,
            chunk_limit: 1 + seed as usize % 5,
            journal: true,
            ..Default::default()
        };
        let out = Shared::default();
        let mut job = Job::start(counting(2, &out), settings, Restore::None).unwrap();
        let mut store = MemoryStore::new();
        let mut effects = Vec::new();
        for i in 0..30 {
            feed(&mut job, "t", i % 3, vec![row(&[i64::from(i), 1, 1]), FeedItem::Watermark(i64::from(i))]);
            if i % 10 == 5 {
                let _ = job.handle(Event::Command(Command::TriggerCheckpoint));
            }
            job.run_until_quiet(u64::from(i % 4));
            for effect in job.take_effects() {
                if let Effect::Store { request, body } = effect.clone() {
                    job.handle(Event::Response { request, response: store.execute(body) }).unwrap();
                }
                effects.push(effect);
            }
            job.step_row(3);
        }
        effects.extend(job.take_effects());
        let again = Shared::default();
        let mut replayed = Job::replay(counting(2, &again), job.journal()).unwrap();
        assert_eq!(replayed.take_effects(), effects, "seed {seed}");
        assert_eq!(replayed.view(), job.view(), "seed {seed}");
        assert_eq!(again, out, "seed {seed}");
    }
}
