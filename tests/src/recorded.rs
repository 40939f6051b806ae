//! The cases and what a real Flink gave for them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A case with all that lies beside it.
#[derive(Debug)]
pub struct CaseFile {
    /// The folder it is in.
    pub area: String,
    /// Its name, unique over all areas.
    pub name: String,
    /// The script.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// What is expected of us: what Flink gave, or what the `.deviation` says instead.
    pub expected: Recorded,
    /// Why the engine does not pass yet.
    pub known_failure: Option<String>,
}

/// What is recorded of a case.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Recorded {
    /// One per SELECT, per INSERT target and per statement that prints.
    #[serde(default)]
    pub results: Vec<RecordedResult>,
    /// What ended the case.
    pub error: Option<RecordedError>,
}

/// A recorded result.
#[derive(Debug, Clone, Deserialize)]
pub struct RecordedResult {
    /// The statement's number, from 1.
    pub statement: u32,
    /// Its line, from 1.
    pub line: Option<u32>,
    /// Its text.
    pub sql: Option<String>,
    /// The target of an INSERT.
    pub sink: Option<String>,
    /// Names and Flink's type texts.
    pub columns: Option<Vec<RecordedColumn>>,
    /// `I,UB,UA,D`
    pub changelog_mode: Option<String>,
    /// The changelog.
    pub rows: Option<Vec<RecordedRow>>,
    /// What a printing statement printed.
    pub output: Option<Vec<Vec<Option<String>>>>,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RecordedColumn {
    /// Its name.
    pub name: String,
    /// Flink's text of its type.
    #[serde(rename = "type")]
    pub ty: String,
}

/// A row of a changelog.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RecordedRow {
    /// The input line that caused it.
    pub step: u64,
    /// `+I`, `-U`, `+U`, `-D`
    pub op: String,
    /// The values as text.
    pub row: Vec<Option<String>>,
}

/// What ended a case.
#[derive(Debug, Clone, Deserialize)]
pub struct RecordedError {
    /// `case`, `parse`, `validate`, `plan` or `run`
    pub stage: String,
    /// The statement's number, if it was one.
    pub statement: Option<u32>,
    /// What was said.
    pub message: String,
}

/// All cases, sorted by area and name.
///
/// # Panics
/// When a case lacks its recording or something beside it cannot be read: then the cases are broken, not the engine.
pub fn cases() -> Vec<CaseFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut scripts: Vec<PathBuf> = Vec::new();
    for area in fs::read_dir(&root).expect("the folder of the cases").flatten().filter(|e| e.path().is_dir()) {
        let files = fs::read_dir(area.path()).expect("an area's folder").flatten();
        scripts.extend(files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|e| e == "sql")));
    }
    // Variations are drawn by a case's number: what is added to the last area leaves the draws of the others alone.
    scripts.sort_by_key(|path| (path.parent().is_some_and(|area| area.ends_with("join")), path.clone()));
    scripts.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> CaseFile {
    let text_of = |path: &Path| fs::read_to_string(path).ok();
    let shown = path.display();
    let text = text_of(path).unwrap_or_else(|| panic!("{shown} cannot be read"));
    let json = text_of(&path.with_extension("json")).unwrap_or_else(|| panic!("{shown} has not been recorded"));
    let mut expected: Recorded =
        serde_json::from_str(&json).unwrap_or_else(|e| panic!("the recording of {shown}: {e}"));
    if let Some(deviation) = text_of(&path.with_extension("deviation")) {
        expected = deviate(expected, &deviation).unwrap_or_else(|e| panic!("the deviation of {shown}: {e}"));
    }
    let part = |path: Option<&std::ffi::OsStr>| path.map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    CaseFile {
        area: part(path.parent().and_then(Path::file_name)),
        name: part(path.file_stem()),
        path: path.to_owned(),
        text,
        expected,
        known_failure: text_of(&path.with_extension("known-failure")),
    }
}

/// A `.deviation` holds the reason in lines that begin with `#`, then JSON as in a recording: `results` replace those of
/// the same statement and sink, and `error`, if it is there (perhaps as null), replaces the error.
fn deviate(mut recorded: Recorded, text: &str) -> Result<Recorded, String> {
    let json: String = text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    if json.len() == text.trim_end().len() {
        return Err("a line that begins with # and says why is missing".into());
    }
    let value: serde_json::Value = serde_json::from_str(&json).map_err(|e| e.to_string())?;
    let ours: Recorded = serde_json::from_value(value.clone()).map_err(|e| e.to_string())?;
    if value.get("error").is_some() {
        recorded.error = ours.error;
    }
    for result in ours.results {
        let same = |r: &&mut RecordedResult| r.statement == result.statement && r.sink == result.sink;
        match recorded.results.iter_mut().find(same) {
            Some(old) => {
                old.columns = result.columns.or(old.columns.take());
                old.changelog_mode = result.changelog_mode.or(old.changelog_mode.take());
                old.rows = result.rows.or(old.rows.take());
                old.output = result.output.or(old.output.take());
            }
            None => recorded.results.push(result),
        }
    }
    recorded.results.sort_by_key(|result| result.statement);
    Ok(recorded)
}
