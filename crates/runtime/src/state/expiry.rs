//! When the rows of a table were written last, and which of them are over (`table.exec.state.ttl`, the hint `STATE_TTL`).
//!
//! Flink's `OnCreateAndWrite` and `NeverReturnExpired`: a row is over as soon as the TTL has passed in processing time since it was last written,
//! and from then on it is not there. The operator asks for such rows before it looks at its table and takes them away itself, so that whatever
//! it derives from them goes as well. Times stand in snapshots: what was kept for half of its time before a restore is kept for half after it.

use std::collections::BTreeMap;

/// The times of a table's slots.
pub(super) struct Expiry {
    ttl: i64,
    now: i64,
    written: Vec<i64>,
    /// Slots by a time at or before which they were written; each that is in use once.
    by_time: BTreeMap<i64, Vec<u32>>,
    listed: Vec<bool>,
}

impl Expiry {
    pub(super) fn new(ttl: i64) -> Expiry {
        // Rows that are loaded get their times only behind their places: they stand first until somebody looks.
        Expiry { ttl, now: i64::MIN, written: Vec::new(), by_time: BTreeMap::new(), listed: Vec::new() }
    }

    /// A slot is written now.
    pub(super) fn write(&mut self, slot: u32) {
        let at = slot as usize;
        if at >= self.written.len() {
            self.written.resize(at + 1, i64::MIN);
            self.listed.resize(at + 1, false);
        }
        self.written[at] = self.now;
        if !std::mem::replace(&mut self.listed[at], true) {
            self.by_time.entry(self.now).or_default().push(slot);
        }
    }

    /// When a slot was written.
    pub(super) fn written(&self, slot: u32) -> i64 {
        self.written[slot as usize]
    }

    /// Says when a slot that is loaded was written.
    pub(super) fn load(&mut self, slot: u32, written: i64) {
        self.written[slot as usize] = written;
    }

    /// It is `now`, in ms: which slots are over. Time does not go back.
    pub(super) fn over(&mut self, now: i64, is_live: impl Fn(u32) -> bool) -> Vec<u32> {
        self.now = self.now.max(now);
        let limit = self.now.saturating_sub(self.ttl);
        let mut over = Vec::new();
        while let Some(first) = self.by_time.first_entry().filter(|first| *first.key() <= limit) {
            for slot in first.remove() {
                let written = self.written[slot as usize];
                if !is_live(slot) {
                    self.listed[slot as usize] = false;
                } else if written <= limit {
                    self.listed[slot as usize] = false;
                    over.push(slot);
                } else {
                    self.by_time.entry(written).or_default().push(slot);
                }
            }
        }
        over
    }

    pub(super) fn bytes(&self) -> usize {
        self.written.capacity() * 9 + self.by_time.values().map(|slots| slots.len() * 4 + 32).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_over_when_it_was_not_written_for_long_enough() {
        let mut expiry = Expiry::new(100);
        assert!(expiry.over(0, |_| true).is_empty());
        expiry.write(0);
        expiry.write(1);
        assert!(expiry.over(60, |_| true).is_empty());
        expiry.write(1);
        expiry.write(2);
        assert!(expiry.over(99, |_| true).is_empty());
        assert_eq!(expiry.over(100, |_| true), [0]);
        // Taken by another key meanwhile, and one that went by itself.
        expiry.write(0);
        assert_eq!(expiry.over(160, |slot| slot != 2), [1]);
        assert!(expiry.over(50, |_| true).is_empty());
        assert_eq!(expiry.over(200, |_| true), [0]);
        assert!(expiry.over(i64::MAX, |_| true).is_empty());
    }
}
