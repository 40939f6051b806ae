//! Opens `bench.html` of the folder given, waits for its result, and prints it: a part of `cargo xtask bench`.

// Held to by the engine; here somebody waits for a browser.
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::time::{Duration, Instant};
use tidegate_browser_tests::{Browser, Options, Site};

fn main() {
    let folder = std::env::args().nth(1).expect("usage: browser-bench FOLDER");
    let site = Site::folder(Path::new(&folder)).serve();
    let browser = Browser::start(&Options::default());
    browser.goto(&site.url("/bench.html"));
    let deadline = Instant::now() + Duration::from_secs(20 * 60);
    loop {
        let error = browser.script("return window.benchError || null;", &[]);
        assert!(error.is_null(), "the bench in the worker failed: {error}\n{:?}", browser.console());
        let result = browser.script("return window.benchResult || null;", &[]);
        if let Some(result) = result.as_str() {
            println!("{result}");
            return;
        }
        assert!(result.is_null(), "the worker posted something else than JSON as a string: {result}");
        assert!(Instant::now() < deadline, "the bench in the worker took more than 20 minutes");
        std::thread::sleep(Duration::from_millis(500));
    }
}
