//! Reads a time zone in the IANA database's compact binary form (RFC 9636). The build packs what it says, a test compares with it.

/// What a time zone's data say.
#[derive(Debug, PartialEq)]
pub struct Tzif {
    /// The instants at which the offset changes, in seconds, ascending.
    pub times: Vec<i64>,
    /// For each of them the offset that begins, by its place among `offsets`.
    pub kinds: Vec<u8>,
    /// Seconds to add to UTC; the first holds before the first change.
    pub offsets: Vec<i32>,
    /// What holds after the last change, as POSIX's `TZ` has it.
    pub footer: String,
}

impl Tzif {
    /// Reads it; `None` if it is something else.
    pub fn read(data: &[u8]) -> Option<Tzif> {
        let counts = |header: &[u8]| -> Option<[usize; 6]> {
            let counts = header.strip_prefix(b"TZif")?.get(16..40)?;
            let mut numbers = [0; 6];
            for (number, bytes) in numbers.iter_mut().zip(counts.chunks_exact(4)) {
                *number = u32::from_be_bytes(bytes.try_into().ok()?) as usize;
            }
            Some(numbers)
        };
        // The first block holds 32-bit times and is only there for old readers; a second one of the same form follows.
        let [ut, standard, leap, times, types, text] = counts(data)?;
        let second = data.get(44 + times * 5 + types * 6 + text + leap * 8 + standard + ut..)?;
        let [ut, standard, leap, times, types, text] = counts(second)?;
        let kinds_at = 44 + times * 8;
        let (infos_at, text_at) = (kinds_at + times, kinds_at + times + types * 6);
        let footer = second.get(text_at + text + leap * 12 + standard + ut..)?;
        // Of a local time type: the offset; whether it is summer time and how it is called does not matter here.
        let offset = |info: &[u8]| i32::from_be_bytes([info[0], info[1], info[2], info[3]]);
        Some(Tzif {
            times: second.get(44..kinds_at)?.as_chunks().0.iter().map(|time| i64::from_be_bytes(*time)).collect(),
            kinds: second.get(kinds_at..infos_at)?.to_vec(),
            offsets: second.get(infos_at..text_at)?.chunks_exact(6).map(offset).collect(),
            footer: std::str::from_utf8(footer).ok()?.trim_matches('\n').to_owned(),
        })
    }
}
