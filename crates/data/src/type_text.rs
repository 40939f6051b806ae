//! The text of a type: Flink's summary (`INT NOT NULL`, `TIMESTAMP(3) *ROWTIME*`) and Calcite's name in plans and messages.

use std::fmt::{self, Display, Formatter, Write as _};

use crate::types::{DataType, LogicalType, TimeKind};

impl Display for DataType {
    /// Flink's `asSummaryString`: what DESCRIBE and the column heads of a result show.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.logical.write(f, &|ty, f| write!(f, "{ty}"))?;
        if !self.nullable {
            f.write_str(" NOT NULL")?;
        }
        match &self.logical {
            LogicalType::Timestamp(_, kind) | LogicalType::TimestampLtz(_, kind) => write_kind(*kind, f),
            _ => Ok(()),
        }
    }
}

impl Display for LogicalType {
    /// The type without its nullability and without a time attribute's mark.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, &|ty, f| write!(f, "{ty}"))
    }
}

fn write_kind(kind: TimeKind, f: &mut Formatter<'_>) -> fmt::Result {
    match kind {
        TimeKind::Regular => Ok(()),
        TimeKind::Rowtime => f.write_str(" *ROWTIME*"),
        TimeKind::Proctime => f.write_str(" *PROCTIME*"),
    }
}

type WriteType<'a> = &'a dyn Fn(&DataType, &mut Formatter<'_>) -> fmt::Result;

impl LogicalType {
    fn write(&self, f: &mut Formatter<'_>, inner: WriteType<'_>) -> fmt::Result {
        match self {
            LogicalType::Null => f.write_str("NULL"),
            LogicalType::Boolean => f.write_str("BOOLEAN"),
            LogicalType::TinyInt => f.write_str("TINYINT"),
            LogicalType::SmallInt => f.write_str("SMALLINT"),
            LogicalType::Int => f.write_str("INT"),
            LogicalType::BigInt => f.write_str("BIGINT"),
            LogicalType::Float => f.write_str("FLOAT"),
            LogicalType::Double => f.write_str("DOUBLE"),
            LogicalType::Decimal(p, s) => write!(f, "DECIMAL({p}, {s})"),
            LogicalType::Char(n) => write!(f, "CHAR({n})"),
            LogicalType::VarChar(DataType::MAX_LENGTH) => f.write_str("STRING"),
            LogicalType::VarChar(n) => write!(f, "VARCHAR({n})"),
            LogicalType::Binary(n) => write!(f, "BINARY({n})"),
            LogicalType::VarBinary(DataType::MAX_LENGTH) => f.write_str("BYTES"),
            LogicalType::VarBinary(n) => write!(f, "VARBINARY({n})"),
            LogicalType::Date => f.write_str("DATE"),
            LogicalType::Time(p) => write!(f, "TIME({p})"),
            LogicalType::Timestamp(p, _) => write!(f, "TIMESTAMP({p})"),
            LogicalType::TimestampLtz(p, _) => write!(f, "TIMESTAMP_LTZ({p})"),
            LogicalType::IntervalYearMonth => f.write_str("INTERVAL MONTH"),
            LogicalType::IntervalDayTime => f.write_str("INTERVAL SECOND(3)"),
            LogicalType::Array(element) => {
                f.write_str("ARRAY<")?;
                inner(element, f)?;
                f.write_char('>')
            }
            LogicalType::Map(key, value) => {
                f.write_str("MAP<")?;
                inner(key, f)?;
                f.write_str(", ")?;
                inner(value, f)?;
                f.write_char('>')
            }
            LogicalType::Multiset(element) => {
                f.write_str("MULTISET<")?;
                inner(element, f)?;
                f.write_char('>')
            }
            LogicalType::Row(fields) => {
                f.write_str("ROW<")?;
                for (i, field) in fields.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "`{}` ", field.name.replace('`', "``"))?;
                    inner(&field.ty, f)?;
                }
                f.write_char('>')
            }
        }
    }
}

impl DataType {
    /// Calcite's name of the type, as plans (`null:INTEGER`, `CAST(x AS VARCHAR(2147483647))`) and
    /// messages (`<INTEGER> + <BOOLEAN>`) have it; nullability is not part of it.
    pub fn calcite(&self) -> String {
        match &self.logical {
            LogicalType::Int => "INTEGER".into(),
            LogicalType::VarChar(n) => format!("VARCHAR({n})"),
            LogicalType::VarBinary(n) => format!("VARBINARY({n})"),
            LogicalType::Timestamp(p, TimeKind::Rowtime) => format!("TIMESTAMP({p}) *ROWTIME*"),
            LogicalType::Timestamp(p, TimeKind::Proctime) => format!("TIMESTAMP({p}) *PROCTIME*"),
            LogicalType::TimestampLtz(p, TimeKind::Regular) => format!("TIMESTAMP_WITH_LOCAL_TIME_ZONE({p})"),
            LogicalType::TimestampLtz(p, kind) => {
                let mark = if *kind == TimeKind::Rowtime { "ROWTIME" } else { "PROCTIME" };
                format!("TIMESTAMP_LTZ({p}) *{mark}*")
            }
            LogicalType::Array(element) => format!("{} ARRAY", element.calcite()),
            LogicalType::Multiset(element) => format!("{} MULTISET", element.calcite()),
            LogicalType::Map(key, value) => format!("({}, {}) MAP", key.calcite(), value.calcite()),
            LogicalType::Row(fields) => {
                let fields: Vec<String> = fields.iter().map(|f| format!("{} {}", f.ty.calcite(), f.name)).collect();
                format!("RecordType:peek_no_expand({})", fields.join(", "))
            }
            other => other.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Field;

    #[test]
    fn types_read_as_in_flink() {
        let text = |ty: DataType| ty.to_string();
        assert_eq!(text(DataType::not_null(LogicalType::Int)), "INT NOT NULL");
        assert_eq!(text(DataType::string()), "STRING");
        assert_eq!(text(DataType::new(LogicalType::VarChar(5))), "VARCHAR(5)");
        assert_eq!(text(DataType::new(LogicalType::Decimal(10, 2))), "DECIMAL(10, 2)");
        assert_eq!(
            text(DataType::not_null(LogicalType::Timestamp(3, TimeKind::Rowtime))),
            "TIMESTAMP(3) NOT NULL *ROWTIME*"
        );
        let row = LogicalType::Row(vec![
            Field { name: "a".into(), ty: DataType::new(LogicalType::Int) },
            Field { name: "b".into(), ty: DataType::string() },
        ]);
        assert_eq!(text(DataType::new(row)), "ROW<`a` INT, `b` STRING>");
        let map = LogicalType::Map(Box::new(DataType::string()), Box::new(DataType::not_null(LogicalType::Int)));
        assert_eq!(text(DataType::new(map)), "MAP<STRING, INT NOT NULL>");
    }
}
