//! Runs again: what entered a session is recorded, and a player takes another session through the same, to any place of it.
//!
//! The engine is a deterministic machine, so script, seed and recording are the run, to the byte. What the store answered is not recorded:
//! the player has a store in memory, in which everything happens in the order in which it was answered then. Only where the store failed
//! is its answer part of the recording, and of all others a checksum, which says whether the past is still what it was.

mod digest;
mod engine;
mod keeper;
mod link;
mod player;
mod recorder;

use serde::{Deserialize, Serialize};
use tidegate_runtime::{Event, FeedItem, RequestId, StoreRequest, StoreResponse};

pub use engine::{Begun, Engine};
pub use keeper::{Keeper, Kept, Load};
pub use link::{Link, LinkError};
pub use player::{Player, ReplayError};
pub use recorder::Recorder;

/// Everything that made a run what it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// The script.
    pub sql: String,
    /// The seed of its jobs.
    pub seed: u64,
    /// Host time at the start, ms.
    pub start: i64,
    /// What entered, in order.
    pub entries: Vec<Entry>,
    /// Steps that each job had taken at the end.
    pub steps: Vec<u64>,
}

/// Something that entered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// A job had taken so many steps when this entered.
    Job {
        /// The job.
        job: u32,
        /// Its steps.
        step: u64,
        /// What entered.
        what: Entered,
    },
    /// The host itself wrote into the store.
    Outside(StoreRequest),
    /// The engine was lost when its jobs had taken so many steps; all it had asked of the store was carried out. The next one begins at `now`.
    Lost {
        /// Steps of each job.
        steps: Vec<u64>,
        /// Host time, ms.
        now: i64,
    },
    /// Another engine began, in its own way. Nothing is carried out for the one before, and what the new one is fed is told by entries behind
    /// this one. As the first entry it says how the first engine began.
    Engine(Box<Engine>),
    /// As the first entry: the run has begun from checkpoints of one before it.
    From(Box<Begun>),
}

impl Entry {
    /// Steps that the jobs of an engine had taken when it went away.
    fn ended(&self) -> Option<&[u64]> {
        match self {
            Entry::Lost { steps, .. } => Some(steps),
            Entry::Engine(engine) => Some(&engine.steps),
            Entry::Job { .. } | Entry::Outside(_) | Entry::From(_) => None,
        }
    }
}

/// What entered a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entered {
    /// Anything but an answer.
    Event(Event),
    /// The store's answer to a request: what the store in memory gives. With a checksum of it.
    Answered(RequestId, u8),
    /// An answer as it was: the store could not. Or what it did was told by an entry of its own.
    Failed(RequestId, StoreResponse),
}

/// A place in a run: so many entries have entered, and each job has taken so many steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Entries.
    pub entries: usize,
    /// Steps of each job, as the engine of that time counted them.
    pub steps: Vec<u64>,
}

impl Recording {
    /// What it has begun from, if that was a run before it.
    pub fn begun(&self) -> Option<&Begun> {
        match self.entries.first() {
            Some(Entry::From(from)) => Some(from),
            _ => None,
        }
    }

    /// The end.
    pub fn end(&self) -> Place {
        Place { entries: self.entries.len(), steps: self.steps.clone() }
    }

    /// Where job `job` has taken `step` steps, over all engines. The other jobs stand where they stood when the last thing before entered.
    pub fn place(&self, job: usize, step: u64) -> Place {
        let mut steps = vec![0; self.steps.len()];
        let mut base = 0;
        for (number, entry) in self.entries.iter().enumerate() {
            match entry {
                Entry::Job { job: of, step: at, .. } => {
                    if *of as usize == job && base + at > step {
                        return self.at(number, steps, job, step - base);
                    }
                    if let Some(steps) = steps.get_mut(*of as usize) {
                        *steps = (*steps).max(*at);
                    }
                }
                Entry::Outside(_) | Entry::From(_) => {}
                Entry::Lost { .. } | Entry::Engine(_) => {
                    let all = entry.ended().and_then(|taken| taken.get(job)).copied().unwrap_or(0);
                    if base + all > step {
                        return self.at(number, steps, job, step - base);
                    }
                    base += all;
                    steps.fill(0);
                }
            }
        }
        let last = self.steps.get(job).copied().unwrap_or(0);
        if base + last <= step {
            return self.end();
        }
        self.at(self.entries.len(), steps, job, step - base)
    }

    /// As [`Recording::place`], before what was fed at this step: where the row that is read next was only sent now, it is not there yet.
    pub fn place_unfed(&self, job: usize, step: u64) -> Place {
        let place = self.place(job, step);
        let mut steps = vec![0; self.steps.len()];
        let mut base = 0;
        for (number, entry) in self.entries[..place.entries].iter().enumerate() {
            match entry {
                Entry::Job { job: of, step: at, what } => {
                    let fed = matches!(what, Entered::Event(Event::Feed { .. }));
                    if *of as usize == job && base + at == step && fed {
                        return self.at(number, steps, job, step - base);
                    }
                    if let Some(steps) = steps.get_mut(*of as usize) {
                        *steps = (*steps).max(*at);
                    }
                }
                Entry::Outside(_) | Entry::From(_) => {}
                Entry::Lost { .. } | Entry::Engine(_) => {
                    base += entry.ended().and_then(|taken| taken.get(job)).copied().unwrap_or(0);
                    steps.fill(0);
                }
            }
        }
        place
    }

    fn at(&self, entries: usize, mut steps: Vec<u64>, job: usize, step: u64) -> Place {
        if let Some(own) = steps.get_mut(job) {
            *own = (*own).max(step);
        }
        Place { entries, steps }
    }

    /// Steps that a job has taken up to a place, over all engines.
    pub fn steps_at(&self, place: &Place, job: usize) -> u64 {
        let entries = &self.entries[..place.entries.min(self.entries.len())];
        let lost = entries.iter().filter_map(|entry| entry.ended()?.get(job));
        lost.sum::<u64>() + place.steps.get(job).copied().unwrap_or(0)
    }

    /// How often rows were fed to the jobs up to a place.
    pub fn feeds_at(&self, place: &Place) -> u64 {
        feeds(&self.entries[..place.entries.min(self.entries.len())])
    }

    /// What was fed: table, split, items.
    pub fn fed(&self) -> Vec<(String, u32, Vec<FeedItem>)> {
        feeds_of(&self.entries)
    }

    /// The recording up to a place.
    #[must_use]
    pub fn cut(&self, place: &Place) -> Recording {
        Recording {
            entries: self.entries[..place.entries.min(self.entries.len())].to_vec(),
            steps: place.steps.clone(),
            ..self.clone()
        }
    }
}

/// What was fed to the jobs: table, split, items.
pub fn feeds_of(entries: &[Entry]) -> Vec<(String, u32, Vec<FeedItem>)> {
    let fed = since_engine(entries).iter().filter_map(|entry| match entry {
        Entry::Job { job: 0, what: Entered::Event(Event::Feed { table, split, items }), .. } => {
            Some((table.clone(), *split, items.clone()))
        }
        _ => None,
    });
    fed.collect()
}

/// How often rows were fed to the jobs.
pub fn feeds(entries: &[Entry]) -> u64 {
    let fed = |entry: &&Entry| matches!(entry, Entry::Job { job: 0, what: Entered::Event(Event::Feed { .. }), .. });
    since_engine(entries).iter().filter(fed).count() as u64
}

/// What entered behind the last engine that began in its own way: it is fed all of the input anew.
fn since_engine(entries: &[Entry]) -> &[Entry] {
    let begins = entries.iter().rposition(|entry| matches!(entry, Entry::Engine(_)));
    &entries[begins.unwrap_or(0)..]
}

/// A checksum of an answer.
fn checksum(response: &StoreResponse) -> u8 {
    let mut hash = digest::Fnv::default();
    match response {
        StoreResponse::Value(value) => {
            hash.byte(1);
            hash.bytes(value.as_deref().unwrap_or_default());
        }
        StoreResponse::Entries(entries) => {
            hash.byte(2);
            for (key, value) in entries {
                hash.bytes(key);
                hash.bytes(value);
            }
        }
        StoreResponse::Done => hash.byte(3),
        StoreResponse::Refused { key } => {
            hash.byte(4);
            hash.bytes(key);
        }
        StoreResponse::Failed { message, .. } => {
            hash.byte(5);
            hash.bytes(message.as_bytes());
        }
    }
    let all = hash.finish();
    (all ^ (all >> 32)) as u8
}
