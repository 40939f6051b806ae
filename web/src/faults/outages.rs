//! Storage that is away, full or slow on purpose, and slow channels: for how much longer, and the way to end it.

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
    /// Slow channels, in words, and what makes each as fast as before.
    pub channels: Vec<(String, Fault)>,
}

/// What is in force.
#[component(OutagesView)]
pub fn outages_view(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let job = desk.page.job as u32;
    let line = |key: String, what: &str, more: String, fault: Fault| {
        let desk = desk.clone();
        let end = Callback::from(move |_: MouseEvent| desk.tell(Command::Fault { job, fault, moment: None }));
        html! {
            <p class="outage" role="status" {key}>
                <b>{what}</b>
                <span class="number">{more}</span>
                <button class="small" onclick={end}>{"End it now"}</button>
            </p>
        }
    };
    let name = |place: StoragePlace| match place {
        StoragePlace::Checkpoints => "Checkpoint storage",
        StoragePlace::Sinks => "The sink’s store",
    };
    html! {
        <>
            { for props.outages.iter().map(|outage| {
                let (place, full) = (outage.place, outage.full);
                let what = format!("{} is {}", name(place), if full { "full" } else { "away" });
                let more = format!("{:.1} s more", outage.left as f64 / 1000.0);
                line(format!("out {place:?}"), &what, more, Fault::Storage { place, full, ms: 0 })
            }) }
            { for props.slow.iter().map(|slow| {
                let place = slow.place;
                let what = format!("{} is {}", name(place), pace(slow.ms, slow.rate));
                line(format!("slow {place:?}"), &what, String::new(), Fault::SlowStorage { place, ms: 0, rate: 0 })
            }) }
            { for props.channels.iter().map(|(what, fault)| line(what.clone(), what, String::new(), *fault)) }
        </>
    }
}
