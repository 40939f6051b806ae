//! A field of a ROW: `r.f`, NULL where the row is.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use tidegate_data::{DataType, LogicalType, Value, only_where};

use super::{Binding, Call, Kernel, ScalarFunction, Shape};
use crate::eval::EvalError;
use crate::{CallError, Expr};

/// The arguments are the row and the field's name.
pub(super) const BINDINGS: &[Binding] = &[Binding { name: ".", bind: |_, args| bind_field(args) }];

static FIELD: ScalarFunction = ScalarFunction::new(".", Kernel::Plain(field)).cheap().shown_as(Shape::Field);

fn position(row: &LogicalType, name: &Expr) -> Option<usize> {
    let (LogicalType::Row(fields), Some(Value::String(name))) = (row, name.as_literal()) else { return None };
    fields.iter().position(|field| field.name == *name)
}

fn bind_field(args: Vec<Expr>) -> Result<Expr, CallError> {
    let [row, name] = &args[..] else { return Err(CallError::count(".", args.len(), "2")) };
    let (LogicalType::Row(fields), Some(position)) = (&row.ty.logical, position(&row.ty.logical, name)) else {
        return Err(CallError::arguments("There is no such field", Some(1)));
    };
    let field = &fields[position].ty;
    let ty = DataType { logical: field.logical.clone(), nullable: field.nullable || row.ty.nullable };
    Ok(FIELD.on(args, ty))
}

fn field(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let position = position(call.arg_type(0), &call.args[1]).expect("the binder has found the field");
    let row = call.values[0].array().as_struct();
    let column = row.column(position);
    match row.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => Ok(column.clone()),
        Some(nulls) => Ok(only_where(column, nulls.inner().clone())),
    }
}

#[cfg(test)]
mod tests {
    use tidegate_data::{Chunk, Field, build_column};

    use super::*;
    use crate::{EvalContext, call, column, literal};

    #[test]
    fn a_field_is_null_where_its_row_is() {
        let field = |name: &str, ty| Field { name: name.into(), ty };
        let fields = vec![field("a", DataType::not_null(LogicalType::BigInt)), field("b", DataType::string())];
        let ty = DataType::new(LogicalType::Row(fields));
        let text = |text: &str| Value::String(text.into());
        let rows =
            [Value::List(vec![Value::Int(1), text("x")]), Value::Null, Value::List(vec![Value::Int(3), Value::Null])];
        let chunk = Chunk::insert(vec![build_column(&ty, &rows).unwrap()], 3);
        for (name, values) in
            [("a", [Value::Int(1), Value::Null, Value::Int(3)]), ("b", [text("x"), Value::Null, Value::Null])]
        {
            let name = literal(text(name), DataType::not_null(LogicalType::Char(1)));
            let expr = call(".", vec![column(0, ty.clone()), name]).unwrap();
            assert!(expr.ty.nullable);
            assert_eq!(
                expr.describe(&["r".into()]),
                format!("r.{}", if expr.ty.logical == LogicalType::BigInt { "a" } else { "b" })
            );
            let expected = build_column(&expr.ty, &values).unwrap();
            assert_eq!(&expr.eval(&chunk, &EvalContext::default()).unwrap(), &expected);
            assert_eq!(&expr.eval(&chunk.slice(1, 2), &EvalContext::default()).unwrap(), &expected.slice(1, 2));
        }
        let other = literal(text("c"), DataType::not_null(LogicalType::Char(1)));
        assert!(call(".", vec![column(0, ty), other]).is_err());
    }
}
