//! What all tables of slots share: finding rows by key, free slots, what changed, snapshots.

use tidegate_data::keys::{MAX_PARALLELISM, key_group};
use tidegate_data::{SlotColumn, SlotType};

use super::EntryRef;
use super::codec;
use super::expiry::Expiry;
use super::index::{Probe, SlotIndex};
use super::keys::{ByteKey, Keys, Rows};

/// No slot: the key is not there.
pub const MISSING: u32 = u32::MAX;

/// Slots with a prefix (a number in front of the key, if the table has one), a key and a row of typed columns each.
pub(super) struct Slots {
    pub(super) index: SlotIndex,
    pub(super) keys: Keys,
    pub(super) prefixes: Vec<i64>,
    pub(super) columns: Vec<SlotColumn>,
    tags: Vec<u32>,
    groups: Vec<u16>,
    state: Vec<Life>,
    dirty: Vec<bool>,
    free: Vec<u32>,
    tombstones: Vec<(u16, Box<[u8]>)>,
    cursor: usize,
    /// Where rows are kept for some time only.
    pub(super) expiry: Option<Expiry>,
}

/// Where a slot is in its life.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Free,
    /// In use, in no snapshot yet.
    New,
    /// In use, and in a snapshot: removing it leaves a tombstone.
    Saved,
}

/// The tag of a hash; with a prefix, of both.
#[inline(always)]
pub(super) fn tag_of<const PREFIX: bool>(hash: u64, prefix: i64) -> u32 {
    if PREFIX {
        // Multiplied once more, so that windows a power of two apart do not fall together.
        let mixed = (hash ^ (prefix as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed >> 32) as u32
    } else {
        hash as u32
    }
}

impl Slots {
    pub(super) fn new(keys: Keys, columns: &[SlotType]) -> Slots {
        Slots {
            index: SlotIndex::new(),
            keys,
            prefixes: Vec::new(),
            columns: columns.iter().map(|ty| SlotColumn::new(*ty)).collect(),
            tags: Vec::new(),
            groups: Vec::new(),
            state: Vec::new(),
            dirty: Vec::new(),
            free: Vec::new(),
            tombstones: Vec::new(),
            cursor: 0,
            expiry: None,
        }
    }

    /// The slot of every row, found or (where `may_insert`) made; `fresh` gets the rows whose slot was made.
    #[inline(always)]
    pub(super) fn resolve<const PREFIX: bool, R: Rows>(
        &mut self,
        rows: &R,
        prefixes: &[i64],
        hashes: &[u64],
        may_insert: impl Fn(usize) -> bool,
        slots: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        /// How many rows ahead buckets and keys are fetched when they lie far away.
        const AHEAD: usize = 16;
        slots.clear();
        slots.resize(hashes.len(), MISSING);
        self.index.reserve(hashes.len());
        let far = self.index.is_far();
        let tag = |row: usize| tag_of::<PREFIX>(hashes[row], if PREFIX { prefixes[row] } else { 0 });
        for row in 0..hashes.len() {
            if far {
                if row + 2 * AHEAD < hashes.len() {
                    self.index.prefetch(tag(row + 2 * AHEAD));
                }
                if row + AHEAD < hashes.len() {
                    let slot = self.index.peek(tag(row + AHEAD));
                    if slot != MISSING {
                        R::prefetch(&self.keys, slot);
                    }
                }
            }
            let tag = tag(row);
            let key = rows.key(row);
            let same = |slot: u32| {
                R::same(&self.keys, slot, key) && (!PREFIX || self.prefixes[slot as usize] == prefixes[row])
            };
            match self.index.probe(tag, same) {
                Probe::Found(slot) => slots[row] = slot,
                Probe::Vacant(bucket) => {
                    if may_insert(row) {
                        let slot = self.allocate(tag, key_group(hashes[row], MAX_PARALLELISM) as u16);
                        self.index.fill(bucket, tag, slot);
                        R::put(&mut self.keys, slot, key);
                        if PREFIX {
                            self.put_prefix(slot, prefixes[row]);
                        }
                        slots[row] = slot;
                        fresh.push(row as u32);
                    }
                }
            }
        }
        self.grow();
    }

    /// The slot of one byte key behind a prefix.
    #[inline]
    pub(super) fn find(&self, prefix: i64, hash: u64, key: &[u8]) -> Result<u32, usize> {
        let key = ByteKey::new(key);
        let Keys::Bytes(keys) = &self.keys else { unreachable!("the table has byte keys") };
        let same = |slot: u32| self.prefixes[slot as usize] == prefix && key.same(keys, slot);
        match self.index.probe(tag_of::<true>(hash, prefix), same) {
            Probe::Found(slot) => Ok(slot),
            Probe::Vacant(bucket) => Err(bucket),
        }
    }

    /// Makes a slot for one byte key behind a prefix, which is not there.
    pub(super) fn insert(&mut self, prefix: i64, hash: u64, key: &[u8], group: u16) -> u32 {
        let tag = tag_of::<true>(hash, prefix);
        let slot = self.allocate(tag, group);
        self.index.insert(tag, slot);
        if let Keys::Bytes(keys) = &mut self.keys {
            ByteKey::new(key).put(keys, slot);
        }
        self.put_prefix(slot, prefix);
        self.grow();
        slot
    }

    pub(super) fn put_prefix(&mut self, slot: u32, prefix: i64) {
        match self.prefixes.get_mut(slot as usize) {
            Some(place) => *place = prefix,
            None => self.prefixes.push(prefix),
        }
    }

    /// A slot that is in use from now on; its row is zero after [`Slots::grow`].
    pub(super) fn allocate(&mut self, tag: u32, group: u16) -> u32 {
        let slot = match self.free.pop() {
            Some(slot) => {
                let at = slot as usize;
                (self.tags[at], self.groups[at], self.state[at], self.dirty[at]) = (tag, group, Life::New, true);
                slot
            }
            None => {
                self.tags.push(tag);
                self.groups.push(group);
                self.state.push(Life::New);
                self.dirty.push(true);
                self.tags.len() as u32 - 1
            }
        };
        if let Some(expiry) = &mut self.expiry {
            expiry.write(slot);
        }
        slot
    }

    pub(super) fn grow(&mut self) {
        self.columns.iter_mut().for_each(|column| column.grow(self.tags.len()));
    }

    /// Marks rows as changed.
    #[inline]
    pub(super) fn touch(&mut self, slots: &[u32]) {
        for slot in slots {
            self.dirty[*slot as usize] = true;
        }
        if let Some(expiry) = &mut self.expiry {
            slots.iter().for_each(|slot| expiry.write(*slot));
        }
    }

    /// It is `now`: which rows are over and have to be taken away.
    pub(super) fn over(&mut self, now: i64) -> Vec<u32> {
        let Some(mut expiry) = self.expiry.take() else { return Vec::new() };
        let over = expiry.over(now, |slot| self.is_live(slot));
        self.expiry = Some(expiry);
        over
    }

    /// Sets a row as it stands in a snapshot; `None` where the bytes do not fit.
    pub(super) fn load(&mut self, slot: u32, mut value: &[u8]) -> Option<()> {
        if let Some(expiry) = &mut self.expiry {
            expiry.load(slot, codec::take_time(&mut value)?);
        }
        codec::take_row(value, &mut self.columns, slot)?;
        self.mark_saved(slot);
        Some(())
    }

    /// The columns' types for a schema; rows that know when they were written are of another one.
    pub(super) fn schema(&self) -> String {
        let mut columns: Vec<String> = self.columns.iter().map(codec::type_name).collect();
        columns.extend(self.expiry.is_some().then(|| "written".to_owned()));
        columns.join(", ")
    }

    /// Frees a slot. `encode` writes its key as it stands in snapshots.
    pub(super) fn remove(&mut self, slot: u32, encode: impl FnOnce(&Slots, &mut Vec<u8>)) {
        let at = slot as usize;
        debug_assert!(self.state[at] != Life::Free);
        if self.state[at] == Life::Saved {
            let mut key = Vec::new();
            encode(self, &mut key);
            self.tombstones.push((self.groups[at], key.into()));
        }
        self.index.remove(self.tags[at], slot);
        self.release(slot);
    }

    /// Forgets the newest tombstone: a removal while a snapshot is loaded is none.
    pub(super) fn forget_tombstone(&mut self) {
        self.tombstones.pop();
    }

    /// Frees a slot that is not in the index (while snapshots are loaded).
    pub(super) fn release(&mut self, slot: u32) {
        self.state[slot as usize] = Life::Free;
        self.dirty[slot as usize] = false;
        self.columns.iter_mut().for_each(|column| column.clear(slot));
        self.free.push(slot);
    }

    /// Sets a slot's tag and puts it into the index.
    pub(super) fn link(&mut self, slot: u32, tag: u32) {
        self.tags[slot as usize] = tag;
        self.index.insert(tag, slot);
    }

    /// Says that a slot stands in a snapshot as it is now.
    pub(super) fn mark_saved(&mut self, slot: u32) {
        self.state[slot as usize] = Life::Saved;
        self.dirty[slot as usize] = false;
    }

    pub(super) fn group(&self, slot: u32) -> u16 {
        self.groups[slot as usize]
    }

    pub(super) fn is_live(&self, slot: u32) -> bool {
        self.state[slot as usize] != Life::Free
    }

    /// The slots in use, ascending.
    pub(super) fn live(&self) -> impl Iterator<Item = u32> {
        (0..self.state.len() as u32).filter(|slot| self.is_live(*slot))
    }

    pub(super) fn len(&self) -> usize {
        self.state.len() - self.free.len()
    }

    /// Tombstones first, then the rows that changed: a key that went and came again stands last as it is.
    pub(super) fn snapshot(
        &mut self,
        limit: usize,
        encode: impl Fn(&Slots, u32, &mut Vec<u8>),
        sink: &mut dyn FnMut(EntryRef<'_>),
    ) -> bool {
        let mut left = limit.max(1);
        while let Some((key_group, key)) = self.tombstones.pop() {
            if left == 0 {
                self.tombstones.push((key_group, key));
                return true;
            }
            left -= 1;
            sink(EntryRef { key_group, key: &key, value: None });
        }
        let (mut key, mut value) = (Vec::new(), Vec::new());
        while let Some(distance) = self.dirty[self.cursor..].iter().position(|dirty| *dirty) {
            self.cursor += distance;
            if left == 0 {
                return true;
            }
            left -= 1;
            let slot = self.cursor as u32;
            key.clear();
            value.clear();
            encode(self, slot, &mut key);
            if let Some(expiry) = &self.expiry {
                codec::put_time(&mut value, expiry.written(slot));
            }
            codec::put_row(&mut value, &self.columns, slot);
            sink(EntryRef { key_group: self.group(slot), key: &key, value: Some(&value) });
            self.mark_saved(slot);
        }
        self.cursor = 0;
        false
    }

    pub(super) fn bytes(&self) -> usize {
        self.index.bytes()
            + self.keys.bytes()
            + codec::column_bytes(&self.columns)
            + self.prefixes.capacity() * 8
            + self.tags.capacity() * 8
            + self.expiry.as_ref().map_or(0, Expiry::bytes)
            + self.tombstones.iter().map(|(_, key)| key.len() + 24).sum::<usize>()
    }
}
