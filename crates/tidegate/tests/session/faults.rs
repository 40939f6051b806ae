//! What a transactional sink does when it is made to fail: at every moment of the two-phase commit, and when its transactions time out.

use tidegate::runtime::outage::{Outage, Place};
use tidegate::runtime::view::{LogEvent, TransactionStep};
use tidegate::runtime::{Command, Disturbance, JobState, Mishap, Moment, Planned};

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
    let moments = [
        Moment::Begun,
        Moment::Triggered,
        Moment::PreCommitting,
        Moment::PreCommitted,
        Moment::Voted,
        Moment::Deciding,
        Moment::Committing,
        Moment::CommitSent,
        Moment::Committed,
    ];
    let crashes = moments.map(Disturbance::FailAt).into_iter().chain([Disturbance::FailOnCompletion]);
    for crash in crashes {
        let mut host = started("");
        write(&mut host, "1");
        checkpoint(&mut host);
        assert_eq!(committed(&mut host), ["Int(1)"]);
        host.command(0, Command::Disturb(crash));
        // The barrier finds the row on its way.
        host.command(0, Command::TriggerCheckpoint);
        host.feed("orders", 0, &["tea", "2"]);
        host.step(1);
        host.answer(1);
        host.step(20);
        host.settle();
        // The new attempt comes after a second.
        host.pass(2_000);
        host.settle();
        let view = host.session.jobs()[0].runtime.view();
        assert_eq!(view.attempt, 2, "{crash:?}: it has crashed once");
        checkpoint(&mut host);
        assert_eq!(committed(&mut host), ["Int(1)", "Int(2)"], "{crash:?}");
        assert!(!states(&host).iter().any(|state| matches!(state, TransactionStep::Lost { .. })), "{crash:?}");
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
    let pre_committed = TransactionStep::PreCommitted { checkpoint: 1, rows: 1 };
    let committing = TransactionStep::Committing;
    let (begun, sent) = (TransactionStep::Begun { deadline }, TransactionStep::CommitSent);
    assert_eq!(steps, [begun, pre_committed, committing, sent, TransactionStep::Committed]);
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
    let waits = |host: &Host| matches!(states(host).last(), Some(TransactionStep::PreCommitted { checkpoint: 2, .. }));
    assert!(waits(&host), "{:?}", states(&host));
    host.command(0, Command::Disturb(Disturbance::ExpireTransactions));
    host.settle();
    assert_eq!(states(&host).last(), Some(&TransactionStep::TimedOut));
    host.pass(5_000);
    host.settle();
    let view = host.session.jobs()[0].runtime.view();
    assert_eq!(view.retained.last(), Some(&2), "the checkpoint is complete");
    assert_eq!(states(&host).last(), Some(&TransactionStep::Lost { rows: 1 }));
    assert!(view.log.iter().any(|entry| matches!(entry.event, LogEvent::TransactionLost { .. })), "it is said");
    assert_eq!(committed(&mut host), ["Int(1)"], "the row is lost");
    write(&mut host, "3");
    checkpoint(&mut host);
    assert_eq!(host.session.jobs()[0].runtime.state(), &JobState::Running, "as in Flink the job goes on");
    assert_eq!(committed(&mut host), ["Int(1)", "Int(3)"]);
}

/// Whether the job says something.
fn says(host: &Host, what: impl Fn(&LogEvent) -> bool) -> bool {
    host.session.jobs()[0].runtime.view().log.iter().any(|entry| what(&entry.event))
}

#[test]
fn a_timeout_of_its_own_rolls_back_what_is_still_open_and_the_rows_come_again() {
    let mut host = started(", 'sink.transaction-timeout' = '2 s'");
    write(&mut host, "1");
    host.pass(1_999);
    host.settle();
    assert!(matches!(states(&host)[..], [TransactionStep::Begun { .. }]), "{:?}", states(&host));
    host.pass(1);
    host.settle();
    // Nobody has touched it: the time is up.
    assert_eq!(states(&host), [TransactionStep::TimedOut]);
    assert!(says(&host, |event| matches!(event, LogEvent::TransactionTimedOut { .. })));
    assert!(
        host.store.entries().iter().all(|(key, _)| !key.windows(5).any(|part| part == b"/txn/")),
        "it is rolled back"
    );
    host.pass(2_000);
    host.settle();
    assert_eq!(host.session.jobs()[0].runtime.view().attempt, 2);
    checkpoint(&mut host);
    assert_eq!(committed(&mut host), ["Int(1)"]);
}

#[test]
fn a_pre_committed_transaction_is_rolled_back_when_its_time_is_up_and_its_rows_are_counted_as_lost() {
    let mut host = started("");
    for amount in ["1", "2"] {
        write(&mut host, amount);
    }
    // When the vote is cast the transaction has eight seconds left, and the decision takes ten.
    let late = Disturbance::DelayAcknowledgement { vertex: 0, index: 0, by: 10_000 };
    let short = Disturbance::ShortenTransactions { left: 8_000 };
    let planned = |moment, disturbance| Planned { moment, mishap: Mishap::Engine(disturbance) };
    let plan = vec![planned(Some(Moment::Triggered), late), planned(Some(Moment::PreCommitted), short)];
    host.command(0, Command::Plan(plan));
    checkpoint(&mut host);
    let view = host.session.jobs()[0].runtime.view();
    assert_eq!(view.transactions[0].deadline, Some(host.now + 8_000), "a countdown begins");
    assert!(view.planned.is_empty(), "{:?}", view.planned);
    host.pass(7_999);
    host.settle();
    assert!(matches!(states(&host)[..], [TransactionStep::PreCommitted { rows: 2, .. }]), "{:?}", states(&host));
    host.pass(1);
    host.settle();
    assert_eq!(states(&host), [TransactionStep::TimedOut]);
    host.pass(2_000);
    host.settle();
    assert_eq!(states(&host), [TransactionStep::Lost { rows: 2 }]);
    assert!(says(&host, |event| matches!(event, LogEvent::TransactionLost { rows: 2, .. })));
    assert!(committed(&mut host).is_empty());
}

#[test]
fn what_is_committed_already_is_not_rolled_back_when_its_time_is_up() {
    for connector in ["'connector' = 'table'", "'connector' = 'log', 'topic' = 'copies'"] {
        let script = script(", 'sink.transaction-timeout' = '2 s'").replace("'connector' = 'table'", connector);
        let mut host = Host::new(&script.replace(
            "sink.transaction-timeout' = '2 s",
            match connector.contains("log") {
                true => "properties.transaction.timeout.ms' = '2000",
                false => "sink.transaction-timeout' = '2 s",
            },
        ));
        host.settle();
        write(&mut host, "1");
        // The restored state holds it, and only the store knows that it is committed.
        host.command(0, Command::Disturb(Disturbance::FailAt(Moment::Committed)));
        checkpoint(&mut host);
        host.pass(5_000);
        host.settle();
        assert_eq!(host.session.jobs()[0].runtime.view().attempt, 2, "{connector}");
        assert_eq!(states(&host).last(), Some(&TransactionStep::Committed), "{connector}");
        assert!(!says(&host, |event| matches!(event, LogEvent::TransactionTimedOut { .. })), "{connector}");
        let rows = match connector.contains("log") {
            true => {
                let isolation = tidegate::store::log::Isolation::ReadCommitted;
                let page = tidegate::store::log::read(&mut host.store, "copies", isolation).expect("it is a log");
                page.batches.iter().map(|batch| batch.rows.chunk.len).sum()
            }
            false => committed(&mut host).len(),
        };
        assert_eq!(rows, 1, "{connector}");
    }
}

#[test]
fn what_is_planned_happens_in_turn_each_at_its_moment() {
    let mut host = started("");
    write(&mut host, "1");
    let fail = |moment| Planned { moment: Some(moment), mishap: Mishap::Engine(Disturbance::Fail) };
    let outage = Mishap::Outage { place: Place::Sinks, outage: Outage::Away, ms: 1 };
    let moments = [Moment::Requested, Moment::Acknowledged, Moment::Completed];
    let mut plan: Vec<Planned> = moments.map(fail).into();
    plan.push(Planned { moment: None, mishap: outage });
    host.command(0, Command::Plan(plan));
    for (crashes, moment) in moments.into_iter().enumerate() {
        let view = host.session.jobs()[0].runtime.view();
        assert_eq!((view.attempt, view.planned[0].len()), (1 + crashes as u64, 4 - crashes), "{moment:?}");
        assert!(host.asked.is_empty());
        checkpoint(&mut host);
        host.pass(1_000);
        host.settle();
        let came = |event: &LogEvent| matches!(event, LogEvent::MomentCame { moment: Some(one), .. } if *one == moment);
        assert!(says(&host, came), "{moment:?}");
    }
    let view = host.session.jobs()[0].runtime.view();
    assert!(view.planned.is_empty(), "{:?}", view.planned);
    assert_eq!(view.retained, [3], "before completion no checkpoint was");
    assert_eq!(host.asked, [outage], "the host is asked for what is its own");
    assert_eq!(committed(&mut host), ["Int(1)"]);
    host.command(0, Command::Plan(vec![fail(Moment::Voted)]));
    host.command(0, Command::Unplan);
    checkpoint(&mut host);
    assert_eq!(host.session.jobs()[0].runtime.view().attempt, 4);
}

#[test]
fn several_checkpoints_at_a_time_are_refused_where_they_come_alone() {
    let run = |settings: &str| {
        let several = "SET 'execution.checkpointing.max-concurrent-checkpoints' = '2';";
        let mut session = tidegate::Session::new(crate::drive::options());
        session.run(&format!("{several}{settings}{}", script("")), tidegate::runtime::Restore::None)
    };
    assert!(run("").is_ok());
    for settings in [
        "SET 'execution.checkpointing.unaligned.enabled' = 'true';",
        "SET 'execution.checkpointing.mode' = 'STOP_THE_WORLD';",
    ] {
        let problems = run(settings).expect_err("it is refused");
        assert_eq!(problems[0].code.to_string(), "TG4002", "{problems:?}");
        assert!(problems[0].span.is_some() && !problems[0].hints.is_empty(), "{problems:?}");
    }
}

#[test]
fn a_fault_comes_while_a_first_subtask_aligns_and_never_where_nothing_does() {
    let parallel = |settings: &str| {
        format!(
            "SET 'parallelism.default' = '2';{settings}
CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline', 'partitions' = '2');
CREATE TABLE copies (product STRING, amount INT, PRIMARY KEY (product) NOT ENFORCED)
WITH ('connector' = 'table', 'sink.delivery-guarantee' = 'exactly-once');
INSERT INTO copies SELECT product, SUM(amount) FROM orders GROUP BY product;"
        )
    };
    let plan = || {
        let mishap = Mishap::Engine(Disturbance::Fail);
        Command::Plan(vec![Planned { moment: Some(Moment::Aligning), mishap }])
    };
    let mut host = Host::new(&parallel(""));
    host.settle();
    host.command(0, plan());
    write(&mut host, "1");
    host.command(0, Command::TriggerCheckpoint);
    host.settle();
    let came = |event: &LogEvent| matches!(event, LogEvent::MomentCame { moment: Some(Moment::Aligning), .. });
    assert!(says(&host, came));
    let view = host.session.jobs()[0].runtime.view();
    assert!(view.planned.is_empty() && view.retained.is_empty(), "{:?}", view.retained);
    assert!(committed(&mut host).is_empty());
    host.pass(1_000);
    host.settle();
    assert_eq!(host.session.jobs()[0].runtime.view().attempt, 2);
    host.feed("orders", 1, &["tea", "2"]);
    host.settle();
    checkpoint(&mut host);
    assert_eq!(committed(&mut host), ["Int(3)"]);
    // Barriers that overtake wait for none, and those that are counted block nothing.
    for mode in ["unaligned.enabled' = 'true", "mode' = 'AT_LEAST_ONCE", "mode' = 'STOP_THE_WORLD"] {
        let mut host = Host::new(&parallel(&format!("SET 'execution.checkpointing.{mode}';")));
        host.settle();
        host.command(0, plan());
        write(&mut host, "1");
        checkpoint(&mut host);
        let view = host.session.jobs()[0].runtime.view();
        assert_eq!((view.attempt, view.retained.len(), view.planned.len()), (1, 1, 1), "{mode}");
    }
}

#[test]
fn what_a_job_leaves_open_when_it_fails_for_good_is_rolled_back() {
    let fails = |moment: Moment| {
        let mut host = Host::new(&format!(
            "SET 'restart-strategy.type' = 'none';\n{}",
            script(", 'sink.transaction-timeout' = '60 s'")
        ));
        host.settle();
        write(&mut host, "1");
        host.command(0, Command::Disturb(Disturbance::FailAt(moment)));
        checkpoint(&mut host);
        host.settle();
        assert!(matches!(host.session.jobs()[0].runtime.view().state, JobState::Failed(_)), "{moment:?}");
        assert!(committed(&mut host).is_empty(), "{moment:?}");
        host
    };
    let uncommitted = |host: &mut Host| {
        let isolation = tidegate::store::table::Isolation::ReadUncommitted;
        tidegate::store::table::read(&mut host.store, "copies", isolation).map_or(0, |page| page.rows.len)
    };
    // Rows were being written into it: it is of no use to anybody.
    let mut host = fails(Moment::Requested);
    assert_eq!((states(&host), uncommitted(&mut host)), (vec![TransactionStep::Aborted], 0));
    // A completed checkpoint holds it, or might: whoever starts from there may commit it, until its time is over.
    for moment in [Moment::Voted, Moment::Completed] {
        let mut host = fails(moment);
        assert_eq!(uncommitted(&mut host), 1, "{moment:?}");
        host.pass(59_000);
        host.settle();
        assert_eq!(uncommitted(&mut host), 1, "{moment:?}");
        host.pass(2_000);
        host.settle();
        assert_eq!((states(&host), uncommitted(&mut host)), (vec![TransactionStep::TimedOut], 0), "{moment:?}");
    }
    // Another attempt of it that starts in time ends them itself.
    let mut host = fails(Moment::Completed);
    host.command(0, Command::RestoreFrom(1));
    host.settle();
    assert_eq!((states(&host), committed(&mut host)), (vec![TransactionStep::Committed], vec!["Int(1)".to_owned()]));
    host.pass(120_000);
    host.settle();
    assert_eq!(committed(&mut host), ["Int(1)"]);
}
