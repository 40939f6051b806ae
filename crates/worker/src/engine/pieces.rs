//! A frame's pieces: subtasks, channels, checkpoints, and what has happened.

use tidegate::data::{LogicalType, TimeKind};
use tidegate::runtime::view::{
    self, CheckpointStatus, CheckpointView, ElementView, JobView, LogEvent, PartState, SubtaskStatus, SubtaskView,
    TransactionStep, TransactionView,
};
use tidegate::{Happening, History, Replay};
use tidegate_protocol::{
    Acknowledgement, ChannelFrame, CheckpointFrame, QueuedElement, ReplayFrame, SubtaskFrame, TransactionFrame,
};

use crate::mishaps::{disturbed, moment_came};

/// Events shown.
const EVENTS: usize = 120;

/// The checkpoints that are under way, oldest first.
pub fn under_way(view: &JobView) -> Vec<&CheckpointView> {
    let mut all: Vec<&CheckpointView> = view.checkpoint.iter().chain(&view.others).collect();
    all.sort_by_key(|checkpoint| checkpoint.id);
    all
}

/// A subtask as it stands; `place` is its place among all.
pub fn subtask_frame(
    view: &JobView,
    (place, subtask): (usize, &SubtaskView),
    current: bool,
    tables: Vec<view::StateTableView>,
) -> SubtaskFrame {
    let part = subtask.parts.first().filter(|_| subtask.status == SubtaskStatus::Running);
    let (status, detail) = match &subtask.status {
        SubtaskStatus::Running if part.is_some() => match part {
            Some((checkpoint, PartState::Writing)) => ("snapshotting", format!("writes snapshot {checkpoint}")),
            Some((_, PartState::Sent)) => ("snapshotting", "written, ack sent".to_owned()),
            _ => ("snapshotting", "written, ack lost".to_owned()),
        },
        SubtaskStatus::Initializing => ("restoring", String::new()),
        SubtaskStatus::Running if subtask.runnable => ("running", String::new()),
        SubtaskStatus::Running => ("idle", String::new()),
        SubtaskStatus::BackPressured => ("back-pressured", String::new()),
        SubtaskStatus::Aligning { checkpoint, received, of } => {
            ("aligning", format!("barrier {checkpoint}: {received} of {of}"))
        }
        SubtaskStatus::Snapshotting { checkpoint } => ("snapshotting", format!("snapshot for {checkpoint}")),
        SubtaskStatus::WaitingForStore => ("waiting for store", String::new()),
        SubtaskStatus::Closed | SubtaskStatus::Finished => ("finished", String::new()),
        SubtaskStatus::Failed => ("failed", String::new()),
        SubtaskStatus::Canceled => ("canceled", String::new()),
    };
    SubtaskFrame {
        vertex: subtask.vertex as u32,
        index: subtask.index,
        status: status.to_owned(),
        detail,
        watermark: subtask.watermark.map(time_text),
        rows_in: subtask.rows_in,
        rows_out: subtask.rows_out,
        late: subtask.late_rows,
        current,
        acknowledged: under_way(view)
            .into_iter()
            .filter(|checkpoint| checkpoint.subtasks.get(place).is_some_and(Option::is_some))
            .map(|checkpoint| checkpoint.id)
            .collect(),
        kept: tables.iter().filter(|table| table.keyed).map(|table| table.entries as u64).sum(),
        state: tables
            .into_iter()
            .map(|table| (table.uid, table.table, table.entries as u64, table.bytes as u64))
            .collect(),
    }
}

/// A channel as it stands.
pub fn channel_frame(channel: &view::ChannelView) -> ChannelFrame {
    let queued = channel.queue.iter().map(|element| match element {
        ElementView::Rows(rows) => QueuedElement::Rows(*rows, String::new()),
        ElementView::Watermark(at) => QueuedElement::Watermark(time_text(*at)),
        ElementView::Idle => QueuedElement::Idle(true),
        ElementView::Active => QueuedElement::Idle(false),
        ElementView::Barrier(id) => QueuedElement::Barrier(*id),
        ElementView::End => QueuedElement::End,
    });
    ChannelFrame {
        from: (channel.from.0 as u32, channel.from.1),
        to: (channel.to.0 as u32, channel.to.1),
        queued: queued.collect(),
        length: channel.queued as u32,
        capacity: channel.capacity as u32,
        blocked: channel.blocked,
        rows: channel.rows,
        pace: channel.pace.clamp(0, u32::MAX.into()) as u32,
    }
}

/// A checkpoint under way or ended.
pub fn checkpoint_frame(view: &JobView, checkpoint: &CheckpointView) -> CheckpointFrame {
    let (status, reason) = match &checkpoint.status {
        CheckpointStatus::Triggering | CheckpointStatus::InProgress | CheckpointStatus::Completing => {
            ("in progress", None)
        }
        CheckpointStatus::Completed => ("completed", None),
        CheckpointStatus::Failed(reason) => ("aborted", Some(reason.clone())),
    };
    let until = checkpoint.ended.map_or(view.now, |(_, at)| at);
    let running = checkpoint.ended.is_none();
    let state = |place: usize| {
        let parts = view.subtasks.get(place).filter(|_| running).map_or(&[][..], |subtask| &subtask.parts);
        match parts.iter().find(|part| part.0 == checkpoint.id) {
            Some((_, PartState::Writing)) => "writing",
            Some((_, PartState::Sent)) => "sent",
            Some((_, PartState::Lost)) => "lost",
            None => "",
        }
    };
    let part = |(place, part): (usize, &Option<view::Acknowledgement>)| match part {
        Some(part) => Acknowledgement {
            acknowledged: true,
            alignment_ms: part.alignment_ms.max(0) as u64,
            alignment_steps: part.alignment_steps,
            queued: part.queued as u64,
            bytes: part.bytes,
            sync_us: part.sync_ms.max(0) as u64 * 1000,
            after_ms: (part.at - checkpoint.triggered.1).max(0) as u64,
            entries: part.entries,
            state: String::new(),
        },
        None => Acknowledgement { state: state(place).to_owned(), ..Acknowledgement::default() },
    };
    CheckpointFrame {
        id: checkpoint.id,
        status: status.to_owned(),
        savepoint: checkpoint.savepoint,
        kept: view.retained.contains(&checkpoint.id),
        reason,
        triggered: checkpoint.triggered,
        duration: (until - checkpoint.triggered.1).max(0) as u64,
        bytes: checkpoint.bytes,
        subtasks: checkpoint.subtasks.iter().enumerate().map(part).collect(),
    }
}

/// A sink's transaction.
pub fn transaction_frame(view: &JobView, transaction: &TransactionView, base: u64) -> TransactionFrame {
    let ended = matches!(
        transaction.state,
        TransactionStep::Committed
            | TransactionStep::Aborted
            | TransactionStep::TimedOut
            | TransactionStep::Lost { .. }
    );
    let left = transaction.deadline.filter(|_| !ended).map(|deadline| (deadline - view.now).max(0) as u64);
    TransactionFrame {
        subtask: (transaction.subtask.0 as u32, transaction.subtask.1),
        name: transaction.name.clone(),
        checkpoint: transaction.checkpoint,
        state: transaction_state(transaction.state).to_owned(),
        // Coarse, so that a frame in which nothing else has changed is equal to the last.
        left: left.map(|left| left / 100 * 100),
        rows: transaction.rows,
        steps: transaction.steps.iter().map(|(step, at, _)| (transaction_state(*step).to_owned(), base + at)).collect(),
    }
}

fn transaction_state(step: TransactionStep) -> &'static str {
    match step {
        TransactionStep::Begun { .. } => "open",
        TransactionStep::PreCommitting { .. } => "pre-committing",
        TransactionStep::PreCommitted { .. } => "pre-committed",
        TransactionStep::Committing => "committing",
        TransactionStep::CommitSent => "commit sent",
        TransactionStep::Committed => "committed",
        TransactionStep::Aborted => "aborted",
        TransactionStep::TimedOut => "timed out",
        TransactionStep::Lost { .. } => "lost",
        TransactionStep::Shortened { .. } => "shortened",
    }
}

/// What has happened to a job, newest last.
pub fn events(view: &JobView, history: &History) -> Vec<(u64, i64, String, String)> {
    let skipped = history.events().len().saturating_sub(EVENTS);
    let told = history.events().skip(skipped).map(|happening| {
        let entry = match happening {
            Happening::Job(entry) => entry,
            Happening::EngineLost { step, at } => {
                return (*step, *at, "the engine before was lost".to_owned(), "crash".to_owned());
            }
            Happening::Host { step, at, text } => return (*step, *at, text.clone(), "fault".to_owned()),
        };
        let (sentence, kind) = match &entry.event {
            LogEvent::Started { attempt } => (format!("attempt {attempt} began"), "other"),
            LogEvent::Restored { checkpoint, .. } => {
                let rows = history.replays().find(|one| one.at == entry.step).and_then(|replay| replay.rows);
                let again = match rows {
                    None => String::new(),
                    Some(0) => "; nothing had been read since".to_owned(),
                    Some(1) => "; 1 row is read once more".to_owned(),
                    Some(rows) => format!("; {rows} rows are read once more"),
                };
                (format!("restored from checkpoint {checkpoint}{again}"), "restore")
            }
            LogEvent::CheckpointDamaged { checkpoint, reason } => {
                (format!("checkpoint {checkpoint} is damaged: {reason}"), "crash")
            }
            LogEvent::CheckpointTriggered { checkpoint } => (format!("checkpoint {checkpoint} triggered"), "other"),
            LogEvent::CheckpointCompleted { checkpoint } => {
                (format!("checkpoint {checkpoint} completed"), "checkpoint")
            }
            LogEvent::CheckpointAborted { checkpoint, reason } => {
                (format!("checkpoint {checkpoint} aborted: {reason}"), "other")
            }
            LogEvent::CheckpointRefused { reason } => (format!("no checkpoint: {reason}"), "other"),
            LogEvent::TransactionLost { transaction, rows } => {
                let rows = if *rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
                (format!("transaction {transaction} is lost, and {rows} with it: its time was over before it was committed"), "crash")
            }
            LogEvent::TransactionTimedOut { transaction } => {
                (format!("the time of transaction {transaction} is over: the store has rolled it back"), "crash")
            }
            LogEvent::Disturbed(disturbance) => (disturbed(view, *disturbance), "fault"),
            LogEvent::MomentCame { moment, mishap } => (moment_came(view, *moment, *mishap), "fault"),
            LogEvent::SubtaskKilled { vertex, index } => {
                let name = view.vertices.get(*vertex).map_or("", |vertex| &vertex.name);
                (format!("{name}[{index}] was killed"), "crash")
            }
            LogEvent::Failed { diagnostic, .. } => (format!("failed: {}", diagnostic.message), "crash"),
            LogEvent::Restarting { .. } => ("starts again".to_owned(), "other"),
            LogEvent::Merged { segments, bytes } => (format!("{segments} segments merged into {bytes} bytes"), "other"),
            LogEvent::Finished => ("finished".to_owned(), "other"),
            LogEvent::Canceled => ("ended by hand".to_owned(), "other"),
        };
        (entry.step, entry.at, sentence, kind.to_owned())
    });
    told.collect()
}

/// What restores had a job do once more, oldest first.
pub fn replays(history: &History) -> Vec<ReplayFrame> {
    let frame = |replay: &Replay| ReplayFrame {
        checkpoint: replay.checkpoint,
        from: replay.from,
        to: replay.to,
        at: replay.at,
        rows: replay.rows,
    };
    history.replays().map(frame).collect()
}

/// A moment as timestamp text.
pub fn time_text(ms: i64) -> String {
    if ms == i64::MAX {
        return "end of input".to_owned();
    }
    let ty = tidegate::data::DataType::new(LogicalType::Timestamp(3, TimeKind::Regular));
    tidegate::value_text(&ty, &tidegate::data::Value::Int(ms), tidegate::data::Zone::UTC).unwrap_or_default()
}
