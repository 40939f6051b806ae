//! A run as a text that fits into a link: script, inputs, settings and seed, compressed.
//!
//! One byte for the version, then the deflated postcard form, all of it in the letters of base64url. Steps, times and numbers of
//! requests are written as differences, which are small. Version 2 has scenarios behind what version 1 has, version 3 is version 2 with
//! engines that begin in their own way, and version 4 knows runs that begin from checkpoints of another. A run is written in the lowest version that can say it, for pages of before.

use serde::{Deserialize, Serialize};
use tidegate_runtime::{Event, Scenario};

use super::{Entered, Entry, Recording};

const VERSION: u8 = 4;
const ENGINES: u8 = 3;
const SCENARIOS: u8 = 2;
const FIRST: u8 = 1;
/// The most bytes of a run before it was compressed: what is larger was not made by this page.
const MOST: usize = 64 << 20;
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A run to be handed on, with how it was driven.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The run.
    pub recording: Recording,
    /// The example's name, if it is one.
    pub name: Option<String>,
    /// Elements per second.
    pub speed: f64,
    /// The rates of the page's generators.
    pub rates: Vec<(String, f64)>,
    /// Scenarios that are kept with it.
    #[serde(skip)]
    pub scenarios: Vec<Scenario>,
}

/// Why a text is no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// It is damaged or cut off.
    Damaged,
    /// It is of a newer version of the format.
    Newer,
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LinkError::Damaged => "it is damaged or was cut off",
            LinkError::Newer => "it was made by a newer version of this page",
        })
    }
}

impl Link {
    /// The run as text.
    pub fn encode(&self) -> String {
        let mut link = self.clone();
        differences(&mut link.recording, false);
        // Plain data always packs.
        let mut plain = postcard::to_allocvec(&link).unwrap_or_default();
        let engines = link.recording.entries.iter().any(|entry| matches!(entry, Entry::Engine(_)));
        let version = match (engines, link.scenarios.is_empty()) {
            _ if link.recording.begun().is_some() => VERSION,
            (true, _) => ENGINES,
            (false, false) => SCENARIOS,
            (false, true) => FIRST,
        };
        if version >= SCENARIOS {
            plain.extend(postcard::to_allocvec(&link.scenarios).unwrap_or_default());
        }
        let mut bytes = vec![version];
        bytes.extend(miniz_oxide::deflate::compress_to_vec(&plain, 9));
        letters(&bytes)
    }

    /// The run of a text.
    ///
    /// # Errors
    /// When it is none.
    pub fn decode(text: &str) -> Result<Link, LinkError> {
        let bytes = bytes(text.trim()).ok_or(LinkError::Damaged)?;
        let (version, deflated) = match bytes.split_first() {
            Some((version @ &(FIRST..=VERSION), deflated)) => (*version, deflated),
            Some((version, _)) if *version > VERSION => return Err(LinkError::Newer),
            _ => return Err(LinkError::Damaged),
        };
        let plain =
            miniz_oxide::inflate::decompress_to_vec_with_limit(deflated, MOST).map_err(|_| LinkError::Damaged)?;
        let (mut link, rest) = postcard::take_from_bytes::<Link>(&plain).map_err(|_| LinkError::Damaged)?;
        if version >= SCENARIOS {
            link.scenarios = postcard::from_bytes(rest).map_err(|_| LinkError::Damaged)?;
        }
        differences(&mut link.recording, true);
        Ok(link)
    }
}

/// Numbers as differences to those before, or back.
fn differences(recording: &mut Recording, back: bool) {
    let mut before: Vec<(u64, i64, u64)> = Vec::new();
    let start = recording.start;
    for entry in &mut recording.entries {
        let Entry::Job { job, step, what } = entry else {
            if matches!(entry, Entry::Lost { .. } | Entry::Engine(_)) {
                before.clear();
            }
            continue;
        };
        let number = (*job as usize).min(1 << 16);
        if before.len() <= number {
            before.resize(number + 1, (0, start, 0));
        }
        let (last_step, last_time, last_request) = &mut before[number];
        turn(step, last_step, back);
        match what {
            Entered::Event(Event::Time(time)) => {
                let given = *time;
                *time = if back { given.wrapping_add(*last_time) } else { given.wrapping_sub(*last_time) };
                *last_time = if back { *time } else { given };
            }
            Entered::Event(_) => {}
            Entered::Answered(request, _) | Entered::Failed(request, _) => turn(request, last_request, back),
        }
    }
}

fn turn(number: &mut u64, last: &mut u64, back: bool) {
    let given = *number;
    *number = if back { given.wrapping_add(*last) } else { given.wrapping_sub(*last) };
    *last = if back { *number } else { given };
}

fn letters(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let all = part.iter().fold(0u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for place in 0..=part.len() {
            text.push(char::from(LETTERS[(all >> (18 - 6 * place)) as usize & 63]));
        }
    }
    text
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut values = Vec::with_capacity(text.len());
    for letter in text.bytes() {
        values.push(LETTERS.iter().position(|known| *known == letter)? as u32);
    }
    let mut bytes = Vec::with_capacity(values.len() / 4 * 3 + 2);
    for part in values.chunks(4) {
        let all = part.iter().fold(0u32, |all, value| all << 6 | value) << (6 * (4 - part.len()));
        let count = match part.len() {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => return None,
        };
        bytes.extend((0..count).map(|place| (all >> (16 - 8 * place)) as u8));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_comes_back() {
        for length in 0..70u8 {
            let data: Vec<u8> = (0..length).map(|byte| byte.wrapping_mul(37)).collect();
            assert_eq!(bytes(&letters(&data)), Some(data));
        }
    }

    #[test]
    fn what_is_no_link_says_so() {
        assert_eq!(Link::decode(""), Err(LinkError::Damaged));
        assert_eq!(Link::decode("not a link!"), Err(LinkError::Damaged));
        assert_eq!(Link::decode(&letters(&[VERSION + 1, 3, 4])), Err(LinkError::Newer));
        let text = Link { speed: 5.0, ..Link::default() }.encode();
        assert_eq!(Link::decode(&text).map(|link| link.speed), Ok(5.0));
        assert_eq!(Link::decode(&text[..text.len() - 2]), Err(LinkError::Damaged));
    }
}
