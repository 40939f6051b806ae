//! A job of a session: its plan, its runtime, and what its results have collected.

use std::cell::RefCell;
use std::rc::Rc;

use tidegate_connectors::ResultKind;
use tidegate_connectors::collect::CollectBuffer;
use tidegate_diag::Diagnostic;
use tidegate_expr::eval::COMPUTATION_FAILED;
use tidegate_plan::{Config, JobPlan, ResultTarget, Risk, RiskKind};
use tidegate_runtime::{CheckpointMode, CheckpointSettings, Job, JobSettings, JobState, RestartStrategy, Restore};

use crate::history::History;
use crate::recovery::begins_from;
use crate::session::SessionOptions;
use crate::translate::translate;

/// A job that runs.
pub struct JobHandle {
    /// What it runs.
    pub plan: JobPlan,
    /// The runtime's side.
    pub runtime: Job,
    /// Its results, in the plan's order.
    pub results: Vec<ResultInfo>,
    /// The table that each source reads, by the source's number in rows' origins.
    pub sources: Vec<String>,
    /// Its name in the store.
    pub name: String,
    /// What its state was begun from.
    pub restore: Restore,
    /// Its edges: from vertex, to vertex, exchange.
    pub edges: Vec<(usize, usize, String)>,
    /// What has happened to it, as of the last [`JobHandle::note`].
    pub history: History,
}

/// A result of a job.
pub struct ResultInfo {
    /// What it is.
    pub target: ResultTarget,
    /// The rows, if they are kept for people.
    pub buffer: Option<Rc<RefCell<CollectBuffer>>>,
    /// Where the sink writes.
    pub kind: ResultKind,
    /// Whether it does so in transactions.
    pub transactional: bool,
}

impl JobHandle {
    /// Builds the operators of a plan and starts. The job's name is its number among the session's jobs, so that a statement more before it
    /// (a setting, a table) does not keep it from its checkpoints. A job that is to begin from nothing begins from what the script's
    /// `execution.state-recovery.path` says.
    ///
    /// # Errors
    /// What no operator does yet, what a connector refuses.
    pub(crate) fn start(
        plan: JobPlan,
        number: usize,
        options: &SessionOptions,
        restore: Restore,
    ) -> Result<JobHandle, Diagnostic> {
        let name = format!("{}{number}", options.job_prefix);
        let restore = begins_from(&plan.config, restore);
        let translated = translate(&plan, &name, options.seed, options.watched, &options.read_to)?;
        let edges = translated
            .graph
            .edges
            .iter()
            .map(|edge| {
                let exchange = match &edge.exchange {
                    tidegate_runtime::Exchange::Forward => "FORWARD",
                    tidegate_runtime::Exchange::Hash(_) => "HASH",
                    tidegate_runtime::Exchange::Rebalance => "REBALANCE",
                    tidegate_runtime::Exchange::Broadcast => "BROADCAST",
                };
                (edge.from, edge.to, exchange.to_owned())
            })
            .collect();
        let settings = settings(&plan.config, &name, options);
        let runtime = Job::start(translated.graph, settings, restore)?;
        let results = plan
            .results
            .iter()
            .zip(translated.results)
            .map(|(target, collected)| ResultInfo {
                target: target.clone(),
                buffer: collected.buffer,
                kind: collected.kind,
                transactional: collected.transactional,
            })
            .collect();
        let (sources, history) = (translated.sources, History::default());
        Ok(JobHandle { plan, runtime, results, sources, name, restore, edges, history })
    }

    /// Brings the history up to date. True if there was something that is worth keeping.
    pub fn note(&mut self) -> bool {
        self.history.note(&self.runtime)
    }

    /// Why it failed, if it did, with the place in the script where that can be told.
    pub fn failure(&self) -> Option<Diagnostic> {
        let JobState::Failed(problem) = self.runtime.state() else { return None };
        let problem = problem.clone();
        if problem.span.is_some() || problem.code != COMPUTATION_FAILED {
            return Some(problem);
        }
        let divided = ["/ by zero", "Division undefined", "Division by zero"].contains(&problem.message.as_str());
        let read = ["For input string:", "Cannot parse '", "Text '", "Invalid value for "];
        let kind = if divided {
            RiskKind::Division
        } else if read.iter().any(|words| problem.message.starts_with(words)) {
            RiskKind::Reading
        } else {
            return Some(problem.at(self.plan.span));
        };
        let risks: Vec<&Risk> = self.plan.risks.iter().filter(|risk| risk.kind == kind).collect();
        let cure = match kind {
            RiskKind::Division => "NULLIF(x, 0) as the divisor gives NULL instead.",
            RiskKind::Reading => "TRY_CAST gives NULL instead.",
        };
        Some(match risks.as_slice() {
            [] => problem.at(self.plan.span),
            [only] => problem.at(only.span).hint(cure),
            several => {
                let texts: Vec<String> = several.iter().take(5).map(|risk| format!("`{}`", risk.text)).collect();
                problem.at(self.plan.span).hint(format!("It comes from one of {}.", texts.join(", "))).hint(cure)
            }
        })
    }

    /// Whether it makes checkpoints, of itself or by hand.
    pub fn makes_checkpoints(&self) -> bool {
        self.runtime.checkpoint_mode().is_on()
    }

    /// Whether subtasks wait with one channel for the barriers of the others.
    pub fn aligns(&self) -> bool {
        match self.runtime.checkpoint_mode() {
            CheckpointMode::Aligned => true,
            CheckpointMode::Unaligned { after } => after > 0,
            _ => false,
        }
    }

    /// Says to which step the rows belong that are collected from now on (one row in flight).
    pub fn set_step(&self, step: u64) {
        for buffer in self.results.iter().filter_map(|result| result.buffer.as_ref()) {
            buffer.borrow_mut().set_step(step);
        }
    }
}

/// A job's settings from the configuration, under Flink's keys.
fn settings(config: &Config, name: &str, options: &SessionOptions) -> JobSettings {
    let whole = |key: &str| config.int(key).and_then(|value| u32::try_from(value).ok());
    let millis = |key: &str| config.millis(key);
    let standard = CheckpointSettings::default();
    let mode = match config.get("execution.checkpointing.mode").map(str::to_uppercase).as_deref() {
        Some("AT_LEAST_ONCE") => CheckpointMode::AtLeastOnce,
        Some("STOP_THE_WORLD") => CheckpointMode::StopTheWorld,
        Some("NONE") => CheckpointMode::Off,
        Some("NONE_FROM_LATEST") => CheckpointMode::OffAtLatest,
        _ if config.is_true("execution.checkpointing.unaligned.enabled") => CheckpointMode::Unaligned {
            after: millis("execution.checkpointing.aligned-checkpoint-timeout").unwrap_or(0),
        },
        _ => CheckpointMode::Aligned,
    };
    let checkpoints = CheckpointSettings {
        mode,
        interval: millis("execution.checkpointing.interval").filter(|interval| *interval > 0),
        timeout: millis("execution.checkpointing.timeout").unwrap_or(standard.timeout),
        concurrent: whole("execution.checkpointing.max-concurrent-checkpoints")
            .map_or(standard.concurrent, |count| count.max(1) as usize),
        min_pause: millis("execution.checkpointing.min-pause").unwrap_or(standard.min_pause),
        tolerable_failures: whole("execution.checkpointing.tolerable-failed-checkpoints")
            .unwrap_or(standard.tolerable_failures),
        retained: whole("execution.checkpointing.num-retained")
            .map_or(standard.retained, |count| count.max(1) as usize),
        ..standard
    };
    // As in Flink, checkpointing without a chosen strategy restarts for ever; here after a second.
    let restart = match config.explicit("restart-strategy.type") {
        Some("none" | "off" | "disable") => RestartStrategy::None,
        Some(_) => RestartStrategy::FixedDelay {
            attempts: whole("restart-strategy.fixed-delay.attempts").unwrap_or(1),
            delay: millis("restart-strategy.fixed-delay.delay").unwrap_or(1000),
        },
        None => options.restart.clone(),
    };
    // The second one is its former name.
    let ignore_unclaimed_state = ["execution.state-recovery", "execution.savepoint"]
        .iter()
        .any(|group| config.is_true(&format!("{group}.ignore-unclaimed-state")));
    JobSettings {
        job: name.to_owned(),
        seed: options.seed,
        now: options.now,
        channel_capacity: options.channel_capacity,
        chunk_limit: options.chunk_limit,
        policy: options.policy,
        watched: options.watched,
        journal: options.journal,
        checkpoints,
        ignore_unclaimed_state,
        restart,
        ..JobSettings::default()
    }
}
