//! `SELECT .. FROM t ORDER BY ts, v DESC`, ts a rowtime: rows in the order of event time, as the watermark passes.
//!
//! Input and output: `+I`. One subtask. State: `rows`: (sort key, arrival number) -> row, cleared when it is put out; `worked-off`: the time of the last
//! row put out. Late rows: those at or below that time are dropped and counted, also where the watermark is further on.
//! Flink's counterpart: `RowTimeSortOperator`.

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMillisecondType;
use tidegate_data::{Chunk, RowKind, RowOrigin, Schema, SlotColumn, SlotType, encode_keys};
use tidegate_runtime::state::{ListTable, MapTable, Scope, StateVisitor};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::failure::null_rowtime;
use crate::meaning;
use crate::outbox::Outbox;
use crate::sort_key::{SortColumn, encode_sort_key};
use crate::window::first_null;

/// What a [`TemporalSort`] is made from.
#[derive(Clone, Debug)]
pub struct TemporalSortSpec {
    /// The columns.
    pub input: Schema,
    /// ORDER BY; the first column is the rowtime, ascending.
    pub order: Vec<SortColumn>,
}

/// ORDER BY rowtime.
pub struct TemporalSort {
    spec: TemporalSortSpec,
    rows: MapTable,
    worked_off: ListTable,
    /// As in `worked_off`.
    last_time: i64,
    arrivals: u64,
    firing_until: Option<i64>,
    outbox: Outbox,
    last_origin: Option<RowOrigin>,
}

impl TemporalSort {
    /// The operator of `spec`.
    pub fn new(spec: TemporalSortSpec) -> TemporalSort {
        TemporalSort {
            rows: MapTable::ordered(Vec::new(), &[("row".to_owned(), SlotType::Bytes)])
                .of(format!("{}, {}", meaning::rows(&spec.input), meaning::order(&spec.order, &spec.input)))
                .showing(&[], &spec.input.fields, false),
            worked_off: ListTable::new(Scope::Split, "-> time of the last row", describe),
            last_time: i64::MIN,
            arrivals: 0,
            firing_until: None,
            outbox: Outbox::new(&spec.input),
            last_origin: None,
            spec,
        }
    }
}

impl Operator for TemporalSort {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("rows", &mut self.rows);
        visitor.table("worked-off", &mut self.worked_off);
    }

    fn restored(&mut self, _cx: &mut dyn Context) -> Outcome {
        let owner = self.rows.owner(&[], 0);
        for entry in self.rows.entries(owner) {
            let sub_key = self.rows.sub_key(entry);
            let number = sub_key.last_chunk::<8>().map_or(0, |number| u64::from_be_bytes(*number));
            self.arrivals = self.arrivals.max(number + 1);
        }
        let saved = self.worked_off.get(&[]).and_then(|time| time.try_into().ok());
        self.last_time = saved.map_or(i64::MIN, i64::from_be_bytes);
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let rowtime = &chunk.columns[self.spec.order[0].column];
        if first_null(rowtime).is_some() {
            return Err(null_rowtime());
        }
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        let times = rowtime.as_primitive::<TimestampMillisecondType>().values();
        let owner = self.rows.owner(&[], 0);
        let encoded = encode_keys(&chunk.columns);
        let mut late = 0;
        for (row, &time) in times.iter().enumerate() {
            if time <= self.last_time {
                late += 1;
                continue;
            }
            let mut key = Vec::new();
            encode_sort_key(&mut key, &self.spec.order, &chunk.columns, row);
            key.extend(self.arrivals.to_be_bytes());
            self.arrivals += 1;
            let (entry, _) = self.rows.find_or_insert(owner, &key);
            let [SlotColumn::Bytes(rows)] = self.rows.columns_mut() else { unreachable!("rows are bytes") };
            rows[entry as usize] = Some(encoded.row(row).into());
            self.rows.touch(&[entry]);
        }
        if late > 0 {
            cx.late_rows(late);
        }
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        self.firing_until = Some(watermark);
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        if let Some(watermark) = self.firing_until {
            self.fire(watermark);
        }
        let progress = self.outbox.flush(cx);
        Ok(if self.firing_until.is_some() { Progress::More } else { progress })
    }
}

impl TemporalSort {
    fn fire(&mut self, watermark: i64) {
        let owner = self.rows.owner(&[], 0);
        while let Some(entry) = self.rows.first(owner) {
            // Mark, place of NULLs, time.
            let sub_key = self.rows.sub_key(entry);
            let time = i64::from_be_bytes(sub_key[2..10].try_into().unwrap_or_default()) ^ i64::MIN;
            if time > watermark {
                break;
            }
            if self.outbox.is_full() {
                return;
            }
            let [SlotColumn::Bytes(rows)] = self.rows.columns_mut() else { unreachable!("rows are bytes") };
            if let Some(row) = rows[entry as usize].clone() {
                self.outbox.push(RowKind::Insert, row, self.last_origin);
            }
            self.rows.remove(entry);
            if time > self.last_time {
                self.last_time = time;
                self.worked_off.put(&[], &time.to_be_bytes());
            }
        }
        self.firing_until = None;
    }
}

fn describe(_key: &[u8], value: &[u8]) -> (String, String) {
    let mut text = String::new();
    let time = value.try_into().map_or(i64::MIN, i64::from_be_bytes);
    tidegate_data::text::time::write_timestamp(&mut text, time, 3);
    ("last row".to_owned(), text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};

    #[test]
    fn rows_come_out_in_order() {
        let input = schema("v INT, ts ROWTIME");
        let order = vec![
            SortColumn { column: 1, descending: false, nulls_first: true },
            SortColumn { column: 0, descending: true, nulls_first: false },
        ];
        let spec = TemporalSortSpec { input: input.clone(), order };
        let late = check(
            move || Box::new(TemporalSort::new(spec.clone())),
            &input,
            &input,
            "+I 1 '1970-01-01 00:00:03'
             +I 2 '1970-01-01 00:00:01'
             +I 3 '1970-01-01 00:00:03'
             watermark 2000
             +I 4 '1970-01-01 00:00:01'
             +I 5 '1970-01-01 00:00:02'
             watermark 3000",
            "+I 2 '1970-01-01 00:00:01.000'
             +I 5 '1970-01-01 00:00:02.000'
             +I 3 '1970-01-01 00:00:03.000'
             +I 1 '1970-01-01 00:00:03.000'",
        );
        assert_eq!(late, 1);
    }
}
