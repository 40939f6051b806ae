//! Things that go wrong on purpose: by hand, or drawn by the seed of a simulation.

use tidegate_diag::Diagnostic;

use super::Job;
use crate::env::Acknowledged;
use crate::errors;
use crate::event::Disturbance;

/// What is still to go wrong in the running attempt.
#[derive(Debug, Default)]
pub(super) struct Disturbed {
    waiting: Vec<Disturbance>,
    /// Acknowledgements on their way, and the host time at which they arrive.
    late: Vec<(i64, Acknowledged)>,
}

impl Job {
    pub(super) fn disturb(&mut self, disturbance: Disturbance) {
        self.disturbed.waiting.push(disturbance);
    }

    /// Takes out a disturbance that is meant for now.
    fn disturbance(&mut self, wanted: impl Fn(&Disturbance) -> bool) -> Option<Disturbance> {
        let at = self.disturbed.waiting.iter().position(wanted)?;
        Some(self.disturbed.waiting.remove(at))
    }

    /// An acknowledgement has been sent: it arrives, or it does not.
    pub(super) fn on_acknowledgement(&mut self, acknowledged: Acknowledged) {
        let place = self.attempt.as_ref().map(|attempt| {
            let subtask = &attempt.subtasks[acknowledged.subtask];
            (subtask.vertex, subtask.chain.info().index)
        });
        let meant = self.disturbance(|disturbance| match disturbance {
            Disturbance::LoseAcknowledgement { vertex, index }
            | Disturbance::DelayAcknowledgement { vertex, index, .. } => place == Some((*vertex, *index)),
            Disturbance::FailOnCompletion => false,
        });
        match meant {
            None | Some(Disturbance::FailOnCompletion) => self.acknowledged(acknowledged),
            Some(Disturbance::LoseAcknowledgement { .. }) => {}
            Some(Disturbance::DelayAcknowledgement { by, .. }) => {
                self.disturbed.late.push((self.env.now.saturating_add(by), acknowledged));
                self.env.wake_dirty = true;
            }
        }
    }

    pub(super) fn next_late_acknowledgement(&self) -> Option<i64> {
        self.disturbed.late.iter().map(|(at, _)| *at).min()
    }

    /// Acknowledgements whose time has come arrive.
    pub(super) fn late_acknowledgements(&mut self) {
        let now = self.env.now;
        while let Some(i) = self.disturbed.late.iter().position(|(at, _)| *at <= now) {
            let (_, acknowledged) = self.disturbed.late.remove(i);
            self.acknowledged(acknowledged);
        }
    }

    /// Whether the job has failed with the completion of a checkpoint.
    pub(super) fn fails_on_completion(&mut self) -> bool {
        if self.disturbance(|disturbance| *disturbance == Disturbance::FailOnCompletion).is_none() {
            return false;
        }
        let message = "The coordinator failed between the completion of a checkpoint and its notification.";
        let hint = "The checkpoint counts: with a restart strategy the job goes on from it.";
        self.fail(Diagnostic::error(errors::FAILED_BY_HAND, message).hint(hint), None);
        true
    }
}
