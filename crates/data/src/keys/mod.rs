//! Keys: which key group a key belongs to, its hash, and its ordered encoding as bytes.

pub mod encode;
pub mod hash;

pub use encode::{EncodedKeys, decode_keys, encode_keys};
pub use hash::hash_keys;

/// Flink's default for `pipeline.max-parallelism`, and so the number of key groups.
pub const MAX_PARALLELISM: u32 = 128;

/// The key group of a key's hash, below `max_parallelism`.
///
/// It uses bits 50 to 56 (with 128 groups) of the hash, which neither a hash table's buckets nor its tags look at first.
#[inline]
pub fn key_group(hash: u64, max_parallelism: u32) -> u32 {
    let middle = (hash >> 25) & 0xffff_ffff;
    ((middle * u64::from(max_parallelism)) >> 32) as u32
}

/// The subtask that owns a key group, as Flink spreads them.
#[inline]
pub fn subtask_of(key_group: u32, max_parallelism: u32, parallelism: u32) -> u32 {
    (u64::from(key_group) * u64::from(parallelism) / u64::from(max_parallelism)) as u32
}

/// The key groups of a subtask.
pub fn key_groups_of(subtask: u32, max_parallelism: u32, parallelism: u32) -> std::ops::Range<u32> {
    let start =
        |subtask: u32| (u64::from(subtask) * u64::from(max_parallelism)).div_ceil(u64::from(parallelism)) as u32;
    start(subtask)..start(subtask + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_group_has_one_owner() {
        for parallelism in 1..=9 {
            for subtask in 0..parallelism {
                for group in key_groups_of(subtask, MAX_PARALLELISM, parallelism) {
                    assert_eq!(subtask_of(group, MAX_PARALLELISM, parallelism), subtask);
                }
            }
        }
    }

    #[test]
    fn small_keys_spread_over_the_groups() {
        let keys: arrow_array::ArrayRef = std::sync::Arc::new((0..12_800).collect::<arrow_array::Int64Array>());
        let mut groups = vec![0; MAX_PARALLELISM as usize];
        for hash in hash_keys(&[keys]) {
            groups[key_group(hash, MAX_PARALLELISM) as usize] += 1;
        }
        assert!(groups.iter().all(|n| (50..200).contains(n)), "{groups:?}");
    }
}
