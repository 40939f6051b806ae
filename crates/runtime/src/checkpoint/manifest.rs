//! What a completed checkpoint consists of: per operator, subtask and table the segments that make up its state.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::checkpoint::crc::crc32;
use crate::checkpoint::keys::SegmentId;
use crate::element::CheckpointId;
use crate::event::Stop;
use crate::state::Scope;

/// A segment, as far as it counts for one subtask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SegmentRef {
    /// Which.
    pub(crate) id: SegmentId,
    /// First and last key group that count.
    pub(crate) key_groups: (u16, u16),
    /// Entries in all.
    pub(crate) entries: u32,
    /// Bytes in all.
    pub(crate) bytes: u32,
    /// Its checksum.
    pub(crate) crc: u32,
}

/// The segments that one checkpoint (or merge) wrote of a table: no key is in two of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Generation {
    /// The checkpoint for which it was written, 0 for a merged one.
    pub(crate) checkpoint: CheckpointId,
    /// The segments.
    pub(crate) segments: Vec<SegmentRef>,
}

impl Generation {
    pub(crate) fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| u64::from(segment.bytes)).sum()
    }
}

/// A table of a subtask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableManifest {
    /// Stable name of the operator.
    pub(crate) uid: String,
    /// Name of the table.
    pub(crate) table: String,
    /// Its kind, key and value types.
    pub(crate) schema: String,
    /// How it is spread.
    pub(crate) scope: Scope,
    /// Oldest first; later entries win.
    pub(crate) generations: Vec<Generation>,
}

/// A vertex: its subtasks' tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VertexManifest {
    /// Name of the chain, for people.
    pub(crate) name: String,
    /// The tables of each subtask.
    pub(crate) subtasks: Vec<Vec<TableManifest>>,
}

/// A completed checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Its number.
    pub(crate) id: CheckpointId,
    /// The attempt that made it.
    pub(crate) attempt: u64,
    /// Host time of its completion, ms.
    pub(crate) at: i64,
    /// Number of key groups.
    pub(crate) max_parallelism: u32,
    /// No later checkpoint replaces it.
    #[serde(default)]
    pub(crate) savepoint: bool,
    /// The job has gone back to an earlier one since: it is only restored when it is asked for by its number.
    #[serde(default)]
    pub(crate) aside: bool,
    /// The job has come to its end with it: who only takes over from another engine has nothing but its commits left to do.
    #[serde(default)]
    pub(crate) stop: Option<Stop>,
    /// The vertices.
    pub(crate) vertices: Vec<VertexManifest>,
}

impl Manifest {
    /// As bytes: the CRC-32 of the JSON text, then the text.
    pub(crate) fn encode(&self) -> Bytes {
        let text = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = crc32(&text).to_le_bytes().to_vec();
        bytes.extend_from_slice(&text);
        Bytes::from(bytes)
    }

    /// # Errors
    /// What is wrong with it, for people.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Manifest, String> {
        let Some((crc, text)) = bytes.split_first_chunk::<4>() else {
            return Err("its manifest is too short".to_owned());
        };
        if crc32(text) != u32::from_le_bytes(*crc) {
            return Err("its manifest's checksum does not fit".to_owned());
        }
        serde_json::from_slice(text).map_err(|error| format!("its manifest cannot be read: {error}"))
    }

    /// Every segment that it needs.
    pub(crate) fn segments(&self) -> impl Iterator<Item = SegmentId> {
        let tables = self.vertices.iter().flat_map(|vertex| &vertex.subtasks).flatten();
        tables
            .flat_map(|table| &table.generations)
            .flat_map(|generation| &generation.segments)
            .map(|segment| segment.id)
    }
}
