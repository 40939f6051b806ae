//! Who takes the next step.

use super::Job;
use crate::env::Signal;
use crate::errors;
use crate::event::Effect;
use crate::settings::Policy;
use crate::view::JobState;

use tidegate_diag::Diagnostic;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Subtask(usize),
    /// Sealing, merging and loading of state.
    Background,
}

impl Job {
    /// Takes one step; false if none is possible without an event.
    pub(super) fn step(&mut self) -> bool {
        let Some(turn) = self.pick() else { return false };
        match turn {
            Turn::Background => self.background_step(),
            Turn::Subtask(id) => {
                if let Some(attempt) = &mut self.attempt
                    && let Err(failure) = attempt.subtasks[id].step(&mut attempt.channels, &mut self.env)
                {
                    self.hear_transactions();
                    if self.attempt.is_some() {
                        self.fail(failure.diagnostic, Some(id));
                    }
                }
            }
        }
        self.env.step += 1;
        self.journal.steps = self.env.step;
        if self.closed > 0 || self.env.draining || self.env.wake_dirty || !self.env.signals.is_empty() {
            self.work_off_signals();
        }
        true
    }

    /// Whether [`Job::step`] would do something.
    pub(super) fn has_step(&self) -> bool {
        if self.halted || self.state.is_terminal() {
            return false;
        }
        if self.has_background_work() {
            return true;
        }
        let Some(attempt) = &self.attempt else { return false };
        let runnable = |id: usize| attempt.subtasks[id].is_runnable(&attempt.channels, &self.env);
        match self.settings.policy {
            Policy::Chosen => {
                self.choices.iter().filter_map(|(vertex, index)| attempt.find(*vertex, *index)).any(runnable)
            }
            _ => (0..attempt.subtasks.len()).any(runnable),
        }
    }

    fn pick(&mut self) -> Option<Turn> {
        if self.halted || self.state.is_terminal() {
            return None;
        }
        let background = self.has_background_work();
        let Some(attempt) = &self.attempt else { return background.then_some(Turn::Background) };
        let n = attempt.subtasks.len();
        let runnable = |id: usize| {
            if id == n { background } else { attempt.subtasks[id].is_runnable(&attempt.channels, &self.env) }
        };
        let picked = match self.settings.policy {
            Policy::RoundRobin => {
                let start = self.cursor;
                let picked = (0..=n).map(|i| (start + i) % (n + 1)).find(|id| runnable(*id))?;
                self.cursor = picked + 1;
                picked
            }
            Policy::Seeded => {
                let candidates: Vec<usize> = (0..=n).filter(|id| runnable(*id)).collect();
                if candidates.is_empty() {
                    return None;
                }
                candidates[self.rng.below(candidates.len())]
            }
            Policy::Chosen if background => n,
            Policy::Chosen => {
                // The first choice that can be followed; others stand. Looking for one changes nothing.
                let mut choices = self.choices.iter().map(|(vertex, index)| attempt.find(*vertex, *index));
                let i = choices.position(|id| id.is_some_and(runnable))?;
                let (vertex, index) = self.choices.remove(i)?;
                attempt.find(vertex, index)?
            }
        };
        Some(if picked == n { Turn::Background } else { Turn::Subtask(picked) })
    }

    /// Works off what subtasks said, then looks whether the job is through and when it wants to be woken.
    pub(super) fn work_off_signals(&mut self) {
        while !self.env.signals.is_empty() {
            for signal in std::mem::take(&mut self.env.signals) {
                match signal {
                    Signal::Opened => self.subtask_opened(),
                    Signal::Closed => self.closed += 1,
                    Signal::Acknowledged(acknowledged) => self.on_acknowledgement(acknowledged),
                    Signal::Aligning(checkpoint) => self.alignment_begins(checkpoint),
                    Signal::Declined { checkpoint, reason } => self.checkpoint_failed(checkpoint, reason),
                    Signal::Fenced => self.fenced(),
                    Signal::Transaction { subtask, name, step } => self.note_transaction(subtask, name, step),
                }
                if self.attempt.is_none() {
                    // The rest was said by subtasks that are gone.
                    break;
                }
            }
        }
        self.check_drained();
        self.check_finished();
        if std::mem::take(&mut self.env.wake_dirty) {
            self.announce_wake();
        }
    }

    pub(super) fn fenced(&mut self) {
        let message = "A newer attempt of this job has taken over its checkpoints.";
        let hint = "Two engines run a job of the same name; only the one that started last may write.";
        self.end_attempt();
        self.fail_for_good(Diagnostic::error(errors::FENCED, message).hint(hint), None);
    }

    /// Asks to be woken at the earliest time that anything waits for.
    fn announce_wake(&mut self) {
        let restart = match self.state {
            JobState::Restarting { at } => Some(at),
            _ => None,
        };
        let subtasks = self.attempt.iter().flat_map(|attempt| &attempt.subtasks);
        let timers = subtasks.filter_map(|subtask| subtask.chain.wake()).filter(|at| *at > self.env.now);
        let checkpoints = self.next_checkpoint_time();
        let late = self.next_late_acknowledgement();
        let held = self.next_held_element();
        let left = self.next_rollback();
        let earliest = timers.chain(restart).chain(checkpoints).chain(late).chain(held).chain(left).min();
        if let Some(at) = earliest
            && self.announced != Some(at)
        {
            self.env.effects.push(Effect::Wake { at });
        }
        self.announced = earliest;
    }
}
