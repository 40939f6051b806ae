//! Rows as bytes: a block is a schema, row kinds and columns; it can be read without knowing any of them before.
//!
//! Readers find columns by name, as JSON's do, so that two tables over one topic may differ in their columns.

mod types;

use arrow_array::{Array, ArrayRef};
use tidegate_data::{Cast, Chunk, Kinds, RowKind, Schema, Zone, can_cast, cast_column, null_column};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::codec::array;

pub(crate) use tidegate_runtime::codec::{Input, put_number, put_text};
pub(crate) use types::{read_schema, write_schema};

const MISFIT: Code = Code::new("TG5060");
const VERSION: u8 = 1;

/// Rows read back: what was written and in which columns.
#[derive(Clone, Debug)]
pub struct Block {
    /// The writer's columns.
    pub schema: Schema,
    /// The rows.
    pub chunk: Chunk,
}

/// Appends a block; origins are not part of it.
pub(crate) fn write_block(out: &mut Vec<u8>, schema: &Schema, chunk: &Chunk) {
    debug_assert_eq!(schema.fields.len(), chunk.columns.len());
    out.push(VERSION);
    write_schema(out, schema);
    write_rows(out, chunk);
}

/// The bytes of a block.
#[cfg(test)]
fn block(schema: &Schema, chunk: &Chunk) -> Vec<u8> {
    let mut out = Vec::new();
    write_block(&mut out, schema, chunk);
    out
}

/// Reads a block off the front; `None` if it is not one.
pub(crate) fn read_block(input: &mut Input<'_>) -> Option<Block> {
    if input.byte()? != VERSION {
        return None;
    }
    let schema = read_schema(input)?;
    let chunk = read_rows(input, &schema)?;
    Some(Block { schema, chunk })
}

/// Appends rows whose schema the reader knows.
pub(crate) fn write_rows(out: &mut Vec<u8>, chunk: &Chunk) {
    put_number(out, chunk.len as u64);
    match &chunk.kinds {
        Kinds::Insert => out.push(0),
        Kinds::Each(kinds) => {
            out.push(1);
            out.extend(kinds.iter().map(|kind| *kind as u8));
        }
    }
    for column in &chunk.columns {
        array::write(out, column.as_ref());
    }
}

/// Reads rows of a known schema off the front.
pub(crate) fn read_rows(input: &mut Input<'_>, schema: &Schema) -> Option<Chunk> {
    let len = usize::try_from(input.number()?).ok()?;
    let kinds = match input.byte()? {
        0 => Kinds::Insert,
        1 => {
            let kinds = input.take(len)?.iter().map(|byte| RowKind::ALL.get(usize::from(*byte)).copied());
            Kinds::Each(kinds.collect::<Option<Vec<_>>>()?.into())
        }
        _ => return None,
    };
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(schema.fields.len());
    for field in &schema.fields {
        columns.push(array::read(input, &field.ty.arrow(), len)?);
    }
    Some(Chunk { columns, kinds, len, origins: None })
}

impl Block {
    /// The rows in the columns of `wanted`, found by name. A column that the writer did not have is NULL; one of another
    /// type is cast. With `safe` what cannot be cast is NULL.
    ///
    /// # Errors
    /// When a value cannot be cast, or a column that takes no NULL is missing (TG5060).
    pub fn columns(&self, wanted: &Schema, safe: bool) -> Result<Vec<ArrayRef>, Diagnostic> {
        let mut columns = Vec::with_capacity(wanted.fields.len());
        for field in &wanted.fields {
            let misfit = |why: String| {
                let message = format!("Stored rows do not fit column '{}' {}: {why}", field.name, field.ty);
                Diagnostic::error(MISFIT, message).hint("Another table has written them with other columns.")
            };
            let column = match self.schema.index_of(&field.name) {
                None => null_column(&field.ty.arrow(), self.chunk.len),
                Some(position) => {
                    let (column, ty) = (&self.chunk.columns[position], &self.schema.fields[position].ty);
                    if column.data_type() == &field.ty.arrow() {
                        column.clone()
                    } else if can_cast(ty, &field.ty) == Cast::No {
                        return Err(misfit(format!("they hold {ty}.")));
                    } else {
                        cast_column(column, ty, &field.ty, safe, Zone::UTC).map_err(|error| misfit(error.message))?
                    }
                }
            };
            if !field.ty.nullable && column.null_count() > 0 {
                return Err(misfit("they hold NULL or do not have the column.".into()));
            }
            columns.push(column);
        }
        Ok(columns)
    }
}

#[cfg(test)]
mod tests {
    use tidegate_data::{DataType, Field, LogicalType, TimeKind, Value, build_column, value_at};

    use super::*;

    fn types() -> Vec<(DataType, Vec<Value>)> {
        let new = DataType::new;
        let int = || new(LogicalType::Int);
        let text = |text: &str| Value::String(text.into());
        let list = |items: &[i64]| Value::List(items.iter().map(|x| Value::Int(*x)).collect());
        let row = LogicalType::Row(vec![
            Field { name: "a".into(), ty: int() },
            Field { name: "b".into(), ty: DataType::string() },
        ]);
        let mut types = vec![
            (new(LogicalType::Boolean), vec![Value::Boolean(true), Value::Null, Value::Boolean(false)]),
            (DataType::not_null(LogicalType::BigInt), vec![Value::Int(i64::MIN), Value::Int(0), Value::Int(7)]),
            (new(LogicalType::Float), vec![Value::Float(1.5), Value::Null, Value::Float(-0.0)]),
            (new(LogicalType::Double), vec![Value::Double(f64::INFINITY), Value::Double(0.1), Value::Null]),
            (new(LogicalType::Decimal(38, 2)), vec![Value::Decimal(-(10i128.pow(37))), Value::Null, Value::Decimal(5)]),
            (DataType::string(), vec![text(""), text("grün\0"), Value::Null]),
            (new(LogicalType::Char(3)), vec![text("abc"), Value::Null, text("xyz")]),
            (new(LogicalType::VarBinary(9)), vec![Value::Bytes(vec![0, 255]), Value::Null, Value::Bytes(vec![])]),
            (new(LogicalType::Array(Box::new(int()))), vec![list(&[1, 2]), Value::Null, list(&[])]),
            (
                new(row),
                vec![
                    Value::List(vec![Value::Int(1), text("x")]),
                    Value::Null,
                    Value::List(vec![Value::Null, Value::Null]),
                ],
            ),
            (new(LogicalType::Null), vec![Value::Null, Value::Null, Value::Null]),
            (
                new(LogicalType::Map(Box::new(DataType::string()), Box::new(int()))),
                vec![
                    Value::Map(vec![(text("k"), Value::Null), (text("l"), Value::Int(2))]),
                    Value::Map(vec![]),
                    Value::Null,
                ],
            ),
            (
                new(LogicalType::Multiset(Box::new(DataType::string()))),
                vec![Value::Map(vec![(text("k"), Value::Int(3))]), Value::Null, Value::Null],
            ),
        ];
        for ty in [
            LogicalType::TinyInt,
            LogicalType::SmallInt,
            LogicalType::Int,
            LogicalType::Date,
            LogicalType::Time(3),
            LogicalType::Timestamp(3, TimeKind::Rowtime),
            LogicalType::Timestamp(6, TimeKind::Regular),
            LogicalType::TimestampLtz(9, TimeKind::Proctime),
            LogicalType::IntervalYearMonth,
            LogicalType::IntervalDayTime,
        ] {
            types.push((new(ty), vec![Value::Int(-1), Value::Null, Value::Int(100)]));
        }
        types
    }

    #[test]
    fn blocks_come_back() {
        let types = types();
        let schema = Schema::new(types.iter().enumerate().map(|(i, (ty, _))| (format!("c{i}"), ty.clone())));
        let columns: Vec<ArrayRef> = types.iter().map(|(ty, values)| build_column(ty, values).unwrap()).collect();
        let kinds = vec![RowKind::UpdateBefore, RowKind::UpdateAfter, RowKind::Delete];
        for chunk in [Chunk::with_kinds(columns.clone(), kinds), Chunk::insert(columns, 3)] {
            for part in [chunk.clone(), chunk.slice(1, 2), chunk.slice(2, 1), chunk.slice(1, 0)] {
                let bytes = block(&schema, &part);
                let back = read_block(&mut Input(&bytes)).unwrap();
                assert_eq!(back.schema, schema);
                assert_eq!((back.chunk.len, &back.chunk.kinds), (part.len, &part.kinds));
                for (i, field) in schema.fields.iter().enumerate() {
                    for row in 0..part.len {
                        let value = |chunk: &Chunk| value_at(&chunk.columns[i], row, &field.ty);
                        assert_eq!(value(&back.chunk), value(&part), "{}", field.ty);
                    }
                }
                for cut in 0..bytes.len() {
                    assert!(read_block(&mut Input(&bytes[..cut])).is_none());
                }
            }
        }
    }

    #[test]
    fn spoilt_bytes_do_no_harm() {
        let types = types();
        let schema = Schema::new(types.iter().enumerate().map(|(i, (ty, _))| (format!("c{i}"), ty.clone())));
        let columns: Vec<ArrayRef> = types.iter().map(|(ty, values)| build_column(ty, values).unwrap()).collect();
        let bytes = block(&schema, &Chunk::insert(columns, 3));
        for place in 0..bytes.len() {
            for turn in [1u8, 0x80, 0xff] {
                let mut spoilt = bytes.clone();
                spoilt[place] ^= turn;
                let _ = read_block(&mut Input(&spoilt));
            }
        }
    }

    #[test]
    fn columns_are_found_by_name() {
        let int = DataType::new(LogicalType::Int);
        let written = Schema::new([("a", int.clone()), ("b", DataType::string())]);
        let columns = vec![
            build_column(&int, &[Value::Int(1)]).unwrap(),
            build_column(&DataType::string(), &[Value::String("x".into())]).unwrap(),
        ];
        let block = Block { schema: written, chunk: Chunk::insert(columns, 1) };
        let wanted = Schema::new([("b", DataType::string()), ("c", int.clone())]);
        let columns = block.columns(&wanted, false).unwrap();
        assert_eq!(value_at(&columns[0], 0, &DataType::string()), Value::String("x".into()));
        assert_eq!(value_at(&columns[1], 0, &int), Value::Null);
        let strict = Schema::new([("c", int.with_nullable(false))]);
        assert_eq!(block.columns(&strict, false).unwrap_err().code, MISFIT);
    }
}
