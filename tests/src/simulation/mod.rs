//! The whole engine in a hostile world: a seed picks a script, its input, the scheduler's choices, checkpoints, failures of
//! subtasks and of whole engines, and how the store answers. Afterwards the sinks must hold what they promise.
//!
//! The runtime has a simulation of its own; this one goes through SQL and the real connectors: with `exactly-once` nothing
//! is lost and nothing is there twice, with `at-least-once` nothing is lost, and what a committed reader has seen stays.

mod check;
pub mod plan;
mod run;
pub mod schedule;
pub mod search;
mod shelf;

use plan::Plan;
use schedule::Action;

/// What happened in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Runs.
    pub runs: u64,
    /// Scheduler steps of all engines.
    pub steps: u64,
    /// Checkpoints completed.
    pub checkpoints: u64,
    /// Checkpoints given up.
    pub aborted: u64,
    /// Times that state was loaded.
    pub restores: u64,
    /// Subtasks or jobs killed.
    pub kills: u64,
    /// Engines that went away.
    pub crashes: u64,
    /// Engines that were only taken for dead.
    pub zombies: u64,
    /// Times that a job was stopped with a savepoint and started from it.
    pub moves: u64,
    /// Times that storage was away or full.
    pub outages: u64,
    /// Spoilt checkpoints that were found, and for which the one before was taken.
    pub damaged: u64,
    /// Runs that ended because no whole checkpoint was left.
    pub lost: u64,
    /// Completed checkpoints that were restored on trial.
    pub trials: u64,
    /// Of these the ones that went on to the result of all that had been fed.
    pub agreed: u64,
    /// Runs in which a transaction's time was over before its commit, and rows are lost.
    pub expired: u64,
    /// A fingerprint of the store at the end: two runs of one seed have the same.
    pub fingerprint: u64,
}

impl Outcome {
    /// Adds another run's figures.
    pub fn add(&mut self, other: &Outcome) {
        self.runs += other.runs;
        self.steps += other.steps;
        self.checkpoints += other.checkpoints;
        self.aborted += other.aborted;
        self.restores += other.restores;
        self.kills += other.kills;
        self.crashes += other.crashes;
        self.zombies += other.zombies;
        self.trials += other.trials;
        self.agreed += other.agreed;
        self.expired += other.expired;
        self.moves += other.moves;
        self.outages += other.outages;
        self.damaged += other.damaged;
        self.lost += other.lost;
        self.fingerprint ^= other.fingerprint;
    }
}

/// How a run is run.
#[derive(Clone, Debug, Default)]
pub struct How {
    /// All that happens is printed.
    pub verbose: bool,
    /// As on the page: rows carry the input row that caused them.
    pub watched: bool,
    /// It becomes a recording.
    pub recorded: bool,
}

/// Runs a seed.
///
/// # Panics
/// When a promise is broken; the message says which.
pub fn simulate(seed: u64, how: &How) -> Outcome {
    let plan = Plan::draw(seed);
    let schedule = schedule::draw(&plan, seed);
    replay(seed, &plan, &schedule, how)
}

/// Runs a plan of a seed with a schedule that may be another than the seed's.
///
/// # Panics
/// When a promise is broken; the message says which.
pub fn replay(seed: u64, plan: &Plan, schedule: &[Action], how: &How) -> Outcome {
    if how.verbose {
        println!("{plan:#?}\n{}", plan.script(1));
    }
    run::Run::new(seed, plan.clone(), how).execute(schedule)
}
