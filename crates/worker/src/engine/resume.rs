//! A workspace is gone on with by a new engine: its script, what was fed to it, and the last completed checkpoint of each job.

use std::rc::Rc;

use tidegate::Session;
use tidegate::replay::Kept;
use tidegate::runtime::{Command as JobCommand, Event, Restore};
use tidegate_protocol::Answer;

use crate::answer;
use crate::desk::{Desk, Run, failed, options};
use crate::drive::Drive;
use crate::inputs::Input;
use crate::journal::{self, Journal};
use crate::workspace::{self, Saved, SavedDrive};

impl Desk {
    /// Goes on with what the workspace holds, or gives its text back.
    pub fn resume(self: Rc<Self>, id: u32) {
        wasm_bindgen_futures::spawn_local(async move {
            match workspace::of_other_build(&self.port).await {
                Ok(None) => {}
                Ok(Some(text)) => {
                    let why = "Kept by another version of Tidegate, so not resumed";
                    return not_resumed(id, text, why);
                }
                Err(reason) => return answer(id, failed("TG9104", format!("The workspace cannot be read: {reason}."))),
            }
            if let Err(reason) = self.clone().resume_kept(id).await {
                let text = workspace::text(&self.port).await.unwrap_or_default();
                not_resumed(id, text, &format!("The workspace cannot be resumed, {reason}"));
            }
        });
    }

    /// Goes on with what the workspace holds.
    async fn resume_kept(self: Rc<Self>, id: u32) -> Result<(), String> {
        *self.restoring.borrow_mut() = "Restoring: reading what the workspace keeps…".to_owned();
        let Some(Saved { script, drive, feeds, histories, scenarios, planned, outages }) =
            workspace::load(&self.port).await?
        else {
            answer(id, failed("TG9104", "The workspace holds nothing to resume."));
            return Ok(());
        };
        let recorded = match journal::load(&self.port).await? {
            // The engine before was lost before its first word arrived.
            None if histories.is_empty() => Some(Kept::default()),
            recorded => recorded,
        };
        let options = options(script.seed);
        let started = options.now;
        let mut session = Session::new(options);
        let restores = tidegate::taken_over(histories.iter(), &script.from);
        if let Err(problems) = session.run_from(&script.sql, &restores, Restore::Latest) {
            let first = problems.first().map_or_else(String::new, |problem| problem.message.clone());
            return Err(format!("as its script does not run any more ({})", first.trim_end_matches('.')));
        }
        let mut run = Run::new(session, script, Drive::default());
        run.feeds = feeds.len() as u64;
        run.resuming = Some(id);
        let now = run.drive.now as i64;
        let taken = recorded.as_ref().map(|kept| kept.steps.clone()).unwrap_or_default();
        for (number, (job, history)) in run.session.jobs_mut().iter_mut().zip(histories).enumerate() {
            let steps = taken.get(number).copied().unwrap_or(history.steps());
            job.history = history.go_on(now, steps);
        }
        // What is recorded as fed is fed again at the start of each engine; what was kept and not fed any more comes after that.
        let known = recorded.as_ref().map_or(feeds.len(), |kept| tidegate::replay::feeds(&kept.entries) as usize);
        let (known, fresh) = feeds.split_at(known.min(feeds.len()));
        let mut slices = self.turns.slices();
        let rows: usize = known.iter().map(|feed| feed.items.len()).sum();
        let mut handed = 0;
        for feed in known {
            handed += feed.items.len();
            *self.restoring.borrow_mut() = format!("Restoring: {handed} of {rows} rows are with the sources again…");
            run.note_feed(&feed.table, feed.split, &feed.items);
            run.session.feed(&feed.table, feed.split, &feed.items);
            slices.pause().await;
        }
        if let Some(Kept { entries, steps, outside, keeper }) = recorded {
            run.session.record_behind(entries);
            if let Some(recorder) = run.session.recorder() {
                outside.into_iter().for_each(|request| recorder.outside(request));
                recorder.lost(steps, started);
            }
            run.journal = Journal::new(keeper);
        }
        for feed in fresh {
            run.note_feed(&feed.table, feed.split, &feed.items);
            run.session.feed(&feed.table, feed.split, &feed.items);
        }
        run.faults.scenarios = scenarios;
        run.faults.go_on(outages, run.drive.now as i64);
        for (job, plans) in run.session.jobs_mut().iter_mut().zip(planned) {
            // The scenario in which the engine was lost goes on.
            for steps in plans {
                let _ = job.runtime.handle(Event::Command(JobCommand::Plan(steps)));
            }
        }
        run.inputs.iter_mut().for_each(Input::go_on);
        if let Some(SavedDrive { playing, speed, rates }) = drive {
            for (table, rate) in rates {
                if let Some(input) = run.inputs.iter_mut().find(|input| input.feed.table == table) {
                    input.rate = rate;
                }
            }
            run.drive.resume(playing, speed);
            run.set_chunk_limit();
        }
        self.generation.set(self.generation.get() + 1);
        let logs: Vec<_> =
            run.inputs.iter().filter(|input| input.topic().is_some()).map(|input| input.feed.table.clone()).collect();
        *self.run.borrow_mut() = Some(run);
        self.pump();
        self.turns.wake();
        for table in logs {
            self.clone().look_at_log(table).await;
        }
        Ok(())
    }
}

/// A workspace that cannot be gone on with: its text goes back to the page.
fn not_resumed(id: u32, text: workspace::Text, why: &str) {
    answer(id, Answer::NotResumed { sql: text.sql, name: text.name, why: why.to_owned() });
}
