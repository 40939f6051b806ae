//! Which casts there are, by themselves and on demand (Flink's `LogicalTypeCasts` and the table in its documentation).

use crate::{DataType, LogicalType};

/// Whether a value of one type becomes one of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// Wherever the other type is wanted.
    Implicit,
    /// Only where CAST or TRY_CAST says so.
    Explicit,
    /// Never.
    No,
}

/// What a cast from one type to another would be. Nullability counts only for [`Cast::Implicit`]: NULL does not become `NOT NULL` by itself.
pub fn can_cast(from: &DataType, to: &DataType) -> Cast {
    match between(&from.logical, &to.logical) {
        Cast::Implicit if from.nullable && !to.nullable => Cast::Explicit,
        cast => cast,
    }
}

fn between(from: &LogicalType, to: &LogicalType) -> Cast {
    use LogicalType::*;
    let explicit = |allowed: bool| if allowed { Cast::Explicit } else { Cast::No };
    let implicit = |first: bool, second: bool| if first { Cast::Implicit } else { explicit(second) };
    match (from, to) {
        (Null, _) => Cast::Implicit,
        (from, to) if from.without_time_attribute() == to.without_time_attribute() => Cast::Implicit,
        (Char(_), Char(_)) => Cast::Implicit,
        (_, Char(_)) => Cast::Explicit,
        (_, VarChar(_)) => implicit(from.is_character(), true),
        (_, Boolean) => explicit(from.is_character() || from.is_numeric()),
        (_, Binary(_)) => implicit(matches!(from, Binary(_)), from.is_character() || from.is_binary()),
        (_, VarBinary(_)) => implicit(from.is_binary(), from.is_character()),
        (_, Decimal(..) | Double) => implicit(from.is_numeric(), from.is_character() || *from == Boolean),
        (_, Float) => implicit(
            from.is_exact_numeric() || *from == Float,
            from.is_numeric() || from.is_character() || *from == Boolean,
        ),
        (_, TinyInt | SmallInt | Int | BigInt) => implicit(
            from.is_integer() && width(from) <= width(to),
            from.is_numeric() || from.is_character() || *from == Boolean,
        ),
        (_, Date) => implicit(matches!(from, Timestamp(..)), from.is_timestamp() || from.is_character()),
        (_, Time(_)) => implicit(matches!(from, Time(_) | Timestamp(..)), from.is_timestamp() || from.is_character()),
        (_, Timestamp(..) | TimestampLtz(..)) => {
            implicit(from.is_timestamp(), from.is_datetime() || from.is_character())
        }
        (Array(from), Array(to)) | (Multiset(from), Multiset(to)) => between(&from.logical, &to.logical),
        (Map(from_key, from_value), Map(to_key, to_value)) => {
            least(between(&from_key.logical, &to_key.logical), between(&from_value.logical, &to_value.logical))
        }
        (Row(from), Row(to)) if from.len() == to.len() => {
            from.iter().zip(to).map(|(from, to)| between(&from.ty.logical, &to.ty.logical)).fold(Cast::Implicit, least)
        }
        _ => Cast::No,
    }
}

fn least(a: Cast, b: Cast) -> Cast {
    match (a, b) {
        (Cast::No, _) | (_, Cast::No) => Cast::No,
        (Cast::Explicit, _) | (_, Cast::Explicit) => Cast::Explicit,
        _ => Cast::Implicit,
    }
}

fn width(ty: &LogicalType) -> u8 {
    match ty {
        LogicalType::TinyInt => 1,
        LogicalType::SmallInt => 2,
        LogicalType::Int => 4,
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeKind;

    #[test]
    fn the_table_of_casts() {
        let cast = |from: LogicalType, to: LogicalType| can_cast(&DataType::new(from), &DataType::new(to));
        let timestamp = || LogicalType::Timestamp(3, TimeKind::Regular);
        assert_eq!(cast(LogicalType::Int, LogicalType::BigInt), Cast::Implicit);
        assert_eq!(cast(LogicalType::BigInt, LogicalType::Int), Cast::Explicit);
        assert_eq!(cast(LogicalType::Int, timestamp()), Cast::No);
        assert_eq!(cast(timestamp(), LogicalType::BigInt), Cast::No);
        assert_eq!(cast(LogicalType::Date, LogicalType::Time(0)), Cast::No);
        assert_eq!(cast(LogicalType::Date, timestamp()), Cast::Explicit);
        assert_eq!(cast(LogicalType::Null, timestamp()), Cast::Implicit);
        assert_eq!(cast(LogicalType::VarChar(5), LogicalType::VarChar(9)), Cast::Implicit);
        assert_eq!(can_cast(&DataType::new(LogicalType::Int), &DataType::not_null(LogicalType::Int)), Cast::Explicit);
    }
}
