//! What a case can ask for that a recording cannot hold: sources by the clock, very long values, very long lists.

use tidegate::case::{self, CaseOptions};

fn run(text: &str) -> case::CaseResult {
    let result = case::run(text, &CaseOptions::default());
    let problems = result.error.as_ref().map_or(0, |error| error.problems.len());
    assert_eq!(problems, 0, "{:?}", result.error.as_ref().map(|error| &error.problems));
    result
}

#[test]
fn a_bounded_source_by_the_clock_comes_to_its_end() {
    let result = run("CREATE TABLE t (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '10', 'fields.n.kind' = 'sequence',
        'fields.n.start' = '1', 'fields.n.end' = '35');
        SELECT COUNT(*) AS c, SUM(n) AS s FROM t;");
    let last = result.results[0].rows.last().expect("a row");
    assert_eq!(last.row, [Some("35".to_owned()), Some("630".to_owned())]);
}

#[test]
fn a_source_without_end_is_said_to_be_one() {
    let text = "CREATE TABLE t (n INT) WITH ('connector' = 'log', 'topic' = 't'); SELECT n FROM t;";
    let error = case::run(text, &CaseOptions::default()).error.expect("an error");
    assert_eq!(error.problems[0].code.to_string(), "TG4099");
    assert!(error.problems[0].hints[0].contains("scan.bounded.mode"));
}

#[test]
fn a_value_may_be_longer_than_any_width() {
    let table = case::to_table(&run("SELECT REPEAT('x', 70000) AS v, 1 AS n;"));
    assert!(table.lines().any(|line| line.len() > 70_000 && line.ends_with("  1")));
}

#[test]
fn a_list_may_have_thousands_of_values() {
    let list: Vec<String> = (0..5_000).map(|n| (n * 2).to_string()).collect();
    let text = format!(
        "CREATE TABLE t (n INT) WITH ('connector' = 'inline');\n--! data t\n--! +I[8]\n--! +I[9]\nSELECT n FROM t WHERE n IN ({});",
        list.join(", ")
    );
    let result = run(&text);
    let rows: Vec<_> = result.results[0].rows.iter().map(|row| row.row[0].as_deref()).collect();
    assert_eq!(rows, [Some("8")]);
}
