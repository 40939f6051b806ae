//! A producer without transactions: how a person, or a generator of the page, puts rows into a topic.

use bytes::Bytes;
use tidegate_data::{Chunk, Schema};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::{Store, StoreRequest, StoreResponse};

use super::{batch_key, end, ends, read_ends, write_batch};

const NOT_WRITTEN: Code = Code::new("TG5043");

/// Rows on their way into a topic: put what [`Append::next`] asks to a store, hand it the answer, until it is done.
pub struct Append {
    topic: String,
    partitions: u32,
    partition: u32,
    value: Bytes,
    rows: u64,
    asked: Asked,
}

enum Asked {
    Ends,
    Create,
    Write { offset: u64 },
    Verify { offset: u64 },
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Put this to the store.
    Ask(StoreRequest),
    /// The rows are in the log.
    Done(Appended),
}

/// Where rows were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The partition.
    pub partition: u32,
    /// The offset of the first row.
    pub offset: u64,
}

impl Append {
    /// Rows for one partition of a topic (counted modulo the partitions that there are); the topic gets `partitions`
    /// partitions if it does not exist yet. `timestamp` is in ms since the epoch.
    pub fn new(topic: &str, partitions: u32, partition: u32, timestamp: i64, schema: &Schema, rows: &Chunk) -> Append {
        Append {
            topic: topic.to_owned(),
            partitions: partitions.max(1),
            partition,
            value: write_batch(timestamp, "", schema, rows).into(),
            rows: rows.len as u64,
            asked: Asked::Ends,
        }
    }

    /// The first request.
    pub fn begin(&mut self) -> StoreRequest {
        self.asked = Asked::Ends;
        let (from, to) = ends(&self.topic);
        StoreRequest::Scan { from, to, limit: usize::MAX }
    }

    /// What comes after an answer.
    ///
    /// # Errors
    /// When the store cannot write (TG5043).
    pub fn next(&mut self, answer: StoreResponse) -> Result<Step, Diagnostic> {
        let failed = |message: &str| {
            Err(Diagnostic::error(
                NOT_WRITTEN,
                format!("The rows were not written to topic '{}': {message}", self.topic),
            ))
        };
        Ok(Step::Ask(match (&self.asked, answer) {
            (Asked::Write { offset }, StoreResponse::Failed { uncertain: true, .. }) => {
                let (key, offset) = (batch_key(&self.topic, self.partition, *offset), *offset);
                self.asked = Asked::Verify { offset };
                StoreRequest::Get { key }
            }
            (_, StoreResponse::Failed { message, .. }) => return failed(&message),
            (Asked::Ends, StoreResponse::Entries(entries)) if entries.is_empty() => {
                self.asked = Asked::Create;
                let put = (0..self.partitions).map(|partition| (end(&self.topic, partition), Bytes::from_static(b"0")));
                StoreRequest::Batch {
                    require: vec![(end(&self.topic, 0), None)],
                    delete: Vec::new(),
                    put: put.collect(),
                }
            }
            (Asked::Ends, StoreResponse::Entries(entries)) => {
                let ends = read_ends(&entries);
                self.partition %= ends.len() as u32;
                let offset = ends[self.partition as usize];
                self.asked = Asked::Write { offset };
                let end = end(&self.topic, self.partition);
                StoreRequest::Batch {
                    require: vec![(end.clone(), Some(offset.to_string().into()))],
                    delete: Vec::new(),
                    put: vec![
                        (end, (offset + self.rows).to_string().into()),
                        (batch_key(&self.topic, self.partition, offset), self.value.clone()),
                    ],
                }
            }
            (Asked::Write { offset }, StoreResponse::Done) => {
                return Ok(Step::Done(Appended { partition: self.partition, offset: *offset }));
            }
            (Asked::Verify { offset }, StoreResponse::Value(Some(value))) if value == self.value => {
                return Ok(Step::Done(Appended { partition: self.partition, offset: *offset }));
            }
            // Somebody else was quicker, or the topic has just been made: look at the ends again.
            (Asked::Create | Asked::Write { .. }, StoreResponse::Done | StoreResponse::Refused { .. })
            | (Asked::Verify { .. }, StoreResponse::Value(_)) => self.begin(),
            _ => return failed("the store gave an answer to another question."),
        }))
    }

    /// Writes the rows into a store that answers at once.
    ///
    /// # Errors
    /// As [`Append::next`].
    pub fn run(mut self, store: &mut dyn Store) -> Result<Appended, Diagnostic> {
        let mut request = self.begin();
        loop {
            match self.next(store.execute(request))? {
                Step::Ask(next) => request = next,
                Step::Done(appended) => return Ok(appended),
            }
        }
    }
}
