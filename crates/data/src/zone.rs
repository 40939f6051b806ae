//! Time zones: `table.local-time-zone`, the fixed offsets and the IANA names that Flink takes.
//!
//! The zones are those of the IANA database, which comes packed (`zone::database`); a [`Zone`] is a pointer into it and costs nothing to copy.

mod database;

use std::fmt;

use database::Changes;

use crate::calendar::{civil_from_days, days_from_civil, days_in_month, is_leap_year};

/// A time zone. [`Zone::UTC`] is the playground's default.
#[derive(Clone, Copy)]
pub struct Zone(Kind);

#[derive(Clone, Copy)]
enum Kind {
    Fixed(i32),
    Named(&'static str, &'static Changes),
}

impl Zone {
    /// UTC.
    pub const UTC: Zone = Zone(Kind::Fixed(0));

    /// The zone that `name` means: `UTC`, `GMT+08:00`, `+01:00`, `Europe/Berlin`; `None` for anything else.
    pub fn parse(name: &str) -> Option<Zone> {
        if matches!(name, "UTC" | "Z" | "GMT" | "UT") {
            return Some(Zone::UTC);
        }
        let offset = ["UTC", "GMT", "UT", ""].into_iter().find_map(|prefix| parse_offset(name.strip_prefix(prefix)?));
        match offset {
            Some(offset) => Some(Zone(Kind::Fixed(offset))),
            None => database::find(name).map(|(name, changes)| Zone(Kind::Named(name, changes))),
        }
    }

    /// Seconds to add to UTC at the instant `utc` (seconds since the epoch).
    pub fn offset_at(self, utc: i64) -> i32 {
        match self.0 {
            Kind::Fixed(offset) => offset,
            Kind::Named(_, changes) => changes.offset_at(utc),
        }
    }

    /// Seconds to add to UTC at the local time `local`: before a gap or an overlap ends, what held before it (Java's `atZone`).
    pub fn offset_of_local(self, local: i64) -> i32 {
        let Kind::Named(_, changes) = self.0 else { return self.offset_at(local) };
        let (before, after) = (changes.offset_at(local - 86_400), changes.offset_at(local + 86_400));
        let holds = |offset: i32| changes.offset_at(local - i64::from(offset)) == offset;
        if holds(before) || !holds(after) { before } else { after }
    }

    /// Local milliseconds at an instant in milliseconds.
    pub fn to_local_ms(self, utc: i64) -> i64 {
        utc + i64::from(self.offset_at(utc.div_euclid(1000))) * 1000
    }

    /// The instant in milliseconds of local milliseconds.
    pub fn to_utc_ms(self, local: i64) -> i64 {
        local - i64::from(self.offset_of_local(local.div_euclid(1000))) * 1000
    }

    /// Whether local time is UTC, always.
    pub fn is_utc(self) -> bool {
        matches!(self.0, Kind::Fixed(0))
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Fixed(0) => f.write_str("UTC"),
            Kind::Fixed(offset) => {
                let minutes = offset.abs() / 60;
                write!(f, "{}{:02}:{:02}", if offset < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
            }
            Kind::Named(name, _) => f.write_str(name),
        }
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Zone) -> bool {
        match (self.0, other.0) {
            (Kind::Fixed(a), Kind::Fixed(b)) => a == b,
            (Kind::Named(a, _), Kind::Named(b, _)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Zone {}

fn parse_offset(text: &str) -> Option<i32> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let mut parts = [0; 3];
    for (i, part) in digits.split(':').enumerate() {
        let digits = matches!(part.len(), 1..=2) && part.bytes().all(|byte| byte.is_ascii_digit());
        *parts.get_mut(i)? = part.parse::<i32>().ok().filter(|number| digits && *number < 60)?;
    }
    let [hours, minutes, seconds] = parts;
    (hours <= 18).then_some(sign * (hours * 3600 + minutes * 60 + seconds))
}

impl Changes {
    fn offset_at(&self, utc: i64) -> i32 {
        let passed = self.times.partition_point(|time| *time <= utc);
        match (passed.checked_sub(1), self.rule) {
            (Some(last), Some(rule)) if last + 1 == self.times.len() => rule.offset_at(utc),
            (None, Some(rule)) if self.times.is_empty() => rule.offset_at(utc),
            (Some(last), _) => self.offsets[usize::from(self.kinds[last])],
            (None, _) => self.offsets[0],
        }
    }
}

/// What holds from the last change on: an offset, and perhaps a summer time (POSIX `TZ`, `CET-1CEST,M3.5.0,M10.5.0/3`).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rule {
    standard: i32,
    summer: Option<(i32, Change, Change)>,
}

/// A day of each year, and the local second of that day (which may lie outside it).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    day: Day,
    second: i32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Day {
    /// Month, week (5 is the last) and day of the week (0 is Sunday).
    Weekday(u32, u32, u32),
    /// Day of the year from 1, the 29th of February never counted.
    Julian(i32),
    /// Day of the year from 0.
    OfYear(i32),
}

impl Rule {
    fn parse(text: &str) -> Option<Rule> {
        let mut rest = text;
        skip_name(&mut rest)?;
        let standard = -take_time(&mut rest)?;
        if rest.is_empty() {
            return Some(Rule { standard, summer: None });
        }
        skip_name(&mut rest)?;
        let offset = if rest.starts_with(',') { standard + 3600 } else { -take_time(&mut rest)? };
        let begin = Change::take(&mut rest)?;
        let end = Change::take(&mut rest)?;
        Some(Rule { standard, summer: Some((offset, begin, end)) })
    }

    fn offset_at(self, utc: i64) -> i32 {
        let Some((summer, begin, end)) = self.summer else { return self.standard };
        let (year, ..) = civil_from_days((utc + i64::from(self.standard)).div_euclid(86_400) as i32);
        let begin = begin.local_second(year) - i64::from(self.standard);
        let end = end.local_second(year) - i64::from(summer);
        let is_summer = if begin < end { begin <= utc && utc < end } else { utc < end || begin <= utc };
        if is_summer { summer } else { self.standard }
    }
}

impl Change {
    fn take(rest: &mut &str) -> Option<Change> {
        *rest = rest.strip_prefix(',')?;
        let day = if let Some(after) = rest.strip_prefix('M') {
            *rest = after;
            let month = take_number(rest)?;
            *rest = rest.strip_prefix('.')?;
            let week = take_number(rest)?;
            *rest = rest.strip_prefix('.')?;
            Day::Weekday(month as u32, week as u32, take_number(rest)? as u32)
        } else if let Some(after) = rest.strip_prefix('J') {
            *rest = after;
            Day::Julian(take_number(rest)?)
        } else {
            Day::OfYear(take_number(rest)?)
        };
        let second = match rest.strip_prefix('/') {
            Some(after) => {
                *rest = after;
                take_time(rest)?
            }
            None => 7200,
        };
        Some(Change { day, second })
    }

    fn local_second(self, year: i32) -> i64 {
        let day = match self.day {
            Day::Weekday(month, week, weekday) => {
                let first = days_from_civil(year, month as i32, 1);
                // 1970-01-01 was a Thursday.
                let first_weekday = (first + 4).rem_euclid(7) as u32;
                let mut day = (7 + weekday - first_weekday) % 7 + (week - 1) * 7;
                if day >= days_in_month(year, month) {
                    day -= 7;
                }
                first + day as i32
            }
            Day::Julian(day) => days_from_civil(year, 1, day + i32::from(day >= 60 && is_leap_year(year))),
            Day::OfYear(day) => days_from_civil(year, 1, day + 1),
        };
        i64::from(day) * 86_400 + i64::from(self.second)
    }
}

fn skip_name(rest: &mut &str) -> Option<()> {
    let end = match rest.strip_prefix('<') {
        Some(after) => after.find('>')? + 2,
        None => rest.find(|c: char| !c.is_ascii_alphabetic())?,
    };
    *rest = &rest[end..];
    (end > 0).then_some(())
}

fn take_number(rest: &mut &str) -> Option<i32> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..end].parse().ok()?;
    *rest = &rest[end..];
    Some(number)
}

/// `[+-]hours[:minutes[:seconds]]` as seconds.
fn take_time(rest: &mut &str) -> Option<i32> {
    let sign = match rest.as_bytes().first()? {
        b'-' => -1,
        b'+' => 1,
        _ => 0,
    };
    *rest = &rest[usize::from(sign != 0)..];
    let mut seconds = take_number(rest)? * 3600;
    for unit in [60, 1] {
        if let Some(after) = rest.strip_prefix(':') {
            *rest = after;
            seconds += take_number(rest)? * unit;
        }
    }
    Some(if sign < 0 { -seconds } else { seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(days: (i32, i32, i32), seconds: i64) -> i64 {
        i64::from(days_from_civil(days.0, days.1, days.2)) * 86_400 + seconds
    }

    #[test]
    fn fixed_offsets() {
        for (name, offset) in [("UTC", 0), ("GMT+08:00", 28_800), ("-03:30", -12_600), ("UTC+1", 3_600)] {
            assert_eq!(Zone::parse(name).unwrap().offset_at(0), offset, "{name}");
        }
        for name in ["", "CEST2", "GMT+19:00", "+1:2:3:4", "Nowhere/At_All"] {
            assert_eq!(Zone::parse(name), None, "{name}");
        }
    }

    #[test]
    fn named_zones_change_their_offset() {
        let new_york = Zone::parse("America/New_York").unwrap();
        assert_eq!(new_york.offset_at(instant((2024, 3, 10), 7 * 3600 - 1)), -5 * 3600);
        assert_eq!(new_york.offset_at(instant((2024, 3, 10), 7 * 3600)), -4 * 3600);
        // By rule, far beyond the last change that is written out.
        assert_eq!(new_york.offset_at(instant((2150, 7, 1), 0)), -4 * 3600);
        assert_eq!(new_york.offset_at(instant((2150, 12, 1), 0)), -5 * 3600);
        // Before the first change: local mean time.
        assert_eq!(new_york.offset_at(instant((1800, 1, 1), 0)), -17_762);
        let sydney = Zone::parse("Australia/Sydney").unwrap();
        assert_eq!(sydney.offset_at(instant((2100, 1, 1), 0)), 11 * 3600);
        assert_eq!(sydney.offset_at(instant((2100, 7, 1), 0)), 10 * 3600);
        let dublin = Zone::parse("Europe/Dublin").unwrap();
        assert_eq!(dublin.offset_at(instant((2100, 7, 1), 0)), 3600);
        assert_eq!(dublin.offset_at(instant((2100, 1, 1), 0)), 0);
        assert_eq!(Zone::parse("Asia/Kolkata").unwrap().offset_at(instant((2100, 1, 1), 0)), 19_800);
    }

    #[test]
    fn gaps_and_overlaps_of_local_time() {
        let new_york = Zone::parse("America/New_York").unwrap();
        let hour = 3_600_000;
        let day = |y, m, d| i64::from(days_from_civil(y, m, d)) * 24 * hour;
        // 02:30 does not exist: it is 03:30 summer time.
        let gap = day(2024, 3, 10) + 2 * hour + hour / 2;
        assert_eq!(new_york.to_local_ms(new_york.to_utc_ms(gap)), gap + hour);
        // 01:30 exists twice: the first is meant.
        let overlap = day(2024, 11, 3) + hour + hour / 2;
        assert_eq!(new_york.to_utc_ms(overlap), overlap + 4 * hour);
    }
}
