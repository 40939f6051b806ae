//! The recorded cases: columns, changelog modes, plans and refusals as Flink gave them.
//!
//! What does not agree yet is listed here, by case and statement; a name that is not listed fails the test, and so does a
//! listed one that agrees after all.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use tidegate_diag::Diagnostic;
use tidegate_plan::{Catalog, JobPlan, Outcome};

mod common;
mod known;

use common::{cases, connectors};

/// What disagrees, by sort, as `case:statement` (`case` for an error of a whole case).
#[derive(Default)]
struct Disagreements {
    columns: BTreeSet<String>,
    modes: BTreeSet<String>,
    plans: BTreeSet<String>,
    executions: BTreeSet<String>,
    trees: BTreeSet<String>,
    outputs: BTreeSet<String>,
    errors: BTreeSet<String>,
    counts: [usize; 7],
    report: String,
}

/// A text that is stored as one, or as a list of lines.
fn lines(value: &Value) -> String {
    match value {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        other => other.as_str().unwrap_or_default().to_string(),
    }
}

fn section(plan: &str, title: &str) -> String {
    let start = plan.find(title).map_or(plan.len(), |at| at + title.len());
    let rest = &plan[start..];
    unnumbered(rest[..rest.find("\n==").unwrap_or(rest.len())].trim())
}

/// Without the numbers of correlations, which count on over all statements of a session.
fn unnumbered(plan: &str) -> String {
    let mut parts = plan.split("$cor");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        out.push_str("$cor");
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

fn run(path: &Path, all: &mut Disagreements) {
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_string();
    let text = std::fs::read_to_string(path).expect("a case");
    let recorded: Value =
        serde_json::from_str(&std::fs::read_to_string(path.with_extension("json")).expect("a recording"))
            .expect("JSON");
    let script = tidegate_sql::parse_script(&text);
    let mut catalog = Catalog::new(connectors());
    let mut failed: Option<(u32, Vec<Diagnostic>)> = None;
    for statement in &script.statements {
        match catalog.execute(&text, statement) {
            Ok(Outcome::Job(job)) => compare_job(&name, statement.ordinal, &job, &recorded, all),
            Ok(Outcome::Table { rows, .. }) => compare_output(&name, statement.ordinal, &rows, &recorded, all),
            Ok(Outcome::Ddl { .. }) => {}
            Err(diagnostics) => {
                failed = Some((statement.ordinal, diagnostics));
                break;
            }
        }
    }
    let error = recorded
        .get("error")
        .filter(|error| matches!(error["stage"].as_str(), Some("validate" | "plan")) && script.diagnostics.is_empty());
    let statement = |error: &Value| error["statement"].as_u64().unwrap_or_default() as u32;
    let first_line = |text: &str| text.lines().next().unwrap_or_default().to_string();
    match (error, failed) {
        (None, None) => {}
        (None, Some(_)) if !script.diagnostics.is_empty() => {}
        (Some(error), Some((ordinal, diagnostics))) => {
            all.counts[6] += 1;
            let ours = &diagnostics[0];
            let stage = if ours.code.number() / 1000 == 3 { "plan" } else { "validate" };
            let wanted = first_line(error["message"].as_str().unwrap_or_default());
            if statement(error) != ordinal || stage != error["stage"] || first_line(&ours.message) != wanted {
                all.errors.insert(name.clone());
                let _ = writeln!(
                    all.report,
                    "error {name}: {} {} {wanted}\n  ours: {stage} {ordinal} {}",
                    error["stage"],
                    statement(error),
                    ours.message
                );
            }
        }
        (Some(error), None) => {
            all.counts[6] += 1;
            all.errors.insert(name.clone());
            let _ = writeln!(all.report, "error {name}: {} not raised", error["message"]);
        }
        (None, Some((ordinal, diagnostics))) => {
            all.counts[6] += 1;
            all.errors.insert(name.clone());
            let _ = writeln!(all.report, "error {name}: statement {ordinal} refused: {}", diagnostics[0].message);
        }
    }
}

fn compare_job(name: &str, ordinal: u32, job: &JobPlan, recorded: &Value, all: &mut Disagreements) {
    let results: Vec<&Value> = recorded["results"]
        .as_array()
        .map(|results| results.iter().filter(|result| result["statement"] == ordinal).collect())
        .unwrap_or_default();
    let key = format!("{name}:{ordinal}");
    let mut merged: Vec<&tidegate_plan::ResultTarget> = Vec::new();
    for target in &job.results {
        if !merged.iter().any(|own| own.sink.is_some() && own.sink == target.sink) {
            merged.push(target);
        }
    }
    for (ours, theirs) in merged.iter().zip(&results) {
        all.counts[0] += 1;
        let wanted: Vec<(String, String)> = theirs["columns"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|column| {
                (
                    column["name"].as_str().unwrap_or_default().to_string(),
                    column["type"].as_str().unwrap_or_default().to_string(),
                )
            })
            .collect();
        let columns: Vec<(String, String)> =
            ours.columns.iter().map(|(name, ty)| (name.clone(), ty.to_string())).collect();
        if columns != wanted {
            all.columns.insert(key.clone());
            let _ = writeln!(all.report, "columns {key}\n  ours:   {columns:?}\n  theirs: {wanted:?}");
        }
        all.counts[1] += 1;
        if theirs["changelog_mode"] != ours.changelog_mode.as_str() {
            all.modes.insert(key.clone());
            let _ =
                writeln!(all.report, "mode {key}: ours {} theirs {}", ours.changelog_mode, theirs["changelog_mode"]);
        }
    }
    let Some(plan) = results.first().map(|result| lines(&result["plan"])).filter(|plan| !plan.is_empty()) else {
        return;
    };
    let plan = plan.as_str();
    let ours = job.explain.join("\n");
    for (i, title, set) in [
        (2, "== Optimized Physical Plan ==", &mut all.plans),
        (3, "== Optimized Execution Plan ==", &mut all.executions),
        (4, "== Abstract Syntax Tree ==", &mut all.trees),
    ] {
        all.counts[i] += 1;
        let (own, wanted) = (section(&ours, title), section(plan, title));
        if own != wanted {
            set.insert(key.clone());
            let sort = ["plan", "exec", "tree"][i - 2];
            let _ = writeln!(all.report, "{sort} {key}\n--- ours\n{own}\n--- theirs\n{wanted}");
        }
    }
}

fn compare_output(name: &str, ordinal: u32, rows: &[Vec<Option<String>>], recorded: &Value, all: &mut Disagreements) {
    let result = recorded["results"].as_array().into_iter().flatten().find(|result| result["statement"] == ordinal);
    let Some(wanted) = result.and_then(|result| result["output"].as_array()) else { return };
    all.counts[5] += 1;
    let ours: Vec<Value> = rows
        .iter()
        .map(|row| Value::from(row.iter().map(|cell| Value::from(cell.clone())).collect::<Vec<_>>()))
        .collect();
    if ours != *wanted {
        all.outputs.insert(format!("{name}:{ordinal}"));
        let _ = writeln!(all.report, "output {name}:{ordinal}\n  ours:   {ours:?}\n  theirs: {wanted:?}");
    }
}

/// Checks one sort of disagreements against the list of known ones.
fn check(sort: &str, found: &BTreeSet<String>, known: &[&str], count: usize, faults: &mut Vec<String>) {
    println!("{sort}: {} of {count} agree", count - found.len());
    let known: BTreeSet<String> = known.iter().map(|name| name.to_string()).collect();
    let new: Vec<&String> = found.difference(&known).collect();
    if !new.is_empty() {
        faults.push(format!("{sort} no longer agree: {new:?}"));
    }
    let healed: Vec<&String> = known.difference(found).collect();
    if !healed.is_empty() {
        faults.push(format!("{sort} agree now, take them off the list: {healed:?}"));
    }
}

#[test]
fn plans_are_those_that_flink_makes() {
    let mut all = Disagreements::default();
    for path in cases() {
        run(&path, &mut all);
    }
    if let Some(file) = std::env::var_os("RECORDED_REPORT") {
        std::fs::write(file, &all.report).expect("the report's file");
    }
    let mut faults = Vec::new();
    check("columns", &all.columns, known::COLUMNS, all.counts[0], &mut faults);
    check("changelog modes", &all.modes, known::MODES, all.counts[1], &mut faults);
    check("physical plans", &all.plans, known::PLANS, all.counts[2], &mut faults);
    check("execution plans", &all.executions, known::EXECUTIONS, all.counts[3], &mut faults);
    check("syntax trees", &all.trees, known::TREES, all.counts[4], &mut faults);
    check("outputs", &all.outputs, known::OUTPUTS, all.counts[5], &mut faults);
    check("errors", &all.errors, known::ERRORS, all.counts[6], &mut faults);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
