//! What the page's commands do: the run that goes on, and how it is begun, resumed, fed and broken.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tidegate::bills::Bills;
use tidegate::costs::Comparison;
use tidegate::data::RowKind;
use tidegate::diag::{Code, Diagnostic, Severity, line_column};
use tidegate::runtime::{Command as JobCommand, Event, FeedItem, RestartStrategy, Restore, Stop as JobStop};
use tidegate::store::{StoreRequest, StoreResponse};
use tidegate::{Said, ScriptOutcome, Session, SessionOptions, turn_of};
use tidegate_protocol::{
    Answer, Command, CrashTarget, FieldProblem, InputMark, InputRow, Problem, ScenarioWish, StateTablePage,
    StatementNote, Stop, Storage, Transport, Travel,
};
use tidegate_worker::{host, memory};
use web_sys::MessagePort;

use crate::answer;
use crate::compare::Comparing;
use crate::drive::{Drive, Loop};
use crate::faults::Faults;
use crate::files;
use crate::frame::Seen;
use crate::generate::pace_of;
use crate::inputs::Input;
use crate::journal::Journal;
use crate::outside::Outside;
use crate::past::Past;
use crate::port::{Port, Then};
use crate::recover::{Prepared, prepare};
use crate::workspace::{self, SavedDrive, SavedFeed, SavedScript};

/// Events of a Nexmark query of the list: some seconds, and windows that fire.
const NEXMARK_EVENTS: u64 = 100_000;

/// Everything that the worker holds.
pub struct Desk {
    /// The line to the store.
    pub port: Rc<Port>,
    /// What goes on now.
    pub run: RefCell<Option<Run>>,
    /// Counts runs: what an earlier run asked the store is not answered to a later one.
    pub generation: Cell<u32>,
    /// How far a workspace is that is being resumed, as a sentence.
    pub restoring: RefCell<String>,
    /// A batch under way.
    pub comparing: RefCell<Option<Comparing>>,
    /// Modes of checkpoints beside each other.
    pub costs: RefCell<Option<Comparison>>,
    /// The bill service twice.
    pub bills: RefCell<Option<Bills>>,
    /// The slices.
    pub turns: Loop,
}

/// A script that runs.
pub struct Run {
    /// Its catalog and jobs.
    pub session: Session,
    /// Its text, as kept.
    pub script: SavedScript,
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// How it is driven.
    pub drive: Drive,
    /// How many feeds the workspace holds.
    pub feeds: u64,
    /// What the outside systems look like.
    pub outside: Outside,
    /// What earlier frames have shown.
    pub seen: Seen,
    /// Why it cannot go on: code and message.
    pub trouble: Option<(String, String)>,
    /// Who waits for its jobs to be restored.
    pub resuming: Option<u32>,
    /// Opened from a link: it stands still exactly there, and answers of the store wait here, until somebody lets it go on.
    pub held: Option<Vec<(usize, u64, StoreResponse)>>,
    /// What of its recording is kept.
    pub journal: Journal,
    /// The past, if somebody looks at it.
    pub past: Option<Past>,
    /// What goes wrong by hand.
    pub faults: Faults,
}

/// What was fed in one go: table, split, items.
pub type Fed = (String, u32, Vec<FeedItem>);

/// Who sends items to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The page, with the command that is to be answered.
    Page(u32),
    /// The input's generator, which sends more once these have arrived.
    Generator,
    /// The script's own lines.
    Script,
}

impl Desk {
    /// A worker in which nothing runs.
    pub fn new() -> Rc<Desk> {
        let desk = Rc::new(Desk {
            port: Rc::default(),
            run: RefCell::default(),
            generation: Cell::new(0),
            restoring: RefCell::default(),
            comparing: RefCell::default(),
            costs: RefCell::default(),
            bills: RefCell::default(),
            turns: Loop::new(),
        });
        Loop::begin(&desk);
        desk
    }

    /// Carries out a command of the page and answers it.
    pub fn command(self: Rc<Self>, id: u32, command: Command, port: Option<MessagePort>) {
        let enters = match &command {
            Command::Send { .. }
            | Command::SendText { .. }
            | Command::Mark { .. }
            | Command::Checkpoint { .. }
            | Command::Savepoint { .. }
            | Command::Fault { .. }
            | Command::Restore { .. }
            | Command::RunFrom { .. }
            | Command::Crash { .. } => true,
            Command::Scenario { wish: ScenarioWish::Run(_) | ScenarioWish::Stop, .. } => true,
            Command::Generate { rate, .. } => *rate > 0.0,
            _ => false,
        };
        if enters {
            // The past becomes another one.
            self.leave_past();
            if let Some(run) = &mut *self.run.borrow_mut() {
                run.let_go();
            }
        }
        match command {
            Command::Hello { build, storage, memory_limit } => {
                if let Some(limit) = memory_limit {
                    memory::set_limit((limit as usize) << 20);
                }
                self.hello(id, &build, &storage, port);
            }
            Command::Check { sql } => {
                let problems =
                    too_long(&sql).map_or_else(|| Session::check(&sql, &options(0)), |problem| vec![problem]);
                answer(id, Answer::Checked { problems: problems_of(&sql, &problems) });
            }
            Command::Run { sql, name } => self.begin(id, sql, name, None),
            Command::RunFrom { sql, name, job, checkpoint } => self.run_from(id, sql, name, job, checkpoint),
            Command::Compare { job, result } => self.compare(id, job, result),
            Command::Share => self.with_run(id, Run::link),
            Command::Open { text } => self.open_link(id, &text),
            Command::Resume => self.resume(id),
            Command::Send { table, split, rows } => self.send(id, table, split, rows),
            Command::Mark { table, split, mark } => self.mark(id, &table, split, mark),
            Command::Generate { table, rate } => {
                self.with_run(id, |run| {
                    let input = run.inputs.iter_mut().find(|input| input.feed.table == table && input.by_hand());
                    let input = input.ok_or_else(|| failed("TG9101", format!("Nothing can be sent to '{table}'.")))?;
                    input.rate = rate.clamp(0.0, 100_000.0);
                    input.owed = input.owed.min(1.0);
                    Ok(Answer::Done)
                });
                self.keep_drive();
                self.turns.wake();
            }
            Command::Transport(transport) => self.transport(id, transport),
            Command::Checkpoint { job } => {
                self.with_run(id, |run| match run.job(job)?.runtime.view().checkpoint {
                    // The one that is under way is what was asked for.
                    Some(_) => Ok(Answer::Done),
                    None => run.tell(job, JobCommand::TriggerCheckpoint),
                });
                self.turns.wake();
            }
            Command::Savepoint { job, stop } => {
                let stop = stop.map(|stop| match stop {
                    Stop::Suspend => JobStop::Suspend,
                    Stop::Drain => JobStop::Drain,
                });
                self.with_run(id, |run| run.tell(job, JobCommand::Savepoint { stop }));
                self.turns.wake();
            }
            Command::Crash { job, target } => {
                let command = match target {
                    CrashTarget::Subtask { vertex, subtask } => {
                        JobCommand::KillSubtask { vertex: vertex as usize, index: subtask }
                    }
                    CrashTarget::Job => JobCommand::FailJob,
                };
                self.with_run(id, |run| run.tell(job, command));
                self.turns.wake();
            }
            Command::Fault { job, fault, moment } => {
                self.fault(id, job, fault, moment);
                self.turns.wake();
            }
            Command::Scenario { job, wish } => {
                self.scenario(id, job, wish);
                self.turns.wake();
            }
            Command::Guarantees { seed, crashes } => self.guarantees(id, seed, crashes),
            Command::Costs { job, storage, channel } => self.costs(id, job, storage, channel),
            Command::CostsOn => self.costs_on(id),
            Command::Bills(command) => self.bills(id, command),
            Command::Restore { job, checkpoint } => {
                self.with_run(id, |run| run.tell(job, JobCommand::RestoreFrom(checkpoint)));
                self.pump();
                self.turns.wake();
            }
            Command::Frame(request) => {
                let frame = match &mut *self.run.borrow_mut() {
                    Some(run) => run.shown_frame(&request),
                    None => tidegate_protocol::Frame {
                        restoring: !self.restoring.borrow().is_empty(),
                        sentence: self.restoring.borrow().clone(),
                        ..tidegate_protocol::Frame::default()
                    },
                };
                answer(id, Answer::Frame(Box::new(frame)));
                if request.outside {
                    self.look_outside(request.job as usize);
                }
            }
            Command::State { job, vertex, subtask, uid, table, offset, limit } => self.with_run(id, |run| {
                let (vertex, offset, limit) = (vertex as usize, offset as usize, (limit as usize).min(1000));
                let page = run.with_shown(|run| {
                    let runtime = &mut run.job(job)?.runtime;
                    Ok(runtime.state_page(vertex, subtask, &uid, &table, offset, limit).unwrap_or_default())
                })?;
                Ok(Answer::State(StateTablePage { total: page.entries as u64, entries: page.rows }))
            }),
            Command::Names { sql } if sql.len() > LONGEST => answer(id, Answer::Names(Vec::new())),
            Command::Names { sql } => answer(id, Answer::Names(files::names(&sql, &options(0)))),
            Command::SendText { table, split, text } => self.send_text(id, table, split, text),
            Command::Export { job, result, part, format, from } => {
                self.with_run(id, |run| run.with_shown(|run| run.export(job, result as usize, part, format, from)));
            }
            Command::Travel { job, to } => self.travel(id, job, to),
            Command::Nexmark { number } => {
                answer(
                    id,
                    tidegate::bench::nexmark_script(number as usize, NEXMARK_EVENTS)
                        .map_or(Answer::Done, Answer::Script),
                );
            }
            Command::Digest => self.with_run(id, |run| {
                let digest = run.with_shown(|run| run.session.digest());
                Ok(Answer::Digest { digest: format!("{digest:016x}") })
            }),
        }
    }

    /// Answers with what `act` makes of the run.
    pub(crate) fn with_run(&self, id: u32, act: impl FnOnce(&mut Run) -> Result<Answer, Answer>) {
        let said = match &mut *self.run.borrow_mut() {
            Some(run) => act(run).unwrap_or_else(|refusal| refusal),
            None => failed("TG9100", "Nothing runs."),
        };
        answer(id, said);
    }

    fn hello(self: Rc<Self>, id: u32, build: &str, storage: &Storage, port: Option<MessagePort>) {
        if build != host::build() {
            return answer(id, Answer::OtherBuild);
        }
        let Some(port) = port else {
            return answer(id, failed("TG9102", "The page gave no line to the store."));
        };
        self.port.open(port);
        // In memory, too, a script may be there: that of an engine that has crashed.
        let (Storage::Workspace(_) | Storage::Memory(_)) = storage;
        wasm_bindgen_futures::spawn_local(async move {
            let resumable = workspace::holds_script(&self.port).await;
            answer(id, Answer::Ready { resumable });
        });
    }

    /// Runs a script: from nothing, or from the savepoint that it names. `given` takes the place of its own first rows.
    pub fn begin(self: Rc<Self>, id: u32, sql: String, name: Option<String>, given: Option<Vec<Fed>>) {
        let prepared = match prepare(sql, name, &[], Restore::None) {
            Ok(prepared) => prepared,
            Err(problems) => return answer(id, *problems),
        };
        if given.is_none() && prepared.session.restores().iter().any(|restore| *restore != Restore::None) {
            return wasm_bindgen_futures::spawn_local(self.begin_from(id, prepared));
        }
        let Prepared { sql, name, seed, start, mut session, outcome, feeds } = prepared;
        session.record_behind(Vec::new());
        let script = SavedScript { sql: sql.clone(), name: name.clone(), seed, start, from: Vec::new() };
        let generation = self.generation.get() + 1;
        self.generation.set(generation);
        let desk = self.clone();
        // The store carries requests out in order, so this one precedes all of the new jobs'.
        self.port.send(workspace::begin(&script), move |response| {
            if response != StoreResponse::Done {
                desk.trouble(
                    generation,
                    "TG9103",
                    format!("The workspace cannot be written: {}.", workspace::refused(response)),
                );
            }
        });
        let resumed = given.as_ref().map(|_| {
            "Opened from a link, but the run goes another way here: script and rows are the same, when they came is not."
                .to_owned()
        });
        let feeds = match given {
            Some(given) => given,
            None => feeds.into_iter().map(|(table, split, item)| (table, split, vec![item])).collect(),
        };
        let speed = self.run.borrow().as_ref().map(|run| run.drive.speed);
        let mut run = Run::new(session, script, Drive::default());
        if let Some(speed) = speed {
            run.drive.set_speed(speed);
            run.set_chunk_limit();
        }
        *self.run.borrow_mut() = Some(run);
        for (table, split, items) in feeds {
            self.clone().feed(table, split, items, Sender::Script);
        }
        let (problems, notes) = told(&sql, &outcome);
        answer(id, Answer::Running { sql, name, problems, notes, resumed });
        self.pump();
        self.turns.wake();
    }

    fn send(self: Rc<Self>, id: u32, table: String, split: u32, rows: Vec<InputRow>) {
        let items = {
            let run = self.run.borrow();
            let Some(run) = &*run else { return answer(id, failed("TG9100", "Nothing runs.")) };
            match run.parse(&table, split, &rows) {
                Ok(items) => items,
                Err(refusal) => return answer(id, refusal),
            }
        };
        self.feed(table, split, items, Sender::Page(id));
    }

    fn mark(self: Rc<Self>, id: u32, table: &str, split: u32, mark: InputMark) {
        let item = match mark {
            InputMark::Idle => FeedItem::Idle,
            InputMark::End => FeedItem::End,
            InputMark::Watermark(text) => {
                let run = self.run.borrow();
                let parsed = run.as_ref().map(|run| run.session.parse_watermark(&text));
                match parsed {
                    Some(Ok(item)) => item,
                    Some(Err(why)) => return answer(id, failed("TG9105", why)),
                    None => return answer(id, failed("TG9100", "Nothing runs.")),
                }
            }
        };
        let refused = {
            let run = self.run.borrow();
            let input = run.iter().flat_map(|run| &run.inputs).find(|input| input.feed.table == table);
            let watermark = matches!(item, FeedItem::Watermark(_));
            match input {
                Some(input) if !input.is_inline() || watermark && !input.feed.takes_watermarks() => {
                    Some(input.feed.no_marks().unwrap_or_else(|| format!("'{table}' takes no marks.")))
                }
                Some(_) => None,
                None => Some(format!("Nothing can be sent to '{table}'.")),
            }
        };
        if let Some(why) = refused {
            return answer(id, failed("TG9106", why));
        }
        self.feed(table.to_owned(), split, vec![item], Sender::Page(id));
    }

    /// Keeps items and hands them to the sources: to the workspace first, or to the log, so that a source can always read them again.
    pub fn feed(self: Rc<Self>, table: String, split: u32, items: Vec<FeedItem>, sender: Sender) {
        let generation = self.generation.get();
        let mut guard = self.run.borrow_mut();
        let Some(run) = &mut *guard else { return };
        let Some(input) = run.inputs.iter().find(|input| input.feed.table == table) else {
            drop(guard);
            return self.fed(&table, split, sender, failed("TG9101", format!("Nothing can be sent to '{table}'.")));
        };
        if input.topic().is_some() {
            drop(guard);
            wasm_bindgen_futures::spawn_local(self.append(table, split, items, sender));
            return;
        }
        let number = run.feeds;
        run.feeds += 1;
        drop(guard);
        let feed = SavedFeed { table, split, items };
        let desk = self.clone();
        self.port.send(workspace::keep_feed(number, &feed), move |response| {
            if desk.generation.get() == generation {
                let said = desk.kept(&feed, response);
                desk.fed(&feed.table, feed.split, sender, said);
            }
        });
    }

    /// The same, for somebody who waits until the items are with the sources.
    pub async fn keep(self: &Rc<Self>, table: &str, split: u32, items: Vec<FeedItem>) -> Answer {
        let generation = self.generation.get();
        let number = match &mut *self.run.borrow_mut() {
            Some(run) if run.inputs.iter().any(|input| input.feed.table == table && input.topic().is_none()) => {
                run.feeds += 1;
                Some(run.feeds - 1)
            }
            _ => None,
        };
        let Some(number) = number else {
            return self.clone().append_to(table, split, &items).await;
        };
        let feed = SavedFeed { table: table.to_owned(), split, items };
        let response = self.port.ask(workspace::keep_feed(number, &feed)).await;
        match self.generation.get() == generation {
            true => self.kept(&feed, response),
            false => Answer::Done,
        }
    }

    /// Items are kept, or are not: hands them to the sources.
    fn kept(&self, feed: &SavedFeed, response: StoreResponse) -> Answer {
        if response != StoreResponse::Done {
            let why = workspace::refused(response);
            return failed("TG9103", format!("The row was not kept and not sent: {why}."));
        }
        if let Some(run) = &mut *self.run.borrow_mut() {
            run.note_feed(&feed.table, feed.split, &feed.items);
            run.session.feed(&feed.table, feed.split, &feed.items);
            run.faults.feed_zombie(&feed.table, feed.split, &feed.items);
        }
        self.turns.wake();
        Answer::Done
    }

    /// Tells the sender of items what became of them.
    pub fn fed(&self, table: &str, split: u32, sender: Sender, said: Answer) {
        match sender {
            Sender::Page(id) => answer(id, said),
            Sender::Generator => {
                if let Some(run) = &mut *self.run.borrow_mut()
                    && let Some(input) = run.inputs.iter_mut().find(|input| input.feed.table == table)
                    && let Some(outbox) = input.outboxes.get_mut(split as usize)
                {
                    outbox.busy = false;
                }
                self.turns.wake();
            }
            Sender::Script => {}
        }
    }

    fn transport(self: &Rc<Self>, id: u32, transport: Transport) {
        let past = self.run.borrow().as_ref().and_then(|run| run.past.as_ref().map(Past::job));
        match (past, transport) {
            (Some(job), Transport::StepElement) => return self.travel(id, job, Travel::OnElement),
            (Some(job), Transport::StepRow) => return self.travel(id, job, Travel::OnRow),
            (Some(_), Transport::Play | Transport::Pause) => {
                self.past_plays(transport == Transport::Play);
                return answer(id, Answer::Done);
            }
            (Some(_), Transport::Speed(speed)) => self.past_speed(speed),
            _ => {}
        }
        self.with_run(id, |run| {
            if matches!(transport, Transport::Play | Transport::StepElement | Transport::StepRow) {
                run.let_go();
            }
            match transport {
                Transport::Play => run.drive.play(),
                Transport::Pause => run.drive.pause(),
                Transport::Speed(speed) => {
                    run.drive.set_speed(speed);
                    run.set_chunk_limit();
                }
                Transport::StepElement => {
                    run.drive.pause();
                    run.step_element();
                }
                Transport::StepRow => {
                    run.drive.pause();
                    run.step_row();
                }
            }
            Ok(Answer::Done)
        });
        if !matches!(transport, Transport::StepElement | Transport::StepRow) {
            self.keep_drive();
        }
        self.pump();
        self.turns.wake();
    }

    /// Keeps how it is driven, for the next engine.
    pub fn keep_drive(&self) {
        if let Some(run) = &*self.run.borrow() {
            let rates = run.inputs.iter().map(|input| (input.feed.table.clone(), input.rate)).collect();
            let drive = SavedDrive { playing: run.drive.playing, speed: run.drive.speed, rates };
            // How it was driven is no loss if it cannot be kept.
            self.port.send(workspace::keep_drive(&drive), |_| {});
        }
    }

    /// Carries out what the jobs want of the store.
    pub fn pump(&self) {
        // The worker lives as long as its page lets it, and so does the desk.
        let Some(desk) = self.turns.desk() else { return };
        let (mut requests, mut later): (Vec<(StoreRequest, Then)>, _) = (Vec::new(), Vec::new());
        if let Some(run) = &mut *self.run.borrow_mut() {
            let mut turned = turn_of(run.session.take_effects());
            // What is kept goes before what follows from it, and all of it on one way: it arrives, or nothing does.
            let follows = !turned.requests.is_empty() || !turned.mishaps.is_empty();
            let histories = run.note_histories();
            let kept = histories
                .into_iter()
                .chain(run.keep_journal(follows))
                .chain(run.keep_planned())
                .chain(run.keep_outages());
            // It is for people to look at: a run does not end for want of it.
            requests.extend(kept.map(|request| (request, Box::new(|_| {}) as Then)));
            let now = run.drive.now as i64;
            let mut mishaps = turned.mishaps.into_iter().peekable();
            for (number, (job, request, body)) in turned.requests.into_iter().enumerate() {
                while let Some((of, mishap, _)) = mishaps.next_if(|(_, _, before)| *before <= number) {
                    later.extend(run.faults.act(of, mishap, &mut turned.withheld, now));
                }
                if let Some(asked) = run.faults.admit(job, request, &body, now) {
                    requests.push((body, Box::new(desk.answering(asked))));
                }
            }
            for (of, mishap, _) in mishaps {
                later.extend(run.faults.act(of, mishap, &mut turned.withheld, now));
            }
        }
        self.port.send_all(requests);
        desk.do_later(later);
        if self.run.borrow().as_ref().is_some_and(|run| run.faults.has_refused()) {
            self.turns.wake();
        }
    }

    /// The run cannot go on.
    pub fn trouble(&self, generation: u32, code: &str, message: String) {
        if generation == self.generation.get()
            && let Some(run) = &mut *self.run.borrow_mut()
        {
            run.trouble = Some((code.to_owned(), message));
        }
    }
}

impl Run {
    /// A run to which nothing was sent.
    pub fn new(session: Session, script: SavedScript, drive: Drive) -> Run {
        let pace = pace_of(&script.sql);
        let inputs = session.feeds().into_iter().map(|feed| Input::new(feed, script.seed, pace)).collect();
        Run {
            session,
            script,
            inputs,
            drive,
            feeds: 0,
            outside: Outside::default(),
            seen: Seen::default(),
            trouble: None,
            resuming: None,
            held: None,
            journal: Journal::default(),
            past: None,
            faults: Faults::default(),
        }
    }

    /// The store's answer to a request of a job.
    pub fn hear(&mut self, job: usize, request: u64, response: StoreResponse) {
        if let Some(held) = &mut self.held {
            held.push((job, request, response));
        } else if let Some(job) = self.session.jobs_mut().get_mut(job) {
            // An answer is never refused.
            let _ = job.runtime.handle(Event::Response { request, response });
        }
    }

    /// It no longer stands where a link has left it.
    pub fn let_go(&mut self) {
        for (job, request, response) in self.held.take().into_iter().flatten() {
            self.hear(job, request, response);
            self.session.record();
        }
    }

    pub(crate) fn job(&mut self, job: u32) -> Result<&mut tidegate::JobHandle, Answer> {
        let jobs = self.session.jobs_mut();
        jobs.get_mut(job as usize).ok_or_else(|| failed("TG9107", format!("There is no job {job}.")))
    }

    pub(crate) fn tell(&mut self, job: u32, command: JobCommand) -> Result<Answer, Answer> {
        let told = self.job(job)?.runtime.handle(Event::Command(command));
        told.map(|()| Answer::Done).map_err(|refusal| failed(&refusal.code.to_string(), refusal.message))
    }

    /// Brings the jobs' histories up to date; what is to be kept of them, if that has changed.
    fn note_histories(&mut self) -> Option<StoreRequest> {
        let noted = self.session.jobs_mut().iter_mut().map(tidegate::JobHandle::note);
        let worth = noted.fold(false, |any, one| any | one);
        let histories: Vec<_> = self.session.jobs().iter().map(|job| &job.history).collect();
        worth.then(|| workspace::keep_histories(&histories))
    }

    /// The rows as items, all of them or none.
    fn parse(&self, table: &str, split: u32, rows: &[InputRow]) -> Result<Vec<FeedItem>, Answer> {
        let input = self.inputs.iter().find(|input| input.feed.table == table && input.by_hand());
        let input = input.ok_or_else(|| failed("TG9101", format!("Nothing can be sent to '{table}'.")))?;
        if split >= input.feed.splits {
            return Err(failed("TG9101", format!("'{table}' has no partition {split}.")));
        }
        let (mut items, mut fields) = (Vec::new(), Vec::new());
        for (number, row) in rows.iter().enumerate() {
            let kind = RowKind::parse(&row.kind).filter(|kind| input.feed.kinds.contains(kind));
            let kind = kind.ok_or_else(|| failed("TG9108", format!("'{table}' takes no {} rows.", row.kind)))?;
            match self.session.parse_row(table, kind, &row.values) {
                Ok(item) => items.push(item),
                Err(errors) => fields.extend(errors.into_iter().map(|error| FieldProblem {
                    row: number as u32,
                    column: error.column as u32,
                    message: error.message,
                })),
            }
        }
        if fields.is_empty() { Ok(items) } else { Err(Answer::Refused { fields }) }
    }

    /// Shows items among the input's newest rows.
    pub fn note_feed(&mut self, table: &str, split: u32, items: &[FeedItem]) {
        self.note_rows(table, split, None, items);
    }

    /// The same for a log, where the offset of the first is known.
    pub fn note_rows(&mut self, table: &str, split: u32, first: Option<u64>, items: &[FeedItem]) {
        let zone = self.session.zone();
        if let Some(input) = self.inputs.iter_mut().find(|input| input.feed.table == table) {
            let rows = items.iter().filter_map(|item| match item {
                FeedItem::Row(kind, values) => Some((*kind, values)),
                _ => None,
            });
            for (number, (kind, values)) in rows.enumerate() {
                let texts = tidegate::row_texts(&input.feed.physical, values, zone);
                input.sent(split, first.map(|first| first + number as u64), kind, texts);
            }
        }
    }
}

/// A refusal.
pub fn failed(code: &str, message: impl Into<String>) -> Answer {
    Answer::Failed { code: code.to_owned(), message: message.into() }
}

/// How the page runs its jobs.
pub fn options(seed: u64) -> SessionOptions {
    SessionOptions {
        seed,
        now: js_sys::Date::now() as i64,
        chunk_limit: 1,
        watched: true,
        journal: true,
        // A crash is something to look at: without a word of the script, the job starts again after a second. What fails of itself, again and
        // again, stays failed.
        restart: RestartStrategy::Hands { attempts: 3, delay: 1000 },
        defaults: vec![("execution.checkpointing.num-retained".to_owned(), "5".to_owned())],
        ..SessionOptions::default()
    }
}

/// The longest script, bytes: it is read in one go, and the jobs stand still for so long.
const LONGEST: usize = 256 << 10;

/// What is wrong with a script that is too long to be read beside what runs.
pub fn too_long(sql: &str) -> Option<Diagnostic> {
    (sql.len() > LONGEST).then(|| {
        let (size, most) = (sql.len().div_ceil(1024), LONGEST / 1024);
        let message = format!("The script has {size} kB, and {most} kB are read at the most.");
        let hint = "Many rows come in better as a file: drop it onto its table under Inputs. Long lists of values are a table to join with.";
        Diagnostic::error(Code::new("TG9114"), message).hint(hint)
    })
}

/// The same script has the same seed.
pub fn seed_of(sql: &str) -> u64 {
    sql.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

pub fn told(sql: &str, outcome: &ScriptOutcome) -> (Vec<Problem>, Vec<StatementNote>) {
    let notes = outcome.statements.iter().filter_map(|statement| match &statement.said {
        Said::Message(message) => Some(StatementNote {
            sql: statement.sql.clone(),
            columns: Vec::new(),
            rows: vec![vec![Some(message.clone())]],
        }),
        Said::Table { columns, rows } => {
            Some(StatementNote { sql: statement.sql.clone(), columns: columns.clone(), rows: rows.clone() })
        }
        Said::Job(_) => None,
    });
    (problems_of(sql, &outcome.warnings), notes.collect())
}

/// Diagnostics as the page wants them: places in UTF-16 units.
pub fn problems_of(sql: &str, diagnostics: &[Diagnostic]) -> Vec<Problem> {
    let units = |byte: u32| -> u32 {
        let byte = sql.floor_char_boundary((byte as usize).min(sql.len()));
        sql[..byte].encode_utf16().count() as u32
    };
    let problem = |diagnostic: &Diagnostic| Problem {
        code: diagnostic.code.to_string(),
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
        .to_owned(),
        span: diagnostic.span.map(|span| (units(span.start), units(span.end))),
        line: diagnostic.span.map(|span| line_column(sql, span.start).line),
        message: diagnostic.message.clone(),
        hints: diagnostic.hints.clone(),
        fix: diagnostic.fix.as_ref().map(|fix| (units(fix.span.start), units(fix.span.end), fix.replacement.clone())),
    };
    diagnostics.iter().map(problem).collect()
}
