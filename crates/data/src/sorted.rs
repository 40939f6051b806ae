//! Small maps and sets as sorted lists, and sorting that is compiled once: for what is not on the path of a row.
//!
//! Each type that `BTreeMap` or `sort_by` is used with is some 10 KB of wasm. Here an insertion moves what lies behind it, so a map of thousands of
//! entries in no order is the wrong one; keys that ascend are added at the end.

use std::borrow::Borrow;
use std::cmp::Ordering;

/// A map with its entries in the order of their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> SortedMap<K, V> {
        SortedMap::new()
    }
}

impl<K, V> SortedMap<K, V> {
    /// A map without entries.
    pub const fn new() -> SortedMap<K, V> {
        SortedMap { entries: Vec::new() }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes all entries away.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The entries, keys ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// The entries, keys ascending, values to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&K, &mut V)> {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The keys, ascending.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values in the order of their keys, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The values alone, in the order of their keys.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.entries.into_iter().map(|(_, value)| value)
    }

    /// Takes away the entries for which `keep` is false.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain_mut(|(key, value)| keep(key, value));
    }

    /// Takes the entry with the lowest key away.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        if self.is_empty() { None } else { Some(self.entries.remove(0)) }
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        match self.entries.last() {
            Some((last, _)) if last.borrow() < key => Err(self.entries.len()),
            _ => self.entries.binary_search_by(|(other, _)| other.borrow().cmp(key)),
        }
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &self.entries[at].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &mut self.entries[at].1)
    }

    /// Whether a key has a value.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Gives a key a value, and returns the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.entries[at].1, value)),
            Err(at) => {
                self.entries.insert(at, (key, value));
                None
            }
        }
    }

    /// Takes an entry away, and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| self.entries.remove(at).1)
    }

    /// The value of a key, made where there is none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let at = self.find(&key).unwrap_or_else(|at| {
            self.entries.insert(at, (key, make()));
            at
        });
        &mut self.entries[at].1
    }

    /// The value of a key, its type's default where there was none.
    pub fn get_or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.get_or_insert_with(key, V::default)
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> SortedMap<K, V> {
        let mut map = SortedMap::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(entries: [(K, V); N]) -> SortedMap<K, V> {
        entries.into_iter().collect()
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// A set with its members in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedSet<T> {
    members: SortedMap<T, ()>,
}

impl<T> Default for SortedSet<T> {
    fn default() -> SortedSet<T> {
        SortedSet::new()
    }
}

impl<T> SortedSet<T> {
    /// A set without members.
    pub const fn new() -> SortedSet<T> {
        SortedSet { members: SortedMap::new() }
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Takes all members away.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.members.keys()
    }

    /// Takes away the members for which `keep` is false.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.members.retain(|member, ()| keep(member));
    }
}

impl<T: Ord> SortedSet<T> {
    /// Whether something is a member.
    pub fn contains<Q: Ord + ?Sized>(&self, member: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.members.contains_key(member)
    }

    /// Takes a member in; false if it is one already.
    pub fn insert(&mut self, member: T) -> bool {
        self.members.insert(member, ()).is_none()
    }

    /// Takes a member away; false if it was none.
    pub fn remove<Q: Ord + ?Sized>(&mut self, member: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.members.remove(member).is_some()
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, members: I) {
        self.members.extend(members.into_iter().map(|member| (member, ())));
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> SortedSet<T> {
        let mut set = SortedSet::new();
        set.extend(members);
        set
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::iter::Map<std::vec::IntoIter<(T, ())>, fn((T, ())) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter().map(|(member, ())| member)
    }
}

/// Sorts a list; what is equal keeps its order.
pub fn sort_by<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut places = order_of(list.len(), &mut |a, b| compare(&list[a], &list[b]));
    for at in 0..list.len() {
        // What belongs here has been swapped away if it lay before this place: to where that place's own came from.
        let mut from = places[at];
        while from < at {
            from = places[from];
        }
        places[at] = from;
        list.swap(at, from);
    }
}

/// Sorts a list by a key; what is equal keeps its order.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(list, |a, b| key(a).cmp(&key(b)));
}

/// Sorts a list.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, T::cmp);
}

/// The places of a list in the order of what lies there: one sort for all types.
fn order_of(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..len).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Numbers without order, some of them equal.
    fn numbers(n: u64) -> impl Iterator<Item = u64> {
        (0..n).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40).map(|x| x % 97)
    }

    #[test]
    fn a_map_is_what_a_btreemap_is() {
        let (mut map, mut model) = (SortedMap::new(), BTreeMap::new());
        for (i, key) in numbers(500).enumerate() {
            match i % 4 {
                0 => assert_eq!(map.remove(&key), model.remove(&key)),
                1 => *map.get_or_default(key) += 1,
                _ => assert_eq!(map.insert(key, i), model.insert(key, i)),
            }
            if i % 4 == 1 {
                *model.entry(key).or_default() += 1;
            }
            assert_eq!(map.get(&key), model.get(&key));
            assert!(map.iter().eq(model.iter()));
        }
        map.retain(|key, _| key % 2 == 0);
        model.retain(|key, _| key % 2 == 0);
        assert_eq!(map.pop_first(), model.pop_first());
        assert!(map.into_iter().eq(model));
    }

    #[test]
    fn a_set_is_what_a_btreeset_is() {
        let (set, model): (SortedSet<u64>, BTreeSet<u64>) = (numbers(300).collect(), numbers(300).collect());
        assert!(set.iter().eq(&model));
        assert!((0..97).all(|n| set.contains(&n) == model.contains(&n)));
    }

    #[test]
    fn sorting_is_stable() {
        for n in [0, 1, 2, 3, 20, 21, 300] {
            let mut list: Vec<(u64, usize)> = numbers(n).zip(0..).collect();
            let mut expected = list.clone();
            expected.sort_by_key(|(key, _)| *key);
            sort_by_key(&mut list, |(key, _)| *key);
            assert_eq!(list, expected);
        }
    }
}
