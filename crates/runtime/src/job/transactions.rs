//! What the sinks' transactions have gone through, for those who watch: the participants' side of a two-phase commit.

use super::Job;
use crate::event::Moment;
use crate::view::{LogEvent, TransactionStep, TransactionView};

/// The most transactions remembered.
const KEPT: usize = 64;

impl Job {
    /// A sink says that a transaction has come further.
    pub(super) fn note_transaction(&mut self, subtask: usize, name: String, step: TransactionStep) {
        let Some(place) = self.attempt.as_ref().map(|attempt| {
            let subtask = &attempt.subtasks[subtask];
            (subtask.vertex, subtask.chain.info().index)
        }) else {
            return;
        };
        if step == TransactionStep::Lost {
            self.log(LogEvent::TransactionLost { transaction: name.clone() });
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
                steps: Vec::new(),
            });
            self.transactions.len() - 1
        });
        let view = &mut self.transactions[at];
        view.subtask = place;
        view.state = step;
        match step {
            TransactionStep::Begun { deadline } => view.deadline = Some(deadline),
            TransactionStep::PreCommitted { checkpoint } => view.checkpoint = Some(checkpoint),
            _ => {}
        }
        view.steps.push((step, self.env.step, self.env.now));
        let moment = match step {
            TransactionStep::Begun { .. } => Moment::Begun,
            TransactionStep::PreCommitted { .. } => Moment::PreCommitted,
            TransactionStep::Committing => Moment::Committing,
            TransactionStep::Committed => Moment::Committed,
            TransactionStep::TimedOut | TransactionStep::Aborted | TransactionStep::Lost => return,
        };
        self.fails_at(moment);
    }
}
