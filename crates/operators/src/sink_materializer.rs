//! `INSERT INTO t` where `t`'s primary key is not a key of the query: keeps all rows per sink key, the last one shows.
//!
//! Input: any changelog; output: `+I`, `+U`, `-D` by the sink's key. An added row is sent at once (one with the upsert key of a row that is there takes
//! its place); taking away the last one falls back to the one before (`+U`), an earlier one is silent, the only one is a `-D`; one that is not there
//! vanishes.
//!
//! State: `rows`: (sink key, arrival number) -> row, cleared when the row is taken away. Late rows: there is no time. Flink's counterpart:
//! `SinkUpsertMaterializer`, whose list of rows is written as a whole and searched from its start; here `lookup` finds a row by its content
//! (derived from `rows`, in no snapshot).

use arrow_array::ArrayRef;
use tidegate_data::keys::{MAX_PARALLELISM, key_group};
use tidegate_data::{
    Chunk, DataType, RowKind, Schema, SlotColumn, SlotType, Value, decode_keys, encode_keys, hash_keys,
};
use tidegate_expr::aggregates::encode_value;
use tidegate_runtime::state::{MapTable, StateVisitor};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::meaning;
use crate::stored_rows::{Emitted, StoredRow};

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
    input: Schema,
    keys: Vec<usize>,
    /// The columns by which a row is found again, and whether they are a key.
    identity: Vec<usize>,
    by_key: bool,
    rows: MapTable,
    /// Whether rows are kept for some time only: then those of one key together, as Flink keeps them in one list.
    expires: bool,
    lookup: MapTable,
}

impl SinkMaterializer {
    /// The operator of `spec`.
    pub fn new(spec: SinkMaterializerSpec) -> SinkMaterializer {
        let upsert_key = spec.input_upsert_key.filter(|key| !key.is_empty());
        let by_key = upsert_key.is_some();
        let identity = upsert_key.unwrap_or_else(|| (0..spec.input.fields.len()).collect());
        let rows = MapTable::ordered(Vec::new(), &[("row".to_owned(), SlotType::Bytes)]);
        SinkMaterializer {
            identity,
            by_key,
            rows: rows
                .of(meaning::rows_by(&spec.input, &spec.keys))
                .showing(&spec.keys, &spec.input.fields, false)
                .kept_for(spec.state_ttl),
            expires: spec.state_ttl > 0,
            lookup: MapTable::ordered(Vec::new(), &[]),
            input: spec.input,
            keys: spec.keys,
        }
    }
}

impl Operator for SinkMaterializer {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("rows", &mut self.rows);
    }

    fn restored(&mut self, _cx: &mut dyn Context) -> Outcome {
        let types: Vec<DataType> = self.input.fields.iter().map(|field| field.ty.clone()).collect();
        for owner in self.rows.owners() {
            let (key, group) = self.rows.owner_key(owner);
            let mirrored = self.lookup.owner(key, group);
            for entry in self.rows.entries(owner) {
                let row = self.stored(entry);
                let columns = decode_keys([&row[..]], &types);
                if let Some(mut identity) = self.identity(&columns, 0) {
                    identity.extend(self.rows.sub_key(entry));
                    self.lookup.find_or_insert(mirrored, &identity);
                }
            }
        }
        Ok(Progress::Done)
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.expire(cx);
        let keys: Vec<ArrayRef> = self.keys.iter().map(|key| chunk.columns[*key].clone()).collect();
        let (hashes, keys) = (hash_keys(&keys), encode_keys(&keys));
        let encoded = encode_keys(&chunk.columns);
        let mut emitted = Emitted::default();
        for (row, hash) in hashes.iter().enumerate() {
            let (key, group) = (keys.row(row), key_group(*hash, MAX_PARALLELISM) as u16);
            let identity = self.identity(&chunk.columns, row);
            if chunk.kind(row).adds() {
                let (owner, mirrored) = (self.rows.owner(key, group), self.lookup.owner(key, group));
                let first = self.rows.count(owner) == 0;
                self.add(owner, mirrored, encoded.row(row), identity);
                emitted.input(if first { RowKind::Insert } else { RowKind::UpdateAfter }, row);
            } else {
                self.retract(key, group, identity, row, &mut emitted);
            }
        }
        if let Some(out) = emitted.finish(&chunk, &self.input) {
            cx.emit(out);
        }
        Ok(Progress::Done)
    }
}

impl SinkMaterializer {
    fn expire(&mut self, cx: &mut dyn Context) {
        for entry in self.rows.over(cx.now()) {
            let owner = self.rows.owner_of(entry);
            let mirrored = self.lookup.find_owner(self.rows.owner_key(owner).0);
            self.rows.remove(entry);
            if self.rows.count(owner) == 0 {
                self.rows.clear(owner);
                mirrored.into_iter().for_each(|mirrored| self.lookup.clear(mirrored));
            }
        }
    }

    /// All rows of a key were written.
    fn touch(&mut self, owner: u32) {
        if self.expires {
            let entries: Vec<u32> = self.rows.entries(owner).collect();
            self.rows.touch(&entries);
        }
    }

    /// By what a row is found again: `None` for one that equals no other (it has a NaN).
    fn identity(&self, columns: &[ArrayRef], row: usize) -> Option<Vec<u8>> {
        let mut identity = Vec::new();
        for column in &self.identity {
            match floating_point(&self.input.fields[*column].ty, &columns[*column], row) {
                Some(number) if number.is_nan() => return None,
                // 0.0 and -0.0 are equal.
                Some(0.0) => identity.push(2),
                _ => encode_value(&mut identity, &columns[*column], row),
            }
        }
        Some(identity)
    }

    fn stored(&self, entry: u32) -> StoredRow {
        let [SlotColumn::Bytes(rows)] = self.rows.columns() else { unreachable!("rows are bytes") };
        rows[entry as usize].clone().unwrap_or_default()
    }

    /// The number under which the first row of this identity stands.
    fn find(&self, mirrored: u32, identity: &[u8]) -> Option<Vec<u8>> {
        let found = self.lookup.sub_key(self.lookup.entries_from(mirrored, identity).next()?);
        found.strip_prefix(identity).map(<[u8]>::to_vec)
    }

    fn add(&mut self, owner: u32, mirrored: u32, row: &[u8], identity: Option<Vec<u8>>) {
        let replaced = identity.as_ref().filter(|_| self.by_key).and_then(|identity| self.find(mirrored, identity));
        let number = match replaced {
            Some(number) => number,
            None => {
                let last = self.rows.last(owner).map(|entry| self.rows.sub_key(entry));
                let last = last.and_then(|number| number[..].try_into().ok()).map_or(0, u64::from_be_bytes);
                let number = (last + 1).to_be_bytes().to_vec();
                if let Some(mut identity) = identity {
                    identity.extend(&number);
                    self.lookup.find_or_insert(mirrored, &identity);
                }
                number
            }
        };
        let (entry, _) = self.rows.find_or_insert(owner, &number);
        self.rows.touch(&[entry]);
        let [SlotColumn::Bytes(rows)] = self.rows.columns_mut() else { unreachable!("rows are bytes") };
        rows[entry as usize] = Some(row.into());
        self.touch(owner);
    }

    fn retract(&mut self, key: &[u8], group: u16, identity: Option<Vec<u8>>, row: usize, emitted: &mut Emitted) {
        let (Some(owner), Some(identity)) = (self.rows.find_owner(key), identity) else { return };
        let mirrored = self.lookup.owner(key, group);
        let Some(number) = self.find(mirrored, &identity) else { return };
        let was_last = self.rows.last(owner).is_some_and(|last| self.rows.sub_key(last) == number);
        if let Some(entry) = self.rows.find(owner, &number) {
            self.rows.remove(entry);
        }
        if let Some(entry) = self.lookup.find(mirrored, &[&identity[..], &number].concat()) {
            self.lookup.remove(entry);
        }
        self.touch(owner);
        match self.rows.last(owner) {
            None => {
                emitted.input(RowKind::Delete, row);
                self.rows.clear(owner);
                self.lookup.clear(mirrored);
            }
            Some(last) if was_last => emitted.stored(RowKind::UpdateAfter, self.stored(last), row),
            Some(_) => {}
        }
    }
}

/// The number in a cell of a floating-point column.
fn floating_point(ty: &DataType, column: &ArrayRef, row: usize) -> Option<f64> {
    if !ty.logical.is_approximate() {
        return None;
    }
    match tidegate_data::value_at(column.as_ref(), row, ty) {
        Value::Float(number) => Some(number.into()),
        Value::Double(number) => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};

    fn materializer(input_upsert_key: Option<Vec<usize>>) -> impl Fn() -> Box<dyn Operator> {
        let spec = SinkMaterializerSpec { input: input(), keys: vec![0], input_upsert_key, state_ttl: 0 };
        move || Box::new(SinkMaterializer::new(spec.clone()))
    }

    fn input() -> Schema {
        schema("k STRING, id INT, d DOUBLE")
    }

    #[test]
    fn the_row_before_comes_back() {
        check(
            materializer(None),
            &input(),
            &input(),
            "+I a 1 1
             +I a 2 1
             +I a 3 0.0
             -D a 2 1
             -D a 3 -0.0
             -U a 1 1
             +U b 1 1
             -D z 7 1
             +I b 4 1
             +I b 4 1
             -D b 4 1
             -D b 4 1
             -D b 1 1
             +I c 1 NaN
             -D c 1 NaN",
            "+I a 1 1.0
             +U a 2 1.0
             +U a 3 0.0
             +U a 1 1.0
             -D a 1 1.0
             +I b 1 1.0
             +U b 4 1.0
             +U b 4 1.0
             +U b 1 1.0
             -D b 1 1.0
             +I c 1 NaN",
        );
    }

    #[test]
    fn a_row_of_the_same_upsert_key_takes_its_place() {
        check(
            materializer(Some(vec![1])),
            &input(),
            &input(),
            "+I a 1 1
             +I a 2 1
             +U a 1 5
             -D a 2 1
             -D a 1 9",
            "+I a 1 1.0
             +U a 2 1.0
             +U a 1 5.0
             +U a 1 5.0
             -D a 1 9.0",
        );
    }
}
