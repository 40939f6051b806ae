//! `SELECT k, window_start, window_end, COUNT(*) FROM TABLE(TUMBLE(..)) GROUP BY k, window_start, window_end`; HOP and CUMULATE too.
//!
//! Input: any changelog; output: `+I` only, keys, aggregates and window columns of each (key, window), when the watermark reaches the
//! window's end - 1 ms, windows in the order of their ends. A (key, window) whose rows were all taken back yields nothing.
//!
//! State: `windows`: (window's end in local ms, key) -> number of rows (retracting input only) and the aggregates' state, cleared when
//! the window fires. `distinct-N`, `values-N`: see [`crate::aggregation`]. `watermark`: the watermark of each subtask, so that rows are late after a
//! restore that were late before. Late rows (all their windows have fired) are dropped and counted, retractions too. A NULL rowtime
//! fails the job. Flink's counterparts: `WindowAggOperator`, `SliceUnsharedWindowAggProcessor`, `SliceSharedWindowAggProcessor`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use arrow_array::ArrayRef;
use tidegate_data::{Chunk, Kinds, Origins, RowOrigin, Schema, SlotColumn, SlotType, Zone, hash_keys};
use tidegate_expr::AggregateCall;
use tidegate_expr::aggregates::Emit;
use tidegate_runtime::mistakes::{Mistake, planted};
use tidegate_runtime::state::{GroupTable, ListTable, Scope, StateVisitor};
use tidegate_runtime::{CheckpointId, Context, Operator, Outcome, Progress};

use crate::aggregation::{Aggregation, Rows};
use crate::failure::null_rowtime;
use crate::meaning;
use crate::window::{Window, WindowProperty, WindowShape, WindowTime, first_null};

/// What a [`WindowAggregate`] is made from.
#[derive(Clone, Debug)]
pub struct WindowAggregateSpec {
    /// The input's columns.
    pub input: Schema,
    /// The time column.
    pub time_column: usize,
    /// Event time; else windows fire by the clock, and no row is late.
    pub event_time: bool,
    /// The window.
    pub shape: WindowShape,
    /// The column that holds the window's end, where rows carry their window (they come from a window function or aggregate).
    pub end_column: Option<usize>,
    /// The grouping columns besides the window.
    pub keys: Vec<usize>,
    /// The aggregates.
    pub aggregates: Vec<AggregateCall>,
    /// The window's columns behind keys and aggregates.
    pub properties: Vec<WindowProperty>,
    /// The output's columns.
    pub output: Schema,
    /// Whether the input may hold `-U` and `-D`.
    pub retracting_input: bool,
    /// `table.local-time-zone`: windows over TIMESTAMP_LTZ align to its midnight.
    pub zone: Zone,
}

/// GROUP BY window_start, window_end.
pub struct WindowAggregate {
    time: WindowTime,
    time_column: usize,
    event_time: bool,
    shape: WindowShape,
    end_column: Option<usize>,
    keys: Vec<usize>,
    properties: Vec<WindowProperty>,
    retracting: bool,
    aggregation: Aggregation,
    windows: GroupTable,
    saved_watermark: ListTable,
    /// The watermark; what is below it has fired.
    watermark: i64,
    /// The slots of each window that has not fired, by its end: derived from `windows`.
    open: BTreeMap<i64, Vec<u32>>,
    /// Windows that fire now, and what is left of them.
    firing: VecDeque<(i64, Vec<u32>)>,
    last_origin: Option<RowOrigin>,
}

impl WindowAggregate {
    /// The operator of `spec`.
    pub fn new(spec: WindowAggregateSpec) -> WindowAggregate {
        let counted = usize::from(spec.retracting_input);
        let aggregation = Aggregation::new(&spec.aggregates, &spec.input, spec.retracting_input, counted);
        let mut columns = vec![("rows".to_owned(), SlotType::I64); counted];
        columns.extend_from_slice(aggregation.columns());
        let types = spec.keys.iter().map(|key| spec.input.fields[*key].ty.clone()).collect();
        let calls = meaning::calls_by(&spec.aggregates, &spec.input, &spec.keys);
        let meaning = format!("{calls} in {:?}", spec.shape);
        WindowAggregate {
            time: WindowTime::new(&spec.input, spec.time_column, spec.zone),
            time_column: spec.time_column,
            event_time: spec.event_time,
            shape: spec.shape,
            end_column: spec.end_column,
            keys: spec.keys,
            properties: spec.properties,
            retracting: spec.retracting_input,
            windows: GroupTable::with_prefix(types, &columns).of(meaning).typed(aggregation.types()),
            aggregation,
            saved_watermark: ListTable::new(Scope::Union, "subtask -> watermark", describe_watermark),
            watermark: i64::MIN,
            open: BTreeMap::new(),
            firing: VecDeque::new(),
            last_origin: None,
        }
    }
}

impl Operator for WindowAggregate {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("windows", &mut self.windows);
        self.aggregation.state(visitor);
        visitor.table("watermark", &mut self.saved_watermark);
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.restore_watermark(cx.subtask().index);
        for slot in self.windows.live().filter(|_| !planted(Mistake::TimersNotRestored)) {
            self.open.entry(self.windows.prefix_of(slot)).or_default().push(slot);
        }
        self.set_timer(cx);
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        if first_null(&chunk.columns[self.time_column]).is_some() {
            return Err(null_rowtime());
        }
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        let (chunk, ends) = self.assign(chunk, cx);
        if chunk.len > 0 {
            self.accumulate(&chunk, &ends);
        }
        self.set_timer(cx);
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        if !self.event_time {
            return Ok(Progress::Done);
        }
        self.watermark = self.watermark.max(watermark);
        self.close_until(watermark);
        self.resume(cx)
    }

    fn on_processing_time(&mut self, cx: &mut dyn Context) -> Outcome {
        if self.event_time {
            return Ok(Progress::Done);
        }
        self.close_until(cx.now());
        self.set_timer(cx);
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        while !self.firing.is_empty() {
            if let Some(out) = self.fire() {
                cx.emit(out);
                break;
            }
        }
        Ok(if self.firing.is_empty() { Progress::Done } else { Progress::More })
    }

    fn pre_barrier(&mut self, _checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        self.saved_watermark.put(&cx.subtask().index.to_be_bytes(), &self.watermark.to_be_bytes());
        Ok(Progress::Done)
    }
}

impl WindowAggregate {
    /// The rows that are not late, once per open window, and the ends of these windows.
    fn assign(&self, chunk: Chunk, cx: &mut dyn Context) -> (Chunk, Vec<i64>) {
        if let Some(column) = self.end_column {
            return self.assign_attached(chunk, column, cx);
        }
        let times = self.time.local(&chunk.columns[self.time_column]);
        let mut ends = Vec::with_capacity(chunk.len);
        let mut late = 0;
        if let WindowShape::Tumble { .. } = self.shape {
            // Neighbours are mostly of one window: it is worked out once.
            let mut windows: Vec<Window> = vec![(0, 0)];
            let mut fired = false;
            let mut kept = Vec::new();
            for (row, time) in times.iter().enumerate() {
                if *time < windows[0].0 || *time >= windows[0].1 {
                    windows.clear();
                    self.shape.windows(*time, &mut windows);
                    fired = self.has_fired(windows[0].1);
                }
                if fired {
                    if late == 0 {
                        kept.extend(0..row as u32);
                    }
                    late += 1;
                } else {
                    ends.push(windows[0].1);
                    if late > 0 {
                        kept.push(row as u32);
                    }
                }
            }
            if late == 0 {
                drop(times);
                return (chunk, ends);
            }
            cx.late_rows(late);
            return (chunk.take(&kept), ends);
        }
        let mut windows = Vec::new();
        let mut rows = Vec::with_capacity(chunk.len);
        for (row, time) in times.iter().enumerate() {
            windows.clear();
            self.shape.windows(*time, &mut windows);
            let before = ends.len();
            for (_, end) in windows.iter().filter(|(_, end)| !self.has_fired(*end)) {
                ends.push(*end);
                rows.push(row as u32);
            }
            late += u64::from(ends.len() == before);
        }
        if late > 0 {
            cx.late_rows(late);
        }
        (chunk.take(&rows), ends)
    }

    /// The windows that end by then fire.
    fn close_until(&mut self, time: i64) {
        while let Some(entry) = self.open.first_entry() {
            if self.time.fires_at(*entry.key()) > time {
                break;
            }
            self.firing.push_back(entry.remove_entry());
        }
    }

    /// By processing time: asks to be called when the next window ends.
    fn set_timer(&self, cx: &mut dyn Context) {
        if let (false, Some((end, _))) = (self.event_time, self.open.first_key_value()) {
            cx.wake_at(self.time.fires_at(*end));
        }
    }

    /// As [`WindowAggregate::assign`], for rows that carry their window.
    fn assign_attached(&self, chunk: Chunk, column: usize, cx: &mut dyn Context) -> (Chunk, Vec<i64>) {
        let all = self.time.local(&chunk.columns[column]);
        let kept: Vec<u32> = (0..chunk.len as u32).filter(|row| !self.has_fired(all[*row as usize])).collect();
        let ends = kept.iter().map(|row| all[*row as usize]).collect();
        drop(all);
        if kept.len() == chunk.len {
            return (chunk, ends);
        }
        cx.late_rows((chunk.len - kept.len()) as u64);
        (chunk.take(&kept), ends)
    }

    fn has_fired(&self, end: i64) -> bool {
        self.watermark != i64::MIN && self.time.fires_at(end) <= self.watermark
    }

    fn accumulate(&mut self, chunk: &Chunk, ends: &[i64]) {
        let keys: Vec<ArrayRef> = self.keys.iter().map(|key| chunk.columns[*key].clone()).collect();
        let hashes = if keys.is_empty() { vec![0; chunk.len] } else { hash_keys(&keys) };
        let (mut slots, mut fresh) = (Vec::new(), Vec::new());
        self.windows.resolve(&keys, ends, &hashes, |_| true, &mut slots, &mut fresh);
        for row in fresh {
            self.open.entry(ends[row as usize]).or_default().push(slots[row as usize]);
        }
        let signs: Option<Vec<i8>> = match &chunk.kinds {
            Kinds::Each(kinds) if kinds.iter().any(|kind| !kind.adds()) => {
                Some(kinds.iter().map(|kind| kind.sign() as i8).collect())
            }
            _ => None,
        };
        if self.retracting {
            let SlotColumn::I64(counts) = &mut self.windows.columns_mut()[0] else { unreachable!("rows are counted") };
            for (row, slot) in slots.iter().enumerate() {
                counts[*slot as usize] += signs.as_ref().map_or(1, |signs| i64::from(signs[row]));
            }
        }
        let rows = Rows { columns: &chunk.columns, slots: &slots, signs: signs.as_deref(), steps: None };
        self.aggregation.update(&rows, &mut self.windows, Emit::Nothing, None);
        self.windows.touch(&slots);
    }

    /// The results of the next rows of windows that fire, at most a chunk of them; `None` when they are all empty.
    fn fire(&mut self) -> Option<Chunk> {
        let mut slots = Vec::new();
        let mut windows = Vec::new();
        while let Some((end, of_window)) = self.firing.front_mut() {
            let rest = of_window.split_off(of_window.len().min(Chunk::MAX_ROWS - slots.len()));
            windows.resize(windows.len() + of_window.len(), (self.shape.start(*end), *end));
            slots.append(of_window);
            if rest.is_empty() {
                self.firing.pop_front();
            } else {
                *of_window = rest;
                break;
            }
        }
        let fired = slots.clone();
        if self.retracting {
            let SlotColumn::I64(counts) = &self.windows.columns()[0] else { unreachable!("rows are counted") };
            let mut empty = slots.iter().map(|slot| counts[*slot as usize] == 0).collect::<Vec<_>>().into_iter();
            windows.retain(|_| !empty.next().unwrap_or(false));
            slots.retain(|slot| counts[*slot as usize] != 0);
        }
        let mut columns = self.windows.keys_of(&slots);
        columns.extend(self.aggregation.results(&slots, self.windows.columns_mut()));
        columns.extend(self.properties.iter().map(|property| self.time.property(*property, &windows)));
        for slot in fired {
            self.aggregation.release(slot);
            self.windows.remove(slot);
        }
        let mut out = Chunk::insert(columns, slots.len());
        // Nobody knows which row made the watermark rise; in a stream of one source it is the last one.
        out.origins = self.last_origin.map(|origin| Arc::new(Origins::uniform(out.len, origin)));
        (out.len > 0).then_some(out)
    }

    /// Takes the lowest watermark of all subtasks (there may have been another number of them), and leaves only its own behind.
    fn restore_watermark(&mut self, subtask: u32) {
        let entries: Vec<(Vec<u8>, Vec<u8>)> =
            self.saved_watermark.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect();
        let watermarks = entries.iter().filter_map(|(_, value)| Some(i64::from_be_bytes(value[..].try_into().ok()?)));
        self.watermark = watermarks.min().filter(|_| !planted(Mistake::WatermarkForgotten)).unwrap_or(i64::MIN);
        for (key, _) in entries {
            if key != subtask.to_be_bytes() {
                self.saved_watermark.remove(&key);
            }
        }
    }
}

fn describe_watermark(key: &[u8], value: &[u8]) -> (String, String) {
    let subtask = key.try_into().map_or(0, u32::from_be_bytes);
    let watermark = value.try_into().map_or(i64::MIN, i64::from_be_bytes);
    let mut text = String::new();
    if watermark == i64::MIN {
        text.push_str("none");
    } else if watermark == i64::MAX {
        text.push_str("end");
    } else {
        tidegate_data::text::time::write_timestamp(&mut text, watermark, 3);
    }
    (format!("subtask {subtask}"), text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{calls, check, schema};

    fn window(
        shape: WindowShape,
        keys: &[usize],
        aggregates: &[&str],
        retracting: bool,
    ) -> impl Fn() -> Box<dyn Operator> {
        let input = input();
        let spec = WindowAggregateSpec {
            aggregates: calls(aggregates, &input),
            input,
            time_column: 2,
            event_time: true,
            end_column: None,
            shape,
            keys: keys.to_vec(),
            properties: vec![WindowProperty::Start, WindowProperty::End],
            output: Schema::default(),
            retracting_input: retracting,
            zone: Zone::UTC,
        };
        move || Box::new(WindowAggregate::new(spec.clone()))
    }

    fn input() -> Schema {
        schema("k STRING, v INT, ts ROWTIME")
    }

    fn output(keys: &str, aggregates: &[&str]) -> Schema {
        let mut output = schema(keys);
        for call in calls(aggregates, &input()) {
            output.fields.push(tidegate_data::Field { name: call.name.clone(), ty: call.ty });
        }
        output.fields.extend(schema("window_start TIME, window_end TIME").fields);
        output
    }

    #[test]
    fn windows_fire_once_and_drop_late_rows() {
        let aggregates = ["COUNT()", "SUM(v)", "COUNT(DISTINCT v)"];
        let late = check(
            window(WindowShape::Tumble { size: 10_000, offset: 0 }, &[0], &aggregates, false),
            &input(),
            &output("k STRING", &aggregates),
            "+I a 1 '1970-01-01 00:00:01'
             +I a 1 '1970-01-01 00:00:09.999'
             +I b 2 '1970-01-01 00:00:10'
             +I c 3 '1969-12-31 23:59:59.999'
             watermark 9998
             +I a NULL '1970-01-01 00:00:00'
             watermark 9999
             +I a 5 '1970-01-01 00:00:05'
             +I b 5 '1970-01-01 00:00:19'
             +I a 5 '1970-01-01 00:00:06'
             watermark 9223372036854775807",
            "+I c 1 3 1 '1969-12-31 23:59:50.000' '1970-01-01 00:00:00.000'
             +I a 3 2 1 '1970-01-01 00:00:00.000' '1970-01-01 00:00:10.000'
             +I b 2 7 2 '1970-01-01 00:00:10.000' '1970-01-01 00:00:20.000'",
        );
        assert_eq!(late, 2);
    }

    #[test]
    fn rows_taken_back_leave_no_window() {
        let aggregates = ["COUNT()", "MIN(v)"];
        let late = check(
            window(WindowShape::Tumble { size: 10_000, offset: 0 }, &[0], &aggregates, true),
            &input(),
            &output("k STRING", &aggregates),
            "+I a 1 '1970-01-01 00:00:01'
             +I b 1 '1970-01-01 00:00:01'
             +I a 2 '1970-01-01 00:00:02'
             -U a 1 '1970-01-01 00:00:01'
             +U a 4 '1970-01-01 00:00:11'
             -D b 1 '1970-01-01 00:00:01'
             watermark 10000
             -D a 2 '1970-01-01 00:00:02'
             watermark 20000",
            "+I a 1 2 '1970-01-01 00:00:00.000' '1970-01-01 00:00:10.000'
             +I a 1 4 '1970-01-01 00:00:10.000' '1970-01-01 00:00:20.000'",
        );
        assert_eq!(late, 1);
    }

    #[test]
    fn a_row_counts_in_those_of_its_windows_that_are_open() {
        let shape = WindowShape::Hop { slide: 5_000, size: 10_000, offset: 0 };
        let late = check(
            window(shape, &[], &["COUNT()"], false),
            &input(),
            &output("", &["COUNT()"]),
            "+I a 1 '1970-01-01 00:00:06'
             watermark 9999
             +I a 1 '1970-01-01 00:00:07'
             +I a 1 '1970-01-01 00:00:01'
             watermark 14999",
            "+I 1 '1970-01-01 00:00:00.000' '1970-01-01 00:00:10.000'
             +I 2 '1970-01-01 00:00:05.000' '1970-01-01 00:00:15.000'",
        );
        assert_eq!(late, 1);
    }

    #[test]
    fn many_keys_go_out_in_parts() {
        let rows: String = (0..5_000).map(|row| format!("+I k{row} 1 '1970-01-01 00:00:0{}'\n", row % 2 * 9)).collect();
        let mut expected = String::new();
        for start in [0, 5] {
            for row in (0..5_000).filter(|row| (row % 2 == 0) == (start == 0)) {
                let end = if start == 0 { "05" } else { "10" };
                expected
                    .push_str(&format!("+I k{row} 1 '1970-01-01 00:00:0{start}.000' '1970-01-01 00:00:{end}.000'\n"));
            }
        }
        let make = window(WindowShape::Tumble { size: 5_000, offset: 0 }, &[0], &["COUNT()"], false);
        check(make, &input(), &output("k STRING", &["COUNT()"]), &format!("{rows}watermark 10000"), &expected);
    }

    #[test]
    fn by_processing_time_the_clock_closes_windows() {
        use crate::testing::{Recorder, finish};
        let spec = WindowAggregateSpec {
            aggregates: calls(&["COUNT()"], &input()),
            input: input(),
            time_column: 2,
            event_time: false,
            end_column: None,
            shape: WindowShape::Tumble { size: 10_000, offset: 0 },
            keys: vec![0],
            properties: vec![WindowProperty::Start],
            output: Schema::default(),
            retracting_input: false,
            zone: Zone::UTC,
        };
        let mut cx = Recorder::new(&schema("k STRING, c BIGINT, s TIME"));
        let mut operator = WindowAggregate::new(spec);
        operator.restored(&mut cx).unwrap();
        let rows = Chunk::parse("+I a 1 '1970-01-01 00:00:03'\n+I a 1 '1970-01-01 00:00:12'", &input());
        operator.on_chunk(0, rows, &mut cx).unwrap();
        let outcome = operator.on_watermark(i64::MAX, &mut cx);
        finish(&mut operator, &mut cx, outcome).unwrap();
        assert_eq!((cx.out.as_str(), cx.wake_at), ("", Some(9_999)));
        (cx.now, cx.wake_at) = (9_999, None);
        let outcome = operator.on_processing_time(&mut cx);
        finish(&mut operator, &mut cx, outcome).unwrap();
        assert_eq!(cx.out, "+I a 1 '1970-01-01 00:00:00.000'\n");
        assert_eq!(cx.wake_at, Some(19_999));
    }
}
