//! A value for every row: a column, or one constant that is never spread out.

use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use tidegate_data::{DataType, gather, null_column};

/// What an expression evaluates to.
#[derive(Clone, Debug)]
pub(crate) enum Datum {
    /// One value per row.
    Column(ArrayRef),
    /// One value for all rows, in an array of length 1.
    Scalar(ArrayRef),
}

impl Datum {
    /// NULL for all rows.
    pub fn null(ty: &DataType) -> Datum {
        Datum::Scalar(null_column(&ty.arrow(), 1))
    }

    /// The array, whatever its length.
    pub fn array(&self) -> &ArrayRef {
        match self {
            Datum::Column(array) | Datum::Scalar(array) => array,
        }
    }

    /// Whether it is the same for all rows.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Datum::Scalar(_))
    }

    /// Whether it is NULL for all rows.
    pub fn is_null_scalar(&self) -> bool {
        matches!(self, Datum::Scalar(array) if array.is_null(0) || array.data_type() == &arrow_schema::DataType::Null)
    }

    /// One value per row.
    pub fn into_array(self, len: usize) -> ArrayRef {
        match self {
            Datum::Column(array) => array,
            Datum::Scalar(array) if len == 1 => array,
            Datum::Scalar(array) => gather(&array, &vec![0; len]),
        }
    }

    /// The same with another array in it.
    pub fn try_map<E>(&self, f: impl FnOnce(&ArrayRef) -> Result<ArrayRef, E>) -> Result<Datum, E> {
        Ok(match self {
            Datum::Column(array) => Datum::Column(f(array)?),
            Datum::Scalar(array) => Datum::Scalar(f(array)?),
        })
    }
}

/// Where none of the columns among the values is NULL. Scalars are taken not to be.
pub(crate) fn union_nulls(values: &[Datum]) -> Option<NullBuffer> {
    values.iter().fold(None, |nulls, value| match value {
        Datum::Column(array) => NullBuffer::union(nulls.as_ref(), array.nulls()),
        Datum::Scalar(_) => nulls,
    })
}

/// A column of NULLs.
pub(crate) fn full_null(ty: &DataType, len: usize) -> ArrayRef {
    null_column(&ty.arrow(), len)
}
