//! When two values are equal, which comes first, and in what order a Java HashMap goes through its keys.

use std::cmp::Ordering;
use tidegate_data::sorted;

use tidegate_data::Value;

/// Whether two values are the same one; NULL is, to itself.
pub(in crate::functions) fn equal(a: &Value, b: &Value) -> bool {
    a == b
}

/// The order of two values of one type that has an order: NULL is before all, NaN behind all.
pub(in crate::functions) fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Decimal(a), Value::Decimal(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.total_cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::List(a), Value::List(b)) => {
            a.iter().zip(b).map(|(a, b)| compare(a, b)).find(|order| order.is_ne()).unwrap_or(a.len().cmp(&b.len()))
        }
        (a, b) => b.is_null().cmp(&a.is_null()),
    }
}

/// A map of these entries, each key once: with its first value, or with its last one at the place of its first.
pub(super) fn deduplicated(entries: impl IntoIterator<Item = (Value, Value)>, last_wins: bool) -> Value {
    let mut kept: Vec<(Value, Value)> = Vec::new();
    for (key, value) in entries {
        match kept.iter_mut().find(|(own, _)| equal(own, &key)) {
            Some(known) if last_wins => known.1 = value,
            Some(_) => {}
            None => kept.push((key, value)),
        }
    }
    Value::Map(kept)
}

/// The same with texts as keys, in the order in which a Java HashMap goes through them; `room` is what it was made for.
pub(super) fn as_hash_map(entries: impl IntoIterator<Item = (Value, Value)>, room: usize) -> Value {
    let Value::Map(mut kept) = deduplicated(entries, true) else { return Value::Null };
    let mut buckets = room.max(1).next_power_of_two();
    while kept.len() * 4 > buckets * 3 {
        buckets *= 2;
    }
    let bucket = |key: &Value| {
        let hash = text_hash(key).unwrap_or_default() as u32;
        (hash ^ (hash >> 16)) as usize & (buckets - 1)
    };
    sorted::sort_by_key(&mut kept, |(key, _)| bucket(key));
    Value::Map(kept)
}

/// Java's `String.hashCode`.
fn text_hash(value: &Value) -> Option<i32> {
    let Value::String(text) = value else { return None };
    Some(text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit))))
}
