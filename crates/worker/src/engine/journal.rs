//! The run's recording in the workspace: written in pieces, each before what follows from it reaches the store.

use bytes::Bytes;
use tidegate::replay::{Keeper, Kept, Load, Recording};
use tidegate::store::{Key, StoreRequest, StoreResponse};
use tidegate_worker::host;

use crate::desk::Run;
use crate::port::Port;
use crate::workspace::{SavedScript, refused};

/// After this time what has entered is kept although nothing has followed from it, ms.
const REST: f64 = 1000.0;
/// A run of more entries than this can no longer be gone back in.
const ENTRIES: usize = 3_000_000;

/// What of the recording is kept.
#[derive(Default)]
pub struct Journal {
    keeper: Keeper,
    /// When it was last written, ms of the worker's clock.
    written: f64,
}

impl Journal {
    /// Goes on being kept.
    pub fn new(keeper: Keeper) -> Journal {
        Journal { keeper, written: host::clock() }
    }
}

/// Reads what was recorded; `None` if nothing was.
///
/// # Errors
/// Why it cannot be read.
pub async fn load(port: &Port) -> Result<Option<Kept>, String> {
    let mut load = Load::default();
    loop {
        match port.ask(load.request()).await {
            StoreResponse::Entries(page) => {
                if load.take(&page)? {
                    return Ok(load.kept());
                }
            }
            other => return Err(refused(other)),
        }
    }
}

/// A recording as one piece: what it is kept as at the start of a run that goes on behind it.
pub fn whole(recording: &Recording) -> (Vec<(Key, Bytes)>, Journal) {
    let (piece, keeper) = Keeper::whole(recording);
    (vec![piece], Journal::new(keeper))
}

impl Run {
    /// What is to be kept of the recording now: everything new, if something follows from it or it has waited for long.
    pub fn keep_journal(&mut self, follows: bool) -> Option<StoreRequest> {
        let steps: Vec<u64> = self.session.jobs().iter().map(|job| job.runtime.steps()).collect();
        let clock = host::clock();
        let due = follows || clock - self.journal.written > REST;
        let recorder = self.session.recorder()?;
        if recorder.entries().len() > ENTRIES {
            self.session.stop_recording();
            // What is kept of it would be the past of another run.
            return Some(self.journal.keeper.forget());
        }
        if !due || (!follows && !recorder.has_fresh()) {
            return None;
        }
        self.journal.written = clock;
        Some(self.journal.keeper.piece(recorder.fresh().to_vec(), steps))
    }

    /// A write of the host, and as it is sent: with its record, whose number is given.
    pub fn outside(&mut self, request: &StoreRequest) -> (u64, StoreRequest) {
        match self.session.recorder() {
            Some(_) => self.journal.keeper.outside(request),
            None => (0, request.clone()),
        }
    }

    /// That write was carried out.
    pub fn note_outside(&mut self, number: u64, request: StoreRequest) {
        if let Some(recorder) = self.session.recorder() {
            recorder.outside(request);
            self.journal.keeper.heard(number);
        }
    }

    /// Everything that made the run what it is, if it is recorded.
    pub fn recording(&mut self) -> Option<Recording> {
        let SavedScript { sql, seed, start, .. } = self.script.clone();
        let steps = self.session.jobs().iter().map(|job| job.runtime.steps()).collect();
        let entries = self.session.recorder()?.entries().to_vec();
        Some(Recording { sql, seed, start, entries, steps })
    }
}
