//! The examples: scripts that run at once.

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
}

/// All of them; the first one runs on a first visit.
pub const EXAMPLES: &[Example] = &[
    Example {
        name: "Clicks per user",
        shows: "one input, an updating and an append-only result",
        sql: include_str!("examples/clicks.sql"),
        rates: &[("clicks", 1.0)],
        speed: 20.0,
    },
    Example {
        name: "Odd and even sums",
        shows: "two parallel sources, barriers align, two-phase commit",
        sql: include_str!("examples/sums.sql"),
        rates: &[("numbers", 2.0)],
        speed: 10.0,
    },
    Example {
        name: "A bill service",
        shows: "payments that come twice are counted once, exactly",
        sql: include_str!("examples/bills.sql"),
        rates: &[("payments", 1.0)],
        speed: 20.0,
    },
    Example {
        name: "Late rows",
        shows: "watermarks close windows; what comes behind them is dropped",
        sql: include_str!("examples/late.sql"),
        rates: &[],
        speed: 5.0,
    },
    Example {
        name: "A changelog as source",
        shows: "updates and deletes come in, and retract what they had caused",
        sql: include_str!("examples/stock.sql"),
        rates: &[("stock", 1.0)],
        speed: 20.0,
    },
];
