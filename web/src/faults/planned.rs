//! Faults that wait for their moment.

use tidegate_protocol::{Command, JobLayout, PlannedFault, ScenarioWish};
use yew::prelude::*;

use super::words::{step, what};
use crate::app::Desk;

/// Properties of [`PlannedView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The job.
    pub layout: JobLayout,
    /// The faults, list by list.
    pub planned: Vec<Vec<PlannedFault>>,
}

/// What waits, and the way to call it off.
#[component(PlannedView)]
pub fn planned_view(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    if props.planned.is_empty() {
        return Html::default();
    }
    let job = desk.page.job as u32;
    let stop = Callback::from(move |_: MouseEvent| desk.tell(Command::Scenario { job, wish: ScenarioWish::Stop }));
    let number = props.planned.iter().map(Vec::len).sum::<usize>();
    // One text, so that what is left does not move when the first has happened.
    let list = |list: &Vec<PlannedFault>| {
        list.iter()
            .enumerate()
            .map(|(place, planned)| match (place, planned.moment) {
                // It waits for what it is meant for.
                (0, None) => what(planned.fault, &props.layout),
                _ => step(planned, &props.layout),
            })
            .collect::<Vec<_>>()
            .join(", then ")
    };
    let text = props.planned.iter().map(list).collect::<Vec<_>>().join("; ");
    html! {
        <p class="outage" role="status" id="planned" data-steps={number.to_string()}>
            <span><b>{"Waiting for its moment: "}</b>{text}{"."}</span>
            <button class="small" id="scenario-stop" onclick={stop}>{"Stop"}</button>
        </p>
    }
}
