//! The bill service twice: as it is today, a program that works in batches (`service`), and as a streaming job; on the same log, with the same
//! duplicates, crashed at the same moment, each with its own table in one table store. Beside them the truth: every payment once.

mod service;

use std::collections::BTreeSet;
use tidegate_data::sorted::SortedMap;

use tidegate_connectors::{log, table};
use tidegate_data::{RowKind, Schema, Zone};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::rng::Rng;
use tidegate_runtime::view::{CheckpointStatus, CheckpointView, LogEvent};
use tidegate_runtime::{Command, FeedItem, JobState, Policy, RestartStrategy, Restore};

use self::service::Service;
pub use self::service::{Fate, Line, ServiceBatch, TABLE};
use crate::rig::Rig;
use crate::{Session, SessionOptions, chunk_texts, rows_chunk};

/// Who pays.
pub const ACCOUNTS: [&str; 4] = ["Ada", "Bo", "Cy", "Di"];
/// Payments at the beginning, each counted once.
const PAYMENTS: i64 = 14;
/// Host time of a tick, ms: the service does one thing a tick.
const TICK: i64 = 1_000;
/// Elements that the job works off in a tick.
const ELEMENTS: usize = 8;
/// How long both are down after a crash, ms.
const DOWN: i64 = 2_000;
/// Ticks after which a run must have come to its end.
const TICKS: u32 = 2_000;
/// When the first payment comes, ms since the epoch.
const BEGIN: i64 = 1_704_096_000_000;

const NO_BILLS: Code = Code::new("TG4131");

/// What a run is made from.
#[derive(Clone, Debug)]
pub struct BillsSpec {
    /// The streaming job: it reads `payments` (payment, account, amount) from a log, and writes `balances` (account, total, ..) to a table.
    pub sql: String,
    /// What payments are drawn from.
    pub seed: u32,
    /// Rows of a batch of the service.
    pub batch: usize,
    /// The batch of the service (from 1) half-way through which both crash; 0: none.
    pub crash_in: usize,
}

/// A payment in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paid {
    /// Its number.
    pub id: i64,
    /// Whose.
    pub account: String,
    /// How much, in hundredths.
    pub cents: i64,
    /// Its partition.
    pub partition: u32,
    /// It has come before.
    pub again: bool,
}

/// Why the service has written a row that it should not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It had written the same row of the log before this crash (from 1), and not recorded it.
    Twice {
        /// The crash.
        crash: u32,
    },
    /// It had written the payment with this batch (from 1), and does not remember.
    Through {
        /// The batch.
        batch: usize,
    },
}

/// What an account comes to, in hundredths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Whose.
    pub name: String,
    /// Every payment of the log once.
    pub truth: i64,
    /// What the service's table adds up to.
    pub service: i64,
    /// Of it: what was written twice because of a crash.
    pub twice: i64,
    /// Of it: what came again in a later batch.
    pub through: i64,
    /// What the job's table says to a committed reader.
    pub job: i64,
    /// What it says to an uncommitted one.
    pub pending: i64,
}

/// A crash of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BothCrashed {
    /// The tick.
    pub tick: u32,
    /// The batch of the service that was under way, from 1; 0: none.
    pub batch: usize,
    /// The checkpoint that the job went back to; `None` while it is down, or if there was none.
    pub restored: Option<u64>,
}

/// Both, as they stand.
pub struct Bills {
    rig: Rig,
    service: Service,
    topic: String,
    columns: Schema,
    partitions: u32,
    crash_in: usize,
    payments: Vec<Paid>,
    crashes: Vec<BothCrashed>,
    down_until: i64,
    tick: u32,
    seed: Rng,
    heard: u64,
    /// The job's step since which it has read all of the log.
    all_read: Option<u64>,
}

impl Bills {
    /// Both at their beginning, and the first payments in the log.
    ///
    /// # Errors
    /// What is wrong with the script, or that it is no script of bills (TG4131).
    pub fn new(spec: BillsSpec) -> Result<Bills, Vec<Diagnostic>> {
        let mut session = Session::new(SessionOptions {
            seed: u64::from(spec.seed),
            now: BEGIN,
            chunk_limit: 1,
            policy: Policy::RoundRobin,
            restart: RestartStrategy::FixedDelay { attempts: u32::MAX, delay: DOWN },
            ..SessionOptions::default()
        });
        session.run(&spec.sql, Restore::None)?;
        let feed = session.feeds().into_iter().find(|feed| feed.table == "payments");
        let topic = feed.as_ref().and_then(|feed| feed.options.get("topic").cloned());
        let (Some(feed), Some(topic), 1) = (feed, topic, session.jobs().len()) else {
            return Err(vec![Diagnostic::error(NO_BILLS, "The script has no log of payments and one job over it.")]);
        };
        let service = Service::new(&topic, feed.splits, feed.physical.clone(), spec.batch);
        let mut bills = Bills {
            rig: Rig::new(session, BEGIN, 0),
            service,
            topic,
            columns: feed.physical,
            partitions: feed.splits,
            crash_in: spec.crash_in,
            payments: Vec::new(),
            crashes: Vec::new(),
            down_until: BEGIN,
            tick: 0,
            seed: Rng::new(u64::from(spec.seed) ^ 0xb111_5e41),
            heard: 0,
            all_read: None,
        };
        bills.first_payments(spec.batch).map_err(|problem| vec![problem])?;
        Ok(bills)
    }

    /// Draws the first payments: some come again, behind so many others, so that it is in the same batch or in a later one.
    fn first_payments(&mut self, batch: usize) -> Result<(), Diagnostic> {
        let mut order: Vec<i64> = (1..=PAYMENTS).collect();
        for _ in 0..PAYMENTS / 3 {
            let id = 1 + self.seed.below(PAYMENTS as usize) as i64;
            let first = order.iter().position(|other| *other == id).unwrap_or(0);
            let behind = first + 1 + self.seed.below(batch.max(1) + batch / 2 + 1);
            order.insert(behind.min(order.len()), id);
        }
        for id in order {
            match self.payments.iter().position(|paid| paid.id == id) {
                Some(place) => self.again(place)?,
                None => self.pay(None)?,
            }
        }
        Ok(())
    }

    /// A new payment arrives; of an account, or of one that is drawn.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn pay(&mut self, account: Option<&str>) -> Result<(), Diagnostic> {
        let drawn = ACCOUNTS[self.seed.below(ACCOUNTS.len())];
        let account = account.unwrap_or(drawn).to_owned();
        let cents = 500 * (1 + self.seed.below(20) as i64);
        let id = self.payments.iter().map(|paid| paid.id).max().unwrap_or(0) + 1;
        let place = ACCOUNTS.iter().position(|name| *name == account).unwrap_or(0) as u32;
        self.append(Paid { id, account, cents, partition: place % self.partitions.max(1), again: false })
    }

    /// A payment that is in the log arrives once more.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn again(&mut self, place: usize) -> Result<(), Diagnostic> {
        let Some(paid) = self.payments.get(place) else { return Ok(()) };
        self.append(Paid { again: true, ..paid.clone() })
    }

    fn append(&mut self, paid: Paid) -> Result<(), Diagnostic> {
        let texts = [paid.id.to_string(), paid.account.clone(), decimal(paid.cents)].map(Some);
        let unfit = || Diagnostic::error(NO_BILLS, "A payment does not fit the columns of the log of payments.");
        let item = self.rig.session.parse_row("payments", RowKind::Insert, &texts).map_err(|_| unfit())?;
        let FeedItem::Row(kind, values) = item else { return Err(unfit()) };
        let rows = rows_chunk(&self.columns, vec![(kind, values)]).map_err(|_| unfit())?;
        // Each a millisecond later than the one before.
        let at = BEGIN + self.payments.len() as i64;
        let append = log::Append::new(&self.topic, self.partitions, paid.partition, at, &self.columns, &rows);
        append.run(&mut self.rig.store)?;
        self.payments.push(paid);
        self.all_read = None;
        Ok(())
    }

    /// So many ticks: the service does one thing in each, the job works off a few elements.
    ///
    /// # Errors
    /// When the service cannot go on, or the job has failed for good.
    pub fn advance(&mut self, ticks: u32) -> Result<(), Diagnostic> {
        for _ in 0..ticks {
            self.tick += 1;
            self.rig.pass(TICK);
            if self.rig.now >= self.down_until {
                self.service.step(&mut self.rig.store)?;
            }
            let _ = (0..ELEMENTS).find(|_| !self.rig.step());
            self.listen();
            if let JobState::Failed(why) = self.rig.session.jobs()[0].runtime.state() {
                return Err(why.clone());
            }
            if self.is_half_way() {
                self.crash();
            }
        }
        Ok(())
    }

    /// Goes on until both have worked off all that is in the log.
    ///
    /// # Errors
    /// As [`Bills::advance`].
    pub fn finish(&mut self) -> Result<(), Diagnostic> {
        for _ in 0..TICKS {
            if self.is_done()? {
                break;
            }
            self.advance(1)?;
        }
        Ok(())
    }

    /// Both crash now.
    pub fn crash(&mut self) {
        let under_way = self.service.batches().last().filter(|batch| !batch.recorded && !batch.lost);
        let batch = if under_way.is_some() { self.service.batches().len() } else { 0 };
        self.crashes.push(BothCrashed { tick: self.tick, batch, restored: None });
        self.service.crash();
        self.rig.command(0, Command::FailJob);
        self.down_until = self.rig.now + DOWN;
    }

    /// Whether the batch in which both are to crash is half written, for the first time.
    fn is_half_way(&self) -> bool {
        let batches = self.service.batches();
        let Some(batch) = batches.last().filter(|batch| batches.len() == self.crash_in && !batch.lost) else {
            return false;
        };
        let count = |fate: Fate| batch.lines.iter().filter(|line| line.fate == fate).count();
        let (written, waiting) = (count(Fate::Written), count(Fate::Waiting));
        waiting > 0 && written > 0 && written >= waiting
    }

    fn listen(&mut self) {
        let ends = self.ends();
        let job = &mut self.rig.session.jobs_mut()[0];
        for entry in job.runtime.log_since(self.heard) {
            if let (LogEvent::Restored { checkpoint, .. }, Some(crash)) = (&entry.event, self.crashes.last_mut()) {
                crash.restored = Some(*checkpoint);
            }
        }
        self.heard = job.runtime.logged();
        let view = job.runtime.view();
        let read = job.read(&view).into_iter().next().map(|read| read.to.splits).unwrap_or_default();
        let all = (0..).zip(&ends).all(|(partition, end)| *end == 0 || read.contains(&(partition, *end)));
        self.all_read = all.then(|| self.all_read.unwrap_or(view.step));
    }

    /// Whether the service has recorded all of the log, and the job has committed all of it: a checkpoint has completed that began behind it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_done(&mut self) -> Result<bool, Diagnostic> {
        if self.rig.now < self.down_until || self.service.recorded(&mut self.rig.store)? != self.ends() {
            return Ok(false);
        }
        // What a completed checkpoint holds is committed a little later.
        if self.accounts()?.iter().any(|account| account.job != account.pending) {
            return Ok(false);
        }
        let history = self.rig.session.jobs()[0].runtime.view().history;
        let behind = |one: &CheckpointView, step| one.status == CheckpointStatus::Completed && one.triggered.0 >= step;
        Ok(self.all_read.is_some_and(|step| history.iter().any(|one| behind(one, step))))
    }

    /// The offset behind the last payment of each partition.
    fn ends(&self) -> Vec<u64> {
        let count = |partition| self.payments.iter().filter(|paid| paid.partition == partition).count() as u64;
        (0..self.partitions).map(count).collect()
    }

    /// Every account, as both and as the truth have it.
    ///
    /// # Errors
    /// When the tables cannot be read.
    pub fn accounts(&mut self) -> Result<Vec<Account>, Diagnostic> {
        let mut accounts: SortedMap<String, Account> = SortedMap::new();
        for paid in self.payments.iter().filter(|paid| !paid.again) {
            of(&mut accounts, &paid.account).truth += paid.cents;
        }
        for row in self.rows(TABLE, table::Isolation::ReadCommitted)? {
            of(&mut accounts, &row[1]).service += cents(&row[2]);
        }
        for (batch, line, fault) in self.faults() {
            let line = &self.service.batches()[batch].lines[line];
            let account = of(&mut accounts, &line.values[1]);
            match fault {
                Fault::Twice { .. } => account.twice += cents(&line.values[2]),
                Fault::Through { .. } => account.through += cents(&line.values[2]),
            }
        }
        for row in self.rows("balances", table::Isolation::ReadCommitted)? {
            of(&mut accounts, &row[0]).job += cents(&row[1]);
        }
        for row in self.rows("balances", table::Isolation::ReadUncommitted)? {
            of(&mut accounts, &row[0]).pending += cents(&row[1]);
        }
        Ok(accounts.into_values().collect())
    }

    fn rows(&mut self, name: &str, isolation: table::Isolation) -> Result<Vec<Vec<String>>, Diagnostic> {
        let page = table::read(&mut self.rig.store, name, isolation)?;
        let rows = chunk_texts(&page.rows, &page.schema, Zone::UTC).into_iter();
        Ok(rows.map(|row| row.into_iter().map(Option::unwrap_or_default).collect()).collect())
    }

    /// Rows that the service has written and should not have: batch, row (both from 0), why.
    pub fn faults(&self) -> Vec<(usize, usize, Fault)> {
        let mut written: Vec<(usize, &Line)> = Vec::new();
        let mut faults = Vec::new();
        for (number, batch) in self.service.batches().iter().enumerate() {
            for (place, line) in batch.lines.iter().enumerate().filter(|(_, line)| line.fate == Fate::Written) {
                let same =
                    |other: &&(usize, &Line)| (other.1.partition, other.1.offset) == (line.partition, line.offset);
                let fault = if let Some((before, _)) = written.iter().rev().find(same) {
                    let crash = self.service.batches()[*before].start;
                    Some(Fault::Twice { crash })
                } else {
                    let first = written.iter().find(|(_, other)| other.values.first() == line.values.first());
                    first.map(|(batch, _)| Fault::Through { batch: batch + 1 })
                };
                faults.extend(fault.map(|fault| (number, place, fault)));
                written.push((number, line));
            }
        }
        faults
    }

    /// The service's batches, oldest first.
    pub fn batches(&self) -> &[ServiceBatch] {
        self.service.batches()
    }

    /// What the service does next, for people.
    pub fn next(&self) -> &'static str {
        if self.rig.now < self.down_until { "is down" } else { self.service.next() }
    }

    /// The offsets that the service has recorded, by partition.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn recorded(&mut self) -> Result<Vec<u64>, Diagnostic> {
        self.service.recorded(&mut self.rig.store)
    }

    /// What is in the log, in order of arrival.
    pub fn payments(&self) -> &[Paid] {
        &self.payments
    }

    /// Crashes so far.
    pub fn crashes(&self) -> &[BothCrashed] {
        &self.crashes
    }

    /// Ticks so far.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// The job: its state, checkpoints completed, rows that it has read of each partition, and payments that its state knows.
    pub fn job(&mut self) -> (JobState, u64, Vec<u64>) {
        let job = &mut self.rig.session.jobs_mut()[0];
        job.note();
        let view = job.runtime.view();
        let read = job.read(&view).into_iter().next().map(|read| read.to.splits).unwrap_or_default();
        (view.state, job.history.completed(), read.into_iter().map(|(_, rows)| rows).collect())
    }

    /// How many different payments are in the log.
    pub fn distinct(&self) -> usize {
        self.payments.iter().map(|paid| paid.id).collect::<BTreeSet<_>>().len()
    }
}

/// The account of a name, made if it is new.
fn of<'a>(accounts: &'a mut SortedMap<String, Account>, name: &str) -> &'a mut Account {
    accounts.get_or_insert_with(name.to_owned(), || Account { name: name.to_owned(), ..Account::default() })
}

/// Hundredths as text.
pub fn decimal(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

fn cents(text: &str) -> i64 {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let part: i64 = format!("{part:0<2}").get(..2).and_then(|part| part.parse().ok()).unwrap_or(0);
    let hundreds = whole.trim_start_matches('-').parse::<i64>().unwrap_or(0) * 100 + part;
    if whole.starts_with('-') { -hundreds } else { hundreds }
}
