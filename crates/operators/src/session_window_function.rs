//! `SELECT * FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), ..))` without an aggregate by session: adds window_start, window_end and
//! window_time.
//!
//! Input: any changelog; output: the same rows, in the order of their arrival, when the watermark reaches their session's end - 1 ms: only then it is known.
//!
//! State: see [`crate::sessions`]. Late rows (of a session of their own that has ended) are dropped and counted. A NULL rowtime fails the job.
//! Flink's counterpart: `UnalignedWindowTableFunctionOperator`.

use tidegate_data::keys::encode::encode_cell;
use tidegate_data::sorted;
use tidegate_data::{Chunk, RowOrigin, Schema, Zone};
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::{CheckpointId, Context, Operator, Outcome, Progress};

use crate::outbox::Outbox;
use crate::sessions::Sessions;
use crate::window::WindowProperty;

/// What a [`SessionWindowFunction`] is made from.
#[derive(Clone, Debug)]
pub struct SessionWindowFunctionSpec {
    /// The input's columns.
    pub input: Schema,
    /// The output's columns: the input's, then the window's three.
    pub output: Schema,
    /// The time column.
    pub time_column: usize,
    /// Event time; else sessions end by the clock, and no row is late.
    pub event_time: bool,
    /// What ends a session, in ms.
    pub gap: i64,
    /// PARTITION BY.
    pub keys: Vec<usize>,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// The bare SESSION function.
pub struct SessionWindowFunction {
    sessions: Sessions,
    outbox: Outbox,
    last_origin: Option<RowOrigin>,
}

impl SessionWindowFunction {
    /// The operator of `spec`.
    pub fn new(spec: SessionWindowFunctionSpec) -> SessionWindowFunction {
        SessionWindowFunction {
            sessions: Sessions::new(&spec.input, &spec.keys, (spec.time_column, spec.event_time), spec.gap, spec.zone),
            outbox: Outbox::new(&spec.output),
            last_origin: None,
        }
    }
}

impl Operator for SessionWindowFunction {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        self.sessions.state(visitor);
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.sessions.restored(cx);
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        self.sessions.add(&chunk, cx)?;
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        self.sessions.on_watermark(watermark);
        self.resume(cx)
    }

    fn on_processing_time(&mut self, cx: &mut dyn Context) -> Outcome {
        self.sessions.on_processing_time(cx);
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        while !self.outbox.is_full() {
            let Some((window, mut rows)) = self.sessions.next() else { break };
            let mut bounds = Vec::new();
            for property in [WindowProperty::Start, WindowProperty::End, WindowProperty::Time] {
                encode_cell(&mut bounds, self.sessions.time.property(property, &[window]).as_ref(), 0);
            }
            sorted::sort_by_key(&mut rows, |row| row.arrival);
            for row in rows {
                let bytes = [&row.row[..], &bounds].concat();
                self.outbox.push(row.kind, bytes.into(), self.last_origin);
            }
        }
        let progress = self.outbox.flush(cx);
        Ok(if self.sessions.is_firing() { Progress::More } else { progress })
    }

    fn pre_barrier(&mut self, _checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        self.sessions.watermark.save(cx);
        Ok(Progress::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};

    #[test]
    fn rows_come_with_their_session() {
        let input = schema("k STRING, v INT, ts ROWTIME");
        let output = schema("k STRING, v INT, ts ROWTIME, s TIME, e TIME, w ROWTIME");
        let spec = SessionWindowFunctionSpec {
            input: input.clone(),
            output: output.clone(),
            time_column: 2,
            event_time: true,
            gap: 5_000,
            keys: vec![0],
            zone: Zone::UTC,
        };
        let late = check(
            move || Box::new(SessionWindowFunction::new(spec.clone())),
            &input,
            &output,
            "+I a 1 '1970-01-01 00:00:04'
             +I a 2 '1970-01-01 00:00:01'
             watermark 9000
             +I a 3 '1970-01-01 00:00:02'",
            "+I a 1 '1970-01-01 00:00:04.000' '1970-01-01 00:00:01.000' '1970-01-01 00:00:09.000' '1970-01-01 00:00:08.999'
             +I a 2 '1970-01-01 00:00:01.000' '1970-01-01 00:00:01.000' '1970-01-01 00:00:09.000' '1970-01-01 00:00:08.999'",
        );
        assert_eq!(late, 1);
    }
}
