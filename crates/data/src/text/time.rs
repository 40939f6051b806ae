//! The text of dates, times, timestamps and intervals.

use std::fmt::Write as _;

use crate::Zone;
use crate::arrow::units_per_second;
use crate::calendar::{MS_PER_DAY, civil_from_days};

/// Appends `yyyy-MM-dd`; of the year the last four digits, as Flink does.
pub fn write_date(out: &mut String, days: i32) {
    let (year, month, day) = civil_from_days(days);
    let year = year.rem_euclid(10_000);
    write_digits(out, year as u64, 4);
    out.push('-');
    write_digits(out, month.into(), 2);
    out.push('-');
    write_digits(out, day.into(), 2);
}

/// Appends `HH:mm:ss`, and of a precision above 0 the fraction, which ends at its last digit that is not 0 (but has one at least).
pub fn write_time(out: &mut String, ms: i32, precision: u8) {
    // Flink wraps times before midnight around, but not those after the end of the day.
    let ms = if ms < 0 { i64::from(ms).rem_euclid(MS_PER_DAY) } else { ms.into() };
    write_seconds_of_day(out, ms / 1000);
    if precision > 0 {
        out.push('.');
        let mut rest = ms % 1000;
        for _ in 0..precision {
            out.push(char::from(b'0' + (rest / 100) as u8));
            rest = rest % 100 * 10;
            if rest == 0 {
                break;
            }
        }
    }
}

/// Appends `yyyy-MM-dd HH:mm:ss` and `precision` digits of the second, or more where the value has more.
pub fn write_timestamp(out: &mut String, value: i64, precision: u8) {
    let units = units_per_second(precision);
    let (seconds, fraction) = (value.div_euclid(units), value.rem_euclid(units));
    write_date(out, seconds.div_euclid(86_400) as i32);
    out.push(' ');
    write_seconds_of_day(out, seconds.rem_euclid(86_400));
    let mut nanos = fraction * (1_000_000_000 / units);
    let mut digits = 9;
    while digits > precision && nanos % 10 == 0 {
        nanos /= 10;
        digits -= 1;
    }
    if digits > 0 {
        out.push('.');
        write_digits(out, nanos as u64, digits.into());
    }
}

/// The local time of an instant, both in the unit of `precision`.
pub fn to_local(value: i64, precision: u8, zone: Zone) -> i64 {
    let units = units_per_second(precision);
    value + i64::from(zone.offset_at(value.div_euclid(units))) * units
}

/// The instant of a local time, both in the unit of `precision`.
pub fn to_instant(value: i64, precision: u8, zone: Zone) -> i64 {
    let units = units_per_second(precision);
    value - i64::from(zone.offset_of_local(value.div_euclid(units))) * units
}

/// Appends an INTERVAL YEAR TO MONTH, `+1-02`.
pub fn write_months(out: &mut String, months: i32) {
    out.push(if months < 0 { '-' } else { '+' });
    let months = months.unsigned_abs();
    write!(out, "{}-{:02}", months / 12, months % 12).expect("a string takes all");
}

/// Appends an INTERVAL DAY TO SECOND, `+1 02:03:04.005`.
pub fn write_milliseconds(out: &mut String, ms: i64) {
    out.push(if ms < 0 { '-' } else { '+' });
    let ms = ms.unsigned_abs();
    write!(out, "{} ", ms / MS_PER_DAY as u64).expect("a string takes all");
    write_seconds_of_day(out, (ms / 1000 % 86_400) as i64);
    out.push('.');
    write_digits(out, ms % 1000, 3);
}

fn write_seconds_of_day(out: &mut String, seconds: i64) {
    let seconds = seconds as u64;
    write_digits(out, seconds / 3600, 2);
    out.push(':');
    write_digits(out, seconds / 60 % 60, 2);
    out.push(':');
    write_digits(out, seconds % 60, 2);
}

fn write_digits(out: &mut String, mut value: u64, width: usize) {
    let mut digits = [b'0'; 20];
    let mut start = digits.len();
    while value > 0 || digits.len() - start < width {
        start -= 1;
        digits[start] = b'0' + (value % 10) as u8;
        value /= 10;
    }
    out.push_str(std::str::from_utf8(&digits[start..]).expect("digits"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut String)) -> String {
        let mut out = String::new();
        write(&mut out);
        out
    }

    #[test]
    fn timestamps_show_their_precision() {
        assert_eq!(text(|out| write_timestamp(out, 0, 3)), "1970-01-01 00:00:00.000");
        assert_eq!(text(|out| write_timestamp(out, -1, 3)), "1969-12-31 23:59:59.999");
        assert_eq!(text(|out| write_timestamp(out, 0, 0)), "1970-01-01 00:00:00");
        assert_eq!(text(|out| write_timestamp(out, 500, 0)), "1970-01-01 00:00:00.5");
        assert_eq!(text(|out| write_timestamp(out, 1, 6)), "1970-01-01 00:00:00.000001");
        assert_eq!(text(|out| write_timestamp(out, 1, 9)), "1970-01-01 00:00:00.000000001");
    }

    #[test]
    fn times_and_intervals() {
        assert_eq!(text(|out| write_time(out, 3_723_000, 0)), "01:02:03");
        assert_eq!(text(|out| write_time(out, 3_723_120, 3)), "01:02:03.12");
        assert_eq!(text(|out| write_time(out, 3_723_000, 3)), "01:02:03.0");
        assert_eq!(text(|out| write_months(out, -14)), "-1-02");
        assert_eq!(text(|out| write_milliseconds(out, 93_784_005)), "+1 02:03:04.005");
    }
}
