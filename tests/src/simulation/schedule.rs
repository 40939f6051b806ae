//! What happens to a run, one thing after the other: drawn from the seed, and a list, so that it can be cut down to what matters.

use tidegate::runtime::Moment;
use tidegate::runtime::outage::{Outage, Place};
use tidegate::runtime::rng::Rng;
use tidegate::runtime::spoil::Harm;

use super::plan::Plan;

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// So many items more are fed to a split of a table.
    Feed(usize, usize, usize),
    /// So many ms pass.
    Time(i64),
    /// A checkpoint by hand.
    Checkpoint,
    /// A subtask dies.
    Kill(usize, u32),
    /// The job dies.
    Fail,
    /// The job dies once the next checkpoint is complete, before anybody hears of it.
    FailOnCompletion,
    /// The next acknowledgement of a subtask is lost.
    LoseAcknowledgement(usize, u32),
    /// The next acknowledgement of a subtask comes so many ms late.
    DelayAcknowledgement(usize, u32, i64),
    /// The engine goes away and another one takes over, with this parallelism and seed.
    Crash(usize, u64),
    /// The same, but the old one lives on for a while.
    Zombie(usize, u64),
    /// The job is stopped with a savepoint, and another engine starts from it, with this parallelism and seed.
    Move(usize, u64),
    /// A savepoint by hand.
    Savepoint,
    /// The job dies at the next moment of this kind.
    FailAt(Moment),
    /// Storage is away or full for so many ms.
    Outage(Place, Outage, i64),
    /// A channel from one subtask to another gives up an element every so many ms.
    Slow((usize, u32), (usize, u32), i64),
    /// A part of the newest checkpoint is lost or damaged, and the engine goes away; another one takes over, with this parallelism and seed.
    Damage(Harm, usize, u64),
    /// The time of all transactions that are not committed is over.
    Expire,
    /// Rows of a poll, from now on.
    Chunk(usize),
    /// So many scheduler steps.
    Step(u64),
    /// A reader looks.
    Look,
    /// Somebody tries to restore one of the completed checkpoints in a copy of the store, with this parallelism.
    Restore(usize, u64),
}

const MOMENTS: [Moment; 13] = [
    Moment::Begun,
    Moment::Triggered,
    Moment::PreCommitted,
    Moment::Voted,
    Moment::Committing,
    Moment::Committed,
    Moment::Requested,
    Moment::Aligning,
    Moment::Acknowledged,
    Moment::Completed,
    Moment::PreCommitting,
    Moment::Deciding,
    Moment::CommitSent,
];

/// The storm of a seed. After each of these the store is given a turn.
pub fn draw(plan: &Plan, seed: u64) -> Vec<Action> {
    let rng = &mut Rng::new(seed ^ 0x5c4e_d01e);
    let mut left = [rng.below(4), rng.below(4), rng.below(4)];
    let mut spend = |rng: &mut Rng, what: usize| {
        let allowed = left[what] > 0 && rng.one_in(3);
        left[what] -= usize::from(allowed);
        allowed
    };
    let mut actions = Vec::new();
    let vertex = |rng: &mut Rng| (rng.below(4), rng.below(4) as u32);
    for _ in 0..40 + rng.below(200) {
        let action = match rng.below(13) {
            0 => {
                let table = rng.below(plan.tables.len());
                Action::Feed(table, rng.below(plan.tables[table].len()), 1 + rng.below(8))
            }
            1 => Action::Time(1 + rng.below(20) as i64),
            2 => Action::Checkpoint,
            3 if spend(rng, 0) => match rng.below(4) {
                0 => Action::Fail,
                1 => Action::FailOnCompletion,
                _ => {
                    let (vertex, index) = vertex(rng);
                    Action::Kill(vertex, index)
                }
            },
            4 if spend(rng, 1) => {
                let (parallelism, seed) = (1 + rng.below(4), rng.next_u64());
                match rng.below(6) {
                    0 | 1 => Action::Zombie(parallelism, seed),
                    2 => Action::Move(parallelism, seed),
                    _ => Action::Crash(parallelism, seed),
                }
            }
            5 if spend(rng, 2) => {
                let (vertex, index) = vertex(rng);
                match rng.one_in(2) {
                    true => Action::LoseAcknowledgement(vertex, index),
                    false => Action::DelayAcknowledgement(vertex, index, 1 + rng.below(60) as i64),
                }
            }
            6 if rng.one_in(6) => Action::Savepoint,
            6 => Action::Chunk(1 + rng.below(8)),
            7 if rng.one_in(8) => Action::Restore(1 + rng.below(4), rng.next_u64()),
            7..=9 => Action::Step(rng.below(40) as u64),
            _ => Action::Step(rng.below(6) as u64),
        };
        actions.push(action);
        if rng.one_in(4) {
            actions.push(Action::Look);
        }
    }
    // Most seeds stay what they were; in every third one more goes wrong.
    if seed % 3 == 2 {
        worsen(&mut actions, seed);
    }
    actions
}

fn worsen(actions: &mut Vec<Action>, seed: u64) {
    let rng = &mut Rng::new(seed ^ 0x00fa_0175);
    let vertex = |rng: &mut Rng| (rng.below(4), rng.below(4) as u32);
    for _ in 0..1 + rng.below(5) {
        let action = match rng.below(9) {
            0 | 1 => Action::FailAt(MOMENTS[rng.below(MOMENTS.len())]),
            2..=4 => {
                let place = if rng.one_in(2) { Place::Checkpoints } else { Place::Sinks };
                let outage = if rng.one_in(2) { Outage::Away } else { Outage::Full };
                Action::Outage(place, outage, 1 + rng.below(60) as i64)
            }
            5 => {
                let (from, to) = (vertex(rng), vertex(rng));
                Action::Slow(from, (from.0 + 1, to.1), 1 + rng.below(10) as i64)
            }
            6 => {
                let harm = if rng.one_in(2) { Harm::Lost } else { Harm::Damaged };
                Action::Damage(harm, 1 + rng.below(4), rng.next_u64())
            }
            7 => Action::Expire,
            _ => {
                let (vertex, index) = vertex(rng);
                Action::DelayAcknowledgement(vertex, index, 1 + rng.below(60) as i64)
            }
        };
        actions.insert(rng.below(actions.len() + 1), action);
    }
}
