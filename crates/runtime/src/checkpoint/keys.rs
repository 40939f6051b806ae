//! Where a job's checkpoints lie in the store: all keys begin with `checkpoints`, then the job's name.
//!
//! | key | value |
//! | --- | --- |
//! | `checkpoints/JOB\0epoch` | the attempt that may write |
//! | `checkpoints/JOB\0last` | the last checkpoint number given out |
//! | `checkpoints/JOB\0manifest/` id | a completed checkpoint |
//! | `checkpoints/JOB\0segment/` attempt, number | changed state entries, never rewritten |

use bytes::{BufMut, Bytes, BytesMut};
use serde::{Deserialize, Serialize};

use crate::element::CheckpointId;
use crate::store::Key;

/// Names a segment: the attempt that wrote it and a number within the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct SegmentId(pub(crate) u64, pub(crate) u64);

/// The keys of one job.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    prefix: Vec<u8>,
}

impl Keys {
    pub(crate) fn new(job: &str) -> Keys {
        let mut prefix = b"checkpoints/".to_vec();
        prefix.extend_from_slice(job.as_bytes());
        prefix.push(0);
        Keys { prefix }
    }

    fn key(&self, kind: &str, numbers: &[u64]) -> Key {
        let mut key = BytesMut::with_capacity(self.prefix.len() + kind.len() + 8 * numbers.len());
        key.put_slice(&self.prefix);
        key.put_slice(kind.as_bytes());
        numbers.iter().for_each(|number| key.put_u64(*number));
        key.freeze()
    }

    pub(crate) fn epoch(&self) -> Key {
        self.key("epoch", &[])
    }

    pub(crate) fn last_id(&self) -> Key {
        self.key("last", &[])
    }

    pub(crate) fn manifest(&self, id: CheckpointId) -> Key {
        self.key("manifest/", &[id])
    }

    /// Every manifest with an id from `from` to below `to`.
    pub(crate) fn manifests(&self, from: CheckpointId, to: Option<CheckpointId>) -> (Key, Key) {
        let end = to.map_or_else(|| self.key("manifest0", &[]), |to| self.manifest(to));
        (self.manifest(from), end)
    }

    pub(crate) fn segment(&self, id: SegmentId) -> Key {
        self.key("segment/", &[id.0, id.1])
    }

    /// Every segment between two, neither included; `None`: from the first, to the last.
    pub(crate) fn segments_between(&self, after: Option<SegmentId>, before: Option<SegmentId>) -> (Key, Key) {
        let from = match after {
            None => self.key("segment/", &[]),
            Some(id) => just_after(&self.segment(id)),
        };
        let to = before.map_or_else(|| self.key("segment0", &[]), |id| self.segment(id));
        (from, to)
    }
}

/// The first key after `key`.
pub(crate) fn just_after(key: &Key) -> Key {
    let mut next = BytesMut::with_capacity(key.len() + 1);
    next.put_slice(key);
    next.put_u8(0);
    next.freeze()
}

/// An attempt and its engine as a value: who may write.
pub(crate) fn claim(attempt: u64, engine: u64) -> Bytes {
    Bytes::from([attempt.to_be_bytes(), engine.to_be_bytes()].concat())
}

/// The attempt and the engine in a value.
pub(crate) fn parse_claim(value: &[u8]) -> Option<(u64, u64)> {
    let (attempt, engine) = value.split_at_checked(8)?;
    Some((parse_number(attempt)?, parse_number(engine)?))
}

/// A number as a value.
pub(crate) fn number(value: u64) -> Bytes {
    Bytes::copy_from_slice(&value.to_be_bytes())
}

/// The number in a value.
pub(crate) fn parse_number(value: &[u8]) -> Option<u64> {
    value.try_into().ok().map(u64::from_be_bytes)
}
