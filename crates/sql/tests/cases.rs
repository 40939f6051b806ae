//! Reads every case of the repository, and finds parse errors just where Flink found them.

use std::fs;
use std::path::{Path, PathBuf};

use tidegate_sql::case::read_case;
use tidegate_sql::parse_script;

fn sql_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("a folder entry").path();
        if path.is_dir() {
            sql_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "sql") {
            found.push(path);
        }
    }
}

#[test]
fn cases_parse_where_flink_parses_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut files = Vec::new();
    sql_files(&folder, &mut files);
    assert!(files.len() >= 60, "only {} cases in {}", files.len(), folder.display());
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable case");
        // What Flink said stands beside the case, as one JSON object with an error if there was one.
        let recorded = fs::read_to_string(file.with_extension("json")).unwrap_or_default();
        let stage = |s: &str| recorded.contains(&format!("\"stage\": \"{s}\""));
        // A malformed constant is an error of the parser here and of the validator there.
        let refused = stage("parse") || (stage("validate") && recorded.contains("Binary literal string"));
        let script = parse_script(&text);
        if refused == script.diagnostics.is_empty() {
            wrong.push(format!("{}: {:?}", file.display(), script.diagnostics));
        }
        let case = read_case(&text);
        if !case.diagnostics.is_empty() && !stage("case") {
            wrong.push(format!("{}: {:?}", file.display(), case.diagnostics));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
