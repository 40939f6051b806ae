//! Random queries whose result does not depend on the order in which rows come.

use super::draw::Draw;
use super::exprs::{Reach, SAFE, expr};
use super::tables::{Col, Table, Ty};

/// A query: its text, and the columns of its result.
struct Query {
    text: String,
    columns: Vec<Col>,
}

/// What queries are made from.
struct Maker<'a> {
    draw: &'a mut Draw,
    tables: &'a [Table],
    names: usize,
}

/// A query over the tables; with `timed` one that waits for watermarks.
pub fn query(draw: &mut Draw, tables: &[Table], timed: bool) -> String {
    let mut maker = Maker { draw, tables, names: 0 };
    let made = if timed { maker.timed() } else { maker.query(2) };
    format!("{};\n", made.text)
}

impl Maker<'_> {
    fn name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn expr(&mut self, cols: &[Col], ty: Ty, depth: usize) -> String {
        expr(self.draw, cols, ty, depth, Reach::Safe)
    }

    fn types(&mut self) -> Vec<Ty> {
        (0..1 + self.draw.below(3)).map(|_| self.draw.of_these(&SAFE)).collect()
    }

    fn query(&mut self, depth: usize) -> Query {
        match if depth == 0 { 0 } else { self.draw.below(10) } {
            5 => self.set_operation(depth),
            6 => self.top(depth),
            7 | 8 => self.numbered(depth),
            _ => self.select(depth, None),
        }
    }

    /// A SELECT; of columns of these types, if they are given.
    fn select(&mut self, depth: usize, types: Option<&[Ty]>) -> Query {
        let (from, cols) = self.from(depth);
        let condition = self.condition(&cols, depth);
        let rest = format!("FROM {from}{condition}");
        match types {
            Some(types) => self.projected(&cols, types, "", &rest),
            None => match self.draw.below(8) {
                1..=3 => self.grouped(&cols, &rest),
                4 => self.aggregated(&cols, &rest),
                5 => {
                    let types = self.types();
                    self.projected(&cols, &types, "DISTINCT ", &rest)
                }
                6 => self.by_sets(&cols, &rest),
                _ => {
                    let types = self.types();
                    self.projected(&cols, &types, "", &rest)
                }
            },
        }
    }

    fn projected(&mut self, cols: &[Col], types: &[Ty], word: &str, rest: &str) -> Query {
        let (mut items, mut columns) = (Vec::new(), Vec::new());
        for ty in types {
            let depth = self.draw.below(3);
            let (text, name) = (self.expr(cols, *ty, depth), self.name('c'));
            items.push(format!("{text} AS {name}"));
            columns.push(Col { text: name, ty: *ty });
        }
        Query { text: format!("SELECT {word}{} {rest}", items.join(", ")), columns }
    }

    /// What stands in FROM, and the columns that it brings in sight.
    fn from(&mut self, depth: usize) -> (String, Vec<Col>) {
        match if depth == 0 { 0 } else { self.draw.below(7) } {
            4 => {
                let query = self.query(depth - 1);
                let alias = self.name('t');
                (format!("({}) AS {alias}", query.text), qualified(&query.columns, &alias))
            }
            5 | 6 => self.join(depth - 1),
            _ => {
                let table = self.draw.one_of(self.tables).clone();
                let alias = self.name('t');
                let columns: Vec<Col> = table.columns.iter().filter(|col| col.ty != Ty::Ts).cloned().collect();
                (format!("{} AS {alias}", table.name), qualified(&columns, &alias))
            }
        }
    }

    fn join(&mut self, depth: usize) -> (String, Vec<Col>) {
        let (left, mut columns) = self.from(depth);
        let (right, others) = self.from(depth);
        let kind = self.draw.of_these(&["INNER", "LEFT", "RIGHT", "FULL", "INNER", "LEFT", "CROSS"]);
        let first = columns.len();
        columns.extend(others);
        if kind == "CROSS" {
            return (format!("{left} CROSS JOIN {right}"), columns);
        }
        let mut terms = Vec::new();
        if let Some(equal) = self.equal(&columns[..first], &columns[first..])
            && !self.draw.one_in(6)
        {
            terms.push(equal);
        }
        if terms.is_empty() || self.draw.one_in(3) {
            let depth = 1 + self.draw.below(2);
            terms.push(self.expr(&columns, Ty::Bool, depth));
        }
        (format!("{left} {kind} JOIN {right} ON {}", terms.join(" AND ")), columns)
    }

    /// A condition that two columns of one type are equal.
    fn equal(&mut self, left: &[Col], right: &[Col]) -> Option<String> {
        let pairs: Vec<(&Col, &Col)> =
            left.iter().flat_map(|a| right.iter().filter(|b| b.ty == a.ty).map(move |b| (a, b))).collect();
        if pairs.is_empty() {
            return None;
        }
        let (a, b) = self.draw.of_these(&pairs);
        Some(format!("{} = {}", a.text, b.text))
    }

    /// A WHERE, or nothing.
    fn condition(&mut self, cols: &[Col], depth: usize) -> String {
        let mut terms = Vec::new();
        if self.draw.below(3) == 1 {
            let depth = 1 + self.draw.below(2);
            terms.push(self.expr(cols, Ty::Bool, depth));
        }
        if depth > 0 && self.draw.one_in(4) {
            let term = self.subquery(cols, depth - 1);
            let alone = !self.draw.one_in(3);
            terms.push(if alone { term } else { format!("({term} OR {})", self.expr(cols, Ty::Bool, 1)) });
        }
        if terms.is_empty() { String::new() } else { format!(" WHERE {}", terms.join(" AND ")) }
    }

    fn subquery(&mut self, cols: &[Col], depth: usize) -> String {
        let not = if self.draw.one_in(2) { "NOT " } else { "" };
        match self.draw.below(4) {
            0 => {
                let ty = cols[self.draw.below(cols.len())].ty;
                let query = self.select(depth, Some(&[ty]));
                let sought = self.expr(cols, ty, 0);
                format!("{sought} {not}IN ({})", query.text)
            }
            1 => {
                let (from, inner) = self.from(depth);
                let equal = self.equal(cols, &inner).unwrap_or_else(|| "TRUE".to_owned());
                let more = if self.draw.one_in(3) {
                    format!(" AND {}", self.expr(&inner, Ty::Bool, 1))
                } else {
                    String::new()
                };
                format!("{not}EXISTS (SELECT 1 FROM {from} WHERE {equal}{more})")
            }
            2 => {
                let (from, inner) = self.from(depth);
                let (call, ty) = self.call(&inner);
                let sought = self.expr(cols, ty, 1);
                let sign = self.draw.of_these(&["=", "<", ">=", "<>"]);
                format!("{sought} {sign} (SELECT {call} FROM {from})")
            }
            _ => {
                let (from, inner) = self.from(depth);
                let equal = self.equal(cols, &inner).unwrap_or_else(|| "TRUE".to_owned());
                let (call, ty) = self.call(&inner);
                let sought = self.expr(cols, ty, 1);
                let sign = self.draw.of_these(&["=", "<", ">=", "<>"]);
                format!("{sought} {sign} (SELECT {call} FROM {from} WHERE {equal})")
            }
        }
    }

    /// An aggregate call, and its type.
    fn call(&mut self, cols: &[Col]) -> (String, Ty) {
        let depth = self.draw.below(2);
        let (call, ty) = match self.draw.below(9) {
            0 => ("COUNT(*)".to_owned(), Ty::BigInt),
            1 => {
                let ty = self.draw.of_these(&SAFE);
                (format!("COUNT({})", self.expr(cols, ty, depth)), Ty::BigInt)
            }
            2 => {
                let ty = self.draw.of_these(&SAFE);
                (format!("COUNT(DISTINCT {})", self.expr(cols, ty, depth)), Ty::BigInt)
            }
            3 | 4 => {
                let ty = self.draw.of_these(&[Ty::Int, Ty::BigInt, Ty::Dec(8, 2), Ty::Double]);
                let word = if self.draw.one_in(4) { "DISTINCT " } else { "" };
                (format!("SUM({word}{})", self.expr(cols, ty, depth)), ty)
            }
            5 => {
                let ty = self.draw.of_these(&[Ty::Int, Ty::BigInt, Ty::Dec(8, 2), Ty::Double]);
                let word = if self.draw.one_in(4) { "DISTINCT " } else { "" };
                (format!("AVG({word}{})", self.expr(cols, ty, depth)), ty)
            }
            other => {
                let ty = self.draw.of_these(&[Ty::Int, Ty::Str, Ty::BigInt, Ty::Dec(8, 2), Ty::Double, Ty::Date]);
                (format!("{}({})", if other % 2 == 0 { "MIN" } else { "MAX" }, self.expr(cols, ty, depth)), ty)
            }
        };
        if self.draw.one_in(5) {
            return (format!("{call} FILTER (WHERE {})", self.expr(cols, Ty::Bool, 1)), ty);
        }
        (call, ty)
    }

    fn calls(&mut self, cols: &[Col], items: &mut Vec<String>, columns: &mut Vec<Col>) {
        for _ in 0..1 + self.draw.below(3) {
            let ((call, ty), name) = (self.call(cols), self.name('c'));
            items.push(format!("{call} AS {name}"));
            columns.push(Col { text: name, ty });
        }
    }

    fn grouped(&mut self, cols: &[Col], rest: &str) -> Query {
        let (mut keys, mut items, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..1 + self.draw.below(2) {
            let ty = cols[self.draw.below(cols.len())].ty;
            let depth = usize::from(self.draw.one_in(3));
            let (key, name) = (self.expr(cols, ty, depth), self.name('c'));
            items.push(format!("{key} AS {name}"));
            columns.push(Col { text: name, ty });
            keys.push(key);
        }
        self.calls(cols, &mut items, &mut columns);
        let having = self.having(cols);
        Query { text: format!("SELECT {} {rest} GROUP BY {}{having}", items.join(", "), keys.join(", ")), columns }
    }

    fn having(&mut self, cols: &[Col]) -> String {
        if !self.draw.one_in(4) {
            return String::new();
        }
        let (call, ty) = self.call(cols);
        let bound = self.expr(&[], ty, 0);
        format!(" HAVING {call} {} {bound}", self.draw.of_these(&[">", "<=", "<>"]))
    }

    fn aggregated(&mut self, cols: &[Col], rest: &str) -> Query {
        let (mut items, mut columns) = (Vec::new(), Vec::new());
        self.calls(cols, &mut items, &mut columns);
        let having = self.having(cols);
        Query { text: format!("SELECT {} {rest}{having}", items.join(", ")), columns }
    }

    fn by_sets(&mut self, cols: &[Col], rest: &str) -> Query {
        let first = self.draw.below(cols.len());
        let second = (first + 1 + self.draw.below((cols.len() - 1).max(1))) % cols.len();
        let keys = [cols[first].clone(), cols[second].clone()];
        let (mut items, mut columns) = (Vec::new(), Vec::new());
        for key in &keys {
            let name = self.name('c');
            items.push(format!("{} AS {name}", key.text));
            columns.push(Col { text: name, ty: key.ty });
        }
        self.calls(cols, &mut items, &mut columns);
        let [a, b] = [&keys[0].text, &keys[1].text];
        let sets = match self.draw.below(4) {
            0 => format!("GROUPING SETS (({a}), ({b}))"),
            1 => format!("CUBE ({a}, {b})"),
            2 => format!("ROLLUP ({a}, {b})"),
            _ => format!("GROUPING SETS (({a}, {b}), ({b}), ())"),
        };
        Query { text: format!("SELECT {} {rest} GROUP BY {sets}", items.join(", ")), columns }
    }

    fn set_operation(&mut self, depth: usize) -> Query {
        let types = self.types();
        let (left, right) = (self.select(depth - 1, Some(&types)), self.select(depth - 1, Some(&types)));
        let word = self.draw.of_these(&["UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"]);
        Query { text: format!("{} {word} {}", left.text, right.text), columns: left.columns }
    }

    /// All columns as keys of an order, so that it leaves nothing open.
    fn order(&mut self, columns: &[Col]) -> String {
        let first = self.draw.below(columns.len());
        let keys = (0..columns.len()).map(|at| {
            let word = self.draw.of_these(&["", " DESC"]);
            format!("{}{word}", columns[(first + at) % columns.len()].text)
        });
        keys.collect::<Vec<_>>().join(", ")
    }

    fn top(&mut self, depth: usize) -> Query {
        let inner = self.query(depth - 1);
        let alias = self.name('t');
        let (order, limit) = (self.order(&inner.columns), 1 + self.draw.below(3));
        let offset = if self.draw.one_in(5) { " OFFSET 1" } else { "" };
        Query {
            text: format!("SELECT * FROM ({}) AS {alias} ORDER BY {order} LIMIT {limit}{offset}", inner.text),
            columns: inner.columns,
        }
    }

    /// Top-N by a number of rows.
    fn numbered(&mut self, depth: usize) -> Query {
        let inner = self.query(depth - 1);
        let (alias, outer, number) = (self.name('t'), self.name('t'), self.name('n'));
        let partition = match self.draw.below(3) {
            0 => String::new(),
            _ => format!("PARTITION BY {} ", self.draw.one_of(&inner.columns).text),
        };
        let order = self.order(&inner.columns);
        let mut columns = inner.columns.clone();
        if self.draw.one_in(2) {
            columns.push(Col { text: number.clone(), ty: Ty::BigInt });
        }
        let items: Vec<&str> = columns.iter().map(|col| col.text.as_str()).collect();
        let most = 1 + self.draw.below(3);
        let bound = match self.draw.below(4) {
            3 if most > 1 => format!("{number} BETWEEN 2 AND {most}"),
            _ => format!("{number} <= {most}"),
        };
        let text = format!(
            "SELECT {} FROM (SELECT *, ROW_NUMBER() OVER ({partition}ORDER BY {order}) AS {number} FROM ({}) AS {alias}) AS {outer} WHERE {bound}",
            items.join(", "),
            inner.text
        );
        Query { text, columns }
    }

    /// A query that waits for watermarks.
    fn timed(&mut self) -> Query {
        let table = self.draw.one_of(self.tables).clone();
        match self.draw.below(6) {
            4 if table.appends() => self.over(&table),
            5 if table.appends() => self.interval_join(&table),
            3 => {
                let (left, right) = (self.windowed(&table), self.windowed(&table));
                self.window_join(left, right)
            }
            _ => self.windowed(&table),
        }
    }

    /// A table with windows of its rows.
    fn windows(&mut self, table: &Table) -> String {
        let (name, time) = (&table.name, "DESCRIPTOR(ts)");
        // A row that is taken back leaves the session of its neighbours as long as it was.
        match self.draw.below(if table.appends() { 5 } else { 4 }) {
            1 => format!("TABLE(HOP(TABLE {name}, {time}, INTERVAL '2' SECOND, INTERVAL '6' SECOND))"),
            2 => format!("TABLE(CUMULATE(TABLE {name}, {time}, INTERVAL '2' SECOND, INTERVAL '6' SECOND))"),
            3 => format!("TABLE(TUMBLE(TABLE {name}, {time}, INTERVAL '5' SECOND, INTERVAL '1' SECOND))"),
            4 => format!("TABLE(SESSION(TABLE {name} PARTITION BY k, {time}, INTERVAL '3' SECOND))"),
            _ => format!("TABLE(TUMBLE(TABLE {name}, {time}, INTERVAL '5' SECOND))"),
        }
    }

    fn windowed(&mut self, table: &Table) -> Query {
        let from = self.windows(table);
        // Flink applies a condition before an aggregate makes its sessions, which is not what is written there.
        let condition = if !from.contains("SESSION") && self.draw.one_in(4) {
            format!(" WHERE {}", self.expr(&table.columns, Ty::Bool, 1))
        } else {
            String::new()
        };
        let mut keys = vec!["window_start".to_owned(), "window_end".to_owned()];
        if from.contains("SESSION") || self.draw.one_in(2) {
            keys.push("k".to_owned());
        }
        let (mut items, mut columns) = (keys.clone(), Vec::new());
        columns.push(Col { text: "window_start".into(), ty: Ty::Ts });
        columns.push(Col { text: "window_end".into(), ty: Ty::Ts });
        if keys.len() > 2 {
            columns.push(Col { text: "k".into(), ty: Ty::Int });
        }
        let own: Vec<Col> = table.columns.iter().filter(|col| col.ty != Ty::Ts).cloned().collect();
        self.calls(&own, &mut items, &mut columns);
        let having = self.having(&own);
        let text = format!("SELECT {} FROM {from}{condition} GROUP BY {}{having}", items.join(", "), keys.join(", "));
        Query { text, columns }
    }

    fn window_join(&mut self, left: Query, right: Query) -> Query {
        // Flink compares the ends of sessions only.
        if left.text.contains("SESSION") && right.text.contains("SESSION") {
            return left;
        }
        let (a, b) = (self.name('t'), self.name('t'));
        let kind = self.draw.of_these(&["INNER", "LEFT", "RIGHT", "FULL"]);
        let (mut items, mut columns) = (Vec::new(), Vec::new());
        for col in qualified(&left.columns, &a).into_iter().chain(qualified(&right.columns, &b)) {
            let name = self.name('c');
            items.push(format!("{} AS {name}", col.text));
            columns.push(Col { text: name, ty: col.ty });
        }
        let more = if self.draw.one_in(2) {
            let equal = self.equal(&qualified(&left.columns[2..], &a), &qualified(&right.columns[2..], &b));
            equal.map_or_else(String::new, |equal| format!(" AND {equal}"))
        } else {
            String::new()
        };
        let text = format!(
            "SELECT {} FROM ({}) AS {a} {kind} JOIN ({}) AS {b} ON {a}.window_start = {b}.window_start AND {a}.window_end = {b}.window_end{more}",
            items.join(", "),
            left.text,
            right.text
        );
        Query { text, columns }
    }

    fn interval_join(&mut self, table: &Table) -> Query {
        let fitting: Vec<&Table> = self.tables.iter().filter(|table| table.appends()).collect();
        let other = Table::clone(self.draw.of_these(&fitting));
        let kind = self.draw.of_these(&["INNER", "LEFT", "RIGHT", "FULL"]);
        let (a, b) = (self.name('t'), self.name('t'));
        let (before, behind) = (self.draw.below(4), self.draw.below(4));
        let mut cols = qualified(&table.columns, &a);
        cols.extend(qualified(&other.columns, &b));
        let cols: Vec<Col> = cols.into_iter().filter(|col| col.ty != Ty::Ts).collect();
        let more = if self.draw.one_in(3) { format!(" AND {}", self.expr(&cols, Ty::Bool, 1)) } else { String::new() };
        let rest = format!(
            "FROM {} AS {a} {kind} JOIN {} AS {b} ON {a}.k = {b}.k AND {a}.ts BETWEEN {b}.ts - INTERVAL '{before}' SECOND AND {b}.ts + INTERVAL '{behind}' SECOND{more}",
            table.name, other.name
        );
        let types = self.types();
        self.projected(&cols, &types, "", &rest)
    }

    fn over(&mut self, table: &Table) -> Query {
        let own: Vec<Col> = table.columns.iter().filter(|col| col.ty != Ty::Ts).cloned().collect();
        let partition = if self.draw.one_in(2) { "PARTITION BY k " } else { "" };
        let frame = self.draw.of_these(&[
            "",
            " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
            " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
            " RANGE BETWEEN INTERVAL '3' SECOND PRECEDING AND CURRENT ROW",
        ]);
        let (mut items, mut columns) = (vec!["k".to_owned(), "v".to_owned()], Vec::new());
        columns.push(Col { text: "k".into(), ty: Ty::Int });
        columns.push(Col { text: "v".into(), ty: Ty::Int });
        for _ in 0..1 + self.draw.below(2) {
            let (call, ty, name) = match self.draw.below(5) {
                0 => ("COUNT(*)".to_owned(), Ty::BigInt, self.name('c')),
                1 => (format!("SUM({})", self.expr(&own, Ty::Int, 0)), Ty::Int, self.name('c')),
                2 => (format!("MIN({})", self.expr(&own, Ty::Int, 0)), Ty::Int, self.name('c')),
                3 => (format!("MAX({})", self.expr(&own, Ty::Str, 0)), Ty::Str, self.name('c')),
                _ => (format!("AVG({})", self.expr(&own, Ty::Dec(8, 2), 0)), Ty::Dec(8, 2), self.name('c')),
            };
            items.push(format!("{call} OVER ({partition}ORDER BY ts{frame}) AS {name}"));
            columns.push(Col { text: name, ty });
        }
        Query { text: format!("SELECT {} FROM {}", items.join(", "), table.name), columns }
    }
}

fn qualified(columns: &[Col], alias: &str) -> Vec<Col> {
    columns.iter().map(|col| Col { text: format!("{alias}.{}", col.text), ty: col.ty }).collect()
}
