//! Functions whose state is a list of values: how it lies in one column of bytes, and the loop over rows.
//!
//! A step costs as much as the list is long, as the results of most of them do anyway.

use std::sync::Arc;

use arrow_array::ArrayRef;
use tidegate_data::{SlotColumn, SlotType, Value};

use super::Accumulator;
use super::batch::{Batch, Emit, Multiset, ResultValues, Results};
use super::columns::byte_strings;
use super::kernel::{self, Kernel, ResultValue};

/// A result of any type.
#[derive(Clone, Debug)]
pub(super) struct Dynamic(pub(super) Value);

impl Default for Dynamic {
    fn default() -> Dynamic {
        Dynamic(Value::Null)
    }
}

impl ResultValue for Dynamic {
    fn same(&self, other: &Dynamic) -> bool {
        self.0 == other.0
    }
    fn wrap(values: Vec<Dynamic>) -> ResultValues {
        ResultValues::Other(values.into_iter().map(|value| value.0).collect())
    }
}

/// A list of values, each as bytes.
pub(super) type Items = Vec<Vec<u8>>;

/// What a row does to a list, and what the list means.
pub(super) trait Listed {
    /// Adds row `row`.
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize);
    /// Takes row `row` away.
    fn retract(&self, items: &mut Items, args: &[ArrayRef], row: usize);
    /// The result.
    fn value(&self, items: &[Vec<u8>]) -> Value;
    /// Whether rows with a NULL argument do not count.
    fn skips_nulls(&self) -> bool {
        true
    }
    /// What is wrong with a list.
    fn fault(&self, items: &[Vec<u8>]) -> Option<&'static str> {
        let _ = items;
        None
    }
    /// Whether a list can be wrong at all.
    fn can_fail(&self) -> bool {
        false
    }
    /// What people read above the state.
    fn label(&self) -> &'static str;
}

/// An aggregate over lists. One loop serves all of these functions.
pub(super) struct Lists(Box<dyn Listed>);

impl Lists {
    pub(super) fn boxed(function: impl Listed + 'static) -> Box<dyn Accumulator> {
        Box::new(Lists(Box::new(function)))
    }
}

struct ListKernel<'a> {
    function: &'a dyn Listed,
    states: &'a mut [Option<Arc<[u8]>>],
    args: &'a [ArrayRef],
}

fn read(state: Option<&Arc<[u8]>>) -> Items {
    let mut items = Items::new();
    let mut rest = state.map_or(&[][..], |state| state);
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let (item, behind) = behind.split_at(u32::from_be_bytes(*length) as usize);
        items.push(item.to_vec());
        rest = behind;
    }
    items
}

fn write(items: &[Vec<u8>]) -> Option<Arc<[u8]>> {
    if items.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(items.iter().map(|item| item.len() + 4).sum());
    for item in items {
        bytes.extend((item.len() as u32).to_be_bytes());
        bytes.extend_from_slice(item);
    }
    Some(bytes.into())
}

impl Kernel for ListKernel<'_> {
    type Value = Dynamic;
    const NULLABLE: bool = true;
    fn get(&self, slot: usize) -> Option<Dynamic> {
        match self.function.value(&read(self.states[slot].as_ref())) {
            Value::Null => None,
            value => Some(Dynamic(value)),
        }
    }
    fn add(&mut self, slot: usize, row: usize) {
        let mut items = read(self.states[slot].as_ref());
        self.function.add(&mut items, self.args, row);
        self.states[slot] = write(&items);
    }
    fn retract(&mut self, slot: usize, row: usize) {
        let mut items = read(self.states[slot].as_ref());
        self.function.retract(&mut items, self.args, row);
        self.states[slot] = write(&items);
    }
    fn reset(&mut self, slot: usize) {
        self.states[slot] = None;
    }
}

impl Accumulator for Lists {
    fn columns(&self) -> Vec<(&'static str, SlotType)> {
        vec![(self.0.label(), SlotType::Bytes)]
    }

    fn skips_nulls(&self) -> bool {
        self.0.skips_nulls()
    }

    fn update(
        &self,
        batch: &Batch<'_>,
        columns: &mut [SlotColumn],
        _multiset: Option<&mut dyn Multiset>,
        emit: Emit,
        changed: Option<&mut [bool]>,
    ) -> Option<Results> {
        let states = byte_strings(&mut columns[0]);
        let mut kernel = ListKernel { function: &*self.0, states, args: batch.args };
        kernel::run(&mut kernel, batch, emit, changed)
    }

    fn fault(&self, slots: &[u32], columns: &[SlotColumn]) -> Option<&'static str> {
        let SlotColumn::Bytes(states) = &columns[0] else { return None };
        if !self.0.can_fail() {
            return None;
        }
        let states = slots.iter().filter_map(|slot| states.get(*slot as usize));
        states.into_iter().find_map(|state| self.0.fault(&read(state.as_ref())))
    }

    fn results(&self, slots: &[u32], columns: &mut [SlotColumn]) -> Results {
        let states = byte_strings(&mut columns[0]);
        kernel::collect(&ListKernel { function: &*self.0, states, args: &[] }, slots)
    }
}
