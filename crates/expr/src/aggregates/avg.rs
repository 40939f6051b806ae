//! AVG(x): of integers from a wrapping BIGINT sum, truncated toward zero; of DECIMALs rounded half up; over no values it is NULL.
//!
//! State: the sum (BIGINT, DOUBLE or DECIMAL), and the number of values. A DECIMAL sum that overflows stays NULL. Flink's counterpart: `AvgAggFunction`.

use tidegate_data::{DataType, LogicalType, SlotColumn, SlotType};

use super::accumulator::Accumulator;
use super::batch::{Batch, Emit, Multiset, Results};
use super::columns::{decimals, f64s, floats, i64s, i128s, integers, slot_type};
use super::kernel::{self, Kernel};
use super::sum::DECIMAL_LIMIT;

/// AVG.
pub(super) struct Avg {
    kind: SlotType,
    /// By what a DECIMAL sum is multiplied to have the result's scale.
    factor: i128,
    single: bool,
}

impl Avg {
    pub(super) fn new(arg: &DataType, result: &DataType) -> Avg {
        let factor = match (&arg.logical, &result.logical) {
            (LogicalType::Decimal(_, from), LogicalType::Decimal(_, to)) => {
                10i128.pow(u32::from(to.saturating_sub(*from)))
            }
            _ => 1,
        };
        Avg { kind: slot_type(arg), factor, single: arg.logical == LogicalType::Float }
    }
}

struct IntegerAvg<'a> {
    sums: &'a mut [i64],
    counts: &'a mut [i64],
    args: &'a [i64],
}

impl Kernel for IntegerAvg<'_> {
    type Value = i64;
    const NULLABLE: bool = true;
    #[inline(always)]
    fn get(&self, slot: usize) -> Option<i64> {
        let count = self.counts[slot];
        (count != 0).then(|| self.sums[slot].wrapping_div(count))
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

struct FloatAvg<'a> {
    sums: &'a mut [f64],
    counts: &'a mut [i64],
    args: &'a [f64],
    single: bool,
}

impl Kernel for FloatAvg<'_> {
    type Value = f64;
    const NULLABLE: bool = true;
    #[inline(always)]
    fn get(&self, slot: usize) -> Option<f64> {
        let count = self.counts[slot];
        (count != 0).then(|| {
            let average = self.sums[slot] / count as f64;
            if self.single { f64::from(average as f32) } else { average }
        })
    }
    #[inline(always)]
    fn add(&mut self, slot: usize, row: usize) {
        self.sums[slot] += self.args[row];
        self.counts[slot] += 1;
    }
    #[inline(always)]
    fn retract(&mut self, slot: usize, row: usize) {
        self.sums[slot] -= self.args[row];
        self.counts[slot] -= 1;
    }
    fn reset(&mut self, slot: usize) {
        (self.sums[slot], self.counts[slot]) = (0.0, 0);
    }
}

/// `i128::MIN` is the sum that overflowed: NULL, and so is all that is added to it.
struct DecimalAvg<'a> {
    sums: &'a mut [i128],
    counts: &'a mut [i64],
    args: &'a [i128],
    factor: i128,
}

const OVERFLOWED: i128 = i128::MIN;

impl DecimalAvg<'_> {
    fn set(&mut self, slot: usize, sum: Option<i128>, delta: i64) {
        self.counts[slot] += delta;
        if self.sums[slot] != OVERFLOWED {
            self.sums[slot] = sum.filter(|sum| sum.unsigned_abs() < DECIMAL_LIMIT).unwrap_or(OVERFLOWED);
        }
    }
}

impl Kernel for DecimalAvg<'_> {
    type Value = i128;
    const NULLABLE: bool = true;
    fn get(&self, slot: usize) -> Option<i128> {
        let (sum, count) = (self.sums[slot], i128::from(self.counts[slot]));
        if count == 0 || sum == OVERFLOWED {
            return None;
        }
        // Whole part and rest apart: the rest is below 2^63, so that it can be multiplied.
        let rest = (sum % count) * self.factor;
        let mut digits = rest / count;
        if (rest % count).unsigned_abs() * 2 >= count.unsigned_abs() {
            digits += if (sum < 0) == (count < 0) { 1 } else { -1 };
        }
        let average = (sum / count).checked_mul(self.factor)?.checked_add(digits)?;
        (average.unsigned_abs() < DECIMAL_LIMIT).then_some(average)
    }
    fn add(&mut self, slot: usize, row: usize) {
        self.set(slot, self.sums[slot].checked_add(self.args[row]), 1);
    }
    fn retract(&mut self, slot: usize, row: usize) {
        self.set(slot, self.sums[slot].checked_sub(self.args[row]), -1);
    }
    fn reset(&mut self, slot: usize) {
        (self.sums[slot], self.counts[slot]) = (0, 0);
    }
}

impl Accumulator for Avg {
    fn columns(&self) -> Vec<(&'static str, SlotType)> {
        vec![("sum", self.kind), ("count", SlotType::I64)]
    }

    fn update(
        &self,
        batch: &Batch<'_>,
        columns: &mut [SlotColumn],
        _multiset: Option<&mut dyn Multiset>,
        emit: Emit,
        changed: Option<&mut [bool]>,
    ) -> Option<Results> {
        let [sums, counts] = columns else { unreachable!("AVG has two state columns") };
        let counts = i64s(counts);
        match self.kind {
            SlotType::I128 => {
                let args = decimals(&batch.args[0]);
                let mut kernel = DecimalAvg { sums: i128s(sums), counts, args, factor: self.factor };
                kernel::run(&mut kernel, batch, emit, changed)
            }
            SlotType::F64 => {
                let args = &floats(&batch.args[0]);
                let mut kernel = FloatAvg { sums: f64s(sums), counts, args, single: self.single };
                kernel::run(&mut kernel, batch, emit, changed)
            }
            _ => {
                let args = &integers(&batch.args[0]);
                kernel::run(&mut IntegerAvg { sums: i64s(sums), counts, args }, batch, emit, changed)
            }
        }
    }

    fn results(&self, slots: &[u32], columns: &mut [SlotColumn]) -> Results {
        let [sums, counts] = columns else { unreachable!("AVG has two state columns") };
        let counts = i64s(counts);
        match self.kind {
            SlotType::I128 => {
                kernel::collect(&DecimalAvg { sums: i128s(sums), counts, args: &[], factor: self.factor }, slots)
            }
            SlotType::F64 => {
                kernel::collect(&FloatAvg { sums: f64s(sums), counts, args: &[], single: self.single }, slots)
            }
            _ => kernel::collect(&IntegerAvg { sums: i64s(sums), counts, args: &[] }, slots),
        }
    }
}
