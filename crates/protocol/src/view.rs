//! What is to be seen: one frame of the run.

use serde::{Deserialize, Serialize};

/// Everything on screen, as of one moment.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Version of the static part.
    pub version: u32,
    /// Inputs, jobs and their graphs; left out when the page has this version.
    pub layout: Option<Layout>,
    /// Whether it plays.
    pub playing: bool,
    /// Elements per second; infinite is full speed.
    pub speed: f64,
    /// Nothing runs yet: a workspace is being resumed, and the sentence says how far that is.
    pub restoring: bool,
    /// One sentence: what happens right now.
    pub sentence: String,
    /// Processing time, ms since the epoch.
    pub now: i64,
    /// The inputs, in the layout's order.
    pub inputs: Vec<InputFrame>,
    /// Every job, in the layout's order.
    pub jobs: Vec<JobSummary>,
    /// The chosen job's details.
    pub job: Option<JobFrame>,
    /// The first result of the job asked for beside it.
    pub beside: Option<ResultFrame>,
    /// Why the engine cannot go on (a trap, memory, an endless query): code and message.
    pub trouble: Option<(String, String)>,
    /// Where in the run this is, if it is not now.
    pub past: Option<PastFrame>,
    /// Scenarios kept with the run.
    pub scenarios: Vec<crate::Scenario>,
    /// The moment has come at which the engine's worker is lost: it has stopped, and waits for the page to terminate it.
    pub lost: bool,
}

/// A moment of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PastFrame {
    /// The step of the job, over all engines that ran it.
    pub step: u64,
    /// Its last.
    pub end: u64,
    /// Whether another moment is on its way.
    pub going: bool,
}

/// What changes only with the script.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Layout {
    /// The inputs.
    pub inputs: Vec<InputLayout>,
    /// The jobs.
    pub jobs: Vec<JobLayout>,
}

/// One table that can be sent to.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InputLayout {
    /// The table.
    pub table: String,
    /// Its connector.
    pub connector: String,
    /// Its physical columns: name and Flink's type text.
    pub columns: Vec<(String, String)>,
    /// The kinds of rows that it takes.
    pub kinds: Vec<String>,
    /// How many splits.
    pub splits: u32,
    /// The watermark expression, if declared.
    pub watermark: Option<String>,
    /// Whether rows can be typed in (not for `datagen`).
    pub by_hand: bool,
    /// Whether a watermark can be sent by hand.
    pub marks: bool,
    /// Whether an idle mark can be sent by hand.
    pub idle_marks: bool,
    /// Why one of both cannot be sent, where a watermark is declared; a sentence or two.
    pub no_marks: Option<String>,
    /// Rows per second that a generated table (`datagen`) declares.
    pub makes: Option<u64>,
}

/// A job's static part.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JobLayout {
    /// Name for its tab: the sink, or `SELECT 1`.
    pub name: String,
    /// The statement.
    pub sql: String,
    /// Its line in the script.
    pub line: u32,
    /// The results, one per sink of the statement.
    pub results: Vec<ResultLayout>,
    /// Its vertices.
    pub vertices: Vec<VertexLayout>,
    /// Edges: from vertex, to vertex, exchange (`FORWARD`, `HASH[k]`, `REBALANCE`, `BROADCAST`).
    pub edges: Vec<(u32, u32, String)>,
    /// The plan, as EXPLAIN prints it.
    pub plan: Vec<String>,
    /// Settings in force that a person may ask about: Flink's key and value.
    pub settings: Vec<(String, String)>,
    /// Whether it makes checkpoints at all.
    pub checkpoints: bool,
    /// Whether a channel that has delivered its barrier waits for the others.
    pub aligns: bool,
    /// Whether it writes in transactions.
    pub transactional: bool,
}

/// A result's columns.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResultLayout {
    /// The sink; `None` for a SELECT.
    pub sink: Option<String>,
    /// Name and Flink's type text.
    pub columns: Vec<(String, String)>,
    /// `I,UB,UA,D`.
    pub changelog_mode: String,
    /// Whether it is a table or log of the store, read back as committed and uncommitted.
    pub external: bool,
    /// Whether the sink keeps nothing (`blackhole`).
    pub dropped: bool,
    /// The columns that identify a row (an upsert key; empty for a result of one row), if there are such.
    pub key: Option<Vec<String>>,
}

/// A chain of operators.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VertexLayout {
    /// `Source: orders -> Calc`.
    pub name: String,
    /// Its operators: uid, name, description.
    pub operators: Vec<(String, String, String)>,
    /// How many subtasks.
    pub parallelism: u32,
    /// Whether it is a source.
    pub source: bool,
    /// Whether it is a sink.
    pub sink: bool,
    /// Whether it only watches for people and is no part of the job as Flink would run it.
    pub hidden: bool,
}

/// An input's moving part.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct InputFrame {
    /// Rows sent so far, per split; of a generated table those that it has made.
    pub rows: Vec<u64>,
    /// The newest rows, newest first: split, offset, kind, values.
    pub recent: Vec<(u32, u64, String, Vec<Option<String>>)>,
    /// Watermark per split as timestamp text, as the sources have sent it.
    pub watermarks: Vec<Option<String>>,
    /// Whether each split is idle.
    pub idle: Vec<bool>,
    /// The generator's rate.
    pub rate: f64,
}

/// A job in short.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct JobSummary {
    /// `RUNNING`, `RESTARTING`, `FAILED`, `FINISHED`, ...: Flink's job states.
    pub state: String,
    /// Why it failed.
    pub failure: Option<crate::Problem>,
    /// The attempt, from 1.
    pub attempt: u64,
    /// Scheduler steps so far.
    pub step: u64,
    /// Changelog rows so far.
    pub rows: u64,
}

/// The chosen job's details.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct JobFrame {
    /// Its subtasks, vertex by vertex.
    pub subtasks: Vec<SubtaskFrame>,
    /// Its channels.
    pub channels: Vec<ChannelFrame>,
    /// Its checkpoints.
    pub checkpoints: Checkpoints,
    /// Transactions of its sinks, oldest first.
    pub transactions: Vec<TransactionFrame>,
    /// Storage that is away or full on purpose.
    pub outages: Vec<OutageFrame>,
    /// Storage that is slow on purpose.
    pub slow: Vec<SlowFrame>,
    /// Faults that wait for their moments: list by list, the next first.
    pub planned: Vec<Vec<crate::PlannedFault>>,
    /// An engine that was taken for dead and has come back.
    pub zombie: Option<ZombieFrame>,
    /// Its results, in the layout's order.
    pub results: Vec<ResultFrame>,
    /// What happened to it, newest last: step, time (ms), sentence, kind (`checkpoint`, `crash`, `restore`, `fault`, `other`).
    pub events: Vec<(u64, i64, String, String)>,
    /// What restores had it do once more, oldest first.
    pub replays: Vec<ReplayFrame>,
}

/// What a restore had a job do once more. Steps are those of the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReplayFrame {
    /// The checkpoint that it went back to.
    pub checkpoint: u64,
    /// When that was triggered.
    pub from: u64,
    /// When the job had failed, or was taken back.
    pub to: u64,
    /// When it was restored.
    pub at: u64,
    /// Rows of its sources that were read once more, as far as that is known.
    pub rows: Option<u64>,
}

/// A transaction of a sink.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TransactionFrame {
    /// Vertex and subtask of the sink.
    pub subtask: (u32, u32),
    /// Its name in the topic or table.
    pub name: String,
    /// The checkpoint that it was pre-committed for.
    pub checkpoint: Option<u64>,
    /// `open`, `pre-committed`, `committing`, `committed`, `aborted`, `timed out`, `lost`.
    pub state: String,
    /// How long until the store gives it up, ms; none once it has ended.
    pub left: Option<u64>,
    /// Rows in it, once it is pre-committed.
    pub rows: u64,
    /// What it has gone through: state, step.
    pub steps: Vec<(String, u64)>,
}

/// Storage that is slow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowFrame {
    /// Whose.
    pub place: crate::StoragePlace,
    /// How much longer a request takes, ms.
    pub ms: u64,
    /// Bytes that go through in a second; 0 for any number.
    pub rate: u64,
}

/// An engine that was taken for dead and has come back.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ZombieFrame {
    /// Which attempt of the job it believes to be.
    pub attempt: u64,
    /// Whether it is back already.
    pub awake: bool,
    /// What it tried and was refused.
    pub tried: Vec<String>,
    /// The error with which it was fenced off, and has ended: code, message.
    pub fenced: Option<(String, String)>,
}

/// Storage that is away or full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutageFrame {
    /// Whose.
    pub place: crate::StoragePlace,
    /// Whether it is full; else it is away.
    pub full: bool,
    /// How much longer, ms.
    pub left: u64,
}

/// A subtask now.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct SubtaskFrame {
    /// Its vertex.
    pub vertex: u32,
    /// Its number.
    pub index: u32,
    /// `running`, `idle`, `back-pressured`, `aligning`, `snapshotting`, `waiting for store`, `finished`, `failed`, `restoring`.
    pub status: String,
    /// More about the status, as a few words: `barrier 3 from 1 of 2`.
    pub detail: String,
    /// Its watermark as timestamp text.
    pub watermark: Option<String>,
    /// Rows in.
    pub rows_in: u64,
    /// Rows out.
    pub rows_out: u64,
    /// Rows dropped as late.
    pub late: u64,
    /// Whether it was the last to take a step.
    pub current: bool,
    /// The checkpoints under way that it has acknowledged.
    pub acknowledged: Vec<u64>,
    /// Its state tables: operator uid, table name, entries, bytes.
    pub state: Vec<(String, String, u64, u64)>,
    /// Entries of those that are kept by key: not where a source stands, not what a sink collects for people.
    pub kept: u64,
}

/// A channel now.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct ChannelFrame {
    /// From vertex, subtask.
    pub from: (u32, u32),
    /// To vertex, subtask.
    pub to: (u32, u32),
    /// Elements queued, first out first; at most 16.
    pub queued: Vec<QueuedElement>,
    /// How many are queued in all.
    pub length: u32,
    /// How many fit.
    pub capacity: u32,
    /// Blocked by the alignment of a checkpoint.
    pub blocked: bool,
    /// Rows that have passed.
    pub rows: u64,
    /// On purpose it gives up an element in so many ms; 0: as fast as it can.
    pub pace: u32,
}

/// An element on a channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum QueuedElement {
    /// So many rows; the text of the first (short).
    Rows(u32, String),
    /// A watermark as timestamp text.
    Watermark(String),
    /// Idle (true) or active.
    Idle(bool),
    /// A checkpoint's barrier.
    Barrier(u64),
    /// The end of input.
    End,
}

/// A job's checkpoints.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Checkpoints {
    /// The one under way; of several the one that is about to be decided, or the oldest.
    pub current: Option<CheckpointFrame>,
    /// Those under way beside it, oldest first.
    pub others: Vec<CheckpointFrame>,
    /// The ended ones, newest first; at most 50.
    pub history: Vec<CheckpointFrame>,
    /// The number completed.
    pub completed: u64,
    /// The number that failed.
    pub failed: u64,
    /// `execution.checkpointing.interval` in ms, if set.
    pub interval: Option<u64>,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct CheckpointFrame {
    /// Its number.
    pub id: u64,
    /// `in progress`, `completed`, `aborted`.
    pub status: String,
    /// Whether it is a savepoint.
    pub savepoint: bool,
    /// Whether it is kept, so that it can be restored.
    pub kept: bool,
    /// Why it was aborted.
    pub reason: Option<String>,
    /// When it was triggered: step and time (ms).
    pub triggered: (u64, i64),
    /// How long it took (has taken), ms.
    pub duration: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Subtask by subtask, in the order of `JobFrame::subtasks`.
    pub subtasks: Vec<Acknowledgement>,
}

/// A subtask's part in a checkpoint.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Acknowledgement {
    /// Whether it has acknowledged.
    pub acknowledged: bool,
    /// Before that, once its state is read out: `writing`, `sent` (written, and the acknowledgement is on its way), `lost`.
    pub state: String,
    /// How long its inputs were blocked, ms.
    pub alignment_ms: u64,
    /// The same in scheduler steps.
    pub alignment_steps: u64,
    /// Most elements queued on its blocked inputs.
    pub queued: u64,
    /// Bytes it wrote.
    pub bytes: u64,
    /// Time of the synchronous part, microseconds of the host.
    pub sync_us: u64,
    /// From the checkpoint's start to its acknowledgement, ms.
    pub after_ms: u64,
    /// State entries that had changed.
    pub entries: u64,
}

/// A result now.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct ResultFrame {
    /// Number of the first changelog row that is still kept.
    pub first: u64,
    /// Changelog rows so far.
    pub total: u64,
    /// The rows wanted, oldest first.
    pub changelog: Vec<ChangelogRow>,
    /// The place of the first of them among the kept rows of the kinds wanted.
    pub changelog_at: u64,
    /// Kept rows of the kinds wanted.
    pub matching: u64,
    /// Kept rows of each kind: `+I`, `-U`, `+U`, `-D`.
    pub kinds: [u64; 4],
    /// Rows of the dynamic table in all.
    pub table_total: u64,
    /// The rows of the dynamic table wanted: values and, last, the number of the changelog row that last changed it.
    pub table: Vec<(Vec<Option<String>>, u64)>,
    /// What a committed reader sees of an external sink: rows.
    pub committed: Vec<Vec<Option<String>>>,
    /// What an uncommitted reader sees: rows and whether each is committed.
    pub uncommitted: Vec<(Vec<Option<String>>, bool)>,
    /// Committed rows in all.
    pub committed_total: u64,
    /// Uncommitted reader's rows in all.
    pub uncommitted_total: u64,
}

/// A row of the changelog.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct ChangelogRow {
    /// Its number, from 0.
    pub number: u64,
    /// `+I`, `-U`, `+U`, `-D`.
    pub kind: String,
    /// The values as text.
    pub values: Vec<Option<String>>,
    /// The input row that caused it: table, split, offset.
    pub cause: Option<(String, u32, u64)>,
}

/// A page of a state table.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StateTablePage {
    /// Entries in all.
    pub total: u64,
    /// Key and value as text.
    pub entries: Vec<(String, String)>,
}
