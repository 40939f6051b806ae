//! Timeline, checkpoints and their number go on when an engine is lost.

use tidegate::runtime::Command;
use tidegate::runtime::view::{CheckpointStatus, LogEvent};
use tidegate::{Happening, History};

use crate::drive::Host;

const TOTALS: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
SELECT product, SUM(amount) AS total FROM orders GROUP BY product;";

fn checkpoint(host: &mut Host) {
    host.command(0, Command::TriggerCheckpoint);
    host.settle();
}

fn history(host: &Host) -> &History {
    &host.session.jobs()[0].history
}

#[test]
fn a_lost_engine_does_not_take_the_history_along() {
    let mut host = Host::new(TOTALS);
    host.settle();
    for round in 0..3 {
        host.feed("orders", 0, &["tea", "3"]);
        host.settle();
        checkpoint(&mut host);
        checkpoint(&mut host);
        assert_eq!(history(&host).completed(), 2 * (round + 1));
        host.lose_engine();
        host.settle();
    }
    let history = history(&host);
    let ids: Vec<u64> = history.checkpoints().map(|one| one.id).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
    let lost = history.events().filter(|event| matches!(event, Happening::EngineLost { .. })).count();
    assert_eq!(lost, 3);
    let steps: Vec<u64> = history
        .events()
        .map(|event| match event {
            Happening::Job(entry) => entry.step,
            Happening::EngineLost { step, .. } | Happening::Host { step, .. } => *step,
        })
        .collect();
    assert!(steps.is_sorted(), "{steps:?}");
}

#[test]
fn a_checkpoint_under_way_is_settled_by_what_is_restored() {
    for answers in 0..12 {
        let mut host = Host::new(TOTALS);
        host.settle();
        host.feed("orders", 0, &["tea", "3"]);
        host.settle();
        checkpoint(&mut host);
        host.command(0, Command::TriggerCheckpoint);
        host.step(1);
        for _ in 0..answers {
            host.answer(1);
            host.step(2);
        }
        host.lose_engine();
        host.settle();
        let history = history(&host);
        // Before its number is reserved, it is none.
        let ended = history.checkpoints().count() as u64;
        assert_eq!(ended, if answers == 0 { 1 } else { 2 }, "after {answers} answers");
        assert_eq!(history.completed() + history.failed(), ended, "after {answers} answers");
        let restored = history.events().rev().find_map(|event| match event {
            Happening::Job(entry) => match entry.event {
                LogEvent::Restored { checkpoint, .. } => Some(checkpoint),
                _ => None,
            },
            Happening::EngineLost { .. } | Happening::Host { .. } => None,
        });
        let done = history.checkpoints().filter(|one| one.status == CheckpointStatus::Completed);
        assert_eq!(done.map(|one| one.id).max(), restored, "after {answers} answers");
    }
}

#[test]
fn all_checkpoints_are_counted_also_those_no_longer_listed() {
    let mut host = Host::new(TOTALS);
    host.settle();
    for _ in 0..60 {
        checkpoint(&mut host);
    }
    let history = history(&host);
    assert_eq!((history.completed(), history.checkpoints().count()), (60, 50));
}

#[test]
fn a_crash_of_a_subtask_is_one_crash() {
    let mut host = Host::new(TOTALS);
    host.settle();
    host.feed("orders", 0, &["tea", "3"]);
    host.settle();
    host.command(0, Command::KillSubtask { vertex: 0, index: 0 });
    host.pass(2000);
    host.settle();
    let crashes = |host: &Host| {
        let crash = |event: &&Happening| match event {
            Happening::Job(entry) => matches!(entry.event, LogEvent::SubtaskKilled { .. } | LogEvent::Failed { .. }),
            Happening::EngineLost { .. } => true,
            Happening::Host { .. } => false,
        };
        history(host).events().filter(crash).count()
    };
    assert_eq!(crashes(&host), 1);
    // One that the whole job dies of is told as well.
    host.command(0, Command::FailJob);
    host.pass(2000);
    host.settle();
    assert_eq!(crashes(&host), 2);
}

#[test]
fn what_is_read_once_more_after_a_restore_is_counted() {
    let mut host = Host::new(TOTALS);
    host.settle();
    let feed = |host: &mut Host, rows: usize| {
        for _ in 0..rows {
            host.feed("orders", 0, &["tea", "3"]);
        }
        host.settle();
    };
    feed(&mut host, 4);
    checkpoint(&mut host);
    feed(&mut host, 3);
    checkpoint(&mut host);
    feed(&mut host, 5);
    host.command(0, Command::FailJob);
    host.pass(2000);
    host.settle();
    let replays = |host: &Host| history(host).replays().map(|one| (one.checkpoint, one.rows)).collect::<Vec<_>>();
    assert_eq!(replays(&host), [(2, Some(5))]);
    // In the attempt after, positions go on from there.
    feed(&mut host, 2);
    host.command(0, Command::FailJob);
    host.pass(2000);
    host.settle();
    assert_eq!(replays(&host), [(2, Some(5)), (2, Some(7))]);
    checkpoint(&mut host);
    feed(&mut host, 1);
    host.command(0, Command::RestoreFrom(3));
    host.settle();
    assert_eq!(replays(&host), [(2, Some(5)), (2, Some(7)), (3, Some(1))]);
    let last = *history(&host).replays().last().unwrap();
    assert!(last.from < last.to && last.to <= last.at, "{last:?}");
    // What a lost engine had read is not known; what comes after is.
    feed(&mut host, 2);
    host.lose_engine();
    host.settle();
    assert_eq!(replays(&host).last(), Some(&(3, None)));
    feed(&mut host, 1);
    checkpoint(&mut host);
    feed(&mut host, 6);
    host.command(0, Command::FailJob);
    host.pass(2000);
    host.settle();
    assert_eq!(replays(&host).last(), Some(&(4, Some(6))));
}
