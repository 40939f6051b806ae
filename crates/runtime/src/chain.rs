//! A chain: operators in one subtask, where what one emits goes straight into the next, deepest first.

use std::collections::VecDeque;

use tidegate_data::Chunk;

use crate::context::{Call, Gate};
use crate::element::{CheckpointId, WatermarkStatus};
use crate::env::{Env, Owner};
use crate::operator::{Failure, LeftOpen, Operator, Outcome, Polled, Progress, Source, SplitRead, SubtaskInfo};
use crate::state::StateVisitor;
use crate::store::{RequestId, StoreResponse};

/// What goes from operator to operator within a chain.
#[derive(Debug)]
pub(crate) enum Item {
    Chunk(usize, Chunk),
    Watermark(i64),
    Status(WatermarkStatus),
    Barrier(CheckpointId),
    /// An input has ended; `last`: there is no other.
    EndInput {
        input: usize,
        last: bool,
    },
}

/// Whether an operator can take the next item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activity {
    Idle,
    /// It wants to be called again.
    Resume,
    /// It waits for the store.
    Wait,
}

/// What sits at a position of the chain.
pub(crate) enum Stage {
    Source(Box<dyn Source>),
    Operator(Box<dyn Operator>),
}

/// A position of the chain.
pub(crate) struct Slot {
    pub(crate) uid: String,
    stage: Stage,
    inbox: VecDeque<Item>,
    activity: Activity,
    /// What is handed on once the operator is done.
    after: Option<Item>,
    pub(crate) gate: Gate,
}

impl Slot {
    pub(crate) fn new(uid: String, stage: Stage) -> Slot {
        Slot { uid, stage, inbox: VecDeque::new(), activity: Activity::Idle, after: None, gate: Gate::default() }
    }

    /// Shows the state tables.
    pub(crate) fn state(&mut self, visitor: &mut dyn StateVisitor) {
        match &mut self.stage {
            Stage::Source(source) => source.state(visitor),
            Stage::Operator(operator) => operator.state(visitor),
        }
    }

    pub(crate) fn is_finished(&self) -> bool {
        match &self.stage {
            Stage::Source(_) => true,
            Stage::Operator(operator) => operator.is_finished(),
        }
    }
}

/// What a source's poll gave, and what holds the source back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceStatus {
    Ready,
    Pending,
    Ended,
}

/// Rows that a step emits before it leaves the rest of the chain's work to the next one.
const ROWS_PER_STEP: usize = 4 * Chunk::MAX_ROWS;

/// The operators of a subtask.
pub(crate) struct Chain {
    pub(crate) slots: Vec<Slot>,
    /// What has left the last operator.
    pub(crate) tail: VecDeque<Item>,
    source: Option<SourceStatus>,
    subtask: usize,
    info: SubtaskInfo,
    /// Rows emitted by all operators within this step.
    rows: usize,
}

impl Chain {
    pub(crate) fn new(slots: Vec<Slot>, subtask: usize, info: SubtaskInfo) -> Chain {
        let source = matches!(slots.first(), Some(Slot { stage: Stage::Source(_), .. })).then_some(SourceStatus::Ready);
        Chain { slots, tail: VecDeque::new(), source, subtask, info, rows: 0 }
    }

    pub(crate) fn info(&self) -> &SubtaskInfo {
        &self.info
    }

    /// Whether a poll of the source could give something.
    pub(crate) fn source_ready(&self) -> bool {
        self.source == Some(SourceStatus::Ready)
    }

    pub(crate) fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// See [`Source::read`].
    pub(crate) fn splits_read(&self) -> Vec<SplitRead> {
        match self.slots.first().map(|slot| &slot.stage) {
            Some(Stage::Source(source)) => source.read(),
            _ => Vec::new(),
        }
    }

    /// Hands an item to the head of the chain.
    pub(crate) fn enter(&mut self, item: Item) {
        self.slots[0].inbox.push_back(item);
    }

    /// Whether every operator is done with everything that has entered.
    pub(crate) fn is_quiet(&self) -> bool {
        self.slots.iter().all(|slot| slot.activity == Activity::Idle && slot.inbox.is_empty())
    }

    /// Whether an operator waits for the store, and nothing below it has work.
    pub(crate) fn is_waiting(&self) -> bool {
        self.slots.iter().any(|slot| slot.activity == Activity::Wait) && self.position().is_none()
    }

    /// Whether [`Chain::run`] would do anything.
    pub(crate) fn has_work(&self) -> bool {
        self.position().is_some()
    }

    /// The deepest position that has work; nothing above one that waits has.
    fn position(&self) -> Option<usize> {
        for (i, slot) in self.slots.iter().enumerate().rev() {
            match slot.activity {
                Activity::Wait => return None,
                Activity::Resume => return Some(i),
                Activity::Idle if !slot.inbox.is_empty() => return Some(i),
                Activity::Idle => {}
            }
        }
        None
    }

    /// Works off what is in the chain: one resumption at the most, and rows within limits.
    pub(crate) fn run(&mut self, env: &mut Env) -> Result<(), Failure> {
        self.rows = 0;
        let mut resumed = false;
        self.run_on(&mut resumed, env)
    }

    fn run_on(&mut self, resumed: &mut bool, env: &mut Env) -> Result<(), Failure> {
        while let Some(i) = self.position() {
            if self.slots[i].activity == Activity::Resume {
                if std::mem::replace(resumed, true) {
                    return Ok(());
                }
                let outcome = self.call(i, env, |operator, cx| operator.resume(cx))?;
                self.settle(i, outcome);
            } else if let Some(item) = self.slots[i].inbox.pop_front() {
                self.process(i, item, env)?;
            }
            if self.rows >= ROWS_PER_STEP {
                return Ok(());
            }
        }
        Ok(())
    }

    fn process(&mut self, i: usize, item: Item, env: &mut Env) -> Result<(), Failure> {
        let outcome = match (&self.slots[i].stage, &item) {
            (Stage::Source(_), _) | (_, Item::Status(_)) => Progress::Done,
            (_, Item::Watermark(watermark)) => {
                let watermark = *watermark;
                self.slots[i].gate.watermark = Some(watermark);
                self.call(i, env, |operator, cx| operator.on_watermark(watermark, cx))?
            }
            (_, Item::Barrier(checkpoint)) => {
                let checkpoint = *checkpoint;
                self.call(i, env, |operator, cx| operator.pre_barrier(checkpoint, cx))?
            }
            (_, Item::EndInput { input, .. }) => {
                let input = *input;
                self.call(i, env, |operator, cx| operator.end_input(input, cx))?
            }
            (_, Item::Chunk(..)) => {
                let Item::Chunk(input, chunk) = item else { unreachable!("it is a chunk") };
                self.slots[i].gate.rows_in += chunk.len as u64;
                let outcome = self.call(i, env, |operator, cx| operator.on_chunk(input, chunk, cx))?;
                self.settle(i, outcome);
                return Ok(());
            }
        };
        self.slots[i].after = Some(item);
        self.settle(i, outcome);
        Ok(())
    }

    /// Notes how a call ended; once it is done, hands on what follows.
    fn settle(&mut self, i: usize, outcome: Progress) {
        let slot = &mut self.slots[i];
        slot.activity = match outcome {
            Progress::More => Activity::Resume,
            Progress::Wait => Activity::Wait,
            Progress::Done => Activity::Idle,
        };
        if outcome != Progress::Done {
            return;
        }
        let Some(item) = slot.after.take() else { return };
        let forwarded = match (item, &slot.stage) {
            (Item::Chunk(..), _) => None,
            (Item::Watermark(watermark), Stage::Operator(operator)) => {
                slot.gate.pass_watermark(operator.output_watermark(watermark))
            }
            (Item::Watermark(watermark), Stage::Source(_)) => slot.gate.pass_watermark(watermark),
            (Item::Status(status), Stage::Operator(operator)) => {
                if operator.forwards_status() {
                    slot.gate.pass_status(status)
                } else {
                    None
                }
            }
            (Item::Status(status), Stage::Source(_)) => slot.gate.pass_status(status),
            (Item::EndInput { last: false, .. }, _) => None,
            (Item::EndInput { last: true, .. }, _) => Some(Item::EndInput { input: 0, last: true }),
            (Item::Barrier(checkpoint), _) => Some(Item::Barrier(checkpoint)),
        };
        if let Some(item) = forwarded {
            match self.slots.get_mut(i + 1) {
                Some(next) => next.inbox.push_back(item),
                None => self.tail.push_back(item),
            }
        }
    }

    /// The operator of a position with its context.
    fn call<T>(
        &mut self,
        i: usize,
        env: &mut Env,
        f: impl FnOnce(&mut dyn Operator, &mut Call<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.call_stage(i, env, |stage, cx| match stage {
            Stage::Operator(operator) => f(operator.as_mut(), cx),
            Stage::Source(_) => unreachable!("a source is not called as an operator"),
        })
    }

    fn call_stage<T>(
        &mut self,
        i: usize,
        env: &mut Env,
        f: impl FnOnce(&mut Stage, &mut Call<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (head, rest) = self.slots.split_at_mut(i + 1);
        let slot = &mut head[i];
        let out = rest.first_mut().map_or(&mut self.tail, |next| &mut next.inbox);
        let mut call = Call::new(out, &mut slot.gate, env, Owner::Operator(self.subtask, i), &self.info);
        let waits = slot.activity == Activity::Wait;
        let result = f(&mut slot.stage, &mut call);
        debug_assert!(!waits || call.rows() == 0, "an operator emitted rows although it waits");
        self.rows += call.rows();
        result
    }

    pub(crate) fn source_ended(&self) -> bool {
        self.source == Some(SourceStatus::Ended)
    }

    fn enter_end(&mut self) {
        self.source = Some(SourceStatus::Ended);
        self.enter(Item::Status(WatermarkStatus::Active));
        self.enter(Item::Watermark(i64::MAX));
        self.enter(Item::EndInput { input: 0, last: true });
    }

    /// The source comes to its end, whatever it still has.
    pub(crate) fn end_source(&mut self, env: &mut Env) -> Result<(), Failure> {
        self.rows = 0;
        self.enter_end();
        self.run_on(&mut false, env)
    }

    /// Polls the source.
    pub(crate) fn poll(&mut self, limit: usize, env: &mut Env) -> Result<Polled, Failure> {
        self.rows = 0;
        let polled = self.call_stage(0, env, |stage, cx| match stage {
            Stage::Source(source) => source.poll(limit, cx),
            Stage::Operator(_) => unreachable!("only a chain with a source is polled"),
        })?;
        match polled {
            Polled::Emitted => {}
            Polled::Pending => self.source = Some(SourceStatus::Pending),
            Polled::Ended => self.enter_end(),
            Polled::Unused => {
                self.source = Some(SourceStatus::Ended);
                self.enter(Item::Status(WatermarkStatus::Idle));
                self.enter(Item::EndInput { input: 0, last: true });
            }
        }
        self.run_on(&mut false, env)?;
        Ok(polled)
    }

    /// Something has come that may let the source emit again.
    pub(crate) fn wake_source(&mut self) {
        if self.source == Some(SourceStatus::Pending) {
            self.source = Some(SourceStatus::Ready);
        }
    }

    /// State is loaded: one operator gets ready (the deepest first).
    pub(crate) fn open(&mut self, i: usize, env: &mut Env) -> Result<(), Failure> {
        self.rows = 0;
        let outcome = self.call_stage(i, env, |stage, cx| match stage {
            Stage::Source(source) => source.restored(cx),
            Stage::Operator(operator) => operator.restored(cx),
        })?;
        self.settle(i, outcome);
        Ok(())
    }

    /// An answer of the store for the operator at position `i`.
    pub(crate) fn response(
        &mut self,
        i: usize,
        request: RequestId,
        response: StoreResponse,
        env: &mut Env,
    ) -> Result<(), Failure> {
        self.rows = 0;
        self.call_stage(i, env, |stage, cx| match stage {
            Stage::Source(source) => source.on_response(request, response, cx),
            Stage::Operator(operator) => operator.on_response(request, response, cx),
        })?;
        if i == 0 {
            self.wake_source();
        }
        if self.slots[i].activity == Activity::Wait {
            self.slots[i].activity = Activity::Resume;
        }
        Ok(())
    }

    /// Tells all operators how a checkpoint has ended.
    pub(crate) fn checkpoint_ended(
        &mut self,
        checkpoint: CheckpointId,
        complete: bool,
        env: &mut Env,
    ) -> Result<(), Failure> {
        self.rows = 0;
        for i in 0..self.slots.len() {
            self.call_stage(i, env, |stage, cx| match stage {
                Stage::Source(source) if complete => source.on_checkpoint_complete(checkpoint, cx),
                Stage::Source(_) => Ok(()),
                Stage::Operator(operator) if complete => operator.on_checkpoint_complete(checkpoint, cx),
                Stage::Operator(operator) => operator.on_checkpoint_aborted(checkpoint, cx),
            })?;
        }
        Ok(())
    }

    /// Transactions of the sinks that are not at their end.
    pub(crate) fn left_open(&self) -> Vec<LeftOpen> {
        let stages = self.slots.iter().map(|slot| &slot.stage);
        let left = stages.map(|stage| match stage {
            Stage::Source(_) => Vec::new(),
            Stage::Operator(operator) => operator.left_open(),
        });
        left.flatten().collect()
    }

    /// The sinks' transactions have less time.
    pub(crate) fn shorten_transactions(&mut self, left: i64, env: &mut Env) -> Result<(), Failure> {
        self.rows = 0;
        for i in 0..self.slots.len() {
            self.call_stage(i, env, |stage, cx| match stage {
                Stage::Source(_) => Ok(()),
                Stage::Operator(operator) => operator.shorten_transactions(left, cx),
            })?;
        }
        Ok(())
    }

    /// Feeds the source.
    pub(crate) fn feed(&mut self, split: u32, items: &[crate::operator::FeedItem]) {
        if let Some(Slot { stage: Stage::Source(source), .. }) = self.slots.first_mut() {
            source.feed(split, items);
            self.wake_source();
        }
    }

    /// The earliest time that an operator wants to be called at.
    pub(crate) fn wake(&self) -> Option<i64> {
        self.slots.iter().filter_map(|slot| slot.gate.next_call()).min()
    }

    /// Whether an operator waits for a time with something left to do then.
    pub(crate) fn has_timer(&self) -> bool {
        self.slots.iter().any(|slot| slot.gate.wake.is_some() && !slot.is_finished())
    }

    /// The position whose time has come and that can be called: all are done, or it is the one that waits. With `unfinished`, only one that
    /// still has something to commit.
    pub(crate) fn due(&self, now: i64, unfinished: bool) -> Option<usize> {
        let quiet = self.is_quiet();
        self.slots.iter().position(|slot| {
            slot.gate.next_call().is_some_and(|at| at <= now)
                && (quiet || slot.activity == Activity::Wait)
                && !(unfinished && slot.is_finished())
        })
    }

    /// Calls the operator whose time has come; one that waits is resumed.
    pub(crate) fn on_time(&mut self, i: usize, env: &mut Env) -> Result<(), Failure> {
        self.rows = 0;
        self.slots[i].gate.called(env.now);
        env.wake_dirty = true;
        if self.slots[i].activity == Activity::Wait {
            self.slots[i].activity = Activity::Resume;
            return self.run_on(&mut false, env);
        }
        let outcome = match &self.slots[i].stage {
            Stage::Source(_) => {
                self.wake_source();
                return Ok(());
            }
            Stage::Operator(_) => self.call(i, env, |operator, cx| -> Outcome { operator.on_processing_time(cx) })?,
        };
        self.settle(i, outcome);
        self.run_on(&mut true, env)
    }
}
