//! Storage that is away or full on purpose: for how much longer, and the way to end it.

use tidegate_protocol::{Command, Fault, OutageFrame, StoragePlace};
use yew::prelude::*;

use crate::app::Desk;

/// Properties of [`OutagesView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What is in force.
    pub outages: Vec<OutageFrame>,
}

/// The outages in force.
#[component(OutagesView)]
pub fn outages_view(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let job = desk.page.job as u32;
    props
        .outages
        .iter()
        .map(|outage| {
            let (place, full) = (outage.place, outage.full);
            let name = match place {
                StoragePlace::Checkpoints => "Checkpoint storage",
                StoragePlace::Sinks => "The sink’s store",
            };
            let what = if full { "is full" } else { "is away" };
            let end = {
                let desk = desk.clone();
                Callback::from(move |_: MouseEvent| {
                    desk.tell(Command::Fault { job, fault: Fault::Storage { place, full, ms: 0 } });
                })
            };
            html! {
                <p class="outage" role="status" key={name}>
                    <b>{format!("{name} {what}")}</b>
                    <span class="number">{format!("{:.1} s more", outage.left as f64 / 1000.0)}</span>
                    <button class="small" onclick={end}>{"End it now"}</button>
                </p>
            }
        })
        .collect()
}
