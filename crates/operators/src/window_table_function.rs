//! `SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), ..))` without an aggregate: adds window_start, window_end and window_time.
//!
//! Input: any changelog; output: the same, a row once per window that it is in (HOP: latest first). No state. Late rows pass; a row without a
//! time is dropped. Flink's counterpart: `WindowTableFunctionOperator`.

use tidegate_data::{Chunk, Schema, Zone};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::window::{Window, WindowProperty, WindowShape, WindowTime};

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
    time: WindowTime,
    time_column: usize,
    shape: WindowShape,
    /// The chunk in work: which of its rows come next, and in which windows.
    pending: Option<(Chunk, Vec<(u32, Window)>, usize)>,
}

impl WindowTableFunction {
    /// The operator of `spec`.
    pub fn new(spec: WindowTableFunctionSpec) -> WindowTableFunction {
        let time = WindowTime::new(&spec.input, spec.time_column, spec.zone);
        WindowTableFunction { time, time_column: spec.time_column, shape: spec.shape, pending: None }
    }
}

impl Operator for WindowTableFunction {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let column = &chunk.columns[self.time_column];
        let times = self.time.local(column);
        let mut windows = Vec::new();
        let mut rows = Vec::with_capacity(chunk.len);
        for (row, time) in times.iter().enumerate() {
            if arrow_array::Array::is_null(column, row) {
                continue;
            }
            windows.clear();
            self.shape.windows(*time, &mut windows);
            rows.extend(windows.iter().map(|window| (row as u32, *window)));
        }
        drop(times);
        self.pending = Some((chunk, rows, 0));
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        let Some((chunk, rows, done)) = self.pending.take() else { return Ok(Progress::Done) };
        let part = &rows[done..rows.len().min(done + Chunk::MAX_ROWS)];
        if part.is_empty() {
            return Ok(Progress::Done);
        }
        let each_once =
            part.len() == chunk.len && part.iter().enumerate().all(|(row, (from, _))| row == *from as usize);
        let mut out =
            if each_once { chunk.clone() } else { chunk.take(&part.iter().map(|(row, _)| *row).collect::<Vec<_>>()) };
        let windows: Vec<Window> = part.iter().map(|(_, window)| *window).collect();
        for property in [WindowProperty::Start, WindowProperty::End, WindowProperty::Time] {
            out.columns.push(self.time.property(property, &windows));
        }
        let done = done + part.len();
        cx.emit(out);
        if done == rows.len() {
            return Ok(Progress::Done);
        }
        self.pending = Some((chunk, rows, done));
        Ok(Progress::More)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};

    fn function(shape: WindowShape) -> impl Fn() -> Box<dyn Operator> {
        let spec = WindowTableFunctionSpec {
            input: spec_input(),
            output: spec_output(),
            time_column: 1,
            shape,
            zone: Zone::UTC,
        };
        move || Box::new(WindowTableFunction::new(spec.clone()))
    }

    fn spec_input() -> Schema {
        schema("id INT, ts ROWTIME")
    }

    fn spec_output() -> Schema {
        schema("id INT, ts ROWTIME, window_start TIME, window_end TIME, window_time ROWTIME")
    }

    #[test]
    fn a_row_comes_once_per_window() {
        check(
            function(WindowShape::Hop { slide: 5_000, size: 10_000, offset: 0 }),
            &spec_input(),
            &spec_output(),
            "-U 1 '1970-01-01 00:00:06'
             +U 2 NULL
             watermark 20000
             +I 3 '1969-12-31 23:59:59'",
            "-U 1 '1970-01-01 00:00:06.000' '1970-01-01 00:00:05.000' '1970-01-01 00:00:15.000' '1970-01-01 00:00:14.999'
             -U 1 '1970-01-01 00:00:06.000' '1970-01-01 00:00:00.000' '1970-01-01 00:00:10.000' '1970-01-01 00:00:09.999'
             +I 3 '1969-12-31 23:59:59.000' '1969-12-31 23:59:55.000' '1970-01-01 00:00:05.000' '1970-01-01 00:00:04.999'
             +I 3 '1969-12-31 23:59:59.000' '1969-12-31 23:59:50.000' '1970-01-01 00:00:00.000' '1969-12-31 23:59:59.999'",
        );
    }

    #[test]
    fn many_windows_go_out_in_parts() {
        let rows: String = (0..1_500).map(|id| format!("+I {id} '1970-01-01 00:00:06.000'\n")).collect();
        let expected = (0..1_500).flat_map(|id| {
            [7, 8, 9].map(|end| {
                format!(
                    "+I {id} '1970-01-01 00:00:06.000' '1970-01-01 00:00:05.000' '1970-01-01 00:00:0{end}.000' \
                     '1970-01-01 00:00:0{}.999'\n",
                    end - 1
                )
            })
        });
        let (input, output) = (spec_input(), spec_output());
        let cumulate = WindowShape::Cumulate { step: 1_000, max: 4_000, offset: 1_000 };
        check(function(cumulate), &input, &output, &rows, &expected.collect::<String>());
    }
}
