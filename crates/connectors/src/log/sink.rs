//! Writes a topic: rows are appended to partitions, inside a transaction for exactly-once.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;
use bytes::Bytes;
use tidegate_data::connector::TableShape;
use tidegate_data::{Chunk, Kinds, RowKind, Schema, encode_keys, hash_keys, only_where};
use tidegate_diag::Diagnostic;
use tidegate_runtime::{Failure, Key};

use super::{ABORTED, COMMITTED, base, batch_key, end, ends, partitions, read_ends, status_key, topics, write_batch};
use crate::args::{ResultKind, SinkArgs, SinkParts};
use crate::client::{Answer, Ask, Done, Task, Write, unexpected};
use crate::kafka::in_topic;
use crate::options::Options;
use crate::sink::{Committer, Guarantee, Open, SinkWriter, TwoPhase, timeout_of};
use crate::transaction::{Names, Transaction};

/// The most rows of one batch.
const BATCH: usize = Chunk::MAX_ROWS;

/// Makes the sink.
pub(crate) fn sink(args: SinkArgs) -> Result<SinkParts, Diagnostic> {
    let options = Options(&args.options);
    let topic = topics(options, &args.table).into_iter().next().unwrap_or_else(|| args.table.clone());
    let upsert = args.connector == "upsert-kafka";
    let key = match options.text("key.fields") {
        _ if upsert => args.primary_key.clone(),
        Some(names) => Some(names.split(';').filter_map(|name| args.physical.index_of(name)).collect()),
        None => None,
    };
    let prefix = options.text("sink.transactional-id-prefix").map(|prefix| format!("{prefix}.")).unwrap_or_default();
    let names = Names::new(&base(&topic), &format!("{prefix}{}", args.writer));
    let shape = TableShape {
        options: &args.options,
        physical: &args.physical,
        primary_key: args.primary_key.as_deref(),
        sink: true,
    };
    let setup = Rc::new(Setup {
        topic: topic.clone(),
        schema: in_topic(&shape, upsert),
        key: key.filter(|key: &Vec<usize>| !key.is_empty()),
        upsert,
        partitioner: match options.word("sink.partitioner", "default").as_str() {
            "fixed" => Partitioner::Fixed,
            "round-robin" => Partitioner::RoundRobin,
            _ => Partitioner::Default,
        },
        partitions: partitions(options),
        max_rows: options.int("sink.buffer-flush.max-rows").unwrap_or(0).max(0) as usize,
        interval: options.duration("sink.buffer-flush.interval", 0),
    });
    let guarantee = (Guarantee::of(options), timeout_of(options));
    let transactional = guarantee.0 == Guarantee::ExactlyOnce;
    let factory = move |_: &tidegate_runtime::SubtaskInfo| -> Box<dyn tidegate_runtime::Operator> {
        let committer = LogCommitter { topic: setup.topic.clone(), names: names.clone() };
        let writer = Box::new(LogWriter::new(setup.clone()));
        Box::new(TwoPhase::new(names.clone(), guarantee, writer, Rc::new(committer)))
    };
    Ok(SinkParts { factory: Box::new(factory), results: None, kind: ResultKind::Log(topic), transactional })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Partitioner {
    Default,
    Fixed,
    RoundRobin,
}

struct Setup {
    topic: String,
    schema: Schema,
    key: Option<Vec<usize>>,
    upsert: bool,
    partitioner: Partitioner,
    partitions: u32,
    max_rows: usize,
    interval: i64,
}

/// What a writer knows of its topic from the last answers.
struct Topic {
    setup: Rc<Setup>,
    subtask: u32,
    /// The ends of the partitions; empty when they are not known.
    ends: Vec<u64>,
    /// Rows given to partitions in turn so far.
    turn: u32,
}

struct LogWriter {
    topic: Rc<RefCell<Topic>>,
    setup: Rc<Setup>,
    buffer: VecDeque<Chunk>,
    rows: usize,
    since: i64,
}

impl LogWriter {
    fn new(setup: Rc<Setup>) -> LogWriter {
        let topic = Topic { setup: setup.clone(), subtask: 0, ends: Vec::new(), turn: 0 };
        LogWriter { topic: Rc::new(RefCell::new(topic)), setup, buffer: VecDeque::new(), rows: 0, since: 0 }
    }

    /// Whether rows are held back to keep only the last of each key (both options must say so, as in Flink).
    fn buffers(&self) -> bool {
        self.setup.upsert && self.setup.max_rows > 0 && self.setup.interval > 0
    }

    /// What a row means once it is in a log: it adds (a value), or it takes away (a tombstone, or a CDC format's delete).
    fn stored(&self, chunk: &Chunk) -> Chunk {
        let mut stored = chunk.clone();
        stored.origins = None;
        let Kinds::Each(kinds) = &chunk.kinds else { return stored };
        let adds = |kind: &RowKind| if kind.adds() { RowKind::Insert } else { RowKind::Delete };
        stored.kinds = Kinds::from(kinds.iter().map(adds).collect::<Vec<_>>());
        if self.setup.upsert && matches!(stored.kinds, Kinds::Each(_)) {
            // A tombstone has its key only. Columns that take no NULL keep their value, for nobody could read them else.
            let adds = BooleanBuffer::collect_bool(chunk.len, |row| kinds[row].adds());
            for (position, column) in stored.columns.iter_mut().enumerate() {
                let is_key = self.setup.key.as_ref().is_some_and(|key| key.contains(&position));
                if !is_key && self.setup.schema.fields[position].ty.nullable {
                    *column = only_where(column, adds.clone());
                }
            }
        }
        stored
    }
}

impl SinkWriter for LogWriter {
    fn opened(&mut self, subtask: u32, _epoch: u64) {
        self.topic.borrow_mut().subtask = subtask;
    }

    fn write(&mut self, chunk: &Chunk, now: i64) -> Result<(), Failure> {
        if self.rows == 0 {
            self.since = now;
        }
        self.rows += chunk.len;
        self.buffer.push_back(self.stored(chunk));
        Ok(())
    }

    fn buffered(&self) -> usize {
        self.rows
    }

    fn due(&self) -> Option<i64> {
        match self.rows {
            0 => None,
            rows if self.buffers() && rows < self.setup.max_rows => {
                Some(self.since.saturating_add(self.setup.interval))
            }
            _ => Some(i64::MIN),
        }
    }

    fn flush(&mut self, into: Option<&Open>, now: i64) -> Box<dyn Task> {
        self.since = now;
        let mut count = 0;
        let mut taken = Vec::new();
        while let Some(first) = self.buffer.pop_front() {
            let room = BATCH - count;
            if first.len > room {
                self.buffer.push_front(first.slice(room, first.len - room));
                taken.push(first.slice(0, room));
                count += room;
                break;
            }
            count += first.len;
            taken.push(first);
            if count == BATCH {
                break;
            }
        }
        self.rows -= count;
        let mut rows = Chunk::concat(&taken);
        if let (true, Some(key)) = (self.buffers(), &self.setup.key) {
            rows = last_of_each(&rows, key);
        }
        Box::new(Append {
            topic: self.topic.clone(),
            rows,
            parts: Vec::new(),
            transaction: into.map_or_else(String::new, |open| open.id.clone()),
            marker: into.map(|open| open.marker.clone()),
            timestamp: now,
            asked: Asked::Nothing,
        })
    }
}

fn key_columns(rows: &Chunk, key: &[usize]) -> Vec<ArrayRef> {
    key.iter().map(|column| rows.columns[*column].clone()).collect()
}

/// Of rows with the same key only the last, at the last one's place.
fn last_of_each(rows: &Chunk, key: &[usize]) -> Chunk {
    let keys = encode_keys(&key_columns(rows, key));
    let mut seen = BTreeSet::new();
    let mut kept: Vec<u32> =
        (0..rows.len).rev().filter(|row| seen.insert(keys.row(*row))).map(|row| row as u32).collect();
    kept.reverse();
    rows.take(&kept)
}

impl Topic {
    /// The rows of each partition.
    fn spread(&mut self, rows: &Chunk) -> Vec<(u32, Chunk)> {
        let count = self.ends.len() as u32;
        let setup = self.setup.clone();
        if count == 1 {
            return vec![(0, rows.clone())];
        }
        let places: Vec<u32> = match (setup.partitioner, &setup.key) {
            (Partitioner::Fixed, _) => return vec![(self.subtask % count, rows.clone())],
            (Partitioner::Default, Some(key)) => {
                hash_keys(&key_columns(rows, key)).into_iter().map(|hash| (hash >> 32) as u32 % count).collect()
            }
            _ => {
                let first = self.turn.wrapping_add(self.subtask);
                self.turn = self.turn.wrapping_add(rows.len as u32) % count;
                (0..rows.len as u32).map(|row| first.wrapping_add(row) % count).collect()
            }
        };
        (0..count)
            .filter_map(|partition| {
                let mine: Vec<u32> = (0..rows.len as u32).filter(|row| places[*row as usize] == partition).collect();
                (!mine.is_empty()).then(|| (partition, rows.take(&mine)))
            })
            .collect()
    }
}

enum Asked {
    Nothing,
    Ends,
    Create,
    Append,
}

/// Appends rows to the partitions of a topic, which it creates if need be.
struct Append {
    topic: Rc<RefCell<Topic>>,
    rows: Chunk,
    parts: Vec<(u32, Chunk)>,
    transaction: String,
    marker: Option<(Key, Bytes)>,
    timestamp: i64,
    asked: Asked,
}

impl Append {
    fn ends(&mut self) -> Ask {
        self.asked = Asked::Ends;
        let (from, to) = ends(&self.topic.borrow().setup.topic);
        Ask::Scan(from, to, usize::MAX)
    }

    fn create(&mut self) -> Ask {
        self.asked = Asked::Create;
        let topic = self.topic.borrow();
        let setup = &topic.setup;
        let put = (0..setup.partitions).map(|partition| (end(&setup.topic, partition), Bytes::from_static(b"0")));
        let require = vec![(end(&setup.topic, 0), None)];
        Ask::Write(Write { require, delete: Vec::new(), put: put.collect() })
    }

    fn append(&mut self) -> Ask {
        self.asked = Asked::Append;
        let mut topic = self.topic.borrow_mut();
        if self.parts.is_empty() {
            self.parts = topic.spread(&self.rows);
        }
        let setup = &topic.setup;
        let mut write = Write::default();
        write.put.extend(self.marker.clone());
        for (partition, rows) in &self.parts {
            let next = topic.ends[*partition as usize];
            let key = end(&setup.topic, *partition);
            write.require.push((key.clone(), Some(next.to_string().into())));
            write.put.push((key, (next + rows.len as u64).to_string().into()));
            let value = write_batch(self.timestamp, &self.transaction, &setup.schema, rows);
            write.put.push((batch_key(&setup.topic, *partition, next), value.into()));
        }
        Ask::Write(write)
    }
}

impl Task for Append {
    fn next(&mut self, answer: Answer) -> Result<Ask, Failure> {
        Ok(match (&self.asked, answer) {
            (Asked::Nothing, Answer::Begin) if self.topic.borrow().ends.is_empty() => self.ends(),
            (Asked::Nothing, Answer::Begin) => self.append(),
            (Asked::Ends, Answer::Entries(entries)) if entries.is_empty() => self.create(),
            (Asked::Ends, Answer::Entries(entries)) => {
                self.topic.borrow_mut().ends = read_ends(&entries);
                self.append()
            }
            (Asked::Create, Answer::Written | Answer::Refused) => self.ends(),
            (Asked::Append, Answer::Written) => {
                let mut topic = self.topic.borrow_mut();
                for (partition, rows) in &self.parts {
                    topic.ends[*partition as usize] += rows.len as u64;
                }
                Ask::Done(Done::Plain)
            }
            // Somebody else has appended in the meantime: look where the ends are now.
            (Asked::Append, Answer::Refused) => self.ends(),
            (_, answer) => return Err(unexpected(&answer)),
        })
    }
}

struct LogCommitter {
    topic: String,
    names: Names,
}

impl LogCommitter {
    fn flip(&self, transaction: Transaction, status: &'static [u8]) -> Write {
        let key = status_key(&self.topic, &self.names.id(transaction));
        Write { put: vec![(key, Bytes::from_static(status))], ..Write::default() }
    }
}

impl Committer for LogCommitter {
    fn staged(&self, _transaction: Transaction) -> Option<(Key, Key)> {
        None
    }

    fn commit(&self, transaction: Transaction, _staged: Vec<(Key, Bytes)>) -> Write {
        self.flip(transaction, COMMITTED)
    }

    fn abort(&self, transaction: Transaction) -> Write {
        self.flip(transaction, ABORTED)
    }
}
