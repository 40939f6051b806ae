//! Things that go wrong on purpose: by hand, or drawn by the seed of a simulation.

use std::collections::VecDeque;

use tidegate_diag::Diagnostic;

use super::Job;
use crate::element::CheckpointId;
use crate::env::Acknowledged;
use crate::errors;
use crate::event::{Disturbance, Effect, Moment};
use crate::scenario::{Mishap, Planned};
use crate::subtask::Mail;
use crate::view::{LogEvent, PartState};

/// What is still to go wrong in the running attempt.
#[derive(Debug, Default)]
pub(super) struct Disturbed {
    waiting: Vec<Disturbance>,
    /// Acknowledgements on their way, and the host time at which they arrive.
    late: Vec<(i64, Acknowledged)>,
    /// Acknowledgements that never arrive: the checkpoint, and whose.
    lost: Vec<(CheckpointId, usize)>,
}

impl Disturbed {
    /// What has become of a subtask's acknowledgements that have not arrived.
    pub(super) fn parts(&self, subtask: usize) -> impl Iterator<Item = (CheckpointId, PartState)> {
        let late = self.late.iter().map(|(_, late)| (late.checkpoint, late.subtask, PartState::Sent));
        let lost = self.lost.iter().map(|(checkpoint, subtask)| (*checkpoint, *subtask, PartState::Lost));
        late.chain(lost).filter(move |part| part.1 == subtask).map(|(checkpoint, _, state)| (checkpoint, state))
    }
}

/// The next of a plan, if it is planned for this moment.
fn take_for(plan: &mut VecDeque<Planned>, moment: Option<Moment>) -> Option<Planned> {
    plan.front().is_some_and(|planned| planned.moment == moment).then(|| plan.pop_front())?
}

/// What follows at once upon what has just happened.
fn take_at_once(plan: &mut VecDeque<Planned>) -> Vec<Planned> {
    let mut at_once = Vec::new();
    while let Some(planned) = take_for(plan, None) {
        at_once.push(planned);
    }
    at_once
}

impl Job {
    pub(super) fn disturb(&mut self, disturbance: Disturbance) {
        match disturbance {
            Disturbance::SlowChannel { from, to, pace } => {
                self.log(LogEvent::Disturbed(disturbance));
                self.slow_channel(from, to, pace);
            }
            Disturbance::ExpireTransactions => self.shorten_transactions(0),
            Disturbance::ShortenTransactions { left } => self.shorten_transactions(left),
            Disturbance::Fail => self.fail_by_hand(),
            // There may be no such subtask at that moment; then nothing happens to it.
            Disturbance::Kill { vertex, index } => drop(self.kill(vertex, index)),
            _ => self.disturbed.waiting.push(disturbance),
        }
    }

    fn shorten_transactions(&mut self, left: i64) {
        self.log(LogEvent::Disturbed(Disturbance::ShortenTransactions { left }));
        if let Some(attempt) = &mut self.attempt {
            attempt.subtasks.iter_mut().for_each(|subtask| subtask.post(Mail::Shorten(left)));
        }
    }

    pub(super) fn fail_by_hand(&mut self) {
        if self.state.is_terminal() {
            return;
        }
        let problem = Diagnostic::error(errors::FAILED_BY_HAND, "The job was failed by hand.");
        let hint = "With SET 'restart-strategy.type' = 'fixed-delay' it restarts from its last checkpoint.";
        self.fail(problem.hint(hint), None);
    }

    pub(super) fn kill(&mut self, vertex: usize, index: u32) -> Result<(), Diagnostic> {
        let Some(id) = self.attempt.as_ref().and_then(|attempt| attempt.find(vertex, index)) else {
            let name = self.graph.vertices.get(vertex).map_or("no vertex", |vertex| vertex.name.as_str());
            let message = format!("No subtask {index} of `{name}` is running.");
            return Err(Diagnostic::error(errors::COMMAND, message));
        };
        self.log(LogEvent::SubtaskKilled { vertex, index });
        let message = format!("Subtask {index} of `{}` was killed by hand.", self.graph.vertices[vertex].name);
        self.fail(Diagnostic::error(errors::KILLED, message), Some(id));
        Ok(())
    }

    /// What was set off in this attempt and has not happened: it comes when something happens that it is meant for.
    pub fn armed(&self) -> Vec<Disturbance> {
        self.disturbed.waiting.clone()
    }

    /// None of what was set off and has not happened goes wrong any more.
    pub(super) fn call_off(&mut self) {
        self.plans.clear();
        self.disturbed.waiting.clear();
    }

    /// These go wrong in turn.
    pub(super) fn plan(&mut self, steps: Vec<Planned>) {
        let mut plan: VecDeque<Planned> = steps.into();
        let at_once = take_at_once(&mut plan);
        if !plan.is_empty() {
            self.plans.push(plan);
        }
        at_once.into_iter().for_each(|planned| self.happen(planned));
    }

    /// A moment has come, and with it what is planned for it. True if the attempt has ended over that.
    pub(super) fn moment_comes(&mut self, moment: Moment) -> bool {
        let mut due = Vec::new();
        for plan in &mut self.plans {
            if let Some(planned) = take_for(plan, Some(moment)) {
                due.push(planned);
                due.extend(take_at_once(plan));
            }
        }
        self.plans.retain(|plan| !plan.is_empty());
        let attempt = self.env.attempt;
        let due_to_loss = due.iter().any(|planned| planned.mishap == Mishap::EngineLost);
        due.into_iter().for_each(|planned| self.happen(planned));
        // Without a delay the next one has begun already.
        let lost = due_to_loss;
        lost || self.attempt.is_none() || self.env.attempt != attempt || self.fails_at(moment)
    }

    fn happen(&mut self, Planned { moment, mishap }: Planned) {
        self.log(LogEvent::MomentCame { moment, mishap });
        match mishap {
            Mishap::Engine(disturbance) => self.disturb(disturbance),
            of_the_host => {
                self.halted |= matches!(of_the_host, Mishap::EngineLost | Mishap::Zombie);
                self.env.effects.push(Effect::Mishap(of_the_host));
            }
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
        if let Some(disturbance) = meant {
            self.log(LogEvent::Disturbed(disturbance));
        }
        match meant {
            Some(Disturbance::LoseAcknowledgement { .. }) => {
                self.disturbed.lost.push((acknowledged.checkpoint, acknowledged.subtask));
            }
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
            Moment::PreCommitting => "when a participant was writing what it had before its barrier",
            Moment::PreCommitted => "when a participant had pre-committed, before its vote",
            Moment::Voted => "when all had voted, before the decision was written down",
            Moment::Deciding => "when the decision was being written down",
            Moment::Committing => "when a commit was about to be sent",
            Moment::CommitSent => "when a commit was on its way to the store",
            Moment::Committed => "when a commit was through",
            Moment::Requested => "when a checkpoint was wanted, before its barriers set out",
            Moment::Acknowledged => "when a first subtask had acknowledged a checkpoint",
            Moment::Aligning => "when a first subtask had one barrier and waited for others",
            Moment::Completed => "when a checkpoint was complete, before anybody heard of it",
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
