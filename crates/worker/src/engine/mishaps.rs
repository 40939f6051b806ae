//! Faults as the page names them, and as the engine does; and what has come of them, in words.

use tidegate::runtime::outage::{Outage, Place, Slow};
use tidegate::runtime::spoil::Harm;
use tidegate::runtime::{Disturbance, JobView, Mishap, Moment, Planned, Scenario};
use tidegate_protocol::{CommitMoment, Fault, PlannedFault, Scenario as Listed, StoragePlace};

/// The engine's name of a moment, and the page's.
const MOMENTS: [(Moment, CommitMoment, &str); 13] = [
    (Moment::Requested, CommitMoment::Requested, "before the barriers set out"),
    (Moment::Triggered, CommitMoment::Triggered, "when the barriers had set out"),
    (Moment::Aligning, CommitMoment::Aligning, "when a first subtask was aligning"),
    (Moment::Acknowledged, CommitMoment::Acknowledged, "when a first subtask had acknowledged"),
    (Moment::Begun, CommitMoment::Begun, "when a transaction had begun"),
    (Moment::PreCommitting, CommitMoment::PreCommitting, "when a participant was writing before its barrier"),
    (Moment::PreCommitted, CommitMoment::PreCommitted, "when a participant had pre-committed"),
    (Moment::Voted, CommitMoment::Voted, "when all had voted"),
    (Moment::Deciding, CommitMoment::Deciding, "when the decision was being written down"),
    (Moment::Completed, CommitMoment::Completed, "when the checkpoint was complete"),
    (Moment::Committing, CommitMoment::Committing, "when a commit was about to be sent"),
    (Moment::CommitSent, CommitMoment::CommitSent, "when a commit was on its way"),
    (Moment::Committed, CommitMoment::Committed, "when a commit was through"),
];

fn moment_of(moment: CommitMoment) -> Moment {
    MOMENTS.iter().find(|(_, of, _)| *of == moment).map_or(Moment::Triggered, |(moment, ..)| *moment)
}

fn told_moment(moment: Moment) -> CommitMoment {
    MOMENTS.iter().find(|(of, ..)| *of == moment).map_or(CommitMoment::Triggered, |(_, moment, _)| *moment)
}

fn place_of(place: StoragePlace) -> Place {
    match place {
        StoragePlace::Checkpoints => Place::Checkpoints,
        StoragePlace::Sinks => Place::Sinks,
    }
}

/// Whose storage, as the page names it.
pub fn told_place(place: Place) -> StoragePlace {
    match place {
        Place::Checkpoints => StoragePlace::Checkpoints,
        Place::Sinks => StoragePlace::Sinks,
    }
}

/// What the engine and its host make of a fault.
pub fn mishap_of(fault: Fault) -> Mishap {
    Mishap::Engine(match fault {
        Fault::Coordinator => Disturbance::FailOnCompletion,
        Fault::At(moment) => Disturbance::FailAt(moment_of(moment)),
        Fault::LoseAcknowledgement { vertex, subtask } => {
            Disturbance::LoseAcknowledgement { vertex: vertex as usize, index: subtask }
        }
        Fault::DelayAcknowledgement { vertex, subtask, ms } => {
            Disturbance::DelayAcknowledgement { vertex: vertex as usize, index: subtask, by: ms.into() }
        }
        Fault::SlowChannel { from, to, ms } => {
            Disturbance::SlowChannel { from: (from.0 as usize, from.1), to: (to.0 as usize, to.1), pace: ms.into() }
        }
        Fault::Transactions { ms } => Disturbance::ShortenTransactions { left: ms.into() },
        Fault::Job => Disturbance::Fail,
        Fault::Subtask { vertex, subtask } => Disturbance::Kill { vertex: vertex as usize, index: subtask },
        Fault::Storage { place, full, ms } => {
            let outage = if full { Outage::Full } else { Outage::Away };
            return Mishap::Outage { place: place_of(place), outage, ms: ms.into() };
        }
        Fault::SlowStorage { place, ms, rate } => {
            return Mishap::Slow { place: place_of(place), slow: Slow { ms: ms.into(), rate: rate.into() } };
        }
        Fault::Part { lost } => return Mishap::Spoil(if lost { Harm::Lost } else { Harm::Damaged }),
        Fault::Worker => return Mishap::EngineLost,
        Fault::Zombie => return Mishap::Zombie,
    })
}

fn fault_of(mishap: Mishap) -> Fault {
    let small = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
    match mishap {
        Mishap::Engine(disturbance) => match disturbance {
            Disturbance::FailOnCompletion => Fault::Coordinator,
            Disturbance::FailAt(moment) => Fault::At(told_moment(moment)),
            Disturbance::LoseAcknowledgement { vertex, index } => {
                Fault::LoseAcknowledgement { vertex: vertex as u32, subtask: index }
            }
            Disturbance::DelayAcknowledgement { vertex, index, by } => {
                Fault::DelayAcknowledgement { vertex: vertex as u32, subtask: index, ms: small(by) }
            }
            Disturbance::SlowChannel { from, to, pace } => {
                Fault::SlowChannel { from: (from.0 as u32, from.1), to: (to.0 as u32, to.1), ms: small(pace) }
            }
            Disturbance::ExpireTransactions => Fault::Transactions { ms: 0 },
            Disturbance::ShortenTransactions { left } => Fault::Transactions { ms: small(left) },
            Disturbance::Fail => Fault::Job,
            Disturbance::Kill { vertex, index } => Fault::Subtask { vertex: vertex as u32, subtask: index },
        },
        Mishap::Outage { place, outage, ms } => {
            Fault::Storage { place: told_place(place), full: outage == Outage::Full, ms: small(ms) }
        }
        Mishap::Slow { place, slow } => {
            let rate = u32::try_from(slow.rate).unwrap_or(u32::MAX);
            Fault::SlowStorage { place: told_place(place), ms: small(slow.ms), rate }
        }
        Mishap::Spoil(harm) => Fault::Part { lost: harm == Harm::Lost },
        Mishap::EngineLost => Fault::Worker,
        Mishap::Zombie => Fault::Zombie,
    }
}

/// A fault and its moment, for the engine.
pub fn planned_of(planned: PlannedFault) -> Planned {
    Planned { moment: planned.moment.map(moment_of), mishap: mishap_of(planned.fault) }
}

/// The same for the page.
pub fn told_planned(planned: &Planned) -> PlannedFault {
    PlannedFault { moment: planned.moment.map(told_moment), fault: fault_of(planned.mishap) }
}

/// A scenario as it is kept.
pub fn scenario_of(listed: Listed) -> Scenario {
    Scenario { name: listed.name, steps: listed.steps.into_iter().map(planned_of).collect() }
}

/// A scenario as the page has it.
pub fn told_scenario(scenario: &Scenario) -> Listed {
    Listed { name: scenario.name.clone(), steps: scenario.steps.iter().map(told_planned).collect() }
}

/// What has gone wrong within the job, in a sentence.
pub fn disturbed(view: &JobView, disturbance: Disturbance) -> String {
    let name = |(vertex, index): (usize, u32)| {
        let name = view.vertices.get(vertex).map_or("", |vertex| vertex.name.as_str());
        format!("{name}[{index}]")
    };
    match disturbance {
        Disturbance::LoseAcknowledgement { vertex, index } => {
            format!("an acknowledgement of {} is lost", name((vertex, index)))
        }
        Disturbance::DelayAcknowledgement { vertex, index, by } => {
            format!("an acknowledgement of {} comes {by} ms late", name((vertex, index)))
        }
        Disturbance::SlowChannel { from, to, pace: 0 } => {
            format!("the channel {} → {} is as fast as before", name(from), name(to))
        }
        Disturbance::SlowChannel { from, to, pace } => {
            format!("the channel {} → {} gives up an element in {pace} ms", name(from), name(to))
        }
        Disturbance::ExpireTransactions | Disturbance::ShortenTransactions { left: 0 } => {
            "the time of all open transactions is over".to_owned()
        }
        Disturbance::ShortenTransactions { left } => {
            format!("open transactions have {left} ms left at the most")
        }
        Disturbance::FailOnCompletion | Disturbance::FailAt(_) | Disturbance::Fail | Disturbance::Kill { .. } => {
            "the job is made to fail".to_owned()
        }
    }
}

/// What is to go wrong within the job from now on, in a sentence.
fn next(view: &JobView, disturbance: Disturbance) -> String {
    let name = |vertex: usize, index: u32| {
        let name = view.vertices.get(vertex).map_or("", |vertex| vertex.name.as_str());
        format!("{name}[{index}]")
    };
    match disturbance {
        Disturbance::LoseAcknowledgement { vertex, index } => {
            format!("the next acknowledgement of {} will be lost", name(vertex, index))
        }
        Disturbance::DelayAcknowledgement { vertex, index, by } => {
            format!("the next acknowledgement of {} will come {by} ms late", name(vertex, index))
        }
        Disturbance::Kill { vertex, index } => format!("{} crashes", name(vertex, index)),
        Disturbance::FailOnCompletion => "the coordinator will fail when a checkpoint is complete".to_owned(),
        Disturbance::FailAt(moment) => {
            let when = MOMENTS.iter().find(|(of, ..)| *of == moment).map_or("", |(.., when)| when);
            format!("the job will crash {when}")
        }
        Disturbance::Fail => "the job crashes".to_owned(),
        at_once => disturbed(view, at_once),
    }
}

/// What a moment has brought, in a sentence.
pub fn moment_came(view: &JobView, moment: Option<Moment>, mishap: Mishap) -> String {
    let place = |place| match place {
        Place::Checkpoints => "checkpoint storage",
        Place::Sinks => "the sink’s store",
    };
    let what = match mishap {
        Mishap::Engine(of_the_job) => next(view, of_the_job),
        Mishap::Outage { place: of, ms: 0, .. } => format!("{} is there again", place(of)),
        Mishap::Outage { place: of, outage: Outage::Away, ms } => format!("{} is away for {ms} ms", place(of)),
        Mishap::Outage { place: of, outage: Outage::Full, ms } => format!("{} is full for {ms} ms", place(of)),
        Mishap::Slow { place: of, slow } if slow == Slow::default() => {
            format!("{} is as fast as before", place(of))
        }
        Mishap::Slow { place: of, slow } => match slow.rate {
            0 => format!("{} takes {} ms more for each request", place(of), slow.ms),
            rate => format!("{} takes {} ms more for each request, and {rate} bytes a second", place(of), slow.ms),
        },
        Mishap::Spoil(_) => "a part of the newest checkpoint is spoilt".to_owned(),
        Mishap::EngineLost => "the engine is lost".to_owned(),
        Mishap::Zombie => "the engine is taken for dead, and another one takes over".to_owned(),
    };
    match moment.and_then(|moment| MOMENTS.iter().find(|(of, ..)| *of == moment)) {
        Some((.., when)) => format!("on purpose, {when}: {what}"),
        None => format!("on purpose: {what}"),
    }
}
