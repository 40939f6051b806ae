//! Batch = stream: the batch in slices, and what the page is told of it.

use std::rc::Rc;

use tidegate::batch::{Batch, Row};
use tidegate_protocol::{Answer, Compared};
use tidegate_worker::host;

use crate::answer;
use crate::desk::{Desk, Run, failed, options};

/// How long a slice lasts, ms.
const SLICE: f64 = 8.0;
/// Rows of each kind that are told.
const ROWS: usize = 200;

/// A batch under way.
pub struct Comparing {
    batch: Batch,
    /// The result that is compared.
    result: usize,
    /// Who waits for it.
    id: u32,
}

impl Desk {
    /// Begins to compute a job as a batch over what was sent so far.
    pub fn compare(self: &Rc<Self>, id: u32, job: u32, result: u32) {
        let begun = match &mut *self.run.borrow_mut() {
            Some(run) => run.batch_of(job as usize),
            None => return answer(id, failed("TG9100", "Nothing runs.")),
        };
        match begun {
            Ok(batch) => {
                if let Some(before) =
                    self.comparing.borrow_mut().replace(Comparing { batch, result: result as usize, id })
                {
                    answer(before.id, failed("TG9113", "Another comparison was begun."));
                }
                self.turns.wake();
            }
            Err(why) => answer(id, failed("TG9113", format!("This query cannot be computed as a batch: {why}"))),
        }
    }

    /// A slice of the batch under way. True if there is more to do.
    pub fn compare_on(&self, clock: f64) -> bool {
        let Some(mut comparing) = self.comparing.borrow_mut().take() else { return false };
        let went = comparing.batch.advance(&mut || host::clock() < clock + SLICE);
        match went {
            Ok(false) => {
                *self.comparing.borrow_mut() = Some(comparing);
                return true;
            }
            Ok(true) => {
                let compared =
                    self.run.borrow_mut().as_mut().map(|run| run.compared(&comparing.batch, comparing.result));
                answer(comparing.id, Answer::Compared(compared.unwrap_or_default()));
            }
            Err(why) => answer(comparing.id, failed("TG9113", format!("The batch failed: {why}"))),
        }
        false
    }
}

impl Run {
    fn batch_of(&mut self, job: usize) -> Result<Batch, String> {
        let recording = match self.shown_recording() {
            Some(recording) => recording,
            None => self.recording().ok_or("the run is not recorded, or has become too long.")?,
        };
        Batch::new(&self.script.sql, job, &options(self.script.seed), &recording.fed())
    }

    fn compared(&mut self, batch: &Batch, result: usize) -> Compared {
        self.with_shown(|run| {
            let found = batch.compare(&run.session, result, run.session.zone());
            let totals = [found.same.len() as u64, found.stream.len() as u64, found.batch.len() as u64];
            let few = |rows: Vec<Row>| rows.into_iter().take(ROWS).collect();
            Compared { same: few(found.same), stream: few(found.stream), batch: few(found.batch), totals }
        })
    }
}
