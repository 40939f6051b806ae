//! Reading a topic as its readers see it, for the page, the command line and tests: requests to put to a store, and what the answers mean.

use tidegate_data::sorted::{SortedMap, SortedSet};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::{Key, Store, StoreRequest, StoreResponse};

use super::{ABORTED, COMMITTED, base, batch_key, ends, read_batch, read_batch_key, read_ends};
use crate::codec::Block;
use crate::transaction::{only, prefix};

const UNREADABLE: Code = Code::new("TG5042");

/// What a reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// What was written without a transaction or in a committed one, up to the first row of an open one in each partition.
    ReadCommitted,
    /// Everything.
    ReadUncommitted,
}

/// How the transaction of some rows stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// They were written without one.
    None,
    /// Neither committed nor aborted yet.
    Open,
    /// Committed.
    Committed,
    /// Aborted.
    Aborted,
}

/// A question about a topic: its rows, partition by partition, from some place on.
#[derive(Clone, Debug)]
pub struct Query {
    /// The topic.
    pub topic: String,
    /// What is seen.
    pub isolation: Isolation,
    /// Where to begin (a page's `next`, or [`Query::place`]); `None` at the first row of the first partition.
    pub from: Option<Key>,
    /// The most batches of a page.
    pub limit: usize,
}

/// Rows that were written together.
#[derive(Clone, Debug)]
pub struct LogBatch {
    /// The partition they are in.
    pub partition: u32,
    /// The offset of the first row.
    pub offset: u64,
    /// When they were written, ms since the epoch.
    pub timestamp: i64,
    /// The transaction they were written in.
    pub transaction: Option<String>,
    /// How it stands.
    pub status: Status,
    /// The rows; a `-D` is a tombstone, or a delete of a CDC format.
    pub rows: Block,
}

/// Rows of a topic.
#[derive(Clone, Debug)]
pub struct LogPage {
    /// The offset of the next row in each partition.
    pub ends: Vec<u64>,
    /// The batches, by partition and offset.
    pub batches: Vec<LogBatch>,
    /// Where the next page begins; `None` when this was the last.
    pub next: Option<Key>,
}

impl Query {
    /// A question about a whole topic.
    pub fn all(topic: impl Into<String>, isolation: Isolation) -> Query {
        Query { topic: topic.into(), isolation, from: None, limit: usize::MAX }
    }

    /// The first batch of `topic` that begins at `offset` or behind it.
    pub fn place(topic: &str, partition: u32, offset: u64) -> Key {
        batch_key(topic, partition, offset)
    }

    /// What to ask the store. The requests may be carried out at one go or one by one, in their order.
    pub fn requests(&self) -> Vec<StoreRequest> {
        let scan = |(from, to): (Key, Key), limit| StoreRequest::Scan { from, to, limit };
        let (first, to) = prefix(base(&self.topic) + "data/");
        vec![
            StoreRequest::Scan { from: self.from.clone().unwrap_or(first), to, limit: self.limit },
            scan(prefix(base(&self.topic) + "txn/"), usize::MAX),
            scan(ends(&self.topic), usize::MAX),
        ]
    }

    /// What the answers mean, in the order of the requests. A topic that does not exist has no partitions.
    ///
    /// # Errors
    /// When the store failed, or holds what no log sink writes (TG5042).
    pub fn decode(&self, responses: Vec<StoreResponse>) -> Result<LogPage, Diagnostic> {
        let topic = &self.topic;
        let mut scans = Vec::new();
        for response in responses {
            match response {
                StoreResponse::Entries(entries) => scans.push(entries),
                StoreResponse::Failed { message, .. } => {
                    return Err(Diagnostic::error(UNREADABLE, format!("Topic '{topic}' cannot be read: {message}")));
                }
                _ => return Err(unreadable(topic)),
            }
        }
        let Ok([data, transactions, ends]) = <[Vec<_>; 3]>::try_from(scans) else { return Err(unreadable(topic)) };
        let start = base(topic).len() + "txn/".len();
        let statuses: SortedMap<&[u8], Status> =
            transactions.iter().map(|(key, value)| (&key[start..], status_of(Some(value)))).collect();
        let next = data.last().filter(|_| data.len() == self.limit).map(|(key, _)| only(key.clone()).1);
        let mut batches = Vec::new();
        let mut stopped: SortedSet<u32> = SortedSet::new();
        for (key, value) in &data {
            let (partition, offset) = read_batch_key(topic, key).ok_or_else(|| unreadable(topic))?;
            let (timestamp, transaction, rows) = read_batch(value).ok_or_else(|| unreadable(topic))?;
            let status = match &transaction {
                None => Status::None,
                Some(name) => statuses.get(name.as_bytes()).copied().unwrap_or(Status::Open),
            };
            if self.isolation == Isolation::ReadCommitted {
                if status == Status::Open {
                    stopped.insert(partition);
                }
                if status == Status::Aborted || stopped.contains(&partition) {
                    continue;
                }
            }
            batches.push(LogBatch { partition, offset, timestamp, transaction, status, rows });
        }
        Ok(LogPage { ends: read_ends(&ends), batches, next })
    }
}

/// Asks for everything that a store holds of a topic, to put it into another store with [`copied`].
pub fn copy(topic: &str) -> StoreRequest {
    let (from, to) = prefix(base(topic));
    StoreRequest::Scan { from, to, limit: usize::MAX }
}

/// Puts into a store what another one has answered to [`copy`]; nothing if it did not.
pub fn copied(answer: StoreResponse) -> Option<StoreRequest> {
    match answer {
        StoreResponse::Entries(put) => Some(StoreRequest::Batch { require: Vec::new(), delete: Vec::new(), put }),
        _ => None,
    }
}

/// All rows of a topic in a store that answers at once.
///
/// # Errors
/// As [`Query::decode`].
pub fn read(store: &mut dyn Store, topic: &str, isolation: Isolation) -> Result<LogPage, Diagnostic> {
    let query = Query::all(topic, isolation);
    let answers = query.requests().into_iter().map(|request| store.execute(request)).collect();
    query.decode(answers)
}

/// How a transaction stands, by the value of its key.
pub(super) fn status_of(value: Option<&[u8]>) -> Status {
    match value {
        Some(COMMITTED) => Status::Committed,
        Some(ABORTED) => Status::Aborted,
        _ => Status::Open,
    }
}

pub(super) fn unreadable(topic: &str) -> Diagnostic {
    Diagnostic::error(UNREADABLE, format!("The log holds something in topic '{topic}' that no sink has written."))
        .hint("Clear the topic and run the job again.")
}
