//! What runs beside the page's own run, to be compared: guarantees, modes of checkpoints, the bill service.

use serde::{Deserialize, Serialize};

/// What a guarantee of state and a kind of sink come to.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GuaranteeOutcome {
    /// `at-most-once`, `at-least-once`, `exactly-once`.
    pub state: String,
    /// `plain`, `idempotent`, `transactional`.
    pub sink: String,
    /// The rows beside the truth.
    pub rows: Vec<GuaranteeRow>,
    /// The crashes, in order.
    pub crashes: Vec<GuaranteeCrash>,
    /// Completed checkpoints: number, step.
    pub checkpoints: Vec<(u64, u64)>,
    /// Steps in all.
    pub steps: u64,
}

/// A row beside the truth.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GuaranteeRow {
    /// Its values.
    pub values: Vec<String>,
    /// What the last of them should be.
    pub truth: String,
    /// `right`, `doubled`, `wrong` or `lost`.
    pub mark: String,
    /// The numbers of the crashes that caused it.
    pub crashes: Vec<u32>,
    /// How, as the rest of a sentence.
    pub why: String,
}

/// A crash, and how the job went on.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GuaranteeCrash {
    /// From 1.
    pub number: u32,
    /// The step at which it came.
    pub step: u64,
    /// The step from which on the job ran again.
    pub back: u64,
    /// The checkpoint that it went back to; none: it began from nothing.
    pub restored: Option<u64>,
    /// Input rows that were read once more.
    pub again: Vec<i64>,
    /// Input rows that were never read.
    pub skipped: Vec<i64>,
    /// Input rows that had been read, and that nothing brings back.
    pub forgotten: Vec<i64>,
}

/// What checkpoints cost in every mode, as of one moment; all times in ms of the comparison's own.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CostsFrame {
    /// How far it is.
    pub now: u64,
    /// How long it lasts.
    pub length: u64,
    /// How long a part is, by which latencies are told.
    pub part: u64,
    /// Time between two checkpoints.
    pub interval: u64,
    /// The channel that is slow: `numbers[0] → sums[0]`.
    pub channel: Option<String>,
    /// Every mode.
    pub lanes: Vec<CostLane>,
}

/// What a mode has come to so far.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CostLane {
    /// `aligned`, `aligned-with-timeout`, `unaligned`, `at-least-once`, `stop-the-world`.
    pub mode: String,
    /// Completed checkpoints, oldest first.
    pub checkpoints: Vec<CostCheckpoint>,
    /// When the one under way was triggered.
    pub under_way: Option<u64>,
    /// The longest that a row was on its way, of those that came out in each part.
    pub latencies: Vec<Option<u64>>,
    /// Median and 99th percentile.
    pub latency: Option<(u64, u64)>,
    /// Rows that came out.
    pub rows: u64,
}

/// A checkpoint's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CostCheckpoint {
    /// Its number.
    pub id: u64,
    /// When it was triggered.
    pub at: u64,
    /// How long it took.
    pub took: u64,
    /// The longest that an input stood still for it.
    pub blocked: u64,
    /// Elements that queued, were overtaken, or waited outside.
    pub queued: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// The bill service twice, as of one moment. Amounts are texts.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BillsFrame {
    /// Ticks so far.
    pub tick: u32,
    /// Both have worked off all that is in the log.
    pub done: bool,
    /// What is in the log, in order of arrival.
    pub payments: Vec<BillPayment>,
    /// How many different payments that are.
    pub distinct: u32,
    /// What the service does next.
    pub next: String,
    /// The offsets that the service has recorded, by partition.
    pub recorded: Vec<u64>,
    /// The service's batches, oldest first.
    pub batches: Vec<BillBatch>,
    /// The job's state.
    pub state: String,
    /// Checkpoints that the job has completed.
    pub checkpoints: u64,
    /// Rows that the job has read, by partition.
    pub read: Vec<u64>,
    /// Crashes of both.
    pub crashes: Vec<BillCrash>,
    /// What every account comes to.
    pub accounts: Vec<BillAccount>,
}

/// A payment in the log.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BillPayment {
    /// Its number.
    pub id: i64,
    /// Whose.
    pub account: String,
    /// How much.
    pub amount: String,
    /// It has come before.
    pub again: bool,
}

/// A batch of the service.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BillBatch {
    /// The offset behind it is recorded.
    pub recorded: bool,
    /// The service crashed before that.
    pub lost: bool,
    /// Its rows.
    pub lines: Vec<BillLine>,
}

/// A row of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BillLine {
    /// Partition and offset.
    pub place: (u32, u64),
    /// Payment, account, amount.
    pub values: Vec<String>,
    /// `waiting`, `dropped`, `written`; `twice` if it was written before a crash as well, `through` if an earlier batch had the payment.
    pub fate: String,
    /// The crash, or the batch, that made it so; 0: none.
    pub by: u32,
}

/// A crash of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BillCrash {
    /// The tick.
    pub tick: u32,
    /// The batch that was under way; 0: none.
    pub batch: u32,
    /// The checkpoint that the job went back to.
    pub restored: Option<u64>,
}

/// What an account comes to.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BillAccount {
    /// Whose.
    pub name: String,
    /// Every payment once.
    pub truth: String,
    /// What the service's table adds up to.
    pub service: String,
    /// What it has too much because of crashes, if anything.
    pub twice: Option<String>,
    /// What it has too much because of payments that came again, if anything.
    pub through: Option<String>,
    /// What the job's table says to a committed reader.
    pub job: String,
    /// What it says to an uncommitted reader, if that is something else.
    pub pending: Option<String>,
    /// Whether the service's and the job's amounts are those of the truth.
    pub right: (bool, bool),
}
