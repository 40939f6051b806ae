//! Merging of segments in the background, so that a table's state does not lie in ever more of them.
//!
//! When a table has too many generations (eight unless set otherwise), the newest are merged, half of them at least, and older ones with them as long as they are not much larger: what a
//! checkpoint costs stays in proportion to what changed. The segments themselves never change: they are read back, merged by (key group, key)
//! and written as new ones, which the next checkpoint refers to. The old ones go when no retained checkpoint needs them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tidegate_data::sorted::SortedMap;

use bytes::Bytes;

use super::Job;
use crate::checkpoint::keys::SegmentId;
use crate::checkpoint::manifest::{Generation, SegmentRef};
use crate::checkpoint::segment::{SEGMENT_BYTES, Sealed, SegmentBuilder, SegmentReader};
use crate::env::Owner;
use crate::state::EntryRef;
use crate::store::{RequestId, StoreRequest, StoreResponse};
use crate::view::LogEvent;

/// The most entries merged in one step.
const ENTRIES_PER_STEP: usize = 4096;
/// Segments that are read or written at a time.
const REQUESTS: usize = 8;

/// A segment that goes into the merge.
#[derive(Debug)]
struct Input {
    segment: SegmentRef,
    /// Its generation: of equal keys the highest wins.
    rank: usize,
    reader: Option<SegmentReader>,
}

/// The next entry of an input: smallest key group and key first, of equal ones the newest generation, and within it the last segment (a key that
/// went and came again may stand in two).
type Next = Reverse<(u16, Bytes, Reverse<(usize, usize)>)>;

/// A merge under way.
#[derive(Debug)]
pub(super) struct Merge {
    subtask: usize,
    table: usize,
    /// The generations that it takes the place of.
    from: usize,
    count: usize,
    inputs: Vec<Input>,
    /// How many inputs have been asked for.
    asked: usize,
    reading: SortedMap<RequestId, usize>,
    heap: BinaryHeap<Next>,
    started: bool,
    /// The key that was handled last.
    last: Option<(u16, Bytes)>,
    builder: SegmentBuilder,
    output: Vec<SegmentRef>,
    writing: SortedMap<RequestId, SegmentId>,
    bytes: u64,
}

impl Merge {
    fn is_read(&self) -> bool {
        self.asked == self.inputs.len() && self.reading.is_empty()
    }

    /// Puts the next entry of an input that counts into the heap.
    fn advance(&mut self, input: usize) {
        let Input { segment, rank, reader: Some(reader) } = &mut self.inputs[input] else { return };
        let (from, to) = segment.key_groups;
        while let Some(entry) = reader.peek() {
            if (from..=to).contains(&entry.key_group) {
                let key = Bytes::copy_from_slice(entry.key);
                self.heap.push(Reverse((entry.key_group, key, Reverse((*rank, input)))));
                return;
            }
            reader.next();
        }
    }

    /// Merges a bit; true when there is nothing left.
    fn advance_all(&mut self, sealed: &mut Vec<Sealed>) -> bool {
        if !std::mem::replace(&mut self.started, true) {
            (0..self.inputs.len()).for_each(|input| self.advance(input));
        }
        for _ in 0..ENTRIES_PER_STEP {
            let Some(Reverse((key_group, key, Reverse((_, input))))) = self.heap.pop() else {
                if !self.builder.is_empty() {
                    sealed.push(std::mem::replace(&mut self.builder, SegmentBuilder::new(0)).finish());
                }
                return true;
            };
            let is_newest = self.last.as_ref().is_none_or(|last| last.0 != key_group || last.1 != key);
            if let (true, Some(reader)) = (is_newest, &self.inputs[input].reader)
                && let Some(EntryRef { value, .. }) = reader.peek()
                // Below the oldest generation there is nothing that a removal could hide.
                && (value.is_some() || self.from > 0)
            {
                self.builder.push(EntryRef { key_group, key: &key, value });
                if self.builder.is_full() {
                    sealed.push(std::mem::replace(&mut self.builder, SegmentBuilder::new(SEGMENT_BYTES)).finish());
                }
            }
            self.last = Some((key_group, key));
            if let Some(reader) = &mut self.inputs[input].reader {
                reader.next();
            }
            self.advance(input);
        }
        false
    }
}

impl Job {
    /// Looks for a table with too many generations.
    pub(super) fn plan_merge(&mut self) {
        if self.merge.is_some() {
            return;
        }
        let Some(attempt) = &self.attempt else { return };
        let tables = attempt.subtasks.iter().flat_map(|subtask| {
            subtask.files.tables.iter().enumerate().map(move |(t, table)| (subtask.id, t, &table.generations))
        });
        let Some((subtask, table, generations)) = tables.max_by_key(|(_, _, generations)| generations.len()) else {
            return;
        };
        let limit = self.settings.checkpoints.generations;
        if generations.len() <= limit {
            return;
        }
        let from = merge_from(generations, limit / 2 + 1);
        let merged = generations[from..].iter().enumerate();
        let inputs = merged.flat_map(|(rank, generation)| {
            generation.segments.iter().map(move |segment| Input { segment: *segment, rank, reader: None })
        });
        self.merge = Some(Merge {
            subtask,
            table,
            from,
            count: generations.len() - from,
            inputs: inputs.collect(),
            asked: 0,
            reading: SortedMap::new(),
            heap: BinaryHeap::new(),
            started: false,
            last: None,
            builder: SegmentBuilder::new(SEGMENT_BYTES),
            output: Vec::new(),
            writing: SortedMap::new(),
            bytes: 0,
        });
        self.read_more();
    }

    /// Asks for a few inputs more.
    fn read_more(&mut self) {
        let (Some(merge), Some(attempt)) = (&mut self.merge, &self.attempt) else { return };
        let mut broken = false;
        while merge.reading.len() < REQUESTS && merge.asked < merge.inputs.len() {
            let segment = merge.inputs[merge.asked].segment;
            match attempt.subtasks[merge.subtask].files.in_memory(segment.id) {
                Some(bytes) => {
                    let reader = SegmentReader::open(bytes, segment.crc);
                    broken |= reader.is_err();
                    merge.inputs[merge.asked].reader = reader.ok();
                }
                None => {
                    let key = self.env.keys.segment(segment.id);
                    let request = self.env.request(Owner::Merge, StoreRequest::Get { key });
                    merge.reading.insert(request, merge.asked);
                }
            }
            merge.asked += 1;
        }
        if broken {
            self.give_up_merge();
        }
    }

    pub(super) fn can_merge(&self) -> bool {
        let Some(merge) = &self.merge else { return false };
        merge.is_read() && (!merge.started || !merge.heap.is_empty()) && merge.writing.len() < REQUESTS
    }

    pub(super) fn merge_step(&mut self) {
        let Some(merge) = &mut self.merge else { return };
        let mut sealed = Vec::new();
        let done = merge.advance_all(&mut sealed);
        let Some(attempt) = &self.attempt else { return };
        let key_groups = attempt.subtasks[merge.subtask].files.table_key_groups(merge.table);
        for sealed in sealed {
            let id = self.env.new_segment();
            merge.bytes += sealed.bytes.len() as u64;
            let put = vec![(self.env.keys.segment(id), sealed.bytes.clone())];
            let body = StoreRequest::Batch { require: vec![self.env.epoch()], delete: Vec::new(), put };
            let request = self.env.request(Owner::Merge, body);
            merge.writing.insert(request, id);
            merge.output.push(SegmentRef {
                id,
                key_groups,
                entries: sealed.entries,
                bytes: sealed.bytes.len() as u32,
                crc: sealed.crc,
            });
        }
        if done && merge.writing.is_empty() {
            self.swap();
        }
    }

    pub(super) fn merge_response(&mut self, request: RequestId, response: StoreResponse) {
        let Some(merge) = &mut self.merge else { return };
        match (response, merge.reading.remove(&request)) {
            (StoreResponse::Value(Some(bytes)), Some(input)) => {
                let input = &mut merge.inputs[input];
                match SegmentReader::open(bytes, input.segment.crc) {
                    Ok(reader) => input.reader = Some(reader),
                    Err(_) => return self.give_up_merge(),
                }
                self.read_more();
            }
            (StoreResponse::Done, None) => {
                merge.writing.remove(&request);
                if merge.started && merge.heap.is_empty() && merge.writing.is_empty() && merge.builder.is_empty() {
                    self.swap();
                }
            }
            (StoreResponse::Refused { .. }, _) => self.fenced(),
            _ => self.give_up_merge(),
        }
    }

    /// The merged segments are written: tables refer to them from now on.
    fn swap(&mut self) {
        let (Some(merge), Some(attempt)) = (self.merge.take(), &mut self.attempt) else { return };
        let generations = &mut attempt.subtasks[merge.subtask].files.tables[merge.table].generations;
        let merged = Generation { checkpoint: 0, segments: merge.output };
        let merged = (!merged.segments.is_empty()).then_some(merged);
        generations.splice(merge.from..merge.from + merge.count, merged);
        self.coordinator.orphans.extend(merge.inputs.iter().map(|input| input.segment.id));
        self.log(LogEvent::Merged { segments: merge.inputs.len(), bytes: merge.bytes });
        self.plan_merge();
    }

    /// What cannot be read or written now is merged after a later checkpoint.
    fn give_up_merge(&mut self) {
        if let Some(merge) = self.merge.take() {
            self.coordinator.orphans.extend(merge.output.iter().map(|segment| segment.id));
        }
    }
}

/// The first generation to merge.
fn merge_from(generations: &[Generation], at_least: usize) -> usize {
    let mut from = generations.len();
    let mut bytes = 0;
    while from > 0 {
        let older = generations[from - 1].bytes();
        if generations.len() - from >= at_least && older > 2 * bytes {
            break;
        }
        bytes += older;
        from -= 1;
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generation(bytes: u32) -> Generation {
        let id = SegmentId(1, 1);
        Generation { checkpoint: 1, segments: vec![SegmentRef { id, key_groups: (0, 127), entries: 1, bytes, crc: 0 }] }
    }

    #[test]
    fn a_large_base_is_left_alone_until_the_rest_has_grown() {
        let mut generations: Vec<Generation> = [1000].iter().chain(&[10; 8]).map(|bytes| generation(*bytes)).collect();
        assert_eq!(merge_from(&generations, 4), 1);
        generations.push(generation(600));
        assert_eq!(merge_from(&generations, 4), 0);
    }
}
