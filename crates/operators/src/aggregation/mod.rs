//! What group and window aggregates share: an aggregate call's arguments, FILTER, DISTINCT and state, for a chunk of rows.

mod multiset;

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use tidegate_data::{DataType, LogicalType, Schema, SlotColumn};
use tidegate_expr::aggregates::{Accumulator, Batch, Emit, Results, Step, accumulator, deltas};
use tidegate_expr::{AggregateCall, AggregateFunction};
use tidegate_runtime::state::{GroupTable, LabelledColumn, StateVisitor};

use multiset::Multisets;

/// The aggregate calls of an operator, with the tables that they need besides the operator's own.
pub(crate) struct Aggregation {
    calls: Vec<Call>,
    distincts: Vec<Distinct>,
    columns: Vec<LabelledColumn>,
    /// What columns hold that hold values, by their place in the operator's table.
    types: Vec<(usize, DataType)>,
    retracting: bool,
}

struct Call {
    accumulator: Box<dyn Accumulator>,
    args: Vec<usize>,
    filter: Option<usize>,
    distinct: Option<usize>,
    state: Range<usize>,
    values: Option<Multisets>,
    ty: DataType,
    changes_always: bool,
}

/// The values that are there for calls with DISTINCT over the same arguments and FILTER.
struct Distinct {
    args: Vec<usize>,
    filter: Option<usize>,
    values: Multisets,
}

/// The rows of a chunk, and what they mean for their groups.
pub(crate) struct Rows<'a> {
    /// The chunk's columns.
    pub columns: &'a [ArrayRef],
    /// The slot of each row.
    pub slots: &'a [u32],
    /// 1 or -1 per row; none: all are added.
    pub signs: Option<&'a [i8]>,
    /// See [`Batch::steps`].
    pub steps: Option<&'a [Step]>,
}

impl Aggregation {
    /// The calls over rows of `input`; their state columns begin at column `first` of the operator's table.
    pub(crate) fn new(calls: &[AggregateCall], input: &Schema, retracting: bool, first: usize) -> Aggregation {
        let mut aggregation = Aggregation {
            calls: Vec::new(),
            distincts: Vec::new(),
            columns: Vec::new(),
            types: Vec::new(),
            retracting,
        };
        for call in calls {
            let types: Vec<DataType> = call.args.iter().map(|arg| input.fields[*arg].ty.clone()).collect();
            let accumulator = accumulator(call, &types, retracting);
            // The lowest and the highest of the distinct values are those of all values.
            let by_value = !matches!(call.function, AggregateFunction::Min | AggregateFunction::Max);
            let distinct = (call.distinct && by_value).then(|| aggregation.distinct(call, &types));
            let start = first + aggregation.columns.len();
            for (label, ty) in accumulator.columns() {
                let held = types.first().and_then(|arg| held(label, arg));
                aggregation.types.extend(held.map(|held| (first + aggregation.columns.len(), held)));
                let label =
                    if matches!(label, "" | "?") { label.to_owned() } else { format!("{label}({})", call.name) };
                aggregation.columns.push((label, ty));
            }
            let plain_count = call.function == AggregateFunction::Count && call.filter.is_none() && distinct.is_none();
            let values = accumulator.needs_multiset().then(|| Multisets::ordered(types.clone()));
            aggregation.calls.push(Call {
                args: call.args.clone(),
                filter: call.filter,
                distinct,
                state: start..first + aggregation.columns.len(),
                values,
                ty: call.ty.clone(),
                changes_always: plain_count && types.iter().all(|ty| !ty.nullable),
                accumulator,
            });
        }
        aggregation
    }

    /// The same, whose values are kept for `ttl` ms after they were written last; 0: for ever.
    pub(crate) fn kept_for(mut self, ttl: i64) -> Aggregation {
        for values in self.multisets() {
            values.keep_for(ttl);
        }
        self
    }

    /// Takes away the values that are over at `now`.
    pub(crate) fn expire(&mut self, now: i64) {
        self.multisets().for_each(|values| values.expire(now));
    }

    fn multisets(&mut self) -> impl Iterator<Item = &mut Multisets> {
        let distincts = self.distincts.iter_mut().map(|distinct| &mut distinct.values);
        distincts.chain(self.calls.iter_mut().filter_map(|call| call.values.as_mut()))
    }

    fn distinct(&mut self, call: &AggregateCall, types: &[DataType]) -> usize {
        let same = |distinct: &Distinct| distinct.args == call.args && distinct.filter == call.filter;
        self.distincts.iter().position(same).unwrap_or_else(|| {
            let values = Multisets::unordered(types.to_vec());
            self.distincts.push(Distinct { args: call.args.clone(), filter: call.filter, values });
            self.distincts.len() - 1
        })
    }

    /// The state columns of all calls.
    pub(crate) fn columns(&self) -> &[LabelledColumn] {
        &self.columns
    }

    /// What state columns hold, where it is not plain numbers or texts, by their place in the operator's table.
    pub(crate) fn types(&self) -> &[(usize, DataType)] {
        &self.types
    }

    /// Whether every row changes its group's results, so that nobody needs to ask.
    pub(crate) fn changes_always(&self) -> bool {
        self.calls.iter().any(|call| call.changes_always)
    }

    /// Shows the tables besides the operator's own.
    pub(crate) fn state(&mut self, visitor: &mut dyn StateVisitor) {
        for (number, distinct) in self.distincts.iter_mut().enumerate() {
            visitor.table(&format!("distinct-{number}"), distinct.values.table());
        }
        for (number, call) in self.calls.iter_mut().enumerate() {
            if let Some(values) = &mut call.values {
                visitor.table(&format!("values-{number}"), values.table());
            }
        }
    }

    /// Brings the state of all calls up to date and gives their results, if wanted, one per call.
    pub(crate) fn update(
        &mut self,
        rows: &Rows<'_>,
        table: &mut GroupTable,
        emit: Emit,
        mut changed: Option<&mut [bool]>,
    ) -> Vec<Results> {
        let mut distinct_deltas = Vec::with_capacity(self.distincts.len());
        for distinct in &mut self.distincts {
            let args = arguments(rows, &distinct.args);
            let deltas = deltas(rows.signs, &args, filter(rows, distinct.filter));
            distinct.values.prepare(table, rows.slots);
            distinct_deltas.push(distinct.values.changes(&args, rows, deltas.as_deref(), self.retracting));
        }
        let mut results = Vec::with_capacity(self.calls.len());
        for call in &mut self.calls {
            let args = arguments(rows, &call.args);
            let deltas = match call.distinct {
                Some(distinct) => Some(Cow::Borrowed(&distinct_deltas[distinct][..])),
                None => {
                    let nulls_of = if call.accumulator.skips_nulls() { &args[..] } else { &[] };
                    deltas(rows.signs, nulls_of, filter(rows, call.filter))
                }
            };
            if let Some(values) = &mut call.values {
                values.prepare(table, rows.slots);
            }
            let batch = Batch { slots: rows.slots, args: &args, deltas: deltas.as_deref(), steps: rows.steps };
            let values = call.values.as_mut().map(|values| values as _);
            let state = &mut table.columns_mut()[call.state.clone()];
            results.extend(call.accumulator.update(&batch, state, values, emit, changed.as_deref_mut()));
        }
        results
    }

    /// What is wrong with one of these groups.
    pub(crate) fn fault(&self, slots: &[u32], columns: &[SlotColumn]) -> Option<&'static str> {
        self.calls.iter().find_map(|call| call.accumulator.fault(slots, &columns[call.state.clone()]))
    }

    /// The results of these groups as columns.
    pub(crate) fn results(&self, slots: &[u32], columns: &mut [SlotColumn]) -> Vec<ArrayRef> {
        let results = self.calls.iter().map(|call| call.accumulator.results(slots, &mut columns[call.state.clone()]));
        self.finish(results)
    }

    /// Results as columns.
    pub(crate) fn finish(&self, results: impl IntoIterator<Item = Results>) -> Vec<ArrayRef> {
        self.calls.iter().zip(results).map(|(call, results)| results.finish(&call.ty)).collect()
    }

    /// A group goes away for good: its slot may be given to another one.
    pub(crate) fn release(&mut self, slot: u32) {
        self.multisets().for_each(|values| values.release(slot));
    }
}

/// The type of the values in a state column of this label, of a call with such an argument.
fn held(label: &str, arg: &DataType) -> Option<DataType> {
    match (label, &arg.logical) {
        ("sum", LogicalType::Decimal(_, scale)) => Some(DataType::new(LogicalType::Decimal(38, *scale))),
        ("min" | "max", _) => Some(arg.clone()),
        _ => None,
    }
}

fn arguments(rows: &Rows<'_>, args: &[usize]) -> Vec<ArrayRef> {
    args.iter().map(|arg| rows.columns[*arg].clone()).collect()
}

fn filter<'a>(rows: &Rows<'a>, filter: Option<usize>) -> Option<&'a arrow_array::BooleanArray> {
    filter.map(|column| rows.columns[column].as_boolean())
}
