//! docs/coverage.md: what of Flink 2.2 there is here, found out from the engine and the cases (`cargo xtask coverage`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tidegate::runtime::Restore;
use tidegate::{Said, Session, SessionOptions};

use crate::recorded::{CaseFile, cases};

/// What scripts are tried on.
const TABLES: &str = "CREATE TABLE t (a INT, b INT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE v (k INT, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline');
";

/// Settings that change results or plans in Flink.
const SETTINGS: [(&str, &str); 12] = [
    ("parallelism.default", "2"),
    ("table.exec.mini-batch.enabled", "true"),
    ("table.exec.sink.not-null-enforcer", "DROP"),
    ("table.exec.sink.type-length-enforcer", "TRIM_PAD"),
    ("table.exec.sink.upsert-materialize", "NONE"),
    ("table.exec.source.cdc-events-duplicate", "true"),
    ("table.exec.source.idle-timeout", "1 s"),
    ("table.exec.state.ttl", "1 h"),
    ("table.local-time-zone", "Europe/Berlin"),
    ("table.optimizer.agg-phase-strategy", "ONE_PHASE"),
    ("table.optimizer.distinct-agg.split.enabled", "true"),
    ("table.optimizer.multi-join.enabled", "true"),
];

/// One line of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The part of the page.
    pub part: String,
    /// What it is about.
    pub what: String,
    /// Whether it is here.
    pub here: bool,
    /// How it differs.
    pub remark: String,
    /// `area/name` of a case that shows it.
    pub case: Option<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where the page lies.
pub fn page_path() -> PathBuf {
    root().join("../docs/coverage.md")
}

/// What there is, entry by entry.
pub fn rows() -> Vec<Row> {
    let list = std::fs::read_to_string(root().join("coverage.txt")).expect("the list of what Flink has");
    let sound = |case: &CaseFile| case.expected.error.is_none() && case.known_failure.is_none();
    let cases: Vec<(CaseFile, String)> = cases()
        .into_iter()
        .filter(sound)
        .map(|case| {
            let text: Vec<&str> = case.text.lines().filter(|line| !line.starts_with("--")).collect();
            let text = text.join(" ").to_uppercase();
            (case, text)
        })
        .collect();
    let shown = |words: &str| {
        let words = words.to_uppercase();
        let found = cases.iter().find(|(_, text)| !words.is_empty() && text.contains(&words));
        found.map(|(case, _)| format!("{}/{}", case.area, case.name))
    };
    let functions = functions();
    let mut part = String::new();
    let mut rows = Vec::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if let Some(heading) = line.strip_prefix("## ") {
            part = heading.to_owned();
            continue;
        }
        let (entry, remark) = line.split_once(" ~ ").unwrap_or((line, ""));
        let (what, here, case) = match entry.strip_prefix("> ") {
            None => (entry.to_owned(), functions.iter().any(|name| name == entry), shown(&format!("{entry}("))),
            Some(form) => {
                let parts: Vec<&str> = form.split(" ::").map(str::trim).collect();
                let [what, words, script] = parts[..] else { panic!("the list of what Flink has: {line}") };
                (what.to_owned(), is_taken(script), shown(words))
            }
        };
        let case = case.filter(|_| here);
        rows.push(Row { part: part.clone(), what, here, remark: remark.to_owned(), case });
    }
    for (key, value) in SETTINGS {
        let remark = remark_of(key, value);
        let here = remark.is_some();
        let case = shown(&format!("SET '{key}'"));
        let remark = remark.unwrap_or_default();
        rows.push(Row { part: "Settings".to_owned(), what: format!("`{key}`"), here, remark, case });
    }
    rows
}

/// The names that SHOW FUNCTIONS gives.
fn functions() -> Vec<String> {
    let names = said("SHOW FUNCTIONS").into_iter().flat_map(|said| match said {
        Said::Table { rows, .. } => rows.into_iter().flatten().flatten().collect(),
        _ => Vec::new(),
    });
    names.collect()
}

fn said(script: &str) -> Vec<Said> {
    let (outcome, _) = Session::new(SessionOptions::default()).run_statements(&format!("{script};"), Restore::None);
    outcome.statements.into_iter().map(|statement| statement.said).collect()
}

/// Whether the planner takes a script.
fn is_taken(script: &str) -> bool {
    let problems = Session::check(&format!("{TABLES}{script};"), &SessionOptions::default());
    !problems.iter().any(|problem| problem.is_error())
}

/// What SET remarks on a setting, nothing where it has its effect; none where it is unknown.
fn remark_of(key: &str, value: &str) -> Option<String> {
    match said(&format!("SET '{key}' = '{value}'")).into_iter().next()? {
        Said::Message(message) if message == "OK" => Some(String::new()),
        Said::Message(message) => Some(message),
        _ => None,
    }
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The page.
pub fn page(rows: &[Row]) -> String {
    let here = rows.iter().filter(|row| row.here).count();
    let mut out = format!(
        "# What of Flink 2.2 there is\n\nMade by `cargo xtask coverage` from the engine and its cases; not to be changed by hand.\nOf {} entries {here} are here, {:.1}%. Machine-learning and catalog functions are left out.\n",
        rows.len(),
        here as f64 * 100.0 / rows.len() as f64
    );
    let mut part = "";
    for row in rows {
        if row.part != part {
            part = &row.part;
            let head = format!("\n## {part}\n\n| | here | remark | case |\n| --- | --- | --- | --- |\n");
            out.push_str(&head);
        }
        let case = row.case.as_ref().map_or(String::new(), |case| format!("[{case}](../tests/cases/{case}.sql)"));
        let here = match (row.here, row.remark.is_empty()) {
            (false, _) => "no",
            (true, true) => "yes",
            (true, false) => "differs",
        };
        writeln!(out, "| {} | {here} | {} | {case} |", cell(&row.what), cell(&row.remark)).expect("a string takes all");
    }
    out
}

/// What on the page is not so any more; which of several cases shows something does not count.
pub fn outdated(page: &str, rows: &[Row]) -> Vec<String> {
    let cells = |line: &str| -> Vec<String> {
        let bar = "\u{1}";
        line.replace("\\|", bar).split('|').map(|cell| cell.trim().replace(bar, "\\|")).collect()
    };
    let lines = |text: &str| -> Vec<Vec<String>> {
        let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| ---") && !line.starts_with("| |");
        text.lines().filter(is_row).map(cells).collect()
    };
    let (old, new) = (lines(page), lines(&self::page(rows)));
    let mut found: Vec<String> = Vec::new();
    for line in &new {
        if !old.iter().any(|known| known.get(..4) == line.get(..4)) {
            found.push(format!("{}: {} {}", line[1], line[2], line[3]));
        }
    }
    for line in &old {
        if !new.iter().any(|known| known.get(1) == line.get(1)) {
            found.push(format!("{}: on no list any more", line[1]));
        }
        let case = line.get(4).and_then(|cell| cell.split_once("](../")).and_then(|(_, rest)| rest.strip_suffix(')'));
        if let Some(case) = case
            && !root().join("..").join(case).exists()
        {
            found.push(format!("{}: there is no case {case}", line[1]));
        }
    }
    found
}
