//! The unit of data on its way through the dataflow: Arrow columns, row kinds, and (while watched) each row's origin.

use std::sync::Arc;

use arrow_array::ArrayRef;

use crate::RowKind;

/// The row kinds of a chunk; an append-only chunk costs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// Every row is `+I`.
    Insert,
    /// One kind per row.
    Each(Arc<[RowKind]>),
}

impl Kinds {
    /// The kind of row `row`.
    #[inline]
    pub fn get(&self, row: usize) -> RowKind {
        match self {
            Kinds::Insert => RowKind::Insert,
            Kinds::Each(kinds) => kinds[row],
        }
    }
}

/// The input row that caused a row: source table, split (partition) and offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct RowOrigin {
    /// Index of the source in the job graph.
    pub source: u32,
    /// The split (a log's partition).
    pub split: u32,
    /// The row's offset in the split.
    pub offset: u64,
}

/// The origins of a chunk's rows, as runs `(end row, origin of the run)`: row i belongs to the first run whose end is above i.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Origins {
    /// The runs, ends ascending; within a run all rows have one origin.
    pub runs: Vec<(u32, RowOrigin)>,
}

/// Columns of equal length, a kind per row, and the origins while somebody watches.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The columns, as the stream's schema lays them out.
    pub columns: Vec<ArrayRef>,
    /// The row kinds.
    pub kinds: Kinds,
    /// The number of rows (there may be no column).
    pub len: usize,
    /// What caused each row; `None` while nobody watches.
    pub origins: Option<Arc<Origins>>,
}

impl Chunk {
    /// The most rows that an operator emits in one call.
    pub const MAX_ROWS: usize = 4096;

    /// A chunk of `+I` rows.
    pub fn insert(columns: Vec<ArrayRef>, len: usize) -> Chunk {
        debug_assert!(columns.iter().all(|column| column.len() == len));
        Chunk { columns, kinds: Kinds::Insert, len, origins: None }
    }
}
