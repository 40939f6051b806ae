//! What DEFINE and MEASURES say of the rows of a match: `A.v`, `LAST(A.v, 1)`, `SUM(A.v)`, and expressions over them.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, TimestampMillisecondArray};
use tidegate_data::{Chunk, DataType, Field, LogicalType, Schema, gather, gather_or_null, hash_keys};
use tidegate_expr::aggregates::Emit;
use tidegate_expr::{AggregateCall, EvalContext, Expr};
use tidegate_runtime::Failure;
use tidegate_runtime::state::GroupTable;

use super::nfa::Computation;
use crate::aggregation::{Aggregation, Rows};
use crate::failure::not_computed;

/// An expression over values of a match.
#[derive(Clone, Debug)]
pub struct PatternExpr {
    /// What the expression's columns stand for.
    pub values: Vec<PatternValue>,
    /// The expression.
    pub expr: Expr,
}

/// A value of a match.
#[derive(Clone, Debug)]
pub enum PatternValue {
    /// A column of one row.
    Cell {
        /// The variables of whose rows it is one, in the order of the pattern.
        variables: Vec<usize>,
        /// Counted from the first row, not from the last.
        from_first: bool,
        /// How many rows before or behind that one.
        offset: u32,
        /// The column of the input.
        column: usize,
    },
    /// An aggregate over rows.
    Aggregate {
        /// The variables over whose rows.
        variables: Vec<usize>,
        /// The aggregate, over `args`.
        call: AggregateCall,
        /// Its arguments, over the input's columns.
        args: Vec<Expr>,
    },
    /// `MATCH_ROWTIME()`
    Rowtime,
    /// `MATCH_PROCTIME()`
    Proctime,
}

/// The rows of a key that matches are made of, from number `first` on.
pub(crate) struct KeyRows {
    pub(crate) first: u64,
    pub(crate) columns: Vec<ArrayRef>,
    /// Their times, in ms.
    pub(crate) times: Vec<i64>,
}

/// Where a value is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) rows: &'a KeyRows,
    pub(crate) taken: &'a Computation,
    /// In DEFINE: the variable in question, and the number of the row that may be one of it.
    pub(crate) current: Option<(usize, u64)>,
    pub(crate) context: &'a EvalContext,
}

impl PatternExpr {
    /// The value, as a column of one row.
    pub(crate) fn value(&self, place: Place<'_>) -> Result<ArrayRef, Failure> {
        let columns = self.values.iter().map(|value| value.resolved(place)).collect::<Result<Vec<_>, _>>()?;
        self.expr.eval(&Chunk::insert(columns, 1), place.context).map_err(not_computed)
    }

    /// Whether it is true.
    pub(crate) fn holds(&self, place: Place<'_>) -> Result<bool, Failure> {
        let columns = self.values.iter().map(|value| value.resolved(place)).collect::<Result<Vec<_>, _>>()?;
        let keep = self.expr.filter(&Chunk::insert(columns, 1), place.context).map_err(not_computed)?;
        Ok(keep.value(0))
    }

    /// For each row of a key whether it is true, if that depends on the row itself alone (as one of `variable`) and can be computed for all of them.
    pub(crate) fn of_rows_alone(&self, variable: usize, rows: &KeyRows, context: &EvalContext) -> Option<BooleanArray> {
        let own = |value: &PatternValue| match value {
            PatternValue::Cell { variables, from_first: false, offset: 0, column } if variables.contains(&variable) => {
                Some(rows.columns[*column].clone())
            }
            _ => None,
        };
        let columns: Vec<ArrayRef> = self.values.iter().map(own).collect::<Option<_>>()?;
        self.expr.filter(&Chunk::insert(columns, rows.times.len()), context).ok()
    }
}

impl Place<'_> {
    /// The places in `rows` of the rows of some variables, in order.
    fn rows_of(&self, variables: &[usize]) -> Vec<u32> {
        let at = |number: u64| (number - self.rows.first) as u32;
        let mut rows: Vec<u32> = variables.iter().flat_map(|own| self.taken.rows(*own)).map(at).collect();
        if let Some((variable, number)) = self.current
            && variables.contains(&variable)
        {
            rows.push(at(number));
        }
        rows
    }

    /// The time of the match's last row, in ms.
    fn time(&self) -> i64 {
        let last = match self.current {
            Some((_, number)) => number,
            None => (0..self.taken.taken.len()).map(|own| self.taken.rows(own).end).max().unwrap_or(1) - 1,
        };
        self.rows.times[(last - self.rows.first) as usize]
    }
}

impl PatternValue {
    fn resolved(&self, place: Place<'_>) -> Result<ArrayRef, Failure> {
        Ok(match self {
            PatternValue::Cell { variables, from_first, offset, column } => {
                let rows = place.rows_of(variables);
                let offset = *offset as usize;
                let row = match from_first {
                    true => rows.get(offset),
                    false => rows.len().checked_sub(offset + 1).and_then(|at| rows.get(at)),
                };
                gather_or_null(&place.rows.columns[*column], &[row.copied()])
            }
            PatternValue::Aggregate { variables, call, args } => {
                aggregate(&place.rows_of(variables), call, args, place)?
            }
            PatternValue::Rowtime => Arc::new(TimestampMillisecondArray::from(vec![place.time()])),
            PatternValue::Proctime => Arc::new(TimestampMillisecondArray::from(vec![place.context.now])),
        })
    }
}

/// An aggregate over some rows; over none it is what SQL says of no rows.
fn aggregate(rows: &[u32], call: &AggregateCall, args: &[Expr], place: Place<'_>) -> Result<ArrayRef, Failure> {
    let picked = place.rows.columns.iter().map(|column| gather(column, rows)).collect();
    let picked = Chunk::insert(picked, rows.len());
    let columns = args.iter().map(|arg| arg.eval(&picked, place.context)).collect::<Result<Vec<_>, _>>();
    let columns = columns.map_err(not_computed)?;
    let fields = args.iter().map(|arg| Field { name: String::new(), ty: arg.ty.clone() }).collect();
    let mut aggregation = Aggregation::new(std::slice::from_ref(call), &Schema { fields }, false, 0);
    let mut groups = GroupTable::new(vec![DataType::not_null(LogicalType::BigInt)], aggregation.columns());
    let (mut slots, mut fresh) = (Vec::new(), Vec::new());
    // A group there has to be, also of no rows.
    let keys: [ArrayRef; 1] = [Arc::new(Int64Array::from(vec![0; rows.len().max(1)]))];
    groups.resolve(&keys, &[], &hash_keys(&keys), |_| true, &mut slots, &mut fresh);
    let group = slots[0];
    if !rows.is_empty() {
        let rows = Rows { columns: &columns, slots: &slots, signs: None, steps: None };
        aggregation.update(&rows, &mut groups, Emit::Nothing, None);
    }
    let results = aggregation.results(&[group], groups.columns_mut());
    Ok(results.into_iter().next().expect("one result for a call"))
}
