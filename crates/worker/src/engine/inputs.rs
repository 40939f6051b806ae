//! The inputs of a run: which tables rows can be sent to, how many were, the newest, and the generators.

use tidegate::data::RowKind;
use tidegate::runtime::FeedItem;
use tidegate::store::log;
use tidegate::{Feed, Recent};

use crate::generate::Generator;

/// Newest rows shown of each split.
pub const RECENT: usize = 8;

/// Batches of a log that are looked at.
const BATCHES: usize = 400;

/// An input of the run.
pub struct Input {
    /// The table.
    pub feed: Feed,
    /// Rows sent so far, per split.
    pub rows: Vec<u64>,
    /// The newest rows of each split, newest first.
    pub recent: Recent,
    /// The generator's rate, rows per second.
    pub rate: f64,
    /// Rows that the generator owes, a fraction included.
    pub owed: f64,
    /// The generator.
    pub generator: Generator,
    /// Rows of the generator on their way, per split.
    pub outboxes: Vec<Outbox>,
    /// The split that the generator's next row goes to.
    pub turn: u32,
}

/// Rows of the generator that wait until those before them have arrived: storage sets the pace.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// The rows.
    pub items: Vec<FeedItem>,
    /// Whether earlier ones are on their way.
    pub busy: bool,
}

impl Input {
    /// An input to which nothing was sent.
    pub fn new(feed: Feed, seed: u64, pace: i64) -> Input {
        // Generated times go on where the examples' rows lie: a round moment.
        let start = 1_704_110_520_000;
        Input {
            rows: vec![0; feed.splits as usize],
            recent: Recent::new(RECENT),
            rate: 0.0,
            owed: 0.0,
            generator: Generator::new(seed, start, pace),
            outboxes: vec![Outbox::default(); feed.splits as usize],
            turn: 0,
            feed,
        }
    }

    /// Whether rows can be sent to it by hand (a generator connector makes its own).
    pub fn by_hand(&self) -> bool {
        self.is_inline() || self.topic().is_some()
    }

    /// Whether its rows are kept in the workspace and fed to the job.
    pub fn is_inline(&self) -> bool {
        self.feed.connector == "inline"
    }

    /// Whether its rows are made by its source.
    pub fn is_made(&self) -> bool {
        self.feed.makes().is_some()
    }

    /// The topic that it reads, if it is a log.
    pub fn topic(&self) -> Option<String> {
        match self.feed.connector.as_str() {
            "log" | "kafka" | "upsert-kafka" => {
                let options = &self.feed.options;
                Some(options.get("topic").cloned().unwrap_or_else(|| self.feed.table.clone()))
            }
            _ => None,
        }
    }

    /// Has the generator go on behind the rows that there are.
    pub fn go_on(&mut self) {
        self.generator.go_on(self.rows.iter().sum());
    }

    /// Shows what lies in the log that it reads.
    pub fn show_log(&mut self, page: &log::LogPage) {
        self.recent = Recent::new(RECENT);
        // The newest of each partition, and enough of all for the generator to know which keys there are.
        let most = BATCHES.div_ceil(self.rows.len().max(1)).max(RECENT);
        let mut taken = vec![0; self.rows.len()];
        let mut few = |batch: &&log::LogBatch| {
            let count = taken.get_mut(batch.partition as usize);
            batch.status != log::Status::Aborted
                && count.is_some_and(|count| {
                    *count += 1;
                    *count <= most
                })
        };
        let mut shown: Vec<_> = page.batches.iter().rev().filter(&mut few).collect();
        shown.sort_by_key(|batch| batch.offset);
        for batch in shown {
            let (schema, chunk) = (&batch.rows.schema, &batch.rows.chunk);
            for (row, values) in tidegate::chunk_texts(chunk, schema, tidegate::data::Zone::UTC).into_iter().enumerate()
            {
                self.sent(batch.partition, Some(batch.offset + row as u64), chunk.kind(row), values);
            }
        }
        for (rows, end) in self.rows.iter_mut().zip(&page.ends) {
            *rows = (*rows).max(*end);
        }
        self.go_on();
    }

    /// Notes a row that was sent; at the offset given, or at the next.
    pub fn sent(&mut self, split: u32, offset: Option<u64>, kind: RowKind, values: Vec<Option<String>>) {
        let Some(rows) = self.rows.get_mut(split as usize) else { return };
        let offset = offset.unwrap_or(*rows);
        *rows = (*rows).max(offset + 1);
        self.generator.seen(&values);
        if self.feed.kinds.contains(&RowKind::Delete) {
            self.generator.seen_key(values.first());
        }
        self.recent.push((split, offset, kind.text().to_owned(), values));
    }

    /// Notes how many rows its source has made in each split, and the newest of them, newest first.
    pub fn made(&mut self, rows: Vec<u64>, newest: Vec<tidegate::Made>) {
        self.rows = rows;
        self.recent = Recent::new(RECENT);
        for (split, offset, values) in newest.into_iter().rev() {
            self.recent.push((split, offset, RowKind::Insert.text().to_owned(), values));
        }
    }
}
