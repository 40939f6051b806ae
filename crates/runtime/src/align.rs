//! Barrier alignment: a channel that has delivered the barrier is blocked until all have (Chandy-Lamport as Flink does it).

use crate::channel::Channel;
use crate::element::{Barrier, BarrierKind, CheckpointId};
use crate::env::Env;
use crate::mistakes::{Mistake, planted};
use crate::view::Acknowledgement;
use tidegate_data::sorted::{self, SortedSet};

/// All barriers are in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aligned {
    pub(crate) checkpoint: CheckpointId,
    pub(crate) figures: Acknowledgement,
}

#[derive(Clone, Copy, Debug)]
struct Current {
    checkpoint: CheckpointId,
    /// Step and host time of the first barrier.
    started: (u64, i64),
    /// State has been read out with the first barrier; the others only end what is recorded.
    overtaken: bool,
}

/// A checkpoint whose barriers are counted, and no channel is blocked: barriers of the next may come before its last.
#[derive(Debug)]
struct Counted {
    checkpoint: CheckpointId,
    /// Step and host time of the first barrier.
    started: (u64, i64),
    /// The channels that have delivered it.
    through: Vec<usize>,
}

/// The alignment of a subtask's channels.
#[derive(Debug, Default)]
pub(crate) struct Alignment {
    current: Option<Current>,
    /// Oldest first.
    counted: Vec<Counted>,
    /// Barriers of this checkpoint and of earlier ones are not waited for any more.
    done: CheckpointId,
    /// Nor of these, which are later.
    aborted: SortedSet<CheckpointId>,
}

impl Alignment {
    /// A barrier has come on channel `id`. Gives the checkpoint when it was the last one.
    pub(crate) fn barrier(
        &mut self,
        Barrier { checkpoint, kind }: Barrier,
        id: usize,
        inputs: &[usize],
        channels: &mut [Channel],
        env: &Env,
    ) -> Option<Aligned> {
        if kind == BarrierKind::Counted {
            return self.count(checkpoint, id, inputs, channels, env);
        }
        self.begin(checkpoint, inputs, channels, env)?;
        channels[id].through = true;
        if kind == BarrierKind::Overtaking {
            return self.overtake(checkpoint, inputs, channels, env);
        }
        channels[id].blocked = true;
        self.check(inputs, channels, env)
    }

    /// A barrier that blocks nothing.
    fn count(
        &mut self,
        checkpoint: CheckpointId,
        id: usize,
        inputs: &[usize],
        channels: &[Channel],
        env: &Env,
    ) -> Option<Aligned> {
        if self.is_over(checkpoint) {
            return None;
        }
        match self.counted.iter_mut().find(|counted| counted.checkpoint == checkpoint) {
            Some(counted) => counted.through.push(id),
            None => {
                self.counted.push(Counted { checkpoint, started: (env.step, env.now), through: vec![id] });
                sorted::sort_by_key(&mut self.counted, |counted| counted.checkpoint);
            }
        }
        self.check_counted(inputs, channels, env)
    }

    /// The newest checkpoint whose barriers are all in. Of earlier ones some were lost: none overtakes another.
    fn check_counted(&mut self, inputs: &[usize], channels: &[Channel], env: &Env) -> Option<Aligned> {
        let is_in = |counted: &Counted| {
            inputs.iter().all(|id| channels[*id].ended || counted.through.contains(id)) || planted(Mistake::NoAlignment)
        };
        let at = self.counted.iter().rposition(is_in)?;
        let counted = self.counted.drain(..=at).next_back()?;
        self.close(counted.checkpoint);
        let figures = Acknowledgement {
            alignment_ms: env.now - counted.started.1,
            alignment_steps: env.step - counted.started.0,
            ..Acknowledgement::default()
        };
        Some(Aligned { checkpoint: counted.checkpoint, figures })
    }

    fn is_over(&self, checkpoint: CheckpointId) -> bool {
        checkpoint <= self.done || self.aborted.contains(&checkpoint)
    }

    fn close(&mut self, checkpoint: CheckpointId) {
        self.done = self.done.max(checkpoint);
        self.aborted.retain(|aborted| *aborted > self.done);
        self.counted.retain(|counted| counted.checkpoint > checkpoint);
    }

    /// The checkpoint begins without a barrier: at a source, where every channel has ended or will, or because the job stands still.
    pub(crate) fn trigger(
        &mut self,
        Barrier { checkpoint, kind }: Barrier,
        inputs: &[usize],
        channels: &mut [Channel],
        env: &Env,
    ) -> Option<Aligned> {
        self.begin(checkpoint, inputs, channels, env)?;
        match kind {
            BarrierKind::Still => inputs.iter().for_each(|id| channels[*id].through = true),
            BarrierKind::Overtaking => return self.overtake(checkpoint, inputs, channels, env),
            BarrierKind::Aligned | BarrierKind::Counted => {}
        }
        self.check(inputs, channels, env)
    }

    /// State is read out now; what comes on channels that have not delivered their barrier is recorded.
    pub(crate) fn overtake(
        &mut self,
        checkpoint: CheckpointId,
        inputs: &[usize],
        channels: &mut [Channel],
        env: &Env,
    ) -> Option<Aligned> {
        let current = self.current.as_mut().filter(|current| current.checkpoint == checkpoint && !current.overtaken)?;
        current.overtaken = true;
        let mut queued = 0;
        for id in inputs {
            channels[*id].blocked = false;
            if !is_through(&channels[*id]) {
                queued += channels[*id].queue.len();
                channels[*id].open_record(checkpoint);
            }
        }
        let figures = Acknowledgement {
            alignment_ms: env.now - current.started.1,
            alignment_steps: env.step - current.started.0,
            queued,
            ..Acknowledgement::default()
        };
        Some(Aligned { checkpoint, figures })
    }

    /// The checkpoint whose barriers have all come after state was read out with the first: all that was on its way is recorded.
    pub(crate) fn recorded(&mut self, inputs: &[usize], channels: &mut [Channel]) -> Option<CheckpointId> {
        let current = self.current.filter(|current| current.overtaken)?;
        if !inputs.iter().all(|id| is_through(&channels[*id])) {
            return None;
        }
        unblock(inputs, channels);
        self.current = None;
        self.close(current.checkpoint);
        Some(current.checkpoint)
    }

    /// A channel has ended, which counts as its barrier.
    pub(crate) fn channel_ended(&mut self, inputs: &[usize], channels: &mut [Channel], env: &Env) -> Option<Aligned> {
        self.check_counted(inputs, channels, env).or_else(|| self.check(inputs, channels, env))
    }

    /// A checkpoint was given up: what it blocked goes on, barriers of it that are still to come are ignored.
    pub(crate) fn abort(&mut self, checkpoint: CheckpointId, inputs: &[usize], channels: &mut [Channel]) {
        if self.current.is_some_and(|current| current.checkpoint == checkpoint) {
            self.current = None;
            unblock(inputs, channels);
        }
        self.counted.retain(|counted| counted.checkpoint != checkpoint);
        if checkpoint > self.done {
            self.aborted.insert(checkpoint);
        }
    }

    /// The checkpoint that is being aligned and the channels that are through with it.
    pub(crate) fn progress(&self, inputs: &[usize], channels: &[Channel]) -> Option<(CheckpointId, usize)> {
        if let Some(counted) = self.counted.first() {
            let through = inputs.iter().filter(|id| channels[**id].ended || counted.through.contains(id));
            return Some((counted.checkpoint, through.count()));
        }
        let current = self.current?;
        Some((current.checkpoint, inputs.iter().filter(|id| is_through(&channels[**id])).count()))
    }

    /// Notes the first barrier of a checkpoint; `None` if the barrier comes too late.
    fn begin(&mut self, checkpoint: CheckpointId, inputs: &[usize], channels: &mut [Channel], env: &Env) -> Option<()> {
        if self.is_over(checkpoint) {
            return None;
        }
        match &self.current {
            Some(current) if current.checkpoint > checkpoint => return None,
            Some(current) if current.checkpoint == checkpoint => {}
            _ => {
                // A newer checkpoint takes the place of one that was not heard of any more.
                unblock(inputs, channels);
                self.current = Some(Current { checkpoint, started: (env.step, env.now), overtaken: false });
            }
        }
        Some(())
    }

    fn check(&mut self, inputs: &[usize], channels: &mut [Channel], env: &Env) -> Option<Aligned> {
        let current = self.current.filter(|current| !current.overtaken)?;
        if !inputs.iter().all(|id| is_through(&channels[*id])) && !planted(Mistake::NoAlignment) {
            return None;
        }
        let queued = inputs.iter().filter(|id| channels[**id].blocked).map(|id| channels[*id].queue.len()).sum();
        unblock(inputs, channels);
        self.current = None;
        self.close(current.checkpoint);
        let figures = Acknowledgement {
            alignment_ms: env.now - current.started.1,
            alignment_steps: env.step - current.started.0,
            queued,
            ..Acknowledgement::default()
        };
        Some(Aligned { checkpoint: current.checkpoint, figures })
    }
}

fn is_through(channel: &Channel) -> bool {
    channel.through || channel.ended
}

fn unblock(inputs: &[usize], channels: &mut [Channel]) {
    for id in inputs {
        channels[*id].through = false;
        channels[*id].blocked = false;
    }
}
