//! A script begins from a savepoint of the run before it: with all that has left in the store, or not at all.

use std::rc::Rc;

use bytes::Bytes;
use tidegate::diag::{Code, Diagnostic};
use tidegate::replay::{Begun, Entry, Recording};
use tidegate::runtime::{FeedItem, Restore};
use tidegate::store::{Key, StoreRequest, StoreResponse};
use tidegate::{Feed, History, ScriptOutcome, Session};
use tidegate_protocol::Answer;

use crate::answer;
use crate::desk::{Desk, Run, Sender, failed, options, problems_of, seed_of, told, too_long};
use crate::drive::Drive;
use crate::inputs::Input;
use crate::journal;
use crate::workspace::{self, SavedFeed, SavedScript, refused};

/// Entries read at once.
const PAGE: usize = 500;
/// Bytes in the store behind which a run that begins with them is not recorded: no link could hold them.
const MOST: usize = 32 << 20;

/// A script whose jobs are about to begin.
pub struct Prepared {
    /// Its text.
    pub sql: String,
    /// The example's name.
    pub name: Option<String>,
    /// The seed of its jobs.
    pub seed: u64,
    /// Host time, ms.
    pub start: i64,
    /// Its jobs.
    pub session: Session,
    /// What it came to.
    pub outcome: ScriptOutcome,
    /// Its own first rows.
    pub feeds: Vec<(String, u32, FeedItem)>,
}

/// Reads a script: everything of it fits, or nothing runs.
///
/// # Errors
/// The answer that says what is wrong with it.
pub fn prepare(sql: String, name: Option<String>, first: &[Restore], others: Restore) -> Result<Prepared, Box<Answer>> {
    let checked = |problems: &[Diagnostic]| Box::new(Answer::Checked { problems: problems_of(&sql, problems) });
    if let Some(problem) = too_long(&sql) {
        return Err(checked(&[problem]));
    }
    let seed = seed_of(&sql);
    let options = options(seed);
    let start = options.now;
    let mut session = Session::new(options);
    let case = tidegate::case::read(&sql);
    if case.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(checked(&case.diagnostics));
    }
    let outcome = session.run_from(&sql, first, others).map_err(|problems| checked(&problems))?;
    let feeds = tidegate::case::input(&sql, &case, &session).map_err(|problems| checked(&problems))?;
    Ok(Prepared { name, seed, start, session, outcome, feeds, sql })
}

/// What the run before has left in the store.
struct Left {
    /// Checkpoints, logs, tables; by key.
    store: Vec<(Key, Bytes)>,
    /// What was fed by hand.
    fed: Vec<SavedFeed>,
}

impl Desk {
    /// Begins from a checkpoint of a job that is kept; the script's other jobs from their latest.
    pub fn run_from(self: Rc<Self>, id: u32, sql: String, name: Option<String>, job: u32, checkpoint: u64) {
        let mut first = vec![Restore::Latest; job.min(1000) as usize];
        first.push(Restore::Id(checkpoint));
        match prepare(sql, name, &first, Restore::Latest) {
            Ok(prepared) if prepared.session.jobs().len() < first.len() => {
                let message = format!("The script has no job {}, which could begin from here.", first.len());
                answer(id, failed("TG9107", message));
            }
            Ok(prepared) => wasm_bindgen_futures::spawn_local(self.begin_from(id, prepared)),
            Err(problems) => answer(id, *problems),
        }
    }

    /// Begins with what lies in the store, if all of it fits; otherwise what runs goes on as it was.
    pub async fn begin_from(self: Rc<Self>, id: u32, prepared: Prepared) {
        let generation = self.generation.get();
        // It stands still while the store is read, so that all of it is of one moment.
        let stood = self.run.borrow_mut().as_mut().map(|run| {
            let stood = (run.drive.playing, run.held.is_some());
            run.drive.pause();
            run.held.get_or_insert_default();
            stood
        });
        let left = self.left().await;
        if self.generation.get() != generation {
            return answer(id, failed("TG9100", "Another script was run."));
        }
        let refusal = match &left {
            Err(why) => Some(failed("TG9104", format!("The workspace cannot be read: {why}."))),
            Ok(left) => {
                let mut problems = prepared.session.misfits(&left.store);
                let run = self.run.borrow();
                let before = run.iter().flat_map(|run| &run.inputs).map(|input| &input.feed);
                problems.extend(unfit(&prepared.session.feeds(), before, &left.fed));
                (!problems.is_empty()).then(|| Answer::Checked { problems: problems_of(&prepared.sql, &problems) })
            }
        };
        match (left, refusal) {
            (Ok(left), None) => self.go_over(id, prepared, left),
            (_, refusal) => {
                if let (Some(run), Some((playing, held))) = (&mut *self.run.borrow_mut(), stood) {
                    if !held {
                        run.let_go();
                    }
                    if playing {
                        run.drive.play();
                    }
                }
                self.pump();
                self.turns.wake();
                answer(id, refusal.unwrap_or(Answer::Done));
            }
        }
    }

    /// Reads what the run before has left.
    async fn left(&self) -> Result<Left, String> {
        let (mut store, mut fed) = (Vec::new(), Vec::new());
        for (from, to) in [(&b""[..], &b"session/"[..]), (b"session0", &[0xff])] {
            store.extend(self.all(from, to).await?);
        }
        let (from, to) = workspace::FEEDS;
        for (_, value) in self.all(from, to).await? {
            fed.push(postcard::from_bytes(&value).map_err(|error| format!("a row kept is unreadable: {error}"))?);
        }
        Ok(Left { store, fed })
    }

    async fn all(&self, from: &'static [u8], to: &'static [u8]) -> Result<Vec<(Key, Bytes)>, String> {
        let (mut entries, mut from) = (Vec::new(), Key::from_static(from));
        loop {
            let request = StoreRequest::Scan { from: from.clone(), to: Key::from_static(to), limit: PAGE };
            let page = match self.port.ask(request).await {
                StoreResponse::Entries(page) => page,
                other => return Err(refused(other)),
            };
            let last = page.last().filter(|_| page.len() == PAGE).map(|(key, _)| [key, &[0][..]].concat());
            entries.extend(page);
            let Some(next) = last else { return Ok(entries) };
            from = next.into();
        }
    }

    /// The new run takes the place of the one before.
    fn go_over(self: Rc<Self>, id: u32, prepared: Prepared, left: Left) {
        let Prepared { sql, name, seed, start, mut session, outcome, feeds } = prepared;
        let Left { store, fed } = left;
        let (mut histories, mut tables, mut scenarios, mut speed) = (Vec::new(), Vec::new(), Vec::new(), None);
        if let Some(run) = &mut *self.run.borrow_mut() {
            for job in run.session.jobs_mut() {
                job.note();
                histories.push(job.history.begin_from(&job.runtime.view().retained));
            }
            tables = run.inputs.iter().map(|input| input.feed.table.clone()).collect();
            (scenarios, speed) = (std::mem::take(&mut run.faults.scenarios), Some(run.drive.speed));
        }
        histories.resize_with(session.jobs().len(), || History::default().begin_from(&[]));
        let restores = session.restores();
        let resumed = begun_from(&restores, &histories);
        for (job, history) in session.jobs_mut().iter_mut().zip(&histories) {
            job.history = history.clone();
        }
        let script = SavedScript { sql: sql.clone(), name: name.clone(), seed, start, from: restores.clone() };
        let mut put = vec![workspace::history_entry(&histories.iter().collect::<Vec<_>>())];
        put.extend(workspace::scenario_entry(&scenarios));
        let recorded = store.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>() <= MOST;
        let mut kept = None;
        if recorded {
            let entries = vec![Entry::From(Box::new(Begun { restores, histories, store }))];
            session.record_behind(entries.clone());
            let steps = vec![0; session.jobs().len()];
            let (pieces, journal) = journal::whole(&Recording { entries, steps, ..Recording::default() });
            put.extend(pieces);
            kept = Some(journal);
        }
        let generation = self.generation.get() + 1;
        self.generation.set(generation);
        let desk = self.clone();
        self.port.send(workspace::begin_over(&script, &fed, put), move |response| {
            if response != StoreResponse::Done {
                desk.trouble(generation, "TG9103", format!("The workspace cannot be written: {}.", refused(response)));
            }
        });
        let mut run = Run::new(session, script, Drive::default());
        run.feeds = fed.len() as u64;
        run.faults.scenarios = scenarios;
        run.journal = kept.unwrap_or_default();
        if let Some(speed) = speed {
            run.drive.set_speed(speed);
            run.set_chunk_limit();
        }
        for feed in &fed {
            run.note_feed(&feed.table, feed.split, &feed.items);
            run.session.feed(&feed.table, feed.split, &feed.items);
        }
        run.inputs.iter_mut().for_each(Input::go_on);
        let logs: Vec<_> =
            run.inputs.iter().filter(|input| input.topic().is_some()).map(|input| input.feed.table.clone()).collect();
        *self.run.borrow_mut() = Some(run);
        // The script's own rows are there already, but for tables that are new.
        for (table, split, item) in feeds.into_iter().filter(|(table, ..)| !tables.contains(table)) {
            self.clone().feed(table, split, vec![item], Sender::Script);
        }
        let (problems, notes) = told(&sql, &outcome);
        answer(id, Answer::Running { sql, name, problems, notes, resumed: Some(resumed) });
        self.pump();
        self.turns.wake();
        for table in logs {
            wasm_bindgen_futures::spawn_local(self.clone().look_at_log(table));
        }
    }
}

/// What was fed by hand and no longer fits its table.
fn unfit<'a>(feeds: &[Feed], before: impl Iterator<Item = &'a Feed>, fed: &[SavedFeed]) -> Vec<Diagnostic> {
    let types = |feed: &Feed| feed.physical.fields.iter().map(|field| field.ty.clone()).collect::<Vec<_>>();
    let mut problems = Vec::new();
    for old in before.filter(|old| fed.iter().any(|one| one.table == old.table)) {
        let Some(new) = feeds.iter().find(|feed| feed.table == old.table) else { continue };
        let what = match (types(new) == types(old), new.splits < old.splits) {
            (true, false) => continue,
            (false, _) => "columns of other types",
            (true, true) => "fewer partitions",
        };
        let message = format!("'{}' has {what} than the table to which rows were sent.", old.table);
        let hint = "Rows that were sent stay with the state: leave the table as it was, or run without the savepoint.";
        problems.push(Diagnostic::error(Code::new("TG9119"), message).hint(hint));
    }
    problems
}

/// What a run has begun from, as a sentence.
fn begun_from(restores: &[Restore], histories: &[History]) -> String {
    let name = |(restore, history): (&Restore, &History)| {
        let Restore::Id(wanted) = restore else { return None };
        let savepoint = history.checkpoints().any(|one| one.id == *wanted && one.savepoint);
        Some(format!("{} {wanted}", if savepoint { "savepoint" } else { "checkpoint" }))
    };
    let names: Vec<String> = restores.iter().zip(histories).filter_map(name).collect();
    format!("Begun from {}, with the inputs, logs and tables of the run before it.", names.join(" and "))
}
