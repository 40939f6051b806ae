//! A harness for operators: a script of rows and watermarks in, the changelog out, however the rows are cut and wherever a restore falls.

use tidegate_data::{Chunk, DataType, LogicalType, Schema, TimeKind};
use tidegate_expr::AggregateCall;
use tidegate_expr::aggregates::resolve;
use tidegate_runtime::state::{EntryRef, StateTable, StateVisitor};
use tidegate_runtime::{
    Context, Failure, Operator, Outcome, Progress, RequestId, StoreRequest, SubtaskInfo, WatermarkStatus,
};

/// A context that writes down what is emitted.
pub(crate) struct Recorder {
    schema: Schema,
    pub(crate) out: String,
    pub(crate) late: u64,
    pub(crate) now: i64,
    pub(crate) wake_at: Option<i64>,
    watermark: Option<i64>,
    rows_in_call: usize,
    subtask: SubtaskInfo,
}

impl Recorder {
    pub(crate) fn new(schema: &Schema) -> Recorder {
        Recorder {
            schema: schema.clone(),
            out: String::new(),
            late: 0,
            now: 0,
            wake_at: None,
            watermark: None,
            rows_in_call: 0,
            subtask: SubtaskInfo { index: 0, parallelism: 1, max_parallelism: 128, attempt: 1, job: "test".to_owned() },
        }
    }
}

impl Context for Recorder {
    fn emit(&mut self, chunk: Chunk) {
        assert!(chunk.len > 0, "an empty chunk");
        chunk.check(&self.schema);
        self.rows_in_call += chunk.len;
        self.out.push_str(&chunk.to_text(&self.schema));
    }
    fn emit_watermark(&mut self, watermark: i64) {
        self.out.push_str(&format!("watermark {watermark}\n"));
    }
    fn emit_status(&mut self, status: WatermarkStatus) {
        self.out.push_str(&format!("{status:?}\n"));
    }
    fn watermark(&self) -> Option<i64> {
        self.watermark
    }
    fn now(&self) -> i64 {
        self.now
    }
    fn wake_at(&mut self, at: i64) {
        self.wake_at = Some(self.wake_at.map_or(at, |earlier| earlier.min(at)));
    }
    fn watched(&self) -> bool {
        false
    }
    fn request(&mut self, _request: StoreRequest) -> RequestId {
        unreachable!("these operators ask nothing of the store")
    }
    fn late_rows(&mut self, count: u64) {
        self.late += count;
    }
    fn subtask(&self) -> &SubtaskInfo {
        &self.subtask
    }
}

type Entries = Vec<(String, u16, Vec<u8>, Option<Vec<u8>>)>;

/// Takes what changed, a few entries at a time.
struct Save<'a>(&'a mut Entries);

impl StateVisitor for Save<'_> {
    fn table(&mut self, name: &str, table: &mut dyn StateTable) {
        let mut keep = |entry: EntryRef<'_>| {
            self.0.push((name.to_owned(), entry.key_group, entry.key.to_vec(), entry.value.map(<[u8]>::to_vec)));
        };
        while table.snapshot(2, &mut keep) {}
    }
}

struct Load<'a>(&'a Entries);

impl StateVisitor for Load<'_> {
    fn table(&mut self, name: &str, table: &mut dyn StateTable) {
        for (_, key_group, key, value) in self.0.iter().filter(|entry| entry.0 == name) {
            let entry = EntryRef { key_group: *key_group, key, value: value.as_deref() };
            table.load(entry).expect("an entry fits its own table");
        }
    }
}

/// Calls an operator until it is done.
pub(crate) fn finish(operator: &mut dyn Operator, cx: &mut Recorder, outcome: Outcome) -> Result<(), Failure> {
    let mut progress = outcome?;
    loop {
        assert!(cx.rows_in_call <= Chunk::MAX_ROWS, "{} rows in one call", cx.rows_in_call);
        cx.rows_in_call = 0;
        match progress {
            Progress::Done => return Ok(()),
            Progress::More => progress = operator.resume(cx)?,
            Progress::Wait => panic!("nothing to wait for"),
        }
    }
}

/// How a script is run.
#[derive(Clone, Copy)]
struct Run {
    chunk_rows: usize,
    restore_after: usize,
}

/// Runs a script: rows as `Chunk::parse` reads them, and lines `watermark MS`. A failure ends the output with its message.
fn run(make: &dyn Fn() -> Box<dyn Operator>, input: &Schema, output: &Schema, script: &str, how: Run) -> (String, u64) {
    let mut operator = make();
    let mut cx = Recorder::new(output);
    let mut saved = Entries::new();
    let mut lines = script.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let outcome = operator.restored(&mut cx);
    finish(&mut *operator, &mut cx, outcome).expect("a start");
    let mut elements = 0;
    while let Some(line) = lines.next() {
        let outcome = match line.strip_prefix("watermark ") {
            Some(time) => {
                let time = time.parse().expect("a time in ms");
                cx.watermark = Some(time);
                operator.on_watermark(time, &mut cx)
            }
            None => {
                let mut rows = format!("{line}\n");
                for _ in 1..how.chunk_rows {
                    match lines.next_if(|line| !line.starts_with("watermark")) {
                        Some(line) => rows.push_str(&format!("{line}\n")),
                        None => break,
                    }
                }
                operator.on_chunk(0, Chunk::parse(&rows, input), &mut cx)
            }
        };
        if let Err(failure) = finish(&mut *operator, &mut cx, outcome) {
            cx.out.push_str(&format!("failed: {}\n", failure.diagnostic.message));
            break;
        }
        elements += 1;
        if how.restore_after > 0 && elements % how.restore_after == 0 {
            let outcome = operator.pre_barrier(1, &mut cx);
            finish(&mut *operator, &mut cx, outcome).expect("a barrier");
            operator.state(&mut Save(&mut saved));
            operator = make();
            operator.state(&mut Load(&saved));
            let outcome = operator.restored(&mut cx);
            finish(&mut *operator, &mut cx, outcome).expect("a restore");
        }
    }
    (cx.out, cx.late)
}

/// Runs a script with chunks of 1, 3 and 4,096 rows and with restores in between, and compares what comes out; gives the number of late rows.
pub(crate) fn check(
    make: impl Fn() -> Box<dyn Operator>,
    input: &Schema,
    output: &Schema,
    script: &str,
    expected: &str,
) -> u64 {
    let expected: String =
        expected.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect();
    let mut late = None;
    // A restore reads all that was ever saved: long scripts get a few of them only.
    let seldom = 1 + script.len() / 4_000;
    for (chunk_rows, restore_after) in [(1, 0), (3, 0), (4096, 0), (1, seldom), (1, 2 * seldom), (2, 3 * seldom)] {
        let (out, late_now) = run(&make, input, output, script, Run { chunk_rows, restore_after });
        assert_eq!(out, expected, "chunks of {chunk_rows} rows, a restore after every {restore_after} elements");
        assert_eq!(*late.get_or_insert(late_now), late_now);
    }
    late.unwrap_or(0)
}

/// A schema from text: `k STRING, v INT`.
pub(crate) fn schema(text: &str) -> Schema {
    let ty = |name: &str| {
        let logical = match name {
            "STRING" => return DataType::string(),
            "BOOLEAN" => LogicalType::Boolean,
            "INT" => LogicalType::Int,
            "BIGINT" => LogicalType::BigInt,
            "DOUBLE" => LogicalType::Double,
            "DECIMAL" => LogicalType::Decimal(38, 2),
            "TIME" => LogicalType::Timestamp(3, TimeKind::Regular),
            "ROWTIME" => LogicalType::Timestamp(3, TimeKind::Rowtime),
            other => panic!("the harness knows no {other}"),
        };
        DataType::new(logical)
    };
    let fields = text.split(", ").filter(|field| !field.is_empty()).map(|field| {
        let (name, name_of_type) = field.split_once(' ').expect("a name and a type");
        (name, ty(name_of_type))
    });
    Schema::new(fields)
}

/// Aggregate calls from text: `COUNT()`, `SUM(DISTINCT v) FILTER b`.
pub(crate) fn calls(texts: &[&str], input: &Schema) -> Vec<AggregateCall> {
    let call = |text: &&str| {
        let (head, filter) = text.split_once(" FILTER ").map_or((*text, None), |(head, filter)| (head, Some(filter)));
        let (function, args) = head.trim_end_matches(')').split_once('(').expect("a call");
        let (distinct, args) = args.strip_prefix("DISTINCT ").map_or((false, args), |args| (true, args));
        let column = |name: &str| input.index_of(name).unwrap_or_else(|| panic!("no column {name}"));
        let args: Vec<usize> = args.split(", ").filter(|arg| !arg.is_empty()).map(column).collect();
        let types: Vec<DataType> = args.iter().map(|arg| input.fields[*arg].ty.clone()).collect();
        let (function, ty) = resolve(function, &types, distinct).unwrap_or_else(|_| panic!("no call {text}"));
        AggregateCall { function, args, filter: filter.map(column), distinct, ty, name: (*text).to_owned() }
    };
    texts.iter().map(call).collect()
}
