//! Which subtask, and which channel, a fault is meant for.

use tidegate_protocol::{ChannelFrame, JobFrame, JobLayout};
use yew::prelude::*;

use crate::ui::value_of_select;

/// Vertex and subtask.
pub type Place = (u32, u32);

/// The subtasks of a job, with their names; what only watches is left out.
pub fn subtasks(layout: &JobLayout) -> Vec<(Place, String)> {
    let vertices = layout.vertices.iter().enumerate().filter(|(_, vertex)| !vertex.hidden);
    let each = vertices.flat_map(|(number, vertex)| {
        (0..vertex.parallelism).map(move |index| ((number as u32, index), format!("{}[{index}]", vertex.name)))
    });
    each.collect()
}

/// The channels of a job, with their names; what only watches is left out.
pub fn channels(layout: &JobLayout, frame: &JobFrame) -> Vec<((Place, Place), String)> {
    let name = |(vertex, index): Place| {
        let vertex = layout.vertices.get(vertex as usize).filter(|vertex| !vertex.hidden)?;
        Some(format!("{}[{index}]", vertex.name))
    };
    let named = |channel: &ChannelFrame| {
        Some(((channel.from, channel.to), format!("{} → {}", name(channel.from)?, name(channel.to)?)))
    };
    frame.channels.iter().filter_map(named).collect()
}

/// Properties of [`Choice`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The element's id.
    pub id: &'static str,
    /// What is chosen, for who cannot see it.
    pub label: &'static str,
    /// What is on offer.
    pub offers: Vec<String>,
    /// The one that is chosen.
    pub chosen: usize,
    /// Another one is chosen.
    pub onchoose: Callback<usize>,
}

/// One of several places.
#[component(Choice)]
pub fn choice(props: &Props) -> Html {
    let onchange = props.onchoose.reform(|event: Event| value_of_select(&event).parse().unwrap_or(0));
    html! {
        <label class="pick"><span class="mute">{props.label}</span><select id={props.id} {onchange}>
            { for props.offers.iter().enumerate().map(|(place, offer)| html! {
                <option value={place.to_string()} selected={place == props.chosen}>{offer}</option>
            }) }
        </select></label>
    }
}
