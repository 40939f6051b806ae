//! The Rust toolchain that can build for wasm, and how it gets here.
//!
//! One toolchain builds all products in `target/`, native and wasm, so that nothing is rebuilt for a change of
//! compiler. It is the caller's own where that has, or can be given, the wasm target; else Debian's `rustc-web`,
//! side by side with the caller's, with a standard library for wasm that is built once from Debian's source package.

use crate::packages;
use crate::run::{self, Fail, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

const WASM: &str = "wasm32-unknown-unknown";

/// A toolchain for the products.
pub struct Toolchain {
    /// Goes in front of PATH; nothing for the caller's own.
    folder: Option<PathBuf>,
}

impl Toolchain {
    /// What goes in front of PATH so that every `cargo` and `rustc` is of this toolchain.
    pub fn path(&self) -> Vec<PathBuf> {
        self.folder.iter().cloned().collect()
    }

    /// Its cargo, in the environment that it needs.
    pub fn cargo(&self) -> Command {
        let path = run::path_with(&self.path());
        let program = self.folder.as_ref().map_or_else(|| "cargo".into(), |dir| dir.join("cargo"));
        let mut cargo = Command::new(program);
        cargo.env("PATH", path);
        cargo
    }

    /// What a person has to put before a command to get this toolchain in a shell.
    pub fn shell_prefix(&self) -> Option<String> {
        self.folder.as_ref().map(|dir| format!("PATH={}:$PATH", dir.display()))
    }
}

/// Finds the toolchain for the products, or installs what is missing.
pub fn ensure() -> Result<Toolchain> {
    let debian_wanted = std::env::var("TIDEGATE_TOOLCHAIN").is_ok_and(|name| name == "debian");
    if !debian_wanted {
        if has_wasm(Path::new("rustc")) {
            return Ok(Toolchain { folder: None });
        }
        if !debian_is_ready() && run::which("rustup").is_some() {
            run::installing("Rust's wasm target with rustup", "the page and its workers are compiled for it");
            if run::run(Command::new("rustup").args(["target", "add", WASM])).is_ok() && has_wasm(Path::new("rustc")) {
                return Ok(Toolchain { folder: None });
            }
            run::say("rustup could not bring it (are its hosts reached from here?): Debian's own Rust will do");
        }
    }
    if !debian_is_ready() {
        install_debian()?;
    }
    debian()
}

/// Whether that compiler has a standard library for wasm.
fn has_wasm(rustc: &Path) -> bool {
    run::ask(rustc, &["--print", "target-libdir", "--target", WASM]).is_some_and(|dir| holds_std(Path::new(dir.trim())))
}

fn holds_std(dir: &Path) -> bool {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    files.into_iter().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

fn version(rustc: &Path) -> String {
    run::ask(rustc, &["-vV"]).unwrap_or_default()
}

/// The libraries of the distribution's compiler, and a note beside them of the compiler that built them.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LIB: &str = "/usr/lib/rustlib/wasm32-unknown-unknown/lib";
const BUILT_BY: &str = ".built-by";

fn debian_is_ready() -> bool {
    let rustc = Path::new(DEBIAN_RUSTC);
    let note = std::fs::read_to_string(Path::new(DEBIAN_LIB).join(BUILT_BY));
    run::is_program(rustc) && has_wasm(rustc) && note.is_ok_and(|note| note == version(rustc))
}

/// A folder with nothing but Debian's Rust in it: /usr/bin itself, put first on PATH, would also change
/// which Node.js and what else is found.
fn debian() -> Result<Toolchain> {
    let folder = run::tools().join("debian-rust");
    run::create_dir(&folder)?;
    for name in ["rustc", "cargo", "rustdoc"] {
        let link = folder.join(name);
        let program = Path::new("/usr/bin").join(name);
        if std::fs::read_link(&link).is_ok_and(|at| at == program) {
            continue;
        }
        let _ = std::fs::remove_file(&link);
        #[cfg(unix)]
        std::os::unix::fs::symlink(&program, &link)
            .map_err(|e| Fail::new(format!("cannot link {}: {e}", link.display())))?;
    }
    Ok(Toolchain { folder: Some(folder) })
}

fn install_debian() -> Result {
    const WHY: &str = "the page and its workers are compiled for wasm, which the Rust on PATH cannot do here";
    if !packages::have_apt() {
        return Err(Fail::new(format!(
            "no Rust here can compile for {WASM}, and there is no apt-get to install another: \
             run `rustup target add {WASM}` where rustup reaches its hosts"
        )));
    }
    packages::refresh(&["rustc-web", "rust-web-llvm"])?;
    // The linker has to be of the LLVM that this compiler was built with.
    let needs = packages::depends("rust-web-llvm");
    let Some(llvm) = needs.iter().find_map(|name| name.strip_prefix("llvm-")) else {
        return Err(Fail::new(format!(
            "no Rust here can compile for {WASM}, and apt knows no rustc-web: \
             run `rustup target add {WASM}` where rustup reaches its hosts"
        )));
    };
    let lld = format!("lld-{llvm}");
    let wanted = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", &lld];
    packages::install(&wanted, WHY)?;
    build_std()
}

/// Debian ships no standard library for wasm: builds it from Debian's source of it.
fn build_std() -> Result {
    run::installing("a standard library for wasm, built from rust-web-src", "Debian ships none; one or two minutes");
    let seed = run::tools().join("wasm-std");
    run::create_dir(&seed.join("src"))?;
    let manifest = "[package]\nname = \"seed\"\nedition = \"2024\"\n\n[workspace]\n";
    run::write(&seed.join("Cargo.toml"), manifest)?;
    run::write(&seed.join("src/lib.rs"), "#![no_std]\n")?;
    let toolchain = debian()?;
    // Bitcode is what link-time optimisation needs; `test` is what wasm-bindgen's test runner links.
    let mut cargo = toolchain.cargo();
    cargo
        .current_dir(&seed)
        .args(["build", "--release", "--target", WASM, "-Z", "build-std=std,panic_abort,panic_unwind,test"])
        .env("CARGO_TARGET_DIR", seed.join("target"))
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("RUSTFLAGS", "-Cembed-bitcode=yes")
        .env("RUSTC_BOOTSTRAP", "1");
    run::run(&mut cargo)?;

    let deps = seed.join("target").join(WASM).join("release/deps");
    let staged = seed.join("lib");
    let _ = std::fs::remove_dir_all(&staged);
    run::create_dir(&staged)?;
    for file in std::fs::read_dir(&deps).into_iter().flatten().flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libseed-") {
            std::fs::copy(file.path(), staged.join(&name))
                .map_err(|e| Fail::new(format!("cannot copy {name}: {e}")))?;
        }
    }
    run::write(&staged.join(BUILT_BY), version(Path::new(DEBIAN_RUSTC)))?;

    // Whole or not at all, for a second xtask may look at it right now.
    let parent = Path::new(DEBIAN_LIB).parent().expect("an absolute path").to_string_lossy().into_owned();
    packages::agree(&format!("it in {DEBIAN_LIB}"), "there Debian's compiler looks for it")?;
    let new = format!("{parent}/lib.new");
    let staged = staged.to_string_lossy().into_owned();
    for words in [
        &["mkdir", "-p", &parent][..],
        &["rm", "-rf", &new],
        &["cp", "-r", &staged, &new],
        &["rm", "-rf", DEBIAN_LIB],
        &["mv", &new, DEBIAN_LIB],
    ] {
        run::run(&mut packages::privileged(words)?)?;
    }
    match debian_is_ready() {
        true => std::fs::remove_dir_all(&seed).map_err(|e| Fail::new(format!("cannot clean up: {e}"))),
        false => Err(Fail::new("the standard library for wasm was built, but Debian's compiler does not find it")),
    }
}

/// The cargo which has clippy and rustfmt: the caller's, whatever builds the products.
pub fn ensure_lints() -> Result<Command> {
    let ready =
        || run::ask("cargo", &["clippy", "--version"]).is_some() && run::ask("cargo", &["fmt", "--version"]).is_some();
    if !ready() && run::which("rustup").is_some() {
        run::installing("clippy and rustfmt with rustup", "the code is linted and its formatting checked");
        let _ = run::run(Command::new("rustup").args(["component", "add", "clippy", "rustfmt"]));
    }
    match ready() {
        true => Ok(Command::new("cargo")),
        false => Err(Fail::new("the Rust on PATH has no clippy or no rustfmt: install both and try again")),
    }
}
