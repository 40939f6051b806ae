//! Guarantees side by side: one query, one input, one schedule of crashes, under each guarantee of state and with each kind of sink.
//!
//! Every combination is a session of its own with a store in memory, driven by the same list: so many rows, so many steps, a checkpoint, a crash.
//! What a committed reader finds in the end is compared with the truth, which is computed from the input alone.

use std::collections::BTreeMap;

use tidegate_connectors::table;
use tidegate_data::{RowKind, Zone};
use tidegate_diag::Diagnostic;
use tidegate_runtime::rng::Rng;
use tidegate_runtime::{
    Command, Effect, Event, FeedItem, JobState, MemoryStore, Policy, RestartStrategy, Restore, Store,
};

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

/// What a combination has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was to hold for state.
    pub state: StateGuarantee,
    /// How the sink wrote.
    pub sink: SinkKind,
    /// The rows, by id: values as text, and what is to be said of each.
    pub rows: Vec<(Vec<String>, Mark)>,
    /// Attempts of the job.
    pub attempts: u64,
}

impl Outcome {
    /// How many rows have this mark.
    pub fn count(&self, mark: Mark) -> usize {
        self.rows.iter().filter(|(_, of)| *of == mark).count()
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

/// What is right.
fn truth() -> BTreeMap<i64, Vec<String>> {
    let mut totals = BTreeMap::new();
    let row = |id: i64| {
        let (_, customer, amount) = payment(id);
        let total = totals.entry(customer).or_insert(0);
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
    now: i64,
    fed: i64,
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
    let mut run = Run { session, store: MemoryStore::new(), now: 0, fed: 0 };
    for action in schedule(seed, crashes) {
        match action {
            Action::Feed(rows) => run.feed(rows),
            Action::Steps(steps) => (0..steps).for_each(|_| run.step()),
            // Refused where there are none.
            Action::Checkpoint => run.command(Command::TriggerCheckpoint),
            Action::Crash => run.command(Command::FailJob),
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
    let page = table::read(&mut run.store, "bills", table::Isolation::ReadCommitted);
    let found = page.map_or_else(|_| Vec::new(), |page| chunk_texts(&page.rows, &page.schema, Zone::UTC));
    let attempts = run.session.jobs()[0].runtime.view().attempt;
    Ok(Outcome { state, sink, rows: marked(found), attempts })
}

impl Run {
    fn feed(&mut self, rows: i64) {
        for _ in 0..rows {
            self.fed += 1;
            let (split, customer, amount) = payment(self.fed);
            let texts = [self.fed.to_string(), customer.to_owned(), amount.to_string()].map(Some);
            if let Ok(item) = self.session.parse_row("payments", RowKind::Insert, &texts) {
                self.session.feed("payments", split, &[item]);
            }
        }
    }

    fn command(&mut self, command: Command) {
        let _ = self.session.jobs_mut()[0].runtime.handle(Event::Command(command));
        self.answer();
    }

    /// A millisecond, and a step. The store answers at once.
    fn step(&mut self) {
        self.now += 1;
        self.session.time(self.now);
        self.session.jobs_mut()[0].runtime.step_element();
        self.answer();
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

/// The rows that were found, and those that were not, beside the truth.
fn marked(found: Vec<Vec<Option<String>>>) -> Vec<(Vec<String>, Mark)> {
    let mut by_id: BTreeMap<i64, Vec<Vec<String>>> = BTreeMap::new();
    for row in found {
        let row: Vec<String> = row.into_iter().map(Option::unwrap_or_default).collect();
        let id = row.first().and_then(|id| id.parse().ok()).unwrap_or(0);
        by_id.entry(id).or_default().push(row);
    }
    let mut rows = Vec::new();
    for (id, right) in truth() {
        let Some(mut found) = by_id.remove(&id) else {
            rows.push((right, Mark::Lost));
            continue;
        };
        // The one that is right first, if there is one: the others are too many.
        found.sort_by_key(|row| *row != right);
        for (number, row) in found.into_iter().enumerate() {
            let mark = match (number, row == right) {
                (0, true) => Mark::Right,
                (0, false) => Mark::Wrong,
                _ => Mark::Doubled,
            };
            rows.push((row, mark));
        }
    }
    rows
}
