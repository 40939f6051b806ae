//! What a job is started with: seed, sizes, checkpoint configuration and restart strategy, under Flink's names.

use serde::{Deserialize, Serialize};

use crate::element::CheckpointId;

/// Settings of a job. With the graph, the journal and these the run is fixed to the byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobSettings {
    /// The job's name in the store: its checkpoints live under it, and a job of the same name takes over from it.
    pub job: String,
    /// Seed of the scheduler (and of nothing else in the runtime).
    pub seed: u64,
    /// Host time at the start, ms since the epoch.
    pub now: i64,
    /// Number of key groups (`pipeline.max-parallelism`).
    pub max_parallelism: u32,
    /// Elements that a channel holds before its producer stops.
    pub channel_capacity: usize,
    /// The most rows that a source emits in one poll, 1 to [`tidegate_data::Chunk::MAX_ROWS`].
    pub chunk_limit: usize,
    /// Who takes the next step.
    pub policy: Policy,
    /// Whether somebody watches: chunks then carry origins.
    pub watched: bool,
    /// Whether the journal is kept (needed for [`crate::Job::replay`]).
    pub journal: bool,
    /// `execution.checkpointing.*`.
    pub checkpoints: CheckpointSettings,
    /// `restart-strategy.*`.
    pub restart: RestartStrategy,
    /// `execution.state-recovery.ignore-unclaimed-state`: state of operators that the graph no longer has is left out instead of refused.
    pub ignore_unclaimed_state: bool,
}

impl Default for JobSettings {
    fn default() -> JobSettings {
        JobSettings {
            job: "job".to_owned(),
            seed: 0,
            now: 0,
            max_parallelism: 128,
            channel_capacity: 8,
            chunk_limit: tidegate_data::Chunk::MAX_ROWS,
            policy: Policy::RoundRobin,
            watched: false,
            journal: false,
            checkpoints: CheckpointSettings::default(),
            restart: RestartStrategy::None,
            ignore_unclaimed_state: false,
        }
    }
}

/// Which subtask takes the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Policy {
    /// In turn.
    RoundRobin,
    /// Drawn from the seed.
    Seeded,
    /// None, unless a person chooses it ([`crate::Command::Choose`]).
    Chosen,
}

/// How a checkpoint is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckpointMode {
    /// `EXACTLY_ONCE`: barriers align.
    #[default]
    Aligned,
    /// `EXACTLY_ONCE` with `unaligned.enabled`: barriers overtake what is on its way, which becomes part of the checkpoint; from the beginning,
    /// or once a checkpoint has taken `after` ms (`aligned-checkpoint-timeout`).
    Unaligned {
        /// When barriers begin to overtake, ms after the checkpoint was triggered.
        after: i64,
    },
    /// `AT_LEAST_ONCE`: no channel is blocked, so that some rows count twice after a restore.
    AtLeastOnce,
    /// The naive algorithm (no option of Flink's): sources stop, all that is on its way is worked off, all state is read out and written, and
    /// then all go on.
    StopTheWorld,
    /// None but the one with which a job ends (no option of Flink's): a failed job begins from nothing, and reads all its input again.
    Off,
    /// None but the one with which a job ends (no option of Flink's): a failed job begins from nothing, and reads only what comes from then on.
    OffAtLatest,
}

/// `execution.checkpointing.*`; times in ms of host time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointSettings {
    /// `mode`, and ways of our own.
    pub mode: CheckpointMode,
    /// `interval`; `None`: only by hand.
    pub interval: Option<i64>,
    /// `timeout`.
    pub timeout: i64,
    /// `max-concurrent-checkpoints`: how many may be under way at a time. Unaligned and naive ones come one at a time, and so do all
    /// where there is a `min_pause`, as in Flink.
    pub concurrent: usize,
    /// `min-pause` between the end of one and the start of the next, unless by hand.
    pub min_pause: i64,
    /// `tolerable-failed-checkpoints`: how many in a row may fail before the job does.
    pub tolerable_failures: u32,
    /// `num-retained`.
    pub retained: usize,
    /// `checkpoints-after-tasks-finish`: a bounded job does one more at its end.
    pub after_tasks_finish: bool,
    /// How many checkpoints' changes a state table may consist of before they are merged in the background (no option of Flink's).
    pub generations: usize,
}

impl CheckpointMode {
    /// Whether there are checkpoints while the job runs.
    pub fn is_on(self) -> bool {
        !matches!(self, CheckpointMode::Off | CheckpointMode::OffAtLatest)
    }
}

impl CheckpointSettings {
    /// How many checkpoints may be under way at a time, all in all.
    pub fn limit(&self) -> usize {
        match self.mode {
            _ if self.min_pause > 0 => 1,
            CheckpointMode::Aligned | CheckpointMode::AtLeastOnce => self.concurrent.max(1),
            _ => 1,
        }
    }
}

impl Default for CheckpointSettings {
    fn default() -> CheckpointSettings {
        CheckpointSettings {
            mode: CheckpointMode::Aligned,
            interval: None,
            timeout: 600_000,
            concurrent: 1,
            min_pause: 0,
            tolerable_failures: 0,
            retained: 1,
            after_tasks_finish: true,
            generations: 8,
        }
    }
}

/// `restart-strategy.type` and its keys; times in ms of host time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RestartStrategy {
    /// `none`: the first failure is final.
    None,
    /// `fixed-delay`.
    FixedDelay {
        /// `attempts`.
        attempts: u32,
        /// `delay`.
        delay: i64,
    },
    /// `failure-rate`.
    FailureRate {
        /// `max-failures-per-interval`.
        max_failures: u32,
        /// `failure-rate-interval`.
        interval: i64,
        /// `delay`.
        delay: i64,
    },
    /// `exponential-delay`, without jitter: a run must not depend on chance.
    ExponentialDelay {
        /// `initial-backoff`.
        initial: i64,
        /// `max-backoff`.
        max: i64,
        /// `backoff-multiplier`.
        multiplier: f64,
        /// `reset-backoff-threshold`: time without failure after which it starts anew.
        reset: i64,
        /// `attempts-before-reset-backoff`; `None`: no limit.
        attempts: Option<u32>,
    },
    /// `fixed-delay` for people who break things to see what happens: what fails by command, or while it starts, does not count.
    Hands {
        /// The most restarts after failures of the job's own.
        attempts: u32,
        /// `delay`.
        delay: i64,
    },
}

/// Where a new job's state comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Restore {
    /// From nothing; checkpoints kept under the job's name are dropped.
    None,
    /// From the latest checkpoint that is whole, if there is one.
    Latest,
    /// From this checkpoint; later ones of the name are dropped.
    Id(CheckpointId),
}
