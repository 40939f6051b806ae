//! Stands in for wasm-bindgen and wasm-opt on trunk's PATH, and remembers what they made.
//!
//! Trunk runs both at each start, a minute's work on a large module. This program, called by the name of a tool,
//! looks up the hash of the tool, its arguments and its input, and runs the tool only where nothing is found.

use crate::hash::Hash;
use crate::run::{self, Fail, Result};
use crate::tools;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many results are kept: a few builds of three modules.
const KEPT: usize = 40;

/// The tools that are stood in for.
#[derive(Clone, Copy, PartialEq)]
pub enum Tool {
    /// Writes a folder of files.
    WasmBindgen,
    /// Writes one file.
    WasmOpt,
}

impl Tool {
    /// The tool that this program was called as.
    pub fn of(program: &OsStr) -> Option<Tool> {
        match Path::new(program).file_name()?.to_str()? {
            "wasm-bindgen" => Some(Tool::WasmBindgen),
            "wasm-opt" => Some(Tool::WasmOpt),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Tool::WasmBindgen => "wasm-bindgen",
            Tool::WasmOpt => "wasm-opt",
        }
    }

    /// The option that says where the result goes, as trunk writes it.
    fn output_option(self) -> &'static str {
        match self {
            Tool::WasmBindgen => "--out-dir=",
            Tool::WasmOpt => "--output=",
        }
    }
}

/// Runs the tool with the arguments of this process, or answers from memory.
pub fn run(tool: Tool) -> Result {
    let real = tools::real(tool.name())?;
    let args: Vec<String> = std::env::args().skip(1).collect();
    let output = args.iter().find_map(|arg| arg.strip_prefix(tool.output_option())).map(PathBuf::from);
    let input = args.iter().find(|arg| arg.ends_with(".wasm") && !arg.starts_with('-'));
    let (Some(output), Some(input)) = (output, input) else {
        // `--version` and the like.
        let status = Command::new(&real).args(&args).status();
        let status = status.map_err(|e| Fail::new(format!("{} could not be started: {e}", real.display())))?;
        std::process::exit(status.code().unwrap_or(1));
    };

    let mut key = Hash::new();
    // Its own file stands for its version, which would take a start of Node.js to ask for.
    let file = std::fs::metadata(&real).ok().and_then(|m| Some((m.len(), m.modified().ok()?)));
    key.add(real.as_os_str().as_encoded_bytes()).add(format!("{file:?}"));
    for arg in args.iter().filter(|arg| !arg.starts_with(tool.output_option()) && *arg != input) {
        key.add(arg);
    }
    key.add_file(Path::new(input));
    let store = run::root().join("target/tools/results");
    let entry = store.join(format!("{}-{}", tool.name(), key.hex()));

    if !entry.exists() {
        let staged = store.join(format!("staged-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&staged);
        run::create_dir(&staged)?;
        let made = match tool {
            Tool::WasmBindgen => staged.clone(),
            Tool::WasmOpt => staged.join("out.wasm"),
        };
        let mut command = Command::new(&real);
        for arg in &args {
            match arg.starts_with(tool.output_option()) {
                true => command.arg(format!("{}{}", tool.output_option(), made.display())),
                false => command.arg(arg),
            };
        }
        run::run(&mut command)?;
        // Two at once make the same: the first one's stays.
        if std::fs::rename(&staged, &entry).is_err() {
            let _ = std::fs::remove_dir_all(&staged);
        }
        forget_old(&store);
    } else if let Ok(folder) = std::fs::File::open(&entry) {
        // Touched, so that what is in use is not what is forgotten.
        let _ = folder.set_modified(std::time::SystemTime::now());
    }
    match tool {
        Tool::WasmBindgen => copy_all(&entry, &output),
        Tool::WasmOpt => copy(&entry.join("out.wasm"), &output),
    }
}

fn forget_old(store: &Path) {
    let entries = std::fs::read_dir(store).into_iter().flatten().flatten();
    let mut dated: Vec<_> = entries.filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path()))).collect();
    dated.sort();
    for (_, path) in dated.iter().rev().skip(KEPT) {
        let _ = std::fs::remove_dir_all(path);
    }
}

fn copy(from: &Path, to: &Path) -> Result {
    std::fs::copy(from, to)
        .map(drop)
        .map_err(|e| Fail::new(format!("cannot copy {} to {}: {e}", from.display(), to.display())))
}

/// Copies what a folder holds into another.
pub fn copy_all(from: &Path, to: &Path) -> Result {
    run::create_dir(to)?;
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_all(&entry.path(), &target)?,
            false => copy(&entry.path(), &target)?,
        }
    }
    Ok(())
}
