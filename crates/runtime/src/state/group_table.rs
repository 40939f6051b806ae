//! A table of one row per key: what group and window aggregates keep.

use tidegate_data::{DataType, Field, SlotColumn, SlotType, Zone, cell_text, hash_keys, keys::hash::hash_bytes};

use arrow_array::ArrayRef;

use super::codec::{self, Look};
use super::expiry::Expiry;
use super::index::{Probe, SlotIndex};
use super::keys::{EncodedRows, IntegerRows, KeyForm, KeyRows, NoRows, NullableIntegerRows, Rows, TextRows};
use super::slots::{Slots, tag_of};
use super::{EntryRef, Scope, StateTable};

/// One row of typed columns per key, addressed by slot number once the key was found.
///
/// A key is a prefix (a time in ms, in tables of windows) and the key columns; the key group is that of the key columns alone.
pub struct GroupTable {
    types: Vec<DataType>,
    form: KeyForm,
    prefixed: bool,
    labels: Vec<String>,
    meaning: String,
    slots: Slots,
    /// The fields of whole rows.
    fields: Vec<Field>,
    /// How other columns are shown, by place.
    looks: Vec<(usize, Look)>,
    /// While a snapshot is loaded and until the first use: keys as loaded, not yet in the index.
    loading: Option<Loading>,
}

struct Loading {
    by_key: SlotIndex,
    keys: Vec<Box<[u8]>>,
}

/// What a row of a [`GroupTable`] holds: a label for people (none: not shown) and a type.
pub type LabelledColumn = (String, SlotType);

impl GroupTable {
    /// An empty table over keys of these types.
    pub fn new(types: Vec<DataType>, columns: &[LabelledColumn]) -> GroupTable {
        GroupTable::make(types, false, columns)
    }

    /// An empty table whose keys have a time in front.
    pub fn with_prefix(types: Vec<DataType>, columns: &[LabelledColumn]) -> GroupTable {
        GroupTable::make(types, true, columns)
    }

    fn make(types: Vec<DataType>, prefixed: bool, columns: &[LabelledColumn]) -> GroupTable {
        let form = KeyForm::of(&types);
        let slots = Slots::new(form.keys(), &columns.iter().map(|(_, ty)| *ty).collect::<Vec<_>>());
        let labels = columns.iter().map(|(label, _)| label.clone()).collect();
        GroupTable {
            types,
            form,
            prefixed,
            labels,
            meaning: String::new(),
            slots,
            fields: Vec::new(),
            looks: Vec::new(),
            loading: None,
        }
    }

    /// What the rows mean, beyond their types: state that means something else is not taken for them.
    #[must_use]
    pub fn of(self, meaning: impl Into<String>) -> GroupTable {
        GroupTable { meaning: meaning.into(), ..self }
    }

    /// The same, whose column `row` holds whole rows of these fields: to people it shows them one by one.
    #[must_use]
    pub fn showing(mut self, fields: &[Field]) -> GroupTable {
        self.fields = fields.to_vec();
        self
    }

    /// The same, whose columns of these places hold values of these types.
    #[must_use]
    pub fn typed<'a>(mut self, types: impl IntoIterator<Item = &'a (usize, DataType)>) -> GroupTable {
        self.looks.extend(types.into_iter().map(|(place, ty)| (*place, Look::As(ty.clone()))));
        self
    }

    /// The same, whose rows are kept for `ttl` ms after they were written last; 0: for ever.
    #[must_use]
    pub fn kept_for(mut self, ttl: i64) -> GroupTable {
        self.slots.expiry = (ttl > 0).then(|| Expiry::new(ttl));
        self
    }

    /// It is `now`, in ms of processing time: the rows that are over, which the caller takes away before anything else. What is written
    /// from here on is written now.
    pub fn over(&mut self, now: i64) -> Vec<u32> {
        self.slots.over(now)
    }

    /// Takes away what is over at `now`, where nothing else hangs on it.
    pub fn expire(&mut self, now: i64) {
        for slot in self.over(now) {
            self.remove(slot);
        }
    }

    /// The slot of every row, in the order of rows: found, or made where `may_insert` says so, else [`super::MISSING`].
    /// `fresh` gets the rows for which a slot was made; such a slot's row is zero.
    ///
    /// `keys` are the key columns, `hashes` their [`hash_keys`] (without key columns: anything, one per row), `prefixes` one per row
    /// for a table that has them. Nothing counts as changed but what was made: see [`GroupTable::touch`].
    pub fn resolve(
        &mut self,
        keys: &[ArrayRef],
        prefixes: &[i64],
        hashes: &[u64],
        may_insert: impl Fn(usize) -> bool,
        slots: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        debug_assert!(!self.prefixed || prefixes.len() == hashes.len());
        self.finish_loading();
        fresh.clear();
        match KeyRows::new(self.form, keys) {
            KeyRows::None => self.resolve_rows(&NoRows, prefixes, hashes, may_insert, slots, fresh),
            KeyRows::Integers(values, None) => {
                self.resolve_rows(&IntegerRows(&values), prefixes, hashes, may_insert, slots, fresh);
            }
            KeyRows::Integers(values, Some(nulls)) => {
                let rows = NullableIntegerRows(&values, nulls);
                self.resolve_rows(&rows, prefixes, hashes, may_insert, slots, fresh);
            }
            KeyRows::Text { offsets, bytes, nulls } => {
                let rows = TextRows { offsets, bytes, nulls };
                self.resolve_rows(&rows, prefixes, hashes, may_insert, slots, fresh);
            }
            KeyRows::Encoded(keys) => {
                self.resolve_rows(&EncodedRows(&keys), prefixes, hashes, may_insert, slots, fresh);
            }
        }
    }

    fn resolve_rows<R: Rows>(
        &mut self,
        rows: &R,
        prefixes: &[i64],
        hashes: &[u64],
        may_insert: impl Fn(usize) -> bool,
        slots: &mut Vec<u32>,
        fresh: &mut Vec<u32>,
    ) {
        if self.prefixed {
            self.slots.resolve::<true, R>(rows, prefixes, hashes, may_insert, slots, fresh);
        } else {
            self.slots.resolve::<false, R>(rows, prefixes, hashes, may_insert, slots, fresh);
        }
    }

    /// Marks rows as changed since the last snapshot.
    #[inline]
    pub fn touch(&mut self, slots: &[u32]) {
        self.slots.touch(slots);
    }

    /// The rows' columns, by slot.
    #[inline]
    pub fn columns(&self) -> &[SlotColumn] {
        &self.slots.columns
    }

    /// The rows' columns, by slot. What is written has to be [touched](GroupTable::touch).
    #[inline]
    pub fn columns_mut(&mut self) -> &mut [SlotColumn] {
        &mut self.slots.columns
    }

    /// Removes a row; its slot may be given to another key.
    pub fn remove(&mut self, slot: u32) {
        self.finish_loading();
        let prefixed = self.prefixed;
        self.slots.remove(slot, |slots, out| encode(slots, prefixed, slot, out));
    }

    /// The key columns of these slots.
    pub fn keys_of(&self, slots: &[u32]) -> Vec<ArrayRef> {
        self.slots.keys.columns(&self.types, slots)
    }

    /// The prefix of a slot's key.
    pub fn prefix_of(&self, slot: u32) -> i64 {
        self.slots.prefixes[slot as usize]
    }

    /// The key group of a slot.
    pub fn group_of(&self, slot: u32) -> u16 {
        self.slots.group(slot)
    }

    /// The key of a slot as bytes, the same for the same key in every table.
    pub fn key_bytes(&self, slot: u32, out: &mut Vec<u8>) {
        encode(&self.slots, self.prefixed, slot, out);
    }

    /// Whether a slot is in use.
    pub fn is_live(&self, slot: u32) -> bool {
        self.slots.is_live(slot)
    }

    /// The slots in use, ascending.
    pub fn live(&self) -> impl Iterator<Item = u32> {
        self.slots.live()
    }

    /// Puts the keys that were loaded into the index.
    fn finish_loading(&mut self) {
        let Some(_) = self.loading.take() else { return };
        let live: Vec<u32> = self.slots.live().collect();
        for slots in live.chunks(4096) {
            let keys = self.keys_of(slots);
            let hashes = if keys.is_empty() { vec![0; slots.len()] } else { hash_keys(&keys) };
            for (slot, hash) in slots.iter().zip(hashes) {
                let tag =
                    if self.prefixed { tag_of::<true>(hash, self.prefix_of(*slot)) } else { tag_of::<false>(hash, 0) };
                self.slots.link(*slot, tag);
            }
        }
    }

    fn load_entry(&mut self, entry: EntryRef<'_>) -> Option<()> {
        if self.loading.is_none() {
            if self.slots.len() > 0 {
                return None;
            }
            self.loading = Some(Loading { by_key: SlotIndex::new(), keys: Vec::new() });
        }
        let Loading { by_key, keys } = self.loading.as_mut()?;
        let tag = hash_bytes(entry.key) as u32;
        let found = match by_key.probe(tag, |slot| *keys[slot as usize] == *entry.key) {
            Probe::Found(slot) => Some(slot),
            Probe::Vacant(_) => None,
        };
        match (found, entry.value) {
            (Some(slot), None) => {
                by_key.remove(tag, slot);
                self.slots.release(slot);
            }
            (None, None) => {}
            (found, Some(value)) => {
                let slot = match found {
                    Some(slot) => slot,
                    None => {
                        let slot = self.slots.allocate(0, entry.key_group);
                        by_key.insert(tag, slot);
                        keys.resize(keys.len().max(slot as usize + 1), Box::default());
                        keys[slot as usize] = entry.key.into();
                        let mut rest = entry.key;
                        if self.prefixed {
                            let (head, tail) = rest.split_first_chunk()?;
                            self.slots.put_prefix(slot, i64::from_be_bytes(*head) ^ i64::MIN);
                            rest = tail;
                        }
                        self.slots.keys.decode(slot, rest)?;
                        self.slots.grow();
                        slot
                    }
                };
                self.slots.load(slot, value)?;
            }
        }
        Some(())
    }
}

fn encode(slots: &Slots, prefixed: bool, slot: u32, out: &mut Vec<u8>) {
    if prefixed {
        out.extend((slots.prefixes[slot as usize] ^ i64::MIN).to_be_bytes());
    }
    slots.keys.encode(slot, out);
}

impl StateTable for GroupTable {
    fn schema(&self) -> String {
        let types: Vec<String> = self.types.iter().map(ToString::to_string).collect();
        let prefix = if self.prefixed { "time, " } else { "" };
        codec::with_meaning(format!("group({prefix}{}) -> ({})", types.join(", "), self.slots.schema()), &self.meaning)
    }

    fn scope(&self) -> Scope {
        Scope::Keyed
    }

    fn snapshot(&mut self, limit: usize, sink: &mut dyn FnMut(EntryRef<'_>)) -> bool {
        let prefixed = self.prefixed;
        self.slots.snapshot(limit, |slots, slot, out| encode(slots, prefixed, slot, out), sink)
    }

    fn load(&mut self, entry: EntryRef<'_>) -> Result<(), String> {
        self.load_entry(entry).ok_or_else(|| format!("an entry does not fit {}", self.schema()))
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn bytes(&self) -> usize {
        self.slots.bytes()
    }

    fn page(&self, offset: usize, limit: usize) -> Vec<(String, String)> {
        let slots: Vec<u32> = self.live().skip(offset).take(limit).collect();
        let keys = self.keys_of(&slots);
        let row = |(row, slot): (usize, &u32)| {
            let mut texts = Vec::new();
            if self.prefixed {
                texts.push(codec::time_text(self.prefix_of(*slot)));
            }
            for (column, ty) in keys.iter().zip(&self.types) {
                texts.push(cell_text(column, row, ty, Zone::UTC).unwrap_or_else(|| "NULL".to_owned()));
            }
            let value = codec::row_text(&self.slots.columns, &self.labels, *slot, &self.fields, &self.looks);
            // Of a row that is not kept any more it is known that it was there.
            let value = if value.is_empty() && !self.fields.is_empty() { "seen".to_owned() } else { value };
            (texts.join(", "), value)
        };
        slots.iter().enumerate().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::MISSING;
    use arrow_array::{Int64Array, StringArray};
    use std::sync::Arc;
    use tidegate_data::LogicalType;

    fn entries(table: &mut GroupTable) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
        let mut entries = Vec::new();
        let mut keep = |entry: EntryRef<'_>| entries.push((entry.key.to_vec(), entry.value.map(<[u8]>::to_vec)));
        while table.snapshot(3, &mut keep) {}
        entries
    }

    fn resolve(table: &mut GroupTable, keys: &[ArrayRef], insert: bool) -> Vec<u32> {
        let (mut slots, mut fresh) = (Vec::new(), Vec::new());
        table.resolve(keys, &[], &hash_keys(keys), |_| insert, &mut slots, &mut fresh);
        slots
    }

    fn types() -> [Vec<DataType>; 3] {
        let integer = DataType::new(LogicalType::BigInt);
        [vec![integer.clone()], vec![DataType::string()], vec![integer, DataType::string()]]
    }

    /// Keys that meet in every way: NULL, its stand-in, empty and long strings.
    fn keys(types: &[DataType]) -> Vec<ArrayRef> {
        let numbers: ArrayRef =
            Arc::new(Int64Array::from(vec![Some(1), None, Some(i64::MIN), Some(0), Some(1), Some(7), Some(8)]));
        let long = "a string that is longer than sixteen bytes";
        let texts = vec![Some("a"), None, Some(""), Some(long), Some("a"), Some("sixteen bytes ab"), Some(&long[1..])];
        let texts: ArrayRef = Arc::new(StringArray::from(texts));
        types.iter().map(|ty| if ty.logical == LogicalType::BigInt { numbers.clone() } else { texts.clone() }).collect()
    }

    #[test]
    fn keys_are_found_again_also_after_a_restore() {
        for types in types() {
            let keys = keys(&types);
            let columns = [("n".to_owned(), SlotType::I64)];
            let mut table = GroupTable::new(types.clone(), &columns);
            assert!(resolve(&mut table, &keys, false).iter().all(|slot| *slot == MISSING));
            let slots = resolve(&mut table, &keys, true);
            assert_eq!(slots, [0, 1, 2, 3, 0, 4, 5]);
            let SlotColumn::I64(numbers) = &mut table.columns_mut()[0] else { panic!() };
            numbers.iter_mut().enumerate().for_each(|(slot, number)| *number = slot as i64 * 10);
            assert_eq!(&table.keys_of(&slots), &keys);
            let saved = entries(&mut table);
            assert_eq!(saved.len(), 6);

            table.touch(&[2]);
            table.remove(1);
            table.remove(5);
            assert_eq!(table.len(), 4);
            let changed = entries(&mut table);
            assert_eq!(changed.len(), 3);
            assert!(entries(&mut table).is_empty());

            let mut restored = GroupTable::new(types, &columns);
            for (key, value) in saved.iter().chain(&changed) {
                restored.load(EntryRef { key_group: 5, key, value: value.as_deref() }).unwrap();
            }
            assert_eq!(restored.len(), 4);
            assert!(entries(&mut restored).is_empty());
            let found = resolve(&mut restored, &keys, false);
            let SlotColumn::I64(numbers) = &restored.columns()[0] else { panic!() };
            let found: Vec<Option<i64>> =
                found.iter().map(|slot| (*slot != MISSING).then(|| numbers[*slot as usize])).collect();
            assert_eq!(found, [Some(0), None, Some(20), Some(30), Some(0), Some(40), None]);
            assert!(restored.load(EntryRef { key_group: 0, key: &[9], value: Some(&[]) }).is_err());
        }
    }

    #[test]
    fn a_key_that_went_and_came_again_stands_last_as_it_is() {
        let types = vec![DataType::new(LogicalType::BigInt)];
        let keys: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(vec![1, 2, 3]))];
        let mut table = GroupTable::new(types, &[]);
        resolve(&mut table, &keys, true);
        entries(&mut table);
        (0..3).for_each(|slot| table.remove(slot));
        resolve(&mut table, &[keys[0].slice(0, 1)], true);
        let entries = entries(&mut table);
        assert_eq!(entries.len(), 4);
        assert!(entries[3].1.is_some());
    }
}
