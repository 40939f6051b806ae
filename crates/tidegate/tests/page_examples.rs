//! The page's examples: each is a script without a fault, and its jobs are built.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use tidegate::data::keys::{hash_keys, key_group, subtask_of};
use tidegate::runtime::Restore;
use tidegate::{Session, SessionOptions};

const EXAMPLES: [(&str, &str, usize, &str); 5] = [
    ("clicks", include_str!("../../../web/src/examples/clicks.sql"), 2, "GroupWindowAggregate|WindowAggregate"),
    ("sums", include_str!("../../../web/src/examples/sums.sql"), 1, "GroupAggregate"),
    ("bills", include_str!("../../../web/src/examples/bills.sql"), 1, "Deduplicate"),
    ("late", include_str!("../../../web/src/examples/late.sql"), 1, "WindowAggregate"),
    ("stock", include_str!("../../../web/src/examples/stock.sql"), 1, "GroupAggregate"),
];

#[test]
fn every_example_becomes_jobs() {
    for (name, sql, jobs, operator) in EXAMPLES {
        let problems = Session::check(sql, &SessionOptions::default());
        assert!(problems.is_empty(), "{name}: {problems:?}");
        let mut session = Session::new(SessionOptions { watched: true, ..SessionOptions::default() });
        session.run(sql, Restore::None).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        assert_eq!(session.jobs().len(), jobs, "{name}");
        let plans: String = session.jobs().iter().flat_map(|job| job.plan.explain.clone()).collect();
        assert!(operator.split('|').any(|operator| plans.contains(operator)), "{name}: {plans}");
        // The first rows fit their tables.
        let case = tidegate::case::read(sql);
        let input = tidegate::case::input(sql, &case, &session);
        assert!(input.is_ok(), "{name}: {:?}", input.err());
    }
}

/// The plan of a SELECT is what EXPLAIN says of it, without the sink that takes its rows.
#[test]
fn the_plan_of_a_select_is_its_explain() {
    const TABLES: &str = "CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
        CREATE TABLE sums (k STRING, total BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'table', 'table-name' = 'sums');";
    for query in [
        "SELECT k, v + 1 AS w FROM t WHERE v > 3",
        "SELECT k, SUM(v) AS total FROM t GROUP BY k",
        "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM t) WHERE n <= 3",
        "SELECT a.k, b.v FROM t AS a LEFT JOIN t AS b ON a.k = b.k",
        "SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end",
        "INSERT INTO sums SELECT k, SUM(v) FROM t GROUP BY k",
    ] {
        let mut session = Session::new(SessionOptions::default());
        let script = format!("{TABLES} EXPLAIN {query}; {query};");
        let outcome = session.run(&script, Restore::None).unwrap_or_else(|problems| panic!("{query}: {problems:?}"));
        let explained = outcome.statements.iter().find_map(|statement| match &statement.said {
            tidegate::Said::Table { rows, .. } => rows[0][0].clone(),
            _ => None,
        });
        // With the changelog modes of what runs, where someone sees -U as well.
        let without_mode = |line: &String| match line.split_once(", changelogMode=[") {
            Some((before, after)) => format!("{before}{}", after.split_once(']').map_or("", |(_, rest)| rest)),
            None => line.clone(),
        };
        let shown: Vec<String> = session.jobs()[0].plan.shown.iter().map(without_mode).collect();
        let shown = shown.join("\n");
        assert_eq!(Some(shown.trim_end()), explained.as_deref().map(str::trim_end), "{query}");
        assert_eq!(shown.contains("Sink"), query.starts_with("INSERT"), "{shown}");
        assert!(!shown.contains("oracle_result"), "{shown}");
    }
}

/// Two sources and two sums: each sum has a subtask to itself, or there is nothing to see of the exchange.
#[test]
fn odd_and_even_sums_lie_in_two_subtasks() {
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["Odd", "Even"]));
    let subtasks = hash_keys(&[keys]).into_iter().map(|hash| subtask_of(key_group(hash, 128), 128, 2));
    let mut subtasks: Vec<u32> = subtasks.collect();
    subtasks.sort_unstable();
    assert_eq!(subtasks, [0, 1]);
}
