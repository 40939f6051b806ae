//! The keys of a table's slots: one integer, one string, or several columns encoded; and how a chunk's rows compare to them.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as ArrowType, TimeUnit};
use tidegate_data::{DataType, EncodedKeys, LogicalType, decode_keys, encode_keys};

use super::index::prefetch;

/// The keys, by slot.
pub(super) enum Keys {
    /// No key columns: there is one slot at the most (per prefix).
    None,
    /// One integer or time column.
    Integers(IntegerKeys),
    /// One string or binary column, or anything else encoded.
    Bytes(ByteKeys),
}

#[derive(Default)]
pub(super) struct IntegerKeys {
    values: Vec<i64>,
    nulls: Vec<bool>,
}

/// Strings of up to 16 bytes lie in `heads`, longer ones in `tails` as a whole; a NULL has the length `NULL`.
#[derive(Default)]
pub(super) struct ByteKeys {
    heads: Vec<u128>,
    lengths: Vec<u32>,
    tails: Vec<Box<[u8]>>,
}

const INLINE: usize = 16;
const NULL: u32 = u32::MAX;

/// How a table holds keys of some types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyForm {
    None,
    Integer,
    Text,
    Encoded,
}

impl KeyForm {
    pub(super) fn of(types: &[DataType]) -> KeyForm {
        match types {
            [] => KeyForm::None,
            [one] => match one.arrow() {
                ArrowType::Int8
                | ArrowType::Int16
                | ArrowType::Int32
                | ArrowType::Int64
                | ArrowType::Date32
                | ArrowType::Time32(_)
                | ArrowType::Timestamp(..) => KeyForm::Integer,
                ArrowType::Utf8 | ArrowType::Binary => KeyForm::Text,
                _ => KeyForm::Encoded,
            },
            _ => KeyForm::Encoded,
        }
    }

    pub(super) fn keys(self) -> Keys {
        match self {
            KeyForm::None => Keys::None,
            KeyForm::Integer => Keys::Integers(IntegerKeys::default()),
            KeyForm::Text | KeyForm::Encoded => Keys::Bytes(ByteKeys::default()),
        }
    }
}

/// The key columns of a chunk, in the form of the table's keys.
pub(super) enum KeyRows<'a> {
    None,
    Integers(Cow<'a, [i64]>, Option<&'a NullBuffer>),
    Text { offsets: &'a [i32], bytes: &'a [u8], nulls: Option<&'a NullBuffer> },
    Encoded(EncodedKeys),
}

impl<'a> KeyRows<'a> {
    pub(super) fn new(form: KeyForm, columns: &'a [ArrayRef]) -> KeyRows<'a> {
        match form {
            KeyForm::None => KeyRows::None,
            KeyForm::Integer => {
                let column = &columns[0];
                KeyRows::Integers(integers(column), column.nulls().filter(|nulls| nulls.null_count() > 0))
            }
            KeyForm::Text => {
                let column = &columns[0];
                let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0);
                if let Some(strings) = column.as_string_opt::<i32>() {
                    KeyRows::Text { offsets: strings.value_offsets(), bytes: strings.value_data(), nulls }
                } else {
                    let strings = column.as_binary::<i32>();
                    KeyRows::Text { offsets: strings.value_offsets(), bytes: strings.value_data(), nulls }
                }
            }
            KeyForm::Encoded => KeyRows::Encoded(encode_keys(columns)),
        }
    }
}

/// The values of an integer or time column as 64-bit integers.
fn integers(column: &ArrayRef) -> Cow<'_, [i64]> {
    fn narrow<T: ArrowPrimitiveType<Native: Into<i64>>>(column: &ArrayRef) -> Cow<'_, [i64]> {
        Cow::Owned(column.as_primitive::<T>().values().iter().map(|value| (*value).into()).collect())
    }
    match column.data_type() {
        ArrowType::Int8 => narrow::<Int8Type>(column),
        ArrowType::Int16 => narrow::<Int16Type>(column),
        ArrowType::Int32 => narrow::<Int32Type>(column),
        ArrowType::Date32 => narrow::<Date32Type>(column),
        ArrowType::Time32(_) => narrow::<Time32MillisecondType>(column),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => {
            Cow::Borrowed(column.as_primitive::<TimestampMillisecondType>().values())
        }
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => {
            Cow::Borrowed(column.as_primitive::<TimestampMicrosecondType>().values())
        }
        ArrowType::Timestamp(_, _) => Cow::Borrowed(column.as_primitive::<TimestampNanosecondType>().values()),
        _ => Cow::Borrowed(column.as_primitive::<Int64Type>().values()),
    }
}

/// Rows that can be compared to keys.
pub(super) trait Rows {
    /// One row's key, cheap to copy.
    type Key: Copy;
    fn key(&self, row: usize) -> Self::Key;
    fn same(keys: &Keys, slot: u32, key: Self::Key) -> bool;
    /// Sets the key of a slot, which may be the next new one.
    fn put(keys: &mut Keys, slot: u32, key: Self::Key);
    fn prefetch(keys: &Keys, slot: u32);
}

/// No key columns: all rows are the same.
pub(super) struct NoRows;

impl Rows for NoRows {
    type Key = ();
    #[inline(always)]
    fn key(&self, _row: usize) {}
    #[inline(always)]
    fn same(_keys: &Keys, _slot: u32, (): ()) -> bool {
        true
    }
    fn put(_keys: &mut Keys, _slot: u32, (): ()) {}
    fn prefetch(_keys: &Keys, _slot: u32) {}
}

/// Integers without NULL.
pub(super) struct IntegerRows<'a>(pub(super) &'a [i64]);

impl Rows for IntegerRows<'_> {
    type Key = i64;
    #[inline(always)]
    fn key(&self, row: usize) -> i64 {
        self.0[row]
    }
    #[inline(always)]
    fn same(keys: &Keys, slot: u32, key: i64) -> bool {
        let Keys::Integers(keys) = keys else { return false };
        // A NULL lies there as i64::MIN, so that only this one value has to look further.
        keys.values[slot as usize] == key && (key != i64::MIN || !keys.nulls[slot as usize])
    }
    fn put(keys: &mut Keys, slot: u32, key: i64) {
        if let Keys::Integers(keys) = keys {
            put(&mut keys.values, slot, key);
            put(&mut keys.nulls, slot, false);
        }
    }
    #[inline(always)]
    fn prefetch(keys: &Keys, slot: u32) {
        if let Keys::Integers(keys) = keys {
            prefetch(&keys.values[slot as usize]);
        }
    }
}

/// Integers, some of them NULL.
pub(super) struct NullableIntegerRows<'a>(pub(super) &'a [i64], pub(super) &'a NullBuffer);

impl Rows for NullableIntegerRows<'_> {
    type Key = Option<i64>;
    #[inline(always)]
    fn key(&self, row: usize) -> Option<i64> {
        self.1.is_valid(row).then(|| self.0[row])
    }
    #[inline(always)]
    fn same(keys: &Keys, slot: u32, key: Option<i64>) -> bool {
        match key {
            Some(key) => IntegerRows::same(keys, slot, key),
            None => matches!(keys, Keys::Integers(keys) if keys.nulls[slot as usize]),
        }
    }
    fn put(keys: &mut Keys, slot: u32, key: Option<i64>) {
        IntegerRows::put(keys, slot, key.unwrap_or(i64::MIN));
        if let (Keys::Integers(keys), None) = (keys, key) {
            keys.nulls[slot as usize] = true;
        }
    }
    fn prefetch(keys: &Keys, slot: u32) {
        IntegerRows::prefetch(keys, slot);
    }
}

/// A byte string, cut up for a fast comparison.
#[derive(Clone, Copy)]
pub(super) struct ByteKey<'a> {
    head: u128,
    length: u32,
    bytes: &'a [u8],
}

impl<'a> ByteKey<'a> {
    const NULL: ByteKey<'static> = ByteKey { head: 0, length: NULL, bytes: &[] };

    pub(super) fn new(bytes: &'a [u8]) -> ByteKey<'a> {
        ByteKey::within(bytes, 0, bytes.len())
    }

    #[inline(always)]
    fn within(all: &'a [u8], start: usize, end: usize) -> ByteKey<'a> {
        let length = end - start;
        let head = match all.get(start..start + INLINE) {
            Some(head) => {
                let head = u128::from_le_bytes(head.try_into().expect("16 bytes"));
                if length >= INLINE { head } else { head & ((1u128 << (8 * length)) - 1) }
            }
            None => {
                let mut head = [0; INLINE];
                head[..length.min(INLINE)].copy_from_slice(&all[start..end.min(start + INLINE)]);
                u128::from_le_bytes(head)
            }
        };
        ByteKey { head, length: length as u32, bytes: &all[start..end] }
    }

    #[inline(always)]
    pub(super) fn same(self, keys: &ByteKeys, slot: u32) -> bool {
        let slot = slot as usize;
        keys.heads[slot] == self.head
            && keys.lengths[slot] == self.length
            && (self.bytes.len() <= INLINE || *keys.tails[slot] == *self.bytes)
    }

    pub(super) fn put(self, keys: &mut ByteKeys, slot: u32) {
        put(&mut keys.heads, slot, self.head);
        put(&mut keys.lengths, slot, self.length);
        if self.bytes.len() > INLINE {
            keys.tails.resize(keys.heads.len().max(keys.tails.len()), Box::default());
            keys.tails[slot as usize] = self.bytes.into();
        } else if let Some(tail) = keys.tails.get_mut(slot as usize) {
            *tail = Box::default();
        }
    }
}

/// One string column.
pub(super) struct TextRows<'a> {
    pub(super) offsets: &'a [i32],
    pub(super) bytes: &'a [u8],
    pub(super) nulls: Option<&'a NullBuffer>,
}

impl<'a> Rows for TextRows<'a> {
    type Key = ByteKey<'a>;
    #[inline(always)]
    fn key(&self, row: usize) -> ByteKey<'a> {
        match self.nulls {
            Some(nulls) if nulls.is_null(row) => ByteKey::NULL,
            _ => ByteKey::within(self.bytes, self.offsets[row] as usize, self.offsets[row + 1] as usize),
        }
    }
    #[inline(always)]
    fn same(keys: &Keys, slot: u32, key: ByteKey<'a>) -> bool {
        matches!(keys, Keys::Bytes(keys) if key.same(keys, slot))
    }
    fn put(keys: &mut Keys, slot: u32, key: ByteKey<'a>) {
        if let Keys::Bytes(keys) = keys {
            key.put(keys, slot);
        }
    }
    #[inline(always)]
    fn prefetch(keys: &Keys, slot: u32) {
        if let Keys::Bytes(keys) = keys {
            prefetch(&keys.heads[slot as usize]);
        }
    }
}

/// Encoded keys.
pub(super) struct EncodedRows<'a>(pub(super) &'a EncodedKeys);

impl<'a> Rows for EncodedRows<'a> {
    type Key = ByteKey<'a>;
    #[inline(always)]
    fn key(&self, row: usize) -> ByteKey<'a> {
        ByteKey::new(self.0.row(row))
    }
    #[inline(always)]
    fn same(keys: &Keys, slot: u32, key: ByteKey<'a>) -> bool {
        TextRows::same(keys, slot, key)
    }
    fn put(keys: &mut Keys, slot: u32, key: ByteKey<'a>) {
        TextRows::put(keys, slot, key);
    }
    fn prefetch(keys: &Keys, slot: u32) {
        TextRows::prefetch(keys, slot);
    }
}

fn put<T>(values: &mut Vec<T>, slot: u32, value: T) {
    match values.get_mut(slot as usize) {
        Some(place) => *place = value,
        None => {
            debug_assert_eq!(values.len(), slot as usize, "slots come one after the other");
            values.push(value);
        }
    }
}

impl ByteKeys {
    /// The bytes of a slot's key; `None` for NULL. Short ones are copied to `scratch`.
    pub(super) fn get<'a>(&'a self, slot: u32, scratch: &'a mut [u8; INLINE]) -> Option<&'a [u8]> {
        match self.lengths[slot as usize] {
            NULL => None,
            length if length as usize <= INLINE => {
                *scratch = self.heads[slot as usize].to_le_bytes();
                Some(&scratch[..length as usize])
            }
            _ => Some(&self.tails[slot as usize]),
        }
    }
}

impl Keys {
    /// Appends the key of a slot as it stands in a snapshot.
    pub(super) fn encode(&self, slot: u32, out: &mut Vec<u8>) {
        match self {
            Keys::None => {}
            Keys::Integers(keys) => {
                if keys.nulls[slot as usize] {
                    out.push(0);
                } else {
                    out.push(1);
                    out.extend((keys.values[slot as usize] ^ i64::MIN).to_be_bytes());
                }
            }
            Keys::Bytes(keys) => match keys.get(slot, &mut [0; INLINE]) {
                None => out.push(0),
                Some(bytes) => {
                    out.push(1);
                    out.extend_from_slice(bytes);
                }
            },
        }
    }

    /// Sets the key of a slot from a snapshot's bytes; `None` when they do not fit.
    pub(super) fn decode(&mut self, slot: u32, bytes: &[u8]) -> Option<()> {
        match (self, bytes.split_first()) {
            (Keys::None, None) => {}
            (keys @ Keys::Integers(_), Some((0, []))) => NullableIntegerRows::put(keys, slot, None),
            (keys @ Keys::Integers(_), Some((1, rest))) => {
                IntegerRows::put(keys, slot, i64::from_be_bytes(rest.try_into().ok()?) ^ i64::MIN);
            }
            (keys @ Keys::Bytes(_), Some((0, []))) => TextRows::put(keys, slot, ByteKey::NULL),
            (keys @ Keys::Bytes(_), Some((1, rest))) => TextRows::put(keys, slot, ByteKey::new(rest)),
            _ => return None,
        }
        Some(())
    }

    /// The key columns of these slots.
    pub(super) fn columns(&self, types: &[DataType], slots: &[u32]) -> Vec<ArrayRef> {
        match self {
            Keys::None => Vec::new(),
            Keys::Integers(keys) => vec![keys.column(&types[0], slots)],
            Keys::Bytes(keys) => match (KeyForm::of(types), &types[0].logical) {
                (KeyForm::Text, LogicalType::Char(_) | LogicalType::VarChar(_)) => {
                    let mut builder = StringBuilder::with_capacity(slots.len(), slots.len() * INLINE);
                    for slot in slots {
                        let text = keys
                            .get(*slot, &mut [0; INLINE])
                            .map(|bytes| String::from_utf8(bytes.to_vec()).expect("the key was a string"));
                        builder.append_option(text);
                    }
                    vec![Arc::new(builder.finish())]
                }
                (KeyForm::Text, _) => {
                    let mut builder = BinaryBuilder::with_capacity(slots.len(), slots.len() * INLINE);
                    slots.iter().for_each(|slot| builder.append_option(keys.get(*slot, &mut [0; INLINE])));
                    vec![Arc::new(builder.finish())]
                }
                _ => {
                    let mut bytes = Vec::with_capacity(slots.len() * 2 * INLINE);
                    let mut ends = Vec::with_capacity(slots.len() + 1);
                    ends.push(0);
                    for slot in slots {
                        bytes.extend_from_slice(keys.get(*slot, &mut [0; INLINE]).unwrap_or_default());
                        ends.push(bytes.len());
                    }
                    decode_keys(ends.windows(2).map(|ends| &bytes[ends[0]..ends[1]]), types)
                }
            },
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Keys::None => 0,
            Keys::Integers(keys) => keys.values.capacity() * 9,
            Keys::Bytes(keys) => keys.heads.capacity() * 20 + keys.tails.capacity() * 48,
        }
    }
}

impl IntegerKeys {
    fn column(&self, ty: &DataType, slots: &[u32]) -> ArrayRef {
        let nulls = slots.iter().any(|slot| self.nulls[*slot as usize]);
        let nulls = nulls.then(|| slots.iter().map(|slot| !self.nulls[*slot as usize]).collect::<NullBuffer>());
        let values = slots.iter().map(|slot| self.values[*slot as usize]);
        fn array<T: ArrowPrimitiveType>(
            values: impl Iterator<Item = T::Native>,
            nulls: Option<NullBuffer>,
        ) -> ArrayRef {
            Arc::new(PrimitiveArray::<T>::new(values.collect(), nulls))
        }
        match ty.arrow() {
            ArrowType::Int8 => array::<Int8Type>(values.map(|value| value as i8), nulls),
            ArrowType::Int16 => array::<Int16Type>(values.map(|value| value as i16), nulls),
            ArrowType::Int32 => array::<Int32Type>(values.map(|value| value as i32), nulls),
            ArrowType::Date32 => array::<Date32Type>(values.map(|value| value as i32), nulls),
            ArrowType::Time32(_) => array::<Time32MillisecondType>(values.map(|value| value as i32), nulls),
            ArrowType::Timestamp(TimeUnit::Millisecond, _) => array::<TimestampMillisecondType>(values, nulls),
            ArrowType::Timestamp(TimeUnit::Microsecond, _) => array::<TimestampMicrosecondType>(values, nulls),
            ArrowType::Timestamp(_, _) => array::<TimestampNanosecondType>(values, nulls),
            _ => array::<Int64Type>(values, nulls),
        }
    }
}
