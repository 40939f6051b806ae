//! Constants: from their text to a typed value.

use tidegate_data::{DataType, LogicalType, TimeKind, Value};
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{IntervalQualifier, Literal, TimeUnit};

use super::types::interval;
use crate::codes::BAD_LITERAL;
use crate::rex::{Rex, RexKind, evaluate};

/// A constant of the syntax tree as an expression.
///
/// # Errors
/// Texts that are no date, time, timestamp or interval; numbers with more than 38 digits.
pub fn literal(literal: &Literal, span: Span) -> Result<Rex, Diagnostic> {
    let not_null = DataType::not_null;
    Ok(match literal {
        Literal::Null => Rex::null(&DataType::new(LogicalType::Null)),
        Literal::Boolean(Some(value)) => Rex::boolean(*value),
        Literal::Boolean(None) => Rex::null(&DataType::new(LogicalType::Boolean)),
        Literal::Number(text) => number(text, span)?,
        Literal::String(text) => {
            let length = text.encode_utf16().count() as u32;
            Rex::literal(Value::String(text.clone()), not_null(LogicalType::Char(length)))
        }
        Literal::Bytes(bytes) => {
            Rex::literal(Value::Bytes(bytes.clone()), not_null(LogicalType::Binary(bytes.len() as u32)))
        }
        Literal::Date(text) => parsed(text, LogicalType::Date, "DATE", "yyyy-MM-dd", span)?,
        Literal::Time(text) => parsed(text, LogicalType::Time(fraction(text)), "TIME", "HH:mm:ss", span)?,
        Literal::Timestamp(text) => {
            let ty = LogicalType::Timestamp(fraction(text), TimeKind::Regular);
            parsed(text, ty, "TIMESTAMP", "yyyy-MM-dd HH:mm:ss", span)?
        }
        Literal::Interval { value, negative, qualifier } => interval_literal(value, *negative, qualifier, span)?,
    })
}

fn bad(message: String, span: Span) -> Diagnostic {
    Diagnostic::error(BAD_LITERAL, message).at(span)
}

fn number(text: &str, span: Span) -> Result<Rex, Diagnostic> {
    if text.contains(['e', 'E']) {
        let value: f64 = text.parse().map_err(|_| bad(format!("Numeric literal '{text}' out of range"), span))?;
        let kind = RexKind::Literal { value: Value::Double(value), unit: scientific(text) };
        return Ok(Rex { kind, ty: DataType::not_null(LogicalType::Double) });
    }
    let out_of_range = || bad(format!("Numeric literal '{text}' out of range"), span);
    match text.split_once('.') {
        None => {
            let value: i128 = text.parse().map_err(|_| out_of_range())?;
            if let Ok(small) = i32::try_from(value) {
                return Ok(Rex::literal(Value::Int(small.into()), DataType::not_null(LogicalType::Int)));
            }
            if let Ok(big) = i64::try_from(value) {
                return Ok(Rex::literal(Value::Int(big), DataType::not_null(LogicalType::BigInt)));
            }
            Err(out_of_range())
        }
        Some((whole, part)) => {
            // Calcite holds the digits in 64 bits, and counts those that are written.
            let value: i64 = format!("{whole}{part}").parse().map_err(|_| out_of_range())?;
            let ty = LogicalType::Decimal((whole.len() + part.len()).clamp(1, 38) as u8, part.len() as u8);
            Ok(Rex::literal(Value::Decimal(value.into()), DataType::not_null(ty)))
        }
    }
}

/// An approximate number as plans show it: `1.50e2` is `1.50E2`, `10e0` is `1.0E1`.
fn scientific(text: &str) -> Option<String> {
    let (mantissa, exponent) = text.split_once(['e', 'E'])?;
    let exponent: i64 = exponent.parse().ok()?;
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{part}");
    let digits = all.trim_start_matches('0');
    let (first, rest) = if digits.is_empty() { ("0", "") } else { digits.split_at(1) };
    let shift = whole.len() as i64 - 1 - (all.len() - digits.len()) as i64;
    let point = if rest.is_empty() { String::new() } else { format!(".{rest}") };
    Some(format!("{first}{point}E{}", exponent + if digits.is_empty() { 0 } else { shift }))
}

/// The digits of the fraction of a second.
fn fraction(text: &str) -> u8 {
    text.rsplit_once('.').map_or(0, |(_, digits)| digits.trim_end().len().min(9) as u8)
}

/// A date or time by way of a cast, so that what a text means is said in one place.
fn parsed(text: &str, logical: LogicalType, name: &str, format: &str, span: Span) -> Result<Rex, Diagnostic> {
    let ty = DataType::not_null(logical);
    let source =
        Rex::literal(Value::String(text.to_string()), DataType::not_null(LogicalType::VarChar(DataType::MAX_LENGTH)));
    let value = source.cast(&ty, true).ok().and_then(|cast| evaluate(&cast));
    match value {
        Some(Value::Null) | None => {
            Err(bad(format!("Illegal {name} literal '{text}': not in format '{format}'"), span))
        }
        Some(value) => Ok(Rex::literal(value, ty)),
    }
}

/// The word of a unit of time.
pub fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Nanosecond => "NANOSECOND",
        TimeUnit::Microsecond => "MICROSECOND",
        TimeUnit::Millisecond => "MILLISECOND",
        TimeUnit::Second => "SECOND",
        TimeUnit::Minute => "MINUTE",
        TimeUnit::Hour => "HOUR",
        TimeUnit::Day => "DAY",
        TimeUnit::Week => "WEEK",
        TimeUnit::Month => "MONTH",
        TimeUnit::Quarter => "QUARTER",
        TimeUnit::Year => "YEAR",
        TimeUnit::Decade => "DECADE",
        TimeUnit::Century => "CENTURY",
        TimeUnit::Millennium => "MILLENNIUM",
        TimeUnit::Dow => "DOW",
        TimeUnit::Doy => "DOY",
        TimeUnit::IsoDow => "ISODOW",
        TimeUnit::IsoYear => "ISOYEAR",
        TimeUnit::Epoch => "EPOCH",
    }
}

/// A unit as a flag argument (`FLAG(YEAR)`).
pub fn unit_flag(unit: TimeUnit) -> Rex {
    let word = unit_name(unit).to_string();
    let ty = DataType::not_null(LogicalType::Char(word.len() as u32));
    Rex { kind: RexKind::Flag(word), ty }
}

/// The qualifier as plans show it: `SECOND`, `DAY TO SECOND`.
pub fn qualifier_text(qualifier: &IntervalQualifier) -> String {
    let digits = |precision: Option<u32>| precision.map(|p| format!("({p})")).unwrap_or_default();
    match qualifier.end {
        None => format!("{}{}", unit_name(qualifier.start), digits(qualifier.precision)),
        Some(end) => format!(
            "{}{} TO {}{}",
            unit_name(qualifier.start),
            digits(qualifier.precision),
            unit_name(end),
            digits(qualifier.fraction)
        ),
    }
}

/// How many milliseconds, or months, a unit has.
pub fn unit_length(unit: TimeUnit) -> Option<i64> {
    Some(match unit {
        TimeUnit::Millisecond => 1,
        TimeUnit::Second => 1_000,
        TimeUnit::Minute => 60_000,
        TimeUnit::Hour => 3_600_000,
        TimeUnit::Day => 86_400_000,
        TimeUnit::Week => 7 * 86_400_000,
        TimeUnit::Month => 1,
        TimeUnit::Quarter => 3,
        TimeUnit::Year => 12,
        TimeUnit::Decade => 120,
        TimeUnit::Century => 1_200,
        TimeUnit::Millennium => 12_000,
        _ => return None,
    })
}

fn interval_literal(text: &str, negative: bool, qualifier: &IntervalQualifier, span: Span) -> Result<Rex, Diagnostic> {
    let illegal =
        || bad(format!("Illegal interval literal format '{text}' for INTERVAL {}", qualifier_text(qualifier)), span);
    let trimmed = text.trim();
    let (sign, digits) = match trimmed.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let sign = if negative { -sign } else { sign };
    let precision = qualifier.precision.unwrap_or(2) as usize;
    let leading = digits.split([' ', ':', '-', '.']).next().unwrap_or_default().trim_start_matches('0');
    if leading.len() > precision && leading.bytes().all(|b| b.is_ascii_digit()) {
        let field = format!("{}({precision})", unit_name(qualifier.start));
        let shown = if sign < 0 { format!("-{leading}") } else { leading.to_string() };
        return Err(bad(format!("Interval field value {shown} exceeds precision of {field} field"), span));
    }
    let amount = match qualifier.end {
        None => single_field(digits, qualifier.start),
        Some(end) => fields(digits, qualifier.start, end),
    };
    let amount = amount.ok_or_else(illegal)?;
    let ty = DataType::not_null(interval(qualifier));
    // Months are an INT.
    if ty.logical == LogicalType::IntervalYearMonth && i32::try_from(sign * amount).is_err() {
        let field = unit_name(qualifier.start);
        return Err(bad(format!("Interval literal '{text}' of {field} is out of range"), span)
            .hint("An interval of years and months has at most 2147483647 months, 178956970 years and 7 months."));
    }
    let kind = RexKind::Literal { value: Value::Int(sign * amount), unit: Some(qualifier_text(qualifier)) };
    Ok(Rex { kind, ty })
}

fn single_field(digits: &str, unit: TimeUnit) -> Option<i64> {
    let length = unit_length(unit)?;
    if unit == TimeUnit::Second {
        return seconds(digits);
    }
    whole(digits)?.checked_mul(length)
}

fn whole(digits: &str) -> Option<i64> {
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// Seconds with a fraction, in milliseconds; what is finer is cut off.
fn seconds(digits: &str) -> Option<i64> {
    let (int, part) = digits.split_once('.').unwrap_or((digits, ""));
    if !part.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let millis: i64 = format!("{part:0<3}")[..3].parse().ok()?;
    whole(int)?.checked_mul(1_000)?.checked_add(millis)
}

/// `D HH:MM:SS.fff` and its parts, `Y-M`.
fn fields(digits: &str, start: TimeUnit, end: TimeUnit) -> Option<i64> {
    if let (TimeUnit::Year, TimeUnit::Month) = (start, end) {
        let (years, months) = digits.split_once('-')?;
        let months = whole(months)?;
        return (months < 12).then(|| whole(years)?.checked_mul(12)?.checked_add(months))?;
    }
    const UNITS: [TimeUnit; 4] = [TimeUnit::Day, TimeUnit::Hour, TimeUnit::Minute, TimeUnit::Second];
    let from = UNITS.iter().position(|unit| *unit == start)?;
    let to = UNITS.iter().position(|unit| *unit == end)?;
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = digits;
    if start == TimeUnit::Day && to > from {
        let (days, clock) = digits.split_once(' ')?;
        parts.push(days);
        rest = clock;
    }
    parts.extend(rest.split(':'));
    if to < from || parts.len() != to - from + 1 {
        return None;
    }
    let mut total = 0i64;
    for (i, (part, unit)) in parts.into_iter().zip(&UNITS[from..=to]).enumerate() {
        let amount = single_field(part, *unit)?;
        let limit = match unit {
            TimeUnit::Hour => 24 * 3_600_000,
            TimeUnit::Minute => 3_600_000,
            TimeUnit::Second => 60_000,
            _ => i64::MAX,
        };
        if i > 0 && amount >= limit {
            return None;
        }
        total = total.checked_add(amount)?;
    }
    Some(total)
}

/// A number with its sign.
pub fn signed(number: &Literal, span: Span) -> Result<Rex, Diagnostic> {
    let Literal::Number(text) = number else { return literal(number, span) };
    let digits = text.trim_start_matches('-');
    if digits == "2147483648" {
        let ty = DataType::not_null(LogicalType::Int);
        return Ok(Rex::literal(Value::Int(i32::MIN.into()), ty));
    }
    if digits == "9223372036854775808" {
        let ty = DataType::not_null(LogicalType::BigInt);
        return Ok(Rex::literal(Value::Int(i64::MIN), ty));
    }
    let positive = literal(&Literal::Number(digits.to_string()), span)?;
    let ty = positive.ty.clone();
    match positive.as_literal() {
        Some(Value::Int(value)) => Ok(Rex::literal(Value::Int(-value), ty)),
        Some(Value::Decimal(value)) => Ok(Rex::literal(Value::Decimal(-value), ty)),
        Some(Value::Double(value)) => Ok(Rex::literal(Value::Double(-value), ty)),
        _ => Err(Diagnostic::error(BAD_LITERAL, format!("Numeric literal '{text}' out of range")).at(span)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_calcites_types() {
        let ty = |text: &str| number(text, Span::NONE).unwrap().ty.logical;
        assert_eq!(ty("1"), LogicalType::Int);
        assert_eq!(ty("2147483648"), LogicalType::BigInt);
        assert_eq!(ty("1.5"), LogicalType::Decimal(2, 1));
        assert_eq!(ty("0.5"), LogicalType::Decimal(2, 1));
        assert_eq!(ty(".5"), LogicalType::Decimal(1, 1));
        assert_eq!(ty("123.450"), LogicalType::Decimal(6, 3));
        assert_eq!(ty("1e3"), LogicalType::Double);
        assert!(number("9223372036854775808", Span::NONE).is_err());
    }

    #[test]
    fn approximate_numbers_are_shown_with_one_digit_before_the_point() {
        assert_eq!(scientific("1e3").as_deref(), Some("1E3"));
        assert_eq!(scientific("0.001e0").as_deref(), Some("1E-3"));
        assert_eq!(scientific("100000000.0e0").as_deref(), Some("1.000000000E8"));
    }

    #[test]
    fn intervals_are_milliseconds_or_months() {
        assert_eq!(single_field("5", TimeUnit::Second), Some(5_000));
        assert_eq!(single_field("1.5", TimeUnit::Second), Some(1_500));
        assert_eq!(fields("1 02:03:04.005", TimeUnit::Day, TimeUnit::Second), Some(93_784_005));
        assert_eq!(fields("10:30", TimeUnit::Minute, TimeUnit::Second), Some(630_000));
        assert_eq!(fields("1-3", TimeUnit::Year, TimeUnit::Month), Some(15));
        assert_eq!(fields("1:99", TimeUnit::Minute, TimeUnit::Second), None);
    }
}
