//! Tries random scripts: many seeds, or one of them again.

// Held to by the engine; this is a program like any other.
#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;
use std::process::ExitCode;

use tidegate::case::CaseOptions;
use tidegate_tests::compare::exact;
use tidegate_tests::random::draw::Draw;
use tidegate_tests::random::trial::{Verdict, of_seed, short};
use tidegate_tests::random::{Kind, script};
use tidegate_tests::recorded::Recorded;
use tidegate_tests::run::run;

const USAGE: &str = "random KIND [--first N] [--runs N] [--failures N] [--show] [--write FOLDER]

  KIND          expressions, queries, times or statements
  --first N     the first seed, 0 without it
  --runs N      how many seeds, 1000 without it
  --failures N  stop after so many that fail, 1 without it; each is made shorter
  --show        print each script and what came of it
  --write DIR   write the scripts that are taken as cases, for Flink to run them
  --check DIR   instead: compare what Flink recorded for such cases with what the engine does";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, folder] = words.as_slice()
        && word == "--check"
    {
        return check(folder);
    }
    let kind = words.first().and_then(|word| Kind::ALL.into_iter().find(|(name, _)| name == word));
    let Some((name, kind)) = kind else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let behind = |option: &str| words.iter().position(|word| word == option).and_then(|at| words.get(at + 1));
    let number = |option: &str, otherwise: u64| behind(option).and_then(|word| word.parse().ok()).unwrap_or(otherwise);
    let (first, runs) = (number("--first", 0), number("--runs", 1_000));
    let show = words.iter().any(|word| word == "--show");
    let folder = behind("--write");
    // A panic is told with its script.
    if !show {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let (mut same, mut fails, mut refused, mut failed) = (0, 0, 0, 0);
    for seed in first..first + runs {
        if show {
            println!("-- seed {seed}\n{}", script(kind, &mut Draw::of(seed)));
        }
        let verdict = of_seed(kind, seed);
        if show {
            println!("-- {verdict:?}");
        }
        if let (Some(folder), Verdict::Same | Verdict::Fails) = (folder, &verdict) {
            let text = format!("-- Random {name}, seed {seed}.\n{}", script(kind, &mut Draw::of(seed)));
            if let Err(error) = std::fs::write(format!("{folder}/random_{name}_{seed}.sql"), text) {
                eprintln!("{folder}: {error}");
                return ExitCode::FAILURE;
            }
        }
        match verdict {
            Verdict::Same => same += 1,
            Verdict::Fails => fails += 1,
            Verdict::Refused(_) => refused += 1,
            Verdict::Differs(_) | Verdict::Gap(_) => {
                println!("{}", short(kind, seed).explain(kind));
                failed += 1;
                if failed >= number("--failures", 1) {
                    break;
                }
            }
        }
    }
    println!("same {same}, fail alike {fails}, refused {refused}, failed {failed}");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Compares the cases of a folder with their recordings, to the row.
fn check(folder: &str) -> ExitCode {
    let (mut alike, mut differ) = (0, 0);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "json")) {
        let json = std::fs::read_to_string(path).ok().and_then(|text| serde_json::from_str::<Recorded>(&text).ok());
        let script = std::fs::read_to_string(path.with_extension("sql")).ok();
        let (Some(recorded), Some(script)) = (json, script) else { continue };
        let found = exact(&recorded, &run(&script, &CaseOptions::default()));
        if found.is_empty() {
            alike += 1;
        } else {
            differ += 1;
            println!("{}:\n  {}\n", path.display(), found.join("\n  "));
        }
    }
    println!("alike {alike}, different {differ}");
    if differ == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
