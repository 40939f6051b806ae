//! Drops `-U` rows in front of a consumer that does not want them (a sink that upserts).

use tidegate_data::Chunk;
use tidegate_runtime::{Context, Operator, Outcome, Progress};

/// Drops `-U`.
#[derive(Debug, Default)]
pub struct DropUpdateBefore;

impl DropUpdateBefore {
    /// The operator.
    pub fn new() -> DropUpdateBefore {
        DropUpdateBefore
    }
}

impl Operator for DropUpdateBefore {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}
