//! Batch equals stream: what a changelog leaves behind in a query's result is what the query gives for the rows that the
//! changelog leaves behind in its table.

use std::fmt::Write as _;

use tidegate::case::CaseOptions;
use tidegate::runtime::Policy;
use tidegate::runtime::rng::Rng;

use crate::compare::materialise;
use crate::run::run;

/// Queries over `t (a INT, b INT, s STRING)` whose result does not depend on the order of rows.
pub const QUERIES: &[&str] = &[
    "SELECT a, b + 1 AS b, UPPER(s) AS s FROM t WHERE b > 2 OR b IS NULL",
    "SELECT a, COUNT(*) AS n, COUNT(b) AS m, SUM(b) AS s FROM t GROUP BY a",
    "SELECT a, MIN(b) AS l, MAX(b) AS h, AVG(b) AS m FROM t GROUP BY a",
    "SELECT s, MIN(s) AS l, MAX(s) AS h, COUNT(DISTINCT a) AS d FROM t GROUP BY s",
    "SELECT COUNT(*) AS n, SUM(b) AS s, MAX(s) AS h FROM t",
    "SELECT COUNT(DISTINCT b) AS n, SUM(DISTINCT b) AS s, MIN(DISTINCT b) AS l FROM t",
    "SELECT a, COUNT(*) FILTER (WHERE b > 3) AS n, SUM(b) FILTER (WHERE s = 'x') AS m FROM t GROUP BY a",
    "SELECT a, COUNT(DISTINCT b) FILTER (WHERE b > 2) AS n FROM t GROUP BY a",
    "SELECT DISTINCT a FROM t",
    "SELECT DISTINCT a, s FROM t WHERE b IS NOT NULL",
    "SELECT a, SUM(b) AS s FROM t GROUP BY a HAVING COUNT(*) > 1",
    "SELECT n, COUNT(*) AS c FROM (SELECT a, COUNT(*) AS n FROM t GROUP BY a) GROUP BY n",
    "SELECT MAX(s) AS m, COUNT(*) AS n FROM (SELECT a, SUM(b) AS s FROM t GROUP BY a) WHERE s > 3",
    "SELECT x, COUNT(*) AS n FROM (SELECT a AS x FROM t UNION ALL SELECT b AS x FROM t WHERE s <> 'y') GROUP BY x",
    "WITH g AS (SELECT a, s, COUNT(*) AS n FROM t GROUP BY a, s) SELECT s, SUM(n) AS n, MAX(n) AS m FROM g GROUP BY s",
    "SELECT CASE WHEN b > 3 THEN 'high' WHEN b IS NULL THEN 'none' ELSE 'low' END AS c, COUNT(*) AS n FROM t GROUP BY CASE WHEN b > 3 THEN 'high' WHEN b IS NULL THEN 'none' ELSE 'low' END",
    "SELECT a % 2 AS p, SUM(b) AS s, MIN(a) AS l FROM t GROUP BY a % 2",
    "SELECT COALESCE(s, '-') AS s, COUNT(*) AS n FROM t WHERE a BETWEEN 1 AND 3 GROUP BY COALESCE(s, '-')",
];

/// A row of `t` as a literal.
fn draw(rng: &mut Rng) -> String {
    let number = |rng: &mut Rng, bound| if rng.one_in(8) { "NULL".into() } else { rng.below(bound).to_string() };
    let text = ["'x'", "'y'", "'z'", "''", "NULL"][rng.below(5)];
    format!("[{}, {}, {text}]", number(rng, 5), number(rng, 7))
}

/// Draws a changelog and compares the queries after some of its changes. Gives what differs.
pub fn check(seed: u64) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let mut log: Vec<String> = Vec::new();
    let mut rows: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for round in 0..3 {
        for _ in 0..1 + rng.below(14) {
            let at = if rows.is_empty() { None } else { Some(rng.below(rows.len())) };
            match (rng.below(5), at) {
                (0, Some(at)) => log.push(format!("-D{}", rows.swap_remove(at))),
                (1 | 2, Some(at)) => {
                    log.push(format!("-U{}", rows[at]));
                    rows[at] = draw(&mut rng);
                    log.push(format!("+U{}", rows[at]));
                }
                _ => {
                    rows.push(draw(&mut rng));
                    log.push(format!("+I{}", rows[rows.len() - 1]));
                }
            }
        }
        let inserts: Vec<String> = rows.iter().map(|row| format!("+I{row}")).collect();
        let parallelism = 1 + rng.below(3) as u32;
        let options = CaseOptions {
            parallelism: Some(parallelism),
            chunk_size: 1 + rng.below(9),
            seed: rng.next_u64(),
            policy: Policy::Seeded,
            free_running: true,
            ..CaseOptions::default()
        };
        let stream = run(&script("I,UB,UA,D", &log), &options);
        let batch = run(&script("I", &inserts), &options);
        for (sides, name) in [(&stream, "stream"), (&batch, "batch")] {
            if let Some(error) = &sides.result.error {
                found.push(format!("{name}: statement {}: {}", error.statement, error.message()));
            }
        }
        for (left, right) in stream.result.results.iter().zip(&batch.result.results) {
            let table = |output: &tidegate::case::CaseOutput| {
                materialise(output.rows.iter().map(|r| (r.op, r.row.as_slice())), &output.changelog_mode, None)
            };
            let (left_table, right_table) = (table(left), table(right));
            if left_table != right_table {
                found.push(format!(
                    "round {round}, parallelism {parallelism}: {}\n  changelog: {}\n  stream: {left_table:?}\n  batch:  {right_table:?}",
                    left.sql,
                    log.join(" ")
                ));
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

fn script(mode: &str, lines: &[String]) -> String {
    let mut text = format!(
        "CREATE TABLE t (a INT, b INT, s STRING) WITH ('connector' = 'inline', 'changelog-mode' = '{mode}');\n"
    );
    text.push_str("--! data t\n");
    for line in lines {
        let _ = writeln!(text, "--! {line}");
    }
    for query in QUERIES {
        let _ = writeln!(text, "{query};");
    }
    text
}
