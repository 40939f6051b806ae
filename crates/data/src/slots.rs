//! Growable typed columns addressed by slot number: where accumulators and keyed state lie.

use std::sync::Arc;

/// The type of a [`SlotColumn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotType {
    /// 64-bit integers: counts, sums, all integer and time values.
    I64,
    /// 128-bit integers: decimals.
    I128,
    /// Floating point.
    F64,
    /// Optional byte strings: strings, encoded values.
    Bytes,
}

/// One value per slot. Slots start at zero / `None`; NULL-ness of a numeric is a count or flag column of its own.
#[derive(Clone, Debug)]
pub enum SlotColumn {
    /// See [`SlotType::I64`].
    I64(Vec<i64>),
    /// See [`SlotType::I128`].
    I128(Vec<i128>),
    /// See [`SlotType::F64`].
    F64(Vec<f64>),
    /// See [`SlotType::Bytes`].
    Bytes(Vec<Option<Arc<[u8]>>>),
}

impl SlotColumn {
    /// An empty column.
    pub fn new(ty: SlotType) -> SlotColumn {
        match ty {
            SlotType::I64 => SlotColumn::I64(Vec::new()),
            SlotType::I128 => SlotColumn::I128(Vec::new()),
            SlotType::F64 => SlotColumn::F64(Vec::new()),
            SlotType::Bytes => SlotColumn::Bytes(Vec::new()),
        }
    }

    /// Makes slots 0 to `len - 1` exist.
    pub fn grow(&mut self, len: usize) {
        match self {
            SlotColumn::I64(values) => values.resize(len.max(values.len()), 0),
            SlotColumn::I128(values) => values.resize(len.max(values.len()), 0),
            SlotColumn::F64(values) => values.resize(len.max(values.len()), 0.0),
            SlotColumn::Bytes(values) => values.resize(len.max(values.len()), None),
        }
    }

    /// Sets a slot back to its start value.
    pub fn clear(&mut self, slot: u32) {
        let slot = slot as usize;
        match self {
            SlotColumn::I64(values) => values[slot] = 0,
            SlotColumn::I128(values) => values[slot] = 0,
            SlotColumn::F64(values) => values[slot] = 0.0,
            SlotColumn::Bytes(values) => values[slot] = None,
        }
    }
}
