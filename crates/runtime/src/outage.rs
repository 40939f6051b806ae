//! Storage that goes wrong for a while, by the will of somebody who watches or by the seed of a simulation: away, full, or slow.
//!
//! It lies between a job's effects and the store, and so is the host's: the engine only sees what any store may do to it.

use serde::{Deserialize, Serialize};

use crate::store::{Key, StoreRequest, StoreResponse};

/// Whose storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// Where checkpoints are kept.
    Checkpoints,
    /// Where the sinks write: the log, the table store.
    Sinks,
}

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outage {
    /// Nothing is carried out.
    Away,
    /// Nothing can be written; reading and deleting go on.
    Full,
}

/// How slow it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slow {
    /// A request takes so many ms more.
    pub ms: i64,
    /// Bytes that go through in a second, all requests together; 0 for any number.
    pub rate: u64,
}

/// The outages in force, one a place at the most, and where it is slow.
#[derive(Clone, Debug, Default)]
pub struct Outages {
    broken: Vec<(Place, Outage, i64)>,
    /// With the time until which the line is taken.
    slow: Vec<(Place, Slow, i64)>,
}

/// What is in force: where, what and how much longer (ms); and where storage is slow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptOutages {
    broken: Vec<(Place, Outage, i64)>,
    slow: Vec<(Place, Slow)>,
}

impl Outages {
    /// Begins an outage until a host time (ms), in the place of one that is in force there. A time that is over ends that one.
    pub fn begin(&mut self, place: Place, outage: Outage, until: i64) {
        self.broken.retain(|(of, ..)| *of != place);
        self.broken.push((place, outage, until));
    }

    /// What is in force: place, outage, its end.
    pub fn in_force(&self, now: i64) -> impl Iterator<Item = (Place, Outage, i64)> {
        self.broken.iter().copied().filter(move |(_, _, until)| *until > now)
    }

    /// Storage is so slow from now on.
    pub fn slow_down(&mut self, place: Place, slow: Slow) {
        self.slow.retain(|(of, ..)| *of != place);
        if slow != Slow::default() {
            self.slow.push((place, slow, i64::MIN));
        }
    }

    /// Where it is slow, and how.
    pub fn slow(&self) -> impl Iterator<Item = (Place, Slow)> {
        self.slow.iter().map(|(place, slow, _)| (*place, *slow))
    }

    /// As it is kept for the engine that comes after this one: storage is not better for its loss. What is left is told to the second.
    pub fn kept(&self, now: i64) -> KeptOutages {
        let left = |until: i64| (until - now + 999) / 1_000 * 1_000;
        KeptOutages {
            broken: self.in_force(now).map(|(place, outage, until)| (place, outage, left(until))).collect(),
            slow: self.slow().collect(),
        }
    }

    /// Goes on with what was in force.
    pub fn go_on(kept: &KeptOutages, now: i64) -> Outages {
        let mut outages = Outages::default();
        for (place, outage, left) in &kept.broken {
            outages.begin(*place, *outage, now.saturating_add(*left));
        }
        kept.slow.iter().for_each(|(place, slow)| outages.slow_down(*place, *slow));
        outages
    }

    /// The host time before which this request is not answered, if its storage is slow. It is carried out all the same: who is lost
    /// in between does not know.
    pub fn answered_at(&mut self, request: &StoreRequest, now: i64) -> Option<i64> {
        let place = place_of(request).filter(|_| !self.slow.is_empty())?;
        let (_, slow, taken) = self.slow.iter_mut().find(|(of, ..)| *of == place)?;
        let bytes = bytes_of(request);
        let through = bytes.saturating_mul(1_000).checked_div(slow.rate).unwrap_or(0);
        *taken = now.max(*taken).saturating_add(through as i64);
        Some(taken.saturating_add(slow.ms.max(0)))
    }

    /// The answer to a job's request that is not carried out for it.
    pub fn refusal(&self, request: &StoreRequest, now: i64) -> Option<StoreResponse> {
        let place = place_of(request)?;
        let (_, outage, _) = self.in_force(now).find(|(of, ..)| *of == place)?;
        let message = match (outage, place) {
            (Outage::Away, Place::Checkpoints) => "checkpoint storage does not answer",
            (Outage::Away, Place::Sinks) => "the sink's store does not answer",
            (Outage::Full, _) if !writes(request) => return None,
            (Outage::Full, Place::Checkpoints) => "checkpoint storage is full",
            (Outage::Full, Place::Sinks) => "the sink's store is full",
        };
        Some(StoreResponse::Failed { message: message.to_owned(), uncertain: false })
    }
}

fn writes(request: &StoreRequest) -> bool {
    matches!(request, StoreRequest::Batch { put, .. } if !put.is_empty())
}

/// What it brings.
fn bytes_of(request: &StoreRequest) -> u64 {
    match request {
        StoreRequest::Batch { put, .. } => put.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum(),
        _ => 0,
    }
}

/// Whose storage a request is for; what sources read is nobody's.
fn place_of(request: &StoreRequest) -> Option<Place> {
    let has = |key: &Key, part: &[u8]| key.windows(part.len()).any(|window| window == part);
    match request {
        StoreRequest::Get { key } | StoreRequest::Scan { from: key, .. } if key.starts_with(b"checkpoints/") => {
            Some(Place::Checkpoints)
        }
        // The keys of writers and of their transactions.
        StoreRequest::Get { key } | StoreRequest::Scan { from: key, .. } => {
            let parts: [&[u8]; 4] = [b"/writer/", b"/open/", b"/done/", b"/txn/"];
            parts.iter().any(|part| has(key, part)).then_some(Place::Sinks)
        }
        // A sink's writer may require that its job has not been taken over: what counts is what is written.
        StoreRequest::Batch { delete, put, .. } => {
            let mut keys = delete.iter().map(|(from, _)| from).chain(put.iter().map(|(key, _)| key));
            let checkpoints = keys.any(|key| key.starts_with(b"checkpoints/"));
            Some(if checkpoints { Place::Checkpoints } else { Place::Sinks })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::keys::Keys;

    fn put(key: Key) -> StoreRequest {
        StoreRequest::Batch { require: Vec::new(), delete: Vec::new(), put: vec![(key, Key::new())] }
    }

    #[test]
    fn what_is_in_force_outlives_an_engine() {
        let mut outages = Outages::default();
        outages.begin(Place::Sinks, Outage::Full, 5_500);
        outages.begin(Place::Checkpoints, Outage::Away, 900);
        outages.slow_down(Place::Checkpoints, Slow { ms: 7, rate: 9 });
        let later = Outages::go_on(&outages.kept(1_000), 100_000);
        assert_eq!(later.in_force(100_000).collect::<Vec<_>>(), [(Place::Sinks, Outage::Full, 105_000)]);
        assert_eq!(later.slow().collect::<Vec<_>>(), [(Place::Checkpoints, Slow { ms: 7, rate: 9 })]);
        assert_eq!(outages.kept(6_000), KeptOutages { slow: later.slow().collect(), ..KeptOutages::default() });
    }

    #[test]
    fn each_place_has_an_outage_of_its_own_until_it_is_over() {
        let mut outages = Outages::default();
        let (manifest, row) = (put(Keys::new("j").manifest(1)), put("table/t/row/1".into()));
        let epoch = StoreRequest::Get { key: Keys::new("j").epoch() };
        outages.begin(Place::Checkpoints, Outage::Full, 10);
        outages.begin(Place::Sinks, Outage::Away, 20);
        assert!(matches!(outages.refusal(&manifest, 9), Some(StoreResponse::Failed { uncertain: false, .. })));
        assert_eq!(outages.refusal(&epoch, 9), None);
        assert_eq!(outages.refusal(&manifest, 10), None);
        assert!(outages.refusal(&row, 10).is_some());
        assert!(outages.refusal(&StoreRequest::Get { key: "log/t/writer/s/0".into() }, 10).is_some());
        // A source goes on reading.
        assert_eq!(outages.refusal(&StoreRequest::Get { key: "log/t/0/1".into() }, 10), None);
        assert_eq!(outages.in_force(10).collect::<Vec<_>>(), [(Place::Sinks, Outage::Away, 20)]);
        outages.begin(Place::Sinks, Outage::Away, 0);
        assert_eq!(outages.refusal(&row, 10), None);
        outages.begin(Place::Checkpoints, Outage::Away, 20);
        assert!(outages.refusal(&epoch, 10).is_some());
    }

    #[test]
    fn slow_storage_answers_one_after_the_other() {
        let mut outages = Outages::default();
        let manifest = put(Keys::new("job").manifest(1));
        assert_eq!(outages.answered_at(&manifest, 10), None);
        outages.slow_down(Place::Checkpoints, Slow { ms: 5, rate: 0 });
        assert_eq!(outages.answered_at(&manifest, 10), Some(15));
        assert_eq!(outages.answered_at(&StoreRequest::Get { key: "log/t/0/1".into() }, 10), None);
        let bytes = bytes_of(&manifest);
        outages.slow_down(Place::Checkpoints, Slow { ms: 5, rate: bytes });
        // A second each, and the second one waits for the first.
        assert_eq!(outages.answered_at(&manifest, 10), Some(1_015));
        assert_eq!(outages.answered_at(&manifest, 10), Some(2_015));
        outages.slow_down(Place::Checkpoints, Slow::default());
        assert_eq!(outages.answered_at(&manifest, 10), None);
        assert_eq!(outages.slow().count(), 0);
    }
}
