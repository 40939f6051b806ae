//! The entries of one key in the order of their sub-keys: blocks of bounded length, so that one insertion moves little.

/// Entries in order; the caller compares.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    blocks: Vec<Vec<u32>>,
}

const MAX_BLOCK: usize = 256;

impl Order {
    /// Adds an entry in front of the first one for which `less` (is it below the new one?) does not hold.
    pub(super) fn insert(&mut self, entry: u32, less: impl Fn(u32) -> bool) {
        if self.blocks.is_empty() {
            self.blocks.push(vec![entry]);
            return;
        }
        let block = self.block_of(&less).min(self.blocks.len() - 1);
        let at = self.blocks[block].partition_point(|other| less(*other));
        self.blocks[block].insert(at, entry);
        if self.blocks[block].len() > MAX_BLOCK {
            // At the very end, as for ascending sub-keys, full blocks stay full.
            let last = block + 1 == self.blocks.len() && at == MAX_BLOCK;
            let tail = self.blocks[block].split_off(if last { MAX_BLOCK } else { MAX_BLOCK / 2 });
            self.blocks.insert(block + 1, tail);
        }
    }

    /// Removes an entry; `less` says which ones are below it.
    pub(super) fn remove(&mut self, entry: u32, less: impl Fn(u32) -> bool) {
        let block = self.block_of(&less);
        let at = self.blocks[block].partition_point(|other| less(*other));
        debug_assert_eq!(self.blocks[block][at], entry);
        self.blocks[block].remove(at);
        if self.blocks[block].is_empty() {
            self.blocks.remove(block);
        }
    }

    /// The first block whose last entry is not below.
    fn block_of(&self, less: &impl Fn(u32) -> bool) -> usize {
        self.blocks.partition_point(|block| less(block[block.len() - 1]))
    }

    pub(super) fn first(&self) -> Option<u32> {
        self.blocks.first().map(|block| block[0])
    }

    pub(super) fn last(&self) -> Option<u32> {
        self.blocks.last().map(|block| block[block.len() - 1])
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = u32> {
        self.blocks.iter().flatten().copied()
    }

    /// The entries from the first one on that is not below.
    pub(super) fn from(&self, less: impl Fn(u32) -> bool) -> impl Iterator<Item = u32> {
        let block = self.block_of(&less);
        let at = self.blocks.get(block).map_or(0, |block| block.partition_point(|other| less(*other)));
        self.blocks[block..].iter().flatten().skip(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_in_order() {
        let mut order = Order::default();
        let mut model = std::collections::BTreeSet::new();
        let mut seed = 1u64;
        for _ in 0..5_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let entry = (seed >> 40) as u32 % 3_000;
            if model.insert(entry) {
                order.insert(entry, |other| other < entry);
            } else if seed.is_multiple_of(4) {
                model.remove(&entry);
                order.remove(entry, |other| other < entry);
            }
        }
        assert!(order.iter().eq(model.iter().copied()));
        assert!(order.from(|other| other < 1_000).eq(model.range(1_000..).copied()));
        assert_eq!((order.first(), order.last()), (model.first().copied(), model.last().copied()));
    }
}
