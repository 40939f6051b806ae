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

#[test]
fn what_went_wrong_is_traced_to_the_crashes_that_caused_it() {
    for seed in 1..=SEEDS {
        let crashes = 1 + seed % 3;
        let outcomes = all(seed, crashes);
        let right = outcomes.last().expect("transactions are exact");
        let payment = |id: i64| {
            let row = right.rows.iter().find(|row| row.id == id).expect("all are there");
            (row.values[1].clone(), row.values[2].parse::<i64>().expect("an amount"))
        };
        for outcome in &outcomes {
            assert_eq!(outcome.crashes.len(), crashes as usize);
            assert!(outcome.crashes.iter().all(|crash| crash.step <= crash.back && crash.back <= outcome.steps));
            for row in &outcome.rows {
                let what = format!(
                    "schedule {seed}, {:?} with {:?}: {row:?} {:?} {:?}",
                    outcome.state, outcome.sink, outcome.crashes, outcome.checkpoints
                );
                let named: Vec<_> = row.crashes.iter().map(|number| &outcome.crashes[*number as usize - 1]).collect();
                assert_eq!(row.mark == Mark::Right, named.is_empty(), "{what}");
                assert_eq!(row.mark == Mark::Right, row.why.is_empty(), "{what}");
                let total: i64 = row.values[3].parse().expect("a total");
                let truth: i64 = row.truth.parse().expect("a total");
                match (row.mark, outcome.state) {
                    (Mark::Right, _) => assert_eq!(total, truth, "{what}"),
                    (Mark::Doubled, _) => assert!(named.iter().all(|crash| crash.again.contains(&row.id)), "{what}"),
                    (Mark::Lost, _) => {
                        let gone = |id: &i64| {
                            named.iter().any(|crash| crash.skipped.contains(id) || crash.forgotten.contains(id))
                        };
                        assert!(gone(&row.id), "{what}");
                    }
                    (Mark::Wrong, StateGuarantee::AtMostOnce) => {
                        let gone = named.iter().flat_map(|crash| crash.skipped.iter().chain(&crash.forgotten));
                        let of = payment(row.id).0;
                        let missing: i64 =
                            gone.map(|id| payment(*id)).filter(|one| one.0 == of).map(|(_, amount)| amount).sum();
                        assert_eq!(total, truth - missing, "{what}");
                    }
                    (Mark::Wrong, _) => {
                        let most: i64 = named.iter().flat_map(|crash| &crash.again).map(|id| payment(*id).1).sum();
                        assert!(truth < total && total <= truth + most, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn an_unaligned_count_names_the_payments_that_it_has_twice() {
    let outcomes = all(1, 2);
    let twice = outcomes.iter().filter(|one| one.state == StateGuarantee::AtLeastOnce).flat_map(|one| &one.rows);
    let wrong: Vec<_> = twice.filter(|row| row.mark == Mark::Wrong).collect();
    assert!(!wrong.is_empty());
    assert!(wrong.iter().all(|row| row.why.contains("counted twice: already in the state that crash")), "{wrong:?}");
}
