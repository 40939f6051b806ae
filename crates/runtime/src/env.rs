//! What all subtasks of a job share while they take steps: time, requests, effects.

use bytes::Bytes;
use tidegate_data::sorted::SortedMap;

use crate::checkpoint::keys::{Keys, SegmentId, claim};
use crate::checkpoint::manifest::TableManifest;
use crate::element::CheckpointId;
use crate::event::Effect;
use crate::store::{Key, RequestId, StoreRequest};
use crate::view::{Acknowledgement, TransactionStep};

/// Who gets the answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// An operator: subtask, position in its chain.
    Operator(usize, usize),
    /// A subtask that has state written out.
    Persist(usize),
    /// The merge of segments.
    Merge,
    /// The start of an attempt.
    Startup,
    /// The checkpoint coordinator.
    Coordinator,
    /// The rollback of a transaction that the job's end has left open.
    LeftOpen,
}

/// A subtask's state as of a checkpoint is written.
#[derive(Clone, Debug)]
pub(crate) struct Acknowledged {
    pub(crate) subtask: usize,
    pub(crate) checkpoint: CheckpointId,
    pub(crate) figures: Acknowledgement,
    pub(crate) tables: Vec<TableManifest>,
}

/// What a subtask tells the job after a step.
#[derive(Debug)]
pub(crate) enum Signal {
    /// All operators are ready.
    Opened,
    /// End of input has gone through the chain.
    Closed,
    /// A subtask's state as of a checkpoint is written.
    Acknowledged(Acknowledged),
    /// A first channel is blocked until the barriers of the others come.
    Aligning(CheckpointId),
    /// State could not be written; the checkpoint is lost.
    Declined { checkpoint: CheckpointId, reason: String },
    /// The store refuses this attempt.
    Fenced,
    /// A sink's transaction has come further.
    Transaction { subtask: usize, name: String, step: TransactionStep },
}

/// Shared by all subtasks, handed to each while it takes a step.
#[derive(Debug)]
pub(crate) struct Env {
    pub(crate) now: i64,
    pub(crate) step: u64,
    pub(crate) watched: bool,
    pub(crate) chunk_limit: usize,
    /// The seed with which subtasks draw the channel that is served next; `None`: in turn.
    pub(crate) draw: Option<u64>,
    /// How many more polls may emit something; `None`: any number.
    pub(crate) budget: Option<u64>,
    /// Sources hold until all elements have been worked off.
    pub(crate) draining: bool,
    /// Nothing happens but that state is read out.
    pub(crate) still: bool,
    /// The savepoint with which the job ends is complete: nothing is left to do but commits.
    pub(crate) stopped: bool,
    /// Sources come to their end, whatever they still have.
    pub(crate) ending: bool,
    /// The number of the attempt, from 1.
    pub(crate) attempt: u64,
    /// Tells this engine from another one that gives its attempts the same numbers.
    pub(crate) engine: u64,
    /// Segments named in this attempt.
    pub(crate) segments: u64,
    pub(crate) keys: Keys,
    pub(crate) requests: SortedMap<RequestId, Owner>,
    pub(crate) next_request: RequestId,
    pub(crate) effects: Vec<Effect>,
    pub(crate) signals: Vec<Signal>,
    /// A time to be woken at may have changed.
    pub(crate) wake_dirty: bool,
}

impl Env {
    /// Issues a request.
    pub(crate) fn request(&mut self, owner: Owner, body: StoreRequest) -> RequestId {
        let request = self.next_request;
        self.next_request += 1;
        self.requests.insert(request, owner);
        self.effects.push(Effect::Store { request, body });
        request
    }

    /// The condition that this attempt is still the one that may write.
    pub(crate) fn epoch(&self) -> (Key, Option<Bytes>) {
        (self.keys.epoch(), Some(claim(self.attempt, self.engine)))
    }

    /// A name for a segment, never given before.
    pub(crate) fn new_segment(&mut self) -> SegmentId {
        self.segments += 1;
        SegmentId(self.attempt, self.segments)
    }
}
