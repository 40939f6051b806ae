//! MIN(x) and MAX(x), append-only and under retraction; over no values they are NULL.
//!
//! Append-only state: the value, and whether there is one; compared as Java's operators do (a NaN that came first stays). Under retraction
//! also a multiset of all values, ordered as `Comparable` does (NaN highest, -0.0 below 0.0). Flink's counterparts: `MinAggFunction`, `MaxAggFunction`,
//! `MinWithRetractAggFunction`, `MaxWithRetractAggFunction`.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::ArrayRef;
use tidegate_data::keys::encode::decode_value;
use tidegate_data::{DataType, SlotColumn, SlotType, Value};

use super::accumulator::Accumulator;
use super::batch::{Batch, Emit, Multiset, Results};
use super::columns::{byte_strings, bytes_at, decimals, encode_value, f64s, floats, i64s, i128s, integers, slot_type};
use super::kernel::{self, Kernel, ResultValue};

/// Which end of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// MIN.
    Low,
    /// MAX.
    High,
}

/// MIN or MAX.
pub(super) struct MinMax {
    ty: DataType,
    kind: SlotType,
    end: End,
    retracting: bool,
}

impl MinMax {
    pub(super) fn new(arg: &DataType, end: End, retracting: bool) -> MinMax {
        MinMax { ty: arg.clone(), kind: slot_type(arg), end, retracting }
    }
}

/// The arguments of a call, by row.
trait Args {
    type Value: ResultValue;
    /// Whether row `row` comes before (`Low`) or behind (`High`) a value.
    fn beats(&self, row: usize, value: &Self::Value, end: End) -> bool;
    /// The same in the order of `Comparable`.
    fn beats_in_order(&self, row: usize, value: &Self::Value, end: End) -> bool;
    /// Whether the value is that of row `row` (`equals`).
    fn is(&self, row: usize, value: &Self::Value) -> bool;
    fn value(&self, row: usize) -> Self::Value;
    /// From a multiset's value.
    fn decode(value: Value) -> Self::Value;
}

#[inline(always)]
fn wanted(end: End) -> Ordering {
    if end == End::Low { Ordering::Less } else { Ordering::Greater }
}

/// Numbers whose two orders are one.
macro_rules! exact_args {
    ($native:ty, $decode:expr) => {
        impl Args for &[$native] {
            type Value = $native;
            #[inline(always)]
            fn beats(&self, row: usize, value: &$native, end: End) -> bool {
                self[row].cmp(value) == wanted(end)
            }
            #[inline(always)]
            fn beats_in_order(&self, row: usize, value: &$native, end: End) -> bool {
                self[row].cmp(value) == wanted(end)
            }
            #[inline(always)]
            fn is(&self, row: usize, value: &$native) -> bool {
                self[row] == *value
            }
            #[inline(always)]
            fn value(&self, row: usize) -> $native {
                self[row]
            }
            fn decode(value: Value) -> $native {
                ($decode)(value)
            }
        }
    };
}

exact_args!(i64, |value| match value {
    Value::Int(value) => value,
    Value::Boolean(value) => value.into(),
    _ => 0,
});
exact_args!(i128, |value| match value {
    Value::Decimal(value) => value,
    _ => 0,
});

/// Java's `Double.compare`: all NaNs are equal and above everything else.
fn compare_doubles(a: f64, b: f64) -> Ordering {
    let canonical = |x: f64| if x.is_nan() { f64::NAN.copysign(1.0) } else { x };
    canonical(a).total_cmp(&canonical(b))
}

impl Args for &[f64] {
    type Value = f64;
    fn beats(&self, row: usize, value: &f64, end: End) -> bool {
        self[row].partial_cmp(value) == Some(wanted(end))
    }
    fn beats_in_order(&self, row: usize, value: &f64, end: End) -> bool {
        compare_doubles(self[row], *value) == wanted(end)
    }
    fn is(&self, row: usize, value: &f64) -> bool {
        compare_doubles(self[row], *value) == Ordering::Equal
    }
    fn value(&self, row: usize) -> f64 {
        self[row]
    }
    fn decode(value: Value) -> f64 {
        match value {
            Value::Double(value) => value,
            Value::Float(value) => value.into(),
            _ => 0.0,
        }
    }
}

struct ByteArgs<'a>(&'a ArrayRef);

impl Args for ByteArgs<'_> {
    type Value = Option<Arc<[u8]>>;
    fn beats(&self, row: usize, value: &Self::Value, end: End) -> bool {
        value.as_deref().is_none_or(|value| bytes_at(self.0, row).cmp(value) == wanted(end))
    }
    fn beats_in_order(&self, row: usize, value: &Self::Value, end: End) -> bool {
        self.beats(row, value, end)
    }
    fn is(&self, row: usize, value: &Self::Value) -> bool {
        value.as_deref() == Some(bytes_at(self.0, row))
    }
    fn value(&self, row: usize) -> Self::Value {
        Some(bytes_at(self.0, row).into())
    }
    fn decode(value: Value) -> Self::Value {
        match value {
            Value::String(text) => Some(text.into_bytes().into()),
            Value::Bytes(bytes) => Some(bytes.into()),
            _ => None,
        }
    }
}

/// Append-only: nothing is taken away (or it cannot matter).
struct Extreme<'a, A: Args> {
    values: &'a mut [A::Value],
    counts: &'a mut [i64],
    args: A,
    end: End,
}

impl<A: Args> Kernel for Extreme<'_, A> {
    type Value = A::Value;
    const NULLABLE: bool = true;
    #[inline(always)]
    fn get(&self, slot: usize) -> Option<A::Value> {
        (self.counts[slot] != 0).then(|| self.values[slot].clone())
    }
    #[inline(always)]
    fn add(&mut self, slot: usize, row: usize) {
        if self.counts[slot] == 0 || self.args.beats(row, &self.values[slot], self.end) {
            self.values[slot] = self.args.value(row);
            self.counts[slot] = 1;
        }
    }
    fn retract(&mut self, _slot: usize, _row: usize) {
        debug_assert!(false, "an append-only input retracts nothing");
    }
    fn reset(&mut self, slot: usize) {
        (self.values[slot], self.counts[slot]) = (A::Value::default(), 0);
    }
}

/// `counts` is the number of different values that are there more often than taken away.
struct RetractableExtreme<'a, 'm, A: Args> {
    inner: Extreme<'a, A>,
    multiset: &'m mut dyn Multiset,
    column: &'a ArrayRef,
    ty: &'a DataType,
    scratch: Vec<u8>,
}

impl<A: Args> RetractableExtreme<'_, '_, A> {
    fn count(&mut self, slot: usize, row: usize, delta: i64) -> i64 {
        self.scratch.clear();
        encode_value(&mut self.scratch, self.column, row);
        self.multiset.add(slot as u32, &self.scratch, delta)
    }
}

impl<A: Args> Kernel for RetractableExtreme<'_, '_, A> {
    type Value = A::Value;
    const NULLABLE: bool = true;
    fn get(&self, slot: usize) -> Option<A::Value> {
        (self.inner.counts[slot] > 0).then(|| self.inner.values[slot].clone())
    }
    fn add(&mut self, slot: usize, row: usize) {
        let Extreme { values, counts, args, end } = &mut self.inner;
        if counts[slot] == 0 || args.beats_in_order(row, &values[slot], *end) {
            values[slot] = args.value(row);
        }
        if self.count(slot, row, 1) == 1 {
            self.inner.counts[slot] += 1;
        }
    }
    fn retract(&mut self, slot: usize, row: usize) {
        if self.count(slot, row, -1) != 0 {
            return;
        }
        let Extreme { values, counts, args, end } = &mut self.inner;
        counts[slot] -= 1;
        if counts[slot] == 0 {
            values[slot] = A::Value::default();
        } else if args.is(row, &values[slot]) {
            let next = match end {
                End::Low => self.multiset.first(slot as u32),
                End::High => self.multiset.last(slot as u32),
            };
            match next {
                Some(next) => values[slot] = A::decode(decode_value(&mut &next[..], self.ty)),
                None => (values[slot], counts[slot]) = (A::Value::default(), 0),
            }
        }
    }
    fn reset(&mut self, slot: usize) {
        self.inner.reset(slot);
        self.multiset.clear(slot as u32);
    }
}

impl MinMax {
    fn run<A: Args>(
        &self,
        inner: Extreme<'_, A>,
        batch: &Batch<'_>,
        multiset: Option<&mut dyn Multiset>,
        emit: Emit,
        changed: Option<&mut [bool]>,
    ) -> Option<Results> {
        let mut inner = inner;
        match multiset {
            Some(multiset) => {
                let (column, ty) = (&batch.args[0], &self.ty);
                let mut kernel = RetractableExtreme { inner, multiset, column, ty, scratch: Vec::new() };
                kernel::run(&mut kernel, batch, emit, changed)
            }
            None => kernel::run(&mut inner, batch, emit, changed),
        }
    }
}

impl Accumulator for MinMax {
    fn columns(&self) -> Vec<(&'static str, SlotType)> {
        vec![(if self.end == End::Low { "min" } else { "max" }, self.kind), ("?", SlotType::I64)]
    }

    fn needs_multiset(&self) -> bool {
        self.retracting
    }

    fn update(
        &self,
        batch: &Batch<'_>,
        columns: &mut [SlotColumn],
        multiset: Option<&mut dyn Multiset>,
        emit: Emit,
        changed: Option<&mut [bool]>,
    ) -> Option<Results> {
        let [values, counts] = columns else { unreachable!("MIN and MAX have two state columns") };
        let (counts, end, arg) = (i64s(counts), self.end, &batch.args[0]);
        match self.kind {
            SlotType::I128 => {
                let inner = Extreme { values: i128s(values), counts, args: decimals(arg), end };
                self.run(inner, batch, multiset, emit, changed)
            }
            SlotType::F64 => {
                let inner = Extreme { values: f64s(values), counts, args: &*floats(arg), end };
                self.run(inner, batch, multiset, emit, changed)
            }
            SlotType::Bytes => {
                let inner = Extreme { values: byte_strings(values), counts, args: ByteArgs(arg), end };
                self.run(inner, batch, multiset, emit, changed)
            }
            SlotType::I64 => {
                let inner = Extreme { values: i64s(values), counts, args: &*integers(arg), end };
                self.run(inner, batch, multiset, emit, changed)
            }
        }
    }

    fn results(&self, slots: &[u32], columns: &mut [SlotColumn]) -> Results {
        let [values, counts] = columns else { unreachable!("MIN and MAX have two state columns") };
        let (counts, end) = (i64s(counts), self.end);
        match self.kind {
            SlotType::I128 => {
                kernel::collect(&Extreme::<&[i128]> { values: i128s(values), counts, args: &[], end }, slots)
            }
            SlotType::F64 => {
                kernel::collect(&Extreme::<&[f64]> { values: f64s(values), counts, args: &[], end }, slots)
            }
            SlotType::I64 => {
                kernel::collect(&Extreme::<&[i64]> { values: i64s(values), counts, args: &[], end }, slots)
            }
            SlotType::Bytes => {
                let nothing: ArrayRef = Arc::new(arrow_array::NullArray::new(0));
                let args = ByteArgs(&nothing);
                kernel::collect(&Extreme { values: byte_strings(values), counts, args, end }, slots)
            }
        }
    }
}
