//! The bill service twice: what goes wrong in the one, and never in the other, whatever comes and whenever both crash.

use tidegate::bills::{Bills, BillsSpec, Fate, Fault};

const SQL: &str = include_str!("../../../../web/src/examples/bills.sql");

fn begun(seed: u32, batch: usize, crash_in: usize) -> Bills {
    Bills::new(BillsSpec { sql: SQL.to_owned(), seed, batch, crash_in }).expect("the example fits")
}

fn finished(seed: u32, batch: usize, crash_in: usize) -> Bills {
    let mut bills = begun(seed, batch, crash_in);
    bills.finish().expect("nothing fails for good");
    assert!(bills.is_done().expect("the store answers"), "seed {seed}, batch {batch}, crash in {crash_in}");
    bills
}

/// Whatever the service has too much is explained to the cent; the job has nothing too much and nothing too little.
fn assert_explained(bills: &mut Bills, what: &str) {
    for account in bills.accounts().expect("the store answers") {
        assert_eq!(account.job, account.truth, "{what}: the job, {account:?}");
        assert_eq!(
            account.service,
            account.truth + account.twice + account.through,
            "{what}: the service, {account:?}"
        );
    }
}

#[test]
fn the_job_is_right_and_what_the_service_has_too_much_is_explained() {
    for seed in 1..=30 {
        for (batch, crash_in) in [(4, 2), (4, 0), (3, 1), (6, 3)] {
            let mut bills = finished(seed, batch, crash_in);
            assert_explained(&mut bills, &format!("seed {seed}, batch {batch}, crash in {crash_in}"));
        }
    }
}

#[test]
fn the_first_run_shows_both_faults() {
    let mut bills = finished(1, 4, 2);
    assert_eq!(bills.crashes().len(), 1);
    assert_eq!(bills.crashes()[0].batch, 2);
    let faults = bills.faults();
    assert!(faults.iter().any(|(.., fault)| *fault == Fault::Twice { crash: 1 }), "{faults:?}");
    assert!(faults.iter().any(|(.., fault)| matches!(fault, Fault::Through { .. })), "{faults:?}");
    assert!(bills.accounts().unwrap().iter().any(|account| account.service > account.truth));
    // The batch that was lost is read again from its beginning.
    let [_, lost, again, ..] = bills.batches() else { panic!("three batches at least") };
    assert!(lost.lost && !lost.recorded && again.recorded);
    assert_eq!(lost.lines[0].offset, again.lines[0].offset);
    assert!(lost.lines.iter().any(|line| line.fate == Fate::Waiting));
}

#[test]
fn without_a_crash_only_duplicates_of_later_batches_go_through() {
    let bills = finished(1, 4, 0);
    assert!(bills.faults().iter().all(|(.., fault)| matches!(fault, Fault::Through { .. })));
    assert!(bills.batches().iter().all(|batch| batch.recorded && !batch.lost));
    // In one batch with all of them none does.
    let mut bills = finished(1, 100, 0);
    assert_eq!(bills.faults(), []);
    assert!(bills.accounts().unwrap().iter().all(|account| account.service == account.truth));
}

#[test]
fn another_input_has_another_result() {
    let amounts = |seed: u32| {
        let accounts = finished(seed, 4, 2).accounts().expect("the store answers");
        accounts.into_iter().map(|account| (account.truth, account.service)).collect::<Vec<_>>()
    };
    let all: std::collections::BTreeSet<_> = (1..=10).map(amounts).collect();
    assert!(all.len() > 8, "{all:?}");
    assert_eq!(amounts(3), amounts(3));
}

#[test]
fn what_is_sent_and_broken_by_hand_counts_as_well() {
    let mut bills = finished(2, 4, 0);
    let before = bills.faults().len();
    bills.pay(Some("Ada")).expect("it fits");
    assert!(!bills.is_done().unwrap());
    bills.finish().expect("nothing fails for good");
    assert_eq!(bills.faults().len(), before);
    // The same payment in a later batch.
    let last = bills.payments().len() - 1;
    bills.again(last).expect("it fits");
    bills.finish().expect("nothing fails for good");
    assert_eq!(bills.faults().len(), before + 1);
    // A crash at any moment.
    for ticks in 0..12 {
        for _ in 0..4 {
            bills.pay(None).expect("it fits");
        }
        bills.advance(ticks).expect("nothing fails for good");
        bills.crash();
        bills.finish().expect("nothing fails for good");
        assert!(bills.is_done().unwrap());
        assert_explained(&mut bills, &format!("a crash after {ticks} ticks"));
    }
    assert_eq!(bills.crashes().len(), 12);
}
