//! Reading a subtask's state out, table by table, in bounded bits.

use crate::chain::{Chain, Slot};
use crate::checkpoint::files::Files;
use crate::checkpoint::segment::RawEntries;
use crate::element::CheckpointId;
use crate::state::{Scope, StateTable, StateVisitor};
use crate::view::Acknowledgement;

/// The most entries that are read out in one step, unless they are large.
const ENTRIES_PER_STEP: usize = 4096;
/// As many are read at a time before their size is looked at.
const ENTRIES_PER_CALL: usize = 256;

/// How far a snapshot has come.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) checkpoint: CheckpointId,
    pub(crate) figures: Acknowledgement,
    /// Step and host time of its start.
    pub(crate) started: (u64, i64),
    /// The table that is being read.
    table: usize,
    entries: RawEntries,
}

impl Snapshot {
    pub(crate) fn new(checkpoint: CheckpointId, figures: Acknowledgement, started: (u64, i64)) -> Snapshot {
        Snapshot { checkpoint, figures, started, table: 0, entries: RawEntries::default() }
    }

    /// Reads one bit; true when all is read.
    pub(crate) fn step(&mut self, chain: &mut Chain, files: &mut Files) -> bool {
        let mut left = ENTRIES_PER_STEP;
        while let Some(table) = files.tables.get(self.table) {
            let (uid, name) = (table.uid.clone(), table.table.clone());
            let before = self.entries.len();
            let entries = &mut self.entries;
            let more = with_table(&mut chain.slots, &uid, &name, |table| {
                while table.snapshot(left.min(ENTRIES_PER_CALL), &mut |entry| entries.push(entry)) {
                    left = left.saturating_sub(ENTRIES_PER_CALL);
                    if left == 0 || entries.is_full() {
                        return true;
                    }
                }
                false
            });
            let more = more.unwrap_or(false);
            self.figures.entries += (self.entries.len() - before) as u64;
            if !more || self.entries.is_full() {
                files.add(self.table, self.checkpoint, std::mem::take(&mut self.entries));
            }
            if more {
                return false;
            }
            self.table += 1;
            // The last call may have read anything up to its limit; the next table gets what is left.
            left = left.saturating_sub(1).max(1);
        }
        true
    }
}

/// What a table says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableInfo {
    pub(crate) uid: String,
    pub(crate) table: String,
    pub(crate) schema: String,
    pub(crate) scope: Scope,
    pub(crate) entries: usize,
    pub(crate) bytes: usize,
}

/// All tables of a chain.
pub(crate) fn tables(slots: &mut [Slot]) -> Vec<TableInfo> {
    struct List<'a>(&'a str, Vec<TableInfo>);
    impl StateVisitor for List<'_> {
        fn table(&mut self, name: &str, table: &mut dyn StateTable) {
            self.1.push(TableInfo {
                uid: self.0.to_owned(),
                table: name.to_owned(),
                schema: table.schema(),
                scope: table.scope(),
                entries: table.len(),
                bytes: table.bytes(),
            });
        }
    }
    let mut all = Vec::new();
    for slot in slots {
        let uid = slot.uid.clone();
        let mut list = List(&uid, Vec::new());
        slot.state(&mut list);
        all.append(&mut list.1);
    }
    all
}

/// Does something with one table; `None` if there is no such table.
pub(crate) fn with_table<T>(
    slots: &mut [Slot],
    uid: &str,
    name: &str,
    f: impl FnOnce(&mut dyn StateTable) -> T,
) -> Option<T> {
    struct Find<'a, T, F: FnOnce(&mut dyn StateTable) -> T> {
        name: &'a str,
        f: Option<F>,
        found: Option<T>,
    }
    impl<T, F: FnOnce(&mut dyn StateTable) -> T> StateVisitor for Find<'_, T, F> {
        fn table(&mut self, name: &str, table: &mut dyn StateTable) {
            if name == self.name
                && let Some(f) = self.f.take()
            {
                self.found = Some(f(table));
            }
        }
    }
    let slot = slots.iter_mut().find(|slot| slot.uid == uid)?;
    let mut find = Find { name, f: Some(f), found: None };
    slot.state(&mut find);
    find.found
}
