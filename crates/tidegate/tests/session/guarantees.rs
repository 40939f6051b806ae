//! Guarantees side by side: what each combination promises holds under every schedule, and what it does not promise is seen to break.

use tidegate::guarantees::{ALL, Mark, Outcome, SinkKind, StateGuarantee, run};

/// Schedules that are tried.
const SEEDS: u32 = 60;

fn all(seed: u32, crashes: u32) -> Vec<Outcome> {
    ALL.iter().map(|(state, sink)| run(*state, *sink, seed, crashes).expect("it comes to its end")).collect()
}

#[test]
fn what_is_promised_holds_under_every_schedule() {
    for seed in 1..=SEEDS {
        for outcome in all(seed, 1 + seed % 3) {
            let what = format!("schedule {seed}, {:?} with {:?}", outcome.state, outcome.sink);
            let [lost, doubled, wrong] = [Mark::Lost, Mark::Doubled, Mark::Wrong].map(|mark| outcome.count(mark));
            assert_eq!(outcome.attempts, u64::from(1 + seed % 3) + 1, "{what}: every crash is one");
            match outcome.state {
                StateGuarantee::AtMostOnce => assert_eq!(doubled, 0, "{what}: {:?}", outcome.rows),
                StateGuarantee::AtLeastOnce => assert_eq!(lost, 0, "{what}: {:?}", outcome.rows),
                StateGuarantee::ExactlyOnce => assert_eq!((lost, wrong), (0, 0), "{what}: {:?}", outcome.rows),
            }
            if outcome.state == StateGuarantee::ExactlyOnce && outcome.sink != SinkKind::Plain {
                assert_eq!(doubled, 0, "{what}: {:?}", outcome.rows);
            }
            if outcome.sink == SinkKind::Idempotent {
                assert_eq!(doubled, 0, "{what}: {:?}", outcome.rows);
            }
        }
    }
}

#[test]
fn without_a_crash_all_are_right() {
    for outcome in all(1, 0) {
        assert_eq!(outcome.count(Mark::Right), outcome.rows.len(), "{:?} with {:?}", outcome.state, outcome.sink);
    }
}

#[test]
fn the_first_schedule_shows_what_is_not_promised() {
    let outcomes = all(1, 2);
    let count = |state: StateGuarantee, sink: SinkKind, mark: Mark| {
        let outcome = outcomes.iter().find(|one| (one.state, one.sink) == (state, sink)).expect("one of all");
        outcome.count(mark)
    };
    assert!(count(StateGuarantee::AtMostOnce, SinkKind::Plain, Mark::Lost) > 0);
    assert!(count(StateGuarantee::ExactlyOnce, SinkKind::Plain, Mark::Doubled) > 0);
    assert!(count(StateGuarantee::AtLeastOnce, SinkKind::Idempotent, Mark::Wrong) > 0);
}
