//! `SELECT .., SUM(v) OVER (PARTITION BY k ORDER BY v) FROM t`, ordered by something else than time: a row changes the results of those behind it.
//!
//! Input: any changelog; output: the row's columns, then the results: an added row with its own kind, one that is taken away as `-D`, others
//! whose results change as `-U`/`+U`, in order. Frames are unbounded: RANGE (rows of equal order have one result) or ROWS.
//!
//! State: `rows`: (partition, sort key, arrival number) -> row, results; a row goes when it is taken away. A step costs as much as the partition is
//! long. Late rows: there is no time. Flink's counterparts: `NonTimeRangeUnboundedPrecedingFunction`, `NonTimeRowsUnboundedPrecedingFunction`.

use arrow_array::{ArrayRef, Int64Array};
use std::sync::Arc;
use tidegate_data::keys::encode::encode_cell;
use tidegate_data::keys::{MAX_PARALLELISM, key_group};
use tidegate_data::{
    Chunk, DataType, LogicalType, RowKind, RowOrigin, Schema, SlotColumn, SlotType, Value, build_column, decode_keys,
    encode_keys, hash_keys,
};
use tidegate_expr::AggregateCall;
use tidegate_expr::aggregates::Emit;
use tidegate_runtime::state::{GroupTable, MapTable, StateVisitor};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::aggregation::{Aggregation, Rows};
use crate::meaning;
use crate::outbox::Outbox;
use crate::sort_key::{SortColumn, encode_sort_key};
use crate::stored_rows::{RowEquality, StoredRow};

/// What an [`OverNonTime`] is made from.
#[derive(Clone, Debug)]
pub struct OverNonTimeSpec {
    /// The input's columns.
    pub input: Schema,
    /// The output's columns: the input's, then the results.
    pub output: Schema,
    /// PARTITION BY.
    pub partition: Vec<usize>,
    /// ORDER BY.
    pub order: Vec<SortColumn>,
    /// ROWS, not RANGE.
    pub rows: bool,
    /// The aggregates, over the input's columns and the constants behind them.
    pub aggregates: Vec<AggregateCall>,
    /// Constants that the aggregates read.
    pub constants: Vec<(DataType, Value)>,
    /// Whether `-U` rows are wanted.
    pub emit_update_before: bool,
    /// `table.exec.state.ttl` in ms, 0 for none.
    pub state_ttl: i64,
}

/// Aggregates with OVER, not by time.
pub struct OverNonTime {
    spec: OverNonTimeSpec,
    types: Vec<DataType>,
    equality: RowEquality,
    rows: MapTable,
    arrivals: u64,
    pending: Option<(Chunk, usize)>,
    outbox: Outbox,
}

impl OverNonTime {
    /// The operator of `spec`.
    pub fn new(spec: OverNonTimeSpec) -> OverNonTime {
        let wide = with_constants(&spec.input, &spec.constants);
        let meaning = format!(
            "{}, {} with {}",
            meaning::rows_by(&spec.input, &spec.partition),
            meaning::order(&spec.order, &spec.input),
            meaning::calls(&spec.aggregates, &wide)
        );
        let columns = ["row", "results"].map(|label| (label.to_owned(), SlotType::Bytes));
        OverNonTime {
            types: spec.input.fields.iter().map(|field| field.ty.clone()).collect(),
            equality: RowEquality::new(&spec.input),
            rows: MapTable::ordered(Vec::new(), &columns)
                .of(meaning)
                .showing(&spec.partition, &spec.input.fields, false)
                .with_fields(1, &spec.output.fields[spec.input.fields.len()..])
                .kept_for(spec.state_ttl),
            arrivals: 0,
            pending: None,
            outbox: Outbox::new(&spec.output),
            spec,
        }
    }
}

impl Operator for OverNonTime {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("rows", &mut self.rows);
    }

    fn restored(&mut self, _cx: &mut dyn Context) -> Outcome {
        for owner in self.rows.owners() {
            for entry in self.rows.entries(owner) {
                let sub_key = self.rows.sub_key(entry);
                let number = sub_key.last_chunk::<8>().map_or(0, |number| u64::from_be_bytes(*number));
                self.arrivals = self.arrivals.max(number + 1);
            }
        }
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.rows.expire(cx.now());
        self.pending = Some((chunk, 0));
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        if let Some((chunk, done)) = self.pending.take() {
            let done = self.work(&chunk, done);
            if done < chunk.len {
                self.pending = Some((chunk, done));
            }
        }
        Ok(match (self.outbox.flush(cx), &self.pending) {
            (Progress::Done, None) => Progress::Done,
            _ => Progress::More,
        })
    }
}

impl OverNonTime {
    /// Takes rows from `done` on until a chunk of output is full; gives how many are done now.
    fn work(&mut self, chunk: &Chunk, mut done: usize) -> usize {
        let keys: Vec<ArrayRef> = self.spec.partition.iter().map(|key| chunk.columns[*key].clone()).collect();
        let hashes = if keys.is_empty() { vec![0; chunk.len] } else { hash_keys(&keys) };
        let keys = (!keys.is_empty()).then(|| encode_keys(&keys));
        let encoded = encode_keys(&chunk.columns);
        while done < chunk.len && !self.outbox.is_full() {
            let row = done;
            done += 1;
            let key = keys.as_ref().map_or(&[][..], |keys| keys.row(row));
            let owner = self.rows.owner(key, key_group(hashes[row], MAX_PARALLELISM) as u16);
            let mut sort_key = Vec::new();
            encode_sort_key(&mut sort_key, &self.spec.order, &chunk.columns, row);
            let (kind, origin) = (chunk.kind(row), chunk.origin(row));
            if kind.adds() {
                sort_key.extend(self.arrivals.to_be_bytes());
                self.arrivals += 1;
                let (entry, _) = self.rows.find_or_insert(owner, &sort_key);
                self.bytes_mut(0)[entry as usize] = Some(encoded.row(row).into());
                self.update(owner, Some((entry, kind)), origin);
            } else if let Some(entry) = self.find(owner, &sort_key, encoded.row(row)) {
                self.put_out(RowKind::Delete, entry, origin);
                self.rows.remove(entry);
                self.update(owner, None, origin);
            }
            if self.rows.count(owner) == 0 {
                self.rows.clear(owner);
            }
        }
        done
    }

    fn bytes_mut(&mut self, column: usize) -> &mut [Option<StoredRow>] {
        let SlotColumn::Bytes(bytes) = &mut self.rows.columns_mut()[column] else { unreachable!("rows are bytes") };
        bytes
    }

    fn bytes(&self, column: usize, entry: u32) -> StoredRow {
        let SlotColumn::Bytes(bytes) = &self.rows.columns()[column] else { unreachable!("rows are bytes") };
        bytes[entry as usize].clone().unwrap_or_default()
    }

    fn find(&self, owner: u32, sort_key: &[u8], row: &[u8]) -> Option<u32> {
        self.rows
            .entries_from(owner, sort_key)
            .take_while(|entry| self.rows.sub_key(*entry).starts_with(sort_key))
            .find(|entry| self.equality.equal(&self.bytes(0, *entry), row))
    }

    fn put_out(&mut self, kind: RowKind, entry: u32, origin: Option<RowOrigin>) {
        if kind == RowKind::UpdateBefore && !self.spec.emit_update_before {
            return;
        }
        let mut bytes = self.bytes(0, entry).to_vec();
        bytes.extend_from_slice(&self.bytes(1, entry));
        self.outbox.push(kind, bytes.into(), origin);
    }

    /// Computes the results of a partition anew and puts out what changed; `added` came just now.
    fn update(&mut self, owner: u32, added: Option<(u32, RowKind)>, origin: Option<RowOrigin>) {
        let entries: Vec<u32> = self.rows.entries(owner).collect();
        let rows: Vec<StoredRow> = entries.iter().map(|entry| self.bytes(0, *entry)).collect();
        if rows.is_empty() {
            return;
        }
        let results = self.results(&rows);
        // Where rows of equal order have one result, it is that behind the last of them.
        let mut from: Vec<usize> = (0..entries.len()).collect();
        if !self.spec.rows {
            let order = |i: usize| {
                let mut key = self.rows.sub_key(entries[i]);
                key.truncate(key.len() - 8);
                key
            };
            for i in (0..entries.len().saturating_sub(1)).rev() {
                if order(i) == order(i + 1) {
                    from[i] = from[i + 1];
                }
            }
        }
        for (entry, from) in entries.into_iter().zip(from) {
            let mut bytes = Vec::new();
            results.iter().for_each(|column| encode_cell(&mut bytes, column.as_ref(), from));
            let new: StoredRow = bytes.into();
            match added.filter(|(own, _)| *own == entry) {
                Some((_, kind)) => {
                    self.bytes_mut(1)[entry as usize] = Some(new);
                    self.put_out(kind, entry, origin);
                }
                None if self.bytes(1, entry) == new => continue,
                None => {
                    self.put_out(RowKind::UpdateBefore, entry, origin);
                    self.bytes_mut(1)[entry as usize] = Some(new);
                    self.put_out(RowKind::UpdateAfter, entry, origin);
                }
            }
            self.rows.touch(&[entry]);
        }
    }

    /// The results behind each of these rows.
    fn results(&self, rows: &[StoredRow]) -> Vec<ArrayRef> {
        let wide = with_constants(&self.spec.input, &self.spec.constants);
        let mut columns = decode_keys(rows.iter().map(|row| &row[..]), &self.types);
        for (ty, value) in &self.spec.constants {
            let constant = build_column(ty, std::iter::repeat_n(value, rows.len()));
            columns.push(constant.expect("a constant is of its type"));
        }
        let mut aggregation = Aggregation::new(&self.spec.aggregates, &wide, false, 0);
        let mut group = GroupTable::new(vec![DataType::not_null(LogicalType::BigInt)], aggregation.columns());
        let keys: [ArrayRef; 1] = [Arc::new(Int64Array::from(vec![0; rows.len()]))];
        let (mut slots, mut fresh) = (Vec::new(), Vec::new());
        group.resolve(&keys, &[], &hash_keys(&keys), |_| true, &mut slots, &mut fresh);
        let batch = Rows { columns: &columns, slots: &slots, signs: None, steps: None };
        let results = aggregation.update(&batch, &mut group, Emit::After, None);
        aggregation.finish(results)
    }
}

/// The columns that the aggregates read: the input's, then the constants.
fn with_constants(input: &Schema, constants: &[(DataType, Value)]) -> Schema {
    let mut wide = input.clone();
    for (i, (ty, _)) in constants.iter().enumerate() {
        wide.fields.push(tidegate_data::Field { name: format!("${i}"), ty: ty.clone() });
    }
    wide
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{calls, check, schema};

    fn over(rows: bool) -> impl Fn() -> Box<dyn Operator> {
        let input = schema("k STRING, v INT");
        let spec = OverNonTimeSpec {
            aggregates: calls(&["SUM(v)"], &input),
            input,
            output: schema("k STRING, v INT, s INT"),
            partition: vec![0],
            order: vec![SortColumn { column: 1, descending: false, nulls_first: true }],
            rows,
            constants: Vec::new(),
            emit_update_before: true,
            state_ttl: 0,
        };
        move || Box::new(OverNonTime::new(spec.clone()))
    }

    #[test]
    fn rows_behind_change() {
        let (input, output) = (schema("k STRING, v INT"), schema("k STRING, v INT, s INT"));
        let script = "+I a 3
            +I a 1
            +I b 7
            +I a 2
            +I a 2
            -D a 1
            -D a 9";
        check(
            over(false),
            &input,
            &output,
            script,
            "+I a 3 3
             +I a 1 1
             -U a 3 3
             +U a 3 4
             +I b 7 7
             +I a 2 3
             -U a 3 4
             +U a 3 6
             -U a 2 3
             +U a 2 5
             +I a 2 5
             -U a 3 6
             +U a 3 8
             -D a 1 1
             -U a 2 5
             +U a 2 4
             -U a 2 5
             +U a 2 4
             -U a 3 8
             +U a 3 7",
        );
    }
}
