//! A dynamic table made from a changelog: how often each row is in it, or the last row of each key.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasherDefault, Hasher};

use arrow_array::ArrayRef;
use hashbrown::HashMap;
use tidegate_data::keys::hash::hash_bytes;
use tidegate_data::{Chunk, DataType, RowKind, Schema, Zone, decode_keys, encode_keys};

use super::buffer::texts;
use crate::codec::{Input, put_number};

/// The table. Rows keep the place at which they came, and an update takes the place of what it replaces.
#[derive(Clone)]
pub(super) struct DynamicTable {
    schema: Schema,
    types: Vec<DataType>,
    /// The columns that identify a row; none: all of them, and a row may be in the table several times.
    key: Option<Vec<usize>>,
    index: HashMap<Vec<u8>, u64, BuildHasherDefault<BytesHasher>>,
    rows: BTreeMap<u64, Entry>,
    next: u64,
    len: usize,
    /// The place that the last `-U` has left empty.
    vacated: Option<u64>,
    /// Keys whose entry has changed since the last snapshot, if this table is part of any.
    pub changed: BTreeSet<Vec<u8>>,
    tracked: bool,
}

/// Hashes encoded keys with the one hash of all of Tidegate.
#[derive(Default)]
struct BytesHasher(u64);

impl Hasher for BytesHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = self.0.rotate_left(5) ^ hash_bytes(bytes);
    }

    // What the length of a slice is announced with: the bytes themselves say it.
    fn write_usize(&mut self, _: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Clone)]
struct Entry {
    key: Vec<u8>,
    /// All columns, encoded as a key.
    row: Vec<u8>,
    /// How often it is there; below 0 if more were taken away than came.
    count: i64,
    /// The number of the changelog row that last changed it.
    last: u64,
}

impl DynamicTable {
    pub fn new(schema: &Schema, key: Option<Vec<usize>>) -> DynamicTable {
        DynamicTable {
            schema: schema.clone(),
            types: schema.fields.iter().map(|field| field.ty.clone()).collect(),
            key,
            index: HashMap::default(),
            rows: BTreeMap::new(),
            next: 0,
            len: 0,
            vacated: None,
            changed: BTreeSet::new(),
            tracked: true,
        }
    }

    /// The same table, to be changed and looked at, but in no snapshot.
    pub fn untracked(&self) -> DynamicTable {
        DynamicTable { changed: BTreeSet::new(), tracked: false, ..self.clone() }
    }

    /// Rows in it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Entries: different rows, or keys, also such as were taken away once too often.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    pub fn clear(&mut self) {
        *self = DynamicTable::new(&self.schema, self.key.clone());
    }

    /// Applies the rows of a chunk from row `from` on; its first row has number `first`.
    pub fn apply(&mut self, chunk: &Chunk, from: usize, first: u64) {
        if self.types.is_empty() {
            return;
        }
        let rows = encode_keys(&chunk.columns);
        let keys = self.key.as_ref().map(|key| {
            let columns: Vec<ArrayRef> = key.iter().map(|column| chunk.columns[*column].clone()).collect();
            encode_keys(&columns)
        });
        for row in from..chunk.len {
            let key = keys.as_ref().map_or_else(|| rows.row(row), |keys| keys.row(row));
            self.change(key, rows.row(row), chunk.kind(row), first + row as u64);
        }
    }

    fn change(&mut self, key: &[u8], row: &[u8], kind: RowKind, number: u64) {
        let adds = kind.adds();
        let vacated = self.vacated.take();
        if self.tracked {
            self.changed.insert(key.to_vec());
        }
        let Some(place) = self.index.get(key).copied() else {
            if !adds && self.key.is_some() {
                return;
            }
            // An update moves into the place of what it replaces.
            let place = vacated.filter(|_| kind == RowKind::UpdateAfter).unwrap_or_else(|| {
                self.next += 1;
                self.next
            });
            self.index.insert(key.to_vec(), place);
            self.rows.insert(place, Entry { key: key.to_vec(), row: row.to_vec(), count: kind.sign(), last: number });
            self.len += usize::from(adds);
            return;
        };
        let keyed = self.key.is_some();
        let Some(entry) = self.rows.get_mut(&place) else { return };
        let before = entry.count.max(0);
        entry.count = match (keyed, adds) {
            (true, true) => 1,
            (true, false) => 0,
            (false, _) => entry.count + kind.sign(),
        };
        entry.last = number;
        if keyed && adds {
            entry.row = row.to_vec();
        }
        self.len = self.len + entry.count.max(0) as usize - before as usize;
        if entry.count == 0 {
            self.rows.remove(&place);
            self.index.remove(key);
            self.vacated = (kind == RowKind::UpdateBefore).then_some(place);
        }
    }

    /// Rows `from..from + limit` as texts, each with the number of the changelog row that last changed it.
    pub fn page(&self, from: usize, limit: usize, zone: Zone) -> Vec<(Vec<Option<String>>, u64)> {
        let rows = self.rows.values().flat_map(|entry| std::iter::repeat_n(entry, entry.count.max(0) as usize));
        let entries: Vec<&Entry> = rows.skip(from).take(limit).collect();
        if entries.is_empty() {
            return Vec::new();
        }
        let columns = decode_keys(entries.iter().map(|entry| entry.row.as_slice()), &self.types);
        let chunk = Chunk::insert(columns, entries.len());
        let texts = (0..chunk.len).map(|row| texts(&self.schema, &chunk, row, zone));
        texts.zip(entries.iter().map(|entry| entry.last)).collect()
    }

    /// The entry of a key as bytes; `None` if there is none.
    pub fn encode(&self, key: &[u8]) -> Option<Vec<u8>> {
        let place = self.index.get(key)?;
        let entry = self.rows.get(place)?;
        let mut out = Vec::with_capacity(entry.row.len() + 16);
        put_number(&mut out, *place);
        put_number(&mut out, entry.last);
        out.extend(entry.count.to_le_bytes());
        if self.key.is_some() {
            out.extend_from_slice(&entry.row);
        }
        Some(out)
    }

    /// An entry that [`Self::encode`] wrote, or that is gone.
    pub fn decode(&mut self, key: &[u8], value: Option<&[u8]>) -> Option<()> {
        if let Some(place) = self.index.remove(key)
            && let Some(entry) = self.rows.remove(&place)
        {
            self.len -= entry.count.max(0) as usize;
        }
        let Some(value) = value else { return Some(()) };
        let mut input = Input(value);
        let (place, last) = (input.number()?, input.number()?);
        let count = i64::from_le_bytes(input.take(8)?.try_into().ok()?);
        let row = if self.key.is_some() { input.0.to_vec() } else { key.to_vec() };
        self.next = self.next.max(place);
        self.len += count.max(0) as usize;
        self.index.insert(key.to_vec(), place);
        self.rows.insert(place, Entry { key: key.to_vec(), row, count, last });
        Some(())
    }

    /// Bytes of keys and rows.
    pub fn bytes(&self) -> usize {
        self.rows.values().map(|entry| entry.key.len() + entry.row.len()).sum()
    }
}
