//! The store of a simulated run: it counts what changes for readers of the sink, and writes down for a recording what was carried out.

use tidegate::replay::Entry;
use tidegate::store::{Key, MemoryStore, Store, StoreRequest, StoreResponse};

/// A store in memory that is watched.
#[derive(Default)]
pub(super) struct Shelf {
    /// The store itself.
    pub(super) inner: MemoryStore,
    /// How often something was written that is no checkpoint.
    pub(super) changes: u64,
    /// What becomes a recording, if one is made.
    pub(super) tape: Option<Vec<Entry>>,
}

impl Store for Shelf {
    fn execute(&mut self, request: StoreRequest) -> StoreResponse {
        let StoreRequest::Batch { delete, put, .. } = &request else { return self.inner.execute(request) };
        let other = |key: &Key| !key.starts_with(b"checkpoints/");
        let changes = put.iter().any(|(key, _)| other(key)) || delete.iter().any(|(from, _)| other(from));
        if let Some(tape) = &mut self.tape {
            tape.push(Entry::Outside(request.clone()));
        }
        let response = self.inner.execute(request);
        self.changes += u64::from(changes && response == StoreResponse::Done);
        response
    }
}
