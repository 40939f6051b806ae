//! The figures: rows per second of seven queries over input in memory, how long a checkpoint holds a job up, and what checkpoints cost.
//!
//! Input has three BIGINT and two STRING columns (16 bytes); the sink takes rows of all kinds and counts them; one thread, the default
//! watermark interval. The clock is the host's: this crate reads none.

mod input;
pub mod modes;
mod nexmark;
mod pause;

pub use nexmark::{nexmark, nexmark_script};

use std::cell::Cell;
use std::rc::Rc;
use tidegate_data::sorted;

use serde_json::{Value, json};
use tidegate_data::Chunk;
use tidegate_plan::{Catalog, JobPlan, Outcome};
use tidegate_runtime::{
    Context, Effect, Event, Job, JobSettings, JobState, MemoryStore, Operator, Outcome as Worked, Progress,
};
use tidegate_runtime::{Restore, Store};

use crate::translate::{Harness, translate_with};
use input::MemorySource;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct BenchOptions {
    /// Rows of a query's input.
    pub rows: usize,
    /// Runs of which the median counts; one more goes before, uncounted.
    pub runs: usize,
    /// Keys of the larger checkpoint.
    pub keys: usize,
    /// Events of Nexmark's queries.
    pub events: usize,
    /// Pairs of runs with and without checkpoints, of which the median counts.
    pub pairs: usize,
    /// Seconds that each of them is measured for, with a checkpoint each.
    pub seconds: usize,
}

impl BenchOptions {
    /// What figures are made of.
    pub const FULL: BenchOptions =
        BenchOptions { rows: 2_000_000, runs: 5, keys: 1_000_000, events: 1_000_000, pairs: 11, seconds: 4 };
    /// Enough to see that it works.
    pub const QUICK: BenchOptions =
        BenchOptions { rows: 200_000, runs: 1, keys: 20_000, events: 100_000, pairs: 1, seconds: 1 };
}

/// A query that is measured.
struct Query {
    name: &'static str,
    sql: &'static str,
    /// Rows per second that are wanted, natively.
    floor: f64,
}

const TABLE: &str = "CREATE TABLE t (k BIGINT, v BIGINT, w BIGINT, s STRING, u STRING, \
    ts AS TO_TIMESTAMP_LTZ(w, 3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');\n";
const PLAIN: &str =
    "CREATE TABLE t (k BIGINT, v BIGINT, w BIGINT, s STRING, u STRING) WITH ('connector' = 'inline');\n";

const QUERIES: &[Query] = &[
    Query { name: "filter_project", sql: "SELECT k, v + 1 AS v, w, s, u FROM t WHERE v < 500000", floor: 50e6 },
    Query { name: "group_by_bigint", sql: "SELECT k, COUNT(*) AS c, SUM(v) AS s FROM t GROUP BY k", floor: 20e6 },
    Query { name: "group_by_string", sql: "SELECT s, COUNT(*) AS c, SUM(v) AS s2 FROM t GROUP BY s", floor: 8e6 },
    Query {
        name: "tumble_count",
        sql: "SELECT k, window_start, window_end, COUNT(*) AS c \
            FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end",
        floor: 20e6,
    },
    // The three that ask most of operators and state: what comes in is taken back, windows grow together, and both sides of a join change.
    Query {
        name: "top_n_retracting",
        sql: "SELECT k, g, c, place FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY c DESC) AS place \
            FROM (SELECT k, MOD(v, 10) AS g, COUNT(*) AS c FROM t GROUP BY k, MOD(v, 10))) WHERE place <= 3",
        floor: 3e6,
    },
    Query {
        name: "session_count",
        sql: "SELECT k, window_start, window_end, COUNT(*) AS c FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), \
            INTERVAL '2' SECOND)) GROUP BY k, window_start, window_end",
        floor: 3e6,
    },
    Query {
        name: "full_outer_join",
        sql: "SELECT a.k, a.c, b.k AS k2, b.m FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k) AS a \
            FULL OUTER JOIN (SELECT k, MAX(v) AS m FROM t GROUP BY k) AS b ON a.k = b.k AND a.c * 5000 < b.m",
        floor: 3e6,
    },
];

/// Gives milliseconds.
pub type Clock<'a> = &'a dyn Fn() -> f64;
/// Does what the host does to send an effect on its way: it counts as a part of the slice.
pub type Post<'a> = &'a mut dyn FnMut(&Effect);

/// Makes a sink's operator.
type SinkMaker = Box<dyn Fn() -> Box<dyn Operator>>;

/// The time after which a slice ends, as in the browser's worker, ms.
const SLICE: f64 = 6.0;

/// Measures everything.
///
/// # Errors
/// What kept a query from running, as text.
pub fn bench(options: BenchOptions, clock: Clock<'_>, post: Post<'_>) -> Result<Value, String> {
    let chunks = Rc::new(input::chunks(options.rows, 10_000));
    let mut queries = serde_json::Map::new();
    for query in QUERIES {
        let mut rates = Vec::new();
        let mut out = 0;
        for run in 0..=options.runs {
            let (ms, rows) = measure(query, &chunks, clock)?;
            out = rows;
            if run > 0 {
                rates.push(options.rows as f64 / ms * 1000.0);
            }
        }
        queries.insert(
            query.name.to_owned(),
            json!({
                "sql": query.sql,
                "rows_in": options.rows,
                "rows_out": out,
                "rows_per_s": median(rates.clone()).round(),
                "min": rates.iter().copied().fold(f64::INFINITY, f64::min).round(),
                "max": rates.iter().copied().fold(0.0, f64::max).round(),
                "floor_native": query.floor,
            }),
        );
    }
    drop(chunks);
    let mut checkpoints = Vec::new();
    for keys in [10_000.min(options.keys), options.keys] {
        checkpoints.push(pause::pause(keys, clock, post)?);
    }
    Ok(json!({ "queries": queries, "checkpoints": checkpoints }))
}

/// The median, or the upper one of two.
fn median(mut figures: Vec<f64>) -> f64 {
    sorted::sort_by(&mut figures, f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

fn measure(query: &Query, chunks: &Rc<Vec<Chunk>>, clock: Clock<'_>) -> Result<(f64, u64), String> {
    let table = if query.sql.contains("DESCRIPTOR") { TABLE } else { PLAIN };
    let limit = Rc::new(Cell::new(chunks.len()));
    let counted = Rc::new(Cell::new(0));
    let plan = plan(&format!("{table}{};", query.sql))?;
    let mut bench = Bench::start(&plan, chunks.clone(), limit, true, counted.clone())?;
    let ms = bench.finish(query.name, clock)?;
    Ok((ms, counted.get()))
}

/// A job over input in memory, and the store that it writes to.
struct Bench {
    job: Job,
    store: MemoryStore,
}

impl Bench {
    fn start(
        plan: &JobPlan,
        chunks: Rc<Vec<Chunk>>,
        limit: Rc<Cell<usize>>,
        ends: bool,
        counted: Rc<Cell<u64>>,
    ) -> Result<Bench, String> {
        Bench::with(
            plan,
            &Harness {
                source: Box::new(move |_| {
                    let (chunks, limit) = (chunks.clone(), limit.clone());
                    Box::new(move |_| Box::new(MemorySource::new(chunks.clone(), limit.clone(), ends)))
                }),
                sink: Box::new(move || {
                    let counted = counted.clone();
                    Box::new(move |_| Box::new(Counting { counted: counted.clone() }))
                }),
            },
        )
    }

    fn with(plan: &JobPlan, harness: &Harness) -> Result<Bench, String> {
        let settings = JobSettings { job: "bench".into(), ..JobSettings::default() };
        Bench::over(MemoryStore::default(), plan, harness, settings, Restore::None)
    }

    fn over(
        store: MemoryStore,
        plan: &JobPlan,
        harness: &Harness,
        settings: JobSettings,
        restore: Restore,
    ) -> Result<Bench, String> {
        let translated = translate_with(plan, "bench", 0, false, Some(harness)).map_err(|problem| problem.message)?;
        let job = Job::start(translated.graph, settings, restore).map_err(|problem| problem.message)?;
        Ok(Bench { job, store })
    }

    /// Runs the job to its end, in slices; gives how long it took, ms.
    fn finish(&mut self, name: &str, clock: Clock<'_>) -> Result<f64, String> {
        self.pump();
        let begin = clock();
        loop {
            let now = clock();
            self.time(now);
            self.job.run_slice(&mut || clock() < now + SLICE);
            self.pump();
            match self.job.state() {
                JobState::Finished => return Ok(clock() - begin),
                JobState::Failed(problem) => return Err(format!("{name}: {}", problem.message)),
                _ => {}
            }
            if self.job.is_quiet() && self.pump() == 0 && self.job.is_quiet() && *self.job.state() != JobState::Finished
            {
                return Err(format!("{name}: the job stands still"));
            }
        }
    }

    fn time(&mut self, now: f64) {
        // Time is never refused.
        let _ = self.job.handle(Event::Time(now as i64));
    }

    /// Carries out what the job wants of the store; gives how much that was.
    fn pump(&mut self) -> usize {
        let mut done = 0;
        loop {
            let effects = self.job.take_effects();
            match self.answer(effects) {
                0 => return done,
                more => done += more,
            }
        }
    }

    /// Answers requests to the store; gives how many there were.
    fn answer(&mut self, effects: Vec<Effect>) -> usize {
        let mut answered = 0;
        for effect in effects {
            if let Effect::Store { request, body } = effect {
                let response = self.store.execute(body);
                let _ = self.job.handle(Event::Response { request, response });
                answered += 1;
            }
        }
        answered
    }

    /// Lets time go on, so that sources look again, and works everything off.
    fn settle(&mut self) {
        let now = self.job.view().now;
        self.time((now + 1) as f64);
        while self.job.run_until_quiet(u64::MAX) + self.pump() as u64 > 0 {}
    }
}

fn plan(script: &str) -> Result<JobPlan, String> {
    plans(script)?.into_iter().next().ok_or_else(|| "the script has no query".into())
}

/// The jobs of a script, in order.
fn plans(script: &str) -> Result<Vec<JobPlan>, String> {
    let mut plans = Vec::new();
    let mut catalog = Catalog::new(tidegate_connectors::specs());
    for statement in &tidegate_sql::parse_script(script).statements {
        match catalog.execute(script, statement) {
            Ok(Outcome::Job(plan)) => plans.push(*plan),
            Ok(_) => {}
            Err(problems) => return Err(problems.first().map_or_else(String::new, |problem| problem.message.clone())),
        }
    }
    Ok(plans)
}

/// Takes everything and counts.
struct Counting {
    counted: Rc<Cell<u64>>,
}

impl Operator for Counting {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, _cx: &mut dyn Context) -> Worked {
        self.counted.set(self.counted.get() + chunk.len as u64);
        Ok(Progress::Done)
    }
}
