//! The hash of a key: the same on every machine and for every chunking; -0.0 and 0.0 differ, as for Flink, which compares bytes.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType as ArrowType, TimeUnit};

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
const FINISHER: u64 = 0xd6e8_feb8_6659_fd93;
const SEED: u64 = 0x2545_f491_4f6c_dd1d;
const NULL: u64 = 0x7c3f_8a1d_93b5_e42b;

/// Takes in one word. Every step is a bijection of the word, so that integers never collide on their own.
#[inline(always)]
fn mix(state: u64, word: u64) -> u64 {
    let x = (state ^ word).wrapping_mul(MULTIPLIER);
    x ^ (x >> 32)
}

#[inline(always)]
fn finish(state: u64) -> u64 {
    let x = state.wrapping_mul(FINISHER);
    x ^ (x >> 29)
}

/// The hash of a byte string.
#[inline]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    finish(mix_bytes(SEED, bytes))
}

/// The hash of one integer, equal to what [`hash_keys`] gives for a single integer column of any width.
#[inline]
pub fn hash_integer(value: i64) -> u64 {
    finish(mix(SEED, value as u64))
}

#[inline(always)]
fn mix_bytes(state: u64, bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let mut state = state ^ (len as u64).wrapping_mul(FINISHER);
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    if len >= 8 {
        let mut at = 0;
        while at + 8 < len {
            state = mix(state, word(at)).rotate_left(23);
            at += 8;
        }
        // The last word may overlap the one before: cheaper than a loop over single bytes.
        mix(state, word(len - 8))
    } else if len >= 4 {
        let half = |at: usize| u64::from(u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")));
        mix(state, half(0) << 32 | half(len - 4))
    } else if len > 0 {
        let (first, middle, last) = (bytes[0], bytes[len / 2], bytes[len - 1]);
        mix(state, u64::from(first) << 16 | u64::from(middle) << 8 | u64::from(last))
    } else {
        mix(state, 0)
    }
}

/// One hash per row over the key's columns, all of one length; NULL is a value like any other.
///
/// # Panics
/// When `columns` is empty: how many rows should have a hash?
pub fn hash_keys(columns: &[ArrayRef]) -> Vec<u64> {
    let [first, rest @ ..] = columns else { panic!("a key without columns has no rows to hash") };
    let mut hashes = vec![SEED; first.len()];
    mix_column(first, &mut hashes);
    for column in rest {
        // Rotated, so that (a, b) and (b, a) differ.
        hashes.iter_mut().for_each(|hash| *hash = hash.rotate_left(23));
        mix_column(column, &mut hashes);
    }
    hashes.iter_mut().for_each(|hash| *hash = finish(*hash));
    hashes
}

fn mix_column(column: &ArrayRef, hashes: &mut [u64]) {
    match column.data_type() {
        ArrowType::Int8 => mix_primitive::<Int8Type>(column, hashes, |x| x as u64),
        ArrowType::Int16 => mix_primitive::<Int16Type>(column, hashes, |x| x as u64),
        ArrowType::Int32 => mix_primitive::<Int32Type>(column, hashes, |x| x as u64),
        ArrowType::Int64 => mix_primitive::<Int64Type>(column, hashes, |x| x as u64),
        ArrowType::Float32 => mix_primitive::<Float32Type>(column, hashes, |x| x.to_bits().into()),
        ArrowType::Float64 => mix_primitive::<Float64Type>(column, hashes, f64::to_bits),
        ArrowType::Date32 => mix_primitive::<Date32Type>(column, hashes, |x| x as u64),
        ArrowType::Time32(_) => mix_primitive::<Time32MillisecondType>(column, hashes, |x| x as u64),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => {
            mix_primitive::<TimestampMillisecondType>(column, hashes, |x| x as u64);
        }
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => {
            mix_primitive::<TimestampMicrosecondType>(column, hashes, |x| x as u64);
        }
        ArrowType::Timestamp(_, _) => mix_primitive::<TimestampNanosecondType>(column, hashes, |x| x as u64),
        ArrowType::Decimal128(..) => {
            mix_primitive::<Decimal128Type>(column, hashes, |x| mix(x as u64, (x >> 64) as u64 ^ MULTIPLIER))
        }
        ArrowType::Utf8 => {
            let strings = column.as_string::<i32>();
            let (offsets, bytes) = (strings.value_offsets(), strings.value_data());
            mix_rows(column, hashes, |row, hash| {
                mix_bytes(hash, &bytes[offsets[row] as usize..offsets[row + 1] as usize])
            });
        }
        ArrowType::Binary => {
            let strings = column.as_binary::<i32>();
            let (offsets, bytes) = (strings.value_offsets(), strings.value_data());
            mix_rows(column, hashes, |row, hash| {
                mix_bytes(hash, &bytes[offsets[row] as usize..offsets[row + 1] as usize])
            });
        }
        ArrowType::Boolean => {
            let booleans = column.as_boolean();
            mix_rows(column, hashes, |row, hash| mix(hash, booleans.value(row).into()));
        }
        _ => {
            // Nested values are rare as keys: their encoding is hashed.
            let encoded = super::encode_keys(std::slice::from_ref(column));
            for (row, hash) in hashes.iter_mut().enumerate() {
                *hash = mix_bytes(*hash, encoded.row(row));
            }
        }
    }
}

#[inline(always)]
fn mix_primitive<T: ArrowPrimitiveType>(column: &ArrayRef, hashes: &mut [u64], word: impl Fn(T::Native) -> u64) {
    let values = column.as_primitive::<T>().values();
    match column.nulls() {
        None => hashes.iter_mut().zip(values.iter()).for_each(|(hash, value)| *hash = mix(*hash, word(*value))),
        Some(nulls) => {
            for (row, (hash, value)) in hashes.iter_mut().zip(values.iter()).enumerate() {
                *hash = mix(*hash, if nulls.is_valid(row) { word(*value) } else { NULL });
            }
        }
    }
}

#[inline(always)]
fn mix_rows(column: &ArrayRef, hashes: &mut [u64], mix_row: impl Fn(usize, u64) -> u64) {
    match column.nulls() {
        None => hashes.iter_mut().enumerate().for_each(|(row, hash)| *hash = mix_row(row, *hash)),
        Some(nulls) => {
            for (row, hash) in hashes.iter_mut().enumerate() {
                *hash = if nulls.is_valid(row) { mix_row(row, *hash) } else { mix(*hash, NULL) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int32Array, Int64Array, StringArray};
    use std::sync::Arc;

    #[test]
    fn equal_keys_hash_equal_however_they_are_cut() {
        let strings: ArrayRef =
            Arc::new(StringArray::from(vec![Some("a"), None, Some("abcdefghi"), Some(""), Some("a")]));
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(2), None, Some(0), Some(1)]));
        let whole = hash_keys(&[strings.clone(), numbers.clone()]);
        assert_eq!(whole[0], whole[4]);
        for (row, hash) in whole.iter().enumerate() {
            assert_eq!(hash_keys(&[strings.slice(row, 1), numbers.slice(row, 1)]), [*hash]);
        }
    }

    #[test]
    fn columns_do_not_change_places() {
        let a: ArrayRef = Arc::new(Int32Array::from(vec![1]));
        let b: ArrayRef = Arc::new(Int32Array::from(vec![2]));
        assert_ne!(hash_keys(&[a.clone(), b.clone()]), hash_keys(&[b, a]));
    }

    #[test]
    fn hashes_stay_what_they_are() {
        // Snapshots lie in key groups: a change of the hash is a change of the format.
        let a: ArrayRef = Arc::new(Int64Array::from(vec![Some(42), None]));
        assert_eq!(hash_keys(&[a]), [hash_integer(42), finish(mix(SEED, NULL))]);
        assert_eq!(hash_integer(42), 7133938976585674411);
        assert_eq!(hash_bytes(b"tidegate"), 16184040562759481571);
    }
}
