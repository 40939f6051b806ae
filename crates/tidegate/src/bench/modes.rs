//! What checkpoints cost a job that never pauses, in each mode; how long its state takes to come back; and how large both are.
//!
//! `GROUP BY` at parallelism 2, so that there are channels to align, with as many groups as keys. Rows draw their key from a hundredth of
//! all keys; this working set moves on ten times a second, so that a tenth of all groups changes from one checkpoint to the next. Both runs
//! of a pair are alike but for the checkpoints: one is triggered with each second, and all must be complete before the run ends.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use arrow_array::Int64Array;
use serde_json::{Value, json};
use tidegate_data::Chunk;
use tidegate_plan::JobPlan;
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::view::{CheckpointStatus, CheckpointView};
use tidegate_runtime::{
    CheckpointMode, CheckpointSettings, Command, Context, Event, Failure, JobSettings, JobState, MemoryStore, Polled,
    Restore, Source,
};

use super::input::{chunk, random};
use super::{Bench, BenchOptions, Clock, Counting, Harness, PLAIN, SLICE, median, plan};

const SQL: &str = "SELECT k, COUNT(*) AS c, SUM(v) AS s FROM t GROUP BY k;";
const PARALLELISM: u32 = 2;
/// Working sets that make up all keys.
const PLACES: usize = 100;
/// Places that the working set passes in a second.
const PACE: f64 = 10.0;
/// Each key of a working set comes so many times while the set stands still, at least.
const TIMES: usize = 4;
/// Checkpoints before the measured ones, so that a merge of what has changed falls among these.
const BEFORE: usize = 7;
/// Restores, of which the median counts; one more goes before, uncounted.
const RESTORES: usize = 5;

const MODES: [(&str, CheckpointMode, Option<f64>); 4] = [
    ("aligned", CheckpointMode::Aligned, Some(0.95)),
    ("unaligned", CheckpointMode::Unaligned { after: 0 }, Some(0.95)),
    ("at_least_once", CheckpointMode::AtLeastOnce, None),
    ("stop_the_world", CheckpointMode::StopTheWorld, None),
];

/// Measures all modes and the restore.
///
/// # Errors
/// What kept a run from its end, as text.
pub fn checkpoints(options: BenchOptions, clock: Clock<'_>) -> Result<Value, String> {
    let bench = Modes {
        plan: plan(&format!("SET 'parallelism.default' = '{PARALLELISM}';\n{PLAIN}{SQL}"))?,
        feed: Rc::new(Feed::new(options.keys)),
        keys: options.keys,
        seconds: options.seconds,
        clock,
    };
    // How fast it is says how many rows a working set stands still for.
    bench.feed.turns.set(bench.feed.turns_of(20e6));
    let rate = bench.run(None, 0)?.rate;
    bench.feed.turns.set(bench.feed.turns_of(rate));
    let mut modes = serde_json::Map::new();
    let mut last = None;
    for (name, mode, floor) in MODES {
        let mut pairs = Vec::new();
        for pair in 0..options.pairs {
            let start = pair * 37 % PLACES;
            // Which one comes first changes, lest one has what the other leaves behind.
            let (without, with) = match pair % 2 {
                0 => {
                    let without = bench.run(None, start)?;
                    (without, bench.run(Some(mode), start)?)
                }
                _ => {
                    let with = bench.run(Some(mode), start)?;
                    (bench.run(None, start)?, with)
                }
            };
            pairs.push((without.rate, with.rate, with.checkpoints));
            if mode == CheckpointMode::Aligned {
                last = Some(with.bench);
            }
        }
        modes.insert(name.to_owned(), shown(&pairs, floor));
    }
    let (restore, bytes) = bench.restores(&last.ok_or("there is no checkpoint to restore")?)?;
    Ok(json!({
        "sql": SQL,
        "keys": options.keys,
        "parallelism": PARALLELISM,
        "working_set": options.keys / PLACES,
        "seconds": options.seconds,
        "pairs": options.pairs,
        "modes": modes,
        "restore": restore,
        "bytes": bytes,
    }))
}

fn shown(pairs: &[(f64, f64, Vec<CheckpointView>)], floor: Option<f64>) -> Value {
    let ratios: Vec<f64> = pairs.iter().map(|(without, with, _)| with / without).collect();
    let checkpoints: Vec<&CheckpointView> = pairs.iter().flat_map(|pair| &pair.2).collect();
    let of = |figure: &dyn Fn(&CheckpointView) -> f64| median(checkpoints.iter().map(|one| figure(one)).collect());
    let most = |figure: fn(&tidegate_runtime::view::Acknowledgement) -> i64| {
        move |one: &CheckpointView| one.subtasks.iter().flatten().map(figure).max().unwrap_or(0) as f64
    };
    let thousandth = |ratio: f64| (ratio * 1000.0).round() / 1000.0;
    json!({
        "rows_per_s_without": median(pairs.iter().map(|pair| pair.0).collect()).round(),
        "rows_per_s": median(pairs.iter().map(|pair| pair.1).collect()).round(),
        "ratio": thousandth(median(ratios.clone())),
        "ratio_min": thousandth(ratios.iter().copied().fold(f64::INFINITY, f64::min)),
        "ratio_max": thousandth(ratios.iter().copied().fold(0.0, f64::max)),
        "ratio_floor": floor,
        "checkpoints": checkpoints.len(),
        "all_ms": of(&|one| one.ended.map_or(0, |ended| ended.1 - one.triggered.1) as f64),
        "alignment_ms": of(&most(|one| one.alignment_ms)),
        "sync_ms": of(&most(|one| one.sync_ms)),
        "entries": of(&|one| one.subtasks.iter().flatten().map(|one| one.entries).sum::<u64>() as f64),
        "bytes": of(&|one| one.bytes as f64),
    })
}

/// A run that was measured.
struct Measured {
    /// Rows per second.
    rate: f64,
    /// The checkpoints that were measured.
    checkpoints: Vec<CheckpointView>,
    bench: Bench,
}

struct Modes<'a> {
    plan: JobPlan,
    feed: Rc<Feed>,
    keys: usize,
    seconds: usize,
    clock: Clock<'a>,
}

impl Modes<'_> {
    fn start(
        &self,
        mode: CheckpointMode,
        restore: Restore,
        counted: Rc<Cell<u64>>,
        store: MemoryStore,
    ) -> Result<Bench, String> {
        let feed = self.feed.clone();
        let harness = Harness {
            source: Box::new(move |_| {
                let feed = feed.clone();
                Box::new(move |_| Box::new(Moving(feed.clone())))
            }),
            sink: Box::new(move || {
                let counted = counted.clone();
                Box::new(move |_| Box::new(Counting { counted: counted.clone() }))
            }),
        };
        let settings = JobSettings {
            job: "bench".into(),
            checkpoints: CheckpointSettings { mode, ..CheckpointSettings::default() },
            ..JobSettings::default()
        };
        Bench::over(store, &self.plan, &harness, settings, restore)
    }

    /// One run, with the working set beginning at a place: all keys come, then some checkpoints are made of a tenth of them each, then for a
    /// second everything goes on as it will, and then rows count.
    fn run(&self, mode: Option<CheckpointMode>, start: usize) -> Result<Measured, String> {
        let feed = &self.feed;
        let mut bench =
            self.start(mode.unwrap_or(CheckpointMode::Off), Restore::None, Rc::default(), MemoryStore::default())?;
        bench.pump();
        feed.place.set(start);
        let turns = feed.turns.replace(1);
        for part in 0..=BEFORE {
            feed.left.set(if part == 0 { PLACES } else { PLACES / 10 });
            bench.settle();
            if mode.is_some() {
                trigger(&mut bench)?;
                bench.settle();
                completed(&bench, part + 1)?;
            }
        }
        feed.turns.set(turns);
        feed.left.set(usize::MAX);
        let clock = self.clock;
        let begin = clock();
        let (mut triggered, mut rows) = (0, 0);
        let (mut from, mut now) = (begin, begin);
        while now < begin + 1000.0 * (self.seconds + 1) as f64 {
            if now >= begin + 1000.0 * triggered as f64 {
                if triggered == 1 {
                    (from, rows) = (now, feed.rows.get());
                }
                triggered += 1;
                if mode.is_some() {
                    trigger(&mut bench)?;
                }
            }
            bench.time(now);
            bench.job.run_slice(&mut || clock() < now + SLICE);
            bench.pump();
            if let JobState::Failed(problem) = bench.job.state() {
                return Err(problem.message.clone());
            }
            now = clock();
        }
        let rate = (feed.rows.get() - rows) as f64 / (now - from) * 1000.0;
        feed.left.set(0);
        let checkpoints = match mode {
            Some(_) => completed(&bench, 1 + BEFORE + self.seconds + 1)?.split_off(BEFORE + 2),
            None => Vec::new(),
        };
        bench.settle();
        Ok(Measured { rate, checkpoints, bench })
    }

    /// What a job has left behind is restored, to its first row out. Gives the times, and the bytes of state and checkpoints.
    fn restores(&self, bench: &Bench) -> Result<(Value, Value), String> {
        let written: usize = bench.store.entries().values().map(|value| value.len()).sum();
        let (mut times, mut longest, mut state) = (Vec::new(), 0.0f64, 0);
        for time in 0..=RESTORES {
            let counted = Rc::new(Cell::new(0));
            let store = bench.store.clone();
            let clock = self.clock;
            // A row is there that could be read at once.
            self.feed.left.set(1);
            let begin = clock();
            let mut restored = self.start(CheckpointMode::Aligned, Restore::Latest, counted.clone(), store)?;
            let mut slices = 0.0f64;
            while counted.get() == 0 {
                let now = clock();
                restored.time(now);
                restored.job.run_slice(&mut || clock() < now + SLICE);
                let done = restored.pump();
                slices = slices.max(clock() - now);
                if let JobState::Failed(problem) = restored.job.state() {
                    return Err(problem.message.clone());
                }
                if done == 0 && restored.job.is_quiet() && counted.get() == 0 {
                    return Err("the restored job stands still".into());
                }
            }
            let took = clock() - begin;
            self.feed.left.set(0);
            restored.settle();
            let tables: Vec<_> = (0..PARALLELISM).flat_map(|index| tables(&mut restored, index)).collect();
            let entries: usize = tables.iter().map(|(entries, _)| entries).sum();
            if entries != self.keys {
                return Err(format!("{entries} groups of {} were restored", self.keys));
            }
            state = tables.iter().map(|(_, bytes)| bytes).sum();
            if time > 0 {
                times.push(took);
                longest = longest.max(slices);
            }
        }
        let restore = json!({
            "ms": median(times.clone()),
            "min": times.iter().copied().fold(f64::INFINITY, f64::min),
            "max": times.iter().copied().fold(0.0, f64::max),
            "longest_slice_ms": longest,
        });
        let view = bench.job.view();
        let first = view.history.first().map_or(0, |one| one.bytes);
        let bytes = json!({
            "state_in_memory": state,
            "checkpoint_of_everything": first,
            "kept_for_the_last_checkpoint": written,
        });
        Ok((restore, bytes))
    }
}

/// Entries and bytes of the grouped tables of a subtask.
fn tables(bench: &mut Bench, index: u32) -> Vec<(usize, usize)> {
    let vertices = bench.job.view().vertices.len();
    let all = (0..vertices).flat_map(|vertex| bench.job.state_tables(vertex, index)).collect::<Vec<_>>();
    all.into_iter().filter(|table| table.keyed).map(|table| (table.entries, table.bytes)).collect()
}

fn trigger(bench: &mut Bench) -> Result<(), String> {
    bench.job.handle(Event::Command(Command::TriggerCheckpoint)).map_err(|problem| problem.message)
}

/// All checkpoints so far, which must be so many, and complete.
fn completed(bench: &Bench, wanted: usize) -> Result<Vec<CheckpointView>, String> {
    let history = bench.job.view().history;
    let complete = history.iter().filter(|one| one.status == CheckpointStatus::Completed).count();
    match complete == wanted && history.len() == wanted {
        true => Ok(history),
        false => Err(format!("{complete} checkpoints of {wanted} are complete: {:?}", history.last())),
    }
}

/// The input: for each place of the working set a few chunks, which come again and again while it stands there.
struct Feed {
    /// By place.
    chunks: Vec<Vec<Chunk>>,
    /// Where the working set is, and which of its chunks is next.
    place: Cell<usize>,
    next: Cell<usize>,
    /// How many times a place's chunks come.
    turns: Cell<usize>,
    /// Places until it holds.
    left: Cell<usize>,
    /// Rows handed out.
    rows: Cell<u64>,
}

impl Feed {
    fn new(keys: usize) -> Feed {
        let size = keys / PLACES;
        let mut state = 11;
        // Only keys differ.
        let shared = chunk(&vec![0; Chunk::MAX_ROWS], 0, &mut state);
        let of_place = |place: usize, state: &mut u64| {
            let first = (place * size) as i64;
            // Each key once, and then as they are drawn.
            let mut wanted: Vec<i64> = (0..size as i64).collect();
            for at in (1..size).rev() {
                wanted.swap(at, (random(state) % (at as u64 + 1)) as usize);
            }
            let len = (size * TIMES).next_multiple_of(Chunk::MAX_ROWS);
            wanted.extend((size..len).map(|_| (random(state) % size as u64) as i64));
            let chunks = wanted.chunks(Chunk::MAX_ROWS).map(|part| {
                let keys: Int64Array = part.iter().map(|key| first + key).collect();
                let mut columns = shared.columns.clone();
                columns[0] = Arc::new(keys);
                Chunk::insert(columns, part.len())
            });
            chunks.collect()
        };
        Feed {
            chunks: (0..PLACES).map(|place| of_place(place, &mut state)).collect(),
            place: Cell::new(0),
            next: Cell::new(0),
            turns: Cell::new(1),
            left: Cell::new(0),
            rows: Cell::new(0),
        }
    }

    /// How many times a place's chunks come if there are so many rows a second.
    fn turns_of(&self, rate: f64) -> usize {
        let rows = self.chunks[0].len() * Chunk::MAX_ROWS;
        ((rate / PACE / rows as f64).round() as usize).max(1)
    }

    fn take(&self) -> Option<Chunk> {
        if self.left.get() == 0 {
            return None;
        }
        let (place, next) = (self.place.get(), self.next.get());
        let chunks = &self.chunks[place];
        self.next.set(next + 1);
        if next + 1 >= chunks.len() * self.turns.get() {
            self.next.set(0);
            self.place.set((place + 1) % PLACES);
            self.left.set(self.left.get() - 1);
        }
        let chunk = chunks[next % chunks.len()].clone();
        self.rows.set(self.rows.get() + chunk.len as u64);
        Some(chunk)
    }
}

/// Hands out what the feed has; all its subtasks have one.
struct Moving(Rc<Feed>);

impl Source for Moving {
    fn state(&mut self, _visitor: &mut dyn StateVisitor) {}

    fn poll(&mut self, _limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
        match self.0.take() {
            Some(chunk) => {
                cx.emit(chunk);
                Ok(Polled::Emitted)
            }
            None => {
                cx.wake_at(cx.now() + 1);
                Ok(Polled::Pending)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_working_set_brings_each_of_its_keys() {
        let feed = Feed::new(20_000);
        feed.left.set(PLACES);
        let mut seen = std::collections::BTreeSet::new();
        while let Some(chunk) = feed.take() {
            let keys = chunk.columns[0].as_any().downcast_ref::<Int64Array>().unwrap();
            seen.extend(keys.values().iter().copied());
        }
        assert!(seen.into_iter().eq(0..20_000));
    }
}
