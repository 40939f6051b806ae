//! How far the splits of a source have been read, as a state table.

use tidegate_runtime::mistakes::{Mistake, planted};
use tidegate_runtime::state::{EntryRef, ListTable, Scope, StateTable};

/// How an entry reads to people.
pub(crate) type Describe = fn(key: &[u8], value: &[u8]) -> (String, String);

/// Reads a big-endian number at a place of a key or value; 0 when it is cut short.
pub(crate) fn number(bytes: &[u8], place: usize) -> u64 {
    bytes.get(place..place + 8).and_then(|part| part.try_into().ok()).map_or(0, u64::from_be_bytes)
}

/// How far the splits of a source have been read: which split belongs to which subtask follows from the parallelism, so
/// that it may change between two runs. After a restore every subtask sees all positions and keeps those of its own
/// splits; it writes them anew under the number of the generation, and removes the old ones as all others do.
pub(crate) struct Positions {
    table: ListTable,
    describe: Describe,
    generation: u64,
    /// Splits and positions as of the last finished snapshot.
    at_snapshot: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Positions {
    /// No positions yet. `schema` says what a position is, `describe` how it reads.
    pub fn new(schema: &'static str, describe: Describe) -> Positions {
        Positions {
            table: ListTable::new(Scope::Union, schema, describe),
            describe,
            generation: 0,
            at_snapshot: Vec::new(),
        }
    }

    /// The positions as of the last snapshot.
    pub fn at_snapshot(&self) -> &[(Vec<u8>, Vec<u8>)] {
        &self.at_snapshot
    }

    /// What has been loaded, of all subtasks; before [`Self::restored`].
    pub fn loaded(&self) -> impl Iterator<Item = &[u8]> {
        self.table.iter().map(|(key, _)| &key[8..])
    }

    /// State has been loaded: keeps the positions of the splits that are `mine`. True if there were any, of whomever.
    pub fn restored(&mut self, mine: impl Fn(&[u8]) -> bool) -> bool {
        let old: Vec<(Vec<u8>, Vec<u8>)> = self.table.iter().map(|(k, v)| (k.to_vec(), v.to_vec())).collect();
        let generation = old.iter().map(|(key, _)| number(key, 0)).max();
        self.generation = generation.unwrap_or(0) + 1;
        for (key, value) in &old {
            self.table.remove(key);
            if number(key, 0) == self.generation - 1 && mine(&key[8..]) {
                self.put(&key[8..], value);
            }
        }
        generation.is_some()
    }

    /// The position of a split.
    pub fn get(&self, split: &[u8]) -> Option<&[u8]> {
        self.table.get(&self.key(split))
    }

    /// Sets the position of a split.
    pub fn put(&mut self, split: &[u8], position: &[u8]) {
        let key = self.key(split);
        self.table.put(&key, position);
    }

    /// All splits with their positions.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.table.iter().map(|(key, value)| (&key[8..], value))
    }

    fn key(&self, split: &[u8]) -> Vec<u8> {
        [&self.generation.to_be_bytes(), split].concat()
    }
}

impl StateTable for Positions {
    fn schema(&self) -> String {
        self.table.schema()
    }

    fn scope(&self) -> Scope {
        self.table.scope()
    }

    fn snapshot(&mut self, limit: usize, sink: &mut dyn FnMut(EntryRef<'_>)) -> bool {
        if planted(Mistake::OffsetsLeftOut) {
            return false;
        }
        let more = self.table.snapshot(limit, sink);
        if !more {
            self.at_snapshot = self.iter().map(|(split, position)| (split.to_vec(), position.to_vec())).collect();
        }
        more
    }

    fn load(&mut self, entry: EntryRef<'_>) -> Result<(), String> {
        self.table.load(entry)
    }

    fn len(&self) -> usize {
        self.table.len()
    }

    fn bytes(&self) -> usize {
        self.table.bytes()
    }

    fn page(&self, offset: usize, limit: usize) -> Vec<(String, String)> {
        let entries = self.iter().skip(offset).take(limit);
        entries.map(|(split, position)| (self.describe)(split, position)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn positions_find_their_subtask() {
        let new = || Positions::new("p", |_, _| Default::default());
        let snapshot = |positions: &mut Positions, into: &mut BTreeMap<Vec<u8>, Vec<u8>>| {
            positions.snapshot(usize::MAX, &mut |entry| match entry.value {
                Some(value) => drop(into.insert(entry.key.to_vec(), value.to_vec())),
                None => drop(into.remove(entry.key)),
            });
        };
        let mut state: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        for (round, parallelism) in [1u8, 3, 2, 2, 1].into_iter().enumerate() {
            let mut subtasks: Vec<Positions> = (0..parallelism).map(|_| new()).collect();
            let mut parts = Vec::new();
            for (index, positions) in subtasks.iter_mut().enumerate() {
                for (key, value) in &state {
                    positions.load(EntryRef { key_group: 0, key, value: Some(value) }).unwrap();
                }
                assert_eq!(positions.restored(|split| split[0] % parallelism == index as u8), round > 0);
                for split in (0..5u8).filter(|split| split % parallelism == index as u8) {
                    let wanted = (round > 0).then(|| vec![round as u8 - 1 + split]);
                    assert_eq!(positions.get(&[split]), wanted.as_deref());
                    positions.put(&[split], &[round as u8 + split]);
                }
                // As it is gathered: what each subtask inherited and what it changed, one after the other.
                let mut part = state.clone();
                snapshot(positions, &mut part);
                parts.push(part);
            }
            let gone: Vec<Vec<u8>> = state.keys().cloned().collect();
            state = parts.into_iter().flatten().collect();
            assert!(gone.iter().all(|key| !state.contains_key(key)));
        }
    }
}
