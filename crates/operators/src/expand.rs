//! `GROUP BY GROUPING SETS ((a, b), (a), ())`, ROLLUP and CUBE: each row once per grouping set, with NULL in the place of what the set does not group
//! by, and the set's number.
//!
//! Input: any changelog; output: the same kinds, a row's sets one after the other. No state. Late rows pass. Flink's counterpart: the code of
//! `StreamExecExpand`.

use std::sync::Arc;

use arrow_array::{Array, Int64Array};
use arrow_buffer::BooleanBuffer;
use tidegate_data::{Chunk, gather, only_where};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

/// What an [`Expand`] is made from.
#[derive(Clone, Debug)]
pub struct ExpandSpec {
    /// Per grouping set: the input column of each output column (none: NULL), and the number behind them.
    pub sets: Vec<(Vec<Option<usize>>, i64)>,
}

/// Rows times grouping sets.
pub struct Expand {
    spec: ExpandSpec,
    /// The chunk in work, and how many of its rows are done.
    pending: Option<(Chunk, usize)>,
}

impl Expand {
    /// The operator of `spec`.
    pub fn new(spec: ExpandSpec) -> Expand {
        Expand { spec, pending: None }
    }

    fn expand(&self, chunk: &Chunk) -> Chunk {
        let sets = &self.spec.sets;
        let rows: Vec<u32> = (0..chunk.len as u32).flat_map(|row| std::iter::repeat_n(row, sets.len())).collect();
        let mut out = chunk.project(&[]).take(&rows);
        let width = sets.first().map_or(0, |(columns, _)| columns.len());
        for column in 0..width {
            // A column comes from one place, or is NULL.
            let from = sets.iter().find_map(|(columns, _)| columns[column]);
            let taken = gather(&chunk.columns[from.unwrap_or_default()], &rows);
            let grouped = |i: usize| sets[i % sets.len()].0[column].is_some();
            out.columns.push(only_where(&taken, BooleanBuffer::collect_bool(rows.len(), grouped)));
        }
        let numbers: Int64Array = (0..rows.len()).map(|i| Some(sets[i % sets.len()].1)).collect();
        out.columns.push(Arc::new(numbers));
        debug_assert!(out.columns.iter().all(|column| column.len() == rows.len()));
        out
    }
}

impl Operator for Expand {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.pending = Some((chunk, 0));
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        let Some((chunk, done)) = self.pending.take() else { return Ok(Progress::Done) };
        let part = chunk.slice(done, (chunk.len - done).min((Chunk::MAX_ROWS / self.spec.sets.len().max(1)).max(1)));
        cx.emit(self.expand(&part));
        let done = done + part.len;
        if done == chunk.len {
            return Ok(Progress::Done);
        }
        self.pending = Some((chunk, done));
        Ok(Progress::More)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};

    #[test]
    fn a_row_comes_once_per_set() {
        let spec = ExpandSpec { sets: vec![(vec![Some(0), Some(1)], 0), (vec![None, Some(1)], 1)] };
        check(
            move || Box::new(Expand::new(spec.clone())),
            &schema("k STRING, v INT"),
            &schema("k STRING, v INT, e BIGINT"),
            "+I a 1
             -U b 2",
            "+I a 1 0
             +I NULL 1 1
             -U b 2 0
             -U NULL 2 1",
        );
    }
}
