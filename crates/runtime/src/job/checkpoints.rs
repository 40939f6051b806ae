//! The checkpoint coordinator: triggers, collects acknowledgements, completes or gives up, retains the last few.

use std::collections::VecDeque;
use tidegate_data::sorted::SortedSet;

use tidegate_diag::Diagnostic;

use super::Job;
use crate::checkpoint::keys::{SegmentId, just_after, number};
use crate::checkpoint::manifest::{Manifest, TableManifest, VertexManifest};
use crate::element::{Barrier, BarrierKind, CheckpointId};
use crate::env::{Acknowledged, Owner};
use crate::errors;
use crate::event::{Moment, Stop};
use crate::mistakes::{Mistake, planted};
use crate::settings::CheckpointMode;
use crate::store::{Key, RequestId, StoreRequest, StoreResponse};
use crate::subtask::Mail;
use crate::view::{CheckpointStatus, CheckpointView, JobState, LogEvent};

/// The most finished checkpoints remembered.
const HISTORY: usize = 32;

/// How often a manifest is written again when nobody knows whether it was written.
const DOUBTS: u32 = 5;
/// The least host time between two tries of the checkpoint with which a job ends, ms.
const PAUSE: i64 = 100;

/// A checkpoint kept in the store.
#[derive(Clone, Debug)]
pub(super) struct Retained {
    pub(super) id: CheckpointId,
    pub(super) segments: SortedSet<SegmentId>,
    pub(super) savepoint: bool,
}

/// A checkpoint in progress.
#[derive(Debug)]
struct Pending {
    view: CheckpointView,
    tables: Vec<Option<Vec<TableManifest>>>,
    /// The reservation of its number, or its manifest, or neither any more.
    request: Option<RequestId>,
    manifest: Option<(StoreRequest, SortedSet<SegmentId>)>,
    /// Segments that go with the manifest's batch, and checkpoints.
    removed: SortedSet<SegmentId>,
    subsumed: SortedSet<CheckpointId>,
    /// The job ends with it.
    stop: Option<Stop>,
    /// All stands still for it.
    still: bool,
    /// Host time at which it is given up.
    deadline: i64,
    /// How often its manifest has been written without a clear answer.
    doubts: u32,
    /// It was triggered when all subtasks had closed.
    last: bool,
    /// Its barriers overtake.
    hurried: bool,
    /// A subtask has waited for barriers of it.
    aligning: bool,
}

/// What kind of checkpoint is wanted.
#[derive(Clone, Copy, Debug, Default)]
struct Trigger {
    by_hand: bool,
    savepoint: bool,
    stop: Option<Stop>,
    /// All input is worked off.
    last: bool,
}

impl Pending {
    fn in_progress(&self) -> bool {
        self.view.status == CheckpointStatus::InProgress
    }

    fn is_voted(&self) -> bool {
        self.in_progress() && self.tables.iter().all(Option::is_some)
    }

    /// Whether another one may begin beside it. Numbers are reserved one by one; savepoints and last checkpoints are alone.
    fn is_sociable(&self) -> bool {
        self.view.status != CheckpointStatus::Triggering && !self.view.savepoint && self.stop.is_none() && !self.last
    }
}

/// The coordinator's memory. It outlives attempts.
#[derive(Debug, Default)]
pub(super) struct Coordinator {
    /// The last number given out.
    pub(super) last_id: CheckpointId,
    /// Oldest first.
    pending: Vec<Pending>,
    /// Oldest first.
    pub(super) retained: Vec<Retained>,
    /// Segments that no table needs any more: they go once no checkpoint needs them either.
    pub(super) orphans: Vec<SegmentId>,
    history: VecDeque<CheckpointView>,
    /// Failures in a row.
    failures: u32,
    /// When the next periodic checkpoint is due.
    due: Option<i64>,
    /// When the last one ended.
    ended: Option<i64>,
    /// After a failure at the end of a job: when the last checkpoint may be tried again.
    retry: Option<i64>,
    /// A savepoint that waits for the checkpoint in progress to end.
    waiting: Option<Option<Stop>>,
    /// Checkpoints completed after all subtasks had closed.
    pub(super) last_checkpoints: u32,
}

impl Coordinator {
    pub(super) fn is_busy(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether a checkpoint is in progress.
    pub(super) fn is_open(&self, checkpoint: CheckpointId) -> bool {
        self.pending.iter().any(|pending| pending.view.id == checkpoint)
    }

    /// Whether a checkpoint may begin.
    fn has_room(&self, limit: usize) -> bool {
        let beside = self.waiting.is_none() && self.pending.iter().all(Pending::is_sociable);
        self.pending.is_empty() || self.pending.len() < limit && beside
    }

    fn take(&mut self, checkpoint: CheckpointId) -> Option<Pending> {
        let at = self.pending.iter().position(|pending| pending.view.id == checkpoint)?;
        Some(self.pending.remove(at))
    }

    /// Whether the last checkpoint is not to be tried again yet.
    pub(super) fn is_pausing(&self, now: i64) -> bool {
        self.retry.is_some_and(|at| now < at)
    }

    pub(super) fn current(&self) -> Option<&CheckpointView> {
        // The one about to be decided, or the oldest.
        let deciding = self.pending.iter().find(|pending| pending.view.status == CheckpointStatus::Completing);
        deciding.or(self.pending.first()).map(|pending| &pending.view)
    }

    /// All that are in progress but that one, oldest first.
    pub(super) fn others(&self) -> impl Iterator<Item = &CheckpointView> {
        let current = self.current().map(|current| current.id);
        self.pending.iter().map(|pending| &pending.view).filter(move |view| Some(view.id) != current)
    }

    pub(super) fn history(&self) -> impl Iterator<Item = &CheckpointView> {
        self.history.iter()
    }
}

impl Job {
    /// All subtasks run: the first periodic checkpoint comes after one interval.
    pub(super) fn schedule_checkpoints(&mut self) {
        let interval = self.settings.checkpoints.interval.filter(|_| self.settings.checkpoints.mode.is_on());
        self.coordinator.due = interval.map(|interval| self.env.now.saturating_add(interval));
        self.env.wake_dirty = true;
    }

    /// The earliest host time at which the coordinator has something to do.
    pub(super) fn next_checkpoint_time(&self) -> Option<i64> {
        let pending = self.coordinator.pending.iter();
        let ends =
            pending.map(|pending| self.hurry_time(pending).map_or(pending.deadline, |at| at.min(pending.deadline)));
        let next = match self.coordinator.has_room(self.settings.checkpoints.limit()) {
            true => self.periodic_time(),
            false => None,
        };
        let retry = self.coordinator.retry.filter(|at| self.env.now < *at && !self.coordinator.is_busy());
        let next = next.into_iter().chain(retry).min().filter(|_| self.state == JobState::Running);
        ends.chain(next).min()
    }

    /// When the barriers of a checkpoint begin to overtake.
    fn hurry_time(&self, pending: &Pending) -> Option<i64> {
        match self.settings.checkpoints.mode {
            CheckpointMode::Unaligned { after }
                if pending.in_progress() && !pending.hurried && !pending.view.savepoint =>
            {
                Some(pending.view.triggered.1.saturating_add(after))
            }
            _ => None,
        }
    }

    /// A checkpoint that takes too long to align goes on without.
    fn hurry_if_due(&mut self) {
        let now = self.env.now;
        // These come one at a time.
        let due = self.coordinator.pending.first().and_then(|pending| self.hurry_time(pending));
        let (true, Some(pending), Some(attempt)) =
            (due.is_some_and(|at| at <= now), self.coordinator.pending.first_mut(), &mut self.attempt)
        else {
            return;
        };
        pending.hurried = true;
        let checkpoint = pending.view.id;
        for subtask in &mut attempt.subtasks {
            subtask.hurry(checkpoint, &mut attempt.channels);
        }
    }

    fn periodic_time(&self) -> Option<i64> {
        let due = self.coordinator.due?;
        let pause = self.coordinator.ended.map(|ended| ended.saturating_add(self.settings.checkpoints.min_pause));
        Some(due.max(pause.unwrap_or(due)))
    }

    pub(super) fn checkpoints_on_time(&mut self) {
        let now = self.env.now;
        let expired = self.coordinator.pending.iter().filter(|pending| pending.deadline <= now);
        for id in expired.map(|pending| pending.view.id).collect::<Vec<_>>() {
            self.checkpoint_failed(id, "Checkpoint expired before completing.".to_owned());
        }
        self.hurry_if_due();
        self.trigger_if_due();
    }

    fn trigger_if_due(&mut self) {
        let now = self.env.now;
        // Once all input is worked off the job itself sees to its last checkpoint. One that follows upon another would keep it from its end.
        let all_closed = self.attempt.as_ref().is_some_and(|attempt| self.closed == attempt.subtasks.len());
        if self.state == JobState::Running
            && !self.coordinator.is_busy()
            && let Some(stop) = self.coordinator.waiting.take()
        {
            // A refusal is in the log.
            let _ = self.trigger_by_hand(true, stop);
            return;
        }
        if self.state != JobState::Running
            || self.stop.is_some()
            || all_closed
            || !self.coordinator.has_room(self.settings.checkpoints.limit())
            || self.periodic_time().is_none_or(|at| at > now)
        {
            return;
        }
        let interval = self.settings.checkpoints.interval.unwrap_or(i64::MAX);
        self.coordinator.due = Some(now.saturating_add(interval));
        self.trigger(Trigger::default());
    }

    pub(super) fn trigger_by_hand(&mut self, savepoint: bool, stop: Option<Stop>) -> Result<(), Diagnostic> {
        // The newest stands for all.
        let in_the_way = match savepoint || !self.coordinator.has_room(self.settings.checkpoints.limit()) {
            true => self.coordinator.pending.last(),
            false => None,
        };
        let refusal = match (in_the_way, &self.state) {
            _ if !self.settings.checkpoints.mode.is_on() && !savepoint => "The job makes no checkpoints.".to_owned(),
            _ if self.stop.is_some() => "The job is being stopped.".to_owned(),
            (Some(_), JobState::Running) if savepoint && self.coordinator.waiting.is_none() => {
                self.coordinator.waiting = Some(stop);
                return Ok(());
            }
            (Some(pending), _) => format!("Checkpoint {} is still in progress.", pending.view.id),
            (None, JobState::Running) if stop == Some(Stop::Drain) => {
                // The savepoint is the checkpoint that a job makes at its end.
                self.stop = stop;
                self.env.ending = true;
                return Ok(());
            }
            (None, JobState::Running) => {
                self.trigger(Trigger { by_hand: true, savepoint, stop, last: false });
                return Ok(());
            }
            (None, _) => "Some subtasks are not running yet.".to_owned(),
        };
        self.log(LogEvent::CheckpointRefused { reason: refusal.clone() });
        Err(Diagnostic::info(errors::CHECKPOINT_REFUSED, refusal).hint("Try again when it is done."))
    }

    /// The checkpoint with which a bounded job ends.
    pub(super) fn trigger_last(&mut self) {
        let savepoint = self.stop == Some(Stop::Drain) && self.coordinator.last_checkpoints == 0;
        self.trigger(Trigger { by_hand: false, savepoint, stop: None, last: true });
    }

    fn trigger(&mut self, Trigger { by_hand, savepoint, stop, last }: Trigger) {
        let Some(attempt) = &self.attempt else { return };
        let n = attempt.subtasks.len();
        self.coordinator.last_id += 1;
        let id = self.coordinator.last_id;
        // The number is written down first, so that no later engine gives it out again.
        let put = vec![(self.env.keys.last_id(), number(id))];
        let body = StoreRequest::Batch { require: vec![self.env.epoch()], delete: Vec::new(), put };
        let request = self.env.request(Owner::Coordinator, body);
        self.coordinator.pending.push(Pending {
            view: CheckpointView {
                id,
                status: CheckpointStatus::Triggering,
                by_hand,
                savepoint,
                triggered: (self.env.step, self.env.now),
                ended: None,
                subtasks: vec![None; n],
                bytes: 0,
            },
            tables: vec![None; n],
            request: Some(request),
            manifest: None,
            removed: SortedSet::new(),
            subsumed: SortedSet::new(),
            stop,
            still: false,
            deadline: self.env.now.saturating_add(self.settings.checkpoints.timeout),
            doubts: 0,
            last,
            hurried: false,
            aligning: false,
        });
        self.env.wake_dirty = true;
        self.moment_comes(Moment::Requested);
    }

    pub(super) fn coordinator_response(&mut self, request: RequestId, response: StoreResponse) {
        if matches!(response, StoreResponse::Refused { .. }) {
            return self.fenced();
        }
        let Some(pending) = self.coordinator.pending.iter_mut().find(|pending| pending.request == Some(request)) else {
            return;
        };
        let id = pending.view.id;
        match (response, &pending.manifest) {
            (StoreResponse::Done, None) => self.inject_barriers(id),
            (StoreResponse::Done, Some(_)) => self.completed(id),
            (StoreResponse::Failed { uncertain: true, .. }, Some((batch, _))) if pending.doubts < DOUBTS => {
                pending.doubts += 1;
                // It may be there. Writing the same once more is harmless, giving up what exists is not.
                let batch = batch.clone();
                pending.request = Some(self.env.request(Owner::Coordinator, batch));
            }
            (StoreResponse::Failed { message, uncertain }, _) => {
                if !uncertain && pending.doubts == 0 {
                    // It is not there, and what it would have replaced is.
                    pending.subsumed.clear();
                }
                self.checkpoint_failed(id, message);
            }
            (_, _) => self.checkpoint_failed(id, "the store gave an answer to another question".to_owned()),
        }
    }

    /// At every source, and wherever no barrier can come from above because everything there has ended.
    fn inject_barriers(&mut self, checkpoint: CheckpointId) {
        let pending = self.coordinator.pending.iter_mut().find(|pending| pending.view.id == checkpoint);
        let (Some(pending), Some(attempt)) = (pending, &mut self.attempt) else { return };
        pending.request = None;
        pending.view.status = CheckpointStatus::InProgress;
        pending.last = self.closed == attempt.subtasks.len();
        // Behind the barrier with which a job ends nothing may come.
        self.env.draining = pending.stop.is_some();
        let kind = match self.settings.checkpoints.mode {
            CheckpointMode::AtLeastOnce | CheckpointMode::Unaligned { .. } if pending.view.savepoint => {
                BarrierKind::Aligned
            }
            CheckpointMode::AtLeastOnce => BarrierKind::Counted,
            CheckpointMode::Unaligned { after } if self.env.now >= pending.view.triggered.1.saturating_add(after) => {
                pending.hurried = true;
                BarrierKind::Overtaking
            }
            CheckpointMode::Unaligned { .. } => BarrierKind::Aligned,
            CheckpointMode::StopTheWorld => {
                self.env.draining = true;
                pending.still = true;
                self.log(LogEvent::CheckpointTriggered { checkpoint });
                self.moment_comes(Moment::Triggered);
                return;
            }
            CheckpointMode::Aligned | CheckpointMode::Off | CheckpointMode::OffAtLatest => BarrierKind::Aligned,
        };
        let closed: Vec<bool> = attempt.subtasks.iter().map(|subtask| subtask.is_closed()).collect();
        for subtask in &mut attempt.subtasks {
            let from_above = subtask.channels.iter().any(|channel| !closed[attempt.channels[*channel].from]);
            if closed[subtask.id] || !from_above {
                subtask.trigger(Barrier { checkpoint, kind });
            }
        }
        self.log(LogEvent::CheckpointTriggered { checkpoint });
        self.moment_comes(Moment::Triggered);
    }

    /// The naive algorithm's second half: once nothing is on its way any more, all state is read out.
    pub(super) fn check_drained(&mut self) {
        let (true, Some(pending), Some(attempt)) =
            (self.env.draining, self.coordinator.pending.first(), &mut self.attempt)
        else {
            return;
        };
        if !pending.still {
            return;
        }
        let empty = attempt.channels.iter().all(|channel| channel.queue.is_empty());
        if self.env.still || !empty || !attempt.subtasks.iter().all(|subtask| subtask.is_at_rest()) {
            return;
        }
        self.env.still = true;
        let barrier = Barrier { checkpoint: pending.view.id, kind: BarrierKind::Still };
        attempt.subtasks.iter_mut().for_each(|subtask| subtask.trigger(barrier));
    }

    /// A subtask waits for barriers: the first one is a moment at which something may be planned to go wrong.
    pub(super) fn alignment_begins(&mut self, checkpoint: CheckpointId) {
        let pending = self.coordinator.pending.iter_mut().find(|pending| pending.view.id == checkpoint);
        if pending.is_some_and(|pending| !std::mem::replace(&mut pending.aligning, true)) {
            self.moment_comes(Moment::Aligning);
        }
    }

    pub(super) fn acknowledged(&mut self, Acknowledged { subtask, checkpoint, figures, tables }: Acknowledged) {
        let counts = |pending: &&mut Pending| {
            pending.view.id == checkpoint || planted(Mistake::LateAcknowledgementCounted) && pending.in_progress()
        };
        let Some(pending) = self.coordinator.pending.iter_mut().find(counts) else { return };
        pending.view.bytes += figures.bytes;
        pending.view.subtasks[subtask] = Some(figures);
        pending.tables[subtask] = Some(tables);
        let (came, of) = (pending.tables.iter().flatten().count(), pending.tables.len());
        if came == 1 && self.moment_comes(Moment::Acknowledged) {
            return;
        }
        if came == of && !self.moment_comes(Moment::Voted) {
            self.write_next_manifest();
        }
    }

    /// Decisions are written down one at a time: none takes the place of a later one.
    fn write_next_manifest(&mut self) {
        let pending = &self.coordinator.pending;
        let writing = pending.iter().any(|pending| pending.view.status == CheckpointStatus::Completing);
        if let Some(next) = pending.iter().position(Pending::is_voted).filter(|_| !writing) {
            self.write_manifest(next);
        }
    }

    fn write_manifest(&mut self, place: usize) {
        // What others need that are under way is not known yet: what may be one of theirs stays.
        let alone = self.coordinator.pending.len() == 1;
        let (Some(pending), Some(attempt)) = (self.coordinator.pending.get_mut(place), &mut self.attempt) else {
            return;
        };
        pending.view.status = CheckpointStatus::Completing;
        let id = pending.view.id;
        let mut tables = pending.tables.iter_mut().map(|tables| tables.take().unwrap_or_default());
        let vertices = self.graph.vertices.iter().zip(&attempt.first).map(|(vertex, _)| VertexManifest {
            name: vertex.name.clone(),
            subtasks: tables.by_ref().take(vertex.parallelism as usize).collect(),
        });
        let manifest = Manifest {
            id,
            attempt: self.env.attempt,
            at: self.env.now,
            max_parallelism: self.settings.max_parallelism,
            savepoint: pending.view.savepoint,
            aside: false,
            stop: pending.stop.or(self.stop.filter(|_| pending.view.savepoint && pending.last)),
            vertices: vertices.collect(),
        };
        let segments: SortedSet<SegmentId> = manifest.segments().collect();
        for subtask in &mut attempt.subtasks {
            self.coordinator.orphans.append(&mut subtask.files.dropped);
        }

        // A savepoint takes no checkpoint's place, and none takes its place.
        let periodic = self.coordinator.retained.iter().filter(|retained| !retained.savepoint).count();
        let mut surplus = (periodic + 1).saturating_sub(self.settings.checkpoints.retained);
        if pending.view.savepoint {
            surplus = 0;
        }
        let (dropped, kept): (Vec<&Retained>, Vec<&Retained>) =
            self.coordinator.retained.iter().partition(|retained| {
                let drops = !retained.savepoint && surplus > 0;
                surplus -= usize::from(drops);
                drops
            });
        pending.subsumed = dropped.iter().map(|dropped| dropped.id).collect();
        let needed = |id: &SegmentId| segments.contains(id) || kept.iter().any(|kept| kept.segments.contains(id));
        let unneeded: SortedSet<SegmentId> = dropped
            .iter()
            .flat_map(|dropped| dropped.segments.iter())
            .chain(self.coordinator.orphans.iter().filter(|_| alone))
            .filter(|id| !needed(id))
            .copied()
            .collect();
        let keys = &self.env.keys;
        let mut delete: Vec<(Key, Key)> = unneeded
            .iter()
            .map(|id| {
                let key = keys.segment(*id);
                (key.clone(), just_after(&key))
            })
            .collect();
        // Every manifest below this one that is not kept, also those of which this engine knows nothing.
        let mut from = 0;
        for kept in &kept {
            delete.push(keys.manifests(from, Some(kept.id)));
            from = kept.id + 1;
        }
        delete.push(keys.manifests(from, Some(id)));
        let put = vec![(keys.manifest(id), manifest.encode())];
        let batch = StoreRequest::Batch { require: vec![self.env.epoch()], delete, put };
        pending.manifest = Some((batch.clone(), segments));
        pending.removed = unneeded;
        pending.request = Some(self.env.request(Owner::Coordinator, batch));
        self.moment_comes(Moment::Deciding);
    }

    fn completed(&mut self, id: CheckpointId) {
        let Some(mut pending) = self.coordinator.take(id) else { return };
        self.subsume(id);
        let segments = pending.manifest.take().map(|(_, segments)| segments).unwrap_or_default();
        let coordinator = &mut self.coordinator;
        coordinator.retained.retain(|retained| !pending.subsumed.contains(&retained.id));
        coordinator.retained.push(Retained { id, segments, savepoint: pending.view.savepoint });
        coordinator.orphans.retain(|orphan| !pending.removed.contains(orphan));
        coordinator.failures = 0;
        coordinator.last_checkpoints += u32::from(pending.last);
        pending.view.status = CheckpointStatus::Completed;
        let stop = pending.stop;
        self.conclude(pending.view);
        if stop.is_some() {
            self.stop = stop;
            self.stopped = true;
            self.hold();
        }
        self.log(LogEvent::CheckpointCompleted { checkpoint: id });
        if self.moment_comes(Moment::Completed) || self.fails_on_completion() {
            return;
        }
        if let Some(attempt) = &mut self.attempt {
            attempt.subtasks.iter_mut().for_each(|subtask| subtask.post(Mail::Complete(id)));
        }
        self.write_next_manifest();
        if !self.coordinator.is_busy() {
            self.plan_merge();
        }
        self.trigger_if_due();
    }

    /// Earlier checkpoints that are still under way are not needed any more; that is no failure.
    fn subsume(&mut self, completed: CheckpointId) {
        let earlier = self.coordinator.pending.iter().map(|pending| pending.view.id).filter(|id| *id < completed);
        for id in earlier.collect::<Vec<_>>() {
            let Some(pending) = self.coordinator.take(id) else { continue };
            self.give_up(pending, format!("Checkpoint has been subsumed by checkpoint {completed}."));
        }
    }

    /// A checkpoint that was taken out comes to no good end.
    fn give_up(&mut self, mut pending: Pending, reason: String) {
        let checkpoint = pending.view.id;
        pending.view.status = CheckpointStatus::Failed(reason.clone());
        self.conclude(pending.view);
        self.log(LogEvent::CheckpointAborted { checkpoint, reason });
        if let Some(attempt) = &mut self.attempt {
            attempt.subtasks.iter_mut().for_each(|subtask| subtask.post(Mail::Aborted(checkpoint)));
        }
    }

    /// Gives a checkpoint up; more than is tolerated in a row fail the job.
    pub(super) fn checkpoint_failed(&mut self, checkpoint: CheckpointId, reason: String) {
        let Some(pending) = self.coordinator.take(checkpoint) else { return };
        self.coordinator.retry = pending.last.then(|| self.env.now.saturating_add(PAUSE));
        if pending.manifest.is_some() {
            // Nobody knows whether it was written down, and thereby took the place of these. They go with the next one at the latest.
            let subsumed = &pending.subsumed;
            for gone in self.coordinator.retained.extract_if(.., |retained| subsumed.contains(&retained.id)) {
                self.coordinator.orphans.extend(gone.segments);
            }
        }
        self.give_up(pending, reason.clone());
        self.coordinator.failures += 1;
        if self.coordinator.failures > self.settings.checkpoints.tolerable_failures {
            self.coordinator.failures = 0;
            let message = format!("Exceeded checkpoint tolerable failure threshold. Checkpoint {checkpoint}: {reason}");
            let hint = "execution.checkpointing.tolerable-failed-checkpoints says how many may fail in a row.";
            self.fail(Diagnostic::error(errors::CHECKPOINTS_FAILED, message).hint(hint), None);
            return;
        }
        self.write_next_manifest();
        self.trigger_if_due();
    }

    /// The attempt is over, and with it the checkpoint in progress.
    pub(super) fn abandon_checkpoint(&mut self, reason: &str) {
        for mut pending in std::mem::take(&mut self.coordinator.pending) {
            let checkpoint = pending.view.id;
            pending.view.status = CheckpointStatus::Failed(reason.to_owned());
            self.conclude(pending.view);
            self.log(LogEvent::CheckpointAborted { checkpoint, reason: reason.to_owned() });
        }
        if self.coordinator.waiting.take().is_some() {
            self.log(LogEvent::CheckpointRefused { reason: reason.to_owned() });
        }
        self.coordinator.due = None;
        self.coordinator.retry = None;
        self.coordinator.last_checkpoints = 0;
        self.coordinator.orphans.clear();
    }

    /// After a checkpoint, or at the beginning of an attempt: all go on, unless the job has come to the savepoint with which it ends.
    pub(super) fn hold(&mut self) {
        self.env.draining = self.stopped;
        self.env.still = self.stopped;
        self.env.stopped = self.stopped;
        self.env.ending = self.stop == Some(Stop::Drain);
    }

    fn conclude(&mut self, mut view: CheckpointView) {
        self.hold();
        view.ended = Some((self.env.step, self.env.now));
        self.coordinator.ended = Some(self.env.now);
        self.env.wake_dirty = true;
        if self.coordinator.history.len() == HISTORY {
            self.coordinator.history.pop_front();
        }
        self.coordinator.history.push_back(view);
    }
}
