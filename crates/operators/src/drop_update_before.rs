//! Drops `-U` rows in front of a consumer that does not want them (a sink that upserts).
//!
//! Input: any changelog; output: the same without `-U`. No state. Flink's counterpart: `DropUpdateBeforeFunction`.

use arrow_array::BooleanArray;
use tidegate_data::{Chunk, Kinds, RowKind};
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
        let out = match &chunk.kinds {
            Kinds::Insert => chunk,
            Kinds::Each(kinds) => {
                let keep: Vec<bool> = kinds.iter().map(|kind| *kind != RowKind::UpdateBefore).collect();
                chunk.filter(&BooleanArray::from(keep))
            }
        };
        if out.len > 0 {
            cx.emit(out);
        }
        Ok(Progress::Done)
    }
}
