//! A subtask: its inputs, its chain, its outputs, and the steps it takes.

use std::collections::VecDeque;

use crate::align::{Aligned, Alignment};
use crate::chain::{Chain, Item};
use crate::channel::Channel;
use crate::checkpoint::files::Files;
use crate::checkpoint::in_flight::InFlightKey;
use crate::checkpoint::segment::RawEntries;
use crate::codec::element::encode;
use crate::element::{Barrier, BarrierKind, CheckpointId, Element};
use crate::env::{Env, Signal};
use crate::mistakes::{Mistake, planted};
use crate::operator::{Failure, FeedItem, Polled};
use crate::output::Outputs;
use crate::rng::Rng;
use crate::snapshot::Snapshot;
use crate::state::EntryRef;
use crate::store::{RequestId, StoreResponse};
use crate::valve::{Inputs, Joined};
use crate::view::{Acknowledgement, SubtaskStatus};

/// What reaches a subtask other than through its channels.
#[derive(Debug)]
pub(crate) enum Mail {
    /// The store's answer to the operator at this position.
    Response(usize, RequestId, StoreResponse),
    /// A checkpoint is complete.
    Complete(CheckpointId),
    /// A checkpoint was given up.
    Aborted(CheckpointId),
    /// A checkpoint that has begun to align takes too long: its barriers overtake from now on.
    Overtake(CheckpointId),
    /// Transactions that are not committed have so many ms at the most.
    Shorten(i64),
}

/// Where a subtask is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Its state is being loaded.
    Loading,
    /// So many operators, counted from the end, are ready.
    Opening(usize),
    Running,
    /// End of input has gone through.
    Closed,
}

/// What a subtask would do in its next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Flush,
    Snapshot,
    Mail,
    Held,
    Chain,
    Open,
    Trigger(Barrier),
    Time(usize),
    Input(usize),
    Poll,
    /// The source comes to its end, whatever it still has.
    End,
}

/// A subtask.
pub(crate) struct Subtask {
    pub(crate) id: usize,
    pub(crate) vertex: usize,
    pub(crate) chain: Chain,
    pub(crate) files: Files,
    pub(crate) outputs: Outputs,
    /// Channels that end here.
    pub(crate) channels: Vec<usize>,
    inputs: Inputs,
    /// Channels of each input that have not ended.
    open: Vec<usize>,
    /// The channel after the one that was served last.
    cursor: usize,
    mailbox: VecDeque<Mail>,
    phase: Phase,
    alignment: Alignment,
    triggers: VecDeque<Barrier>,
    /// End of an input that was also the last barrier: it waits until state has been read.
    held: Option<Item>,
    /// Figures of the barrier that is going through the chain, and what kind it is of.
    barrier: Acknowledgement,
    kind: BarrierKind,
    snapshot: Option<Snapshot>,
    joined: Vec<Joined>,
    pub(crate) steps: u64,
}

impl Subtask {
    /// `inputs[i]`: number of channels of input i.
    pub(crate) fn new(
        id: usize,
        vertex: usize,
        chain: Chain,
        files: Files,
        outputs: Outputs,
        channels: Vec<usize>,
        inputs: &[usize],
    ) -> Subtask {
        Subtask {
            id,
            vertex,
            chain,
            files,
            outputs,
            channels,
            inputs: Inputs::new(inputs),
            open: inputs.to_vec(),
            cursor: 0,
            mailbox: VecDeque::new(),
            phase: Phase::Loading,
            alignment: Alignment::default(),
            triggers: VecDeque::new(),
            held: None,
            barrier: Acknowledgement::default(),
            kind: BarrierKind::Aligned,
            snapshot: None,
            joined: Vec::new(),
            steps: 0,
        }
    }

    pub(crate) fn post(&mut self, mail: Mail) {
        self.mailbox.push_back(mail);
    }

    /// A checkpoint begins here: at a source, where everything above has closed, or because the job stands still.
    pub(crate) fn trigger(&mut self, barrier: Barrier) {
        self.triggers.push_back(barrier);
    }

    pub(crate) fn feed(&mut self, split: u32, items: &[FeedItem]) {
        self.chain.feed(split, items);
    }

    /// State is loaded: operators may get ready.
    pub(crate) fn loaded(&mut self) {
        self.phase = Phase::Opening(0);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// Nothing is left to do here, commits included.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_closed() && self.is_at_rest() && self.chain.slots.iter().all(|slot| slot.is_finished())
    }

    /// No mail, no checkpoint and no element is being worked on.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.mailbox.is_empty()
            && self.triggers.is_empty()
            && self.snapshot.is_none()
            && self.outputs.is_flushed()
            && self.chain.is_quiet()
    }

    pub(crate) fn is_runnable(&self, channels: &[Channel], env: &Env) -> bool {
        self.next_action(channels, env).is_some()
    }

    fn next_action(&self, channels: &[Channel], env: &Env) -> Option<Action> {
        if self.phase == Phase::Loading {
            return None;
        }
        if self.outputs.can_flush(channels) {
            return Some(Action::Flush);
        }
        if let (true, Some(barrier)) = (env.still, self.triggers.front()) {
            return Some(Action::Trigger(*barrier));
        }
        // Nothing may change in a table while it is read out.
        if self.snapshot.is_some() && !self.goes_on(channels) {
            return Some(Action::Snapshot);
        }
        if !self.mailbox.is_empty() {
            return Some(Action::Mail);
        }
        // A barrier that overtakes waits for the row in hand, but not for room.
        if self.phase != Phase::Closed
            && !matches!(self.phase, Phase::Opening(_))
            && self.chain.is_quiet()
            && self.held.is_none()
            && self.snapshot.is_none()
        {
            if let Some(barrier) = self.triggers.front().filter(|barrier| barrier.kind == BarrierKind::Overtaking) {
                return Some(Action::Trigger(*barrier));
            }
            if let Some(i) = self.channels.iter().position(|id| channels[*id].is_overtaken()) {
                return Some(Action::Input(i));
            }
        }
        if !self.outputs.have_room(channels) {
            return None;
        }
        if self.chain.has_work() {
            return Some(Action::Chain);
        }
        // While all stands still nothing is begun, but what is to be committed before the job ends is tried again.
        let held = env.still && self.chain.is_quiet();
        if let Some(position) = self.chain.due(env.now, held)
            && (!held || env.stopped)
        {
            return Some(Action::Time(position));
        }
        if !self.chain.is_quiet() {
            return None;
        }
        if let Phase::Opening(_) = self.phase {
            return Some(Action::Open);
        }
        if self.held.is_some() {
            return Some(Action::Held);
        }
        if let Some(barrier) = self.triggers.front() {
            return Some(Action::Trigger(*barrier));
        }
        if self.phase == Phase::Closed {
            return None;
        }
        if self.chain.has_source() {
            if env.ending && !self.chain.source_ended() {
                return Some(Action::End);
            }
            let allowed = self.chain.source_ready() && env.budget != Some(0) && !env.draining;
            return allowed.then_some(Action::Poll);
        }
        let n = self.channels.len();
        let first = env.draw.map_or(self.cursor, |seed| Rng::new(seed ^ env.step).below(n.max(1)));
        let restoring = self.channels.iter().any(|id| channels[*id].restored > 0);
        let next = (0..n).map(|i| (first + i) % n).find(|i| {
            let channel = &channels[self.channels[*i]];
            !channel.blocked
                && !channel.queue.is_empty()
                && !channel.is_held(env.now)
                && (!restoring || channel.restored > 0)
        });
        next.map(Action::Input)
    }

    /// The mistake of going on while state is read out.
    fn goes_on(&self, channels: &[Channel]) -> bool {
        let rows =
            |id: &usize| matches!(channels[*id].queue.front(), Some(Element::Chunk(_))) && !channels[*id].blocked;
        planted(Mistake::SnapshotShared)
            && self.mailbox.is_empty()
            && (!self.chain.is_quiet() || self.channels.iter().any(rows) && self.outputs.have_room(channels))
    }

    /// Takes one step; false if there is none to take.
    pub(crate) fn step(&mut self, channels: &mut [Channel], env: &mut Env) -> Result<bool, Failure> {
        let Some(action) = self.next_action(channels, env) else { return Ok(false) };
        self.steps += 1;
        match action {
            Action::Flush => {}
            Action::Snapshot => self.read_state(env),
            Action::Mail => self.read_mail(channels, env)?,
            Action::Chain => self.chain.run(env)?,
            Action::Open => self.open_next(env)?,
            Action::Held => {
                if let Some(item) = self.held.take() {
                    self.chain.enter(item);
                    self.chain.run(env)?;
                }
            }
            Action::Trigger(barrier) => {
                self.triggers.pop_front();
                self.kind = barrier.kind;
                let aligned = self.alignment.trigger(barrier, &self.channels, channels, env);
                self.enter_barrier(aligned, barrier.kind);
                self.finish_record(channels, env);
                self.chain.run(env)?;
            }
            Action::Time(position) => self.chain.on_time(position, env)?,
            Action::End => self.chain.end_source(env)?,
            Action::Poll => {
                if self.chain.poll(env.chunk_limit, env)? == Polled::Emitted
                    && let Some(budget) = &mut env.budget
                {
                    *budget = budget.saturating_sub(1);
                }
            }
            Action::Input(i) => {
                self.cursor = i + 1;
                self.take_element(self.channels[i], channels, env)?;
            }
        }
        self.send(channels, env);
        self.outputs.flush(channels);
        Ok(true)
    }

    fn open_next(&mut self, env: &mut Env) -> Result<(), Failure> {
        let Phase::Opening(ready) = self.phase else { return Ok(()) };
        let n = self.chain.slots.len();
        if ready < n {
            self.phase = Phase::Opening(ready + 1);
            return self.chain.open(n - 1 - ready, env);
        }
        self.phase = Phase::Running;
        env.signals.push(Signal::Opened);
        Ok(())
    }

    fn read_mail(&mut self, channels: &mut [Channel], env: &mut Env) -> Result<(), Failure> {
        match self.mailbox.pop_front() {
            Some(Mail::Response(position, request, response)) => self.chain.response(position, request, response, env),
            Some(Mail::Complete(checkpoint)) => self.chain.checkpoint_ended(checkpoint, true, env),
            Some(Mail::Aborted(checkpoint)) => {
                self.triggers.retain(|trigger| trigger.checkpoint != checkpoint);
                self.alignment.abort(checkpoint, &self.channels, channels);
                self.files.give_up(checkpoint);
                self.chain.checkpoint_ended(checkpoint, false, env)
            }
            Some(Mail::Overtake(checkpoint)) => {
                let aligned = self.alignment.overtake(checkpoint, &self.channels, channels, env);
                self.enter_barrier(aligned, BarrierKind::Overtaking);
                self.finish_record(channels, env);
                Ok(())
            }
            Some(Mail::Shorten(left)) => self.chain.shorten_transactions(left, env),
            None => Ok(()),
        }
    }

    /// Barriers of an aligned checkpoint that are here or on their way out overtake from now on.
    pub(crate) fn hurry(&mut self, checkpoint: CheckpointId, channels: &mut [Channel]) {
        let barrier = Barrier { checkpoint, kind: BarrierKind::Overtaking };
        for trigger in self.triggers.iter_mut().filter(|trigger| trigger.checkpoint == checkpoint) {
            *trigger = barrier;
        }
        self.kind = BarrierKind::Overtaking;
        self.outputs.hurry(barrier, channels);
        self.mailbox.push_back(Mail::Overtake(checkpoint));
    }

    /// Once all barriers have come, what was on its way goes into the checkpoint.
    fn finish_record(&mut self, channels: &mut [Channel], env: &mut Env) {
        let Some(checkpoint) = self.alignment.recorded(&self.channels, channels) else { return };
        let mut entries = RawEntries::default();
        for id in &self.channels {
            let channel = &mut channels[*id];
            let elements = channel.take_record(checkpoint);
            let kept = elements.iter().filter_map(encode).filter(|_| !planted(Mistake::InFlightNotKept));
            for (number, bytes) in kept.enumerate() {
                let key = InFlightKey { edge: channel.edge, from: channel.from, to: channel.to, number };
                entries.push(EntryRef { key_group: 0, key: &key.to_bytes(), value: Some(&bytes) });
            }
        }
        self.files.recorded(checkpoint, entries, env);
    }

    fn take_element(&mut self, id: usize, channels: &mut [Channel], env: &mut Env) -> Result<(), Failure> {
        let channel = &mut channels[id];
        let (input, number) = (channel.input, channel.number);
        if channel.pace > 0 {
            channel.next_at = env.now.saturating_add(channel.pace);
            env.wake_dirty = true;
        }
        match channel.pop() {
            None => return Ok(()),
            Some(Element::Chunk(chunk)) => self.chain.enter(Item::Chunk(input, chunk)),
            Some(Element::Watermark(watermark)) => {
                self.inputs.watermark(input, number, watermark, &mut self.joined);
                self.enter_joined();
            }
            Some(Element::Status(status)) => {
                self.inputs.status(input, number, status, &mut self.joined);
                self.enter_joined();
            }
            Some(Element::Barrier(barrier)) => {
                self.kind = barrier.kind;
                let aligned = self.alignment.barrier(barrier, id, &self.channels, channels, env);
                if barrier.kind == BarrierKind::Aligned && aligned.is_none() && channels[id].blocked {
                    env.signals.push(Signal::Aligning(barrier.checkpoint));
                }
                self.enter_barrier(aligned, barrier.kind);
                self.finish_record(channels, env);
            }
            Some(Element::End) => {
                channel.ended = true;
                self.open[input] -= 1;
                // The barrier stands before the end: rows of this channel all belong to the checkpoint.
                let aligned = self.alignment.channel_ended(&self.channels, channels, env);
                self.enter_barrier(aligned, self.kind);
                self.finish_record(channels, env);
                if self.open[input] == 0 {
                    let last = self.open.iter().all(|open| *open == 0);
                    let end = Item::EndInput { input, last };
                    if aligned.is_some() { self.held = Some(end) } else { self.chain.enter(end) }
                }
            }
        }
        self.chain.run(env)
    }

    fn enter_joined(&mut self) {
        for joined in self.joined.drain(..) {
            self.chain.enter(match joined {
                Joined::Watermark(watermark) => Item::Watermark(watermark),
                Joined::Status(status) => Item::Status(status),
            });
        }
    }

    fn enter_barrier(&mut self, aligned: Option<Aligned>, kind: BarrierKind) {
        if let Some(aligned) = aligned {
            self.barrier = aligned.figures;
            self.kind = kind;
            self.files.begin(aligned.checkpoint, kind == BarrierKind::Overtaking);
            self.chain.enter(Item::Barrier(aligned.checkpoint));
        }
    }

    /// What has left the chain goes to the channels.
    fn send(&mut self, channels: &mut [Channel], env: &mut Env) {
        while let Some(item) = self.chain.tail.pop_front() {
            match item {
                Item::Chunk(_, chunk) => self.outputs.send_chunk(chunk),
                Item::Watermark(watermark) => self.outputs.send_to_all(&Element::Watermark(watermark)),
                Item::Status(status) => self.outputs.send_to_all(&Element::Status(status)),
                Item::Barrier(checkpoint) => {
                    // Its channels have ended, and the end counts as the barrier. Where all stands still, nobody waits for one.
                    let barrier = Barrier { checkpoint, kind: self.kind };
                    match self.kind {
                        _ if self.phase == Phase::Closed => {}
                        BarrierKind::Still => {}
                        BarrierKind::Overtaking => self.outputs.overtake(barrier, channels),
                        BarrierKind::Aligned | BarrierKind::Counted => {
                            self.outputs.send_to_all(&Element::Barrier(barrier));
                        }
                    }
                    self.snapshot = Some(Snapshot::new(checkpoint, self.barrier, (env.step, env.now)));
                }
                Item::EndInput { .. } => {
                    self.outputs.send_to_all(&Element::End);
                    self.phase = Phase::Closed;
                    env.signals.push(Signal::Closed);
                }
            }
        }
    }

    fn read_state(&mut self, env: &mut Env) {
        let Some(mut snapshot) = self.snapshot.take() else { return };
        if !snapshot.step(&mut self.chain, &mut self.files) {
            self.snapshot = Some(snapshot);
            return;
        }
        let mut figures = snapshot.figures;
        figures.sync_steps = env.step + 1 - snapshot.started.0;
        figures.sync_ms = env.now - snapshot.started.1;
        if self.chain.has_source() {
            figures.read = self.chain.slots.first().map_or(0, |slot| slot.gate.rows_out);
        }
        self.files.expect(snapshot.checkpoint, figures, env);
    }

    /// Watermark at the head (for a source: the last one sent) and whether the output is idle.
    pub(crate) fn watermark(&self) -> (Option<i64>, bool) {
        let first = &self.chain.slots[0].gate;
        let last = self.chain.slots.last().map_or(first, |slot| &slot.gate);
        let watermark = if self.chain.has_source() {
            let sent = self.chain.slots.iter().map(|slot| slot.gate.sent).max().unwrap_or(i64::MIN);
            Some(sent).filter(|sent| *sent > i64::MIN)
        } else {
            first.watermark
        };
        (watermark, last.idle)
    }

    /// Last watermark and idleness of a channel that ends here.
    pub(crate) fn channel_status(&self, channel: &Channel) -> (Option<i64>, bool) {
        self.inputs.channel(channel.input, channel.number)
    }

    pub(crate) fn status(&self, channels: &[Channel]) -> SubtaskStatus {
        match self.phase {
            Phase::Loading | Phase::Opening(_) => return SubtaskStatus::Initializing,
            Phase::Closed if self.is_finished() => return SubtaskStatus::Finished,
            _ => {}
        }
        if let Some(snapshot) = &self.snapshot {
            SubtaskStatus::Snapshotting { checkpoint: snapshot.checkpoint }
        } else if self.chain.is_waiting() {
            SubtaskStatus::WaitingForStore
        } else if self.phase == Phase::Closed {
            SubtaskStatus::Closed
        } else if let Some((checkpoint, received)) = self.alignment.progress(&self.channels, channels) {
            SubtaskStatus::Aligning { checkpoint, received, of: self.channels.len() }
        } else if !self.outputs.have_room(channels) {
            SubtaskStatus::BackPressured
        } else {
            SubtaskStatus::Running
        }
    }
}
