//! A bounded queue between two subtasks.

use std::collections::VecDeque;

use crate::element::{Barrier, BarrierKind, CheckpointId, Element, WatermarkStatus};
use crate::view::ElementView;

/// What was on its way in a channel as of an unaligned checkpoint.
#[derive(Debug)]
struct Record {
    checkpoint: CheckpointId,
    elements: Vec<Element>,
    /// The consumer's state has been read out, and the barrier has not come: what is taken from the channel belongs here.
    open: bool,
}

/// A channel. Its producer stops when it is full; its consumer leaves it alone while it is blocked.
#[derive(Debug)]
pub(crate) struct Channel {
    /// Index of the edge in the graph.
    pub(crate) edge: usize,
    /// The subtask that sends.
    pub(crate) from: usize,
    /// The subtask that receives.
    pub(crate) to: usize,
    /// The input of the receiver.
    pub(crate) input: usize,
    /// Its number among the channels of that input.
    pub(crate) number: usize,
    /// What is on its way.
    pub(crate) queue: VecDeque<Element>,
    /// How many elements fit.
    pub(crate) capacity: usize,
    /// It has delivered the barrier for which others are waited for.
    pub(crate) through: bool,
    /// It is left alone until they have.
    pub(crate) blocked: bool,
    /// Its end has been taken.
    pub(crate) ended: bool,
    /// Host time between two elements (ms) where it is slow on purpose, and when the next may be taken.
    pub(crate) pace: i64,
    pub(crate) next_at: i64,
    /// What a barrier has overtaken.
    record: Option<Record>,
    /// Elements at the front that were on their way when the restored checkpoint was made: they come before anything else.
    pub(crate) restored: usize,
    /// Elements sent.
    pub(crate) elements: u64,
    /// Rows sent.
    pub(crate) rows: u64,
    /// Rows queued.
    pub(crate) queued_rows: u64,
}

impl Channel {
    pub(crate) fn new(edge: usize, from: usize, to: usize, input: usize, number: usize, capacity: usize) -> Channel {
        Channel {
            edge,
            from,
            to,
            input,
            number,
            queue: VecDeque::new(),
            capacity,
            through: false,
            blocked: false,
            ended: false,
            pace: 0,
            next_at: i64::MIN,
            record: None,
            restored: 0,
            elements: 0,
            rows: 0,
            queued_rows: 0,
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.queue.len() < self.capacity
    }

    /// From now on it gives up an element every `pace` ms.
    pub(crate) fn slow_down(&mut self, pace: i64, now: i64) {
        self.pace = pace;
        self.next_at = if pace > 0 { now.saturating_add(pace) } else { i64::MIN };
    }

    /// Whether it is slow, and it is not time yet.
    pub(crate) fn is_held(&self, now: i64) -> bool {
        self.pace > 0 && now < self.next_at
    }

    pub(crate) fn push(&mut self, element: Element) {
        self.elements += 1;
        if let Element::Chunk(chunk) = &element {
            self.rows += chunk.len as u64;
            self.queued_rows += chunk.len as u64;
        }
        self.queue.push_back(element);
    }

    pub(crate) fn pop(&mut self) -> Option<Element> {
        let element = self.queue.pop_front();
        if let Some(Element::Chunk(chunk)) = &element {
            self.queued_rows -= chunk.len as u64;
        }
        match (&element, &mut self.record) {
            (Some(Element::End), Some(record)) => record.open = false,
            // A barrier of a checkpoint that was given up may still be about.
            (Some(Element::Barrier(barrier)), Some(record)) => record.open &= barrier.checkpoint != record.checkpoint,
            (Some(element), Some(record)) if record.open => record.elements.push(element.clone()),
            _ => {}
        }
        if !matches!(element, Some(Element::Barrier(_))) {
            self.restored = self.restored.saturating_sub(1);
        }
        element
    }

    /// Whether a barrier that has overtaken everything comes next.
    pub(crate) fn is_overtaken(&self) -> bool {
        matches!(self.queue.front(), Some(Element::Barrier(Barrier { kind: BarrierKind::Overtaking, .. })))
    }

    fn record(&mut self, checkpoint: CheckpointId) -> &mut Record {
        let old = self.record.take().filter(|record| record.checkpoint == checkpoint);
        self.record.insert(old.unwrap_or(Record { checkpoint, elements: Vec::new(), open: false }))
    }

    /// A barrier passes everything that is queued here or `waiting` to be.
    pub(crate) fn overtake(&mut self, barrier: Barrier, waiting: Vec<Element>) {
        let mut passed: Vec<Element> = self.queue.iter().cloned().collect();
        passed.extend(waiting);
        self.record(barrier.checkpoint).elements.extend(passed);
        self.queue.push_front(Element::Barrier(barrier));
    }

    /// The barrier of an aligned checkpoint that is queued here passes everything before it.
    pub(crate) fn hurry(&mut self, barrier: Barrier) -> bool {
        let is_it = |element: &Element| matches!(element, Element::Barrier(b) if b.checkpoint == barrier.checkpoint);
        let Some(at) = self.queue.iter().position(is_it) else { return false };
        self.queue.remove(at);
        let passed: Vec<Element> = self.queue.iter().take(at).cloned().collect();
        self.record(barrier.checkpoint).elements.extend(passed);
        self.queue.push_front(Element::Barrier(barrier));
        true
    }

    /// The consumer's state has been read out: what is taken from here until the barrier comes is recorded.
    pub(crate) fn open_record(&mut self, checkpoint: CheckpointId) {
        self.record(checkpoint).open = true;
    }

    /// What was on its way as of a checkpoint.
    pub(crate) fn take_record(&mut self, checkpoint: CheckpointId) -> Vec<Element> {
        let record = self.record.take().filter(|record| record.checkpoint == checkpoint);
        record.map_or_else(Vec::new, |record| record.elements)
    }

    /// An element that was on its way when the restored checkpoint was made.
    pub(crate) fn restore(&mut self, element: Element) {
        if let Element::Chunk(chunk) = &element {
            self.queued_rows += chunk.len as u64;
        }
        self.restored += 1;
        self.queue.push_back(element);
    }
}

impl From<&Element> for ElementView {
    fn from(element: &Element) -> ElementView {
        match element {
            Element::Chunk(chunk) => ElementView::Rows(chunk.len as u32),
            Element::Watermark(watermark) => ElementView::Watermark(*watermark),
            Element::Status(WatermarkStatus::Idle) => ElementView::Idle,
            Element::Status(WatermarkStatus::Active) => ElementView::Active,
            Element::Barrier(barrier) => ElementView::Barrier(barrier.checkpoint),
            Element::End => ElementView::End,
        }
    }
}
