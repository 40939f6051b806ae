//! An engine that was taken for dead comes back while another one runs its job: what it writes is refused.

use std::rc::Rc;

use tidegate::replay::Player;
use tidegate::runtime::{Command, Disturbance, JobState, Mishap, Moment, Planned};

use crate::drive::{Host, options};

const SCRIPT: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
CREATE TABLE copies (product STRING, amount INT) WITH ('connector' = 'table', 'sink.delivery-guarantee' = 'GUARANTEE');
INSERT INTO copies SELECT product, amount FROM orders;";

fn committed(host: &mut Host) -> usize {
    let isolation = tidegate::store::table::Isolation::ReadCommitted;
    tidegate::store::table::read(&mut host.store, "copies", isolation).map_or(0, |page| page.rows.len)
}

fn started(guarantee: &str) -> Host {
    let mut host = Host::new(&SCRIPT.replace("GUARANTEE", guarantee));
    host.settle();
    host.feed("orders", 0, &["tea", "1"]);
    host.settle();
    host
}

fn haunted(host: &mut Host, moment: Option<Moment>) {
    host.command(0, Command::Plan(vec![Planned { moment, mishap: Mishap::Zombie }]));
    host.settle();
}

/// The past of a run in which an engine was taken for dead is the run.
fn assert_replays(host: &mut Host) {
    let digest = host.session.digest();
    let mut player = Player::new(Rc::new(host.recording()), &options()).expect("the script runs");
    let end = player.recording().end();
    assert_eq!(player.advance(&end, &mut || true), Ok(true));
    assert_eq!(player.session_mut().digest(), digest);
    let rows = |key: &[u8]| key.starts_with(b"table/");
    let then: Vec<_> = host.store.entries().iter().filter(|(key, _)| rows(key)).collect();
    let now: Vec<_> = player.store().entries().iter().filter(|(key, _)| rows(key)).collect();
    assert_eq!(then, now);
}

#[test]
fn a_zombie_that_commits_is_fenced_off() {
    let mut host = started("exactly-once");
    haunted(&mut host, Some(Moment::Committing));
    assert!(host.zombie.is_none());
    host.command(0, Command::TriggerCheckpoint);
    host.settle();
    let zombie = host.zombie.as_ref().expect("it is there");
    assert!(zombie.is_over());
    let why = zombie.fenced().expect("it says why");
    assert_eq!((why.code.to_string().as_str(), zombie.attempt()), ("TG5070", 1), "{why:?}");
    assert_eq!(zombie.tried(), ["commit of transaction 1-1 into 'copies'"]);
    let view = host.session.jobs()[0].runtime.view();
    assert_eq!((view.attempt, &view.state), (2, &JobState::Running));
    assert_eq!(committed(&mut host), 1, "it was committed once, by the one who has taken over");
    assert_replays(&mut host);
}

#[test]
fn a_zombie_that_decides_is_fenced_off() {
    let mut host = started("exactly-once");
    haunted(&mut host, Some(Moment::Voted));
    host.command(0, Command::TriggerCheckpoint);
    host.settle();
    let zombie = host.zombie.as_ref().expect("it is there");
    assert_eq!(zombie.tried(), ["a part of a checkpoint"]);
    assert_eq!(zombie.fenced().map(|why| why.code.to_string()).as_deref(), Some("TG4012"));
    // What it had decided counts for nothing: the row comes with the next checkpoint.
    assert_eq!(committed(&mut host), 0);
    host.command(0, Command::TriggerCheckpoint);
    host.settle();
    assert_eq!(committed(&mut host), 1);
    assert_replays(&mut host);
}

#[test]
fn a_zombie_that_writes_is_fenced_off() {
    let mut host = started("at-least-once");
    assert_eq!(committed(&mut host), 1);
    haunted(&mut host, None);
    assert!(host.zombie.as_ref().is_some_and(|zombie| zombie.is_awake() && !zombie.is_over()));
    // Both read it, one writes it.
    host.feed("orders", 0, &["tea", "2"]);
    host.settle();
    let zombie = host.zombie.as_ref().expect("it is there");
    assert_eq!(zombie.fenced().map(|why| why.code.to_string()).as_deref(), Some("TG5070"));
    assert_eq!(zombie.tried(), ["a write of rows"]);
    // At least once: the first row came again with the takeover.
    assert_eq!(committed(&mut host), 3);
    assert_replays(&mut host);
}

#[test]
fn an_engine_is_lost_at_a_moment_and_nothing_after_it_has_happened() {
    // What had left it before is carried out: whether it was, nobody knows before the next one looks.
    let decided = [Moment::Deciding, Moment::Completed, Moment::Committing, Moment::CommitSent];
    for moment in [Moment::Requested, Moment::Triggered, Moment::Voted].into_iter().chain(decided) {
        let mut host = started("exactly-once");
        host.command(0, Command::Plan(vec![Planned { moment: Some(moment), mishap: Mishap::EngineLost }]));
        host.command(0, Command::TriggerCheckpoint);
        host.settle();
        let view = host.session.jobs()[0].runtime.view();
        assert_eq!((view.attempt, view.state), (2, JobState::Running), "{moment:?}");
        let decided = decided.contains(&moment);
        assert_eq!(view.retained, if decided { vec![1] } else { vec![] }, "{moment:?}");
        assert_eq!(committed(&mut host), usize::from(decided), "{moment:?}");
        assert_replays(&mut host);
        host.command(0, Command::Disturb(Disturbance::Fail));
        host.pass(1_000);
        host.command(0, Command::TriggerCheckpoint);
        host.settle();
        host.command(0, Command::TriggerCheckpoint);
        host.settle();
        assert_eq!(committed(&mut host), 1, "{moment:?}");
    }
}
