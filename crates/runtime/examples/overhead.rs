//! What the machine costs around the operators: chains, channels, exchanges, steps, and the pause of a checkpoint.

#![allow(clippy::disallowed_methods)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int64Array};
use tidegate_data::{Chunk, DataType, LogicalType, SlotColumn, SlotType, hash_keys};
use tidegate_runtime::state::{GroupTable, StateVisitor};
use tidegate_runtime::*;

/// Emits the same chunk again and again.
struct Repeat {
    chunk: Chunk,
    left: usize,
}

impl Source for Repeat {
    fn state(&mut self, _visitor: &mut dyn StateVisitor) {}

    fn poll(&mut self, limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
        if self.left == 0 {
            return Ok(Polled::Pending);
        }
        let rows = limit.min(self.chunk.len).min(self.left);
        self.left -= rows;
        cx.emit(self.chunk.slice(0, rows));
        Ok(Polled::Emitted)
    }
}

/// Hands on what it gets.
struct Pass;

impl Operator for Pass {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        cx.emit(chunk);
        Ok(Progress::Done)
    }
}

/// Counts.
struct Count(u64);

impl Operator for Count {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, _cx: &mut dyn Context) -> Outcome {
        self.0 += chunk.len as u64;
        Ok(Progress::Done)
    }
}

/// Adds up the second column per key in the first one.
struct Sum {
    table: GroupTable,
    slots: Vec<u32>,
    fresh: Vec<u32>,
}

impl Operator for Sum {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("sums", &mut self.table);
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, _cx: &mut dyn Context) -> Outcome {
        let keys = &chunk.columns[..1];
        let hashes = hash_keys(keys);
        self.slots.clear();
        self.table.resolve(keys, &[], &hashes, |_| true, &mut self.slots, &mut self.fresh);
        if let SlotColumn::I64(sums) = &mut self.table.columns_mut()[0] {
            self.slots.iter().for_each(|slot| sums[*slot as usize] += 1);
        }
        self.table.touch(&self.slots);
        Ok(Progress::Done)
    }
}

fn keys(range: std::ops::Range<i64>) -> Chunk {
    let len = (range.end - range.start) as usize;
    let column: ArrayRef = Arc::new(range.collect::<Int64Array>());
    Chunk::insert(vec![column.clone(), column.clone(), column], len)
}

fn operator(name: &str, factory: impl Fn(&SubtaskInfo) -> Box<dyn Operator> + 'static) -> OperatorSpec {
    let text = name.to_owned();
    OperatorSpec { uid: text.clone(), name: text.clone(), description: text, factory: Box::new(factory) }
}

fn source(rows: usize, parallelism: u32, operators: Vec<OperatorSpec>) -> Vertex {
    let factory: graph::SourceFactory = Box::new(move |_| Box::new(Repeat { chunk: keys(0..4096), left: rows }));
    let spec = SourceSpec { uid: "source".into(), name: "Source".into(), table: "t".into(), factory };
    Vertex { name: "Source".into(), parallelism, source: Some(spec), operators }
}

fn count() -> OperatorSpec {
    operator("count", |_| Box::new(Count(0)))
}

fn pass() -> OperatorSpec {
    operator("pass", |_| Box::new(Pass))
}

fn measure(what: &str, rows: usize, graph: impl Fn() -> JobGraph, chunk_limit: usize) {
    let mut times = Vec::new();
    for _ in 0..5 {
        let settings = JobSettings { chunk_limit, ..JobSettings::default() };
        let mut job = Job::start(graph(), settings, Restore::None).expect("the graph is right");
        let mut store = MemoryStore::new();
        host::carry_out(&mut job, &mut store);
        let start = Instant::now();
        let steps = job.run_until_quiet(u64::MAX);
        times.push((start.elapsed(), steps));
    }
    times.sort();
    let (time, steps) = times[times.len() / 2];
    println!(
        "{what}: {:.1} M rows/s, {:.0} ns per step",
        rows as f64 / time.as_secs_f64() / 1e6,
        time.as_secs_f64() * 1e9 / steps as f64
    );
}

fn checkpoints(keys_in_state: i64) {
    let feed = |from: i64, to: i64| (from..to).step_by(4096).map(move |start| keys(start..(start + 4096).min(to)));
    struct Chunks(Vec<Chunk>);
    impl Source for Chunks {
        fn state(&mut self, _visitor: &mut dyn StateVisitor) {}
        fn poll(&mut self, _limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
            let Some(chunk) = self.0.pop() else { return Ok(Polled::Pending) };
            cx.emit(chunk);
            Ok(Polled::Emitted)
        }
        fn feed(&mut self, _split: u32, items: &[FeedItem]) {
            // One item stands for 1% of the keys once more.
            let keys_in_state = items.len() as i64 * 100;
            self.0.extend(
                (0..keys_in_state / 100)
                    .step_by(4096)
                    .map(|start| keys(start..(start + 4096).min(keys_in_state / 100))),
            );
        }
    }
    let chunks: Vec<Chunk> = feed(0, keys_in_state).collect();
    let factory: graph::SourceFactory = Box::new(move |_| Box::new(Chunks(chunks.clone())));
    let spec = SourceSpec { uid: "source".into(), name: "Source".into(), table: "t".into(), factory };
    let sum = operator("sum", |_| {
        let table = GroupTable::new(vec![DataType::new(LogicalType::BigInt)], &[("sum".to_owned(), SlotType::I64)]);
        Box::new(Sum { table, slots: Vec::new(), fresh: Vec::new() })
    });
    let graph = JobGraph {
        name: "sums".into(),
        vertices: vec![Vertex { name: "Source".into(), parallelism: 1, source: Some(spec), operators: vec![sum] }],
        edges: vec![],
    };
    let mut job = Job::start(graph, JobSettings::default(), Restore::None).expect("the graph is right");
    let mut store = MemoryStore::new();
    host::run_until_quiet(&mut job, &mut store, u64::MAX);
    for round in 0..4 {
        job.handle(Event::Command(Command::TriggerCheckpoint)).expect("nothing is running");
        host::carry_out(&mut job, &mut store);
        let (mut longest, mut pause, mut total) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        let mut bytes = 0;
        loop {
            let snapshotting = job
                .view()
                .subtasks
                .iter()
                .any(|subtask| matches!(subtask.status, view::SubtaskStatus::Snapshotting { .. }));
            let start = Instant::now();
            let stepped = job.step_element();
            let time = start.elapsed();
            longest = longest.max(time);
            total += time;
            if snapshotting {
                pause += time;
            }
            host::carry_out(&mut job, &mut store);
            if !stepped {
                break;
            }
        }
        if let Some(last) = job.view().history.last() {
            bytes = last.bytes;
        }
        println!(
            "checkpoint of {keys_in_state} keys, {}: pause at most {:.2} ms, longest step {:.2} ms, work {:.2} ms, {bytes} bytes",
            if round == 0 { "all changed" } else { "1% changed" },
            pause.as_secs_f64() * 1e3,
            longest.as_secs_f64() * 1e3,
            total.as_secs_f64() * 1e3
        );
        let items = vec![FeedItem::Idle; (keys_in_state / 100) as usize];
        job.handle(Event::Feed { table: "t".into(), split: 0, items }).expect("feeding is never refused");
        host::run_until_quiet(&mut job, &mut store, u64::MAX);
    }
}

fn main() {
    let edge = |from, to, exchange| Edge { from, to, input: 0, exchange };
    let rows = 400_000_000;
    let one_chain = move || JobGraph {
        name: "chain".into(),
        vertices: vec![source(rows, 1, vec![pass(), count()])],
        edges: vec![],
    };
    measure("one chain, 4,096 rows a chunk", rows, one_chain, 4096);
    let rows = 2_000_000;
    let one_row = move || JobGraph {
        name: "chain".into(),
        vertices: vec![source(rows, 1, vec![pass(), count()])],
        edges: vec![],
    };
    measure("one chain, 1 row a chunk", rows, one_row, 1);
    let rows = 100_000_000;
    let forward = move || JobGraph {
        name: "forward".into(),
        vertices: vec![
            source(rows, 1, vec![pass()]),
            Vertex { name: "Sink".into(), parallelism: 1, source: None, operators: vec![count()] },
        ],
        edges: vec![edge(0, 1, Exchange::Forward)],
    };
    measure("two chains, forward", rows, forward, 4096);
    let rows = 20_000_000;
    let hash = move || JobGraph {
        name: "hash".into(),
        vertices: vec![
            source(rows / 2, 2, vec![]),
            Vertex { name: "Sink".into(), parallelism: 2, source: None, operators: vec![count()] },
        ],
        edges: vec![edge(0, 1, Exchange::Hash(vec![0]))],
    };
    measure("hash exchange, 2 to 2, 3 BIGINT columns", rows, hash, 4096);
    checkpoints(10_000);
    checkpoints(1_000_000);
}
