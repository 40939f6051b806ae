//! A vertex as a card: its name, and the watermark that its subtasks have reached together.

use tidegate_protocol::{SubtaskFrame, VertexLayout};
use yew::prelude::*;

use super::geometry::Rect;
use super::subtask::{fit, short_name, time_of_day};

/// Draws a card without its subtasks.
pub fn card(place: Rect, timed: bool, number: u32, vertex: &VertexLayout, subtasks: &[&SubtaskFrame]) -> Html {
    let fits = ((place.w - 16.0) / 7.4) as usize;
    let name = short_name(vertex);
    // The dots of a name that is cut are wider than its letters.
    let name = if name.chars().count() <= fits { name } else { fit(&name, ((place.w - 16.0) / 8.2) as usize) };
    // One that has sent no watermark yet holds the others back.
    let watermarks: Option<Vec<&String>> = subtasks.iter().map(|subtask| subtask.watermark.as_ref()).collect();
    let watermark = watermarks.and_then(|all| all.into_iter().min().cloned());
    html! {
        <g class="card" transform={format!("translate({:.1} {:.1})", place.x, place.y)} data-vertex={number.to_string()}>
            <rect width={format!("{:.1}", place.w)} height={format!("{:.1}", place.h)} rx="8" />
            <text class="name" x="9" y="16">{name}</text>
            if !timed {
            } else if let Some(watermark) = watermark {
                // The time of day is what changes.
                <text class="figure small" x="9" y="31">{format!("◆ {}", fit(time_of_day(&watermark), fits - 2))}</text>
            }
        </g>
    }
}
