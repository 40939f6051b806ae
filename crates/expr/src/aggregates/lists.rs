//! FIRST_VALUE, LAST_VALUE, SINGLE_VALUE, LISTAGG, ARRAY_AGG, COLLECT, PERCENTILE, and of the functions with OVER: LAG, RANK, DENSE_RANK.
//!
//! What is taken away is the oldest of equal values (Flink's `FirstValueWithRetractAggFunction` and its kin).

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use tidegate_data::keys::encode::decode_value;
use tidegate_data::{DataType, LogicalType, Value, value_at};

use super::columns::{bytes_at, encode_value};
use super::dynamic::{Items, Listed};

fn encoded(args: &[ArrayRef], row: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_value(&mut bytes, &args[0], row);
    bytes
}

fn remove(items: &mut Items, item: &[u8]) {
    if let Some(position) = items.iter().position(|own| own == item) {
        items.remove(position);
    }
}

fn decoded(item: Option<&Vec<u8>>, ty: &DataType) -> Value {
    item.map_or(Value::Null, |item| decode_value(&mut &item[..], ty))
}

/// FIRST_VALUE and LAST_VALUE.
pub(super) struct Edge {
    pub(super) ty: DataType,
    pub(super) last: bool,
    /// Whether all values have to be kept.
    pub(super) retracting: bool,
}

impl Listed for Edge {
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        if !self.retracting && !items.is_empty() {
            if !self.last {
                return;
            }
            items.clear();
        }
        items.push(encoded(args, row));
    }
    fn retract(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        remove(items, &encoded(args, row));
    }
    fn value(&self, items: &[Vec<u8>]) -> Value {
        decoded(if self.last { items.last() } else { items.first() }, &self.ty)
    }
    fn label(&self) -> &'static str {
        if self.last { "last" } else { "first" }
    }
}

/// The value of the only row: a second one at the same time is a fault, and stays one.
pub(super) struct Single {
    pub(super) ty: DataType,
}

impl Listed for Single {
    fn can_fail(&self) -> bool {
        true
    }
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        items.push(encoded(args, row));
    }
    fn retract(&self, items: &mut Items, _args: &[ArrayRef], _row: usize) {
        if items.len() == 1 {
            items.clear();
        }
    }
    fn value(&self, items: &[Vec<u8>]) -> Value {
        decoded(items.first(), &self.ty)
    }
    fn skips_nulls(&self) -> bool {
        false
    }
    fn fault(&self, items: &[Vec<u8>]) -> Option<&'static str> {
        (items.len() > 1).then_some("SingleValueAggFunction received more than one element.")
    }
    fn label(&self) -> &'static str {
        "single"
    }
}

/// LISTAGG(text [, delimiter]).
pub(super) struct ListAgg;

impl Listed for ListAgg {
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        if items.is_empty() {
            items.push(args.get(1).map_or(b",".to_vec(), |delimiter| bytes_at(delimiter, row).to_vec()));
        }
        items.push(bytes_at(&args[0], row).to_vec());
    }
    fn retract(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        let text = bytes_at(&args[0], row);
        if let Some(position) = items.iter().skip(1).position(|own| own == text) {
            items.remove(position + 1);
        }
        if items.len() == 1 {
            items.clear();
        }
    }
    fn value(&self, items: &[Vec<u8>]) -> Value {
        match items.split_first() {
            None => Value::Null,
            Some((delimiter, texts)) => {
                let text = texts.join(&delimiter[..]);
                Value::String(String::from_utf8_lossy(&text).into_owned())
            }
        }
    }
    fn label(&self) -> &'static str {
        "list"
    }
}

/// ARRAY_AGG(x).
pub(super) struct ArrayAgg {
    pub(super) ty: DataType,
}

impl Listed for ArrayAgg {
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        items.push(encoded(args, row));
    }
    fn retract(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        remove(items, &encoded(args, row));
    }
    fn value(&self, items: &[Vec<u8>]) -> Value {
        if items.is_empty() {
            return Value::Null;
        }
        Value::List(items.iter().map(|item| decoded(Some(item), &self.ty)).collect())
    }
    fn skips_nulls(&self) -> bool {
        false
    }
    fn label(&self) -> &'static str {
        "list"
    }
}

/// COLLECT(x): values with their counts.
pub(super) struct Collect {
    pub(super) ty: DataType,
}

impl Listed for Collect {
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        items.push(encoded(args, row));
    }
    fn retract(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        remove(items, &encoded(args, row));
    }
    fn value(&self, items: &[Vec<u8>]) -> Value {
        let mut counts: Vec<(&Vec<u8>, i64)> = Vec::new();
        for item in items {
            match counts.iter_mut().find(|(own, _)| *own == item) {
                Some((_, count)) => *count += 1,
                None => counts.push((item, 1)),
            }
        }
        let entry = |(item, count): (&Vec<u8>, i64)| (decoded(Some(item), &self.ty), Value::Int(count));
        Value::Map(counts.into_iter().map(entry).collect())
    }
    fn label(&self) -> &'static str {
        "multiset"
    }
}

/// PERCENTILE(x, fraction): between the two values around the place, in proportion.
pub(super) struct Percentile {
    pub(super) ty: DataType,
    pub(super) fraction: DataType,
}

fn as_double(value: &Value, ty: &DataType) -> f64 {
    match (value, &ty.logical) {
        (Value::Int(n), _) => *n as f64,
        (Value::Float(x), _) => f64::from(*x),
        (Value::Double(x), _) => *x,
        (Value::Decimal(n), LogicalType::Decimal(_, scale)) => tidegate_data::decimal::to_double(*n, *scale),
        _ => f64::NAN,
    }
}

fn double_at(column: &ArrayRef, row: usize, ty: &DataType) -> [u8; 8] {
    as_double(&value_at(column.as_ref(), row, ty), ty).to_be_bytes()
}

impl Listed for Percentile {
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        if items.is_empty() {
            items.push(double_at(&args[1], row, &self.fraction).to_vec());
        }
        items.push(double_at(&args[0], row, &self.ty).to_vec());
    }
    fn retract(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        let value = double_at(&args[0], row, &self.ty);
        if let Some(position) = items.iter().skip(1).position(|own| own[..] == value) {
            items.remove(position + 1);
        }
        if items.len() == 1 {
            items.clear();
        }
    }
    fn value(&self, items: &[Vec<u8>]) -> Value {
        let number = |item: &Vec<u8>| f64::from_be_bytes(item[..].try_into().unwrap_or_default());
        let Some((fraction, values)) = items.split_first() else { return Value::Null };
        let mut values: Vec<f64> = values.iter().map(number).collect();
        values.sort_by(f64::total_cmp);
        // From 1, as Flink counts: what is rounded away depends on it.
        let place = number(fraction) * (values.len() - 1) as f64 + 1.0;
        let (low, high) = (place.floor(), place.ceil());
        let at = |place: f64| values.get((place as usize).wrapping_sub(1)).copied().unwrap_or(f64::NAN);
        if low == high {
            return Value::Double(at(low));
        }
        Value::Double((high - place) * at(low) + (place - low) * at(high))
    }
    fn label(&self) -> &'static str {
        "values"
    }
}

/// LAG(x, offset, default): the values of the last rows.
pub(super) struct Lag {
    pub(super) ty: DataType,
}

impl Listed for Lag {
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        // In front: the offset, the default.
        if items.is_empty() {
            let offset = args.get(1).map_or(1, |offset| offset.as_primitive::<Int32Type>().value(row).max(0));
            items.push(offset.to_be_bytes().to_vec());
            let mut default = Vec::new();
            match args.get(2) {
                Some(column) => encode_value(&mut default, column, row),
                None => default.push(0),
            }
            items.push(default);
        }
        items.push(encoded(args, row));
        if items.len() > 3 + offset_of(items) {
            items.remove(2);
        }
    }
    fn retract(&self, _items: &mut Items, _args: &[ArrayRef], _row: usize) {
        debug_assert!(false, "LAG has no frame that rows leave");
    }
    fn value(&self, items: &[Vec<u8>]) -> Value {
        match items.len() {
            0 => Value::Null,
            length if length == 3 + offset_of(items) => decoded(items.get(2), &self.ty),
            _ => decoded(items.get(1), &self.ty),
        }
    }
    fn skips_nulls(&self) -> bool {
        false
    }
    fn label(&self) -> &'static str {
        "lag"
    }
}

fn offset_of(items: &[Vec<u8>]) -> usize {
    let bytes = items.first().and_then(|bytes| bytes[..].try_into().ok()).unwrap_or_default();
    i32::from_be_bytes(bytes) as usize
}

/// RANK() and DENSE_RANK() over the order's columns.
pub(super) struct Ranking {
    pub(super) dense: bool,
}

impl Listed for Ranking {
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        let mut key = Vec::new();
        args.iter().for_each(|column| encode_value(&mut key, column, row));
        let number = |item: Option<&Vec<u8>>| {
            i64::from_be_bytes(item.and_then(|bytes| bytes[..].try_into().ok()).unwrap_or_default())
        };
        let (rank, count) = (number(items.first()), number(items.get(1)));
        let rank = match items.get(2) {
            Some(last) if *last == key => rank,
            _ if self.dense => rank + 1,
            _ => count + 1,
        };
        *items = vec![rank.to_be_bytes().to_vec(), (count + 1).to_be_bytes().to_vec(), key];
    }
    fn retract(&self, _items: &mut Items, _args: &[ArrayRef], _row: usize) {
        debug_assert!(false, "ranks are over all rows so far");
    }
    fn value(&self, items: &[Vec<u8>]) -> Value {
        let bytes = items.first().and_then(|bytes| bytes[..].try_into().ok()).unwrap_or_default();
        Value::Int(i64::from_be_bytes(bytes))
    }
    fn skips_nulls(&self) -> bool {
        false
    }
    fn label(&self) -> &'static str {
        "rank"
    }
}
