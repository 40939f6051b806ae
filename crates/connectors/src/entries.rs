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
    pub fn new(schema: &'static str, scope: Scope, describe: Describe) -> Entries {
        Entries { schema, scope, describe, entries: BTreeMap::new(), changed: BTreeSet::new(), bytes: 0 }
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.entries.get(key).map(Vec::as_slice)
    }

    /// Sets the value of a key.
    pub fn put(&mut self, key: &[u8], value: Vec<u8>) {
        if self.entries.get(key) != Some(&value) {
            self.changed.insert(key.to_vec());
            self.set(key, Some(value));
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &[u8]) {
        if self.entries.contains_key(key) {
            self.changed.insert(key.to_vec());
            self.set(key, None);
        }
    }

    /// Forgets entries that belong to another subtask. No change: the other one keeps them.
    pub fn keep_only(&mut self, mut mine: impl FnMut(&[u8]) -> bool) {
        self.entries.retain(|key, value| {
            let keep = mine(key);
            if !keep {
                self.bytes -= key.len() + value.len();
            }
            keep
        });
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

/// Reads a big-endian number off the front of a key or value; 0 when it is cut short.
pub(crate) fn number(bytes: &[u8], place: usize) -> u64 {
    bytes.get(place..place + 8).and_then(|part| part.try_into().ok()).map_or(0, u64::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_holds_what_changed() {
        let mut table = Entries::new("t", Scope::Split, |_, _| Default::default());
        let take = |table: &mut Entries| {
            let mut seen = Vec::new();
            while table.snapshot(1, &mut |entry| seen.push((entry.key.to_vec(), entry.value.map(<[u8]>::to_vec)))) {}
            seen
        };
        table.put(b"a", b"1".to_vec());
        table.put(b"b", b"2".to_vec());
        assert_eq!(take(&mut table).len(), 2);
        table.put(b"a", b"1".to_vec());
        assert_eq!(take(&mut table), []);
        table.remove(b"a");
        assert_eq!(take(&mut table), [(b"a".to_vec(), None)]);
        assert_eq!((table.len(), table.bytes()), (1, 2));
        table.load(EntryRef { key_group: 0, key: b"c", value: Some(b"3") }).unwrap();
        assert_eq!(take(&mut table), []);
        assert_eq!(table.get(b"c"), Some(&b"3"[..]));
    }
}
