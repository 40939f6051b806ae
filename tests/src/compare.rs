//! Whether a run gave what is expected.
//!
//! Exact means: the same rows with the same kinds at the same steps; within a step in the same order for each key, and as
//! a multiset across keys.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tidegate::case::{CaseError, CaseOutput};

use crate::recorded::{Recorded, RecordedError, RecordedResult, RecordedRow};
use crate::run::Run;

/// A row with its kind.
type Change = (String, Vec<Option<String>>);

/// All differences between what is expected and what a run with one row in flight gave; none if it is right.
pub fn exact(expected: &Recorded, run: &Run) -> Vec<String> {
    let mut found = Vec::new();
    error(expected.error.as_ref(), run.result.error.as_ref(), &mut found);
    for wanted in &expected.results {
        match result_of(run, wanted) {
            Some(given) => result(wanted, given, run, &mut found),
            None => found.push(format!("statement {}: its result is missing", wanted.statement)),
        }
    }
    for given in &run.result.results {
        let same = |w: &&RecordedResult| w.statement == given.statement && w.sink == given.sink;
        if !expected.results.iter().any(|w| same(&w)) {
            found.push(format!("statement {}: no result is expected", given.statement));
        }
    }
    found
}

/// The run's result that corresponds to a recorded one.
pub fn result_of<'a>(run: &'a Run, wanted: &RecordedResult) -> Option<&'a CaseOutput> {
    run.result.results.iter().find(|given| given.statement == wanted.statement && given.sink == wanted.sink)
}

fn error(expected: Option<&RecordedError>, given: Option<&CaseError>, found: &mut Vec<String>) {
    match (expected, given) {
        (None, None) => {}
        (None, Some(given)) => found.push(format!(
            "statement {}: fails at stage {}: {}",
            given.statement,
            given.stage,
            given.problems.iter().map(|p| format!("{} {}", p.code, p.message)).collect::<Vec<_>>().join(" / ")
        )),
        (Some(wanted), None) => {
            found.push(format!(
                "statement {}: should fail: {}",
                wanted.statement.unwrap_or(0),
                first_line(&wanted.message)
            ));
        }
        (Some(wanted), Some(given)) => {
            let stage = given.stage == wanted.stage;
            let statement = wanted.statement.is_none_or(|number| number == given.statement);
            let message = match wanted.stage.as_str() {
                // The oracle's own words, not Flink's.
                "case" => true,
                "parse" => same_parse_error(&wanted.message, given),
                _ => first_line(&wanted.message) == first_line(given.message()),
            };
            if !(stage && statement && message) {
                found.push(format!(
                    "the error differs\n  wanted: {} {:?} {}\n  given:  {} {} {}",
                    wanted.stage,
                    wanted.statement,
                    first_line(&wanted.message),
                    given.stage,
                    given.statement,
                    first_line(given.message())
                ));
            }
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

/// What could not be parsed must be the same; places are counted in the statement there, in the script here, and what
/// was expected is said in other words. Flink's lexer gives up without a token: then any error is right.
fn same_parse_error(wanted: &str, given: &CaseError) -> bool {
    let token = |text: &str| {
        let (_, rest) = text.split_once("Encountered \"").or_else(|| text.split_once("near the keyword '"))?;
        let end = rest.find("\" at line").or_else(|| rest.find("' at line"))?;
        Some(rest[..end].replace('\\', ""))
    };
    match (token(first_line(wanted)), token(first_line(given.message()))) {
        // A quote: the token is all that it quotes, or it never ends.
        (Some(w), g) if w.starts_with(['"', '\'']) => g.is_none_or(|g| g.starts_with(&w)),
        (Some(w), Some(g)) => w == g || g.starts_with(&w),
        (Some(_), None) => false,
        (None, _) => true,
    }
}

fn result(wanted: &RecordedResult, given: &CaseOutput, run: &Run, found: &mut Vec<String>) {
    let mut say = |what: String| found.push(format!("statement {}: {what}", wanted.statement));
    if let Some(output) = &wanted.output {
        if given.output.as_ref() != Some(output) {
            say(format!("prints\n{:#?}\n  wanted:\n{output:#?}", given.output));
        }
        return;
    }
    if wanted.line.is_some_and(|line| line != given.line) {
        say(format!("stands on line {}, wanted {:?}", given.line, wanted.line));
    }
    if let Some(columns) = &wanted.columns {
        let shown = |columns: &[(String, String)]| {
            columns.iter().map(|(name, ty)| format!("{name} {ty}")).collect::<Vec<_>>().join(", ")
        };
        let wanted: Vec<(String, String)> = columns.iter().map(|c| (c.name.clone(), c.ty.clone())).collect();
        if wanted != given.columns {
            say(format!("its columns differ\n  wanted: {}\n  given:  {}", shown(&wanted), shown(&given.columns)));
        }
    }
    if let Some(mode) = &wanted.changelog_mode
        && *mode != given.changelog_mode
    {
        say(format!("its changelog mode is {}, wanted {mode}", given.changelog_mode));
    }
    if let Some(rows) = &wanted.rows
        && let Some(difference) = changelog(rows, given, run.key(given.statement, given.sink.as_ref()))
    {
        say(difference);
    }
}

fn changelog(wanted: &[RecordedRow], given: &CaseOutput, key: Option<&[usize]>) -> Option<String> {
    let mut steps: BTreeMap<u64, (Vec<Change>, Vec<Change>)> = BTreeMap::new();
    for row in wanted {
        steps.entry(row.step).or_default().0.push((row.op.clone(), row.row.clone()));
    }
    for row in &given.rows {
        steps.entry(row.step).or_default().1.push((row.op.to_owned(), row.row.clone()));
    }
    for (step, (wanted, given)) in &steps {
        if by_key(wanted, key) != by_key(given, key) {
            return Some(format!("step {step} differs\n  wanted: {}\n  given:  {}", shown(wanted), shown(given)));
        }
    }
    None
}

/// The changes of each key in their order; without a key each row is its own.
fn by_key(changes: &[Change], key: Option<&[usize]>) -> BTreeMap<Vec<Option<String>>, Vec<Change>> {
    let mut keys: BTreeMap<Vec<Option<String>>, Vec<Change>> = BTreeMap::new();
    for change in changes {
        let of = match key {
            Some(key) => key.iter().map(|&column| change.1.get(column).cloned().flatten()).collect(),
            None => change.1.clone(),
        };
        keys.entry(of).or_default().push(change.clone());
    }
    keys
}

fn shown(changes: &[Change]) -> String {
    let mut text = String::new();
    for (op, row) in changes {
        let cells: Vec<&str> = row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect();
        let _ = write!(text, "{op}[{}] ", cells.join(", "));
    }
    if text.is_empty() { "nothing".into() } else { text }
}

/// What a changelog leaves behind: each row and how often it is there. In an upsert changelog (`UA` without `UB`) the last
/// row of a key counts.
pub fn materialise<'a>(
    changes: impl Iterator<Item = (&'a str, &'a [Option<String>])>,
    mode: &str,
    key: Option<&[usize]>,
) -> BTreeMap<Vec<Option<String>>, i64> {
    let mut table: BTreeMap<Vec<Option<String>>, i64> = BTreeMap::new();
    let upsert = mode.contains("UA") && !mode.contains("UB");
    if let (true, Some(key)) = (upsert, key) {
        let mut by_key: BTreeMap<Vec<Option<String>>, Vec<Option<String>>> = BTreeMap::new();
        for (op, row) in changes {
            let of: Vec<Option<String>> = key.iter().map(|&column| row[column].clone()).collect();
            match op {
                "+I" | "+U" => by_key.insert(of, row.to_vec()),
                _ => by_key.remove(&of),
            };
        }
        for row in by_key.into_values() {
            *table.entry(row).or_default() += 1;
        }
        return table;
    }
    for (op, row) in changes {
        let count = table.entry(row.to_vec()).or_default();
        *count += if op.starts_with('+') { 1 } else { -1 };
        if *count == 0 {
            table.remove(row);
        }
    }
    table
}

/// Whether the results of a run in some variation leave the same tables behind.
pub fn materialised(expected: &Recorded, run: &Run) -> Vec<String> {
    let mut found = Vec::new();
    error(expected.error.as_ref(), run.result.error.as_ref(), &mut found);
    for wanted in &expected.results {
        let (Some(rows), Some(given)) = (&wanted.rows, result_of(run, wanted)) else { continue };
        let key = run.key(given.statement, given.sink.as_ref());
        let mode = &given.changelog_mode;
        let left = materialise(rows.iter().map(|r| (r.op.as_str(), r.row.as_slice())), mode, key);
        let right = materialise(given.rows.iter().map(|r| (r.op, r.row.as_slice())), mode, key);
        if left != right {
            found.push(format!(
                "statement {}: other rows are left\n  wanted: {left:?}\n  given:  {right:?}",
                wanted.statement
            ));
        }
    }
    found
}

/// Whether the results of a run have the same changes for each key, whatever the steps.
pub fn same_changes(expected: &Recorded, run: &Run) -> Vec<String> {
    let mut found = Vec::new();
    error(expected.error.as_ref(), run.result.error.as_ref(), &mut found);
    for wanted in &expected.results {
        let (Some(rows), Some(given)) = (&wanted.rows, result_of(run, wanted)) else { continue };
        let key = run.key(given.statement, given.sink.as_ref());
        let left: Vec<Change> = rows.iter().map(|r| (r.op.clone(), r.row.clone())).collect();
        let right: Vec<Change> = given.rows.iter().map(|r| (r.op.to_owned(), r.row.clone())).collect();
        if by_key(&left, key) != by_key(&right, key) {
            found.push(format!(
                "statement {}: the changes differ\n  wanted: {}\n  given:  {}",
                wanted.statement,
                shown(&left),
                shown(&right)
            ));
        }
    }
    found
}
