//! The segments behind a subtask's state: what is written, what is still to be sealed and written, and the acknowledgement that waits for it.

use std::collections::VecDeque;
use tidegate_data::sorted::SortedMap;

use bytes::Bytes;

use crate::checkpoint::in_flight;
use crate::checkpoint::keys::SegmentId;
use crate::checkpoint::manifest::{Generation, SegmentRef, TableManifest};
use crate::checkpoint::segment::{RawEntries, SEGMENT_BYTES, Sealed};
use crate::element::CheckpointId;
use crate::env::{Acknowledged, Env, Owner, Signal};
use crate::state::Scope;
use crate::store::{Key, RequestId, StoreRequest, StoreResponse};
use crate::view::Acknowledgement;

/// Most bytes of segments in one batch.
const BATCH_BYTES: usize = 4 * SEGMENT_BYTES;

#[derive(Debug)]
struct Unwritten {
    bytes: Bytes,
    /// The batch that is under way with it.
    request: Option<RequestId>,
}

/// Entries read out of a table for a checkpoint.
#[derive(Debug)]
struct Unsealed {
    table: usize,
    checkpoint: CheckpointId,
    entries: RawEntries,
}

/// A checkpoint that is acknowledged once everything is written.
#[derive(Debug)]
struct Pending {
    checkpoint: CheckpointId,
    figures: Acknowledgement,
    /// Host time at which the subtask went on.
    since: i64,
    /// It was given up: it is acknowledged as long as no other one is.
    given_up: bool,
}

/// The state files of a subtask.
#[derive(Debug)]
pub(crate) struct Files {
    subtask: usize,
    /// First and last key group of the subtask.
    key_groups: (u16, u16),
    pub(crate) tables: Vec<TableManifest>,
    unsealed: VecDeque<Unsealed>,
    unwritten: SortedMap<SegmentId, Unwritten>,
    /// Oldest first.
    pending: VecDeque<Pending>,
    /// What is on its way is still being recorded for this checkpoint.
    recording: Option<CheckpointId>,
    /// Segments that no table refers to any more.
    pub(crate) dropped: Vec<SegmentId>,
}

impl Files {
    pub(crate) fn new(subtask: usize, key_groups: (u16, u16)) -> Files {
        Files {
            subtask,
            key_groups,
            tables: Vec::new(),
            unsealed: VecDeque::new(),
            unwritten: SortedMap::new(),
            pending: VecDeque::new(),
            recording: None,
            dropped: Vec::new(),
        }
    }

    pub(crate) fn key_groups(&self) -> (u16, u16) {
        self.key_groups
    }

    /// The key groups that count in a table's segments: those of the subtask, or all where entries have none.
    pub(crate) fn table_key_groups(&self, table: usize) -> (u16, u16) {
        match self.tables[table].scope {
            Scope::Keyed => self.key_groups,
            Scope::Split | Scope::Union => (0, u16::MAX),
        }
    }

    /// State is about to be read out as of a checkpoint. What was on its way at an earlier one is over; with `records` it will be told anew.
    pub(crate) fn begin(&mut self, checkpoint: CheckpointId, records: bool) {
        self.recording = records.then_some(checkpoint);
        if let Some(table) = self.tables.iter().position(|table| table.uid == in_flight::UID) {
            self.unsealed.retain(|unsealed| unsealed.table != table);
            let generations = std::mem::take(&mut self.tables[table].generations);
            let segments = generations.iter().flat_map(|generation| &generation.segments);
            self.dropped.extend(segments.map(|segment| segment.id));
        }
    }

    /// All that was on its way as of a checkpoint.
    pub(crate) fn recorded(&mut self, checkpoint: CheckpointId, entries: RawEntries, env: &mut Env) {
        self.recording = None;
        if let Some(table) = self.tables.iter().position(|table| table.uid == in_flight::UID) {
            self.add(table, checkpoint, entries);
        }
        if self.unsealed.is_empty() {
            self.acknowledge(env);
        }
    }

    /// A checkpoint was given up.
    pub(crate) fn give_up(&mut self, checkpoint: CheckpointId) {
        for pending in self.pending.iter_mut().filter(|pending| pending.checkpoint == checkpoint) {
            pending.given_up = true;
        }
        self.recording = self.recording.filter(|recording| *recording != checkpoint);
    }

    /// Takes entries of a table that changed up to a checkpoint.
    pub(crate) fn add(&mut self, table: usize, checkpoint: CheckpointId, entries: RawEntries) {
        if !entries.is_empty() {
            self.unsealed.push_back(Unsealed { table, checkpoint, entries });
        }
    }

    /// State has been read out as of `checkpoint`: acknowledge once it is written.
    pub(crate) fn expect(&mut self, checkpoint: CheckpointId, figures: Acknowledgement, env: &mut Env) {
        self.pending.retain(|pending| !pending.given_up);
        self.pending.push_back(Pending { checkpoint, figures, since: env.now, given_up: false });
        if self.unsealed.is_empty() {
            self.write(env);
        }
    }

    /// Checkpoints whose part is still being written.
    pub(crate) fn writing(&self) -> impl Iterator<Item = CheckpointId> {
        self.pending.iter().filter(|pending| !pending.given_up).map(|pending| pending.checkpoint)
    }

    /// Whether [`Files::seal`] has something to do.
    pub(crate) fn has_unsealed(&self) -> bool {
        !self.unsealed.is_empty()
    }

    /// Orders and encodes one segment. Whenever there is a batch of them they are written, and after the last, so that no step hands over
    /// the whole state at once.
    pub(crate) fn seal(&mut self, env: &mut Env) {
        let Some(unsealed) = self.unsealed.pop_front() else { return };
        let sealed = unsealed.entries.seal();
        let segment = self.keep(unsealed.table, sealed, env);
        let generations = &mut self.tables[unsealed.table].generations;
        match generations.last_mut() {
            Some(last) if last.checkpoint == unsealed.checkpoint => last.segments.push(segment),
            _ => generations.push(Generation { checkpoint: unsealed.checkpoint, segments: vec![segment] }),
        }
        let unsent = self.unwritten.values().filter(|unwritten| unwritten.request.is_none());
        let unsent: usize = unsent.map(|unwritten| unwritten.bytes.len()).sum();
        if self.unsealed.is_empty() || unsent >= BATCH_BYTES {
            self.write(env);
        }
    }

    /// Gives a segment its name and keeps it until it is written.
    fn keep(&mut self, table: usize, sealed: Sealed, env: &mut Env) -> SegmentRef {
        let id = env.new_segment();
        let segment = SegmentRef {
            id,
            key_groups: self.table_key_groups(table),
            entries: sealed.entries,
            bytes: sealed.bytes.len() as u32,
            crc: sealed.crc,
        };
        self.unwritten.insert(id, Unwritten { bytes: sealed.bytes, request: None });
        segment
    }

    /// The bytes of a segment that the store may not have yet.
    pub(crate) fn in_memory(&self, id: SegmentId) -> Option<Bytes> {
        self.unwritten.get(&id).map(|unwritten| unwritten.bytes.clone())
    }

    /// Sends everything that is not on its way.
    fn write(&mut self, env: &mut Env) {
        let mut batch: Vec<(SegmentId, Bytes)> = Vec::new();
        let mut size = 0;
        let waiting: Vec<(SegmentId, Bytes)> = self
            .unwritten
            .iter()
            .filter(|(_, unwritten)| unwritten.request.is_none())
            .map(|(id, unwritten)| (*id, unwritten.bytes.clone()))
            .collect();
        for (id, bytes) in waiting {
            size += bytes.len();
            batch.push((id, bytes));
            if size >= BATCH_BYTES {
                self.send(std::mem::take(&mut batch), env);
                size = 0;
            }
        }
        if !batch.is_empty() {
            self.send(batch, env);
        }
        self.acknowledge(env);
    }

    fn send(&mut self, batch: Vec<(SegmentId, Bytes)>, env: &mut Env) {
        let ids: Vec<SegmentId> = batch.iter().map(|(id, _)| *id).collect();
        let put: Vec<(Key, Bytes)> = batch.into_iter().map(|(id, bytes)| (env.keys.segment(id), bytes)).collect();
        let body = StoreRequest::Batch { require: vec![env.epoch()], delete: Vec::new(), put };
        let request = env.request(Owner::Persist(self.subtask), body);
        for id in ids {
            if let Some(unwritten) = self.unwritten.get_mut(&id) {
                unwritten.request = Some(request);
            }
        }
    }

    /// The store has answered a batch.
    pub(crate) fn response(&mut self, request: RequestId, response: StoreResponse, env: &mut Env) {
        match response {
            StoreResponse::Done => {
                self.unwritten.retain(|_, unwritten| unwritten.request != Some(request));
                self.acknowledge(env);
            }
            StoreResponse::Refused { .. } => env.signals.push(Signal::Fenced),
            StoreResponse::Failed { message, .. } => self.decline(request, message, env),
            StoreResponse::Value(_) | StoreResponse::Entries(_) => {
                self.decline(request, "the store gave an answer to another question".to_owned(), env);
            }
        }
    }

    /// The segments stay: the next checkpoint needs them too, and writes them again under the same names.
    fn decline(&mut self, request: RequestId, reason: String, env: &mut Env) {
        let mut failed = Vec::new();
        for (id, unwritten) in self.unwritten.iter_mut() {
            if unwritten.request == Some(request) {
                unwritten.request = None;
                failed.push(*id);
            }
        }
        for pending in std::mem::take(&mut self.pending) {
            if failed.iter().all(|segment| self.is_later(pending.checkpoint, *segment)) {
                self.pending.push_back(pending);
            } else {
                env.signals.push(Signal::Declined { checkpoint: pending.checkpoint, reason: reason.clone() });
            }
        }
    }

    /// Whether a segment belongs to a later checkpoint than this one.
    fn is_later(&self, checkpoint: CheckpointId, segment: SegmentId) -> bool {
        let generations = self.tables.iter().flat_map(|table| &table.generations);
        let mut later = generations.filter(|generation| generation.checkpoint > checkpoint);
        later.any(|generation| generation.segments.iter().any(|one| one.id == segment))
    }

    /// Whether everything is written that a checkpoint needs.
    fn is_written(&self, checkpoint: CheckpointId) -> bool {
        self.unsealed.iter().all(|unsealed| unsealed.checkpoint > checkpoint)
            && self.unwritten.keys().all(|segment| self.is_later(checkpoint, *segment))
    }

    fn acknowledge(&mut self, env: &mut Env) {
        while self.recording.is_none()
            && self.pending.front().is_some_and(|first| self.is_written(first.checkpoint))
            && let Some(mut pending) = self.pending.pop_front()
        {
            // What a later checkpoint has added does not belong to this one.
            let mut tables = self.tables.clone();
            for table in &mut tables {
                table.generations.retain(|generation| generation.checkpoint <= pending.checkpoint);
            }
            let generations = tables.iter().flat_map(|table| &table.generations);
            let written = generations.filter(|generation| generation.checkpoint == pending.checkpoint);
            pending.figures.bytes = written.map(Generation::bytes).sum();
            pending.figures.step = env.step;
            pending.figures.at = env.now;
            pending.figures.async_ms = env.now - pending.since;
            env.signals.push(Signal::Acknowledged(Acknowledged {
                subtask: self.subtask,
                checkpoint: pending.checkpoint,
                figures: pending.figures,
                tables,
            }));
        }
    }
}
