//! Ways to run a case that must not change what it means.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use tidegate::case::{CaseOptions, Driver};
use tidegate::runtime::view::{CheckpointStatus, SubtaskStatus};
use tidegate::runtime::{Command, Event, Policy};

use crate::compare::{materialised, same_changes};
use crate::recorded::{CaseFile, RecordedResult};
use crate::run::{Run, run, run_with};

/// A way to run a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variation {
    /// Several subtasks, scheduled by the seed, one row in flight.
    Parallel {
        /// How many.
        parallelism: u32,
        /// The scheduler's seed.
        seed: u64,
    },
    /// All input at once, in chunks of up to so many rows.
    Chunks {
        /// The most rows of a poll.
        size: usize,
        /// The scheduler's seed.
        seed: u64,
    },
    /// A checkpoint after every few lines, and the job fails before some lines.
    Crashes {
        /// Lines between checkpoints.
        every: u64,
        /// What the lines are drawn from.
        seed: u64,
        /// How many subtasks.
        parallelism: u32,
    },
    /// As [`Variation::Crashes`], with another way to make checkpoints.
    Mode {
        /// `execution.checkpointing.mode`
        mode: &'static str,
        /// Lines between checkpoints.
        every: u64,
        /// What the lines are drawn from.
        seed: u64,
        /// How many subtasks.
        parallelism: u32,
    },
    /// A checkpoint with each line, and the job is killed in the middle of it: in one run after the checkpoint's first event, in the next
    /// after its second, and so on to its completion and beyond. Events are barriers that set out, arrive or have aligned, state that is
    /// read out, and acknowledgements.
    Killed {
        /// Of all these runs the ones of this number among [`PARTS`].
        part: u64,
        /// How many subtasks.
        parallelism: u32,
        /// Whether barriers overtake.
        unaligned: bool,
    },
    /// The job begins with two subtasks, is lost with its engine, goes on with three, and in the end with one.
    Rescaled {
        /// The scheduler's seed.
        seed: u64,
        /// Whether barriers overtake.
        unaligned: bool,
    },
}

/// Parts of the runs of [`Variation::Killed`].
pub const PARTS: u64 = 24;

/// Jobs killed by [`Variation::Killed`], engines lost by [`Variation::Rescaled`].
pub static KILLS: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

impl fmt::Display for Variation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variation::Parallel { parallelism, seed } => write!(f, "parallelism {parallelism}, seed {seed}"),
            Variation::Chunks { size, seed } => write!(f, "chunks of {size}, seed {seed}"),
            Variation::Crashes { every, seed, parallelism } => {
                write!(f, "checkpoint every {every}, crashes of seed {seed}, parallelism {parallelism}")
            }
            Variation::Mode { mode, every, seed, parallelism } => {
                write!(f, "{mode}, checkpoint every {every}, crashes of seed {seed}, parallelism {parallelism}")
            }
            Variation::Killed { part, parallelism, unaligned } => {
                let kind = if *unaligned { "unaligned checkpoints" } else { "checkpoints" };
                write!(f, "killed in {kind}, part {part}, parallelism {parallelism}")
            }
            Variation::Rescaled { seed, unaligned } => {
                let kind = if *unaligned { "unaligned" } else { "aligned" };
                write!(f, "parallelism 2, 3, 1 over {kind} checkpoints, seed {seed}")
            }
        }
    }
}

/// The whole matrix.
pub fn matrix() -> Vec<Variation> {
    let mut all = Vec::new();
    for seed in 1..=4 {
        for parallelism in [2, 4] {
            all.push(Variation::Parallel { parallelism, seed });
        }
        for size in [1, 1024] {
            all.push(Variation::Chunks { size, seed });
        }
        for every in 1..=3 {
            for parallelism in [1, 2] {
                all.push(Variation::Crashes { every, seed, parallelism });
                all.push(Variation::Mode { mode: "STOP_THE_WORLD", every, seed, parallelism });
            }
        }
        // One subtask has one channel, and every line is worked off before the next checkpoint: nothing can count twice.
        all.push(Variation::Mode { mode: "AT_LEAST_ONCE", every: 1, seed, parallelism: 2 });
    }
    for unaligned in [false, true] {
        for parallelism in [1, 2, 4] {
            all.extend((0..PARTS).map(|part| Variation::Killed { part, parallelism, unaligned }));
        }
        all.extend((1..=4).map(|seed| Variation::Rescaled { seed, unaligned }));
    }
    all
}

/// Runs the case in this way; gives what is wrong.
pub fn check(case: &CaseFile, variation: Variation) -> Vec<String> {
    let standard = CaseOptions { policy: Policy::Seeded, ..CaseOptions::default() };
    match variation {
        Variation::Parallel { parallelism, seed } => {
            let options = CaseOptions { parallelism: Some(parallelism), seed, ..standard };
            // Two readers of one table take turns as the scheduler has it, so the last writer of a key may be another.
            let run = run(&case.text, &options);
            let mut part = case.expected.clone();
            let text = case.text.to_uppercase();
            // And what one watermark brings out of several subtasks ranks as the scheduler has it, where it is equal.
            let ranked = text.contains("OVER (") && text.contains("GROUP BY WINDOW_START");
            part.results.retain(|result| {
                let several = run.sources.get(&result.statement).is_some_and(|n| *n > 1);
                !(is_upsert(result) && several || ranked)
            });
            materialised(&part, &run)
        }
        Variation::Chunks { size, seed } => {
            let options = CaseOptions { chunk_size: size, seed, free_running: true, ..standard };
            kept(case, &run(&case.text, &options), &Circumstances { parallelism: 1, restored: false, settled: false })
        }
        Variation::Crashes { every, seed, parallelism } => crashed(case, "EXACTLY_ONCE", every, seed, parallelism),
        Variation::Mode { mode, every, seed, parallelism } => crashed(case, mode, every, seed, parallelism),
        Variation::Killed { part, parallelism, unaligned } => {
            let mut event = part;
            loop {
                let options = restarted(unaligned, parallelism, event);
                let mut kills = 0;
                let run = run_with(&case.text, &options, |driver| {
                    for job in 0..driver.session.jobs().len() {
                        if !killed(driver, job, event, &mut kills) {
                            break;
                        }
                    }
                });
                if kills == 0 && event > 0 {
                    return Vec::new();
                }
                KILLS[0].fetch_add(kills, Ordering::Relaxed);
                let mut found = kept(case, &run, &Circumstances { parallelism, restored: true, settled: false });
                if !found.is_empty() {
                    found.insert(0, format!("killed after event {event}"));
                    return found;
                }
                event += PARTS;
            }
        }
        Variation::Rescaled { seed, unaligned } => {
            let options = restarted(unaligned, 2, seed);
            let run = run_with(&case.text, &options, |driver| {
                for job in 0..driver.session.jobs().len() {
                    if !rescaled(driver, job) {
                        break;
                    }
                }
            });
            kept(case, &run, &Circumstances { parallelism: 3, restored: true, settled: false })
        }
    }
}

/// Options of a job that is killed by hand.
fn restarted(unaligned: bool, parallelism: u32, seed: u64) -> CaseOptions {
    CaseOptions {
        parallelism: Some(parallelism),
        seed,
        settings: vec![("execution.checkpointing.unaligned.enabled".to_owned(), unaligned.to_string())],
        // A line that never comes asks for a restart strategy.
        crash_at: vec![u64::MAX],
        policy: Policy::Seeded,
        ..CaseOptions::default()
    }
}

fn crashed(case: &CaseFile, mode: &str, every: u64, seed: u64, parallelism: u32) -> Vec<String> {
    let crash_at = (1..=64).filter(|line| mix(seed, *line).is_multiple_of(4)).collect();
    let options = CaseOptions {
        parallelism: Some(parallelism),
        seed,
        settings: vec![("execution.checkpointing.mode".to_owned(), mode.to_owned())],
        checkpoint_every: Some(every),
        crash_at,
        policy: Policy::Seeded,
        ..CaseOptions::default()
    };
    let circumstances = Circumstances { parallelism, restored: true, settled: every == 1 };
    kept(case, &run(&case.text, &options), &circumstances)
}

/// What can be expected of a result however sources interleave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    /// All changes of each key, in their order.
    Changes,
    /// What is left in the end.
    Table,
    /// Nothing.
    Nothing,
}

/// How the job of a result came to its input.
struct Circumstances {
    /// Subtasks.
    parallelism: u32,
    /// Whether rows came again after a restore.
    restored: bool,
    /// Whether every row was part of a checkpoint before the next one came, so that none came again.
    settled: bool,
}

/// With one source and one subtask nothing may change at all, but that a restored window table has its keys in another
/// order. With several sources or subtasks their interleaving is the scheduler's: what is left in the end is the same,
/// unless time decides what is late, or the last writer of a key wins. Where no row comes again, time decides the same if
/// there is one source, or if the watermarks are the sources' own (which are kept with their positions). Equal rows rank in
/// the order of their arrival, which is another where rows of several subtasks come again; so does the last writer of a sink's key.
fn promise(case: &CaseFile, run: &Run, result: &RecordedResult, how: &Circumstances) -> Promise {
    let text = case.text.to_uppercase();
    let timed = text.contains("WATERMARK FOR");
    let own = text.matches("WATERMARK FOR").count() == text.matches("SOURCE_WATERMARK()").count();
    let one_source = run.sources.get(&result.statement).is_some_and(|&sources| sources <= 1);
    if text.contains("CURRENT_WATERMARK") {
        Promise::Nothing
    } else if one_source && how.parallelism == 1 {
        if timed && how.restored { Promise::Table } else { Promise::Changes }
    } else if (timed && !(how.settled && (one_source || own)))
        || ((by_arrival(&text) || run.merged.contains(&result.statement)) && !how.settled)
        || (is_upsert(result) && !one_source)
    {
        Promise::Nothing
    } else {
        Promise::Table
    }
}

/// Whether the order of arrival shows in the result.
fn by_arrival(text: &str) -> bool {
    ["OVER (", " LIMIT ", "FIRST_VALUE", "LAST_VALUE", "LISTAGG", "ARRAY_AGG"].iter().any(|word| text.contains(word))
}

/// Whether `+U` says what is there now, without `-U` for what was.
fn is_upsert(result: &RecordedResult) -> bool {
    result.changelog_mode.as_ref().is_some_and(|mode| mode.contains("UA") && !mode.contains("UB"))
}

fn kept(case: &CaseFile, run: &Run, how: &Circumstances) -> Vec<String> {
    let part = |wanted: Promise| {
        let mut part = case.expected.clone();
        part.results.retain(|result| promise(case, run, result, how) == wanted);
        part
    };
    let mut found = same_changes(&part(Promise::Changes), run);
    found.extend(materialised(&part(Promise::Table), run));
    found.dedup();
    found
}

/// How far a checkpoint has come: its own status, and of each subtask what it does about it and whether it has acknowledged.
fn progress(driver: &Driver, job: usize) -> (Option<CheckpointStatus>, Vec<(SubtaskStatus, Option<bool>)>) {
    let view = driver.job(job).runtime.view();
    let subtasks = view.subtasks.into_iter().map(|subtask| {
        let about = matches!(subtask.status, SubtaskStatus::Aligning { .. } | SubtaskStatus::Snapshotting { .. });
        (if about { subtask.status } else { SubtaskStatus::Running }, subtask.acknowledged)
    });
    (view.checkpoint.map(|checkpoint| checkpoint.status), subtasks.collect())
}

/// Drives one job with a checkpoint after each line, in which it is killed after so many events. Gives whether the case goes on.
fn killed(driver: &mut Driver, job: usize, event: u64, kills: &mut u64) -> bool {
    if !driver.load(job) {
        return false;
    }
    driver.pump(job);
    for line in 1..=driver.steps() {
        driver.job(job).set_step(line);
        driver.feed(job, line);
        // Refused when the job has ended already.
        let asked = driver.job_mut(job).runtime.handle(Event::Command(Command::TriggerCheckpoint));
        let (mut events, mut before) = (0, progress(driver, job));
        while asked.is_ok() {
            if !driver.job_mut(job).runtime.step_element() && !driver.carry_out(job) {
                break;
            }
            let now = progress(driver, job);
            events += u64::from(now != before);
            before = now;
            if events > event {
                *kills += 1;
                let _ = driver.job_mut(job).runtime.handle(Event::Command(Command::FailJob));
                break;
            }
        }
        driver.pump(job);
    }
    driver.job(job).set_step(driver.steps() + 1);
    driver.end_input(job);
    driver.collect(job)
}

/// Drives one job over three engines of other parallelisms. Gives whether the case goes on.
fn rescaled(driver: &mut Driver, job: usize) -> bool {
    if !driver.load(job) {
        return false;
    }
    let lines = driver.steps();
    driver.pump(job);
    for line in 1..=lines {
        driver.job(job).set_step(line);
        driver.feed(job, line);
        let next = if line == lines.div_ceil(3) { 3 } else { 1 };
        if line == lines.div_ceil(3) || line == (2 * lines).div_ceil(3) {
            // The row is on its way still. A job that has ended already is not lost.
            let asked = driver.job_mut(job).runtime.handle(Event::Command(Command::TriggerCheckpoint));
            driver.pump(job);
            if asked.is_ok() && !driver.job(job).runtime.state().is_terminal() {
                KILLS[1].fetch_add(1, Ordering::Relaxed);
                driver.rescale(job, next, line);
            }
        }
        driver.pump(job);
    }
    driver.job(job).set_step(lines + 1);
    driver.end_input(job);
    driver.collect(job)
}

/// A number that looks like chance (splitmix64).
pub fn mix(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(n.wrapping_mul(0xd1b5_4a32_d192_ed03));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
