//! `FROM t CROSS JOIN UNNEST(t.tags)`, and the rows that INTERSECT ALL and EXCEPT ALL repeat: each row beside the rows that a table function makes
//! of it; with LEFT JOIN a row for which there is none stays, padded with NULLs.
//!
//! Input: any changelog; output: the same kinds, the rows of one input row one after the other, in the function's order. No state. Late rows pass.
//! The rows of NULL are none; a NULL among rows (not among values) is left out. Flink's counterpart: `StreamExecCorrelate` with
//! `$UNNEST_ROWS$1`, `$UNNEST_ROWS_WITH_ORDINALITY$1`, `$REPLICATE_ROWS$1`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int32Array};
use tidegate_data::{Chunk, Zone, gather, gather_or_null};
use tidegate_expr::{EvalContext, EvalError, Expr};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::failure::not_computed;

/// What makes rows of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFunction {
    /// The items of a collection.
    Unnest {
        /// What it is.
        of: Unnested,
        /// Whether the items' number from 1 is the last column.
        ordinality: bool,
    },
    /// The further arguments, as often as the first says.
    Replicate,
}

/// What is unnested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnested {
    /// An array: its elements; of rows, their fields.
    Array,
    /// A map: keys and values.
    Map,
    /// A multiset: its elements as often as they are in it.
    Multiset,
}

/// What a [`Correlate`] is made from.
#[derive(Clone, Debug)]
pub struct CorrelateSpec {
    /// The function.
    pub function: TableFunction,
    /// Its arguments over the input's columns.
    pub args: Vec<Expr>,
    /// What must be true of the function's columns.
    pub condition: Option<Expr>,
    /// Whether rows stay for which there is none.
    pub outer: bool,
    /// `table.local-time-zone`.
    pub zone: Zone,
}

/// Rows times a table function.
pub struct Correlate {
    spec: CorrelateSpec,
    pending: Option<Pending>,
}

/// The output in work.
struct Pending {
    input: Chunk,
    /// The function's columns before rows are picked.
    columns: Vec<ArrayRef>,
    /// Of each output row: the input row, and the row of `columns`; none for NULLs.
    rows: Vec<(u32, Option<u32>)>,
    done: usize,
}

impl Correlate {
    /// The operator of `spec`.
    pub fn new(spec: CorrelateSpec) -> Correlate {
        Correlate { spec, pending: None }
    }

    fn call(&self, input: Chunk, context: &EvalContext) -> Result<Pending, EvalError> {
        let args: Vec<ArrayRef> =
            self.spec.args.iter().map(|arg| arg.eval(&input, context)).collect::<Result<_, _>>()?;
        let (columns, mut rows) = match (self.spec.function, args.split_first()) {
            (TableFunction::Unnest { of, ordinality }, Some((arg, _))) => unnest(arg, of, ordinality),
            (TableFunction::Replicate, Some((counts, rest))) => (rest.to_vec(), replicate(counts)),
            (_, None) => (Vec::new(), Vec::new()),
        };
        if let Some(condition) = &self.spec.condition {
            let picked: Vec<u32> = rows.iter().map(|(_, row)| *row).collect();
            let made = Chunk::insert(columns.iter().map(|column| gather(column, &picked)).collect(), picked.len());
            let keep = condition.filter(&made, context)?;
            let mut at = 0..rows.len();
            rows.retain(|_| at.next().is_some_and(|at| keep.value(at)));
        }
        let rows = if self.spec.outer {
            padded(&rows, input.len as u32)
        } else {
            rows.into_iter().map(|(row, made)| (row, Some(made))).collect()
        };
        Ok(Pending { input, columns, rows, done: 0 })
    }
}

impl Operator for Correlate {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let context =
            EvalContext { watermark: cx.watermark(), now: cx.now(), zone: self.spec.zone, ..EvalContext::default() };
        self.pending = Some(self.call(chunk, &context).map_err(not_computed)?);
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        let Some(pending) = &mut self.pending else { return Ok(Progress::Done) };
        let part = &pending.rows[pending.done..(pending.done + Chunk::MAX_ROWS).min(pending.rows.len())];
        if !part.is_empty() {
            let (rows, made): (Vec<u32>, Vec<Option<u32>>) = part.iter().copied().unzip();
            let mut out = pending.input.take(&rows);
            out.columns.extend(pending.columns.iter().map(|column| gather_or_null(column, &made)));
            cx.emit(out);
        }
        pending.done += part.len();
        if pending.done < pending.rows.len() {
            return Ok(Progress::More);
        }
        self.pending = None;
        Ok(Progress::Done)
    }
}

/// The columns of all items, and for each that comes out: the row that it is of, and its own.
fn unnest(arg: &ArrayRef, of: Unnested, ordinality: bool) -> (Vec<ArrayRef>, Vec<(u32, u32)>) {
    let (items, counts, offsets) = match of {
        Unnested::Array => {
            let list = arg.as_list::<i32>();
            (vec![list.values().clone()], None, list.offsets())
        }
        Unnested::Map => {
            let map = arg.as_map();
            (vec![map.keys().clone(), map.values().clone()], None, map.offsets())
        }
        Unnested::Multiset => {
            let map = arg.as_map();
            (vec![map.keys().clone()], Some(map.values().as_primitive::<Int32Type>()), map.offsets())
        }
    };
    // A single item that is a row comes as its fields.
    let fields = match items.as_slice() {
        [item] => item.as_struct_opt(),
        _ => None,
    };
    let mut rows: Vec<(u32, u32)> = Vec::new();
    let mut numbers: Vec<i32> = vec![0; if ordinality { items[0].len() } else { 0 }];
    for row in (0..arg.len()).filter(|row| arg.is_valid(*row)) {
        let range = offsets[row] as usize..offsets[row + 1] as usize;
        for (number, item) in (1..).zip(range) {
            if fields.is_some_and(|fields| fields.is_null(item)) {
                continue;
            }
            if let Some(known) = numbers.get_mut(item) {
                *known = number;
            }
            let times = counts.map_or(1, |counts| counts.value(item).max(0) as usize);
            rows.extend(std::iter::repeat_n((row as u32, item as u32), times));
        }
    }
    let mut columns = match fields {
        Some(fields) => fields.columns().to_vec(),
        None => items,
    };
    if ordinality {
        columns.push(Arc::new(Int32Array::from(numbers)));
    }
    (columns, rows)
}

/// Each row as often as its count says.
fn replicate(counts: &ArrayRef) -> Vec<(u32, u32)> {
    let counts = counts.as_primitive::<Int64Type>();
    let times = |row: usize| if counts.is_valid(row) { counts.value(row).max(0) as usize } else { 0 };
    (0..counts.len()).flat_map(|row| std::iter::repeat_n((row as u32, row as u32), times(row))).collect()
}

/// The same with a row for each input row that has none.
fn padded(rows: &[(u32, u32)], inputs: u32) -> Vec<(u32, Option<u32>)> {
    let mut out = Vec::with_capacity(rows.len());
    let mut rows = rows.iter().peekable();
    for input in 0..inputs {
        if rows.peek().is_none_or(|(row, _)| *row != input) {
            out.push((input, None));
        }
        while let Some((row, made)) = rows.next_if(|(row, _)| *row == input) {
            out.push((*row, Some(*made)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use tidegate_data::{DataType, LogicalType};
    use tidegate_expr::build;

    use super::*;
    use crate::testing::{check, schema};

    fn spec(outer: bool) -> CorrelateSpec {
        let count = build::column(0, DataType::new(LogicalType::BigInt));
        let value = build::column(1, DataType::string());
        CorrelateSpec {
            function: TableFunction::Replicate,
            args: vec![count, value],
            condition: None,
            outer,
            zone: Zone::UTC,
        }
    }

    #[test]
    fn rows_are_repeated() {
        check(
            move || Box::new(Correlate::new(spec(false))),
            &schema("n BIGINT, v STRING"),
            &schema("n BIGINT, v STRING, w STRING"),
            "+I 2 a
             -U 0 b
             +U NULL c
             -D 1 d",
            "+I 2 a a
             +I 2 a a
             -D 1 d d",
        );
    }

    #[test]
    fn a_row_without_any_is_padded() {
        check(
            move || Box::new(Correlate::new(spec(true))),
            &schema("n BIGINT, v STRING"),
            &schema("n BIGINT, v STRING, w STRING"),
            "+I 0 a
             +I 1 b",
            "+I 0 a NULL
             +I 1 b b",
        );
    }
}
