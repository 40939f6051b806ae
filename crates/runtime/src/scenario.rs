//! Scenarios: what goes wrong, one thing after the other, each at its moment; made by hand or drawn by a seed.
//!
//! The engine waits for the moments. What is its own to spoil it spoils; what is its host's (storage, the engine itself) it asks for
//! when the moment has come ([`crate::Effect::Mishap`]).

use serde::{Deserialize, Serialize};

use crate::event::{Disturbance, Moment};
use crate::outage::{Outage, Place, Slow};
use crate::rng::Rng;
use crate::spoil::Harm;

/// Something that goes wrong. Variants are only added at the end: links hold them by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mishap {
    /// Within the job.
    Engine(Disturbance),
    /// Storage is away or full.
    Outage {
        /// Whose.
        place: Place,
        /// What is wrong with it.
        outage: Outage,
        /// For how long, ms; 0 ends what is in force.
        ms: i64,
    },
    /// Storage is slow from now on.
    Slow {
        /// Whose.
        place: Place,
        /// How slow; nothing at all ends it.
        slow: Slow,
    },
    /// A part of the newest checkpoint is spoilt.
    Spoil(Harm),
    /// The engine is lost, and another one takes over.
    EngineLost,
    /// The engine is taken for dead, and another one takes over; then it comes back and goes on.
    Zombie,
}

/// Something that is to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// When; `None`: as soon as what stands before it has happened.
    pub moment: Option<Moment>,
    /// What.
    pub mishap: Mishap,
}

/// A list of them under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What happens, in order.
    pub steps: Vec<Planned>,
}

/// Where something can go wrong in a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// Its subtasks: vertex, number.
    pub subtasks: Vec<(usize, u32)>,
    /// Its channels: from subtask to subtask.
    pub channels: Vec<((usize, u32), (usize, u32))>,
    /// Whether it writes into the store.
    pub sinks: bool,
    /// Whether it does so in transactions.
    pub transactional: bool,
    /// Whether barriers wait for each other.
    pub aligned: bool,
}

impl Scene {
    /// Whether a subtask has several channels, so that one waits for another.
    fn aligns(&self) -> bool {
        self.aligned && self.subtasks.iter().any(|id| self.channels.iter().filter(|(_, to)| to == id).count() > 1)
    }
}

/// Moments that every checkpoint has, the last where there is something to align; and moments that only a transaction has.
const COMMON: [Moment; 7] = [
    Moment::Requested,
    Moment::Triggered,
    Moment::Acknowledged,
    Moment::Voted,
    Moment::Deciding,
    Moment::Completed,
    Moment::Aligning,
];
const COMMIT: [Moment; 6] = [
    Moment::Begun,
    Moment::PreCommitting,
    Moment::PreCommitted,
    Moment::Committing,
    Moment::CommitSent,
    Moment::Committed,
];

impl Scenario {
    /// The scenario of a seed: two to five things, each at a moment that comes with the next checkpoint.
    pub fn draw(seed: u64, scene: &Scene) -> Scenario {
        let rng = &mut Rng::new(seed ^ 0x5ce_0a21);
        let count = 2 + rng.below(4);
        let common = if scene.aligns() { COMMON.len() } else { COMMON.len() - 1 };
        let steps = (0..count).map(|_| {
            let mishap = draw_mishap(rng, scene);
            // What happens to the sinks happens around their commits.
            let moment = match scene.transactional && rng.one_in(2) {
                true => COMMIT[rng.below(COMMIT.len())],
                false => COMMON[rng.below(common)],
            };
            Planned { moment: Some(moment), mishap }
        });
        Scenario { name: format!("Seed {seed}"), steps: steps.collect() }
    }
}

fn draw_mishap(rng: &mut Rng, scene: &Scene) -> Mishap {
    let pick = |rng: &mut Rng| scene.subtasks.get(rng.below(scene.subtasks.len().max(1))).copied().unwrap_or((0, 0));
    let place = |rng: &mut Rng| if scene.sinks && rng.one_in(2) { Place::Sinks } else { Place::Checkpoints };
    match rng.below(9) {
        0 => Mishap::Engine(Disturbance::Fail),
        1 => {
            let (vertex, index) = pick(rng);
            Mishap::Engine(Disturbance::Kill { vertex, index })
        }
        2 => {
            let (vertex, index) = pick(rng);
            Mishap::Engine(Disturbance::DelayAcknowledgement { vertex, index, by: 1_000 + rng.below(4_000) as i64 })
        }
        3 if !scene.channels.is_empty() => {
            let (from, to) = scene.channels[rng.below(scene.channels.len())];
            Mishap::Engine(Disturbance::SlowChannel { from, to, pace: 200 + rng.below(800) as i64 })
        }
        4 => {
            let outage = if rng.one_in(2) { Outage::Away } else { Outage::Full };
            Mishap::Outage { place: place(rng), outage, ms: 1_000 + rng.below(5_000) as i64 }
        }
        5 => Mishap::Slow { place: place(rng), slow: Slow { ms: 100 + rng.below(900) as i64, rate: 0 } },
        6 => Mishap::Spoil(if rng.one_in(2) { Harm::Lost } else { Harm::Damaged }),
        7 => Mishap::EngineLost,
        8 if scene.sinks => Mishap::Zombie,
        _ => Mishap::Engine(Disturbance::Fail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_one_scenario_and_all_seeds_together_everything() {
        let channels = vec![((0, 0), (1, 1)), ((0, 1), (1, 1))];
        let scene =
            Scene { subtasks: vec![(0, 0), (0, 1), (1, 1)], channels, sinks: true, transactional: true, aligned: true };
        let all: Vec<Scenario> = (0..200).map(|seed| Scenario::draw(seed, &scene)).collect();
        assert_eq!(all[7], Scenario::draw(7, &scene));
        assert!(all.iter().all(|scenario| (2..=5).contains(&scenario.steps.len())));
        let steps: Vec<&Planned> = all.iter().flat_map(|scenario| &scenario.steps).collect();
        for moment in COMMON.into_iter().chain(COMMIT) {
            assert!(steps.iter().any(|step| step.moment == Some(moment)), "{moment:?}");
        }
        let any = |is: fn(&Mishap) -> bool| steps.iter().any(|step| is(&step.mishap));
        assert!(any(|mishap| matches!(mishap, Mishap::Zombie)) && any(|mishap| matches!(mishap, Mishap::Spoil(_))));
        // A job without channels and sinks has nothing there that could break.
        let bare = Scene { subtasks: vec![(0, 0)], ..Scene::default() };
        let touches = |planned: &Planned| {
            matches!(
                planned.mishap,
                Mishap::Zombie
                    | Mishap::Engine(Disturbance::SlowChannel { .. })
                    | Mishap::Outage { place: Place::Sinks, .. }
                    | Mishap::Slow { place: Place::Sinks, .. }
            )
        };
        assert!(!(0..200).any(|seed| Scenario::draw(seed, &bare).steps.iter().any(touches)));
    }
}
