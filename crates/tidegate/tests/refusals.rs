//! What is refused, by which code, at which place and with which hint.

use tidegate::case::{CaseOptions, run};
use tidegate::diag::Diagnostic;
use tidegate::{Session, SessionOptions};

const TABLE: &str =
    "CREATE TABLE t (a INT, s STRING, d DECIMAL(10, 2), ts TIMESTAMP(3)) WITH ('connector' = 'inline');\n";

fn problems(sql: &str) -> Vec<Diagnostic> {
    Session::check(sql, &SessionOptions::default())
}

/// `sql` is refused with `code` at `place`, and one of the hints has `hint` in it.
#[track_caller]
fn refused(sql: &str, code: &str, place: &str, hint: &str) {
    let found = problems(sql);
    let Some(problem) = found.iter().find(|problem| problem.code.to_string() == code) else {
        panic!("no {code} in {found:?}");
    };
    let text = problem.span.map_or("", |span| span.text(sql));
    assert_eq!(text, place, "{problem:?}");
    assert!(problem.hints.iter().any(|own| own.contains(hint)), "{problem:?}");
}

#[track_caller]
fn refused_over_table(sql: &str, code: &str, place: &str, hint: &str) {
    refused(&format!("{TABLE}{sql}"), code, place, hint);
}

#[test]
fn numbers_of_subtasks_and_partitions_have_a_range() {
    for (connector, key, value, range) in [
        ("log", "partitions", "5000000", "from 1 to 1024"),
        ("log", "partitions", "0", "from 1 to 1024"),
        ("inline", "partitions", "-1", "from 1 to 1024"),
        ("print", "sink.parallelism", "0", "from 1 to 128"),
        ("blackhole", "sink.parallelism", "500", "from 1 to 128"),
        ("log", "scan.parallelism", "129", "from 1 to 128"),
    ] {
        let sql = format!("CREATE TABLE o (a INT) WITH ('connector' = '{connector}', '{key}' = '{value}');");
        let sql = format!("{sql}\n{TABLE}INSERT INTO o SELECT a FROM t;");
        refused(&sql, "TG2130", &format!("'{value}'"), range);
    }
}

#[test]
fn settings_have_a_range() {
    for (key, value, hint) in [
        ("parallelism.default", "0", "from 1 to 128"),
        ("parallelism.default", "99999999999", "from 1 to 128"),
        ("table.local-time-zone", "Mars/Phobos", "Europe/Berlin"),
        ("execution.checkpointing.interval", "1 ms", "10 ms"),
        ("execution.checkpointing.max-concurrent-checkpoints", "0", "from 1 to"),
    ] {
        refused(&format!("SET '{key}' = '{value}';"), "TG2102", &format!("'{value}'"), hint);
    }
    assert!(problems("SET 'table.local-time-zone' = 'Europe/Berlin'; SET 'parallelism.default' = '128';").is_empty());
}

#[test]
fn what_doubles_is_refused_in_time() {
    let doubled = (0..25).fold("t".to_owned(), |from, _| format!("(SELECT a + a AS a FROM {from})"));
    let found = problems(&format!("{TABLE}SELECT a FROM {doubled};"));
    assert_eq!(found[0].code.to_string(), "TG2295", "{found:?}");
    assert!(found[0].span.is_some() && found[0].hints[0].contains("as often as they are used"), "{found:?}");

    let views: String = (0..40)
        .map(|i| format!("CREATE VIEW v{} AS SELECT a FROM v{i} UNION ALL SELECT a FROM v{i};\n", i + 1))
        .collect();
    let sql = format!("{TABLE}CREATE VIEW v0 AS SELECT a FROM t;\n{views}SELECT a FROM v40;");
    let found = problems(&sql);
    // The views that read the refused one are no news.
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code.to_string(), "TG2295");
    assert!(found[0].span.is_some_and(|span| span.text(&sql).starts_with("SELECT a FROM v")));
}

fn joined(count: usize, sign: &str, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(sign)
}

fn rows(select: &str) -> Vec<Vec<Option<String>>> {
    let sql = format!("{TABLE}--! data t\n--! +I[700, 'x', 1.5, NULL]\n--! +I[-1, 'y', 2.5, NULL]\n{select};");
    let result = run(&sql, &CaseOptions::default());
    assert!(result.error.is_none(), "{:?}", result.error);
    result.results[0].rows.iter().map(|row| row.row.clone()).collect()
}

#[test]
fn flat_chains_may_be_thousands_of_operands_long() {
    let one = |text: &str| vec![vec![Some(text.to_owned())]];
    let sum = format!("SELECT {} AS s FROM t WHERE a > 0", joined(3_000, " + ", |_| "a".to_owned()));
    assert_eq!(rows(&sum), one("2100000"));
    // The result becomes a BIGINT at the end only: before it, the sum has wrapped around.
    let sum = format!(
        "SELECT {} + CAST(0 AS BIGINT) AS s FROM t WHERE a > 0",
        joined(3_000, " + ", |_| "a * 100000".to_owned())
    );
    assert_eq!(rows(&sum), one(&((0..3_000).fold(0_i32, |sum, _| sum.wrapping_add(70_000_000))).to_string()));
    let text = format!("SELECT CHAR_LENGTH({}) AS s FROM t WHERE a > 0", joined(3_000, " || ", |_| "s".to_owned()));
    assert_eq!(rows(&text), one("3000"));
    let any = format!("SELECT a FROM t WHERE {}", joined(3_000, " OR ", |i| format!("a * 1 = {i}")));
    assert_eq!(rows(&any), one("700"));
    let all = format!("SELECT a FROM t WHERE {}", joined(3_000, " AND ", |i| format!("a <> {i}")));
    assert_eq!(rows(&all), one("-1"));
    let union = joined(1_000, " UNION ALL ", |i| format!("SELECT a FROM t WHERE a = {i}"));
    assert_eq!(rows(&union), one("700"));
    let list = format!("SELECT a FROM t WHERE a NOT IN ({})", joined(20_000, ", ", |i| i.to_string()));
    assert_eq!(rows(&list), one("-1"));
}

#[test]
fn chains_that_lean_have_a_limit() {
    let sum = joined(2_000, " + ", |_| "d".to_owned());
    refused_over_table(&format!("SELECT {sum} FROM t;"), "TG2295", &sum, "parentheses");
    let nested = (0..150).fold("a".to_owned(), |inner, _| format!("({inner} + 1)"));
    let found = problems(&format!("{TABLE}SELECT {nested} FROM t;"));
    assert_eq!(found[0].code.to_string(), "TG1008");
}

#[track_caller]
fn misfits(data: &str) -> Vec<(String, Diagnostic)> {
    let sql = format!("{TABLE}--! data t\n{data}SELECT a FROM t;");
    let error = run(&sql, &CaseOptions::default()).error.expect("an error");
    assert_eq!(error.stage, "case", "{error:?}");
    let of = |problem: &Diagnostic| problem.span.map_or(String::new(), |span| span.text(&sql).to_owned());
    error.problems.iter().map(|problem| (of(problem), problem.clone())).collect()
}

#[test]
fn input_that_does_not_fit_is_reported_in_one_go() {
    let found = misfits(
        "--! +I[1.5, 'x', 1.25, NULL]\n--! +I[1, 'x', 1.255, NULL]\n--! +I[2, 3, 123456789.5, NULL]\n--! +I[1, 'x', 1.250, NULL]\n\
         --! +I[1, 'x', 12e2, NULL]\n--! +I[1, 'x', 1e9, NULL]\n--! +I[1]\n--! +I[99999999999, 'x', NULL, 5]\n",
    );
    let places: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(places, ["1.5", "1.255", "3", "123456789.5", "1e9", "+I[1]", "99999999999", "5"]);
    assert!(found[1].1.message.contains("3 digits behind the point"), "{found:?}");
    assert!(found[5].1.hints[0].contains("a INT, s STRING"), "{found:?}");
}

#[test]
fn names_of_tables_of_other_letters_stand_in_backticks() {
    let sql =
        "CREATE TABLE `a-b` (a INT) WITH ('connector' = 'inline');\n--! data a-b\n--! +I[1]\nSELECT a FROM `a-b`;";
    let error = run(sql, &CaseOptions::default()).error.expect("an error");
    assert!(error.problems[0].hints[0].contains("--! data `a-b`"), "{error:?}");
    let result = run(&sql.replace("data a-b", "data `a-b`"), &CaseOptions::default());
    assert!(result.error.is_none() && result.results[0].rows.len() == 1, "{result:?}");
}

#[test]
fn a_table_that_is_not_there_is_named_with_those_that_are() {
    let sql = format!("{TABLE}--! data tt\n--! +I[1]\nSELECT a FROM t;");
    let error = run(&sql, &CaseOptions::default()).error.expect("an error");
    assert_eq!(error.problems[0].code.to_string(), "TG6010");
    assert!(error.problems[0].hints.iter().any(|hint| hint == "Its tables are t."), "{error:?}");
}

#[test]
fn long_scripts_are_refused_by_name() {
    let long = format!("{TABLE}SELECT a FROM t WHERE s = '{}';", "x".repeat(1 << 20));
    assert_eq!(problems(&long)[0].code.to_string(), "TG1016");
    let many = format!("{TABLE}SELECT a FROM t WHERE a IN ({});", joined(200_000, ", ", |i| i.to_string()));
    assert_eq!(problems(&many)[0].code.to_string(), "TG1016");
    let rows: String = (0..60_000).map(|i| format!("--! +I[{i}, 'a row of the input', 1.5, NULL]\n")).collect();
    assert!(problems(&format!("{TABLE}--! data t\n{rows}SELECT a FROM t;")).is_empty());
}

#[test]
fn what_is_refused_comes_with_a_hint() {
    for (sql, code, place, hint) in [
        ("SELECT nope FROM t;", "TG2210", "nope", "Columns in sight: a, s, d, ts."),
        ("SELECT t.nope FROM t;", "TG2210", "nope", "Columns in sight: a, s, d, ts."),
        ("SELECT aa FROM t;", "TG2210", "aa", "Did you mean 'a'?"),
        ("SELECT a FROM orders;", "TG2110", "orders", "Tables and views in sight: t."),
        ("DROP TABLE nope;", "TG2110", "nope", "Tables and views in sight: t."),
        ("SET 'no.such.key' = '1';", "TG2101", "'no.such.key'", "Keys that have an effect: execution.checkpointing."),
        ("SELECT a FROM t WHERE a;", "TG2223", "a", "A condition is a comparison"),
        ("SELECT s + ts FROM t;", "TG2221", "s + ts", "CAST"),
        ("SELECT DATE '2024-13-45' FROM t;", "TG2222", "DATE '2024-13-45'", "DATE '2024-01-31'"),
        ("CREATE TABLE u (a DECIMAL(5, 9)) WITH ('connector' = 'inline');", "TG2205", "DECIMAL(5, 9)", "DECIMAL(p, s)"),
        (
            "SELECT a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts)));",
            "TG2250",
            "TUMBLE(TABLE t, DESCRIPTOR(ts))",
            "TUMBLE",
        ),
        ("SELECT x FROM (SELECT a AS x, s AS x FROM t);", "TG2211", "x", "give each its own"),
        ("SELECT a FROM t AS one CROSS JOIN t AS two;", "TG2211", "a", "one.a and two.a"),
    ] {
        refused_over_table(sql, code, place, hint);
    }
}

#[test]
fn a_view_that_reads_itself_is_refused_and_so_is_nothing_else() {
    let sql = "CREATE VIEW v AS SELECT * FROM v;\nSELECT * FROM v;";
    let problems = tidegate::Session::check(sql, &tidegate::SessionOptions::default());
    let told: Vec<_> = problems.iter().map(|one| (one.message.as_str(), one.span.map(|span| span.start))).collect();
    assert_eq!(told, [("Object 'v' not found", Some(31))]);
    // One that hides what it is made from.
    let sql = format!("{TABLE}CREATE TEMPORARY VIEW t AS SELECT * FROM t AS x CROSS JOIN t AS y;\nSELECT * FROM t;");
    let (_, faulty) = Session::new(SessionOptions::default()).run_statements(&sql, tidegate::runtime::Restore::None);
    let (statement, problems) = faulty.expect("it is refused");
    assert_eq!((statement, problems[0].message.as_str()), (3, "View 't' reads itself."));
}

fn failed(sql: &str) -> (String, Vec<String>) {
    let sql = format!("{TABLE}--! data t\n--! +I[1, '2', 1.5, NULL]\n--! +I[0, 'x', 1.5, NULL]\n{sql}");
    let error = run(&sql, &CaseOptions::default()).error.expect("an error");
    let problem = &error.problems[0];
    assert_eq!(error.stage, "run", "{error:?}");
    (problem.span.map_or(String::new(), |span| span.text(&sql).to_owned()), problem.hints.clone())
}

#[test]
fn what_fails_at_run_time_is_shown_in_the_sql_with_its_row() {
    let (place, hints) = failed("SELECT s, 10 / a AS q FROM t WHERE a < 100;");
    assert_eq!(place, "10 / a");
    assert!(hints.iter().any(|hint| hint.contains("line 4: +I[0, 'x', 1.5, NULL] of t")), "{hints:?}");
    let (place, hints) = failed("CREATE VIEW v AS SELECT CAST(s AS INT) AS n FROM t;\nSELECT n + 1 FROM v;");
    assert_eq!(place, "CAST(s AS INT)");
    assert!(hints.iter().any(|hint| hint.contains("TRY_CAST")), "{hints:?}");
    let (place, hints) = failed("SELECT 10 / a, a % a FROM t;");
    assert_eq!(place, "SELECT 10 / a, a % a FROM t");
    assert!(hints.iter().any(|hint| hint.contains("`10 / a`, `a % a`")), "{hints:?}");
    let sink = "CREATE TABLE o (key_of_o INT NOT NULL) WITH ('connector' = 'print');\n";
    let sql = format!("{TABLE}{sink}--! data t\n--! +I[NULL, 'x', 1.5, NULL]\nINSERT INTO o SELECT a FROM t;");
    let error = run(&sql, &CaseOptions::default()).error.expect("an error");
    assert!(error.message().starts_with("Column 'key_of_o' is NOT NULL"), "{error:?}");
}

#[test]
fn the_json_has_causes_and_watermarks() {
    let table = TABLE.replace("TIMESTAMP(3))", "TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK())");
    let sql = format!(
        "{table}--! data t\n--! watermark '2024-01-01 00:00:10'\n--! +I[0, 'x', 1.5, '2024-01-01 00:00:11']\nSELECT 1 / a FROM t;"
    );
    let json = tidegate::case::to_json("x", &run(&sql, &CaseOptions::default()));
    assert_eq!(json["steps"][0]["watermark"], "2024-01-01 00:00:10");
    assert_eq!(json["error"]["causes"].as_array().map(Vec::len), Some(4), "{json}");
}
