//! Values with their counts per group: for DISTINCT, and for MIN and MAX under retraction.
//!
//! State: (group's key, value) -> count, removed when the count is 0 or the group goes away.

use arrow_array::ArrayRef;
use tidegate_data::{DataType, SlotColumn, SlotType};
use tidegate_expr::aggregates::{Multiset, Step, encode_value};
use tidegate_runtime::state::{GroupTable, MISSING, MapTable, StateTable};

use super::Rows;

pub(super) struct Multisets {
    table: MapTable,
    /// The table's owner of each group, by slot; filled as groups are met.
    owners: Vec<u32>,
}

impl Multisets {
    /// Multisets of values that are only asked for by value.
    pub(super) fn unordered(types: Vec<DataType>) -> Multisets {
        Multisets { table: MapTable::unordered(types, &[("count".to_owned(), SlotType::I64)]), owners: Vec::new() }
    }

    /// Multisets that also know their lowest and highest value.
    pub(super) fn ordered(types: Vec<DataType>) -> Multisets {
        Multisets { table: MapTable::ordered(types, &[("count".to_owned(), SlotType::I64)]), owners: Vec::new() }
    }

    /// Keeps values for `ttl` ms after they were written last; 0: for ever.
    pub(super) fn keep_for(&mut self, ttl: i64) {
        let table = std::mem::replace(&mut self.table, MapTable::unordered(Vec::new(), &[]));
        self.table = table.kept_for(ttl);
    }

    /// Takes away the values that are over at `now`; the groups stay.
    pub(super) fn expire(&mut self, now: i64) {
        for entry in self.table.over(now) {
            self.table.remove(entry);
        }
    }

    pub(super) fn table(&mut self) -> &mut dyn StateTable {
        &mut self.table
    }

    fn counts(&mut self) -> &mut [i64] {
        match self.table.columns_mut() {
            [SlotColumn::I64(counts)] => counts,
            other => unreachable!("a multiset keeps counts, not {other:?}"),
        }
    }

    /// Gets the owners of these groups.
    pub(super) fn prepare(&mut self, groups: &GroupTable, slots: &[u32]) {
        let mut key = Vec::new();
        for slot in slots.iter().filter(|slot| **slot != MISSING) {
            let at = *slot as usize;
            if at >= self.owners.len() {
                self.owners.resize(at + 1, MISSING);
            }
            if self.owners[at] == MISSING {
                key.clear();
                groups.key_bytes(*slot, &mut key);
                self.owners[at] = self.table.owner(&key, groups.group_of(*slot));
            }
        }
    }

    /// Forgets a group.
    pub(super) fn release(&mut self, slot: u32) {
        if let Some(owner) = self.owners.get_mut(slot as usize).filter(|owner| **owner != MISSING) {
            self.table.clear(std::mem::replace(owner, MISSING));
        }
    }

    /// What each row does to the set of distinct values: 1 for one that was not there before, -1 for the last of its kind.
    pub(super) fn changes(
        &mut self,
        args: &[ArrayRef],
        rows: &Rows<'_>,
        deltas: Option<&[i8]>,
        retracting: bool,
    ) -> Vec<i8> {
        let mut value = Vec::new();
        let mut changes = vec![0; rows.slots.len()];
        for (row, slot) in rows.slots.iter().enumerate() {
            match rows.steps.map_or(Step::Next, |steps| steps[row]) {
                Step::Ignored => continue,
                Step::Last => {
                    self.clear(*slot);
                    continue;
                }
                Step::First | Step::Next => {}
            }
            let delta = deltas.map_or(1, |deltas| deltas[row]);
            if delta == 0 {
                continue;
            }
            value.clear();
            args.iter().for_each(|arg| encode_value(&mut value, arg, row));
            if !retracting {
                // It does not matter how often a value came: a repeated one is no change of the state.
                let (entry, new) = self.table.find_or_insert(self.owners[*slot as usize], &value);
                if new {
                    self.counts()[entry as usize] = 1;
                    changes[row] = 1;
                }
                continue;
            }
            let count = self.add(*slot, &value, delta.into());
            changes[row] = match (delta, count) {
                (1, 1) => 1,
                (-1, 0) => -1,
                _ => 0,
            };
        }
        changes
    }
}

impl Multiset for Multisets {
    fn add(&mut self, slot: u32, value: &[u8], delta: i64) -> i64 {
        let (entry, new) = self.table.find_or_insert(self.owners[slot as usize], value);
        let count = &mut self.counts()[entry as usize];
        *count += delta;
        let count = *count;
        if count == 0 {
            self.table.remove(entry);
        } else if !new {
            self.table.touch(&[entry]);
        }
        count
    }

    fn first(&self, slot: u32) -> Option<Vec<u8>> {
        self.table.first(self.owners[slot as usize]).map(|entry| self.table.sub_key(entry))
    }

    fn last(&self, slot: u32) -> Option<Vec<u8>> {
        self.table.last(self.owners[slot as usize]).map(|entry| self.table.sub_key(entry))
    }

    fn clear(&mut self, slot: u32) {
        self.table.drain(self.owners[slot as usize]);
    }
}
