//! The page's editor, the one part that has no Rust counterpart: npm packages bundled into one file.
//!
//! `web/editor/package.json` has the script `build`, which takes `--outfile=…`. The bundle lies in
//! `target/editor/editor.js`; it is made again when a source, the lock file or the manifest has changed.

use crate::hash::Hash;
use crate::run::{self, Fail, Result};
use crate::tools;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    run::root().join("web/editor")
}

/// Where the bundle lies.
pub fn bundle_file() -> PathBuf {
    run::root().join("target/editor/editor.js")
}

/// Installs the npm packages that the lock file names, unless they are there.
pub fn ensure_packages() -> Result {
    let what = "the editor's npm packages into web/editor/node_modules";
    install(&folder(), what, "CodeMirror, and esbuild to bundle it")
}

/// The same for what the browser tests look at the page with.
pub fn ensure_test_packages() -> Result {
    let what = "the browser tests' npm package into tests/browser/node_modules";
    install(&run::root().join("tests/browser"), what, "axe-core, which finds what is not accessible")
}

fn install(folder: &Path, what: &str, why: &str) -> Result {
    if !folder.join("package.json").exists() {
        return Ok(());
    }
    tools::ensure_node()?;
    let key = Hash::new().add_file(&folder.join("package-lock.json")).hex();
    let note = folder.join("node_modules/.tidegate-installed");
    if std::fs::read_to_string(&note).is_ok_and(|noted| noted == key) {
        return Ok(());
    }
    run::installing(what, why);
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
    run::run(&mut npm)?;
    run::write(&note, key)
}

/// Bundles the editor, unless the bundle is of these very sources.
pub fn bundle() -> Result {
    if !folder().join("package.json").exists() {
        return Ok(());
    }
    ensure_packages()?;
    let mut key = Hash::new();
    for file in sources(&folder()) {
        key.add(file.as_os_str().as_encoded_bytes()).add_file(&file);
    }
    let (key, note) = (key.hex(), bundle_file().with_extension("key"));
    if bundle_file().exists() && std::fs::read_to_string(&note).is_ok_and(|noted| noted == key) {
        return Ok(());
    }
    run::say("bundling the editor");
    let mut npm = Command::new("npm");
    npm.args(["run", "--silent", "build", "--"])
        .arg(format!("--outfile={}", bundle_file().display()))
        .current_dir(folder());
    run::run(&mut npm)?;
    if !bundle_file().exists() {
        return Err(Fail::new("the script `build` of web/editor/package.json wrote no file where --outfile says"));
    }
    run::write(&note, key)
}

/// Makes a script (`js`) or a style sheet (`css`) of our own smaller, with the editor's bundler; as it is, where that is not there.
pub fn minify(text: &str, kind: &str) -> String {
    let esbuild = folder().join("node_modules/.bin/esbuild");
    minify_with(&esbuild, text, kind).unwrap_or_else(|| text.to_owned())
}

fn minify_with(esbuild: &Path, text: &str, kind: &str) -> Option<String> {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = Command::new(esbuild);
    command.args(["--minify", "--target=es2022", "--log-level=error"]).arg(format!("--loader={kind}"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    let input = text.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path().is_dir() {
                true if entry.file_name() == "node_modules" => {}
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
        }
    }
    files.sort();
    files
}
