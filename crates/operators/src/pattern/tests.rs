//! The automaton against Flink's order of things; the operator under restores.

use tidegate_data::{DataType, LogicalType, Zone};
use tidegate_expr::build;

use super::*;
use crate::testing::{check, schema};

fn cell(variable: usize, column: usize, offset: u32) -> PatternValue {
    PatternValue::Cell { variables: vec![variable], from_first: false, offset, column }
}

/// `op(values)` over INT values.
fn compared(op: &str, values: Vec<PatternValue>) -> PatternExpr {
    let ints = (0..values.len()).map(|i| build::column(i, DataType::new(LogicalType::Int))).collect();
    PatternExpr { values, expr: build::call(op, ints).expect("a comparison") }
}

fn value(value: PatternValue) -> PatternExpr {
    PatternExpr { values: vec![value], expr: build::column(0, DataType::new(LogicalType::Int)) }
}

fn variable(name: &str, min: u32, max: Option<u32>, condition: Option<PatternExpr>) -> PatternVariable {
    PatternVariable { name: name.into(), min, max, greedy: max != Some(min), condition }
}

/// `PATTERN (A B+ C) DEFINE B AS B.v > A.v, C AS C.v < LAST(B.v)`
fn rising(skip: SkipTo, within: i64) -> PatternMatchSpec {
    PatternMatchSpec {
        input: schema("k STRING, v INT, ts ROWTIME"),
        output: schema("k STRING, a INT, b INT, c INT"),
        partition: vec![0],
        rowtime: Some(2),
        order: Vec::new(),
        variables: vec![
            variable("A", 1, Some(1), None),
            variable("B", 1, None, Some(compared(">", vec![cell(1, 1, 0), cell(0, 1, 0)]))),
            variable("C", 1, Some(1), Some(compared("<", vec![cell(2, 1, 0), cell(1, 1, 0)]))),
        ],
        within,
        skip,
        measures: vec![value(cell(0, 1, 0)), value(cell(1, 1, 0)), value(cell(2, 1, 0))],
        zone: Zone::UTC,
    }
}

const ROWS: &str = "+I a 1 '1970-01-01 00:00:01'
     +I a 3 '1970-01-01 00:00:03'
     +I a 2 '1970-01-01 00:00:02'
     +I b 5 '1970-01-01 00:00:02'
     watermark 3000
     +I a 7 '1970-01-01 00:00:03'
     +I a 1 '1970-01-01 00:00:04'
     +I b 6 '1970-01-01 00:00:05'
     watermark 5000
     +I b 4 '1970-01-01 00:00:06'
     watermark 9000";

#[test]
fn each_start_is_a_match_of_its_own() {
    let spec = rising(SkipTo::NextRow, 0);
    let late = check(
        move || Box::new(PatternMatch::new(spec.clone())),
        &schema("k STRING, v INT, ts ROWTIME"),
        &schema("k STRING, a INT, b INT, c INT"),
        ROWS,
        "+I a 1 3 1
         +I a 2 3 1
         +I b 5 6 4",
    );
    assert_eq!(late, 1);
}

#[test]
fn a_match_is_passed() {
    let spec = rising(SkipTo::PastLastRow, 0);
    check(
        move || Box::new(PatternMatch::new(spec.clone())),
        &schema("k STRING, v INT, ts ROWTIME"),
        &schema("k STRING, a INT, b INT, c INT"),
        ROWS,
        "+I a 1 3 1
         +I b 5 6 4",
    );
}

#[test]
fn what_takes_too_long_is_given_up() {
    let spec = rising(SkipTo::NextRow, 3_000);
    check(
        move || Box::new(PatternMatch::new(spec.clone())),
        &schema("k STRING, v INT, ts ROWTIME"),
        &schema("k STRING, a INT, b INT, c INT"),
        ROWS,
        "+I a 2 3 1",
    );
}
