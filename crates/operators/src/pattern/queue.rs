//! Partial matches by their first rows, the earliest first, in the very order in which Flink looks at them: that of `java.util.PriorityQueue`.

use super::nfa::Computation;

/// A binary heap whose order among equals is Java's.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Queue(Vec<Computation>);

impl Queue {
    /// As it was stored.
    pub(crate) fn stored(items: Vec<Computation>) -> Queue {
        Queue(items)
    }

    /// All, in the order of the heap.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Computation> {
        self.0.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn peek(&self) -> Option<&Computation> {
        self.0.first()
    }

    pub(crate) fn push(&mut self, item: Computation) {
        let mut at = self.0.len();
        self.0.push(item);
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.0[at].rank() >= self.0[parent].rank() {
                break;
            }
            self.0.swap(at, parent);
            at = parent;
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Computation> {
        if self.0.is_empty() {
            return None;
        }
        let first = self.0.swap_remove(0);
        self.sift_down(0);
        Some(first)
    }

    /// Keeps those for which `keep` holds.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Computation) -> bool) {
        let before = self.0.len();
        self.0.retain(keep);
        if self.0.len() < before {
            (0..self.0.len() / 2).rev().for_each(|at| self.sift_down(at));
        }
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let mut child = 2 * at + 1;
            if child >= self.0.len() {
                return;
            }
            if child + 1 < self.0.len() && self.0[child].rank() > self.0[child + 1].rank() {
                child += 1;
            }
            if self.0[at].rank() <= self.0[child].rank() {
                return;
            }
            self.0.swap(at, child);
            at = child;
        }
    }
}
