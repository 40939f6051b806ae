//! Content hashes, for caches and for file names.

use std::hash::Hasher;
use std::path::Path;

/// 64 bits of FNV-1a and 64 of SipHash, side by side: stable on one machine, good enough for a cache.
pub struct Hash {
    fnv: u64,
    #[allow(deprecated)]
    sip: std::hash::SipHasher,
}

impl Hash {
    /// A hash of nothing yet.
    #[allow(deprecated)]
    pub fn new() -> Hash {
        Hash { fnv: 0xcbf2_9ce4_8422_2325, sip: std::hash::SipHasher::new() }
    }

    /// Adds bytes, and where they end.
    pub fn add(&mut self, bytes: impl AsRef<[u8]>) -> &mut Hash {
        let bytes = bytes.as_ref();
        for part in [bytes, &bytes.len().to_le_bytes()] {
            for byte in part {
                self.fnv = (self.fnv ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
            self.sip.write(part);
        }
        self
    }

    /// Adds a file's content; a file that is not there counts as such.
    pub fn add_file(&mut self, file: &Path) -> &mut Hash {
        match std::fs::read(file) {
            Ok(bytes) => self.add(bytes),
            Err(_) => self.add("(no such file)"),
        }
    }

    /// The 128 bits in hexadecimal.
    pub fn hex(&self) -> String {
        format!("{:016x}{:016x}", self.sip.finish(), self.fnv)
    }
}

/// The first 16 digits of the hash of some bytes, for a file name.
pub fn short(bytes: &[u8]) -> String {
    let mut hash = Hash::new();
    hash.add(bytes);
    hash.hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_parts_end_counts() {
        let (mut one, mut other) = (Hash::new(), Hash::new());
        one.add("ab").add("c");
        other.add("a").add("bc");
        assert_ne!(one.hex(), other.hex());
    }
}
