//! Nexmark: queries over a stream of persons, auctions and bids, their speed, and digests of their results that Apache Flink's were compared to.
//!
//! The events are made before and handed out from memory. The digest of a result is the sum, over its rows, of sign times FNV-1a-64 of the row's
//! text: it depends neither on order nor on updates that were taken back.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::{Value, json};
use tidegate_connectors::nexmark::events;
use tidegate_connectors::{SourceArgs, SourceColumn};
use tidegate_data::{Chunk, DataType, Zone, cell_text};
use tidegate_runtime::{Context, Operator, Outcome as Worked, Progress};

use super::input::MemorySource;
use super::{Bench, BenchOptions, Clock, Counting, SinkMaker, median, plan};
use crate::translate::Harness;

const TABLES: &str = include_str!("nexmark/tables.sql");

/// A query, and what Flink 2.2.1 answers: digest and net number of rows over the first 100,000 and the first 1,000,000 events.
struct Query {
    name: &'static str,
    sql: &'static str,
    recorded: [(u64, i64); 2],
}

const QUERIES: &[Query] = &[
    Query {
        name: "q0",
        sql: include_str!("nexmark/q0.sql"),
        recorded: [(0x4199_64d2_2ea9_24ba, 92_000), (0x14a8_74ec_af06_d2f4, 920_000)],
    },
    Query {
        name: "q1",
        sql: include_str!("nexmark/q1.sql"),
        recorded: [(0x9773_b933_29e6_48be, 92_000), (0xd7ce_cba8_3a4d_3337, 920_000)],
    },
    Query {
        name: "q2",
        sql: include_str!("nexmark/q2.sql"),
        recorded: [(0x2582_ad1e_63ff_61fa, 379), (0x7f5b_6c6d_53cd_965f, 6_835)],
    },
    Query {
        name: "q15",
        sql: include_str!("nexmark/q15.sql"),
        recorded: [(0xdfcd_5176_4e06_aca8, 1), (0xe235_d6f5_8dd3_5704, 1)],
    },
    Query {
        name: "q17",
        sql: include_str!("nexmark/q17.sql"),
        recorded: [(0xe04c_5253_245c_a501, 5_987), (0xee08_ee70_9a65_6b79, 59_972)],
    },
];

/// Events per second of each query, and the digest of its result.
///
/// # Errors
/// What kept a query from running, or a result that is not the recorded one, as text.
pub fn nexmark(options: BenchOptions, clock: Clock<'_>) -> Result<Value, String> {
    let mut queries = serde_json::Map::new();
    for query in QUERIES {
        let (digest, net_rows) = check(query, options.events)?;
        let plan = plan(&format!("{TABLES}\n{}", query.sql))?;
        let mut rates = Vec::new();
        let mut out = 0;
        for run in 0..=options.runs {
            let counted = Rc::new(Cell::new(0));
            let sink: SinkMaker = {
                let counted = counted.clone();
                Box::new(move || Box::new(Counting { counted: counted.clone() }))
            };
            let mut bench = Bench::with(&plan, &replay(options.events, sink))?;
            let ms = bench.finish(query.name, clock)?;
            out = counted.get();
            if run > 0 {
                rates.push(options.events as f64 / ms * 1000.0);
            }
        }
        queries.insert(
            query.name.to_owned(),
            json!({
                "events_per_s": median(rates.clone()).round(),
                "max": rates.iter().copied().fold(0.0, f64::max).round(),
                "rows_out": out,
                "digest": format!("{digest:016x}"),
                "net_rows": net_rows,
            }),
        );
    }
    Ok(json!({ "events": options.events, "queries": queries }))
}

/// Runs a query once for its digest, which must be the recorded one where there is one of so many events.
fn check(query: &Query, events: usize) -> Result<(u64, i64), String> {
    // A sink that takes all kinds of rows, where the one that is measured wants no `-U`.
    let plan = plan(&format!("{TABLES}\n{}", query.sql.replace("'blackhole'", "'print'")))?;
    let types: Rc<Vec<DataType>> =
        Rc::new(plan.results.iter().flat_map(|result| &result.columns).map(|(_, ty)| ty.clone()).collect());
    let found = Rc::new(Cell::new((0, 0)));
    let sink: SinkMaker = {
        let found = found.clone();
        Box::new(move || Box::new(Digesting { types: types.clone(), found: found.clone() }))
    };
    let mut bench = Bench::with(&plan, &replay(events, sink))?;
    bench.finish(query.name, &|| 0.0)?;
    let recorded = match events {
        100_000 => Some(query.recorded[0]),
        1_000_000 => Some(query.recorded[1]),
        _ => None,
    };
    match recorded.filter(|recorded| *recorded != found.get()) {
        Some(recorded) => Err(format!(
            "{}: digest and rows over {events} events are {:016x}, {}, where Flink has {:016x}, {}",
            query.name,
            found.get().0,
            found.get().1,
            recorded.0,
            recorded.1
        )),
        None => Ok(found.get()),
    }
}

/// Sources that hand out events that were made before, in the columns that the plan asks for.
fn replay(events: usize, sink: SinkMaker) -> Harness {
    let sink = Rc::new(sink);
    Harness {
        source: Box::new(move |args: &SourceArgs| {
            let columns: Vec<usize> = args
                .columns
                .iter()
                .filter_map(|column| match column {
                    SourceColumn::Physical(position) => Some(*position),
                    SourceColumn::Metadata(_) => None,
                })
                .collect();
            let starts = (0..events).step_by(Chunk::MAX_ROWS);
            let chunks =
                starts.map(|start| events::chunk(&columns, start as u64, 1, Chunk::MAX_ROWS.min(events - start)));
            let chunks: Rc<Vec<Chunk>> = Rc::new(chunks.collect());
            let limit = Rc::new(Cell::new(chunks.len()));
            Box::new(move |_| Box::new(MemorySource::new(chunks.clone(), limit.clone(), true)))
        }),
        sink: Box::new(move || {
            let sink = sink.clone();
            Box::new(move |_| sink())
        }),
    }
}

/// Sums up the rows' hashes, and how many there are net.
struct Digesting {
    types: Rc<Vec<DataType>>,
    found: Rc<Cell<(u64, i64)>>,
}

impl Operator for Digesting {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, _cx: &mut dyn Context) -> Worked {
        let (mut digest, mut rows) = self.found.get();
        for row in 0..chunk.len {
            let mut hash = 0xcbf2_9ce4_8422_2325u64;
            let mut take = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            for (number, (column, ty)) in chunk.columns.iter().zip(self.types.iter()).enumerate() {
                if number > 0 {
                    take(0x1f);
                }
                match cell_text(&**column, row, ty, Zone::UTC) {
                    Some(text) => text.bytes().for_each(&mut take),
                    None => take(0),
                }
            }
            let sign = chunk.kind(row).sign();
            digest = digest.wrapping_add(hash.wrapping_mul(sign as u64));
            rows += sign;
        }
        self.found.set((digest, rows));
        Ok(Progress::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_those_of_flink() {
        for query in QUERIES {
            check(query, 100_000).unwrap();
        }
    }
}
