//! An open-addressing table of (hash tag, slot): it knows no keys, the caller compares those of a slot.
//!
//! The bucket follows from the tag alone, so that growing and removing need neither keys nor hashes.

/// A tag and a slot in one word; all ones is a free bucket.
#[derive(Clone, Debug)]
pub(super) struct SlotIndex {
    entries: Vec<u64>,
    mask: usize,
    len: usize,
}

const FREE: u64 = u64::MAX;

/// What probing found.
pub(super) enum Probe {
    /// The slot.
    Found(u32),
    /// Nothing: here is room for it.
    Vacant(usize),
}

impl SlotIndex {
    pub(super) fn new() -> SlotIndex {
        SlotIndex { entries: vec![FREE; 16], mask: 15, len: 0 }
    }

    /// Makes room for `more` entries, so that buckets stay where they are while they are inserted.
    pub(super) fn reserve(&mut self, more: usize) {
        let wanted = ((self.len + more) * 2).next_power_of_two();
        while self.entries.len() < wanted {
            self.double();
        }
    }

    /// Whether it is too large for the processor's nearer caches.
    #[inline]
    pub(super) fn is_far(&self) -> bool {
        self.entries.len() > 1 << 16
    }

    /// Asks the processor to fetch the bucket of `tag`.
    #[inline(always)]
    pub(super) fn prefetch(&self, tag: u32) {
        prefetch(&self.entries[tag as usize & self.mask]);
    }

    /// The slot in the first bucket of `tag`, if there is one: for fetching its key ahead.
    #[inline(always)]
    pub(super) fn peek(&self, tag: u32) -> u32 {
        self.entries[tag as usize & self.mask] as u32
    }

    /// Finds the slot of this tag for which `same` holds.
    #[inline(always)]
    pub(super) fn probe(&self, tag: u32, same: impl Fn(u32) -> bool) -> Probe {
        let mut bucket = tag as usize & self.mask;
        loop {
            let entry = self.entries[bucket];
            if (entry >> 32) as u32 == tag && entry != FREE && same(entry as u32) {
                return Probe::Found(entry as u32);
            }
            if entry == FREE {
                return Probe::Vacant(bucket);
            }
            bucket = (bucket + 1) & self.mask;
        }
    }

    /// Fills a vacant bucket; there must have been room (see `reserve`).
    #[inline]
    pub(super) fn fill(&mut self, bucket: usize, tag: u32, slot: u32) {
        self.entries[bucket] = u64::from(tag) << 32 | u64::from(slot);
        self.len += 1;
        debug_assert!(self.len < self.entries.len());
    }

    /// Adds a slot that is known not to be there.
    pub(super) fn insert(&mut self, tag: u32, slot: u32) {
        self.reserve(1);
        if let Probe::Vacant(bucket) = self.probe(tag, |_| false) {
            self.fill(bucket, tag, slot);
        }
    }

    /// Removes a slot that is there.
    pub(super) fn remove(&mut self, tag: u32, slot: u32) {
        let wanted = u64::from(tag) << 32 | u64::from(slot);
        let mut hole = tag as usize & self.mask;
        while self.entries[hole] != wanted {
            debug_assert_ne!(self.entries[hole], FREE, "the slot is not there");
            hole = (hole + 1) & self.mask;
        }
        // Entries behind the hole move up as long as that brings them no further than their own bucket.
        let mut next = (hole + 1) & self.mask;
        while self.entries[next] != FREE {
            let home = (self.entries[next] >> 32) as usize & self.mask;
            if (next.wrapping_sub(home) & self.mask) >= (next.wrapping_sub(hole) & self.mask) {
                self.entries[hole] = self.entries[next];
                hole = next;
            }
            next = (next + 1) & self.mask;
        }
        self.entries[hole] = FREE;
        self.len -= 1;
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * 8
    }

    fn double(&mut self) {
        let len = self.entries.len() * 2;
        let old = std::mem::replace(&mut self.entries, vec![FREE; len]);
        self.mask = len - 1;
        for entry in old.into_iter().filter(|entry| *entry != FREE) {
            let mut bucket = (entry >> 32) as usize & self.mask;
            while self.entries[bucket] != FREE {
                bucket = (bucket + 1) & self.mask;
            }
            self.entries[bucket] = entry;
        }
    }
}

/// Asks the processor to fetch the cache line of `place`, where it can be asked.
#[inline(always)]
pub(super) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program sees, and the address is that of a reference.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_as_a_map_under_collisions() {
        let mut index = SlotIndex::new();
        let mut model = std::collections::BTreeMap::new();
        let mut seed = 7u64;
        for step in 0..20_000u32 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Few tags, close together: long runs of occupied buckets, also around the end of the table.
            let tag = (seed >> 33) as u32 % 300;
            let tag = if tag.is_multiple_of(3) { u32::MAX - tag } else { tag };
            if (seed >> 60) < 8 {
                if let std::collections::btree_map::Entry::Vacant(entry) = model.entry(tag) {
                    entry.insert(step);
                    index.insert(tag, step);
                }
            } else if let Some(slot) = model.remove(&tag) {
                index.remove(tag, slot);
            }
            if step % 97 == 0 {
                for (tag, slot) in &model {
                    assert!(matches!(index.probe(*tag, |found| found == *slot), Probe::Found(_)));
                }
                assert_eq!(index.len, model.len());
            }
        }
    }
}
