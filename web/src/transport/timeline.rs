//! The timeline: checkpoints, crashes and restores by scheduler step.

use yew::prelude::*;

/// Properties of [`Timeline`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What happened: step, time, sentence, kind.
    pub events: Vec<(u64, i64, String, String)>,
    /// Now.
    pub step: u64,
}

/// The timeline.
#[component(Timeline)]
pub fn timeline(props: &Props) -> Html {
    let end = props.events.iter().map(|event| event.0).max().unwrap_or(0).max(props.step).max(1) as f64;
    html! {
        <ol class="timeline" id="timeline" aria-label="What has happened">
            <li class="done" aria-hidden="true" style={format!("width:{:.2}%", props.step as f64 * 100.0 / end)}></li>
            { for props.events.iter().filter(|event| event.3 != "other").map(|(step, _, sentence, kind)| html! {
                <li class={classes!("mark", kind.clone())} title={format!("step {step}: {sentence}")}
                    style={format!("left:{:.2}%", *step as f64 * 100.0 / end)}>
                    <span class="unseen">{sentence}</span>
                </li>
            }) }
        </ol>
    }
}
