//! Restart strategies: whether and when a failed job starts again.

use std::collections::VecDeque;

use crate::settings::RestartStrategy;

/// A strategy and what it has seen.
#[derive(Clone, Debug)]
pub(crate) struct Restarts {
    strategy: RestartStrategy,
    /// Restarts so far (since the backoff was reset).
    count: u32,
    /// Host times of the last failures.
    failures: VecDeque<i64>,
    backoff: i64,
}

impl Restarts {
    /// Restarts that have counted so far.
    pub(crate) fn started_again(&self) -> u32 {
        self.count.saturating_sub(1)
    }

    pub(crate) fn new(strategy: RestartStrategy) -> Restarts {
        Restarts { strategy, count: 0, failures: VecDeque::new(), backoff: 0 }
    }

    /// A failure at `now`, the job's own or somebody else's: the delay before the restart, `None` if there is none.
    pub(crate) fn on_failure(&mut self, now: i64, own: bool) -> Option<i64> {
        match self.strategy {
            RestartStrategy::None => None,
            RestartStrategy::FixedDelay { attempts, delay } => {
                self.count += 1;
                (self.count <= attempts).then_some(delay)
            }
            RestartStrategy::Hands { attempts, delay } => {
                self.count += u32::from(own);
                (self.count <= attempts).then_some(delay)
            }
            RestartStrategy::FailureRate { max_failures, interval, delay } => {
                self.failures.push_back(now);
                while self.failures.front().is_some_and(|at| now - at > interval) {
                    self.failures.pop_front();
                }
                (self.failures.len() <= max_failures as usize).then_some(delay)
            }
            RestartStrategy::ExponentialDelay { initial, max, multiplier, reset, attempts } => {
                let last = self.failures.back().copied();
                if last.is_none_or(|last| now - last > reset + self.backoff) {
                    self.count = 0;
                    self.backoff = initial;
                } else {
                    self.backoff = ((self.backoff as f64 * multiplier) as i64).min(max);
                }
                self.failures.clear();
                self.failures.push_back(now);
                self.count += 1;
                attempts.is_none_or(|attempts| self.count <= attempts).then_some(self.backoff)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_delay_counts_attempts() {
        let mut restarts = Restarts::new(RestartStrategy::FixedDelay { attempts: 2, delay: 5 });
        assert_eq!([0, 1, 2].map(|now| restarts.on_failure(now, true)), [Some(5), Some(5), None]);
    }

    #[test]
    fn what_is_broken_by_hand_does_not_count() {
        let mut restarts = Restarts::new(RestartStrategy::Hands { attempts: 1, delay: 5 });
        let own = [false, false, true, false, true, false];
        let delays = own.map(|own| restarts.on_failure(0, own));
        assert_eq!(delays, [Some(5), Some(5), Some(5), Some(5), None, None]);
        assert_eq!(restarts.started_again(), 1);
    }

    #[test]
    fn failure_rate_forgets() {
        let strategy = RestartStrategy::FailureRate { max_failures: 2, interval: 100, delay: 1 };
        let mut restarts = Restarts::new(strategy);
        assert_eq!(
            [0, 50, 200, 210, 220].map(|now| restarts.on_failure(now, true)),
            [Some(1), Some(1), Some(1), Some(1), None]
        );
    }

    #[test]
    fn exponential_delay_grows_and_resets() {
        let strategy =
            RestartStrategy::ExponentialDelay { initial: 10, max: 35, multiplier: 2.0, reset: 1000, attempts: None };
        let mut restarts = Restarts::new(strategy);
        assert_eq!([0, 20, 50, 90, 5000].map(|now| restarts.on_failure(now, true)), [10, 20, 35, 35, 10].map(Some));
    }
}
