//! What enters a job, what leaves it, and the journal of what has entered.

use serde::{Deserialize, Serialize};

use crate::element::CheckpointId;
use crate::operator::FeedItem;
use crate::scenario::{Mishap, Planned};
use crate::settings::{JobSettings, Policy, Restore};
use crate::store::{RequestId, StoreRequest, StoreResponse};

/// Something that enters a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Host time in ms; time never goes back, earlier values are ignored.
    Time(i64),
    /// The answer to a request. Answers to requests of earlier attempts are ignored.
    Response {
        /// The request.
        request: RequestId,
        /// Its answer.
        response: StoreResponse,
    },
    /// Items for a split of a source table.
    Feed {
        /// The table.
        table: String,
        /// The split.
        split: u32,
        /// What is fed.
        items: Vec<FeedItem>,
    },
    /// What a person (or the driver of a test) wants.
    Command(Command),
}

/// A command to a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// A checkpoint by hand. Refused while one is running or the job is not.
    TriggerCheckpoint,
    /// Lets one subtask fail.
    KillSubtask {
        /// Index of the vertex.
        vertex: usize,
        /// Number of the subtask.
        index: u32,
    },
    /// Lets the job fail as a whole.
    FailJob,
    /// Ends the job for good.
    Cancel,
    /// The most rows of a source's poll, from now on.
    SetChunkLimit(usize),
    /// Whether chunks carry origins, from now on.
    SetWatched(bool),
    /// Who takes the next step, from now on. Choices made before are forgotten.
    SetPolicy(Policy),
    /// Under [`Policy::Chosen`]: this subtask takes the next step. Choices queue; one that cannot be followed yet waits and lets others pass.
    Choose {
        /// Index of the vertex.
        vertex: usize,
        /// Number of the subtask.
        index: u32,
    },
    /// How many more polls of sources may emit something before all sources hold; `None`: any number.
    Release(Option<u64>),
    /// Something goes wrong, at the next opportunity.
    Disturb(Disturbance),
    /// The job goes back to a checkpoint or savepoint that is kept, also if it has ended.
    RestoreFrom(CheckpointId),
    /// A savepoint by hand: a checkpoint with aligned barriers that no later checkpoint replaces. It is there until a job of this name begins
    /// without state. Refused as a checkpoint is.
    Savepoint {
        /// Whether the job ends with it, and how.
        stop: Option<Stop>,
    },
    /// These go wrong one after the other, each at its moment, over all attempts. Beside lists that were given before.
    Plan(Vec<Planned>),
    /// What was planned and has not happened does not happen.
    Unplan,
}

/// How a job ends with a savepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// Sources emit nothing behind the savepoint's barrier. A job that is started from it goes on as if nothing had been.
    Suspend,
    /// Time comes to its end first, so that all windows fire, and all input counts as worked off (`--drain`).
    Drain,
}

/// Something that goes wrong within the running attempt: once, when the moment for it comes, if nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Disturbance {
    /// The next acknowledgement of this subtask never reaches the coordinator: its checkpoint expires.
    LoseAcknowledgement {
        /// Index of the vertex.
        vertex: usize,
        /// Number of the subtask.
        index: u32,
    },
    /// The next acknowledgement of this subtask reaches the coordinator late.
    DelayAcknowledgement {
        /// Index of the vertex.
        vertex: usize,
        /// Number of the subtask.
        index: u32,
        /// How late, ms of host time.
        by: i64,
    },
    /// The job fails when the next checkpoint is complete, before any subtask hears of it.
    FailOnCompletion,
    /// The job fails at another moment of a two-phase commit.
    FailAt(Moment),
    /// From now on a channel gives up one element in so many ms; barriers that overtake are not held up. With 0 it is as before.
    SlowChannel {
        /// Vertex and subtask that send.
        from: (usize, u32),
        /// Vertex and subtask that receive.
        to: (usize, u32),
        /// Host time between two elements, ms.
        pace: i64,
    },
    /// The time of every transaction that a sink has not committed yet is over, as if its timeout had passed.
    ExpireTransactions,
    /// Transactions that a sink has not committed yet have so many ms left at the most.
    ShortenTransactions {
        /// How long, ms.
        left: i64,
    },
    /// The job fails as a whole.
    Fail,
    /// A subtask fails.
    Kill {
        /// Index of the vertex.
        vertex: usize,
        /// Number of the subtask.
        index: u32,
    },
}

/// A moment of a checkpoint, or of the two-phase commit that goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moment {
    /// The first rows are being written into a transaction.
    Begun,
    /// Barriers have set out.
    Triggered,
    /// A participant has pre-committed, and its vote is not out yet.
    PreCommitted,
    /// All have voted, and the decision is not written down yet.
    Voted,
    /// A commit is about to be sent.
    Committing,
    /// A commit is through, and no later checkpoint says so.
    Committed,
    /// A checkpoint is wanted, and its barriers have not set out.
    Requested,
    /// A first subtask has acknowledged: the barriers are through there.
    Acknowledged,
    /// A checkpoint is complete, and nobody has heard of it.
    Completed,
    /// A first subtask has the barrier of one channel and waits for those of the others, with that channel blocked.
    Aligning,
    /// The barrier has come to a participant, and rows before it are being written into its transaction.
    PreCommitting,
    /// The decision is being written down: whether it counts is open.
    Deciding,
    /// A commit is on its way to the store: whether it has been carried out is open.
    CommitSent,
}

/// Something that a job wants of its host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// Carry out `body` and answer with [`Event::Response`]. Requests are independent: carried out in any order.
    Store {
        /// Names the request.
        request: RequestId,
        /// What is asked.
        body: StoreRequest,
    },
    /// Send [`Event::Time`] once host time has reached `at` (ms). A later one replaces an earlier one.
    Wake {
        /// When.
        at: i64,
    },
    /// The moment has come for something to go wrong that is the host's ([`Mishap::Engine`] is none of these). There is no answer.
    Mishap(Mishap),
}

/// One entry of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The number of scheduler steps that had been taken when it entered.
    pub step: u64,
    /// What entered.
    pub event: Event,
}

/// Everything that made a run what it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    /// What the job was started with, seed included.
    pub settings: JobSettings,
    /// From which state.
    pub restore: Restore,
    /// What entered, in order.
    pub entries: Vec<JournalEntry>,
    /// Scheduler steps taken in all.
    pub steps: u64,
}
