//! What has happened to a job, over all the engines that ran it: its timeline, its checkpoints and their number.
//!
//! An engine that is lost takes its own log along. So the host keeps this record beside the job's checkpoints, and the next engine goes on
//! with it: steps go on counting, and a checkpoint that was under way is settled by what is restored.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use tidegate_runtime::view::{CheckpointStatus, CheckpointView, JobState, LogEntry, LogEvent};
use tidegate_runtime::{CheckpointId, Job};

/// Happenings kept.
const EVENTS: usize = 256;
/// Ended checkpoints kept.
const CHECKPOINTS: usize = 50;
/// Replays kept.
const REPLAYS: usize = 32;
/// Checkpoints of which it is known how much had been read.
const KNOWN: usize = 200;
/// Why a checkpoint did not end.
const LOST: &str = "the engine was lost";

/// Something that happened to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Happening {
    /// The engine that ran it says so.
    Job(LogEntry),
    /// That engine was lost; a new one took over.
    EngineLost {
        /// Step.
        step: u64,
        /// Host time, ms.
        at: i64,
    },
    /// The host says so.
    Host {
        /// Step.
        step: u64,
        /// Host time, ms.
        at: i64,
        /// What happened.
        text: String,
    },
}

/// What a restore had a job do once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// The checkpoint that it went back to.
    pub checkpoint: CheckpointId,
    /// The step at which that was triggered.
    pub from: u64,
    /// The step at which the job had failed, or was taken back.
    pub to: u64,
    /// The step at which it was restored.
    pub at: u64,
    /// Rows of its sources that are read once more; unknown if an engine was lost in between.
    pub rows: Option<u64>,
}

/// What has happened to a job. All steps count from the first engine's first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    events: VecDeque<Happening>,
    /// Ended ones, oldest first.
    checkpoints: VecDeque<CheckpointView>,
    completed: u64,
    failed: u64,
    /// The one under way.
    open: Option<CheckpointView>,
    /// One that was under way when an engine was lost.
    unsettled: Option<CheckpointView>,
    /// Steps as of the last look, and those of earlier engines.
    steps: u64,
    base: u64,
    /// Log entries of this engine that are part of it.
    noted: u64,
    replays: VecDeque<Replay>,
    /// Rows that the sources had read up to each checkpoint, over all attempts, and the step at which it was triggered.
    totals: BTreeMap<CheckpointId, (u64, u64)>,
    /// The same where the attempt that runs has begun, and where the one before had.
    read: (u64, u64),
    /// When the job failed last.
    failed_at: Option<u64>,
    /// How much had been read is not known: an engine was lost.
    unknown: bool,
    /// It has not got so far as to be what an engine that takes over goes on from.
    fresh: bool,
}

impl History {
    /// Of a run that begins from a checkpoint of this one: it knows of those `kept`, which were made before its first step.
    #[must_use]
    pub fn begin_from(&self, kept: &[CheckpointId]) -> History {
        let mut checkpoints: BTreeMap<CheckpointId, CheckpointView> = BTreeMap::new();
        let of = |one: &&CheckpointView| one.status == CheckpointStatus::Completed && kept.contains(&one.id);
        for mut one in self.checkpoints.iter().filter(of).cloned() {
            one.triggered.0 = 0;
            one.ended = one.ended.map(|(_, at)| (0, at));
            one.subtasks.iter_mut().flatten().for_each(|part| part.step = 0);
            // A number comes again where the job went back to before it: the last one lies in the store.
            checkpoints.insert(one.id, one);
        }
        History { checkpoints: checkpoints.into_values().collect(), unknown: true, fresh: true, ..History::default() }
    }

    /// Whether its run was to begin from a checkpoint and has not done so.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Goes on with what an earlier engine has left behind, which had taken `steps` steps.
    #[must_use]
    pub fn go_on(mut self, at: i64, steps: u64) -> History {
        self.steps = self.base + steps;
        self.events.push_back(Happening::EngineLost { step: self.steps, at });
        (self.base, self.noted) = (self.steps, 0);
        (self.unknown, self.failed_at) = (true, Some(self.steps));
        if let Some(open) = self.open.take() {
            self.unsettled = Some(open);
        }
        self
    }

    /// Takes in what the job has gone through since the last call. True if there was something that is worth keeping.
    pub fn note(&mut self, job: &Job) -> bool {
        self.steps = self.base + job.steps();
        let runs = *job.state() == JobState::Running;
        let begun = self.fresh && runs;
        self.fresh &= !runs;
        if job.logged() == self.noted {
            return (self.unsettled.is_some() && runs && self.settle(None, job)) || begun;
        }
        let fresh: Vec<LogEntry> = job.log_since(self.noted).cloned().collect();
        self.noted = job.logged();
        let view = job.view();
        for mut entry in fresh {
            entry.step += self.base;
            match &entry.event {
                LogEvent::CheckpointCompleted { checkpoint } => {
                    self.completed += 1;
                    if let Some(one) = view.history.iter().find(|one| one.id == *checkpoint) {
                        let read: u64 = one.subtasks.iter().flatten().map(|part| part.read).sum();
                        self.totals.insert(one.id, (self.read.0 + read, one.triggered.0 + self.base));
                    }
                }
                LogEvent::Started { .. } => self.read = (0, self.read.0),
                LogEvent::CheckpointAborted { .. } => self.failed += 1,
                LogEvent::Restored { checkpoint, read, .. } => {
                    self.fresh = false;
                    self.settle(Some(*checkpoint), job);
                    self.replay(*checkpoint, entry.step, *read);
                }
                LogEvent::Failed { .. } if self.was_killed(entry.step) => {
                    self.failed_at = Some(entry.step);
                    continue;
                }
                LogEvent::Failed { .. } => self.failed_at = Some(entry.step),
                _ => {}
            }
            self.events.push_back(Happening::Job(entry));
        }
        for mut checkpoint in view.history {
            self.shift(&mut checkpoint);
            let known =
                self.checkpoints.iter().any(|one| (one.id, one.triggered) == (checkpoint.id, checkpoint.triggered));
            if !known {
                self.checkpoints.push_back(checkpoint);
            }
        }
        self.open = view.checkpoint;
        if let Some(mut open) = self.open.take() {
            self.shift(&mut open);
            self.open = Some(open);
        }
        while self.events.len() > EVENTS {
            self.events.pop_front();
        }
        while self.checkpoints.len() > CHECKPOINTS {
            self.checkpoints.pop_front();
        }
        while self.totals.len() > KNOWN {
            self.totals.pop_first();
        }
        true
    }

    /// Takes in what the host has seen.
    pub fn note_host(&mut self, at: i64, text: String) {
        self.events.push_back(Happening::Host { step: self.steps, at, text });
    }

    /// The job goes on from a checkpoint; in the attempt before, its sources had read so many rows.
    fn replay(&mut self, checkpoint: CheckpointId, at: u64, read: u64) {
        let known = self.totals.get(&checkpoint).copied();
        let before = self.read.1 + read;
        let rows = known.filter(|_| !self.unknown).map(|(total, _)| before.saturating_sub(total));
        self.read.0 = known.map_or(0, |(total, _)| total);
        // Without what came before it, how much will have been read is not known either.
        self.unknown = known.is_none();
        let to = self.failed_at.take().unwrap_or(at);
        let from = known.map_or(to, |(_, step)| step);
        self.replays.push_back(Replay { checkpoint, from, to, at, rows });
        if self.replays.len() > REPLAYS {
            self.replays.pop_front();
        }
    }

    /// What was done once more, oldest first.
    pub fn replays(&self) -> impl DoubleEndedIterator<Item = &Replay> {
        self.replays.iter()
    }

    /// Whether a subtask was killed at this step: that the job fails of it is the same crash.
    fn was_killed(&self, step: u64) -> bool {
        let killed = |happening: &Happening| match happening {
            Happening::Job(entry) => entry.step == step && matches!(entry.event, LogEvent::SubtaskKilled { .. }),
            Happening::EngineLost { .. } | Happening::Host { .. } => false,
        };
        self.events.iter().rev().take(4).any(killed)
    }

    /// Makes up its mind about a checkpoint that an engine lost on the way: the store has it or not.
    fn settle(&mut self, restored: Option<CheckpointId>, job: &Job) -> bool {
        let Some(mut checkpoint) = self.unsettled.take() else { return false };
        checkpoint.ended = Some((self.base, job.view().now));
        if restored == Some(checkpoint.id) {
            checkpoint.status = CheckpointStatus::Completed;
            self.completed += 1;
        } else {
            checkpoint.status = CheckpointStatus::Failed(LOST.to_owned());
            self.failed += 1;
        }
        self.checkpoints.push_back(checkpoint);
        true
    }

    fn shift(&self, checkpoint: &mut CheckpointView) {
        checkpoint.triggered.0 += self.base;
        if let Some((step, _)) = &mut checkpoint.ended {
            *step += self.base;
        }
        for part in checkpoint.subtasks.iter_mut().flatten() {
            part.step += self.base;
        }
    }

    /// What happened, oldest first.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Happening> + ExactSizeIterator {
        self.events.iter()
    }

    /// Checkpoints that have come to an end, oldest first.
    pub fn checkpoints(&self) -> impl DoubleEndedIterator<Item = &CheckpointView> {
        self.checkpoints.iter()
    }

    /// Checkpoints completed in all.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// Checkpoints that failed in all.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// Steps of the last engine, as of the last look.
    pub fn steps(&self) -> u64 {
        self.steps - self.base
    }

    /// Steps of the engines before this one.
    pub fn base(&self) -> u64 {
        self.base
    }
}
