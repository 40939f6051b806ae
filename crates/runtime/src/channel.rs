//! A bounded queue between two subtasks.

use std::collections::VecDeque;

use crate::element::{Element, WatermarkStatus};
use crate::view::ElementView;

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
    pub(crate) blocked: bool,
    /// Its end has been taken.
    pub(crate) ended: bool,
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
            blocked: false,
            ended: false,
            elements: 0,
            rows: 0,
            queued_rows: 0,
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.queue.len() < self.capacity
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
        element
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
