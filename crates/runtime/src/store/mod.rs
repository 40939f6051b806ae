//! The one small interface to everything that outlives a job: logs, tables and checkpoint storage are keys and values.
//!
//! A job never calls a [`Store`]: it issues [`StoreRequest`]s as effects, and the host answers with [`StoreResponse`]s when it has them.

mod memory;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub use memory::MemoryStore;

/// A key; keys are ordered bytewise.
pub type Key = Bytes;
/// Names a request of one job, ascending.
pub type RequestId = u64;

/// Something asked of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StoreRequest {
    /// The value of a key.
    Get {
        /// The key.
        key: Key,
    },
    /// The entries from `from` (inclusive) to `to` (exclusive), ascending, `limit` at the most.
    Scan {
        /// First key.
        from: Key,
        /// End, not included.
        to: Key,
        /// The most entries to give.
        limit: usize,
    },
    /// All or nothing: if every condition holds, all deletes, then all puts.
    Batch {
        /// Keys and the values that they must have (`None`: must be absent). This is how writers of a stale epoch are refused.
        require: Vec<(Key, Option<Bytes>)>,
        /// Ranges to delete: from (inclusive), to (exclusive).
        delete: Vec<(Key, Key)>,
        /// What to write.
        put: Vec<(Key, Bytes)>,
    },
}

/// An answer of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StoreResponse {
    /// To `Get`.
    Value(Option<Bytes>),
    /// To `Scan`.
    Entries(Vec<(Key, Bytes)>),
    /// To `Batch`: written, and durable.
    Done,
    /// To `Batch`: this condition does not hold; nothing was written.
    Refused {
        /// The key whose value is another.
        key: Key,
    },
    /// The store could not. Whether a batch was written is unknown only if `uncertain`.
    Failed {
        /// Why, for people.
        message: String,
        /// Whether the batch may have been written all the same.
        uncertain: bool,
    },
}

/// A store that answers at once: memory, or a folder.
pub trait Store {
    /// Carries out one request.
    fn execute(&mut self, request: StoreRequest) -> StoreResponse;
}
