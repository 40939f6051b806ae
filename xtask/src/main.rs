//! The project's own commands: serve, build, test, bench, simulate, tidy.
//!
//! `cargo xtask help` lists them. Each command sets up what it needs, says what it installs and why,
//! and ends in one sentence when it cannot go on.

// Held to by the engine; this is a program like any other.
#![allow(clippy::disallowed_methods)]

mod bench;
mod cached;
mod editor;
mod hash;
mod packages;
mod run;
mod site;
mod test;
mod tidy;
mod toolchain;
mod tools;

use run::{Fail, Result};

const HELP: &str = "\
Tidegate's own commands, `cargo xtask <command>`:

  serve [--port N]        build the site, optimised, and serve it at http://127.0.0.1:8080/
  build                   build the static site into dist/; it works under any path prefix
  test [--all] [FILTER]   every check and test: formatting, tidy, clippy, native, wasm, browser
                            --all      the whole matrix of cases and seeds, not a seeded sample
                            --only S   only the stages S, a list as in `--only native,browser`
                            FILTER     only tests whose name contains it
  bench                   figures as JSON: native, in headless Chromium, and compressed sizes
                            --native   leave out the browser and the sizes
                            --browser  leave out what runs natively
                            --quick    one short run of each, to see that it works
                            --nexmark  Nexmark's queries instead, natively
                            --checkpoints  what checkpoints cost in each mode, and a restore, instead;
                                       a quarter of an hour
  simulate [ARGS]         seeded simulation runs, or one seed again; ARGS go to the simulator
                            --runs N, --minutes M, --first SEED, --threads N; --seed SEED; --release
  coverage                write docs/coverage.md anew: what of Flink there is
  parts                   build the page of all components with made-up data into target/parts/
  tidy [--fix]            import table, file headers, words, lock files, formatting
  setup                   only install what the other commands need

Set-up happens by itself. On a terminal you are asked before system packages are installed;
with CI=true, or without a terminal, they are installed unasked.

  TIDEGATE_TOOLCHAIN=debian   use Debian's own Rust for wasm even where rustup's would do
  CHROMIUM, CHROMEDRIVER      the browser and the driver to use instead of those found";

fn main() {
    let name = std::env::args_os().next().unwrap_or_default();
    let result = match cached::Tool::of(&name) {
        Some(tool) => cached::run(tool),
        None => dispatch(std::env::args().skip(1).collect()),
    };
    if let Err(fail) = result {
        eprintln!("\nxtask: {fail}");
        std::process::exit(fail.code());
    }
}

fn help() {
    use std::io::Write;
    // Whoever reads only its head has read enough.
    let _ = writeln!(std::io::stdout(), "{HELP}");
}

fn dispatch(args: Vec<String>) -> Result {
    std::env::set_current_dir(run::root()).map_err(|e| Fail::new(format!("cannot enter the repository: {e}")))?;
    run::clean_environment();
    run::prefer_own_tools();
    let mut args = Args(args);
    if args.0.iter().any(|arg| arg == "--help" || arg == "-h") {
        help();
        return Ok(());
    }
    match args.word().as_deref() {
        Some("serve") => {
            let port = args.value("--port")?.unwrap_or_else(|| "8080".into());
            let port = port.parse().map_err(|_| Fail::usage(format!("--port wants a number, not `{port}`")))?;
            args.end()?;
            site::serve(port)
        }
        Some("build") => {
            args.end()?;
            site::build().map(drop)
        }
        Some("parts") => {
            args.end()?;
            site::parts()
        }
        Some("test") => {
            let options = test::Options { all: args.flag("--all"), only: args.value("--only")?, filter: args.word() };
            args.end()?;
            test::test(&options)
        }
        Some("bench") => {
            let options = bench::Options {
                native: !args.flag("--browser"),
                browser: !args.flag("--native"),
                quick: args.flag("--quick"),
                nexmark: args.flag("--nexmark"),
                checkpoints: args.flag("--checkpoints"),
            };
            args.end()?;
            bench::bench(options)
        }
        Some("simulate") => test::simulate(args.0),
        Some("coverage") => {
            args.end()?;
            test::coverage()
        }
        Some("tidy") => {
            let fix = args.flag("--fix");
            args.end()?;
            tidy::tidy(fix)
        }
        Some("setup") => {
            args.end()?;
            let toolchain = toolchain::ensure()?;
            tools::ensure(&toolchain)?;
            tools::ensure_browser()?;
            editor::ensure_packages()
        }
        // Called by trunk, see `Trunk.toml`.
        Some("hook") => site::hook(&args.word().unwrap_or_default()),
        Some("help") | None => {
            help();
            Ok(())
        }
        Some(other) => Err(Fail::usage(format!("there is no command `{other}`; `cargo xtask help` lists them"))),
    }
}

/// What is left of the command line.
struct Args(Vec<String>);

impl Args {
    fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|arg| arg != name);
        self.0.len() < before
    }

    fn value(&mut self, name: &str) -> Result<Option<String>> {
        let joined = format!("{name}=");
        if let Some(at) = self.0.iter().position(|arg| arg.starts_with(&joined)) {
            return Ok(Some(self.0.remove(at)[joined.len()..].to_owned()));
        }
        let Some(at) = self.0.iter().position(|arg| arg == name) else {
            return Ok(None);
        };
        self.0.remove(at);
        if at == self.0.len() {
            return Err(Fail::usage(format!("{name} wants a value")));
        }
        Ok(Some(self.0.remove(at)))
    }

    /// The next argument, whatever it is: call it after the flags were taken.
    fn word(&mut self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }

    fn end(&self) -> Result {
        match self.0.first() {
            Some(arg) => Err(Fail::usage(format!("what is `{arg}`? `cargo xtask help` lists what there is"))),
            None => Ok(()),
        }
    }
}
