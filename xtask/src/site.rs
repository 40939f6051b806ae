//! The site: trunk builds and serves it, and the hooks here finish what trunk leaves open.
//!
//! Trunk gives a worker a fixed file name, starts the page with an inline script, and knows nothing of the editor.
//! The hook after a build therefore
//!
//! - writes the page's starter `boot-<hash>.js` from `web/boot.js`, since the content security policy allows no
//!   inline script;
//! - gives each worker's script, wasm and loader a name with a hash;
//! - copies the editor's bundle to `editor-<hash>.js`;
//! - computes the build id, a hash of everything built, and puts it into the page and into each worker's loader,
//!   where it is `self.TIDEGATE_BUILD`;
//! - writes these names into `index.html` wherever it has the plain ones. It reads, for the page to find:
//!   `<meta name="tidegate-build">`, and one `<meta>` for each worker (`NAME_loader.js`) and the editor.
//!
//! All addresses are relative, so the site works under any path prefix.

use crate::editor;
use crate::hash::{self, Hash};
use crate::run::{self, Fail, Result};
use crate::toolchain::{self, Toolchain};
use crate::tools;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds the site into `dist/`, and returns that folder.
pub fn build() -> Result<PathBuf> {
    let toolchain = prepare()?;
    run::run(trunk(&toolchain).args(["build", "--release"]))?;
    let dist = run::root().join("dist");
    run::say(format_args!("the site is in {}", dist.display()));
    Ok(dist)
}

/// Serves the site until interrupted.
pub fn serve(port: u16) -> Result {
    if std::net::TcpListener::bind(("127.0.0.1", port)).is_err() {
        return Err(Fail::new(format!(
            "port {port} is taken by another program: end it, or choose another with `cargo xtask serve --port N`"
        )));
    }
    let toolchain = prepare()?;
    run::say(format_args!("building the site; then it is at http://127.0.0.1:{port}/ (Ctrl-C ends it)"));
    let mut trunk = trunk(&toolchain);
    trunk.args(["serve", "--release", "--address", "127.0.0.1", "--port", &port.to_string()]);
    let status = trunk.status().map_err(|e| Fail::new(format!("trunk could not be started: {e}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(Fail::new(format!("trunk ended ({status}); what it said is above"))),
    }
}

fn prepare() -> Result<Toolchain> {
    let toolchain = toolchain::ensure()?;
    tools::ensure(&toolchain)?;
    editor::bundle()?;
    Ok(toolchain)
}

fn trunk(toolchain: &Toolchain) -> Command {
    let path = run::path_with(&tools::path(toolchain));
    let program = std::env::split_paths(&path).map(|dir| dir.join("trunk")).find(|file| run::is_program(file));
    let mut trunk = Command::new(program.unwrap_or_else(|| "trunk".into()));
    trunk.env("PATH", path).env("TRUNK_SKIP_VERSION_CHECK", "true").stdin(Stdio::null());
    // Trunk wants `true` or `false` where others set 1.
    trunk.env_remove("NO_COLOR");
    trunk
}

/// What trunk calls, see `Trunk.toml`.
pub fn hook(stage: &str) -> Result {
    match stage {
        "before" => editor::bundle(),
        "after" => {
            let variable =
                |name: &str| std::env::var(name).map_err(|_| Fail::new(format!("trunk gave its hook no {name}")));
            let staging = PathBuf::from(variable("TRUNK_STAGING_DIR")?);
            finish(&staging, variable("TRUNK_PROFILE")? == "release")
        }
        _ => Err(Fail::usage("hook wants `before` or `after`")),
    }
}

/// Finishes a site that trunk has put into `staging`.
fn finish(staging: &Path, minify: bool) -> Result {
    let page_file = staging.join("index.html");
    let mut page = run::read(&page_file)?;
    let script = |text: &str| {
        if minify { editor::minify(text) } else { text.to_owned() }
    };

    // The page's own script: named by trunk after the wasm that went into wasm-bindgen.
    let (js, wasm) = (attribute(&page, "data-js")?, attribute(&page, "data-wasm")?);
    let glue = script(&run::read(&staging.join(&js))?);
    run::write(&staging.join(&js), &glue)?;
    let boot = run::read(&run::root().join("web/boot.js"))?.replace("PAGE.js", &js).replace("PAGE.wasm", &wasm);
    let boot = script(&boot);
    let boot_name = format!("boot-{}.js", hash::short(boot.as_bytes()));
    run::write(&staging.join(&boot_name), &boot)?;
    let _ = std::fs::remove_file(staging.join("boot.js"));
    page = page.replace("boot.js", &boot_name);
    let mut id = Hash::new();
    id.add(&boot);

    if editor::bundle_file().exists() {
        let bundle = run::read(&editor::bundle_file())?;
        let name = format!("editor-{}.js", hash::short(bundle.as_bytes()));
        run::write(&staging.join(&name), bundle)?;
        page = page.replace("editor.js", &name);
        id.add(name);
    }

    let workers = workers(staging);
    let mut loaders = Vec::new();
    for name in workers {
        let wasm_name = format!("{name}_bg.wasm");
        let bytes = std::fs::read(staging.join(&wasm_name))
            .map_err(|e| Fail::new(format!("cannot read {wasm_name}, which trunk should have made: {e}")))?;
        let wasm_hashed = format!("{name}-{}_bg.wasm", hash::short(&bytes));
        rename(staging, &wasm_name, &wasm_hashed)?;

        let js_name = format!("{name}.js");
        let glue = script(&run::read(&staging.join(&js_name))?.replace(&wasm_name, &wasm_hashed));
        let js_hashed = format!("{name}-{}.js", hash::short(glue.as_bytes()));
        run::write(&staging.join(&js_name), &glue)?;
        rename(staging, &js_name, &js_hashed)?;
        id.add(&wasm_hashed).add(&js_hashed);
        loaders.push((name, js_hashed));
    }
    let id = id.hex()[..16].to_owned();
    for (name, js) in loaders {
        let loader = format!("{name}_loader.js");
        let text = format!("self.TIDEGATE_BUILD=\"{id}\";import init from\"./{js}\";await init();\n");
        let hashed = format!("{name}_loader-{}.js", hash::short(text.as_bytes()));
        run::write(&staging.join(&loader), text)?;
        rename(staging, &loader, &hashed)?;
        page = page.replace(&loader, &hashed);
    }
    page = page.replace("BUILD_ID", &id);
    run::write(&page_file, page)
}

/// The workers that trunk built: it wrote a loader for each.
fn workers(staging: &Path) -> Vec<String> {
    let files = std::fs::read_dir(staging).into_iter().flatten().flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let mut workers: Vec<_> = names.filter_map(|name| name.strip_suffix("_loader.js").map(str::to_owned)).collect();
    workers.sort();
    workers
}

fn rename(folder: &Path, from: &str, to: &str) -> Result {
    std::fs::rename(folder.join(from), folder.join(to))
        .map_err(|e| Fail::new(format!("cannot rename {from} to {to}: {e}")))
}

/// The value of the first such attribute in a page.
fn attribute(page: &str, name: &str) -> Result<String> {
    let start = format!("{name}=\"");
    let value = page.split_once(&start).and_then(|(_, rest)| rest.split_once('"'));
    value.map(|(value, _)| value.trim_start_matches("./").to_owned()).ok_or_else(|| {
        Fail::new(format!("index.html has no {name} after trunk's work: see pattern_script in Trunk.toml"))
    })
}
