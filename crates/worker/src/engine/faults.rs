//! What goes wrong by hand: in the engine, on the way to the store, and in what the store keeps.

use std::rc::Rc;

use tidegate::runtime::outage::{Outage, Outages, Place};
use tidegate::runtime::spoil::{Harm, Spoiled, Spoiling};
use tidegate::runtime::{Command as JobCommand, Disturbance, Moment};
use tidegate::store::{StoreRequest, StoreResponse};
use tidegate_protocol::{Answer, CommitMoment, Fault, OutageFrame, StoragePlace};

use crate::answer;
use crate::desk::{Desk, Run, failed};

/// What lies between the jobs and the store.
#[derive(Default)]
pub struct Faults {
    outages: Outages,
    /// Answers to requests that were not carried out: job, request, answer.
    refused: Vec<(usize, u64, StoreResponse)>,
}

impl Faults {
    /// Storage that is away or full, as the page shows it.
    pub fn frames(&self, now: i64) -> Vec<OutageFrame> {
        let frame = |(place, outage, until): (Place, Outage, i64)| OutageFrame {
            place: match place {
                Place::Checkpoints => StoragePlace::Checkpoints,
                Place::Sinks => StoragePlace::Sinks,
            },
            full: outage == Outage::Full,
            left: (until - now).max(0) as u64 / 100 * 100,
        };
        self.outages.in_force(now).map(frame).collect()
    }

    /// Whether a job's request goes to the store; if not, its answer waits for the next turn.
    pub fn admit(&mut self, job: usize, request: u64, body: &StoreRequest, now: i64) -> bool {
        let refusal = self.outages.refusal(body, now);
        let admitted = refusal.is_none();
        self.refused.extend(refusal.map(|response| (job, request, response)));
        admitted
    }

    /// Whether answers wait.
    pub fn has_refused(&self) -> bool {
        !self.refused.is_empty()
    }
}

impl Run {
    /// Answers what was not carried out.
    pub fn answer_refused(&mut self) {
        for (job, request, response) in std::mem::take(&mut self.faults.refused) {
            if let Some(job) = self.session.jobs_mut().get_mut(job) {
                // An answer is never refused.
                let _ = job.runtime.handle(tidegate::runtime::Event::Response { request, response });
            }
        }
    }
}

impl Desk {
    /// Carries out a fault and answers.
    pub fn fault(self: &Rc<Self>, id: u32, job: u32, fault: Fault) {
        let disturbance = match fault {
            Fault::Coordinator => Disturbance::FailOnCompletion,
            Fault::At(moment) => Disturbance::FailAt(match moment {
                CommitMoment::Begun => Moment::Begun,
                CommitMoment::Triggered => Moment::Triggered,
                CommitMoment::PreCommitted => Moment::PreCommitted,
                CommitMoment::Voted => Moment::Voted,
                CommitMoment::Committing => Moment::Committing,
                CommitMoment::Committed => Moment::Committed,
            }),
            Fault::LoseAcknowledgement { vertex, subtask } => {
                Disturbance::LoseAcknowledgement { vertex: vertex as usize, index: subtask }
            }
            Fault::DelayAcknowledgement { vertex, subtask, ms } => {
                Disturbance::DelayAcknowledgement { vertex: vertex as usize, index: subtask, by: ms.into() }
            }
            Fault::SlowChannel { from, to, ms } => {
                Disturbance::SlowChannel { from: (from.0 as usize, from.1), to: (to.0 as usize, to.1), pace: ms.into() }
            }
            Fault::Transactions => Disturbance::ExpireTransactions,
            Fault::Storage { place, full, ms } => {
                let place = match place {
                    StoragePlace::Checkpoints => Place::Checkpoints,
                    StoragePlace::Sinks => Place::Sinks,
                };
                let outage = if full { Outage::Full } else { Outage::Away };
                return self.with_run(id, |run| {
                    let until = run.drive.now as i64 + i64::from(ms);
                    run.faults.outages.begin(place, outage, until);
                    Ok(Answer::Done)
                });
            }
            Fault::Part { lost } => return self.spoil(id, job, if lost { Harm::Lost } else { Harm::Damaged }),
        };
        self.with_run(id, |run| run.tell(job, JobCommand::Disturb(disturbance)));
    }

    /// Spoils a part of a job's newest checkpoint. The engine is not told.
    fn spoil(self: &Rc<Self>, id: u32, job: u32, harm: Harm) {
        let name = match &mut *self.run.borrow_mut() {
            Some(run) => run.job(job).map(|job| job.runtime.store_name().to_owned()),
            None => Err(failed("TG9100", "Nothing runs.")),
        };
        let name = match name {
            Ok(name) => name,
            Err(refusal) => return answer(id, refusal),
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
                match work.next(response) {
                    Spoiled::Ask(next) => request = next,
                    Spoiled::Done(checkpoint) => return answer(id, Answer::Spoiled { checkpoint }),
                    Spoiled::Not(why) => return answer(id, failed("TG9115", why)),
                }
            }
        });
    }
}
