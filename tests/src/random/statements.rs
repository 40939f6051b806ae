//! Random statements, right and wrong, into the planner: what is refused is refused with a diagnostic that says where, and nothing panics.

use tidegate::diag::Diagnostic;
use tidegate::runtime::Restore;
use tidegate::{Session, SessionOptions};

use super::draw::Draw;
use super::exprs::{ALL, Reach, expr};
use super::queries;
use super::tables::{Table, Ty};
use super::trial::Verdict;

/// A script of a few statements.
pub fn script(draw: &mut Draw) -> String {
    let timed = draw.one_in(2);
    let tables: Vec<Table> = ["a", "b", "c"].map(|name| Table::draw(draw, name, timed)).into();
    let mut out: String = tables.iter().map(Table::ddl).collect();
    for _ in 0..1 + draw.below(5) {
        let statement = statement(draw, &tables, timed);
        let statement = if draw.one_in(10) { spoilt(draw, &statement) } else { statement };
        out.push_str(statement.trim_end().trim_end_matches(';'));
        out.push_str(";\n");
    }
    out
}

const NAMES: [&str; 8] = ["a", "b", "c", "v1", "v2", "sink", "nothing", "`a b`"];

fn query(draw: &mut Draw, tables: &[Table], timed: bool) -> String {
    let timed = timed && draw.one_in(2);
    queries::query(draw, tables, timed).trim_end().trim_end_matches(';').to_owned()
}

/// An expression without columns.
fn value(draw: &mut Draw) -> String {
    let ty = draw.of_these(&ALL);
    expr(draw, &[], ty, 2, Reach::All)
}

fn statement(draw: &mut Draw, tables: &[Table], timed: bool) -> String {
    let name = draw.of_these(&NAMES);
    match draw.below(16) {
        0..=2 => query(draw, tables, timed),
        3 => {
            let word = draw.of_these(&["VIEW", "TEMPORARY VIEW", "VIEW IF NOT EXISTS", "TABLE"]);
            format!("CREATE {word} {name} AS {}", query(draw, tables, timed))
        }
        4 => create(draw, name),
        5 => alter(draw, name),
        6 => format!("INSERT INTO {name} {}", query(draw, tables, timed)),
        7 => {
            let inserts: Vec<String> = (0..1 + draw.below(2))
                .map(|_| format!("INSERT INTO {} {};", draw.of_these(&NAMES), query(draw, tables, timed)))
                .collect();
            format!("EXECUTE STATEMENT SET BEGIN {} END", inserts.join(" "))
        }
        8 => {
            let detail =
                draw.of_these(&["", "CHANGELOG_MODE ", "PLAN_ADVICE ", "JSON_EXECUTION_PLAN ", "ESTIMATED_COST "]);
            format!("EXPLAIN {detail}{}", statement(draw, tables, timed))
        }
        9 => {
            let hint = draw.of_these(&[
                "STATE_TTL('a' = '1h')",
                "BROADCAST(a)",
                "OPTIONS('changelog-mode' = 'I')",
                "LOOKUP('table' = 'b')",
                "NOTHING(a, b)",
            ]);
            query(draw, tables, timed).replacen("SELECT", &format!("SELECT /*+ {hint} */"), 1)
        }
        10 => format!(
            "SET '{}' = '{}'",
            draw.of_these(&SETTINGS),
            draw.of_these(&["1", "true", "10 s", "UTC", "x", "DROP"])
        ),
        11 => format!(
            "{} {name}",
            draw.of_these(&["DROP TABLE", "DROP VIEW", "DESCRIBE", "SHOW CREATE TABLE", "DROP TABLE IF EXISTS"])
        ),
        12 => {
            draw.of_these(&["SHOW TABLES", "SHOW VIEWS", "SHOW FUNCTIONS", "RESET", "SHOW COLUMNS FROM a"]).to_string()
        }
        13 => {
            let ty = draw.of_these(&ALL);
            let body = expr(draw, &[], ty, 2, Reach::All);
            format!("CREATE FUNCTION g(x INT) RETURNS {} LANGUAGE SQL RETURN {body}", ty.sql())
        }
        14 => {
            let columns: Vec<String> = (0..1 + draw.below(3)).map(|_| value(draw)).collect();
            format!("SELECT {} FROM (VALUES (1), (2)) AS t(x) WHERE g(x) > 0", columns.join(", "))
        }
        _ => format!("WITH w AS ({}) SELECT * FROM w, {name}", query(draw, tables, timed)),
    }
}

const SETTINGS: [&str; 8] = [
    "parallelism.default",
    "table.exec.state.ttl",
    "table.local-time-zone",
    "table.exec.mini-batch.enabled",
    "table.optimizer.multi-join.enabled",
    "table.exec.sink.not-null-enforcer",
    "table.optimizer.reuse-sub-plan-enabled",
    "no.such.key",
];

fn ty(draw: &mut Draw, depth: usize) -> String {
    match if depth == 0 { 0 } else { draw.below(6) } {
        3 => format!("ARRAY<{}>", ty(draw, depth - 1)),
        4 => format!("MAP<{}, {}>", ty(draw, depth - 1), ty(draw, depth - 1)),
        5 => format!("ROW<x {}, y {}>", ty(draw, depth - 1), ty(draw, depth - 1)),
        _ => {
            let more = ["DECIMAL(50, 60)", "CHAR(0)", "TIMESTAMP(12)", "TIMESTAMP_LTZ(3)", "BYTES", "TIME", "NOTHING"];
            if draw.one_in(3) { (draw.of_these(&more)).to_owned() } else { draw.of_these(&ALL).sql() }
        }
    }
}

fn column(draw: &mut Draw, at: usize) -> String {
    match draw.below(5) {
        0 => format!("c{at} AS {}", expr(draw, &[], Ty::Int, 1, Reach::All)),
        1 => format!("c{at} {} METADATA FROM 'timestamp' VIRTUAL", ty(draw, 0)),
        2 => format!("c{at} {} NOT NULL", ty(draw, 2)),
        _ => format!("c{at} {}", ty(draw, 2)),
    }
}

fn create(draw: &mut Draw, name: &str) -> String {
    let mut columns: Vec<String> = (0..1 + draw.below(4)).map(|at| column(draw, at)).collect();
    if draw.one_in(3) {
        columns.push(format!("PRIMARY KEY (c{}) {}ENFORCED", draw.below(4), if draw.one_in(5) { "" } else { "NOT " }));
    }
    if draw.one_in(3) {
        columns.push(format!("WATERMARK FOR c{} AS c0 - INTERVAL '1' SECOND", draw.below(3)));
    }
    let connector =
        draw.of_these(&["inline", "print", "blackhole", "datagen", "kafka", "upsert-kafka", "jdbc", "nothing"]);
    let option = draw.of_these(&[
        "",
        ", 'topic' = 't'",
        ", 'changelog-mode' = 'I,UA,D'",
        ", 'rows-per-second' = '-1'",
        ", 'x' = ''",
    ]);
    let like = if draw.one_in(6) { " LIKE a (EXCLUDING ALL)" } else { "" };
    format!("CREATE TABLE {name} ({}) WITH ('connector' = '{connector}'{option}){like}", columns.join(", "))
}

fn alter(draw: &mut Draw, name: &str) -> String {
    let column = column(draw, 9);
    let action = match draw.below(9) {
        0 => "SET ('changelog-mode' = 'I,UB,UA,D')".to_owned(),
        1 => "RESET ('connector')".to_owned(),
        2 => format!("ADD {column}"),
        3 => format!("ADD ({column} FIRST)"),
        4 => "DROP v".to_owned(),
        5 => format!("MODIFY {}", column.replace("c9", "v")),
        6 => "RENAME v TO k".to_owned(),
        7 => "RENAME TO a".to_owned(),
        _ => "ADD WATERMARK FOR ts AS ts - INTERVAL '1' DAY".to_owned(),
    };
    format!("ALTER TABLE {name} {action}")
}

/// A statement with some of its words missing, twice or at another place.
fn spoilt(draw: &mut Draw, statement: &str) -> String {
    let mut words: Vec<&str> = statement.split(' ').collect();
    for _ in 0..1 + draw.below(2) {
        let (at, other) = (draw.below(words.len()), draw.below(words.len()));
        match draw.below(4) {
            0 if words.len() > 1 => {
                words.remove(at);
            }
            1 => words.insert(other, words[at]),
            2 => words.swap(at, other),
            _ => {
                words[at] = draw.of_these(&[
                    "NULL",
                    "(",
                    ")",
                    "''",
                    "1.5",
                    "a.k",
                    "*",
                    "DISTINCT",
                    "nothing",
                    "INTERVAL '1' DAY",
                    ",",
                ])
            }
        }
    }
    words.join(" ")
}

/// Runs a script of statements as far as planning goes: in one, and one by one.
pub fn judge(text: &str) -> Verdict {
    let options = SessionOptions::default();
    let mut problems = Session::check(text, &options);
    let (_, faulty) = Session::new(options).run_statements(text, Restore::None);
    let refused = faulty.is_some();
    problems.extend(faulty.into_iter().flat_map(|(_, problems)| problems));
    match problems.iter().find_map(|problem| wrong(problem, text)) {
        Some(what) => Verdict::Differs(what),
        None if refused => Verdict::Refused(problems.first().map_or_else(String::new, |first| first.message.clone())),
        None => Verdict::Same,
    }
}

/// What a diagnostic lacks.
fn wrong(problem: &Diagnostic, text: &str) -> Option<String> {
    let number = problem.code.number();
    if problem.message.trim().is_empty() || !(1_000..10_000).contains(&number) {
        return Some(format!("a diagnostic that says nothing: {problem:?}"));
    }
    let outside = |span: tidegate::diag::Span| text.get(span.start as usize..span.end as usize).is_none();
    if problem.span.is_some_and(outside) {
        return Some(format!("a diagnostic of no place in the text: {problem:?}"));
    }
    problem
        .is_error()
        .then_some(())
        .filter(|()| problem.span.is_none())
        .map(|()| format!("an error without a place: {problem:?}"))
}
