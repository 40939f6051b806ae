//! How rows leave a subtask: forward, by key group, in turn, or to all.

use std::collections::VecDeque;

use tidegate_data::Chunk;
use tidegate_data::keys::{hash_keys, key_group, subtask_of};

use crate::channel::Channel;
use crate::element::{Barrier, Element};
use crate::graph::Exchange;
use crate::mistakes::{Mistake, planted};

/// One edge out of a subtask.
pub(crate) struct OutputEdge {
    exchange: Exchange,
    /// The channels, by the number of the receiver (one only if it is a forward edge).
    channels: Vec<usize>,
    /// Rebalance: who gets the next row.
    cursor: usize,
    /// The receiver of each key group.
    owners: Vec<u32>,
    /// The receiver of each row of the chunk in hand.
    rows: Vec<u32>,
}

impl OutputEdge {
    pub(crate) fn new(exchange: Exchange, channels: Vec<usize>, max_parallelism: u32) -> OutputEdge {
        let parallelism = channels.len() as u32;
        let owners = match exchange {
            Exchange::Hash(_) => {
                let shift = u32::from(planted(Mistake::KeyGroupsMisplaced));
                let owner = |kg| (subtask_of(kg, max_parallelism, parallelism) + shift) % parallelism;
                (0..max_parallelism).map(owner).collect()
            }
            _ => Vec::new(),
        };
        OutputEdge { exchange, channels, cursor: 0, owners, rows: Vec::new() }
    }

    /// Spreads a chunk over the channels.
    fn spread(&mut self, chunk: Chunk, outbox: &mut VecDeque<(usize, Element)>) {
        let [first, ..] = self.channels[..] else { return };
        if chunk.len == 0 {
            return;
        }
        if self.channels.len() == 1 {
            outbox.push_back((first, Element::Chunk(chunk)));
            return;
        }
        match &self.exchange {
            Exchange::Forward => outbox.push_back((first, Element::Chunk(chunk))),
            Exchange::Broadcast => {
                outbox.extend(self.channels.iter().map(|channel| (*channel, Element::Chunk(chunk.clone()))));
            }
            Exchange::Rebalance => {
                let n = self.channels.len();
                let start = self.cursor;
                self.cursor = (start + chunk.len) % n;
                self.rows.clear();
                self.rows.extend((0..chunk.len).map(|row| ((start + row) % n) as u32));
                self.split(chunk, outbox);
            }
            Exchange::Hash(columns) if columns.is_empty() => outbox.push_back((first, Element::Chunk(chunk))),
            Exchange::Hash(columns) => {
                let keys: Vec<_> = columns.iter().map(|column| chunk.columns[*column].clone()).collect();
                let groups = self.owners.len() as u32;
                let owner = |hash| self.owners[key_group(hash, groups) as usize];
                self.rows.clear();
                self.rows.extend(hash_keys(&keys).into_iter().map(owner));
                self.split(chunk, outbox);
            }
        }
    }

    /// One chunk per receiver that gets any row, rows in their order.
    fn split(&self, chunk: Chunk, outbox: &mut VecDeque<(usize, Element)>) {
        let first = self.rows[0];
        if self.rows.iter().all(|owner| *owner == first) {
            outbox.push_back((self.channels[first as usize], Element::Chunk(chunk)));
            return;
        }
        let mut selected = Vec::with_capacity(chunk.len);
        for (owner, channel) in self.channels.iter().enumerate() {
            selected.clear();
            let rows = self.rows.iter().enumerate().filter(|(_, row_owner)| **row_owner == owner as u32);
            selected.extend(rows.map(|(row, _)| row as u32));
            if !selected.is_empty() {
                outbox.push_back((*channel, Element::Chunk(chunk.take(&selected))));
            }
        }
    }
}

/// All edges out of a subtask, and what could not be handed over yet.
pub(crate) struct Outputs {
    edges: Vec<OutputEdge>,
    outbox: VecDeque<(usize, Element)>,
}

impl Outputs {
    pub(crate) fn new(edges: Vec<OutputEdge>) -> Outputs {
        Outputs { edges, outbox: VecDeque::new() }
    }

    pub(crate) fn is_flushed(&self) -> bool {
        self.outbox.is_empty()
    }

    /// Whether the next element waiting could be handed over.
    pub(crate) fn can_flush(&self, channels: &[Channel]) -> bool {
        self.outbox.front().is_some_and(|(channel, _)| channels[*channel].has_room())
    }

    /// Whether every channel has room for at least one element, and nothing waits.
    pub(crate) fn have_room(&self, channels: &[Channel]) -> bool {
        self.outbox.is_empty()
            && self.edges.iter().flat_map(|edge| &edge.channels).all(|channel| channels[*channel].has_room())
    }

    /// Hands over what fits, in order.
    pub(crate) fn flush(&mut self, channels: &mut [Channel]) {
        while self.can_flush(channels) {
            if let Some((channel, element)) = self.outbox.pop_front() {
                channels[channel].push(element);
            }
        }
    }

    /// Sends rows.
    pub(crate) fn send_chunk(&mut self, chunk: Chunk) {
        let Some((last, others)) = self.edges.split_last_mut() else { return };
        others.iter_mut().for_each(|edge| edge.spread(chunk.clone(), &mut self.outbox));
        last.spread(chunk, &mut self.outbox);
    }

    /// A barrier passes all that is in the channels or waits for them.
    pub(crate) fn overtake(&mut self, barrier: Barrier, channels: &mut [Channel]) {
        for id in self.edges.iter().flat_map(|edge| &edge.channels) {
            let waiting = self.outbox.iter().filter(|(channel, _)| channel == id).map(|(_, element)| element.clone());
            channels[*id].overtake(barrier, waiting.collect());
        }
    }

    /// The barrier of an aligned checkpoint passes all that is before it, also where it waits to be handed over.
    pub(crate) fn hurry(&mut self, barrier: Barrier, channels: &mut [Channel]) {
        for id in self.edges.iter().flat_map(|edge| &edge.channels) {
            if channels[*id].hurry(barrier) {
                continue;
            }
            let is_it = |(channel, element): &(usize, Element)| {
                channel == id && matches!(element, Element::Barrier(b) if b.checkpoint == barrier.checkpoint)
            };
            if let Some(at) = self.outbox.iter().position(is_it) {
                self.outbox.remove(at);
                let before = self.outbox.iter().take(at).filter(|(channel, _)| channel == id);
                let waiting = before.map(|(_, element)| element.clone()).collect();
                channels[*id].overtake(barrier, waiting);
            }
        }
    }

    /// Spreads rows over the channels of one edge, as they are now.
    pub(crate) fn spread(&mut self, edge: usize, chunk: Chunk) -> VecDeque<(usize, Element)> {
        let mut spread = VecDeque::new();
        self.edges[edge].spread(chunk, &mut spread);
        spread
    }

    /// Sends an element to all channels.
    pub(crate) fn send_to_all(&mut self, element: &Element) {
        for edge in &self.edges {
            self.outbox.extend(edge.channels.iter().map(|channel| (*channel, element.clone())));
        }
    }
}
