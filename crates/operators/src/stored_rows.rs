//! Whole rows in state: as bytes, their equality, and chunks made of rows that came and rows from state.

use std::sync::Arc;

use tidegate_data::keys::encode::decode_value;
use tidegate_data::{Chunk, DataType, LogicalType, Origins, RowKind, Schema, Value, concat, decode_keys, gather};

/// A row in state: the encoding of its cells.
pub(crate) type StoredRow = Arc<[u8]>;

/// How the rows of a schema compare to Flink's record equaliser: floating point as Java's `==`, so that a row with NaN equals none.
pub(crate) struct RowEquality {
    types: Vec<DataType>,
    bytewise: bool,
}

impl RowEquality {
    pub(crate) fn new(schema: &Schema) -> RowEquality {
        let types: Vec<DataType> = schema.fields.iter().map(|field| field.ty.clone()).collect();
        RowEquality { bytewise: !types.iter().any(|ty| has_floats(&ty.logical)), types }
    }

    /// Whether two encoded rows are equal.
    pub(crate) fn equal(&self, mut a: &[u8], mut b: &[u8]) -> bool {
        if self.bytewise {
            return a == b;
        }
        self.types.iter().all(|ty| same(&decode_value(&mut a, ty), &decode_value(&mut b, ty)))
    }
}

fn has_floats(ty: &LogicalType) -> bool {
    match ty {
        LogicalType::Float | LogicalType::Double => true,
        LogicalType::Array(element) | LogicalType::Multiset(element) => has_floats(&element.logical),
        LogicalType::Map(key, value) => has_floats(&key.logical) || has_floats(&value.logical),
        LogicalType::Row(fields) => fields.iter().any(|field| has_floats(&field.ty.logical)),
        _ => false,
    }
}

/// `Value`'s own equality is that of the operators of Rust, which for floating point is Java's `==`.
fn same(a: &Value, b: &Value) -> bool {
    a == b
}

/// The output of one call in the making: rows of the input chunk and rows from state, in order.
#[derive(Default)]
pub(crate) struct Emitted {
    kinds: Vec<RowKind>,
    /// The input row itself, or the row of this number in `stored`.
    content: Vec<Content>,
    stored: Vec<StoredRow>,
    causes: Vec<u32>,
}

enum Content {
    Input(u32),
    Stored(u32),
}

impl Emitted {
    /// Adds input row `row`.
    pub(crate) fn input(&mut self, kind: RowKind, row: usize) {
        self.kinds.push(kind);
        self.content.push(Content::Input(row as u32));
        self.causes.push(row as u32);
    }

    /// Adds a row from state, on account of input row `cause`.
    pub(crate) fn stored(&mut self, kind: RowKind, row: StoredRow, cause: usize) {
        self.kinds.push(kind);
        self.content.push(Content::Stored(self.stored.len() as u32));
        self.stored.push(row);
        self.causes.push(cause as u32);
    }

    /// The chunk of these rows, if there are any; `chunk` is the one that the input rows lie in.
    pub(crate) fn finish(self, chunk: &Chunk, schema: &Schema) -> Option<Chunk> {
        if self.kinds.is_empty() {
            return None;
        }
        let origins = chunk.origins.as_ref();
        let origins =
            origins.map(|origins| Arc::new(Origins::select(origins, self.causes.iter().map(|row| *row as usize))));
        let types: Vec<DataType> = schema.fields.iter().map(|field| field.ty.clone()).collect();
        let stored = decode_keys(self.stored.iter().map(|row| &row[..]), &types);
        let rows = self.content.iter().map(|content| match content {
            Content::Input(row) => *row,
            Content::Stored(row) => chunk.len as u32 + row,
        });
        let rows: Vec<u32> = rows.collect();
        let columns = chunk.columns.iter().zip(&stored).map(|(input, stored)| {
            let all = if stored.is_empty() { input.clone() } else { concat(&[input, stored]) };
            gather(&all, &rows)
        });
        let mut out = Chunk::with_kinds(columns.collect(), self.kinds);
        out.origins = origins;
        Some(out)
    }
}
