//! Formats of Java's `DateTimeFormatter`, for DATE_FORMAT of a timestamp and TO_TIMESTAMP.

use tidegate_data::calendar::{days_from_civil, days_in_month};

use super::fields::{Fields, MONTHS, Piece, WEEKDAYS, pieces, push_number};

/// A format, read.
pub(super) struct Pattern {
    pieces: Vec<Piece>,
}

impl Pattern {
    /// Reads a format.
    ///
    /// # Errors
    /// When a letter means nothing; the message is Java's.
    pub fn new(format: &str) -> Result<Pattern, String> {
        let pieces = pieces(format)?;
        for piece in &pieces {
            if let Piece::Field(letter, count) = piece {
                let most = match letter {
                    'y' | 'u' | 'Y' | 'S' | 'n' => 19,
                    'M' | 'L' | 'E' | 'Q' | 'q' | 'G' => 5,
                    'D' => 3,
                    'd' | 'H' | 'k' | 'K' | 'h' | 'm' | 's' | 'w' | 'e' => 2,
                    'a' => 1,
                    _ => return Err(format!("Unknown pattern letter: {letter}")),
                };
                if *count > most {
                    return Err(format!("Too many pattern letters: {letter}"));
                }
            }
        }
        Ok(Pattern { pieces })
    }

    /// Appends a date and time in the format.
    pub fn format(&self, fields: &Fields, out: &mut String) {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Field(letter, count) => format_field(*letter, *count, fields, out),
            }
        }
    }

    /// Reads a date and time as seconds since the epoch (in no zone) and nanoseconds. Parts that are not in the format are
    /// those of 1970-01-01 00:00:00; days 29 to 31 of a shorter month are its last. `None` if the text does not fit.
    pub fn parse(&self, text: &str) -> Option<(i64, u32)> {
        let mut parsed = Parsed::default();
        let mut rest = text;
        for (index, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(expected) => rest = rest.strip_prefix(expected.as_str())?,
                Piece::Field(letter, count) => {
                    rest = parsed.take(*letter, *count, rest, reserved(&self.pieces[index + 1..]))?;
                }
            }
        }
        if rest.is_empty() { parsed.resolve() } else { None }
    }
}

fn format_field(letter: char, count: usize, fields: &Fields, out: &mut String) {
    let text = |out: &mut String, name: &str, count: usize| match count {
        4 => out.push_str(name),
        5 => out.push_str(&name[..1]),
        _ => out.push_str(&name[..3]),
    };
    match letter {
        'y' | 'u' if count == 2 => push_number(out, i64::from(fields.year.rem_euclid(100)), 2),
        'y' | 'u' => {
            if count >= 4 && fields.year > 9999 {
                out.push('+');
            }
            push_number(out, fields.year.into(), count);
        }
        'Y' => push_number(out, fields.week().0.into(), count),
        'w' => push_number(out, fields.week().1.into(), count),
        'e' => push_number(out, (fields.weekday() as i64 + 1) % 7 + 1, count),
        'M' | 'L' if count > 2 => text(out, MONTHS[fields.month as usize - 1], count),
        'M' | 'L' => push_number(out, fields.month.into(), count),
        'd' => push_number(out, fields.day.into(), count),
        'D' => push_number(out, fields.day_of_year().into(), count),
        'E' => text(out, WEEKDAYS[fields.weekday()], count),
        'a' => out.push_str(fields.half()),
        'H' => push_number(out, fields.hour.into(), count),
        'k' => push_number(out, ((fields.hour + 23) % 24 + 1).into(), count),
        'K' => push_number(out, (fields.hour % 12).into(), count),
        'h' => push_number(out, fields.hour12().into(), count),
        'm' => push_number(out, fields.minute.into(), count),
        's' => push_number(out, fields.second.into(), count),
        'S' => {
            let digits = format!("{:09}", fields.nano);
            out.push_str(&digits[..count.min(9)]);
            (9..count).for_each(|_| out.push('0'));
        }
        'n' => push_number(out, fields.nano.into(), count),
        'Q' | 'q' => {
            let quarter = fields.month.div_ceil(3);
            match count {
                1 | 2 => push_number(out, quarter.into(), count),
                3 => out.push_str(&format!("Q{quarter}")),
                4 => out.push_str(["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"][quarter as usize - 1]),
                _ => push_number(out, quarter.into(), 1),
            }
        }
        'G' => out.push_str(if count == 4 {
            "Anno Domini"
        } else if count == 5 {
            "A"
        } else {
            "AD"
        }),
        _ => {}
    }
}

/// How many digits the fields of fixed width that follow at once will take.
fn reserved(rest: &[Piece]) -> usize {
    let fixed = rest.iter().map_while(|piece| match piece {
        Piece::Field('M' | 'd' | 'H' | 'h' | 'k' | 'K' | 'm' | 's', 2) => Some(2),
        Piece::Field('D', 3) => Some(3),
        _ => None,
    });
    fixed.sum()
}

#[derive(Default)]
struct Parsed {
    year: Option<i32>,
    month: Option<u32>,
    day: Option<u32>,
    day_of_year: Option<u32>,
    hour: Option<u32>,
    half_hour: Option<u32>,
    afternoon: Option<bool>,
    minute: Option<u32>,
    second: Option<u32>,
    nano: Option<u32>,
}

impl Parsed {
    fn take<'a>(&mut self, letter: char, count: usize, text: &'a str, reserved: usize) -> Option<&'a str> {
        let digits = |least: usize, most: usize| {
            let found = text.bytes().take_while(u8::is_ascii_digit).count();
            let len = found.saturating_sub(reserved).clamp(0, most);
            let len = if len < least { found.min(least) } else { len };
            (len >= least && len > 0).then(|| text.split_at(len))
        };
        let name = |names: &[&str], count: usize| {
            let fits = |name: &&str| text.starts_with(if count == 4 { name } else { &name[..3] });
            let at = names.iter().position(fits)?;
            Some((at as u32, &text[if count == 4 { names[at].len() } else { 3 }..]))
        };
        let (slot, (number, rest)) = match letter {
            'y' | 'u' => {
                let plus = count >= 4 && text.starts_with('+');
                let body = if plus { &text[1..] } else { text };
                let found = body.bytes().take_while(u8::is_ascii_digit).count();
                let len = if count == 2 { 2 } else { found.saturating_sub(reserved).min(9) };
                // Four letters and more digits want a plus sign.
                if len < count.min(9) || len > found || (count >= 4 && plus != (len > count)) {
                    return None;
                }
                let year: i32 = body[..len].parse().ok()?;
                self.year = Some(if count == 2 { 2000 + year } else { year });
                return Some(&body[len..]);
            }
            'M' | 'L' if count > 2 => {
                let (at, rest) = name(&MONTHS, count)?;
                self.month = Some(at + 1);
                return Some(rest);
            }
            'E' => return name(&WEEKDAYS, count).map(|(_, rest)| rest),
            'a' => {
                let (half, rest) = text.split_at_checked(2)?;
                self.afternoon = Some(match half {
                    "AM" => false,
                    "PM" => true,
                    _ => return None,
                });
                return Some(rest);
            }
            'S' => {
                let (fraction, rest) =
                    text.split_at_checked(count).filter(|(f, _)| f.bytes().all(|b| b.is_ascii_digit()))?;
                let nanos: u32 = fraction[..count.min(9)].parse().ok()?;
                self.nano = Some(nanos * 10u32.pow(9 - count.min(9) as u32));
                return Some(rest);
            }
            'M' | 'L' => (&mut self.month, digits(count, if count == 1 { 9 } else { count })?),
            'd' => (&mut self.day, digits(count, if count == 1 { 9 } else { count })?),
            'D' => (&mut self.day_of_year, digits(count, if count == 3 { 3 } else { 9 })?),
            'H' | 'k' => (&mut self.hour, digits(count, if count == 1 { 9 } else { count })?),
            'h' | 'K' => (&mut self.half_hour, digits(count, if count == 1 { 9 } else { count })?),
            'm' => (&mut self.minute, digits(count, if count == 1 { 9 } else { count })?),
            's' => (&mut self.second, digits(count, if count == 1 { 9 } else { count })?),
            'n' => (&mut self.nano, digits(count, 9)?),
            _ => return None,
        };
        *slot = Some(number.parse().ok()?);
        if letter == 'k' {
            *slot = slot.map(|hour| hour % 24);
        }
        Some(rest)
    }

    fn resolve(self) -> Option<(i64, u32)> {
        let year = self.year.unwrap_or(1970);
        let mut hour = self.hour;
        if let (None, Some(half), Some(afternoon)) = (hour, self.half_hour, self.afternoon) {
            hour = Some(half % 12 + if afternoon { 12 } else { 0 });
        }
        let (hour, minute, second) = (hour.unwrap_or(0), self.minute.unwrap_or(0), self.second.unwrap_or(0));
        let nano = self.nano.unwrap_or(0);
        let midnight = hour == 24 && minute == 0 && second == 0 && nano == 0;
        if hour > 23 && !midnight || minute > 59 || second > 59 {
            return None;
        }
        let days = if let (Some(day), None) = (self.day_of_year, self.month) {
            days_from_civil(year, 1, day as i32)
        } else {
            let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
            if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
                return None;
            }
            days_from_civil(year, month as i32, day.min(days_in_month(year, month)) as i32)
        };
        Some((i64::from(days) * 86_400 + i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second), nano))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(format: &str, ms: i64) -> String {
        let mut out = String::new();
        Pattern::new(format).unwrap().format(&Fields::new(ms, 0), &mut out);
        out
    }

    #[test]
    fn formats() {
        let ms = (i64::from(days_from_civil(2024, 2, 3)) * 86_400 + 14_706) * 1000 + 789;
        assert_eq!(format("yyyy-MM-dd HH:mm:ss.SSS", ms), "2024-02-03 04:05:06.789");
        assert_eq!(format("EEE MMM d", ms), "Sat Feb 3");
        assert_eq!(format("hh:mm a", ms), "04:05 AM");
        assert_eq!(format("dd/MM/yy", ms), "03/02/24");
        assert_eq!(format("'q'Q DDD EEEE", ms), "q1 034 Saturday");
        assert_eq!(format("YYYY ww e", (i64::from(days_from_civil(2000, 12, 31)) * 86_400) * 1000), "2001 01 1");
        assert_eq!(Pattern::new("b").err(), Some("Unknown pattern letter: b".into()));
    }

    #[test]
    fn parsing() {
        let parse = |format: &str, text: &str| Pattern::new(format).unwrap().parse(text);
        let at = |y, m, d, second: i64| Some((i64::from(days_from_civil(y, m, d)) * 86_400 + second, 0));
        assert_eq!(parse("dd/MM/yyyy", "03/02/2024"), at(2024, 2, 3, 0));
        assert_eq!(parse("yyyyMMdd", "20240203"), at(2024, 2, 3, 0));
        assert_eq!(parse("yyyyMMddHHmmss", "20240203040506"), at(2024, 2, 3, 14_706));
        assert_eq!(parse("d MMM yyyy hh:mm a", "3 Feb 2024 04:05 PM"), at(2024, 2, 3, 57_900));
        assert_eq!(parse("yyyy-MM-dd", "2024-02-03 04:05:06"), None);
        assert_eq!(parse("yyyy-MM-dd", "2023-02-31"), at(2023, 2, 28, 0));
        assert_eq!(parse("HH:mm:ss.SSS", "00:00:01.500"), Some((1, 500_000_000)));
        assert_eq!(parse("yyyy-MM-dd", "garbage"), None);
    }
}
