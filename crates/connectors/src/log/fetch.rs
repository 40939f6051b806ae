//! One partition as a source reads it: batches fetched ahead, transactions looked up, rows handed out.

use std::collections::VecDeque;
use tidegate_data::sorted::{SortedMap, SortedSet};

use arrow_array::ArrayRef;
use bytes::Bytes;
use tidegate_data::{Chunk, Kinds, RowKind, Schema};
use tidegate_diag::Diagnostic;
use tidegate_runtime::{Context, Key, RequestId, StoreRequest, StoreResponse};

use super::read::{Status, status_of, unreadable};
use super::{batch_key, data, read_batch, read_batch_key, status_key};

/// Batches to read at once, and how few may be left before more are read.
const PAGE: usize = 16;
const LOW: usize = 4;

/// How rows are read.
pub(super) struct Manner {
    /// The columns wanted of each row.
    pub schema: Schema,
    /// Whether open and aborted transactions are left out.
    pub committed: bool,
    /// What stored rows are to the reader.
    pub kinds: ReadKinds,
    /// Whether values that do not fit are NULL instead of a failure.
    pub safe: bool,
    /// Rows written before this time are passed over, up to the first that was not.
    pub since: Option<i64>,
    /// Rows written at this time or later end the partition.
    pub until: Option<i64>,
    /// How long to wait at the end of a partition before looking again, ms.
    pub pause: i64,
}

/// What stored rows are to the reader.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadKinds {
    /// Rows; what deletes is passed over.
    Insert,
    /// `+I` and `-D`.
    Changelog,
    /// `+U` and `-D`: values and tombstones by key.
    Upsert,
}

/// Rows of a partition that can be emitted.
pub(super) struct Ready {
    /// The offset of the first row of the batch.
    pub base: u64,
    /// When they were written.
    pub timestamp: i64,
    /// The rows, and how many of them were handed out.
    pub rows: Chunk,
    /// The offset of each row; they need not be without gaps.
    pub offsets: Vec<u64>,
    /// The offset behind the batch.
    pub end: u64,
    pub taken: usize,
}

enum Fetch {
    /// Nothing is under way; the next look at the time given.
    Idle(i64),
    Scanning(RequestId),
    /// These batches wait for what became of transactions.
    Checking(Vec<(Key, Bytes)>, SortedMap<RequestId, String>, bool),
}

/// A partition.
pub(super) struct Partition {
    pub topic: usize,
    pub number: u32,
    /// The offset of the next row to hand out.
    pub next: u64,
    /// The offset of the batch it is in.
    pub base: u64,
    /// Reading ends before this offset.
    pub stop: u64,
    /// When the last row came.
    pub active: i64,
    pub ready: VecDeque<Ready>,
    fetched: u64,
    fetch: Fetch,
    started: bool,
    ended: bool,
    statuses: SortedMap<String, Status>,
}

impl Partition {
    /// A partition that is read from `next` on, which lies in the batch that begins at `base`.
    pub fn new(topic: usize, number: u32, next: u64, base: u64, stop: u64, now: i64) -> Partition {
        Partition {
            topic,
            number,
            next,
            base,
            stop,
            active: now,
            ready: VecDeque::new(),
            fetched: base,
            fetch: Fetch::Idle(i64::MIN),
            started: false,
            ended: false,
            statuses: SortedMap::new(),
        }
    }

    /// The first row to be read was found: from now on the time of writing does not matter.
    pub fn begin(&mut self) {
        self.started = true;
    }

    /// Whether the first row to be read was found.
    pub fn has_begun(&self) -> bool {
        self.started
    }

    /// Whether nothing comes any more.
    pub fn is_over(&self) -> bool {
        self.ready.is_empty() && (self.ended || self.next >= self.stop)
    }

    /// Looks again at once.
    pub fn nudge(&mut self) {
        if let Fetch::Idle(at) = &mut self.fetch {
            *at = i64::MIN;
        }
    }

    /// Reads ahead if it is time to.
    pub fn fetch(&mut self, topic: &str, cx: &mut dyn Context) {
        let Fetch::Idle(at) = self.fetch else { return };
        if self.ended || self.ready.len() > LOW || self.fetched >= self.stop {
            return;
        }
        if at > cx.now() {
            cx.wake_at(at);
            return;
        }
        let from = batch_key(topic, self.number, self.fetched);
        let request = StoreRequest::Scan { from, to: data(topic, self.number).1, limit: PAGE };
        self.fetch = Fetch::Scanning(cx.request(request));
    }

    /// Takes an answer in; false if it is not to a question of this partition.
    ///
    /// # Errors
    /// When what is stored cannot be read, or does not fit the columns.
    pub fn on_response(
        &mut self,
        topic: &str,
        id: RequestId,
        response: &StoreResponse,
        manner: &Manner,
        cx: &mut dyn Context,
    ) -> Result<bool, Diagnostic> {
        let later = cx.now().saturating_add(manner.pause);
        match (&mut self.fetch, response) {
            (Fetch::Scanning(asked), _) if *asked != id => return Ok(false),
            (Fetch::Checking(_, asked, _), _) if !asked.contains_key(&id) => return Ok(false),
            (Fetch::Idle(_), _) => return Ok(false),
            (Fetch::Scanning(_), StoreResponse::Entries(entries)) => {
                let full = entries.len() == PAGE;
                let mut asked = SortedMap::new();
                if manner.committed {
                    let mut names = SortedSet::new();
                    for (_, value) in entries {
                        let (_, name, _) = read_batch(value).ok_or_else(|| unreadable(topic))?;
                        names.extend(name.filter(|name| !self.statuses.contains_key(name)));
                    }
                    for name in names {
                        asked.insert(cx.request(StoreRequest::Get { key: status_key(topic, &name) }), name);
                    }
                }
                self.fetch = Fetch::Checking(entries.clone(), asked, full);
            }
            (Fetch::Checking(_, asked, _), StoreResponse::Value(value)) => {
                if let (Some(name), status) = (asked.remove(&id), status_of(value.as_deref())) {
                    self.statuses.insert(name, status);
                }
            }
            // The store is away: what was under way is begun anew.
            _ => {
                self.fetch = Fetch::Idle(later);
                cx.wake_at(later);
                return Ok(true);
            }
        }
        if let Fetch::Checking(entries, asked, full) = &mut self.fetch
            && asked.is_empty()
        {
            let (entries, full) = (std::mem::take(entries), *full);
            let blocked = self.take_in(topic, entries, manner)?;
            // What is open now may be committed when it is looked at again.
            self.statuses.retain(|_, status| *status != Status::Open);
            let at = if full && !blocked { i64::MIN } else { later };
            self.fetch = Fetch::Idle(at);
            self.fetch(topic, cx);
        }
        Ok(true)
    }

    /// Makes batches ready; true if an open transaction stands in the way.
    fn take_in(&mut self, topic: &str, entries: Vec<(Key, Bytes)>, manner: &Manner) -> Result<bool, Diagnostic> {
        for (key, value) in entries {
            let (_, base) = read_batch_key(topic, &key).ok_or_else(|| unreadable(topic))?;
            let (timestamp, transaction, block) = read_batch(&value).ok_or_else(|| unreadable(topic))?;
            let end = base + block.chunk.len as u64;
            let status = transaction.as_ref().map_or(Status::None, |name| match manner.committed {
                true => self.statuses.get(name).copied().unwrap_or(Status::Open),
                false => Status::None,
            });
            if status == Status::Open {
                return Ok(true);
            }
            self.fetched = end;
            if manner.until.is_some_and(|until| timestamp >= until) {
                self.ended = true;
                return Ok(false);
            }
            self.started |= manner.since.is_none_or(|since| timestamp >= since);
            let wanted = |row: usize| {
                let offset = base + row as u64;
                let stays = manner.kinds != ReadKinds::Insert || block.chunk.kind(row).adds();
                offset >= self.next && offset < self.stop && stays
            };
            let rows: Vec<u32> = match status == Status::Aborted || !self.started {
                true => Vec::new(),
                false => (0..block.chunk.len as u32).filter(|row| wanted(*row as usize)).collect(),
            };
            let columns: Vec<ArrayRef> =
                if rows.is_empty() { Vec::new() } else { block.columns(&manner.schema, manner.safe)? };
            let mut chunk = Chunk { columns, kinds: block.chunk.kinds.clone(), len: block.chunk.len, origins: None };
            if rows.len() < chunk.len && !rows.is_empty() {
                chunk = chunk.take(&rows);
            }
            chunk.kinds = match manner.kinds {
                ReadKinds::Insert => Kinds::Insert,
                ReadKinds::Changelog => chunk.kinds,
                ReadKinds::Upsert => {
                    let kind = |row| if chunk.kind(row).adds() { RowKind::UpdateAfter } else { RowKind::Delete };
                    Kinds::from((0..chunk.len).map(kind).collect::<Vec<_>>())
                }
            };
            chunk.len = rows.len();
            let offsets = rows.into_iter().map(|row| base + u64::from(row)).collect();
            self.ready.push_back(Ready { base, timestamp, rows: chunk, offsets, end, taken: 0 });
        }
        Ok(false)
    }

    /// Drops batches from the front of which no row is left, and says so by the position.
    pub fn skip_empty(&mut self) -> bool {
        let mut moved = false;
        while let Some(front) = self.ready.front()
            && front.taken == front.rows.len
        {
            self.next = front.end.min(self.stop).max(self.next);
            self.base = self.next;
            self.ready.pop_front();
            moved = true;
        }
        moved
    }

    /// Takes up to `limit` rows of the first batch: the rows, their offsets and when they were written.
    pub fn take(&mut self, limit: usize) -> Option<(Chunk, Vec<u64>, i64)> {
        let front = self.ready.front_mut()?;
        let count = limit.min(front.rows.len - front.taken);
        let rows = front.rows.slice(front.taken, count);
        let offsets = front.offsets[front.taken..front.taken + count].to_vec();
        front.taken += count;
        let timestamp = front.timestamp;
        (self.next, self.base) = (offsets.last()? + 1, front.base);
        self.skip_empty();
        Some((rows, offsets, timestamp))
    }
}
