//! What an aggregate function is given, and what it gives back, for a chunk of rows.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, PrimitiveArray, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as ArrowType, TimeUnit};
use tidegate_data::{DataType, Value, build_column};

/// Rows for one aggregate call.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The group of each row, as slot of the state columns.
    pub slots: &'a [u32],
    /// The arguments' columns.
    pub args: &'a [ArrayRef],
    /// What each row does: 1 is added, -1 is retracted, 0 does not count (NULL, FILTER, a repeated value). `None`: all rows are added.
    pub deltas: Option<&'a [i8]>,
    /// What each row means for its group; `None`: no group goes away and no row is ignored.
    pub steps: Option<&'a [Step]>,
}

/// What a row means for its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Step {
    /// It is the group's first: there is no result before it.
    First,
    /// The group was there, and stays.
    Next,
    /// It takes the group's last row away: the result before it is the last, then the state is as at the start.
    Last,
    /// It retracts from a group that is not there: nothing happens.
    Ignored,
}

/// Which results are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// None: only the state is brought up to date.
    Nothing,
    /// One per row: after it, or before it where the row is the group's last.
    After,
    /// Two per row: before and after it.
    Both,
}

/// Results in the making: one value per position, some of them without meaning (a group's result before its first row).
#[derive(Clone, Debug)]
pub struct Results {
    pub(super) values: ResultValues,
    /// Which are not NULL; `None`: all.
    pub(super) valid: Option<Vec<bool>>,
}

#[derive(Clone, Debug)]
pub(super) enum ResultValues {
    I64(Vec<i64>),
    I128(Vec<i128>),
    F64(Vec<f64>),
    Bytes(Vec<Option<Arc<[u8]>>>),
    /// Of any type; NULLs are among them.
    Other(Vec<Value>),
}

impl Results {
    /// Keeps the values at these positions, ascending.
    pub fn select(&mut self, positions: &[u32]) {
        fn pick<T: Clone>(values: &mut Vec<T>, positions: &[u32]) {
            for (to, from) in positions.iter().enumerate() {
                if to != *from as usize {
                    values[to] = values[*from as usize].clone();
                }
            }
            values.truncate(positions.len());
        }
        match &mut self.values {
            ResultValues::I64(values) => pick(values, positions),
            ResultValues::I128(values) => pick(values, positions),
            ResultValues::F64(values) => pick(values, positions),
            ResultValues::Bytes(values) => pick(values, positions),
            ResultValues::Other(values) => pick(values, positions),
        }
        if let Some(valid) = &mut self.valid {
            pick(valid, positions);
        }
    }

    /// The values as a column of `ty`.
    pub fn finish(self, ty: &DataType) -> ArrayRef {
        let valid = self.valid.filter(|valid| valid.iter().any(|valid| !valid));
        let nulls = valid.map(NullBuffer::from);
        match (self.values, ty.arrow()) {
            (ResultValues::I64(values), arrow) => finish_integers(values, nulls, &arrow),
            (ResultValues::I128(values), arrow) => {
                Arc::new(PrimitiveArray::<Decimal128Type>::new(values.into(), nulls).with_data_type(arrow))
            }
            (ResultValues::Other(values), _) => build_column(ty, &values).expect("results are of their type"),
            (ResultValues::F64(values), ArrowType::Float32) => {
                let values = values.iter().map(|value| *value as f32).collect();
                Arc::new(PrimitiveArray::<Float32Type>::new(values, nulls))
            }
            (ResultValues::F64(values), _) => Arc::new(PrimitiveArray::<Float64Type>::new(values.into(), nulls)),
            (ResultValues::Bytes(values), ArrowType::Utf8) => {
                let text = |bytes: &Option<Arc<[u8]>>| {
                    bytes.as_ref().map(|bytes| String::from_utf8(bytes.to_vec()).expect("a string stays one"))
                };
                Arc::new(values.iter().map(text).collect::<StringArray>())
            }
            (ResultValues::Bytes(values), _) => {
                Arc::new(values.iter().map(|bytes| bytes.as_deref()).collect::<BinaryArray>())
            }
        }
    }
}

fn finish_integers(values: Vec<i64>, nulls: Option<NullBuffer>, ty: &ArrowType) -> ArrayRef {
    fn wide<T: ArrowPrimitiveType<Native = i64>>(values: Vec<i64>, nulls: Option<NullBuffer>) -> ArrayRef {
        Arc::new(PrimitiveArray::<T>::new(values.into(), nulls))
    }
    fn narrow<T: ArrowPrimitiveType>(
        values: Vec<i64>,
        nulls: Option<NullBuffer>,
        convert: impl Fn(i64) -> T::Native,
    ) -> ArrayRef {
        Arc::new(PrimitiveArray::<T>::new(values.into_iter().map(convert).collect(), nulls))
    }
    match ty {
        ArrowType::Boolean => {
            let values = values.iter().map(|value| *value != 0).collect::<Vec<_>>();
            Arc::new(BooleanArray::new(values.into(), nulls))
        }
        ArrowType::Int8 => narrow::<Int8Type>(values, nulls, |value| value as i8),
        ArrowType::Int16 => narrow::<Int16Type>(values, nulls, |value| value as i16),
        ArrowType::Int32 => narrow::<Int32Type>(values, nulls, |value| value as i32),
        ArrowType::Date32 => narrow::<Date32Type>(values, nulls, |value| value as i32),
        ArrowType::Time32(_) => narrow::<Time32MillisecondType>(values, nulls, |value| value as i32),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => wide::<TimestampMillisecondType>(values, nulls),
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => wide::<TimestampMicrosecondType>(values, nulls),
        ArrowType::Timestamp(_, _) => wide::<TimestampNanosecondType>(values, nulls),
        _ => wide::<Int64Type>(values, nulls),
    }
}

/// The multisets of values that some functions need under retraction, one per group. Whoever runs the function keeps them.
pub trait Multiset {
    /// Adds `delta` to the count of a value (as `encode_cell` writes it) and gives the new count; at 0 the value is gone.
    fn add(&mut self, slot: u32, value: &[u8], delta: i64) -> i64;
    /// The lowest value, of whatever count.
    fn first(&self, slot: u32) -> Option<Vec<u8>>;
    /// The highest value, of whatever count.
    fn last(&self, slot: u32) -> Option<Vec<u8>>;
    /// Removes all values of a group.
    fn clear(&mut self, slot: u32);
}
