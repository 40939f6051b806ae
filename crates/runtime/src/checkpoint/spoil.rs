//! A part of a job's newest checkpoint is lost or damaged, on purpose. Who restores it must find that out by the checksums.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::keys::{Keys, just_after};
use super::manifest::Manifest;
use crate::element::CheckpointId;
use crate::store::{Key, StoreRequest, StoreResponse};

/// What happens to the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Harm {
    /// It is gone.
    Lost,
    /// A bit of it is another.
    Damaged,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoiled {
    /// Ask the store this, and say what it answers.
    Ask(StoreRequest),
    /// It is done, to a part of this checkpoint.
    Done(CheckpointId),
    /// There is nothing to spoil, or the store has failed: why.
    Not(String),
}

/// The work: questions to the store and its answers in turn.
#[derive(Clone, Debug)]
pub struct Spoiling {
    harm: Harm,
    keys: Keys,
    /// The checkpoint, and the key of its part.
    target: Option<(CheckpointId, Key)>,
    writing: bool,
}

impl Spoiling {
    /// The work on the newest checkpoint of a job (under its name in the store), and its first question.
    pub fn new(job: &str, harm: Harm) -> (Spoiling, StoreRequest) {
        let keys = Keys::new(job);
        let (from, to) = keys.manifests(0, None);
        (Spoiling { harm, keys, target: None, writing: false }, StoreRequest::Scan { from, to, limit: 1024 })
    }

    /// The next question, after this answer.
    pub fn next(&mut self, response: StoreResponse) -> Spoiled {
        match (response, &self.target) {
            (StoreResponse::Entries(entries), None) => {
                let manifests = entries.iter().filter_map(|(_, value)| Manifest::decode(value).ok());
                let Some(newest) = manifests.filter(|manifest| !manifest.aside).last() else {
                    return Spoiled::Not("No checkpoint is kept.".to_owned());
                };
                // What was written last belongs to this checkpoint alone, wherever anything was written for it; the ones before stay whole.
                let own = |generation: &super::manifest::Generation| generation.checkpoint == newest.id;
                let tables = newest.vertices.iter().flat_map(|vertex| &vertex.subtasks).flatten();
                let segments = tables.flat_map(|table| &table.generations).filter(|generation| own(generation));
                let segment = segments.flat_map(|generation| &generation.segments).map(|segment| segment.id).max();
                let key = segment.map_or_else(|| self.keys.manifest(newest.id), |id| self.keys.segment(id));
                self.target = Some((newest.id, key.clone()));
                match self.harm {
                    Harm::Lost if segment.is_some() => {
                        self.writing = true;
                        Spoiled::Ask(batch(vec![(key.clone(), just_after(&key))], Vec::new()))
                    }
                    // A list of parts that is gone would be a checkpoint that has never been: so it is cut short.
                    Harm::Lost | Harm::Damaged => Spoiled::Ask(StoreRequest::Get { key }),
                }
            }
            (StoreResponse::Value(Some(value)), Some((_, key))) => {
                self.writing = true;
                let mut spoilt = value.to_vec();
                match (self.harm, spoilt.len() / 2) {
                    (Harm::Damaged, middle) if middle > 0 => spoilt[middle] ^= 1,
                    (_, middle) => spoilt.truncate(middle),
                }
                Spoiled::Ask(batch(Vec::new(), vec![(key.clone(), spoilt.into())]))
            }
            (StoreResponse::Done, Some((checkpoint, _))) if self.writing => Spoiled::Done(*checkpoint),
            (StoreResponse::Failed { message, .. }, _) => Spoiled::Not(message),
            _ => Spoiled::Not("The checkpoint is gone by now.".to_owned()),
        }
    }
}

fn batch(delete: Vec<(Key, Key)>, put: Vec<(Key, Bytes)>) -> StoreRequest {
    StoreRequest::Batch { require: Vec::new(), delete, put }
}
