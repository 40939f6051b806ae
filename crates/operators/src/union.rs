//! `a UNION ALL b`: hands on the rows of all its inputs as they come. The runtime merges inputs and watermarks.
//!
//! Input: any changelogs; output: all of them. No state. Flink has no operator for it (it merges channels).

use tidegate_data::Chunk;
use tidegate_runtime::{Context, Operator, Outcome, Progress};

/// UNION ALL.
#[derive(Debug, Default)]
pub struct Union;

impl Union {
    /// The operator.
    pub fn new() -> Union {
        Union
    }
}

impl Operator for Union {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}
