//! A run as a link: the same run for whoever opens it.

use std::rc::Rc;

use tidegate::replay::{Entered, Entry, Link, Player};
use tidegate::runtime::{Event, Scenario, Scene};

use crate::drive::{Host, START, options};

const TOTALS: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
SELECT product, SUM(amount) AS total FROM orders GROUP BY product;";

/// Two rows of tea, by version 1 of the format. It stays readable for ever.
const SAMPLE: &str = "AZvE6Bzk6hjiqhDi6OTjqpBflJJaVKygUVCUn1KaXKIQHBLk6eeuo5CYm1-aV6Lg6ReiqRDuGeKhoKGenJ-Xl5pckl-krmCroJ6Zl5OZl6quac0V7Orj6hyiADVBRyE41FcDol1TwTFYoSS_JDFHwS3I3xdmmXuQf2iAglMkTIs1d8OC1f9-JrEwAAETG0QVAyOIzVySmsjEBhJn-AAUYMYmzcHAANS5gJGRk5EtBGRZMQNEQz0jTDEEOAAA";

fn run() -> Host {
    let mut host = Host::new(TOTALS);
    host.settle();
    for amount in ["3", "4"] {
        host.feed("orders", 0, &["tea", amount]);
        host.pass(120);
        host.settle();
    }
    host
}

fn link(host: &mut Host) -> Link {
    Link {
        recording: host.recording(),
        name: Some("Totals".to_owned()),
        speed: f64::INFINITY,
        rates: vec![("orders".to_owned(), 2.0)],
        scenarios: Vec::new(),
    }
}

#[test]
fn scenarios_go_along_with_a_link() {
    let mut host = run();
    let plain = link(&mut host);
    let scene = Scene {
        subtasks: vec![(0, 0), (1, 0)],
        channels: vec![((0, 0), (1, 0))],
        sinks: true,
        transactional: true,
        aligned: true,
    };
    let scenarios: Vec<Scenario> = (1..40).map(|seed| Scenario::draw(seed, &scene)).collect();
    let with = Link { scenarios, ..plain.clone() };
    assert_eq!(Link::decode(&with.encode()).expect("it is a link"), with);
    assert_eq!(Link::decode(&plain.encode()).expect("it is a link"), plain);
    assert_eq!(plain.encode()[..1], SAMPLE[..1], "without scenarios it is of version 1");
}

#[test]
fn a_link_gives_the_same_run() {
    let mut host = run();
    let link = link(&mut host);
    let text = link.encode();
    let opened = Link::decode(&text).expect("it is a link");
    assert_eq!(opened, link);
    let mut player = Player::new(Rc::new(opened.recording), &options()).expect("the script runs");
    let end = player.recording().end();
    assert_eq!(player.advance(&end, &mut || true), Ok(true));
    assert_eq!(player.session_mut().digest(), host.session.digest());
    assert!(text.len() < 2_000, "{} letters", text.len());
}

#[test]
fn the_sample_stays_readable() {
    let link = Link::decode(SAMPLE).expect("it is a link");
    assert_eq!(link.recording.sql, TOTALS);
    assert_eq!((link.recording.seed, link.speed), (options().seed, f64::INFINITY));
    assert_eq!(link.name.as_deref(), Some("Totals"));
    let steps: Vec<u64> = link
        .recording
        .entries
        .iter()
        .map(|entry| match entry {
            Entry::Job { step, .. } => *step,
            _ => u64::MAX,
        })
        .collect();
    assert_eq!(steps, [0, 0, 3, 7]);
    let last = Entered::Event(Event::Time(START + 200));
    assert!(matches!(link.recording.entries.last(), Some(Entry::Job { what, .. }) if *what == last));
    // Its rows give the same result, however later engines divide the work into steps.
    let mut host = Host::new(&link.recording.sql);
    host.settle();
    for (table, split, items) in link.recording.fed() {
        host.session.feed(&table, split, &items);
        host.settle();
    }
    let buffer = host.session.jobs()[0].results[0].buffer.as_ref().expect("it collects").borrow();
    let rows = buffer.table_rows(tidegate::data::Zone::UTC);
    assert_eq!(rows, [[Some("tea".to_owned()), Some("7".to_owned())]]);
}
