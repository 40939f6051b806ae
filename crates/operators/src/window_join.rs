//! Two windowed inputs, `JOIN … ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end`, of every sort, semi and anti too.
//!
//! Input: inserts, each with the end of its window. Output: inserts, when the watermark closes a window: the pairs, then rows of an outer side that met none;
//! of semi and anti joins the left rows with or without a match.
//!
//! State: `left`, `right`: (join key, window's end and number) -> row, cleared when the window closes. Late rows, whose window is closed, are dropped and
//! counted. Flink's counterpart: `WindowJoinOperator`.

use std::collections::BTreeSet;

use arrow_array::Array;
use tidegate_data::{
    Chunk, DataType, RowKind, RowOrigin, Schema, SlotColumn, SlotType, Value, Zone, decode_keys, value_at,
};
use tidegate_expr::{EvalContext, Expr};
use tidegate_runtime::state::{MapTable, StateVisitor};
use tidegate_runtime::{Context, Failure, Operator, Outcome, Progress};

use crate::meaning;
use crate::stored_rows::StoredRow;
use crate::two_inputs::{EncodedRows, Pairs, arrivals, time_key, time_of};
use crate::window::WindowTime;

/// What a [`WindowJoin`] is made from. In pairs: of the left and of the right side.
#[derive(Clone, Debug)]
pub struct WindowJoinSpec {
    /// The columns.
    pub inputs: [Schema; 2],
    /// The columns of the join key.
    pub keys: [Vec<usize>; 2],
    /// The column that holds the end of the window, in ms.
    pub ends: [usize; 2],
    /// Whether the windows' bounds are local times: they are of TIMESTAMP_LTZ columns.
    pub local: bool,
    /// Which pairs and rows come.
    pub sort: WindowJoinSort,
    /// Of each column of the join key, whether NULL equals NULL.
    pub nulls_match: Vec<bool>,
    /// What must be true of a pair besides, over the columns of both sides.
    pub condition: Option<Expr>,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// The sorts of window joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowJoinSort {
    /// Pairs, and the rows without one of the sides that are true.
    Pairs([bool; 2]),
    /// Left rows with a match, or (true) without one.
    Semi(bool),
}

/// A join of windows.
pub struct WindowJoin {
    spec: WindowJoinSpec,
    time: WindowTime,
    rows: [MapTable; 2],
    /// The windows that have rows: end, key group, key; from the tables.
    open: BTreeSet<(i64, u16, Vec<u8>)>,
    closing: Option<i64>,
    last_origin: Option<RowOrigin>,
    out: Pairs,
}

impl WindowJoin {
    /// The operator of `spec`.
    pub fn new(spec: WindowJoinSpec) -> WindowJoin {
        let columns = [("row".to_owned(), SlotType::Bytes)];
        let rows =
            |side: usize| {
                MapTable::ordered(Vec::new(), &columns)
                    .of(meaning::rows_by(&spec.inputs[side], &spec.keys[side]))
                    .showing(&spec.keys[side], &spec.inputs[side].fields, false)
            };
        let left_only = matches!(spec.sort, WindowJoinSort::Semi(_));
        WindowJoin {
            time: WindowTime::of(spec.local, spec.zone),
            rows: [rows(0), rows(1)],
            open: BTreeSet::new(),
            closing: None,
            last_origin: None,
            out: Pairs::new(&spec.inputs, spec.condition.clone(), left_only),
            spec,
        }
    }
}

impl Operator for WindowJoin {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("left", &mut self.rows[0]);
        visitor.table("right", &mut self.rows[1]);
    }

    fn restored(&mut self, _cx: &mut dyn Context) -> Outcome {
        self.open.clear();
        for table in &self.rows {
            for owner in table.owners() {
                let (key, group) = table.owner_key(owner);
                for entry in table.entries(owner) {
                    self.open.insert((time_of(&table.sub_key(entry)).0, group, key.to_vec()));
                }
            }
        }
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let encoded = EncodedRows::new(&chunk, &self.spec.keys[input], &self.spec.nulls_match);
        self.last_origin = chunk.origin(chunk.len - 1).or(self.last_origin);
        let watermark = cx.watermark().unwrap_or(i64::MIN);
        let end_column = self.spec.ends[input];
        let end_type = self.spec.inputs[input].fields[end_column].ty.clone();
        let mut late = 0;
        for row in 0..chunk.len {
            let Value::Int(end) = value_at(chunk.columns[end_column].as_ref(), row, &end_type) else { continue };
            if watermark >= self.time.fires_at(end) {
                late += 1;
                continue;
            }
            self.keep(input, encoded.key(row), encoded.group(row), end, encoded.row(row).into());
        }
        if late > 0 {
            cx.late_rows(late);
        }
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, cx: &mut dyn Context) -> Outcome {
        self.closing = Some(watermark);
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        let context =
            EvalContext { watermark: cx.watermark(), now: cx.now(), zone: self.spec.zone, ..EvalContext::default() };
        while let Some(watermark) = self.closing
            && !self.out.is_full()
        {
            match self.open.first() {
                Some((end, ..)) if self.time.fires_at(*end) <= watermark => {
                    if let Some((end, _, key)) = self.open.pop_first() {
                        self.close(end, &key, &context)?;
                    }
                }
                _ => self.closing = None,
            }
        }
        let progress = self.out.flush(cx);
        Ok(if self.closing.is_some() { Progress::More } else { progress })
    }
}

impl WindowJoin {
    fn keep(&mut self, side: usize, key: &[u8], group: u16, end: i64, row: StoredRow) {
        let table = &mut self.rows[side];
        let owner = table.owner(key, group);
        let arrival = arrivals(table, owner, end);
        let (entry, _) = table.find_or_insert(owner, &time_key(end, arrival));
        if let SlotColumn::Bytes(rows) = &mut table.columns_mut()[0] {
            rows[entry as usize] = Some(row);
        }
        table.touch(&[entry]);
        self.open.insert((end, group, key.to_vec()));
    }

    /// Takes the rows of a window out of state.
    fn taken(&mut self, side: usize, key: &[u8], end: i64) -> Vec<StoredRow> {
        let table = &mut self.rows[side];
        let Some(owner) = table.find_owner(key) else { return Vec::new() };
        let entries: Vec<u32> = table
            .entries_from(owner, &time_key(end, 0))
            .take_while(|entry| time_of(&table.sub_key(*entry)).0 == end)
            .collect();
        let mut rows = Vec::with_capacity(entries.len());
        for entry in entries {
            if let SlotColumn::Bytes(stored) = &table.columns()[0] {
                rows.push(stored[entry as usize].clone().unwrap_or_default());
            }
            table.remove(entry);
        }
        if table.count(owner) == 0 {
            table.clear(owner);
        }
        rows
    }

    fn close(&mut self, end: i64, key: &[u8], context: &EvalContext) -> Result<(), Failure> {
        let (left, right) = (self.taken(0, key, end), self.taken(1, key, end));
        let mut met = [vec![false; left.len()], vec![false; right.len()]];
        if !left.is_empty() && !right.is_empty() && !self.has_null_key(&left[0]) {
            for (i, row) in left.iter().enumerate() {
                let fulfilled = self.out.fulfil(right.iter().map(|other| (&row[..], &other[..])), context)?;
                for (j, other) in right.iter().enumerate().filter(|(j, _)| fulfilled[*j]) {
                    met[0][i] = true;
                    met[1][j] = true;
                    if let WindowJoinSort::Pairs(_) = self.spec.sort {
                        self.out.send(RowKind::Insert, Some(row), Some(other), self.last_origin);
                    }
                }
            }
        }
        let keeps = match self.spec.sort {
            WindowJoinSort::Semi(anti) => [Some(!anti), None],
            WindowJoinSort::Pairs(keeps) => keeps.map(|keeps| keeps.then_some(false)),
        };
        for (side, rows) in [left, right].iter().enumerate() {
            for (row, _) in rows.iter().zip(&met[side]).filter(|(_, met)| keeps[side] == Some(**met)) {
                let (left, right) = if side == 0 { (Some(&row[..]), None) } else { (None, Some(&row[..])) };
                self.out.send(RowKind::Insert, left, right, self.last_origin);
            }
        }
        Ok(())
    }

    /// Whether the key of these rows holds a NULL that equals nothing.
    fn has_null_key(&self, row: &[u8]) -> bool {
        let types: Vec<DataType> = self.spec.inputs[0].fields.iter().map(|field| field.ty.clone()).collect();
        let columns = decode_keys([row], &types);
        let keys = self.spec.keys[0].iter().zip(&self.spec.nulls_match);
        keys.into_iter().any(|(key, nulls_match)| !nulls_match && columns[*key].is_null(0))
    }
}
