//! The functions over one group, a row at a time: what they yield after each row.

use std::sync::Arc;

use arrow_array::ArrayRef;
use tidegate_data::{DataType, LogicalType, SlotColumn, Value, build_column, value_at};

use super::{AggregateCall, Batch, Emit, Step, accumulator, deltas, resolve};

/// The results after each of these rows (1: added, -1: taken away), worked off in one batch and one by one.
fn results(name: &str, ty: LogicalType, rows: &[(i8, Value)]) -> Vec<Value> {
    let arg = DataType::new(ty);
    let (function, result) =
        resolve(name, std::slice::from_ref(&arg), false).unwrap_or_else(|_| panic!("{name}({arg})"));
    let call =
        AggregateCall { function, args: vec![0], filter: None, distinct: false, ty: result, name: String::new() };
    // Retractable MIN and MAX need a multiset; they are tested with the operators.
    let accumulator = accumulator(&call, std::slice::from_ref(&arg), false);
    let run = |cuts: &[usize]| {
        let mut state: Vec<SlotColumn> = accumulator
            .columns()
            .iter()
            .map(|(_, ty)| {
                let mut column = SlotColumn::new(*ty);
                column.grow(3);
                column
            })
            .collect();
        let mut seen = Vec::new();
        for cut in cuts.windows(2) {
            let rows = &rows[cut[0]..cut[1]];
            let column: ArrayRef = build_column(&arg, rows.iter().map(|(_, value)| value)).expect("values of the type");
            let signs: Vec<i8> = rows.iter().map(|(sign, _)| *sign).collect();
            let slots = vec![2; rows.len()];
            let deltas = deltas(signs.contains(&-1).then_some(&signs), std::slice::from_ref(&column), None);
            let args = [column];
            let steps = vec![Step::Next; rows.len()];
            for steps in [None, Some(&steps[..])] {
                let mut state = state.clone();
                let batch = Batch { slots: &slots, args: &args, deltas: deltas.as_deref(), steps };
                let mut changed = vec![false; rows.len()];
                let both = accumulator.update(&batch, &mut state, None, Emit::Both, Some(&mut changed));
                let both = both.expect("results").finish(&call.ty);
                for (row, changed) in changed.iter().enumerate() {
                    let (before, after) = (value_at(&both, 2 * row, &call.ty), value_at(&both, 2 * row + 1, &call.ty));
                    assert_eq!(*changed, before != after);
                }
            }
            let batch = Batch { slots: &slots, args: &args, deltas: deltas.as_deref(), steps: None };
            let after =
                accumulator.update(&batch, &mut state, None, Emit::After, None).expect("results").finish(&call.ty);
            seen.extend((0..rows.len()).map(|row| value_at(&after, row, &call.ty)));
            let now = accumulator.results(&[2, 0], &mut state).finish(&call.ty);
            assert_eq!(Some(&value_at(&now, 0, &call.ty)), seen.last());
        }
        seen
    };
    let whole = run(&[0, rows.len()]);
    let single = run(&(0..=rows.len()).collect::<Vec<_>>());
    assert_eq!(format!("{whole:?}"), format!("{single:?}"));
    whole
}

fn added(values: impl IntoIterator<Item = Value>) -> Vec<(i8, Value)> {
    values.into_iter().map(|value| (1, value)).collect()
}

#[test]
fn integers_wrap_at_their_width() {
    let rows = added([Value::Int(i64::from(i32::MAX)), Value::Null, Value::Int(1)]);
    let (max, min) = (Value::Int(i64::from(i32::MAX)), Value::Int(i64::from(i32::MIN)));
    assert_eq!(results("SUM", LogicalType::Int, &rows), [max.clone(), max.clone(), min]);
    assert_eq!(results("AVG", LogicalType::Int, &rows), [max.clone(), max, Value::Int(1 << 30)]);
    let rows = added([Value::Int(-7), Value::Int(0)]);
    assert_eq!(results("AVG", LogicalType::TinyInt, &rows), [Value::Int(-7), Value::Int(-3)]);
}

#[test]
fn a_sum_is_null_before_the_first_value_and_after_the_last() {
    let rows = [(1, Value::Null), (1, Value::Int(5)), (1, Value::Int(6)), (-1, Value::Int(5)), (-1, Value::Int(6))];
    let sums = [Value::Null, Value::Int(5), Value::Int(11), Value::Int(6), Value::Null];
    assert_eq!(results("SUM", LogicalType::BigInt, &rows), sums);
    assert_eq!(
        results("COUNT", LogicalType::BigInt, &rows),
        [Value::Int(0), Value::Int(1), Value::Int(2), Value::Int(1), Value::Int(0)]
    );
}

#[test]
fn floating_point_sums_start_with_their_first_value() {
    let minus_zero = results("SUM", LogicalType::Double, &added([Value::Double(-0.0), Value::Double(-0.0)]));
    assert!(minus_zero.iter().all(|sum| matches!(sum, Value::Double(x) if x.is_sign_negative())));
    let rows = [(1, Value::Double(0.1)), (1, Value::Double(0.2)), (-1, Value::Double(0.1))];
    assert_eq!(
        results("SUM", LogicalType::Double, &rows),
        [Value::Double(0.1), Value::Double(0.30000000000000004), Value::Double(0.20000000000000004)]
    );
    let rows = added([Value::Float(0.3), Value::Float(0.3), Value::Float(0.3)]);
    assert_eq!(results("SUM", LogicalType::Float, &rows)[2], Value::Float(0.3 + 0.3 + 0.3));
    assert_eq!(
        results("AVG", LogicalType::Float, &added([Value::Float(0.1), Value::Float(0.2)]))[1],
        Value::Float(0.15)
    );
}

#[test]
fn decimals_overflow_to_null_and_round_half_up() {
    let most = 10i128.pow(38) - 1;
    let ty = || LogicalType::Decimal(38, 0);
    let rows = added([most, 1, 5, -8].map(Value::Decimal));
    assert_eq!(results("SUM", ty(), &rows), [Value::Decimal(most), Value::Null, Value::Decimal(5), Value::Decimal(-3)]);
    assert_eq!(results("AVG", ty(), &rows), [Value::Null, Value::Null, Value::Null, Value::Null]);
    let rows = added([1, 0, 1, -4].map(Value::Decimal));
    // At scale 6: 1, 0.5, 2/3, -1/2.
    assert_eq!(
        results("AVG", LogicalType::Decimal(10, 0), &rows),
        [1_000_000, 500_000, 666_667, -500_000].map(Value::Decimal)
    );
    let rows = added([-1, 0, 0].map(Value::Decimal));
    assert_eq!(results("AVG", LogicalType::Decimal(10, 6), &rows), [-1, -1, 0].map(Value::Decimal));
}

#[test]
fn extremes_of_every_kind_of_type() {
    let text = |text: &str| Value::String(text.to_owned());
    let rows = added([text("b"), Value::Null, text(""), text("ä"), text("z")]);
    assert_eq!(results("MIN", DataType::string().logical, &rows), ["b", "b", "", "", ""].map(text));
    assert_eq!(results("MAX", DataType::string().logical, &rows), ["b", "b", "b", "ä", "ä"].map(text));
    let rows = added([Value::Boolean(true), Value::Boolean(false)]);
    assert_eq!(results("MIN", LogicalType::Boolean, &rows), [Value::Boolean(true), Value::Boolean(false)]);
    let rows = added([Value::Decimal(-5), Value::Decimal(7)]);
    assert_eq!(results("MAX", LogicalType::Decimal(5, 2), &rows), [Value::Decimal(-5), Value::Decimal(7)]);
    let nan =
        results("MAX", LogicalType::Double, &added([Value::Double(1.0), Value::Double(f64::NAN), Value::Double(2.0)]));
    assert_eq!(nan, [1.0, 1.0, 2.0].map(Value::Double));
}

#[test]
fn a_filter_that_is_unknown_does_not_count() {
    let filter = arrow_array::BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]);
    let column: ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![Some(1), Some(1), Some(1), None]));
    assert_eq!(deltas(Some(&[-1, -1, 1, 1]), &[column], Some(&filter)).as_deref(), Some(&[-1, 0, 0, 0][..]));
    assert!(deltas(None, &[], None).is_none());
}
