//! From running to finished, failed, and back again.

use tidegate_diag::Diagnostic;

use super::Job;
use super::disturbed::Disturbed;
use crate::element::CheckpointId;
use crate::env::Owner;
use crate::errors;
use crate::settings::Restore;
use crate::view::{JobState, LogEvent, SubtaskStatus};

/// The least host time between two attempts of which the first failed while it was starting, ms.
const PAUSE: i64 = 100;
/// Checkpoints after which an operator must have come to its end.
const LAST_CHECKPOINTS: u32 = 3;

impl Job {
    /// A subtask is ready; with the last one the job runs.
    pub(super) fn subtask_opened(&mut self) {
        self.opened += 1;
        let all = self.attempt.as_ref().map_or(0, |attempt| attempt.subtasks.len());
        if self.opened == all {
            self.state = JobState::Running;
            self.schedule_checkpoints();
        }
    }

    /// The attempt has failed: starts again or not, as the strategy says.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic, subtask: Option<usize>) {
        let place = subtask.and_then(|id| {
            let subtask = &self.attempt.as_ref()?.subtasks[id];
            Some((subtask.vertex, subtask.chain.info().index))
        });
        let starting = self.startup.is_some();
        self.end_attempt();
        if let Some(place) = place {
            for seen in &mut self.last_seen {
                if (seen.vertex, seen.index) == place {
                    seen.status = SubtaskStatus::Failed;
                }
            }
        }
        let own = !starting && ![errors::KILLED, errors::FAILED_BY_HAND].contains(&diagnostic.code);
        let Some(delay) = self.restarts.on_failure(self.env.now, own) else {
            let diagnostic = match self.restarts.started_again() {
                0 => diagnostic,
                1 => diagnostic
                    .hint("The job was started again once and failed again: its restart strategy is exhausted."),
                times => diagnostic.hint(format!(
                    "The job was started again {times} times and failed each time: its restart strategy is exhausted."
                )),
            };
            return self.fail_for_good(diagnostic, place);
        };
        // A store that is down must not be asked without end.
        let delay = if starting { delay.max(PAUSE) } else { delay };
        self.log(LogEvent::Failed { diagnostic, subtask: place });
        let at = self.env.now.saturating_add(delay);
        self.log(LogEvent::Restarting { at });
        self.state = JobState::Restarting { at };
        self.env.wake_dirty = true;
        if delay <= 0 {
            let restore = self.again.take().unwrap_or(Restore::Latest);
            self.begin_attempt(restore, false);
        }
    }

    pub(super) fn fail_for_good(&mut self, diagnostic: Diagnostic, place: Option<(usize, u32)>) {
        self.log(LogEvent::Failed { diagnostic: diagnostic.clone(), subtask: place });
        self.state = JobState::Failed(diagnostic);
        self.roll_back_what_is_over();
    }

    /// Goes back to a checkpoint: what came after it comes again.
    pub(super) fn restore_from(&mut self, checkpoint: CheckpointId) -> Result<(), Diagnostic> {
        if !self.coordinator.retained.iter().any(|retained| retained.id == checkpoint) {
            let message = format!("There is no checkpoint {checkpoint}.");
            return Err(Diagnostic::error(errors::NO_CHECKPOINT, message));
        }
        self.end_attempt();
        (self.stop, self.stopped, self.again) = (None, false, None);
        self.hold();
        self.begin_attempt(Restore::Id(checkpoint), false);
        Ok(())
    }

    pub(super) fn cancel(&mut self) {
        self.end_attempt();
        self.plans.clear();
        self.state = JobState::Canceled;
        self.log(LogEvent::Canceled);
        self.roll_back_what_is_over();
    }

    /// Drops everything that belongs to the attempt. Answers still to come find nobody.
    pub(super) fn end_attempt(&mut self) {
        if self.startup.is_none() {
            self.read_before = self.rows_read();
        }
        self.last_seen = self.subtask_views();
        for seen in &mut self.last_seen {
            seen.status = SubtaskStatus::Canceled;
            seen.runnable = false;
        }
        if !self.stopped && self.coordinator.last_checkpoints == 0 {
            // The savepoint with which it was to end has not come about: it goes on.
            self.stop = None;
        }
        self.abandon_checkpoint("the job failed");
        self.keep_what_is_open();
        self.attempt = None;
        if let Some(startup) = self.startup.take() {
            if startup.is_acquiring() {
                self.tried = self.env.attempt;
            }
            self.again = Some(startup.restore).filter(|restore| *restore != Restore::Latest);
        }
        self.merge = None;
        self.disturbed = Disturbed::default();
        self.hold();
        self.opened = 0;
        self.closed = 0;
        self.env.requests.clear();
        self.env.signals.clear();
        self.env.wake_dirty = true;
    }

    /// Once all input is worked off: one more checkpoint so that sinks commit, and the end.
    pub(super) fn check_finished(&mut self) {
        let Some(attempt) = &self.attempt else { return };
        if self.stopped && self.state == JobState::Running && !self.coordinator.is_busy() {
            let asked = self.env.requests.values().any(|owner| matches!(owner, Owner::Operator(..)));
            let done = |subtask: &crate::subtask::Subtask| {
                subtask.is_at_rest() && subtask.chain.slots.iter().all(|slot| slot.is_finished())
            };
            if !asked && attempt.subtasks.iter().all(done) {
                self.last_seen = self.subtask_views();
                self.state = JobState::Finished;
                self.log(LogEvent::Finished);
            }
            return;
        }
        if self.closed < attempt.subtasks.len() || self.state != JobState::Running || self.coordinator.is_busy() {
            return;
        }
        let finished = attempt.subtasks.iter().all(|subtask| subtask.is_finished());
        let periodic = self.settings.checkpoints.interval.is_some() && self.settings.checkpoints.after_tasks_finish;
        let done = self.coordinator.last_checkpoints;
        if finished && (done > 0 || !periodic && self.stop.is_none()) {
            self.last_seen = self.subtask_views();
            self.state = JobState::Finished;
            self.log(LogEvent::Finished);
            return;
        }
        let open = |subtask: &crate::subtask::Subtask| {
            subtask.is_runnable(&attempt.channels, &self.env) || subtask.chain.is_waiting() || subtask.chain.has_timer()
        };
        let asked = self.env.requests.values().any(|owner| matches!(owner, Owner::Operator(..)));
        if asked || self.coordinator.is_pausing(self.env.now) || attempt.subtasks.iter().any(open) {
            return;
        }
        if done >= LAST_CHECKPOINTS {
            let message = "A sink has not committed although its last checkpoint is complete.";
            return self.fail(Diagnostic::error(errors::NOT_COMMITTED, message), None);
        }
        self.trigger_last();
    }
}
