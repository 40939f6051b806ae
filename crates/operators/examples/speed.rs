//! Times operators over input in memory: `cargo run --release --example speed -p tidegate-operators`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::types::TimestampMillisecondType;
use arrow_array::{ArrayRef, Int64Array, PrimitiveArray, StringArray};
use tidegate_data::{Chunk, DataType, LogicalType, Schema, TimeKind, Value, Zone};
use tidegate_expr::aggregates::resolve;
use tidegate_expr::{AggregateCall, AggregateFunction, call as apply, column, literal};
use tidegate_operators::{
    Calc, CalcSpec, GroupAggregate, GroupAggregateSpec, WindowAggregate, WindowAggregateSpec, WindowProperty,
    WindowShape,
};
use tidegate_runtime::state::{EntryRef, StateTable, StateVisitor};
use tidegate_runtime::{Context, Operator, Progress, RequestId, StoreRequest, SubtaskInfo, WatermarkStatus};

const ROWS: usize = 4096;
const CHUNKS: usize = 512;

/// Takes everything and counts.
struct Counting {
    rows: usize,
    kept: Option<Vec<Chunk>>,
    subtask: SubtaskInfo,
}

impl Context for Counting {
    fn emit(&mut self, chunk: Chunk) {
        self.rows += chunk.len;
        match &mut self.kept {
            Some(kept) => kept.push(chunk),
            None => drop(black_box(chunk)),
        }
    }
    fn emit_watermark(&mut self, _watermark: i64) {}
    fn emit_status(&mut self, _status: WatermarkStatus) {}
    fn watermark(&self) -> Option<i64> {
        None
    }
    fn now(&self) -> i64 {
        0
    }
    fn wake_at(&mut self, _at: i64) {}
    fn watched(&self) -> bool {
        false
    }
    fn request(&mut self, _request: StoreRequest) -> RequestId {
        0
    }
    fn late_rows(&mut self, _count: u64) {}
    fn subtask(&self) -> &SubtaskInfo {
        &self.subtask
    }
}

fn schema() -> Schema {
    Schema::new([
        ("k", DataType::new(LogicalType::BigInt)),
        ("v", DataType::new(LogicalType::BigInt)),
        ("ts", DataType::new(LogicalType::Timestamp(3, TimeKind::Rowtime))),
        ("s", DataType::string()),
        ("t", DataType::string()),
    ])
}

/// Chunks with keys drawn from `keys`, a millisecond of event time every ten rows.
fn input(keys: u64) -> Vec<Chunk> {
    let mut state = 42u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut time = 1_704_067_200_000i64 * 10;
    (0..CHUNKS)
        .map(|_| {
            let k: Vec<i64> = (0..ROWS).map(|_| (random() % keys) as i64).collect();
            let strings: Vec<String> = k.iter().map(|key| format!("user-{key:011}")).collect();
            let others: Vec<String> = (0..ROWS).map(|_| format!("{:016x}", random())).collect();
            let v: Vec<i64> = (0..ROWS).map(|_| (random() % 1000) as i64).collect();
            let times: Vec<i64> = (0..ROWS as i64).map(|row| (time + row) / 10).collect();
            time += ROWS as i64;
            let columns: Vec<ArrayRef> = vec![
                Arc::new(Int64Array::from(k)),
                Arc::new(Int64Array::from(v)),
                Arc::new(PrimitiveArray::<TimestampMillisecondType>::from_iter_values(times)),
                Arc::new(StringArray::from(strings)),
                Arc::new(StringArray::from(others)),
            ];
            Chunk::insert(columns, ROWS)
        })
        .collect()
}

fn call(function: AggregateFunction, args: &[usize]) -> AggregateCall {
    let types: Vec<DataType> = args.iter().map(|arg| schema().fields[*arg].ty.clone()).collect();
    let (function, ty) = resolve(function.name(), &types, false).expect("a call");
    AggregateCall { function, args: args.to_vec(), filter: None, distinct: false, ty, name: function.name().to_owned() }
}

/// `SELECT k, v + 1, ts, s, t WHERE v < 500`, or only the numbers of it.
fn calc(strings: bool) -> Box<dyn Operator> {
    let col = |index: usize| column(index, schema().fields[index].ty.clone());
    let number = |number| literal(Value::Int(number), DataType::not_null(LogicalType::BigInt));
    let mut projections = vec![col(0), apply("+", vec![col(1), number(1)]).expect("a sum"), col(2)];
    if strings {
        projections.extend([col(3), col(4)]);
    }
    let condition = Some(apply("<", vec![col(1), number(500)]).expect("a comparison"));
    Box::new(Calc::new(CalcSpec { input: schema(), condition, projections, zone: Zone::UTC }))
}

fn group_aggregate(key: usize, emit_update_before: bool) -> Box<dyn Operator> {
    group_by(&[key], vec![call(AggregateFunction::Count, &[]), call(AggregateFunction::Sum, &[1])], emit_update_before)
}

fn group_by(keys: &[usize], aggregates: Vec<AggregateCall>, emit_update_before: bool) -> Box<dyn Operator> {
    Box::new(GroupAggregate::new(GroupAggregateSpec {
        input: schema(),
        keys: keys.to_vec(),
        aggregates,
        emit_update_before,
        retracting_input: false,
        state_ttl: 0,
    }))
}

/// COUNT and MAX over the changelog of `group_aggregate`, by the last digits of its sum.
fn over_changelog() -> Box<dyn Operator> {
    let number = || DataType::new(LogicalType::BigInt);
    let input = Schema::new([("k", number()), ("c", DataType::not_null(LogicalType::BigInt)), ("s", number())]);
    let mut max = call(AggregateFunction::Max, &[0]);
    max.args = vec![1];
    Box::new(GroupAggregate::new(GroupAggregateSpec {
        input,
        keys: vec![0],
        aggregates: vec![call(AggregateFunction::Count, &[]), max],
        emit_update_before: true,
        retracting_input: true,
        state_ttl: 0,
    }))
}

/// The chunks that `operator` makes of `chunks`.
fn output(operator: &mut dyn Operator, chunks: &[Chunk]) -> Vec<Chunk> {
    let mut cx = counting();
    cx.kept = Some(Vec::new());
    drive(operator, chunks, false, &mut cx);
    cx.kept.unwrap_or_default()
}

fn tumble() -> Box<dyn Operator> {
    Box::new(WindowAggregate::new(WindowAggregateSpec {
        end_column: None,
        event_time: true,
        input: schema(),
        time_column: 2,
        shape: WindowShape::Tumble { size: 10_000, offset: 0 },
        keys: vec![0],
        aggregates: vec![call(AggregateFunction::Count, &[])],
        properties: vec![WindowProperty::Start, WindowProperty::End],
        output: Schema::default(),
        retracting_input: false,
        zone: Zone::UTC,
    }))
}

fn counting() -> Counting {
    let subtask = SubtaskInfo { index: 0, parallelism: 1, max_parallelism: 128, attempt: 1, job: String::new() };
    Counting { rows: 0, kept: None, subtask }
}

/// Time on the processor where the system tells it (others may use the machine meanwhile), else time on the wall.
struct Clock(Instant, Option<u64>);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "a measurement needs a clock")]
    fn start() -> Clock {
        Clock(Instant::now(), Clock::on_processor())
    }

    fn on_processor() -> Option<u64> {
        std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
    }

    fn seconds(&self) -> f64 {
        match (self.1, Clock::on_processor()) {
            (Some(start), Some(end)) if end > start => (end - start) as f64 / 1e9,
            _ => self.0.elapsed().as_secs_f64(),
        }
    }
}

fn drive(operator: &mut dyn Operator, chunks: &[Chunk], watermarks: bool, cx: &mut Counting) {
    let finish = |operator: &mut dyn Operator, cx: &mut Counting, mut progress: Progress| {
        while progress == Progress::More {
            progress = operator.resume(cx).expect("no failure");
        }
    };
    for chunk in chunks {
        let progress = operator.on_chunk(0, chunk.clone(), cx).expect("no failure");
        finish(operator, cx, progress);
        if watermarks {
            let times = chunk.columns[2].to_data();
            let time = times.buffers()[0].typed_data::<i64>()[ROWS - 1];
            let progress = operator.on_watermark(time, cx).expect("no failure");
            finish(operator, cx, progress);
        }
    }
}

fn time(name: &str, make: &dyn Fn() -> Box<dyn Operator>, chunks: &[Chunk], watermarks: bool) {
    if std::env::args().nth(1).is_some_and(|only| !name.contains(&only)) {
        return;
    }
    let mut best = f64::MAX;
    let mut out = 0;
    for _ in 0..5 {
        let mut operator = make();
        let mut cx = counting();
        // The keys are made before, so that what is timed is the steady state.
        let warm = chunks.len() / 8;
        drive(&mut *operator, &chunks[..warm], watermarks, &mut cx);
        cx.rows = 0;
        let start = Clock::start();
        drive(&mut *operator, &chunks[warm..], watermarks, &mut cx);
        best = best.min(start.seconds());
        out = cx.rows;
    }
    let rows: usize = chunks[chunks.len() / 8..].iter().map(|chunk| chunk.len).sum();
    println!(
        "{name:40} {:7.1} M rows/s  {:5.1} ns/row  ({out} rows out)",
        rows as f64 / best / 1e6,
        best * 1e9 / rows as f64
    );
}

#[derive(Default)]
struct Snapshot {
    entries: usize,
    bytes: usize,
}

impl StateVisitor for Snapshot {
    fn table(&mut self, _name: &str, table: &mut dyn StateTable) {
        let mut take = |entry: EntryRef<'_>| {
            self.entries += 1;
            self.bytes += entry.key.len() + entry.value.map_or(0, <[u8]>::len);
        };
        while table.snapshot(1024, &mut take) {}
    }
}

fn snapshot() {
    let keys = 1_000_000i64;
    let chunk = |from: i64, len: i64| {
        let k = Int64Array::from_iter_values((from..from + len).map(|key| key % keys));
        let len = len as usize;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(k.clone()),
            Arc::new(k),
            Arc::new(PrimitiveArray::<TimestampMillisecondType>::from_iter_values(vec![0; len])),
            Arc::new(StringArray::from(vec![""; len])),
            Arc::new(StringArray::from(vec![""; len])),
        ];
        Chunk::insert(columns, len)
    };
    let mut operator = group_aggregate(0, true);
    let mut cx = counting();
    let chunks: Vec<Chunk> = (0..keys).step_by(ROWS).map(|from| chunk(from, (keys - from).min(ROWS as i64))).collect();
    let start = Clock::start();
    drive(&mut *operator, &chunks, false, &mut cx);
    println!("{:40} {:7.1} ms", "1,000,000 new keys", start.seconds() * 1e3);
    let start = Clock::start();
    let mut all = Snapshot::default();
    operator.state(&mut all);
    let ms = start.seconds() * 1e3;
    println!("{:40} {ms:7.2} ms ({} entries, {} bytes)", "snapshot of 1,000,000 keys", all.entries, all.bytes);
    drive(&mut *operator, &[chunk(3, 4096), chunk(500_000, 4096), chunk(900_000, 1808)], false, &mut cx);
    let start = Clock::start();
    let mut changed = Snapshot::default();
    operator.state(&mut changed);
    let ms = start.seconds() * 1e3;
    println!("{:40} {ms:7.2} ms ({} entries, {} bytes)", "snapshot of 1% of them", changed.entries, changed.bytes);
}

fn main() {
    let chunks = input(10_000);
    time("filter half, add, all columns", &|| calc(true), &chunks, false);
    time("filter half, add, numbers", &|| calc(false), &chunks, false);
    time("group by BIGINT, -U/+U", &|| group_aggregate(0, true), &chunks, false);
    time("group by BIGINT, +U only", &|| group_aggregate(0, false), &chunks, false);
    time("group by STRING, -U/+U", &|| group_aggregate(3, true), &chunks, false);
    time("tumble 10 s by BIGINT", &tumble, &chunks, true);
    let counted = || vec![call(AggregateFunction::Count, &[])];
    time("group by BIGINT and STRING", &|| group_by(&[0, 3], counted(), true), &chunks, false);
    let extremes = || vec![call(AggregateFunction::Max, &[1]), call(AggregateFunction::Avg, &[1])];
    time("group by BIGINT, MAX and AVG", &|| group_by(&[0], extremes(), true), &chunks, false);
    let distinct = || {
        let mut distinct = call(AggregateFunction::Count, &[1]);
        distinct.distinct = true;
        vec![distinct]
    };
    time("group by BIGINT, COUNT(DISTINCT v)", &|| group_by(&[0], distinct(), true), &chunks, false);
    let changelog = output(&mut *group_aggregate(0, true), &chunks[..CHUNKS / 4]);
    time("COUNT and MAX over a changelog", &over_changelog, &changelog, false);
    let chunks = input(1_000_000);
    time("group by BIGINT, 1,000,000 keys", &|| group_aggregate(0, true), &chunks, false);
    time("group by STRING, 1,000,000 keys", &|| group_aggregate(3, true), &chunks, false);
    if std::env::args().nth(1).is_none_or(|only| "snapshot".contains(&only)) {
        snapshot();
    }
}
