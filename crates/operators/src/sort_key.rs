//! ORDER BY as bytes whose order is the rows': per column the place of NULLs, then the value, turned over where it descends.

use arrow_array::{Array, ArrayRef};
use tidegate_data::keys::encode::encode_cell;

/// One column of an ORDER BY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortColumn {
    /// The column.
    pub column: usize,
    /// DESC.
    pub descending: bool,
    /// NULLS FIRST.
    pub nulls_first: bool,
}

/// Appends the sort key of a row.
pub(crate) fn encode_sort_key(out: &mut Vec<u8>, order: &[SortColumn], columns: &[ArrayRef], row: usize) {
    for SortColumn { column, descending, nulls_first } in order {
        let column = &columns[*column];
        if column.is_null(row) {
            out.push(if *nulls_first { 0 } else { 2 });
            continue;
        }
        out.push(1);
        let start = out.len();
        encode_cell(out, column.as_ref(), row);
        if *descending {
            out[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_data::{DataType, LogicalType, Value, build_column};

    #[test]
    fn bytes_have_the_order_of_the_rows() {
        let ints = [Value::Null, Value::Int(-3), Value::Int(0), Value::Int(7)];
        let column = build_column(&DataType::new(LogicalType::Int), &ints).unwrap();
        let order = |descending, nulls_first| {
            let mut keys: Vec<(Vec<u8>, usize)> = (0..4)
                .map(|row| {
                    let mut key = Vec::new();
                    encode_sort_key(
                        &mut key,
                        &[SortColumn { column: 0, descending, nulls_first }],
                        std::slice::from_ref(&column),
                        row,
                    );
                    (key, row)
                })
                .collect();
            keys.sort();
            keys.into_iter().map(|(_, row)| row).collect::<Vec<_>>()
        };
        assert_eq!(order(false, true), [0, 1, 2, 3]);
        assert_eq!(order(false, false), [1, 2, 3, 0]);
        assert_eq!(order(true, false), [3, 2, 1, 0]);
        assert_eq!(order(true, true), [0, 3, 2, 1]);
    }
}
