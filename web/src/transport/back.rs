//! Going back: a row, a step, to a checkpoint or crash.

use tidegate_protocol::{Command, Travel};
use yew::prelude::*;

use crate::app::Desk;
use crate::state::Phase;
use crate::ui::{count, value_of_select};

/// The marks on offer at the most.
const MARKS: usize = 20;

/// The ways back.
#[component(BackControls)]
pub fn back_controls() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let live = page.phase == Phase::Live && page.layout.is_some() && !page.stale;
    let frame = page.frame.as_ref();
    let past = frame.and_then(|frame| frame.past);
    let now = frame.and_then(|frame| frame.jobs.get(page.job)).map_or(0, |job| job.step);
    let step = past.map_or(now, |past| past.step);
    let job = page.job as u32;
    let go = |to: Travel| {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.tell(Command::Travel { job, to }))
    };
    let choose = {
        let desk = desk.clone();
        Callback::from(move |event: Event| {
            if let Ok(step) = value_of_select(&event).parse() {
                desk.tell(Command::Travel { job, to: Travel::To(step) });
            }
        })
    };
    let events = page.marks();
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
            </div>
        </>
    }
}

/// That what is shown is the past, which place of it, and the way out; in the head, where it covers nothing.
#[component(PastNote)]
pub fn past_note() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let Some(past) = desk.page.frame.as_ref().and_then(|frame| frame.past) else { return Html::default() };
    if past.going && desk.page.message.is_some() {
        // On the way there what was said last stays: one after the other, and nothing moves.
        return Html::default();
    }
    let job = desk.page.job as u32;
    let now = {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.tell(Command::Travel { job, to: Travel::Now }))
    };
    let says = "This is the past. Play and Step go on as it went; a row, checkpoint or crash sent now cuts off what came after (a lost worker goes on at its end).";
    html! {
        <div class="message past" id="past">
            <b>{ if past.going { "Going back…".to_owned() } else { format!("Step {} of {}", count(past.step), count(past.end)) } }</b>
            <span title={says}>{says}</span>
            <button class="primary small" id="to-now" onclick={now}>{"Back to now"}</button>
        </div>
    }
}
