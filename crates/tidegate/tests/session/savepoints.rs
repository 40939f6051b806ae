//! A job stops with a savepoint; other SQL starts from it, where its state fits.

use std::rc::Rc;

use tidegate::replay::{Link, Player};
use tidegate::runtime::{Command, JobState, Restore, Stop};

use crate::drive::{Host, options};

const TABLES: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
CREATE TABLE totals (product STRING, total INT, PRIMARY KEY (product) NOT ENFORCED) WITH ('connector' = 'table');";

fn script(settings: &str, query: &str) -> String {
    format!("{settings}{TABLES}INSERT INTO totals {query};")
}

fn stopped() -> (Host, u64) {
    let mut host = Host::new(&script("", "SELECT product, SUM(amount) + 1 FROM orders GROUP BY product"));
    host.settle();
    for (product, amount) in [("tea", "3"), ("ink", "4"), ("tea", "5")] {
        host.feed("orders", 0, &[product, amount]);
    }
    host.settle();
    host.command(0, Command::Savepoint { stop: Some(Stop::Suspend) });
    host.settle();
    let runtime = &host.session.jobs()[0].runtime;
    assert_eq!(runtime.state(), &JobState::Finished);
    let savepoint = runtime.view().history.last().map(|last| (last.id, last.savepoint));
    assert_eq!(savepoint, Some((1, true)));
    (host, 1)
}

/// The rows of the sink's table.
fn totals(host: &mut Host) -> Vec<Vec<String>> {
    let page =
        tidegate::store::table::read(&mut host.store, "totals", tidegate::store::table::Isolation::ReadCommitted);
    let page = page.expect("a table that can be read");
    let text = |column: usize, row: usize| {
        let ty = &page.schema.fields[column].ty;
        format!("{:?}", tidegate::data::value_at(page.rows.columns[column].as_ref(), row, ty))
    };
    let mut rows: Vec<Vec<String>> =
        (0..page.rows.len).map(|row| (0..page.rows.columns.len()).map(|column| text(column, row)).collect()).collect();
    rows.sort();
    rows
}

#[test]
fn what_it_has_written_is_committed_and_sql_with_the_same_state_goes_on() {
    let (mut host, id) = stopped();
    let numbers = |rows: Vec<Vec<String>>| rows.into_iter().map(|row| row[1].clone()).collect::<Vec<_>>();
    assert_eq!(numbers(totals(&mut host)), ["Int(5)", "Int(9)"]);
    // Another parallelism, and another expression behind the same aggregate.
    let again =
        script("SET 'parallelism.default' = '3';", "SELECT product, SUM(amount) * 10 FROM orders GROUP BY product");
    host.start_again(&again, Restore::Id(id));
    host.feed("orders", 0, &["tea", "1"]);
    host.settle();
    let job = &host.session.jobs()[0].runtime;
    assert_eq!(job.state(), &JobState::Running, "{:?}", job.view().log);
    host.command(0, Command::TriggerCheckpoint);
    host.settle();
    let rows = totals(&mut host);
    assert!(rows.iter().any(|row| row[0].contains("tea") && row[1] == "Int(90)"), "{rows:?}");
}

#[test]
fn sql_with_other_state_is_refused_and_can_leave_it_out() {
    let (mut host, id) = stopped();
    let query = "SELECT product, amount FROM orders";
    host.start_again(&script("", query), Restore::Id(id));
    let JobState::Failed(problem) = host.session.jobs()[0].runtime.state().clone() else { panic!("it goes on") };
    assert!(problem.message.contains("group-aggregate"), "{problem:?}");
    assert!(problem.hints.iter().any(|hint| hint.contains("ignore-unclaimed-state")), "{problem:?}");
    for key in ["execution.state-recovery.ignore-unclaimed-state", "execution.savepoint.ignore-unclaimed-state"] {
        let (mut host, id) = stopped();
        host.start_again(&script(&format!("SET '{key}' = 'true';"), query), Restore::Id(id));
        let job = &host.session.jobs()[0].runtime;
        assert_eq!(job.state(), &JobState::Running, "{key}: {:?}", job.view().log);
    }
    // The same operator with other columns.
    let (mut host, id) = stopped();
    host.start_again(&script("", "SELECT product, MAX(amount) + 1 FROM orders GROUP BY product"), Restore::Id(id));
    let JobState::Failed(problem) = host.session.jobs()[0].runtime.state().clone() else { panic!("it goes on") };
    assert!(problem.message.contains("has changed"), "{problem:?}");
}

/// What the sink's table says of a product.
fn total(host: &mut Host, product: &str) -> String {
    let rows = totals(host);
    let row = rows.iter().find(|row| row[0].contains(product));
    row.unwrap_or_else(|| panic!("{product} in {rows:?}"))[1].clone()
}

#[test]
fn the_script_names_the_savepoint_from_which_it_begins() {
    for (key, name) in [
        ("execution.state-recovery.path", "savepoint-1"),
        ("execution.savepoint.path", "savepoint-1"),
        ("execution.state-recovery.path", "1"),
    ] {
        let (mut host, _) = stopped();
        let settings = format!("SET '{key}' = '{name}'; SET 'parallelism.default' = '3';");
        let again = script(&settings, "SELECT product, SUM(amount) * 10 FROM orders GROUP BY product");
        assert_eq!(host.begin_from(&again, &[]), []);
        host.settle();
        host.feed("orders", 0, &["tea", "1"]);
        host.settle();
        host.command(0, Command::TriggerCheckpoint);
        host.settle();
        assert_eq!(total(&mut host, "tea"), "Int(90)", "{key} {name}");
        // The savepoint is still there, and known as one.
        let job = &host.session.jobs()[0];
        assert!(job.runtime.view().retained.contains(&1));
        let known: Vec<_> = job.history.checkpoints().map(|one| (one.id, one.savepoint)).collect();
        assert_eq!(known, [(1, true), (2, false)]);
    }
}

#[test]
fn a_savepoint_that_is_not_there_is_refused_with_those_that_are() {
    let (mut host, _) = stopped();
    let again = "SET 'execution.state-recovery.path' = 'savepoint-7';";
    let again = script(again, "SELECT product, SUM(amount) FROM orders GROUP BY product");
    let problems = host.begin_from(&again, &[]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].message, "There is no checkpoint 7.");
    assert_eq!(problems[0].hints, ["Kept are: savepoint-1."]);
    assert!(problems[0].span.is_some(), "{problems:?}");
    // A job that is started all the same says it as well.
    host.start_again(&again, Restore::None);
    let JobState::Failed(problem) = host.session.jobs()[0].runtime.state().clone() else { panic!("it goes on") };
    assert_eq!(problem.hints, ["Kept are: savepoint-1."]);
}

#[test]
fn what_does_not_fit_is_refused_operator_by_operator_and_the_run_before_goes_on() {
    let query = "SELECT product, SUM(a) + SUM(b) FROM (SELECT product, amount AS a, 0 AS b FROM orders
        UNION ALL SELECT product, 0, MAX(amount) FROM orders GROUP BY product) GROUP BY product";
    let mut host = Host::new(&script("", query));
    host.settle();
    host.feed("orders", 0, &["tea", "3"]);
    host.settle();
    host.command(0, Command::Savepoint { stop: None });
    host.settle();
    let other = "SELECT product, amount FROM orders";
    let problems = host.begin_from(&script("", other), &[Restore::Id(1)]);
    let operators: std::collections::BTreeSet<&str> =
        problems.iter().filter_map(|problem| problem.message.split('`').nth(1)).collect();
    assert!(operators.iter().filter(|uid| uid.contains("group-aggregate")).count() == 2, "{problems:?}");
    assert!(problems.iter().all(|problem| problem.hints.iter().any(|hint| hint.contains("ignore-unclaimed-state"))));
    // Nothing has happened to it.
    host.feed("orders", 0, &["tea", "4"]);
    host.settle();
    host.command(0, Command::TriggerCheckpoint);
    host.settle();
    assert_eq!(total(&mut host, "tea"), "Int(11)");
    let lenient = "SET 'execution.state-recovery.ignore-unclaimed-state' = 'true';";
    assert_eq!(host.begin_from(&script(lenient, other), &[Restore::Id(1)]), []);
    host.settle();
    let job = &host.session.jobs()[0].runtime;
    assert_eq!(job.state(), &JobState::Running, "{:?}", job.view().log);
    // The positions of its sources fit: it reads what came behind the savepoint.
    host.command(0, Command::TriggerCheckpoint);
    host.settle();
    assert_eq!(total(&mut host, "tea"), "Int(4)");
}

#[test]
fn the_result_of_the_same_query_stays_and_that_of_another_begins_anew() {
    let select = |settings: &str, sum: &str| {
        format!("{settings}{TABLES}SELECT product, {sum} AS total FROM orders GROUP BY product;")
    };
    let table = |host: &Host| -> Vec<Vec<Option<String>>> {
        let buffer = host.session.jobs()[0].results[0].buffer.clone().expect("rows are kept");
        let mut rows = buffer.borrow().table_rows(tidegate::data::Zone::UTC);
        rows.sort();
        rows
    };
    let row = |product: &str, total: &str| vec![Some(product.to_owned()), Some(total.to_owned())];
    // Both have the same operators, in the same places.
    let mut host = Host::new(&select("", "SUM(amount) * 2"));
    host.settle();
    host.feed("orders", 0, &["tea", "3"]);
    host.feed("orders", 0, &["ink", "5"]);
    host.settle();
    host.command(0, Command::Savepoint { stop: None });
    host.settle();
    assert_eq!(host.begin_from(&select("SET 'parallelism.default' = '2';", "SUM(amount) * 2"), &[Restore::Id(1)]), []);
    host.settle();
    assert_eq!(table(&host), [row("ink", "10"), row("tea", "6")]);
    // What the other query would have said before, nobody has seen.
    for sum in ["SUM(amount) * 10", "CAST(SUM(amount) * 10 AS STRING)"] {
        assert_eq!(host.begin_from(&select("", sum), &[Restore::Id(1)]), []);
        host.settle();
        assert!(table(&host).is_empty(), "{sum}: {:?}", table(&host));
    }
    host.feed("orders", 0, &["tea", "4"]);
    host.settle();
    assert_eq!(table(&host), [row("tea", "70")]);
}

#[test]
fn a_run_that_begins_from_a_savepoint_is_handed_on_with_its_state() {
    // An engine that is lost after so many steps and answers: also before anything was restored.
    for lost in [None, Some((0, 0)), Some((0, 1)), Some((0, 3)), Some((1, 40)), Some((60, 40))] {
        let (mut host, id) = stopped();
        // What was made behind it must not be what an engine goes on from.
        host.command(0, Command::RestoreFrom(id));
        host.settle();
        host.feed("orders", 0, &["ink", "100"]);
        host.settle();
        host.command(0, Command::TriggerCheckpoint);
        host.settle();
        assert_eq!(total(&mut host, "ink"), "Int(105)");
        host.pass(50);
        let again =
            script("SET 'parallelism.default' = '2';", "SELECT product, SUM(amount) * 10 FROM orders GROUP BY product");
        assert_eq!(host.begin_from(&again, &[Restore::Id(id)]), []);
        if let Some((steps, answers)) = lost {
            host.answer(answers);
            host.step(steps);
            host.lose_engine();
        }
        host.settle();
        host.feed("orders", 0, &["tea", "1"]);
        host.settle();
        host.command(0, Command::TriggerCheckpoint);
        host.settle();
        assert_eq!(total(&mut host, "tea"), "Int(90)", "{lost:?}");
        assert_eq!(total(&mut host, "ink"), "Int(1040)", "{lost:?}");
        let link = Link { recording: host.recording(), ..Link::default() };
        let recording = Rc::new(Link::decode(&link.encode()).expect("a link").recording);
        assert_eq!(*recording, link.recording);
        let mut player = Player::new(recording.clone(), &options()).expect("the script runs");
        assert_eq!(player.advance(&recording.end(), &mut || true), Ok(true), "{lost:?}");
        assert_eq!(player.session_mut().digest(), host.session.digest(), "{lost:?}");
        assert_eq!(player.store().entries(), host.store.entries(), "{lost:?}");
        let histories = |session: &tidegate::Session| session.jobs()[0].history.clone();
        assert_eq!(histories(player.session()), histories(&host.session), "{lost:?}");
    }
}

#[test]
fn a_drained_window_fires_before_the_savepoint_and_the_job_ends() {
    let mut host = Host::new(
        "CREATE TABLE sales (amount INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
SELECT window_start, SUM(amount) AS total FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' HOUR))
GROUP BY window_start, window_end;",
    );
    host.settle();
    host.feed("sales", 0, &["3", "2024-01-01 12:00:00"]);
    host.feed("sales", 0, &["4", "2024-01-01 12:10:00"]);
    host.settle();
    host.command(0, Command::TriggerCheckpoint);
    host.settle();
    host.command(0, Command::Savepoint { stop: Some(Stop::Drain) });
    host.settle();
    let view = host.session.jobs()[0].runtime.view();
    assert_eq!((&view.state, view.retained.as_slice()), (&JobState::Finished, [1, 2].as_slice()), "{:?}", view.log);
    let buffer = host.session.jobs()[0].results[0].buffer.clone().expect("rows are kept");
    let rows = buffer.borrow().table_rows(tidegate::data::Zone::UTC);
    assert_eq!(rows, [[Some("2024-01-01 12:00:00.000".to_owned()), Some("7".to_owned())]]);
}

#[test]
fn a_bounded_job_with_watermarks_and_checkpoints_comes_to_its_end() {
    let mut host = Host::new(
        "SET 'execution.checkpointing.interval' = '1 s';
CREATE TABLE made (n INT, ts AS TO_TIMESTAMP_LTZ(n, 0), WATERMARK FOR ts AS ts)
WITH ('connector' = 'datagen', 'number-of-rows' = '3', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '3');
SELECT n, ts FROM made;",
    );
    for _ in 0..20 {
        host.settle();
        host.pass(500);
    }
    let view = host.session.jobs()[0].runtime.view();
    assert_eq!(view.state, JobState::Finished, "{:?}", view.log);
    // With a last checkpoint, so that sinks commit what came behind the one before.
    assert!(!view.retained.is_empty(), "{:?}", view.log);
}
