//! Many seeds, side by side: which one fails, with what words, and how little of its schedule is needed for it.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tidegate::replay::{Link, Recording};
use tidegate::runtime::mistakes::{Mistake, plant};
use tidegate::store::MemoryStore;

use super::plan::Plan;
use super::run::Run;
use super::schedule::{self, Action};
use super::{How, Outcome, replay, simulate};

/// The most tries to shorten a schedule.
const TRIES: usize = 400;
/// The longest link that is printed, in letters.
const LONGEST: usize = 32 * 1024;

thread_local! {
    /// While runs are tried, a panic is kept here instead of being printed.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
    static CATCHING: RefCell<bool> = const { RefCell::new(false) };
}

/// Runs something; gives what it panicked with.
fn attempt<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if CATCHING.with_borrow(|catching| *catching) {
                CAUGHT.set(Some(info.to_string()));
            } else {
                print(info);
            }
        }));
    });
    CATCHING.set(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    CATCHING.set(false);
    result.map_err(|_| CAUGHT.take().unwrap_or_default())
}

/// A seed that fails.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed.
    pub seed: u64,
    /// What was wrong.
    pub message: String,
}

impl Failure {
    /// For people: the seed, what was wrong, the shortest schedule found that is wrong in any way, and a link to it.
    pub fn explain(&self) -> String {
        let seed = self.seed;
        let head = format!(
            "simulation: failing seed {seed} (TIDEGATE_SEED={seed} or `cargo xtask simulate --seed {seed}` runs it alone)\n{}",
            self.message
        );
        let Some(short) = shorten(seed) else { return format!("{head}\nrun again, it does not fail") };
        format!(
            "{head}\nshortened to {} actions: {:?}\nof {:?}\n{}\n{}",
            short.schedule.len(),
            short.schedule,
            short.plan,
            short.message,
            open_on_the_page(seed, &short.record().link())
        )
    }
}

/// Says how a run is opened on the page.
fn open_on_the_page(seed: u64, link: &str) -> String {
    if link.len() <= LONGEST {
        return format!("on the page (`cargo xtask serve`): http://127.0.0.1:8080/#run={link}");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../target/simulation-{seed}.txt"));
    match std::fs::write(&file, link) {
        Ok(()) => format!("on the page (`cargo xtask serve`): Share…, and open the file {}", file.display()),
        Err(why) => format!("{} cannot be written: {why}", file.display()),
    }
}

/// A failing run with what is needed for it to fail, and not much more.
#[derive(Clone, Debug)]
pub struct Short {
    /// The seed.
    pub seed: u64,
    /// Query, input, settings.
    pub plan: Plan,
    /// What happens.
    pub schedule: Vec<Action>,
    /// What was wrong.
    pub message: String,
    /// How it is run.
    pub how: How,
}

/// A run, taken down.
pub struct Recorded {
    /// What the page plays.
    pub recording: Recording,
    /// What was wrong.
    pub message: String,
    /// A digest of the session as it was then.
    pub digest: u64,
    /// The store as it was then.
    pub store: MemoryStore,
}

impl Short {
    /// Runs it once more, for the page.
    pub fn record(&self) -> Recorded {
        let mut run = Run::new(self.seed, self.plan.clone(), &How { recorded: true, ..self.how.clone() });
        let message = attempt(|| run.execute(&self.schedule)).err().unwrap_or_default();
        let recording = run.recording();
        let (digest, store) = run.state();
        Recorded { recording, message, digest, store }
    }
}

impl Recorded {
    /// What follows `#run=` in a link.
    pub fn link(&self) -> String {
        Link { recording: self.recording.clone(), name: None, speed: 5.0, rates: Vec::new(), scenarios: Vec::new() }
            .encode()
    }
}

/// Runs the seeds from `first` on until one fails, `threads` at a time; every `again`-th one twice, which must give the same.
///
/// # Errors
/// The first seed that was found to fail.
pub fn search(first: u64, runs: u64, threads: u64, again: u64) -> Result<Outcome, Failure> {
    let next = AtomicU64::new(first);
    let failed = AtomicBool::new(false);
    let work = || {
        let mut total = Outcome::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + runs || failed.load(Ordering::Relaxed) {
                return Ok(total);
            }
            let run = || {
                let outcome = simulate(seed, &How::default());
                if seed.is_multiple_of(again) {
                    assert_eq!(simulate(seed, &How::default()), outcome, "two runs of one seed differ");
                }
                outcome
            };
            match attempt(run) {
                Ok(outcome) => total.add(&outcome),
                Err(message) => {
                    failed.store(true, Ordering::Relaxed);
                    return Err(Failure { seed, message });
                }
            }
        }
    };
    let mut total = Outcome::default();
    let mut failure: Option<Failure> = None;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            match worker.join().expect("panics are caught") {
                Ok(outcome) => total.add(&outcome),
                Err(other) if failure.as_ref().is_none_or(|failure| other.seed < failure.seed) => {
                    failure = Some(other);
                }
                Err(_) => {}
            }
        }
    });
    failure.map_or(Ok(total), Err)
}

/// Leaves out of a failing seed's input and schedule what is not needed for it to fail. It is run as on the page, if it fails so as well.
pub fn shorten(seed: u64) -> Option<Short> {
    let mut plan = Plan::draw(seed);
    let mut schedule = schedule::draw(&plan, seed);
    let mut tries = 0;
    let mut how = How { watched: true, ..How::default() };
    if attempt(|| replay(seed, &plan, &schedule, &how)).is_ok() {
        how.watched = false;
    }
    let fails = &mut |plan: &Plan, schedule: &[Action]| {
        tries += 1;
        if tries > TRIES { None } else { attempt(|| replay(seed, plan, schedule, &how)).err() }
    };
    let mut message = fails(&plan, &schedule)?;
    let mut part = schedule.len().div_ceil(2);
    while part > 0 {
        let mut at = 0;
        while at < schedule.len() {
            let mut shorter = schedule.clone();
            shorter.drain(at..(at + part).min(schedule.len()));
            match fails(&plan, &shorter) {
                Some(words) => (schedule, message) = (shorter, words),
                None => at += part,
            }
        }
        part /= 2;
    }
    for table in 0..plan.tables.len() {
        for split in 0..plan.tables[table].len() {
            let mut part = plan.tables[table][split].len().div_ceil(2);
            while part > 0 {
                let mut shorter = plan.clone();
                let fed = &mut shorter.tables[table][split];
                fed.truncate(fed.len().saturating_sub(part));
                match fails(&shorter, &schedule) {
                    Some(words) => (plan, message) = (shorter, words),
                    None => part /= 2,
                }
                if plan.tables[table][split].is_empty() {
                    break;
                }
            }
        }
    }
    Some(Short { seed, plan, schedule, message, how })
}

/// The first seed below `most` that fails while this mistake is made.
pub fn find(mistake: Mistake, most: u64) -> Option<Failure> {
    plant(Some(mistake));
    let failure = (0..most).find_map(|seed| {
        let message = attempt(|| simulate(seed, &How::default())).err()?;
        Some(Failure { seed, message })
    });
    plant(None);
    failure
}
