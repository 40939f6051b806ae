//! Known mistakes that tests plant, one at a time, to see that the simulation finds them. Nothing but a test does so, and a build without
//! debug assertions has none of it.

use std::cell::Cell;

/// A mistake in the making of checkpoints, their restore, or the commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The first barrier counts for all channels, and none is blocked.
    NoAlignment,
    /// Positions of sources are not part of the snapshot.
    OffsetsLeftOut,
    /// A transaction is committed when it is pre-committed.
    CommitBeforeCompletion,
    /// A commit does not look whether it has been done.
    CommitWithoutId,
    /// What an unaligned barrier has overtaken is not part of the snapshot.
    InFlightNotKept,
    /// Windows that were open are not waited for after a restore.
    TimersNotRestored,
    /// Rows go to another subtask than the one that has the state of their key group.
    KeyGroupsMisplaced,
    /// An acknowledgement of an earlier checkpoint counts for the one in progress.
    LateAcknowledgementCounted,
    /// State is read out while rows go on changing it.
    SnapshotShared,
    /// What was late before a restore is not late after it.
    WatermarkForgotten,
}

impl Mistake {
    /// All of them.
    pub const ALL: [Mistake; 10] = [
        Mistake::NoAlignment,
        Mistake::OffsetsLeftOut,
        Mistake::CommitBeforeCompletion,
        Mistake::CommitWithoutId,
        Mistake::InFlightNotKept,
        Mistake::TimersNotRestored,
        Mistake::KeyGroupsMisplaced,
        Mistake::LateAcknowledgementCounted,
        Mistake::SnapshotShared,
        Mistake::WatermarkForgotten,
    ];
}

thread_local! {
    static PLANTED: Cell<Option<Mistake>> = const { Cell::new(None) };
}

/// Plants a mistake in everything that runs on this thread, or takes it out again.
///
/// # Panics
/// In a build without debug assertions, in which no mistake can be planted.
pub fn plant(mistake: Option<Mistake>) {
    assert!(mistake.is_none() || cfg!(debug_assertions), "a build without debug assertions makes no mistakes");
    PLANTED.set(mistake);
}

/// Whether this mistake is to be made.
#[inline]
pub fn planted(mistake: Mistake) -> bool {
    cfg!(debug_assertions) && PLANTED.get() == Some(mistake)
}
