//! A store in memory: what tests, embedded pages and the command line use.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::{Key, Store, StoreRequest, StoreResponse};

/// Keys and values in memory, ordered bytewise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryStore {
    entries: BTreeMap<Key, Bytes>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// All entries, ascending.
    pub fn entries(&self) -> &BTreeMap<Key, Bytes> {
        &self.entries
    }

    /// All entries, to spoil them in a test or to load a copy.
    pub fn entries_mut(&mut self) -> &mut BTreeMap<Key, Bytes> {
        &mut self.entries
    }
}

impl Store for MemoryStore {
    fn execute(&mut self, request: StoreRequest) -> StoreResponse {
        match request {
            StoreRequest::Get { key } => StoreResponse::Value(self.entries.get(&key).cloned()),
            StoreRequest::Scan { from, to, limit } => {
                if from >= to {
                    return StoreResponse::Entries(Vec::new());
                }
                let range = self.entries.range(from..to).take(limit);
                StoreResponse::Entries(range.map(|(key, value)| (key.clone(), value.clone())).collect())
            }
            StoreRequest::Batch { require, delete, put } => {
                for (key, wanted) in require {
                    if self.entries.get(&key) != wanted.as_ref() {
                        return StoreResponse::Refused { key };
                    }
                }
                for (from, to) in delete {
                    if from < to {
                        let doomed: Vec<Key> = self.entries.range(from..to).map(|(key, _)| key.clone()).collect();
                        doomed.iter().for_each(|key| drop(self.entries.remove(key)));
                    }
                }
                self.entries.extend(put);
                StoreResponse::Done
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_batch_changes_nothing() {
        let mut store = MemoryStore::new();
        let key = |text: &'static str| Bytes::from_static(text.as_bytes());
        let put = |k, v| StoreRequest::Batch { require: vec![], delete: vec![], put: vec![(key(k), key(v))] };
        store.execute(put("a", "1"));
        store.execute(put("b", "2"));
        let before = store.clone();
        let refused = store.execute(StoreRequest::Batch {
            require: vec![(key("a"), Some(key("1"))), (key("b"), None)],
            delete: vec![(key("a"), key("z"))],
            put: vec![(key("c"), key("3"))],
        });
        assert_eq!(refused, StoreResponse::Refused { key: key("b") });
        assert_eq!(store, before);
    }
}
