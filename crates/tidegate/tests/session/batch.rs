//! The same query as a batch over what its input amounts to.

use tidegate::batch::{Batch, Comparison};
use tidegate::data::{RowKind, Zone};
use tidegate::runtime::FeedItem;

use crate::drive::{Host, options};

fn batch(host: &mut Host, job: usize) -> Result<Comparison, String> {
    let fed = host.recording().fed();
    let mut batch = Batch::new(&host.sql, job, &options(), &fed)?;
    while !batch.advance(&mut || true)? {}
    Ok(batch.compare(&host.session, 0, Zone::UTC))
}

fn change(host: &mut Host, kind: RowKind, values: &[&str]) {
    let texts: Vec<Option<String>> = values.iter().map(|text| Some((*text).to_owned())).collect();
    let row: FeedItem = host.session.parse_row("orders", kind, &texts).expect("the row fits");
    host.session.feed("orders", 0, &[row]);
    host.settle();
}

#[test]
fn a_changelog_and_what_it_leaves_behind_give_the_same() {
    let mut host = Host::new(
        "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
         SELECT product, SUM(amount) AS total FROM orders GROUP BY product;",
    );
    host.settle();
    change(&mut host, RowKind::Insert, &["tea", "3"]);
    change(&mut host, RowKind::Insert, &["milk", "5"]);
    change(&mut host, RowKind::UpdateBefore, &["tea", "3"]);
    change(&mut host, RowKind::UpdateAfter, &["tea", "4"]);
    change(&mut host, RowKind::Delete, &["milk", "5"]);
    let compared = batch(&mut host, 0).expect("it can be computed");
    assert_eq!(compared.same, [[Some("tea".to_owned()), Some("4".to_owned())]]);
    assert_eq!((compared.stream, compared.batch), (Vec::new(), Vec::new()));
}

#[test]
fn what_the_stream_still_waits_for_is_marked() {
    let mut host = Host::new(
        "CREATE TABLE orders (product STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
         SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;",
    );
    host.settle();
    for ts in ["2024-01-01 12:00:10", "2024-01-01 12:00:20", "2024-01-01 12:01:30"] {
        change(&mut host, RowKind::Insert, &["tea", ts]);
        host.pass(1000);
        host.settle();
    }
    let compared = batch(&mut host, 0).expect("it can be computed");
    assert_eq!(compared.same.len(), 1, "{compared:?}");
    assert_eq!(compared.batch.len(), 1, "{compared:?}");
    assert!(compared.stream.is_empty(), "{compared:?}");
}

#[test]
fn a_source_that_goes_on_by_itself_is_refused() {
    let mut host = Host::new(
        "CREATE TABLE ticks (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '5');
         SELECT n, COUNT(*) AS c FROM ticks GROUP BY n;",
    );
    let why = batch(&mut host, 0).expect_err("datagen cannot be read again");
    assert!(why.contains("'ticks'"), "{why}");
}

#[test]
fn what_an_insert_gives_is_compared_as_well() {
    let mut host = Host::new(
        "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
         CREATE TABLE sums (product STRING, total BIGINT, PRIMARY KEY (product) NOT ENFORCED) WITH ('connector' = 'table', 'table-name' = 'sums');
         INSERT INTO sums SELECT product, SUM(amount) FROM orders GROUP BY product;",
    );
    host.settle();
    change(&mut host, RowKind::Insert, &["tea", "3"]);
    change(&mut host, RowKind::Insert, &["tea", "4"]);
    let compared = batch(&mut host, 0).expect("it can be computed");
    assert_eq!(compared.same, [[Some("tea".to_owned()), Some("7".to_owned())]], "{compared:?}");
    assert_eq!((compared.stream, compared.batch), (Vec::new(), Vec::new()));
}
