//! COUNT(*) and COUNT(x): the number of rows that count.
//!
//! State: the count. Result: BIGINT NOT NULL, 0 over no values. Flink's counterparts: `Count1AggFunction`, `CountAggFunction`.

use tidegate_data::{SlotColumn, SlotType};

use super::accumulator::Accumulator;
use super::batch::{Batch, Emit, Multiset, Results};
use super::columns::i64s;
use super::kernel::{self, Kernel};

/// COUNT.
pub(super) struct Count;

struct CountKernel<'a> {
    counts: &'a mut [i64],
}

impl Kernel for CountKernel<'_> {
    type Value = i64;
    const NULLABLE: bool = false;
    #[inline(always)]
    fn get(&self, slot: usize) -> Option<i64> {
        Some(self.counts[slot])
    }
    #[inline(always)]
    fn add(&mut self, slot: usize, _row: usize) {
        self.counts[slot] += 1;
    }
    #[inline(always)]
    fn retract(&mut self, slot: usize, _row: usize) {
        self.counts[slot] -= 1;
    }
    fn reset(&mut self, slot: usize) {
        self.counts[slot] = 0;
    }
}

impl Accumulator for Count {
    fn columns(&self) -> Vec<(&'static str, SlotType)> {
        vec![("count", SlotType::I64)]
    }

    fn update(
        &self,
        batch: &Batch<'_>,
        columns: &mut [SlotColumn],
        _multiset: Option<&mut dyn Multiset>,
        emit: Emit,
        changed: Option<&mut [bool]>,
    ) -> Option<Results> {
        kernel::run(&mut CountKernel { counts: i64s(&mut columns[0]) }, batch, emit, changed)
    }

    fn results(&self, slots: &[u32], columns: &mut [SlotColumn]) -> Results {
        kernel::collect(&CountKernel { counts: i64s(&mut columns[0]) }, slots)
    }
}
