//! A set of ranges of one type (Calcite's Sarg): `x BETWEEN 2 AND 3` is `SEARCH(x, Sarg[[2..3]])`.

use std::cmp::Ordering;
use tidegate_data::sorted;

use tidegate_data::{DataType, Value};

use crate::rex::Rex;

/// Ranges in order, none of which touch, and what NULL gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Sarg {
    /// The ranges, ascending.
    pub ranges: Vec<Range>,
    /// The type of the bounds.
    pub ty: DataType,
    /// What a NULL gives: TRUE, FALSE, or UNKNOWN.
    pub null_as: Option<bool>,
}

/// One range; a bound is a value and whether it belongs to the range.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Where it begins; `None` is minus infinity.
    pub low: Option<(Value, bool)>,
    /// Where it ends; `None` is plus infinity.
    pub high: Option<(Value, bool)>,
}

impl Range {
    /// Everything.
    pub const ALL: Range = Range { low: None, high: None };

    /// The range of one value.
    pub fn point(value: Value) -> Range {
        Range { low: Some((value.clone(), true)), high: Some((value, true)) }
    }

    /// The value of a range of one value.
    pub fn as_point(&self) -> Option<&Value> {
        match (&self.low, &self.high) {
            (Some((low, true)), Some((high, true))) if low == high => Some(low),
            _ => None,
        }
    }

    fn is_empty(&self) -> bool {
        match (&self.low, &self.high) {
            (Some((low, low_in)), Some((high, high_in))) => match compare(low, high) {
                Some(Ordering::Less) => false,
                Some(Ordering::Equal) => !(*low_in && *high_in),
                _ => true,
            },
            _ => false,
        }
    }

    fn intersect(&self, other: &Range) -> Range {
        let low = match (&self.low, &other.low) {
            (None, bound) | (bound, None) => bound.clone(),
            (Some(a), Some(b)) => Some(match compare(&a.0, &b.0) {
                Some(Ordering::Greater) => a.clone(),
                Some(Ordering::Equal) => (a.0.clone(), a.1 && b.1),
                _ => b.clone(),
            }),
        };
        let high = match (&self.high, &other.high) {
            (None, bound) | (bound, None) => bound.clone(),
            (Some(a), Some(b)) => Some(match compare(&a.0, &b.0) {
                Some(Ordering::Less) => a.clone(),
                Some(Ordering::Equal) => (a.0.clone(), a.1 && b.1),
                _ => b.clone(),
            }),
        };
        Range { low, high }
    }
}

impl Sarg {
    /// The lowest and the highest whole number in it, where it is one range.
    pub fn integer_range(&self) -> Option<(Option<i64>, Option<i64>)> {
        let [range] = self.ranges.as_slice() else { return None };
        let bound = |bound: &Option<(Value, bool)>, inwards: i64| match bound {
            None => Some(None),
            Some((Value::Int(n), included)) => Some(Some(if *included { *n } else { n + inwards })),
            Some(_) => None,
        };
        Some((bound(&range.low, 1)?, bound(&range.high, -1)?))
    }

    /// What both hold.
    pub fn intersect(left: &[Range], right: &[Range]) -> Vec<Range> {
        let all = left.iter().flat_map(|a| right.iter().map(|b| a.intersect(b)));
        normalize(all.filter(|range| !range.is_empty()).collect())
    }

    /// What either holds.
    pub fn unite(left: &[Range], right: &[Range]) -> Vec<Range> {
        normalize(left.iter().chain(right).cloned().collect())
    }

    /// What is left when some ranges are taken away from everything.
    pub fn complement(ranges: &[Range]) -> Vec<Range> {
        let mut rest = Vec::new();
        let mut low: Option<(Value, bool)> = None;
        for range in ranges {
            if let Some((value, included)) = &range.low {
                let gap = Range { low: low.clone(), high: Some((value.clone(), !included)) };
                if !gap.is_empty() {
                    rest.push(gap);
                }
            }
            match &range.high {
                Some((value, included)) => low = Some((value.clone(), !included)),
                None => return rest,
            }
        }
        rest.push(Range { low, high: None });
        rest
    }

    /// Whether it holds a few single values and nothing else.
    pub fn points(&self) -> Option<Vec<&Value>> {
        self.ranges.iter().map(Range::as_point).collect()
    }

    /// Whether it holds everything but a few single values.
    pub fn excluded_points(&self) -> Option<Vec<Value>> {
        let gaps = Sarg::complement(&self.ranges);
        if gaps.is_empty() {
            return None;
        }
        gaps.iter().map(|gap| gap.as_point().cloned()).collect()
    }

    /// The same as comparisons with AND and OR.
    pub fn expand(&self, operand: &Rex) -> Rex {
        let literal = |value: &Value| Rex::literal(value.clone(), self.ty.with_nullable(false));
        let ty = DataType { logical: tidegate_data::LogicalType::Boolean, nullable: operand.ty.nullable };
        let compare = |op: &str, value: &Value| Rex::typed_call(op, vec![operand.clone(), literal(value)], ty.clone());
        let mut expanded = if let Some(points) = self.excluded_points() {
            Rex::and(points.iter().map(|value| compare("<>", value)).collect())
        } else {
            let terms = self.ranges.iter().map(|range| {
                if let Some(value) = range.as_point() {
                    return compare("=", value);
                }
                let low = range.low.iter().map(|(value, included)| compare(if *included { ">=" } else { ">" }, value));
                let high =
                    range.high.iter().map(|(value, included)| compare(if *included { "<=" } else { "<" }, value));
                Rex::and(low.chain(high).collect())
            });
            Rex::or(terms.collect())
        };
        let not_null = DataType::not_null(tidegate_data::LogicalType::Boolean);
        match self.null_as {
            Some(true) => {
                expanded = Rex::or(vec![Rex::typed_call("IS NULL", vec![operand.clone()], not_null), expanded])
            }
            Some(false) => {
                expanded = Rex::and(vec![Rex::typed_call("IS NOT NULL", vec![operand.clone()], not_null), expanded]);
            }
            None => {}
        }
        expanded
    }
}

/// Sorts ranges and joins those that touch.
fn normalize(mut ranges: Vec<Range>) -> Vec<Range> {
    sorted::sort_by(&mut ranges, |a, b| match (&a.low, &b.low) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(x), Some(y)) => compare(&x.0, &y.0).unwrap_or(Ordering::Equal).then(y.1.cmp(&x.1)),
    });
    let mut joined: Vec<Range> = Vec::new();
    for range in ranges {
        if let Some(last) = joined.last_mut() {
            let touches = match (&last.high, &range.low) {
                (None, _) | (_, None) => true,
                (Some((high, high_in)), Some((low, low_in))) => match compare(high, low) {
                    Some(Ordering::Greater) => true,
                    Some(Ordering::Equal) => *high_in || *low_in,
                    _ => false,
                },
            };
            if touches {
                last.high = match (last.high.take(), range.high) {
                    (None, _) | (_, None) => None,
                    (Some(a), Some(b)) => Some(match compare(&a.0, &b.0) {
                        Some(Ordering::Greater) => a,
                        Some(Ordering::Equal) => (a.0, a.1 || b.1),
                        _ => b,
                    }),
                };
                continue;
            }
        }
        joined.push(range);
    }
    joined
}

/// The order of two constants of one type; `None` where there is none (NaN, NULL, collections).
pub fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Decimal(a), Value::Decimal(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: Option<(i64, bool)>, high: Option<(i64, bool)>) -> Range {
        let bound = |b: Option<(i64, bool)>| b.map(|(value, included)| (Value::Int(value), included));
        Range { low: bound(low), high: bound(high) }
    }

    #[test]
    fn ranges_unite_and_intersect() {
        let at_least_5 = [range(Some((5, true)), None)];
        let at_most_15 = [range(None, Some((15, true)))];
        assert_eq!(Sarg::intersect(&at_least_5, &at_most_15), [range(Some((5, true)), Some((15, true)))]);
        assert_eq!(Sarg::unite(&at_least_5, &at_most_15), [Range::ALL]);
        let below_5 = [range(None, Some((5, false)))];
        assert!(Sarg::intersect(&at_least_5, &below_5).is_empty());
        assert_eq!(Sarg::complement(&at_least_5), below_5);
        assert_eq!(
            Sarg::complement(&[Range::point(Value::Int(1))]),
            [range(None, Some((1, false))), range(Some((1, false)), None)]
        );
    }
}
