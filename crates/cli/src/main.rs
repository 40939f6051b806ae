//! The command line: run, explain and bench.

mod bench;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tidegate::case::{self, CaseOptions, CaseResult};
use tidegate::diag::Diagnostic;
use tidegate::runtime::Policy;
use tidegate::{Said, Session, SessionOptions};

/// Streaming SQL as Apache Flink runs it, with every row of the changelog to be seen.
#[derive(Parser)]
#[command(name = "tidegate", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a case file: a SQL script with its input in `--!` lines, one row in flight.
    Run {
        /// The case file.
        case: PathBuf,
        /// Print JSON: statements, columns with types, changelog mode, rows with their step.
        #[arg(long)]
        json: bool,
        /// Subtasks per operator, whatever the script says.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
        parallelism: Option<u32>,
        /// The most rows that a source sends at once.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
        chunk_size: u32,
        /// Let this seed choose which subtask takes the next step (otherwise they take turns).
        #[arg(long, value_name = "N")]
        seed: Option<u64>,
        /// Take a checkpoint after every so many input lines.
        #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
        checkpoint_every: Option<u64>,
        /// Let the job fail before this input line is worked off, and restore it. May be given several times.
        #[arg(long, value_name = "STEP")]
        crash_at: Vec<u64>,
    },
    /// Print the plan of every query and insert of a case file, with changelog modes.
    Explain {
        /// The case file.
        case: PathBuf,
    },
    /// Measure the engine and print the figures as JSON.
    Bench {
        /// Taken for granted: the figures are JSON.
        #[arg(long)]
        json: bool,
        /// One short run of each, to see that it works.
        #[arg(long)]
        quick: bool,
        /// Nexmark's queries instead, each with the digest of its result.
        #[arg(long, conflicts_with = "checkpoints")]
        nexmark: bool,
        /// What checkpoints cost in each mode instead, and how long a restore takes.
        #[arg(long)]
        checkpoints: bool,
    },
}

/// Ran.
const RAN: u8 = 0;
/// The case has errors.
const ERRORS: u8 = 1;
/// The command's words were off.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    keep_memory();
    let code = match Arguments::parse().command {
        Command::Run { case, json, parallelism, chunk_size, seed, checkpoint_every, crash_at } => {
            let options = CaseOptions {
                parallelism,
                chunk_size: chunk_size as usize,
                seed: seed.unwrap_or(0),
                policy: if seed.is_some() { Policy::Seeded } else { Policy::RoundRobin },
                checkpoint_every,
                crash_at,
                ..CaseOptions::default()
            };
            run(&case, json, &options)
        }
        Command::Explain { case } => explain(&case),
        Command::Bench { json: _, quick, nexmark, checkpoints } => bench::bench(quick, nexmark, checkpoints),
    };
    ExitCode::from(code)
}

/// Has the C library keep memory that is freed: the columns of chunks come and go, and to give their pages back each time costs as much as to
/// fill them.
fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn mallopt(parameter: i32, value: i32) -> i32;
        }
        const TRIM_THRESHOLD: i32 = -1;
        const MMAP_THRESHOLD: i32 = -3;
        // SAFETY: glibc's own function with parameters that it documents, and no other thread is there yet. What it says does not matter.
        unsafe {
            mallopt(TRIM_THRESHOLD, 256 << 20);
            mallopt(MMAP_THRESHOLD, 4 << 20);
        }
    }
}

fn run(path: &Path, json: bool, options: &CaseOptions) -> u8 {
    let Some(text) = read(path) else { return USAGE };
    let result = case::run(&text, options);
    if json {
        println!("{:#}", case::to_json(&name_of(path), &result));
    } else {
        print!("{}", case::to_table(&result));
        complain(path, &text, &result);
    }
    if result.error.is_some() { ERRORS } else { RAN }
}

fn explain(path: &Path) -> u8 {
    let Some(text) = read(path) else { return USAGE };
    let mut session = Session::new(SessionOptions::default());
    match session.run(&text, tidegate::runtime::Restore::None) {
        Ok(outcome) => {
            for statement in &outcome.statements {
                if let Said::Job(job) = statement.said {
                    println!("-- {}", statement.sql.replace('\n', "\n-- "));
                    println!("{}\n", session.jobs()[job].plan.shown.join("\n"));
                }
            }
            RAN
        }
        Err(problems) => {
            eprint!("{}", rendered(path, &text, &problems));
            ERRORS
        }
    }
}

fn read(path: &Path) -> Option<String> {
    match std::fs::read_to_string(path) {
        // Some editors put a mark of the byte order first.
        Ok(text) => Some(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned)),
        Err(error) => {
            eprintln!("{} cannot be read: {error}", path.display());
            None
        }
    }
}

/// Says what stopped the case, and with it all else that is wrong with the script, so that it can be mended in one go.
fn complain(path: &Path, text: &str, result: &CaseResult) {
    if let Some(error) = &result.error {
        let mut problems = error.problems.clone();
        for other in Session::check(text, &SessionOptions::default()) {
            if other.is_error() && !problems.contains(&other) {
                problems.push(other);
            }
        }
        eprint!("{}", rendered(path, text, &problems));
    }
}

fn rendered(path: &Path, text: &str, problems: &[Diagnostic]) -> String {
    tidegate::diag::render_all(problems, &path.display().to_string(), text)
}

fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
