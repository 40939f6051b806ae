//! Calls of every function with arguments drawn from a seed: none panics, and a column of rows gives what each row gives by itself, as
//! constants.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::Array;
use tidegate_data::{Chunk, DataType, Field, LogicalType, TimeKind, Value, build_column, value_at};
use tidegate_expr::functions::names;
use tidegate_expr::{EvalContext, Expr, call, column, literal};
use tidegate_runtime::rng::Rng;

const ROWS: usize = 5;
const CALLS: u64 = 8_000;

fn of<'t, T>(draw: &mut Rng, choices: &'t [T]) -> &'t T {
    &choices[draw.below(choices.len())]
}

fn types() -> Vec<LogicalType> {
    use LogicalType::*;
    let boxed = |ty: LogicalType| Box::new(DataType::new(ty));
    let field = |name: &str, ty| Field { name: name.into(), ty };
    let string = DataType::string().logical;
    vec![
        Boolean,
        TinyInt,
        Int,
        Int,
        BigInt,
        Float,
        Double,
        Decimal(10, 2),
        Decimal(38, 18),
        Char(3),
        string.clone(),
        string.clone(),
        string.clone(),
        VarBinary(DataType::MAX_LENGTH),
        Date,
        Time(0),
        Timestamp(3, TimeKind::Regular),
        Timestamp(9, TimeKind::Regular),
        TimestampLtz(3, TimeKind::Regular),
        IntervalYearMonth,
        IntervalDayTime,
        Array(boxed(Int)),
        Array(boxed(string.clone())),
        Map(boxed(string.clone()), boxed(Int)),
        Row(vec![field("a", DataType::new(Int)), field("b", DataType::string())]),
    ]
}

const TEXTS: [&str; 21] = [
    "",
    " a ",
    "hello",
    "17",
    "-2.50",
    "1e3",
    "2024-02-29",
    "2024-01-01 12:34:56.789",
    "yyyy-MM-dd HH:mm:ss",
    "a=1,b=2",
    "{\"a\": [1, {\"b\": null}], \"c\": \"d\"}",
    "$.a[*].b",
    "lax $.c",
    "(\\d+)([a-z]*)",
    "[",
    "%a_!%",
    "ÄöÜ😀",
    "aGVsbG8=",
    "UTF-8",
    "YEAR",
    "https://user@host:80/p/a?k=v#r",
];

fn value(draw: &mut Rng, ty: &LogicalType) -> Value {
    if draw.below(5) == 0 {
        return Value::Null;
    }
    let mut integer = |least: i64, most: i64| {
        let edges = [least, most, 0, 1, -1, 2, 3, 7, 12, 31, 100];
        Value::Int((*of(draw, &edges)).clamp(least, most))
    };
    match ty {
        LogicalType::Null => Value::Null,
        LogicalType::TinyInt => integer(-128, 127),
        LogicalType::SmallInt => integer(-32_768, 32_767),
        LogicalType::Int => integer(i32::MIN.into(), i32::MAX.into()),
        LogicalType::BigInt => integer(i64::MIN, i64::MAX),
        LogicalType::Date => integer(-719_162, 2_932_896),
        LogicalType::Time(_) => integer(0, 86_399_000),
        LogicalType::Timestamp(0..=3, _) | LogicalType::TimestampLtz(0..=3, _) => {
            integer(-62_135_596_800_000, 253_402_300_799_000)
        }
        LogicalType::Timestamp(..) | LogicalType::TimestampLtz(..) => {
            integer(-2_000_000_000_000_000_000, 2_000_000_000_000_000_000)
        }
        LogicalType::IntervalYearMonth => integer(-1_200, 1_200),
        LogicalType::IntervalDayTime => integer(-86_400_000_000, 86_400_000_000),
        LogicalType::Boolean => Value::Boolean(draw.below(2) == 0),
        LogicalType::Float => Value::Float(*of(draw, &[0.0, -0.0, 1.5, f32::MAX, f32::NAN, -3.25])),
        LogicalType::Double => Value::Double(*of(draw, &[0.0, -0.0, 0.1, 1e308, f64::INFINITY, f64::NAN, -2.5])),
        LogicalType::Decimal(p, _) => {
            let most = 10i128.pow(u32::from(*p)) - 1;
            Value::Decimal(*of(draw, &[0, 1, -1, 150, most, -most]))
        }
        LogicalType::Char(n) => {
            Value::String(of(draw, &TEXTS).chars().chain("   ".chars()).take(*n as usize).collect())
        }
        LogicalType::VarChar(_) => Value::from(*of(draw, &TEXTS)),
        LogicalType::Binary(n) => Value::Bytes(vec![draw.next_u64() as u8; *n as usize]),
        LogicalType::VarBinary(_) => Value::Bytes(of(draw, &TEXTS).bytes().collect()),
        LogicalType::Array(element) => {
            let count = draw.below(4);
            Value::List((0..count).map(|_| value(draw, &element.logical)).collect())
        }
        LogicalType::Map(_, inner) => {
            let keys = &["a", "b", ""][..draw.below(4)];
            Value::Map(keys.iter().map(|key| (Value::from(*key), value(draw, &inner.logical))).collect())
        }
        LogicalType::Multiset(_) => Value::Map(Vec::new()),
        LogicalType::Row(fields) => Value::List(fields.iter().map(|field| value(draw, &field.ty.logical)).collect()),
    }
}

/// A call, perhaps of calls.
fn expression(draw: &mut Rng, names: &[&'static str], types: &[LogicalType], depth: u8) -> Option<Expr> {
    let name = *of(draw, names);
    for _ in 0..12 {
        let count = *of(draw, &[1, 1, 2, 2, 2, 3, 3, 4]);
        let args = (0..count).map(|_| match draw.below(6) {
            0 if depth > 0 => expression(draw, names, types, depth - 1),
            1 => {
                let ty = of(draw, types).clone();
                let value = value(draw, &ty);
                // There are no constants of nested types.
                let nested = matches!(value, Value::List(_) | Value::Map(_));
                (!nested).then(|| literal(value, DataType::new(ty)))
            }
            _ => {
                let index = draw.below(types.len());
                Some(column(index, DataType::new(types[index].clone())))
            }
        });
        let args: Option<Vec<Expr>> = args.collect();
        // `1 || 2` is well-formed, as in Calcite; the planner refuses it.
        let texts =
            |args: &Vec<Expr>| args.iter().all(|arg| arg.ty.logical.is_character() || arg.ty.logical.is_binary());
        let args = args.filter(|args| name != "||" || texts(args));
        if let Some(Ok(expr)) = args.map(|args| call(name, args)) {
            return Some(expr);
        }
    }
    None
}

/// What is wrong with an expression over these rows: a panic, or a row by itself that gives something else than in a column.
fn fault(expr: &Expr, types: &[LogicalType], rows: &[Vec<Value>]) -> Option<String> {
    let context = EvalContext::default();
    let columns = types.iter().enumerate().map(|(index, ty)| {
        build_column(&DataType::new(ty.clone()), rows.iter().map(|row| &row[index])).expect("values of their types")
    });
    let chunk = Chunk::insert(columns.collect(), rows.len());
    let whole = expr.eval(&chunk, &context);
    let single = |row: &Vec<Value>| {
        let constant = expr.substitute(&|index, ty| literal(row[index].clone(), ty.clone()));
        constant.eval_constant(&context)
    };
    let each: Vec<_> = rows.iter().map(single).collect();
    let Ok(array) = whole else {
        // Where constants are computed, a NULL may hide that its neighbour fails: then it is only not said so early.
        return None;
    };
    if array.len() != rows.len() {
        return Some(format!("{} results of {} rows", array.len(), rows.len()));
    }
    each.into_iter().enumerate().find_map(|(row, one)| {
        let ours = format!("{:?}", value_at(&array, row, &expr.ty));
        let one = one.map_or_else(|error| format!("failure: {error}"), |one| format!("{one:?}"));
        (ours != one).then(|| format!("row {row} is {ours} in a column, {one} by itself"))
    })
}

#[test]
fn a_column_gives_what_its_rows_give() {
    let types = types();
    // The first three have a limit of their own, and take long up to it; a TRIM's first argument is a word of the grammar.
    let slow = ["REPEAT", "LPAD", "RPAD", "TRIM"];
    let names: Vec<&'static str> = names().filter(|name| !slow.contains(name)).collect();
    let (mut bound, mut faults) = (0, Vec::new());
    for seed in 0..CALLS {
        let mut draw = Rng::new(seed);
        let Some(expr) = expression(&mut draw, &names, &types, 2).filter(Expr::is_deterministic) else { continue };
        bound += 1;
        let rows: Vec<Vec<Value>> = (0..ROWS).map(|_| types.iter().map(|ty| value(&mut draw, ty)).collect()).collect();
        let found = catch_unwind(AssertUnwindSafe(|| fault(&expr, &types, &rows)));
        if let Some(what) = found.unwrap_or_else(|_| Some("it panics".to_owned())) {
            faults.push(format!("seed {seed}: {what}: {expr:?}"));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(bound > CALLS / 10, "only {bound} calls were possible");
}
