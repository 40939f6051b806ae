//! A run handed on: as a link to a fresh profile, as a file, and in the frames of another page.

use serde_json::json;
use tidegate_browser_tests::{Browser, Options, Playground, Site};

const TOTALS: &str = "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
SELECT product, SUM(amount) AS total FROM orders GROUP BY product;
";

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

/// The changelog on screen as one text.
fn changelog(page: &Playground) -> String {
    page.changelog().into_iter().map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")
}

/// Runs two rows and gives the link of the run.
fn shared(page: &Playground) -> String {
    page.run_query(TOTALS);
    page.choose("#speed", "inf");
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["tea", "3"]]);
    page.send("orders", 0, &["tea", "4"]);
    page.wait_for_table(&[&["tea", "7"]]);
    page.click("#share");
    page.find("#share-link");
    let link = page.script("return document.querySelector('#share-link').value;", &[]);
    link.as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_link_gives_the_same_run_to_a_fresh_profile_also_where_storage_is_slow() {
    let page = Playground::open(&wide(), "");
    let link = shared(&page);
    page.screenshot("share");
    let fragment = link.split_once('#').map_or("", |(_, fragment)| fragment);
    assert!(fragment.len() > 100, "{link}");
    for query in ["", "?store-delay=150"] {
        let other = Playground::open(&wide(), &format!("{query}#{fragment}"));
        other.wait_for_text("#message", "Opened from a link");
        other.wait_for_table(&[&["tea", "7"]]);
        assert_eq!(changelog(&other), changelog(&page));
        other.wait_for_text(".cm-content", "SUM(amount)");
        // And it goes on.
        other.play(true);
        other.send("orders", 0, &["milk", "1"]);
        other.wait_for_table(&[&["tea", "7"], &["milk", "1"]]);
        other.assert_no_errors();
    }
    page.assert_no_errors();
}

#[test]
fn a_documentation_page_with_three_frames() {
    let site = Site::built().serve();
    let browser = Browser::start(&wide());
    browser.goto(&site.url("/docs.html"));
    for (frame, wanted) in [("changelog", ".changelog .row"), ("checkpoints", "#checkpoints"), ("plan", ".plan")] {
        browser.script("document.getElementById(arguments[0]).scrollIntoView();", &[json!(format!("frame-{frame}"))]);
        browser.wait_for_script(&format!(
            "!!document.getElementById('frame-{frame}').contentDocument?.querySelector('[data-embed] main[data-live=true] {wanted}')"
        ));
        browser.wait_for_script(&format!(
            "document.getElementById('frame-{frame}').contentDocument.querySelector('#open-full').href.includes('example=')"
        ));
        browser.screenshot(&format!("frame-{frame}"));
    }
    browser.assert_no_errors();
}
