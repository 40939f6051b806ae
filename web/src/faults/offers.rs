//! The faults on offer: for each what it is called, what it shows, and why it does not apply where it does not.

use tidegate_protocol::{CommitMoment, Fault, JobFrame, JobLayout, StoragePlace};

/// A fault on offer.
pub struct Offer {
    /// The button's id.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it does; nothing where no place is chosen.
    pub fault: Option<Fault>,
    /// What it shows, in one sentence.
    pub shows: &'static str,
    /// Why it does not apply now.
    pub not: Option<&'static str>,
    /// When it happens unless another moment is chosen.
    pub moment: Option<CommitMoment>,
}

/// What is chosen beside the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// A subtask.
    pub subtask: Option<(u32, u32)>,
    /// A channel.
    pub channel: Option<((u32, u32), (u32, u32))>,
    /// Whose storage.
    pub place: StoragePlace,
    /// How long something lasts, or how late it is, ms.
    pub lasts: u32,
    /// How long an element of a channel, or a request to storage takes, ms.
    pub pace: u32,
    /// Bytes a second of slow storage; 0 for any number.
    pub rate: u32,
}

/// The offers for a job.
pub fn offers(layout: &JobLayout, frame: &JobFrame, chosen: &Chosen) -> Vec<Offer> {
    let external = layout.results.iter().any(|result| result.external);
    let sink = (!external).then_some("the job writes into no table and no log");
    let open =
        |state: &str| matches!(state, "open" | "pre-committing" | "pre-committed" | "committing" | "commit sent");
    let transactions = (!frame.transactions.iter().any(|one| open(&one.state)))
        .then_some("no transaction is open; sinks have them with 'sink.delivery-guarantee' = 'exactly-once'");
    let kept = frame.checkpoints.history.iter().any(|checkpoint| checkpoint.kept);
    let part = (!kept).then_some("no checkpoint is kept");
    let wire = chosen.channel.is_none().then_some("the job has no channel: all of it is one chain");
    let Chosen { subtask, channel, place, lasts, pace, rate } = *chosen;
    let of = sink.filter(|_| place == StoragePlace::Sinks);
    let idle = (frame.slow.iter().all(|slow| slow.place != place)).then_some("it is not slow");
    let offer = |id, name, fault, not, shows| Offer { id, name, fault, shows, not, moment: None };
    let acknowledgement = |make: fn((u32, u32), u32) -> Fault| subtask.map(|subtask| make(subtask, lasts));
    let storage = |place, full| Some(Fault::Storage { place, full, ms: lasts });
    vec![
        offer(
            "fault-job",
            "Job crashes",
            Some(Fault::Job),
            None,
            "All of it fails and goes on from its last checkpoint.",
        ),
        offer(
            "fault-subtask",
            "Subtask crashes",
            acknowledgement(|(vertex, subtask), _| Fault::Subtask { vertex, subtask }),
            None,
            "The chosen one: the others end with it, and all go on from the last checkpoint.",
        ),
        offer(
            "fault-worker",
            "Worker lost",
            Some(Fault::Worker),
            None,
            "The engine’s worker is terminated. What it had sent to the store is there; nothing else outlives it.",
        ),
        Offer {
            id: "fault-zombie",
            name: "Zombie writer",
            fault: Some(Fault::Zombie),
            shows: "The engine is taken for dead, at a commit if no moment is chosen, and another one takes over. Then the old one comes back and goes on writing: the store refuses it.",
            not: sink,
            moment: external_moment(frame),
        },
        offer(
            "fault-coordinator",
            "Coordinator fails",
            Some(Fault::Coordinator),
            None,
            "At the next checkpoint, between its completion and the notification: the checkpoint counts, so the new attempt commits what the old one could not.",
        ),
        offer(
            "fault-lose-ack",
            "Acknowledgement lost",
            acknowledgement(|(vertex, subtask), _| Fault::LoseAcknowledgement { vertex, subtask }),
            None,
            "The next one of the chosen subtask: the checkpoint waits for it until it expires, and no transaction commits before a later one completes.",
        ),
        offer(
            "fault-late-ack",
            "Acknowledgement late",
            acknowledgement(|(vertex, subtask), ms| Fault::DelayAcknowledgement { vertex, subtask, ms }),
            None,
            "The next one of the chosen subtask, by the chosen time: all others have voted, and the sinks still wait.",
        ),
        offer(
            "fault-slow-channel",
            "Channel slow",
            channel.map(|(from, to)| Fault::SlowChannel { from, to, ms: pace.max(1) }),
            wire,
            "The chosen channel takes the chosen time for an element: aligned barriers wait behind the rows, unaligned ones overtake them. Until the attempt ends.",
        ),
        offer(
            "fault-fast-channel",
            "… as before",
            channel.map(|(from, to)| Fault::SlowChannel { from, to, ms: 0 }),
            wire,
            "The chosen channel is as fast as it was.",
        ),
        offer(
            "fault-storage-slow",
            "Storage slow",
            Some(Fault::SlowStorage { place, ms: pace, rate }),
            of.or((pace == 0 && rate == 0).then_some("neither time nor bytes are chosen")),
            "The chosen storage takes the chosen time more for each request, and lets the chosen bytes through in a second: see what a checkpoint costs then.",
        ),
        offer(
            "fault-storage-fast",
            "… as before",
            Some(Fault::SlowStorage { place, ms: 0, rate: 0 }),
            idle,
            "The chosen storage is as fast as it was.",
        ),
        offer(
            "fault-storage-away",
            "Storage fails",
            storage(StoragePlace::Checkpoints, false),
            None,
            "Checkpoint storage does not answer for the chosen time: checkpoints fail, and more failures than are tolerated fail the job.",
        ),
        offer(
            "fault-storage-full",
            "Storage full",
            storage(StoragePlace::Checkpoints, true),
            None,
            "Nothing can be written for the chosen time, but what is there can be restored.",
        ),
        offer(
            "fault-part-lost",
            "Part lost",
            Some(Fault::Part { lost: true }),
            part,
            "A part of the newest checkpoint is gone: the next restore misses it, names the checkpoint, and takes the one before.",
        ),
        offer(
            "fault-part-damaged",
            "Part damaged",
            Some(Fault::Part { lost: false }),
            part,
            "A bit of the newest checkpoint is another: the next restore finds it by the checksum, and takes the one before.",
        ),
        offer(
            "fault-sink-away",
            "Sink’s store away",
            storage(StoragePlace::Sinks, false),
            sink,
            "For the chosen time: barriers wait at the sink until what is buffered is written, and the whole checkpoint waits for them.",
        ),
        offer(
            "fault-sink-full",
            "Sink’s store full",
            storage(StoragePlace::Sinks, true),
            sink,
            "For the chosen time: rows cannot be written, nor a transaction committed.",
        ),
        offer(
            "fault-transactions",
            "Transactions time out",
            Some(Fault::Transactions { ms: 0 }),
            transactions,
            "The store rolls back every open transaction. Rows that a completed checkpoint counts as written are lost, although everything else is right.",
        ),
        offer(
            "fault-transactions-soon",
            "… in a while",
            Some(Fault::Transactions { ms: lasts }),
            transactions,
            "Every open transaction has the chosen time left; the commit’s view counts it down.",
        ),
    ]
}

/// A zombie is clearest where it commits.
fn external_moment(frame: &JobFrame) -> Option<CommitMoment> {
    (!frame.transactions.is_empty()).then_some(CommitMoment::Committing)
}
