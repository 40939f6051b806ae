//! The run's recording in the workspace: written in pieces, each before what follows from it reaches the store.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tidegate::replay::{Entry, Recording};
use tidegate::store::{Key, StoreRequest, StoreResponse};
use tidegate_worker::host;

use crate::desk::Run;
use crate::port::Port;
use crate::workspace::{SavedScript, pack, put, refused};

/// Pieces read at once.
const PAGE: usize = 200;
/// After this time what has entered is kept although nothing has followed from it, ms.
const REST: f64 = 1000.0;
/// A run of more entries than this can no longer be gone back in.
const ENTRIES: usize = 3_000_000;
const END: &[u8] = b"session/journal0";

/// What of the recording is kept.
#[derive(Default)]
pub struct Journal {
    pieces: u64,
    /// When it was last written, ms of the worker's clock.
    written: f64,
}

#[derive(Serialize, Deserialize)]
struct Piece {
    entries: Vec<Entry>,
    steps: Vec<u64>,
}

/// What an earlier engine has recorded.
pub struct Kept {
    /// What entered.
    pub entries: Vec<Entry>,
    /// Steps that its jobs had taken at the least.
    pub steps: Vec<u64>,
    /// How it goes on being kept.
    pub journal: Journal,
}

/// Reads what was recorded; `None` if nothing was.
///
/// # Errors
/// Why it cannot be read.
pub async fn load(port: &Port) -> Result<Option<Kept>, String> {
    let (mut entries, mut steps, mut pieces) = (Vec::new(), Vec::new(), 0);
    loop {
        let request = StoreRequest::Scan { from: key(pieces), to: Key::from_static(END), limit: PAGE };
        let page = match port.ask(request).await {
            StoreResponse::Entries(page) => page,
            other => return Err(refused(other)),
        };
        for (_, value) in &page {
            let piece: Piece =
                postcard::from_bytes(value).map_err(|error| format!("a piece is unreadable: {error}"))?;
            entries.extend(piece.entries);
            steps = piece.steps;
            pieces += 1;
        }
        if page.len() < PAGE {
            let journal = Journal { pieces, written: host::clock() };
            return Ok((pieces > 0).then_some(Kept { entries, steps, journal }));
        }
    }
}

/// A recording as one piece: what it is kept as at the start of a run that goes on behind it.
pub fn whole(recording: &Recording) -> (Vec<(Key, Bytes)>, Journal) {
    let piece = Piece { entries: recording.entries.clone(), steps: recording.steps.clone() };
    (vec![(key(0), pack(&piece))], Journal { pieces: 1, written: host::clock() })
}

fn key(piece: u64) -> Key {
    format!("session/journal/{piece:020}").into()
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
            return Some(StoreRequest::Batch {
                require: Vec::new(),
                delete: vec![(key(0), Key::from_static(END))],
                put: Vec::new(),
            });
        }
        if !due || (!follows && !recorder.has_fresh()) {
            return None;
        }
        let piece = Piece { entries: recorder.fresh().to_vec(), steps };
        self.journal.written = clock;
        self.journal.pieces += 1;
        Some(put(key(self.journal.pieces - 1), pack(&piece)))
    }

    /// Everything that made the run what it is, if it is recorded.
    pub fn recording(&mut self) -> Option<Recording> {
        let SavedScript { sql, seed, start, .. } = self.script.clone();
        let steps = self.session.jobs().iter().map(|job| job.runtime.steps()).collect();
        let entries = self.session.recorder()?.entries().to_vec();
        Some(Recording { sql, seed, start, entries, steps })
    }
}
