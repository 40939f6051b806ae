//! The inputs of a run: which tables rows can be sent to, how many were, the newest, and the generators.

use std::collections::VecDeque;

use tidegate::Feed;
use tidegate::data::RowKind;

use crate::generate::Generator;

/// Newest rows kept per input.
const RECENT: usize = 40;

/// An input of the run.
pub struct Input {
    /// The table.
    pub feed: Feed,
    /// Rows sent so far, per split.
    pub rows: Vec<u64>,
    /// The newest rows, newest first: split, offset, kind, values.
    pub recent: VecDeque<(u32, u64, String, Vec<Option<String>>)>,
    /// The generator's rate, rows per second.
    pub rate: f64,
    /// Rows that the generator owes, a fraction included.
    pub owed: f64,
    /// The generator.
    pub generator: Generator,
    /// The split that the generator's next row goes to.
    pub turn: u32,
}

impl Input {
    /// An input to which nothing was sent.
    pub fn new(feed: Feed, seed: u64) -> Input {
        // Generated times go on where the examples' rows lie: a round moment.
        let start = 1_704_110_520_000;
        Input {
            rows: vec![0; feed.splits as usize],
            recent: VecDeque::new(),
            rate: 0.0,
            owed: 0.0,
            generator: Generator::new(seed, start),
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

    /// Notes a row that was sent.
    pub fn sent(&mut self, split: u32, kind: RowKind, values: Vec<Option<String>>) {
        let Some(rows) = self.rows.get_mut(split as usize) else { return };
        self.recent.push_front((split, *rows, kind.text().to_owned(), values));
        self.recent.truncate(RECENT);
        *rows += 1;
    }
}
