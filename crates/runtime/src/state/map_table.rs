//! A table of many rows per key, each under a sub-key: DISTINCT, retractable MIN and MAX, the rows of a join's side or of a Top-N.
//!
//! Sub-keys are found by their hash. Whether those of one key are also kept in order is said when the table is made: it costs a search per entry.

use tidegate_data::keys::hash::hash_bytes;
use tidegate_data::{DataType, Field, SlotColumn, SlotType};

use super::codec::{self, Look, put_unsigned, take_unsigned};
use super::expiry::Expiry;
use super::group_table::LabelledColumn;
use super::index::{Probe, SlotIndex};
use super::keys::{KeyForm, Keys};
use super::order::Order;
use super::slots::{MISSING, Slots};
use super::{EntryRef, Scope, StateTable};

/// Rows under (owner, sub-key); in an ordered table the rows of an owner are ordered by the bytes of the sub-key, else they have no order.
///
/// An owner is a key of another table, under a number. One entry changed is one entry written, however many its owner has.
pub struct MapTable {
    labels: Vec<String>,
    meaning: String,
    /// How sub-keys are encoded, to show them to people; none when they are not made by `encode_keys`.
    types: Vec<DataType>,
    owners: Vec<Owner>,
    owner_index: SlotIndex,
    free_owners: Vec<u32>,
    slots: Slots,
    /// How people see its rows, where that is known.
    shown: Option<Shown>,
    looks: Vec<(usize, Look)>,
    /// In a table without order: the entries before and behind each one, as a list per owner.
    neighbours: Option<Vec<(u32, u32)>>,
}

/// How the rows of a table are shown.
struct Shown {
    /// The types of the owner's key.
    owner: Vec<DataType>,
    /// The fields of whole rows.
    fields: Vec<Field>,
    /// Whether the sub-key is the row.
    by_row: bool,
    /// Whether the owner's key is that of a row of a group table.
    of_group: bool,
    /// Whether the owner's key has a time in front.
    timed: bool,
    /// Whether the sub-key is a time, at which something starts.
    starts: bool,
}

struct Owner {
    key: Box<[u8]>,
    group: u16,
    entries: Order,
    /// In a table without order: the newest and the oldest entry, and how many there are.
    head: u32,
    tail: u32,
    count: usize,
}

impl MapTable {
    /// An empty table whose entries are in order; `types` are those of the encoded sub-key, if it is one.
    pub fn ordered(types: Vec<DataType>, columns: &[LabelledColumn]) -> MapTable {
        MapTable::make(types, columns, None)
    }

    /// An empty table whose entries have no order: [`MapTable::first`], [`MapTable::last`], [`MapTable::entries`] are not for it.
    pub fn unordered(types: Vec<DataType>, columns: &[LabelledColumn]) -> MapTable {
        MapTable::make(types, columns, Some(Vec::new()))
    }

    /// The same, whose owners have keys of the fields `keys` of rows of `fields`; such a row is in the column `row`, or (`by_row`) is the sub-key.
    /// To people it shows them one by one.
    #[must_use]
    pub fn showing(mut self, keys: &[usize], fields: &[Field], by_row: bool) -> MapTable {
        let owner = keys.iter().filter_map(|key| fields.get(*key)).map(|field| field.ty.clone()).collect();
        self.shown =
            Some(Shown { owner, fields: fields.to_vec(), by_row, of_group: false, timed: false, starts: false });
        self
    }

    /// The same (after [`MapTable::showing`]), whose owners' keys are those of a group table ([`super::GroupTable::key_bytes`]).
    #[must_use]
    pub fn of_groups(mut self) -> MapTable {
        if let Some(shown) = &mut self.shown {
            shown.of_group = true;
        }
        self
    }

    /// The same (after [`MapTable::showing`]), whose owners' keys (`owners`), or whose sub-keys, begin with a time of eight bytes in order.
    #[must_use]
    pub fn with_times(mut self, owners: bool) -> MapTable {
        if let Some(shown) = &mut self.shown {
            (shown.timed, shown.starts) = (owners, !owners);
        }
        self
    }

    /// The same, whose column of this place holds encoded rows of these fields.
    #[must_use]
    pub fn with_fields(mut self, place: usize, fields: &[Field]) -> MapTable {
        self.looks.push((place, Look::Fields(fields.to_vec())));
        self
    }

    fn make(types: Vec<DataType>, columns: &[LabelledColumn], neighbours: Option<Vec<(u32, u32)>>) -> MapTable {
        let column_types: Vec<SlotType> = columns.iter().map(|(_, ty)| *ty).collect();
        MapTable {
            shown: None,
            looks: Vec::new(),
            neighbours,
            labels: columns.iter().map(|(label, _)| label.clone()).collect(),
            meaning: String::new(),
            types,
            owners: Vec::new(),
            owner_index: SlotIndex::new(),
            free_owners: Vec::new(),
            slots: Slots::new(KeyForm::Encoded.keys(), &column_types),
        }
    }

    /// What the rows mean, beyond their types: state that means something else is not taken for them.
    #[must_use]
    pub fn of(self, meaning: impl Into<String>) -> MapTable {
        MapTable { meaning: meaning.into(), ..self }
    }

    /// The same, whose rows are kept for `ttl` ms after they were written last; 0: for ever.
    #[must_use]
    pub fn kept_for(mut self, ttl: i64) -> MapTable {
        self.slots.expiry = (ttl > 0).then(|| Expiry::new(ttl));
        self
    }

    /// It is `now`, in ms of processing time: the rows that are over, which the caller takes away before anything else. What is written
    /// from here on is written now.
    pub fn over(&mut self, now: i64) -> Vec<u32> {
        self.slots.over(now)
    }

    /// Takes away what is over at `now`, and the owners who have nothing left.
    pub fn expire(&mut self, now: i64) {
        for entry in self.over(now) {
            let owner = self.owner_of(entry);
            self.remove(entry);
            if self.count(owner) == 0 {
                self.clear(owner);
            }
        }
    }

    /// The owner of an entry.
    pub fn owner_of(&self, entry: u32) -> u32 {
        self.slots.prefixes[entry as usize] as u32
    }

    /// The number of an owner, made if it is new. Numbers last until [`MapTable::clear`] and are not kept in snapshots.
    pub fn owner(&mut self, key: &[u8], key_group: u16) -> u32 {
        if let Some(owner) = self.find_owner(key) {
            return owner;
        }
        let tag = hash_bytes(key) as u32;
        let new = Owner {
            key: key.into(),
            group: key_group,
            entries: Order::default(),
            head: MISSING,
            tail: MISSING,
            count: 0,
        };
        let owner = match self.free_owners.pop() {
            Some(owner) => {
                self.owners[owner as usize] = new;
                owner
            }
            None => {
                self.owners.push(new);
                self.owners.len() as u32 - 1
            }
        };
        self.owner_index.insert(tag, owner);
        owner
    }

    /// The number of an owner, if it has one.
    pub fn find_owner(&self, key: &[u8]) -> Option<u32> {
        let same = |owner: u32| *self.owners[owner as usize].key == *key;
        match self.owner_index.probe(hash_bytes(key) as u32, same) {
            Probe::Found(owner) => Some(owner),
            Probe::Vacant(_) => None,
        }
    }

    /// The owners that have entries.
    pub fn owners(&self) -> impl Iterator<Item = u32> {
        (0..self.owners.len() as u32).filter(|owner| self.count(*owner) > 0)
    }

    /// The key of an owner, and its key group.
    pub fn owner_key(&self, owner: u32) -> (&[u8], u16) {
        let Owner { key, group, .. } = &self.owners[owner as usize];
        (key, *group)
    }

    /// The entry under a sub-key.
    #[inline]
    pub fn find(&self, owner: u32, sub_key: &[u8]) -> Option<u32> {
        self.slots.find(i64::from(owner), hash_bytes(sub_key), sub_key).ok()
    }

    /// The entry under a sub-key, and whether it was made just now: then its row is zero. One that was there does not count as changed.
    pub fn find_or_insert(&mut self, owner: u32, sub_key: &[u8]) -> (u32, bool) {
        let hash = hash_bytes(sub_key);
        if let Ok(entry) = self.slots.find(i64::from(owner), hash, sub_key) {
            return (entry, false);
        }
        let Owner { group, entries, head, tail, count, .. } = &mut self.owners[owner as usize];
        let entry = self.slots.insert(i64::from(owner), hash, sub_key, *group);
        *count += 1;
        match &mut self.neighbours {
            None => {
                let Keys::Bytes(keys) = &self.slots.keys else { unreachable!("sub-keys are bytes") };
                entries.insert(entry, |other| keys.get(other, &mut [0; 16]) < Some(sub_key));
            }
            Some(neighbours) => {
                neighbours.resize(neighbours.len().max(entry as usize + 1), (MISSING, MISSING));
                neighbours[entry as usize] = (MISSING, *head);
                match *head {
                    MISSING => *tail = entry,
                    head => neighbours[head as usize].0 = entry,
                }
                *head = entry;
            }
        }
        (entry, true)
    }

    /// Removes one entry.
    pub fn remove(&mut self, entry: u32) {
        let Owner { key, entries, head, tail, count, .. } =
            &mut self.owners[self.slots.prefixes[entry as usize] as usize];
        *count -= 1;
        match &mut self.neighbours {
            None => {
                let Keys::Bytes(keys) = &self.slots.keys else { unreachable!("sub-keys are bytes") };
                let mut scratch = [0; 16];
                let sub_key = keys.get(entry, &mut scratch);
                entries.remove(entry, |other| keys.get(other, &mut [0; 16]) < sub_key);
            }
            Some(neighbours) => {
                let (before, behind) = neighbours[entry as usize];
                match behind {
                    MISSING => *tail = before,
                    behind => neighbours[behind as usize].0 = before,
                }
                match before {
                    MISSING => *head = behind,
                    before => neighbours[before as usize].1 = behind,
                }
            }
        }
        self.slots.remove(entry, |slots, out| encode(slots, key, entry, out));
    }

    /// Removes all entries of an owner, who keeps its number.
    pub fn drain(&mut self, owner: u32) {
        let Owner { key, entries, head, count, .. } = &mut self.owners[owner as usize];
        *count = 0;
        for entry in std::mem::take(entries).iter() {
            self.slots.remove(entry, |slots, out| encode(slots, key, entry, out));
        }
        while *head != MISSING {
            let entry = *head;
            *head = self.neighbours.as_ref().map_or(MISSING, |neighbours| neighbours[entry as usize].1);
            self.slots.remove(entry, |slots, out| encode(slots, key, entry, out));
        }
    }

    /// Removes an owner with all its entries; its number may be given to another one.
    pub fn clear(&mut self, owner: u32) {
        self.drain(owner);
        let key = &self.owners[owner as usize].key;
        self.owner_index.remove(hash_bytes(key) as u32, owner);
        self.free_owners.push(owner);
    }

    /// The rows' columns, by entry.
    #[inline]
    pub fn columns(&self) -> &[SlotColumn] {
        &self.slots.columns
    }

    /// The rows' columns, by entry. What is written has to be [touched](MapTable::touch).
    #[inline]
    pub fn columns_mut(&mut self) -> &mut [SlotColumn] {
        &mut self.slots.columns
    }

    /// Marks entries as changed since the last snapshot.
    pub fn touch(&mut self, entries: &[u32]) {
        self.slots.touch(entries);
    }

    /// How many entries an owner has.
    pub fn count(&self, owner: u32) -> usize {
        self.owners[owner as usize].count
    }

    /// The entry with the lowest sub-key.
    pub fn first(&self, owner: u32) -> Option<u32> {
        debug_assert!(self.neighbours.is_none(), "the table has no order");
        self.owners[owner as usize].entries.first()
    }

    /// The entry with the highest sub-key.
    pub fn last(&self, owner: u32) -> Option<u32> {
        debug_assert!(self.neighbours.is_none(), "the table has no order");
        self.owners[owner as usize].entries.last()
    }

    /// An owner's entries in the order of their sub-keys.
    pub fn entries(&self, owner: u32) -> impl DoubleEndedIterator<Item = u32> {
        debug_assert!(self.neighbours.is_none(), "the table has no order");
        self.owners[owner as usize].entries.iter()
    }

    /// An owner's entries with sub-keys from `sub_key` on, in order.
    pub fn entries_from(&self, owner: u32, sub_key: &[u8]) -> impl Iterator<Item = u32> {
        let Keys::Bytes(keys) = &self.slots.keys else { unreachable!("sub-keys are bytes") };
        self.owners[owner as usize].entries.from(|other| keys.get(other, &mut [0; 16]) < Some(sub_key))
    }

    /// In a table without order: an owner's oldest entry; with [`MapTable::newer`] all of them can be reached.
    pub fn oldest(&self, owner: u32) -> Option<u32> {
        debug_assert!(self.neighbours.is_some(), "the table has an order");
        let Owner { tail, count, .. } = &self.owners[owner as usize];
        (*count > 0).then_some(*tail)
    }

    /// In a table without order: the entry of the same owner that came after this one.
    pub fn newer(&self, entry: u32) -> Option<u32> {
        let behind = self.neighbours.as_ref().map_or(MISSING, |neighbours| neighbours[entry as usize].0);
        (behind != MISSING).then_some(behind)
    }

    /// Appends the sub-key of an entry.
    pub fn append_sub_key(&self, entry: u32, out: &mut Vec<u8>) {
        let Keys::Bytes(keys) = &self.slots.keys else { unreachable!("sub-keys are bytes") };
        out.extend_from_slice(keys.get(entry, &mut [0; 16]).unwrap_or_default());
    }

    /// The sub-key of an entry.
    pub fn sub_key(&self, entry: u32) -> Vec<u8> {
        let Keys::Bytes(keys) = &self.slots.keys else { unreachable!("sub-keys are bytes") };
        keys.get(entry, &mut [0; 16]).unwrap_or_default().to_vec()
    }

    fn load_entry(&mut self, entry: EntryRef<'_>) -> Option<()> {
        let mut rest = entry.key;
        let len = usize::try_from(take_unsigned(&mut rest)?).ok()?;
        let (owner_key, sub_key) = rest.split_at_checked(len)?;
        let owner = self.owner(owner_key, entry.key_group);
        match entry.value {
            Some(value) => {
                let (slot, _) = self.find_or_insert(owner, sub_key);
                self.slots.load(slot, value)?;
            }
            None => {
                if let Some(slot) = self.find(owner, sub_key) {
                    self.remove(slot);
                    self.slots.forget_tombstone();
                }
            }
        }
        Some(())
    }
}

/// The length of the owner's key, the key, the sub-key.
fn encode(slots: &Slots, owner_key: &[u8], entry: u32, out: &mut Vec<u8>) {
    put_unsigned(out, owner_key.len() as u128);
    out.extend_from_slice(owner_key);
    if let Keys::Bytes(keys) = &slots.keys {
        out.extend_from_slice(keys.get(entry, &mut [0; 16]).unwrap_or_default());
    }
}

impl StateTable for MapTable {
    fn schema(&self) -> String {
        let types: Vec<String> = self.types.iter().map(ToString::to_string).collect();
        codec::with_meaning(format!("map({}) -> ({})", types.join(", "), self.slots.schema()), &self.meaning)
    }

    fn scope(&self) -> Scope {
        Scope::Keyed
    }

    fn snapshot(&mut self, limit: usize, sink: &mut dyn FnMut(EntryRef<'_>)) -> bool {
        let owners = &self.owners;
        let encode = |slots: &Slots, entry: u32, out: &mut Vec<u8>| {
            let owner = slots.prefixes[entry as usize] as usize;
            encode(slots, &owners[owner].key, entry, out);
        };
        self.slots.snapshot(limit, encode, sink)
    }

    fn load(&mut self, entry: EntryRef<'_>) -> Result<(), String> {
        self.load_entry(entry).ok_or_else(|| format!("an entry does not fit {}", self.schema()))
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn bytes(&self) -> usize {
        self.slots.bytes() + self.owners.iter().map(|owner| owner.key.len() + 64 + owner.count * 8).sum::<usize>()
    }

    fn page(&self, offset: usize, limit: usize) -> Vec<(String, String)> {
        let text = |entry: u32| {
            let sub_key = self.sub_key(entry);
            if let Some(Shown { owner, fields, by_row, of_group, timed, starts }) = &self.shown {
                let (key, _) = self.owner_key(self.slots.prefixes[entry as usize] as u32);
                let (time, key) = if *timed { take_ordered_time(key) } else { (None, key) };
                let value = codec::row_text(&self.slots.columns, &self.labels, entry, fields, &self.looks);
                let row = match (*by_row, *starts) {
                    (true, _) => codec::named(&sub_key, fields),
                    (_, true) => {
                        take_ordered_time(&sub_key).0.map_or_else(String::new, |start| format!("start={start}"))
                    }
                    _ => String::new(),
                };
                let parts: Vec<&str> =
                    [row.as_str(), value.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
                let texts = if *of_group { group_key_texts(key, owner) } else { codec::texts(key, owner.iter()) };
                let keys: Vec<String> = time.into_iter().chain(texts).collect();
                return (keys.join(", "), parts.join(", "));
            }
            let key = match self.types.is_empty() {
                true => codec::bytes_text(&sub_key),
                false => codec::texts(&sub_key, self.types.iter()).join(", "),
            };
            (key, codec::row_text(&self.slots.columns, &self.labels, entry, &[], &self.looks))
        };
        self.slots.live().skip(offset).take(limit).map(text).collect()
    }
}

/// The key of a row of a group table.
fn group_key_texts(key: &[u8], types: &[DataType]) -> Vec<String> {
    let (Some((mark, rest)), Some(first)) = (key.split_first(), types.first()) else { return Vec::new() };
    match KeyForm::of(types) {
        KeyForm::Encoded => codec::texts(rest, types.iter()),
        _ if *mark == 0 => vec!["NULL".to_owned()],
        KeyForm::Integer => {
            let number = rest.first_chunk::<8>().map_or(0, |bytes| i64::from_be_bytes(*bytes) ^ i64::MIN);
            vec![codec::typed(first, number.into())]
        }
        _ => vec![codec::bytes_text(rest)],
    }
}

/// A time whose bytes are in order, as text, and what follows it.
fn take_ordered_time(key: &[u8]) -> (Option<String>, &[u8]) {
    match key.split_first_chunk::<8>() {
        Some((time, rest)) => (Some(codec::time_text(i64::from_be_bytes(*time) ^ i64::MIN)), rest),
        None => (None, key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(table: &mut MapTable) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
        let mut entries = Vec::new();
        let mut keep = |entry: EntryRef<'_>| entries.push((entry.key.to_vec(), entry.value.map(<[u8]>::to_vec)));
        while table.snapshot(7, &mut keep) {}
        entries
    }

    fn sub_keys(table: &MapTable, owner: &[u8]) -> Vec<Vec<u8>> {
        table
            .find_owner(owner)
            .map_or(Vec::new(), |owner| table.entries(owner).map(|entry| table.sub_key(entry)).collect())
    }

    #[test]
    fn one_change_is_one_entry_and_order_survives_a_restore() {
        let columns = [("n".to_owned(), SlotType::I64)];
        let mut table = MapTable::ordered(Vec::new(), &columns);
        let (a, b) = (table.owner(b"a", 1), table.owner(b"bb", 2));
        for number in 0..2_000u32 {
            let number = number * 7 % 2_000;
            table.find_or_insert(a, format!("a sub-key of some length {number:06}").as_bytes());
        }
        table.find_or_insert(b, b"x");
        let mut saved = entries(&mut table);
        assert_eq!(saved.len(), 2_001);

        let middle = table.find(a, b"a sub-key of some length 001000").unwrap();
        table.remove(middle);
        let (entry, new) = table.find_or_insert(a, b"a sub-key of some length 000001");
        assert!(!new);
        let SlotColumn::I64(numbers) = &mut table.columns_mut()[0] else { panic!() };
        numbers[entry as usize] = 77;
        table.touch(&[entry]);
        table.clear(b);
        let changed = entries(&mut table);
        assert_eq!(changed.len(), 3);
        saved.extend(changed);

        let mut restored = MapTable::ordered(Vec::new(), &columns);
        for (key, value) in &saved {
            restored.load(EntryRef { key_group: 1, key, value: value.as_deref() }).unwrap();
        }
        let order = sub_keys(&restored, b"a");
        assert_eq!(order.len(), 1_999);
        assert!(order.is_sorted());
        assert_eq!(order, sub_keys(&table, b"a"));
        assert!(sub_keys(&restored, b"bb").is_empty());
        let owner = restored.find_owner(b"a").unwrap();
        let from: Vec<u32> = restored.entries_from(owner, b"a sub-key of some length 000999").take(2).collect();
        let from: Vec<Vec<u8>> = from.into_iter().map(|entry| restored.sub_key(entry)).collect();
        assert_eq!(from, [b"a sub-key of some length 000999", b"a sub-key of some length 001001"]);
        let entry = restored.find(owner, b"a sub-key of some length 000001").unwrap();
        let SlotColumn::I64(numbers) = &restored.columns()[0] else { panic!() };
        assert_eq!(numbers[entry as usize], 77);
        assert!(entries(&mut restored).is_empty());
    }

    #[test]
    fn without_order_an_owner_still_knows_its_entries() {
        let mut table = MapTable::unordered(Vec::new(), &[]);
        let (a, b) = (table.owner(b"a", 1), table.owner(b"b", 1));
        for number in 0..100u8 {
            table.find_or_insert(a, &[number]);
            table.find_or_insert(b, &[number]);
        }
        for number in [99, 0, 50, 51, 98] {
            let entry = table.find(a, &[number]).unwrap();
            table.remove(entry);
        }
        assert_eq!((table.count(a), table.count(b), table.len()), (95, 100, 195));
        let mut all = vec![table.oldest(a).unwrap()];
        while let Some(newer) = table.newer(all[all.len() - 1]) {
            all.push(newer);
        }
        let found: Vec<Vec<u8>> = all.iter().map(|entry| table.sub_key(*entry)).collect();
        let kept: Vec<Vec<u8>> =
            (1..98).filter(|number| ![50, 51].contains(number)).map(|number| vec![number]).collect();
        assert_eq!(found, kept);
        table.clear(a);
        assert_eq!((table.find_owner(b"a"), table.count(b), table.len()), (None, 100, 100));
        table.drain(b);
        assert_eq!((table.find_owner(b"b"), table.len()), (Some(b), 0));
        assert!(table.find_or_insert(b, &[7]).1);
    }
}
