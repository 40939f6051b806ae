//! Which crash a row is to be put down to: by what each attempt of the job has read, where it began, and when a row came into the table.

use tidegate_data::sorted::{SortedMap, SortedSet};
use tidegate_runtime::CheckpointId;
use tidegate_runtime::view::{LogEntry, LogEvent};

use super::{Mark, PAYMENTS, Row, StateGuarantee, amount_of, payment, right_total};

/// Splits of the input.
const SPLITS: usize = 2;

/// A crash, and how the job went on after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crash {
    /// From 1; the attempt that it ended has the same number.
    pub number: u32,
    /// The scheduler step at which it came.
    pub step: u64,
    /// The step from which on the job ran again.
    pub back: u64,
    /// The checkpoint that it went back to; `None`: it began from nothing.
    pub restored: Option<CheckpointId>,
    /// Payments that had been read before it, and were read once more after it.
    pub again: Vec<i64>,
    /// Payments that came before the job ran again, had not been read, and never were.
    pub skipped: Vec<i64>,
    /// Payments that had been read before it, and that nothing brings back.
    pub forgotten: Vec<i64>,
}

/// What an attempt has read: from which item of each split, up to which.
#[derive(Clone, Copy, Debug, Default)]
struct Attempt {
    from: [u64; SPLITS],
    to: [u64; SPLITS],
}

/// Rows of the table, however written: how often each is there.
pub(super) type Copies = SortedMap<Vec<String>, usize>;

/// What is noted while a combination runs.
#[derive(Debug)]
pub(super) struct Trace {
    state: StateGuarantee,
    /// Attempts, oldest first.
    attempts: Vec<Attempt>,
    pub crashes: Vec<Crash>,
    /// The table at each crash, as an uncommitted reader sees it.
    tables: Vec<Copies>,
    /// Completed checkpoints, the step of each, and the attempt that made it.
    pub checkpoints: Vec<(CheckpointId, u64, usize)>,
}

/// Where a payment stands in the input: split and offset.
fn place(id: i64) -> (usize, u64) {
    let split = payment(id).0;
    let before = (1..id).filter(|other| payment(*other).0 == split).count();
    (split as usize, before as u64)
}

/// Payments of which the place is within these bounds.
fn between(from: &[u64; SPLITS], to: &[u64; SPLITS]) -> Vec<i64> {
    let within = |id: &i64| {
        let (split, offset) = place(*id);
        from[split] <= offset && offset < to[split]
    };
    (1..=PAYMENTS).filter(within).collect()
}

impl Trace {
    pub fn new(state: StateGuarantee) -> Trace {
        Trace {
            state,
            attempts: vec![Attempt::default()],
            crashes: Vec::new(),
            tables: Vec::new(),
            checkpoints: Vec::new(),
        }
    }

    /// Whether the state of a checkpoint has been restored after the last crash.
    pub fn is_restored(&self) -> bool {
        self.crashes.last().is_some_and(|crash| crash.restored.is_some())
    }

    /// Where the attempt that runs began to read.
    pub fn began(&self) -> [u64; SPLITS] {
        self.attempts.last().map_or([0; SPLITS], |attempt| attempt.from)
    }

    /// The job has crashed at a step; it had read up to `to`, and the table held `table`.
    pub fn crashed(&mut self, step: u64, to: Option<[u64; SPLITS]>, table: Copies) {
        if let Some(attempt) = self.attempts.last_mut() {
            // One that was not ready to read has read nothing.
            attempt.to = to.unwrap_or(attempt.from);
        }
        let number = self.crashes.len() as u32 + 1;
        self.crashes.push(Crash { number, step, ..Crash::default() });
        self.tables.push(table);
    }

    /// The next attempt runs, and reads from `from` on.
    pub fn runs(&mut self, step: u64, from: [u64; SPLITS]) {
        let Some((crash, before)) = self.crashes.last_mut().zip(self.attempts.last().copied()) else { return };
        crash.back = step;
        crash.again = between(&from, &before.to);
        crash.skipped = between(&before.to, &from);
        if self.state == StateGuarantee::AtMostOnce {
            crash.forgotten = between(&before.from, &before.to);
        }
        self.attempts.push(Attempt { from, to: [u64::MAX; SPLITS] });
    }

    /// What the job has said.
    pub fn said(&mut self, entry: &LogEntry) {
        match entry.event {
            LogEvent::Restored { checkpoint, .. } => {
                if let Some(crash) = self.crashes.last_mut() {
                    crash.restored = Some(checkpoint);
                }
            }
            LogEvent::CheckpointCompleted { checkpoint } => {
                self.checkpoints.push((checkpoint, entry.step, self.crashes.len()));
            }
            _ => {}
        }
    }

    /// Finds for each row that is not as it should be which crashes have caused it, and says how. `found` is the table in the end.
    pub fn explain(&self, rows: &mut [Row], found: &Copies) {
        let mut nth: SortedMap<Vec<String>, usize> = SortedMap::new();
        let mut since: Vec<usize> = Vec::new();
        for row in rows.iter() {
            let number = nth.get_or_default(row.values.clone());
            *number += 1;
            since.push(self.there_since(&row.values, *number, found));
        }
        let written: Vec<(i64, usize)> = rows.iter().zip(&since).map(|(row, since)| (row.id, *since)).collect();
        for (row, since) in rows.iter_mut().zip(since) {
            let (crashes, why) = match row.mark {
                Mark::Right => continue,
                Mark::Lost => self.lost(row.id),
                Mark::Doubled => self.doubled(row.id, since, &written),
                Mark::Wrong if self.state == StateGuarantee::AtMostOnce => self.not_counted(row.id, since),
                Mark::Wrong => self.counted_twice(row, since),
            };
            (row.crashes, row.why) = (crashes, why);
        }
    }

    /// The attempt since which so many copies of a row have been in the table.
    fn there_since(&self, row: &Vec<String>, copies: usize, found: &Copies) -> usize {
        let there = |table: &Copies| table.get(row).is_some_and(|count| *count >= copies);
        if !there(found) {
            return self.tables.len();
        }
        self.tables.iter().rposition(|table| !there(table)).map_or(0, |place| place + 1)
    }

    /// The crash behind which nobody has read a payment any more: it was on its way, or not read yet.
    fn lost(&self, id: i64) -> (Vec<u32>, String) {
        let Some(crash) = self.loses(id) else {
            return (Vec::new(), "it was never committed".to_owned());
        };
        let number = crash.number;
        let table = &self.tables[number as usize - 1];
        let why = if crash.skipped.contains(&id) {
            format!("it came while nothing ran after crash {number}, which goes on with what comes from then on")
        } else if table.keys().any(|row| row.first() == Some(&id.to_string())) {
            format!("it was in a transaction that had not been committed when crash {number} came")
        } else {
            format!("it had been read and was on its way when crash {number} came, and nobody reads it again")
        };
        (vec![number], why)
    }

    /// The crash that has thrown the job back behind a payment for good.
    fn loses(&self, id: i64) -> Option<&Crash> {
        let (split, offset) = place(id);
        let starts = self.attempts.iter().skip(1);
        self.crashes.iter().zip(starts).find(|(_, next)| offset < next.from[split]).map(|(crash, _)| crash)
    }

    /// The crash between two copies of a row: what was read before it was read again.
    fn doubled(&self, id: i64, since: usize, written: &[(i64, usize)]) -> (Vec<u32>, String) {
        let (split, offset) = place(id);
        let others = written.iter().filter(|(other, _)| *other == id).map(|(_, since)| *since);
        // The copy that came last is the one too many, whichever of them is right.
        let last = others.max().unwrap_or(since).max(since);
        let between = self.crashes.iter().take(last).rev();
        let crash = between.into_iter().find(|crash| {
            let (before, after) = (&self.attempts[crash.number as usize - 1], self.attempts.get(crash.number as usize));
            offset < before.to[split] && after.is_some_and(|after| after.from[split] <= offset)
        });
        let Some(crash) = crash else { return (Vec::new(), "it was written twice".to_owned()) };
        let number = crash.number;
        let from = match crash.restored {
            Some(checkpoint) => format!("checkpoint {checkpoint}, which had not read it yet"),
            None => "the beginning".to_owned(),
        };
        (vec![number], format!("it was written before crash {number}, and again after it: the job went back to {from}"))
    }

    /// At most once: what was read before the attempt that wrote the row is in no state any more.
    fn not_counted(&self, id: i64, since: usize) -> (Vec<u32>, String) {
        let from = self.attempts.get(since).map_or([0; SPLITS], |attempt| attempt.from);
        let customer = payment(id).1;
        let missing: Vec<i64> =
            between(&[0; SPLITS], &from).into_iter().filter(|of| payment(*of).1 == customer).collect();
        let crashes: SortedSet<u32> = missing.iter().filter_map(|of| Some(self.loses(*of)?.number)).collect();
        let crashes: Vec<u32> = crashes.into_iter().collect();
        let why = format!("{} not counted: the state was lost with {}", payments(&missing), named(&crashes));
        (crashes, why)
    }

    /// At least once: the checkpoint's state had counted payments that the job read again.
    fn counted_twice(&self, row: &Row, since: usize) -> (Vec<u32>, String) {
        let total = row.values.last().and_then(|total| total.parse::<i64>().ok()).unwrap_or(0);
        let Some(twice) = self.excess(since, payment(row.id).1, total - right_total(row.id)) else {
            return (Vec::new(), "state has counted another number of rows".to_owned());
        };
        let crashes: Vec<u32> = twice.iter().map(|(crash, _)| *crash).collect();
        let ids: Vec<i64> = twice.into_iter().flat_map(|(_, ids)| ids).collect();
        let why = format!(
            "{} counted twice: already in the state that {} went back to, and read again",
            payments(&ids),
            named(&crashes)
        );
        (crashes, why)
    }

    /// Which of a customer's payments an attempt counts twice, so that it comes to `excess` too much, and with which crash each. Without
    /// alignment a subtask's state has seen of a channel what came directly behind its barrier: the first of what is read again.
    fn excess(&self, attempt: usize, customer: &str, excess: i64) -> Option<Vec<(u32, Vec<i64>)>> {
        let made = attempt.checked_sub(1).and_then(|before| {
            let restored = self.crashes[before].restored?;
            self.checkpoints.iter().find(|(id, ..)| *id == restored).map(|(.., made)| (before, *made))
        });
        let Some((before, made)) = made else { return (excess == 0).then(Vec::new) };
        let again = between(&self.attempts[attempt].from, &self.attempts[made].to);
        let again: Vec<i64> = again.into_iter().filter(|id| payment(*id).1 == customer).collect();
        (0..=again.len()).find_map(|count| {
            let twice = &again[..count];
            let sum: i64 = twice.iter().map(|id| amount_of(*id)).sum();
            let mut rest = self.excess(made, customer, excess - sum)?;
            if !twice.is_empty() {
                rest.push((self.crashes[before].number, twice.to_vec()));
            }
            Some(rest)
        })
    }
}

/// `payment 3 is`, `payments 3 and 5 are`.
fn payments(ids: &[i64]) -> String {
    let texts: Vec<String> = ids.iter().map(i64::to_string).collect();
    match texts.as_slice() {
        [one] => format!("payment {one} is"),
        many => format!("payments {} are", list(many)),
    }
}

/// `crash 1`, `crashes 1 and 2`.
fn named(crashes: &[u32]) -> String {
    let texts: Vec<String> = crashes.iter().map(u32::to_string).collect();
    match texts.as_slice() {
        [one] => format!("crash {one}"),
        many => format!("crashes {}", list(many)),
    }
}

fn list(texts: &[String]) -> String {
    match texts {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        texts => texts.concat(),
    }
}
