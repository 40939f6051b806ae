//! The simplest host: carries effects out at once, against a store that answers at once.

use crate::event::{Effect, Event};
use crate::job::Job;
use crate::store::Store;

/// Carries out what the job wants of the store and hands the answers in. Gives the earliest time it wants to be woken at, if it said one.
pub fn carry_out(job: &mut Job, store: &mut dyn Store) -> Option<i64> {
    let mut wake = None;
    loop {
        let effects = job.take_effects();
        if effects.is_empty() {
            return wake;
        }
        for effect in effects {
            match effect {
                Effect::Store { request, body } => {
                    let response = store.execute(body);
                    // Responses are never refused.
                    let _ = job.handle(Event::Response { request, response });
                }
                Effect::Wake { at } => wake = Some(at),
                Effect::Mishap(_) => {}
            }
        }
    }
}

/// Steps and carries out effects until nothing is left to do without further events, `max_steps` at the most. Gives the steps taken.
pub fn run_until_quiet(job: &mut Job, store: &mut dyn Store, max_steps: u64) -> u64 {
    let mut steps = 0;
    carry_out(job, store);
    while steps < max_steps {
        // A few steps at a time, so that answers do not come unrealistically late.
        let taken = job.run_until_quiet((max_steps - steps).min(64));
        steps += taken;
        carry_out(job, store);
        if taken == 0 && job.is_quiet() {
            break;
        }
    }
    steps
}
