//! One value outside a column: literals, rows typed by hand, what the page shows.

/// A single value; which variant a type uses follows its Arrow array (see [`crate::types`]).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Value {
    /// NULL of any type.
    Null,
    /// BOOLEAN.
    Boolean(bool),
    /// TINYINT to BIGINT, DATE (days), TIME (ms), timestamps (in the unit of their precision), intervals.
    Int(i64),
    /// FLOAT.
    Float(f32),
    /// DOUBLE.
    Double(f64),
    /// DECIMAL, unscaled.
    Decimal(i128),
    /// CHAR, VARCHAR, STRING.
    String(String),
    /// BINARY, VARBINARY, BYTES.
    Bytes(Vec<u8>),
    /// ARRAY, and ROW by position.
    List(Vec<Value>),
    /// MAP and MULTISET (counts as `Int`).
    Map(Vec<(Value, Value)>),
}

impl Value {
    /// Whether this is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::String(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Boolean(truth)
    }
}
