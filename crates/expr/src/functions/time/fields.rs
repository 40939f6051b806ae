//! A local date and time taken apart, and names in it.

use tidegate_data::calendar::{MS_PER_DAY, civil_from_days, days_from_civil};

/// A local date and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub year: i32,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    pub nano: u32,
}

impl Fields {
    /// From milliseconds, and nanoseconds below them.
    pub fn new(ms: i64, nanos: u32) -> Fields {
        let (year, month, day) = civil_from_days(ms.div_euclid(MS_PER_DAY) as i32);
        let clock = ms.rem_euclid(MS_PER_DAY) as u32;
        Fields {
            year,
            month,
            day,
            hour: clock / 3_600_000,
            minute: clock / 60_000 % 60,
            second: clock / 1000 % 60,
            nano: clock % 1000 * 1_000_000 + nanos,
        }
    }

    fn days(&self) -> i32 {
        days_from_civil(self.year, self.month as i32, self.day as i32)
    }

    /// Day of the year, from 1.
    pub fn day_of_year(&self) -> u32 {
        (self.days() - days_from_civil(self.year, 1, 1) + 1) as u32
    }

    /// Day of the week, Monday is 0.
    pub fn weekday(&self) -> usize {
        (self.days() + 3).rem_euclid(7) as usize
    }

    /// The week-based year and the week, as in the United States: weeks begin on Sunday, and the 1st of January is in week 1.
    pub fn week(&self) -> (i32, u32) {
        let since_sunday = (self.weekday() as i32 + 1) % 7;
        let saturday = self.days() - since_sunday + 6;
        let (year, ..) = civil_from_days(saturday);
        let first = days_from_civil(year, 1, 1);
        let first_sunday = first - (first + 4).rem_euclid(7);
        (year, ((saturday - first_sunday) / 7 + 1) as u32)
    }

    /// Hour of the half day, 1 to 12.
    pub fn hour12(&self) -> u32 {
        (self.hour + 11) % 12 + 1
    }

    /// `AM` or `PM`.
    pub fn half(&self) -> &'static str {
        if self.hour < 12 { "AM" } else { "PM" }
    }
}

/// The months in English.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The days of the week in English.
pub(super) const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A piece of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A pattern letter and how often it stands.
    Field(char, usize),
    /// Text.
    Text(String),
}

/// Cuts a format of Java into pieces: letters are fields, text stands in quotes, anything else is itself.
///
/// # Errors
/// When a quote has no end; the message is Java's.
pub(super) fn pieces(format: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let push_text = |pieces: &mut Vec<Piece>, c: char| match pieces.last_mut() {
        Some(Piece::Text(text)) => text.push(c),
        _ => pieces.push(Piece::Text(c.to_string())),
    };
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_alphabetic() {
            let mut count = 1;
            while chars.next_if_eq(&c).is_some() {
                count += 1;
            }
            pieces.push(Piece::Field(c, count));
        } else if c != '\'' {
            push_text(&mut pieces, c);
        } else if chars.next_if_eq(&'\'').is_some() {
            push_text(&mut pieces, '\'');
        } else {
            loop {
                match chars.next() {
                    None => return Err(format!("Pattern ends with an incomplete string literal: {format}")),
                    Some('\'') if chars.next_if_eq(&'\'').is_none() => break,
                    Some(c) => push_text(&mut pieces, c),
                }
            }
        }
    }
    Ok(pieces)
}

/// Appends a number with at least `width` digits.
pub(super) fn push_number(out: &mut String, number: i64, width: usize) {
    use std::fmt::Write as _;
    if number < 0 {
        out.push('-');
    }
    write!(out, "{:0width$}", number.unsigned_abs()).expect("a string takes all");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_in_pieces() {
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(
            pieces("yyyy-M 'o''clock'''").unwrap(),
            [Piece::Field('y', 4), text("-"), Piece::Field('M', 1), text(" o'clock'")]
        );
        assert!(pieces("'open").is_err());
    }
}
