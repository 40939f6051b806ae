//! Random scripts: expressions and queries against the reference, statements into the planner. Each is a function of its seed; one that
//! fails is made shorter (`draw`) and printed as a case that can be pasted.

pub mod draw;
pub mod exprs;
mod queries;
pub mod statements;
mod tables;
pub mod trial;

use draw::Draw;
use exprs::{ALL, Reach, expr};
use tables::{Col, Table, Ty};

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Expressions over rows with NULLs, also such as fail.
    Expressions,
    /// Queries over tables that change.
    Queries,
    /// Queries that wait for watermarks.
    Times,
    /// Statements that may be wrong.
    Statements,
}

impl Kind {
    /// All of them, by name.
    pub const ALL: [(&'static str, Kind); 4] = [
        ("expressions", Kind::Expressions),
        ("queries", Kind::Queries),
        ("times", Kind::Times),
        ("statements", Kind::Statements),
    ];
}

/// A script.
pub fn script(kind: Kind, draw: &mut Draw) -> String {
    match kind {
        Kind::Expressions => of_expressions(draw),
        Kind::Queries => {
            let tables: Vec<Table> = ["a", "b", "c"].map(|name| Table::draw(draw, name, false)).into();
            of_tables(draw, &tables[..], 12, false)
        }
        Kind::Times => {
            let tables: Vec<Table> = ["a", "b"].map(|name| Table::draw(draw, name, true)).into();
            of_tables(draw, &tables[..], 14, true)
        }
        Kind::Statements => statements::script(draw),
    }
}

/// The query is drawn first, so that its choices stay when the rows become fewer.
fn of_tables(draw: &mut Draw, tables: &[Table], most: usize, timed: bool) -> String {
    let query = queries::query(draw, tables, timed);
    let rows = tables::changelog(draw, tables, most);
    let ddl: String = tables.iter().map(Table::ddl).collect();
    format!("{ddl}{rows}{query}")
}

/// Names of columns of all types.
const COLUMNS: [&str; 13] = ["i", "s", "b", "l", "d", "f", "e", "t", "y", "h", "r", "p", "q"];

fn of_expressions(draw: &mut Draw) -> String {
    let columns: Vec<Col> = COLUMNS.into_iter().zip(ALL).map(|(name, ty)| Col { text: name.to_owned(), ty }).collect();
    let items: Vec<String> = (0..1 + draw.below(3))
        .map(|at| {
            let (ty, depth) = (draw.of_these(&ALL), 1 + draw.below(3));
            format!("{} AS x{at}", expr(draw, &columns, ty, depth, Reach::All))
        })
        .collect();
    let declared: Vec<String> = columns.iter().map(|column| format!("{} {}", column.text, column.ty.sql())).collect();
    let mut rows = String::new();
    for _ in 0..1 + draw.below(4) {
        let values: Vec<&str> = columns.iter().map(|column| extreme(draw, column.ty)).collect();
        rows.push_str(&format!("--! +I[{}]\n", values.join(", ")));
    }
    format!(
        "CREATE TABLE a ({}) WITH ('connector' = 'inline', 'changelog-mode' = 'I');\n--! data a\n{rows}SELECT {} FROM a;\n",
        declared.join(", "),
        items.join(", ")
    )
}

/// A value of a type, also at its limits.
fn extreme(draw: &mut Draw, ty: Ty) -> &'static str {
    let choices: &[&'static str] = match ty {
        Ty::Int => &["1", "0", "-7", "2147483647", "-2147483648"],
        Ty::BigInt => &["2", "0", "-1", "9223372036854775807", "-9223372036854775808"],
        Ty::TinyInt => &["3", "0", "-128", "127"],
        Ty::SmallInt => &["4", "0", "-32768", "32767"],
        Ty::Float => &["1.5", "0.0", "-0.25", "100.0"],
        Ty::Double => &["2.5", "0.0", "-0.125", "12345678.9", "1.0E-5"],
        Ty::Dec(8, 2) => &["1.25", "0.00", "-0.05", "999999.99", "12.50"],
        Ty::Dec(20, 0) => &["6", "0", "-5", "99999999999999999999"],
        Ty::Dec(..) => &["1.5", "0.000000000000000001", "-3.25", "99999999999999999999.999999999999999999"],
        Ty::Str => &["'a'", "''", "'12'", "'-3.7'", "'ab%c'", "'2024-02-30'", "'2024-02-28'", "'äa'", "'TRUE'"],
        Ty::Bool => &["TRUE", "FALSE"],
        Ty::Date => &["'2024-01-31'", "'2000-02-29'", "'1970-01-01'"],
        Ty::Ts => &["'2024-01-31 12:34:56.789'", "'1970-01-01 00:00:00.000'", "'2023-12-31 23:59:59.999'"],
    };
    if draw.one_in(6) { "NULL" } else { draw.of_these(choices) }
}
