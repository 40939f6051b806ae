//! The types that several values have in common, and those of arithmetic: Calcite's rules with Flink's type system.

use tidegate_data::{DataType, Field, LogicalType, decimal};

/// Precision and scale of a number as a DECIMAL.
pub(crate) fn as_decimal(ty: &LogicalType) -> Option<(u8, u8)> {
    match ty {
        LogicalType::TinyInt => Some((3, 0)),
        LogicalType::SmallInt => Some((5, 0)),
        LogicalType::Int => Some((10, 0)),
        LogicalType::BigInt => Some((19, 0)),
        LogicalType::Decimal(p, s) => Some((*p, *s)),
        _ => None,
    }
}

/// The type that takes the values of all these types (for CASE, COALESCE, UNION, VALUES, IN, `=`), if there is one.
/// Calcite's `leastRestrictive`.
pub fn common_type(types: &[DataType]) -> Option<DataType> {
    let nullable = types.iter().any(|ty| ty.nullable || ty.logical == LogicalType::Null);
    let logical = types.iter().map(|ty| ty.logical.clone()).try_fold(LogicalType::Null, |a, b| common(&a, &b))?;
    Some(DataType { logical, nullable })
}

fn common(a: &LogicalType, b: &LogicalType) -> Option<LogicalType> {
    use LogicalType::*;
    let pair = |a: &DataType, b: &DataType| common_type(&[a.clone(), b.clone()]);
    Some(match (a, b) {
        (Null, other) | (other, Null) => other.clone(),
        (a, b) if a == b => a.clone(),
        (Char(n) | VarChar(n), Char(m) | VarChar(m)) => {
            if matches!((a, b), (Char(n), Char(m)) if n == m) {
                Char(*n)
            } else {
                VarChar(*n.max(m))
            }
        }
        (Binary(n) | VarBinary(n), Binary(m) | VarBinary(m)) => {
            if matches!((a, b), (Binary(n), Binary(m)) if n == m) {
                Binary(*n)
            } else {
                VarBinary(*n.max(m))
            }
        }
        (a, b) if a.is_integer() && b.is_integer() => wider(a, b),
        // Of FLOAT and DOUBLE, whose precisions are equal to Calcite, the first.
        (a, b) if a.is_approximate() && b.is_approximate() => a.clone(),
        (Decimal(..), b) if b.is_approximate() => Double,
        (a, Decimal(..)) if a.is_approximate() => Double,
        (a, b) if a.is_approximate() && b.is_integer() => a.clone(),
        (a, b) if a.is_integer() && b.is_approximate() => b.clone(),
        (a, b) if a.is_exact_numeric() && b.is_exact_numeric() => {
            let (p, s) = decimal::common_type(as_decimal(a)?, as_decimal(b)?);
            Decimal(p, s)
        }
        (Time(p), Time(q)) => Time(*p.max(q)),
        (Timestamp(p, _), Timestamp(q, _)) => Timestamp(*p.max(q), tidegate_data::TimeKind::Regular),
        (TimestampLtz(p, _) | Timestamp(p, _), TimestampLtz(q, _) | Timestamp(q, _)) => {
            TimestampLtz(*p.max(q), tidegate_data::TimeKind::Regular)
        }
        (Array(a), Array(b)) => Array(Box::new(pair(a, b)?)),
        (Multiset(a), Multiset(b)) => Multiset(Box::new(pair(a, b)?)),
        (Map(a, v), Map(b, w)) => Map(Box::new(pair(a, b)?), Box::new(pair(v, w)?)),
        (Row(a), Row(b)) if a.len() == b.len() => {
            let fields = a.iter().zip(b).map(|(a, b)| Some(Field { name: a.name.clone(), ty: pair(&a.ty, &b.ty)? }));
            Row(fields.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

fn wider(a: &LogicalType, b: &LogicalType) -> LogicalType {
    if as_decimal(a) >= as_decimal(b) { a.clone() } else { b.clone() }
}

/// The type of `+`, `-`, `*` or `/` over numbers; `of_decimals` is the rule where a DECIMAL takes part.
pub(crate) fn arithmetic(
    a: &LogicalType,
    b: &LogicalType,
    of_decimals: fn((u8, u8), (u8, u8)) -> (u8, u8),
) -> Option<LogicalType> {
    let decimals = matches!(a, LogicalType::Decimal(..)) || matches!(b, LogicalType::Decimal(..));
    match (as_decimal(a), as_decimal(b)) {
        (Some(a), Some(b)) if decimals => {
            let (p, s) = of_decimals(a, b);
            Some(LogicalType::Decimal(p, s))
        }
        _ => common(a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_types_are_calcites() {
        use LogicalType::*;
        let check = |a: LogicalType, b: LogicalType, expected: Option<LogicalType>| {
            let common = common_type(&[DataType::new(a), DataType::not_null(b)]);
            assert_eq!(common.map(|ty| ty.logical), expected);
        };
        check(Int, BigInt, Some(BigInt));
        check(Int, Decimal(5, 2), Some(Decimal(12, 2)));
        check(Float, Double, Some(Float));
        check(Float, Decimal(2, 1), Some(Double));
        check(Float, BigInt, Some(Float));
        check(Char(3), Char(3), Some(Char(3)));
        check(Char(3), Char(5), Some(VarChar(5)));
        check(Char(3), DataType::string().logical, Some(DataType::string().logical));
        check(Int, Char(1), None);
        check(Boolean, Int, None);
        check(Null, Date, Some(Date));
    }
}
