//! The head of the page: name, examples, where things are kept, and what just happened.

use yew::prelude::*;

use crate::app::Desk;
use crate::examples::EXAMPLES;
use crate::state::{Action, Phase, Region};
use crate::ui::value_of_select;

/// The head of the page.
#[component(Header)]
pub fn header() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let chosen = EXAMPLES.iter().position(|example| Some(example.name) == page.name.as_deref());
    let choose = {
        let desk = desk.clone();
        Callback::from(move |event: Event| {
            if let Ok(index) = value_of_select(&event).parse() {
                desk.run_example(index);
            }
        })
    };
    let shows = chosen.map_or("your own query", |index| EXAMPLES[index].shows);
    let dismiss = {
        let desk = desk.clone();
        Callback::from(move |_| desk.act(Action::Message(None)))
    };
    let restore = {
        let desk = desk.clone();
        Callback::from(move |_| {
            desk.act(Action::Phase(Phase::Starting));
            desk.link.crash_worker();
        })
    };
    html! {
        <>
        <header>
            <h1 class="logo">
                <svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2"
                    stroke-linecap="round" aria-hidden="true">
                    <path d="M2 7c2.5-2.5 5-2.5 7 0M2 13c2.5-2.5 5-2.5 7 0" /><path d="M13 3v14M17.5 5v10" />
                </svg>
                {"Tidegate"}
            </h1>
            <select aria-label="Example" id="example" onchange={choose}>
                if chosen.is_none() {
                    <option value="" selected=true disabled=true>{"Examples"}</option>
                }
                { for EXAMPLES.iter().enumerate().map(|(index, example)| html! {
                    <option value={index.to_string()} selected={chosen == Some(index)}>{example.name}</option>
                }) }
            </select>
            <span class="mute shows">{shows}</span>
            <span class="spring"></span>
            if page.storage.known && !page.storage.persistent {
                <span class="chip warn" id="storage" title={page.storage.reason.clone().unwrap_or_default()}>
                    {"In memory: lost with this tab"}
                </span>
            }
        </header>
        if let Phase::Dead(code, message) = &page.phase {
            <div class="strip bad" role="alert" id="trouble">
                <span><b>{code}</b>{" "}{message}</span>
                <button class="primary" id="restore" onclick={restore}>{"Restore from the last checkpoint"}</button>
            </div>
        } else if let Some(message) = &page.message {
            <div class="strip" role="status" id="message">
                <span>{&**message}</span>
                <button onclick={dismiss} aria-label="Dismiss">{"✕"}</button>
            </div>
        }
        <nav class="regions" aria-label="Regions">
            { for [(Region::Query, "Query"), (Region::Inputs, "Inputs"), (Region::Dataflow, "Dataflow"), (Region::Results, "Results")]
                .map(|(region, name)| {
                    let desk = desk.clone();
                    html! {
                        <button aria-pressed={(page.region == region).to_string()}
                            onclick={move |_| desk.act(Action::Region(region))}>{name}</button>
                    }
                }) }
        </nav>
        </>
    }
}
