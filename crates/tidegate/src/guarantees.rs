//! Guarantees side by side: one query, one input, one schedule of crashes, under each guarantee of state and with each kind of sink.
//!
//! Every combination is a session of its own with a store in memory, driven by the same list: so many rows, so many steps, a checkpoint, a crash.
//! What a committed reader finds in the end is compared with the truth, which is computed from the input alone, and what differs is
//! traced to the crashes that have caused it (`trace`).

mod trace;

use tidegate_connectors::table;
use tidegate_data::sorted::{self, SortedMap};
use tidegate_data::{RowKind, Zone};
use tidegate_diag::Diagnostic;
use tidegate_runtime::rng::Rng;
use tidegate_runtime::{
    CheckpointId, Command, Effect, Event, FeedItem, JobState, MemoryStore, Policy, RestartStrategy, Restore, Store,
};

pub use self::trace::Crash;
use self::trace::{Copies, Trace};
use crate::{Session, SessionOptions, chunk_texts};

/// What holds for state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateGuarantee {
    /// No checkpoints: after a crash the job begins from nothing, with what comes from then on.
    AtMostOnce,
    /// Barriers do not align.
    AtLeastOnce,
    /// Barriers align.
    ExactlyOnce,
}

/// How the sink writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinkKind {
    /// Row after row, at once.
    Plain,
    /// By primary key, at once: the same row again changes nothing.
    Idempotent,
    /// In transactions that commit with checkpoints.
    Transactional,
}

/// What a row of the result is, beside the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// As it should be.
    Right,
    /// It is there once more.
    Doubled,
    /// Its total is another: state has counted rows twice, or not at all.
    Wrong,
    /// It should be there.
    Lost,
}

/// A row of the result, beside the truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The payment.
    pub id: i64,
    /// Its values as text: those that were found, or those of a row that is not there.
    pub values: Vec<String>,
    /// What its total should be.
    pub truth: String,
    /// What is to be said of it.
    pub mark: Mark,
    /// The numbers of the crashes that have caused it; none if it is right.
    pub crashes: Vec<u32>,
    /// How; empty if it is right.
    pub why: String,
}

/// What a combination has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was to hold for state.
    pub state: StateGuarantee,
    /// How the sink wrote.
    pub sink: SinkKind,
    /// The rows, by id.
    pub rows: Vec<Row>,
    /// Attempts of the job.
    pub attempts: u64,
    /// Its crashes, in order.
    pub crashes: Vec<Crash>,
    /// Its completed checkpoints: number and step.
    pub checkpoints: Vec<(CheckpointId, u64)>,
    /// Scheduler steps that it took.
    pub steps: u64,
}

impl Outcome {
    /// How many rows have this mark.
    pub fn count(&self, mark: Mark) -> usize {
        self.rows.iter().filter(|row| row.mark == mark).count()
    }
}

/// All combinations, row by row of the picture.
pub const ALL: [(StateGuarantee, SinkKind); 9] = {
    use SinkKind::{Idempotent, Plain, Transactional};
    use StateGuarantee::{AtLeastOnce, AtMostOnce, ExactlyOnce};
    [
        (AtMostOnce, Plain),
        (AtMostOnce, Idempotent),
        (AtMostOnce, Transactional),
        (AtLeastOnce, Plain),
        (AtLeastOnce, Idempotent),
        (AtLeastOnce, Transactional),
        (ExactlyOnce, Plain),
        (ExactlyOnce, Idempotent),
        (ExactlyOnce, Transactional),
    ]
};

/// Names of the result's columns.
pub const COLUMNS: [&str; 4] = ["id", "customer", "amount", "total"];

const CUSTOMERS: [&str; 4] = ["Ada", "Bo", "Cy", "Di"];
const PAYMENTS: i64 = 24;
/// Seeds before the first one, which shows all that can go wrong.
const BEFORE: u32 = 21;
/// Steps after which a run must have come to its end.
const STEPS: usize = 20_000;

/// One thing that is done to every combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Feed(i64),
    Steps(usize),
    Checkpoint,
    Crash,
}

/// The script of a combination.
pub fn script(state: StateGuarantee, sink: SinkKind) -> String {
    let mode = match state {
        StateGuarantee::AtMostOnce => "NONE_FROM_LATEST",
        StateGuarantee::AtLeastOnce => "AT_LEAST_ONCE",
        StateGuarantee::ExactlyOnce => "EXACTLY_ONCE",
    };
    let (key, delivery) = match sink {
        SinkKind::Plain => ("", "at-least-once"),
        SinkKind::Idempotent => (", PRIMARY KEY (id) NOT ENFORCED", "at-least-once"),
        SinkKind::Transactional => ("", "exactly-once"),
    };
    format!(
        "SET 'execution.checkpointing.mode' = '{mode}';
SET 'parallelism.default' = '2';
CREATE TABLE payments (id INT, customer STRING, amount INT, paid AS PROCTIME())
WITH ('connector' = 'inline', 'partitions' = '2');
CREATE TABLE bills (id INT, customer STRING, amount INT, total INT{key})
WITH ('connector' = 'table', 'sink.delivery-guarantee' = '{delivery}');
INSERT INTO bills
SELECT id, customer, amount, SUM(amount) OVER (PARTITION BY customer ORDER BY paid) AS total
FROM payments;
"
    )
}

/// Payment `id`: its partition, customer and amount. All of a customer's are in one partition, so that their order is known.
fn payment(id: i64) -> (u32, &'static str, i64) {
    let customer = (id * 7 % 11 % 4) as usize;
    ((customer / 2) as u32, CUSTOMERS[customer], 10 * (1 + id % 5))
}

/// What payment `id` is over.
fn amount_of(id: i64) -> i64 {
    payment(id).2
}

/// What the customer of payment `id` has paid with it.
fn right_total(id: i64) -> i64 {
    let customer = payment(id).1;
    (1..=id).filter(|other| payment(*other).1 == customer).map(amount_of).sum()
}

/// What is right.
fn truth() -> SortedMap<i64, Vec<String>> {
    let mut totals: SortedMap<&str, i64> = SortedMap::new();
    let row = |id: i64| {
        let (_, customer, amount) = payment(id);
        let total = totals.get_or_default(customer);
        *total += amount;
        (id, vec![id.to_string(), customer.to_owned(), amount.to_string(), total.to_string()])
    };
    (1..=PAYMENTS).map(row).collect()
}

/// The schedule of a seed.
fn schedule(seed: u32, crashes: u32) -> Vec<Action> {
    let rng = &mut Rng::new(u64::from(seed) ^ 0x6a7a_4e7e);
    let mut actions = Vec::new();
    let mut left = PAYMENTS;
    for _ in 0..crashes {
        for _ in 0..2 {
            let rows = (2 + rng.below(3) as i64).min(left);
            left -= rows;
            actions.extend([Action::Feed(rows), Action::Steps(1 + rng.below(8)), Action::Checkpoint]);
            actions.push(Action::Steps(12 + rng.below(20)));
        }
        let rows = (2 + rng.below(3) as i64).min(left);
        left -= rows;
        actions.extend([Action::Feed(rows), Action::Steps(1 + rng.below(9)), Action::Crash]);
        actions.push(Action::Steps(40));
    }
    actions.push(Action::Feed(left));
    actions
}

struct Run {
    session: Session,
    store: MemoryStore,
    state: StateGuarantee,
    now: i64,
    fed: i64,
    /// Rows fed to each split.
    splits: [u64; 2],
    trace: Trace,
    /// What the job has said so far is part of the trace.
    heard: u64,
    /// It has crashed, and does not run again yet.
    down: bool,
    /// Where its sources go on after that, by the checkpoint that was restored.
    from: Option<[u64; 2]>,
}

/// Runs a combination under the schedule of a seed with so many crashes.
///
/// # Errors
/// What is wrong with the script, or why the job came to no end.
pub fn run(state: StateGuarantee, sink: SinkKind, seed: u32, crashes: u32) -> Result<Outcome, Vec<Diagnostic>> {
    let seed = seed.wrapping_add(BEFORE);
    let mut session = Session::new(SessionOptions {
        seed: u64::from(seed),
        chunk_limit: 1,
        policy: Policy::Seeded,
        restart: RestartStrategy::FixedDelay { attempts: u32::MAX, delay: 5 },
        ..SessionOptions::default()
    });
    session.run(&script(state, sink), Restore::None)?;
    let mut run = Run {
        session,
        store: MemoryStore::new(),
        state,
        now: 0,
        fed: 0,
        splits: [0; 2],
        trace: Trace::new(state),
        heard: 0,
        down: false,
        from: None,
    };
    for action in schedule(seed, crashes) {
        match action {
            Action::Feed(rows) => run.feed(rows),
            Action::Steps(steps) => (0..steps).for_each(|_| run.step()),
            // Refused where there are none.
            Action::Checkpoint => run.command(Command::TriggerCheckpoint),
            Action::Crash => run.crash(),
        }
    }
    for split in 0..2 {
        run.session.feed("payments", split, &[FeedItem::End]);
    }
    for _ in 0..STEPS {
        if run.session.jobs()[0].runtime.state().is_terminal() {
            break;
        }
        run.step();
    }
    if let JobState::Failed(why) = run.session.jobs()[0].runtime.state() {
        return Err(vec![why.clone()]);
    }
    run.listen();
    let found = run.table(table::Isolation::ReadCommitted);
    let mut rows = marked(&found);
    run.trace.explain(&mut rows, &copies(found));
    let view = run.session.jobs()[0].runtime.view();
    Ok(Outcome {
        state,
        sink,
        rows,
        attempts: view.attempt,
        steps: view.step,
        checkpoints: run.trace.checkpoints.iter().map(|(id, step, _)| (*id, *step)).collect(),
        crashes: run.trace.crashes,
    })
}

impl Run {
    fn feed(&mut self, rows: i64) {
        for _ in 0..rows {
            self.fed += 1;
            let (split, customer, amount) = payment(self.fed);
            let texts = [self.fed.to_string(), customer.to_owned(), amount.to_string()].map(Some);
            if let Ok(item) = self.session.parse_row("payments", RowKind::Insert, &texts) {
                self.session.feed("payments", split, &[item]);
                self.splits[split as usize] += 1;
            }
        }
    }

    fn command(&mut self, command: Command) {
        let _ = self.session.jobs_mut()[0].runtime.handle(Event::Command(command));
        self.answer();
    }

    fn crash(&mut self) {
        self.listen();
        let (read, table) = (self.read(), self.table(table::Isolation::ReadUncommitted));
        let attempt = self.session.jobs()[0].runtime.steps();
        self.command(Command::FailJob);
        if matches!(self.session.jobs()[0].runtime.state(), JobState::Restarting { .. }) {
            self.trace.crashed(attempt, read, copies(table));
            (self.down, self.from) = (true, None);
        }
    }

    /// How far the job has read each split, if it is ready to.
    fn read(&mut self) -> Option<[u64; 2]> {
        let job = &mut self.session.jobs_mut()[0];
        let view = job.runtime.view();
        let read = job.read(&view).into_iter().next().filter(|read| read.known)?;
        // Where nothing is kept, positions count from where the attempt began.
        let from = if self.state == StateGuarantee::AtMostOnce { self.trace.began() } else { [0; 2] };
        let mut to = from;
        // Right after a restore every subtask has the positions of all.
        for (split, items) in read.to.splits {
            to[split as usize] = from[split as usize] + items;
        }
        Some(to)
    }

    /// The table's rows as text.
    fn table(&mut self, isolation: table::Isolation) -> Vec<Vec<String>> {
        let page = table::read(&mut self.store, "bills", isolation);
        let rows = page.map_or_else(|_| Vec::new(), |page| chunk_texts(&page.rows, &page.schema, Zone::UTC));
        rows.into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default).collect()).collect()
    }

    /// A millisecond, and a step. The store answers at once.
    fn step(&mut self) {
        self.now += 1;
        self.session.time(self.now);
        self.session.jobs_mut()[0].runtime.step_element();
        self.answer();
        if !self.down {
            return;
        }
        // Sources go on before all others are ready: where they begin is what the restored state says.
        self.listen();
        if self.from.is_none() && self.trace.is_restored() {
            self.from = self.read();
        }
        if *self.session.jobs()[0].runtime.state() == JobState::Running {
            self.down = false;
            let from = match self.state {
                StateGuarantee::AtMostOnce => self.splits,
                _ => self.from.unwrap_or_default(),
            };
            let step = self.session.jobs()[0].runtime.steps();
            self.trace.runs(step, from);
        }
    }

    /// Takes in what the job has said.
    fn listen(&mut self) {
        let runtime = &self.session.jobs()[0].runtime;
        runtime.log_since(self.heard).for_each(|entry| self.trace.said(entry));
        self.heard = runtime.logged();
    }

    fn answer(&mut self) {
        loop {
            let effects = self.session.take_effects();
            if effects.is_empty() {
                return;
            }
            for (job, effect) in effects {
                if let Effect::Store { request, body } = effect {
                    let response = self.store.execute(body);
                    let _ = self.session.jobs_mut()[job].runtime.handle(Event::Response { request, response });
                }
            }
        }
    }
}

/// How often each row is there.
fn copies(rows: Vec<Vec<String>>) -> Copies {
    let mut copies = Copies::new();
    for row in rows {
        *copies.get_or_default(row) += 1;
    }
    copies
}

/// The rows that were found, and those that were not, beside the truth.
fn marked(found: &[Vec<String>]) -> Vec<Row> {
    let mut by_id: SortedMap<i64, Vec<&Vec<String>>> = SortedMap::new();
    for row in found {
        let id = row.first().and_then(|id| id.parse().ok()).unwrap_or(0);
        by_id.get_or_default(id).push(row);
    }
    let mut rows = Vec::new();
    for (id, right) in truth() {
        let truth = right.last().cloned().unwrap_or_default();
        let row = |values: &Vec<String>, mark| Row {
            id,
            values: values.clone(),
            truth: truth.clone(),
            mark,
            crashes: Vec::new(),
            why: String::new(),
        };
        let Some(mut found) = by_id.remove(&id) else {
            rows.push(row(&right, Mark::Lost));
            continue;
        };
        // The one that is right first, if there is one: the others are too many.
        sorted::sort_by_key(&mut found, |row| **row != right);
        for (number, values) in found.into_iter().enumerate() {
            let mark = match (number, *values == right) {
                (0, true) => Mark::Right,
                (0, false) => Mark::Wrong,
                _ => Mark::Doubled,
            };
            rows.push(row(values, mark));
        }
    }
    rows
}
