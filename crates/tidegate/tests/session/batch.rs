//! The same query as a batch over what its input amounts to.

use tidegate::batch::{Batch, Comparison, Moment};
use tidegate::data::{RowKind, Zone};
use tidegate::runtime::FeedItem;
use tidegate::store::{Store, log};

use crate::drive::{Host, options};

/// What the job has come to by now.
fn moment(host: &mut Host, job: usize) -> Result<Moment, String> {
    Moment::of(&mut host.session, job, 0, Zone::UTC)
}

/// The batch of a moment, with its step and rows.
fn batch_of(host: &mut Host, moment: Moment) -> Result<(Comparison, (u64, u64)), String> {
    let fed = if moment.reads_fed() { host.recording().fed() } else { Vec::new() };
    let logs = moment.topics().iter().map(|topic| host.store.execute(log::copy(topic))).collect();
    let mut batch = Batch::new(&host.sql, &options(), moment, &fed, logs)?;
    while !batch.advance(&mut || true)? {}
    let of = batch.of();
    Ok((batch.compare(Zone::UTC), of))
}

fn batch(host: &mut Host, job: usize) -> Result<Comparison, String> {
    let moment = moment(host, job)?;
    Ok(batch_of(host, moment)?.0)
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
fn a_late_row_that_the_stream_has_dropped_counts_in_the_batch() {
    for option in ["", ", 'watermark.push-down' = 'true', 'scan.watermark.emit.strategy' = 'on-event'"] {
        let mut host = Host::new(&format!(
            "SET 'pipeline.auto-watermark-interval' = '0 ms';
             CREATE TABLE orders (product STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline'{option});
             SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;"
        ));
        host.settle();
        for time in ["12:00:01", "12:01:01", "12:00:02", "12:02:01"] {
            change(&mut host, RowKind::Insert, &["tea", &format!("2024-01-01 {time}")]);
        }
        let compared = batch(&mut host, 0).expect("it can be computed");
        let count = |rows: &[Vec<Option<String>>]| rows.iter().filter_map(|row| row[1].clone()).collect::<Vec<_>>();
        // Two for the first minute instead of one; the last minute is still open in the stream.
        assert_eq!(count(&compared.stream), ["1"], "{option}");
        assert_eq!(count(&compared.batch), ["2", "1"], "{option}");
        assert_eq!(count(&compared.same), ["1"], "{option}");
    }
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
fn generated_rows_are_made_again_up_to_where_they_were_read() {
    let mut host = Host::new(
        "SET 'parallelism.default' = '2';
         CREATE TABLE ticks (n BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'datagen', 'rows-per-second' = '50',
           'fields.n.min' = '0', 'fields.n.max' = '3', 'fields.ts.max-past' = '5 s');
         SELECT n, COUNT(*) AS c, MAX(ts) AS newest FROM ticks GROUP BY n;",
    );
    host.settle();
    host.pass(700);
    host.settle();
    let then = moment(&mut host, 0).expect("it can be compared");
    // What comes after that is not part of it.
    host.pass(900);
    host.settle();
    let (compared, (step, rows)) = batch_of(&mut host, then.clone()).expect("it can be computed");
    assert_eq!((compared.same.len(), &compared.stream, &compared.batch), (4, &Vec::new(), &Vec::new()));
    let counted: u64 =
        compared.same.iter().map(|row| row[1].as_deref().map_or(0, |c| c.parse().expect("a count"))).sum();
    assert_eq!((counted, rows), (36, 36));
    assert!(step > 0 && step < host.session.jobs()[0].runtime.steps(), "{step}");
    let later = batch(&mut host, 0).expect("it can be computed");
    assert_ne!(later.same, compared.same);
    assert_eq!((later.stream, later.batch), (Vec::new(), Vec::new()));
}

const THROUGH_A_LOG: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
     CREATE TABLE sold (product STRING, amount INT, place BIGINT METADATA FROM 'offset' VIRTUAL)
       WITH ('connector' = 'log', 'partitions' = '3', 'key.fields' = 'product');
     INSERT INTO sold SELECT product, amount FROM orders;
     SELECT product, SUM(amount) AS total, MAX(place) AS newest FROM sold GROUP BY product;";

#[test]
fn a_log_is_read_again_up_to_where_it_was_read() {
    let mut host = Host::new(THROUGH_A_LOG);
    host.settle();
    for amount in ["3", "4", "5"] {
        change(&mut host, RowKind::Insert, &["tea", amount]);
        change(&mut host, RowKind::Insert, &["milk", amount]);
        host.pass(1000);
        host.settle();
    }
    let before = batch(&mut host, 1).expect("it can be computed");
    let row = |product: &str, total: &str, newest: &str| [product, total, newest].map(|text| Some(text.to_owned()));
    assert_eq!(before.same, [row("milk", "12", "2"), row("tea", "12", "2")], "{before:?}");
    assert_eq!((before.stream, before.batch), (Vec::new(), Vec::new()));
    // Rows that lie in the log and that the job has not read count neither here nor there.
    let row_of_tea: Vec<Option<String>> = ["tea", "100"].map(|text| Some(text.to_owned())).to_vec();
    let fed = host.session.parse_row("orders", RowKind::Insert, &row_of_tea).expect("the row fits");
    host.session.feed("orders", 0, &[fed]);
    for _ in 0..300 {
        host.answer(usize::MAX);
        host.session.jobs_mut()[0].runtime.step_element();
        host.pass(10);
    }
    let page = log::read(&mut host.store, "sold", log::Isolation::ReadUncommitted).expect("a log");
    assert_eq!(page.ends.iter().sum::<u64>(), 7);
    let then = moment(&mut host, 1).expect("it can be compared");
    let (compared, (_, rows)) = batch_of(&mut host, then).expect("it can be computed");
    assert_eq!(compared.same, [row("milk", "12", "2"), row("tea", "12", "2")], "{compared:?}");
    assert_eq!((compared.stream, compared.batch, rows), (Vec::new(), Vec::new(), 6));
    host.pass(1000);
    host.settle();
    let compared = batch(&mut host, 1).expect("it can be computed");
    assert_eq!(compared.same[1], row("tea", "112", "3"), "{compared:?}");
    // The first of the two jobs as well.
    let compared = batch(&mut host, 0).expect("it can be computed");
    assert_eq!((compared.same.len(), compared.stream, compared.batch), (7, Vec::new(), Vec::new()));
}

#[test]
fn rows_that_were_fed_and_not_read_do_not_count() {
    let mut host = Host::new(
        "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
         SELECT product, SUM(amount) AS total FROM orders GROUP BY product;",
    );
    host.settle();
    change(&mut host, RowKind::Insert, &["tea", "3"]);
    host.feed("orders", 0, &["tea", "100"]);
    let then = moment(&mut host, 0).expect("it can be compared");
    host.settle();
    let (compared, (_, rows)) = batch_of(&mut host, then).expect("it can be computed");
    assert_eq!(compared.same, [[Some("tea".to_owned()), Some("3".to_owned())]], "{compared:?}");
    assert_eq!((compared.stream, compared.batch, rows), (Vec::new(), Vec::new(), 1));
}

#[test]
fn what_cannot_be_read_again_is_refused() {
    for (options, word) in [
        ("'connector' = 'table'", "'table'"),
        ("'connector' = 'log', 'scan.startup.mode' = 'latest-offset'", "newest rows"),
        ("'connector' = 'log', 'topic' = 'a;b'", "several topics"),
    ] {
        let mut host = Host::new(&format!(
            "CREATE TABLE t (n BIGINT) WITH ({options}); SELECT n, COUNT(*) AS c FROM t GROUP BY n;"
        ));
        host.settle();
        let why = batch(&mut host, 0).expect_err(options);
        assert!(why.contains(word), "{options}: {why}");
    }
    let mut host = Host::new(
        "CREATE TABLE t (n BIGINT) WITH ('connector' = 'inline'); CREATE TABLE nowhere (n BIGINT) WITH ('connector' = 'blackhole');
         INSERT INTO nowhere SELECT n FROM t;",
    );
    host.settle();
    let why = batch(&mut host, 0).expect_err("nothing is kept");
    assert!(why.contains("not kept"), "{why}");
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
