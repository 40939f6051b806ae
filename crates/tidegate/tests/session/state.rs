//! What the state of an operator looks like to people.

use crate::drive::Host;

#[test]
fn a_sum_or_minimum_of_nothing_is_null() {
    let mut host = Host::new(
        "CREATE TABLE t (name STRING, n BIGINT) WITH ('connector' = 'inline');
         SELECT name, SUM(n) AS total, MIN(n) AS least FROM t GROUP BY name;",
    );
    host.settle();
    host.feed_nullable("t", 0, &[Some("a"), None]);
    host.feed_nullable("t", 0, &[Some("b"), Some("0")]);
    host.settle();
    let job = &mut host.session.jobs_mut()[0].runtime;
    let mut rows = Vec::new();
    for vertex in 0..job.view().vertices.len() {
        for table in job.state_tables(vertex, 0) {
            let page = job.state_page(vertex, 0, &table.uid, &table.table, 0, 100);
            rows.extend(page.into_iter().flat_map(|page| page.rows));
        }
    }
    rows.retain(|(_, row)| row.contains("sum"));
    let wanted = [("a", "sum(total)=NULL, min(least)=NULL"), ("b", "sum(total)=0, min(least)=0")];
    assert_eq!(rows.len(), wanted.len(), "{rows:?}");
    for (key, row) in wanted {
        assert!(rows.iter().any(|(own, text)| own == key && text.ends_with(row)), "{rows:?}");
    }
}

#[test]
fn what_generated_tables_have_made_can_be_shown() {
    let mut host = Host::new(
        "SET 'parallelism.default' = '2';
         CREATE TABLE ticks (name STRING, n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '40',
           'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1000', 'fields.name.length' = '3');
         SELECT n FROM ticks;",
    );
    host.settle();
    host.pass(1000);
    host.settle();
    let view = host.session.jobs()[0].runtime.view();
    let read = host.session.jobs_mut()[0].read(&view);
    assert_eq!(read.len(), 1);
    let made: u64 = read[0].to.splits.iter().map(|(_, rows)| rows).sum();
    assert_eq!((read[0].to.splits.len(), made, read[0].known), (2, 41, true));
    assert_eq!(host.session.feeds()[0].splits, 2);
    // Each number comes out once, so the newest rows are those that the result ends with.
    let collected = host.session.jobs()[0].results[0].buffer.as_ref().expect("collected").borrow();
    for split in 0..2 {
        let newest: Vec<_> = host.session.newest_made(0, &read[0], 8);
        let newest: Vec<_> = newest.into_iter().filter(|row| row.0 == split).collect();
        let of: Vec<_> = collected.rows(0, 100, tidegate::data::Zone::UTC).into_iter().collect();
        let of: Vec<_> = of.iter().filter(|row| row.origin.is_some_and(|origin| origin.split == split)).rev().collect();
        assert_eq!((newest.len(), of.len() as u64), (8, read[0].to.splits[split as usize].1));
        for (made, row) in newest.iter().zip(of) {
            assert_eq!((Some(made.1), &made.2[1]), (row.origin.map(|origin| origin.offset), &row.values[0]));
            assert_eq!(made.2[0].as_ref().map(String::len), Some(3));
        }
    }
}

/// Keys and values of all state of a job that is kept by key.
pub(crate) fn state(host: &mut Host) -> Vec<(String, String)> {
    let job = &mut host.session.jobs_mut()[0].runtime;
    let view = job.view();
    let mut rows = Vec::new();
    for (vertex, one) in view.vertices.iter().enumerate() {
        for subtask in 0..one.parallelism {
            for table in job.state_tables(vertex, subtask).into_iter().filter(|table| table.keyed) {
                let page = job.state_page(vertex, subtask, &table.uid, &table.table, 0, 100);
                rows.extend(page.into_iter().flat_map(|page| page.rows));
            }
        }
    }
    rows.sort();
    rows
}

#[test]
fn whole_rows_in_state_are_shown_field_by_field() {
    let mut host = Host::new(
        "CREATE TABLE t (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
         SELECT id, name FROM t;",
    );
    host.settle();
    host.feed_nullable("t", 0, &[Some("1"), Some("tea")]);
    host.feed_nullable("t", 0, &[Some("2"), None]);
    host.settle();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    // That is all that is kept by key: what the sink has collected is not.
    assert_eq!(state(&mut host), [pair("1", "id=1, name=tea"), pair("2", "id=2, name=NULL")]);

    for (order, value) in [("ASC", "seen"), ("DESC", "id=1, name=tea")] {
        let mut host = Host::new(&format!(
            "CREATE TABLE t (id INT, name STRING, pt AS PROCTIME()) WITH ('connector' = 'inline');
             SELECT id, name FROM (SELECT id, name, ROW_NUMBER() OVER (PARTITION BY id ORDER BY pt {order}) AS n FROM t) WHERE n = 1;"
        ));
        host.settle();
        host.feed("t", 0, &["1", "tea"]);
        host.settle();
        let state = state(&mut host);
        assert_eq!((state.len(), state[0].0.as_str()), (1, "1"));
        assert!(state[0].1.starts_with(value) && !state[0].1.contains("time"), "{state:?}");
    }

    let mut host = Host::new(
        "CREATE TABLE l (k INT, a STRING) WITH ('connector' = 'inline');
         CREATE TABLE r (k INT, b STRING) WITH ('connector' = 'inline');
         SELECT l.k, a, b FROM l JOIN r ON l.k = r.k;",
    );
    host.settle();
    host.feed("l", 0, &["7", "tea"]);
    host.feed("r", 0, &["7", "milk"]);
    host.settle();
    assert_eq!(state(&mut host), [pair("7", "k=7, a=tea, count=1"), pair("7", "k=7, b=milk, count=1")]);
}

/// Values of all state of a query over (name, n, price, day, ts) after two rows of the same name.
fn values(query: &str) -> Vec<(String, String)> {
    let mut host = Host::new(&format!(
        "CREATE TABLE t (name STRING, n INT, price DECIMAL(10, 2), born DATE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' HOUR)
         WITH ('connector' = 'inline');
         {query}"
    ));
    host.settle();
    host.feed("t", 0, &["tea", "3", "1.50", "2024-03-05", "2024-03-05 12:00:00"]);
    host.feed("t", 0, &["tea", "2", "0.25", "2024-03-04", "2024-03-05 12:00:10"]);
    host.settle();
    state(&mut host)
}

#[test]
fn state_holds_values_and_not_bytes() {
    let has = |query: &str, key: &str, value: &str| {
        let state = values(query);
        assert!(state.iter().any(|(own, text)| own == key && text.contains(value)), "{query}: {state:?}");
        assert!(state.iter().all(|(_, text)| !text.contains(char::is_control)), "{query}: {state:?}");
    };
    let sums = "SELECT name, SUM(price) AS total, MIN(price) AS least, AVG(price) AS middle, MAX(born) AS newest FROM t GROUP BY name;";
    for value in ["sum(total)=1.75", "min(least)=0.25", "sum(middle)=1.75", "max(newest)=2024-03-05"] {
        has(sums, "tea", value);
    }
    let first = "name=tea, n=3, price=1.50, born=2024-03-05, ts=2024-03-05 12:00:00.000";
    has(
        "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY name ORDER BY n DESC) AS r FROM t) WHERE r <= 2;",
        "tea",
        first,
    );
    has("SELECT *, SUM(n) OVER (PARTITION BY name ORDER BY ts) AS s FROM t;", "tea", first);
    has(
        "SELECT *, SUM(price) OVER (PARTITION BY name ORDER BY n) AS s FROM t;",
        "tea",
        &format!("{first}, w0$o0=2, w0$o1=1.75"),
    );
    has("SELECT * FROM t ORDER BY ts;", "", first);
    has(
        "SELECT name, window_start, SUM(price) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY name, window_start, window_end;",
        "2024-03-05 12:01:00.000, tea",
        "sum(s)=1.75",
    );
    has(
        "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, name ORDER BY n DESC) AS r
           FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))) WHERE r <= 2;",
        "2024-03-05 12:01:00.000, tea",
        "n=3, price=1.50",
    );
    has(
        "SELECT name, COUNT(*) AS c FROM TABLE(SESSION(TABLE t PARTITION BY name, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY name, window_start, window_end;",
        "tea",
        "start=2024-03-05 12:00:00.000, end=2024-03-05 12:01:10.000",
    );
    has("SELECT name, COUNT(DISTINCT price) AS c FROM t GROUP BY name;", "1.50", "count=1");
}
