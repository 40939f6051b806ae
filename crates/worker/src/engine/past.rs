//! Going back: the run again from its recording, against stores in memory, in slices; and what becomes of it when other rows come there.

use std::rc::Rc;

use tidegate::Session;
use tidegate::replay::{Place, Player, Recording, ReplayError};
use tidegate::runtime::{FeedItem, JobState, Scenario};
use tidegate::store::{StoreRequest, StoreResponse};
use tidegate_protocol::{Answer, PastFrame, Travel};
use tidegate_worker::{host, memory};

use crate::answer;
use crate::desk::{Desk, Run, failed, options};
use crate::drive::Drive;
use crate::faults::Asked;
use crate::generate::pace_of;
use crate::inputs::{Input, RECENT};
use crate::journal;
use crate::outside::{Outside, Queries};
use crate::workspace::{self, SavedScript, begin_with, refused};

/// How long a slice of a replay lasts, ms.
const SLICE: f64 = 8.0;
/// Steps between two looks at the clock.
const STRIDE: u32 = 16;
/// An image is kept so many steps before the place that is shown, for the next step back.
const BEFORE: u64 = 40;
/// Shorter runs need none.
const SHORT: u64 = 400;
/// Newest rows of an input that are shown.
const SHOWN: usize = 200;
/// So many images are kept, and only while there is so much memory in use at the most.
const IMAGES: usize = 2;
const ROOM: usize = 512 << 20;
/// Over a shorter way than this what is shown goes on itself; over a longer one it stays until the other is there.
const NEAR: u64 = 2000;

/// The past that is looked at.
pub struct Past {
    recording: Rc<Recording>,
    /// The job whose steps count.
    job: usize,
    /// What is shown.
    shown: Option<Scene>,
    /// Where it goes, and who waits for that.
    way: Option<Way>,
    /// A player that runs ahead, to find where rows were read.
    scout: Option<Player>,
    /// Sessions as of some moment, each to be played on from there.
    images: Vec<Player>,
    /// An image on its way to its place.
    coming: Option<(Player, Place)>,
    /// Elements per second when it plays on, by itself; and those that are due.
    playing: Option<f64>,
    due: f64,
    looked: f64,
    /// The generators' rates once it runs; of a link.
    rates: Vec<(String, f64)>,
}

/// A moment of the past.
struct Scene {
    player: Player,
    inputs: Vec<Input>,
    outside: Outside,
}

struct Way {
    to: To,
    /// The place, once it is known.
    place: Option<Place>,
    player: Option<Player>,
    /// The command to answer on arrival.
    waiting: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
enum To {
    /// The step of the job, over all engines.
    Step(u64),
    /// Before the row that was read last.
    RowBack,
    /// Where the next row has been worked off.
    RowOn,
    /// Where it goes on as it is; a link that was opened.
    End,
}

/// What a turn of the past has come to.
enum Turn {
    Nothing,
    Again,
    /// It has caught up with what runs.
    Now,
    /// A link's run has been gone through to its end.
    Opened(u32),
    Failed(ReplayError),
}

impl Past {
    fn new(recording: Recording, job: usize) -> Past {
        Past {
            recording: Rc::new(recording),
            job,
            shown: None,
            way: None,
            scout: None,
            images: Vec::new(),
            coming: None,
            playing: None,
            due: 0.0,
            looked: 0.0,
            rates: Vec::new(),
        }
    }

    /// The step that is shown, over all engines.
    fn step(&self) -> u64 {
        self.shown.as_ref().map_or(self.end(), |scene| self.recording.steps_at(&scene.player.place(), self.job))
    }

    fn end(&self) -> u64 {
        self.recording.steps_at(&self.recording.end(), self.job)
    }

    fn way_to(&mut self, to: To, waiting: Option<u32>) {
        self.coming = None;
        if let Some(Way { waiting: Some(before), .. }) =
            self.way.replace(Way { to, place: None, player: None, waiting })
        {
            answer(before, Answer::Done);
        }
    }

    /// What the page shows of it.
    pub fn frame(&self) -> PastFrame {
        let going = self.way.as_ref().is_some_and(|way| way.waiting.is_some());
        PastFrame { step: self.step(), end: self.end(), going }
    }

    /// The step that is shown soon.
    fn heading(&self) -> u64 {
        match &self.way {
            Some(Way { to: To::Step(step), .. }) => *step,
            _ => self.step(),
        }
    }

    /// A link that is being opened: who waits for it, and the run.
    fn opening(&mut self) -> Option<(u32, Rc<Recording>)> {
        let way = self.way.take_if(|way| matches!(way.to, To::End))?;
        Some((way.waiting?, self.recording.clone()))
    }

    /// The job whose steps count.
    pub fn job(&self) -> u32 {
        self.job as u32
    }

    /// Whether it plays on by itself.
    pub fn plays(&self) -> bool {
        self.playing.is_some()
    }

    /// Asks the store of the moment that is shown, if one is.
    pub fn ask(&mut self, requests: impl Iterator<Item = StoreRequest>) -> Option<Vec<StoreResponse>> {
        let player = &mut self.shown.as_mut()?.player;
        Some(requests.map(|request| player.ask(request)).collect())
    }

    /// Whether a moment of the past is shown.
    pub fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    /// Goes on for a slice.
    fn turn(&mut self, clock: f64) -> Turn {
        let end = clock + SLICE;
        let mut stride = 0;
        let mut more = || {
            stride += 1;
            stride % STRIDE != 0 || host::clock() < end
        };
        let turned = if self.way.is_some() {
            self.go(&mut more)
        } else if let Some(speed) = self.playing {
            self.play(speed, clock)
        } else {
            self.take_images(&mut more)
        };
        turned.unwrap_or_else(Turn::Failed)
    }

    /// On the way to where somebody wants to go.
    fn go(&mut self, more: &mut dyn FnMut() -> bool) -> Result<Turn, ReplayError> {
        let Some(Way { to, place, .. }) = &self.way else { return Ok(Turn::Nothing) };
        let (to, known) = (*to, place.clone());
        let place = match known {
            Some(place) => place,
            None => match self.place_of(to, more)? {
                Some(place) => place,
                None => return Ok(Turn::Again),
            },
        };
        if place == self.recording.end() && !matches!(to, To::End) {
            self.arrive(None);
            return Ok(Turn::Now);
        }
        let begun = self.way.as_mut().and_then(|way| way.player.take());
        let mut player = match begun.map_or_else(|| self.nearest(&place), Some) {
            Some(player) => player,
            None => Player::new(self.recording.clone(), &options(0))?,
        };
        let there = player.advance(&place, more)?;
        if !there {
            if let Some(way) = &mut self.way {
                (way.place, way.player) = (Some(place), Some(player));
            }
            return Ok(Turn::Again);
        }
        if let (To::End, Some(id)) = (to, self.way.as_ref().and_then(|way| way.waiting)) {
            self.way = None;
            self.shown = Some(Scene::new(player));
            return Ok(Turn::Opened(id));
        }
        self.arrive(Some(player));
        Ok(Turn::Nothing)
    }

    fn arrive(&mut self, player: Option<Player>) {
        if let Some(old) = std::mem::replace(&mut self.shown, player.map(Scene::new)) {
            // It may be where the next one wants to go on from.
            self.keep_image(old.player);
        }
        if let Some(Way { waiting: Some(id), .. }) = self.way.take() {
            answer(id, Answer::Done);
        }
    }

    fn keep_image(&mut self, player: Player) {
        if memory::used() < ROOM {
            self.images.insert(0, player);
        }
        self.images.truncate(IMAGES);
    }

    /// Of the images those that can be played on to a place: the nearest one.
    fn nearest(&mut self, place: &Place) -> Option<Player> {
        let steps = |player: &Player| self.recording.steps_at(&player.place(), self.job);
        let reach = self.images.iter().enumerate().filter(|(_, image)| image.can_reach(place));
        let best = reach.max_by_key(|(_, image)| steps(image)).map(|(number, _)| number);
        if let Some(scene) = &self.shown
            && scene.player.can_reach(place)
            && self.recording.steps_at(place, self.job).saturating_sub(steps(&scene.player)) < NEAR
            && best.is_none_or(|best| steps(&self.images[best]) <= steps(&scene.player))
        {
            return self.shown.take().map(|scene| scene.player);
        }
        best.map(|best| self.images.swap_remove(best))
    }

    /// The place to go to; `None` while it is looked for.
    fn place_of(&mut self, to: To, more: &mut dyn FnMut() -> bool) -> Result<Option<Place>, ReplayError> {
        let here = self.step();
        let recording = self.recording.clone();
        let step = match to {
            To::End => return Ok(Some(recording.end())),
            To::Step(step) => step,
            To::RowBack => {
                if !self.explore(&recording.place(self.job, here), more)? {
                    return Ok(None);
                }
                let rows = self.scout.as_ref().map_or(&[][..], |scout| scout.rows(self.job));
                let step = rows.iter().rev().find(|row| **row <= here).map_or(0, |row| row - 1);
                return Ok(Some(recording.place_unfed(self.job, step)));
            }
            To::RowOn => {
                let ahead = |past: &Past| {
                    let rows = past.scout.as_ref().map_or(&[][..], |scout| scout.rows(past.job));
                    rows.iter().copied().filter(|row| *row > here).nth(1)
                };
                if ahead(self).is_none() && !self.explore(&recording.end(), more)? {
                    return Ok(None);
                }
                let Some(after) = ahead(self) else { return Ok(Some(recording.end())) };
                after - 1
            }
        };
        Ok(Some(recording.place(self.job, step)))
    }

    /// Lets the scout run up to a place; true when it has been there.
    fn explore(&mut self, place: &Place, more: &mut dyn FnMut() -> bool) -> Result<bool, ReplayError> {
        let mut scout = match self.scout.take() {
            Some(scout) => scout,
            None => Player::new(self.recording.clone(), &options(0))?,
        };
        let there = !scout.can_reach(place) || scout.advance(place, more)?;
        self.scout = Some(scout);
        Ok(there)
    }

    /// Plays on by itself, until it is now.
    fn play(&mut self, speed: f64, clock: f64) -> Result<Turn, ReplayError> {
        self.due = (self.due + (clock - self.looked).clamp(0.0, 250.0) * speed / 1000.0).min(1e9);
        self.looked = clock;
        if self.due < 1.0 {
            return Ok(Turn::Nothing);
        }
        let step = self.step() + self.due as u64;
        self.due = 0.0;
        self.way_to(To::Step(step), None);
        Ok(Turn::Again)
    }

    /// While nothing else is to be done: an image a little before what is shown.
    fn take_images(&mut self, more: &mut dyn FnMut() -> bool) -> Result<Turn, ReplayError> {
        let here = self.step();
        if self.shown.is_none() || here < SHORT {
            return Ok(Turn::Nothing);
        }
        let (mut player, place) = match self.coming.take() {
            Some(coming) => coming,
            None => {
                let near = |image: &Player| {
                    let step = self.recording.steps_at(&image.place(), self.job);
                    step < here && here - step <= 4 * BEFORE
                };
                if self.images.iter().any(near) {
                    return Ok(Turn::Nothing);
                }
                let player = Player::new(self.recording.clone(), &options(0))?;
                (player, self.recording.place(self.job, here - BEFORE))
            }
        };
        if player.advance(&place, more)? {
            self.keep_image(player);
            return Ok(Turn::Nothing);
        }
        self.coming = Some((player, place));
        Ok(Turn::Again)
    }
}

impl Scene {
    fn new(mut player: Player) -> Scene {
        let (seed, pace) = (player.recording().seed, pace_of(&player.recording().sql));
        let mut inputs: Vec<Input> =
            player.session().feeds().into_iter().map(|feed| Input::new(feed, seed, pace)).collect();
        let zone = player.session().zone();
        for input in &mut inputs {
            // All are counted, the newest are shown.
            let fed = player.fed().iter().filter(|(table, _, _)| *table == input.feed.table);
            let rows = fed.flat_map(|(_, split, items)| items.iter().map(move |item| (*split, item)));
            let rows: Vec<_> = rows.filter(|(_, item)| matches!(item, FeedItem::Row(..))).collect();
            let shown = rows.len().saturating_sub(SHOWN);
            let mut left = vec![0; input.feed.splits as usize];
            rows.iter()
                .for_each(|(split, _)| left.iter_mut().skip(*split as usize).take(1).for_each(|left| *left += 1));
            for (number, (split, item)) in rows.into_iter().enumerate() {
                let behind = left.get_mut(split as usize).map_or(0, |left| {
                    *left -= 1;
                    *left
                });
                match item {
                    FeedItem::Row(kind, values) if number >= shown || behind < RECENT => {
                        let texts = tidegate::row_texts(&input.feed.physical, values, zone);
                        input.sent(split, None, *kind, texts);
                    }
                    _ => input.rows.iter_mut().skip(split as usize).take(1).for_each(|rows| *rows += 1),
                }
            }
        }
        let mut outside = Outside::default();
        let kinds: Vec<_> = player
            .session()
            .jobs()
            .iter()
            .map(|job| job.results.iter().map(|one| one.kind.clone()).collect::<Vec<_>>())
            .collect();
        for (job, kinds) in kinds.into_iter().enumerate() {
            for (result, kind) in kinds.into_iter().enumerate() {
                let read = Queries::of(&kind).and_then(|queries| {
                    let answers = queries
                        .requests()
                        .map(|requests| requests.into_iter().map(|request| player.ask(request)).collect::<Vec<_>>());
                    queries.decode(answers)
                });
                outside.seen.extend(read.map(|readers| (job, result, readers)));
            }
        }
        for input in &mut inputs {
            if let Some(topic) = input.topic() {
                let query = Queries::whole_log(&topic);
                let answers = query.requests().into_iter().map(|request| player.ask(request)).collect();
                if let Ok(page) = query.decode(answers) {
                    input.show_log(&page);
                }
            }
        }
        Scene { player, inputs, outside }
    }

    /// Puts the scene in the place of what the run holds now; and back, called again.
    fn swap(&mut self, run: &mut Run) {
        std::mem::swap(self.player.session_mut(), &mut run.session);
        std::mem::swap(&mut self.inputs, &mut run.inputs);
        std::mem::swap(&mut self.outside, &mut run.outside);
    }
}

impl Run {
    /// Does something with what is shown: the past, or what runs.
    pub fn with_shown<T>(&mut self, act: impl FnOnce(&mut Run) -> T) -> T {
        let scene = self.past.as_mut().and_then(|past| past.shown.take());
        let Some(mut scene) = scene else { return act(self) };
        let now = self.drive.now;
        self.drive.now = time_of(scene.player.session());
        scene.swap(self);
        let given = act(self);
        scene.swap(self);
        self.drive.now = now;
        if let Some(past) = &mut self.past {
            past.shown = Some(scene);
        }
        given
    }

    /// The run up to the moment of the past that is shown.
    pub fn shown_recording(&self) -> Option<Recording> {
        let past = self.past.as_ref()?;
        let scene = past.shown.as_ref()?;
        Some(past.recording.cut(&scene.player.place()))
    }

    /// Whether the past is shown, or somebody is on the way there.
    pub fn is_past(&self) -> bool {
        self.past.is_some()
    }
}

impl Desk {
    /// Goes somewhere in the run.
    pub fn travel(self: &Rc<Self>, id: u32, job: u32, to: Travel) {
        let mut guard = self.run.borrow_mut();
        let Some(run) = &mut *guard else { return answer(id, failed("TG9100", "Nothing runs.")) };
        run.drive.pause();
        if matches!(to, Travel::Now) {
            run.past = None;
            drop(guard);
            self.turns.wake();
            return answer(id, Answer::Done);
        }
        if run.past.as_ref().is_none_or(|past| past.job != job as usize) {
            let Some(recording) = run.recording() else {
                return answer(
                    id,
                    failed("TG9110", "This run is not recorded, or has become too long: there is no way back in it."),
                );
            };
            if recording.steps.get(job as usize).is_none() {
                return answer(id, failed("TG9107", format!("There is no job {job}.")));
            }
            run.past = Some(Past::new(recording, job as usize));
        }
        if let Some(past) = &mut run.past {
            past.playing = None;
            let here = past.heading();
            let to = match to {
                Travel::BackElement => To::Step(here.saturating_sub(1)),
                Travel::BackRow => To::RowBack,
                Travel::OnElement => To::Step(here + 1),
                Travel::OnRow => To::RowOn,
                Travel::To(step) => To::Step(step),
                Travel::Now => return,
            };
            past.way_to(to, Some(id));
        }
        drop(guard);
        self.turns.wake();
    }

    /// Goes through a recording to its end, and on from there as what runs.
    pub fn open(
        self: &Rc<Self>,
        id: u32,
        script: SavedScript,
        recording: Recording,
        speed: f64,
        rates: Vec<(String, f64)>,
        scenarios: Vec<Scenario>,
    ) {
        let mut run = Run::new(Session::new(options(script.seed)), script, Drive::default());
        run.drive.set_speed(speed);
        let mut past = Past::new(recording, 0);
        past.way_to(To::End, Some(id));
        past.rates = rates;
        run.past = Some(past);
        run.faults.scenarios = scenarios;
        self.generation.set(self.generation.get() + 1);
        *self.run.borrow_mut() = Some(run);
        self.turns.wake();
    }

    /// A turn of the past. Gives whether there is more to do at once, and whether there is a past at all.
    pub fn past_turn(self: &Rc<Self>, clock: f64) -> Option<bool> {
        let turned = {
            let mut guard = self.run.borrow_mut();
            let run = guard.as_mut()?;
            run.past.as_mut()?.turn(clock)
        };
        match turned {
            Turn::Nothing => {
                let playing = self.run.borrow().as_ref()?.past.as_ref()?.playing.is_some();
                if playing {
                    self.turns.rest(16);
                }
                Some(false)
            }
            Turn::Again => Some(true),
            Turn::Now => {
                if let Some(run) = &mut *self.run.borrow_mut()
                    && let Some(past) = run.past.take()
                    && let Some(speed) = past.playing
                {
                    // It has caught up with what runs, and goes on.
                    run.drive.set_speed(speed);
                    run.drive.play();
                }
                None
            }
            Turn::Opened(id) => {
                let script = self.run.borrow().as_ref()?.script.clone();
                self.adopt(script, Some(id));
                None
            }
            Turn::Failed(why) => {
                let opening = self.run.borrow_mut().as_mut().and_then(|run| run.past.as_mut()?.opening());
                if let Some((id, recording)) = &opening
                    && recording.begun().is_some()
                {
                    // Without the state that it has begun with, the rows alone would come to something else.
                    let message = format!("The run cannot be opened: it has begun from a savepoint, and {why}.");
                    *self.run.borrow_mut() = None;
                    answer(*id, failed("TG9112", message));
                    return None;
                }
                if let Some((id, recording)) = opening {
                    // Another version of the engine cuts the work into other steps; the rows are still the same.
                    let (sql, name) = (recording.sql.clone(), self.run.borrow().as_ref()?.script.name.clone());
                    self.clone().begin(id, sql, name, Some(recording.fed()));
                    return None;
                }
                if let Some(run) = &mut *self.run.borrow_mut()
                    && let Some(past) = run.past.take()
                    && let Some(Way { waiting: Some(id), .. }) = past.way
                {
                    answer(id, failed("TG9111", format!("This moment cannot be shown again: {why}.")));
                }
                None
            }
        }
    }

    /// Plays on from the past, or stands still there.
    pub fn past_plays(&self, play: bool) {
        if let Some(run) = &mut *self.run.borrow_mut()
            && let Some(past) = &mut run.past
        {
            past.playing = play.then_some(past_speed(run.drive.speed));
            (past.due, past.looked) = (0.0, host::clock());
        }
        self.turns.wake();
    }

    /// The past plays on at another speed from now on, if it plays.
    pub fn past_speed(&self, speed: f64) {
        if let Some(run) = &mut *self.run.borrow_mut()
            && let Some(past) = &mut run.past
            && let Some(playing) = &mut past.playing
        {
            *playing = past_speed(speed);
            (past.due, past.looked) = (0.0, host::clock());
        }
    }

    /// Something else is to enter here than entered then: what came after is cut off, and the run goes on from what is shown.
    pub fn leave_past(self: &Rc<Self>) {
        let script = {
            let mut run = self.run.borrow_mut();
            let Some(run) = &mut *run else { return };
            if !run.past.as_ref().is_some_and(Past::is_shown) {
                run.past = None;
                return;
            }
            run.script.clone()
        };
        self.adopt(script, None);
    }

    /// What is shown becomes what runs, with its store.
    fn adopt(self: &Rc<Self>, script: SavedScript, waiting: Option<u32>) {
        let mut guard = self.run.borrow_mut();
        let Some(run) = &mut *guard else { return };
        let Some(Past { shown: Some(Scene { player, inputs, .. }), rates, .. }) = run.past.take() else { return };
        let fed = player.fed().to_vec();
        let recording = player.recording().cut(&player.place());
        let (mut kept, journal) = journal::whole(&recording);
        let (session, store, pending) = player.go_on();
        kept.extend(workspace::scenario_entry(&run.faults.scenarios));
        kept.extend(store.entries().iter().map(|(key, value)| (key.clone(), value.clone())));
        let feeds = fed.len() as u64;
        let generation = self.generation.get() + 1;
        self.generation.set(generation);
        let desk = self.clone();
        self.port.send(begin_with(&script, &fed, kept), move |response| {
            if response != StoreResponse::Done {
                desk.trouble(generation, "TG9103", format!("The workspace cannot be written: {}.", refused(response)));
            }
        });
        let mut next = Run::new(session, script.clone(), run.drive.clone());
        next.drive.pause();
        next.drive.now = time_of(&next.session);
        next.inputs = inputs;
        for (input, old) in next.inputs.iter_mut().zip(&run.inputs) {
            input.rate = old.rate;
        }
        for (table, rate) in rates {
            if let Some(input) = next.inputs.iter_mut().find(|input| input.feed.table == table) {
                input.rate = rate;
            }
        }
        next.inputs.iter_mut().for_each(Input::go_on);
        next.held = waiting.is_some().then(Vec::new);
        (next.feeds, next.journal) = (feeds, journal);
        next.faults.scenarios = std::mem::take(&mut run.faults.scenarios);
        *run = next;
        drop(guard);
        for (job, request, body) in pending {
            self.send_effect(job, request, body);
        }
        if let Some(id) = waiting {
            answer(
                id,
                Answer::Running {
                    sql: script.sql,
                    name: script.name,
                    problems: Vec::new(),
                    notes: Vec::new(),
                    resumed: Some("Opened from a link: the run is as it was then.".to_owned()),
                },
            );
        }
        self.keep_drive();
        self.pump();
        self.turns.wake();
    }

    /// Hands a job's request to the store.
    pub fn send_effect(self: &Rc<Self>, job: usize, request: u64, body: StoreRequest) {
        let asked = self.run.borrow().as_ref().map(|run| run.faults.asked(job, request));
        if let Some(asked) = asked {
            self.port.send(body, self.answering(asked));
        }
    }

    /// What is done with the answer to a job's request.
    pub fn answering(self: &Rc<Self>, asked: Asked) -> impl FnOnce(StoreResponse) + use<> {
        let (desk, generation) = (self.clone(), self.generation.get());
        move |response| {
            if desk.generation.get() != generation {
                return;
            }
            if let Some(run) = &mut *desk.run.borrow_mut() {
                run.hear_of(asked, response);
            }
            desk.pump();
            desk.turns.wake();
        }
    }
}

/// Elements per second of the past that is played; it is gone through again, so that "full" is a number.
fn past_speed(speed: f64) -> f64 {
    if speed.is_finite() { speed } else { 1e6 }
}

/// Processing time of a session's jobs, ms.
fn time_of(session: &Session) -> f64 {
    let times = session.jobs().iter().filter(|job| !matches!(job.runtime.state(), JobState::Created));
    times.map(|job| job.runtime.now()).max().unwrap_or_default() as f64
}
