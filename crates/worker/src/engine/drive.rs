//! The slices: at most 8 ms at a time, yielding through a message channel, so that the worker always hears the page.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use tidegate::runtime::{Command as JobCommand, Event, FeedItem, Job, JobState};
use tidegate_protocol::Answer;
use tidegate_worker::host;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::MessageChannel;

use crate::answer;
use crate::desk::{Desk, Run, Sender};

/// How long a slice runs at full speed, ms.
const SLICE: f64 = 6.0;
/// Rows of a source's poll at full speed.
const FULL: usize = 1024;
/// The most steps of one input row.
const ROW_STEPS: u64 = 20_000;
/// The most marks between two rows.
const MARKS: usize = 64;
/// The most rows of a generator that wait for storage, per split.
const OUTBOX: usize = 2000;
/// How far time jumps when a step of somebody who has paused finds nothing to do, ms.
const POLL: f64 = 200.0;
/// How often time is looked at while nothing can be done, ms.
const REST: i32 = 30;

/// How a run is driven.
#[derive(Clone, Debug)]
pub struct Drive {
    /// Whether it plays.
    pub playing: bool,
    /// Elements per second; infinite is full speed.
    pub speed: f64,
    /// Elements that may be worked off now, a fraction included.
    credit: f64,
    /// Processing time, ms: it stands still in a pause.
    pub now: f64,
    /// When time was last looked at, ms of the worker's clock.
    looked: Option<f64>,
}

impl Default for Drive {
    fn default() -> Drive {
        Drive { playing: false, speed: 10.0, credit: 0.0, now: js_sys::Date::now(), looked: None }
    }
}

impl Drive {
    /// Goes on as a run was driven before.
    pub fn resume(&mut self, playing: bool, speed: f64) {
        self.playing = playing;
        self.set_speed(speed);
    }

    /// Plays.
    pub fn play(&mut self) {
        self.playing = true;
        self.looked = None;
    }

    /// Stands still.
    pub fn pause(&mut self) {
        self.playing = false;
        self.credit = 0.0;
    }

    /// Sets the speed.
    pub fn set_speed(&mut self, speed: f64) {
        self.speed = if speed.is_nan() { 1.0 } else { speed.max(0.1) };
        self.credit = 0.0;
    }

    /// Lets time go on; gives how much, in ms.
    fn advance(&mut self, clock: f64) -> f64 {
        let passed = self.looked.map_or(0.0, |looked| (clock - looked).clamp(0.0, 250.0));
        self.looked = Some(clock);
        self.now += passed;
        if self.speed.is_finite() {
            self.credit = (self.credit + passed * self.speed / 1000.0).min(self.speed.max(1.0));
        }
        passed
    }
}

/// Schedules the slices.
pub struct Loop {
    channel: MessageChannel,
    desk: RefCell<Weak<Desk>>,
    scheduled: Cell<bool>,
    timer: RefCell<Option<Closure<dyn FnMut()>>>,
    resting: Cell<Option<i32>>,
    /// Longer work that goes on with the next turn.
    pausing: RefCell<Vec<Waker>>,
}

/// Lets one turn pass.
pub struct Breath {
    desk: Weak<Desk>,
    begun: bool,
}

impl Future for Breath {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(desk) = self.desk.upgrade().filter(|_| !self.begun) else { return Poll::Ready(()) };
        self.begun = true;
        desk.turns.pausing.borrow_mut().push(cx.waker().clone());
        desk.turns.wake();
        Poll::Pending
    }
}

/// Longer work in slices, so that the page is heard and the jobs go on in between.
pub struct Slices {
    desk: Weak<Desk>,
    end: f64,
}

impl Slices {
    /// Waits for a turn to pass, if the slice is over.
    pub async fn pause(&mut self) {
        if host::clock() >= self.end {
            Breath { desk: self.desk.clone(), begun: false }.await;
            self.end = host::clock() + SLICE;
        }
    }
}

impl Loop {
    /// A loop that has not begun.
    pub fn new() -> Loop {
        let channel =
            MessageChannel::new().unwrap_or_else(|_| wasm_bindgen::throw_str("the browser gave no message channel"));
        Loop {
            channel,
            desk: RefCell::default(),
            scheduled: Cell::new(false),
            timer: RefCell::default(),
            resting: Cell::new(None),
            pausing: RefCell::default(),
        }
    }

    /// Longer work begins.
    pub fn slices(&self) -> Slices {
        Slices { desk: self.desk.borrow().clone(), end: host::clock() + SLICE }
    }

    /// Begins to serve `desk`.
    pub fn begin(desk: &Rc<Desk>) {
        *desk.turns.desk.borrow_mut() = Rc::downgrade(desk);
        let target = desk.clone();
        let listener = Closure::<dyn FnMut()>::new(move || {
            target.turns.scheduled.set(false);
            target.turn();
            let pausing = std::mem::take(&mut *target.turns.pausing.borrow_mut());
            pausing.into_iter().for_each(Waker::wake);
        });
        desk.turns.channel.port1().set_onmessage(Some(listener.as_ref().unchecked_ref()));
        // It lives as long as the worker.
        listener.forget();
        let target = desk.clone();
        *desk.turns.timer.borrow_mut() = Some(Closure::new(move || {
            target.turns.resting.set(None);
            target.turns.wake();
        }));
    }

    /// The desk it serves.
    pub fn desk(&self) -> Option<Rc<Desk>> {
        self.desk.borrow().upgrade()
    }

    /// Takes a turn soon.
    pub fn wake(&self) {
        if !self.scheduled.replace(true) {
            let _ = self.channel.port2().post_message(&JsValue::NULL);
        }
    }

    /// Takes a turn in so many ms.
    pub fn rest(&self, ms: i32) {
        if self.resting.get().is_none()
            && let Some(timer) = &*self.timer.borrow()
        {
            let function = timer.as_ref().unchecked_ref();
            let id = host::scope().set_timeout_with_callback_and_timeout_and_arguments_0(function, ms);
            self.resting.set(id.ok());
        }
    }
}

impl Desk {
    /// One turn: time, generators, a slice of the jobs, and what they want of the store.
    fn turn(self: &Rc<Self>) {
        let clock = host::clock();
        let mut generated = Vec::new();
        let mut next = None;
        let mut again = false;
        let past = self.past_turn(clock);
        if self.compare_on(clock) || past == Some(true) {
            again = true;
        }
        self.haunt();
        if let (Some(run), None) = (&mut *self.run.borrow_mut(), past)
            && !run.faults.is_lost()
        {
            run.answer_refused();
            if run.drive.playing {
                let passed = run.drive.advance(clock);
                let now = run.drive.now as i64;
                run.session.time(now);
                generated = run.generate(passed);
            }
            let more = run.slice(clock);
            run.say_resumed();
            next = match (run.drive.playing, more) {
                (_, true) => Some(0),
                (true, false) if run.drive.speed.is_finite() => {
                    Some((1000.0 / run.drive.speed).clamp(4.0, 30.0) as i32)
                }
                (true, false) => Some(REST),
                (false, false) => None,
            };
        }
        self.pump();
        for (table, split, items) in generated {
            self.clone().feed(table, split, items, Sender::Generator);
        }
        match next {
            _ if again => self.turns.wake(),
            Some(0) => self.turns.wake(),
            Some(ms) => self.turns.rest(ms),
            None => {}
        }
    }
}

impl Run {
    /// Jobs step for as long as a slice lasts. Gives whether they could go on at once.
    fn slice(&mut self, clock: f64) -> bool {
        let end = clock + SLICE;
        let (mut more, playing) = (false, self.drive.playing);
        if self.held.is_some() {
            if !playing {
                return false;
            }
            self.let_go();
        }
        for job in self.session.jobs_mut() {
            let job = &mut job.runtime;
            let loads = |job: &Job| matches!(job.state(), JobState::Created | JobState::Restoring) && !job.is_quiet();
            if !playing && loads(job) {
                // In a pause a source that is ready before the others holds.
                let _ = job.handle(Event::Command(JobCommand::Release(Some(0))));
            }
            // Loading state is not watched step by step.
            while loads(job) {
                if playing {
                    job.step_element();
                } else {
                    job.step_to(job.steps() + 1, &mut || true);
                }
                if host::clock() >= end {
                    return true;
                }
            }
        }
        if !self.drive.playing {
            return false;
        }
        if self.drive.speed.is_infinite() {
            for job in self.session.jobs_mut() {
                // A step may take a millisecond: the clock is looked at before each.
                job.runtime.run_slice(&mut || host::clock() < end);
                more |= !job.runtime.is_quiet();
            }
            return more;
        }
        while self.drive.credit >= 1.0 {
            let mut stepped = false;
            for job in self.session.jobs_mut() {
                stepped |= job.runtime.step_element();
            }
            if !stepped {
                // Nothing to do: no credit is saved up for later.
                self.drive.credit = self.drive.credit.min(1.0);
                return false;
            }
            self.drive.credit -= 1.0;
            if host::clock() >= end {
                return true;
            }
        }
        false
    }

    /// One element by one subtask of each job.
    pub fn step_element(&mut self) {
        self.skip_waiting();
        // Every job takes its step, whatever the others do.
        let step = |run: &mut Run| {
            let mut any = false;
            for job in run.session.jobs_mut() {
                any |= job.runtime.step_element();
            }
            any
        };
        if !step(self) {
            self.skip_poll();
            step(self);
        }
    }

    /// One input row of each job, until quiet.
    pub fn step_row(&mut self) {
        self.skip_waiting();
        if !self.step_to_row() {
            self.skip_poll();
            self.step_to_row();
        }
    }

    /// Watermarks and idle marks are no rows: each job goes on until it has read one. False if none had anything to do.
    fn step_to_row(&mut self) -> bool {
        let mut any = false;
        for job in self.session.jobs_mut() {
            let job = &mut job.runtime;
            let read = job.rows_read();
            for _ in 0..MARKS {
                let stepped = job.step_row(ROW_STEPS) > 0;
                any |= stepped;
                if !stepped || job.rows_read() != read {
                    break;
                }
            }
        }
        any
    }

    /// Nothing can be done now: lets time jump to where sources look for new rows.
    fn skip_poll(&mut self) {
        self.drive.now += POLL;
        self.session.time(self.drive.now as i64);
    }

    /// Time stands still in a pause; a step of somebody who waits for a restart lets it jump there.
    fn skip_waiting(&mut self) {
        let at = self.session.jobs().iter().filter_map(|job| match job.runtime.state() {
            JobState::Restarting { at } => Some(*at),
            _ => None,
        });
        if let Some(at) = at.max() {
            self.drive.now = self.drive.now.max(at as f64);
            self.session.time(at);
        }
    }

    /// Rows of a source's poll: one while somebody can follow, many at full speed.
    pub fn set_chunk_limit(&mut self) {
        let limit = if self.drive.speed.is_finite() { 1 } else { FULL };
        for job in self.session.jobs_mut() {
            let _ = job.runtime.handle(Event::Command(JobCommand::SetChunkLimit(limit)));
        }
    }

    /// What the generators have to send after `passed` ms: table, split, rows.
    fn generate(&mut self, passed: f64) -> Vec<(String, u32, Vec<FeedItem>)> {
        let mut batches = Vec::new();
        for input in &mut self.inputs {
            input.owed = (input.owed + passed * input.rate / 1000.0).min(input.rate.max(1.0));
            while input.owed >= 1.0 && input.feed.splits > 0 {
                let split = input.turn % input.feed.splits;
                if input.outboxes[split as usize].items.len() >= OUTBOX {
                    break;
                }
                input.owed -= 1.0;
                input.turn = input.turn.wrapping_add(1);
                let (kind, texts) = input.generator.row(&input.feed);
                if let Ok(item) = self.session.parse_row(&input.feed.table, kind, &texts) {
                    input.outboxes[split as usize].items.push(item);
                }
            }
            for (split, outbox) in input.outboxes.iter_mut().enumerate() {
                if !outbox.busy && !outbox.items.is_empty() {
                    outbox.busy = true;
                    batches.push((input.feed.table.clone(), split as u32, std::mem::take(&mut outbox.items)));
                }
            }
        }
        batches
    }

    /// Answers who waits for the jobs to be restored, once they are.
    fn say_resumed(&mut self) {
        let waiting = |state: &JobState| matches!(state, JobState::Created | JobState::Restoring);
        if self.session.jobs().iter().any(|job| waiting(job.runtime.state())) {
            return;
        }
        let Some(id) = self.resuming.take() else { return };
        let sentence = self.resumed_from();
        answer(
            id,
            Answer::Running {
                sql: self.script.sql.clone(),
                name: self.script.name.clone(),
                problems: Vec::new(),
                notes: Vec::new(),
                resumed: Some(sentence),
            },
        );
    }
}
