//! The start of an attempt: take over from whoever wrote last, find a checkpoint, load it.
//!
//! In order: read the epoch; raise it (from here on everybody else is refused, so what is read now stays true); read the last checkpoint number
//! and list the manifests; load the segments of the newest one that is whole; drop what nothing refers to; let the operators get ready.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use tidegate_diag::Diagnostic;

use super::Job;
use super::build::Attempt;
use super::checkpoints::Retained;
use crate::checkpoint::keys::{SegmentId, number, parse_number};
use crate::checkpoint::manifest::Manifest;
use crate::checkpoint::plan::{Gather, Load, RestorePlan, Spread};
use crate::checkpoint::segment::{RawEntries, SegmentReader};
use crate::element::CheckpointId;
use crate::env::Owner;
use crate::errors;
use crate::settings::Restore;
use crate::snapshot::with_table;
use crate::state::{EntryRef, Scope};
use crate::store::{RequestId, StoreRequest, StoreResponse};
use crate::view::{JobState, LogEvent};

/// Segments that are fetched at a time.
const FETCHES: usize = 8;
/// How often a request is issued again when the store fails.
const RETRIES: u32 = 5;
/// The most manifests listed: more than can be retained.
const MANIFESTS: usize = 1024;

/// What is waited for.
#[derive(Debug)]
enum Phase {
    /// The epoch.
    Reading,
    /// The new epoch.
    Acquiring,
    /// The last checkpoint number, and the manifests.
    Listing { last_id: bool, manifests: Option<Vec<(Bytes, Bytes)>> },
    /// Segments.
    Loading(Loading),
    /// The removal of what nothing refers to.
    Cleaning,
}

/// A checkpoint on its way into the operators.
#[derive(Debug)]
struct Loading {
    checkpoint: CheckpointId,
    plan: RestorePlan,
    /// Fetched, not yet applied; in the order of `plan.loads`.
    fetched: VecDeque<(RequestId, Option<Bytes>)>,
    /// How many loads have been asked for.
    asked: usize,
    /// How many have been applied.
    applied: usize,
    bytes: u64,
}

/// The start of an attempt.
#[derive(Debug)]
pub(super) struct Startup {
    restore: Restore,
    /// A new engine takes over from anybody; an attempt after a failure only from its own job.
    fresh: bool,
    phase: Phase,
    /// What has been asked and can be asked again.
    asked: BTreeMap<RequestId, StoreRequest>,
    retries: u32,
    /// Whole manifests that are no newer than the one being loaded, newest last.
    candidates: Vec<Manifest>,
}

impl Startup {
    pub(super) fn is_acquiring(&self) -> bool {
        matches!(self.phase, Phase::Acquiring)
    }
}

impl Job {
    /// Starts an attempt.
    pub(super) fn begin_attempt(&mut self, restore: Restore, fresh: bool) {
        if !fresh {
            self.state = JobState::Restoring;
        }
        self.startup = Some(Startup {
            restore,
            fresh,
            phase: Phase::Reading,
            asked: BTreeMap::new(),
            retries: 0,
            candidates: Vec::new(),
        });
        self.read_epoch();
    }

    fn read_epoch(&mut self) {
        if let Some(startup) = &mut self.startup {
            startup.phase = Phase::Reading;
        }
        let key = self.env.keys.epoch();
        self.ask(StoreRequest::Get { key });
    }

    fn ask(&mut self, body: StoreRequest) -> RequestId {
        let request = self.env.request(Owner::Startup, body.clone());
        if let Some(startup) = &mut self.startup {
            startup.asked.insert(request, body);
        }
        request
    }

    pub(super) fn startup_response(&mut self, request: RequestId, response: StoreResponse) {
        let Some(startup) = &mut self.startup else { return };
        let Some(body) = startup.asked.remove(&request) else { return };
        if let StoreResponse::Failed { message, uncertain } = response {
            if uncertain && matches!(startup.phase, Phase::Acquiring) {
                self.tried = self.env.attempt;
            }
            return self.startup_failed(request, body, message);
        }
        match (&mut startup.phase, response) {
            (Phase::Reading, StoreResponse::Value(epoch)) => self.acquire(epoch),
            (Phase::Acquiring, StoreResponse::Done) => self.acquired(),
            // Somebody was quicker: look again.
            (Phase::Acquiring, StoreResponse::Refused { .. }) => self.read_epoch(),
            (Phase::Listing { last_id, .. }, StoreResponse::Value(value)) => {
                *last_id = true;
                let value = value.and_then(|value| parse_number(&value)).unwrap_or(0);
                self.coordinator.last_id = self.coordinator.last_id.max(value);
                self.listed();
            }
            (Phase::Listing { manifests, .. }, StoreResponse::Entries(entries)) => {
                *manifests = Some(entries);
                self.listed();
            }
            (Phase::Loading(loading), StoreResponse::Value(value)) => {
                match (value, loading.fetched.iter_mut().find(|(id, _)| *id == request)) {
                    (Some(value), Some((_, slot))) => *slot = Some(value),
                    (None, _) => self.damaged("a segment of its state is missing".to_owned()),
                    _ => {}
                }
            }
            (Phase::Cleaning, StoreResponse::Done) => self.open_operators(),
            (_, StoreResponse::Refused { .. }) => self.fenced(),
            _ => self.startup_failed(request, body, "the store gave an answer to another question".to_owned()),
        }
    }

    fn startup_failed(&mut self, request: RequestId, body: StoreRequest, message: String) {
        let Some(startup) = &mut self.startup else { return };
        startup.retries += 1;
        if startup.retries > RETRIES {
            let message = format!("The store failed while the job was starting: {message}");
            return self.fail(Diagnostic::error(errors::STORE_FAILED, message), None);
        }
        if matches!(startup.phase, Phase::Acquiring) {
            // Written or not: the next number is free in either case.
            return self.read_epoch();
        }
        let again = self.ask(body);
        if let Some(Startup { phase: Phase::Loading(loading), .. }) = &mut self.startup {
            loading.fetched.iter_mut().filter(|(id, _)| *id == request).for_each(|(id, _)| *id = again);
        }
    }

    fn acquire(&mut self, epoch: Option<Bytes>) {
        let Some(startup) = &mut self.startup else { return };
        let stored = epoch.as_ref().and_then(|epoch| parse_number(epoch)).unwrap_or(0);
        let own = (self.held..=self.held.max(self.tried)).contains(&stored);
        if !startup.fresh && !own && self.held > 0 {
            return self.fenced();
        }
        startup.phase = Phase::Acquiring;
        self.env.attempt = stored.max(self.held).max(self.tried) + 1;
        self.env.segments = 0;
        let keys = &self.env.keys;
        let delete = match startup.restore {
            Restore::None => vec![keys.manifests(0, None), keys.segments_between(None, None)],
            Restore::Latest | Restore::Id(_) => Vec::new(),
        };
        let put = vec![(keys.epoch(), number(self.env.attempt))];
        let require = vec![(keys.epoch(), epoch)];
        self.ask(StoreRequest::Batch { require, delete, put });
    }

    fn acquired(&mut self) {
        self.held = self.env.attempt;
        self.tried = 0;
        self.state = JobState::Restoring;
        self.log(LogEvent::Started { attempt: self.env.attempt });
        self.attempt = Some(Attempt::build(&self.graph, &self.settings, self.env.attempt));
        let Some(startup) = &mut self.startup else { return };
        let fresh_state = startup.restore == Restore::None;
        startup.phase = Phase::Listing { last_id: false, manifests: fresh_state.then(Vec::new) };
        let key = self.env.keys.last_id();
        self.ask(StoreRequest::Get { key });
        if !fresh_state {
            let (from, to) = self.env.keys.manifests(0, None);
            self.ask(StoreRequest::Scan { from, to, limit: MANIFESTS });
        }
    }

    /// Once both are there: the newest checkpoint is loaded.
    fn listed(&mut self) {
        let Some(startup) = &mut self.startup else { return };
        let Phase::Listing { last_id: true, manifests } = &mut startup.phase else { return };
        let Some(entries) = manifests.take() else { return };
        if startup.restore == Restore::None {
            return self.open_operators();
        }
        let mut damaged = Vec::new();
        for (key, value) in entries {
            let id = key.split_last_chunk::<8>().map_or(0, |(_, id)| u64::from_be_bytes(*id));
            self.coordinator.last_id = self.coordinator.last_id.max(id);
            match Manifest::decode(&value) {
                Ok(manifest) => startup.candidates.push(manifest),
                Err(reason) => damaged.push((id, reason)),
            }
        }
        if let Restore::Id(wanted) = startup.restore {
            startup.candidates.retain(|manifest| manifest.id <= wanted);
            if startup.candidates.last().is_none_or(|last| last.id != wanted) {
                if let Some((_, reason)) = damaged.into_iter().find(|(id, _)| *id == wanted) {
                    return self.nothing_to_restore(wanted, &reason);
                }
                let message = format!("There is no checkpoint {wanted}.");
                self.end_attempt();
                return self.fail_for_good(Diagnostic::error(errors::NO_CHECKPOINT, message), None);
            }
        }
        let none_left = startup.candidates.is_empty();
        if let Some((checkpoint, reason)) = damaged.last()
            && none_left
        {
            let (checkpoint, reason) = (*checkpoint, reason.clone());
            return self.nothing_to_restore(checkpoint, &reason);
        }
        for (checkpoint, reason) in damaged {
            self.log(LogEvent::CheckpointDamaged { checkpoint, reason });
        }
        self.load_newest();
    }

    fn load_newest(&mut self) {
        let (Some(startup), Some(attempt)) = (&mut self.startup, &mut self.attempt) else { return };
        let Some(manifest) = startup.candidates.last() else { return self.clean() };
        let plan = RestorePlan::new(
            manifest,
            &self.graph,
            attempt,
            self.settings.max_parallelism,
            self.settings.ignore_unclaimed_state,
        );
        match plan {
            Ok(plan) => {
                let checkpoint = manifest.id;
                startup.phase = Phase::Loading(Loading {
                    checkpoint,
                    plan,
                    fetched: VecDeque::new(),
                    asked: 0,
                    applied: 0,
                    bytes: 0,
                });
                self.fetch();
            }
            Err(diagnostic) => {
                // No restart would change that.
                self.end_attempt();
                self.fail_for_good(diagnostic, None);
            }
        }
    }

    /// Keeps a few fetches under way.
    fn fetch(&mut self) {
        loop {
            let Some(Startup { phase: Phase::Loading(loading), .. }) = &mut self.startup else { return };
            let Some(load) = loading.plan.loads.get(loading.asked) else { return };
            if loading.fetched.len() >= FETCHES {
                return;
            }
            let key = self.env.keys.segment(load.segment.id);
            loading.asked += 1;
            let request = self.ask(StoreRequest::Get { key });
            if let Some(Startup { phase: Phase::Loading(loading), .. }) = &mut self.startup {
                loading.fetched.push_back((request, None));
            }
        }
    }

    pub(super) fn can_load(&self) -> bool {
        match &self.startup {
            Some(Startup { phase: Phase::Loading(loading), .. }) => {
                loading.applied == loading.plan.loads.len()
                    || loading.fetched.front().is_some_and(|(_, bytes)| bytes.is_some())
            }
            _ => false,
        }
    }

    /// Applies one segment, or ends the loading.
    pub(super) fn load_step(&mut self) {
        let (Some(Startup { phase: Phase::Loading(loading), .. }), Some(attempt)) =
            (&mut self.startup, &mut self.attempt)
        else {
            return;
        };
        if let Some((_, Some(bytes))) = loading.fetched.pop_front() {
            let load = &loading.plan.loads[loading.applied];
            loading.applied += 1;
            loading.bytes += bytes.len() as u64;
            let applied = SegmentReader::open(bytes, load.segment.crc)
                .and_then(|reader| apply(load, reader, &mut loading.plan.gathers, attempt));
            match applied {
                Ok(()) => self.fetch(),
                Err(reason) => self.damaged(reason),
            }
            return;
        }
        let Loading { checkpoint, plan, bytes, .. } = std::mem::replace(
            loading,
            Loading {
                checkpoint: 0,
                plan: RestorePlan::default(),
                fetched: VecDeque::new(),
                asked: 0,
                applied: 0,
                bytes: 0,
            },
        );
        for (subtask, table, generations) in plan.inherited {
            attempt.subtasks[subtask].files.tables[table].generations = generations;
        }
        for gather in plan.gathers {
            if let Err(reason) = deal(gather, attempt) {
                return self.damaged(reason);
            }
        }
        self.log(LogEvent::Restored { checkpoint, bytes });
        self.clean();
    }

    /// The checkpoint cannot be read: the one before it is tried, with operators made anew.
    fn damaged(&mut self, reason: String) {
        let Some(startup) = &mut self.startup else { return };
        let Some(manifest) = startup.candidates.pop() else { return };
        startup.asked.clear();
        let exact = startup.restore == Restore::Id(manifest.id);
        if exact || startup.candidates.is_empty() {
            return self.nothing_to_restore(manifest.id, &reason);
        }
        self.log(LogEvent::CheckpointDamaged { checkpoint: manifest.id, reason });
        self.attempt = Some(Attempt::build(&self.graph, &self.settings, self.env.attempt));
        self.load_newest();
    }

    /// Nothing that is whole is left. To begin without state would be to lose it silently.
    fn nothing_to_restore(&mut self, checkpoint: CheckpointId, reason: &str) {
        let message = format!("Checkpoint {checkpoint} cannot be restored: {reason}.");
        let hint = "There is no other checkpoint to fall back to; start the job without state to go on.";
        self.end_attempt();
        self.fail_for_good(Diagnostic::error(errors::DAMAGED, message).hint(hint), None);
    }

    /// Removes segments that no checkpoint refers to, and checkpoints newer than the one restored.
    fn clean(&mut self) {
        let Some(startup) = &mut self.startup else { return };
        startup.phase = Phase::Cleaning;
        let retained: Vec<Retained> = std::mem::take(&mut startup.candidates)
            .iter()
            .map(|manifest| Retained { id: manifest.id, segments: manifest.segments().collect() })
            .collect();
        let keys = &self.env.keys;
        let mut delete = Vec::new();
        // What the attempt itself writes in the meantime is newer than all of these.
        let mut after: Option<SegmentId> = None;
        let referred: std::collections::BTreeSet<SegmentId> =
            retained.iter().flat_map(|retained| &retained.segments).copied().collect();
        for id in referred {
            delete.push(keys.segments_between(after, Some(id)));
            after = Some(id);
        }
        delete.push(keys.segments_between(after, Some(SegmentId(self.env.attempt, 0))));
        let newest = retained.last().map_or(0, |retained| retained.id);
        delete.push(keys.manifests(newest + 1, None));
        self.coordinator.retained = retained;
        self.ask(StoreRequest::Batch { require: vec![self.env.epoch()], delete, put: Vec::new() });
    }

    /// State is in place: sources get what was fed before, and the operators get ready.
    fn open_operators(&mut self) {
        self.startup = None;
        let Some(attempt) = &mut self.attempt else { return };
        for subtask in &mut attempt.subtasks {
            if let Some(source) = &self.graph.vertices[subtask.vertex].source {
                for (table, split, items) in &self.fed {
                    if *table == source.table {
                        subtask.feed(*split, items);
                    }
                }
            }
            subtask.loaded();
        }
    }
}

/// Hands a segment's entries to the tables that they belong to.
fn apply(load: &Load, mut reader: SegmentReader, gathers: &mut [Gather], attempt: &mut Attempt) -> Result<(), String> {
    let (from, to) = load.segment.key_groups;
    match &load.spread {
        Spread::Gather(gather, part) => {
            let entries = &mut gathers[*gather].parts[*part];
            while let Some(entry) = reader.next() {
                match entry.value {
                    Some(value) => drop(entries.insert(entry.key.to_vec(), value.to_vec())),
                    None => drop(entries.remove(entry.key)),
                }
            }
            Ok(())
        }
        Spread::Subtasks(subtasks) => {
            for id in subtasks {
                let subtask = &mut attempt.subtasks[*id];
                let (first, last) = subtask.files.key_groups();
                let groups = match load.scope {
                    Scope::Keyed => from.max(first)..=to.min(last),
                    Scope::Split | Scope::Union => 0..=u16::MAX,
                };
                let mut reader = reader.clone();
                let loaded: Option<Result<(), String>> =
                    with_table(&mut subtask.chain.slots, &load.uid, &load.table, |table| {
                        while let Some(entry) = reader.next() {
                            if groups.contains(&entry.key_group) {
                                table.load(entry)?;
                            }
                        }
                        Ok(())
                    });
                loaded.unwrap_or(Ok(()))?;
            }
            Ok(())
        }
    }
}

/// Spreads a gathered table over the subtasks. It is written anew for them, since no old segment fits.
fn deal(mut gather: Gather, attempt: &mut Attempt) -> Result<(), String> {
    let entries = gather.take_entries();
    let n = gather.subtasks.len();
    for (i, id) in gather.subtasks.iter().enumerate() {
        let subtask = &mut attempt.subtasks[*id];
        let mut raw = RawEntries::default();
        let mine = |j: usize| gather.scope == Scope::Union || j % n == i;
        let loaded: Option<Result<(), String>> =
            with_table(&mut subtask.chain.slots, &gather.uid, &gather.table, |table| {
                for (j, (key, value)) in entries.iter().enumerate() {
                    if mine(j) {
                        let entry = EntryRef { key_group: 0, key, value: Some(value) };
                        table.load(entry)?;
                        raw.push(entry);
                    }
                }
                Ok(())
            });
        loaded.unwrap_or(Ok(()))?;
        let files = &mut subtask.files;
        if let Some(position) = files.tables.iter().position(|t| t.uid == gather.uid && t.table == gather.table) {
            files.add(position, 0, raw);
        }
    }
    Ok(())
}
