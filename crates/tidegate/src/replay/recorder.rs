//! Records what enters a session.

use tidegate_runtime::{Event, JournalEntry, StoreRequest, StoreResponse};

use super::{Entered, Entry, checksum};

/// What has entered a session, and how much of it the host has kept.
#[derive(Debug, Default)]
pub struct Recorder {
    entries: Vec<Entry>,
    /// Entries that were taken by [`Recorder::fresh`].
    kept: usize,
    /// Whether there is more among the others than that time has passed.
    worth: bool,
    /// Of each job: its last entry, as long as that is the time and nothing has come of it, and the log entries there were.
    idle: Vec<Option<(usize, u64)>>,
}

impl Recorder {
    /// Goes on behind what was recorded before, which is kept already.
    pub fn behind(entries: Vec<Entry>) -> Recorder {
        Recorder { kept: entries.len(), entries, worth: false, idle: Vec::new() }
    }

    /// What has entered so far.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What has entered since the last call.
    pub fn fresh(&mut self) -> &[Entry] {
        // What the host has kept does not change any more.
        self.idle.fill(None);
        self.worth = false;
        let from = std::mem::replace(&mut self.kept, self.entries.len());
        &self.entries[from..]
    }

    /// Whether more has happened since the last call of [`Recorder::fresh`] than that time has passed.
    pub fn has_fresh(&self) -> bool {
        self.worth
    }

    /// Takes in what entered a job; `logged` counts the job's log entries.
    pub(crate) fn note(&mut self, job: usize, journal: Vec<JournalEntry>, logged: u64) {
        if self.idle.len() <= job {
            self.idle.resize(job + 1, None);
        }
        for JournalEntry { step, event } in journal {
            let is_time = matches!(event, Event::Time(_));
            if is_time
                && let Some((last, log)) = self.idle[job]
                && log == logged
                && let Entry::Job { step: before, what: Entered::Event(Event::Time(time)), .. } =
                    &mut self.entries[last]
                && *before == step
                && let Event::Time(now) = event
            {
                // Nothing was done in between: as if the time before had never come.
                *time = now;
                continue;
            }
            let what = match event {
                Event::Response { request, response: response @ StoreResponse::Failed { .. } } => {
                    Entered::Failed(request, response)
                }
                Event::Response { request, response } => Entered::Answered(request, checksum(&response)),
                event => Entered::Event(event),
            };
            self.entries.push(Entry::Job { job: job as u32, step, what });
            self.worth |= !is_time;
            self.idle[job] = is_time.then_some((self.entries.len() - 1, logged));
        }
    }

    /// Something has come of what entered the job last.
    pub(crate) fn stir(&mut self, job: usize) {
        if let Some(idle) = self.idle.get_mut(job) {
            *idle = None;
        }
    }

    /// The host itself has written into the store.
    pub fn outside(&mut self, request: StoreRequest) {
        self.worth = true;
        self.entries.push(Entry::Outside(request));
    }

    /// The engine was lost, and another one goes on.
    pub fn lost(&mut self, steps: Vec<u64>, now: i64) {
        self.idle.clear();
        self.worth = true;
        self.entries.push(Entry::Lost { steps, now });
    }
}
