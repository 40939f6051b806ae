//! Formats of Java's `SimpleDateFormat`, for UNIX_TIMESTAMP, FROM_UNIXTIME, TO_DATE and DATE_FORMAT of a text.
//!
//! It is lenient: what lies behind the format is dropped, blanks before a number are skipped, and a 13th month is January.

use tidegate_data::Zone;
use tidegate_data::calendar::days_from_civil;

use super::fields::{Fields, MONTHS, Piece, WEEKDAYS, pieces, push_number};

/// A format, read.
pub(super) struct LegacyFormat {
    pieces: Vec<Piece>,
}

impl LegacyFormat {
    /// Reads a format.
    ///
    /// # Errors
    /// When a letter means nothing; the message is Java's.
    pub fn new(format: &str) -> Result<LegacyFormat, String> {
        let pieces = pieces(format).map_err(|_| "Unterminated quote".to_owned())?;
        for piece in &pieces {
            if let Piece::Field(letter, _) = piece
                && !"GyMLwWDdFEuaHkKhmsSzZX".contains(*letter)
            {
                return Err(format!("Illegal pattern character '{letter}'"));
            }
        }
        Ok(LegacyFormat { pieces })
    }

    /// Appends an instant (milliseconds) in the format and zone.
    pub fn format(&self, ms: i64, zone: Zone, out: &mut String) {
        let offset = zone.offset_at(ms.div_euclid(1000));
        let fields = Fields::new(ms + i64::from(offset) * 1000, 0);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Field(letter, count) => format_field(*letter, *count, &fields, offset, out),
            }
        }
    }

    /// Reads an instant in milliseconds; `zone` where the text names none. `None` if the text does not begin so.
    pub fn parse(&self, text: &str, zone: Zone) -> Option<i64> {
        let mut parsed = Parsed {
            year: 1970,
            month: 1,
            day: 1,
            hour: 0,
            afternoon: None,
            minute: 0,
            second: 0,
            ms: 0,
            offset: None,
        };
        let mut rest = text;
        for (index, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(expected) => rest = rest.strip_prefix(expected.as_str())?,
                Piece::Field(letter, count) => {
                    let abutting =
                        matches!(self.pieces.get(index + 1), Some(Piece::Field(next, n)) if is_number(*next, *n));
                    rest = parsed.take(*letter, *count, rest, abutting)?;
                }
            }
        }
        let mut hour = parsed.hour;
        if let Some(afternoon) = parsed.afternoon {
            hour = hour % 12 + if afternoon { 12 } else { 0 };
        }
        // Whatever is too much is carried over.
        let days = i64::from(days_from_civil(parsed.year, parsed.month, 1)) + i64::from(parsed.day) - 1;
        let seconds = days * 86_400 + i64::from(hour) * 3600 + i64::from(parsed.minute) * 60 + i64::from(parsed.second);
        let offset = parsed.offset.unwrap_or_else(|| zone.offset_of_local(seconds));
        Some((seconds - i64::from(offset)) * 1000 + i64::from(parsed.ms))
    }
}

fn is_number(letter: char, count: usize) -> bool {
    match letter {
        'M' | 'L' => count <= 2,
        letter => "ywWDdFuHkKhmsS".contains(letter),
    }
}

fn format_field(letter: char, count: usize, fields: &Fields, offset: i32, out: &mut String) {
    match letter {
        'y' if count == 2 => push_number(out, i64::from(fields.year.rem_euclid(100)), 2),
        'y' => push_number(out, fields.year.into(), count),
        'M' | 'L' if count >= 4 => out.push_str(MONTHS[fields.month as usize - 1]),
        'M' | 'L' if count == 3 => out.push_str(&MONTHS[fields.month as usize - 1][..3]),
        'M' | 'L' => push_number(out, fields.month.into(), count),
        'd' => push_number(out, fields.day.into(), count),
        'D' => push_number(out, fields.day_of_year().into(), count),
        'E' if count >= 4 => out.push_str(WEEKDAYS[fields.weekday()]),
        'E' => out.push_str(&WEEKDAYS[fields.weekday()][..3]),
        'u' => push_number(out, fields.weekday() as i64 + 1, count),
        'a' => out.push_str(fields.half()),
        'H' => push_number(out, fields.hour.into(), count),
        'k' => push_number(out, ((fields.hour + 23) % 24 + 1).into(), count),
        'K' => push_number(out, (fields.hour % 12).into(), count),
        'h' => push_number(out, fields.hour12().into(), count),
        'm' => push_number(out, fields.minute.into(), count),
        's' => push_number(out, fields.second.into(), count),
        'S' => push_number(out, (fields.nano / 1_000_000).into(), count),
        'F' => push_number(out, i64::from((fields.day - 1) / 7 + 1), count),
        'G' => out.push_str("AD"),
        'z' if offset == 0 => out.push_str("UTC"),
        'X' if offset == 0 => out.push('Z'),
        'z' | 'Z' | 'X' => {
            if letter == 'z' {
                out.push_str("GMT");
            }
            out.push(if offset < 0 { '-' } else { '+' });
            let minutes = offset.unsigned_abs() / 60;
            push_number(out, (minutes / 60).into(), 2);
            if letter == 'z' || letter == 'X' && count == 3 {
                out.push(':');
            }
            if letter != 'X' || count > 1 {
                push_number(out, (minutes % 60).into(), 2);
            }
        }
        _ => {}
    }
}

struct Parsed {
    year: i32,
    month: i32,
    day: i32,
    hour: i32,
    afternoon: Option<bool>,
    minute: i32,
    second: i32,
    ms: i32,
    offset: Option<i32>,
}

impl Parsed {
    fn take<'a>(&mut self, letter: char, count: usize, text: &'a str, abutting: bool) -> Option<&'a str> {
        if !is_number(letter, count) {
            return self.take_word(letter, text);
        }
        let text = text.trim_start_matches([' ', '\t']);
        let digits = text.strip_prefix('-').unwrap_or(text);
        let found = digits.bytes().take_while(u8::is_ascii_digit).count();
        let len = if abutting { found.min(count) } else { found };
        if len == 0 || len > 9 {
            return None;
        }
        let (number, rest) = text.split_at(text.len() - digits.len() + len);
        let number: i32 = number.parse().ok()?;
        match letter {
            // Two letters and two digits mean a year from 80 years back to 20 ahead.
            'y' if count <= 2 && len == 2 => self.year = if number < 46 { 2000 + number } else { 1900 + number },
            'y' => self.year = number,
            'M' | 'L' => self.month = number,
            'd' => self.day = number,
            'D' => (self.month, self.day) = (1, number),
            'H' => self.hour = number,
            'k' => self.hour = number % 24,
            'K' | 'h' => self.hour = number % 12,
            'm' => self.minute = number,
            's' => self.second = number,
            'S' => self.ms = number,
            _ => {}
        }
        Some(rest)
    }

    fn take_word<'a>(&mut self, letter: char, text: &'a str) -> Option<&'a str> {
        let starts = |name: &str| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
        let longest = |names: &[&str]| {
            let at = names.iter().position(|name| starts(&name[..3]))?;
            Some((at, if starts(names[at]) { names[at].len() } else { 3 }))
        };
        match letter {
            'M' | 'L' => {
                let (at, len) = longest(&MONTHS)?;
                self.month = at as i32 + 1;
                Some(&text[len..])
            }
            'E' => longest(&WEEKDAYS).map(|(_, len)| &text[len..]),
            'a' => {
                self.afternoon = Some(if starts("PM") {
                    true
                } else if starts("AM") {
                    false
                } else {
                    return None;
                });
                Some(&text[2..])
            }
            'G' => {
                if starts("AD") || starts("BC") {
                    Some(&text[2..])
                } else {
                    None
                }
            }
            'X' | 'Z' | 'z' => {
                if starts("Z") || starts("UTC") || starts("GMT") && !text[3..].starts_with(['+', '-']) {
                    self.offset = Some(0);
                    return Some(&text[if starts("Z") { 1 } else { 3 }..]);
                }
                let text = text.strip_prefix("GMT").unwrap_or(text);
                let sign = match text.as_bytes().first()? {
                    b'+' => 1,
                    b'-' => -1,
                    _ => return None,
                };
                let hours: i32 = text.get(1..3)?.parse().ok()?;
                let (colon, behind) = (text[3..].starts_with(':'), &text[3..]);
                let behind = if colon { &behind[1..] } else { behind };
                let minutes = behind.get(..2).and_then(|two| two.parse::<i32>().ok());
                self.offset = Some(sign * (hours * 3600 + minutes.unwrap_or(0) * 60));
                Some(if minutes.is_some() { &behind[2..] } else { behind })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lenient_parsing() {
        let parse = |format: &str, text: &str| LegacyFormat::new(format).unwrap().parse(text, Zone::UTC);
        assert_eq!(parse("yyyy-MM-dd", "1970-01-02 and more"), Some(86_400_000));
        assert_eq!(parse("yyyy-MM-dd", "1970-1-2"), Some(86_400_000));
        assert_eq!(parse("yyyy-MM-dd", "1969-13-02"), Some(86_400_000));
        assert_eq!(parse("yyyy-MM-dd", "03/02/2024"), None);
        assert_eq!(parse("yyyy-MM-dd HH:mm:ss", "2024-02-03"), None);
        assert_eq!(parse("yyyyMMdd", "19700102"), Some(86_400_000));
        assert_eq!(parse("yyyy-MM-dd HH:mm:ss.SSS X", "1970-01-01 08:00:01.001 +0800"), Some(1001));
        assert_eq!(parse("yyyy-MM-dd HH:mm:ss.SSS X", "1970-01-01 08:00:01.001"), None);
        assert_eq!(parse("dd MMM yyyy hh:mm a", "02 Jan 1970 12:30 AM"), Some(88_200_000));
    }

    #[test]
    fn formatting_in_a_zone() {
        let mut out = String::new();
        let zone = Zone::parse("Asia/Tokyo").unwrap();
        LegacyFormat::new("yyyy-MM-dd HH:mm:ss.SSS Z XXX").unwrap().format(44_000, zone, &mut out);
        assert_eq!(out, "1970-01-01 09:00:44.000 +0900 +09:00");
        assert!(LegacyFormat::new("b").is_err());
    }
}
