//! Whether a job can begin from what lies in the store, told before it does.

use bytes::Bytes;
use tidegate_diag::Diagnostic;

use super::Job;
use super::build::Attempt;
use crate::checkpoint::manifest::Manifest;
use crate::checkpoint::plan::RestorePlan;
use crate::element::CheckpointId;
use crate::errors;
use crate::settings::Restore;
use crate::store::Key;

impl Job {
    /// Where the manifests of its checkpoints lie: from this key to below that one.
    pub fn manifests(&self) -> (Key, Key) {
        self.env.keys.manifests(0, None)
    }

    /// Which checkpoint it would begin from, given the manifests of its checkpoints. Damage to them is the start's to find.
    ///
    /// # Errors
    /// TG4020 when there is no such checkpoint; TG4022 to TG4024, one for each state table that does not fit.
    pub fn fits(&self, restore: Restore, manifests: &[(Key, Bytes)]) -> Result<Option<CheckpointId>, Vec<Diagnostic>> {
        let known: Vec<Manifest> = manifests.iter().filter_map(|(_, value)| Manifest::decode(value).ok()).collect();
        let chosen = match restore {
            Restore::None => None,
            Restore::Latest => known.iter().rfind(|manifest| !manifest.aside),
            Restore::Id(wanted) => match known.iter().find(|manifest| manifest.id == wanted) {
                Some(manifest) => Some(manifest),
                None => return Err(vec![no_checkpoint(wanted, &known)]),
            },
        };
        let Some(manifest) = chosen else { return Ok(None) };
        let attempt = Attempt::build(&self.graph, &self.settings, 0);
        let ignored = self.settings.ignore_unclaimed_state;
        RestorePlan::of(manifest, &self.graph, &attempt, self.settings.max_parallelism, ignored)?;
        Ok(Some(manifest.id))
    }
}

/// There is no such checkpoint, but maybe others.
pub(super) fn no_checkpoint(wanted: CheckpointId, known: &[Manifest]) -> Diagnostic {
    let problem = Diagnostic::error(errors::NO_CHECKPOINT, format!("There is no checkpoint {wanted}."));
    let names = |savepoints: bool| {
        let kind = if savepoints { "savepoint" } else { "checkpoint" };
        known.iter().filter(move |one| one.savepoint == savepoints).map(move |one| format!("{kind}-{}", one.id))
    };
    let names: Vec<String> = names(true).chain(names(false)).collect();
    match names.as_slice() {
        [] => problem.hint("No checkpoint or savepoint of this job is kept."),
        names => problem.hint(format!("Kept are: {}.", names.join(", "))),
    }
}
