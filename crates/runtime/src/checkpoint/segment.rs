//! A segment: changed entries of one state table, ordered by key group and key, with a checksum.
//!
//! Layout: `TGS1`, number of entries (u32), per entry key group (u16), key length and key, value length + 1 and value (0: removed), then the
//! CRC-32 of everything before. Fixed numbers are little-endian, lengths are LEB128.

use bytes::Bytes;

use crate::checkpoint::crc::crc32;
use crate::state::EntryRef;

const MAGIC: &[u8; 4] = b"TGS1";

/// About how large a segment grows. Loading one takes one step.
pub(crate) const SEGMENT_BYTES: usize = 256 * 1024;

/// Entries as a table hands them over, not yet ordered.
#[derive(Debug, Default)]
pub(crate) struct RawEntries {
    bytes: Vec<u8>,
    entries: Vec<RawEntry>,
}

#[derive(Clone, Copy, Debug)]
struct RawEntry {
    /// Key group and the key's first 14 bytes, in an order that most keys are told apart by.
    head: u128,
    start: u32,
    key_len: u32,
    /// `u32::MAX`: removed.
    value_len: u32,
    key_group: u16,
}

impl RawEntries {
    pub(crate) fn push(&mut self, entry: EntryRef<'_>) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(entry.key);
        self.bytes.extend_from_slice(entry.value.unwrap_or_default());
        self.entries.push(RawEntry {
            head: head(entry.key_group, entry.key),
            start,
            key_len: entry.key.len() as u32,
            value_len: entry.value.map_or(u32::MAX, |value| value.len() as u32),
            key_group: entry.key_group,
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether it is time for the next segment.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() + 8 * self.entries.len() >= SEGMENT_BYTES
    }

    fn key(&self, entry: &RawEntry) -> &[u8] {
        &self.bytes[entry.start as usize..][..entry.key_len as usize]
    }

    /// The segment of these entries. Of a key that went and came again only the last entry is kept, for readers take a segment to hold a key once.
    pub(crate) fn seal(mut self) -> Sealed {
        let mut entries = std::mem::take(&mut self.entries);
        // Stable: of equal keys the later one counts.
        entries.sort_by(|a, b| a.head.cmp(&b.head).then_with(|| self.key(a).cmp(self.key(b))));
        let mut builder = SegmentBuilder::new(self.bytes.len() + 8 * entries.len());
        for (i, entry) in entries.iter().enumerate() {
            let next = entries.get(i + 1);
            if next.is_some_and(|next| next.key_group == entry.key_group && self.key(next) == self.key(entry)) {
                continue;
            }
            let value = (entry.value_len != u32::MAX)
                .then(|| &self.bytes[(entry.start + entry.key_len) as usize..][..entry.value_len as usize]);
            builder.push(EntryRef { key_group: entry.key_group, key: self.key(entry), value });
        }
        builder.finish()
    }
}

/// Key group and first bytes of a key as one number, which never contradicts their order.
fn head(key_group: u16, key: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..2].copy_from_slice(&key_group.to_be_bytes());
    let len = key.len().min(14);
    bytes[2..2 + len].copy_from_slice(&key[..len]);
    u128::from_be_bytes(bytes)
}

/// A finished segment.
#[derive(Clone, Debug)]
pub(crate) struct Sealed {
    pub(crate) bytes: Bytes,
    pub(crate) entries: u32,
    pub(crate) crc: u32,
}

/// Writes entries that come in order.
#[derive(Debug)]
pub(crate) struct SegmentBuilder {
    bytes: Vec<u8>,
    entries: u32,
}

impl SegmentBuilder {
    pub(crate) fn new(capacity: usize) -> SegmentBuilder {
        let mut bytes = Vec::with_capacity(capacity + 16);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; 4]);
        SegmentBuilder { bytes, entries: 0 }
    }

    pub(crate) fn push(&mut self, entry: EntryRef<'_>) {
        self.entries += 1;
        self.bytes.extend_from_slice(&entry.key_group.to_le_bytes());
        put_length(&mut self.bytes, entry.key.len());
        self.bytes.extend_from_slice(entry.key);
        match entry.value {
            None => put_length(&mut self.bytes, 0),
            Some(value) => {
                put_length(&mut self.bytes, value.len() + 1);
                self.bytes.extend_from_slice(value);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries == 0
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() >= SEGMENT_BYTES
    }

    pub(crate) fn finish(mut self) -> Sealed {
        self.bytes[4..8].copy_from_slice(&self.entries.to_le_bytes());
        let crc = crc32(&self.bytes);
        self.bytes.extend_from_slice(&crc.to_le_bytes());
        Sealed { bytes: Bytes::from(self.bytes), entries: self.entries, crc }
    }
}

fn put_length(bytes: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
}

/// Reads a segment from front to back.
#[derive(Clone, Debug)]
pub(crate) struct SegmentReader {
    bytes: Bytes,
    position: usize,
    remaining: u32,
}

impl SegmentReader {
    /// Checks magic and checksums.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    pub(crate) fn open(bytes: Bytes, crc: u32) -> Result<SegmentReader, String> {
        if bytes.len() < 12 || &bytes[..4] != MAGIC {
            return Err("it is not a segment of state".to_owned());
        }
        let body = bytes.len() - 4;
        let written = u32::from_le_bytes([bytes[body], bytes[body + 1], bytes[body + 2], bytes[body + 3]]);
        if crc32(&bytes[..body]) != written || written != crc {
            return Err("its checksum does not fit".to_owned());
        }
        let remaining = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        Ok(SegmentReader { bytes: bytes.slice(..body), position: 8, remaining })
    }

    /// The next entry, `None` at the end (or where lengths run over it, which the checksum has ruled out).
    pub(crate) fn next(&mut self) -> Option<EntryRef<'_>> {
        let entry = self.peek_ranges()?;
        self.position = entry.end;
        self.remaining -= 1;
        Some(entry.of(&self.bytes))
    }

    /// The next entry, which stays.
    pub(crate) fn peek(&self) -> Option<EntryRef<'_>> {
        Some(self.peek_ranges()?.of(&self.bytes))
    }

    fn peek_ranges(&self) -> Option<Ranges> {
        if self.remaining == 0 {
            return None;
        }
        let bytes = &self.bytes[..];
        let mut at = self.position;
        let key_group = u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]);
        at += 2;
        let key_len = length(bytes, &mut at)?;
        let key = at;
        at += key_len;
        let value_len = length(bytes, &mut at)?;
        let value = at;
        at += value_len.saturating_sub(1);
        (at <= bytes.len()).then_some(Ranges { key_group, key, key_len, value, value_len, end: at })
    }
}

struct Ranges {
    key_group: u16,
    key: usize,
    key_len: usize,
    value: usize,
    value_len: usize,
    end: usize,
}

impl Ranges {
    fn of<'a>(&self, bytes: &'a [u8]) -> EntryRef<'a> {
        EntryRef {
            key_group: self.key_group,
            key: &bytes[self.key..self.key + self.key_len],
            value: (self.value_len > 0).then(|| &bytes[self.value..self.value + self.value_len - 1]),
        }
    }
}

fn length(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let (mut length, mut shift) = (0, 0);
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        length |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(length);
        }
        shift += 7;
        if shift > 28 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> Sealed {
        let mut raw = RawEntries::default();
        let long = vec![7; 300];
        for (key_group, key, value) in [
            (9, &b"b"[..], Some(&long[..])),
            (9, b"a\0", Some(b"y")),
            (9, b"a", None),
            (3, b"z", Some(b"")),
            (9, b"", Some(b"x")),
            (4, b"fourteen bytes, and more", Some(b"2")),
            (4, b"fourteen bytes", Some(b"1")),
            (4, b"fourteen bytes, and less", Some(b"3")),
        ] {
            raw.push(EntryRef { key_group, key, value });
        }
        raw.seal()
    }

    #[test]
    fn entries_come_back_in_order() {
        let sealed = sealed();
        let mut reader = SegmentReader::open(sealed.bytes, sealed.crc).unwrap();
        let mut seen = Vec::new();
        while let Some(entry) = reader.next() {
            seen.push((entry.key_group, entry.key.to_vec(), entry.value.map(<[u8]>::len)));
        }
        assert_eq!(
            seen,
            [
                (3, b"z".to_vec(), Some(0)),
                (4, b"fourteen bytes".to_vec(), Some(1)),
                (4, b"fourteen bytes, and less".to_vec(), Some(1)),
                (4, b"fourteen bytes, and more".to_vec(), Some(1)),
                (9, b"".to_vec(), Some(1)),
                (9, b"a".to_vec(), None),
                (9, b"a\0".to_vec(), Some(1)),
                (9, b"b".to_vec(), Some(300)),
            ]
        );
    }

    #[test]
    fn a_key_stands_in_a_segment_once() {
        let mut raw = RawEntries::default();
        for (key, value) in [(&b"a"[..], None), (b"b", None), (b"b", Some(&b"x"[..])), (b"a", Some(b"y"))] {
            raw.push(EntryRef { key_group: 1, key, value });
        }
        let sealed = raw.seal();
        let mut reader = SegmentReader::open(sealed.bytes, sealed.crc).unwrap();
        let mut values = Vec::new();
        while let Some(entry) = reader.next() {
            values.push(entry.value.map(<[u8]>::to_vec));
        }
        assert_eq!(values, [Some(b"y".to_vec()), Some(b"x".to_vec())]);
        assert_eq!(sealed.entries, 2);
    }

    #[test]
    fn any_flipped_bit_is_found() {
        let sealed = sealed();
        for i in 0..sealed.bytes.len() * 8 {
            let mut bytes = sealed.bytes.to_vec();
            bytes[i / 8] ^= 1 << (i % 8);
            assert!(SegmentReader::open(Bytes::from(bytes), sealed.crc).is_err(), "bit {i}");
        }
    }
}
