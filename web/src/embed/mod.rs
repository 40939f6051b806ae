//! The page in a frame of another page (`?embed=1`): compact, in memory, result first, the editor folded behind its tab.
//!
//! The address says more: `theme=light|dark`, `height=420` (pixels, 240 to 4000; what is less is taken as 240), `tab=changelog|state|checkpoints|sink|plan|batch`, `example=2` (from 1).

mod full;

pub use full::OpenInFull;

use yew::prelude::*;

use crate::app::Desk;
use crate::engine::query;
use crate::examples::{EXAMPLES, NEXMARK};
use crate::state::{Action, Tab};

/// Whether this is a frame's page.
pub fn is_embedded() -> bool {
    query("embed").is_some_and(|value| value != "0")
}

/// The example that the address asks for, from 0; what it asks for instead, if there is no such example.
pub fn first_example() -> Result<usize, String> {
    let Some(asked) = query("example") else { return Ok(0) };
    let number = asked.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    number.filter(|number| *number < EXAMPLES.len() + NEXMARK).ok_or(asked)
}

/// Shows the tab that the address says, once. Theme and height are set by `boot.js`, before anything is drawn.
#[hook]
pub fn use_embed(desk: &Desk) {
    let desk = desk.clone();
    use_effect_with((), move |()| {
        let tab = match query("tab").as_deref() {
            Some("state") => Some(Tab::State),
            Some("checkpoints") => Some(Tab::Checkpoints),
            Some("sink") => Some(Tab::Sink),
            Some("commit") => Some(Tab::Commit),
            Some("faults") => Some(Tab::Faults),
            Some("plan") => Some(Tab::Plan),
            Some("batch") => Some(Tab::Batch),
            _ => None,
        };
        if let Some(tab) = tab {
            desk.act(Action::Tab(tab));
        }
    });
}
