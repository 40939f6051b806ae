//! Dates, times and timestamps from text, with what Flink takes and what it says when it does not.

use super::CastError;
use crate::calendar::{days_from_civil, days_in_month, is_date};

/// `yyyy-MM-dd` as a day number. Anything behind a blank is dropped; month and day may be short, or missing from the end.
///
/// # Errors
/// When the text is no date of the years 0 to 9999.
pub fn parse_date(text: &str) -> Result<i32, CastError> {
    let date = match text.find(' ') {
        Some(blank) if blank > 0 => &text[..blank],
        _ => text,
    };
    let mut numbers = [0, 1, 1];
    let parsed = date.splitn(3, '-').zip(&mut numbers).try_for_each(|(part, number)| {
        *number = parse_digits(part.trim())?;
        Some(())
    });
    let [year, month, day] = numbers;
    match parsed {
        Some(()) if month > 0 && day > 0 && is_date(year, month as u32, day as u32) => {
            Ok(days_from_civil(year, month, day))
        }
        _ => Err(CastError::new(format!("For input string: '{text}'."))),
    }
}

/// `HH:mm:ss[.fff][+HH:mm]` as milliseconds of the day; minutes and seconds may be missing. An offset is added as it stands.
///
/// # Errors
/// When the text is no time.
pub fn parse_time(text: &str) -> Result<i32, CastError> {
    let fail = || {
        CastError::new(format!(
            "Invalid time format: '{text}'. Expected format: HH:mm:ss[.fff] where HH is 00-23, mm is 00-59, ss is 00-59"
        ))
    };
    time_of(text).ok_or_else(fail)
}

fn time_of(text: &str) -> Option<i32> {
    let zone = text.find('-').map(|at| (at, -1)).or_else(|| text.find('+').map(|at| (at, 1)));
    let (clock, offset) = match zone {
        None => (text, 0),
        Some((at, sign)) => {
            let (hours, minutes) = text[at + 1..].split_once(':').unwrap_or((&text[at + 1..], "0"));
            (&text[..at], sign * (parse_digits(hours.trim())? * 3600 + parse_digits(minutes.trim())? * 60))
        }
    };
    let mut parts = clock.splitn(3, ':');
    let hour = parse_digits(parts.next()?.trim())?;
    let minute = parts.next().map_or(Some(0), |part| parse_digits(part.trim()))?;
    let (second, milli) = match parts.next() {
        None => (0, 0),
        Some(part) => match part.split_once('.') {
            None => (parse_digits(part.trim())?, 0),
            Some((second, fraction)) => (parse_digits(second.trim())?, milliseconds(fraction.trim())),
        },
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some((hour * 3600 + minute * 60 + second + offset) * 1000 + milli)
}

/// The first three digits of a fraction, rounded by the fourth; what is no digit counts as 0.
fn milliseconds(fraction: &str) -> i32 {
    let bytes = fraction.as_bytes();
    let digit = |at: usize| bytes.get(at).filter(|byte| byte.is_ascii_digit()).map_or(0, |byte| i32::from(byte - b'0'));
    digit(0) * 100 + digit(1) * 10 + digit(2) + i32::from(bytes.get(3).is_some_and(|byte| *byte >= b'5'))
}

fn parse_digits(text: &str) -> Option<i32> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// `yyyy-MM-dd[ HH:mm:ss[.fffffffff]]` as seconds since the epoch (in no zone) and nanoseconds, as Flink's formatter
/// `yyyy-[MM][M]-[dd][d][ [HH][H]:[mm][m]:[ss][s][.n]]` takes it: the 30th and 31st of a shorter month are its last day.
///
/// # Errors
/// When the text is no timestamp; the message is that of Java's `DateTimeFormatter`.
pub fn parse_timestamp(text: &str) -> Result<(i64, u32), CastError> {
    let mut scanner = Scanner { text, at: 0 };
    let unparsed =
        |at: usize| CastError::new(format!("Text '{text}' could not be parsed, unparsed text found at index {at}"));
    let wrong = |at: usize| CastError::new(format!("Text '{text}' could not be parsed at index {at}"));
    let year = scanner.year().map_err(wrong)?;
    scanner.literal('-').map_err(wrong)?;
    let month = scanner.one_or_two().map_err(wrong)?;
    scanner.literal('-').map_err(wrong)?;
    let day = scanner.one_or_two().map_err(wrong)?;
    let date_end = scanner.at;
    let clock = scanner.clock();
    let (hour, minute, second, nano) = clock.unwrap_or((0, 0, 0, 0));
    let end = if clock.is_some() { scanner.at } else { date_end };
    if end < text.len() {
        return Err(unparsed(text[..end].chars().count()));
    }
    let range = |name: &str, value: i32, low: i32, high: i32| {
        if (low..=high).contains(&value) {
            return Ok(());
        }
        let high_text = if name == "DayOfMonth" { "28/31".to_owned() } else { high.to_string() };
        Err(CastError::new(format!("Invalid value for {name} (valid values {low} - {high_text}): {value}")))
    };
    range("YearOfEra", year, 1, 999_999_999)?;
    range("MonthOfYear", month, 1, 12)?;
    range("DayOfMonth", day, 1, 31)?;
    let midnight = (hour, minute, second, nano) == (24, 0, 0, 0);
    if !midnight {
        range("HourOfDay", hour, 0, 23)?;
    }
    range("MinuteOfHour", minute, 0, 59)?;
    range("SecondOfMinute", second, 0, 59)?;
    let day = day.min(days_in_month(year, month as u32) as i32);
    let seconds = i64::from(days_from_civil(year, month, day)) * 86_400
        + i64::from(hour) * 3600
        + i64::from(minute) * 60
        + i64::from(second);
    Ok((seconds, nano))
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn digits(&self, most: usize) -> usize {
        self.text.as_bytes()[self.at..].iter().take(most).take_while(|byte| byte.is_ascii_digit()).count()
    }

    fn number(&mut self, len: usize) -> i32 {
        let number = self.text[self.at..self.at + len].parse().unwrap_or(i32::MAX);
        self.at += len;
        number
    }

    /// Four digits, or more behind a plus sign.
    fn year(&mut self) -> Result<i32, usize> {
        let start = self.at;
        let plus = self.text[start..].starts_with('+');
        self.at += usize::from(plus);
        let len = self.digits(10);
        if len < 4 || plus != (len > 4) {
            return Err(start);
        }
        Ok(self.number(len))
    }

    fn literal(&mut self, character: char) -> Result<(), usize> {
        if self.text[self.at..].starts_with(character) {
            self.at += character.len_utf8();
            Ok(())
        } else {
            Err(self.at)
        }
    }

    fn one_or_two(&mut self) -> Result<i32, usize> {
        match self.digits(2) {
            0 => Err(self.at),
            len => Ok(self.number(len)),
        }
    }

    fn clock(&mut self) -> Option<(i32, i32, i32, u32)> {
        self.literal(' ').ok()?;
        let hour = self.one_or_two().ok()?;
        self.literal(':').ok()?;
        let minute = self.one_or_two().ok()?;
        self.literal(':').ok()?;
        let second = self.one_or_two().ok()?;
        let mut nano = 0;
        if self.literal('.').is_ok() {
            let len = self.digits(9);
            nano = self.number(len).max(0) as u32;
            nano = if len == 0 { 0 } else { nano * 10u32.pow(9 - len as u32) };
        }
        Some((hour, minute, second, nano))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(parse_date("2024-02-03"), Ok(days_from_civil(2024, 2, 3)));
        assert_eq!(parse_date("2024-2-3 04:05"), Ok(days_from_civil(2024, 2, 3)));
        assert_eq!(parse_date("0"), Ok(days_from_civil(0, 1, 1)));
        assert_eq!(parse_date("2024-02"), Ok(days_from_civil(2024, 2, 1)));
        for text in ["", "2023-02-29", "2024-13-01", "2024-02-03T04", "04:05:06", "2024-0-1"] {
            assert!(parse_date(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times() {
        assert_eq!(parse_time("04:05:06.7896"), Ok(14_706_790));
        assert_eq!(parse_time("04:05"), Ok(14_700_000));
        assert_eq!(parse_time("23:00:00+02:00"), Ok(90_000_000));
        for text in ["", "24:00:00", "10:60", "abc", "2024-02-03"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn timestamps() {
        let at =
            |year, month, day, second: i64| Ok((i64::from(days_from_civil(year, month, day)) * 86_400 + second, 0));
        assert_eq!(parse_timestamp("2024-02-03 04:05:06"), at(2024, 2, 3, 14_706));
        assert_eq!(parse_timestamp("2024-2-3 4:5:6."), at(2024, 2, 3, 14_706));
        assert_eq!(parse_timestamp("2023-02-29"), at(2023, 2, 28, 0));
        assert_eq!(parse_timestamp("2024-02-03 24:00:00"), at(2024, 2, 4, 0));
        assert_eq!(parse_timestamp("1970-01-01 00:00:00.123456789"), Ok((0, 123_456_789)));
        assert_eq!(parse_timestamp("1970-01-01 00:00:00.1"), Ok((0, 100_000_000)));
        let message = |text| parse_timestamp(text).unwrap_err().message;
        assert_eq!(message("abc"), "Text 'abc' could not be parsed at index 0");
        assert_eq!(
            message("2024-01-01 10:00"),
            "Text '2024-01-01 10:00' could not be parsed, unparsed text found at index 10"
        );
        assert_eq!(message("2024-13-01"), "Invalid value for MonthOfYear (valid values 1 - 12): 13");
    }
}
