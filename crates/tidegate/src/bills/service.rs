//! A bill service as one writes it without a stream processor: it reads a batch of fixed size after the last recorded offset, drops what is
//! twice within the batch, writes row after row, and records the offset when all is written.
//!
//! What it knows dies with it; what it has written and recorded does not. So a crash half-way writes rows twice, and a payment that comes again
//! in a later batch goes through.

use tidegate_connectors::{log, table};
use tidegate_data::sorted::{self, SortedSet};
use tidegate_data::{Chunk, DataType, Field, LogicalType, RowKind, Schema, Value, Zone};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::{Store, StoreRequest, StoreResponse};

use crate::{chunk_texts, parse_value, rows_chunk};

/// The table that it writes bills to.
pub const TABLE: &str = "bills_of_today";
/// The table in which it records how far it has read.
const OFFSETS: &str = "bills_of_today_offsets";
const UNUSABLE: Code = Code::new("TG4130");

/// What has become of a row of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing yet.
    Waiting,
    /// The batch had the payment before.
    Dropped,
    /// It is in the table.
    Written,
}

/// A row of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it lies in the log.
    pub partition: u32,
    /// Where in the partition.
    pub offset: u64,
    /// The values, as text: payment, account, amount.
    pub values: Vec<String>,
    /// What has become of it.
    pub fate: Fate,
}

/// A batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceBatch {
    /// How often the service had been started when it was read, from 1.
    pub start: u32,
    /// Its rows, in the order in which they came.
    pub lines: Vec<Line>,
    /// The offset behind it is recorded.
    pub recorded: bool,
    /// The service crashed before that.
    pub lost: bool,
}

#[derive(Clone, Debug)]
enum Phase {
    /// Just started: it has to read how far it was.
    Started,
    /// It knows where the next batch begins, by partition.
    Ready(Vec<u64>),
    /// The newest batch is being written; behind it, the next one begins here.
    Writing(Vec<u64>),
}

/// The service.
#[derive(Debug)]
pub struct Service {
    topic: String,
    partitions: u32,
    /// Columns of the topic, which are those of its table.
    columns: Schema,
    size: usize,
    phase: Phase,
    starts: u32,
    written: u32,
    batches: Vec<ServiceBatch>,
}

impl Service {
    /// A service that reads a topic, `size` rows at a time. The first three columns are payment, account and amount.
    pub fn new(topic: &str, partitions: u32, columns: Schema, size: usize) -> Service {
        Service {
            topic: topic.to_owned(),
            partitions,
            columns,
            size: size.max(1),
            phase: Phase::Started,
            starts: 1,
            written: 0,
            batches: Vec::new(),
        }
    }

    /// The next thing that it does: it reads where it was, reads a batch, writes one row, or records the offset. False if there is nothing to
    /// do.
    ///
    /// # Errors
    /// When the store holds what it cannot read, or cannot write (TG4130).
    pub fn step(&mut self, store: &mut dyn Store) -> Result<bool, Diagnostic> {
        match self.phase.clone() {
            Phase::Started => self.phase = Phase::Ready(self.recorded(store)?),
            Phase::Ready(next) => {
                let Some((lines, behind)) = self.batch(store, &next)? else { return Ok(false) };
                self.batches.push(ServiceBatch { start: self.starts, lines, recorded: false, lost: false });
                self.phase = Phase::Writing(behind);
            }
            Phase::Writing(behind) => {
                let waiting = |line: &Line| line.fate == Fate::Waiting;
                let batch = self.batches.last().map(|batch| batch.lines.iter().position(waiting));
                match batch.flatten() {
                    Some(line) => self.write(store, line)?,
                    None => {
                        self.record(store, &behind)?;
                        self.batches.last_mut().into_iter().for_each(|batch| batch.recorded = true);
                        self.phase = Phase::Ready(behind);
                    }
                }
            }
        }
        Ok(true)
    }

    /// It crashes, and is started again: what it has not recorded it does not know.
    pub fn crash(&mut self) {
        self.starts += 1;
        self.phase = Phase::Started;
        self.batches.last_mut().filter(|batch| !batch.recorded).into_iter().for_each(|batch| batch.lost = true);
    }

    /// Its batches, oldest first.
    pub fn batches(&self) -> &[ServiceBatch] {
        &self.batches
    }

    /// What it does next, for people.
    pub fn next(&self) -> &'static str {
        let done = |batch: &ServiceBatch| batch.lines.iter().all(|line| line.fate != Fate::Waiting);
        match &self.phase {
            Phase::Started => "reads how far it was",
            Phase::Ready(_) => "reads the next batch",
            Phase::Writing(_) if self.batches.last().is_some_and(done) => "records the offset",
            Phase::Writing(_) => "writes the next row",
        }
    }

    /// The offsets that are recorded, by partition: where the next batch begins.
    ///
    /// # Errors
    /// As [`Service::step`].
    pub fn recorded(&self, store: &mut dyn Store) -> Result<Vec<u64>, Diagnostic> {
        let page = table::read(store, OFFSETS, table::Isolation::ReadCommitted)?;
        let mut next = vec![0; self.partitions as usize];
        for row in chunk_texts(&page.rows, &page.schema, Zone::UTC) {
            let number = |column: usize| row.get(column).and_then(|text| text.as_deref()?.parse::<u64>().ok());
            if let (Some(partition), Some(offset)) = (number(0), number(1))
                && let Some(place) = next.get_mut(partition as usize)
            {
                *place = offset;
            }
        }
        Ok(next)
    }

    /// The rows of the next batch, and where the one behind it begins.
    fn batch(&self, store: &mut dyn Store, next: &[u64]) -> Result<Option<(Vec<Line>, Vec<u64>)>, Diagnostic> {
        let mut found = Vec::new();
        for (partition, offset) in (0..self.partitions).zip(next) {
            let query = log::Query {
                from: Some(log::Query::place(&self.topic, partition, *offset)),
                limit: self.size,
                ..log::Query::all(self.topic.clone(), log::Isolation::ReadCommitted)
            };
            let answers = query.requests().into_iter().map(|request| store.execute(request)).collect();
            for batch in query.decode(answers)?.batches.into_iter().filter(|batch| batch.partition == partition) {
                let rows = chunk_texts(&batch.rows.chunk, &batch.rows.schema, Zone::UTC);
                for (row, values) in rows.into_iter().enumerate() {
                    let values = values.into_iter().map(Option::unwrap_or_default).collect();
                    let offset = batch.offset + row as u64;
                    found.push((batch.timestamp, Line { partition, offset, values, fate: Fate::Waiting }));
                }
            }
        }
        // In the order in which they came, over all partitions.
        sorted::sort_by_key(&mut found, |(timestamp, line)| (*timestamp, line.partition, line.offset));
        found.truncate(self.size);
        let mut lines: Vec<Line> = found.into_iter().map(|(_, line)| line).collect();
        let (mut known, mut behind) = (SortedSet::new(), next.to_vec());
        for line in &mut lines {
            if !known.insert(line.values.first().cloned()) {
                line.fate = Fate::Dropped;
            }
            behind[line.partition as usize] = line.offset + 1;
        }
        Ok((!lines.is_empty()).then_some((lines, behind)))
    }

    fn write(&mut self, store: &mut dyn Store, line: usize) -> Result<(), Diagnostic> {
        let Some(line) = self.batches.last_mut().and_then(|batch| batch.lines.get_mut(line)) else { return Ok(()) };
        let values = self.columns.fields.iter().zip(&line.values);
        let values = values.map(|(field, text)| parse_value(&field.ty, Some(text), Zone::UTC));
        let values = values.collect::<Result<Vec<Value>, String>>().map_err(|why| unusable(&why))?;
        let rows = row(&self.columns, values)?;
        self.written += 1;
        let name = format!("{:05}-{:010}", self.starts, self.written);
        carry_out(store, table::put(TABLE, &self.columns, &[name], &rows))?;
        line.fate = Fate::Written;
        Ok(())
    }

    fn record(&self, store: &mut dyn Store, behind: &[u64]) -> Result<(), Diagnostic> {
        let field = |name: &str| Field { name: name.into(), ty: DataType::new(LogicalType::BigInt) };
        let columns = Schema { fields: vec![field("partition"), field("next_offset")] };
        let names: Vec<String> = (0..behind.len()).map(|partition| format!("{partition:05}")).collect();
        let rows = behind.iter().enumerate();
        let rows = rows.map(|(partition, next)| vec![Value::Int(partition as i64), Value::Int(*next as i64)]);
        let rows = rows.map(|values| (RowKind::Insert, values)).collect();
        let rows = rows_chunk(&columns, rows).map_err(|why| unusable(&why))?;
        carry_out(store, table::put(OFFSETS, &columns, &names, &rows))
    }
}

fn row(columns: &Schema, values: Vec<Value>) -> Result<Chunk, Diagnostic> {
    rows_chunk(columns, vec![(RowKind::Insert, values)]).map_err(|why| unusable(&why))
}

fn carry_out(store: &mut dyn Store, request: StoreRequest) -> Result<(), Diagnostic> {
    match store.execute(request) {
        StoreResponse::Done => Ok(()),
        StoreResponse::Failed { message, .. } => Err(unusable(&message)),
        _ => Err(unusable("the store gave an answer to another question.")),
    }
}

fn unusable(why: &str) -> Diagnostic {
    Diagnostic::error(UNUSABLE, format!("The batch service cannot go on: {why}"))
}
