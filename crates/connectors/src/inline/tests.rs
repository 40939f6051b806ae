//! What is fed comes out, with its watermarks, once, also after a restore.

use std::collections::BTreeMap;

use tidegate_data::Schema;
use tidegate_runtime::{MemoryStore, WatermarkStatus};

use super::*;
use crate::args::SourceWatermark;
use crate::testing::{Cx, Entries, Load, Out, Snapshot, drain, ints, schema};

fn args(watermark: Option<SourceWatermark>, partitions: u32) -> SourceArgs {
    SourceArgs {
        table: "t".into(),
        connector: "inline".into(),
        options: BTreeMap::from([("partitions".to_owned(), partitions.to_string())]),
        physical: schema(),
        primary_key: None,
        columns: vec![SourceColumn::Physical(1), SourceColumn::Physical(0)],
        watermark,
        watermark_interval: 0,
        source: 3,
        uid: "s".into(),
        seed: 0,
    }
}

fn pushed() -> Option<SourceWatermark> {
    Some(SourceWatermark::Expression(Rc::new(|chunk| Ok(ints(chunk, 1).into_iter().map(|id| Some(id - 5)).collect()))))
}

fn row(id: i64) -> FeedItem {
    FeedItem::Row(RowKind::Insert, vec![Value::Int(id), Value::Int(id * 10)])
}

fn make(
    args: &SourceArgs,
    index: u32,
    parallelism: u32,
    feed: &[(u32, Vec<FeedItem>)],
    state: &Entries,
) -> (Box<dyn Source>, Cx) {
    let mut cx = Cx::new(index, parallelism, 1);
    let mut source = source(args.clone()).unwrap()(&cx.info);
    source.state(&mut Load(state));
    // The runtime feeds before it says that state is there; a host may feed after it as well.
    let (before, after) = feed.split_at(feed.len() / 2);
    before.iter().for_each(|(split, items)| source.feed(*split, items));
    source.restored(&mut cx).unwrap();
    after.iter().for_each(|(split, items)| source.feed(*split, items));
    (source, cx)
}

/// What came out, as a line.
fn text(cx: &mut Cx) -> String {
    let outs = std::mem::take(&mut cx.out);
    let texts = outs.iter().map(|out| match out {
        Out::Chunk(chunk) => format!("{:?}", ints(chunk, 1)),
        Out::Watermark(watermark) => format!("w{watermark}"),
        Out::Status(WatermarkStatus::Idle) => "idle".into(),
        Out::Status(WatermarkStatus::Active) => "active".into(),
    });
    texts.collect::<Vec<_>>().join(" ")
}

#[test]
fn explicit_watermarks_count_where_they_are_asked_for() {
    let items = vec![
        row(1),
        row(2),
        FeedItem::Watermark(7),
        FeedItem::Idle,
        row(3),
        FeedItem::Watermark(5),
        FeedItem::Watermark(9),
    ];
    let run = |watermark| {
        let (mut source, mut cx) = make(&args(watermark, 1), 0, 1, &[(0, items.clone())], &Entries::new());
        assert!(!drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 100));
        source.feed(0, &[FeedItem::End]);
        assert!(drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 100));
        text(&mut cx)
    };
    assert_eq!(run(None), "[1, 2] idle active [3]");
    assert_eq!(run(Some(SourceWatermark::Explicit)), "[1, 2] w7 idle active [3] w9");
    // After each row, and those given on top.
    assert_eq!(run(pushed()), "[1] w-4 [2] w-3 w7 idle active [3] w9");
}

#[test]
fn the_slowest_split_counts() {
    let mut args = args(Some(SourceWatermark::Explicit), 3);
    args.watermark_interval = 200;
    let feed = [
        (0, vec![row(1), FeedItem::Watermark(10)]),
        (1, vec![FeedItem::Watermark(20), row(2), row(3)]),
        (2, vec![row(4), FeedItem::Idle]),
        (1, vec![FeedItem::End]),
    ];
    let (mut source, mut cx) = make(&args, 0, 1, &feed, &Entries::new());
    drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 1);
    let out = text(&mut cx);
    assert!(out.contains("w10") && !out.contains("w20") && !out.contains("idle"), "{out}");
    source.feed(0, &[FeedItem::Watermark(30), FeedItem::End]);
    source.feed(2, &[FeedItem::End]);
    assert!(drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 1));
    assert_eq!(text(&mut cx), "w30");
}

#[test]
fn periodic_watermarks_wait_for_their_time() {
    let mut args = args(pushed(), 1);
    args.watermark_interval = 200;
    let (mut source, mut cx) = make(&args, 0, 1, &[(0, vec![row(10), row(20), row(15)])], &Entries::new());
    drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 2);
    assert_eq!(text(&mut cx), "[10, 20] [15]");
    assert_eq!(cx.wake, Some(1_200));
    cx.now = 1_200;
    drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 2);
    assert_eq!(text(&mut cx), "w15");
}

#[test]
fn every_item_is_passed_once_whatever_the_parallelism() {
    let args = args(Some(SourceWatermark::Explicit), 5);
    let feed: Vec<(u32, Vec<FeedItem>)> = (0..5)
        .map(|split| {
            let first = i64::from(split) * 100;
            let mut items: Vec<FeedItem> = (first..first + 20).map(row).collect();
            items.insert(3, FeedItem::Watermark(first));
            items.push(FeedItem::End);
            (split, items)
        })
        .collect();
    let (mut state, mut seen) = (Entries::new(), Vec::new());
    for (round, parallelism) in [1u32, 4, 2, 7, 3].into_iter().enumerate() {
        let mut next = Entries::new();
        for index in 0..parallelism {
            let (mut source, mut cx) = make(&args, index, parallelism, &feed, &state);
            for _ in 0..6 {
                source.poll(3, &mut cx).unwrap();
            }
            if round == 4 {
                assert!(drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 3));
            }
            for out in &cx.out {
                let Out::Chunk(chunk) = out else { continue };
                for (row, id) in ints(chunk, 1).into_iter().enumerate() {
                    let origin = chunk.origin(row).unwrap();
                    let item = id % 100 + i64::from(id % 100 >= 3);
                    assert_eq!((origin.source, i64::from(origin.split), origin.offset as i64), (3, id / 100, item));
                    seen.push(id);
                }
            }
            let mut mine = state.clone();
            source.state(&mut Snapshot(&mut mine));
            next.extend(mine);
        }
        state = next;
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..5).flat_map(|split| split * 100..split * 100 + 20).collect::<Vec<_>>());
}

#[test]
fn a_restored_source_says_its_watermark_first() {
    let items = [(0, vec![row(1), FeedItem::Watermark(50), row(2), FeedItem::Idle])];
    let args = args(Some(SourceWatermark::Explicit), 1);
    let (mut source, mut cx) = make(&args, 0, 1, &items, &Entries::new());
    drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 9);
    let mut state = Entries::new();
    source.state(&mut Snapshot(&mut state));
    let (mut source, mut cx) = make(&args, 0, 1, &items, &state);
    source.feed(0, &[row(3)]);
    drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 9);
    // The split was idle: it counts again with its next row.
    assert_eq!(text(&mut cx), "idle active w50 [3]");
}

#[test]
fn a_row_that_does_not_fit_fails_the_subtask() {
    let wide = FeedItem::Row(RowKind::Insert, vec![Value::Int(1)]);
    let odd = FeedItem::Row(RowKind::Insert, vec![Value::String("x".into()), Value::Null]);
    for item in [wide, odd] {
        let (mut source, mut cx) = make(&args(None, 1), 0, 1, &[(0, vec![item])], &Entries::new());
        assert_eq!(source.poll(1, &mut cx).unwrap_err().diagnostic.code, BAD_ROW);
    }
}

#[test]
fn options_are_checked() {
    let schema = Schema::default();
    let problems = |options: &[(&str, &str)]| {
        let options = options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        spec().check_table(&TableShape { options: &options, physical: &schema, primary_key: None, sink: false }).len()
    };
    assert_eq!(problems(&[("changelog-mode", "i, UB,ua,D"), ("watermark.push-down", "TRUE"), ("partitions", "4")]), 0);
    assert_eq!(problems(&[("changelog-mode", "I,X")]), 1);
    for count in ["-1", "0", "1025", "5000000"] {
        assert_eq!(problems(&[("partitions", count)]), 1, "{count}");
    }
}
