//! Choices: drawn from a seed, kept as a list, and drawn once more from a list that was made shorter. All that is random here is a
//! function of such a list, so that a failing query, its tables and its rows become smaller together, and 0 is always the simplest choice.

use tidegate::runtime::rng::Rng;

/// Where choices come from.
#[derive(Debug)]
pub struct Draw {
    rng: Option<Rng>,
    given: Vec<u32>,
    taken: Vec<u32>,
}

impl Draw {
    /// Choices of a seed.
    pub fn of(seed: u64) -> Draw {
        Draw { rng: Some(Rng::new(seed)), given: Vec::new(), taken: Vec::new() }
    }

    /// Choices of a list; 0 behind its end.
    pub fn again(choices: &[u32]) -> Draw {
        Draw { rng: None, given: choices.to_vec(), taken: Vec::new() }
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        let choice = match (self.given.get(self.taken.len()), &mut self.rng) {
            (Some(choice), _) => *choice as usize % bound,
            (None, Some(rng)) => rng.below(bound),
            (None, None) => 0,
        };
        self.taken.push(choice as u32);
        choice
    }

    /// True once in `n` times, and never where choices have run out.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of a list.
    pub fn one_of<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }

    /// One of some small things.
    pub fn of_these<T: Copy>(&mut self, things: &[T]) -> T {
        *self.one_of(things)
    }

    /// The choices so far.
    pub fn taken(&self) -> &[u32] {
        &self.taken
    }
}

/// The shortest list of choices found with which something still fails, by at most `attempts` trials.
pub fn shortened(choices: &[u32], attempts: usize, fails: &mut dyn FnMut(&[u32]) -> bool) -> Vec<u32> {
    let mut best = choices.to_vec();
    let mut left = attempts;
    let mut attempt = |best: &mut Vec<u32>, changed: Vec<u32>| {
        if changed == *best || left == 0 {
            return false;
        }
        left -= 1;
        let better = fails(&changed);
        if better {
            *best = changed;
        }
        better
    };
    loop {
        let before = best.clone();
        let mut size = best.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at + size <= best.len() {
                let mut without = best.clone();
                without.drain(at..at + size);
                let mut simple = best.clone();
                simple[at..at + size].fill(0);
                if !attempt(&mut best, without) {
                    attempt(&mut best, simple);
                    at += size;
                }
            }
            size /= 2;
        }
        for at in 0..best.len() {
            for smaller in [best[at] / 2, best[at].saturating_sub(1)] {
                let mut lower = best.clone();
                lower[at] = smaller;
                attempt(&mut best, lower);
            }
        }
        if best == before {
            return best;
        }
    }
}
