//! How an engine begins that begins in another way: with another script, restore or sizes (simulations hand such runs to the page), or from
//! the checkpoints of a run before it.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tidegate_runtime::{Key, Policy, Restore};

use crate::{History, SessionOptions};

/// An engine that begins in its own way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Engine {
    /// Steps that each job of the engine before had taken; none if there was none.
    pub steps: Vec<u64>,
    /// Its script, if it is another than the recording's: with another parallelism, say.
    pub sql: Option<String>,
    /// Which state it begins from.
    pub restore: Restore,
    /// Its seed.
    pub seed: u64,
    /// Host time, ms.
    pub now: i64,
    /// Elements that a channel holds.
    pub channel_capacity: usize,
    /// The most rows of a source's poll.
    pub chunk_limit: usize,
    /// Who takes the next step.
    pub policy: Policy,
    /// Whether rows carry the input row that caused them.
    pub watched: bool,
}

/// What a run has begun from that goes on with the state of one before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// Of each job, which checkpoint.
    pub restores: Vec<Restore>,
    /// Of each job, what is known of the checkpoints that were there.
    pub histories: Vec<History>,
    /// What lay in the store: checkpoints, logs, tables.
    pub store: Vec<(Key, Bytes)>,
}

impl Engine {
    /// The options of its session, where it says nothing those of the host.
    pub fn options(&self, host: &SessionOptions) -> SessionOptions {
        SessionOptions {
            seed: self.seed,
            now: self.now,
            channel_capacity: self.channel_capacity,
            chunk_limit: self.chunk_limit,
            policy: self.policy,
            watched: self.watched,
            journal: true,
            ..host.clone()
        }
    }
}
