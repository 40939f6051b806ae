//! What the browser tests stand on: the built site on a port of its own, and a real Chromium that looks at it.
//!
//! ```no_run
//! use tidegate_browser_tests::{Browser, Options, Site};
//!
//! let site = Site::built().serve();
//! let browser = Browser::start(&Options::default());
//! browser.goto(&site.url("/"));
//! browser.click("#run");
//! browser.wait_for_text("#results", "+I");
//! browser.screenshot("results");
//! browser.assert_no_errors();
//! ```
//!
//! Nothing here sleeps for a fixed time and hopes: whatever is waited for is looked at again and again until it is
//! there, or until [`PATIENCE`] is over and the test fails, with a picture of what there was instead.

// Held to by the engine; here somebody waits for a browser.
#![allow(clippy::disallowed_methods)]

mod browser;
mod driver;
mod hands;
mod playground;
mod site;

pub use browser::{Browser, ConsoleEntry, Element, Options};
pub use hands::Hands;
pub use playground::Playground;
pub use site::{POLICY, Site};

/// How long something may take to show up.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(90);
