//! What goes wrong by hand: in the engine, on the way to the store, and in what the store keeps.
//!
//! Every fault goes to the job with its moment, and comes back as an effect when that is there, if it is the host's. So it is part of
//! the recording, and happens to the step.

use std::rc::Rc;

use tidegate::runtime::outage::{KeptOutages, Outage, Outages};
use tidegate::runtime::spoil::{Harm, Spoiled, Spoiling};
use tidegate::runtime::{Command as JobCommand, FeedItem, Mishap, Planned, Scenario, Scene};
use tidegate::store::{StoreRequest, StoreResponse};
use tidegate::{ResultKind, Withheld, Zombie};
use tidegate_protocol::{Answer, CommitMoment, Fault, OutageFrame, PlannedFault, ScenarioWish, SlowFrame, ZombieFrame};

use crate::answer;
use crate::desk::{Desk, Run, failed};
use crate::mishaps::{planned_of, scenario_of, told_place, told_planned, told_scenario};
use crate::workspace;

/// The most scenarios kept, and the most steps of one.
const SCENARIOS: usize = 50;
/// The longest name of one, letters.
const NAME: usize = 60;
/// Steps that a zombie takes in a turn.
const ZOMBIE_STEPS: u64 = 20;

/// What lies between the jobs and the store, and what is planned for both.
#[derive(Default)]
pub struct Faults {
    outages: Outages,
    /// Answers to requests that were not carried out: job, request, answer.
    refused: Vec<(usize, u64, StoreResponse)>,
    /// Answers of slow storage, and when they may arrive.
    slow: Vec<(i64, usize, u64, StoreResponse)>,
    /// Scenarios that were made.
    pub scenarios: Vec<Scenario>,
    /// What was set off and has not happened, as the workspace has it.
    planned: Vec<Vec<Vec<Planned>>>,
    /// What is wrong with storage, as the workspace has it.
    kept: KeptOutages,
    /// Counts the engines within this worker: one that is taken for dead is followed by the next.
    engine: u32,
    zombie: Option<Zombie>,
    /// The worker is to be lost: it has stopped.
    lost: bool,
}

/// A request of a job on its way.
#[derive(Clone, Copy)]
pub struct Asked {
    engine: u32,
    job: usize,
    request: u64,
    /// Its answer does not arrive before.
    due: Option<i64>,
}

/// What has to be done once the run is free.
pub enum Later {
    /// A part of a job's newest checkpoint is spoilt.
    Spoil(u32, Harm),
    /// The engine is taken for dead; with what it was about to ask.
    Zombie(usize, Withheld),
}

impl Faults {
    /// Storage is what it was before this engine.
    pub fn go_on(&mut self, kept: KeptOutages, now: i64) {
        self.outages = Outages::go_on(&kept, now);
        self.kept = kept;
    }

    /// Storage that is away or full, as the page shows it.
    pub fn frames(&self, now: i64) -> Vec<OutageFrame> {
        let frame = |(place, outage, until): (_, Outage, i64)| OutageFrame {
            place: told_place(place),
            full: outage == Outage::Full,
            left: (until - now).max(0) as u64 / 100 * 100,
        };
        self.outages.in_force(now).map(frame).collect()
    }

    /// Storage that is slow.
    pub fn slow_frames(&self) -> Vec<SlowFrame> {
        let slow = self.outages.slow();
        slow.map(|(place, slow)| SlowFrame { place: told_place(place), ms: slow.ms as u64, rate: slow.rate }).collect()
    }

    /// The engine that was taken for dead.
    pub fn zombie_frame(&self) -> Option<ZombieFrame> {
        let zombie = self.zombie.as_ref()?;
        Some(ZombieFrame {
            attempt: zombie.attempt(),
            awake: zombie.is_awake(),
            tried: zombie.tried().to_vec(),
            fenced: zombie.fenced().map(|why| (why.code.to_string(), why.message.clone())),
        })
    }

    /// Rows that come in reach the engine that was taken for dead as well.
    pub fn feed_zombie(&mut self, table: &str, split: u32, items: &[FeedItem]) {
        if let Some(zombie) = &mut self.zombie {
            zombie.feed(table, split, items);
        }
    }

    /// Whether the worker has stopped, to be terminated.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// A job's request on its way, if it goes to the store; if not, its answer waits for the next turn.
    pub fn admit(&mut self, job: usize, request: u64, body: &StoreRequest, now: i64) -> Option<Asked> {
        if let Some(response) = self.outages.refusal(body, now) {
            self.refused.push((job, request, response));
            return None;
        }
        let due = self.outages.answered_at(body, now);
        Some(Asked { engine: self.engine, job, request, due })
    }

    /// A request that no fault touches.
    pub fn asked(&self, job: usize, request: u64) -> Asked {
        Asked { engine: self.engine, job, request, due: None }
    }

    /// Whether answers wait.
    pub fn has_refused(&self) -> bool {
        !self.refused.is_empty()
    }

    /// The moment of something has come that is the host's.
    pub fn act(&mut self, job: usize, mishap: Mishap, withheld: &mut Withheld, now: i64) -> Option<Later> {
        match mishap {
            Mishap::Engine(_) => None,
            Mishap::Outage { place, outage, ms } => {
                self.outages.begin(place, outage, now + ms);
                None
            }
            Mishap::Slow { place, slow } => {
                self.outages.slow_down(place, slow);
                // What was on its way arrives before anything that is asked from now on.
                self.slow.iter_mut().for_each(|(due, ..)| *due = now);
                None
            }
            Mishap::Spoil(harm) => Some(Later::Spoil(job as u32, harm)),
            Mishap::EngineLost => {
                self.lost = true;
                None
            }
            Mishap::Zombie => Some(Later::Zombie(job, std::mem::take(withheld))),
        }
    }
}

impl Run {
    /// Answers what was not carried out, and what slow storage has carried out long ago.
    pub fn answer_refused(&mut self) {
        for (job, request, response) in std::mem::take(&mut self.faults.refused) {
            self.hear(job, request, response);
            self.session.record();
        }
        let now = self.drive.now as i64;
        while let Some(first) = self.faults.slow.iter().map(|(due, ..)| *due).min().filter(|due| *due <= now) {
            let Some(at) = self.faults.slow.iter().position(|(due, ..)| *due == first) else { return };
            let (_, job, request, response) = self.faults.slow.remove(at);
            self.hear(job, request, response);
            self.session.record();
        }
    }

    /// The store answers a request.
    pub fn hear_of(&mut self, asked: Asked, response: StoreResponse) {
        let Asked { engine, job, request, due } = asked;
        if engine != self.faults.engine {
            let last = engine.wrapping_add(1) == self.faults.engine;
            if let Some(zombie) = self.faults.zombie.as_mut().filter(|_| last) {
                zombie.hear(job, request, response);
            }
        } else if let Some(due) = due.filter(|due| *due > self.drive.now as i64) {
            self.faults.slow.push((due, job, request, response));
        } else {
            self.hear(job, request, response);
        }
    }

    /// What was set off and has not happened, if the workspace does not know.
    pub fn keep_planned(&mut self) -> Option<StoreRequest> {
        let planned: Vec<_> = self.session.jobs().iter().map(|job| job.runtime.planned()).collect();
        if planned == self.faults.planned || planned.iter().all(Vec::is_empty) && self.faults.planned.is_empty() {
            return None;
        }
        let request = workspace::keep_planned(&planned);
        self.faults.planned = planned;
        Some(request)
    }

    /// What is wrong with storage, if the workspace does not know.
    pub fn keep_outages(&mut self) -> Option<StoreRequest> {
        let kept = self.faults.outages.kept(self.drive.now as i64);
        if kept == self.faults.kept {
            return None;
        }
        let request = workspace::keep_outages(&kept);
        self.faults.kept = kept;
        Some(request)
    }

    /// Faults of a job that wait for their moments, and those that wait for what they are meant for.
    pub fn planned_frames(&self, job: usize) -> Vec<Vec<PlannedFault>> {
        let Some(job) = self.session.jobs().get(job) else { return Vec::new() };
        let armed = job.runtime.armed().into_iter().map(|disturbance| {
            let mishap = Mishap::Engine(disturbance);
            vec![told_planned(&Planned { moment: None, mishap })]
        });
        let planned = job.runtime.planned();
        planned.iter().map(|steps| steps.iter().map(told_planned).collect()).chain(armed).collect()
    }

    /// Scenarios as the page has them.
    pub fn scenario_frames(&self) -> Vec<tidegate_protocol::Scenario> {
        self.faults.scenarios.iter().map(told_scenario).collect()
    }

    fn scene(&mut self, job: u32) -> Result<Scene, Answer> {
        let job = self.job(job)?;
        let view = job.runtime.view();
        let sinks = job.results.iter().any(|result| matches!(result.kind, ResultKind::Log(_) | ResultKind::Table(_)));
        let (transactional, aligned) = (job.results.iter().any(|result| result.transactional), job.aligns());
        Ok(Scene {
            subtasks: view.subtasks.iter().map(|subtask| (subtask.vertex, subtask.index)).collect(),
            channels: view.channels.iter().map(|channel| (channel.from, channel.to)).collect(),
            sinks,
            transactional,
            aligned,
        })
    }

    fn wish(&mut self, job: u32, wish: ScenarioWish) -> Result<Answer, Answer> {
        let scenarios = &mut self.faults.scenarios;
        match wish {
            ScenarioWish::Keep(listed) => {
                let scenario = scenario_of(listed);
                let fits = !scenario.name.is_empty() && scenario.name.chars().count() <= NAME;
                if !fits || scenario.steps.is_empty() || scenario.steps.len() > SCENARIOS {
                    let message = format!("A scenario has a name of up to {NAME} letters and 1 to {SCENARIOS} faults.");
                    return Err(failed("TG9116", message));
                }
                self.keep(scenario)
            }
            ScenarioWish::Forget(name) => {
                scenarios.retain(|scenario| scenario.name != name);
                Ok(Answer::Done)
            }
            ScenarioWish::Draw(seed) => {
                let scene = self.scene(job)?;
                self.keep(Scenario::draw(seed.into(), &scene))
            }
            ScenarioWish::Run(name) => {
                let scenario = scenarios.iter().find(|scenario| scenario.name == name);
                let scenario = scenario.ok_or_else(|| failed("TG9116", format!("There is no scenario '{name}'.")))?;
                let steps = scenario.steps.clone();
                self.tell(job, JobCommand::Plan(steps))
            }
            ScenarioWish::Stop => self.tell(job, JobCommand::Unplan),
        }
    }

    fn keep(&mut self, scenario: Scenario) -> Result<Answer, Answer> {
        let scenarios = &mut self.faults.scenarios;
        match scenarios.iter().position(|kept| kept.name == scenario.name) {
            Some(place) => scenarios[place] = scenario,
            None if scenarios.len() == SCENARIOS => {
                return Err(failed("TG9116", format!("{SCENARIOS} scenarios are kept at the most.")));
            }
            None => scenarios.push(scenario),
        }
        Ok(Answer::Done)
    }

    /// Says in a job's history what the host has seen.
    fn note_host(&mut self, job: usize, text: String) {
        let now = self.drive.now as i64;
        if let Some(job) = self.session.jobs_mut().get_mut(job) {
            job.history.note_host(now, text);
        }
    }
}

impl Desk {
    /// Makes something go wrong in a job, or where its bytes lie.
    pub fn fault(self: &Rc<Self>, id: u32, job: u32, fault: Fault, moment: Option<CommitMoment>) {
        if let (Fault::Part { lost }, None) = (fault, moment) {
            return self.spoil(Some(id), job, if lost { Harm::Lost } else { Harm::Damaged });
        }
        let planned = planned_of(PlannedFault { moment, fault });
        self.with_run(id, |run| run.tell(job, JobCommand::Plan(vec![planned])));
        self.pump();
    }

    /// Does what is wanted with scenarios.
    pub fn scenario(self: &Rc<Self>, id: u32, job: u32, wish: ScenarioWish) {
        let kept = matches!(wish, ScenarioWish::Keep(_) | ScenarioWish::Forget(_) | ScenarioWish::Draw(_));
        self.with_run(id, |run| run.wish(job, wish));
        let request = match &*self.run.borrow() {
            Some(run) if kept => Some(workspace::keep_scenarios(&run.faults.scenarios)),
            _ => None,
        };
        if let Some(request) = request {
            // A scenario is no loss if it cannot be kept.
            self.port.send(request, |_| {});
        }
        self.pump();
    }

    /// Does what had to wait until the run was free.
    pub fn do_later(self: &Rc<Self>, later: Vec<Later>) {
        for later in later {
            match later {
                Later::Spoil(job, harm) => self.spoil(None, job, harm),
                Later::Zombie(job, withheld) => self.raise(job, withheld),
            }
        }
    }

    /// The engine is taken for dead: another one takes over.
    fn raise(self: &Rc<Self>, job: usize, withheld: Withheld) {
        if let Some(run) = &mut *self.run.borrow_mut() {
            let (sql, now) = (run.script.sql.clone(), run.drive.now as i64);
            match run.session.take_over(&sql, job, now, withheld) {
                Ok(mut zombie) => {
                    run.faults.engine += 1;
                    // What was said to the old one and not heard waits for it.
                    for (job, request, response) in std::mem::take(&mut run.faults.refused) {
                        zombie.hear(job, request, response);
                    }
                    for (_, job, request, response) in std::mem::take(&mut run.faults.slow) {
                        zombie.hear(job, request, response);
                    }
                    run.faults.zombie = Some(zombie);
                    run.set_chunk_limit();
                }
                Err(why) => run.trouble = Some(("TG9117".to_owned(), format!("No engine can take over: {why}."))),
            }
        }
        self.pump();
        self.turns.wake();
    }

    /// The engine that was taken for dead goes on.
    pub fn haunt(self: &Rc<Self>) {
        let mut wanted = Vec::new();
        if let Some(run) = &mut *self.run.borrow_mut()
            && run.drive.playing
            && !run.is_past()
            && let Some(zombie) = &mut run.faults.zombie
            && !zombie.is_over()
        {
            wanted = zombie.turn(&run.session, run.drive.now as i64, ZOMBIE_STEPS);
            if zombie.is_over() {
                let tried = zombie.tried().last().cloned().unwrap_or_else(|| "nothing".to_owned());
                let why = zombie.fenced().map_or_else(String::new, |why| format!("{}: {}", why.code, why.message));
                let text = format!("the engine that was taken for dead came back and tried: {tried}. {why}");
                let job = zombie.job();
                run.note_host(job, text);
            }
        }
        for (job, request, body) in wanted {
            let mut sent = body.clone();
            let (mut number, mut asked) = (None, None);
            if let Some(run) = &mut *self.run.borrow_mut() {
                // Of an engine before the one that runs.
                asked = Some(Asked { engine: run.faults.engine.wrapping_sub(1), job, request, due: None });
                if matches!(body, StoreRequest::Batch { .. }) {
                    let (counted, recorded) = run.outside(&body);
                    (number, sent) = (Some(counted), recorded);
                }
            }
            let (desk, generation) = (self.clone(), self.generation.get());
            self.port.send(sent, move |response| {
                if desk.generation.get() != generation {
                    return;
                }
                if let (Some(run), Some(asked)) = (&mut *desk.run.borrow_mut(), asked) {
                    if let (Some(number), StoreResponse::Done) = (number, &response) {
                        run.note_outside(number, body);
                    }
                    run.hear_of(asked, response);
                }
                desk.turns.wake();
            });
        }
    }

    /// Spoils a part of a job's newest checkpoint. The engine is not told. `id` is answered, if there is one.
    fn spoil(self: &Rc<Self>, id: Option<u32>, job: u32, harm: Harm) {
        let name = match &mut *self.run.borrow_mut() {
            Some(run) => run.job(job).map(|job| job.runtime.store_name().to_owned()),
            None => Err(failed("TG9100", "Nothing runs.")),
        };
        let say = move |said: Answer| {
            if let Some(id) = id {
                answer(id, said);
            }
        };
        let name = match name {
            Ok(name) => name,
            Err(refusal) => return say(refusal),
        };
        let (desk, generation) = (self.clone(), self.generation.get());
        wasm_bindgen_futures::spawn_local(async move {
            let (mut work, mut request) = Spoiling::new(&name, harm);
            loop {
                let response = desk.port.ask(request.clone()).await;
                if let (StoreRequest::Batch { .. }, StoreResponse::Done) = (&request, &response)
                    && desk.generation.get() == generation
                    && let Some(run) = &mut *desk.run.borrow_mut()
                    && let Some(recorder) = run.session.recorder()
                {
                    recorder.outside(request.clone());
                }
                let (text, said) = match work.next(response) {
                    Spoiled::Ask(next) => {
                        request = next;
                        continue;
                    }
                    Spoiled::Done(checkpoint) => {
                        (format!("a part of checkpoint {checkpoint} is spoilt"), Answer::Spoiled { checkpoint })
                    }
                    Spoiled::Not(why) => (format!("no checkpoint was spoilt: {why}"), failed("TG9115", why)),
                };
                if desk.generation.get() == generation
                    && let Some(run) = &mut *desk.run.borrow_mut()
                {
                    run.note_host(job as usize, text);
                }
                return say(said);
            }
        });
    }
}
