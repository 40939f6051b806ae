//! What can be seen of a job from outside.

use serde::{Deserialize, Serialize};
use tidegate_diag::Diagnostic;

use crate::element::CheckpointId;
use crate::event::{Disturbance, Moment};
use crate::scenario::{Mishap, Planned};

/// A picture of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobView {
    /// The job's name, for people.
    pub name: String,
    /// Where it stands.
    pub state: JobState,
    /// Attempts since the name was first used, from 1; 0 before the store has answered.
    pub attempt: u64,
    /// Scheduler steps taken.
    pub step: u64,
    /// Host time, ms.
    pub now: i64,
    /// The vertices.
    pub vertices: Vec<VertexView>,
    /// The subtasks, vertex by vertex.
    pub subtasks: Vec<SubtaskView>,
    /// The channels.
    pub channels: Vec<ChannelView>,
    /// The checkpoint in progress; of several the one that is about to be decided, or the oldest.
    pub checkpoint: Option<CheckpointView>,
    /// Those in progress beside it, oldest first.
    pub others: Vec<CheckpointView>,
    /// Checkpoints that have come to an end, oldest first, at most 32.
    pub history: Vec<CheckpointView>,
    /// Checkpoints kept in the store, oldest first.
    pub retained: Vec<CheckpointId>,
    /// Transactions of its sinks, oldest first, at most 64.
    pub transactions: Vec<TransactionView>,
    /// What is planned to go wrong: list by list, the next first.
    pub planned: Vec<Vec<Planned>>,
    /// Events of the job, oldest first, at most 256.
    pub log: Vec<LogEntry>,
}

/// Where a job stands; Flink's job states, as far as they can be told apart here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum JobState {
    /// No step taken.
    Created,
    /// Waiting for the store, loading state.
    Restoring,
    /// Running.
    Running,
    /// Failed, starts again at `at` (ms).
    Restarting {
        /// When.
        at: i64,
    },
    /// All input worked off, all commits done.
    Finished,
    /// Failed for good.
    Failed(Diagnostic),
    /// Ended by hand.
    Canceled,
}

impl JobState {
    /// Whether nothing will happen any more.
    pub fn is_terminal(&self) -> bool {
        matches!(self, JobState::Finished | JobState::Failed(_) | JobState::Canceled)
    }
}

/// A vertex of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VertexView {
    /// Name of the chain.
    pub name: String,
    /// How many subtasks.
    pub parallelism: u32,
    /// Its operators, the source first if there is one.
    pub operators: Vec<OperatorView>,
}

/// An operator of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorView {
    /// Stable name of its state.
    pub uid: String,
    /// What people read.
    pub name: String,
    /// Flink's text of it.
    pub description: String,
}

/// What a subtask is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SubtaskStatus {
    /// Waiting for its state.
    Initializing,
    /// Running, or waiting for input.
    Running,
    /// An output channel is full.
    BackPressured,
    /// A barrier has come on some inputs and not on others.
    Aligning {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// Channels that have delivered the barrier.
        received: usize,
        /// Channels in all.
        of: usize,
    },
    /// State is being read out.
    Snapshotting {
        /// The checkpoint.
        checkpoint: CheckpointId,
    },
    /// An operator waits for the store.
    WaitingForStore,
    /// All input worked off; a sink may still have to commit.
    Closed,
    /// Done.
    Finished,
    /// It failed.
    Failed,
    /// Ended with the others.
    Canceled,
}

/// A picture of a subtask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubtaskView {
    /// Index of its vertex.
    pub vertex: usize,
    /// Its number within the vertex.
    pub index: u32,
    /// What it is doing.
    pub status: SubtaskStatus,
    /// Watermark at the head of the chain (for a source: the one last sent), ms; `None` before the first.
    pub watermark: Option<i64>,
    /// Whether its output is idle.
    pub idle: bool,
    /// Rows taken in (for a source: read).
    pub rows_in: u64,
    /// Rows given out.
    pub rows_out: u64,
    /// Rows that came too late and were dropped.
    pub late_rows: u64,
    /// Whether it has acknowledged the checkpoint in progress.
    pub acknowledged: Option<bool>,
    /// How far its part in a checkpoint in progress is that it has read out its state for, until that is acknowledged.
    pub parts: Vec<(CheckpointId, PartState)>,
    /// Steps taken.
    pub steps: u64,
    /// Whether it could take a step now.
    pub runnable: bool,
}

/// A subtask's part in a checkpoint, between the reading out of its state and the acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartState {
    /// It is being written.
    Writing,
    /// It is written, and the acknowledgement is on its way to the coordinator.
    Sent,
    /// It is written, and the acknowledgement was lost.
    Lost,
}

/// What an element on a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ElementView {
    /// So many rows.
    Rows(u32),
    /// A watermark, ms.
    Watermark(i64),
    /// Turns idle.
    Idle,
    /// Turns active.
    Active,
    /// A barrier.
    Barrier(CheckpointId),
    /// End of input.
    End,
}

/// A picture of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelView {
    /// Index of the edge in the graph.
    pub edge: usize,
    /// Vertex and subtask that send.
    pub from: (usize, u32),
    /// Vertex and subtask that receive.
    pub to: (usize, u32),
    /// The input of the receiver.
    pub input: usize,
    /// What is queued, next first, at most 16.
    pub queue: Vec<ElementView>,
    /// How many elements are queued in all.
    pub queued: usize,
    /// How many rows are queued in all.
    pub queued_rows: u64,
    /// How many elements fit.
    pub capacity: usize,
    /// Whether it waits for barriers of other channels.
    pub blocked: bool,
    /// On purpose it gives up an element in so many ms; 0: as fast as it can.
    pub pace: i64,
    /// The last watermark that was taken from it.
    pub watermark: Option<i64>,
    /// Whether it is idle.
    pub idle: bool,
    /// Whether its end has been taken.
    pub ended: bool,
    /// Elements sent since the attempt began.
    pub elements: u64,
    /// Rows sent since the attempt began.
    pub rows: u64,
}

/// How far a checkpoint has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckpointStatus {
    /// Its number is being reserved.
    Triggering,
    /// Barriers are under way.
    InProgress,
    /// All have acknowledged; it is being written down.
    Completing,
    /// Done.
    Completed,
    /// Given up.
    Failed(String),
}

/// A picture of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointView {
    /// Its number.
    pub id: CheckpointId,
    /// How far it has come.
    pub status: CheckpointStatus,
    /// Whether it was wanted by hand.
    pub by_hand: bool,
    /// Whether it is a savepoint.
    pub savepoint: bool,
    /// Step and host time (ms) of its start.
    pub triggered: (u64, i64),
    /// Step and host time (ms) of its end.
    pub ended: Option<(u64, i64)>,
    /// One per subtask, vertex by vertex; `None` until acknowledged.
    pub subtasks: Vec<Option<Acknowledgement>>,
    /// Bytes that it had to write.
    pub bytes: u64,
}

/// A subtask's figures about its part in a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledgement {
    /// Step at which it was sent.
    pub step: u64,
    /// Host time at which it was sent, ms.
    pub at: i64,
    /// Host time from the first barrier to the last, ms.
    pub alignment_ms: i64,
    /// Scheduler steps from the first barrier to the last.
    pub alignment_steps: u64,
    /// The most elements that were queued on blocked channels.
    pub queued: usize,
    /// Of a source: rows that it had read in this attempt, which come before the barrier.
    pub read: u64,
    /// State entries that had changed.
    pub entries: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Host time of the part during which the subtask stood still, ms.
    pub sync_ms: i64,
    /// Steps of that part.
    pub sync_steps: u64,
    /// Host time of the part during which it went on, ms.
    pub async_ms: i64,
}

/// A step of a sink's transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TransactionStep {
    /// Its first rows are being written.
    Begun {
        /// When the store gives it up unless it is committed, ms.
        deadline: i64,
    },
    /// The barrier is there, and rows before it are being written.
    PreCommitting {
        /// The checkpoint.
        checkpoint: CheckpointId,
    },
    /// All its rows are in the store, and it is part of a checkpoint's state: the participant's vote.
    PreCommitted {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// Rows in it.
        rows: u64,
    },
    /// It is about to be committed.
    Committing,
    /// The commit is on its way to the store: whether it has been carried out is open.
    CommitSent,
    /// It is committed: its rows are there for all.
    Committed,
    /// Its time was over, and the store has rolled it back.
    TimedOut,
    /// It is rolled back: its rows come again.
    Aborted,
    /// It could not be committed although a completed checkpoint holds it: its rows are lost.
    Lost {
        /// How many.
        rows: u64,
    },
    /// It has less time from now on.
    Shortened {
        /// When the store gives it up, ms.
        deadline: i64,
    },
}

impl TransactionStep {
    /// Whether nothing comes behind it.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Committed | Self::TimedOut | Self::Aborted | Self::Lost { .. })
    }
}

/// A sink's transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransactionView {
    /// Vertex and subtask of the sink that this attempt has, or the last one had.
    pub subtask: (usize, u32),
    /// Its name in the topic or table.
    pub name: String,
    /// The checkpoint that it was pre-committed for.
    pub checkpoint: Option<CheckpointId>,
    /// The last step.
    pub state: TransactionStep,
    /// When the store gives it up unless it is committed, ms.
    pub deadline: Option<i64>,
    /// Rows in it, once it is pre-committed.
    pub rows: u64,
    /// Scheduler step and host time (ms) of each step that was seen, oldest first.
    pub steps: Vec<(TransactionStep, u64, i64)>,
}

/// An event of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Scheduler step.
    pub step: u64,
    /// Host time, ms.
    pub at: i64,
    /// What happened.
    pub event: LogEvent,
}

/// What can happen to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LogEvent {
    /// An attempt began.
    Started {
        /// Its number.
        attempt: u64,
    },
    /// State was loaded.
    Restored {
        /// From this checkpoint.
        checkpoint: CheckpointId,
        /// Bytes read.
        bytes: u64,
        /// Rows that the sources had read in the attempt before; 0 if there was none in this engine.
        read: u64,
    },
    /// A checkpoint could not be read and the one before it is tried.
    CheckpointDamaged {
        /// Which.
        checkpoint: CheckpointId,
        /// Why.
        reason: String,
    },
    /// A checkpoint began.
    CheckpointTriggered {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// A checkpoint is complete.
    CheckpointCompleted {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// A checkpoint was given up.
    CheckpointAborted {
        /// Which.
        checkpoint: CheckpointId,
        /// Why.
        reason: String,
    },
    /// A checkpoint by hand was not begun.
    CheckpointRefused {
        /// Why.
        reason: String,
    },
    /// A transaction that a completed checkpoint holds could not be committed.
    TransactionLost {
        /// Its name.
        transaction: String,
        /// Rows in it.
        rows: u64,
    },
    /// A subtask was killed by hand.
    SubtaskKilled {
        /// Index of its vertex.
        vertex: usize,
        /// Its number.
        index: u32,
    },
    /// The attempt failed.
    Failed {
        /// Why.
        diagnostic: Diagnostic,
        /// The vertex and subtask where it happened, if it was one.
        subtask: Option<(usize, u32)>,
    },
    /// It starts again.
    Restarting {
        /// When (ms).
        at: i64,
    },
    /// Small segments of state were merged.
    Merged {
        /// Segments read.
        segments: usize,
        /// Bytes written.
        bytes: u64,
    },
    /// All done.
    Finished,
    /// Ended by hand.
    Canceled,
    /// A transaction was rolled back because its time was over.
    TransactionTimedOut {
        /// Its name.
        transaction: String,
    },
    /// Something has gone wrong within the job, on purpose.
    Disturbed(Disturbance),
    /// The moment of something planned has come. What is the host's the host says.
    MomentCame {
        /// The moment; `None`: at once.
        moment: Option<Moment>,
        /// What was planned for it.
        mishap: Mishap,
    },
}

/// Part of a state table, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatePage {
    /// Live entries in the table.
    pub entries: usize,
    /// Approximate bytes in memory.
    pub bytes: usize,
    /// Key and row texts.
    pub rows: Vec<(String, String)>,
}

/// A state table of a subtask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateTableView {
    /// Stable name of the operator.
    pub uid: String,
    /// Name of the table.
    pub table: String,
    /// Its kind, key and value types.
    pub schema: String,
    /// Whether each entry belongs to a key of the rows, and not to the subtask or the whole operator.
    pub keyed: bool,
    /// Live entries.
    pub entries: usize,
    /// Approximate bytes in memory.
    pub bytes: usize,
}
