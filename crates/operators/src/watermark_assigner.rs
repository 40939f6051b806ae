//! `WATERMARK FOR ts AS ts - INTERVAL '5' SECOND`: sends watermarks behind the rows that cause them.
//!
//! Input: any changelog; output: the same. No state: after a restore watermarks start anew, as in Flink. They start above 0, so that none at or
//! below the epoch is ever sent, and never fall. A watermark goes out behind a row that raised it by more than
//! `pipeline.auto-watermark-interval` (0: behind every row that raised it), and else per interval of processing time. Watermarks from
//! upstream are ignored but for the last one (MAX). Without rows for `table.exec.source.idle-timeout` the output turns idle. A NULL rowtime fails the
//! job. Flink's counterpart: `WatermarkAssignerOperator`.

use arrow_array::cast::AsArray;
use arrow_array::types::{TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use tidegate_data::{Chunk, Schema, Zone};
use tidegate_expr::{EvalContext, Expr};
use tidegate_runtime::{Context, Failure, Operator, Outcome, Progress, WatermarkStatus};

use crate::failure::{not_computed, null_rowtime};

/// What a [`WatermarkAssigner`] is made from.
#[derive(Clone, Debug)]
pub struct WatermarkAssignerSpec {
    /// The columns.
    pub input: Schema,
    /// The rowtime column.
    pub rowtime: usize,
    /// The watermark's expression; none for `SOURCE_WATERMARK()`: then the source's pass.
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
    /// The highest watermark of a row so far.
    current: i64,
    /// The last one sent.
    sent: i64,
    idle: bool,
    /// When watermarks were last sent by the clock.
    sent_at: i64,
    /// When a row was last seen to have come, and whether one has since.
    rows_at: i64,
    rows_since: bool,
}

impl WatermarkAssigner {
    /// The operator of `spec`.
    pub fn new(spec: WatermarkAssignerSpec) -> WatermarkAssigner {
        WatermarkAssigner { spec, current: 0, sent: 0, idle: false, sent_at: 0, rows_at: 0, rows_since: true }
    }
}

impl Operator for WatermarkAssigner {
    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        (self.sent_at, self.rows_at) = (cx.now(), cx.now());
        self.set_timer(cx);
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.rows_since = true;
        if self.idle {
            self.set_idle(false, cx);
        }
        let rowtimes = &chunk.columns[self.spec.rowtime];
        let rows = match rowtimes.null_count() {
            0 => chunk.len,
            // What comes before the row without a time goes out, whatever the chunk it came in.
            _ => (0..chunk.len).find(|row| rowtimes.is_null(*row)).unwrap_or(chunk.len),
        };
        if rows > 0 {
            self.assign(&chunk.slice(0, rows), cx)?;
        }
        if rows < chunk.len { Err(null_rowtime()) } else { Ok(Progress::Done) }
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        if watermark == i64::MAX {
            if self.idle {
                self.set_idle(false, cx);
            }
            self.current = i64::MAX;
        }
        Ok(Progress::Done)
    }

    fn on_processing_time(&mut self, cx: &mut dyn Context) -> Outcome {
        let now = cx.now();
        if self.spec.interval > 0 && self.sent_at + self.spec.interval <= now {
            self.sent_at = now;
            self.send(cx);
        }
        if std::mem::take(&mut self.rows_since) {
            self.rows_at = now;
        }
        if self.spec.idle_timeout > 0 && !self.idle && self.rows_at + self.spec.idle_timeout <= now {
            self.set_idle(true, cx);
        }
        self.set_timer(cx);
        Ok(Progress::Done)
    }

    fn output_watermark(&self, watermark: i64) -> i64 {
        if watermark == i64::MAX || self.spec.watermark.is_none() { watermark } else { i64::MIN }
    }

    fn forwards_status(&self) -> bool {
        // An input that turns idle is idle, one that turns active is too: as Flink's, the assigner hands that on.
        true
    }
}

impl WatermarkAssigner {
    /// Sends rows and watermarks in turn.
    fn assign(&mut self, chunk: &Chunk, cx: &mut dyn Context) -> Result<(), Failure> {
        let Some(expression) = &self.spec.watermark else {
            cx.emit(chunk.clone());
            return Ok(());
        };
        let context =
            EvalContext { watermark: cx.watermark(), now: cx.now(), zone: self.spec.zone, ..EvalContext::default() };
        let column = expression.eval(chunk, &context).map_err(not_computed)?;
        let per_ms = units_per_ms(&column);
        let (values, nulls) = (timestamps(&column), column.nulls());
        let mut start = 0;
        for (row, value) in values.iter().enumerate() {
            if nulls.is_none_or(|nulls| nulls.is_valid(row)) {
                let watermark = if per_ms == 1 { *value } else { value.div_euclid(per_ms) };
                self.current = self.current.max(watermark);
                if self.current - self.sent > self.spec.interval {
                    cx.emit(chunk.slice(start, row + 1 - start));
                    start = row + 1;
                    self.send(cx);
                }
            }
        }
        if start < chunk.len {
            cx.emit(chunk.slice(start, chunk.len - start));
        }
        Ok(())
    }

    fn send(&mut self, cx: &mut dyn Context) {
        if self.current > self.sent && self.current != i64::MAX {
            self.sent = self.current;
            cx.emit_watermark(self.sent);
        }
    }

    fn set_idle(&mut self, idle: bool, cx: &mut dyn Context) {
        self.idle = idle;
        cx.emit_status(if idle { WatermarkStatus::Idle } else { WatermarkStatus::Active });
    }

    /// Flink's choice: the smaller of the two intervals, finer if they are close to each other.
    fn set_timer(&self, cx: &mut dyn Context) {
        let (interval, timeout) = (self.spec.interval, self.spec.idle_timeout);
        let (smaller, larger) = (interval.min(timeout), interval.max(timeout));
        let period = if smaller <= 0 {
            larger
        } else if smaller * 5 < larger {
            smaller
        } else {
            (smaller / 5).max(1)
        };
        if period > 0 {
            cx.wake_at(cx.now() + period);
        }
    }
}

fn units_per_ms(column: &ArrayRef) -> i64 {
    match column.data_type() {
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => 1_000,
        ArrowType::Timestamp(TimeUnit::Nanosecond, _) => 1_000_000,
        _ => 1,
    }
}

fn timestamps(column: &ArrayRef) -> &[i64] {
    match column.data_type() {
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => column.as_primitive::<TimestampMicrosecondType>().values(),
        ArrowType::Timestamp(TimeUnit::Nanosecond, _) => column.as_primitive::<TimestampNanosecondType>().values(),
        _ => column.as_primitive::<TimestampMillisecondType>().values(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Recorder, check, finish, schema};
    use tidegate_data::{DataType, LogicalType, Value};
    use tidegate_expr::{call, column, literal};

    fn spec(interval: i64, idle_timeout: i64) -> WatermarkAssignerSpec {
        let input = schema("id INT, ts ROWTIME");
        let second = literal(Value::Int(1_000), DataType::not_null(LogicalType::IntervalDayTime));
        let watermark = call("-", vec![column(1, input.fields[1].ty.clone()), second]).unwrap();
        WatermarkAssignerSpec { input, rowtime: 1, watermark: Some(watermark), interval, idle_timeout, zone: Zone::UTC }
    }

    const ROWS: &str = "+I 1 '1969-12-31 23:59:50'
        +I 2 '1970-01-01 00:00:01'
        +I 3 '1970-01-01 00:00:03'
        +I 4 '1970-01-01 00:00:02'
        +I 5 '1970-01-01 00:00:03.1'
        +I 6 '1970-01-01 00:00:03.201'
        +I 7 NULL
        +I 8 '1970-01-01 00:00:04'";

    #[test]
    fn watermarks_follow_the_rows_that_raise_them() {
        let schema = schema("id INT, ts ROWTIME");
        let failed = "failed: RowTime field should not be null, please convert it to a non-null long value.";
        // Restores start anew, as Flink's do: what follows has no rise by then.
        let run = |interval| {
            let mut cx = Recorder::new(&schema);
            let mut operator = WatermarkAssigner::new(spec(interval, 0));
            let outcome = operator.on_chunk(0, Chunk::parse(ROWS, &schema), &mut cx);
            let message = finish(&mut operator, &mut cx, outcome).expect_err("a NULL").diagnostic.message;
            format!("{}failed: {message}\n", cx.out)
        };
        let each = "+I 1 '1969-12-31 23:59:50.000'
            +I 2 '1970-01-01 00:00:01.000'
            +I 3 '1970-01-01 00:00:03.000'
            watermark 2000
            +I 4 '1970-01-01 00:00:02.000'
            +I 5 '1970-01-01 00:00:03.100'
            watermark 2100
            +I 6 '1970-01-01 00:00:03.201'
            watermark 2201";
        let seldom = "+I 1 '1969-12-31 23:59:50.000'
            +I 2 '1970-01-01 00:00:01.000'
            +I 3 '1970-01-01 00:00:03.000'
            watermark 2000
            +I 4 '1970-01-01 00:00:02.000'
            +I 5 '1970-01-01 00:00:03.100'
            +I 6 '1970-01-01 00:00:03.201'
            watermark 2201";
        let lines = |text: &str| text.lines().map(|line| format!("{}\n", line.trim())).collect::<String>();
        assert_eq!(run(0), lines(&format!("{each}\n{failed}")));
        assert_eq!(run(200), lines(&format!("{seldom}\n{failed}")));
    }

    #[test]
    fn the_clock_sends_what_is_left_and_notices_silence() {
        let schema = schema("id INT, ts ROWTIME");
        let mut cx = Recorder::new(&schema);
        let mut operator = WatermarkAssigner::new(spec(200, 1_000));
        operator.restored(&mut cx).unwrap();
        let rows = |operator: &mut WatermarkAssigner, cx: &mut Recorder, text: &str| {
            cx.out.clear();
            operator.on_chunk(0, Chunk::parse(text, &schema), cx).unwrap();
        };
        let clock = |operator: &mut WatermarkAssigner, cx: &mut Recorder, until: i64| {
            cx.out.clear();
            while let Some(at) = cx.wake_at.filter(|at| *at <= until) {
                (cx.now, cx.wake_at) = (at, None);
                operator.on_processing_time(cx).unwrap();
            }
            std::mem::take(&mut cx.out)
        };
        rows(&mut operator, &mut cx, "+I 1 '1970-01-01 00:00:01.100'");
        assert_eq!(clock(&mut operator, &mut cx, 199), "");
        assert_eq!(clock(&mut operator, &mut cx, 240), "watermark 100\n");
        assert_eq!(clock(&mut operator, &mut cx, 1_000), "");
        assert_eq!(clock(&mut operator, &mut cx, 3_000), "Idle\n");
        rows(&mut operator, &mut cx, "+I 1 '1970-01-01 00:00:01.000'");
        assert_eq!(cx.out, "Active\n+I 1 '1970-01-01 00:00:01.000'\n");
        assert_eq!(operator.output_watermark(5_000), i64::MIN);
        assert_eq!(operator.output_watermark(i64::MAX), i64::MAX);
    }

    #[test]
    fn watermarks_of_the_source_pass() {
        let schema = schema("id INT, ts ROWTIME");
        let pass = || WatermarkAssigner::new(WatermarkAssignerSpec { watermark: None, ..spec(0, 0) });
        let row = "+I 1 '1970-01-01 00:00:01.000'";
        check(move || Box::new(pass()), &schema, &schema, row, row);
        assert_eq!(pass().output_watermark(7), 7);
    }
}
