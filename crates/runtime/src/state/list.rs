//! A small ordered table that is not keyed by the stream's key: a source's positions, a sink's pending transactions.

use std::collections::{BTreeMap, BTreeSet};

use crate::state::{EntryRef, Scope, StateTable};

/// Text of an entry for people: key, value.
pub type Describe = fn(&[u8], &[u8]) -> (String, String);

/// Keys and values as bytes, ordered by key.
///
/// With [`Scope::Split`] another parallelism deals the entries out in key order, so a subtask owns what it finds here after a restore. With
/// [`Scope::Union`] every subtask finds all entries and removes what is not its own.
#[derive(Debug)]
pub struct ListTable {
    scope: Scope,
    schema: String,
    describe: Describe,
    entries: BTreeMap<Vec<u8>, Vec<u8>>,
    changed: BTreeSet<Vec<u8>>,
    bytes: usize,
}

impl ListTable {
    /// An empty table; `schema` says what keys and values are (a checkpoint with another one is refused).
    ///
    /// # Panics
    /// For [`Scope::Keyed`]: a keyed table needs key groups.
    pub fn new(scope: Scope, schema: impl Into<String>, describe: Describe) -> ListTable {
        assert_ne!(scope, Scope::Keyed, "a list is not keyed");
        ListTable {
            scope,
            schema: schema.into(),
            describe,
            entries: BTreeMap::new(),
            changed: BTreeSet::new(),
            bytes: 0,
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.entries.get(key).map(Vec::as_slice)
    }

    /// Sets a value.
    pub fn put(&mut self, key: &[u8], value: &[u8]) {
        if self.set(key, Some(value)) {
            self.changed.insert(key.to_vec());
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &[u8]) {
        if self.set(key, None) {
            self.changed.insert(key.to_vec());
        }
    }

    /// All entries in key order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], &[u8])> {
        self.entries.iter().map(|(key, value)| (key.as_slice(), value.as_slice()))
    }

    /// Whether anything became different.
    fn set(&mut self, key: &[u8], value: Option<&[u8]>) -> bool {
        if self.get(key) == value {
            return false;
        }
        let old = match value {
            Some(value) => {
                self.bytes += key.len() + value.len();
                self.entries.insert(key.to_vec(), value.to_vec())
            }
            None => self.entries.remove(key),
        };
        self.bytes -= old.map_or(0, |old| key.len() + old.len());
        true
    }
}

impl StateTable for ListTable {
    fn schema(&self) -> String {
        self.schema.clone()
    }

    fn scope(&self) -> Scope {
        self.scope
    }

    fn snapshot(&mut self, limit: usize, sink: &mut dyn FnMut(EntryRef<'_>)) -> bool {
        for _ in 0..limit {
            let Some(key) = self.changed.pop_first() else { return false };
            sink(EntryRef { key_group: 0, key: &key, value: self.get(&key) });
        }
        !self.changed.is_empty()
    }

    fn load(&mut self, entry: EntryRef<'_>) -> Result<(), String> {
        self.set(entry.key, entry.value);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_has_what_changed_since_the_last() {
        let mut table = ListTable::new(Scope::Split, "split -> offset", |_, _| Default::default());
        let changes = |table: &mut ListTable| {
            let mut seen = Vec::new();
            let more =
                table.snapshot(10, &mut |entry| seen.push((entry.key.to_vec(), entry.value.map(<[u8]>::to_vec))));
            assert!(!more);
            seen
        };
        table.put(b"a", b"1");
        table.put(b"b", b"2");
        assert_eq!(changes(&mut table).len(), 2);
        table.put(b"a", b"1");
        table.remove(b"b");
        table.remove(b"c");
        assert_eq!(changes(&mut table), [(b"b".to_vec(), None)]);
        assert_eq!(changes(&mut table), []);
    }
}
