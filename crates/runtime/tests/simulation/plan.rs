//! What a simulated run consists of, drawn from its seed, and what must come out of it.

use std::collections::{BTreeMap, BTreeSet};

use tidegate_runtime::rng::Rng;
use tidegate_runtime::sim::Faults;
use tidegate_runtime::*;

use crate::support::txn_sink::{Guarantee, TxnSink};
use crate::support::*;

/// What the job computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Rows go through.
    Identity,
    /// Identity in a single chain.
    OneChain,
    /// Count and sum per key.
    Count,
    /// Count per key at the end of input.
    CountAtEnd,
    /// Count per window over two tables.
    Window,
}

/// A run's plan: what the job is, what it is fed, and how bad the world is.
#[derive(Clone, Debug)]
pub struct Plan {
    pub shape: Shape,
    pub guarantee: Guarantee,
    pub settings: JobSettings,
    pub faults: Faults,
    /// What is fed to each split of each table.
    pub feeds: Vec<(&'static str, u32, Vec<FeedItem>)>,
    pub kills: usize,
    pub crashes: usize,
}

impl Plan {
    /// The plan of a seed.
    pub fn draw(seed: u64) -> Plan {
        let mut rng = Rng::new(seed);
        let shape = [Shape::Identity, Shape::OneChain, Shape::Count, Shape::CountAtEnd, Shape::Window][rng.below(5)];
        let guarantee = if rng.one_in(4) { Guarantee::AtLeastOnce } else { Guarantee::ExactlyOnce };
        let faults = match rng.below(4) {
            0 => Faults::NONE,
            1 => Faults { fail: 0, uncertain: 0, delay: 1 + rng.below(20) },
            _ => Faults { fail: 8 + rng.below(30), uncertain: 8 + rng.below(30), delay: rng.below(8) },
        };
        let mut settings = JobSettings {
            seed: rng.next_u64(),
            channel_capacity: 1 + rng.below(4),
            chunk_limit: 1 + rng.below(8),
            policy: if rng.one_in(3) { Policy::RoundRobin } else { Policy::Seeded },
            watched: rng.one_in(2),
            journal: rng.one_in(8),
            checkpoints: CheckpointSettings {
                mode: [
                    CheckpointMode::Aligned,
                    CheckpointMode::Unaligned { after: 0 },
                    CheckpointMode::Unaligned { after: 5 },
                    CheckpointMode::StopTheWorld,
                ][rng.below(4)],
                interval: if rng.one_in(4) { None } else { Some(10 + rng.below(60) as i64) },
                timeout: if rng.one_in(3) { 20 + rng.below(50) as i64 } else { 10_000 },
                concurrent: 1,
                min_pause: rng.below(30) as i64,
                tolerable_failures: if rng.one_in(3) { 0 } else { 3 },
                retained: 1 + rng.below(3),
                after_tasks_finish: true,
                generations: 1 + rng.below(8),
            },
            restart: RestartStrategy::FixedDelay { attempts: u32::MAX, delay: rng.below(20) as i64 },
            ..JobSettings::default()
        };
        if settings.checkpoints.mode == CheckpointMode::Aligned && !seed.is_multiple_of(3) {
            // Several at a time.
            (settings.checkpoints.concurrent, settings.checkpoints.min_pause) = (1 + (seed % 4) as usize, 0);
        }
        let tables: &[&str] = if shape == Shape::Window { &["t", "u"] } else { &["t"] };
        let mut feeds = Vec::new();
        for table in tables {
            for split in 0..1 + rng.below(3) as u32 {
                let mut items = Vec::new();
                let mut ts = 0;
                for n in 0..rng.below(40) as i64 {
                    ts += rng.below(4) as i64;
                    let id = i64::from(split) * 1000 + n + if *table == "u" { 100_000 } else { 0 };
                    items.push(row(&[rng.below(6) as i64, id, ts]));
                    if rng.one_in(5) {
                        items.push(FeedItem::Watermark(ts - 1));
                    }
                    if shape != Shape::Window && rng.one_in(15) {
                        items.push(FeedItem::Idle);
                    }
                }
                items.push(FeedItem::End);
                feeds.push((*table, split, items));
            }
        }
        Plan { shape, guarantee, settings, faults, feeds, kills: rng.below(4), crashes: rng.below(4) }
    }

    /// The job at this parallelism of sources, operators and sinks.
    pub fn graph(&self, parallelism: [u32; 3]) -> JobGraph {
        let guarantee = self.guarantee;
        let sink = || operator("sink", move |_| Box::new(TxnSink::new(guarantee)));
        let [p, q, r] = parallelism;
        let edge = |from, to, input, exchange| Edge { from, to, input, exchange };
        let by_key = || Exchange::Hash(vec![0]);
        let (vertices, edges) = match self.shape {
            Shape::OneChain => (vec![source("t", p, vec![sink()])], vec![]),
            Shape::Identity => (
                vec![source("t", p, vec![]), vertex("sink", q, vec![sink()])],
                vec![edge(0, 1, 0, Exchange::Rebalance)],
            ),
            Shape::Count => (
                vec![
                    source("t", p, vec![]),
                    vertex("count", q, vec![operator("count", |_| Box::new(CountAndSum::default()))]),
                    vertex("sink", r, vec![sink()]),
                ],
                vec![edge(0, 1, 0, by_key()), edge(1, 2, 0, Exchange::Rebalance)],
            ),
            Shape::CountAtEnd => (
                vec![
                    source("t", p, vec![]),
                    vertex("count", q, vec![operator("count", |_| Box::new(CountAtEnd::default()))]),
                    vertex("sink", r, vec![sink()]),
                ],
                vec![edge(0, 1, 0, by_key()), edge(1, 2, 0, Exchange::Rebalance)],
            ),
            Shape::Window => (
                vec![
                    source("t", p, vec![]),
                    source("u", r, vec![]),
                    vertex("window", q, vec![operator("window", |_| Box::new(WindowCount::default())), sink()]),
                ],
                vec![edge(0, 2, 0, by_key()), edge(1, 2, 1, by_key())],
            ),
        };
        JobGraph { name: "simulated".to_owned(), vertices, edges }
    }

    fn rows(&self) -> impl Iterator<Item = Vec<i64>> {
        let items = self.feeds.iter().flat_map(|(_, _, items)| items);
        items.filter_map(|item| match item {
            FeedItem::Row(_, values) => Some(
                values
                    .iter()
                    .map(|value| match value {
                        tidegate_data::Value::Int(x) => *x,
                        _ => unreachable!("numbers only"),
                    })
                    .collect(),
            ),
            _ => None,
        })
    }

    /// What the committed reader must find in the end; sums are left out where they depend on the interleaving.
    pub fn check(&self, found: Vec<Vec<i64>>) {
        let mut expected: Vec<Vec<i64>> = match self.shape {
            Shape::Identity | Shape::OneChain => self.rows().collect(),
            Shape::Count => {
                let mut counts = BTreeMap::new();
                self.rows()
                    .map(|row| {
                        let count = counts.entry(row[0]).or_insert(0);
                        *count += 1;
                        vec![row[0], *count]
                    })
                    .collect()
            }
            Shape::CountAtEnd => {
                let mut counts = BTreeMap::new();
                self.rows().for_each(|row| *counts.entry(row[0]).or_insert(0) += 1);
                counts.into_iter().map(|(key, count)| vec![key, count]).collect()
            }
            Shape::Window => {
                let mut windows = BTreeMap::new();
                self.rows().for_each(|row| *windows.entry((row[0], row[2].div_euclid(10) * 10)).or_insert(0) += 1);
                windows.into_iter().map(|((key, start), count)| vec![key, start, count]).collect()
            }
        };
        let mut sums = BTreeMap::new();
        let mut found: Vec<Vec<i64>> = found
            .into_iter()
            .map(|mut row| {
                if self.shape == Shape::Count {
                    let last = sums.entry(row[0]).or_insert((0, 0));
                    *last = (*last).max((row[1], row[2]));
                    row.truncate(2);
                }
                row
            })
            .collect();
        expected.sort();
        found.sort();
        match self.guarantee {
            Guarantee::ExactlyOnce => assert_eq!(found, expected, "exactly-once"),
            Guarantee::AtLeastOnce => {
                let found: BTreeSet<Vec<i64>> = found.into_iter().collect();
                let missing: Vec<&Vec<i64>> = expected.iter().filter(|row| !found.contains(*row)).collect();
                assert!(missing.is_empty(), "at-least-once, missing: {missing:?}");
            }
        }
        if self.shape == Shape::Count && self.guarantee == Guarantee::ExactlyOnce {
            let mut totals = BTreeMap::new();
            self.rows().for_each(|row| *totals.entry(row[0]).or_insert(0) += row[1]);
            let last: BTreeMap<i64, i64> = sums.into_iter().map(|(key, (_, sum))| (key, sum)).collect();
            assert_eq!(last, totals, "the last sum of each key");
        }
    }
}
