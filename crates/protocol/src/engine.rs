//! Commands of the page and the engine's answers.

use serde::{Deserialize, Serialize};

use crate::beside::{BillsFrame, CostsFrame, GuaranteeOutcome};
use crate::view::{Frame, StateTablePage};

/// A message to the engine's worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToEngine {
    /// Chosen by the page; the answer carries it.
    pub id: u32,
    /// What is asked.
    pub command: Command,
}

/// A message from the engine's worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FromEngine {
    /// The id of the command that this answers.
    pub id: u32,
    /// The answer.
    pub answer: Answer,
}

/// Where the state of this page outlives the engine's worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Storage {
    /// In the browser's database, under this workspace's name.
    Workspace(String),
    /// In the store worker's memory only: why, for people.
    Memory(String),
}

/// What the page may ask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// The first message. A `MessagePort` to the store's worker travels with it.
    Hello {
        /// The page's build; another one than the worker's own is answered with `Answer::OtherBuild`.
        build: String,
        /// Where things are kept.
        storage: Storage,
        /// The most memory that the engine may use, in MB, if it is to be another than usual.
        memory_limit: Option<u32>,
    },
    /// Looks at a script without running it (while typing).
    Check {
        /// The script.
        sql: String,
    },
    /// Stops the jobs that run, forgets their inputs and results, and starts this script's.
    Run {
        /// The script, with its `--!` blocks, if any, as first input.
        sql: String,
        /// The name of the example that it is, for the head of the page.
        name: Option<String>,
    },
    /// Goes on with what the workspace holds: script, inputs and the last completed checkpoint of each job.
    Resume,
    /// Sends rows to an input.
    Send {
        /// The table.
        table: String,
        /// The split (partition).
        split: u32,
        /// The rows.
        rows: Vec<InputRow>,
    },
    /// Sends a watermark, an idle mark or the end to an input.
    Mark {
        /// The table.
        table: String,
        /// The split.
        split: u32,
        /// What.
        mark: InputMark,
    },
    /// Sets the rate of the page's generator for an input (rows per second; 0 stops it).
    Generate {
        /// The table.
        table: String,
        /// Rows per second, over all its splits.
        rate: f64,
    },
    /// Play, pause, step, speed.
    Transport(Transport),
    /// Triggers a checkpoint of a job.
    Checkpoint {
        /// The job, by number.
        job: u32,
    },
    /// Triggers a savepoint of a job: no later checkpoint replaces it.
    Savepoint {
        /// The job, by number.
        job: u32,
        /// Whether the job ends with it.
        stop: Option<Stop>,
    },
    /// Makes a failure happen. (Of the whole worker: the page terminates it.)
    Crash {
        /// The job.
        job: u32,
        /// What fails.
        target: CrashTarget,
    },
    /// Makes something go wrong that the job may survive.
    Fault {
        /// The job.
        job: u32,
        /// What.
        fault: Fault,
        /// When; `None`: at once.
        moment: Option<CommitMoment>,
    },
    /// Lists of things that go wrong, kept with the run.
    Scenario {
        /// The job.
        job: u32,
        /// What is wanted.
        wish: ScenarioWish,
    },
    /// Runs one query over one input with one schedule of crashes under every guarantee and with every kind of sink.
    Guarantees {
        /// The seed of the schedule.
        seed: u32,
        /// How often the job crashes.
        crashes: u32,
    },
    /// Runs the script of what runs under every mode of checkpoints, beside each other, over generated rows: begins, or begins anew.
    Costs {
        /// The job that is looked at.
        job: u32,
        /// How long checkpoint storage takes to answer, ms.
        storage: u32,
        /// One channel gives up one element in so many ms; 0: as fast as the others.
        channel: u32,
    },
    /// Goes on with that comparison for a while.
    CostsOn,
    /// The bill service twice: in batches, and as a streaming job.
    Bills(BillsCommand),
    /// Takes a job back to a checkpoint or savepoint that is kept.
    Restore {
        /// The job.
        job: u32,
        /// The checkpoint.
        checkpoint: u64,
    },
    /// Runs a script with the state of a checkpoint or savepoint that is kept, and with the inputs, logs and tables that are there. What does
    /// not fit is answered as [`Answer::Checked`], and the run goes on as it was.
    RunFrom {
        /// The script.
        sql: String,
        /// The example's name.
        name: Option<String>,
        /// The job whose checkpoint is meant, and that begins from it.
        job: u32,
        /// The checkpoint.
        checkpoint: u64,
    },
    /// Goes somewhere in the run as it was. From there, rows that are sent (checkpoints, crashes) cut off what came after.
    Travel {
        /// The job whose steps are meant.
        job: u32,
        /// Where.
        to: Travel,
    },
    /// Computes a job as a batch over what it has read so far, and compares.
    Compare {
        /// The job.
        job: u32,
        /// Which of its results is compared.
        result: u32,
    },
    /// The run that is shown, as a text that fits into a link.
    Share,
    /// Goes on with a run that was handed on as such a text, in the place of what runs. Answered as `Run` is.
    Open {
        /// The text.
        text: String,
    },
    /// The script of a query of the Nexmark benchmark.
    Nexmark {
        /// Its number.
        number: u32,
    },
    /// A digest of all changelogs and all state, as they are shown.
    Digest,
    /// What is to be seen now. The page asks once an animation frame, one outstanding.
    Frame(FrameRequest),
    /// One page of a state table.
    State {
        /// The job.
        job: u32,
        /// Vertex of the job graph.
        vertex: u32,
        /// Subtask.
        subtask: u32,
        /// The operator's uid.
        uid: String,
        /// The table's name.
        table: String,
        /// First entry.
        offset: u32,
        /// Most entries.
        limit: u32,
    },
    /// What a script's words may be completed to: its tables with their columns, and the functions.
    Names {
        /// The script.
        sql: String,
    },
    /// Sends the rows of a file to an input, all of them or none.
    SendText {
        /// The table.
        table: String,
        /// The split; `None` spreads the rows.
        split: Option<u32>,
        /// The file's content: CSV, JSON lines or Debezium JSON, told apart by what it says.
        text: String,
    },
    /// A part of a result as text, to be kept as a file.
    Export {
        /// The job.
        job: u32,
        /// The result.
        result: u32,
        /// What of it.
        part: ExportPart,
        /// How it is written.
        format: ExportFormat,
        /// The first row: 0, then what the answer before said.
        from: u64,
    },
}

/// What is done with the bill service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BillsCommand {
    /// Begins anew.
    Begin {
        /// The streaming job.
        sql: String,
        /// What payments are drawn from.
        seed: u32,
        /// Rows of a batch.
        batch: u32,
        /// The batch half-way through which both crash; 0: none.
        crash_in: u32,
    },
    /// Goes on for so many ticks, or until all is worked off.
    On {
        /// Ticks.
        ticks: u32,
    },
    /// Both crash now.
    Crash,
    /// A new payment comes.
    Pay,
    /// The payment that came last comes once more.
    Again,
}

/// What of a result is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportPart {
    /// The changelog rows that are kept.
    Changelog,
    /// The dynamic table.
    Table,
}

/// How rows are written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportFormat {
    /// Comma-separated values with a head.
    Csv,
    /// One JSON object a line.
    JsonLines,
}

/// A word that the editor may offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameOffer {
    /// The word.
    pub name: String,
    /// `table`, `column`, `function` or `option`.
    pub kind: String,
    /// A type, a connector, the table that a column belongs to.
    pub detail: String,
    /// The table of a column.
    pub table: Option<String>,
}

/// A row typed by hand: one text per physical column, `None` for NULL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRow {
    /// `+I`, `-U`, `+U` or `-D`.
    pub kind: String,
    /// The values as text, cast as by `CAST(text AS type)`.
    pub values: Vec<Option<String>>,
}

/// A mark on an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InputMark {
    /// A watermark, as timestamp text.
    Watermark(String),
    /// Idle until its next row.
    Idle,
    /// It ends.
    End,
}

/// What drives the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Transport {
    /// Runs at the speed set.
    Play,
    /// Stands still.
    Pause,
    /// One element by one subtask.
    StepElement,
    /// One input row, until quiet.
    StepRow,
    /// Elements per second; infinite is full speed.
    Speed(f64),
}

/// A place in the run. Answered on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Travel {
    /// One element back.
    BackElement,
    /// Before the input row that was read last.
    BackRow,
    /// One element on.
    OnElement,
    /// The next input row, and all that comes of it.
    OnRow,
    /// Where the job has taken so many steps, over all engines that ran it.
    To(u64),
    /// What runs.
    Now,
}

/// How a job ends with a savepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// Where it is, so that a job that is started from the savepoint goes on there.
    Suspend,
    /// Time comes to its end first, so that all windows fire.
    Drain,
}

/// What is to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CrashTarget {
    /// One subtask.
    Subtask {
        /// Vertex of the job graph.
        vertex: u32,
        /// Subtask.
        subtask: u32,
    },
    /// The job.
    Job,
}

/// What is to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// The coordinator fails when the next checkpoint is complete, before any subtask hears of it.
    Coordinator,
    /// The job fails at another moment of a two-phase commit.
    At(CommitMoment),
    /// The next acknowledgement of a subtask is lost.
    LoseAcknowledgement {
        /// Vertex of the job graph.
        vertex: u32,
        /// Subtask.
        subtask: u32,
    },
    /// The next acknowledgement of a subtask comes late.
    DelayAcknowledgement {
        /// Vertex of the job graph.
        vertex: u32,
        /// Subtask.
        subtask: u32,
        /// How late, ms.
        ms: u32,
    },
    /// A channel gives up one element in so many ms; with 0 it is as before.
    SlowChannel {
        /// Vertex and subtask that send.
        from: (u32, u32),
        /// Vertex and subtask that receive.
        to: (u32, u32),
        /// Time between two elements, ms.
        ms: u32,
    },
    /// Storage does not answer, or has no room, for so many ms; with 0 it is as before.
    Storage {
        /// Whose storage.
        place: StoragePlace,
        /// Nothing can be written, but all be read; else nothing is carried out at all.
        full: bool,
        /// For how long, ms.
        ms: u32,
    },
    /// A part of the newest checkpoint is lost or damaged.
    Part {
        /// It is gone; else a bit of it is another.
        lost: bool,
    },
    /// All transactions that are not committed have so many ms left.
    Transactions {
        /// How long, ms.
        ms: u32,
    },
    /// Storage is slow from now on; with 0 and 0 it is as before.
    SlowStorage {
        /// Whose storage.
        place: StoragePlace,
        /// How much longer a request takes, ms.
        ms: u32,
        /// Bytes that go through in a second; 0 for any number.
        rate: u32,
    },
    /// The job fails as a whole.
    Job,
    /// A subtask fails.
    Subtask {
        /// Vertex of the job graph.
        vertex: u32,
        /// Subtask.
        subtask: u32,
    },
    /// The engine's worker is lost.
    Worker,
    /// The engine is taken for dead and another one takes over; then it comes back and goes on writing.
    Zombie,
}

/// A fault and its moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFault {
    /// When; `None`: as soon as the one before has happened.
    pub moment: Option<CommitMoment>,
    /// What.
    pub fault: Fault,
}

/// Faults that happen one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// The faults.
    pub steps: Vec<PlannedFault>,
}

/// What is wanted with scenarios.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScenarioWish {
    /// Keep it with the run, in the place of one with the same name.
    Keep(Scenario),
    /// Forget the one of this name.
    Forget(String),
    /// Set it off.
    Run(String),
    /// Let a seed draw one for the job, and keep it.
    Draw(u32),
    /// What has not happened yet does not happen.
    Stop,
}

/// A moment of a checkpoint, or of the two-phase commit that goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommitMoment {
    /// The first rows are being written into a transaction.
    Begun,
    /// Barriers have set out.
    Triggered,
    /// A participant has pre-committed, and its vote is not out yet.
    PreCommitted,
    /// All have voted, and the decision is not written down yet.
    Voted,
    /// A commit is about to be sent.
    Committing,
    /// A commit is through.
    Committed,
    /// A checkpoint is wanted, and its barriers have not set out.
    Requested,
    /// A first subtask has acknowledged: barriers are through there.
    Acknowledged,
    /// The checkpoint is complete, and nobody has heard of it.
    Completed,
    /// A first subtask has the barrier of one channel and waits for those of the others.
    Aligning,
    /// The barrier has come to a participant, and rows before it are being written.
    PreCommitting,
    /// The decision is being written down: whether it counts is open.
    Deciding,
    /// A commit is on its way to the store: whether it has been carried out is open.
    CommitSent,
}

/// Whose storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StoragePlace {
    /// Where checkpoints are kept.
    Checkpoints,
    /// Where the sinks write.
    Sinks,
}

/// Which parts of the frame are on screen.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FrameRequest {
    /// The job whose details are shown.
    pub job: u32,
    /// The first changelog row wanted; `None`: the newest.
    pub changelog_from: Option<u64>,
    /// Most changelog rows wanted.
    pub changelog_limit: u32,
    /// The kinds wanted, one bit each (`+I` 1, `-U` 2, `+U` 4, `-D` 8); 0 and 15 are all. With a filter, `changelog_from` counts the kept
    /// rows of these kinds; without, it is a row's number.
    pub changelog_kinds: u8,
    /// The first row of the dynamic table wanted.
    pub table_from: u32,
    /// Most rows of the dynamic table wanted.
    pub table_limit: u32,
    /// A second job, whose newest changes are shown beside.
    pub beside: Option<u32>,
    /// Whether the sinks' readers are on screen: they are asked again only then.
    pub outside: bool,
    /// The newest version of the plan and schema parts that the page has; they are left out when unchanged.
    pub known_version: u32,
}

/// What the engine answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// To `Hello`: ready. Whether the workspace holds something to resume.
    Ready {
        /// There is a script to resume.
        resumable: bool,
    },
    /// To `Hello`: page and worker are of different builds; the page reloads.
    OtherBuild,
    /// To `Check` and to a `Run` that was refused: what is wrong with the script (may be nothing).
    Checked {
        /// The errors.
        problems: Vec<Problem>,
    },
    /// To `Run` and `Resume`.
    Running {
        /// The script that runs.
        sql: String,
        /// The example's name, if it is one.
        name: Option<String>,
        /// Warnings.
        problems: Vec<Problem>,
        /// What statements that are not jobs said: SHOW, DESCRIBE, EXPLAIN, SET.
        notes: Vec<StatementNote>,
        /// What was resumed, as a sentence; `None` after `Run`.
        resumed: Option<String>,
    },
    /// To `Resume`, when what lies in the workspace cannot be gone on with: its text, to be run afresh.
    NotResumed {
        /// The script; empty if it could not be read either.
        sql: String,
        /// The example's name, if it is one.
        name: Option<String>,
        /// Why, in a sentence.
        why: String,
    },
    /// To `Send`, when a value does not fit: nothing was sent.
    Refused {
        /// Which row and column, and why.
        fields: Vec<FieldProblem>,
    },
    /// Done.
    Done,
    /// To a `Fault` that spoils a checkpoint: which.
    Spoiled {
        /// The checkpoint.
        checkpoint: u64,
    },
    /// To `Guarantees`.
    Guarantees {
        /// The query.
        sql: String,
        /// The result's columns.
        columns: Vec<String>,
        /// Every combination: the sinks of one guarantee of state, then those of the next.
        outcomes: Vec<GuaranteeOutcome>,
    },
    /// To `Costs` and `CostsOn`.
    Costs(CostsFrame),
    /// To `Bills`.
    Bills(Box<BillsFrame>),
    /// To `Compare`.
    Compared(Compared),
    /// To `Share`.
    Shared {
        /// The run as text.
        text: String,
    },
    /// To `Nexmark`: the script, whose first line says what it is about.
    Script(String),
    /// To `Digest`.
    Digest {
        /// In hexadecimal digits.
        digest: String,
    },
    /// To `Frame`.
    Frame(Box<Frame>),
    /// To `State`.
    State(StateTablePage),
    /// To `Names`.
    Names(Vec<NameOffer>),
    /// To `SendText`: so many rows were sent.
    Taken {
        /// Rows.
        rows: u64,
        /// What the file was read as.
        format: String,
    },
    /// To `Export`: the text, and where to go on, if there is more.
    Exported {
        /// The text.
        text: String,
        /// The first row of the next part.
        next: Option<u64>,
    },
    /// The command could not be carried out: why, for people.
    Failed {
        /// A stable code.
        code: String,
        /// Why.
        message: String,
    },
}

/// A stream's result beside the same query's as a batch.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Compared {
    /// Rows of both; at most 200, as of the others.
    pub same: Vec<Vec<Option<String>>>,
    /// Rows that only the stream has.
    pub stream: Vec<Vec<Option<String>>>,
    /// Rows that only the batch has.
    pub batch: Vec<Vec<Option<String>>>,
    /// How many there are of each.
    pub totals: [u64; 3],
    /// The step of the job (as in its summary) that was compared: once it has gone on, this is how things stood.
    pub step: u64,
    /// Input rows that it had read up to there, and that the batch was computed from.
    pub rows: u64,
}

/// Something wrong with the script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// `TG2003`.
    pub code: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// Start and end in the script, in UTF-16 units (what the editor counts in).
    pub span: Option<(u32, u32)>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// The message.
    pub message: String,
    /// What to do.
    pub hints: Vec<String>,
    /// A replacement that mends it: start, end (UTF-16 units), text.
    pub fix: Option<(u32, u32, String)>,
}

/// What a statement that is not a job said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementNote {
    /// The statement.
    pub sql: String,
    /// Column names (empty for a sentence).
    pub columns: Vec<String>,
    /// The rows; one row of one text for a sentence.
    pub rows: Vec<Vec<Option<String>>>,
}

/// A value of a row sent by hand that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldProblem {
    /// The row's index in the message.
    pub row: u32,
    /// The column's index.
    pub column: u32,
    /// Why.
    pub message: String,
}
