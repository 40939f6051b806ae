//! A job stops with a savepoint; other SQL starts from it, where its state fits.

use tidegate::runtime::{Command, JobState, Restore, Stop};

use crate::drive::Host;

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
