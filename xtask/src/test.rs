//! `cargo xtask test`: every check and test there is, stage by stage, each with its time.
//!
//! All stages run, also after one has failed, so that one run says all there is to say. Tests learn from their
//! environment: `TIDEGATE_TEST_ALL=1` asks for the whole matrix; `CHROMIUM` and `CHROMEDRIVER` name the browser.

use crate::run::{self, Fail, Result};
use crate::toolchain::{self, Toolchain};
use crate::{editor, site, tidy, tools};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What to test.
pub struct Options {
    /// The whole matrix, not a seeded sample of it.
    pub all: bool,
    /// The stages to run, separated by commas; all without it.
    pub only: Option<String>,
    /// Only tests whose name contains it.
    pub filter: Option<String>,
}

/// Packages that have no sense outside a browser: no native tests.
const WASM_ONLY: [&str; 3] = ["tidegate-web", "tidegate-worker", "tidegate-wasm-tests"];
const BROWSER_TESTS: &str = "tidegate-browser-tests";
/// Those of its files in which somebody uses the page.
const JOURNEYS: &[&str] = &[
    "back",
    "checkpoints",
    "dataflow",
    "examples",
    "failures",
    "faults",
    "inputs",
    "query",
    "results",
    "scenarios",
    "share",
    "workspace",
];

/// A stage says whether there was something to run.
type Stage = fn(&Options) -> Result<bool>;

const STAGES: [(&str, Stage); 6] = [
    ("tidy", |_| tidy::tidy(false).map(|()| true)),
    ("clippy", |_| clippy().map(|()| true)),
    ("native", |options| native(options).map(|()| true)),
    ("wasm", wasm),
    ("site", |_| site::build().map(|_| true)),
    ("browser", |options| browser(options).map(|()| true)),
];

/// Runs the stages and sums up.
pub fn test(options: &Options) -> Result {
    let wanted: Option<Vec<&str>> = options.only.as_ref().map(|list| list.split(',').map(str::trim).collect());
    let known = |name: &&str| STAGES.iter().any(|(stage, _)| stage == name);
    if let Some(unknown) = wanted.iter().flatten().find(|name| !known(name)) {
        let names: Vec<_> = STAGES.iter().map(|(name, _)| *name).collect();
        return Err(Fail::usage(format!("there is no stage `{unknown}`; there are {}", names.join(", "))));
    }
    let checks_only = ["tidy", "clippy"];
    let runs = |name: &str| match &wanted {
        Some(wanted) => wanted.contains(&name),
        // With a filter, somebody works on one test.
        None => options.filter.is_none() || !checks_only.contains(&name),
    };
    let mut lines = Vec::new();
    let mut failed = Vec::new();
    for (name, stage) in STAGES.iter().filter(|(name, _)| runs(name)) {
        eprintln!();
        run::say(format_args!("stage {name}"));
        let start = Instant::now();
        let outcome = stage(options);
        let seconds = start.elapsed().as_secs_f64();
        let verdict = match &outcome {
            Ok(true) => "passed",
            Ok(false) => "nothing to run",
            Err(_) => "FAILED",
        };
        lines.push(format!("  {name:<8} {seconds:7.1} s  {verdict}"));
        if let Err(fail) = outcome {
            run::say(&fail);
            failed.push(*name);
        }
    }
    eprintln!("\nxtask: stages\n{}", lines.join("\n"));
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Fail::new(format!("failed: {}; what each said is above", failed.join(", ")))),
    }
}

/// Runs the simulator with these arguments.
pub fn simulate(mut args: Vec<String>) -> Result {
    let all = args.len();
    args.retain(|arg| arg != "--release");
    let profile = if args.len() < all { "release" } else { "dev" };
    let toolchain = toolchain::ensure()?;
    let mut cargo = toolchain.cargo();
    cargo.args(["run", "--quiet", "--profile", profile, "--package", "tidegate-tests", "--bin", "simulate", "--"]);
    cargo.args(args);
    let status = cargo.status().map_err(|e| Fail::new(format!("cargo could not be started: {e}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(Fail::new("the simulation failed; what it said is above")),
    }
}

/// Writes the page of what of Flink there is.
pub fn coverage() -> Result {
    let toolchain = toolchain::ensure()?;
    let mut cargo = toolchain.cargo();
    run::run(cargo.args(["run", "--quiet", "--package", "tidegate-tests", "--bin", "coverage"]))
}

/// Everything, and the page of all components, which nothing else builds.
fn clippy() -> Result {
    lint(&["--workspace", "--all-targets"])?;
    lint(&["--package", "tidegate-web", "--features", "parts"])
}

/// Warnings fail it, but only at the end: `--deny warnings` would stop at the first package that has one.
fn lint(what: &[&str]) -> Result {
    let mut cargo = toolchain::ensure_lints()?;
    cargo.env("CARGO_TARGET_DIR", run::target().join("lint"));
    cargo.args(["clippy", "--quiet"]).args(what);
    let broken = |e| Fail::new(format!("clippy could not be run: {e}"));
    let mut child = cargo.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(broken)?;
    let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let mut warnings = 0;
    for line in lines.map_while(std::io::Result::ok) {
        warnings += usize::from(line.starts_with("warning: ") && !line.contains(" generated "));
        eprintln!("{line}");
    }
    let status = child.wait().map_err(broken)?;
    match (status.success(), warnings) {
        (true, 0) => Ok(()),
        (true, warnings) => Err(Fail::new(format!("clippy has {warnings} warnings, listed above"))),
        (false, _) => Err(Fail::new("clippy has errors, listed above")),
    }
}

fn native(options: &Options) -> Result {
    let toolchain = toolchain::ensure()?;
    let mut cargo = toolchain.cargo();
    cargo.args(["test", "--workspace", "--no-fail-fast"]);
    for package in WASM_ONLY.iter().chain(&[BROWSER_TESTS]) {
        cargo.args(["--exclude", package]);
    }
    test_options(&mut cargo, options);
    run_on_stdout(&mut cargo)
}

/// Runs the tests of the packages that use wasm-bindgen's test runner; false if there are none.
fn wasm(options: &Options) -> Result<bool> {
    let packages = wasm_tested()?;
    if packages.is_empty() {
        return Ok(false);
    }
    let toolchain = toolchain::ensure()?;
    tools::ensure_wasm_bindgen()?;
    let chromium = tools::ensure_browser()?;
    let native = native_cases(&toolchain)?;
    let mut cargo = toolchain.cargo();
    cargo.env("TIDEGATE_NATIVE_CASES", &native);
    cargo.env("PATH", run::path_with(&tools::path(&toolchain)));
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner");
    cargo.env("CHROMEDRIVER", &chromium.driver);
    cargo.args(["test", "--target", "wasm32-unknown-unknown", "--no-fail-fast"]);
    for package in &packages {
        cargo.args(["--package", package]);
    }
    test_options(&mut cargo, options);
    run_on_stdout(&mut cargo).map(|()| true)
}

/// What the command line makes of every case, natively, for the same in wasm to be compared with.
fn native_cases(toolchain: &Toolchain) -> Result<PathBuf> {
    run::run(toolchain.cargo().args(["build", "--quiet", "--package", "tidegate-cli"]))?;
    let tidegate = run::target().join("debug/tidegate");
    let mut list = Vec::new();
    for file in files(&run::root().join("tests/cases"), "sql") {
        let output = Command::new(&tidegate).arg("run").arg(&file).arg("--json").stdin(Stdio::null()).output();
        let output = output.map_err(|e| Fail::new(format!("{} could not be started: {e}", tidegate.display())))?;
        // A case that is broken natively is the native tests' to tell.
        if let (Some(0 | 1), Ok(result)) = (output.status.code(), String::from_utf8(output.stdout)) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            list.push(json!({ "name": name, "sql": run::read(&file)?, "result": result }));
        }
    }
    let file = run::target().join("native-cases.json");
    run::write(&file, Value::from(list).to_string())?;
    Ok(file)
}

/// The files with an extension in a folder and those below it.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|e| e == extension) => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

fn wasm_tested() -> Result<Vec<String>> {
    let metadata = tidy::metadata()?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let tested = packages.filter(|package| {
        let mut dependencies = package["dependencies"].as_array().into_iter().flatten();
        dependencies.any(|dependency| dependency["name"] == "wasm-bindgen-test")
    });
    Ok(tested.filter_map(|package| package["name"].as_str().map(str::to_owned)).collect())
}

/// Runs the browser tests against the site in `dist/`.
fn browser(options: &Options) -> Result {
    let toolchain = toolchain::ensure()?;
    let chromium = tools::ensure_browser()?;
    editor::ensure_test_packages()?;
    let cargo = || {
        let mut cargo = toolchain.cargo();
        cargo.env("CHROMIUM", &chromium.browser).env("CHROMEDRIVER", &chromium.driver);
        cargo.args(["test", "--no-fail-fast", "--package", BROWSER_TESTS]);
        cargo
    };
    let mut all = cargo();
    test_options(&mut all, options);
    run_on_stdout(&mut all)?;
    // What a person does is done again without a pointer.
    let mut journeys = cargo();
    journeys.env("TIDEGATE_HANDS", "keyboard");
    journeys.args(JOURNEYS.iter().flat_map(|name| ["--test", name]));
    test_options(&mut journeys, options);
    run_on_stdout(&mut journeys)
}

fn test_options(cargo: &mut Command, options: &Options) {
    if options.all {
        cargo.env("TIDEGATE_TEST_ALL", "1");
    }
    if let Some(filter) = &options.filter {
        cargo.args(["--", filter]);
    }
}

/// Test results are results: they go to standard output.
fn run_on_stdout(command: &mut Command) -> Result {
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|e| Fail::new(format!("`{}` could not be started: {e}", run::shown(command))))?;
    match status.success() {
        true => Ok(()),
        false => Err(Fail::new(format!("`{}` failed; its output is above", run::shown(command)))),
    }
}

/// A field of JSON as text.
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}
