//! Units of time, as EXTRACT, FLOOR, CEIL, TIMESTAMPADD and TIMESTAMPDIFF name them.

use tidegate_data::Value;
use tidegate_data::calendar::MS_PER_DAY;

use crate::{CallError, Expr};

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Millennium,
    Century,
    Decade,
    Year,
    IsoYear,
    Quarter,
    Month,
    Week,
    Day,
    DayOfYear,
    DayOfWeek,
    IsoDayOfWeek,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    Epoch,
}

const NAMES: &[(&str, Unit)] = &[
    ("MILLENNIUM", Unit::Millennium),
    ("CENTURY", Unit::Century),
    ("DECADE", Unit::Decade),
    ("YEAR", Unit::Year),
    ("ISOYEAR", Unit::IsoYear),
    ("QUARTER", Unit::Quarter),
    ("MONTH", Unit::Month),
    ("WEEK", Unit::Week),
    ("DAY", Unit::Day),
    ("DOY", Unit::DayOfYear),
    ("DOW", Unit::DayOfWeek),
    ("ISODOW", Unit::IsoDayOfWeek),
    ("HOUR", Unit::Hour),
    ("MINUTE", Unit::Minute),
    ("SECOND", Unit::Second),
    ("MILLISECOND", Unit::Millisecond),
    ("MICROSECOND", Unit::Microsecond),
    ("NANOSECOND", Unit::Nanosecond),
    ("EPOCH", Unit::Epoch),
];

impl Unit {
    /// The unit that an argument, a string literal, names. `SQL_TSI_DAY` and the like are taken too.
    pub fn of(function: &str, arg: &Expr) -> Result<Unit, CallError> {
        let Some(Value::String(text)) = arg.as_literal() else {
            return Err(CallError::arguments(
                format!("'{function}' wants a unit of time as its first argument"),
                Some(0),
            ));
        };
        let name = text.to_ascii_uppercase();
        let name = name.strip_prefix("SQL_TSI_").unwrap_or(&name);
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, unit)| *unit)
            .ok_or_else(|| CallError::arguments(format!("'{text}' is not a valid time frame"), Some(0)))
    }

    /// Whether it is made of months.
    pub fn is_months(self) -> bool {
        matches!(
            self,
            Unit::Millennium | Unit::Century | Unit::Decade | Unit::Year | Unit::IsoYear | Unit::Quarter | Unit::Month
        )
    }

    /// Its length in months, if it [is made of months](Unit::is_months).
    pub fn months(self) -> i64 {
        match self {
            Unit::Millennium => 12_000,
            Unit::Century => 1_200,
            Unit::Decade => 120,
            Unit::Year | Unit::IsoYear => 12,
            Unit::Quarter => 3,
            _ => 1,
        }
    }

    /// Its length in milliseconds (at least 1), if it is not made of months.
    pub fn milliseconds(self) -> i64 {
        match self {
            Unit::Week => 7 * MS_PER_DAY,
            Unit::Hour => 3_600_000,
            Unit::Minute => 60_000,
            Unit::Second | Unit::Epoch => 1_000,
            Unit::Millisecond | Unit::Microsecond | Unit::Nanosecond => 1,
            _ => MS_PER_DAY,
        }
    }
}
