//! The start of an attempt: take over from whoever wrote last, find a checkpoint, load it.
//!
//! In order: read the epoch; raise it (from here on everybody else is refused, so what is read now stays true); read the last checkpoint number
//! and list the manifests; load the segments of the newest one that is whole; drop what nothing refers to; let the operators get ready.

use bytes::Bytes;
use tidegate_data::sorted::{self, SortedMap, SortedSet};
use tidegate_diag::Diagnostic;

use super::Job;
use super::build::Attempt;
use super::checkpoints::Retained;
use super::fits::no_checkpoint;
use super::load::Loading;
use crate::checkpoint::keys::{SegmentId, claim, parse_claim, parse_number};
use crate::checkpoint::manifest::Manifest;
use crate::env::Owner;
use crate::errors;
use crate::event::Stop;
use crate::operator::FeedItem;
use crate::settings::{CheckpointMode, Restore};
use crate::store::{RequestId, StoreRequest, StoreResponse};
use crate::view::{JobState, LogEvent};

/// How often a request is issued again when the store fails.
const RETRIES: u32 = 5;
/// The most manifests listed: more than can be retained.
const MANIFESTS: usize = 1024;

/// What is waited for.
#[derive(Debug)]
pub(super) enum Phase {
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

/// The start of an attempt.
#[derive(Debug)]
pub(super) struct Startup {
    pub(super) restore: Restore,
    /// A new engine takes over from anybody; an attempt after a failure only from its own job.
    fresh: bool,
    pub(super) phase: Phase,
    /// What has been asked and can be asked again.
    pub(super) asked: SortedMap<RequestId, StoreRequest>,
    retries: u32,
    /// Whole manifests that are no newer than the one being loaded, newest last.
    pub(super) candidates: Vec<Manifest>,
    /// Savepoints that are no part of the history of the one being loaded: they stay, set aside.
    kept: Vec<Manifest>,
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
            asked: SortedMap::new(),
            retries: 0,
            candidates: Vec::new(),
            kept: Vec::new(),
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

    pub(super) fn ask(&mut self, body: StoreRequest) -> RequestId {
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
            (Phase::Loading(loading), StoreResponse::Value(Some(value))) => loading.fetched(request, value),
            (Phase::Loading(_), StoreResponse::Value(None)) => {
                self.damaged("a segment of its state is missing".to_owned());
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
            loading.asked_again(request, again);
        }
    }

    fn acquire(&mut self, epoch: Option<Bytes>) {
        let Some(startup) = &mut self.startup else { return };
        let (stored, by) = epoch.as_ref().and_then(|epoch| parse_claim(epoch)).unwrap_or_default();
        // Also one of which it is not known here that it was written; the number alone might be another engine's.
        let own = by == self.env.engine && stored >= self.held;
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
        let put = vec![(keys.epoch(), claim(self.env.attempt, self.env.engine))];
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
            let all = std::mem::take(&mut startup.candidates);
            // What was before one that had been set aside is not known any more.
            let aside = all.iter().any(|manifest| manifest.id == wanted && manifest.aside);
            let (until, others): (Vec<Manifest>, Vec<Manifest>) = all
                .into_iter()
                .partition(|manifest| manifest.id == wanted || !aside && manifest.id < wanted && !manifest.aside);
            startup.candidates = until;
            let known: Vec<Manifest> = match startup.candidates.last() {
                Some(last) if last.id == wanted => Vec::new(),
                _ => startup.candidates.iter().chain(&others).cloned().collect(),
            };
            startup.kept = others.into_iter().filter(|manifest| manifest.savepoint).collect();
            if startup.candidates.last().is_none_or(|last| last.id != wanted) {
                if let Some((_, reason)) = damaged.into_iter().find(|(id, _)| *id == wanted) {
                    return self.nothing_to_restore(wanted, &reason);
                }
                let problem = no_checkpoint(wanted, &known);
                self.end_attempt();
                return self.fail_for_good(problem, None);
            }
        } else {
            (startup.kept, startup.candidates) =
                std::mem::take(&mut startup.candidates).into_iter().partition(|manifest| manifest.aside);
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

    /// Removes segments that no checkpoint refers to, and checkpoints newer than the one restored; savepoints that are newer are set aside.
    pub(super) fn clean(&mut self) {
        let Some(startup) = &mut self.startup else { return };
        startup.phase = Phase::Cleaning;
        let mut manifests = std::mem::take(&mut startup.candidates);
        let restored = manifests.last().map(|manifest| manifest.id);
        manifests.append(&mut startup.kept);
        sorted::sort_by_key(&mut manifests, |manifest| manifest.id);
        let keys = &self.env.keys;
        let (mut delete, mut put) = (Vec::new(), Vec::new());
        // What the attempt itself writes in the meantime is newer than all of these.
        let mut after: Option<SegmentId> = None;
        let referred: SortedSet<SegmentId> = manifests.iter().flat_map(Manifest::segments).collect();
        for id in referred {
            delete.push(keys.segments_between(after, Some(id)));
            after = Some(id);
        }
        delete.push(keys.segments_between(after, Some(SegmentId(self.env.attempt, 0))));
        let mut from = 0;
        for manifest in &mut manifests {
            let aside = manifest.aside && restored != Some(manifest.id) || restored.is_none_or(|id| id < manifest.id);
            // Who asks for it by its number lets the job go on.
            let goes_on =
                manifest.stop.is_some() && restored == Some(manifest.id) && startup.restore != Restore::Latest;
            if manifest.aside != aside || goes_on {
                manifest.aside = aside;
                manifest.stop = manifest.stop.filter(|_| !goes_on);
                put.push((keys.manifest(manifest.id), manifest.encode()));
            }
            if from < manifest.id {
                delete.push(keys.manifests(from, Some(manifest.id)));
            }
            from = manifest.id + 1;
        }
        delete.push(keys.manifests(from, None));
        let stop = manifests.iter().find(|manifest| restored == Some(manifest.id)).and_then(|manifest| manifest.stop);
        if startup.fresh && startup.restore == Restore::Latest && stop.is_some() {
            self.stop = stop;
            // Behind a drained savepoint all sources come to their end by themselves.
            self.stopped = stop == Some(Stop::Suspend);
            self.hold();
        }
        self.coordinator.retained = manifests
            .iter()
            .map(|manifest| Retained {
                id: manifest.id,
                segments: manifest.segments().collect(),
                savepoint: manifest.savepoint,
            })
            .collect();
        self.ask(StoreRequest::Batch { require: vec![self.env.epoch()], delete, put });
    }

    /// State is in place: sources get what was fed before, and the operators get ready.
    fn open_operators(&mut self) {
        let fresh = self.startup.take().is_some_and(|startup| startup.fresh);
        let Some(attempt) = &mut self.attempt else { return };
        let skipped = match self.settings.checkpoints.mode {
            // What a source has been fed before is over, but for its end.
            CheckpointMode::OffAtLatest if !fresh && self.coordinator.retained.is_empty() => true,
            _ => false,
        };
        for subtask in &mut attempt.subtasks {
            if let Some(source) = &self.graph.vertices[subtask.vertex].source {
                for (_, split, items) in self.fed.iter().filter(|(table, ..)| *table == source.table) {
                    match items.last() {
                        Some(FeedItem::End) if skipped => subtask.feed(*split, &[FeedItem::End]),
                        _ if skipped => {}
                        _ => subtask.feed(*split, items),
                    }
                }
            }
            subtask.loaded();
        }
    }
}
