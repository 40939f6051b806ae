//! The proleptic Gregorian calendar on day numbers since 1970-01-01.

/// Milliseconds of a day.
pub const MS_PER_DAY: i64 = 86_400_000;

/// Year, month (1 to 12) and day of month of a day number.
pub fn civil_from_days(days: i32) -> (i32, u32, u32) {
    let z = i64::from(days) + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year as i32, month as u32, day as u32)
}

/// The day number of a date; month and day may lie outside their ranges by a little and carry over.
pub fn days_from_civil(year: i32, month: i32, day: i32) -> i32 {
    let carried = i64::from(month) - 1;
    let year = i64::from(year) + carried.div_euclid(12);
    let month = carried.rem_euclid(12) + 1;
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted = (month + 9) % 12;
    let day_of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era - 719_468) as i32
}

/// Whether a year has a 29th of February.
pub fn is_leap_year(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The number of days in a month.
pub fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 => 28 + u32::from(is_leap_year(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Whether year, month and day name a date of the calendar, in years 0 to 9999.
pub fn is_date(year: i32, month: u32, day: u32) -> bool {
    (0..=9999).contains(&year) && (1..=12).contains(&month) && day >= 1 && day <= days_in_month(year, month)
}

/// The date `months` later, on the last day of its month where the day does not exist there.
pub fn add_months(days: i32, months: i32) -> i32 {
    let (year, month, day) = civil_from_days(days);
    let total = i64::from(year) * 12 + i64::from(month) - 1 + i64::from(months);
    let (year, month) = (total.div_euclid(12) as i32, total.rem_euclid(12) as u32 + 1);
    days_from_civil(year, month as i32, day.min(days_in_month(year, month)) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse() {
        assert_eq!(civil_from_days(0), (1970, 1, 1));
        assert_eq!(civil_from_days(-1), (1969, 12, 31));
        assert_eq!(days_from_civil(2024, 2, 29), 19_782);
        for days in (-1_000_000..1_000_000).step_by(97) {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month as i32, day as i32), days);
        }
    }

    #[test]
    fn months_end_early() {
        assert_eq!(civil_from_days(add_months(days_from_civil(2024, 1, 31), 1)), (2024, 2, 29));
        assert_eq!(civil_from_days(add_months(days_from_civil(2024, 2, 29), -12)), (2023, 2, 28));
    }
}
