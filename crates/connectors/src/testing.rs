//! What tests stand in for the runtime with: a context that records, and state that is kept and given back.

use std::collections::{BTreeMap, VecDeque};

use tidegate_data::{Chunk, DataType, LogicalType, RowKind, Schema, Value, build_column, value_at};
use tidegate_runtime::state::{EntryRef, StateTable, StateVisitor};
use tidegate_runtime::{
    Context, MemoryStore, Polled, RequestId, Source, Store, StoreRequest, SubtaskInfo, WatermarkStatus,
};

/// Something that came out.
#[derive(Clone, Debug)]
pub enum Out {
    Chunk(Chunk),
    Watermark(i64),
    Status(WatermarkStatus),
}

/// A context for one subtask.
pub struct Cx {
    pub info: SubtaskInfo,
    pub now: i64,
    pub wake: Option<i64>,
    pub out: Vec<Out>,
    pub requests: VecDeque<(RequestId, StoreRequest)>,
    pub next_request: RequestId,
}

impl Cx {
    pub fn new(index: u32, parallelism: u32, attempt: u64) -> Cx {
        let info = SubtaskInfo { index, parallelism, max_parallelism: 128, attempt, job: "job".into() };
        Cx { info, now: 1_000, wake: None, out: Vec::new(), requests: VecDeque::new(), next_request: 0 }
    }
}

impl Context for Cx {
    fn emit(&mut self, chunk: Chunk) {
        assert!(chunk.len > 0 && chunk.len <= Chunk::MAX_ROWS);
        self.out.push(Out::Chunk(chunk));
    }
    fn emit_watermark(&mut self, watermark: i64) {
        self.out.push(Out::Watermark(watermark));
    }
    fn emit_status(&mut self, status: WatermarkStatus) {
        self.out.push(Out::Status(status));
    }
    fn watermark(&self) -> Option<i64> {
        None
    }
    fn now(&self) -> i64 {
        self.now
    }
    fn wake_at(&mut self, at: i64) {
        self.wake = Some(self.wake.map_or(at, |wake| wake.min(at)));
    }
    fn watch_for(&mut self, at: Option<i64>) {
        self.wake = self.wake.into_iter().chain(at).min();
    }
    fn watched(&self) -> bool {
        true
    }
    fn request(&mut self, request: StoreRequest) -> RequestId {
        self.next_request += 1;
        self.requests.push_back((self.next_request, request));
        self.next_request
    }
    fn late_rows(&mut self, _count: u64) {}
    fn subtask(&self) -> &SubtaskInfo {
        &self.info
    }
}

/// The entries of a subtask's tables, by table and key.
pub type Entries = BTreeMap<(String, Vec<u8>), Vec<u8>>;

/// Writes what has changed into a subtask's entries, as a checkpoint does.
pub struct Snapshot<'a>(pub &'a mut Entries);

impl StateVisitor for Snapshot<'_> {
    fn table(&mut self, name: &str, table: &mut dyn StateTable) {
        while table.snapshot(2, &mut |entry| {
            let key = (name.to_owned(), entry.key.to_vec());
            match entry.value {
                Some(value) => drop(self.0.insert(key, value.to_vec())),
                None => drop(self.0.remove(&key)),
            }
        }) {}
    }
}

/// Gives entries back to the tables of a new subtask.
pub struct Load<'a>(pub &'a Entries);

impl StateVisitor for Load<'_> {
    fn table(&mut self, name: &str, table: &mut dyn StateTable) {
        for ((_, key), value) in self.0.iter().filter(|((of, _), _)| of == name) {
            table.load(EntryRef { key_group: 0, key, value: Some(value) }).expect("what was written can be read");
        }
    }
}

/// INT columns `id` and `v`.
pub fn schema() -> Schema {
    Schema::new([("id", DataType::not_null(LogicalType::Int)), ("v", DataType::new(LogicalType::Int))])
}

/// Rows of [`schema`].
pub fn rows(rows: &[(RowKind, i64, i64)]) -> Chunk {
    let fields = schema().fields;
    let column = |i: usize, values: Vec<Value>| build_column(&fields[i].ty, &values).expect("integers fit");
    let columns = vec![
        column(0, rows.iter().map(|row| Value::Int(row.1)).collect()),
        column(1, rows.iter().map(|row| Value::Int(row.2)).collect()),
    ];
    Chunk::with_kinds(columns, rows.iter().map(|row| row.0).collect())
}

/// The integers of a column; NULL is `i64::MIN`.
pub fn ints(chunk: &Chunk, column: usize) -> Vec<i64> {
    let ty = DataType::new(LogicalType::Int);
    (0..chunk.len)
        .map(|row| match value_at(chunk.columns[column].as_ref(), row, &ty) {
            Value::Int(value) => value,
            _ => i64::MIN,
        })
        .collect()
}

/// Answers all requests of a source and polls it until nothing comes. True if it has ended.
pub fn drain(source: &mut dyn Source, cx: &mut Cx, store: &mut MemoryStore, limit: usize) -> bool {
    for _ in 0..100_000 {
        while let Some((id, request)) = cx.requests.pop_front() {
            let response = store.execute(request);
            source.on_response(id, response, cx).expect("the source does not fail");
        }
        match source.poll(limit, cx).expect("the source does not fail") {
            Polled::Emitted => {}
            Polled::Ended | Polled::Unused => return true,
            Polled::Pending if cx.requests.is_empty() => return false,
            Polled::Pending => {}
        }
    }
    panic!("the source never rests");
}
