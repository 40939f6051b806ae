//! Going back: a row, a step, to a checkpoint or crash, to any place of the timeline; and what that means, said where it is shown.

use tidegate_protocol::{Command, Travel};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::Desk;
use crate::state::Phase;
use crate::ui::{count, value_of_select};

/// The marks on offer at the most.
const MARKS: usize = 20;

/// The ways back, and the place of what is shown.
#[component(BackControls)]
pub fn back_controls() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let live = page.phase == Phase::Live && page.layout.is_some() && !page.stale;
    let frame = page.frame.as_ref();
    let past = frame.and_then(|frame| frame.past);
    let now = frame.and_then(|frame| frame.jobs.get(page.job)).map_or(0, |job| job.step);
    let (step, end) = past.map_or((now, now), |past| (past.step, past.end));
    let job = page.job as u32;
    // A place beyond the end of before would be cut to that end, were it set along with the new one.
    let slider = use_node_ref();
    {
        let slider = slider.clone();
        use_effect_with((step, end), move |(step, _)| {
            if let Some(input) = slider.cast::<HtmlInputElement>() {
                input.set_value(&step.to_string());
            }
        });
    }
    let go = |to: Travel| {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.tell(Command::Travel { job, to }))
    };
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
    let choose = {
        let desk = desk.clone();
        Callback::from(move |event: Event| {
            if let Ok(step) = value_of_select(&event).parse() {
                desk.tell(Command::Travel { job, to: Travel::To(step) });
            }
        })
    };
    let events = frame.and_then(|frame| frame.job.as_ref()).map_or(&[][..], |job| &job.events);
    let marks = events.iter().rev().filter(|event| event.3 != "other").take(MARKS);
    html! {
        <>
            <div class="back" role="group" aria-label="Back">
                <button id="back-row" disabled={!live || step == 0} title="Back to before the input row that was read last"
                    onclick={go(Travel::BackRow)}>{"◂ Row"}</button>
                <button id="back-element" disabled={!live || step == 0} title="One element back"
                    onclick={go(Travel::BackElement)}>{"◂ Step"}</button>
                <select id="go-to" aria-label="Go to a checkpoint or crash" disabled={!live} onchange={choose}>
                    <option value="" selected=true>{"Go to…"}</option>
                    { for marks.map(|(step, _, sentence, _)| html! {
                        <option value={step.to_string()}>{format!("{} (step {})", sentence, count(*step))}</option>
                    }) }
                </select>
                <input type="range" id="travel" ref={slider} aria-label="Place in the run" min="0" max={end.to_string()} value={step.to_string()}
                    disabled={!live} onchange={slide} title="Any place of the run" />
            </div>
            if let Some(past) = past {
                <div class="past" role="status" id="past">
                    <b>{ if past.going { "Going back…".to_owned() } else { format!("Step {} of {}", count(past.step), count(past.end)) } }</b>
                    <span>{"This is the past. Play and Step go on as it went; a row, checkpoint or crash sent now cuts off what came after."}</span>
                    <button class="primary small" id="to-now" onclick={go(Travel::Now)}>{"Back to now"}</button>
                </div>
            }
        </>
    }
}
