//! Guarantees side by side, a combination at a time, so that the page is heard and the jobs go on in between.

use std::rc::Rc;

use tidegate::guarantees::{ALL, COLUMNS, Crash, Mark, Outcome, Row, SinkKind, StateGuarantee, run, script};
use tidegate_protocol::{Answer, GuaranteeCrash, GuaranteeOutcome, GuaranteeRow};

use crate::answer;
use crate::desk::{Desk, failed};

/// The most crashes of a schedule.
const CRASHES: u32 = 3;

impl Desk {
    /// Runs all combinations and answers.
    pub fn guarantees(self: &Rc<Self>, id: u32, seed: u32, crashes: u32) {
        let desk = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let mut slices = desk.turns.slices();
            let mut outcomes = Vec::new();
            for (state, sink) in ALL {
                match run(state, sink, seed, crashes.min(CRASHES)) {
                    Ok(outcome) => outcomes.push(told(outcome)),
                    Err(problems) => {
                        let why = problems.first().map_or_else(String::new, |problem| problem.message.clone());
                        return answer(id, failed("TG9116", why));
                    }
                }
                slices.pause().await;
            }
            let (state, sink) = ALL[ALL.len() - 1];
            let columns = COLUMNS.map(str::to_owned).to_vec();
            answer(id, Answer::Guarantees { sql: script(state, sink), columns, outcomes });
        });
    }
}

fn told(outcome: Outcome) -> GuaranteeOutcome {
    GuaranteeOutcome {
        state: match outcome.state {
            StateGuarantee::AtMostOnce => "at-most-once",
            StateGuarantee::AtLeastOnce => "at-least-once",
            StateGuarantee::ExactlyOnce => "exactly-once",
        }
        .to_owned(),
        sink: match outcome.sink {
            SinkKind::Plain => "plain",
            SinkKind::Idempotent => "idempotent",
            SinkKind::Transactional => "transactional",
        }
        .to_owned(),
        rows: outcome.rows.into_iter().map(row).collect(),
        crashes: outcome.crashes.into_iter().map(crash).collect(),
        checkpoints: outcome.checkpoints,
        steps: outcome.steps,
    }
}

fn row(row: Row) -> GuaranteeRow {
    let mark = match row.mark {
        Mark::Right => "right",
        Mark::Doubled => "doubled",
        Mark::Wrong => "wrong",
        Mark::Lost => "lost",
    };
    GuaranteeRow { values: row.values, truth: row.truth, mark: mark.to_owned(), crashes: row.crashes, why: row.why }
}

fn crash(crash: Crash) -> GuaranteeCrash {
    GuaranteeCrash {
        number: crash.number,
        step: crash.step,
        back: crash.back,
        restored: crash.restored,
        again: crash.again,
        skipped: crash.skipped,
        forgotten: crash.forgotten,
    }
}
