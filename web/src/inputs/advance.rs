//! Sends a watermark by hand: no row before it is to come.

use tidegate_protocol::{Answer, Command, InputFrame, InputLayout, InputMark};
use yew::prelude::*;

use crate::app::Desk;
use crate::state::Action;
use crate::ui::value_of_input;

/// Properties of [`Advance`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The table.
    pub layout: InputLayout,
    /// How it stands.
    pub frame: InputFrame,
    /// The split.
    pub split: u32,
}

/// The field and its button. Left empty, it advances to the newest row's time.
#[component(Advance)]
pub fn advance(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let typed = use_state(String::new);
    let newest = newest(&props.layout, &props.frame, props.split);
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| typed.set(value_of_input(&event)))
    };
    let onsubmit = {
        let (desk, typed, table, split) = (desk.clone(), typed.clone(), props.layout.table.clone(), props.split);
        let offered = newest.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let text =
                if typed.trim().is_empty() { offered.clone().unwrap_or_default() } else { typed.trim().to_owned() };
            let command = Command::Mark { table: table.clone(), split, mark: InputMark::Watermark(text) };
            let (page, typed) = (desk.page.dispatcher(), typed.clone());
            desk.link.send(command, move |answer| match answer {
                Answer::Failed { code, message } => page.dispatch(Action::Message(Some(format!("{code}: {message}")))),
                _ => typed.set(String::new()),
            });
        })
    };
    let empty = typed.trim().is_empty() && newest.is_none();
    html! {
        <form class="advance" {onsubmit}>
            <input aria-label="Watermark to advance to" id={format!("advance-{}-{}", props.layout.table, props.split)} value={(*typed).clone()} {oninput}
                placeholder={newest.unwrap_or_else(|| "2024-01-01 12:00:00".to_owned())} autocomplete="off" spellcheck="false" />
            <button class="small" disabled={empty} title="Says that no row before this time is to come">{"Advance"}</button>
        </form>
    }
}

/// The highest time among the newest rows of the split.
fn newest(layout: &InputLayout, frame: &InputFrame, split: u32) -> Option<String> {
    let column = layout.watermark.as_deref()?.split(" AS ").next()?.trim().trim_matches('`');
    let place = layout.columns.iter().position(|(name, _)| name == column)?;
    let rows = frame.recent.iter().filter(|row| row.0 == split);
    rows.filter_map(|row| row.3.get(place).cloned().flatten()).max()
}
