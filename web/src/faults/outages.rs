//! Storage that is away, full or slow on purpose: for how much longer, and the way to end it.

use tidegate_protocol::{Command, Fault, OutageFrame, SlowFrame, StoragePlace};
use yew::prelude::*;

use super::words::pace;
use crate::app::Desk;

/// Properties of [`OutagesView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What is away or full.
    pub outages: Vec<OutageFrame>,
    /// What is slow.
    pub slow: Vec<SlowFrame>,
}

/// What is in force.
#[component(OutagesView)]
pub fn outages_view(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let job = desk.page.job as u32;
    let line = |key: String, place: StoragePlace, what: String, more: String, fault: Fault| {
        let name = match place {
            StoragePlace::Checkpoints => "Checkpoint storage",
            StoragePlace::Sinks => "The sink’s store",
        };
        let desk = desk.clone();
        let end = Callback::from(move |_: MouseEvent| desk.tell(Command::Fault { job, fault, moment: None }));
        html! {
            <p class="outage" role="status" {key}>
                <b>{format!("{name} is {what}")}</b>
                <span class="number">{more}</span>
                <button class="small" onclick={end}>{"End it now"}</button>
            </p>
        }
    };
    html! {
        <>
            { for props.outages.iter().map(|outage| {
                let (place, full) = (outage.place, outage.full);
                let what = if full { "full" } else { "away" };
                let more = format!("{:.1} s more", outage.left as f64 / 1000.0);
                line(format!("out {place:?}"), place, what.to_owned(), more, Fault::Storage { place, full, ms: 0 })
            }) }
            { for props.slow.iter().map(|slow| {
                let place = slow.place;
                let fault = Fault::SlowStorage { place, ms: 0, rate: 0 };
                line(format!("slow {place:?}"), place, pace(slow.ms, slow.rate), String::new(), fault)
            }) }
        </>
    }
}
