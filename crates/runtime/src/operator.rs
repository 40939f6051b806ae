//! The contracts of operators and sources. Neither sees a barrier's alignment, a serialised byte, a clock or a thread.

use bytes::Bytes;
use tidegate_data::Chunk;
use tidegate_diag::Diagnostic;

use crate::element::{CheckpointId, WatermarkStatus};
use crate::state::StateVisitor;
use crate::store::{Key, RequestId, StoreRequest, StoreResponse};
use crate::view::TransactionStep;

/// Whether a call is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The element (or event) is worked off.
    Done,
    /// More rows are to come: call [`Operator::resume`]. No element and no barrier is handed in before `Done`.
    More,
    /// Nothing can go on before a store response arrives; then [`Operator::resume`] is called. No element and no barrier in between.
    Wait,
}

/// Why a subtask fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What went wrong (TG4xxx, TG5xxx).
    pub diagnostic: Diagnostic,
}

/// What every call gives back.
pub type Outcome = Result<Progress, Failure>;

/// Where an operator runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubtaskInfo {
    /// Number of the subtask, from 0.
    pub index: u32,
    /// How many there are.
    pub parallelism: u32,
    /// The number of key groups (128).
    pub max_parallelism: u32,
    /// The attempt of the job, from 1: an epoch for fencing writers of earlier attempts.
    pub attempt: u64,
    /// The job's name in the store: the first part of its keys.
    pub job: String,
}

/// What an operator may do while it is called. Implemented by the runtime (and by the test harness).
pub trait Context {
    /// Hands rows to the next operator: 1 to [`Chunk::MAX_ROWS`] rows a call of the operator in all, no empty chunks.
    fn emit(&mut self, chunk: Chunk);
    /// Sends a watermark (sources and the watermark assigner only; elsewhere the runtime forwards them). One equal to the last is left out. After
    /// `emit_status(Idle)` the next row or watermark says by itself that the output is active again.
    fn emit_watermark(&mut self, watermark: i64);
    /// Sends a status (sources and the watermark assigner only).
    fn emit_status(&mut self, status: WatermarkStatus);
    /// The watermark as of now, in ms; `None` before the first.
    fn watermark(&self) -> Option<i64>;
    /// Processing time in ms, as of the last time event.
    fn now(&self) -> i64;
    /// Asks for [`Operator::on_processing_time`] once processing time has reached `at`; a source is polled again, an operator that waits is resumed.
    /// Of several times asked for, the earliest counts, and it counts once.
    fn wake_at(&mut self, at: i64);
    /// The same, but for something that need not come about: the job may come to its end before. The last call counts.
    fn watch_for(&mut self, at: Option<i64>) {
        let _ = at;
    }
    /// Whether somebody watches: chunks then carry origins.
    fn watched(&self) -> bool;
    /// Issues a request; the answer comes through `on_response`.
    fn request(&mut self, request: StoreRequest) -> RequestId;
    /// Counts rows that came too late and were dropped.
    fn late_rows(&mut self, count: u64);
    /// Tells that a transaction of a sink has come further, for those who watch.
    fn transaction(&mut self, name: &str, step: TransactionStep) {
        let _ = (name, step);
    }
    /// What holds in the store as long as no other attempt of this job has taken over; nothing where there are no attempts.
    fn claim(&self) -> Option<(Key, Option<Bytes>)> {
        None
    }
    /// Where this runs.
    fn subtask(&self) -> &SubtaskInfo;
}

/// An operator of a chain. All methods but `on_chunk` have a default that does nothing.
///
/// Order of calls: `state` + `restored` once (after state was loaded, if any), then elements. The runtime aligns barriers, takes
/// snapshots through `state`, and forwards watermarks after `on_watermark` is `Done`.
pub trait Operator {
    /// Shows every state table to `visitor`, always the same ones under the same names.
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        let _ = visitor;
    }
    /// State has been loaded (or there was none): rebuild what is derived from it. May issue requests and `Wait`.
    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        let _ = cx;
        Ok(Progress::Done)
    }
    /// Rows on input `input`.
    fn on_chunk(&mut self, input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome;
    /// The minimum over all inputs has risen to `watermark`.
    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        let _ = (watermark, cx);
        Ok(Progress::Done)
    }
    /// Processing time has reached a time asked for by `wake_at`.
    fn on_processing_time(&mut self, cx: &mut dyn Context) -> Outcome {
        let _ = cx;
        Ok(Progress::Done)
    }
    /// Goes on after `More`, or after `Wait` once a response has come.
    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        let _ = cx;
        Ok(Progress::Done)
    }
    /// An answer of the store. It may come between any two other calls, also while waiting.
    fn on_response(&mut self, id: RequestId, response: StoreResponse, cx: &mut dyn Context) -> Result<(), Failure> {
        let _ = (id, response, cx);
        Ok(())
    }
    /// Input `input` has ended (the last watermark has come before).
    fn end_input(&mut self, input: usize, cx: &mut dyn Context) -> Outcome {
        let _ = (input, cx);
        Ok(Progress::Done)
    }
    /// The barrier of `checkpoint` has aligned, the snapshot follows: flush, pre-commit. `Wait` until the store has it.
    fn pre_barrier(&mut self, checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        let _ = (checkpoint, cx);
        Ok(Progress::Done)
    }
    /// The checkpoint is complete: commit. Idempotent; may be called for several checkpoints late, or never (then a later one covers it).
    fn on_checkpoint_complete(&mut self, checkpoint: CheckpointId, cx: &mut dyn Context) -> Result<(), Failure> {
        let _ = (checkpoint, cx);
        Ok(())
    }
    /// The checkpoint was given up; what was pre-committed for it stays pending.
    fn on_checkpoint_aborted(&mut self, checkpoint: CheckpointId, cx: &mut dyn Context) -> Result<(), Failure> {
        let _ = (checkpoint, cx);
        Ok(())
    }
    /// Transactions that are not committed have `left` ms at the most, whatever was said when they began.
    ///
    /// # Errors
    /// When that is no time at all and the operator cannot go on without them.
    fn shorten_transactions(&mut self, left: i64, cx: &mut dyn Context) -> Result<(), Failure> {
        let _ = (left, cx);
        Ok(())
    }
    /// Transactions that are not at their end: what becomes of them if the operator goes, and no other comes after it.
    fn left_open(&self) -> Vec<LeftOpen> {
        Vec::new()
    }
    /// Whether nothing is left to do after the end of input (a transactional sink still has to commit).
    fn is_finished(&self) -> bool {
        true
    }
    /// The watermark to forward for `watermark` (an interval join holds it back). One that is not above the last one sent is not forwarded:
    /// the watermark assigner gives `i64::MIN` for all but the last (`i64::MAX`), as Flink's does.
    fn output_watermark(&self, watermark: i64) -> i64 {
        watermark
    }
    /// Whether idle and active of the input are handed on (not by the watermark assigner, which says so itself).
    fn forwards_status(&self) -> bool {
        true
    }
}

/// A transaction whose writer is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOpen {
    /// Its name, as its writer has it.
    pub name: String,
    /// When its time is over, ms; `None`: rows were still being written into it, and it is of no use to anybody.
    pub until: Option<i64>,
    /// Rolls it back, on condition that it is still open.
    pub rollback: StoreRequest,
}

/// What a source has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polled {
    /// It emitted something (at most one chunk, or watermark or status).
    Emitted,
    /// Nothing now: wait for input, a response, or the time asked for.
    Pending,
    /// Nothing ever again: the runtime sends the last watermark and `End`.
    Ended,
    /// Nothing ever, because no split is this subtask's: the runtime sends idle and `End`, but no last watermark. Such a subtask says nothing about
    /// time; were it to say that all time is over, an idle split elsewhere would let that count, and its later rows would be late.
    Unused,
}

/// The head of a chain that reads from outside. Positions go into its state tables and thereby into checkpoints.
pub trait Source {
    /// See [`Operator::state`].
    fn state(&mut self, visitor: &mut dyn StateVisitor);
    /// See [`Operator::restored`].
    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        let _ = cx;
        Ok(Progress::Done)
    }
    /// Emits at most `limit` rows (1 when stepping). After `Pending` it is polled again when something was fed, answered or its time has come.
    fn poll(&mut self, limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure>;
    /// See [`Operator::on_response`].
    fn on_response(&mut self, id: RequestId, response: StoreResponse, cx: &mut dyn Context) -> Result<(), Failure> {
        let _ = (id, response, cx);
        Ok(())
    }
    /// Rows, watermarks or marks fed by hand or by the driver of a case for split `split` of this source's table.
    /// Every subtask of the source is fed all splits: it takes those it owns.
    /// Everything fed since the job began is fed again, in order, to a new attempt (after its state was loaded, before `restored`): the source
    /// skips what its position has passed.
    fn feed(&mut self, split: u32, items: &[FeedItem]) {
        let _ = (split, items);
    }
    /// See [`Operator::on_checkpoint_complete`].
    fn on_checkpoint_complete(&mut self, checkpoint: CheckpointId, cx: &mut dyn Context) -> Result<(), Failure> {
        let _ = (checkpoint, cx);
        Ok(())
    }
    /// How far the splits of this subtask have been read; none where a source has no splits.
    fn read(&self) -> Vec<SplitRead> {
        Vec::new()
    }
}

/// How far a split has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitRead {
    /// Its number.
    pub split: u32,
    /// The number of the row that is read next: an offset in a log, the rows or items before it elsewhere.
    pub position: u64,
    /// When the first attempt began, ms, if the rows depend on that.
    pub began: Option<i64>,
}

/// One item fed to an `inline` source.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum FeedItem {
    /// A row: one value per physical column.
    Row(tidegate_data::RowKind, Vec<tidegate_data::Value>),
    /// An explicit watermark, ms.
    Watermark(i64),
    /// Idle until the next row.
    Idle,
    /// The table ends.
    End,
}
