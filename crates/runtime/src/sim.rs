//! A host for simulations: a seed decides when the store carries a request out, how it answers, what gets lost, and when time passes.
//!
//! The store itself never lies: a batch is atomic, and what was answered with `Done` stays. Everything else may happen: answers late or in another
//! order, requests that fail, requests that fail though they were carried out, requests of a dead engine that are carried out long after.

use crate::event::{Effect, Event};
use crate::job::Job;
use crate::outage::Outages;
use crate::rng::Rng;
use crate::scenario::Mishap;
use crate::store::{RequestId, Store, StoreRequest, StoreResponse};

/// How hostile the host is. A rate of n means once in n requests, 0 never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faults {
    /// Requests that fail without being carried out.
    pub fail: usize,
    /// Batches of which it stays open whether they were carried out.
    pub uncertain: usize,
    /// The most rounds that pass before a request is carried out, and again before it is answered.
    pub delay: usize,
}

impl Faults {
    /// A store that answers at once and never fails.
    pub const NONE: Faults = Faults { fail: 0, uncertain: 0, delay: 0 };
}

/// A request on its way to the store, or its answer on the way back.
#[derive(Clone, Debug)]
struct InFlight {
    request: RequestId,
    stage: Stage,
    /// The round in which the next stage is reached.
    at: u64,
    /// Slow storage answers at this host time.
    time: i64,
}

#[derive(Clone, Debug)]
enum Stage {
    Asked(StoreRequest),
    Answered(StoreResponse),
}

/// What lies between one engine and the store.
#[derive(Clone, Debug)]
pub struct SimHost {
    rng: Rng,
    /// How hostile it is from now on.
    pub faults: Faults,
    /// Storage that is away or full for a while.
    pub outages: Outages,
    in_flight: Vec<InFlight>,
    round: u64,
    /// The time that the job wants to be woken at.
    pub wake: Option<i64>,
    /// What the job has planned for its host and the host has not done.
    pub mishaps: Vec<Mishap>,
}

impl SimHost {
    /// The host of this seed.
    pub fn new(seed: u64, faults: Faults) -> SimHost {
        SimHost {
            rng: Rng::new(seed),
            faults,
            outages: Outages::default(),
            in_flight: Vec::new(),
            round: 0,
            wake: None,
            mishaps: Vec::new(),
        }
    }

    /// One round: takes the job's effects, carries out and answers what is due.
    pub fn round(&mut self, job: &mut Job, store: &mut dyn Store) {
        self.round += 1;
        for effect in job.take_effects() {
            match effect {
                Effect::Store { request, body } => {
                    let at = self.later();
                    self.in_flight.push(InFlight { request, stage: Stage::Asked(body), at, time: i64::MIN });
                }
                Effect::Wake { at } => self.wake = Some(at),
                Effect::Mishap(mishap) => self.mishaps.push(mishap),
            }
        }
        self.carry_out_due(store, job.now());
        let mut i = 0;
        while i < self.in_flight.len() {
            let due = self.in_flight[i].at <= self.round && self.in_flight[i].time <= job.now();
            if due && matches!(self.in_flight[i].stage, Stage::Answered(_)) {
                let InFlight { request, stage: Stage::Answered(response), .. } = self.in_flight.swap_remove(i) else {
                    unreachable!("it is answered")
                };
                // Answers are never refused.
                let _ = job.handle(Event::Response { request, response });
            } else {
                i += 1;
            }
        }
    }

    /// The engine is gone: answers are lost; what was asked is lost too, or is carried out later by [`SimHost::ghost_round`].
    pub fn crash(&mut self) {
        let rng = &mut self.rng;
        self.in_flight.retain(|flight| matches!(flight.stage, Stage::Asked(_)) && rng.one_in(2));
        let round = self.round;
        for flight in &mut self.in_flight {
            flight.at = round + 1 + rng.below(40) as u64;
        }
    }

    /// One round after the engine is gone: what is still due reaches the store, and nobody hears of it.
    pub fn ghost_round(&mut self, store: &mut dyn Store) {
        self.round += 1;
        self.carry_out_due(store, i64::MAX);
        self.in_flight.retain(|flight| matches!(flight.stage, Stage::Asked(_)));
    }

    /// Whether nothing is on its way.
    pub fn is_quiet(&self) -> bool {
        self.in_flight.is_empty()
    }

    fn carry_out_due(&mut self, store: &mut dyn Store, now: i64) {
        for i in 0..self.in_flight.len() {
            if self.in_flight[i].at > self.round {
                continue;
            }
            let Stage::Asked(body) = &self.in_flight[i].stage else { continue };
            let (body, asked) = (body.clone(), body.clone());
            let is_batch = matches!(body, StoreRequest::Batch { .. });
            let response = if let Some(refusal) = self.outages.refusal(&body, now) {
                refusal
            } else if self.happens(self.faults.fail) {
                StoreResponse::Failed { message: "simulated failure".to_owned(), uncertain: false }
            } else if is_batch && self.happens(self.faults.uncertain) {
                if self.rng.one_in(2) {
                    store.execute(body);
                }
                StoreResponse::Failed { message: "simulated doubt".to_owned(), uncertain: true }
            } else {
                store.execute(body)
            };
            let at = self.later();
            let time = self.outages.answered_at(&asked, now).unwrap_or(i64::MIN);
            let flight = &mut self.in_flight[i];
            flight.time = time;
            flight.stage = Stage::Answered(response);
            flight.at = at;
        }
    }

    fn happens(&mut self, rate: usize) -> bool {
        rate > 0 && self.rng.one_in(rate)
    }

    fn later(&mut self) -> u64 {
        self.round + if self.faults.delay == 0 { 0 } else { self.rng.below(self.faults.delay + 1) as u64 }
    }
}
