//! The programs beside the compiler: trunk, wasm-bindgen, wasm-opt, Node.js, Chromium and its driver.

use crate::packages;
use crate::run::{self, Fail, Result};
use crate::toolchain::Toolchain;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The trunk that this was tried with; a later 0.21 does as well.
const TRUNK: &str = "0.21.14";

/// Installs what building the site needs.
pub fn ensure(toolchain: &Toolchain) -> Result {
    ensure_node()?;
    if !run::ask("trunk", &["--version"]).is_some_and(|text| text.contains(" 0.21.")) {
        cargo_install("trunk", TRUNK, true, "it builds and serves the site", "trunk")?;
    }
    ensure_wasm_bindgen()?;
    ensure_wasm_opt()?;
    link_wrappers()?;
    note_for_plain_trunk(toolchain)
}

/// Installs the wasm-bindgen of the very version in Cargo.lock: another one refuses the wasm.
pub fn ensure_wasm_bindgen() -> Result {
    let version = locked("wasm-bindgen")?;
    if !run::ask("wasm-bindgen", &["--version"]).is_some_and(|text| text.trim().ends_with(&format!(" {version}"))) {
        // Its lock file may name versions that a registry no longer serves.
        let why = "it writes the JavaScript between the wasm and the browser";
        cargo_install("wasm-bindgen-cli", &version, false, why, "wasm-bindgen")?;
    }
    Ok(())
}

/// The binaryen that is installed where none is new enough.
const BINARYEN: &str = "132.0.0";

/// From this version on wasm-opt reads what wasm-bindgen writes (`table.fill`); Debian 12 has an older one.
const BINARYEN_SINCE: u32 = 117;

fn ensure_wasm_opt() -> Result {
    let new_enough = |program: &Path| {
        let said = run::ask(program, &["--version"]).unwrap_or_default();
        let number = said.split_whitespace().find_map(|word| word.parse::<u32>().ok());
        number.is_some_and(|number| number >= BINARYEN_SINCE)
    };
    let ours = run::tools().join("bin/wasm-opt");
    if run::is_program(&ours) {
        return Ok(());
    }
    if real("wasm-opt").is_ok_and(|program| new_enough(&program)) {
        return Ok(());
    }
    run::installing(
        &format!("binaryen {BINARYEN} with npm into target/tools"),
        "its wasm-opt makes the wasm smaller and faster",
    );
    let folder = run::tools().join("npm");
    run::create_dir(&folder)?;
    run::create_dir(&run::tools().join("bin"))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"])
        .arg(&folder)
        .arg(format!("binaryen@{BINARYEN}"));
    run::run(&mut npm)?;
    link(&ours, &folder.join("node_modules/.bin/wasm-opt"))?;
    match new_enough(&ours) {
        true => Ok(()),
        false => Err(Fail::new(format!("the wasm-opt of npm's binaryen {BINARYEN} does not run here"))),
    }
}

/// Makes `link` lead to `file`.
fn link(link: &Path, file: &Path) -> Result {
    if std::fs::read_link(link).is_ok_and(|at| at == file) {
        return Ok(());
    }
    let _ = std::fs::remove_file(link);
    #[cfg(unix)]
    std::os::unix::fs::symlink(file, link).map_err(|e| Fail::new(format!("cannot link {}: {e}", link.display())))?;
    Ok(())
}

/// Node.js, which has to be there: the editor is a package of its world.
pub fn ensure_node() -> Result {
    match (run::which("node"), run::which("npm")) {
        (Some(_), Some(_)) => Ok(()),
        _ => packages::install(&["nodejs", "npm"], "the editor of the page is bundled with them"),
    }
}

/// Installs a program with cargo: into the cargo home, unless a version of it is there that somebody chose;
/// then under `target/tools`, which `PATH` has first.
fn cargo_install(package: &str, version: &str, locked: bool, why: &str, program: &str) -> Result {
    run::installing(&format!("{package} {version} with cargo"), &format!("{why}; this takes some minutes"));
    let mut cargo = Command::new("cargo");
    cargo.args(["install", package, "--version", version, "--force"]);
    if locked {
        cargo.arg("--locked");
    }
    if run::which(program).is_some() {
        cargo.arg("--root").arg(run::tools());
    }
    let build = run::tools().join("build");
    // These run for seconds: compiled for themselves they would take twice as long to come as to help.
    cargo
        .env("CARGO_TARGET_DIR", &build)
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", if package == "trunk" { "1" } else { "2" })
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    run::run(&mut cargo)?;
    let _ = std::fs::remove_dir_all(build);
    Ok(())
}

/// The version of a package in Cargo.lock.
fn locked(package: &str) -> Result<String> {
    let lock = run::read(&run::root().join("Cargo.lock"))?;
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    let version = lines.nth(1).and_then(|line| line.strip_prefix("version = \"")).and_then(|v| v.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| Fail::new(format!("Cargo.lock has no {package}")))
}

/// The folder of the wrappers that remember what the slow tools made.
fn wrappers() -> PathBuf {
    run::tools().join("cached")
}

fn link_wrappers() -> Result {
    run::create_dir(&wrappers())?;
    let this = std::env::current_exe().map_err(|e| Fail::new(format!("cannot find this program's own file: {e}")))?;
    // The last one is what `Trunk.toml` calls.
    for file in [wrappers().join("wasm-bindgen"), wrappers().join("wasm-opt"), run::tools().join("xtask")] {
        link(&file, &this)?;
    }
    Ok(())
}

fn note_for_plain_trunk(toolchain: &Toolchain) -> Result {
    let note = run::tools().join("said-how-to-use-plain-trunk");
    if let (Some(prefix), false) = (toolchain.shell_prefix(), note.exists()) {
        run::say(format_args!("plain trunk works as well from now on, as `{prefix} trunk serve`"));
        run::write(&note, "")?;
    }
    Ok(())
}

/// What goes in front of PATH for trunk, with the wrappers before the tools that they wrap.
pub fn path(toolchain: &Toolchain) -> Vec<PathBuf> {
    let mut path = vec![wrappers()];
    path.extend(toolchain.path());
    path.push(run::tools().join("bin"));
    path
}

/// The tool that a wrapper of this name stands for.
pub fn real(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let wrappers = wrappers();
    let folders = std::env::split_paths(&path).filter(|dir| *dir != wrappers);
    let mut files = folders.map(|dir| dir.join(name));
    files.find(|file| run::is_program(file)).ok_or_else(|| Fail::new(format!("there is no {name} on PATH")))
}

/// A browser and its driver.
pub struct Chromium {
    /// The browser's program.
    pub browser: PathBuf,
    /// The driver's program.
    pub driver: PathBuf,
}

/// Finds Chromium and its driver, or installs them.
pub fn ensure_browser() -> Result<Chromium> {
    if let Some(found) = find_browser() {
        return Ok(found);
    }
    // Ubuntu's `chromium` is a transitional package for a snap, which brings its driver along.
    let wanted = ["chromium", "chromium-driver"];
    packages::refresh(&wanted)?;
    let wanted: Vec<&str> = match packages::known("chromium-driver") {
        true => wanted.to_vec(),
        false => vec!["chromium-browser", "chromium-chromedriver"],
    };
    packages::install(&wanted, "the tests look at the page with a real browser")?;
    find_browser().ok_or_else(|| {
        Fail::new("Chromium or its driver is still not on PATH: set CHROMIUM and CHROMEDRIVER to their programs")
    })
}

fn find_browser() -> Option<Chromium> {
    let find = |variable: &str, names: &[&str]| match std::env::var_os(variable) {
        Some(set) => Some(PathBuf::from(set)).filter(|file| run::is_program(file)),
        None => names.iter().find_map(|name| run::which(name)),
    };
    Some(Chromium {
        browser: find("CHROMIUM", &["chromium", "chromium-browser", "google-chrome"])?,
        driver: find("CHROMEDRIVER", &["chromedriver"])?,
    })
}
