//! The page loads wherever it lies, and says nothing in the console.

use std::path::Path;

use serde_json::json;
use tidegate_browser_tests::{Browser, Options, Site};

fn loads(site: &Site, name: &str) {
    let browser = Browser::start(&Options::default());
    browser.goto(&site.url("/"));
    browser.find("body > main");
    assert_eq!(browser.attribute("html", "data-start-error"), None);
    browser.find("main[data-live=true] .editor[data-ready=true]");
    browser.find("#changelog .row[data-kind='+U']");
    assert!(browser.find_all("#not-started").is_empty());
    browser.screenshot(name);
    browser.assert_no_errors();
}

#[test]
fn loads_at_the_root() {
    loads(&Site::built().serve(), "page");
}

#[test]
fn loads_under_a_prefix_that_looks_like_a_file() {
    loads(&Site::built().under("/a/b.js").serve(), "page-under-prefix");
}

#[test]
fn says_the_build_that_its_workers_say() {
    let site = Site::built().serve();
    let browser = Browser::start(&Options::default());
    browser.goto(&site.url("/"));
    let page = browser.attribute("meta[name=tidegate-build]", "content").expect("the page says its build");
    assert_eq!(page.len(), 16, "a hash, not {page:?}");
    let loader = browser.attribute("meta[name=tidegate-engine]", "content").expect("the page names its worker");
    let script = "const text = await (await fetch(arguments[0])).text(); return text;";
    let loader = browser.script(script, &[loader.into()]);
    assert!(loader.as_str().is_some_and(|text| text.contains(&page)), "{loader}");
}

#[test]
fn is_there_without_the_net_after_the_first_visit() {
    let site = Site::built().under("/play").serve();
    let browser = Browser::start(&Options::default());
    browser.goto(&site.url("/"));
    // Its worker controls the page once it has all files.
    browser.wait_for_script("navigator.serviceWorker.controller !== null");
    site.set_down(true);
    browser.reload();
    browser.find("body > main");
    assert_eq!(browser.attribute("html", "data-start-error"), None);
    // All of it: engine, store, editor, and a result.
    browser.find("main[data-live=true] .editor[data-ready=true]");
    browser.find("#changelog .row[data-kind='+U']");
    browser.assert_no_errors();
}

/// Has the page say another build than its workers, as after an update that a cache had half of; the first time only, or always.
fn other_build(always: bool) -> String {
    let once = if always { "" } else { "sessionStorage.getItem('told') === null &&" };
    format!(
        "new MutationObserver((_, watch) => {{
           const meta = document.querySelector('meta[name=tidegate-build]');
           if (!meta) return;
           watch.disconnect();
           if ({once} true) {{ meta.content = '0123456789abcdef'; sessionStorage.setItem('told', '1'); }}
         }}).observe(document, {{ childList: true, subtree: true }});"
    )
}

#[test]
fn page_and_worker_of_different_builds_notice_and_reload() {
    let site = Site::built().serve();
    let browser = Browser::start(&Options::default());
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": other_build(false) }));
    browser.goto(&site.url("/"));
    browser.wait_for_script("performance.getEntriesByType('navigation')[0].type === 'reload'");
    browser.find("main[data-live=true] .editor[data-ready=true]");
    browser.find("#changelog .row[data-kind='+U']");
    browser.assert_no_errors();

    // Where a reload does not help, it is said instead of done for ever.
    let browser = Browser::start(&Options::default());
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": other_build(true) }));
    browser.goto(&site.url("/"));
    browser.wait_for_script("performance.getEntriesByType('navigation')[0].type === 'reload'");
    browser.wait_for_text("#trouble", "TG9006");
    browser.wait_for_text("#trouble", "Clear the browser's cache");
}

#[test]
fn says_why_it_does_not_start() {
    // A browser without WebAssembly.
    let site = Site::built().serve();
    let browser = Browser::start(&Options::default());
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": "delete window.WebAssembly;" }));
    browser.goto(&site.url("/?embed=1&tab=state"));
    browser.wait_for_text("#not-started", "no WebAssembly");
    let link = browser.attribute("#not-started a[target=_blank]", "href");
    assert_eq!(link, Some(site.url("/?tab=state")));
    browser.screenshot("no-webassembly");
    drop(browser);

    // A program that is not what it should be.
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist");
    let names = std::fs::read_dir(dist).expect("the site is built").flatten().map(|file| file.file_name());
    let program = names
        .filter_map(|name| name.into_string().ok())
        .find(|name| name.starts_with("tidegate-web-") && name.ends_with(".wasm"))
        .expect("the page's program");
    let site = Site::built().page(&format!("/{program}"), "not found").serve();
    let browser = Browser::start(&Options::default());
    browser.goto(&site.url("/"));
    browser.wait_for_text("#why-not", "could not be loaded");
    browser.screenshot("no-program");
}

#[test]
fn says_in_a_sandboxed_frame_that_it_cannot_start() {
    let html =
        "<!doctype html><iframe sandbox='allow-scripts allow-popups' src='./' width='600' height='400'></iframe>";
    let site = Site::built().page("/frame.html", html).serve();
    let browser = Browser::start(&Options::default());
    browser.goto(&site.url("/frame.html"));
    browser.frame(Some("iframe"));
    browser.wait_for_text("#not-started", "Open Tidegate by itself");
    browser.find("#not-started a[target=_blank]");
    browser.frame(None);
    browser.screenshot("sandboxed");
}
