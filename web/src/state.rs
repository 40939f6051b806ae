//! The state of the page, in one place: what the engine said last, and what the person has chosen.

use std::rc::Rc;

use tidegate_protocol::{Frame, Layout, NameOffer, PastFrame, Problem, ResultFrame, ResultLayout, StatementNote};
use yew::Reducible;

use crate::examples::begins_beside;

/// What has happened at a step: its number, the time (ms), a sentence, the kind.
pub type Mark = (u64, i64, String, String);

/// How far the page has come.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// Workers are starting.
    Starting,
    /// The engine answers.
    Live,
    /// The engine was terminated; a new one is restoring.
    Restoring,
    /// The engine died: code, message. Restore is offered.
    Dead(String, String),
}

/// Where things are kept.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Storage {
    /// Known yet?
    pub known: bool,
    /// Whether it outlives the page.
    pub persistent: bool,
    /// Why not.
    pub reason: Option<String>,
}

/// Which result is shown how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// Changelog and dynamic table side by side.
    Changelog,
    /// Keyed state.
    State,
    /// Checkpoints.
    Checkpoints,
    /// The sink as its readers see it.
    Sink,
    /// Two-phase commit, step by step.
    Commit,
    /// What can be made to go wrong.
    Faults,
    /// The plan.
    Plan,
    /// The same as a batch.
    Batch,
}

/// The regions, one of which is shown at a time on a narrow screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// What did I ask?
    Query,
    /// What is coming in?
    Inputs,
    /// What is happening?
    Dataflow,
    /// What came out?
    Results,
}

/// The whole of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// How far the page has come.
    pub phase: Phase,
    /// Where things are kept.
    pub storage: Storage,
    /// The editor's text.
    pub text: Rc<str>,
    /// The text that runs.
    pub running: Option<Rc<str>>,
    /// The example that runs, if it is one.
    pub name: Option<String>,
    /// What is wrong with the editor's text.
    pub problems: Rc<Vec<Problem>>,
    /// A text that was not run for these problems, which it has beside what is there and not by itself.
    pub refused: Option<Rc<str>>,
    /// What the script's other statements said.
    pub notes: Rc<Vec<StatementNote>>,
    /// Inputs and jobs.
    pub layout: Option<Rc<Layout>>,
    /// The newest frame.
    pub frame: Option<Rc<Frame>>,
    /// What had happened to a job when the past began to be shown: and to which job.
    pub ahead: Option<(usize, Rc<Vec<Mark>>)>,
    /// Whether that frame and layout are of a run that is over.
    pub stale: bool,
    /// The job shown.
    pub job: usize,
    /// Which of its results is shown: a statement set has several.
    pub result: usize,
    /// The kinds of changelog rows that were singled out, as bits; 0 for all.
    pub kinds: u8,
    /// Whether another job's result is shown beside.
    pub beside: bool,
    /// The tab shown.
    pub tab: Tab,
    /// The region shown on a narrow screen.
    pub region: Region,
    /// The region that has the whole screen.
    pub expanded: Option<Region>,
    /// The words that the editor may offer.
    pub names: Rc<Vec<NameOffer>>,
    /// The next engine runs the editor's text instead of resuming.
    pub afresh: bool,
    /// One sentence about something that just happened (resumed, restored, refused).
    pub message: Option<Rc<str>>,
    /// What the next run begins with as its message, where it says nothing itself.
    pub notice: Option<Rc<str>>,
    /// The editor's text was not run before the page was loaded again.
    pub draft: bool,
}

impl Page {
    /// As it is before anything has come.
    pub fn new() -> Page {
        Page {
            phase: Phase::Starting,
            storage: Storage::default(),
            text: "".into(),
            running: None,
            name: None,
            problems: Rc::default(),
            refused: None,
            notes: Rc::default(),
            layout: None,
            frame: None,
            ahead: None,
            stale: false,
            job: 0,
            result: 0,
            kinds: 0,
            beside: false,
            tab: Tab::Changelog,
            region: Region::Results,
            expanded: None,
            names: Rc::default(),
            afresh: false,
            message: None,
            notice: None,
            draft: false,
        }
    }

    /// Whether the editor's text is not what runs.
    pub fn edited(&self) -> bool {
        self.running.as_ref() != Some(&self.text)
    }
}

/// What changes the page.
#[derive(Debug)]
pub enum Action {
    /// See [`Page::phase`].
    Phase(Phase),
    /// The engine is up; whether the workspace holds something to resume.
    Ready(bool),
    /// A new engine is on its way; whether it is to run the editor's text instead of resuming.
    Replace(bool),
    /// See [`Page::storage`].
    Storage(bool, Option<String>),
    /// The editor's text changed.
    Text(String),
    /// A check of this text said so.
    Checked(Rc<str>, Vec<Problem>),
    /// Why a text was not run.
    Refused(Rc<str>, Vec<Problem>),
    /// A script runs now: text, name, problems, notes, what was resumed.
    Running(String, Option<String>, Vec<Problem>, Vec<StatementNote>, Option<String>),
    /// A text that was not run before a reload is back in the editor.
    Draft(String),
    /// The workspace cannot be gone on with: its text and name are to be run afresh; and why.
    NotResumed(String, Option<String>, String),
    /// What the next run begins with as its message, where it says nothing itself.
    Notice(String),
    /// A frame came.
    Frame(Box<Frame>),
    /// Another job is chosen.
    Job(usize),
    /// Another result of the job.
    Result(usize),
    /// See [`Page::kinds`].
    Kinds(u8),
    /// See [`Page::beside`].
    Beside(bool),
    /// Another tab.
    Tab(Tab),
    /// Another region.
    Region(Region),
    /// See [`Page::expanded`].
    Expand(Option<Region>),
    /// See [`Page::names`].
    Names(Vec<NameOffer>),
    /// A sentence, or none.
    Message(Option<String>),
}

impl Reducible for Page {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut page = (*self).clone();
        match action {
            Action::Phase(phase) => page.phase = phase,
            Action::Ready(resumable) => {
                page.phase = if resumable && !page.afresh { Phase::Restoring } else { Phase::Live };
            }
            Action::Replace(afresh) => {
                page.phase = Phase::Starting;
                page.afresh = afresh;
                page.message = None;
            }
            Action::Storage(persistent, reason) => page.storage = Storage { known: true, persistent, reason },
            Action::Text(text) => page.text = text.into(),
            Action::Draft(text) => {
                page.text = text.into();
                page.draft = true;
            }
            Action::NotResumed(sql, name, why) => {
                page.text = sql.into();
                page.name = name;
                page.message = Some(why.into());
                page.notice.clone_from(&page.message);
                page.phase = Phase::Live;
            }
            Action::Checked(text, problems) => {
                let known = self.refused.as_ref() == Some(&text) || problems == *self.problems;
                if text != self.text || known {
                    return self;
                }
                page.problems = Rc::new(problems);
                page.refused = None;
            }
            Action::Refused(text, problems) => {
                if text != self.text {
                    return self;
                }
                page.problems = Rc::new(problems);
                page.refused = Some(text);
            }
            Action::Running(sql, name, problems, notes, resumed) => {
                // What was typed and not yet run outlives a restore.
                let draft = resumed.is_some() && self.running.is_some() && self.edited();
                let sql: Rc<str> = sql.into();
                // Another script has another changelog: a filter of before would only hide it.
                if page.running.as_ref() != Some(&sql) {
                    page.kinds = 0;
                }
                if page.name != name || page.running.is_none() {
                    page.beside = begins_beside(name.as_deref());
                }
                page.running = Some(sql.clone());
                if !draft {
                    page.text = sql;
                }
                page.name = name;
                page.problems = Rc::new(problems);
                page.refused = None;
                page.notes = Rc::new(notes);
                page.message = resumed.map(Into::into).or(page.notice.take());
                page.draft = page.draft && draft;
                page.phase = Phase::Live;
                page.afresh = false;
                // The picture of before stays until the first one of the new run, so that nothing jumps.
                page.stale = true;
            }
            Action::Notice(text) => page.notice = Some(text.into()),
            Action::Frame(mut frame) => {
                if let Some(layout) = frame.layout.take() {
                    page.stale = false;
                    page.job = page.job.min(layout.jobs.len().saturating_sub(1));
                    let results = layout.jobs.get(page.job).map_or(0, |job| job.results.len());
                    page.result = page.result.min(results.saturating_sub(1));
                    page.layout = Some(Rc::new(layout));
                }
                let was = self.frame.as_ref().filter(|was| was.past.is_none() && frame.past.is_some());
                if let Some(job) = was.and_then(|was| was.job.as_ref()) {
                    page.ahead = Some((page.job, Rc::new(job.events.clone())));
                }
                // What was said of now does not hold there.
                let there = |past: Option<PastFrame>| past.is_some_and(|past| !past.going);
                if there(frame.past) && !there(self.frame.as_ref().and_then(|was| was.past)) {
                    page.message = None;
                }
                // What a row, checkpoint or crash in the past has cut off is not gone in silence.
                let past = self
                    .frame
                    .as_ref()
                    .and_then(|was| was.past)
                    .filter(|past| !past.going && !self.stale && frame.past.is_none());
                let now = frame.jobs.get(self.job).map(|job| job.step);
                if let (Some(past), Some(now)) = (past, now)
                    && page.message.is_none()
                    && now < past.end
                {
                    let (step, end) = (crate::ui::count(past.step), crate::ui::count(past.end));
                    page.message = Some(format!("What came after step {step}, up to step {end}, was cut off.").into());
                }
                if let (None, Some((code, message))) = (self.trouble(), &frame.trouble) {
                    page.message = Some(format!("{code}: {message}").into());
                }
                page.frame = Some(Rc::from(frame));
            }
            Action::Job(job) if job == page.job => return self,
            Action::Job(job) => (page.job, page.result) = (job, 0),
            Action::Result(result) => (page.result, page.kinds) = (result, 0),
            Action::Kinds(kinds) => page.kinds = kinds,
            Action::Beside(beside) => page.beside = beside,
            Action::Tab(tab) => page.tab = tab,
            Action::Region(region) => page.region = region,
            Action::Expand(region) => page.expanded = region,
            Action::Names(names) if names == *self.names => return self,
            Action::Names(names) => page.names = Rc::new(names),
            Action::Message(message) => page.message = message.map(Into::into),
        }
        Rc::new(page)
    }
}

impl Page {
    /// What the chosen result is.
    pub fn result_layout(&self) -> Option<&ResultLayout> {
        self.layout.as_ref()?.jobs.get(self.job)?.results.get(self.result)
    }

    /// The job whose result is shown beside: the one after the chosen.
    pub fn beside_job(&self) -> Option<usize> {
        let jobs = self.layout.as_ref()?.jobs.len();
        (self.beside && self.tab == Tab::Changelog && jobs > 1).then(|| (self.job + 1) % jobs)
    }

    /// What has happened to the job shown, in the whole run: while the past is shown, also what came after.
    pub fn marks(&self) -> Vec<&Mark> {
        let Some(frame) = &self.frame else { return Vec::new() };
        let mut marks: Vec<&Mark> = frame.job.iter().flat_map(|job| &job.events).collect();
        if let (Some(past), Some((of, ahead))) = (frame.past, &self.ahead)
            && *of == self.job
        {
            let last = marks.last().map_or(0, |mark| mark.0).max(past.step);
            marks.extend(ahead.iter().filter(|mark| mark.0 > last && mark.0 <= past.end));
        }
        marks
    }

    /// The chosen result, now.
    pub fn result_frame(&self) -> Option<&ResultFrame> {
        self.frame.as_ref()?.job.as_ref()?.results.get(self.result)
    }

    /// Why the engine cannot go on, if so.
    pub fn trouble(&self) -> Option<&(String, String)> {
        self.frame.as_ref()?.trouble.as_ref()
    }
}
