//! Reads topics: partitions are spread over the subtasks, each with its own watermark.
//!
//! State: `position`, for each partition the next offset, the batch it is in, where reading ends, and the watermark; and
//! for each subtask that has looked for its partitions a mark, so that one that comes into being later is read from its
//! beginning whatever `scan.startup.mode` says. Never cleared.
//!
//! Offsets of the group (`properties.group.id`) are committed for others to see when a checkpoint is complete.

use std::rc::Rc;
use std::sync::Arc;
use tidegate_data::sorted::{self, SortedMap};

use arrow_array::{ArrayRef, Int32Array, Int64Array, StringArray, TimestampMillisecondArray};
use bytes::Bytes;
use tidegate_data::connector::TableShape;
use tidegate_data::{Chunk, Field, Origins, RowOrigin, Schema, Value, build_column};
use tidegate_diag::Diagnostic;
use tidegate_runtime::graph::SourceFactory;
use tidegate_runtime::operator::{Polled, SplitRead};
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::{
    CheckpointId, Context, Failure, FeedItem, Key, Outcome, Progress, RequestId, Source, StoreRequest, StoreResponse,
};

use super::fetch::{Manner, Partition, ReadKinds};
use super::startup::{Bound, Startup, group_key};
use super::{ends, metadata, read_ends, topics};
use crate::args::{SourceArgs, SourceColumn};
use crate::options::Options;
use crate::positions::{Positions, number};
use crate::splits::{Mark, Watermarks};

/// The pause before the end of a partition, and the list of partitions, are looked at again, ms.
const PAUSE: i64 = 100;
const DISCOVERY: i64 = 1_000;

/// Makes the source.
pub(crate) fn source(args: SourceArgs) -> Result<SourceFactory, Diagnostic> {
    let options = Options(&args.options);
    let upsert = args.connector == "upsert-kafka";
    let pairs: Vec<(String, String)> = args.options.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    let shape = TableShape {
        options: &args.options,
        physical: &args.physical,
        primary_key: args.primary_key.as_deref(),
        sink: false,
    };
    let in_topic = crate::kafka::in_topic(&shape, upsert);
    let physical: Vec<Field> = args
        .columns
        .iter()
        .filter_map(|column| match column {
            SourceColumn::Physical(position) => Some(in_topic.fields[*position].clone()),
            SourceColumn::Metadata(_) => None,
        })
        .collect();
    let startup = match args.connector.as_str() {
        "kafka" => Startup::of(options, "group-offsets"),
        "upsert-kafka" => Startup::Earliest,
        _ => Startup::of(options, "earliest-offset"),
    };
    let bound = Bound::of(options);
    let manner = Manner {
        schema: Schema { fields: physical },
        committed: options.word("properties.isolation.level", "read_uncommitted") == "read_committed",
        kinds: match crate::kafka::changelog_of_format(&pairs, false).is_insert_only() {
            _ if upsert => ReadKinds::Upsert,
            true => ReadKinds::Insert,
            false => ReadKinds::Changelog,
        },
        safe: ["json.ignore-parse-errors", "value.json.ignore-parse-errors"]
            .iter()
            .any(|key| options.boolean(key, false)),
        since: if let Startup::Timestamp(at) = startup { Some(at) } else { None },
        until: if let Bound::Timestamp(at) = bound { Some(at) } else { None },
        pause: PAUSE,
    };
    let idle_timeout = options.duration("scan.watermark.idle-timeout", 0);
    let group = options.text("properties.group.id").map(str::to_owned);
    let setup =
        Rc::new(Setup { topics: topics(options, &args.table), startup, bound, manner, group, idle_timeout, args });
    Ok(Box::new(move |subtask| {
        Box::new(LogSource {
            watermarks: Watermarks::new(&setup.args),
            setup: setup.clone(),
            index: subtask.index,
            parallelism: subtask.parallelism.max(1),
            partitions: Vec::new(),
            next: 0,
            positions: Positions::new(
                "position: topic, partition -> offset, batch, stop, watermark",
                |split, position| match split.len() {
                    POSITION => (format!("partition {}", number(split, 8)), format!("offset {}", number(position, 0))),
                    _ => (format!("subtask {}", number(split, 1)), "has found its partitions".into()),
                },
            ),
            looked: Vec::new(),
            started: false,
            discovery: SortedMap::new(),
            ends: SortedMap::new(),
            groups: SortedMap::new(),
            discover_at: i64::MIN,
        })
    }))
}

struct Setup {
    topics: Vec<String>,
    startup: Startup,
    bound: Bound,
    manner: Manner,
    group: Option<String>,
    idle_timeout: i64,
    args: SourceArgs,
}

/// What is asked to find partitions.
enum Discovery {
    Ends(usize),
    Group(usize, u32),
}

struct LogSource {
    setup: Rc<Setup>,
    index: u32,
    parallelism: u32,
    partitions: Vec<Partition>,
    /// The partition whose turn it is.
    next: usize,
    watermarks: Watermarks,
    positions: Positions,
    /// Subtasks of earlier attempts that had looked for their partitions: number, and of how many.
    looked: Vec<(u64, u64)>,
    /// Whether this one has.
    started: bool,
    discovery: SortedMap<RequestId, Discovery>,
    ends: SortedMap<usize, Vec<u64>>,
    groups: SortedMap<(usize, u32), u64>,
    discover_at: i64,
}

/// Length of a partition's key.
const POSITION: usize = 16;

fn key(topic: usize, partition: u32) -> [u8; POSITION] {
    let mut key = [0; POSITION];
    key[..8].copy_from_slice(&(topic as u64).to_be_bytes());
    key[8..].copy_from_slice(&u64::from(partition).to_be_bytes());
    key
}

/// The key that says that a subtask has looked for its partitions.
fn mark(index: u64, parallelism: u64) -> Vec<u8> {
    [&[b's'][..], &index.to_be_bytes(), &parallelism.to_be_bytes()].concat()
}

/// The number by which watermarks and origins know a partition: its own, if there is one topic.
fn split(topic: usize, partition: u32) -> u32 {
    (topic as u32) << 16 | partition
}

impl LogSource {
    fn is_mine(&self, topic: usize, partition: u32) -> bool {
        (topic as u32 + partition) % self.parallelism == self.index
    }

    fn uses_group(&self) -> bool {
        matches!(self.setup.startup, Startup::Group(_)) || self.setup.bound == Bound::Group
    }

    /// Whether a partition that has no position has come into being after it was first looked for.
    fn is_late(&self, topic: usize, partition: u32) -> bool {
        let place = topic as u64 + u64::from(partition);
        self.started || self.looked.iter().any(|(index, parallelism)| place % (*parallelism).max(1) == *index)
    }

    fn discover(&mut self, cx: &mut dyn Context) {
        if !self.discovery.is_empty() || self.discover_at > cx.now() {
            return;
        }
        self.ends.clear();
        for (i, topic) in self.setup.topics.iter().enumerate() {
            let (from, to) = ends(topic);
            let id = cx.request(StoreRequest::Scan { from, to, limit: usize::MAX });
            self.discovery.insert(id, Discovery::Ends(i));
        }
    }

    /// All answers are there: partitions that are new become part of the source.
    fn found(&mut self, cx: &mut dyn Context) -> Result<(), Failure> {
        for (topic, ends) in std::mem::take(&mut self.ends) {
            if ends.is_empty() && self.is_mine(topic, 0) && !self.is_late(topic, 0) {
                // The first row makes the topic: a start that would fail then fails now.
                let first = self.setup.startup.offset(&self.setup.topics[topic], 0, 0, None);
                first.map_err(|diagnostic| Failure { diagnostic })?;
            }
            for (partition, end) in (0u32..).zip(ends) {
                let known = self.partitions.iter().any(|p| p.topic == topic && p.number == partition);
                if known || !self.is_mine(topic, partition) {
                    continue;
                }
                let group = self.groups.get(&(topic, partition)).copied();
                let name = &self.setup.topics[topic];
                let late = self.is_late(topic, partition);
                let first = match late {
                    true => Ok(0),
                    false => self.setup.startup.offset(name, partition, end, group),
                };
                let first = first.map_err(|diagnostic| Failure { diagnostic })?;
                let stop = self.setup.bound.offset(partition, end, group);
                // An offset may lie within a batch, and only the beginnings of batches can be asked for.
                let base = if first == end { first } else { 0 };
                let mut found = Partition::new(topic, partition, first, base, stop, cx.now());
                if late {
                    found.begin();
                }
                self.partitions.push(found);
                self.watermarks.set(split(topic, partition), Mark::default());
                self.save(self.partitions.len() - 1);
            }
        }
        sorted::sort_by_key(&mut self.partitions, |p| (p.topic, p.number));
        self.started = true;
        self.positions.put(&mark(u64::from(self.index), u64::from(self.parallelism)), &[]);
        self.discover_at = cx.now().saturating_add(DISCOVERY);
        Ok(())
    }

    fn save(&mut self, i: usize) {
        let partition = &self.partitions[i];
        let watermark = self.watermarks.get(split(partition.topic, partition.number)).watermark;
        let mut value = Vec::with_capacity(33);
        for part in [partition.next, partition.base, partition.stop, watermark as u64] {
            value.extend(part.to_be_bytes());
        }
        value.push(u8::from(partition.has_begun()));
        self.positions.put(&key(partition.topic, partition.number), &value);
    }

    fn with_metadata(&self, rows: Chunk, topic: usize, partition: u32, offsets: &[u64], timestamp: i64) -> Chunk {
        let len = rows.len;
        let mut physical = rows.columns.iter();
        let columns = self.setup.args.columns.iter().filter_map(|column| match column {
            SourceColumn::Physical(_) => physical.next().cloned(),
            SourceColumn::Metadata(key) => {
                let constant = |text: &str| Arc::new(StringArray::from(vec![text; len])) as ArrayRef;
                Some(match key.as_str() {
                    "topic" => constant(&self.setup.topics[topic]),
                    "partition" => Arc::new(Int32Array::from(vec![partition as i32; len])),
                    "offset" => Arc::new(Int64Array::from_iter_values(offsets.iter().map(|offset| *offset as i64))),
                    "timestamp" => Arc::new(TimestampMillisecondArray::from(vec![timestamp; len])),
                    "timestamp-type" => constant("CreateTime"),
                    "leader-epoch" => Arc::new(Int32Array::from(vec![0; len])),
                    _ => {
                        let ty = metadata().into_iter().find(|(name, _)| name == key)?.1;
                        build_column(&ty, &vec![Value::Map(Vec::new()); len]).ok()?
                    }
                })
            }
        });
        let columns = columns.collect();
        rows.with_columns(columns)
    }

    fn emit(&mut self, i: usize, limit: usize, cx: &mut dyn Context) -> Result<bool, Failure> {
        let (topic, partition) = (self.partitions[i].topic, self.partitions[i].number);
        let number = split(topic, partition);
        let Some((rows, offsets, timestamp)) = self.partitions[i].take(self.watermarks.limit(limit)) else {
            return Ok(false);
        };
        self.partitions[i].active = cx.now();
        let mut chunk = self.with_metadata(rows, topic, partition, &offsets, timestamp);
        if cx.watched() {
            let mut origins = Origins::default();
            for (row, offset) in offsets.iter().enumerate() {
                let origin = RowOrigin { source: self.setup.args.source, split: number, offset: *offset };
                origins.push(row as u32 + 1, origin);
            }
            chunk.origins = Some(Arc::new(origins));
        }
        self.watermarks.rows(number, &chunk, cx.now())?;
        self.save(i);
        cx.emit(chunk);
        Ok(true)
    }

    /// Turns partitions idle that have had no rows for too long.
    fn look_for_idle(&mut self, cx: &mut dyn Context) {
        let timeout = self.setup.idle_timeout;
        if timeout <= 0 {
            return;
        }
        for partition in &self.partitions {
            let number = split(partition.topic, partition.number);
            let at = partition.active.saturating_add(timeout);
            if self.watermarks.get(number).idle || !partition.ready.is_empty() {
                continue;
            }
            if at <= cx.now() {
                self.watermarks.set_idle(number, true);
            } else {
                cx.wake_at(at);
            }
        }
    }
}

impl Source for LogSource {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("position", &mut self.positions);
    }

    fn read(&self) -> Vec<SplitRead> {
        // What else is kept there says that the partitions have been found.
        let partitions = self.positions.iter().filter(|(split, _)| split.len() == POSITION);
        let read = |(split, position)| SplitRead {
            split: number(split, 8) as u32,
            position: number(position, 0),
            began: None,
        };
        partitions.map(read).collect()
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        let (index, parallelism) = (u64::from(self.index), u64::from(self.parallelism));
        self.looked = self
            .positions
            .loaded()
            .filter(|key| key.len() != POSITION)
            .map(|key| (number(key, 1), number(key, 9)))
            .collect();
        self.positions.restored(|key| match key.len() {
            POSITION => (number(key, 0) + number(key, 8)) % parallelism == index,
            _ => number(key, 1) % parallelism == index,
        });
        for (key, position) in self.positions.iter().filter(|(key, _)| key.len() == POSITION) {
            let (topic, partition) = (number(key, 0) as usize, number(key, 8) as u32);
            let part = |i: usize| number(position, i * 8);
            if topic >= self.setup.topics.len() {
                continue;
            }
            let mut found = Partition::new(topic, partition, part(0), part(1), part(2), cx.now());
            if position.get(32) == Some(&1) {
                found.begin();
            }
            self.partitions.push(found);
            self.watermarks.set(split(topic, partition), Mark { watermark: part(3) as i64, ..Mark::default() });
        }
        self.discover(cx);
        Ok(Progress::Done)
    }

    fn feed(&mut self, _split: u32, _items: &[FeedItem]) {
        // Somebody has written to the topic: look at once.
        self.partitions.iter_mut().for_each(Partition::nudge);
        self.discover_at = i64::MIN;
    }

    fn poll(&mut self, limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
        let setup = self.setup.clone();
        if !self.started {
            self.discover(cx);
            return Ok(Polled::Pending);
        }
        for i in 0..self.partitions.len() {
            let partition = &mut self.partitions[i];
            let moved = partition.skip_empty();
            partition.fetch(&setup.topics[partition.topic], cx);
            let number = split(partition.topic, partition.number);
            if partition.is_over() && !self.watermarks.get(number).ended {
                self.watermarks.end(number);
            }
            if moved {
                self.save(i);
            }
        }
        self.look_for_idle(cx);
        if self.watermarks.send(cx) {
            return Ok(Polled::Emitted);
        }
        let n = self.partitions.len();
        for turn in 0..n {
            let i = (self.next + turn) % n;
            let partition = &self.partitions[i];
            let number = split(partition.topic, partition.number);
            if partition.ready.is_empty() {
                continue;
            }
            if self.watermarks.get(number).idle {
                self.watermarks.set_idle(number, false);
                if self.watermarks.send(cx) {
                    return Ok(Polled::Emitted);
                }
            }
            self.next = i + 1;
            if self.emit(i, limit, cx)? {
                return Ok(Polled::Emitted);
            }
        }
        if setup.bound != Bound::Unbounded {
            if self.partitions.is_empty() {
                return Ok(Polled::Unused);
            }
            return Ok(if self.partitions.iter().all(Partition::is_over) { Polled::Ended } else { Polled::Pending });
        }
        if self.discover_at > cx.now() {
            cx.wake_at(self.discover_at);
        }
        self.discover(cx);
        Ok(Polled::Pending)
    }

    fn on_response(&mut self, id: RequestId, response: StoreResponse, cx: &mut dyn Context) -> Result<(), Failure> {
        let setup = self.setup.clone();
        if let Some(asked) = self.discovery.remove(&id) {
            match (asked, response) {
                (Discovery::Ends(topic), StoreResponse::Entries(entries)) => {
                    let ends = read_ends(&entries);
                    if let (true, Some(group)) = (self.uses_group() && !self.started, &setup.group) {
                        let mine: Vec<u32> =
                            (0..ends.len() as u32).filter(|number| self.is_mine(topic, *number)).collect();
                        for partition in mine {
                            let key = group_key(&setup.topics[topic], group, partition);
                            self.discovery
                                .insert(cx.request(StoreRequest::Get { key }), Discovery::Group(topic, partition));
                        }
                    }
                    self.ends.insert(topic, ends);
                }
                (Discovery::Group(topic, partition), StoreResponse::Value(value)) => {
                    let text = value.as_deref().and_then(|value| std::str::from_utf8(value).ok());
                    if let Some(offset) = text.and_then(|text| text.parse().ok()) {
                        self.groups.insert((topic, partition), offset);
                    }
                }
                // The store is away: begin anew.
                _ => {
                    self.discovery.clear();
                    self.discover_at = cx.now().saturating_add(PAUSE);
                    cx.wake_at(self.discover_at);
                    return Ok(());
                }
            }
            return if self.discovery.is_empty() { self.found(cx) } else { Ok(()) };
        }
        for partition in &mut self.partitions {
            let topic = &setup.topics[partition.topic];
            let taken = partition.on_response(topic, id, &response, &setup.manner, cx);
            if taken.map_err(|diagnostic| Failure { diagnostic })? {
                break;
            }
        }
        Ok(())
    }

    fn on_checkpoint_complete(&mut self, _checkpoint: CheckpointId, cx: &mut dyn Context) -> Result<(), Failure> {
        let Some(group) = &self.setup.group else { return Ok(()) };
        let read = self.positions.at_snapshot().iter().filter(|(key, _)| key.len() == POSITION);
        let put: Vec<(Key, Bytes)> = read
            .map(|(key, position)| {
                let topic = &self.setup.topics[number(key, 0) as usize];
                (group_key(topic, group, number(key, 8) as u32), number(position, 0).to_string().into())
            })
            .collect();
        if !put.is_empty() {
            // Nobody depends on it: it is not asked again if the store fails.
            cx.request(StoreRequest::Batch { require: Vec::new(), delete: Vec::new(), put });
        }
        Ok(())
    }
}
