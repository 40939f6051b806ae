//! A recording in the store: written in pieces, each before what follows from it, so that a new engine knows what the one before has done.
//!
//! `session/journal/N` are the pieces. What the host itself writes lies in the store as soon as it is carried out, and its piece comes only
//! after the answer: so such a write brings its own record along, `session/outside/N`, in the same batch, until a piece holds it.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tidegate_runtime::{Key, StoreRequest};

use super::{Entry, Recording};

/// Entries read at once.
const PAGE: usize = 200;
const PIECES: (&str, &[u8]) = ("session/journal/", b"session/journal0");
const OUTSIDE: (&str, &[u8]) = ("session/outside/", b"session/outside0");

/// Says what is to be written so that a recording is kept.
#[derive(Debug, Default)]
pub struct Keeper {
    pieces: u64,
    /// Writes of the host that were sent.
    sent: u64,
    /// Of these the ones before this number are in the recording.
    heard: u64,
    /// And the records of those before this one are deleted.
    cleared: u64,
}

#[derive(Serialize, Deserialize)]
struct Piece {
    entries: Vec<Entry>,
    steps: Vec<u64>,
}

/// What an earlier engine has recorded.
#[derive(Debug, Default)]
pub struct Kept {
    /// What entered.
    pub entries: Vec<Entry>,
    /// Steps that its jobs had taken at the least.
    pub steps: Vec<u64>,
    /// What the host wrote and no piece tells of, in order: it lies in the store.
    pub outside: Vec<StoreRequest>,
    /// How it goes on being kept.
    pub keeper: Keeper,
}

/// Reads what was recorded: put each of its questions to the store.
#[derive(Debug, Default)]
pub struct Load {
    kept: Kept,
    /// Whether the pieces are read.
    pieces: bool,
}

impl Keeper {
    /// A recording as one piece: what it is kept as at the start of a run that goes on behind it.
    pub fn whole(recording: &Recording) -> ((Key, Bytes), Keeper) {
        let piece = Piece { entries: recording.entries.clone(), steps: recording.steps.clone() };
        ((numbered(PIECES.0, 0), pack(&piece)), Keeper { pieces: 1, ..Keeper::default() })
    }

    /// The next piece: what entered since the last one, and the steps that the jobs have taken by now.
    pub fn piece(&mut self, entries: Vec<Entry>, steps: Vec<u64>) -> StoreRequest {
        let key = numbered(PIECES.0, self.pieces);
        self.pieces += 1;
        let delete = match self.cleared < self.heard {
            true => vec![(numbered(OUTSIDE.0, self.cleared), numbered(OUTSIDE.0, self.heard))],
            false => Vec::new(),
        };
        self.cleared = self.heard;
        StoreRequest::Batch { require: Vec::new(), delete, put: vec![(key, pack(&Piece { entries, steps }))] }
    }

    /// A write of the host with its record, and the record's number.
    pub fn outside(&mut self, request: &StoreRequest) -> (u64, StoreRequest) {
        let number = self.sent;
        self.sent += 1;
        let mut recorded = request.clone();
        if let StoreRequest::Batch { put, .. } = &mut recorded {
            put.push((numbered(OUTSIDE.0, number), pack(request)));
        }
        (number, recorded)
    }

    /// The recording tells of that write by now; writes are answered in the order in which they were sent.
    pub fn heard(&mut self, number: u64) {
        self.heard = self.heard.max(number + 1);
    }

    /// Forgets everything that is kept.
    pub fn forget(&mut self) -> StoreRequest {
        *self = Keeper::default();
        let all = |(from, to): (&'static str, &'static [u8])| (numbered(from, 0), Key::from_static(to));
        StoreRequest::Batch { require: Vec::new(), delete: vec![all(PIECES), all(OUTSIDE)], put: Vec::new() }
    }
}

impl Load {
    /// What the store is to be asked next.
    pub fn request(&self) -> StoreRequest {
        let ((from, to), number) = match self.pieces {
            false => (PIECES, self.kept.keeper.pieces),
            true => (OUTSIDE, self.kept.keeper.sent),
        };
        StoreRequest::Scan { from: numbered(from, number), to: Key::from_static(to), limit: PAGE }
    }

    /// Takes the answer in. True when that was all.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn take(&mut self, page: &[(Key, Bytes)]) -> Result<bool, String> {
        let unreadable = |error: postcard::Error| format!("a piece is unreadable: {error}");
        let keeper = &mut self.kept.keeper;
        for (key, value) in page {
            if self.pieces {
                self.kept.outside.push(postcard::from_bytes(value).map_err(unreadable)?);
                let digits = key.strip_prefix(OUTSIDE.0.as_bytes()).and_then(|digits| std::str::from_utf8(digits).ok());
                let number: Option<u64> = digits.and_then(|digits| digits.parse().ok());
                keeper.sent = number.ok_or("a record has no number")? + 1;
            } else {
                let piece: Piece = postcard::from_bytes(value).map_err(unreadable)?;
                self.kept.entries.extend(piece.entries);
                self.kept.steps = piece.steps;
                keeper.pieces += 1;
            }
        }
        if page.len() < PAGE {
            return Ok(std::mem::replace(&mut self.pieces, true));
        }
        Ok(false)
    }

    /// All of it; `None` if nothing was recorded.
    pub fn kept(mut self) -> Option<Kept> {
        // With the next piece they are in the recording.
        self.kept.keeper.heard = self.kept.keeper.sent;
        (self.kept.keeper.pieces > 0).then_some(self.kept)
    }
}

fn numbered(prefix: &str, number: u64) -> Key {
    format!("{prefix}{number:020}").into()
}

fn pack<T: Serialize>(value: &T) -> Bytes {
    // Plain data always packs.
    postcard::to_allocvec(value).unwrap_or_default().into()
}
