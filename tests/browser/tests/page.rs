//! The page loads wherever it lies, and says nothing in the console.

use tidegate_browser_tests::{Browser, Options, Site};

fn loads(site: &Site, name: &str) {
    let browser = Browser::start(&Options::default());
    browser.goto(&site.url("/"));
    browser.find("body > :not(noscript)");
    assert_eq!(browser.attribute("html", "data-start-error"), None);
    browser.find("main[data-live=true] .editor[data-ready=true]");
    browser.find("#changelog .row[data-kind='+U']");
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
    browser.find("body > :not(noscript)");
    assert_eq!(browser.attribute("html", "data-start-error"), None);
}
