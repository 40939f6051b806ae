//! Rows that wait to be emitted, as bytes: one input row or one watermark may cause any number, a call emits a chunk at most.

use std::collections::VecDeque;
use std::sync::Arc;

use tidegate_data::{Chunk, DataType, Origins, RowKind, RowOrigin, Schema, decode_keys};
use tidegate_runtime::{Context, Progress};

use crate::stored_rows::StoredRow;

/// The rows of an operator's output that are still to be emitted, in order.
pub(crate) struct Outbox {
    types: Vec<DataType>,
    rows: VecDeque<(RowKind, StoredRow, Option<RowOrigin>)>,
}

impl Outbox {
    /// For rows of these columns.
    pub(crate) fn new(output: &Schema) -> Outbox {
        Outbox { types: output.fields.iter().map(|field| field.ty.clone()).collect(), rows: VecDeque::new() }
    }

    /// Adds a row, encoded as `encode_keys` does.
    pub(crate) fn push(&mut self, kind: RowKind, row: StoredRow, origin: Option<RowOrigin>) {
        self.rows.push_back((kind, row, origin));
    }

    /// Whether a chunk can be filled.
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= Chunk::MAX_ROWS
    }

    /// Emits a chunk, if there is something; `More` while something is left.
    pub(crate) fn flush(&mut self, cx: &mut dyn Context) -> Progress {
        if self.rows.is_empty() {
            return Progress::Done;
        }
        let batch: Vec<_> = self.rows.drain(..self.rows.len().min(Chunk::MAX_ROWS)).collect();
        let columns = decode_keys(batch.iter().map(|(_, row, _)| &row[..]), &self.types);
        let mut out = Chunk::with_kinds(columns, batch.iter().map(|(kind, ..)| *kind).collect());
        if batch[0].2.is_some() {
            let mut origins = Origins::default();
            for (row, (_, _, origin)) in batch.iter().enumerate() {
                origins.push(row as u32 + 1, origin.unwrap_or_default());
            }
            out.origins = Some(Arc::new(origins));
        }
        cx.emit(out);
        if self.rows.is_empty() { Progress::Done } else { Progress::More }
    }
}

/// Appends a BIGINT as `encode_keys` does.
pub(crate) fn encode_bigint(out: &mut Vec<u8>, number: i64) {
    out.push(1);
    out.extend((number ^ i64::MIN).to_be_bytes());
}
