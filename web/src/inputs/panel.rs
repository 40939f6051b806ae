//! The inputs' panel: one part per source.

use yew::prelude::*;

use super::source::Source;
use crate::app::Desk;

/// The inputs' panel.
#[component(InputsPanel)]
pub fn inputs_panel() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let Some(layout) = &desk.page.layout else {
        return html! { <><h2>{"Inputs"}</h2><p class="empty">{"Nothing runs yet."}</p></> };
    };
    let frames = desk.page.frame.as_ref().map(|frame| &frame.inputs);
    let rows: u64 = frames.map_or(0, |inputs| inputs.iter().flat_map(|input| &input.rows).sum());
    let head = match layout.inputs.as_slice() {
        [one] if one.splits > 1 => format!("{} · {} partitions", one.table, one.splits),
        [one] => one.table.clone(),
        many => format!("{} tables", many.len()),
    };
    html! {
        <>
            <h2>{"Inputs"}<span class="mute">{head}</span><span class="spring"></span>
                <span class="mute number" id="sent">{crate::ui::rows(rows)}</span>
                <crate::ui::Expand region={crate::state::Region::Inputs} /></h2>
            <div class="sources">
                if layout.inputs.is_empty() {
                    <p class="empty">{"The script reads no table that rows can be sent to."}</p>
                }
                { for layout.inputs.iter().enumerate().map(|(index, input)| html! {
                    <Source key={input.table.clone()} {index} layout={input.clone()}
                        frame={frames.and_then(|inputs| inputs.get(index)).cloned().unwrap_or_default()} />
                }) }
            </div>
        </>
    }
}
