//! Back to any place of a run and forward again: the same to the byte, also across engines that were lost.

use std::rc::Rc;

use tidegate::replay::{Place, Player, Recording, ReplayError};
use tidegate::runtime::rng::Rng;
use tidegate::runtime::{Command, Effect, Event};
use tidegate::store::Store;

use crate::drive::{Host, START, options};

const SCRIPT: &str = "SET 'parallelism.default' = '2';
SET 'execution.checkpointing.interval' = '700 ms';
CREATE TABLE numbers (v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'inline', 'partitions' = '2');
CREATE TABLE sums (parity BIGINT, total BIGINT, PRIMARY KEY (parity) NOT ENFORCED) WITH ('connector' = 'table');
CREATE TABLE ticks (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '5', 'fields.n.min' = '1', 'fields.n.max' = '4');
INSERT INTO sums SELECT v % 2, SUM(v) FROM numbers GROUP BY v % 2;
SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE numbers, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT n, COUNT(*) AS c FROM ticks GROUP BY n;";

/// Goes through a random run; gives it, and places of it with their digests.
fn run(seed: u64, rounds: usize) -> (Host, Vec<(Place, u64)>) {
    let mut rng = Rng::new(seed);
    let mut host = Host::new(SCRIPT);
    let mut places = Vec::new();
    let mut row = 0;
    for _ in 0..rounds {
        match rng.below(20) {
            0..5 => {
                row += 1;
                let ts = format!("2024-01-01 12:{:02}:{:02}", row / 30 % 60, row * 2 % 60);
                host.feed("numbers", rng.below(2) as u32, &[&rng.below(100).to_string(), &ts]);
            }
            5..11 => host.step(1 + rng.below(12)),
            11..15 => host.pass(rng.below(400) as i64),
            15..18 => host.answer(1 + rng.below(6)),
            18 => {
                let job = rng.below(3);
                match rng.below(4) {
                    0 => host.command(job, Command::KillSubtask { vertex: 0, index: 0 }),
                    1 => host.command(job, Command::TriggerCheckpoint),
                    2 => host.step_row(),
                    _ => host.command(job, Command::SetChunkLimit(1 + rng.below(3))),
                }
            }
            _ if rng.one_in(6) => host.lose_engine(),
            _ => host.settle(),
        }
        if rng.one_in(12) {
            let recording = host.recording();
            places.push((recording.end(), host.session.digest()));
        }
    }
    (host, places)
}

fn player(recording: &Rc<Recording>) -> Player {
    Player::new(recording.clone(), &options()).expect("the script runs")
}

fn go(player: &mut Player, place: &Place, seed: u64) {
    match player.advance(place, &mut || true) {
        Ok(there) => assert!(there),
        Err(why @ ReplayError::Differs(at)) => {
            panic!("seed {seed}: {why}: {:?}", &player.recording().entries[at.saturating_sub(3)..=at])
        }
        Err(why) => panic!("seed {seed}: {why}"),
    }
}

#[test]
fn back_to_any_place_and_forward_again_is_the_same_to_the_byte() {
    for seed in 0..12 {
        let (mut host, places) = run(seed, 300);
        let recording = Rc::new(host.recording());
        assert!(!places.is_empty());
        let mut rng = Rng::new(seed);
        // In one go, place after place.
        let mut all = player(&recording);
        for (place, digest) in &places {
            go(&mut all, place, seed);
            assert_eq!(all.session_mut().digest(), *digest, "seed {seed}, {place:?}");
        }
        // Straight to one of them, in slices of a few steps, and on to the end.
        let (place, digest) = &places[rng.below(places.len())];
        let mut one = player(&recording);
        let mut slices = 0;
        loop {
            let mut left = 7;
            let there = one.advance(place, &mut || {
                left -= 1;
                left >= 0
            });
            slices += 1;
            if there.expect("it is the same run") {
                break;
            }
        }
        assert!(slices > 1);
        assert_eq!(one.session_mut().digest(), *digest, "seed {seed}, {place:?}");
        go(&mut one, &recording.end(), seed);
        assert_eq!(one.session_mut().digest(), host.session.digest(), "seed {seed}, at the end");
        assert_eq!(one.store(), &host.store, "seed {seed}, the store at the end");
        for (ours, theirs) in one.session().jobs().iter().zip(host.session.jobs()) {
            assert_eq!(ours.runtime.view(), theirs.runtime.view(), "seed {seed}");
        }
    }
}

#[test]
fn every_step_is_a_place() {
    let (mut host, _) = run(3, 200);
    let recording = Rc::new(host.recording());
    let end = recording.steps_at(&recording.end(), 1);
    let mut player = player(&recording);
    for step in 0..=end {
        let place = recording.place(1, step);
        assert_eq!(recording.steps_at(&place, 1), step);
        assert!(player.can_reach(&place), "step {step}");
        go(&mut player, &place, 3);
        assert_eq!(player.place(), place);
    }
}

#[test]
fn a_run_that_is_cut_goes_on_another_way_and_is_a_run_again() {
    let (mut host, places) = run(5, 300);
    let recording = Rc::new(host.recording());
    let (place, digest) = &places[places.len() / 2];
    let mut past = player(&recording);
    go(&mut past, place, 5);
    let fed = past.fed().len() as u64;
    assert_eq!(fed, recording.feeds_at(place));
    let (mut session, mut store, pending) = past.go_on();
    assert_eq!(session.digest(), *digest);
    // What was under way then is answered now, and another row comes than came then.
    for (job, request, body) in pending {
        let response = store.execute(body);
        let _ = session.jobs_mut()[job].runtime.handle(Event::Response { request, response });
        session.record();
    }
    let texts = [Some("1001".to_owned()), Some("2024-01-01 13:00:00".to_owned())];
    let row = session.parse_row("numbers", tidegate::data::RowKind::Insert, &texts).unwrap();
    session.feed("numbers", 0, &[row]);
    for _ in 0..200 {
        for (job, effect) in session.take_effects() {
            if let Effect::Store { request, body } = effect {
                let response = store.execute(body);
                let _ = session.jobs_mut()[job].runtime.handle(Event::Response { request, response });
                session.record();
            }
        }
        for job in session.jobs_mut() {
            job.runtime.step_element();
        }
    }
    let again = Rc::new(Recording {
        entries: session.recorder().unwrap().entries().to_vec(),
        steps: session.jobs().iter().map(|job| job.runtime.steps()).collect(),
        ..(*recording).clone()
    });
    assert_ne!(again.entries, recording.entries);
    let mut replayed = player(&again);
    go(&mut replayed, &again.end(), 5);
    assert_eq!(replayed.session_mut().digest(), session.digest());
    assert_eq!(again.start, START);
}

#[test]
fn a_run_that_cannot_be_the_same_says_so() {
    let (mut host, _) = run(7, 200);
    let mut recording = host.recording();
    recording.sql = recording.sql.replace("'700 ms'", "'900 ms'");
    let end = recording.end();
    let mut player = player(&Rc::new(recording));
    let went = player.advance(&end, &mut || true);
    assert!(went.is_err(), "it went through");
}
