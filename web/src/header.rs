//! The head of the page: name, examples, where things are kept, and what just happened.

use yew::prelude::*;

use crate::app::Desk;
use crate::embed::{OpenInFull, is_embedded};
use crate::engine::name_example;
use crate::examples::{EXAMPLES, NEXMARK, nexmark_name, place_of};
use crate::share::ShareMenu;
use crate::state::{Action, Phase, Region};
use crate::transport::PastNote;
use crate::ui::{Theme, undo_keys, use_choice, value_of_select};
use crate::words::Words;

/// The code of a browser or frame that starts no workers: nothing can be restored there.
const NO_WORKERS: &str = "TG9002";

/// The head of the page.
#[component(Header)]
pub fn header() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let chosen = place_of(page.name.as_deref());
    let choose = {
        let desk = desk.clone();
        Callback::from(move |event: Event| {
            if let Ok(index) = value_of_select(&event).parse() {
                // Also on the way from one example to the next: the text before them is what matters.
                let told = format!("{} in the editor brings your text back.", undo_keys());
                let text = desk.page.text.trim();
                let nexmark =
                    chosen.is_some() && desk.page.running.as_ref().is_some_and(|running| running.trim() == text);
                let own = !nexmark && !EXAMPLES.iter().any(|example| example.sql.trim() == text);
                let still = desk.page.message.iter().chain(&desk.page.notice).any(|said| **said == *told);
                if still || own && !text.is_empty() {
                    desk.act(Action::Notice(told));
                }
                name_example(Some(index as u32 + 1), true);
                desk.run_example(index);
            }
        })
    };
    use_effect_with((chosen, page.running.is_some()), |&(chosen, running)| {
        if running && !is_embedded() {
            name_example(chosen.map(|index| index as u32 + 1), false);
        }
    });
    let choice = use_choice(chosen.map_or_else(String::new, |index| index.to_string()));
    // A query of Nexmark says it in its first line.
    let first = page.running.as_ref().and_then(|running| running.strip_prefix("-- ")?.lines().next());
    let shows = match chosen.map(|index| EXAMPLES.get(index)) {
        Some(Some(example)) => example.shows,
        Some(None) => first.unwrap_or("a query of the Nexmark benchmark"),
        None => "your own query",
    };
    let dismiss = {
        let desk = desk.clone();
        Callback::from(move |_| desk.act(Action::Message(None)))
    };
    let replace = |afresh: bool| {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| {
            desk.act(Action::Replace(afresh));
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
            <select ref={choice} aria-label="Example" id="example" onchange={choose}>
                if chosen.is_none() {
                    <option value="" selected=true disabled=true>{"Examples"}</option>
                }
                { for EXAMPLES.iter().enumerate().map(|(index, example)| html! {
                    <option value={index.to_string()} selected={chosen == Some(index)}>{example.name}</option>
                }) }
                <optgroup label="Nexmark">
                    { for (0..NEXMARK).map(|number| (EXAMPLES.len() + number, nexmark_name(number))).map(|(index, name)| html! {
                        <option value={index.to_string()} selected={chosen == Some(index)}>{name}</option>
                    }) }
                </optgroup>
            </select>
            <span class="mute shows">{shows}</span>
            <span class="spring"></span>
            <div role="status" class="said">
                <PastNote />
                if let (Some(message), false) = (&page.message, matches!(page.phase, Phase::Dead(..))) {
                    <div key={message.to_string()} class="message" id="message">
                        <span title={message.to_string()}>{&**message}</span>
                        <button class="small" onclick={dismiss} aria-label="Dismiss" title="Dismiss">{"✕"}</button>
                    </div>
                }
            </div>
            <ShareMenu />
            <OpenInFull />
            if page.storage.known && !page.storage.persistent {
                <span class="chip warn" id="storage" tabindex="0" title={format!("The browser keeps nothing for this page: {}", page.storage.reason.as_deref().unwrap_or("no reason given"))}>
                    {"In memory: lost with this tab"}
                </span>
            }
            <Words />
            <Theme />
        </header>
        if let Phase::Dead(code, message) = &page.phase {
            <div class="trouble" role="alert" id="trouble">
                <p><b>{code}</b>{" "}{message}</p>
                if code == NO_WORKERS {
                    <p><a href="" target="_blank" rel="noopener">{"Open the page in a tab of its own"}</a></p>
                } else {
                    <p class="mute">{"What was written to the store is safe: logs, tables, and the checkpoints that completed."}</p>
                    <p class="choices">
                        <button class="primary" id="restore" onclick={replace(false)}>{"Restore from the last checkpoint"}</button>
                        <button id="afresh" onclick={replace(true)} title="Runs the script in the editor from nothing">{"Run the editor’s script afresh"}</button>
                    </p>
                }
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
