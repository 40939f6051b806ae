//! System packages: asked for on a terminal, installed unasked in CI, by apt.

use crate::run::{self, Fail, Result};
use std::io::{BufRead, IsTerminal, Write};
use std::process::Command;

/// Whether this system has apt.
pub fn have_apt() -> bool {
    run::which("apt-get").is_some()
}

/// Whether apt knows a version of the package that could be installed.
pub fn known(package: &str) -> bool {
    candidate(package).is_some()
}

fn candidate(package: &str) -> Option<String> {
    let policy = run::ask("apt-cache", &["policy", package])?;
    let version = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate:"))?.trim().to_owned();
    (version != "(none)").then_some(version)
}

/// The packages that a package depends on, alternatives included.
pub fn depends(package: &str) -> Vec<String> {
    let text = run::ask("apt-cache", &["depends", package]).unwrap_or_default();
    let names = text.lines().filter_map(|line| line.trim().trim_start_matches('|').strip_prefix("Depends:"));
    names.map(|name| name.trim().to_owned()).collect()
}

/// Brings apt's lists up to date, unless they know all these packages.
pub fn refresh(packages: &[&str]) -> Result {
    if packages.iter().all(|package| known(package)) {
        return Ok(());
    }
    update()
}

/// Installs system packages; on a terminal only if the person says yes.
pub fn install(packages: &[&str], why: &str) -> Result {
    if !have_apt() {
        return Err(Fail::new(format!(
            "this needs {} ({why}), and there is no apt-get here to install it with: install it in your system's way",
            packages.join(", ")
        )));
    }
    refresh(packages)?;
    if let Some(package) = packages.iter().find(|package| !known(package)) {
        return Err(Fail::new(format!("this needs the system package {package} ({why}), and apt does not know it")));
    }
    let install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"];
    let command: Vec<&str> = install.iter().chain(packages).copied().collect();
    agree(&format!("the system packages {}", packages.join(", ")), why)?;
    let install = || run::run(privileged(&command)?.env("DEBIAN_FRONTEND", "noninteractive"));
    // Lists that are days old name files that are gone.
    install().or_else(|_| update().and_then(|()| install()))
}

fn update() -> Result {
    run::say("apt's package lists are old or empty: running apt-get update");
    run::run(privileged(&["apt-get", "update", "-qq"])?.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Says what is about to change in the system and why; on a terminal, asks first.
pub fn agree(what: &str, why: &str) -> Result {
    run::installing(what, why);
    let ci = std::env::var("CI").is_ok_and(|ci| ci == "true" || ci == "1");
    if ci || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(());
    }
    eprint!("xtask: go on? [Y/n] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    let _ = std::io::stdin().lock().read_line(&mut answer);
    match answer.trim().to_lowercase().as_str() {
        "" | "y" | "yes" => Ok(()),
        _ => Err(Fail::new(format!("not installed, as you wished; this cannot go on without {what}"))),
    }
}

/// A command as root: as it is, or through sudo.
pub fn privileged(command: &[&str]) -> Result<Command> {
    let root = run::ask("id", &["-u"]).is_some_and(|id| id.trim() == "0");
    let mut words = command.to_vec();
    if !root {
        if run::which("sudo").is_none() {
            return Err(Fail::new(format!(
                "`{}` needs root, and there is no sudo here: run it as root and try again",
                command.join(" ")
            )));
        }
        words.insert(0, "sudo");
    }
    let mut built = Command::new(words[0]);
    built.args(&words[1..]);
    Ok(built)
}
