//! What the sinks' transactions have gone through, for those who watch: the participants' side of a two-phase commit.

use super::Job;
use crate::env::Signal;
use crate::event::Moment;
use crate::view::{LogEvent, TransactionStep, TransactionView};

/// The most transactions remembered.
const KEPT: usize = 64;

impl Job {
    /// A subtask fails: what its sinks have said before that counts.
    pub(super) fn hear_transactions(&mut self) {
        for signal in std::mem::take(&mut self.env.signals) {
            match signal {
                Signal::Transaction { subtask, name, step } => self.note_transaction(subtask, name, step),
                signal => self.env.signals.push(signal),
            }
            if self.attempt.is_none() {
                break;
            }
        }
    }

    /// A sink says that a transaction has come further.
    pub(super) fn note_transaction(&mut self, subtask: usize, name: String, step: TransactionStep) {
        let Some(place) = self.attempt.as_ref().map(|attempt| {
            let subtask = &attempt.subtasks[subtask];
            (subtask.vertex, subtask.chain.info().index)
        }) else {
            return;
        };
        self.note_transaction_of(place, name, step);
    }

    /// The same, for a subtask that may be gone.
    pub(super) fn note_transaction_of(&mut self, place: (usize, u32), name: String, step: TransactionStep) {
        match step {
            TransactionStep::Lost { rows } => self.log(LogEvent::TransactionLost { transaction: name.clone(), rows }),
            TransactionStep::TimedOut => self.log(LogEvent::TransactionTimedOut { transaction: name.clone() }),
            _ => {}
        }
        if step.is_end() {
            self.left_open.remove(&name);
        }
        let known = self.transactions.iter().rposition(|transaction| transaction.name == name);
        let at = known.unwrap_or_else(|| {
            if self.transactions.len() == KEPT {
                self.transactions.pop_front();
            }
            self.transactions.push_back(TransactionView {
                subtask: place,
                name,
                checkpoint: None,
                state: step,
                deadline: None,
                rows: 0,
                steps: Vec::new(),
            });
            self.transactions.len() - 1
        });
        let view = &mut self.transactions[at];
        view.subtask = place;
        match step {
            TransactionStep::Begun { deadline } => view.deadline = Some(deadline),
            TransactionStep::Shortened { deadline } => {
                // It is where it was.
                view.deadline = Some(deadline);
                return;
            }
            TransactionStep::PreCommitted { checkpoint, rows } => {
                (view.checkpoint, view.rows) = (Some(checkpoint), rows);
            }
            TransactionStep::Lost { rows } => view.rows = rows,
            _ => {}
        }
        view.state = step;
        view.steps.push((step, self.env.step, self.env.now));
        let moment = match step {
            TransactionStep::Begun { .. } => Moment::Begun,
            TransactionStep::PreCommitting { .. } => Moment::PreCommitting,
            TransactionStep::PreCommitted { .. } => Moment::PreCommitted,
            TransactionStep::Committing => Moment::Committing,
            TransactionStep::CommitSent => Moment::CommitSent,
            TransactionStep::Committed => Moment::Committed,
            TransactionStep::TimedOut
            | TransactionStep::Aborted
            | TransactionStep::Lost { .. }
            | TransactionStep::Shortened { .. } => return,
        };
        self.moment_comes(moment);
    }
}
