//! The timeline: checkpoints, crashes and restores by scheduler step, and on it the slider that leads to any place of the run.

use tidegate_protocol::{Command, Travel};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::Desk;
use crate::ui::count;

/// Properties of [`Timeline`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Whether the engine can be told to go somewhere.
    pub live: bool,
    /// What is shown now.
    pub step: u64,
    /// The end of the run: what is shown, unless that is the past.
    pub end: u64,
}

/// The timeline.
#[component(Timeline)]
pub fn timeline(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let (step, end, job) = (props.step, props.end, page.job as u32);
    let frame = page.frame.as_ref().and_then(|frame| frame.job.as_ref());
    let events = page.marks();
    // What follows the end is of a run that another row has cut off.
    let last = events.iter().map(|event| event.0).max().unwrap_or(0).max(end).max(1);
    let part = |step: u64| format!("{:.2}%", step as f64 * 100.0 / last as f64);
    // A place beyond the end of before would be cut to that end, were it set along with the new one.
    let slider = use_node_ref();
    {
        let slider = slider.clone();
        use_effect_with((step, last), move |(step, _)| {
            if let Some(input) = slider.cast::<HtmlInputElement>() {
                input.set_value(&step.to_string());
            }
        });
    }
    let slide = {
        let desk = desk.clone();
        Callback::from(move |event: Event| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            if let Some(step) = input.and_then(|input| input.value().parse().ok()) {
                let to = if step >= end { Travel::Now } else { Travel::To(step) };
                desk.tell(Command::Travel { job, to });
            }
        })
    };
    let marks = events.iter().filter(|event| event.3 != "other").map(|(at, _, sentence, kind)| {
        let (desk, at) = (desk.clone(), *at);
        let to = move |_: MouseEvent| desk.tell(Command::Travel { job, to: Travel::To(at) });
        html! {
            <li class={classes!("mark", kind.clone())} title={format!("step {}: {sentence}", count(at))} style={format!("left:{}", part(at))} onclick={to}>
                <span class="unseen">{sentence}</span>
            </li>
        }
    });
    html! {
        <div class="timeline">
            <div class="line" aria-hidden="true">
                <i style={format!("width:{}", part(step))}></i>
                // What was read and worked off once more.
                { for frame.iter().flat_map(|job| &job.replays).map(|replay| html! {
                    <b class="replayed" style={format!("left:{};width:{}", part(replay.from), part(replay.to.saturating_sub(replay.from)))}></b>
                }) }
            </div>
            <input type="range" id="travel" ref={slider} aria-label="Place in the run" min="0" max={last.to_string()} value={step.to_string()}
                aria-valuetext={format!("step {} of {}", count(step), count(end))}
                disabled={!props.live} onchange={slide} title="Any place of the run" />
            <ol id="timeline" aria-label="What has happened">{ for marks }</ol>
        </div>
    }
}
