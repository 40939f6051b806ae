//! Keyed state: tables that track their changes entry by entry, so that a snapshot costs what changed.

mod codec;
mod expiry;
pub mod group_table;
mod index;
mod keys;
pub mod list;
pub mod map_table;
mod order;
mod slots;

pub use group_table::{GroupTable, LabelledColumn};
pub use list::ListTable;
pub use map_table::MapTable;
pub use slots::MISSING;

/// How a table's entries are spread when the job is restored at another parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Scope {
    /// By key group.
    Keyed,
    /// Entry by entry over the subtasks, evenly (Flink's even-split list state): a source's splits.
    Split,
    /// Every subtask gets all entries (Flink's union list state).
    Union,
}

/// One entry of a snapshot, as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryRef<'a> {
    /// The key group (`Scope::Keyed`), else 0.
    pub key_group: u16,
    /// The key with all its sub-keys.
    pub key: &'a [u8],
    /// The row; `None` where the entry was removed.
    pub value: Option<&'a [u8]>,
}

/// How the schema of a table begins that is only looked at: a snapshot that does not fit it is left out and not refused, since no later row
/// depends on it.
pub const LOOKED_AT: &str = "looked at, ";

/// A state table as the runtime sees it.
pub trait StateTable {
    /// What a snapshot of it looks like (kind, key and value types), to refuse one that does not fit.
    fn schema(&self) -> String;
    /// How it is spread on rescaling.
    fn scope(&self) -> Scope;
    /// Hands every entry that changed since the last finished snapshot to `sink`, `limit` at the most; gives whether more remain.
    /// When the last was handed over, the tracking starts anew. Nothing changes in the table between the calls of one snapshot.
    fn snapshot(&mut self, limit: usize, sink: &mut dyn FnMut(EntryRef<'_>)) -> bool;
    /// Applies one entry of a snapshot (later ones win); it does not count as a change.
    fn load(&mut self, entry: EntryRef<'_>) -> Result<(), String>;
    /// Number of live entries.
    fn len(&self) -> usize;
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Approximate bytes in memory.
    fn bytes(&self) -> usize;
    /// Entries `offset..offset + limit` for people: key text and row text.
    fn page(&self, offset: usize, limit: usize) -> Vec<(String, String)>;
}

/// Sees an operator's tables one by one.
pub trait StateVisitor {
    /// One table under its stable name.
    fn table(&mut self, name: &str, table: &mut dyn StateTable);
}
