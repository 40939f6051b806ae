//! `cargo xtask tidy`: who imports whom, file headers, words, lock files, formatting.

use crate::run::{self, Fail, Result};
use crate::test::text;
use crate::toolchain;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Who may import whom; what an import sees is visible to its importer too.
const IMPORTS: [(&str, &[&str]); 16] = [
    ("tidegate-diag", &[]),
    ("tidegate-data", &["tidegate-diag"]),
    ("tidegate-sql", &["tidegate-diag"]),
    ("tidegate-expr", &["tidegate-data"]),
    ("tidegate-plan", &["tidegate-sql", "tidegate-expr"]),
    ("tidegate-runtime", &["tidegate-data"]),
    ("tidegate-operators", &["tidegate-runtime", "tidegate-expr"]),
    ("tidegate-connectors", &["tidegate-runtime"]),
    ("tidegate", &["tidegate-plan", "tidegate-operators", "tidegate-connectors"]),
    ("tidegate-protocol", &[]),
    ("tidegate-worker", &["tidegate", "tidegate-protocol"]),
    ("tidegate-cli", &["tidegate"]),
    ("tidegate-web", &["tidegate-protocol"]),
    ("tidegate-tests", &["tidegate", "tidegate-protocol"]),
    ("tidegate-browser-tests", &[]),
    ("tidegate-wasm-tests", &["tidegate-worker"]),
];

/// What is not written here, and what instead: one word for one idea.
const WORDS: [(&str, &str); 17] = [
    ("retract message", "the row kind, -U or -D"),
    ("retraction message", "the row kind, -U or -D"),
    ("insert message", "the row kind, +I"),
    ("delete message", "the row kind, -D"),
    ("change log", "changelog"),
    ("check point", "checkpoint"),
    ("save point", "savepoint"),
    ("water mark", "watermark"),
    ("sub task", "subtask"),
    ("sub-task", "subtask"),
    ("back pressure", "back-pressure"),
    ("two phase commit", "two-phase commit"),
    ("precommit", "pre-commit"),
    ("epoch marker", "barrier"),
    ("fixme", "an issue, or the fix"),
    ("npmjs.org", "the package's name; no address of a registry belongs here"),
    ("deb.debian", "the package's name; no address of a registry belongs here"),
];

/// The lock file of cargo names this registry by itself; no other.
const CARGO_SOURCE: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// From here on a file is asked whether it has a seam.
const LONG: usize = 800;

/// Checks all of it and lists what is wrong; with `fix`, formats instead of checking the formatting.
pub fn tidy(fix: bool) -> Result {
    let mut wrong = Vec::new();
    imports(&metadata()?, &mut wrong);
    for file in texts(&run::root()) {
        check_file(&file, &mut wrong)?;
    }
    locks(&mut wrong)?;
    for line in &wrong {
        eprintln!("  {line}");
    }
    let formatted = format(fix);
    match (wrong.len(), formatted) {
        (0, formatted) => formatted,
        (count, Ok(())) => Err(Fail::new(format!("tidy found {count} things to set right, listed above"))),
        (count, Err(fail)) => {
            Err(Fail::new(format!("tidy found {count} things to set right, listed above; and {fail}")))
        }
    }
}

/// What cargo knows of the workspace's own packages.
pub fn metadata() -> Result<Value> {
    let text = run::output(Command::new("cargo").args(["metadata", "--no-deps", "--format-version", "1"]))?;
    serde_json::from_str(&text).map_err(|e| Fail::new(format!("cargo metadata gave no JSON: {e}")))
}

fn imports(metadata: &Value, wrong: &mut Vec<String>) {
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let own: BTreeSet<&str> = packages.iter().map(|package| text(package, "name")).collect();
    for package in &packages {
        let name = text(package, "name");
        if name == "xtask" {
            continue;
        }
        if !IMPORTS.iter().any(|(known, _)| *known == name) {
            wrong.push(format!("{name}: the import table in xtask/src/tidy.rs does not know this package"));
            continue;
        }
        let visible = visible(name);
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let import = text(dependency, "name");
            if own.contains(import) && !visible.contains(import) && dependency["kind"] != "dev" {
                wrong.push(format!("{name} must not import {import}: see the import table in docs/architecture.md"));
            }
        }
    }
}

/// What a package may import: its row of the table, and what those see.
fn visible(name: &str) -> BTreeSet<&'static str> {
    let row = IMPORTS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, row)| row);
    let mut all: BTreeSet<&'static str> = row.iter().copied().collect();
    for import in row {
        all.extend(visible(import));
    }
    all
}

/// The texts that people write here.
fn texts(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if path.is_dir() {
                if !matches!(&*name, "target" | "dist" | "node_modules" | ".git") {
                    folders.push(path);
                }
            } else if path
                .extension()
                .is_some_and(|e| matches!(&*e.to_string_lossy(), "rs" | "md" | "html" | "css" | "js" | "toml"))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn check_file(file: &Path, wrong: &mut Vec<String>) -> Result {
    let content = run::read(file)?;
    let shown = file.strip_prefix(run::root()).unwrap_or(file).display();
    if file.extension().is_some_and(|e| e == "rs") {
        if !opens_with_sentence(&content) {
            wrong.push(format!("{shown}: has to open with a `//!` sentence that says what is in it"));
        }
        let lines = content.lines().count();
        if lines > LONG {
            run::say(format_args!("warning: {shown} has {lines} lines: look for the seam"));
        }
    }
    if !file.ends_with("xtask/src/tidy.rs") {
        for (number, line) in content.lines().enumerate() {
            for (word, instead) in banned(line) {
                wrong.push(format!("{shown}:{}: not `{word}` but {instead}", number + 1));
            }
        }
    }
    Ok(())
}

fn opens_with_sentence(content: &str) -> bool {
    let paragraph =
        content.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).take_while(|l| !l.is_empty());
    let paragraph: Vec<&str> = paragraph.collect();
    paragraph.last().is_some_and(|last| last.ends_with(['.', ':', '`', ')', '!', '?']))
}

fn banned(line: &str) -> Vec<(&'static str, &'static str)> {
    let line = line.to_lowercase();
    let found = |word: &str| {
        line.match_indices(word).any(|(at, _)| {
            let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let end = line[at + word.len()..].chars().next();
            // A plural is the same word.
            !letter(line[..at].chars().next_back()) && (!letter(end) || end == Some('s'))
        })
    };
    WORDS.iter().copied().filter(|(word, _)| found(word)).collect()
}

fn locks(wrong: &mut Vec<String>) -> Result {
    if run::ask("cargo", &["metadata", "--locked", "--format-version", "1"]).is_none() {
        wrong.push("Cargo.lock: does not fit the manifests: run any cargo command, and commit it".into());
    }
    let cargo = run::read(&run::root().join("Cargo.lock"))?;
    let sources = cargo.lines().filter_map(|line| line.strip_prefix("source = \"")?.strip_suffix('"'));
    let foreign: BTreeSet<&str> = sources.filter(|source| *source != CARGO_SOURCE).collect();
    wrong.extend(foreign.iter().map(|source| format!("Cargo.lock: records the source {source}")));
    let npm = run::root().join("web/editor/package-lock.json");
    if npm.exists() && run::read(&npm)?.contains("\"resolved\"") {
        wrong.push("web/editor/package-lock.json: records where packages came from; its .npmrc says not to".into());
    }
    Ok(())
}

fn format(fix: bool) -> Result {
    let mut cargo = toolchain::ensure_lints()?;
    cargo.args(["fmt", "--all"]);
    if !fix {
        cargo.args(["--", "--check", "-l"]);
    }
    run::run(&mut cargo).map_err(|_| Fail::new("these files are not formatted: `cargo xtask tidy --fix` formats them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_sees_what_its_imports_see() {
        let plan = visible("tidegate-plan");
        assert!(plan.contains("tidegate-diag") && plan.contains("tidegate-data"));
        assert!(!plan.contains("tidegate-runtime"));
        assert!(visible("tidegate-web").iter().all(|name| *name == "tidegate-protocol"));
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(banned("A Check Point, two check points").len(), 1);
        assert!(banned("checkpoint; double-check pointers").is_empty());
    }

    #[test]
    fn a_header_is_a_sentence() {
        assert!(opens_with_sentence("//! Says\n//! it.\n\nfn f() {}"));
        assert!(!opens_with_sentence("fn f() {}"));
        assert!(!opens_with_sentence("//! Says"));
    }
}
