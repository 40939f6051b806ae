//! What a transactional sink does when it is made to fail: at every moment of the two-phase commit, and when its transactions time out.

use tidegate::runtime::view::{LogEvent, TransactionStep};
use tidegate::runtime::{Command, Disturbance, JobState, Moment};

use crate::drive::Host;

fn script(timeout: &str) -> String {
    format!(
        "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
CREATE TABLE copies (product STRING, amount INT) WITH ('connector' = 'table', 'sink.delivery-guarantee' = 'exactly-once'{timeout});
INSERT INTO copies SELECT product, amount FROM orders;"
    )
}

/// The amounts that a committed reader sees.
fn committed(host: &mut Host) -> Vec<String> {
    let isolation = tidegate::store::table::Isolation::ReadCommitted;
    let Ok(page) = tidegate::store::table::read(&mut host.store, "copies", isolation) else { return Vec::new() };
    let ty = &page.schema.fields[1].ty;
    let amount = |row| format!("{:?}", tidegate::data::value_at(page.rows.columns[1].as_ref(), row, ty));
    let mut amounts: Vec<String> = (0..page.rows.len).map(amount).collect();
    amounts.sort();
    amounts
}

fn started(timeout: &str) -> Host {
    let mut host = Host::new(&script(timeout));
    host.settle();
    host
}

fn write(host: &mut Host, amount: &str) {
    host.feed("orders", 0, &["tea", amount]);
    host.settle();
}

fn checkpoint(host: &mut Host) {
    host.command(0, Command::TriggerCheckpoint);
    host.settle();
}

fn states(host: &Host) -> Vec<TransactionStep> {
    host.session.jobs()[0].runtime.view().transactions.iter().map(|one| one.state).collect()
}

#[test]
fn a_crash_at_any_moment_of_the_commit_loses_nothing_and_doubles_nothing() {
    let moments =
        [Moment::Begun, Moment::Triggered, Moment::PreCommitted, Moment::Voted, Moment::Committing, Moment::Committed];
    let crashes = moments.map(Disturbance::FailAt).into_iter().chain([Disturbance::FailOnCompletion]);
    for crash in crashes {
        let mut host = started("");
        write(&mut host, "1");
        checkpoint(&mut host);
        assert_eq!(committed(&mut host), ["Int(1)"]);
        host.command(0, Command::Disturb(crash));
        write(&mut host, "2");
        checkpoint(&mut host);
        // The new attempt comes after a second.
        host.pass(2_000);
        host.settle();
        let view = host.session.jobs()[0].runtime.view();
        assert_eq!(view.attempt, 2, "{crash:?}: it has crashed once");
        checkpoint(&mut host);
        assert_eq!(committed(&mut host), ["Int(1)", "Int(2)"], "{crash:?}");
        assert!(states(&host).iter().all(|state| *state != TransactionStep::Lost), "{crash:?}");
    }
}

#[test]
fn the_steps_of_a_transaction_can_be_followed() {
    let mut host = started("");
    write(&mut host, "1");
    let deadline = crate::drive::START + 3_600_000;
    assert_eq!(states(&host), [TransactionStep::Begun { deadline }]);
    checkpoint(&mut host);
    let view = host.session.jobs()[0].runtime.view();
    let steps: Vec<TransactionStep> = view.transactions[0].steps.iter().map(|(step, ..)| *step).collect();
    let pre_committed = TransactionStep::PreCommitted { checkpoint: 1 };
    let committing = TransactionStep::Committing;
    assert_eq!(steps, [TransactionStep::Begun { deadline }, pre_committed, committing, TransactionStep::Committed]);
    assert_eq!(view.transactions[0].checkpoint, Some(1));
}

#[test]
fn what_times_out_between_vote_and_commit_is_lost_although_all_else_is_right() {
    let mut host = started("");
    write(&mut host, "1");
    checkpoint(&mut host);
    write(&mut host, "2");
    // The coordinator is held up between the last vote and the decision: the source's acknowledgement is late.
    let late = Disturbance::DelayAcknowledgement { vertex: 0, index: 0, by: 5_000 };
    host.command(0, Command::Disturb(late));
    checkpoint(&mut host);
    let waits = |host: &Host| matches!(states(host).last(), Some(TransactionStep::PreCommitted { checkpoint: 2 }));
    assert!(waits(&host), "{:?}", states(&host));
    host.command(0, Command::Disturb(Disturbance::ExpireTransactions));
    host.settle();
    assert_eq!(states(&host).last(), Some(&TransactionStep::TimedOut));
    host.pass(5_000);
    host.settle();
    let view = host.session.jobs()[0].runtime.view();
    assert_eq!(view.retained.last(), Some(&2), "the checkpoint is complete");
    assert_eq!(states(&host).last(), Some(&TransactionStep::Lost));
    assert!(view.log.iter().any(|entry| matches!(entry.event, LogEvent::TransactionLost { .. })), "it is said");
    assert_eq!(committed(&mut host), ["Int(1)"], "the row is lost");
    write(&mut host, "3");
    checkpoint(&mut host);
    assert_eq!(host.session.jobs()[0].runtime.state(), &JobState::Running, "as in Flink the job goes on");
    assert_eq!(committed(&mut host), ["Int(1)", "Int(3)"]);
}

#[test]
fn a_timeout_of_its_own_rolls_back_what_is_still_open_and_the_rows_come_again() {
    let mut host = started(", 'sink.transaction-timeout' = '2 s'");
    write(&mut host, "1");
    host.pass(3_000);
    // The next write finds the transaction gone.
    checkpoint(&mut host);
    host.pass(2_000);
    host.settle();
    assert_eq!(host.session.jobs()[0].runtime.view().attempt, 2);
    checkpoint(&mut host);
    assert_eq!(committed(&mut host), ["Int(1)"]);
}
