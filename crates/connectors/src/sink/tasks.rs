//! The work that every sink has: opening its writer, and committing.

use std::collections::VecDeque;
use std::rc::Rc;

use bytes::Bytes;
use tidegate_runtime::mistakes::{Mistake, planted};
use tidegate_runtime::{Failure, Key};

use super::Committer;
use crate::client::{Answer, Ask, Done, Task, Write, unexpected};
use crate::transaction::{Names, OPEN, Transaction, only};

/// Entries to read in one request.
const PAGE: usize = 1_024;

/// Fences off earlier writers of a subtask and of those that it stands in for, then looks for what they left open.
pub(super) struct OpenTask {
    names: Names,
    subtask: u32,
    parallelism: u32,
    /// Writers to be fenced off, the subtask's own last.
    writers: VecDeque<u32>,
    epoch: u64,
    left_open: Vec<Transaction>,
    asked: Asked,
}

enum Asked {
    Nothing,
    Writers,
    Epoch(u32),
    Takeover,
    Open,
}

impl OpenTask {
    pub fn new(names: Names, subtask: u32, parallelism: u32) -> OpenTask {
        let (writers, left_open) = (VecDeque::new(), Vec::new());
        OpenTask { names, subtask, parallelism, writers, epoch: 0, left_open, asked: Asked::Nothing }
    }

    fn mine(&self, subtask: u32) -> bool {
        subtask % self.parallelism == self.subtask
    }

    fn next_writer(&mut self, from: Option<Key>) -> Ask {
        match self.writers.front() {
            Some(subtask) => {
                self.asked = Asked::Epoch(*subtask);
                Ask::Get(self.names.writer(*subtask))
            }
            None => {
                self.asked = Asked::Open;
                let (first, to) = self.names.all_open();
                Ask::Scan(from.unwrap_or(first), to, PAGE)
            }
        }
    }
}

impl Task for OpenTask {
    fn next(&mut self, answer: Answer) -> Result<Ask, Failure> {
        match (&self.asked, answer) {
            (Asked::Nothing, Answer::Begin) => {
                self.asked = Asked::Writers;
                let (from, to) = self.names.writers();
                Ok(Ask::Scan(from, to, PAGE))
            }
            (Asked::Writers, Answer::Entries(entries)) => {
                let found = entries.iter().filter_map(|(key, _)| self.names.subtask_of(key));
                self.writers = found.filter(|subtask| self.mine(*subtask) && *subtask != self.subtask).collect();
                self.writers.push_back(self.subtask);
                Ok(self.next_writer(None))
            }
            (Asked::Epoch(subtask), Answer::Value(value)) => {
                let subtask = *subtask;
                self.epoch = value.as_deref().map_or(0, epoch_of) + 1;
                self.asked = Asked::Takeover;
                let key = self.names.writer(subtask);
                let put = vec![(key.clone(), Bytes::from(format!("{}:0", self.epoch)))];
                Ok(Ask::Unguarded(Write { require: vec![(key, value)], delete: Vec::new(), put }))
            }
            // Somebody was quicker, or it was ourselves and the answer was lost: look again.
            (Asked::Takeover, Answer::Refused) => Ok(self.next_writer(None)),
            (Asked::Takeover, Answer::Written) => {
                self.writers.pop_front();
                Ok(self.next_writer(None))
            }
            (Asked::Open, Answer::Entries(entries)) => {
                let found = entries.iter().filter_map(|(key, _)| self.names.transaction_of(key));
                self.left_open
                    .extend(found.filter(|transaction| transaction.subtask % self.parallelism == self.subtask));
                match entries.last() {
                    Some((last, _)) if entries.len() == PAGE => Ok(self.next_writer(Some(only(last.clone()).1))),
                    _ => {
                        let left_open = std::mem::take(&mut self.left_open);
                        Ok(Ask::Done(Done::Opened(self.names.writer(self.subtask), self.epoch, left_open)))
                    }
                }
            }
            (_, answer) => Err(unexpected(&answer)),
        }
    }
}

fn epoch_of(value: &[u8]) -> u64 {
    let text = std::str::from_utf8(value).unwrap_or_default();
    text.split(':').next().and_then(|epoch| epoch.parse().ok()).unwrap_or(0)
}

/// Commits a transaction unless it is committed already.
pub(super) struct CommitTask {
    names: Names,
    transaction: Transaction,
    committer: Rc<dyn Committer>,
    staged: Vec<(Key, Bytes)>,
    /// It has been committed before, and is nevertheless committed again.
    again: bool,
}

impl CommitTask {
    pub fn new(names: Names, transaction: Transaction, committer: Rc<dyn Committer>) -> CommitTask {
        CommitTask { names, transaction, committer, staged: Vec::new(), again: false }
    }

    fn mark(&self) -> Bytes {
        format!("{:010}-{:010}", self.transaction.epoch, self.transaction.number).into()
    }

    fn commit(&mut self) -> Ask {
        let mut write = self.committer.commit(self.transaction, std::mem::take(&mut self.staged));
        if planted(Mistake::CommitWithoutId) {
            // What was staged stays, and each time rows get names of their own.
            write.delete.clear();
            let rows =
                write.put.iter_mut().filter(|(key, _)| self.again && key.windows(5).any(|part| part == b"/row/"));
            rows.for_each(|(key, _)| *key = Key::from([&key[..], b"+"].concat()));
            if self.again {
                return Ask::Write(write);
            }
        }
        let open = self.names.open(self.transaction);
        write.require.push((open.clone(), Some(Bytes::from_static(OPEN))));
        write.delete.push(only(open));
        write.put.push((self.names.done(self.transaction.subtask), self.mark()));
        Ask::Write(write)
    }
}

impl Task for CommitTask {
    fn next(&mut self, answer: Answer) -> Result<Ask, Failure> {
        match answer {
            Answer::Begin => Ok(Ask::Get(self.names.done(self.transaction.subtask))),
            // The marks of one subtask ascend as texts too.
            Answer::Value(done) if done.as_ref() >= Some(&self.mark()) => match self.committer.staged(self.transaction)
            {
                Some((from, to)) if planted(Mistake::CommitWithoutId) => {
                    self.again = true;
                    Ok(Ask::Scan(from, to, PAGE))
                }
                _ => Ok(Ask::Done(Done::Plain)),
            },
            Answer::Value(_) => match self.committer.staged(self.transaction) {
                Some((from, to)) => Ok(Ask::Scan(from, to, PAGE)),
                None => Ok(self.commit()),
            },
            Answer::Entries(entries) => {
                let full = entries.len() == PAGE;
                self.staged.extend(entries);
                match (self.staged.last(), self.committer.staged(self.transaction)) {
                    (Some((last, _)), Some((_, to))) if full => Ok(Ask::Scan(only(last.clone()).1, to, PAGE)),
                    _ => Ok(self.commit()),
                }
            }
            Answer::Written => Ok(Ask::Done(Done::Plain)),
            // It is open no more: its time was over, or its topic or table was cleared. As in Flink its rows are lost, and the job goes on.
            Answer::Refused => Ok(Ask::Done(Done::Lost)),
        }
    }
}

/// Rolls a transaction back, unless it is open no more: then it is committed, or rolled back already.
pub(super) struct ExpireTask {
    open: Key,
    rollback: Option<Write>,
}

impl ExpireTask {
    pub fn new(open: Key, rollback: Write) -> ExpireTask {
        ExpireTask { open, rollback: Some(rollback) }
    }
}

impl Task for ExpireTask {
    fn next(&mut self, answer: Answer) -> Result<Ask, Failure> {
        match (answer, self.rollback.take()) {
            (Answer::Begin, rollback) => {
                self.rollback = rollback;
                Ok(Ask::Get(self.open.clone()))
            }
            (Answer::Value(None), _) => Ok(Ask::Done(Done::Lost)),
            (Answer::Value(Some(_)), Some(rollback)) => Ok(Ask::Write(rollback)),
            (Answer::Written, _) => Ok(Ask::Done(Done::Plain)),
            (answer, _) => Err(unexpected(&answer)),
        }
    }
}
