//! What a kernel is given, and typed views of it.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, PrimitiveArray, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use tidegate_data::{DataType, LogicalType, cast_column};

use crate::Expr;
use crate::eval::{Datum, EvalContext, EvalError, union_nulls};

/// A call whose arguments have been evaluated.
pub(crate) struct Call<'a> {
    /// Their values; at least one is a column unless there is only one row.
    pub values: &'a [Datum],
    /// The arguments, for their types.
    pub args: &'a [Expr],
    /// The result type.
    pub ty: &'a DataType,
    /// The number of rows.
    pub len: usize,
    /// The surroundings.
    pub ctx: &'a EvalContext,
}

impl<'a> Call<'a> {
    /// The type of an argument.
    pub fn arg_type(&self, index: usize) -> &'a LogicalType {
        &self.args[index].ty.logical
    }

    /// Where no argument is NULL.
    pub fn nulls(&self) -> Option<NullBuffer> {
        union_nulls(self.values)
    }

    /// An argument as another type, converted if it has to be.
    pub fn as_type(&self, index: usize, to: &LogicalType) -> Result<Datum, EvalError> {
        let from = &self.args[index].ty;
        let value = &self.values[index];
        if from.logical == *to {
            return Ok(value.clone());
        }
        value.try_map(|array| Ok(cast_column(array, from, &DataType::new(to.clone()), false, self.ctx.zone)?))
    }

    /// An argument of an integer type, as 64-bit integers.
    pub fn integers(&self, index: usize) -> Result<Numbers<Int64Type>, EvalError> {
        Ok(Numbers::new(&self.as_type(index, &LogicalType::BigInt)?))
    }

    /// An interval (or an integer) as a 64-bit integer: months or milliseconds.
    pub fn integers_of_interval(&self, index: usize) -> Result<Numbers<Int64Type>, EvalError> {
        match self.arg_type(index) {
            LogicalType::IntervalDayTime => Ok(self.numbers(index)),
            LogicalType::IntervalYearMonth => Ok(self.numbers::<Int32Type>(index).map(i64::from)),
            _ => self.integers(index),
        }
    }

    /// A timestamp argument as the number it is, in the unit of its precision.
    pub fn ticks(&self, index: usize) -> Numbers<Int64Type> {
        let value = &self.values[index];
        let array = match value.array().data_type() {
            ArrowType::Timestamp(TimeUnit::Millisecond, _) => {
                value.array().as_primitive::<TimestampMillisecondType>().reinterpret_cast()
            }
            ArrowType::Timestamp(TimeUnit::Microsecond, _) => {
                value.array().as_primitive::<TimestampMicrosecondType>().reinterpret_cast()
            }
            _ => value.array().as_primitive::<TimestampNanosecondType>().reinterpret_cast(),
        };
        Numbers { array, mask: mask(value) }
    }

    /// A numeric argument, as floating point.
    pub fn doubles(&self, index: usize) -> Result<Numbers<Float64Type>, EvalError> {
        Ok(Numbers::new(&self.as_type(index, &LogicalType::Double)?))
    }

    /// An argument that lies in memory as `T`.
    pub fn numbers<T: ArrowPrimitiveType>(&self, index: usize) -> Numbers<T> {
        Numbers::new(&self.values[index])
    }

    /// A character argument.
    pub fn strings(&self, index: usize) -> Strings<'a> {
        let value = &self.values[index];
        Strings { array: value.array().as_string(), mask: mask(value) }
    }

    /// A binary argument.
    pub fn binaries(&self, index: usize) -> Binaries<'a> {
        let value = &self.values[index];
        Binaries { array: value.array().as_binary(), mask: mask(value) }
    }

    /// A BOOLEAN argument.
    pub fn booleans(&self, index: usize) -> Booleans<'a> {
        let value = &self.values[index];
        Booleans { array: value.array().as_boolean(), mask: mask(value) }
    }

    /// A column of strings, one per row.
    pub fn make_strings(&self, mut row: impl FnMut(usize, &mut String) -> bool) -> ArrayRef {
        let mut builder = StringBuilder::with_capacity(self.len, self.len * 8);
        let mut text = String::new();
        for index in 0..self.len {
            text.clear();
            if row(index, &mut text) {
                builder.append_value(&text);
            } else {
                builder.append_null();
            }
        }
        Arc::new(builder.finish())
    }

    /// A column of slices that live as long as the arguments.
    pub fn make_slices<'s>(&self, row: impl Fn(usize) -> Option<&'s str>) -> ArrayRef {
        let mut builder = StringBuilder::with_capacity(self.len, self.len * 8);
        (0..self.len).for_each(|index| builder.append_option(row(index)));
        Arc::new(builder.finish())
    }

    /// A column of byte strings.
    pub fn make_binaries(&self, row: impl Fn(usize) -> Option<Vec<u8>>) -> ArrayRef {
        let mut builder = BinaryBuilder::new();
        (0..self.len).for_each(|index| builder.append_option(row(index)));
        Arc::new(builder.finish())
    }

    /// A column of numbers of the result's type.
    pub fn make_numbers<T: ArrowPrimitiveType>(&self, row: impl FnMut(usize) -> Option<T::Native>) -> ArrayRef {
        let array: PrimitiveArray<T> = (0..self.len).map(row).collect();
        Arc::new(array.with_data_type(self.ty.arrow()))
    }

    /// A column of truth values.
    pub fn make_booleans(&self, row: impl FnMut(usize) -> Option<bool>) -> ArrayRef {
        let array: BooleanArray = (0..self.len).map(row).collect();
        Arc::new(array)
    }

    /// A column of truth values, NULL where an argument is.
    pub fn make_strict_booleans(&self, row: impl FnMut(usize) -> bool) -> ArrayRef {
        Arc::new(BooleanArray::new(BooleanBuffer::collect_bool(self.len, row), self.nulls()))
    }
}

fn mask(value: &Datum) -> usize {
    if value.is_scalar() { 0 } else { usize::MAX }
}

/// A character argument, row by row.
#[derive(Clone, Copy)]
pub(crate) struct Strings<'a> {
    array: &'a StringArray,
    mask: usize,
}

impl<'a> Strings<'a> {
    /// The text in a row; `None` for NULL.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&'a str> {
        let row = row & self.mask;
        if self.array.is_null(row) { None } else { Some(self.array.value(row)) }
    }

    /// The text in a row, which is empty or the like under NULL.
    #[inline]
    pub fn raw(&self, row: usize) -> &'a str {
        self.array.value(row & self.mask)
    }

    /// The text that all rows have, if it is a constant.
    pub fn constant(&self) -> Option<&'a str> {
        if self.mask == 0 { self.get(0) } else { None }
    }
}

/// A binary argument, row by row.
#[derive(Clone, Copy)]
pub(crate) struct Binaries<'a> {
    array: &'a BinaryArray,
    mask: usize,
}

impl<'a> Binaries<'a> {
    /// The bytes in a row; `None` for NULL.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        let row = row & self.mask;
        if self.array.is_null(row) { None } else { Some(self.array.value(row)) }
    }
}

/// A BOOLEAN argument, row by row.
#[derive(Clone, Copy)]
pub(crate) struct Booleans<'a> {
    array: &'a BooleanArray,
    mask: usize,
}

impl Booleans<'_> {
    /// The truth value in a row; `None` for NULL.
    #[inline]
    pub fn get(&self, row: usize) -> Option<bool> {
        let row = row & self.mask;
        if self.array.is_null(row) { None } else { Some(self.array.value(row)) }
    }
}

/// A numeric argument, row by row.
pub(crate) struct Numbers<T: ArrowPrimitiveType> {
    array: PrimitiveArray<T>,
    mask: usize,
}

impl<T: ArrowPrimitiveType> Numbers<T> {
    pub fn new(value: &Datum) -> Numbers<T> {
        Numbers { array: value.array().as_primitive::<T>().clone(), mask: mask(value) }
    }

    /// The number in a row; `None` for NULL.
    #[inline]
    pub fn get(&self, row: usize) -> Option<T::Native> {
        let row = row & self.mask;
        if self.array.is_null(row) { None } else { Some(self.array.value(row)) }
    }

    /// The numbers changed one by one.
    pub fn map<U: ArrowPrimitiveType>(&self, f: impl Fn(T::Native) -> U::Native) -> Numbers<U> {
        Numbers { array: self.array.unary(f), mask: self.mask }
    }

    /// All numbers, or one for all rows.
    pub fn array(&self) -> &PrimitiveArray<T> {
        &self.array
    }

    /// All numbers, those under NULL included, if it is a column.
    pub fn column(&self) -> Option<&PrimitiveArray<T>> {
        if self.mask == 0 { None } else { Some(&self.array) }
    }

    /// The number of row 0, also under NULL.
    pub fn scalar(&self) -> T::Native {
        self.array.value(0)
    }
}

/// Computes a number from two, NULL where one is NULL; what is computed under NULL does not matter.
///
/// The loops have no branch, so that they become vector instructions.
pub(crate) fn binary<A, B, C>(
    left: &Numbers<A>,
    right: &Numbers<B>,
    f: impl Fn(A::Native, B::Native) -> C::Native,
) -> PrimitiveArray<C>
where
    A: ArrowPrimitiveType,
    B: ArrowPrimitiveType,
    C: ArrowPrimitiveType,
{
    match (left.column(), right.column()) {
        (Some(left), None) => {
            let scalar = right.scalar();
            left.unary(|value| f(value, scalar))
        }
        (None, Some(right)) => {
            let scalar = left.scalar();
            right.unary(|value| f(scalar, value))
        }
        (Some(left), Some(right)) => {
            let values = left.values().iter().zip(right.values()).map(|(left, right)| f(*left, *right)).collect();
            PrimitiveArray::new(values, NullBuffer::union(left.nulls(), right.nulls()))
        }
        (None, None) => PrimitiveArray::new(vec![f(left.scalar(), right.scalar())].into(), left.array.nulls().cloned()),
    }
}

/// Asks a question of two numbers; see [`binary`].
pub(crate) fn compare<A: ArrowPrimitiveType>(
    left: &Numbers<A>,
    right: &Numbers<A>,
    f: impl Fn(A::Native, A::Native) -> bool,
) -> BooleanArray {
    match (left.column(), right.column()) {
        (Some(left), None) => {
            let scalar = right.scalar();
            BooleanArray::new(pack(left.values(), |value| f(value, scalar)), left.nulls().cloned())
        }
        (None, Some(right)) => {
            let scalar = left.scalar();
            BooleanArray::new(pack(right.values(), |value| f(scalar, value)), right.nulls().cloned())
        }
        (Some(left), Some(right)) => {
            let (a, b) = (left.values(), right.values());
            let truths = BooleanBuffer::collect_bool(a.len(), |row| f(a[row], b[row]));
            BooleanArray::new(truths, NullBuffer::union(left.nulls(), right.nulls()))
        }
        (None, None) => {
            BooleanArray::new(BooleanBuffer::from(vec![f(left.scalar(), right.scalar())]), left.array.nulls().cloned())
        }
    }
}

fn pack<T: Copy>(values: &[T], f: impl Fn(T) -> bool) -> BooleanBuffer {
    BooleanBuffer::collect_bool(values.len(), |row| f(values[row]))
}
