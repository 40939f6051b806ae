//! A source as the place where a file is dropped or its content pasted.

use tidegate_protocol::{Answer, Command};
use yew::prelude::*;

use crate::app::Desk;
use crate::engine::{dropped_text, pasted_text};
use crate::state::Action;
use crate::ui::{bytes, rows};

/// A text that it takes a while to read.
const LARGE: usize = 500_000;

/// Properties of [`FileDrop`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The table.
    pub table: String,
    /// Whether it takes rows.
    pub takes: bool,
    /// What lies in it.
    pub children: Html,
}

/// The place.
#[component(FileDrop)]
pub fn file_drop(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let over = use_state_eq(|| false);
    let (takes, table) = (props.takes, props.table.clone());
    let ondragover = {
        let over = over.setter();
        Callback::from(move |event: DragEvent| {
            if takes {
                event.prevent_default();
                over.set(true);
            }
        })
    };
    let ondragleave = {
        let over = over.setter();
        Callback::from(move |_: DragEvent| over.set(false))
    };
    let ondrop = {
        let (desk, table, over) = (desk.clone(), table.clone(), over.setter());
        Callback::from(move |event: DragEvent| {
            over.set(false);
            if !takes {
                return;
            }
            event.prevent_default();
            if event.data_transfer().and_then(|data| data.files()).is_some_and(|files| files.length() > 1) {
                let why = "One file at a time: of several it is not known which comes first. Nothing was sent.";
                return desk.act(Action::Message(Some(why.to_owned())));
            }
            // What was dropped is to be had only while the event lasts: the promise begins now.
            on_file(&desk, table.clone(), dropped_text(event.as_ref()));
        })
    };
    let onpaste = {
        let (desk, table) = (desk.clone(), table.clone());
        Callback::from(move |event: Event| {
            // A value for one field is left to the field.
            let text = pasted_text(event.as_ref());
            let several = text.trim().contains('\n') || text.trim_start().starts_with(['{', '[']);
            if takes && several {
                event.prevent_default();
                on_text(&desk, table.clone(), text);
            }
        })
    };
    html! {
        <div class={classes!("source", over.then_some("over"))} data-table={props.table.clone()} {ondragover} {ondragleave} {ondrop} {onpaste}>
            {props.children.clone()}
            if *over { <p class="drop-here" aria-hidden="true">{"CSV, JSON or Debezium JSON"}</p> }
        </div>
    }
}

/// Sends the content of a file that is being read; what is no text is said.
pub fn on_file(desk: &Desk, table: String, text: js_sys::Promise) {
    let desk = desk.clone();
    wasm_bindgen_futures::spawn_local(async move {
        match wasm_bindgen_futures::JsFuture::from(text).await {
            Ok(text) => text.as_string().into_iter().for_each(|text| on_text(&desk, table.clone(), text)),
            Err(error) => {
                let why = js_sys::Reflect::get(&error, &"message".into()).ok().and_then(|why| why.as_string());
                desk.act(Action::Message(Some(why.unwrap_or_else(|| "The file could not be read.".to_owned()))));
            }
        }
    });
}

/// Sends a file's content, and says what came of it.
fn on_text(desk: &Desk, table: String, text: String) {
    let page = desk.page.dispatcher();
    let name = table.clone();
    if text.trim().is_empty() {
        return page.dispatch(Action::Message(Some(format!("There is nothing in it: no rows were sent to {name}."))));
    }
    if text.len() > LARGE {
        page.dispatch(Action::Message(Some(format!("Reading {} for {name}…", bytes(text.len() as u64)))));
    }
    desk.link.send(Command::SendText { table, split: None, text }, move |answer| {
        let message = match answer {
            Answer::Taken { rows: count, format } => format!("{} sent to {name}, read as {format}.", rows(count)),
            Answer::Failed { code, message } => format!("{code}: {message}"),
            _ => return,
        };
        page.dispatch(Action::Message(Some(message)));
    });
}
