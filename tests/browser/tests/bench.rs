//! The engine's worker as the bench starts it: every query is computed and every checkpoint taken, whatever the time.

use serde_json::Value;
use tidegate_browser_tests::{Options, Playground};

/// The engine as it is built for the site, at full speed: what only its compiler got wrong shows here.
#[test]
fn every_figure_comes_out() {
    let page = Playground::open(&Options::default(), "");
    page.script(
        "const loader = document.querySelector('meta[name=tidegate-engine]').content;\
         const worker = new Worker(loader + '#bench-quick', { type: 'module' });\
         worker.onmessage = (message) => { window.figures = message.data; };\
         worker.onerror = (error) => { window.figures = 'the worker died: ' + error.message; };",
        &[],
    );
    let figures = page.wait_for_script("window.figures");
    let figures = figures.as_str().expect("the worker posts a text");
    let figures: Value = serde_json::from_str(figures).unwrap_or_else(|_| panic!("no figures: {figures}"));
    // Of 200,000 rows half pass; each row but a key's first is an update of two rows; 10,000 keys in two windows.
    for (query, rows) in [
        ("filter_project", 99_000..=101_000),
        ("group_by_bigint", 390_000..=390_000),
        ("group_by_string", 390_000..=390_000),
        ("tumble_count", 15_000..=20_000),
    ] {
        let out = figures["queries"][query]["rows_out"].as_u64().expect("rows are counted");
        assert!(rows.contains(&out), "{query} gave {out} rows: {figures}");
    }
    assert_eq!(figures["checkpoints"].as_array().map(Vec::len), Some(2), "{figures}");
    page.assert_no_errors();
}
