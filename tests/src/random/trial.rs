//! One script by the engine and by the reference, and the search for a script in which they differ.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tidegate::case::{CaseOptions, CaseResult, run};
use tidegate::runtime::Policy;

use super::draw::{Draw, shortened};
use super::{Kind, script};
use crate::compare::materialise;
use crate::reference::{Bag, Reference, Stop};

/// What came of a script.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Engine and reference agree.
    Same,
    /// It agrees that a row cannot be computed.
    Fails,
    /// It is refused.
    Refused(String),
    /// They differ, or the engine breaks.
    Differs(String),
    /// The reference does not know something: a fault of the test.
    Gap(String),
}

/// Tries a script.
pub fn verdict(kind: Kind, text: &str, seed: u64) -> Verdict {
    let judged = catch_unwind(AssertUnwindSafe(|| match kind {
        Kind::Statements => super::statements::judge(text),
        _ => judge(kind, text, seed),
    }));
    judged.unwrap_or_else(|_| Verdict::Differs("it panics".to_owned()))
}

fn judge(kind: Kind, text: &str, seed: u64) -> Verdict {
    let reference = match Reference::of(text) {
        Ok(reference) => reference,
        Err(Stop::Refused(why)) => return Verdict::Refused(why),
        Err(stop) => return Verdict::Gap(format!("{stop:?}")),
    };
    let single = run(text, &CaseOptions::default());
    let lines = single.steps.len();
    if let Some(error) = single.error.as_ref().filter(|error| error.stage != "run") {
        return Verdict::Differs(format!("the engine refuses it at stage {}: {}", error.stage, error.message()));
    }
    let mut fails = None;
    let first = if kind == Kind::Times { lines } else { 0 };
    for line in first..=lines {
        match reference.bag(line) {
            Ok(_) if fails.is_some() => {}
            Ok(wanted) => {
                let upto = if line == lines { lines + 1 } else { line };
                // What is there from the beginning (VALUES) comes with the first line.
                if line > 0 && left(&single, upto) != wanted {
                    let error =
                        single.error.as_ref().map_or_else(String::new, |error| format!("; {}", error.message()));
                    return Verdict::Differs(format!(
                        "after line {line}{error}\n  engine:    {}\n  reference: {}",
                        shown(&left(&single, upto)),
                        shown(&wanted)
                    ));
                }
            }
            Err(Stop::Fails(why)) => {
                fails.get_or_insert((line, why));
            }
            Err(stop) => return Verdict::Gap(format!("{stop:?}")),
        }
    }
    match (&single.error, &fails) {
        (Some(error), None) => return Verdict::Differs(format!("the engine fails: {}", error.message())),
        (None, Some((line, why))) => {
            return Verdict::Differs(format!("the engine does not fail at line {line}: {why}"));
        }
        _ => {}
    }
    let options = CaseOptions {
        parallelism: Some(1 + (seed % 3) as u32),
        chunk_size: 1 + (seed % 7) as usize,
        seed,
        policy: Policy::Seeded,
        free_running: true,
        ..CaseOptions::default()
    };
    let free = run(text, &options);
    match (&free.error, fails, reference.bag(lines)) {
        (None, None, Ok(wanted)) => {
            let found = left(&free, lines + 1);
            if found == wanted {
                return Verdict::Same;
            }
            Verdict::Differs(format!(
                "free-running, parallelism {:?}, chunks of {}\n  engine:    {}\n  reference: {}",
                options.parallelism,
                options.chunk_size,
                shown(&found),
                shown(&wanted)
            ))
        }
        (Some(_), Some(_), _) => Verdict::Fails,
        (error, fails, _) => Verdict::Differs(format!(
            "free-running, in chunks of {}: the engine says {:?}, the reference {fails:?}",
            options.chunk_size,
            error.as_ref().map(|error| error.message().to_owned())
        )),
    }
}

/// What the changelog up to a step leaves behind.
fn left(result: &CaseResult, step: usize) -> Bag {
    let Some(output) = result.results.first() else { return BTreeMap::new() };
    let rows = output.rows.iter().filter(|row| row.step <= step as u64).map(|row| (row.op, row.row.as_slice()));
    materialise(rows, &output.changelog_mode, None)
}

fn shown(bag: &Bag) -> String {
    let row = |(row, count): (&Vec<Option<String>>, &i64)| {
        let values: Vec<&str> = row.iter().map(|value| value.as_deref().unwrap_or("NULL")).collect();
        format!("{count} × ({})", values.join(", "))
    };
    bag.iter().map(row).collect::<Vec<_>>().join("; ")
}

/// How many scripts came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// On which engine and reference agree.
    pub same: u64,
    /// Which fail on both sides.
    pub fails: u64,
    /// Which are refused.
    pub refused: u64,
}

/// A script in which engine and reference differ.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its seed.
    pub seed: u64,
    /// As short as was found.
    pub text: String,
    /// What is wrong.
    pub why: String,
}

/// Trials of making a failing script shorter.
const ATTEMPTS: usize = 3_000;

/// Tries the scripts of some seeds; gives how many came to what, and the first that fails.
///
/// # Errors
/// The script that fails.
pub fn search(kind: Kind, seeds: std::ops::Range<u64>) -> Result<Total, Box<Failure>> {
    let mut total = Total::default();
    for seed in seeds {
        match of_seed(kind, seed) {
            Verdict::Same => total.same += 1,
            Verdict::Fails => total.fails += 1,
            Verdict::Refused(_) => total.refused += 1,
            Verdict::Differs(_) | Verdict::Gap(_) => return Err(Box::new(short(kind, seed))),
        }
    }
    Ok(total)
}

/// The script of a seed, tried.
pub fn of_seed(kind: Kind, seed: u64) -> Verdict {
    verdict(kind, &script(kind, &mut Draw::of(seed)), seed)
}

/// The failing script of a seed, made shorter.
pub fn short(kind: Kind, seed: u64) -> Failure {
    let mut draw = Draw::of(seed);
    let whole = verdict(kind, &script(kind, &mut draw), seed);
    let alike = |verdict: &Verdict| match verdict {
        Verdict::Differs(why) => Some(why.split([',', ':', '\n']).next() == Some("it panics")),
        Verdict::Gap(_) => None,
        _ => Some(false),
    };
    let gap = matches!(whole, Verdict::Gap(_));
    let panics = alike(&whole);
    let mut still = |choices: &[u32]| {
        let found = verdict(kind, &script(kind, &mut Draw::again(choices)), seed);
        match found {
            Verdict::Gap(_) => gap,
            Verdict::Differs(_) => !gap && alike(&found) == panics,
            _ => false,
        }
    };
    let choices = shortened(draw.taken(), ATTEMPTS, &mut still);
    let text = script(kind, &mut Draw::again(&choices));
    let why = match verdict(kind, &text, seed) {
        Verdict::Differs(why) | Verdict::Gap(why) => why,
        other => format!("{other:?}"),
    };
    Failure { seed, text, why }
}

impl Failure {
    /// What a person needs to see.
    pub fn explain(&self, kind: Kind) -> String {
        format!("{kind:?}, seed {}: {}\n\n{}", self.seed, self.why, self.text)
    }
}
