//! The examples: scripts that run at once.

use crate::embed::is_embedded;

/// An example.
pub struct Example {
    /// Its name in the list.
    pub name: &'static str,
    /// What it shows, in a few words.
    pub shows: &'static str,
    /// The script; its `--!` blocks are the first input.
    pub sql: &'static str,
    /// Inputs that the page's generator feeds from the start: table and rows per second.
    pub rates: &'static [(&'static str, f64)],
    /// Elements per second to start with.
    pub speed: f64,
    /// Whether its two results belong beside each other, where there is room.
    pub beside: bool,
}

/// Queries of the Nexmark benchmark, which the engine has: they are called q0 to q23, and stand behind the examples.
pub const NEXMARK: usize = 24;

/// The name of a Nexmark query.
pub fn nexmark_name(number: usize) -> String {
    format!("Nexmark q{number}")
}

/// The place in the list of the example of this name.
pub fn place_of(name: Option<&str>) -> Option<usize> {
    let name = name?;
    let nexmark = || (0..NEXMARK).find(|number| nexmark_name(*number) == name);
    EXAMPLES.iter().position(|example| example.name == name).or_else(|| nexmark().map(|number| EXAMPLES.len() + number))
}

/// Whether the two results of the example of this name are to be seen together, and there is room.
pub fn begins_beside(name: Option<&str>) -> bool {
    let width = web_sys::window().and_then(|window| window.inner_width().ok()).and_then(|width| width.as_f64());
    let roomy = width.is_some_and(|width| width >= 1000.0) && !is_embedded();
    roomy && EXAMPLES.iter().any(|example| example.beside && Some(example.name) == name)
}

/// The bill service, as a streaming job.
pub const BILLS: &str = include_str!("examples/bills.sql");

/// All of them; the first one runs on a first visit.
pub const EXAMPLES: &[Example] = &[
    Example {
        name: "Clicks per user",
        shows: "one input, an updating and an append-only result",
        sql: include_str!("examples/clicks.sql"),
        rates: &[("clicks", 1.0)],
        speed: 20.0,
        beside: true,
    },
    Example {
        name: "Odd and even sums",
        shows: "two parallel sources, barriers align, two-phase commit",
        sql: include_str!("examples/sums.sql"),
        rates: &[("numbers", 2.0)],
        speed: 10.0,
        beside: false,
    },
    Example {
        name: "A bill service",
        shows: "payments that come twice are counted once, exactly",
        sql: BILLS,
        rates: &[("payments", 1.0)],
        speed: 20.0,
        beside: false,
    },
    Example {
        name: "Late rows",
        shows: "watermarks close windows; what comes behind them is dropped",
        sql: include_str!("examples/late.sql"),
        rates: &[],
        speed: 5.0,
        beside: false,
    },
    Example {
        name: "A changelog as source",
        shows: "updates and deletes come in, and retract what they had caused",
        sql: include_str!("examples/stock.sql"),
        rates: &[("stock", 1.0)],
        speed: 20.0,
        beside: false,
    },
];
