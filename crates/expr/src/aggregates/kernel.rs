//! The loops over rows that all aggregate functions share: a function says what one row does, here is the rest.

use std::sync::Arc;

use super::batch::{Batch, Emit, ResultValues, Results, Step};

/// One function over typed state and arguments, a row at a time. All methods are inlined into the loops.
pub(super) trait Kernel {
    /// What it yields.
    type Value: ResultValue;
    /// Whether a group that is there may have NULL as result.
    const NULLABLE: bool;
    /// The result of a group; `None` is NULL.
    fn get(&self, slot: usize) -> Option<Self::Value>;
    /// Adds row `row`.
    fn add(&mut self, slot: usize, row: usize);
    /// Takes row `row` away.
    fn retract(&mut self, slot: usize, row: usize);
    /// Makes the state as at the start.
    fn reset(&mut self, slot: usize);
}

/// A type of results.
pub(super) trait ResultValue: Clone + Default {
    /// Whether two results are equal to Java's `==`: NaN is not equal to itself, -0.0 is equal to 0.0.
    fn same(&self, other: &Self) -> bool;
    fn wrap(values: Vec<Self>) -> ResultValues;
}

impl ResultValue for i64 {
    #[inline(always)]
    fn same(&self, other: &i64) -> bool {
        self == other
    }
    fn wrap(values: Vec<i64>) -> ResultValues {
        ResultValues::I64(values)
    }
}

impl ResultValue for i128 {
    #[inline(always)]
    fn same(&self, other: &i128) -> bool {
        self == other
    }
    fn wrap(values: Vec<i128>) -> ResultValues {
        ResultValues::I128(values)
    }
}

impl ResultValue for f64 {
    #[inline(always)]
    fn same(&self, other: &f64) -> bool {
        self == other
    }
    fn wrap(values: Vec<f64>) -> ResultValues {
        ResultValues::F64(values)
    }
}

/// Strings carry their NULL themselves.
impl ResultValue for Option<Arc<[u8]>> {
    fn same(&self, other: &Self) -> bool {
        self == other
    }
    fn wrap(values: Vec<Self>) -> ResultValues {
        ResultValues::Bytes(values)
    }
}

/// Brings the state up to date row by row and gives the results wanted; sets `changed` for rows that changed their group's result.
pub(super) fn run<K: Kernel>(
    kernel: &mut K,
    batch: &Batch<'_>,
    emit: Emit,
    changed: Option<&mut [bool]>,
) -> Option<Results> {
    match emit {
        Emit::Nothing => {
            accumulate(kernel, batch);
            None
        }
        Emit::Both if batch.deltas.is_none() && batch.steps.is_none() => Some(both_dense(kernel, batch, changed)),
        Emit::Both => Some(general::<K, 2>(kernel, batch, changed)),
        Emit::After => Some(general::<K, 1>(kernel, batch, changed)),
    }
}

fn accumulate<K: Kernel>(kernel: &mut K, batch: &Batch<'_>) {
    debug_assert!(batch.steps.is_none(), "who takes groups away wants results");
    match batch.deltas {
        None => {
            for (row, slot) in batch.slots.iter().enumerate() {
                kernel.add(*slot as usize, row);
            }
        }
        Some(deltas) => {
            for (row, (slot, delta)) in batch.slots.iter().zip(deltas).enumerate() {
                apply(kernel, *slot as usize, row, *delta);
            }
        }
    }
}

#[inline(always)]
fn apply<K: Kernel>(kernel: &mut K, slot: usize, row: usize, delta: i8) {
    match delta {
        0 => {}
        1.. => kernel.add(slot, row),
        _ => kernel.retract(slot, row),
    }
}

/// All rows are added, and both results wanted: the hot path.
fn both_dense<K: Kernel>(kernel: &mut K, batch: &Batch<'_>, changed: Option<&mut [bool]>) -> Results {
    let rows = batch.slots.len();
    let mut values = vec![K::Value::default(); 2 * rows];
    let mut valid = if K::NULLABLE { vec![true; 2 * rows] } else { Vec::new() };
    for (row, (slot, pair)) in batch.slots.iter().zip(values.chunks_exact_mut(2)).enumerate() {
        let slot = *slot as usize;
        match kernel.get(slot) {
            Some(value) => pair[0] = value,
            None => valid[2 * row] = false,
        }
        kernel.add(slot, row);
        match kernel.get(slot) {
            Some(value) => pair[1] = value,
            None => valid[2 * row + 1] = false,
        }
    }
    if let Some(changed) = changed {
        for (row, (changed, pair)) in changed.iter_mut().zip(values.chunks_exact(2)).enumerate() {
            let both_null = K::NULLABLE && !valid[2 * row] && !valid[2 * row + 1];
            let one_null = K::NULLABLE && valid[2 * row] != valid[2 * row + 1];
            *changed |= one_null || (!both_null && !pair[0].same(&pair[1]));
        }
    }
    Results { values: K::Value::wrap(values), valid: K::NULLABLE.then_some(valid) }
}

/// `WIDTH` results per row: 2 are before and after, 1 is after (before, for a group's last row).
fn general<K: Kernel, const WIDTH: usize>(
    kernel: &mut K,
    batch: &Batch<'_>,
    mut changed: Option<&mut [bool]>,
) -> Results {
    let rows = batch.slots.len();
    let mut values = vec![K::Value::default(); WIDTH * rows];
    let mut valid = if K::NULLABLE { vec![true; WIDTH * rows] } else { Vec::new() };
    let mut put = |at: usize, value: Option<K::Value>| match value {
        Some(value) => values[at] = value,
        None => {
            if K::NULLABLE {
                valid[at] = false;
            }
        }
    };
    for (row, slot) in batch.slots.iter().enumerate() {
        let step = batch.steps.map_or(Step::Next, |steps| steps[row]);
        if step == Step::Ignored {
            continue;
        }
        let slot = *slot as usize;
        if step == Step::Last {
            put(WIDTH * row, kernel.get(slot));
            kernel.reset(slot);
            continue;
        }
        let before = kernel.get(slot);
        apply(kernel, slot, row, batch.deltas.map_or(1, |deltas| deltas[row]));
        let after = kernel.get(slot);
        if let Some(changed) = &mut changed {
            changed[row] |= match (&before, &after) {
                (Some(before), Some(after)) => !before.same(after),
                (before, after) => before.is_some() != after.is_some(),
            };
        }
        if WIDTH == 2 {
            put(2 * row, before);
        }
        put(WIDTH * row + WIDTH - 1, after);
    }
    Results { values: K::Value::wrap(values), valid: K::NULLABLE.then_some(valid) }
}

/// The results of these groups.
pub(super) fn collect<K: Kernel>(kernel: &K, slots: &[u32]) -> Results {
    let mut valid = if K::NULLABLE { vec![true; slots.len()] } else { Vec::new() };
    let mut values = Vec::with_capacity(slots.len());
    for (at, slot) in slots.iter().enumerate() {
        values.push(kernel.get(*slot as usize).unwrap_or_else(|| {
            if K::NULLABLE {
                valid[at] = false;
            }
            K::Value::default()
        }));
    }
    Results { values: K::Value::wrap(values), valid: K::NULLABLE.then_some(valid) }
}
