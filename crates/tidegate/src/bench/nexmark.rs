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
use tidegate_plan::JobPlan;
use tidegate_runtime::{Context, Job, JobSettings, MemoryStore, Operator, Outcome as Worked, Progress, Restore};

use super::input::MemorySource;
use super::{Bench, BenchOptions, Clock, Counting, SinkMaker, median, plans};
use crate::translate::{Harness, translate};

const TABLES: &str = include_str!("nexmark/tables.sql");

/// A query, and what Flink 2.2.1 answers: digest and net number of rows over the first 100,000 and the first 1,000,000 events. It has no answer to
/// q12, which the clock decides, and none to a lookup in a table of ours (q13).
struct Query {
    name: &'static str,
    sql: &'static str,
    recorded: [Option<(u64, i64)>; 2],
}

macro_rules! query {
    ($name:literal, $small:expr, $large:expr) => {
        Query { name: $name, sql: include_str!(concat!("nexmark/", $name, ".sql")), recorded: [$small, $large] }
    };
}

#[rustfmt::skip]
const QUERIES: [Query; 24] = [
    query!("q0", Some((0x4199_64d2_2ea9_24ba, 92_000)), Some((0x14a8_74ec_af06_d2f4, 920_000))),
    query!("q1", Some((0x9773_b933_29e6_48be, 92_000)), Some((0xd7ce_cba8_3a4d_3337, 920_000))),
    query!("q2", Some((0x2582_ad1e_63ff_61fa, 379)), Some((0x7f5b_6c6d_53cd_965f, 6_835))),
    query!("q3", Some((0x6744_4917_5c1c_8a55, 401)), Some((0x594c_c70c_9eca_b470, 5_935))),
    query!("q4", Some((0x0fe1_872b_e6db_383e, 5)), Some((0xe88b_79f5_c1d5_6125, 5))),
    query!("q5", Some((0x247e_f722_d27a_0a4e, 9)), Some((0x2496_13af_7648_deff, 54))),
    query!("q6", Some((0xc2f1_780d_8782_026b, 790)), Some((0x100a_98d7_03a3_bc5c, 9_933))),
    query!("q7", Some((0x5132_beca_5661_da20, 11)), Some((0xf0c2_5153_b28e_820e, 147))),
    query!("q8", Some((0x306c_ad4a_bd24_6e7f, 831)), Some((0x5aa5_4cc8_e359_0574, 8_333))),
    query!("q9", Some((0x3def_f44a_d148_b022, 5_647)), Some((0x13af_6607_b071_13bf, 56_326))),
    query!("q10", Some((0xac6e_856b_c607_f0ce, 92_000)), Some((0x3837_ef2f_0fb5_d2fa, 920_000))),
    query!("q11", Some((0xe686_87ea_6120_8437, 1_922)), Some((0x0c1a_eacd_06ba_5b56, 19_919))),
    query!("q12", None, None),
    query!("q13", None, None),
    query!("q14", Some((0xda80_d918_8cf0_83c8, 22_660)), Some((0x1066_b74a_ffe0_d8e6, 228_113))),
    query!("q15", Some((0xdfcd_5176_4e06_aca8, 1)), Some((0xe235_d6f5_8dd3_5704, 1))),
    query!("q16", Some((0x56d9_9f70_941a_76b3, 9_891)), Some((0x0339_e874_2191_beea, 10_004))),
    query!("q17", Some((0xe04c_5253_245c_a501, 5_987)), Some((0xee08_ee70_9a65_6b79, 59_972))),
    query!("q18", Some((0x7456_b66c_6584_9878, 25_404)), Some((0x049e_9e2a_f3b4_80f8, 288_303))),
    query!("q19", Some((0x952e_f95a_c282_09db, 43_709)), Some((0x3822_03eb_c81c_545e, 440_614))),
    query!("q20", Some((0x47af_3e2c_f029_22b1, 21_276)), Some((0x3089_7cc3_3aff_8c69, 175_673))),
    query!("q21", Some((0x429a_aa62_a9bc_dbb9, 87_537)), Some((0xa6ac_3f03_dcac_c09f, 874_122))),
    query!("q22", Some((0x3bfe_2731_ad57_7299, 92_000)), Some((0x1413_0928_e3b4_48cd, 920_000))),
    query!("q23", Some((0xfa91_9a0d_b9d8_7eb0, 3_539_410)), None),
];

/// The script of a query, by number, over the first `events` events. Its first line, a comment, says what it is about.
pub fn nexmark_script(number: usize, events: u64) -> Option<String> {
    let (about, query) = QUERIES.get(number)?.sql.split_once('\n')?;
    let tables = TABLES.replace("'1000000'", &format!("'{events}'"));
    // To be looked at: a sink that keeps its rows.
    let query = query.trim_start().replace("'blackhole'", "'print'");
    Some(format!("{about}\n{tables}\n{query}"))
}

/// Events per second of each query, and the digest of its result.
///
/// # Errors
/// What kept a query from running, or a result that is not the recorded one, as text.
pub fn nexmark(options: BenchOptions, clock: Clock<'_>) -> Result<Value, String> {
    let mut queries = serde_json::Map::new();
    for query in &QUERIES {
        let (digest, net_rows) = check(query, options.events)?;
        let (plan, store) = prepared(&format!("{TABLES}\n{}", query.sql))?;
        let mut rates = Vec::new();
        let mut out = 0;
        for run in 0..=options.runs {
            let counted = Rc::new(Cell::new(0));
            let sink: SinkMaker = {
                let counted = counted.clone();
                Box::new(move || Box::new(Counting { counted: counted.clone() }))
            };
            let mut bench = Bench::with(&plan, &replay(options.events, sink))?;
            bench.store.clone_from(&store);
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
    let (plan, store) = prepared(&format!("{TABLES}\n{}", query.sql.replace("'blackhole'", "'print'")))?;
    let types: Rc<Vec<DataType>> =
        Rc::new(plan.results.iter().flat_map(|result| &result.columns).map(|(_, ty)| ty.clone()).collect());
    let found = Rc::new(Cell::new((0, 0)));
    let sink: SinkMaker = {
        let found = found.clone();
        Box::new(move || Box::new(Digesting { types: types.clone(), found: found.clone() }))
    };
    let mut bench = Bench::with(&plan, &replay(events, sink))?;
    bench.store = store;
    bench.finish(query.name, &|| 0.0)?;
    let recorded = match events {
        100_000 => query.recorded[0],
        1_000_000 => query.recorded[1],
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

/// The last job of a script, and the store that those before it have written to.
fn prepared(script: &str) -> Result<(JobPlan, MemoryStore), String> {
    let mut plans = plans(script)?;
    let last = plans.pop().ok_or("the script has no query")?;
    let mut store = MemoryStore::default();
    for plan in plans {
        let graph = translate(&plan, "side", 0, false, &[]).map_err(|problem| problem.message)?.graph;
        let settings = JobSettings { job: "side".into(), ..JobSettings::default() };
        let job = Job::start(graph, settings, Restore::None).map_err(|problem| problem.message)?;
        let mut bench = Bench { job, store };
        bench.finish("side", &|| 0.0)?;
        store = bench.store;
    }
    Ok((last, store))
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
            let columns = chunk.columns.iter().zip(self.types.iter());
            let hash = hash(columns.map(|(column, ty)| cell_text(&**column, row, ty, Zone::UTC)));
            let sign = chunk.kind(row).sign();
            digest = digest.wrapping_add(hash.wrapping_mul(sign as u64));
            rows += sign;
        }
        self.found.set((digest, rows));
        Ok(Progress::Done)
    }
}

/// FNV-1a-64 of a row's texts.
fn hash(texts: impl Iterator<Item = Option<String>>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut take = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    for (number, text) in texts.enumerate() {
        if number > 0 {
            take(0x1f);
        }
        match text {
            Some(text) => text.bytes().for_each(&mut take),
            None => take(0),
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use tidegate_data::LogicalType;

    use super::*;

    #[test]
    fn every_script_says_what_it_is_about_and_reads_so_many_events() {
        for number in 0..QUERIES.len() {
            let script = nexmark_script(number, 100_000).unwrap();
            assert!(script.starts_with("-- ") && script.contains("'events.num' = '100000'"), "{script}");
            plans(&script).unwrap();
        }
        assert_eq!(nexmark_script(QUERIES.len(), 1), None);
    }

    #[test]
    fn results_are_those_of_flink() {
        for query in &QUERIES {
            check(query, 100_000).unwrap();
        }
    }

    /// The fields of the first events of one kind (0: persons, 1: auctions, 2: bids), as texts.
    fn all(kind: usize, events: usize) -> Vec<Vec<String>> {
        let chunk = events::chunk(&[0, 1, 2, 3], 0, 1, events);
        let LogicalType::Row(fields) = events::schema().fields.swap_remove(kind + 1).ty.logical else {
            panic!("a row")
        };
        let rows = chunk.columns[kind + 1].as_struct();
        let text = |row: usize, field: usize| cell_text(&**rows.column(field), row, &fields[field].ty, Zone::UTC);
        let texts = |row: usize| (0..fields.len()).map(|field| text(row, field).unwrap()).collect();
        (0..events).filter(|row| rows.is_valid(*row)).map(texts).collect()
    }

    fn number(text: &str) -> i64 {
        text.parse().unwrap()
    }

    /// Digest and number of these rows.
    fn digest(rows: impl Iterator<Item = Vec<String>>) -> (u64, i64) {
        rows.fold((0, 0), |(sum, count), row| (hash(row.into_iter().map(Some)).wrapping_add(sum), count + 1))
    }

    #[test]
    fn results_are_those_of_a_computation_from_scratch() {
        const EVENTS: usize = 20_000;
        let [persons, auctions, bids] = [0, 1, 2].map(|kind| all(kind, EVENTS));
        let found = |name: &str| check(QUERIES.iter().find(|query| query.name == name).unwrap(), EVENTS).unwrap();
        let cells = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<String>>();

        // Bids by auction; what an auction closed at; of each seller the last ten.
        let mut of_auction: BTreeMap<&str, Vec<&Vec<String>>> = BTreeMap::new();
        bids.iter().for_each(|bid| of_auction.entry(&bid[0]).or_default().push(bid));
        let mut closed: BTreeMap<&str, Vec<(&str, i64, i64)>> = BTreeMap::new();
        for auction in &auctions {
            let own = of_auction.get(auction[0].as_str()).into_iter().flatten();
            let in_time = own.filter(|bid| bid[5] >= auction[5] && bid[5] <= auction[6]);
            if let Some(price) = in_time.map(|bid| number(&bid[2])).max() {
                closed.entry(&auction[7]).or_default().push((&auction[6], number(&auction[0]), price));
            }
        }
        let averages = closed.into_iter().map(|(seller, mut prices)| {
            prices.sort_unstable();
            let last: Vec<i64> = prices.iter().rev().take(10).map(|(.., price)| *price).collect();
            vec![seller.to_owned(), (last.iter().sum::<i64>() / last.len() as i64).to_string()]
        });
        assert_eq!(found("q6"), digest(averages));

        let filed = bids.iter().map(|bid| {
            let time = &bid[5];
            cells(&[&bid[0], &bid[1], &bid[2], time, &bid[6], &time[..10], &time[11..16]])
        });
        assert_eq!(found("q10"), digest(filed));

        let beside = bids.iter().map(|bid| {
            let value = (number(&bid[0]) % 10_000).to_string();
            cells(&[&bid[0], &bid[1], &bid[2], &bid[5], &value])
        });
        assert_eq!(found("q13"), digest(beside));

        let by_id: BTreeMap<&str, &Vec<String>> = persons.iter().map(|person| (&person[0][..], person)).collect();
        let mut of_seller: BTreeMap<&str, Vec<&Vec<String>>> = BTreeMap::new();
        auctions.iter().for_each(|auction| of_seller.entry(&auction[7]).or_default().push(auction));
        let triples = bids.iter().flat_map(|bid| {
            let own = of_seller.get(bid[1].as_str()).into_iter().flatten();
            let person = by_id.get(bid[1].as_str());
            own.zip(std::iter::repeat(person)).filter_map(move |(auction, person)| {
                let person = person?;
                Some(cells(&[&bid[0], &bid[1], &bid[2], &bid[5], &person[1], &person[4], &auction[0], &auction[1]]))
            })
        });
        assert_eq!(found("q23"), digest(triples));
    }
}
