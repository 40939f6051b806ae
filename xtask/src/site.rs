//! The site: trunk builds and serves it, and the hooks here finish what trunk leaves open.
//!
//! Trunk gives a worker a fixed file name, starts the page with an inline script, and knows nothing of the editor.
//! The hook after a build therefore
//!
//! - writes the page's starter `boot-<hash>.js` from `web/boot.js`, since the content security policy allows no
//!   inline script;
//! - gives each worker's script, wasm and loader a name with a hash;
//! - copies the editor's bundle to `editor-<hash>.js`;
//! - joins the style sheets, one for each part of the screen, to `styles-<hash>.css`;
//! - computes the build id, a hash of everything built, and puts it into the page and into each worker's loader,
//!   where it is `self.TIDEGATE_BUILD`;
//! - under `build`, not under `serve`, writes the service worker, from `web/service-worker.js`, with the list of all
//!   files;
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

/// Set for trunk where the site is to work without the net, after the first visit.
const OFFLINE: &str = "TIDEGATE_OFFLINE";

/// Builds the site into `dist/`, and returns that folder.
pub fn build() -> Result<PathBuf> {
    let toolchain = prepare()?;
    run::run(trunk(&toolchain).args(["build", "--release"]).env(OFFLINE, "1"))?;
    let dist = run::root().join("dist");
    run::say(format_args!("the site is in {}", dist.display()));
    Ok(dist)
}

/// Builds the page of all components with made-up data, for who works on them. It is no part of the site.
pub fn parts() -> Result {
    let toolchain = prepare()?;
    run::run(trunk(&toolchain).args(["build", "--dist", "target/parts", "web/parts.html"]))?;
    run::say("the parts are in target/parts; serve that folder with any static server");
    Ok(())
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
fn finish(staging: &Path, release: bool) -> Result {
    let site = Finisher { staging, release, snippets: hash_snippets(staging)? };
    let page_file = staging.join("index.html");
    let mut page = run::read(&page_file)?;
    let mut id = Hash::new();

    // The page's own module, which trunk named after what went into wasm-bindgen, not after what came out.
    let (js, wasm) = (attribute(&page, "data-js")?, attribute(&page, "data-wasm")?);
    let (new_js, new_wasm) = site.module("tidegate-web", &js, &wasm)?;
    page = page.replace(&wasm, &new_wasm).replace(&js, &new_js);
    let boot = run::read(&run::root().join("web/boot.js"))?;
    let boot = boot.replace("PAGE.js", &new_js).replace("PAGE.wasm", &new_wasm);
    let boot = site.add("boot", "js", &boot, true)?;
    page = page.replace("boot.js", &boot);
    id.add(boot);

    if editor::bundle_file().exists() {
        let editor = site.add("editor", "js", &run::read(&editor::bundle_file())?, false)?;
        page = page.replace("editor.js", &editor);
        id.add(editor);
    }

    let (joined, styles) = site.join_styles(&page)?;
    page = joined;
    id.add(styles);

    let mut loaders = Vec::new();
    for name in workers(staging) {
        let (js, wasm) = site.module(&name, &format!("{name}.js"), &format!("{name}_bg.wasm"))?;
        id.add(&js).add(wasm);
        loaders.push((format!("{name}_loader"), js));
    }
    let id = id.hex()[..16].to_owned();
    for (loader, js) in loaders {
        let text = format!("self.TIDEGATE_BUILD=\"{id}\";import init from\"./{js}\";await init();\n");
        let plain = format!("{loader}.js");
        remove(staging, &plain)?;
        page = page.replace(&plain, &site.add(&loader, "js", &text, false)?);
    }
    page = page.replace("BUILD_ID", &id);

    // Away from the net the page comes from the browser's cache; while somebody works on it, it must not.
    let offline = std::env::var_os(OFFLINE).is_some();
    page = page.replace("SERVICE_WORKER", if offline { "./service-worker.js" } else { "" });
    run::write(&page_file, page)?;
    if offline {
        let list = serde_json::to_string(&files(staging)).expect("names are JSON");
        let text = run::read(&run::root().join("web/service-worker.js"))?;
        let text = text.replace("BUILD_ID", &id).replace("\"FILES\"", &list);
        run::write(&staging.join("service-worker.js"), text)?;
    }
    Ok(())
}

struct Finisher<'a> {
    staging: &'a Path,
    release: bool,
    /// The name of the folder of wasm-bindgen's snippets.
    snippets: String,
}

impl Finisher<'_> {
    /// Gives a wasm and its script names after their content, under `name`.
    fn module(&self, name: &str, js: &str, wasm: &str) -> Result<(String, String)> {
        let bytes = std::fs::read(self.staging.join(wasm))
            .map_err(|e| Fail::new(format!("cannot read {wasm}, which trunk should have made: {e}")))?;
        let new_wasm = format!("{name}-{}_bg.wasm", hash::short(&bytes));
        rename(self.staging, wasm, &new_wasm)?;
        let glue = run::read(&self.staging.join(js))?;
        let glue = glue.replace(&format!("{name}_bg.wasm"), &new_wasm);
        // In the import statements alone: the wasm asks for the module under the name that wasm-bindgen gave it.
        let mut glue = glue.to_owned();
        for before in ["from \"", "from '", "from\"", "from'"] {
            glue = glue.replace(&format!("{before}./snippets/"), &format!("{before}./{}/", self.snippets));
        }
        remove(self.staging, js)?;
        Ok((self.add(name, "js", &glue, true)?, new_wasm))
    }

    /// Makes one style sheet of those that a page links, in their order, and gives the page that links it, and its name. A first visit asks once
    /// instead of a dozen times, and what is alike in them is packed together.
    fn join_styles(&self, page: &str) -> Result<(String, String)> {
        let is_link = |line: &&str| line.trim_start().starts_with("<link rel=\"stylesheet\"");
        let mut joined = String::new();
        for line in page.lines().filter(is_link) {
            let name = attribute(line, "href")?;
            joined.push_str(&run::read(&self.staging.join(&name))?);
            remove(self.staging, &name)?;
        }
        let styles = self.add("styles", "css", &joined, true)?;
        let mut link = Some(format!("    <link rel=\"stylesheet\" href=\"./{styles}\">\n"));
        let rest = page.split_inclusive('\n').map(|line| match is_link(&line.trim_end()) {
            true => link.take().unwrap_or_default(),
            false => line.to_owned(),
        });
        Ok((rest.collect(), styles))
    }

    /// Writes a script or a style sheet and returns its name, the given one and a hash.
    fn add(&self, name: &str, kind: &str, text: &str, minify: bool) -> Result<String> {
        let text = if minify && self.release { editor::minify(text, kind) } else { text.to_owned() };
        let file = format!("{name}-{}.{kind}", hash::short(text.as_bytes()));
        run::write(&self.staging.join(&file), text)?;
        Ok(file)
    }
}

/// Gives the folder of wasm-bindgen's snippets, if there is one, a name after its content, and returns that.
fn hash_snippets(staging: &Path) -> Result<String> {
    let folder = staging.join("snippets");
    if !folder.exists() {
        return Ok("snippets".to_owned());
    }
    let mut hash = Hash::new();
    for name in files(&folder) {
        hash.add(&name).add_file(&folder.join(&name));
    }
    let name = format!("snippets-{}", &hash.hex()[..16]);
    rename(staging, "snippets", &name)?;
    Ok(name)
}

/// The files in a folder and those below it, as relative addresses.
fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(inner).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => names.push(path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned()),
            }
        }
    }
    names.sort();
    names
}

/// The workers that trunk built: it wrote a loader for each.
fn workers(staging: &Path) -> Vec<String> {
    let files = std::fs::read_dir(staging).into_iter().flatten().flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let mut workers: Vec<_> = names.filter_map(|name| name.strip_suffix("_loader.js").map(str::to_owned)).collect();
    workers.sort();
    workers
}

fn remove(folder: &Path, name: &str) -> Result {
    std::fs::remove_file(folder.join(name)).map_err(|e| Fail::new(format!("cannot remove {name}: {e}")))
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
