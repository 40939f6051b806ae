//! A run that begins from a savepoint of the run before it: which state each job begins from, and whether it fits.
//!
//! What the run before has left in the store (checkpoints, logs, tables) stays there, and is the beginning of the new run's recording.

use bytes::Bytes;
use tidegate_diag::Diagnostic;
use tidegate_plan::Config;
use tidegate_runtime::{Key, Restore};

use crate::history::History;
use crate::session::Session;

/// Where a job's state comes from: `restore`, but for a job that begins from nothing what `execution.state-recovery.path` says.
pub(crate) fn begins_from(config: &Config, restore: Restore) -> Restore {
    match (restore, config.recover_from()) {
        (Restore::None, Some(number)) => Restore::Id(number),
        _ => restore,
    }
}

/// A setting for sessions that are to begin from nothing, whatever the script says.
pub(crate) fn from_nothing() -> (String, String) {
    (tidegate_plan::config::RECOVERY_PATH.to_owned(), String::new())
}

/// What an engine that takes over restores, job by job: the latest checkpoint, or once more what the run was to begin from (`from`) where the
/// job had not got so far.
pub fn taken_over<'a>(histories: impl Iterator<Item = &'a History>, from: &[Restore]) -> Vec<Restore> {
    let fresh = |(number, history): (usize, &History)| from.get(number).copied().filter(|_| history.is_fresh());
    histories.enumerate().map(|each| fresh(each).unwrap_or(Restore::Latest)).collect()
}

impl Session {
    /// What each job was begun from.
    pub fn restores(&self) -> Vec<Restore> {
        self.jobs().iter().map(|job| job.restore).collect()
    }

    /// What of the state from which its jobs are to begin is missing or does not fit, table by table; `store` is what lies in the store, by key.
    pub fn misfits(&self, store: &[(Key, Bytes)]) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        for job in self.jobs() {
            let (from, to) = job.runtime.manifests();
            let of_job =
                &store[store.partition_point(|(key, _)| *key < from)..store.partition_point(|(key, _)| *key < to)];
            let misfits = job.runtime.fits(job.restore, of_job).err().unwrap_or_default();
            problems.extend(misfits.into_iter().map(|problem| problem.or_at(job.plan.span)));
        }
        problems
    }
}
