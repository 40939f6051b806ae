//! How many rows a second a filter (half pass) and a projection with one addition take, over 3 BIGINT and 2 STRING columns.
//!
//! `cargo run --release -p tidegate-expr --example calc_speed`

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Int64Array, StringArray};
use tidegate_data::{Chunk, DataType, LogicalType, Value};
use tidegate_expr::{EvalContext, Expr, call, column, literal};

const ROWS: usize = 4096;

fn main() {
    let chunk = input();
    let ctx = EvalContext::default();
    let bigint = || DataType::new(LogicalType::BigInt);
    let number = |n: i64| literal(Value::Int(n), DataType::not_null(LogicalType::BigInt));
    let text = |s: &str| literal(Value::from(s), DataType::not_null(LogicalType::Char(s.len() as u32)));
    let bind = |name: &str, args: Vec<Expr>| call(name, args).expect("the call is right");

    let half = bind("<", vec![column(1, bigint()), number(500)]);
    let plus = bind("+", vec![column(2, bigint()), number(1)]);
    report("filter a < 500 and project (k, v + 1, s, t)", || {
        let kept = chunk.filter(&half.filter(&chunk, &ctx).expect("a comparison does not fail"));
        let sum = plus.eval(&kept, &ctx).expect("an addition does not fail");
        let columns = [0, 3, 4].map(|column| kept.columns[column].clone());
        black_box(([sum], columns));
    });
    let both = bind("AND", vec![half.clone(), bind(">", vec![column(2, bigint()), number(10)])]);
    for (name, expr) in [
        ("a < 500", half.clone()),
        ("v + 1", plus.clone()),
        ("a < 500 AND v > 10", both),
        ("k + v", bind("+", vec![column(0, bigint()), column(2, bigint())])),
        ("v / 7", bind("/", vec![column(2, bigint()), number(7)])),
        ("s = 'constant'", bind("=", vec![column(3, DataType::string()), text("string-000000042")])),
        ("s LIKE 'string-0%'", bind("LIKE", vec![column(3, DataType::string()), text("string-0%")])),
        ("UPPER(s)", bind("UPPER", vec![column(3, DataType::string())])),
        ("s || t", bind("||", vec![column(3, DataType::string()), column(4, DataType::string())])),
        ("CASE WHEN a < 500 THEN k ELSE v END", {
            tidegate_expr::case(vec![(half.clone(), column(0, bigint()))], Some(column(2, bigint()))).expect("one type")
        }),
        ("CAST(k AS STRING)", tidegate_expr::cast(column(0, bigint()), &DataType::string(), false).expect("a cast")),
    ] {
        report(name, || {
            black_box(expr.eval(&chunk, &ctx).expect("no row fails"));
        });
    }
    report("hash of a BIGINT key", || {
        black_box(tidegate_data::hash_keys(&chunk.columns[..1]));
    });
    report("hash of a STRING key", || {
        black_box(tidegate_data::hash_keys(&chunk.columns[3..4]));
    });
    report("encoding of a BIGINT key", || {
        black_box(tidegate_data::encode_keys(&chunk.columns[..1]));
    });
}

fn input() -> Chunk {
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64
    };
    let mut numbers = |limit: i64| Arc::new((0..ROWS).map(|_| next() % limit).collect::<Int64Array>());
    let columns = [numbers(10_000), numbers(1_000), numbers(1 << 30)];
    let text = |prefix: &str| {
        Arc::new((0..ROWS).map(|row| Some(format!("{prefix}-{:09}", row % 97))).collect::<StringArray>())
    };
    let [a, b, c] = columns;
    Chunk::insert(vec![a, b, c, text("string"), text("strang")], ROWS)
}

#[expect(clippy::disallowed_methods, reason = "a measurement needs a clock")]
fn report(what: &str, mut run: impl FnMut()) {
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        (0..100).for_each(|_| run());
        best = best.min(start.elapsed());
    }
    let rows = (ROWS * 100) as f64;
    println!("{:8.1} M rows/s  {:7.2} ns/row  {what}", rows / best.as_secs_f64() / 1e6, best.as_nanos() as f64 / rows);
}
