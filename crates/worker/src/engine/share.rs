//! A run as a link, and a link as a run.

use std::rc::Rc;

use tidegate::Session;
use tidegate::diag::Diagnostic;
use tidegate::replay::Link;
use tidegate_protocol::Answer;

use crate::answer;
use crate::desk::{Desk, Run, failed, options, problems_of};
use crate::workspace::SavedScript;

/// Rows of input that are packed in one go without the engine staying away for seconds.
const MOST: u64 = 300_000;

impl Run {
    /// What is shown as a link.
    pub fn link(&mut self) -> Result<Answer, Answer> {
        // What a table makes by itself is no part of it.
        let fed = self.inputs.iter().filter(|input| !input.is_made());
        let rows: u64 = fed.flat_map(|input| &input.rows).sum();
        if rows > MOST {
            let message = format!("This run has {rows} rows of input; with more than {MOST} it cannot be handed on.");
            return Err(failed("TG9110", message));
        }
        let recording = match self.shown_recording() {
            Some(recording) => recording,
            None => self.recording().ok_or_else(|| {
                let why = match self.script.from.is_empty() {
                    true => "This run is not recorded, or has become too long",
                    false => "This run has begun from a savepoint with more state than a link can hold",
                };
                failed("TG9110", format!("{why}: it cannot be handed on as a link."))
            })?,
        };
        let rates = self.inputs.iter().filter(|input| input.rate > 0.0);
        let link = Link {
            recording,
            name: self.script.name.clone(),
            speed: self.drive.speed,
            rates: rates.map(|input| (input.feed.table.clone(), input.rate)).collect(),
            scenarios: self.faults.scenarios.clone(),
        };
        Ok(Answer::Shared { text: link.encode() })
    }
}

impl Desk {
    /// Opens a run that was handed on: it is gone through to its end, and goes on from there.
    pub fn open_link(self: &Rc<Self>, id: u32, text: &str) {
        let link = match Link::decode(text) {
            Ok(link) => link,
            Err(why) => return answer(id, failed("TG9112", format!("The run cannot be opened: {why}."))),
        };
        let Link { recording, name, speed, rates, scenarios } = link;
        let problems = Session::check(&recording.sql, &options(0));
        if problems.iter().any(Diagnostic::is_error) {
            return answer(id, Answer::Checked { problems: problems_of(&recording.sql, &problems) });
        }
        let from = recording.begun().map(|from| from.restores.clone()).unwrap_or_default();
        let script =
            SavedScript { sql: recording.sql.clone(), name, seed: recording.seed, start: recording.start, from };
        self.open(id, script, recording, speed, rates, scenarios);
    }
}
