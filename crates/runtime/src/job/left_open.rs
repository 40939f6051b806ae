//! Transactions that a job leaves open when it ends otherwise than by itself. As long as it is started again the next attempt ends them;
//! once it is not, what rows were still being written into is rolled back at once, as a sink of Flink does when it is closed, and what a
//! checkpoint may hold when its time is over, as a broker does.

use super::Job;
use crate::env::Owner;
use crate::operator::LeftOpen;
use crate::store::{RequestId, StoreResponse};
use crate::view::TransactionStep;

/// How long to wait when the store could not be written, ms.
const AGAIN: i64 = 1_000;

/// A transaction, and who has left it.
#[derive(Debug)]
pub(super) struct LeftBehind {
    place: (usize, u32),
    left: LeftOpen,
    request: Option<RequestId>,
}

impl Job {
    /// An attempt ends: what its sinks have open may be left to nobody.
    pub(super) fn keep_what_is_open(&mut self) {
        // Answers that are still to come find nobody.
        self.left_open.values_mut().for_each(|behind| behind.request = None);
        for subtask in self.attempt.iter().flat_map(|attempt| &attempt.subtasks) {
            let place = (subtask.vertex, subtask.chain.info().index);
            for left in subtask.chain.left_open() {
                self.left_open.insert(left.name.clone(), LeftBehind { place, left, request: None });
            }
        }
    }

    /// When the time of the next one is over, if nobody comes who ends it before.
    pub(super) fn next_rollback(&self) -> Option<i64> {
        let waiting = self.left_open.values().filter(|behind| behind.request.is_none());
        waiting.filter(|_| self.state.is_terminal()).filter_map(|behind| behind.left.until).min()
    }

    /// Rolls back what is over, if there is no next attempt.
    pub(super) fn roll_back_what_is_over(&mut self) {
        if !self.state.is_terminal() {
            return;
        }
        let now = self.env.now;
        let over = |behind: &&mut LeftBehind| behind.request.is_none() && behind.left.until.is_none_or(|at| at <= now);
        for behind in self.left_open.values_mut().filter(over) {
            behind.request = Some(self.env.request(Owner::LeftOpen, behind.left.rollback.clone()));
        }
    }

    /// The store has answered.
    pub(super) fn rolled_back(&mut self, request: RequestId, response: &StoreResponse) {
        let of = |(_, behind): &(&String, &mut LeftBehind)| behind.request == Some(request);
        let Some((name, behind)) = self.left_open.iter_mut().find(of) else { return };
        if matches!(response, StoreResponse::Failed { .. }) {
            behind.request = None;
            behind.left.until = Some(self.env.now.saturating_add(AGAIN));
            self.env.wake_dirty = true;
            return;
        }
        let (name, place, done) = (name.clone(), behind.place, *response == StoreResponse::Done);
        let step = if behind.left.until.is_none() { TransactionStep::Aborted } else { TransactionStep::TimedOut };
        self.left_open.remove(&name);
        // Otherwise somebody was there before.
        if done {
            self.note_transaction_of(place, name, step);
        }
    }
}
