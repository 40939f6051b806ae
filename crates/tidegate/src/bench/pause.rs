//! How long a checkpoint holds a job up: the part in which the subtasks stand still.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::{Value, json};
use tidegate_data::Chunk;
use tidegate_runtime::view::CheckpointStatus;
use tidegate_runtime::{Command, Event};

use super::input::chunk;
use super::{Bench, PLAIN, plan};

const SQL: &str = "SELECT k, COUNT(*) AS c, SUM(v) AS s FROM t GROUP BY k;";
/// Checkpoints measured, of which the median counts.
const TIMES: usize = 5;

/// `keys` keys, all checkpointed once; then 1 % of them change before each measured checkpoint.
pub fn pause(keys: usize, clock: &dyn Fn() -> f64) -> Result<Value, String> {
    let mut state = 7;
    let all: Vec<i64> = (0..keys as i64).collect();
    let mut chunks: Vec<Chunk> = Vec::new();
    for (number, part) in all.chunks(Chunk::MAX_ROWS).enumerate() {
        chunks.push(chunk(part, number * Chunk::MAX_ROWS, &mut state));
    }
    let first = chunks.len();
    // Every hundredth key, another one each time.
    let mut ends = Vec::new();
    for time in 0..TIMES {
        let changed: Vec<i64> = (time as i64..keys as i64).step_by(100).collect();
        chunks.extend(changed.chunks(Chunk::MAX_ROWS).map(|part| chunk(part, 0, &mut state)));
        ends.push(chunks.len());
    }
    let limit = Rc::new(Cell::new(first));
    let plan = plan(&format!("{PLAIN}{SQL}"))?;
    let mut bench = Bench::start(&plan, Rc::new(chunks), limit.clone(), false, Rc::default())?;
    settle(&mut bench);
    let (whole, whole_step) = checkpoint(&mut bench, clock)?;
    let (mut pauses, mut longest) = (Vec::new(), 0.0f64);
    for end in ends {
        limit.set(end);
        // The source looks again when it hears something.
        let now = bench.job.view().now;
        bench.time((now + 1) as f64);
        settle(&mut bench);
        let (pause, step) = checkpoint(&mut bench, clock)?;
        pauses.push(pause);
        longest = longest.max(step);
    }
    pauses.sort_by(f64::total_cmp);
    Ok(json!({
        "keys": keys,
        "changed": keys.div_ceil(100),
        "pause_ms": pauses[pauses.len() / 2],
        "pause_max_ms": pauses[pauses.len() - 1],
        "longest_step_ms": longest,
        "first_checkpoint_ms": whole,
        "first_checkpoint_longest_step_ms": whole_step,
    }))
}

fn settle(bench: &mut Bench) {
    while bench.job.run_until_quiet(u64::MAX) + bench.pump() as u64 > 0 {}
}

/// A checkpoint; gives the time of its steps until all have written their state, and the longest step.
fn checkpoint(bench: &mut Bench, clock: &dyn Fn() -> f64) -> Result<(f64, f64), String> {
    bench.job.handle(Event::Command(Command::TriggerCheckpoint)).map_err(|problem| problem.message)?;
    let (mut spent, mut longest) = (0.0, 0.0f64);
    loop {
        loop {
            let begin = clock();
            if !bench.job.step_element() {
                break;
            }
            let took = clock() - begin;
            spent += took;
            longest = longest.max(took);
        }
        if bench.pump() == 0 {
            break;
        }
    }
    match bench.job.view().history.last().map(|one| one.status.clone()) {
        Some(CheckpointStatus::Completed) => Ok((spent, longest)),
        other => Err(format!("the checkpoint did not complete: {other:?}")),
    }
}
