//! The frame of all sinks into the log and the table store: a writer, a committer, and in between what Flink calls two-phase commit.
//!
//! | guarantee | on the barrier | when the checkpoint is complete |
//! |---|---|---|
//! | `none` | nothing | nothing |
//! | `at-least-once` | what is buffered is written; the barrier waits for it | nothing |
//! | `exactly-once` | the same, into a transaction that is then pre-committed: it becomes a committable in the state | the committables of this and of earlier, aborted checkpoints are committed, oldest first |
//!
//! State: `committables`, transaction to checkpoint; an entry goes when its commit is through, so a restored one may be
//! committed again, which the store's `done` key makes harmless.
//!
//! Opening (before the first row, after a restore): earlier writers of the subtask, and of subtasks that no longer exist, are
//! fenced off by a new epoch. Then the committables of the state are committed, and every other open transaction is aborted.
//!
//! A transaction that is not committed when its time is over (`transaction.timeout.ms`) is rolled back then and there, as a broker
//! does by itself: the writer asks to be woken at that time. If a completed checkpoint holds it its rows are lost, as in Flink: the sink
//! says so, with their number, and goes on. If rows are still being written into it the subtask fails, and they come again.
//!
//! A job that ends otherwise than by itself and is not started again leaves its transactions to the runtime ([`Operator::left_open`]):
//! the one that rows were written into is rolled back at once, the others when their time is over.
//!
//! Invariants: a transaction is committed only if a completed checkpoint holds it; it is aborted only if no checkpoint that
//! can still be restored does, or its time is over; commits of a subtask happen in the order of its transactions.

mod tasks;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::rc::Rc;
use tidegate_data::sorted::{SortedMap, SortedSet};

use bytes::Bytes;
use tidegate_data::Chunk;
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::mistakes::{Mistake, planted};
use tidegate_runtime::state::{ListTable, Scope, StateVisitor};
use tidegate_runtime::view::TransactionStep;
use tidegate_runtime::{
    CheckpointId, Context, Failure, Key, LeftOpen, Operator, Outcome, Progress, RequestId, StoreRequest, StoreResponse,
};

use crate::client::{Client, Done, Task, Write};
use crate::options::Options;
use crate::positions::number;
use crate::transaction::{Names, Transaction};

const TIMED_OUT: Code = Code::new("TG5074");
/// How long a transaction may be open if nobody says otherwise, ms: that of Flink's Kafka sink.
const TIMEOUT: i64 = 3_600_000;
/// Rows that may wait for the store before the subtask takes no more.
const ROOM: usize = 32_768;

/// `sink.delivery-guarantee`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guarantee {
    /// Rows may be lost, and doubled.
    None,
    /// None is lost.
    AtLeastOnce,
    /// None is lost, none doubled.
    ExactlyOnce,
}

impl Guarantee {
    /// As the table's options have it.
    pub fn of(options: Options<'_>) -> Guarantee {
        match options.word("sink.delivery-guarantee", "at-least-once").as_str() {
            "none" => Guarantee::None,
            "exactly-once" => Guarantee::ExactlyOnce,
            _ => Guarantee::AtLeastOnce,
        }
    }
}

/// How long a transaction of the sink may be open, ms.
pub(crate) fn timeout_of(options: Options<'_>) -> i64 {
    let kafkas = options.int("properties.transaction.timeout.ms").filter(|ms| *ms > 0);
    kafkas.unwrap_or_else(|| options.duration("sink.transaction-timeout", TIMEOUT))
}

/// A transaction that rows are written into, with the keys that go with it.
pub(crate) struct Open {
    /// The transaction.
    pub transaction: Transaction,
    /// Its name within the topic or table.
    pub id: String,
    /// What says that it is open: to be part of every write into it.
    pub marker: (Key, Bytes),
}

/// What writes rows: a part of the sink that knows keys and encodings, but neither checkpoints nor failures.
pub(crate) trait SinkWriter {
    /// The writer is open; `epoch` is one that no writer of the subtask has had before.
    fn opened(&mut self, subtask: u32, epoch: u64);
    /// Takes rows into the buffer.
    ///
    /// # Errors
    /// When a row cannot be written at all.
    fn write(&mut self, chunk: &Chunk, now: i64) -> Result<(), Failure>;
    /// Rows in the buffer.
    fn buffered(&self) -> usize;
    /// The time at which the buffer should be written if nothing else demands it; `None` when it is empty.
    fn due(&self) -> Option<i64>;
    /// Takes rows out of the buffer (all, or so many as a batch should hold) and gives the work that writes them.
    fn flush(&mut self, into: Option<&Open>, now: i64) -> Box<dyn Task>;
}

/// What ends transactions.
pub(crate) trait Committer {
    /// The range of what is staged for a transaction, if it must be read to commit it.
    fn staged(&self, transaction: Transaction) -> Option<(Key, Key)>;
    /// Makes visible what was written, given what is staged.
    fn commit(&self, transaction: Transaction, staged: Vec<(Key, Bytes)>) -> Write;
    /// Undoes what was written.
    fn abort(&self, transaction: Transaction) -> Write;
}

/// What the client works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Open,
    Flush,
    Commit(Transaction),
    Abort(Transaction),
    /// As `Abort`, because its time is over; unless it is committed already.
    Expire(Transaction),
}

/// Why the subtask takes no element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Nothing,
    /// The writer is not open.
    Open,
    /// The buffer is full.
    Room,
    /// What is buffered must be written before this checkpoint's snapshot.
    Barrier(CheckpointId),
    /// What is buffered must be written, for nothing comes any more.
    End,
}

/// A sink operator.
pub(crate) struct TwoPhase {
    names: Names,
    guarantee: Guarantee,
    timeout: i64,
    writer: Box<dyn SinkWriter>,
    committer: Rc<dyn Committer>,
    /// Transaction to checkpoint, deadline and rows.
    committables: ListTable,
    client: Client,
    current: Option<Work>,
    queue: VecDeque<Work>,
    /// Transactions whose commit is queued or under way.
    committing: SortedSet<Transaction>,
    waiting: Waiting,
    subtask: u32,
    parallelism: u32,
    epoch: u64,
    transactions: u64,
    open: Option<Open>,
    /// When the times of the open transaction and of the committables are over, ms.
    deadlines: SortedMap<Transaction, i64>,
    /// Rows in each of them.
    rows: SortedMap<Transaction, u64>,
    /// Those that are being rolled back because of that, or have been.
    expired: SortedSet<Transaction>,
    /// The commit that has been sent last.
    in_doubt: Option<Transaction>,
    is_open: bool,
}

impl TwoPhase {
    /// A sink of the given parts for one subtask.
    pub fn new(
        names: Names,
        (guarantee, timeout): (Guarantee, i64),
        writer: Box<dyn SinkWriter>,
        committer: Rc<dyn Committer>,
    ) -> TwoPhase {
        TwoPhase {
            names,
            guarantee,
            timeout,
            writer,
            committer,
            committables: ListTable::new(
                Scope::Union,
                "committables: subtask, epoch, number -> checkpoint, deadline",
                |key, value| {
                    let name =
                        Transaction::from_state(key).map_or_else(String::new, |transaction| transaction.to_string());
                    (name, format!("checkpoint {}", number(value, 0)))
                },
            ),
            client: Client::new(),
            current: None,
            queue: VecDeque::new(),
            committing: SortedSet::new(),
            waiting: Waiting::Nothing,
            subtask: 0,
            parallelism: 1,
            epoch: 0,
            transactions: 0,
            open: None,
            deadlines: SortedMap::new(),
            rows: SortedMap::new(),
            expired: SortedSet::new(),
            in_doubt: None,
            is_open: false,
        }
    }

    /// Whether the time of a transaction is over.
    fn is_over(&self, transaction: Transaction, now: i64) -> bool {
        self.deadlines.get(&transaction).is_some_and(|deadline| *deadline <= now)
    }

    fn tell(&self, transaction: Transaction, step: TransactionStep, cx: &mut dyn Context) {
        cx.transaction(&self.names.id(transaction), step);
    }

    /// The committables: transaction, checkpoint, deadline, rows.
    fn pending(&self) -> Vec<(Transaction, CheckpointId, i64, u64)> {
        let entries = self.committables.iter();
        let entry = |key: &[u8], value: &[u8]| {
            Some((Transaction::from_state(key)?, number(value, 0), number(value, 8) as i64, number(value, 16)))
        };
        entries.filter_map(|(key, value)| entry(key, value)).collect()
    }

    /// A transaction whose time is over and that nobody has rolled back yet.
    fn time_over(&mut self, now: i64) -> Option<Transaction> {
        let over =
            |(transaction, deadline): &(&Transaction, &i64)| **deadline <= now && !self.expired.contains(transaction);
        let transaction = *self.deadlines.iter().filter(|_| self.is_open).find(over)?.0;
        self.expired.insert(transaction);
        Some(transaction)
    }

    /// Asks to be woken when the time of the next transaction is over.
    fn watch_deadlines(&self, cx: &mut dyn Context) {
        let left = self.deadlines.iter().filter(|(transaction, _)| !self.expired.contains(transaction));
        cx.watch_for(left.map(|(_, deadline)| *deadline).filter(|at| *at > cx.now()).min());
    }

    /// Lets the client go on to the next piece of work, as long as one is done at once.
    fn pump(&mut self, cx: &mut dyn Context) -> Result<(), Failure> {
        self.work_off(cx)?;
        // From here on it is open whether it has been committed.
        if let Some(Work::Commit(transaction)) = self.current
            && self.client.is_writing()
            && self.in_doubt.replace(transaction) != Some(transaction)
        {
            self.tell(transaction, TransactionStep::CommitSent, cx);
        }
        self.watch_deadlines(cx);
        Ok(())
    }

    fn work_off(&mut self, cx: &mut dyn Context) -> Result<(), Failure> {
        while self.client.is_idle() {
            let forced = matches!(self.waiting, Waiting::Barrier(_) | Waiting::End);
            let work = if let Some(transaction) = self.time_over(cx.now()) {
                Work::Expire(transaction)
            } else if self.is_open && forced && self.writer.buffered() > 0 {
                Work::Flush
            } else if let Some(work) = self.queue.pop_front() {
                work
            } else {
                match self.writer.due().filter(|_| self.is_open) {
                    Some(at) if at <= cx.now() || self.waiting == Waiting::Room => Work::Flush,
                    Some(at) => {
                        cx.wake_at(at);
                        return Ok(());
                    }
                    None => return Ok(()),
                }
            };
            let task = self.task(work, cx)?;
            self.current = Some(work);
            // A transaction is fenced off by its commit, which takes a completed checkpoint.
            let started = match work == Work::Flush && self.guarantee != Guarantee::ExactlyOnce {
                true => self.client.start_claimed(task, cx)?,
                false => self.client.start(task, cx)?,
            };
            if let Some(done) = started {
                self.finished(done, cx)?;
            }
        }
        Ok(())
    }

    fn task(&mut self, work: Work, cx: &mut dyn Context) -> Result<Box<dyn Task>, Failure> {
        let now = cx.now();
        Ok(match work {
            Work::Open => Box::new(tasks::OpenTask::new(self.names.clone(), self.subtask, self.parallelism)),
            Work::Flush => {
                if self.guarantee == Guarantee::ExactlyOnce && self.open.is_none() {
                    self.transactions += 1;
                    let transaction =
                        Transaction { subtask: self.subtask, epoch: self.epoch, number: self.transactions };
                    let deadline = now.saturating_add(self.timeout);
                    self.deadlines.insert(transaction, deadline);
                    self.tell(transaction, TransactionStep::Begun { deadline }, cx);
                    self.open = Some(Open {
                        transaction,
                        id: self.names.id(transaction),
                        marker: (self.names.open(transaction), Bytes::from_static(crate::transaction::OPEN)),
                    });
                }
                if let Some(Open { transaction, .. }) = &self.open
                    && self.is_over(*transaction, now)
                {
                    return Err(self.timed_out(*transaction));
                }
                let before = self.writer.buffered();
                let task = self.writer.flush(self.open.as_ref(), now);
                if let Some(open) = &self.open {
                    let rows = before.saturating_sub(self.writer.buffered()) as u64;
                    *self.rows.get_or_default(open.transaction) += rows;
                }
                task
            }
            Work::Commit(transaction) => {
                self.tell(transaction, TransactionStep::Committing, cx);
                Box::new(tasks::CommitTask::new(self.names.clone(), transaction, self.committer.clone()))
            }
            Work::Abort(transaction) => Box::new(crate::client::WriteTask(Some(self.rollback(transaction)))),
            Work::Expire(transaction) => {
                Box::new(tasks::ExpireTask::new(self.names.open(transaction), self.rollback(transaction)))
            }
        })
    }

    fn rollback(&self, transaction: Transaction) -> Write {
        let mut write = self.committer.abort(transaction);
        write.delete.push(crate::transaction::only(self.names.open(transaction)));
        write
    }

    fn timed_out(&self, transaction: Transaction) -> Failure {
        let message = format!(
            "Transaction '{}' timed out while rows were written into it: the store has rolled it back.",
            self.names.id(transaction)
        );
        let hint = "Its rows come again from the last checkpoint; the transaction timeout should be longer than the checkpoint interval.";
        Failure { diagnostic: Diagnostic::error(TIMED_OUT, message).hint(hint) }
    }

    fn finished(&mut self, done: Done, cx: &mut dyn Context) -> Result<(), Failure> {
        match (self.current.take(), done) {
            (Some(Work::Open), Done::Opened(key, epoch, left_open)) => {
                self.client.opened(key, epoch);
                self.writer.opened(self.subtask, epoch);
                self.epoch = epoch;
                self.is_open = true;
                // What the restored checkpoint holds is committed (again), oldest first; what it does not hold is later: aborted.
                let committables = self.pending();
                for (transaction, _, deadline, rows) in &committables {
                    self.deadlines.insert(*transaction, *deadline);
                    self.rows.insert(*transaction, *rows);
                }
                let pending: SortedSet<Transaction> = committables.into_iter().map(|(t, ..)| t).collect();
                self.queue.extend(pending.iter().map(|t| Work::Commit(*t)));
                self.queue.extend(left_open.into_iter().filter(|t| !pending.contains(t)).map(Work::Abort));
                self.committing = pending;
            }
            (Some(Work::Commit(transaction)), done) => {
                let rows = self.rows.get(&transaction).copied().unwrap_or(0);
                let lost = matches!(done, Done::Lost);
                let step = if lost { TransactionStep::Lost { rows } } else { TransactionStep::Committed };
                self.ended(transaction, step, cx);
            }
            (Some(Work::Expire(transaction)), done) => {
                if matches!(done, Done::Plain) {
                    self.tell(transaction, TransactionStep::TimedOut, cx);
                }
                if self.open.as_ref().is_some_and(|open| open.transaction == transaction) {
                    return Err(self.timed_out(transaction));
                }
            }
            (Some(Work::Abort(transaction)), _) => self.ended(transaction, TransactionStep::Aborted, cx),
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, transaction: Transaction, step: TransactionStep, cx: &mut dyn Context) {
        self.committing.remove(&transaction);
        self.committables.remove(&transaction.to_state());
        self.deadlines.remove(&transaction);
        self.rows.remove(&transaction);
        self.expired.remove(&transaction);
        self.tell(transaction, step, cx);
    }

    /// The transaction is part of the state from now on.
    fn hold(&mut self, transaction: Transaction, checkpoint: CheckpointId, deadline: i64, rows: u64) {
        let value = [checkpoint.to_be_bytes(), deadline.to_be_bytes(), rows.to_be_bytes()].concat();
        self.committables.put(&transaction.to_state(), &value);
    }

    /// Whether what was waited for has come about; pre-commits if it was a barrier.
    fn settle(&mut self, cx: &mut dyn Context) -> Outcome {
        let written = self.writer.buffered() == 0 && self.current != Some(Work::Flush);
        let settled = match self.waiting {
            Waiting::Nothing => true,
            Waiting::Open => self.is_open && self.current.is_none() && self.queue.is_empty(),
            Waiting::Room => self.writer.buffered() <= ROOM / 2,
            Waiting::Barrier(_) | Waiting::End => written,
        };
        if !settled {
            return Ok(Progress::Wait);
        }
        if let (Waiting::Barrier(checkpoint), Some(open)) = (self.waiting, &self.open) {
            let transaction = open.transaction;
            if self.is_over(transaction, cx.now()) {
                return Err(self.timed_out(transaction));
            }
            let deadline = self.deadlines.get(&transaction).copied().unwrap_or(i64::MAX);
            let rows = self.rows.get(&transaction).copied().unwrap_or(0);
            self.hold(transaction, checkpoint, deadline, rows);
            self.tell(transaction, TransactionStep::PreCommitted { checkpoint, rows }, cx);
            if planted(Mistake::CommitBeforeCompletion) && self.committing.insert(transaction) {
                self.queue.push_back(Work::Commit(transaction));
            }
            self.open = None;
        }
        self.waiting = Waiting::Nothing;
        Ok(Progress::Done)
    }

    fn go_on(&mut self, cx: &mut dyn Context) -> Outcome {
        self.client.retry(cx);
        self.pump(cx)?;
        self.settle(cx)
    }

    fn wait_for(&mut self, waiting: Waiting, cx: &mut dyn Context) -> Outcome {
        debug_assert_eq!(self.waiting, Waiting::Nothing, "no element comes while one is waited for");
        self.waiting = waiting;
        self.go_on(cx)
    }
}

impl Operator for TwoPhase {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("committables", &mut self.committables);
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.subtask = cx.subtask().index;
        self.parallelism = cx.subtask().parallelism.max(1);
        // Every subtask sees all committables. Each removes those of others, who commit them before the next snapshot can be taken.
        for (transaction, ..) in self.pending() {
            if transaction.subtask % self.parallelism != self.subtask {
                self.committables.remove(&transaction.to_state());
            }
        }
        self.queue.push_back(Work::Open);
        self.wait_for(Waiting::Open, cx)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.writer.write(&chunk, cx.now())?;
        if self.writer.buffered() > ROOM { self.wait_for(Waiting::Room, cx) } else { self.go_on(cx) }
    }

    fn on_processing_time(&mut self, cx: &mut dyn Context) -> Outcome {
        self.go_on(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        self.go_on(cx)
    }

    fn on_response(&mut self, id: RequestId, response: StoreResponse, cx: &mut dyn Context) -> Result<(), Failure> {
        if let Some(done) = self.client.on_response(id, response, cx)? {
            self.finished(done, cx)?;
        }
        self.pump(cx)
    }

    fn end_input(&mut self, _input: usize, cx: &mut dyn Context) -> Outcome {
        self.wait_for(Waiting::End, cx)
    }

    fn pre_barrier(&mut self, checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        match self.guarantee {
            Guarantee::None => Ok(Progress::Done),
            _ => {
                let progress = self.wait_for(Waiting::Barrier(checkpoint), cx)?;
                if let (Progress::Wait, Some(open)) = (progress, &self.open) {
                    self.tell(open.transaction, TransactionStep::PreCommitting { checkpoint }, cx);
                }
                Ok(progress)
            }
        }
    }

    fn on_checkpoint_complete(&mut self, checkpoint: CheckpointId, cx: &mut dyn Context) -> Result<(), Failure> {
        for (transaction, of, ..) in self.pending() {
            if of <= checkpoint && self.committing.insert(transaction) {
                self.queue.push_back(Work::Commit(transaction));
            }
        }
        self.pump(cx)
    }

    fn shorten_transactions(&mut self, left: i64, cx: &mut dyn Context) -> Result<(), Failure> {
        let at = cx.now().saturating_add(left.max(0));
        for (transaction, deadline) in self.deadlines.iter_mut().filter(|(_, deadline)| **deadline > at) {
            *deadline = at;
            let step = TransactionStep::Shortened { deadline: at };
            cx.transaction(&self.names.id(*transaction), step);
        }
        // So that a restore does not forget it.
        for (transaction, checkpoint, deadline, rows) in self.pending() {
            self.hold(transaction, checkpoint, deadline.min(at), rows);
        }
        self.pump(cx)
    }

    fn left_open(&self) -> Vec<LeftOpen> {
        let left = |(transaction, deadline): (&Transaction, &i64)| {
            let Write { mut require, delete, put } = self.rollback(*transaction);
            require.push((self.names.open(*transaction), Some(Bytes::from_static(crate::transaction::OPEN))));
            // A write that is under way may come after its rollback.
            let idle = self.current != Some(Work::Flush);
            let of_no_use = idle && self.open.as_ref().is_some_and(|open| open.transaction == *transaction);
            let rollback = StoreRequest::Batch { require, delete, put };
            LeftOpen { name: self.names.id(*transaction), until: (!of_no_use).then_some(*deadline), rollback }
        };
        self.deadlines.iter().map(left).collect()
    }

    fn is_finished(&self) -> bool {
        let quiet = self.client.is_idle() && self.queue.is_empty() && self.writer.buffered() == 0;
        quiet && self.open.is_none() && self.committables.iter().next().is_none()
    }
}
