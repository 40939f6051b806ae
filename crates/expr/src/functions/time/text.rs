//! Times from text and back: DATE_FORMAT, TO_TIMESTAMP, TO_TIMESTAMP_LTZ, TO_DATE, UNIX_TIMESTAMP, FROM_UNIXTIME, CONVERT_TZ.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{ArrayRef, PrimitiveArray};
use tidegate_data::calendar::{MS_PER_DAY, days_from_civil};
use tidegate_data::cast::{parse_date, parse_timestamp};
use tidegate_data::{DataType, LogicalType, TimeKind, Zone, arrow::units_per_second};

use super::fields::Fields;
use super::legacy_format::LegacyFormat;
use super::pattern::Pattern;
use super::zone_of;
use crate::eval::EvalError;
use crate::functions::args::Strings;
use crate::functions::signature::{Family, check, nullable_if_any};
use crate::functions::{Binding, Call, Kernel, ScalarFunction};
use crate::{CallError, Expr};

use Family::{Character, Integer, Numeric, Timestamp};

pub(in crate::functions) const BINDINGS: &[Binding] = &[
    Binding {
        name: "DATE_FORMAT",
        bind: |name, args| {
            let args = check(name, args, &[&[Timestamp, Character], &[Character, Character]])?;
            Ok(DATE_FORMAT.on(args, DataType::string()))
        },
    },
    Binding {
        name: "TO_TIMESTAMP",
        bind: |name, args| {
            let args = check(name, args, &[&[Character], &[Character, Character]])?;
            Ok(TO_TIMESTAMP.on(args, DataType::new(LogicalType::Timestamp(3, TimeKind::Regular))))
        },
    },
    Binding {
        name: "TO_TIMESTAMP_LTZ",
        bind: |name, args| {
            let forms: &[&[Family]] =
                &[&[Numeric], &[Numeric, Integer], &[Character], &[Character; 2], &[Character; 3]];
            Ok(TO_TIMESTAMP_LTZ
                .on(check(name, args, forms)?, DataType::new(LogicalType::TimestampLtz(3, TimeKind::Regular))))
        },
    },
    Binding {
        name: "TO_DATE",
        bind: |name, args| {
            let args = check(name, args, &[&[Character], &[Character, Character]])?;
            Ok(TO_DATE.on(args, DataType::new(LogicalType::Date)))
        },
    },
    Binding { name: "UNIX_TIMESTAMP", bind: bind_unix_timestamp },
    Binding {
        name: "FROM_UNIXTIME",
        bind: |name, args| {
            let args = check(name, args, &[&[Integer], &[Integer, Character]])?;
            Ok(FROM_UNIXTIME.on(args, DataType::string()))
        },
    },
    Binding {
        name: "CONVERT_TZ",
        bind: |name, args| Ok(CONVERT_TZ.on(check(name, args, &[&[Character; 3]])?, DataType::string())),
    },
];

static DATE_FORMAT: ScalarFunction = ScalarFunction::strict("DATE_FORMAT", date_format).zoned().failing(|_, _| true);
static TO_TIMESTAMP: ScalarFunction =
    ScalarFunction::strict("TO_TIMESTAMP", to_timestamp).failing(|args, _| args.len() > 1);
static TO_TIMESTAMP_LTZ: ScalarFunction =
    ScalarFunction::strict("TO_TIMESTAMP_LTZ", to_timestamp_ltz).zoned().failing(|args, _| args.len() > 1);
static TO_DATE: ScalarFunction = ScalarFunction::strict("TO_DATE", to_date).failing(|args, _| args.len() > 1);
static UNIX_TIMESTAMP: ScalarFunction =
    ScalarFunction::strict("UNIX_TIMESTAMP", unix_timestamp).zoned().failing(|args, _| args.len() > 1);
static UNIX_TIMESTAMP_NOW: ScalarFunction = ScalarFunction::new(
    "UNIX_TIMESTAMP",
    Kernel::Plain(|call| {
        Ok(Arc::new(PrimitiveArray::<Int64Type>::from_value(call.ctx.now.div_euclid(1000), call.len)))
    }),
)
.volatile();
static FROM_UNIXTIME: ScalarFunction =
    ScalarFunction::strict("FROM_UNIXTIME", from_unixtime).zoned().failing(|args, _| args.len() > 1);
static CONVERT_TZ: ScalarFunction = ScalarFunction::strict("CONVERT_TZ", convert_tz);

const DEFAULT_FORMAT: &str = "yyyy-MM-dd HH:mm:ss";

/// What UNIX_TIMESTAMP answers for a text that is no time.
const NO_TIME: i64 = i64::MIN;

/// What TO_DATE with a format answers for it: the day of that instant, as far as 32 bits hold it.
const NO_DATE: i32 = 622_191_233;

fn bind_unix_timestamp(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.is_empty() {
        return Ok(UNIX_TIMESTAMP_NOW.on(args, DataType::not_null(LogicalType::BigInt)));
    }
    let args = check(name, args, &[&[], &[Character], &[Character, Character]])?;
    let ty = nullable_if_any(LogicalType::BigInt, &args);
    Ok(UNIX_TIMESTAMP.on(args, ty))
}

/// The format of each row, read anew only when it changes.
struct Formats<'a, F> {
    texts: Option<Strings<'a>>,
    default: &'static str,
    read: fn(&str) -> Result<F, String>,
    last: Option<(String, F)>,
}

impl<'a, F> Formats<'a, F> {
    fn new(texts: Option<Strings<'a>>, default: &'static str, read: fn(&str) -> Result<F, String>) -> Formats<'a, F> {
        Formats { texts, default, read, last: None }
    }

    fn get(&mut self, row: usize) -> Result<Option<&F>, EvalError> {
        let text = match &self.texts {
            None => self.default,
            Some(texts) => match texts.get(row) {
                None => return Ok(None),
                Some(text) => text,
            },
        };
        if self.last.as_ref().is_none_or(|(known, _)| known != text) {
            self.last = Some((text.to_owned(), (self.read)(text).map_err(EvalError::new)?));
        }
        Ok(self.last.as_ref().map(|(_, format)| format))
    }
}

fn second_format<'a>(call: &Call<'a>) -> Option<Strings<'a>> {
    (call.values.len() > 1).then(|| call.strings(1))
}

/// A column of texts, each of which may fail.
fn try_strings(
    call: &Call<'_>,
    mut row: impl FnMut(usize, &mut String) -> Result<bool, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let mut failure = None;
    let texts = call.make_strings(|index, out| {
        if failure.is_some() {
            return false;
        }
        row(index, out).unwrap_or_else(|error| {
            failure = Some(error);
            false
        })
    });
    failure.map_or(Ok(texts), Err)
}

fn date_format(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    if call.arg_type(0).is_character() {
        let texts = call.strings(0);
        let source = LegacyFormat::new(DEFAULT_FORMAT).map_err(EvalError::new)?;
        let mut formats = Formats::new(second_format(call), DEFAULT_FORMAT, LegacyFormat::new);
        return try_strings(call, |row, out| {
            let Some(ms) = texts.get(row).and_then(|text| source.parse(text, Zone::UTC)) else { return Ok(false) };
            let Some(format) = formats.get(row)? else { return Ok(false) };
            format.format(ms, Zone::UTC, out);
            Ok(true)
        });
    }
    let (LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _)) = call.arg_type(0) else {
        unreachable!("the binder has checked the type")
    };
    let (ticks, units, zone) = (call.ticks(0), units_per_second(*p), zone_of(call, 0));
    let mut formats = Formats::new(second_format(call), DEFAULT_FORMAT, Pattern::new);
    try_strings(call, |row, out| {
        let (Some(ticks), Some(format)) = (ticks.get(row), formats.get(row)?) else { return Ok(false) };
        let ms = ticks.div_euclid(units / 1000);
        let nanos = ticks.rem_euclid(units / 1000) * (1_000_000_000 / units);
        format.format(&Fields::new(zone.to_local_ms(ms), nanos as u32), out);
        Ok(true)
    })
}

fn milliseconds_of((seconds, nanos): (i64, u32)) -> i64 {
    seconds * 1000 + i64::from(nanos) / 1_000_000
}

/// A timestamp by Flink's rules: by the format, else as JDBC writes it.
fn read_timestamp(text: &str, format: Option<&Pattern>) -> Option<i64> {
    match format {
        None => parse_timestamp(text).ok().map(milliseconds_of),
        Some(format) => format.parse(text).map(milliseconds_of).or_else(|| jdbc_timestamp(text.trim())),
    }
}

/// `java.sql.Timestamp.valueOf` and `Date.valueOf`: `yyyy-[m]m-[d]d[ hh:mm:ss[.f...]]`, days beyond the month's end carried over.
fn jdbc_timestamp(text: &str) -> Option<i64> {
    let (date, clock) = text.split_once(' ').map_or((text, None), |(date, clock)| (date, Some(clock.trim_start())));
    let number = |text: &str, least: usize, most: usize| {
        let plain = (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        if plain { text.parse::<i32>().ok() } else { None }
    };
    let mut parts = date.splitn(3, '-');
    let year = number(parts.next()?, 4, 4)?;
    let month = number(parts.next()?, 1, 2).filter(|month| (1..=12).contains(month))?;
    let day = number(parts.next()?, 1, 2).filter(|day| (1..=31).contains(day))?;
    let mut ms = (i64::from(days_from_civil(year, month, 1)) + i64::from(day) - 1) * MS_PER_DAY;
    if let Some(clock) = clock {
        let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
        let mut parts = clock.splitn(3, ':');
        let mut next = || parts.next().and_then(|part| number(part, 1, 2));
        let (hour, minute, second) = (next()?, next()?, next()?);
        if !(1..=9).contains(&fraction.len()) || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        ms += (i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second)) * 1000;
        ms += format!("{fraction:0<3}")[..3].parse::<i64>().ok()?;
    }
    Some(ms)
}

/// A column of timestamps of precision 3, each of which may fail.
fn try_milliseconds(
    call: &Call<'_>,
    mut row: impl FnMut(usize) -> Result<Option<i64>, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let values: Vec<Option<i64>> = (0..call.len).map(&mut row).collect::<Result<_, _>>()?;
    Ok(Arc::new(values.into_iter().collect::<PrimitiveArray<TimestampMillisecondType>>()))
}

fn to_timestamp(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let texts = call.strings(0);
    let has_format = call.values.len() > 1;
    let mut formats = Formats::new(second_format(call), "", Pattern::new);
    try_milliseconds(call, |row| {
        let Some(text) = texts.get(row) else { return Ok(None) };
        if !has_format {
            return Ok(read_timestamp(text, None));
        }
        let Some(format) = formats.get(row)? else { return Ok(None) };
        Ok(read_timestamp(text, Some(format)))
    })
}

/// The instants of the years 0 to 9999.
fn in_range(ms: i64) -> Option<i64> {
    (-62_167_219_200_000..=253_402_300_799_999).contains(&ms).then_some(ms)
}

fn to_timestamp_ltz(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    if call.arg_type(0).is_character() {
        return text_to_timestamp_ltz(call);
    }
    let precision = if call.values.len() > 1 { Some(call.integers(1)?) } else { None };
    let whole = !call.arg_type(0).is_approximate();
    let (integers, doubles) = if whole { (Some(call.integers(0)?), None) } else { (None, Some(call.doubles(0)?)) };
    try_milliseconds(call, |row| {
        let Some(precision) = precision.as_ref().map_or(Some(3), |precision| precision.get(row)) else {
            return Ok(None);
        };
        let seconds = match precision {
            0 => true,
            3 => false,
            other => {
                return Err(EvalError::new(format!(
                    "The precision value '{other}' for function TO_TIMESTAMP_LTZ(numeric, precision) is unsupported, \
                     the supported value is '0' for second or '3' for millisecond."
                )));
            }
        };
        let factor = if seconds { 1000 } else { 1 };
        let ms = match (&integers, &doubles) {
            (Some(values), _) => values.get(row).and_then(|value: i64| value.checked_mul(factor)),
            (_, Some(values)) => values.get(row).map(|value| (value * factor as f64) as i64),
            _ => None,
        };
        Ok(ms.and_then(in_range))
    })
}

fn text_to_timestamp_ltz(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let texts = call.strings(0);
    let has_format = call.values.len() > 1;
    let zones = (call.values.len() > 2).then(|| call.strings(2));
    let mut formats = Formats::new(second_format(call), "", Pattern::new);
    try_milliseconds(call, |row| {
        let Some(text) = texts.get(row) else { return Ok(None) };
        // Without a zone the text is in UTC, whatever the session's zone.
        let zone = match &zones {
            None => Some(Zone::UTC),
            Some(zones) => zones.get(row).and_then(Zone::parse),
        };
        let Some(zone) = zone else { return Ok(None) };
        let format = if has_format { formats.get(row)? } else { None };
        if has_format && format.is_none() {
            return Ok(None);
        }
        Ok(read_timestamp(text, format).map(|local| zone.to_utc_ms(local)))
    })
}

fn to_date(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let texts = call.strings(0);
    if call.values.len() == 1 {
        return Ok(call.make_numbers::<Date32Type>(|row| parse_date(texts.get(row)?).ok()));
    }
    let mut formats = Formats::new(second_format(call), DEFAULT_FORMAT, LegacyFormat::new);
    let mut days = Vec::with_capacity(call.len);
    for row in 0..call.len {
        days.push(match (texts.get(row), formats.get(row)?) {
            (Some(text), Some(format)) => {
                Some(format.parse(text, Zone::UTC).map_or(NO_DATE, |ms| ms.div_euclid(MS_PER_DAY) as i32))
            }
            _ => None,
        });
    }
    Ok(Arc::new(PrimitiveArray::<Date32Type>::from(days)))
}

fn unix_timestamp(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let texts = call.strings(0);
    let mut formats = Formats::new(second_format(call), DEFAULT_FORMAT, LegacyFormat::new);
    let mut seconds = Vec::with_capacity(call.len);
    for row in 0..call.len {
        seconds.push(match (texts.get(row), formats.get(row)?) {
            (Some(text), Some(format)) => Some(format.parse(text, call.ctx.zone).map_or(NO_TIME, |ms| ms / 1000)),
            _ => None,
        });
    }
    Ok(Arc::new(PrimitiveArray::<Int64Type>::from(seconds)))
}

fn from_unixtime(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let seconds = call.integers(0)?;
    let mut formats = Formats::new(second_format(call), DEFAULT_FORMAT, LegacyFormat::new);
    try_strings(call, |row, out| {
        let (Some(seconds), Some(format)) = (seconds.get(row), formats.get(row)?) else { return Ok(false) };
        format.format(seconds.wrapping_mul(1000), call.ctx.zone, out);
        Ok(true)
    })
}

/// A text moved from one zone to another; NULL if it is no time. An unknown zone is UTC, as for Java's `TimeZone`.
fn convert_tz(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, from, to) = (call.strings(0), call.strings(1), call.strings(2));
    let format = LegacyFormat::new(DEFAULT_FORMAT).map_err(EvalError::new)?;
    let zone = |name: &str| Zone::parse(name).unwrap_or(Zone::UTC);
    try_strings(call, |row, out| {
        let (Some(text), Some(from), Some(to)) = (texts.get(row), from.get(row), to.get(row)) else { return Ok(false) };
        let Some(ms) = format.parse(text, zone(from)) else { return Ok(false) };
        format.format(ms, zone(to), out);
        Ok(true)
    })
}
