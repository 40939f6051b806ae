//! How long a checkpoint holds a job up, and how long the slices are in which it is written out.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::{Value, json};
use tidegate_data::Chunk;
use tidegate_runtime::view::{CheckpointStatus, SubtaskStatus};
use tidegate_runtime::{Command, Event};

use super::input::chunk;
use super::{Bench, Clock, PLAIN, Post, SLICE, median, plan};

const SQL: &str = "SELECT k, COUNT(*) AS c, SUM(v) AS s FROM t GROUP BY k;";
/// Checkpoints measured, of which the median counts.
const TIMES: usize = 5;

/// `keys` keys, all checkpointed once; then 1 % of them change before each measured checkpoint; then all change once more, and the
/// checkpoint is written out in slices, as the browser's worker does it.
pub fn pause(keys: usize, clock: Clock<'_>, post: Post<'_>) -> Result<Value, String> {
    let mut state = 7;
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut ends = Vec::new();
    let mut add = |wanted: Vec<i64>| {
        for (number, part) in wanted.chunks(Chunk::MAX_ROWS).enumerate() {
            chunks.push(chunk(part, number * Chunk::MAX_ROWS, &mut state));
        }
        ends.push(chunks.len());
    };
    let all = || (0..keys as i64).collect::<Vec<_>>();
    // Every hundredth key, another one each time.
    add(all());
    (0..TIMES as i64).for_each(|time| add((time..keys as i64).step_by(100).collect()));
    add(all());

    let limit = Rc::new(Cell::new(0));
    let plan = plan(&format!("{PLAIN}{SQL}"))?;
    let mut bench = Bench::start(&plan, Rc::new(chunks), limit.clone(), false, Rc::default())?;
    let advance = |bench: &mut Bench, end: usize| {
        limit.set(end);
        bench.settle();
    };
    advance(&mut bench, ends[0]);
    let first = in_steps(&mut bench, clock)?;
    expect(&first, keys)?;
    let mut changed = Vec::new();
    for end in &ends[1..=TIMES] {
        advance(&mut bench, *end);
        let one = in_steps(&mut bench, clock)?;
        expect(&one, keys.div_ceil(100))?;
        changed.push(one);
    }
    advance(&mut bench, ends[TIMES + 1]);
    let slices = in_slices(&mut bench, clock, post)?;
    let of = |figure: fn(&Steps) -> f64| median(changed.iter().map(figure).collect());
    Ok(json!({
        "keys": keys,
        "changed": keys.div_ceil(100),
        "sync_ms": of(|steps| steps.sync),
        "sync_max_ms": changed.iter().map(|steps| steps.sync).fold(0.0, f64::max),
        "all_ms": of(|steps| steps.all),
        "bytes": changed[0].bytes,
        "everything_changed": {
            "sync_ms": first.sync,
            "all_ms": first.all,
            "bytes": first.bytes,
            "longest_step_ms": first.longest,
            "slices": slices.len(),
            "longest_slice_ms": slices.iter().copied().fold(0.0, f64::max),
            "median_slice_ms": median(slices),
        },
    }))
}

/// What the steps of a checkpoint took.
struct Steps {
    /// From the trigger until the last subtask had read its state out and went on, ms.
    sync: f64,
    /// From the trigger until all was written to memory, ms.
    all: f64,
    /// The longest step, ms.
    longest: f64,
    /// Entries and bytes written.
    entries: u64,
    bytes: u64,
}

/// A figure counts only if the checkpoint held what it should: a group for each key, and the source's position.
fn expect(steps: &Steps, groups: usize) -> Result<(), String> {
    match steps.entries as usize == groups {
        true => Ok(()),
        false => Err(format!("a checkpoint of {groups} groups had {} entries", steps.entries)),
    }
}

/// A checkpoint, step by step.
fn in_steps(bench: &mut Bench, clock: Clock<'_>) -> Result<Steps, String> {
    trigger(bench)?;
    let mut steps = Steps { sync: 0.0, all: 0.0, longest: 0.0, entries: 0, bytes: 0 };
    loop {
        loop {
            let reads = reads_state(bench);
            let begin = clock();
            if !bench.job.step_element() {
                break;
            }
            let took = clock() - begin;
            steps.all += took;
            steps.longest = steps.longest.max(took);
            if reads {
                steps.sync = steps.all;
            }
        }
        let begin = clock();
        let done = bench.pump();
        steps.all += clock() - begin;
        if done == 0 {
            break;
        }
    }
    (steps.entries, steps.bytes) = completed(bench)?;
    Ok(steps)
}

/// A checkpoint in slices; gives what each took, ms, with the time to send to the store what there is to be sent.
fn in_slices(bench: &mut Bench, clock: Clock<'_>, post: Post<'_>) -> Result<Vec<f64>, String> {
    trigger(bench)?;
    let mut slices = Vec::new();
    loop {
        let begin = clock();
        let steps = bench.job.run_slice(&mut || clock() < begin + SLICE);
        let effects = bench.job.take_effects();
        for effect in &effects {
            post(effect);
        }
        slices.push(clock() - begin);
        // The store works in another thread.
        if bench.answer(effects) == 0 && steps == 0 {
            break;
        }
    }
    completed(bench)?;
    Ok(slices)
}

fn trigger(bench: &mut Bench) -> Result<(), String> {
    bench.job.handle(Event::Command(Command::TriggerCheckpoint)).map_err(|problem| problem.message)
}

fn reads_state(bench: &Bench) -> bool {
    let view = bench.job.view();
    view.subtasks.iter().any(|subtask| matches!(subtask.status, SubtaskStatus::Snapshotting { .. }))
}

/// Entries and bytes of the last checkpoint, which must be complete.
fn completed(bench: &Bench) -> Result<(u64, u64), String> {
    let view = bench.job.view();
    match view.history.last() {
        Some(one) if one.status == CheckpointStatus::Completed => {
            Ok((one.subtasks.iter().flatten().map(|subtask| subtask.entries).sum(), one.bytes))
        }
        other => Err(format!("the checkpoint did not complete: {other:?}")),
    }
}
