//! What a checkpoint costs: one query over one input, with checkpoints in every mode, beside each other in one time.
//!
//! Each mode is a session of its own with a store in memory. A millisecond lets every job work off a few elements, so that figures in ms are
//! those of one and the same machine. Rows, slow storage and a slow channel are the same for all. Figures are the engine's; with
//! the world stopped, what stood still and what waited follow from how long the checkpoint took, and nothing is blocked by barriers that are counted.

use std::rc::Rc;
use tidegate_data::sorted::{self, SortedMap};

use tidegate_connectors::log;
use tidegate_data::{RowKind, Zone};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::view::{CheckpointStatus, CheckpointView, JobState, LogEntry, LogEvent};
use tidegate_runtime::{Command, Disturbance, FeedItem, Policy, RestartStrategy, Restore};

use crate::rig::Rig;
use crate::{Feed, Session, SessionOptions, rows_chunk};

/// Elements that a job works off in a millisecond, at the most.
const ELEMENTS: usize = 4;
/// How long a run lasts, ms of its own time.
pub const LENGTH: i64 = 4_000;
/// Time between two checkpoints, ms.
pub const INTERVAL: i64 = 500;
/// When an aligned checkpoint turns into an unaligned one, ms.
const TIMEOUT: i64 = 30;
/// What is told of latencies is told by such parts of the run, ms.
pub const PART: i64 = 50;
/// How long a job may take until it runs, ms.
const STARTUP: usize = 60_000;
/// Rows looked at in one go.
const ROWS: usize = 1_000;

const NO_INPUT: Code = Code::new("TG4140");

/// A way to make checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Barriers align.
    Aligned,
    /// They do for a while, and then overtake.
    AlignedWithTimeout,
    /// Barriers overtake what is on its way, which becomes part of the checkpoint.
    Unaligned,
    /// No channel is blocked.
    AtLeastOnce,
    /// Sources stop, all that is on its way is worked off, all state is read out and written, then all go on.
    StopTheWorld,
}

/// All modes, in the order of the picture.
pub const MODES: [Mode; 5] =
    [Mode::Aligned, Mode::AlignedWithTimeout, Mode::Unaligned, Mode::AtLeastOnce, Mode::StopTheWorld];

impl Mode {
    /// What is set for it, over the script's own settings.
    fn settings(self) -> Vec<(String, String)> {
        let mode = match self {
            Mode::Aligned | Mode::AlignedWithTimeout | Mode::Unaligned => "EXACTLY_ONCE",
            Mode::AtLeastOnce => "AT_LEAST_ONCE",
            Mode::StopTheWorld => "STOP_THE_WORLD",
        };
        let unaligned = matches!(self, Mode::AlignedWithTimeout | Mode::Unaligned);
        let timeout = if self == Mode::AlignedWithTimeout { TIMEOUT } else { 0 };
        let set = |key: &str, value: String| (format!("execution.checkpointing.{key}"), value);
        vec![
            set("mode", mode.to_owned()),
            set("unaligned.enabled", unaligned.to_string()),
            set("aligned-checkpoint-timeout", format!("{timeout} ms")),
            set("interval", format!("{INTERVAL} ms")),
            set("min-pause", "0 ms".to_owned()),
            set("timeout", "10 min".to_owned()),
        ]
    }
}

/// A row of the input, and when it comes.
#[derive(Clone, Debug)]
pub struct Sent {
    /// ms since the beginning.
    pub at: i64,
    /// The table.
    pub table: String,
    /// The split.
    pub split: u32,
    /// The row.
    pub item: FeedItem,
}

/// What is compared, and under which circumstances.
#[derive(Clone)]
pub struct CostSpec {
    /// The script.
    pub sql: String,
    /// The job that is looked at, by number.
    pub job: usize,
    /// How sessions are made otherwise.
    pub options: SessionOptions,
    /// The input, in order.
    pub rows: Rc<[Sent]>,
    /// How long checkpoint storage takes to answer, ms.
    pub storage: i64,
    /// The channels from one subtask to one vertex give up one element in so many ms; 0: they are as fast as the others.
    pub channel: i64,
}

/// A checkpoint's figures; times in ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Its number.
    pub id: u64,
    /// When it was triggered, since the beginning.
    pub at: i64,
    /// From then to its completion.
    pub took: i64,
    /// The longest that a subtask's input stood still for it.
    pub blocked: i64,
    /// Elements that queued behind barriers; of an unaligned one those that were overtaken, with the world stopped the rows that waited outside.
    pub queued: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// What a mode has come to so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// Which.
    pub mode: Mode,
    /// Completed checkpoints, oldest first.
    pub checkpoints: Vec<Taken>,
    /// The one under way: since when.
    pub under_way: Option<i64>,
    /// The longest that a row was on its way, of those that came out in each part of the run; none if none did.
    pub latencies: Vec<Option<i64>>,
    /// The median, and what 99 of 100 rows stay within, ms.
    pub latency: Option<(i64, i64)>,
    /// Rows that came out.
    pub rows: u64,
}

/// A mode under way.
struct Lane {
    mode: Mode,
    /// When it began to run.
    begin: i64,
    rig: Rig,
    /// The next row of the input.
    next: usize,
    /// When the rows of each table and split were sent, by offset.
    sent: SortedMap<(String, u32), Vec<i64>>,
    /// Changelog rows seen.
    seen: u64,
    /// Entries of the job's log that are noted.
    heard: u64,
    slowed: bool,
    checkpoints: Vec<Taken>,
    latencies: Vec<Option<i64>>,
    all: Vec<i64>,
}

/// A comparison under way.
pub struct Comparison {
    spec: CostSpec,
    lanes: Vec<Lane>,
    feeds: Vec<Feed>,
    /// ms since the beginning.
    now: i64,
}

/// The topic of a table that is a log.
fn topic(feed: &Feed) -> Option<String> {
    let named = || feed.options.get("topic").cloned().unwrap_or_else(|| feed.table.clone());
    matches!(feed.connector.as_str(), "log" | "kafka" | "upsert-kafka").then(named)
}

impl Comparison {
    /// All modes at their beginning.
    ///
    /// # Errors
    /// What is wrong with the script, or that nothing can be sent to it (TG4140).
    pub fn new(spec: CostSpec) -> Result<Comparison, Vec<Diagnostic>> {
        let begin = spec.options.now;
        let (mut lanes, mut feeds) = (Vec::new(), Vec::new());
        for mode in MODES {
            let overrides = spec.options.overrides.iter().cloned().chain(mode.settings());
            let overrides = overrides.chain([crate::recovery::from_nothing()]).collect();
            let mut session = Session::new(SessionOptions {
                chunk_limit: 1,
                policy: Policy::RoundRobin,
                watched: true,
                journal: false,
                restart: RestartStrategy::None,
                overrides,
                ..spec.options.clone()
            });
            session.run(&spec.sql, Restore::None)?;
            feeds = session.feeds();
            if session.jobs().get(spec.job).is_none() || spec.rows.is_empty() {
                let message = "The script has no job with an input that rows can be sent to.";
                return Err(vec![Diagnostic::error(NO_INPUT, message)]);
            }
            let mut rig = Rig::new(session, begin, spec.storage);
            // Whoever waits for storage before it begins does so before time is counted.
            for _ in 0..STARTUP {
                if *rig.session.jobs()[spec.job].runtime.state() == JobState::Running {
                    break;
                }
                rig.pass(1);
                let _ = (0..ELEMENTS).find(|_| !rig.step());
            }
            lanes.push(Lane {
                mode,
                begin: rig.now,
                rig,
                next: 0,
                sent: SortedMap::new(),
                seen: 0,
                heard: 0,
                slowed: spec.channel == 0,
                checkpoints: Vec::new(),
                latencies: vec![None; (LENGTH / PART) as usize],
                all: Vec::new(),
            });
        }
        Ok(Comparison { spec, lanes, feeds, now: 0 })
    }

    /// A millisecond of every mode.
    ///
    /// # Errors
    /// Why a job failed.
    pub fn advance(&mut self) -> Result<(), Diagnostic> {
        self.now += 1;
        for lane in &mut self.lanes {
            lane.rig.pass(1);
            lane.send(&self.spec, &self.feeds, self.now)?;
            lane.slow_down(&self.spec);
            let _ = (0..ELEMENTS).find(|_| !lane.rig.step());
            lane.look(&self.spec, self.now);
            if let JobState::Failed(why) = lane.rig.session.jobs()[self.spec.job].runtime.state() {
                return Err(why.clone());
            }
        }
        Ok(())
    }

    /// Whether the run is over.
    pub fn is_over(&self) -> bool {
        self.now >= LENGTH
    }

    /// ms since the beginning.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// The subtask and the vertex that slow channels lie between, if some are slow.
    pub fn slow_channel(&self) -> Option<(String, String)> {
        let lane = self.lanes.first().filter(|_| self.spec.channel > 0)?;
        let (from, to) = lane.channel(&self.spec)?;
        let vertices = lane.rig.session.jobs()[self.spec.job].runtime.view().vertices;
        Some((format!("{}[{}]", vertices[from.0].name, from.1), vertices[to].name.clone()))
    }

    /// What every mode has come to so far.
    pub fn costs(&self) -> Vec<Costs> {
        self.lanes.iter().map(|lane| lane.costs(&self.spec)).collect()
    }
}

impl Lane {
    /// Rows whose time has come go into their logs, or to their sources.
    fn send(&mut self, spec: &CostSpec, feeds: &[Feed], now: i64) -> Result<(), Diagnostic> {
        while let Some(sent) = spec.rows.get(self.next).filter(|sent| sent.at <= now) {
            self.next += 1;
            let Some(feed) = feeds.iter().find(|feed| feed.table == sent.table) else { continue };
            match (topic(feed), &sent.item) {
                (Some(topic), FeedItem::Row(kind, values)) => {
                    let rows = rows_chunk(&feed.physical, vec![(*kind, values.clone())]);
                    let rows = rows.map_err(|why| Diagnostic::error(NO_INPUT, why))?;
                    let at = self.rig.now;
                    let append = log::Append::new(&topic, feed.splits, sent.split, at, &feed.physical, &rows);
                    append.run(&mut self.rig.store)?;
                }
                (Some(_), _) => continue,
                (None, item) => self.rig.session.feed(&sent.table, sent.split, std::slice::from_ref(item)),
            }
            self.sent.get_or_default((sent.table.clone(), sent.split)).push(now);
        }
        Ok(())
    }

    /// The subtask of which all channels to one vertex are slow: the first behind which rows are spread.
    fn channel(&self, spec: &CostSpec) -> Option<((usize, u32), usize)> {
        let job = &self.rig.session.jobs()[spec.job];
        let shuffled = job.edges.iter().find(|(_, _, exchange)| exchange != "FORWARD");
        let (from, to, _) = shuffled.or(job.edges.first())?;
        Some(((*from, 0), *to))
    }

    fn slow_down(&mut self, spec: &CostSpec) {
        if std::mem::replace(&mut self.slowed, true) {
            return;
        }
        let Some((from, to)) = self.channel(spec) else { return };
        let vertices = self.rig.session.jobs()[spec.job].runtime.view().vertices;
        for subtask in 0..vertices.get(to).map_or(0, |vertex| vertex.parallelism) {
            let slow = Disturbance::SlowChannel { from, to: (to, subtask), pace: spec.channel };
            self.rig.command(spec.job, Command::Disturb(slow));
        }
    }

    /// Notes the rows that have come out, and the checkpoints that are complete.
    fn look(&mut self, spec: &CostSpec, now: i64) {
        let job = &self.rig.session.jobs()[spec.job];
        if let Some(buffer) = job.results.iter().find_map(|result| result.buffer.as_ref())
            && buffer.borrow().total() != self.seen
        {
            for row in buffer.borrow().rows(self.seen, ROWS, Zone::UTC) {
                self.seen = row.number + 1;
                // The old half of an update is on its way for as long as the new one.
                let origin = row.origin.filter(|_| row.kind != RowKind::UpdateBefore);
                let sent = origin.and_then(|origin| {
                    let table = job.sources.get(origin.source as usize)?;
                    self.sent.get(&(table.clone(), origin.split))?.get(origin.offset as usize)
                });
                let Some(latency) = sent.map(|sent| now - sent) else { continue };
                self.all.push(latency);
                if let Some(part) = self.latencies.get_mut(((now - 1) / PART) as usize) {
                    *part = Some(part.unwrap_or(0).max(latency));
                }
            }
        }
        let completed = |entry: &LogEntry| matches!(entry.event, LogEvent::CheckpointCompleted { .. });
        let fresh = job.runtime.log_since(self.heard).any(completed);
        self.heard = job.runtime.logged();
        if fresh {
            let known = self.checkpoints.last().map_or(0, |last| last.id);
            let history = job.runtime.view().history;
            let fresh = history.iter().filter(|one| one.id > known && one.status == CheckpointStatus::Completed);
            let taken: Vec<Taken> = fresh.map(|one| self.taken(one)).collect();
            self.checkpoints.extend(taken);
        }
    }

    fn taken(&self, checkpoint: &CheckpointView) -> Taken {
        let ended = checkpoint.ended.map_or(checkpoint.triggered.1, |(_, at)| at);
        let (at, took) = (checkpoint.triggered.1 - self.begin, ended - checkpoint.triggered.1);
        let parts = checkpoint.subtasks.iter().flatten();
        let aligned = parts.clone().map(|part| part.alignment_ms).max().unwrap_or(0);
        let queued = parts.map(|part| part.queued as u64).sum();
        let waited = self.sent.values().flatten().filter(|sent| (at..at + took).contains(*sent)).count() as u64;
        let (blocked, queued) = match self.mode {
            Mode::AtLeastOnce => (0, 0),
            // Sources hold until all is written.
            Mode::StopTheWorld => (took, waited),
            _ => (aligned, queued),
        };
        Taken { id: checkpoint.id, at, took, blocked, queued, bytes: checkpoint.bytes }
    }

    fn costs(&self, spec: &CostSpec) -> Costs {
        let mut all = self.all.clone();
        sorted::sort(&mut all);
        let place = |part: usize| all.get((all.len() * part / 100).min(all.len().saturating_sub(1))).copied();
        let under_way = self.rig.session.jobs()[spec.job].runtime.view().checkpoint;
        Costs {
            mode: self.mode,
            checkpoints: self.checkpoints.clone(),
            under_way: under_way.map(|one| one.triggered.1 - self.begin),
            latencies: self.latencies.clone(),
            latency: place(50).zip(place(99)),
            rows: all.len() as u64,
        }
    }
}
