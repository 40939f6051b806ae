//! Random tables and random changelogs of them.

use std::fmt::Write as _;

use super::draw::Draw;

/// A column's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// INT
    Int,
    /// STRING
    Str,
    /// BOOLEAN
    Bool,
    /// BIGINT
    BigInt,
    /// DECIMAL
    Dec(u8, u8),
    /// DOUBLE
    Double,
    /// DATE
    Date,
    /// TIMESTAMP(3)
    Ts,
    /// TINYINT
    TinyInt,
    /// SMALLINT
    SmallInt,
    /// FLOAT
    Float,
}

impl Ty {
    /// The type in SQL.
    pub fn sql(self) -> String {
        match self {
            Ty::Int => "INT".into(),
            Ty::Str => "STRING".into(),
            Ty::Bool => "BOOLEAN".into(),
            Ty::BigInt => "BIGINT".into(),
            Ty::Dec(p, s) => format!("DECIMAL({p}, {s})"),
            Ty::Double => "DOUBLE".into(),
            Ty::Date => "DATE".into(),
            Ty::Ts => "TIMESTAMP(3)".into(),
            Ty::TinyInt => "TINYINT".into(),
            Ty::SmallInt => "SMALLINT".into(),
            Ty::Float => "FLOAT".into(),
        }
    }
}

/// A column in sight: how it is named, and its type.
#[derive(Clone, Debug)]
pub struct Col {
    /// The text that means it.
    pub text: String,
    /// Its type.
    pub ty: Ty,
}

/// What kinds of rows a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Append,
    Retract,
    Keyed,
    Upsert,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Col>,
    /// Whether `ts` is a time attribute.
    pub timed: bool,
    mode: Mode,
    delay: &'static str,
}

const POOL: [(&str, Ty); 6] =
    [("s", Ty::Str), ("w", Ty::BigInt), ("d", Ty::Dec(8, 2)), ("b", Ty::Bool), ("f", Ty::Double), ("e", Ty::Date)];

impl Table {
    /// A table of a name. With `timed` it has a column `ts` with a watermark.
    pub fn draw(draw: &mut Draw, name: &str, timed: bool) -> Table {
        let mut columns = vec![("k", Ty::Int), ("v", Ty::Int)];
        columns.extend(POOL.into_iter().filter(|_| draw.one_in(3)));
        let mut mode = draw.of_these(&[Mode::Append, Mode::Retract, Mode::Append, Mode::Keyed, Mode::Upsert]);
        let mut delay = "'5' SECOND";
        if timed {
            columns.push(("ts", Ty::Ts));
            mode = if draw.one_in(4) { Mode::Retract } else { Mode::Append };
            // A row that is taken back is never late.
            delay = if mode == Mode::Append && !draw.one_in(3) { "'5' SECOND" } else { "'99' MINUTE" };
        }
        let columns = columns.into_iter().map(|(name, ty)| Col { text: name.to_owned(), ty }).collect();
        Table { name: name.to_owned(), columns, timed, mode, delay }
    }

    /// Whether rows are only added.
    pub fn appends(&self) -> bool {
        self.mode == Mode::Append
    }

    fn keyed(&self) -> bool {
        matches!(self.mode, Mode::Keyed | Mode::Upsert)
    }

    /// CREATE TABLE.
    pub fn ddl(&self) -> String {
        let not_null = |column: &Col| if self.keyed() && column.text == "k" { " NOT NULL" } else { "" };
        let columns: Vec<String> = self
            .columns
            .iter()
            .map(|column| format!("{} {}{}", column.text, column.ty.sql(), not_null(column)))
            .collect();
        let key = if self.keyed() { ", PRIMARY KEY (k) NOT ENFORCED" } else { "" };
        let watermark = match self.timed {
            true => format!(", WATERMARK FOR ts AS ts - INTERVAL {}", self.delay),
            false => String::new(),
        };
        let mode = match self.mode {
            Mode::Append => "I",
            Mode::Retract | Mode::Keyed => "I,UB,UA,D",
            Mode::Upsert => "I,UA,D",
        };
        format!(
            "CREATE TABLE {} ({}{watermark}{key}) WITH ('connector' = 'inline', 'changelog-mode' = '{mode}');\n",
            self.name,
            columns.join(", ")
        )
    }

    fn row(&self, draw: &mut Draw, key: Option<usize>, at: usize) -> Vec<String> {
        let value = |column: &Col| match (column.text.as_str(), key) {
            ("k", Some(key)) => key.to_string(),
            ("ts", _) => time(at, draw.below(4)),
            _ => value(draw, column.ty),
        };
        self.columns.iter().map(value).collect()
    }
}

/// A moment a few seconds behind the one of line `at`.
fn time(at: usize, behind: usize) -> String {
    let ms = 600_000 + at * 1_500 - behind * 1_000;
    format!("'2024-01-01 00:{:02}:{:02}.{:03}'", ms / 60_000, ms / 1_000 % 60, ms % 1_000)
}

/// A value of a column, one of a few, so that rows meet.
fn value(draw: &mut Draw, ty: Ty) -> String {
    if draw.one_in(6) {
        return "NULL".into();
    }
    match ty {
        Ty::Int | Ty::TinyInt | Ty::SmallInt => draw.below(4).to_string(),
        Ty::BigInt => draw.of_these(&["0", "1", "2", "3", "5000000000", "-1"]).to_string(),
        Ty::Str => draw.of_these(&["'a'", "'b'", "''", "'ab'", "'B'"]).to_string(),
        Ty::Bool => draw.of_these(&["TRUE", "FALSE"]).to_string(),
        Ty::Dec(..) => draw.of_these(&["0.00", "1.50", "2.25", "-1.05", "1.49"]).to_string(),
        Ty::Double | Ty::Float => draw.of_these(&["0.0", "0.25", "1.5", "3.0"]).to_string(),
        Ty::Date => draw.of_these(&["'2024-02-29'", "'2024-01-01'", "'1999-12-31'"]).to_string(),
        Ty::Ts => time(draw.below(4), 0),
    }
}

/// Rows of the tables, as lines of a case.
pub fn changelog(draw: &mut Draw, tables: &[Table], most: usize) -> String {
    let mut out = String::new();
    let mut rows: Vec<Vec<Vec<String>>> = vec![Vec::new(); tables.len()];
    let mut last = usize::MAX;
    let count = draw.below(most + 1);
    for at in 0..count {
        let which = draw.below(tables.len());
        let (table, rows) = (&tables[which], &mut rows[which]);
        if last != which {
            let _ = writeln!(out, "--! data {}", table.name);
            last = which;
        }
        let action = if table.mode == Mode::Append || rows.is_empty() { 0 } else { draw.below(4) };
        let old = if action < 2 { 0 } else { draw.below(rows.len()) };
        let mut write = |kind: &str, row: &[String]| {
            let _ = writeln!(out, "--! {kind}[{}]", row.join(", "));
        };
        match action {
            2 => {
                let gone = rows.remove(old);
                write("-D", &gone);
            }
            3 => {
                let key = table.keyed().then(|| rows[old][0].parse().unwrap_or(0));
                let new = table.row(draw, key, at);
                if table.mode != Mode::Upsert {
                    write("-U", &rows[old]);
                }
                write("+U", &new);
                rows[old] = new;
            }
            _ => {
                let free = (0..).find(|key: &usize| rows.iter().all(|row| row[0] != key.to_string()));
                let row = table.row(draw, free.filter(|_| table.keyed()), at);
                write("+I", &row);
                rows.push(row);
            }
        }
    }
    out
}
