//! What a checkpoint costs in each mode: what must be so by how each works, over the same rows.

use std::rc::Rc;

use tidegate::SessionOptions;
use tidegate::costs::{Comparison, CostSpec, Costs, INTERVAL, LENGTH, MODES, Mode, Sent};
use tidegate::data::RowKind;
use tidegate::data::Value;
use tidegate::runtime::FeedItem;

const SQL: &str = "SET 'parallelism.default' = '2';
SET 'execution.checkpointing.interval' = '1 h';
CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'inline', 'partitions' = '2');
CREATE TABLE sums (n BIGINT, total BIGINT, PRIMARY KEY (n) NOT ENFORCED)
WITH ('connector' = 'table', 'sink.delivery-guarantee' = 'exactly-once');
INSERT INTO sums SELECT MOD(n, 8) AS n, SUM(n) AS total FROM numbers GROUP BY MOD(n, 8);
";

fn rows() -> Rc<[Sent]> {
    let row = |n: i64| Sent {
        at: n * 7,
        table: "numbers".to_owned(),
        split: (n % 2) as u32,
        item: FeedItem::Row(RowKind::Insert, vec![Value::Int(n)]),
    };
    (0..LENGTH / 7).map(row).collect()
}

fn compared(sql: &str, storage: i64, channel: i64) -> Vec<Costs> {
    let spec =
        CostSpec { sql: sql.to_owned(), job: 0, options: SessionOptions::default(), rows: rows(), storage, channel };
    let mut comparison = Comparison::new(spec).expect("the script runs");
    let mut before = comparison.costs();
    while !comparison.is_over() {
        comparison.advance().expect("no job fails");
        if comparison.now() % 1_000 == 0 {
            // It goes on while somebody looks.
            let now = comparison.costs();
            assert!(now.iter().zip(&before).all(|(now, before)| now.rows > before.rows), "{now:?}");
            before = now;
        }
    }
    assert_eq!(comparison.slow_channel().is_some(), channel > 0);
    before
}

fn of(costs: &[Costs], mode: Mode) -> &Costs {
    costs.iter().find(|one| one.mode == mode).expect("all modes")
}

fn most(costs: &Costs, figure: impl Fn(&tidegate::costs::Taken) -> i64) -> i64 {
    costs.checkpoints.iter().map(figure).max().unwrap_or(0)
}

#[test]
fn every_mode_has_the_same_rows_and_checkpoints() {
    let costs = compared(SQL, 0, 0);
    assert_eq!(costs.len(), MODES.len());
    for one in &costs {
        let checkpoints = one.checkpoints.len() as i64;
        assert!((LENGTH / INTERVAL - 1..=LENGTH / INTERVAL).contains(&checkpoints), "{:?}: {checkpoints}", one.mode);
        assert!(one.checkpoints.iter().all(|taken| taken.bytes > 0), "{one:?}");
        assert!(one.rows.abs_diff(LENGTH as u64 / 7) < 20, "{one:?}");
    }
}

#[test]
fn a_slow_channel_holds_aligned_barriers_up_and_unaligned_ones_overtake() {
    let costs = compared(SQL, 0, 40);
    let [aligned, timeout, unaligned, loose, still] = MODES.map(|mode| of(&costs, mode));
    assert!(most(aligned, |one| one.blocked) > 40, "{aligned:?}");
    assert!(most(aligned, |one| one.queued as i64) > 0, "{aligned:?}");
    assert!(most(unaligned, |one| one.blocked) < most(aligned, |one| one.blocked) / 2, "{unaligned:?}");
    assert!(most(unaligned, |one| one.queued as i64) > 0, "what is overtaken is stored: {unaligned:?}");
    assert!(most(unaligned, |one| one.took) < most(aligned, |one| one.took), "{unaligned:?}");
    assert!(most(timeout, |one| one.took) <= most(aligned, |one| one.took), "{timeout:?}");
    assert!(most(unaligned, |one| one.bytes as i64) > most(aligned, |one| one.bytes as i64), "{unaligned:?}");
    assert_eq!(most(loose, |one| one.blocked), 0);
    assert_eq!(most(still, |one| one.blocked), most(still, |one| one.took));
}

#[test]
fn slow_storage_stops_the_world_and_nobody_else() {
    let costs = compared(SQL, 100, 0);
    let [aligned, _, unaligned, loose, still] = MODES.map(|mode| of(&costs, mode));
    for one in &costs {
        assert!(most(one, |taken| taken.took) >= 100, "{one:?}");
    }
    let p99 = |costs: &Costs| costs.latency.expect("rows came out").1;
    assert!(p99(still) > 100, "{still:?}");
    for one in [aligned, unaligned, loose] {
        assert!(p99(one) < 60, "{one:?}");
    }
    assert!(most(still, |taken| taken.queued as i64) > 10, "rows waited outside: {still:?}");
}

#[test]
fn the_script_s_own_interval_and_mode_do_not_count_and_a_script_without_input_is_refused() {
    let sql = SQL
        .replace("'1 h'", "'10 ms'")
        .replace("SET 'parallelism", "SET 'execution.checkpointing.mode' = 'NONE';\nSET 'parallelism");
    assert!(
        compared(&sql, 0, 0)
            .iter()
            .all(|one| one.checkpoints.len() as i64 <= LENGTH / INTERVAL && !one.checkpoints.is_empty())
    );
    let none = CostSpec {
        sql: "CREATE TABLE t (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3');\nSELECT n FROM t;"
            .to_owned(),
        job: 0,
        options: SessionOptions::default(),
        rows: Rc::new([]),
        storage: 0,
        channel: 0,
    };
    let refused = Comparison::new(none).err().expect("nothing can be sent");
    assert_eq!(refused[0].code.to_string(), "TG4140");
}
