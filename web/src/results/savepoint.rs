//! Savepoints by hand: one to keep, or the one with which the job ends.

use tidegate_protocol::{Command, Stop};
use yew::prelude::*;

use crate::app::Desk;
use crate::state::Phase;

/// The ways to make a savepoint of the chosen job.
#[component(SavepointButtons)]
pub fn savepoint_buttons() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let state = page.frame.as_ref().and_then(|frame| frame.jobs.get(page.job)).map_or("", |job| job.state.as_str());
    let runs = page.phase == Phase::Live && !page.stale && state == "RUNNING";
    let job = page.job as u32;
    let make = |stop: Option<Stop>| {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.tell(Command::Savepoint { job, stop }))
    };
    html! {
        <p class="label savepoints" role="group" aria-label="Savepoints">
            <button id="savepoint" class="small" disabled={!runs} onclick={make(None)}
                title="A checkpoint that no later one replaces">{"Savepoint"}</button>
            <button id="stop-suspend" class="small" disabled={!runs} onclick={make(Some(Stop::Suspend))}
                title="The job ends with it, where it is; Restore goes on from there">{"Stop with savepoint"}</button>
            <button id="stop-drain" class="small" disabled={!runs} onclick={make(Some(Stop::Drain))}
                title="Time comes to its end first, so that all windows fire">{"Drain and stop"}</button>
            if !runs { <span class="mute">{format!("The job is {}; a savepoint is made of a job that runs.", state.to_lowercase())}</span> }
        </p>
    }
}
