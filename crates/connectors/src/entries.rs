//! A state table of a connector: few entries, ordered by key, as bytes.

use std::collections::{BTreeMap, BTreeSet};

use tidegate_runtime::state::{EntryRef, Scope, StateTable};

/// How an entry reads to people.
pub(crate) type Describe = fn(key: &[u8], value: &[u8]) -> (String, String);

/// Key to value, both bytes; changes are tracked entry by entry.
pub(crate) struct Entries {
    schema: &'static str,
    scope: Scope,
    describe: Describe,
    entries: BTreeMap<Vec<u8>, Vec<u8>>,
    changed: BTreeSet<Vec<u8>>,
    bytes: usize,
}

impl Entries {
    /// An empty table.
    pub fn new(scope: Scope, schema: &'static str, describe: Describe) -> Entries {
        Entries { schema, scope, describe, entries: BTreeMap::new(), changed: BTreeSet::new(), bytes: 0 }
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.entries.get(key).map(Vec::as_slice)
    }

    /// Sets the value of a key.
    pub fn put(&mut self, key: &[u8], value: &[u8]) {
        if self.get(key) != Some(value) {
            self.changed.insert(key.to_vec());
            self.set(key, Some(value.to_vec()));
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &[u8]) {
        if self.entries.contains_key(key) {
            self.changed.insert(key.to_vec());
            self.set(key, None);
        }
    }

    /// All entries, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.entries.iter().map(|(key, value)| (key.as_slice(), value.as_slice()))
    }

    fn set(&mut self, key: &[u8], value: Option<Vec<u8>>) {
        self.bytes += value.as_ref().map_or(0, |value| key.len() + value.len());
        let old = match value {
            Some(value) => self.entries.insert(key.to_vec(), value),
            None => self.entries.remove(key),
        };
        self.bytes -= old.map_or(0, |old| key.len() + old.len());
    }
}

impl StateTable for Entries {
    fn schema(&self) -> String {
        self.schema.to_owned()
    }

    fn scope(&self) -> Scope {
        self.scope
    }

    fn snapshot(&mut self, limit: usize, sink: &mut dyn FnMut(EntryRef<'_>)) -> bool {
        for _ in 0..limit {
            let Some(key) = self.changed.pop_first() else { break };
            sink(EntryRef { key_group: 0, key: &key, value: self.get(&key) });
        }
        !self.changed.is_empty()
    }

    fn load(&mut self, entry: EntryRef<'_>) -> Result<(), String> {
        self.set(entry.key, entry.value.map(<[u8]>::to_vec));
        Ok(())
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn page(&self, offset: usize, limit: usize) -> Vec<(String, String)> {
        self.iter().skip(offset).take(limit).map(|(key, value)| (self.describe)(key, value)).collect()
    }
}

/// Reads a big-endian number at a place of a key or value; 0 when it is cut short.
pub(crate) fn number(bytes: &[u8], place: usize) -> u64 {
    bytes.get(place..place + 8).and_then(|part| part.try_into().ok()).map_or(0, u64::from_be_bytes)
}

/// How far the splits of a source have been read: which split belongs to which subtask follows from the parallelism, so
/// that it may change between two runs. After a restore every subtask sees all positions and keeps those of its own
/// splits; it writes them anew under the number of the generation, and removes the old ones as all others do.
pub(crate) struct Positions {
    table: Entries,
    generation: u64,
}

impl Positions {
    /// No positions yet. `schema` says what a position is, `describe` how it reads.
    pub fn new(schema: &'static str, describe: Describe) -> Positions {
        Positions { table: Entries::new(Scope::Union, schema, describe), generation: 0 }
    }

    /// The state table.
    pub fn table(&mut self) -> &mut Entries {
        &mut self.table
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_holds_what_changed() {
        let mut table = Entries::new(Scope::Split, "t", |_, _| Default::default());
        let take = |table: &mut Entries| {
            let mut seen = Vec::new();
            while table.snapshot(1, &mut |entry| seen.push((entry.key.to_vec(), entry.value.map(<[u8]>::to_vec)))) {}
            seen
        };
        table.put(b"a", b"1");
        table.put(b"b", b"2");
        assert_eq!(take(&mut table).len(), 2);
        table.put(b"a", b"1");
        assert_eq!(take(&mut table), []);
        table.remove(b"a");
        assert_eq!(take(&mut table), [(b"a".to_vec(), None)]);
        assert_eq!((table.len(), table.bytes()), (1, 2));
        table.load(EntryRef { key_group: 0, key: b"c", value: Some(b"3") }).unwrap();
        assert_eq!(take(&mut table), []);
        assert_eq!(table.get(b"c"), Some(&b"3"[..]));
    }
    #[test]
    fn positions_find_their_subtask() {
        let new = || Positions::new("p", |_, _| Default::default());
        let snapshot = |positions: &mut Positions, into: &mut BTreeMap<Vec<u8>, Vec<u8>>| {
            positions.table().snapshot(usize::MAX, &mut |entry| match entry.value {
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
                    positions.table().load(EntryRef { key_group: 0, key, value: Some(value) }).unwrap();
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
