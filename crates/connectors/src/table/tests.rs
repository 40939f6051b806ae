//! Writing and reading tables: keys, buffers, pages, other columns.

use std::collections::BTreeMap;

use arrow_array::Array as _;
use tidegate_data::{ChangelogMode, DataType, Kinds, LogicalType, RowKind};
use tidegate_runtime::{MemoryStore, Operator, Store};

use super::*;
use crate::args::{SinkArgs, SourceArgs, SourceColumn};
use crate::testing::{Cx, Entries, Load, Out, Snapshot, drain, ints, rows, schema};

fn make(connector: &str, options: &[(&str, &str)], key: bool) -> (Box<dyn Operator>, Cx) {
    let mut options: BTreeMap<String, String> = options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    options.insert("table-name".into(), "a/b".into());
    if connector == "jdbc" {
        options.insert("url".into(), "jdbc:x".into());
    }
    let args = SinkArgs {
        table: "t".into(),
        connector: connector.into(),
        options,
        physical: schema(),
        primary_key: key.then(|| vec![0]),
        mode: ChangelogMode::UPSERT,
        writer: "w".into(),
    };
    let mut cx = Cx::new(0, 1, 1);
    let mut operator = (crate::sink(args).unwrap().factory)(&cx.info);
    operator.restored(&mut cx).unwrap();
    (operator, cx)
}

fn settle(operator: &mut dyn Operator, cx: &mut Cx, store: &mut MemoryStore) {
    while let Some((id, request)) = cx.requests.pop_front() {
        operator.on_response(id, store.execute(request), cx).unwrap();
    }
    operator.resume(cx).unwrap();
    assert!(cx.requests.is_empty());
}

fn committed(store: &mut MemoryStore) -> Vec<(i64, i64)> {
    let page = read(store, "a/b", Isolation::ReadCommitted).unwrap();
    if page.rows.len == 0 {
        return Vec::new();
    }
    ints(&page.rows, 0).into_iter().zip(ints(&page.rows, 1)).collect()
}

#[test]
fn a_key_has_one_row() {
    let mut store = MemoryStore::new();
    let (mut sink, mut cx) = make("table", &[], true);
    settle(sink.as_mut(), &mut cx, &mut store);
    use RowKind::{Delete, Insert, UpdateAfter, UpdateBefore};
    let chunk =
        rows(&[(Insert, 3, 30), (Insert, -1, 10), (UpdateBefore, 3, 30), (UpdateAfter, 3, 31), (Insert, 2, 20)]);
    sink.on_chunk(0, chunk, &mut cx).unwrap();
    settle(sink.as_mut(), &mut cx, &mut store);
    // In the order of the key, also below 0.
    assert_eq!(committed(&mut store), [(-1, 10), (2, 20), (3, 31)]);
    sink.on_chunk(0, rows(&[(Delete, 2, 0), (UpdateBefore, 3, 31)]), &mut cx).unwrap();
    settle(sink.as_mut(), &mut cx, &mut store);
    assert_eq!(committed(&mut store), [(-1, 10), (3, 31)]);
    assert_eq!(TABLES.all(&mut store), ["a/b"]);
    store.execute(drop_request("a/b"));
    assert_eq!(TABLES.all(&mut store), Vec::<String>::new());
}

#[test]
fn jdbc_buffers_until_it_is_full_or_time() {
    let mut store = MemoryStore::new();
    let (mut sink, mut cx) = make("jdbc", &[("sink.buffer-flush.max-rows", "3")], true);
    settle(sink.as_mut(), &mut cx, &mut store);
    let mut write = |sink: &mut dyn Operator, cx: &mut Cx, id: i64| {
        sink.on_chunk(0, rows(&[(RowKind::Insert, id, 0)]), cx).unwrap();
        settle(sink, cx, &mut store);
        committed(&mut store).len()
    };
    assert_eq!(write(sink.as_mut(), &mut cx, 1), 0);
    // The same key once more takes no room.
    assert_eq!(write(sink.as_mut(), &mut cx, 1), 0);
    assert_eq!(write(sink.as_mut(), &mut cx, 2), 0);
    assert_eq!(write(sink.as_mut(), &mut cx, 3), 3);
    assert_eq!(write(sink.as_mut(), &mut cx, 4), 3);
    assert_eq!(cx.wake.take(), Some(cx.now + 1_000));
    cx.now += 1_000;
    sink.on_processing_time(&mut cx).unwrap();
    settle(sink.as_mut(), &mut cx, &mut store);
    assert_eq!(committed(&mut store).len(), 4);
    // A barrier does not wait for the buffer's time.
    sink.on_chunk(0, rows(&[(RowKind::Insert, 5, 0)]), &mut cx).unwrap();
    sink.pre_barrier(1, &mut cx).unwrap();
    settle(sink.as_mut(), &mut cx, &mut store);
    assert_eq!(committed(&mut store).len(), 5);
    assert!(sink.is_finished());
}

#[test]
fn pages_are_whole_together() {
    let mut store = MemoryStore::new();
    let (mut sink, mut cx) = make("table", &[("sink.delivery-guarantee", "exactly-once")], true);
    settle(sink.as_mut(), &mut cx, &mut store);
    let write = |sink: &mut dyn Operator, cx: &mut Cx, store: &mut MemoryStore, ids: &[(RowKind, i64, i64)]| {
        sink.on_chunk(0, rows(ids), cx).unwrap();
        settle(sink, cx, store);
    };
    let first: Vec<_> = (0..20).map(|id| (RowKind::Insert, id * 2, 0)).collect();
    write(sink.as_mut(), &mut cx, &mut store, &first);
    sink.pre_barrier(1, &mut cx).unwrap();
    settle(sink.as_mut(), &mut cx, &mut store);
    sink.on_checkpoint_complete(1, &mut cx).unwrap();
    settle(sink.as_mut(), &mut cx, &mut store);
    let staged =
        [(RowKind::Insert, 1, 9), (RowKind::UpdateAfter, 4, 9), (RowKind::Delete, 30, 0), (RowKind::Insert, 99, 9)];
    write(sink.as_mut(), &mut cx, &mut store, &staged);
    let mut pages = |isolation| {
        let (mut all, mut fresh, mut deleted, mut from) = (Vec::new(), 0, 0, None);
        loop {
            let query = Query { table: "a/b".into(), isolation, from, limit: 7, given: usize::MAX };
            let answers = query.requests().into_iter().map(|request| store.execute(request)).collect();
            let page = query.decode(answers).unwrap();
            all.extend(ints(&page.rows, 0));
            fresh += page.uncommitted.iter().filter(|uncommitted| **uncommitted).count();
            deleted += page.deleted;
            from = page.next;
            if from.is_none() {
                return (all, fresh, deleted);
            }
        }
    };
    let wanted: Vec<i64> = (0..20).map(|id| id * 2).collect();
    assert_eq!(pages(Isolation::ReadCommitted), (wanted.clone(), 0, 0));
    let mut wanted: Vec<i64> = wanted.into_iter().filter(|id| *id != 30).chain([1, 99]).collect();
    wanted.sort_unstable();
    assert_eq!(pages(Isolation::ReadUncommitted), (wanted, 3, 1));
    // Of a few rows, all are counted.
    let query = Query { given: 3, ..Query::all("a/b", Isolation::ReadUncommitted) };
    let answers = query.requests().into_iter().map(|request| store.execute(request)).collect();
    let page = query.decode(answers).unwrap();
    assert_eq!((ints(&page.rows, 0), page.total), (vec![0, 1, 2], 21));
}

#[test]
fn a_source_reads_every_row_once_and_ends() {
    let mut store = MemoryStore::new();
    let (mut sink, mut cx) = make("table", &[], false);
    settle(sink.as_mut(), &mut cx, &mut store);
    for part in 0..3 {
        let part: Vec<_> = (part * 1_000..part * 1_000 + 1_000).map(|id| (RowKind::Insert, id, id)).collect();
        sink.on_chunk(0, rows(&part), &mut cx).unwrap();
        settle(sink.as_mut(), &mut cx, &mut store);
    }
    let args = SourceArgs {
        table: "t".into(),
        connector: "table".into(),
        options: BTreeMap::from([("table-name".to_owned(), "a/b".to_owned())]),
        physical: Schema::new([("v", DataType::new(LogicalType::Int)), ("new", DataType::string())]),
        primary_key: None,
        columns: vec![SourceColumn::Physical(1), SourceColumn::Physical(0)],
        watermark: None,
        watermark_interval: 0,
        source: 0,
        uid: "s".into(),
        seed: 0,
    };
    let factory = crate::source(args).unwrap();
    let (mut state, mut seen) = (Entries::new(), Vec::new());
    for (parallelism, polls) in [(2, 5), (1, 3), (3, usize::MAX)] {
        let mut next = Entries::new();
        for index in 0..parallelism {
            let mut cx = Cx::new(index, parallelism, 1);
            let mut source = factory(&cx.info);
            source.state(&mut Load(&state));
            source.restored(&mut cx).unwrap();
            if polls == usize::MAX {
                assert!(drain(source.as_mut(), &mut cx, &mut store, 300));
            } else {
                for _ in 0..polls {
                    while let Some((id, request)) = cx.requests.pop_front() {
                        source.on_response(id, store.execute(request), &mut cx).unwrap();
                    }
                    source.poll(300, &mut cx).unwrap();
                }
            }
            for out in &cx.out {
                let Out::Chunk(chunk) = out else { continue };
                assert_eq!(chunk.kinds, Kinds::Insert);
                assert_eq!(chunk.columns[0].null_count(), chunk.len);
                seen.extend(ints(chunk, 1));
            }
            let mut mine = state.clone();
            source.state(&mut Snapshot(&mut mine));
            next.extend(mine);
        }
        state = next;
    }
    assert_eq!(seen.len(), 3_000);
    seen.sort_unstable();
    assert!((0..3_000).eq(seen));
}
