//! Faults and moments in words.

use tidegate_protocol::{CommitMoment, Fault, JobLayout, PlannedFault, StoragePlace};

/// The moments on offer: none is at once.
pub const MOMENTS: [(Option<CommitMoment>, &str); 14] = [
    (None, "at once"),
    (Some(CommitMoment::Requested), "before the barriers set out"),
    (Some(CommitMoment::Triggered), "while barriers are on their way"),
    (Some(CommitMoment::Aligning), "while a first subtask aligns"),
    (Some(CommitMoment::Acknowledged), "once a first subtask has acknowledged"),
    (Some(CommitMoment::Begun), "when a transaction begins"),
    (Some(CommitMoment::PreCommitting), "while a pre-commit writes"),
    (Some(CommitMoment::PreCommitted), "when one has pre-committed"),
    (Some(CommitMoment::Voted), "when all have voted"),
    (Some(CommitMoment::Deciding), "while the decision is written"),
    (Some(CommitMoment::Completed), "when the checkpoint is complete"),
    (Some(CommitMoment::Committing), "before a commit is sent"),
    (Some(CommitMoment::CommitSent), "while a commit is on its way"),
    (Some(CommitMoment::Committed), "when a commit is through"),
];

/// When, in words.
pub fn when(moment: Option<CommitMoment>) -> &'static str {
    MOMENTS.iter().find(|(of, _)| *of == moment).map_or("", |(_, name)| name)
}

/// Why a moment does not come in a job, if it does not; `several` where a subtask has several channels.
pub fn never(moment: Option<CommitMoment>, layout: &JobLayout, several: bool) -> Option<&'static str> {
    use CommitMoment::{Aligning, Begun, CommitSent, Committed, Committing, PreCommitted, PreCommitting};
    match moment? {
        _ if !layout.checkpoints => Some("the job makes no checkpoints"),
        Aligning if !layout.aligns => Some("barriers block no channel in this mode"),
        Aligning if !several => Some("each subtask has one channel at most, and waits for no other"),
        Begun | PreCommitting | PreCommitted | Committing | CommitSent | Committed if !layout.transactional => {
            Some("no sink writes in transactions ('sink.delivery-guarantee' = 'exactly-once')")
        }
        _ => None,
    }
}

/// Whose storage, in words.
pub fn store(place: StoragePlace) -> &'static str {
    match place {
        StoragePlace::Checkpoints => "checkpoint storage",
        StoragePlace::Sinks => "the sink’s store",
    }
}

/// How slow storage is, in words.
pub fn pace(ms: u64, rate: u64) -> String {
    match (ms, rate) {
        (0, 0) => "as fast as before".to_owned(),
        (ms, 0) => format!("slow: {ms} ms a request"),
        (0, rate) => format!("slow: {rate} bytes/s"),
        (ms, rate) => format!("slow: {ms} ms a request, {rate} bytes/s"),
    }
}

/// A fault in words.
pub fn what(fault: Fault, layout: &JobLayout) -> String {
    let name = |(vertex, index): (u32, u32)| {
        let name = layout.vertices.get(vertex as usize).map_or("", |vertex| vertex.name.as_str());
        format!("{name}[{index}]")
    };
    let seconds = |ms: u32| format!("{} s", f64::from(ms) / 1000.0);
    match fault {
        Fault::Coordinator => "the coordinator fails on completion".to_owned(),
        Fault::At(moment) => format!("the job crashes {}", when(Some(moment))),
        Fault::LoseAcknowledgement { vertex, subtask } => {
            format!("the next acknowledgement of {} is lost", name((vertex, subtask)))
        }
        Fault::DelayAcknowledgement { vertex, subtask, ms } => {
            format!("the next acknowledgement of {} is {} late", name((vertex, subtask)), seconds(ms))
        }
        Fault::SlowChannel { from, to, ms: 0 } => format!("{} → {} is as fast as before", name(from), name(to)),
        Fault::SlowChannel { from, to, ms } => format!("{} → {} takes {ms} ms an element", name(from), name(to)),
        Fault::Storage { place, ms: 0, .. } => format!("{} is there again", store(place)),
        Fault::Storage { place, full: true, ms } => format!("{} is full for {}", store(place), seconds(ms)),
        Fault::Storage { place, full: false, ms } => format!("{} is away for {}", store(place), seconds(ms)),
        Fault::Part { lost: true } => "a part of the newest checkpoint is lost".to_owned(),
        Fault::Part { lost: false } => "a part of the newest checkpoint is damaged".to_owned(),
        Fault::Transactions { ms } => format!("open transactions time out in {}", seconds(ms)),
        Fault::SlowStorage { place, ms, rate } => format!("{} is {}", store(place), pace(ms.into(), rate.into())),
        Fault::Job => "the job crashes".to_owned(),
        Fault::Subtask { vertex, subtask } => format!("{} crashes", name((vertex, subtask))),
        Fault::Worker => "the engine’s worker is lost".to_owned(),
        Fault::Zombie => "the engine is taken for dead, and comes back".to_owned(),
    }
}

/// A fault with its moment.
pub fn step(planned: &PlannedFault, layout: &JobLayout) -> String {
    let when = if planned.moment.is_none() { "then at once" } else { when(planned.moment) };
    format!("{when}: {}", what(planned.fault, layout))
}
