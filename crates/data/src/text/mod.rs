//! How values read: the text of `CAST(x AS STRING)` and of Flink's SQL client.

mod java_float;
pub mod number;
pub mod time;

use std::fmt::Write as _;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::*;

use crate::column::timestamp_at;
use crate::{DataType, LogicalType, Zone};

/// The text of a cell as Flink's SQL client prints it; `None` for NULL.
///
/// It is the text of `CAST(x AS STRING)` but for binary values, which print as `x'00ff'` here.
pub fn cell_text(array: &dyn Array, row: usize, ty: &DataType, zone: Zone) -> Option<String> {
    if array.is_null(row) || matches!(ty.logical, LogicalType::Null) {
        return None;
    }
    let mut text = String::new();
    write_cell(&mut text, array, row, ty, zone, true);
    Some(text)
}

/// Appends the text of a cell, `NULL` for NULL. With `print`, binary values are hexadecimal, else they are read as UTF-8.
pub fn write_cell(out: &mut String, array: &dyn Array, row: usize, ty: &DataType, zone: Zone, print: bool) {
    if array.is_null(row) {
        out.push_str("NULL");
        return;
    }
    match &ty.logical {
        LogicalType::Null => out.push_str("NULL"),
        LogicalType::Boolean => out.push_str(if array.as_boolean().value(row) { "TRUE" } else { "FALSE" }),
        LogicalType::TinyInt => number::write_integer(out, array.as_primitive::<Int8Type>().value(row).into()),
        LogicalType::SmallInt => number::write_integer(out, array.as_primitive::<Int16Type>().value(row).into()),
        LogicalType::Int => number::write_integer(out, array.as_primitive::<Int32Type>().value(row).into()),
        LogicalType::BigInt => number::write_integer(out, array.as_primitive::<Int64Type>().value(row)),
        LogicalType::Float => number::write_float(out, array.as_primitive::<Float32Type>().value(row)),
        LogicalType::Double => number::write_double(out, array.as_primitive::<Float64Type>().value(row)),
        LogicalType::Decimal(_, scale) => {
            number::write_decimal(out, array.as_primitive::<Decimal128Type>().value(row), *scale);
        }
        LogicalType::Char(_) | LogicalType::VarChar(_) => out.push_str(array.as_string::<i32>().value(row)),
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => {
            let bytes = array.as_binary::<i32>().value(row);
            if print {
                out.push_str("x'");
                bytes.iter().for_each(|byte| write!(out, "{byte:02x}").expect("a string takes all"));
                out.push('\'');
            } else {
                out.push_str(&String::from_utf8_lossy(bytes));
            }
        }
        LogicalType::Date => time::write_date(out, array.as_primitive::<Date32Type>().value(row)),
        LogicalType::Time(p) => time::write_time(out, array.as_primitive::<Time32MillisecondType>().value(row), *p),
        LogicalType::Timestamp(p, _) => time::write_timestamp(out, timestamp_at(array, row, *p), *p),
        LogicalType::TimestampLtz(p, _) => {
            let local = time::to_local(timestamp_at(array, row, *p), *p, zone);
            time::write_timestamp(out, local, *p);
        }
        LogicalType::IntervalYearMonth => {
            time::write_months(out, array.as_primitive::<Int32Type>().value(row));
        }
        LogicalType::IntervalDayTime => {
            time::write_milliseconds(out, array.as_primitive::<Int64Type>().value(row));
        }
        LogicalType::Array(element) => {
            let items = array.as_list::<i32>().value(row);
            out.push('[');
            write_items(out, items.len(), |out, i| write_cell(out, &items, i, element, zone, print));
            out.push(']');
        }
        LogicalType::Map(key, value) => write_entries(out, array, row, (key, value), zone, print),
        LogicalType::Multiset(element) => {
            write_entries(out, array, row, (element, &DataType::not_null(LogicalType::Int)), zone, print);
        }
        LogicalType::Row(fields) => {
            let columns = array.as_struct().columns();
            out.push('(');
            write_items(out, columns.len(), |out, i| write_cell(out, &columns[i], row, &fields[i].ty, zone, print));
            out.push(')');
        }
    }
}

fn write_entries(
    out: &mut String,
    array: &dyn Array,
    row: usize,
    (key, value): (&DataType, &DataType),
    zone: Zone,
    print: bool,
) {
    let entries = array.as_map().value(row);
    out.push('{');
    write_items(out, entries.len(), |out, i| {
        write_cell(out, entries.column(0), i, key, zone, print);
        out.push('=');
        write_cell(out, entries.column(1), i, value, zone, print);
    });
    out.push('}');
}

fn write_items(out: &mut String, len: usize, mut write: impl FnMut(&mut String, usize)) {
    for i in 0..len {
        if i > 0 {
            out.push_str(", ");
        }
        write(out, i);
    }
}
