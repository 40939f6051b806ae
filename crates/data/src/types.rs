//! Flink's logical types with nullability, and how each lies in memory.
//!
//! | logical type | Arrow array |
//! |---|---|
//! | BOOLEAN | Boolean |
//! | TINYINT SMALLINT INT BIGINT | Int8 Int16 Int32 Int64 |
//! | FLOAT DOUBLE | Float32 Float64 |
//! | DECIMAL(p, s) | Decimal128(p, s) |
//! | CHAR VARCHAR STRING | Utf8 (32-bit offsets) |
//! | BINARY VARBINARY BYTES | Binary (32-bit offsets) |
//! | DATE | Date32 (days) |
//! | TIME(p) | Time32(Millisecond): Flink computes with milliseconds whatever p is |
//! | TIMESTAMP(p), TIMESTAMP_LTZ(p) | Timestamp without zone, in ms (p <= 3), us (p <= 6), ns (p <= 9; years 1678 to 2261) |
//! | INTERVAL YEAR TO MONTH | Int32 (months) |
//! | INTERVAL DAY TO SECOND | Int64 (milliseconds) |
//! | ARRAY MAP MULTISET ROW | List, Map, Map (to Int32 counts), Struct |
//! | NULL (the type of a bare NULL) | Null |

use serde::{Deserialize, Serialize};

/// Whether a TIMESTAMP is a time attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum TimeKind {
    /// An ordinary value.
    #[default]
    Regular,
    /// An event-time attribute, shown as `*ROWTIME*`.
    Rowtime,
    /// A processing-time attribute, shown as `*PROCTIME*`.
    Proctime,
}

/// A logical type without its nullability.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LogicalType {
    /// The type of a bare NULL literal.
    Null,
    /// BOOLEAN.
    Boolean,
    /// TINYINT.
    TinyInt,
    /// SMALLINT.
    SmallInt,
    /// INT.
    Int,
    /// BIGINT.
    BigInt,
    /// FLOAT.
    Float,
    /// DOUBLE.
    Double,
    /// DECIMAL(precision, scale), 1 to 38 digits.
    Decimal(u8, u8),
    /// CHAR(n).
    Char(u32),
    /// VARCHAR(n); [`DataType::MAX_LENGTH`] is STRING.
    VarChar(u32),
    /// BINARY(n).
    Binary(u32),
    /// VARBINARY(n); [`DataType::MAX_LENGTH`] is BYTES.
    VarBinary(u32),
    /// DATE.
    Date,
    /// TIME(p).
    Time(u8),
    /// TIMESTAMP(p).
    Timestamp(u8, TimeKind),
    /// TIMESTAMP_LTZ(p).
    TimestampLtz(u8, TimeKind),
    /// INTERVAL YEAR TO MONTH and its parts: months.
    IntervalYearMonth,
    /// INTERVAL DAY TO SECOND and its parts: milliseconds.
    IntervalDayTime,
    /// ARRAY<element>.
    Array(Box<DataType>),
    /// MAP<key, value>.
    Map(Box<DataType>, Box<DataType>),
    /// MULTISET<element>.
    Multiset(Box<DataType>),
    /// ROW<name type, ...>.
    Row(Vec<Field>),
}

/// A logical type and whether it takes NULL.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DataType {
    /// The type proper.
    pub logical: LogicalType,
    /// Whether NULL is a value of it.
    pub nullable: bool,
}

/// A named column.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// The column's name, in its own spelling.
    pub name: String,
    /// Its type.
    pub ty: DataType,
}

/// The columns of a stream, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Schema {
    /// The columns.
    pub fields: Vec<Field>,
}

impl DataType {
    /// The length of STRING and BYTES.
    pub const MAX_LENGTH: u32 = i32::MAX as u32;

    /// A nullable type.
    pub const fn new(logical: LogicalType) -> DataType {
        DataType { logical, nullable: true }
    }

    /// A `NOT NULL` type.
    pub const fn not_null(logical: LogicalType) -> DataType {
        DataType { logical, nullable: false }
    }

    /// The same type with the given nullability.
    #[must_use]
    pub fn with_nullable(&self, nullable: bool) -> DataType {
        DataType { logical: self.logical.clone(), nullable }
    }

    /// STRING.
    pub const fn string() -> DataType {
        DataType::new(LogicalType::VarChar(DataType::MAX_LENGTH))
    }

    /// Whether this is an event-time attribute.
    pub fn is_rowtime(&self) -> bool {
        matches!(
            self.logical,
            LogicalType::Timestamp(_, TimeKind::Rowtime) | LogicalType::TimestampLtz(_, TimeKind::Rowtime)
        )
    }

    /// Whether this is a processing-time attribute.
    pub fn is_proctime(&self) -> bool {
        matches!(
            self.logical,
            LogicalType::Timestamp(_, TimeKind::Proctime) | LogicalType::TimestampLtz(_, TimeKind::Proctime)
        )
    }
}

impl LogicalType {
    /// Whether it is one of the numeric types.
    pub fn is_numeric(&self) -> bool {
        self.is_exact_numeric() || self.is_approximate()
    }

    /// Whether it is TINYINT to BIGINT.
    pub fn is_integer(&self) -> bool {
        matches!(self, LogicalType::TinyInt | LogicalType::SmallInt | LogicalType::Int | LogicalType::BigInt)
    }

    /// Whether it is an integer or a DECIMAL.
    pub fn is_exact_numeric(&self) -> bool {
        self.is_integer() || matches!(self, LogicalType::Decimal(..))
    }

    /// Whether it is FLOAT or DOUBLE.
    pub fn is_approximate(&self) -> bool {
        matches!(self, LogicalType::Float | LogicalType::Double)
    }

    /// Whether it is CHAR, VARCHAR or STRING.
    pub fn is_character(&self) -> bool {
        matches!(self, LogicalType::Char(_) | LogicalType::VarChar(_))
    }

    /// Whether it is BINARY, VARBINARY or BYTES.
    pub fn is_binary(&self) -> bool {
        matches!(self, LogicalType::Binary(_) | LogicalType::VarBinary(_))
    }

    /// Whether it is a timestamp of either kind.
    pub fn is_timestamp(&self) -> bool {
        matches!(self, LogicalType::Timestamp(..) | LogicalType::TimestampLtz(..))
    }

    /// Whether it is DATE, TIME or a timestamp.
    pub fn is_datetime(&self) -> bool {
        self.is_timestamp() || matches!(self, LogicalType::Date | LogicalType::Time(_))
    }

    /// Whether it is an interval.
    pub fn is_interval(&self) -> bool {
        matches!(self, LogicalType::IntervalYearMonth | LogicalType::IntervalDayTime)
    }

    /// The same type without a time attribute's mark.
    #[must_use]
    pub fn without_time_attribute(&self) -> LogicalType {
        match self {
            LogicalType::Timestamp(p, _) => LogicalType::Timestamp(*p, TimeKind::Regular),
            LogicalType::TimestampLtz(p, _) => LogicalType::TimestampLtz(*p, TimeKind::Regular),
            other => other.clone(),
        }
    }
}

impl Schema {
    /// A schema of the given columns.
    pub fn new<N: Into<String>>(fields: impl IntoIterator<Item = (N, DataType)>) -> Schema {
        Schema { fields: fields.into_iter().map(|(name, ty)| Field { name: name.into(), ty }).collect() }
    }

    /// The position of a column.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}
