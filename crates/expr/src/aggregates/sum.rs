//! SUM(x): integers wrap at their width, a DECIMAL that overflows is NULL (and the next value starts anew), over no values it is NULL.
//!
//! State: the sum, and the number of values. Under retraction the sum is NULL when that number gets back to 0, yet goes on from where it was.
//! Flink's counterparts: `SumAggFunction`, `SumWithRetractAggFunction`.

use tidegate_data::{DataType, LogicalType, SlotColumn, SlotType};

use super::accumulator::Accumulator;
use super::batch::{Batch, Emit, Multiset, Results};
use super::columns::{decimals, f64s, floats, i64s, i128s, integers, slot_type};
use super::kernel::{self, Kernel};

/// The first value that a DECIMAL(38, s) cannot hold.
pub(super) const DECIMAL_LIMIT: u128 = 10u128.pow(38);

/// SUM.
pub(super) struct Sum {
    kind: SlotType,
    single: bool,
}

impl Sum {
    pub(super) fn new(arg: &DataType) -> Sum {
        Sum { kind: slot_type(arg), single: arg.logical == LogicalType::Float }
    }
}

/// A sum of fewer than 64 bits is cut to its width in the end; modulo 2^width that is the same.
struct IntegerSum<'a> {
    sums: &'a mut [i64],
    counts: &'a mut [i64],
    args: &'a [i64],
}

impl Kernel for IntegerSum<'_> {
    type Value = i64;
    const NULLABLE: bool = true;
    #[inline(always)]
    fn get(&self, slot: usize) -> Option<i64> {
        (self.counts[slot] != 0).then(|| self.sums[slot])
    }
    #[inline(always)]
    fn add(&mut self, slot: usize, row: usize) {
        self.sums[slot] = self.sums[slot].wrapping_add(self.args[row]);
        self.counts[slot] += 1;
    }
    #[inline(always)]
    fn retract(&mut self, slot: usize, row: usize) {
        self.sums[slot] = self.sums[slot].wrapping_sub(self.args[row]);
        self.counts[slot] -= 1;
    }
    fn reset(&mut self, slot: usize) {
        (self.sums[slot], self.counts[slot]) = (0, 0);
    }
}

/// Sums that may be NULL while values are there (`counts`: twice the number of values, plus 1 once the sum is not NULL):
/// a floating-point sum starts with its first value and not with 0.0 (-0.0 would be lost), a DECIMAL one after an overflow too.
struct StartedSum<'a, V, A> {
    sums: &'a mut [V],
    counts: &'a mut [i64],
    args: &'a [V],
    arithmetic: A,
}

/// Addition; `None` on overflow.
trait Arithmetic<V> {
    fn plus(&self, a: V, b: V) -> Option<V>;
    fn minus(&self, a: V, b: V) -> Option<V>;
}

struct Double;
struct Single;
struct Decimal;

impl Arithmetic<f64> for Double {
    #[inline(always)]
    fn plus(&self, a: f64, b: f64) -> Option<f64> {
        Some(a + b)
    }
    #[inline(always)]
    fn minus(&self, a: f64, b: f64) -> Option<f64> {
        Some(a - b)
    }
}

impl Arithmetic<f64> for Single {
    #[inline(always)]
    fn plus(&self, a: f64, b: f64) -> Option<f64> {
        Some(f64::from(a as f32 + b as f32))
    }
    #[inline(always)]
    fn minus(&self, a: f64, b: f64) -> Option<f64> {
        Some(f64::from(a as f32 - b as f32))
    }
}

impl Arithmetic<i128> for Decimal {
    #[inline(always)]
    fn plus(&self, a: i128, b: i128) -> Option<i128> {
        a.checked_add(b).filter(|sum| sum.unsigned_abs() < DECIMAL_LIMIT)
    }
    #[inline(always)]
    fn minus(&self, a: i128, b: i128) -> Option<i128> {
        a.checked_sub(b).filter(|sum| sum.unsigned_abs() < DECIMAL_LIMIT)
    }
}

impl<V: kernel::ResultValue + Copy, A: Arithmetic<V>> StartedSum<'_, V, A> {
    #[inline(always)]
    fn set(&mut self, slot: usize, sum: Option<V>, delta: i64) {
        let count = self.counts[slot] & !1;
        self.counts[slot] = count + 2 * delta + i64::from(sum.is_some());
        self.sums[slot] = sum.unwrap_or_default();
    }
}

impl<V: kernel::ResultValue + Copy, A: Arithmetic<V>> Kernel for StartedSum<'_, V, A> {
    type Value = V;
    const NULLABLE: bool = true;
    #[inline(always)]
    fn get(&self, slot: usize) -> Option<V> {
        let count = self.counts[slot];
        (count & 1 == 1 && count >> 1 != 0).then(|| self.sums[slot])
    }
    #[inline(always)]
    fn add(&mut self, slot: usize, row: usize) {
        let started = self.counts[slot] & 1 == 1;
        let arg = self.args[row];
        let sum = if started { self.arithmetic.plus(self.sums[slot], arg) } else { Some(arg) };
        self.set(slot, sum, 1);
    }
    #[inline(always)]
    fn retract(&mut self, slot: usize, row: usize) {
        let from = if self.counts[slot] & 1 == 1 { self.sums[slot] } else { V::default() };
        let sum = self.arithmetic.minus(from, self.args[row]);
        self.set(slot, sum, -1);
    }
    fn reset(&mut self, slot: usize) {
        (self.sums[slot], self.counts[slot]) = (V::default(), 0);
    }
}

impl Accumulator for Sum {
    fn columns(&self) -> Vec<(&'static str, SlotType)> {
        vec![("sum", self.kind), ("?", SlotType::I64)]
    }

    fn update(
        &self,
        batch: &Batch<'_>,
        columns: &mut [SlotColumn],
        _multiset: Option<&mut dyn Multiset>,
        emit: Emit,
        changed: Option<&mut [bool]>,
    ) -> Option<Results> {
        let [sums, counts] = columns else { unreachable!("SUM has two state columns") };
        let counts = i64s(counts);
        match (self.kind, self.single) {
            (SlotType::I128, _) => {
                let args = decimals(&batch.args[0]);
                kernel::run(
                    &mut StartedSum { sums: i128s(sums), counts, args, arithmetic: Decimal },
                    batch,
                    emit,
                    changed,
                )
            }
            (SlotType::F64, true) => {
                let args = &floats(&batch.args[0]);
                kernel::run(
                    &mut StartedSum { sums: f64s(sums), counts, args, arithmetic: Single },
                    batch,
                    emit,
                    changed,
                )
            }
            (SlotType::F64, false) => {
                let args = &floats(&batch.args[0]);
                kernel::run(
                    &mut StartedSum { sums: f64s(sums), counts, args, arithmetic: Double },
                    batch,
                    emit,
                    changed,
                )
            }
            _ => {
                let args = &integers(&batch.args[0]);
                kernel::run(&mut IntegerSum { sums: i64s(sums), counts, args }, batch, emit, changed)
            }
        }
    }

    fn results(&self, slots: &[u32], columns: &mut [SlotColumn]) -> Results {
        let [sums, counts] = columns else { unreachable!("SUM has two state columns") };
        let counts = i64s(counts);
        match self.kind {
            SlotType::I128 => {
                kernel::collect(&StartedSum { sums: i128s(sums), counts, args: &[], arithmetic: Decimal }, slots)
            }
            SlotType::F64 => {
                kernel::collect(&StartedSum { sums: f64s(sums), counts, args: &[], arithmetic: Double }, slots)
            }
            _ => kernel::collect(&IntegerSum { sums: i64s(sums), counts, args: &[] }, slots),
        }
    }
}
