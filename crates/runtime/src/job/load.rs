//! The loading of a checkpoint: its segments are fetched a few at a time and handed to the operators' tables, one a step.

use std::collections::VecDeque;

use bytes::Bytes;
use tidegate_diag::Diagnostic;

use super::Job;
use super::build::Attempt;
use super::startup::{Phase, Startup};
use crate::checkpoint::in_flight::{InFlightKey, put_back};
use crate::checkpoint::plan::{Gather, Load, RestorePlan, Spread};
use crate::checkpoint::segment::{RawEntries, SegmentReader};
use crate::codec::element::decode;
use crate::element::CheckpointId;
use crate::errors;
use crate::graph::JobGraph;
use crate::settings::Restore;
use crate::snapshot::with_table;
use crate::state::{EntryRef, Scope};
use crate::store::{RequestId, StoreRequest};
use crate::view::LogEvent;

/// Segments that are fetched at a time.
const FETCHES: usize = 8;

/// A checkpoint on its way into the operators.
#[derive(Debug)]
pub(super) struct Loading {
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

impl Loading {
    fn new(checkpoint: CheckpointId, plan: RestorePlan) -> Loading {
        Loading { checkpoint, plan, fetched: VecDeque::new(), asked: 0, applied: 0, bytes: 0 }
    }

    /// A segment has come.
    pub(super) fn fetched(&mut self, request: RequestId, value: Bytes) {
        if let Some((_, slot)) = self.fetched.iter_mut().find(|(id, _)| *id == request) {
            *slot = Some(value);
        }
    }

    /// A request was issued again under another number.
    pub(super) fn asked_again(&mut self, request: RequestId, again: RequestId) {
        if let Some((id, _)) = self.fetched.iter_mut().find(|(id, _)| *id == request) {
            *id = again;
        }
    }
}

impl Job {
    pub(super) fn load_newest(&mut self) {
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
                startup.phase = Phase::Loading(Loading::new(checkpoint, plan));
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
            let applied = SegmentReader::open(bytes, load.segment.crc).and_then(|reader| match load.spread {
                Spread::InFlight => put_all_back(reader, &loading.plan.layout, &self.graph, attempt),
                _ => apply(load, reader, &mut loading.plan.gathers, attempt),
            });
            match applied {
                Ok(()) => self.fetch(),
                Err(reason) => self.damaged(reason),
            }
            return;
        }
        let plan = std::mem::take(&mut loading.plan);
        let (checkpoint, bytes) = (loading.checkpoint, loading.bytes);
        for (subtask, table, generations) in plan.inherited {
            attempt.subtasks[subtask].files.tables[table].generations = generations;
        }
        for gather in plan.gathers {
            if let Err(reason) = deal(gather, attempt) {
                return self.damaged(reason);
            }
        }
        self.log(LogEvent::Restored { checkpoint, bytes, read: self.read_before });
        self.clean();
    }

    /// The checkpoint cannot be read: the one before it is tried, with operators made anew.
    pub(super) fn damaged(&mut self, reason: String) {
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
    pub(super) fn nothing_to_restore(&mut self, checkpoint: CheckpointId, reason: &str) {
        let message = format!("Checkpoint {checkpoint} cannot be restored: {reason}.");
        let hint = "There is no other checkpoint to fall back to; start the job without state to go on.";
        self.end_attempt();
        self.fail_for_good(Diagnostic::error(errors::DAMAGED, message).hint(hint), None);
    }
}

/// Puts elements that were on their way back into channels.
fn put_all_back(
    mut reader: SegmentReader,
    layout: &[usize],
    graph: &JobGraph,
    attempt: &mut Attempt,
) -> Result<(), String> {
    while let Some(entry) = reader.next() {
        let element = entry.value.and_then(decode).zip(InFlightKey::from_bytes(entry.key));
        let (element, key) = element.ok_or_else(|| "an element that was on its way cannot be read".to_owned())?;
        put_back(key, element, layout, graph, attempt)?;
    }
    Ok(())
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
        Spread::InFlight => Ok(()),
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
