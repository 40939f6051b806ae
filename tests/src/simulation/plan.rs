//! What a simulated run is about: its query, its input, its sink and its settings, all drawn from the seed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use tidegate::data::{RowKind, Value};
use tidegate::runtime::FeedItem;
use tidegate::runtime::rng::Rng;
use tidegate::runtime::sim::Faults;

/// What the job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Copies rows.
    Copy,
    /// Counts and sums per key.
    Sums,
    /// The same over two tables: every key is in one of them.
    Union,
    /// Counts keys by how many rows they have: rows are taken back, keys go.
    Nested,
    /// Counts and sums per key and window, in one split, with rows that come late. Watermarks follow the rows.
    Late,
    /// The same over several splits; watermarks are fed in, and splits turn idle.
    Marked,
}

/// Where the rows go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// A log.
    Log,
    /// A table without a key.
    Append,
    /// A table with a key.
    Keyed,
}

/// `sink.delivery-guarantee`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// Rows may be lost.
    None,
    /// Rows may come twice.
    AtLeastOnce,
    /// Neither.
    ExactlyOnce,
}

/// `execution.checkpointing.mode`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Barriers align.
    Aligned,
    /// Barriers overtake, after so many ms.
    Unaligned(usize),
    /// No channel is blocked: rows may count twice.
    AtLeastOnce,
    /// All stands still.
    StopTheWorld,
    /// There are no checkpoints, and a failed job reads all its input again: rows count twice in a sink that appends.
    Off,
    /// There are no checkpoints, and a failed job goes on with what comes: rows are lost.
    OffAtLatest,
}

/// A row of a source: id, key, value, and where it has a time, ms since the epoch.
pub type Row = [i64; 4];

/// What is fed to a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fed {
    /// A row.
    Row(Row),
    /// A watermark, ms.
    Watermark(i64),
    /// Idle until the next row.
    Idle,
}

/// Windows are so long, ms.
const WINDOW: i64 = 10_000;
/// Watermarks of [`Shape::Late`] are so far behind, ms.
const DELAY: i64 = 4_000;

/// A run, drawn from its seed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What the job does.
    pub shape: Shape,
    /// Where the rows go.
    pub sink: Sink,
    /// What the sink promises.
    pub guarantee: Guarantee,
    /// How checkpoints are made.
    pub mode: Mode,
    /// How the store answers.
    pub faults: Faults,
    /// What is fed: by table and split.
    pub tables: Vec<Vec<Vec<Fed>>>,
    /// ms between checkpoints; none: only by hand.
    pub interval: Option<usize>,
    /// ms after which a checkpoint expires.
    pub timeout: usize,
    /// ms between two checkpoints at least.
    pub pause: usize,
    /// Checkpoints kept.
    pub retained: usize,
    /// Elements that a channel holds.
    pub capacity: usize,
    /// Rows of a poll.
    pub chunk: usize,
    /// Whether the scheduler draws who comes next.
    pub seeded: bool,
    /// ms before a restart.
    pub delay: usize,
}

impl Plan {
    /// The plan of a seed.
    pub fn draw(seed: u64) -> Plan {
        let rng = &mut Rng::new(seed);
        let shape = [
            Shape::Copy,
            Shape::Copy,
            Shape::Sums,
            Shape::Sums,
            Shape::Union,
            Shape::Nested,
            Shape::Late,
            Shape::Marked,
        ][rng.below(8)];
        let sink = match shape {
            Shape::Sums | Shape::Union | Shape::Nested => Sink::Keyed,
            _ => [Sink::Log, Sink::Append, Sink::Keyed][rng.below(3)],
        };
        let guarantee = match rng.below(8) {
            0 => Guarantee::None,
            1 | 2 => Guarantee::AtLeastOnce,
            _ => Guarantee::ExactlyOnce,
        };
        let faults = match rng.below(4) {
            0 => Faults::NONE,
            1 => Faults { fail: 0, uncertain: 0, delay: 1 + rng.below(20) },
            _ => Faults { fail: 8 + rng.below(30), uncertain: 8 + rng.below(30), delay: rng.below(8) },
        };
        let mode = match rng.below(12) {
            5 | 6 => Mode::Unaligned(0),
            7 => Mode::Unaligned(1 + rng.below(20)),
            0 | 1 => Mode::AtLeastOnce,
            2 | 3 => Mode::StopTheWorld,
            4 if matches!(shape, Shape::Copy | Shape::Sums | Shape::Union) => {
                [Mode::Off, Mode::OffAtLatest][rng.below(2)]
            }
            _ => Mode::Aligned,
        };
        Plan {
            shape,
            sink,
            guarantee,
            mode,
            faults,
            tables: tables(shape, rng),
            interval: if rng.one_in(4) { None } else { Some(10 + rng.below(60)) },
            timeout: if rng.one_in(3) { 20 + rng.below(50) } else { 2_000 },
            pause: if rng.one_in(4) { rng.below(30) } else { 0 },
            retained: 1 + rng.below(3),
            capacity: 1 + rng.below(4),
            chunk: 1 + rng.below(8),
            seeded: !rng.one_in(3),
            delay: rng.below(20),
        }
    }

    /// The name of a table.
    pub fn table(&self, table: usize) -> &'static str {
        ["src", "other"][table]
    }

    /// The most subtasks. What is late depends on how far all sources have come, so it is certain with one only.
    pub fn most_subtasks(&self) -> usize {
        if self.shape == Shape::Late { 1 } else { usize::MAX }
    }

    /// Whether a result counts each row once, or more often after a restore.
    pub fn counts_once(&self) -> bool {
        self.mode != Mode::AtLeastOnce
    }

    /// Whether no row comes twice, not in the sink and not in what it is computed from.
    pub fn is_exact(&self) -> bool {
        self.counts_once() && self.guarantee == Guarantee::ExactlyOnce && self.mode != Mode::OffAtLatest
    }

    /// Whether no row is lost.
    pub fn keeps_all(&self) -> bool {
        self.guarantee != Guarantee::None && self.mode != Mode::OffAtLatest
    }

    /// Whether `row` is this result, or says more than it where rows may count twice.
    pub fn is_result(&self, row: &Row, wanted: &Row) -> bool {
        let least = |from: usize| row[..from] == wanted[..from] && row[from] >= wanted[from];
        match self.shape {
            _ if self.counts_once() => row == wanted,
            Shape::Copy => row == wanted,
            Shape::Sums | Shape::Union => least(1),
            Shape::Late | Shape::Marked => least(2),
            Shape::Nested => true,
        }
    }

    /// Whether `row` is what came again, after a restore, of a window that was over: a row more where rows may count twice.
    pub fn is_rest(&self, row: &Row, wanted: &Row) -> bool {
        !self.counts_once() && self.timed() && self.sink != Sink::Keyed && row[..2] == wanted[..2]
    }

    /// Whether time decides what comes out.
    pub fn timed(&self) -> bool {
        matches!(self.shape, Shape::Late | Shape::Marked)
    }

    /// The settings at a parallelism.
    pub fn settings(&self, parallelism: usize) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let mut set = |key: &str, value: String| all.push((key.to_owned(), value));
        set("parallelism.default", parallelism.min(self.most_subtasks()).to_string());
        set("pipeline.auto-watermark-interval", "0".into());
        let mode = match self.mode {
            Mode::Aligned | Mode::Unaligned(_) => "EXACTLY_ONCE",
            Mode::AtLeastOnce => "AT_LEAST_ONCE",
            Mode::StopTheWorld => "STOP_THE_WORLD",
            Mode::Off => "NONE",
            Mode::OffAtLatest => "NONE_FROM_LATEST",
        };
        set("execution.checkpointing.mode", mode.into());
        if let Mode::Unaligned(after) = self.mode {
            set("execution.checkpointing.unaligned.enabled", "true".into());
            set("execution.checkpointing.aligned-checkpoint-timeout", format!("{after} ms"));
        }
        set("execution.checkpointing.timeout", format!("{} ms", self.timeout));
        set("execution.checkpointing.min-pause", format!("{} ms", self.pause));
        if matches!(self.mode, Mode::Aligned | Mode::AtLeastOnce) {
            set("execution.checkpointing.max-concurrent-checkpoints", (1 + self.chunk % 3).to_string());
        }
        set("execution.checkpointing.num-retained", self.retained.to_string());
        set("execution.checkpointing.tolerable-failed-checkpoints", "3".into());
        if let Some(interval) = self.interval {
            set("execution.checkpointing.interval", format!("{interval} ms"));
        }
        set("restart-strategy.type", "fixed-delay".into());
        set("restart-strategy.fixed-delay.attempts", i32::MAX.to_string());
        set("restart-strategy.fixed-delay.delay", format!("{} ms", self.delay));
        all
    }

    /// The script at a parallelism.
    pub fn script(&self, parallelism: usize) -> String {
        let settings = self.settings(parallelism);
        settings.iter().map(|(key, value)| format!("SET '{key}' = '{value}';\n")).collect::<String>()
            + &self.statements()
    }

    /// Tables and query: the script without its settings.
    pub fn statements(&self) -> String {
        let mut sql = String::new();
        let columns = match self.shape {
            Shape::Late => "id INT, k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '4' SECOND",
            Shape::Marked => "id INT, k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()",
            _ => "id INT, k INT, v INT",
        };
        for (number, splits) in self.tables.iter().enumerate() {
            let _ = writeln!(
                sql,
                "CREATE TABLE {} ({columns}) WITH ('connector' = 'inline', 'partitions' = '{}');",
                self.table(number),
                splits.len()
            );
        }
        let (columns, key) = match self.shape {
            Shape::Copy => ("id INT, k INT, v INT", "id"),
            Shape::Sums | Shape::Union => ("k INT, n BIGINT, s INT", "k"),
            Shape::Nested => ("n BIGINT, c BIGINT", "n"),
            Shape::Late | Shape::Marked => ("k INT, e TIMESTAMP(3), n BIGINT, s INT", "k, e"),
        };
        let key = if self.sink == Sink::Keyed { format!(", PRIMARY KEY ({key}) NOT ENFORCED") } else { String::new() };
        let connector = if self.sink == Sink::Log { "log" } else { "table" };
        let guarantee = match self.guarantee {
            Guarantee::None => "none",
            Guarantee::AtLeastOnce => "at-least-once",
            Guarantee::ExactlyOnce => "exactly-once",
        };
        let query = match self.shape {
            Shape::Copy => "SELECT id, k, v FROM src WHERE v > 0",
            Shape::Sums => "SELECT k, COUNT(*), SUM(v) FROM src GROUP BY k",
            Shape::Union => {
                "SELECT k, COUNT(*), SUM(v) FROM (SELECT * FROM src UNION ALL SELECT * FROM other) GROUP BY k"
            }
            Shape::Nested => "SELECT n, COUNT(*) FROM (SELECT k, COUNT(*) AS n FROM src GROUP BY k) GROUP BY n",
            Shape::Late | Shape::Marked => {
                "SELECT k, window_end, COUNT(*), SUM(v) FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) \
                 GROUP BY k, window_start, window_end"
            }
        };
        let _ = write!(
            sql,
            "CREATE TABLE sink ({columns}{key}) WITH ('connector' = '{connector}', 'sink.delivery-guarantee' = '{guarantee}');\n\
             INSERT INTO sink {query};\n"
        );
        sql
    }

    /// What a feed is to the engine.
    pub fn items(&self, fed: &[Fed]) -> Vec<FeedItem> {
        let width = if self.timed() { 4 } else { 3 };
        let item = |fed: &Fed| match fed {
            Fed::Row(row) => FeedItem::Row(RowKind::Insert, row[..width].iter().map(|n| Value::Int(*n)).collect()),
            Fed::Watermark(at) => FeedItem::Watermark(*at),
            Fed::Idle => FeedItem::Idle,
        };
        fed.iter().map(item).collect()
    }

    /// All rows; those of a key are in one split and in their order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.tables.iter().flatten().flatten().filter_map(|fed| match fed {
            Fed::Row(row) => Some(row),
            _ => None,
        })
    }

    /// The rows of a key, in their order.
    pub fn of_key(&self, key: i64) -> impl Iterator<Item = &Row> {
        self.rows().filter(move |row| row[1] == key)
    }

    /// What the query gives for all of the input, computed a row at a time.
    pub fn wanted(&self) -> Vec<Row> {
        let mut wanted: Vec<Row> = match self.shape {
            Shape::Copy => self.rows().map(|row| [row[0], row[1], row[2], 0]).collect(),
            Shape::Sums | Shape::Union => {
                let keys: BTreeSet<i64> = self.rows().map(|row| row[1]).collect();
                let sum = |key: i64| self.of_key(key).fold((0, 0), |(n, s), row| (n + 1, s + row[2]));
                keys.into_iter().map(|key| [key, sum(key).0, sum(key).1, 0]).collect()
            }
            Shape::Nested => {
                let mut counts: BTreeMap<i64, i64> = BTreeMap::new();
                self.rows().for_each(|row| *counts.entry(row[1]).or_default() += 1);
                let mut by_count: BTreeMap<i64, i64> = BTreeMap::new();
                counts.values().for_each(|count| *by_count.entry(*count).or_default() += 1);
                by_count.into_iter().map(|(n, c)| [n, c, 0, 0]).collect()
            }
            Shape::Late | Shape::Marked => self.windows(),
        };
        wanted.sort_unstable();
        wanted
    }

    fn windows(&self) -> Vec<Row> {
        let mut windows: BTreeMap<(i64, i64), (i64, i64)> = BTreeMap::new();
        // The assigner begins at the epoch. Rows of marked splits are never late.
        let mut watermark = if self.shape == Shape::Late { 0 } else { i64::MIN };
        for row in self.rows() {
            let end = row[3] - row[3].rem_euclid(WINDOW) + WINDOW;
            if end - 1 > watermark {
                let window = windows.entry((row[1], end)).or_default();
                *window = (window.0 + 1, window.1 + row[2]);
            }
            if self.shape == Shape::Late {
                watermark = watermark.max(row[3] - DELAY);
            }
        }
        windows.into_iter().map(|((key, end), (n, s))| [key, end, n, s]).collect()
    }

    /// The windows that have fired once all rows and marks have been worked off and no split has ended.
    pub fn due(&self) -> Vec<Row> {
        let watermark = match self.shape {
            Shape::Late => self.rows().map(|row| row[3] - DELAY).max().unwrap_or(0).max(0),
            Shape::Marked => {
                let splits = self.tables[0].iter().filter(|fed| fed.last() != Some(&Fed::Idle));
                let last = |fed: &Vec<Fed>| {
                    let marks = fed.iter().map(|fed| if let Fed::Watermark(at) = fed { *at } else { i64::MIN });
                    marks.max().unwrap_or(i64::MIN)
                };
                splits.map(last).min().unwrap_or(i64::MIN)
            }
            _ => return Vec::new(),
        };
        self.windows().into_iter().filter(|window| window[1] - 1 <= watermark).collect()
    }
}

fn tables(shape: Shape, rng: &mut Rng) -> Vec<Vec<Vec<Fed>>> {
    let count = if shape == Shape::Union { 2 } else { 1 };
    let splits = if shape == Shape::Late { 1 } else { 1 + rng.below(3) };
    let keys = 1 + rng.below(3);
    let mut tables = vec![vec![Vec::new(); splits]; count];
    let mut clocks = vec![30_000i64; count * splits];
    for id in 0..rng.below(90) {
        let place = rng.below(count * splits);
        let key = place + count * splits * rng.below(keys);
        let fed = &mut tables[place % count][place / count];
        let clock = &mut clocks[place];
        let time = match shape {
            Shape::Late => {
                *clock += rng.below(3_000) as i64;
                // One in six is so late that its window may be over.
                *clock - if rng.one_in(6) { rng.below(20_000) } else { rng.below(3_000) } as i64
            }
            Shape::Marked => {
                if rng.one_in(3) {
                    *clock += rng.below(9_000) as i64;
                    fed.push(Fed::Watermark(*clock));
                }
                *clock + 1 + rng.below(12_000) as i64
            }
            _ => 0,
        };
        fed.push(Fed::Row([id as i64, key as i64, 1 + rng.below(50) as i64, time]));
    }
    if shape == Shape::Marked {
        for (place, fed) in tables[0].iter_mut().enumerate() {
            fed.push(Fed::Watermark(clocks[place] + rng.below(15_000) as i64));
            // The first split stays awake: were all idle, none would say how far time is.
            if place > 0 && rng.one_in(3) {
                fed.push(Fed::Idle);
            }
        }
    }
    tables
}
