//! Reading topics: positions, partitions, transactions, bounds.

use std::collections::BTreeMap;

use tidegate_data::RowKind;
use tidegate_runtime::{MemoryStore, Source, Store, StoreRequest};

use super::*;
use crate::args::{SourceArgs, SourceColumn, SourceWatermark};
use crate::testing::{Cx, Entries, Load, Out, Snapshot, drain, ints, rows, schema};

fn args(connector: &str, options: &[(&str, &str)]) -> SourceArgs {
    let mut all: BTreeMap<String, String> = options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    all.insert("topic".into(), "t".into());
    if connector != "log" {
        all.insert("properties.bootstrap.servers".into(), "x".into());
        let formats: &[&str] = if connector == "kafka" { &["format"] } else { &["key.format", "value.format"] };
        for key in formats {
            all.entry((*key).into()).or_insert("json".into());
        }
    }
    SourceArgs {
        table: "t".into(),
        connector: connector.into(),
        options: all,
        physical: schema(),
        primary_key: (connector == "upsert-kafka").then(|| vec![0]),
        columns: vec![SourceColumn::Physical(0), SourceColumn::Metadata("offset".into()), SourceColumn::Physical(1)],
        watermark: None,
        watermark_interval: 0,
        source: 0,
        uid: "source".into(),
        seed: 1,
    }
}

fn make(args: &SourceArgs, index: u32, parallelism: u32, state: &Entries) -> (Box<dyn Source>, Cx) {
    let mut cx = Cx::new(index, parallelism, 1);
    let mut source = source(args.clone()).unwrap()(&cx.info);
    source.state(&mut Load(state));
    source.restored(&mut cx).unwrap();
    (source, cx)
}

fn append(store: &mut MemoryStore, partition: u32, ids: std::ops::Range<i64>) {
    let chunk = rows(&ids.map(|id| (RowKind::Insert, id, id * 10)).collect::<Vec<_>>());
    Append::new("t", 3, partition, 50, &schema(), &chunk).run(store).unwrap();
}

/// Puts rows of a transaction, or sets how it ended.
fn transaction(store: &mut MemoryStore, name: &str, ids: std::ops::Range<i64>) {
    let chunk = rows(&ids.map(|id| (RowKind::Insert, id, 0)).collect::<Vec<_>>());
    let page = read(store, "t", Isolation::ReadUncommitted).unwrap();
    let next = page.ends[0];
    store.execute(StoreRequest::Batch {
        require: Vec::new(),
        delete: Vec::new(),
        put: vec![
            (end("t", 0), (next + chunk.len as u64).to_string().into()),
            (batch_key("t", 0, next), write_batch(50, name, &schema(), &chunk).into()),
        ],
    });
}

fn conclude(store: &mut MemoryStore, name: &str, status: &'static [u8]) {
    store.entries_mut().insert(status_key("t", name), bytes::Bytes::from_static(status));
}

fn ids(cx: &mut Cx) -> Vec<i64> {
    std::mem::take(&mut cx.out)
        .iter()
        .flat_map(|out| match out {
            Out::Chunk(chunk) => ints(chunk, 0),
            _ => Vec::new(),
        })
        .collect()
}

#[test]
fn every_row_is_read_once_whatever_the_parallelism() {
    let mut store = MemoryStore::new();
    for part in 0..3 {
        append(&mut store, part, 100 * i64::from(part)..100 * i64::from(part) + 40);
    }
    let args = args("log", &[]);
    let mut state = Entries::new();
    let mut seen = Vec::new();
    for (round, parallelism) in [2u32, 3, 1, 5, 2].into_iter().enumerate() {
        let mut next = Entries::new();
        for index in 0..parallelism {
            let (mut source, mut cx) = make(&args, index, parallelism, &state);
            // A few rows only, in the middle of batches.
            for _ in 0..3 {
                while let Some((id, request)) = cx.requests.pop_front() {
                    let response = store.execute(request);
                    source.on_response(id, response, &mut cx).unwrap();
                }
                source.poll(7, &mut cx).unwrap();
            }
            if round == 4 {
                drain(source.as_mut(), &mut cx, &mut store, 7);
            }
            for out in &cx.out {
                let Out::Chunk(chunk) = out else { continue };
                let origin = |row: usize| chunk.origin(row).unwrap();
                for (row, id) in ints(chunk, 0).into_iter().enumerate() {
                    assert_eq!(i64::from(origin(row).split) * 100 + origin(row).offset as i64, id);
                }
            }
            seen.extend(ids(&mut cx));
            let mut mine = state.clone();
            source.state(&mut Snapshot(&mut mine));
            next.extend(mine);
        }
        state = next;
    }
    seen.sort_unstable();
    let wanted: Vec<i64> = (0..3).flat_map(|part| 100 * part..100 * part + 40).collect();
    assert_eq!(seen, wanted);
}

#[test]
fn committed_readers_stop_before_what_is_open() {
    let mut store = MemoryStore::new();
    append(&mut store, 0, 0..3);
    transaction(&mut store, "s/0/1-1", 10..12);
    transaction(&mut store, "s/0/1-2", 20..22);
    append(&mut store, 0, 3..5);
    let all = args("log", &[]);
    let committed = args("log", &[("properties.isolation.level", "read_committed")]);
    let (mut dirty, mut dirty_cx) = make(&all, 0, 1, &Entries::new());
    let (mut clean, mut clean_cx) = make(&committed, 0, 1, &Entries::new());
    drain(dirty.as_mut(), &mut dirty_cx, &mut store, 100);
    assert_eq!(ids(&mut dirty_cx), [0, 1, 2, 10, 11, 20, 21, 3, 4]);
    let mut step = |store: &mut MemoryStore| {
        clean_cx.now += 1_000;
        drain(clean.as_mut(), &mut clean_cx, store, 100);
        ids(&mut clean_cx)
    };
    assert_eq!(step(&mut store), [0, 1, 2]);
    conclude(&mut store, "s/0/1-2", COMMITTED);
    assert_eq!(step(&mut store), [0i64; 0]);
    conclude(&mut store, "s/0/1-1", ABORTED);
    assert_eq!(step(&mut store), [20, 21, 3, 4]);
    append(&mut store, 0, 5..6);
    assert_eq!(step(&mut store), [5]);
}

#[test]
fn reading_begins_and_ends_where_it_is_told_to() {
    let mut store = MemoryStore::new();
    append(&mut store, 0, 0..10);
    let read = |store: &mut MemoryStore, connector: &str, options: &[(&str, &str)]| {
        let (mut source, mut cx) = make(&args(connector, options), 0, 1, &Entries::new());
        let ended = drain(source.as_mut(), &mut cx, store, 4);
        append(store, 0, 10..11);
        cx.now += 1_000;
        let ended = ended || drain(source.as_mut(), &mut cx, store, 4);
        let read = ids(&mut cx);
        // The appended row goes again.
        store.entries_mut().remove(&batch_key("t", 0, 10));
        store.entries_mut().insert(end("t", 0), "10".into());
        (read, ended)
    };
    let list = |range: std::ops::Range<i64>| range.collect::<Vec<_>>();
    let earliest = ("scan.startup.mode", "earliest-offset");
    assert_eq!(read(&mut store, "log", &[]), (list(0..11), false));
    assert_eq!(read(&mut store, "kafka", &[("scan.startup.mode", "latest-offset")]), (list(10..11), false));
    assert_eq!(read(&mut store, "kafka", &[earliest, ("scan.bounded.mode", "latest-offset")]), (list(0..10), true));
    let specific = ("scan.startup.specific-offsets", "partition:0,offset:7");
    let mode = ("scan.startup.mode", "specific-offsets");
    assert_eq!(read(&mut store, "kafka", &[mode, specific]), (list(7..11), false));
    let bounded =
        [("scan.bounded.mode", "specific-offsets"), ("scan.bounded.specific-offsets", "partition:0,offset:3")];
    assert_eq!(read(&mut store, "log", &bounded), (list(0..3), true));
    let since = [("scan.startup.mode", "timestamp"), ("scan.startup.timestamp-millis", "51")];
    assert_eq!(read(&mut store, "log", &since), (list(0..0), false));
    let group = [("scan.startup.mode", "group-offsets"), ("properties.group.id", "g")];
    for (partition, offset) in [(0, "8"), (1, "0"), (2, "0")] {
        store.entries_mut().insert(startup::group_key("t", "g", partition), offset.into());
    }
    assert_eq!(read(&mut store, "kafka", &group), (list(8..11), false));
}

#[test]
fn a_group_without_offsets_fails_before_the_topic_has_a_row_as_it_does_behind_it() {
    let mut store = MemoryStore::new();
    for _ in 0..2 {
        let (mut source, mut cx) = make(&args("kafka", &[("properties.group.id", "g")]), 0, 1, &Entries::new());
        let mut went = Ok(());
        while went.is_ok()
            && let Some((id, request)) = cx.requests.pop_front()
        {
            went = source.on_response(id, store.execute(request), &mut cx);
        }
        let failure = went.expect_err("nothing says where to begin").diagnostic;
        assert_eq!(failure.message, "Undefined offset with no reset policy for partitions: [t-0]");
        assert!(failure.hints[0].contains("'scan.startup.mode' = 'earliest-offset'"), "{failure:?}");
        append(&mut store, 0, 0..3);
    }
}

#[test]
fn a_group_commits_what_a_checkpoint_holds() {
    let mut store = MemoryStore::new();
    append(&mut store, 0, 0..10);
    let (mut source, mut cx) = make(&args("log", &[("properties.group.id", "g")]), 0, 1, &Entries::new());
    let mut poll = |source: &mut Box<dyn Source>, cx: &mut Cx, times: usize| {
        for _ in 0..times {
            while let Some((id, request)) = cx.requests.pop_front() {
                let response = store.execute(request);
                source.on_response(id, response, cx).unwrap();
            }
            source.poll(2, cx).unwrap();
        }
        store.entries().get(&startup::group_key("t", "g", 0)).cloned()
    };
    while cx.out.is_empty() {
        poll(&mut source, &mut cx, 1);
    }
    source.state(&mut Snapshot(&mut Entries::new()));
    poll(&mut source, &mut cx, 1);
    source.on_checkpoint_complete(1, &mut cx).unwrap();
    assert_eq!(poll(&mut source, &mut cx, 1).as_deref(), Some(&b"2"[..]));
}

#[test]
fn a_partition_that_comes_later_is_read_from_its_beginning() {
    let mut store = MemoryStore::new();
    let args = args("log", &[("scan.startup.mode", "latest-offset")]);
    let (mut source, mut cx) = make(&args, 0, 1, &Entries::new());
    drain(source.as_mut(), &mut cx, &mut store, 10);
    let mut state = Entries::new();
    source.state(&mut Snapshot(&mut state));
    append(&mut store, 1, 0..3);
    let (mut again, mut again_cx) = make(&args, 0, 1, &state);
    drain(again.as_mut(), &mut again_cx, &mut store, 10);
    assert_eq!(ids(&mut again_cx), [0, 1, 2]);
    cx.now += 10_000;
    drain(source.as_mut(), &mut cx, &mut store, 10);
    assert_eq!(ids(&mut cx), [0, 1, 2]);
}

#[test]
fn watermarks_are_those_of_the_slowest_partition() {
    let mut store = MemoryStore::new();
    append(&mut store, 0, 0..3);
    append(&mut store, 1, 100..103);
    append(&mut store, 2, 50..51);
    let mut args = args("log", &[("scan.watermark.idle-timeout", "5 s")]);
    args.watermark =
        Some(SourceWatermark::Expression(std::rc::Rc::new(|chunk| Ok(ints(chunk, 0).into_iter().map(Some).collect()))));
    let (mut source, mut cx) = make(&args, 0, 1, &Entries::new());
    drain(source.as_mut(), &mut cx, &mut store, 100);
    let marks = |cx: &mut Cx| -> Vec<i64> {
        std::mem::take(&mut cx.out)
            .iter()
            .filter_map(|out| if let Out::Watermark(w) = out { Some(*w) } else { None })
            .collect()
    };
    assert_eq!(marks(&mut cx), [0, 1, 2]);
    cx.now += 4_000;
    append(&mut store, 1, 103..104);
    drain(source.as_mut(), &mut cx, &mut store, 100);
    assert_eq!(marks(&mut cx), [0i64; 0]);
    // Partitions 0 and 2 turn idle: partition 1 alone counts.
    cx.now += 2_000;
    drain(source.as_mut(), &mut cx, &mut store, 100);
    assert_eq!(marks(&mut cx), [103]);
}

#[test]
fn tombstones_are_deletes_to_an_upsert_reader_and_nothing_to_others() {
    let mut store = MemoryStore::new();
    let chunk = rows(&[(RowKind::Insert, 1, 10), (RowKind::Delete, 2, 0), (RowKind::Insert, 3, 30)]);
    Append::new("t", 1, 0, 50, &schema(), &chunk).run(&mut store).unwrap();
    let kinds = |store: &mut MemoryStore, connector: &str| {
        let (mut source, mut cx) = make(&args(connector, &[]), 0, 1, &Entries::new());
        drain(source.as_mut(), &mut cx, store, 100);
        let Some(Out::Chunk(chunk)) = cx.out.first() else { panic!("there are rows") };
        (0..chunk.len).map(|row| chunk.kind(row).text()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&mut store, "upsert-kafka"), ["+U", "-D", "+U"]);
    assert_eq!(kinds(&mut store, "log"), ["+I", "+I"]);
}

/// Writes rows through a sink and gives the ids in each partition, those of tombstones below 0.
fn write(connector: &str, options: &[(&str, &str)], index: u32, all: &[(RowKind, i64, i64)]) -> Vec<Vec<i64>> {
    let source = args(connector, options);
    let sink = crate::args::SinkArgs {
        table: "t".into(),
        connector: connector.into(),
        options: source.options,
        physical: schema(),
        primary_key: source.primary_key,
        mode: tidegate_data::ChangelogMode::ALL,
        writer: "w".into(),
    };
    let mut store = MemoryStore::new();
    append(&mut store, 0, 0..0);
    let mut cx = Cx::new(index, 4, 1);
    let mut operator = (crate::sink(sink).unwrap().factory)(&cx.info);
    operator.restored(&mut cx).unwrap();
    let mut settle = |operator: &mut Box<dyn tidegate_runtime::Operator>, cx: &mut Cx| {
        while let Some((id, request)) = cx.requests.pop_front() {
            operator.on_response(id, store.execute(request), cx).unwrap();
        }
        operator.resume(cx).unwrap();
    };
    settle(&mut operator, &mut cx);
    for part in all.chunks(2) {
        operator.on_chunk(0, rows(part), &mut cx).unwrap();
    }
    operator.pre_barrier(1, &mut cx).unwrap();
    settle(&mut operator, &mut cx);
    let page = read(&mut store, "t", Isolation::ReadCommitted).unwrap();
    let mut partitions = vec![Vec::new(); page.ends.len()];
    for batch in page.batches {
        let chunk = &batch.rows.chunk;
        let ids = ints(chunk, 0).into_iter().enumerate();
        let signed = ids.map(|(row, id)| if chunk.kind(row).adds() { id } else { -id });
        partitions[batch.partition as usize].extend(signed);
    }
    partitions
}

#[test]
fn rows_find_their_partition() {
    let all: Vec<_> = (1..=9).map(|id| (RowKind::Insert, id, 0)).collect();
    assert_eq!(write("log", &[], 0, &all), [[1, 4, 7], [2, 5, 8], [3, 6, 9]]);
    assert_eq!(write("log", &[("sink.partitioner", "round-robin")], 1, &all)[1], [1, 4, 7]);
    let empty: Vec<i64> = Vec::new();
    let fixed = write("kafka", &[("sink.partitioner", "fixed")], 2, &all);
    assert_eq!(fixed, [empty.clone(), empty, (1..=9).collect()]);
    // The same key, the same partition, in order.
    let keyed: Vec<_> = (0..30).map(|i| (RowKind::Insert, 1 + i % 10, 0)).collect();
    let partitions = write("log", &[("key.fields", "id")], 3, &keyed);
    for id in 1..=10 {
        let holding = partitions.iter().filter(|partition| partition.contains(&id)).count();
        assert_eq!(holding, 1);
    }
    assert_eq!(partitions.iter().map(Vec::len).sum::<usize>(), 30);
}

#[test]
fn an_upsert_writer_puts_tombstones_and_keeps_the_last_of_a_key_if_it_buffers() {
    use RowKind::{Delete, Insert, UpdateAfter};
    let all = [(Insert, 1, 0), (UpdateAfter, 1, 1), (Insert, 2, 0), (Delete, 2, 0), (UpdateAfter, 1, 2)];
    let sorted = |partitions: Vec<Vec<i64>>| {
        let mut ids = partitions.concat();
        ids.sort_unstable();
        ids
    };
    assert_eq!(sorted(write("upsert-kafka", &[], 0, &all)), [-2, 1, 1, 1, 2]);
    let buffered = [("sink.buffer-flush.max-rows", "100"), ("sink.buffer-flush.interval", "1 s")];
    assert_eq!(sorted(write("upsert-kafka", &buffered, 0, &all)), [-2, 1]);
}

#[test]
fn a_producer_by_hand_finds_out_what_became_of_its_rows() {
    use tidegate_runtime::StoreResponse;
    let chunk = rows(&[(RowKind::Insert, 1, 0)]);
    for written in [false, true] {
        let mut store = MemoryStore::new();
        let mut append = Append::new("t", 2, 5, 50, &schema(), &chunk);
        let mut request = append.begin();
        let mut lost = false;
        let appended = loop {
            let data = format!("{request:?}").contains("data/");
            let answer = if data && !lost {
                lost = true;
                if written {
                    store.execute(request);
                }
                StoreResponse::Failed { message: "lost".into(), uncertain: true }
            } else {
                store.execute(request)
            };
            match append.next(answer).unwrap() {
                Step::Ask(next) => request = next,
                Step::Done(appended) => break appended,
            }
        };
        assert_eq!(appended, Appended { partition: 1, offset: 0 });
        assert_eq!(read(&mut store, "t", Isolation::ReadCommitted).unwrap().ends, [0, 1]);
    }
    let mut store = MemoryStore::new();
    append(&mut store, 0, 0..2);
    assert_eq!(TOPICS.all(&mut store), ["t"]);
}
