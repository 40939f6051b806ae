//! Running programs: where, with which environment, and what is said about it.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why a command cannot go on: one clear sentence.
#[derive(Debug)]
pub struct Fail {
    sentence: String,
    code: i32,
}

impl Fail {
    /// A failure of what was asked for.
    pub fn new(sentence: impl Into<String>) -> Fail {
        Fail { sentence: sentence.into(), code: 1 }
    }

    /// A failure of the asking.
    pub fn usage(sentence: impl Into<String>) -> Fail {
        Fail { sentence: sentence.into(), code: 2 }
    }

    /// The exit code that says so.
    pub fn code(&self) -> i32 {
        self.code
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// What the commands return.
pub type Result<T = ()> = std::result::Result<T, Fail>;

/// The repository's folder.
pub fn root() -> PathBuf {
    // Baked in at compile time; `target/xtask` belongs to one checkout.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").to_owned()
}

/// Where cargo puts the products.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Where the tools of the project lie that belong to no cargo home.
pub fn tools() -> PathBuf {
    root().join("target/tools")
}

/// Takes out of the environment what the cargo that runs us has put there for us alone: it would choose
/// the compiler of everything that is run from here.
pub fn clean_environment() {
    let own = |name: &str| {
        name.starts_with("CARGO_PKG_")
            || name.starts_with("CARGO_BIN_")
            || matches!(
                name,
                "CARGO"
                    | "CARGO_MANIFEST_DIR"
                    | "CARGO_MANIFEST_PATH"
                    | "CARGO_MANIFEST_LINKS"
                    | "CARGO_CRATE_NAME"
                    | "CARGO_PRIMARY_PACKAGE"
                    | "RUSTC"
                    | "RUSTDOC"
                    | "RUSTUP_TOOLCHAIN"
                    | "LD_LIBRARY_PATH"
                    | "RUST_RECURSION_COUNT"
            )
    };
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(own) {
            // SAFETY: called first thing in `main`, before there is a second thread.
            unsafe { std::env::remove_var(&name) };
        }
    }
}

/// Puts the tools that were installed under `target/tools` before all others, and those of the cargo home after
/// them, where `cargo install` puts them whether PATH has that folder or not.
pub fn prefer_own_tools() {
    let mut path = path_with(&[tools().join("bin")]);
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    if let Some(home) = home {
        let all = std::env::split_paths(&path).chain([home.join("bin")]).collect::<Vec<_>>();
        path = std::env::join_paths(all).expect("folders on PATH hold no separator");
    }
    // SAFETY: called first thing in `main`, before there is a second thread.
    unsafe { std::env::set_var("PATH", path) };
}

/// Says what goes on. To standard error: standard output belongs to results.
pub fn say(text: impl fmt::Display) {
    eprintln!("xtask: {text}");
}

/// Says that something is being installed, and why.
pub fn installing(what: &str, why: &str) {
    say(format_args!("installing {what}: {why}"));
}

/// The first file of that name on PATH.
pub fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| is_program(file))
}

/// Whether that is a file one can run.
pub fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    file.is_file()
}

/// PATH with `folders` in front of it.
pub fn path_with(folders: &[PathBuf]) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(std::env::split_paths(&path));
    std::env::join_paths(all).expect("folders on PATH hold no separator")
}

/// A command line to show.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Runs a command whose output the person sees, on standard error.
pub fn run(command: &mut Command) -> Result {
    command.stdin(Stdio::null());
    command.stdout(stderr());
    let status = command.status().map_err(|e| Fail::new(format!("`{}` could not be started: {e}", shown(command))))?;
    match status.success() {
        true => Ok(()),
        false => Err(Fail::new(format!("`{}` failed ({status}); its output is above", shown(command)))),
    }
}

/// The standard output of a command that has to succeed.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| Fail::new(format!("`{}` could not be started: {e}", shown(command))))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(Fail::new(format!("`{}` failed ({}); its output is above", shown(command), output.status))),
    }
}

/// The standard output of a command, or nothing if it is not there or does not succeed.
pub fn ask<S: AsRef<OsStr>>(program: S, args: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Our standard error, for the standard output of another.
pub fn stderr() -> Stdio {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        match std::io::stderr().as_fd().try_clone_to_owned() {
            Ok(fd) => fd.into(),
            Err(_) => Stdio::inherit(),
        }
    }
    #[cfg(not(unix))]
    Stdio::inherit()
}

/// Creates a folder and those above it.
pub fn create_dir(dir: &Path) -> Result {
    std::fs::create_dir_all(dir).map_err(|e| Fail::new(format!("cannot create {}: {e}", dir.display())))
}

/// Reads a text file.
pub fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|e| Fail::new(format!("cannot read {}: {e}", file.display())))
}

/// Writes a file.
pub fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result {
    std::fs::write(file, bytes).map_err(|e| Fail::new(format!("cannot write {}: {e}", file.display())))
}
