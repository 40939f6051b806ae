//! State that is kept for some time: what is over is not there, before and after an engine that is lost, and the same when it is played again.

use std::rc::Rc;

use tidegate::data::Zone;
use tidegate::replay::Player;
use tidegate::runtime::Command;

use crate::drive::Host;
use crate::state::state;

const TABLES: &str = "
SET 'table.exec.state.ttl' = '1 min';
CREATE TABLE t (k INT, v INT) WITH ('connector' = 'inline');
CREATE TABLE u (k INT, w INT) WITH ('connector' = 'inline');
CREATE TABLE p (k INT PRIMARY KEY NOT ENFORCED, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
";

/// The changelog of a query so far: kinds and values.
fn rows(host: &Host) -> Vec<String> {
    let buffer = host.session.jobs()[0].results[0].buffer.as_ref().expect("it collects").borrow();
    let text = |value: Option<String>| value.unwrap_or_else(|| "NULL".to_owned());
    let rows = buffer.rows(buffer.first(), usize::MAX, Zone::UTC).into_iter();
    rows.map(|row| format!("{} {}", row.kind, row.values.into_iter().map(text).collect::<Vec<_>>().join(" "))).collect()
}

/// What a query says to rows `time table k v`, each at its time in seconds; `checkpoint` at its own; `lost` where an engine is lost.
fn run(query: &str, script: &str) -> (Vec<String>, Host) {
    let mut host = Host::new(&format!("{TABLES}{query}"));
    host.settle();
    let start = host.now;
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let at = start + words[0].parse::<i64>().expect("seconds") * 1000;
        if at > host.now {
            host.pass(at - host.now);
        }
        match words[1] {
            "checkpoint" => host.command(0, Command::TriggerCheckpoint),
            "lost" => host.lose_engine(),
            table => host.feed(table, 0, &words[2..]),
        }
        host.settle();
    }
    (rows(&host), host)
}

/// The same with an engine lost in the middle of each minute: what it had kept for half of its time is kept for half after it.
fn check(query: &str, script: &str, expected: &[&str]) {
    let (found, mut host) = run(query, script);
    assert_eq!(found, expected, "{query}");
    let recording = Rc::new(host.recording());
    let mut player = Player::new(recording.clone(), &crate::drive::options()).expect("the script runs");
    assert_eq!(player.advance(&recording.end(), &mut || true), Ok(true));
    assert_eq!(player.session_mut().digest(), host.session.digest(), "{query}, played again");
    let mut after = Vec::new();
    for (line, next) in script.lines().zip(script.lines().skip(1).chain([""])) {
        after.push(line.to_owned());
        let second = |line: &str| line.trim().split(' ').next().and_then(|word| word.parse::<i64>().ok());
        if let (Some(second), true) = (second(line), second(line) != second(next)) {
            after.push(format!("{} checkpoint", second + 1));
            after.push(format!("{} lost", second + 2));
        }
    }
    assert_eq!(run(query, &after.join("\n")).0, expected, "{query}, with engines lost");
}

#[test]
fn groups() {
    check(
        "SELECT k, COUNT(*) AS c, SUM(v) AS s FROM t GROUP BY k;",
        "0 t 1 10
         30 t 1 5
         40 t 2 7
         89 t 1 1
         100 t 2 3
         160 t 1 1",
        &["+I 1 1 10", "-U 1 1 10", "+U 1 2 15", "+I 2 1 7", "-U 1 2 15", "+U 1 3 16", "+I 2 1 3", "+I 1 1 1"],
    );
}

#[test]
fn a_distinct_value_has_a_time_of_its_own() {
    // As in Flink: the group lives on, and the value that was first seen a minute ago counts once more.
    check(
        "SELECT k, COUNT(DISTINCT v) AS c FROM t GROUP BY k;",
        "0 t 1 10
         30 t 1 10
         61 t 1 10",
        &["+I 1 1", "-U 1 1", "+U 1 1", "-U 1 1", "+U 1 2"],
    );
}

#[test]
fn hints_go_before_the_setting() {
    let script = "0 t 1 10
         70 t 1 5";
    let kept = ["+I 1 10", "-U 1 10", "+U 1 15"];
    check("SELECT k, SUM(v) AS s FROM t GROUP BY k;", script, &["+I 1 10", "+I 1 5"]);
    check("SELECT /*+ STATE_TTL('t' = '2 min') */ k, SUM(v) AS s FROM t GROUP BY k;", script, &kept);
    check("SELECT /*+ STATE_TTL('x' = '0 s') */ k, SUM(v) AS s FROM t AS x GROUP BY k;", script, &kept);
}

#[test]
fn each_side_of_a_join() {
    let script = "0 t 1 10
         40 u 1 7
         70 u 1 8
         70 t 1 20
         99 t 1 30
         131 t 1 40";
    let joined = "t.k, v, w FROM t JOIN u ON t.k = u.k;";
    check(&format!("SELECT {joined}"), script, &["+I 1 10 7", "+I 1 20 7", "+I 1 20 8", "+I 1 30 7", "+I 1 30 8"]);
    check(
        &format!("SELECT /*+ STATE_TTL('t' = '1 h', 'u' = '10 s') */ {joined}"),
        script,
        &["+I 1 10 7", "+I 1 10 8", "+I 1 20 8"],
    );
    // A match that is over is not missed: nobody says so.
    check(
        "SELECT t.k, v, w FROM t LEFT JOIN u ON t.k = u.k;",
        "0 u 1 7
         50 t 1 10
         61 t 1 11
         62 u 1 8",
        &["+I 1 10 7", "+I 1 11 NULL", "+I 1 10 8", "-D 1 11 NULL", "+I 1 11 8"],
    );
    check(
        "SELECT k, v FROM t WHERE k IN (SELECT k FROM u);",
        "0 u 1 7
         50 t 1 10
         61 t 1 11
         62 u 1 8",
        &["+I 1 10", "+I 1 11"],
    );
}

#[test]
fn ranks_and_last_rows() {
    let script = "0 t 1 10
         30 t 1 20
         61 t 1 15
         95 t 1 5";
    let ranked = |order: &str, bound: &str| {
        format!(
            "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {order}) AS n FROM t) WHERE n {bound};"
        )
    };
    check(&ranked("PROCTIME()", "= 1"), script, &["+I 1 10", "+I 1 15"]);
    check(
        &ranked("PROCTIME() DESC", "= 1"),
        script,
        &["+I 1 10", "-U 1 10", "+U 1 20", "-U 1 20", "+U 1 15", "-U 1 15", "+U 1 5"],
    );
    check(&ranked("v", "<= 2"), script, &["+I 1 10", "+I 1 20", "+I 1 15", "+I 1 5"]);
    // A row whose result changes is written again.
    check(
        "SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY v) AS s FROM t;",
        script,
        &[
            "+I 1 10 10",
            "+I 1 20 30",
            "+I 1 15 15",
            "-U 1 20 30",
            "+U 1 20 35",
            "+I 1 5 5",
            "-U 1 15 15",
            "+U 1 15 20",
            "-U 1 20 35",
            "+U 1 20 40",
        ],
    );
    check(
        "SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY PROCTIME()) AS s FROM t;",
        "0 t 1 10
         30 t 1 20
         89 t 1 1
         149 t 1 2",
        &["+I 1 10 10", "+I 1 20 30", "+I 1 1 31", "+I 1 2 2"],
    );
}

#[test]
fn upsert_sources_and_sinks() {
    check(
        "SELECT * FROM p;",
        "0 p 1 10
         30 p 1 10
         91 p 1 11",
        &["+I 1 10", "-U 1 10", "+U 1 10", "+I 1 11"],
    );
    check(
        "CREATE TABLE s (m INT, k INT, PRIMARY KEY (m) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
         INSERT INTO s SELECT MAX(v), k FROM t GROUP BY k;",
        "0 t 1 10
         10 t 2 10
         75 t 3 10",
        &["+I 10 1", "+U 10 2", "+I 10 3"],
    );
}

#[test]
fn what_is_over_takes_no_room() {
    let mut rows = String::new();
    let mut most = 0;
    for second in 0..200 {
        rows.push_str(&format!("{} t {second} {second}\n", 2 * second));
        if second % 50 == 49 {
            let (_, mut host) = run("SELECT k, COUNT(DISTINCT v) AS c FROM t GROUP BY k;", &rows);
            most = most.max(state(&mut host).len());
        }
    }
    // A group and a value for each of the thirty rows of a minute.
    assert_eq!(most, 60);
}
