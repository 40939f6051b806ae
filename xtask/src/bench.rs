//! `cargo xtask bench`: all figures as one JSON on standard output, of one and the same build.
//!
//! ```json
//! { "machine": {…}, "native": {…}, "browser": {…}, "page": {…}, "sizes": { "total": {…}, "page": {…}, … } }
//! ```
//!
//! - `native` is what `target/release/tidegate bench --json` prints (with `--quick`, `--nexmark` and `--checkpoints` if they were asked for).
//! - `browser` is what the engine's worker posts when it is started with `#bench` (`#bench-quick`, `#bench-checkpoints`) at the end
//!   of its address: one message, the JSON as a string. It answers nothing else then. Headless Chromium runs it
//!   on a page `bench.html` which is only there for the bench: the site as built, in a copy under `target/bench`.
//! - `page` is of the page itself: how long a first visit takes, whether it stays smooth, how fast a changelog is paged.
//!   With `--checkpoints` neither is measured, nor is what a first visit loads.
//! - `sizes` has raw, brotli 11 and gzip 9 bytes of what a first visit loads.

use crate::run::{self, Fail, Result};
use crate::{cached, site, toolchain, tools};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::Command;

/// What to measure.
#[derive(Clone, Copy)]
pub struct Options {
    /// What runs natively.
    pub native: bool,
    /// What runs in the browser, and the sizes.
    pub browser: bool,
    /// One short run of each.
    pub quick: bool,
    /// Nexmark's queries instead, natively.
    pub nexmark: bool,
    /// What checkpoints cost instead.
    pub checkpoints: bool,
}

/// Measures and prints.
pub fn bench(options: Options) -> Result {
    let mut all = Map::new();
    all.insert("machine".into(), machine());
    if options.native || options.nexmark {
        all.insert("native".into(), native(options)?);
    }
    if options.browser && !options.nexmark {
        let dist = site::build()?;
        all.insert("browser".into(), browser(&dist, options)?);
        if !options.checkpoints {
            all.insert("page".into(), page(options)?);
            all.insert("sizes".into(), sizes(&dist)?);
        }
    }
    let text = serde_json::to_string_pretty(&Value::Object(all)).expect("maps with text keys are JSON");
    println!("{text}");
    Ok(())
}

fn machine() -> Value {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    json!({ "cpu": model.trim_start_matches([' ', '\t', ':']), "cores": cores })
}

fn native(options: Options) -> Result<Value> {
    let toolchain = toolchain::ensure()?;
    run::say("building the command line, optimised");
    run::run(toolchain.cargo().args(["build", "--release", "--package", "tidegate-cli"]))?;
    run::say("measuring natively");
    let mut tidegate = Command::new(run::target().join("release/tidegate"));
    tidegate.args(["bench", "--json"]);
    let flags = [(options.quick, "--quick"), (options.nexmark, "--nexmark"), (options.checkpoints, "--checkpoints")];
    for (wanted, flag) in flags {
        if wanted {
            tidegate.arg(flag);
        }
    }
    parse(&run::output(&mut tidegate)?, "`tidegate bench --json`")
}

fn parse(text: &str, whose: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|e| Fail::new(format!("{whose} gave no JSON ({e}): {}", text.trim())))
}

const PAGE: &str = "<!doctype html><meta charset=utf-8><title>Bench</title><script src=bench.js></script>\n";

fn browser(dist: &Path, options: Options) -> Result<Value> {
    let chromium = tools::ensure_browser()?;
    let toolchain = toolchain::ensure()?;
    let folder = run::root().join("target/bench");
    let _ = std::fs::remove_dir_all(&folder);
    cached::copy_all(dist, &folder)?;
    let loader = first_visit(dist)?
        .into_iter()
        .map(|(_, name)| name)
        .find(|name| name.starts_with("tidegate-engine_loader-"))
        .ok_or_else(|| Fail::new("the built site has no engine's worker to measure"))?;
    let fragment = match (options.checkpoints, options.quick) {
        (false, false) => "bench",
        (false, true) => "bench-quick",
        (true, false) => "bench-checkpoints",
        (true, true) => "bench-checkpoints-quick",
    };
    let script = format!(
        "const worker = new Worker('./{loader}#{fragment}', {{ type: 'module' }});\n\
         worker.onmessage = (message) => {{ document.title = 'done'; window.benchResult = message.data; }};\n\
         worker.onerror = (error) => {{ document.title = 'done'; window.benchError = error.message || 'the worker died'; }};\n"
    );
    run::write(&folder.join("bench.html"), PAGE)?;
    run::write(&folder.join("bench.js"), script)?;
    run::say("measuring in headless Chromium");
    let mut cargo = toolchain.cargo();
    cargo.env("CHROMIUM", &chromium.browser).env("CHROMEDRIVER", &chromium.driver);
    cargo.args(["run", "--quiet", "--package", "tidegate-browser-tests", "--bin", "browser-bench", "--"]).arg(&folder);
    parse(&run::output(&mut cargo)?, "the bench in Chromium")
}

/// A host keeps its files compressed: so does the copy of the site from which the page is measured.
const PRECOMPRESS: &str = "const fs=require('fs'),z=require('zlib'),c=z.constants;\
for(const f of process.argv.slice(1)){const b=fs.readFileSync(f);\
fs.writeFileSync(f+'.br',z.brotliCompressSync(b,{params:{[c.BROTLI_PARAM_QUALITY]:11,[c.BROTLI_PARAM_LGWIN]:22}}))}";

fn page(options: Options) -> Result<Value> {
    let chromium = tools::ensure_browser()?;
    let toolchain = toolchain::ensure()?;
    let folder = run::root().join("target/bench");
    run::say("compressing the site as a host does");
    let files = first_visit(&folder)?;
    let mut node = Command::new("node");
    node.arg("-e").arg(PRECOMPRESS).arg("--").args(files.iter().map(|(_, name)| folder.join(name)));
    run::output(&mut node)?;
    run::say("measuring the page");
    let mut cargo = toolchain.cargo();
    cargo.env("CHROMIUM", &chromium.browser).env("CHROMEDRIVER", &chromium.driver);
    cargo.args(["run", "--quiet", "--package", "tidegate-browser-tests", "--bin", "page-bench", "--"]).arg(&folder);
    if options.quick {
        cargo.arg("--quick");
    }
    parse(&run::output(&mut cargo)?, "the page's bench")
}

/// The files that a first visit loads, by part of the site.
fn first_visit(dist: &Path) -> Result<Vec<(&'static str, String)>> {
    let mut files = Vec::new();
    let mut folders = vec![dist.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(dist).unwrap_or(&path).to_string_lossy().into_owned();
            let part = match name.as_str() {
                name if name.starts_with("tidegate-web") => "page",
                name if name.starts_with("tidegate-store") => "store",
                name if name.starts_with("tidegate-engine") => "engine",
                name if name.starts_with("editor") => "editor",
                _ => "rest",
            };
            files.push((part, name));
        }
    }
    files.sort();
    match files.is_empty() {
        true => Err(Fail::new(format!("{} is empty", dist.display()))),
        false => Ok(files),
    }
}

/// Node.js has both compressors at their highest levels.
const COMPRESS: &str = "const fs=require('fs'),z=require('zlib'),c=z.constants;\
for(const f of process.argv.slice(1)){const b=fs.readFileSync(f);\
const br=z.brotliCompressSync(b,{params:{[c.BROTLI_PARAM_QUALITY]:11,[c.BROTLI_PARAM_LGWIN]:22,[c.BROTLI_PARAM_SIZE_HINT]:b.length}});\
console.log(b.length,br.length,z.gzipSync(b,{level:9}).length)}";

fn sizes(dist: &Path) -> Result<Value> {
    run::say("compressing");
    let files = first_visit(dist)?;
    let mut node = Command::new("node");
    node.arg("-e").arg(COMPRESS).arg("--").args(files.iter().map(|(_, name)| dist.join(name)));
    let lines = run::output(&mut node)?;
    let mut parts: std::collections::BTreeMap<&str, [u64; 3]> = std::collections::BTreeMap::new();
    for ((part, _), line) in files.iter().zip(lines.lines()) {
        let figures: Vec<u64> = line.split(' ').filter_map(|figure| figure.parse().ok()).collect();
        for part in [part, "total"] {
            let sums = parts.entry(part).or_default();
            sums.iter_mut().zip(&figures).for_each(|(sum, figure)| *sum += figure);
        }
    }
    let shown = parts
        .into_iter()
        .map(|(part, [raw, brotli, gzip])| (part.to_owned(), json!({ "raw": raw, "brotli": brotli, "gzip": gzip })));
    Ok(Value::Object(shown.collect()))
}
