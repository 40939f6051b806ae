//! What joins share: the keys and rows of a chunk as bytes, the times of rows, conditions over pairs, and pairs on their way out.

use arrow_array::{Array, ArrayRef};
use tidegate_data::keys::{MAX_PARALLELISM, key_group};
use tidegate_data::{
    Chunk, DataType, EncodedKeys, Field, LogicalType, RowKind, RowOrigin, Schema, Value, decode_keys, encode_keys,
    hash_keys, value_at,
};
use tidegate_expr::{EvalContext, Expr};
use tidegate_runtime::state::MapTable;
use tidegate_runtime::{Context, Failure, Progress};

use crate::failure::{not_computed, null_rowtime};
use crate::outbox::Outbox;

/// The rows of a chunk and their join keys, encoded.
pub(crate) struct EncodedRows {
    keys: Option<EncodedKeys>,
    groups: Vec<u16>,
    alone: Vec<bool>,
    rows: EncodedKeys,
}

impl EncodedRows {
    /// Those of a chunk. `nulls_match` says of each column of the key whether two NULLs are equal; where it says nothing they are not.
    pub(crate) fn new(chunk: &Chunk, keys: &[usize], nulls_match: &[bool]) -> EncodedRows {
        let columns: Vec<ArrayRef> = keys.iter().map(|key| chunk.columns[*key].clone()).collect();
        let (hashes, keys) = match columns.is_empty() {
            true => (vec![0; chunk.len], None),
            false => (hash_keys(&columns), Some(encode_keys(&columns))),
        };
        let mut alone = vec![false; chunk.len];
        for (i, column) in columns.iter().enumerate() {
            if column.null_count() > 0 && !nulls_match.get(i).is_some_and(|matches| *matches) {
                alone.iter_mut().enumerate().for_each(|(row, alone)| *alone |= column.is_null(row));
            }
        }
        EncodedRows {
            keys,
            groups: hashes.iter().map(|hash| key_group(*hash, MAX_PARALLELISM) as u16).collect(),
            alone,
            rows: encode_keys(&chunk.columns),
        }
    }

    /// The join key of a row.
    pub(crate) fn key(&self, row: usize) -> &[u8] {
        self.keys.as_ref().map_or(&[], |keys| keys.row(row))
    }

    /// The key group of a row.
    pub(crate) fn group(&self, row: usize) -> u16 {
        self.groups[row]
    }

    /// The whole row.
    pub(crate) fn row(&self, row: usize) -> &[u8] {
        self.rows.row(row)
    }

    /// Whether the row's key holds a NULL, so that it meets nothing.
    pub(crate) fn is_alone(&self, row: usize) -> bool {
        self.alone[row]
    }
}

/// The time attribute of a row, in ms.
///
/// # Errors
/// Where it is NULL.
pub(crate) fn rowtime(chunk: &Chunk, row: usize, column: usize, ty: &DataType) -> Result<i64, Failure> {
    let precision = match ty.logical {
        LogicalType::Timestamp(precision, _) | LogicalType::TimestampLtz(precision, _) => precision,
        _ => 3,
    };
    let per_second = tidegate_data::arrow::units_per_second(precision);
    match value_at(chunk.columns[column].as_ref(), row, ty) {
        Value::Int(units) => Ok((i128::from(units) * 1000).div_euclid(i128::from(per_second)) as i64),
        _ => Err(null_rowtime()),
    }
}

/// A time and a number as a sub-key: in the order of the times, then of arrival.
pub(crate) fn time_key(time: i64, arrival: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&(time ^ i64::MIN).to_be_bytes());
    key[8..].copy_from_slice(&arrival.to_be_bytes());
    key
}

/// The time and the number of a sub-key.
pub(crate) fn time_of(sub_key: &[u8]) -> (i64, u64) {
    let number =
        |range| sub_key.get(range).and_then(|bytes: &[u8]| bytes.try_into().ok()).map_or(0, u64::from_be_bytes);
    (number(0..8) as i64 ^ i64::MIN, number(8..16))
}

/// The number that the next row of this time gets.
pub(crate) fn arrivals(table: &MapTable, owner: u32, time: i64) -> u64 {
    let first = time_key(time, 0);
    let same = table.entries_from(owner, &first).map(|entry| time_of(&table.sub_key(entry)));
    same.take_while(|(own, _)| *own == time).last().map_or(0, |(_, arrival)| arrival + 1)
}

/// Pairs of stored rows, whether they fulfil a condition, and the way out of an operator for them.
pub(crate) struct Pairs {
    types: [Vec<DataType>; 2],
    condition: Option<Expr>,
    nulls: [Vec<u8>; 2],
    out: Outbox,
}

impl Pairs {
    /// Of rows of these inputs. `left_only` says that only the left side's columns go out.
    pub(crate) fn new(inputs: &[Schema; 2], condition: Option<Expr>, left_only: bool) -> Pairs {
        let sides = if left_only { &inputs[..1] } else { &inputs[..] };
        let fields: Vec<Field> = sides.iter().flat_map(|side| side.fields.iter().cloned()).collect();
        let types = |side: &Schema| side.fields.iter().map(|field| field.ty.clone()).collect();
        // A cell begins with a byte that says whether it is there.
        let nulls = |side: usize| vec![0; sides.get(side).map_or(0, |side| side.fields.len())];
        Pairs {
            types: [types(&inputs[0]), types(&inputs[1])],
            condition,
            nulls: [nulls(0), nulls(1)],
            out: Outbox::new(&Schema { fields }),
        }
    }

    /// Of each pair, whether it fulfils the condition.
    ///
    /// # Errors
    /// When that cannot be computed.
    pub(crate) fn fulfil<'a>(
        &self,
        pairs: impl ExactSizeIterator<Item = (&'a [u8], &'a [u8])> + Clone,
        context: &EvalContext,
    ) -> Result<Vec<bool>, Failure> {
        let len = pairs.len();
        let Some(condition) = self.condition.as_ref().filter(|_| len > 0) else { return Ok(vec![true; len]) };
        let mut columns = decode_keys(pairs.clone().map(|(left, _)| left), &self.types[0]);
        columns.extend(decode_keys(pairs.map(|(_, right)| right), &self.types[1]));
        let fulfilled = condition.filter(&Chunk::insert(columns, len), context).map_err(not_computed)?;
        Ok((0..len).map(|pair| fulfilled.value(pair)).collect())
    }

    /// Sends a pair; NULLs take the place of the side that is none.
    pub(crate) fn send(&mut self, kind: RowKind, left: Option<&[u8]>, right: Option<&[u8]>, origin: Option<RowOrigin>) {
        let row = [left.unwrap_or(&self.nulls[0]), right.unwrap_or(&self.nulls[1])].concat();
        self.out.push(kind, row.into(), origin);
    }

    /// Whether a chunk can be filled.
    pub(crate) fn is_full(&self) -> bool {
        self.out.is_full()
    }

    /// Emits a chunk, if there is something; `More` while something is left.
    pub(crate) fn flush(&mut self, cx: &mut dyn Context) -> Progress {
        self.out.flush(cx)
    }
}
