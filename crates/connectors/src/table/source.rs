//! Reads a table once, from its first row to its last, as Flink's JDBC source does.
//!
//! State: `position`, the name of the last row that was emitted. One subtask reads; the others end at once.

use std::collections::VecDeque;
use std::sync::Arc;
use tidegate_data::sorted::SortedMap;

use tidegate_data::{Chunk, Origins, RowOrigin, Schema};
use tidegate_diag::Diagnostic;
use tidegate_runtime::graph::SourceFactory;
use tidegate_runtime::operator::Polled;
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::{Context, Failure, Key, Outcome, Progress, RequestId, Source, StoreResponse};

use super::read::{Isolation, Query};
use super::store_name;
use crate::args::{SourceArgs, SourceColumn};
use crate::options::Options;
use crate::positions::{Positions, number};

/// Rows to read at once.
const PAGE: usize = 1_024;
/// The pause before a store that failed is asked again, ms.
const RETRY: i64 = 200;
const POSITION: &[u8] = b"0";

/// Makes the source.
pub(crate) fn source(args: SourceArgs) -> Result<SourceFactory, Diagnostic> {
    let options = Options(&args.options);
    let name = store_name(options, &args.table);
    let isolation = match options.word("isolation-level", "read-committed").as_str() {
        "read-uncommitted" => Isolation::ReadUncommitted,
        _ => Isolation::ReadCommitted,
    };
    let columns = args.columns.iter().filter_map(|column| match column {
        SourceColumn::Physical(position) => Some(args.physical.fields[*position].clone()),
        SourceColumn::Metadata(_) => None,
    });
    let schema = Schema { fields: columns.collect() };
    let source = args.source;
    Ok(Box::new(move |subtask| {
        Box::new(TableSource {
            name: name.clone(),
            isolation,
            schema: schema.clone(),
            source,
            reads: subtask.index == 0,
            position: Positions::new("position: 0 -> rows read, name of the last row", |_, value| {
                ("position".into(), format!("{} rows", number(value, 0)))
            }),
            query: None,
            asked: Vec::new(),
            answers: SortedMap::new(),
            buffer: VecDeque::new(),
            more: true,
            retry: None,
        })
    }))
}

struct TableSource {
    name: String,
    isolation: Isolation,
    schema: Schema,
    source: u32,
    reads: bool,
    position: Positions,
    /// What is being read.
    query: Option<Query>,
    /// Its requests.
    asked: Vec<RequestId>,
    answers: SortedMap<RequestId, StoreResponse>,
    /// Pages read ahead: rows, their names, and how many were emitted.
    buffer: VecDeque<(Chunk, Vec<Vec<u8>>, usize)>,
    more: bool,
    retry: Option<i64>,
}

impl TableSource {
    fn ask(&mut self, cx: &mut dyn Context) {
        let start = super::rows(&self.name).0;
        let from = self.position.get(POSITION).map(|value| {
            let mut key = [&start[..], &value[8..]].concat();
            key.push(0);
            Key::from(key)
        });
        let query = Query { table: self.name.clone(), isolation: self.isolation, from, limit: PAGE, given: usize::MAX };
        self.asked = query.requests().into_iter().map(|request| cx.request(request)).collect();
        self.query = Some(query);
    }
}

impl Source for TableSource {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("position", &mut self.position);
    }

    fn restored(&mut self, _cx: &mut dyn Context) -> Outcome {
        let reads = self.reads;
        self.position.restored(|_| reads);
        Ok(Progress::Done)
    }

    fn poll(&mut self, limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
        if !self.reads {
            return Ok(Polled::Ended);
        }
        if let Some((chunk, names, emitted)) = self.buffer.front_mut() {
            let count = limit.clamp(1, Chunk::MAX_ROWS).min(chunk.len - *emitted);
            let mut rows = chunk.slice(*emitted, count);
            let read = self.position.get(POSITION).map_or(0, |value| number(value, 0));
            if cx.watched() {
                let mut origins = Origins::default();
                for row in 0..count {
                    let origin = RowOrigin { source: self.source, split: 0, offset: read + row as u64 };
                    origins.push(row as u32 + 1, origin);
                }
                rows.origins = Some(Arc::new(origins));
            }
            *emitted += count;
            let position = [&(read + count as u64).to_be_bytes()[..], &names[*emitted - 1]].concat();
            if *emitted == chunk.len {
                self.buffer.pop_front();
            }
            self.position.put(POSITION, &position);
            cx.emit(rows);
            return Ok(Polled::Emitted);
        }
        if !self.more {
            return Ok(Polled::Ended);
        }
        match self.retry {
            Some(at) if at > cx.now() => cx.wake_at(at),
            _ if self.asked.is_empty() => {
                self.retry = None;
                self.ask(cx);
            }
            _ => {}
        }
        Ok(Polled::Pending)
    }

    fn on_response(&mut self, id: RequestId, response: StoreResponse, cx: &mut dyn Context) -> Result<(), Failure> {
        if !self.asked.contains(&id) {
            return Ok(());
        }
        if matches!(response, StoreResponse::Failed { .. }) {
            self.asked.clear();
            self.answers.clear();
            self.retry = Some(cx.now().saturating_add(RETRY));
            cx.wake_at(cx.now().saturating_add(RETRY));
            return Ok(());
        }
        self.answers.insert(id, response);
        if self.answers.len() < self.asked.len() {
            return Ok(());
        }
        self.asked.clear();
        // Request ids ascend, so the answers are in the order of the requests.
        let answers = std::mem::take(&mut self.answers).into_values().collect();
        let Some(query) = self.query.take() else { return Ok(()) };
        let page = query.decode(answers).map_err(|diagnostic| Failure { diagnostic })?;
        self.more = page.next.is_some();
        if page.rows.len > 0 {
            let block = crate::codec::Block { schema: page.schema, chunk: page.rows };
            let columns = block.columns(&self.schema, false).map_err(|diagnostic| Failure { diagnostic })?;
            let len = block.chunk.len;
            self.buffer.push_back((Chunk::insert(columns, len), page.names, 0));
        }
        Ok(())
    }
}
