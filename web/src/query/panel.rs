//! The query's panel: head, editor, and what is wrong below it.

use std::rc::Rc;

use tidegate_protocol::{Answer, Command};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

use super::editor::Editor;
use super::problems::{Notes, Problems};
use crate::app::Desk;
use crate::state::{Action, Page, Phase};
use crate::ui::{Expand, run_keys};

/// How long typing rests before the text is checked, in ms.
const REST: i32 = 250;

/// The query's panel.
#[component(QueryPanel)]
pub fn query_panel() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let reveal = use_state(|| None::<(u32, u32)>);
    let onchange = {
        let desk = desk.clone();
        Callback::from(move |text| desk.act(Action::Text(text)))
    };
    let onrun = {
        let desk = desk.clone();
        Callback::from(move |()| {
            let page = &*desk.page;
            let name = page.name.clone().filter(|_| !page.edited());
            desk.run(&page.text, name, rates(page), None);
        })
    };
    use_check(&desk);
    let onreveal = {
        let reveal = reveal.clone();
        Callback::from(move |place| reveal.set(Some((place, reveal.map_or(0, |(_, times)| times + 1)))))
    };
    let edited = page.edited() && page.running.is_some();
    let state = if page.running.is_none() && page.phase == Phase::Live && page.message.is_some() {
        "nothing runs"
    } else if page.running.is_none() {
        "starting"
    } else if edited && page.draft {
        "not run yet, kept over the reload"
    } else if edited {
        "changed since it was run"
    } else if page.layout.as_ref().is_some_and(|layout| layout.jobs.is_empty()) {
        "no query: nothing keeps running"
    } else if page
        .frame
        .as_ref()
        .is_some_and(|frame| !frame.jobs.is_empty() && frame.jobs.iter().all(|job| job.state == "FINISHED"))
    {
        "continuous, but all its inputs have ended"
    } else if page
        .frame
        .as_ref()
        .is_some_and(|frame| !frame.jobs.is_empty() && frame.jobs.iter().all(|job| job.state == "FAILED"))
    {
        "has failed: nothing goes on"
    } else {
        "continuous, never ends"
    };
    let run = {
        let onrun = onrun.clone();
        Callback::from(move |_: MouseEvent| onrun.emit(()))
    };
    html! {
        <>
            <h2>
                {"Query"}<span class={classes!("mute", edited.then_some("edited"))} id="query-state">{state}</span><span class="spring"></span>
                <Expand region={crate::state::Region::Query} />
                <button id="run" class={classes!(edited.then_some("primary"))} onclick={run} title="Ctrl or Cmd + Enter"
                    disabled={matches!(page.phase, Phase::Starting | Phase::Dead(..))}>
                    {"Run"}<kbd>{run_keys()}</kbd>
                </button>
            </h2>
            <div class="editor-place">
                <Editor text={page.text.clone()} problems={page.problems.clone()} names={page.names.clone()}
                    {onchange} {onrun} reveal={*reveal} />
                <p class="editor-keys mute" id="editor-keys">{"Escape, then Tab leaves the editor"}</p>
            </div>
            <Problems problems={page.problems.clone()} {onreveal} />
            <Notes notes={page.notes.clone()} />
        </>
    }
}

/// The generators that run now: they go on in the next run, where their tables are still there.
pub fn rates(page: &Page) -> Vec<(String, f64)> {
    let (Some(layout), Some(frame)) = (&page.layout, &page.frame) else { return Vec::new() };
    let inputs = layout.inputs.iter().zip(&frame.inputs);
    let stays = |table: &str| page.text.contains(table);
    inputs
        .filter(|(input, now)| now.rate > 0.0 && stays(&input.table))
        .map(|(input, now)| (input.table.clone(), now.rate))
        .collect()
}

/// Has the engine look at the text once typing rests.
#[hook]
fn use_check(desk: &Desk) {
    let desk = desk.clone();
    let deps = (desk.page.text.clone(), desk.page.phase == Phase::Live);
    use_effect_with(deps, move |(text, live): &(Rc<str>, bool)| {
        let text = text.clone();
        let check = Closure::once(move || {
            let page = desk.page.dispatcher();
            let offers = page.clone();
            desk.link.send(Command::Names { sql: text.to_string() }, move |answer| {
                if let Answer::Names(names) = answer {
                    offers.dispatch(Action::Names(names));
                }
            });
            desk.link.send(Command::Check { sql: text.to_string() }, move |answer| {
                if let Answer::Checked { problems } = answer {
                    page.dispatch(Action::Checked(text, problems));
                }
            });
        });
        let window = web_sys::window();
        let timer = window.as_ref().filter(|_| *live).and_then(|window| {
            window.set_timeout_with_callback_and_timeout_and_arguments_0(check.as_ref().unchecked_ref(), REST).ok()
        });
        move || {
            if let (Some(window), Some(timer)) = (window, timer) {
                window.clear_timeout_with_handle(timer);
            }
            drop(check);
        }
    });
}
