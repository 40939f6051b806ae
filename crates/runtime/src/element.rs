//! What travels on a channel.

use serde::{Deserialize, Serialize};
use tidegate_data::Chunk;

/// The number of a checkpoint or savepoint, from 1, never used twice within a job.
pub type CheckpointId = u64;

/// Whether a channel takes part in the minimum over watermarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatermarkStatus {
    /// It does.
    Active,
    /// It does not, until its next row or watermark.
    Idle,
}

/// The mark of a checkpoint in the stream: what lies before it belongs to the checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Barrier {
    /// The checkpoint.
    pub checkpoint: CheckpointId,
    /// What a subtask does between the first barrier and the last.
    pub kind: BarrierKind,
}

/// What a subtask does between a checkpoint's first barrier and its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BarrierKind {
    /// It leaves channels alone that have delivered theirs.
    Aligned,
    /// It goes on with all channels: rows behind a barrier may become part of the checkpoint, and come again after a restore.
    Counted,
    /// It reads its state out with the first one. The barrier overtakes what is on its way, which becomes part of the checkpoint.
    Overtaking,
    /// There is nothing in between: the job stands still, no barrier is sent on, all state is read out at once.
    Still,
}

/// One element of a stream.
#[derive(Clone, Debug)]
pub enum Element {
    /// Rows.
    Chunk(Chunk),
    /// No row with a time at or below this one (ms) comes any more, late ones aside. `i64::MAX` at the end of input.
    Watermark(i64),
    /// The channel turns idle or active.
    Status(WatermarkStatus),
    /// A checkpoint's barrier.
    Barrier(Barrier),
    /// Nothing comes any more.
    End,
}
