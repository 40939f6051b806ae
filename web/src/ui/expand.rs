//! The button that gives a region the whole of the screen, and back.

use yew::prelude::*;

use crate::app::Desk;
use crate::state::{Action, Region};

/// Properties of [`Expand`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The region.
    pub region: Region,
}

/// The button.
#[component(Expand)]
pub fn expand(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let region = props.region;
    let expanded = desk.page.expanded == Some(region);
    let says = if expanded { "Show all regions" } else { "Give this region the whole screen" };
    html! {
        <button class="small quiet expand" aria-pressed={expanded.to_string()} aria-label={says} title={says}
            onclick={move |_| desk.act(Action::Expand(if expanded { None } else { Some(region) }))}>
            <svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" stroke-width="1.6" aria-hidden="true">
                if expanded { <path d="M5 1v4H1M7 11V7h4" /> } else { <path d="M7 1h4v4M5 11H1V7" /> }
            </svg>
        </button>
    }
}
