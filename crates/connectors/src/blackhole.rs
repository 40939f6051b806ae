//! `'connector' = 'blackhole'`: takes everything and keeps nothing, for measuring.
//!
//! As in Flink it takes no `-U`: it asks the query for `I,UA,D`.

use tidegate_data::{ChangelogMode, Chunk, ConnectorSpec};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::args::{ResultKind, SinkArgs, SinkParts};

/// What it can do.
pub(crate) fn spec() -> ConnectorSpec {
    ConnectorSpec { sink: true, sink_mode: |_, _| Some(ChangelogMode::UPSERT), ..ConnectorSpec::new("blackhole") }
}

/// Makes the sink.
pub(crate) fn sink(_args: SinkArgs) -> SinkParts {
    SinkParts {
        factory: Box::new(|_| Box::new(Blackhole)),
        results: None,
        kind: ResultKind::Dropped,
        transactional: false,
    }
}

struct Blackhole;

impl Operator for Blackhole {
    fn on_chunk(&mut self, _input: usize, _chunk: Chunk, _cx: &mut dyn Context) -> Outcome {
        Ok(Progress::Done)
    }
}
