//! What checkpoints cost in every mode: the comparison in slices, over rows of the page's generators.

use std::rc::Rc;

use tidegate::costs::{Comparison, CostSpec, Costs, INTERVAL, LENGTH, Mode, PART, Sent, Taken};
use tidegate_protocol::{Answer, CostCheckpoint, CostLane, CostsFrame};

use crate::answer;
use crate::desk::{Desk, Run, failed, options};
use crate::generate::{Generator, pace_of};
use crate::inputs::Input;

/// Rows of the input, over all tables, per second.
const RATE: i64 = 150;
/// How far a command goes on, ms of the comparison's own time.
const ON: i64 = 100;
/// The slowest that storage and a channel may be, ms.
const SLOWEST: u32 = 2_000;

impl Desk {
    /// Begins a comparison and answers with its beginning.
    pub fn costs(&self, id: u32, job: u32, storage: u32, channel: u32) {
        let spec = match &*self.run.borrow() {
            Some(run) => CostSpec {
                sql: run.script.sql.clone(),
                job: job as usize,
                options: options(run.script.seed),
                rows: rows(run),
                storage: storage.min(SLOWEST).into(),
                channel: channel.min(SLOWEST).into(),
            },
            None => return answer(id, failed("TG9100", "Nothing runs.")),
        };
        match Comparison::new(spec) {
            Ok(comparison) => {
                answer(id, Answer::Costs(frame(&comparison)));
                *self.costs.borrow_mut() = Some(comparison);
            }
            Err(problems) => {
                let why = problems.into_iter().next().map_or_else(String::new, |problem| problem.message);
                answer(id, failed("TG9118", why));
            }
        }
    }

    /// Goes on for a while and answers.
    pub fn costs_on(self: &Rc<Self>, id: u32) {
        let Some(mut comparison) = self.costs.borrow_mut().take() else {
            return answer(id, failed("TG9118", "No comparison of modes has begun, or it goes on already."));
        };
        let desk = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let mut slices = desk.turns.slices();
            let end = comparison.now() + ON;
            while comparison.now() < end && !comparison.is_over() {
                if let Err(why) = comparison.advance() {
                    return answer(id, failed("TG9118", format!("A job failed: {}", why.message)));
                }
                slices.pause().await;
            }
            answer(id, Answer::Costs(frame(&comparison)));
            // One that was begun anew in between takes its place.
            desk.costs.borrow_mut().get_or_insert(comparison);
        });
    }
}

/// What the generators make: the tables take turns, and each its splits.
fn rows(run: &Run) -> Rc<[Sent]> {
    let inputs: Vec<&Input> = run.inputs.iter().filter(|input| input.by_hand() && input.feed.splits > 0).collect();
    let pace = pace_of(&run.script.sql);
    let mut makers: Vec<(&Input, Generator, u32)> =
        inputs.into_iter().map(|input| (input, Generator::new(run.script.seed, 1_704_110_520_000, pace), 0)).collect();
    let mut rows = Vec::new();
    if makers.is_empty() {
        return rows.into();
    }
    for number in 0..LENGTH * RATE / 1_000 {
        let count = makers.len();
        let (input, generator, turn) = &mut makers[number as usize % count];
        let (kind, texts) = generator.row(&input.feed);
        let split = *turn % input.feed.splits;
        *turn += 1;
        if let Ok(item) = run.session.parse_row(&input.feed.table, kind, &texts) {
            rows.push(Sent { at: 1 + number * 1_000 / RATE, table: input.feed.table.clone(), split, item });
        }
    }
    rows.into()
}

fn frame(comparison: &Comparison) -> CostsFrame {
    CostsFrame {
        now: comparison.now() as u64,
        length: LENGTH as u64,
        part: PART as u64,
        interval: INTERVAL as u64,
        channel: comparison.slow_channel().map(|(from, to)| format!("{from} → {to}")),
        lanes: comparison.costs().into_iter().map(lane).collect(),
    }
}

fn lane(costs: Costs) -> CostLane {
    let ms = |ms: i64| ms.max(0) as u64;
    let taken = |taken: &Taken| CostCheckpoint {
        id: taken.id,
        at: ms(taken.at),
        took: ms(taken.took),
        blocked: ms(taken.blocked),
        queued: taken.queued,
        bytes: taken.bytes,
    };
    CostLane {
        mode: match costs.mode {
            Mode::Aligned => "aligned",
            Mode::AlignedWithTimeout => "aligned-with-timeout",
            Mode::Unaligned => "unaligned",
            Mode::AtLeastOnce => "at-least-once",
            Mode::StopTheWorld => "stop-the-world",
        }
        .to_owned(),
        checkpoints: costs.checkpoints.iter().map(taken).collect(),
        under_way: costs.under_way.map(ms),
        latencies: costs.latencies.into_iter().map(|part| part.map(ms)).collect(),
        latency: costs.latency.map(|(median, most)| (ms(median), ms(most))),
        rows: costs.rows,
    }
}
