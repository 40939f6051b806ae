//! The runtime's findings, TG40xx.

use tidegate_diag::Code;

/// The graph does not fit together.
pub const GRAPH: Code = Code::new("TG4001");
/// A setting is out of range.
pub const SETTING: Code = Code::new("TG4002");
/// A command names something that does not exist, or cannot be done now.
pub const COMMAND: Code = Code::new("TG4003");
/// A subtask was killed by hand.
pub const KILLED: Code = Code::new("TG4004");
/// The job was failed by hand.
pub const FAILED_BY_HAND: Code = Code::new("TG4005");
/// A checkpoint by hand was not begun.
pub const CHECKPOINT_REFUSED: Code = Code::new("TG4010");
/// More checkpoints failed than are tolerated.
pub const CHECKPOINTS_FAILED: Code = Code::new("TG4011");
/// A newer attempt has taken over.
pub const FENCED: Code = Code::new("TG4012");
/// The store failed while a job was starting.
pub const STORE_FAILED: Code = Code::new("TG4013");
/// The sink did not come to its end.
pub const NOT_COMMITTED: Code = Code::new("TG4014");
/// There is no such checkpoint.
pub const NO_CHECKPOINT: Code = Code::new("TG4020");
/// What the store holds of a checkpoint is not what was written.
pub const DAMAGED: Code = Code::new("TG4021");
/// A checkpoint has state of an operator that the job does not have.
pub const UNCLAIMED_STATE: Code = Code::new("TG4022");
/// A state table has changed its shape.
pub const SCHEMA_CHANGED: Code = Code::new("TG4023");
/// The number of key groups has changed.
pub const MAX_PARALLELISM_CHANGED: Code = Code::new("TG4024");
