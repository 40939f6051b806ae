//! Batch = stream: the batch in slices, and what the page is told of it.

use std::rc::Rc;

use tidegate::batch::{Batch, Fed, Moment, Row};
use tidegate::data::Zone;
use tidegate::runtime::Restore;
use tidegate::store::{StoreResponse, log};
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
    /// Who waits for it.
    id: u32,
}

impl Desk {
    /// Begins to compute a job as a batch over what it has read so far.
    pub fn compare(self: &Rc<Self>, id: u32, job: u32, result: u32) {
        let begun = match &mut *self.run.borrow_mut() {
            Some(run) if run.script.from.get(job as usize).is_some_and(|from| *from != Restore::None) => {
                Err("it has begun from the state of a run before, whose rows are not in its result.".to_owned())
            }
            Some(run) => run.moment(job as usize, result as usize),
            None => return answer(id, failed("TG9100", "Nothing runs.")),
        };
        match begun {
            Ok(Begun { moment, fed, logs: Some(logs) }) => self.compare_with(id, moment, &fed, logs),
            Ok(Begun { moment, fed, logs: None }) => {
                let (desk, generation) = (self.clone(), self.generation.get());
                wasm_bindgen_futures::spawn_local(async move {
                    let mut logs = Vec::new();
                    for topic in moment.topics() {
                        logs.push(desk.port.ask(log::copy(topic)).await);
                    }
                    if desk.generation.get() == generation {
                        desk.compare_with(id, moment, &fed, logs);
                    } else {
                        answer(id, failed("TG9113", "Another script was run."));
                    }
                });
            }
            Err(why) => answer(id, not_computed(&why)),
        }
    }

    fn compare_with(&self, id: u32, moment: Moment, fed: &[Fed], logs: Vec<StoreResponse>) {
        let script = self.run.borrow().as_ref().map(|run| (run.script.sql.clone(), run.script.seed));
        let Some((sql, seed)) = script else { return answer(id, failed("TG9100", "Nothing runs.")) };
        match Batch::new(&sql, &options(seed), moment, fed, logs) {
            Ok(batch) => {
                if let Some(before) = self.comparing.borrow_mut().replace(Comparing { batch, id }) {
                    answer(before.id, failed("TG9113", "Another comparison was begun."));
                }
                self.turns.wake();
            }
            Err(why) => answer(id, not_computed(&why)),
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
                let zone = self.run.borrow().as_ref().map_or(Zone::UTC, |run| run.session.zone());
                answer(comparing.id, Answer::Compared(compared(comparing.batch, zone)));
            }
            Err(why) => answer(comparing.id, failed("TG9113", format!("The batch failed: {why}"))),
        }
        false
    }
}

/// What a batch needs; `logs` is left out where the store is to be asked.
struct Begun {
    moment: Moment,
    fed: Vec<Fed>,
    logs: Option<Vec<StoreResponse>>,
}

impl Run {
    fn moment(&mut self, job: usize, result: usize) -> Result<Begun, String> {
        let moment = self.with_shown(|run| {
            let zone = run.session.zone();
            Moment::of(&mut run.session, job, result, zone)
        })?;
        let fed = if moment.reads_fed() {
            let recording = match self.shown_recording() {
                Some(recording) => recording,
                None => self.recording().ok_or("the run is not recorded, or has become too long.")?,
            };
            recording.fed()
        } else {
            Vec::new()
        };
        let logs = match moment.topics() {
            [] => Some(Vec::new()),
            topics => self.past.as_mut().and_then(|past| past.ask(topics.iter().map(|topic| log::copy(topic)))),
        };
        Ok(Begun { moment, fed, logs })
    }
}

fn not_computed(why: &str) -> Answer {
    failed("TG9113", format!("This query cannot be computed as a batch: {why}"))
}

fn compared(batch: Batch, zone: Zone) -> Compared {
    let (step, rows) = batch.of();
    let found = batch.compare(zone);
    let totals = [found.same.len() as u64, found.stream.len() as u64, found.batch.len() as u64];
    let few = |rows: Vec<Row>| rows.into_iter().take(ROWS).collect();
    Compared { same: few(found.same), stream: few(found.stream), batch: few(found.batch), totals, step, rows }
}
