//! What can be seen of a job from outside.

use super::Job;
use crate::element::CheckpointId;
use crate::snapshot::{tables, with_table};
use crate::state::Scope;
use crate::subtask::Subtask;
use crate::view::{
    ChannelView, ElementView, JobView, OperatorView, PartState, StatePage, StateTableView, SubtaskStatus, SubtaskView,
    VertexView,
};

/// The most queued elements shown.
const QUEUE: usize = 16;

impl Job {
    pub(super) fn observe(&self) -> JobView {
        let vertices = self.graph.vertices.iter().map(|vertex| {
            let source = vertex.source.iter().map(|source| OperatorView {
                uid: source.uid.clone(),
                name: source.name.clone(),
                description: source.name.clone(),
            });
            let operators = vertex.operators.iter().map(|operator| OperatorView {
                uid: operator.uid.clone(),
                name: operator.name.clone(),
                description: operator.description.clone(),
            });
            VertexView {
                name: vertex.name.clone(),
                parallelism: vertex.parallelism,
                operators: source.chain(operators).collect(),
            }
        });
        JobView {
            name: self.graph.name.clone(),
            state: self.state.clone(),
            attempt: self.env.attempt,
            step: self.env.step,
            now: self.env.now,
            vertices: vertices.collect(),
            subtasks: if self.attempt.is_some() { self.subtask_views() } else { self.last_seen.clone() },
            channels: self.channel_views(),
            checkpoint: self.coordinator.current().cloned(),
            others: self.coordinator.others().cloned().collect(),
            history: self.coordinator.history().cloned().collect(),
            retained: self.coordinator.retained.iter().map(|retained| retained.id).collect::<Vec<CheckpointId>>(),
            transactions: self.transactions.iter().cloned().collect(),
            planned: self.planned(),
            log: self.log.iter().cloned().collect(),
        }
    }

    pub(super) fn subtask_views(&self) -> Vec<SubtaskView> {
        let Some(attempt) = &self.attempt else { return self.subtasks_to_come() };
        let acknowledged = self.coordinator.current().map(|checkpoint| &checkpoint.subtasks);
        let views = attempt.subtasks.iter().map(|subtask| {
            let (watermark, idle) = subtask.watermark();
            let slots = &subtask.chain.slots;
            let has_source = subtask.chain.has_source();
            SubtaskView {
                vertex: subtask.vertex,
                index: subtask.chain.info().index,
                status: subtask.status(&attempt.channels),
                watermark,
                idle,
                rows_in: slots
                    .first()
                    .map_or(0, |slot| slot.gate.rows_in + if has_source { slot.gate.rows_out } else { 0 }),
                rows_out: slots.last().map_or(0, |slot| slot.gate.rows_out),
                late_rows: slots.iter().map(|slot| slot.gate.late_rows).sum(),
                acknowledged: acknowledged.map(|subtasks| subtasks[subtask.id].is_some()),
                parts: self.parts(subtask),
                steps: subtask.steps,
                runnable: subtask.is_runnable(&attempt.channels, &self.env),
            }
        });
        views.collect()
    }

    /// Where a subtask is with checkpoints that wait for its acknowledgement.
    fn parts(&self, subtask: &Subtask) -> Vec<(CheckpointId, PartState)> {
        let writing = subtask.files.writing().map(|checkpoint| (checkpoint, PartState::Writing));
        let parts = writing.chain(self.disturbed.parts(subtask.id));
        parts.filter(|(checkpoint, _)| self.coordinator.is_open(*checkpoint)).collect()
    }

    /// Rows that the sources have read since the attempt began.
    pub fn rows_read(&self) -> u64 {
        let subtasks = self.attempt.iter().flat_map(|attempt| &attempt.subtasks);
        let sources = subtasks.filter(|subtask| subtask.chain.has_source());
        sources.filter_map(|subtask| subtask.chain.slots.first()).map(|slot| slot.gate.rows_out).sum()
    }

    /// Before the first attempt: subtasks that do not exist yet.
    fn subtasks_to_come(&self) -> Vec<SubtaskView> {
        let vertices = self.graph.vertices.iter().enumerate();
        let places = vertices.flat_map(|(v, vertex)| (0..vertex.parallelism).map(move |index| (v, index)));
        let views = places.map(|(vertex, index)| SubtaskView {
            vertex,
            index,
            status: SubtaskStatus::Initializing,
            watermark: None,
            idle: false,
            rows_in: 0,
            rows_out: 0,
            late_rows: 0,
            acknowledged: None,
            parts: Vec::new(),
            steps: 0,
            runnable: false,
        });
        views.collect()
    }

    fn channel_views(&self) -> Vec<ChannelView> {
        let Some(attempt) = &self.attempt else { return Vec::new() };
        let place = |id: usize| {
            let subtask = &attempt.subtasks[id];
            (subtask.vertex, subtask.chain.info().index)
        };
        let views = attempt.channels.iter().map(|channel| {
            let (watermark, idle) = attempt.subtasks[channel.to].channel_status(channel);
            ChannelView {
                edge: channel.edge,
                from: place(channel.from),
                to: place(channel.to),
                input: channel.input,
                queue: channel.queue.iter().take(QUEUE).map(ElementView::from).collect(),
                queued: channel.queue.len(),
                queued_rows: channel.queued_rows,
                capacity: channel.capacity,
                blocked: channel.blocked,
                pace: channel.pace,
                watermark,
                idle,
                ended: channel.ended,
                elements: channel.elements,
                rows: channel.rows,
            }
        });
        views.collect()
    }
}

pub(super) fn state_tables(subtask: &mut Subtask) -> Vec<StateTableView> {
    let views = tables(&mut subtask.chain.slots).into_iter().map(|table| StateTableView {
        uid: table.uid,
        table: table.table,
        schema: table.schema,
        keyed: table.scope == Scope::Keyed,
        entries: table.entries,
        bytes: table.bytes,
    });
    views.collect()
}

pub(super) fn state_page(
    subtask: &mut Subtask,
    uid: &str,
    table: &str,
    offset: usize,
    limit: usize,
) -> Option<StatePage> {
    with_table(&mut subtask.chain.slots, uid, table, |table| StatePage {
        entries: table.len(),
        bytes: table.bytes(),
        rows: table.page(offset, limit),
    })
}
