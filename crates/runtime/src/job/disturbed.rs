//! Things that go wrong on purpose: by hand, or drawn by the seed of a simulation.

use tidegate_diag::Diagnostic;

use super::Job;
use crate::env::Acknowledged;
use crate::errors;
use crate::event::{Disturbance, Moment};
use crate::subtask::Mail;

/// What is still to go wrong in the running attempt.
#[derive(Debug, Default)]
pub(super) struct Disturbed {
    waiting: Vec<Disturbance>,
    /// Acknowledgements on their way, and the host time at which they arrive.
    late: Vec<(i64, Acknowledged)>,
}

impl Job {
    pub(super) fn disturb(&mut self, disturbance: Disturbance) {
        match disturbance {
            Disturbance::SlowChannel { from, to, pace } => self.slow_channel(from, to, pace),
            Disturbance::ExpireTransactions => {
                if let Some(attempt) = &mut self.attempt {
                    attempt.subtasks.iter_mut().for_each(|subtask| subtask.post(Mail::Expire));
                }
            }
            _ => self.disturbed.waiting.push(disturbance),
        }
    }

    fn slow_channel(&mut self, from: (usize, u32), to: (usize, u32), pace: i64) {
        let Some(attempt) = &mut self.attempt else { return };
        let (Some(from), Some(to)) = (attempt.find(from.0, from.1), attempt.find(to.0, to.1)) else { return };
        for channel in attempt.channels.iter_mut().filter(|channel| (channel.from, channel.to) == (from, to)) {
            channel.slow_down(pace.max(0), self.env.now);
        }
        self.env.wake_dirty = true;
    }

    /// When an element that a slow channel holds back may be taken.
    pub(super) fn next_held_element(&self) -> Option<i64> {
        let channels = self.attempt.iter().flat_map(|attempt| &attempt.channels);
        let held = channels.filter(|channel| !channel.queue.is_empty() && channel.is_held(self.env.now));
        held.map(|channel| channel.next_at).min()
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
            _ => false,
        });
        match meant {
            Some(Disturbance::LoseAcknowledgement { .. }) => {}
            Some(Disturbance::DelayAcknowledgement { by, .. }) => {
                self.disturbed.late.push((self.env.now.saturating_add(by), acknowledged));
                self.env.wake_dirty = true;
            }
            _ => self.acknowledged(acknowledged),
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

    /// Whether the job fails at this moment.
    pub(super) fn fails_at(&mut self, moment: Moment) -> bool {
        if self.disturbance(|disturbance| *disturbance == Disturbance::FailAt(moment)).is_none() {
            return false;
        }
        let when = match moment {
            Moment::Begun => "when a transaction had begun",
            Moment::Triggered => "when the barriers had set out",
            Moment::PreCommitted => "when a participant had pre-committed, before its vote",
            Moment::Voted => "when all had voted, before the decision was written down",
            Moment::Committing => "when a commit was being sent",
            Moment::Committed => "when a commit was through",
        };
        let message = format!("The job was made to fail {when}.");
        self.fail(Diagnostic::error(errors::FAILED_BY_HAND, message), None);
        true
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
