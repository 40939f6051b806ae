//! A channel: its line, and the elements queued on it, the first in line at the receiver.

use tidegate_protocol::{ChannelFrame, QueuedElement};
use yew::prelude::*;

use super::geometry::Geometry;

/// Space that an element takes on the line, px.
const STEP: f64 = 17.0;

/// Draws a channel.
pub fn channel(geometry: &Geometry, frame: &ChannelFrame) -> Html {
    let Some(curve) = geometry.curve(frame.from, frame.to) else {
        return Html::default();
    };
    let step = (STEP / curve.length()).min(0.12);
    let places = (0.86 / step) as usize;
    let shown = frame.queued.len().min(places);
    let full = frame.length >= frame.capacity && frame.capacity > 0;
    let ((_, from_y, _), (lx, ly, _)) = (curve.at(0.0), curve.at(1.0));
    // Over the line where it comes from above or straight (and over the name of a barrier), so that two labels at one box do not meet.
    let ly = if from_y <= ly { ly - 28.0 } else { ly + 25.0 };
    let label = match (frame.blocked, full) {
        (true, _) => Some(format!("blocked, {} queued", frame.length)),
        (false, true) => Some(format!("full, {} queued", frame.length)),
        _ if (frame.length as usize) > shown => Some(format!("{} queued", frame.length)),
        _ => None,
    };
    html! {
        <g class={classes!("channel", frame.blocked.then_some("blocked"), full.then_some("full"))}
            data-from={format!("{}.{}", frame.from.0, frame.from.1)} data-to={format!("{}.{}", frame.to.0, frame.to.1)}
            data-queued={frame.length.to_string()} data-blocked={frame.blocked.to_string()}>
            <path class="line" d={curve.path()} />
            if frame.blocked {
                { gate(&curve) }
            }
            { for frame.queued.iter().take(shown).enumerate().map(|(place, queued)| {
                let t = 1.0 - (place as f64 + 0.75) * step;
                let (x, y, angle) = curve.at(t);
                element(queued, x, y, angle)
            }) }
            if let Some(label) = label {
                <text class="label" x={format!("{:.1}", lx - 9.0)} y={format!("{ly:.1}")} text-anchor="end">{label}</text>
            }
        </g>
    }
}

/// The closed gate at the receiver of a blocked channel.
fn gate(curve: &super::geometry::Curve) -> Html {
    let (x, y, _) = curve.at(1.0);
    html! { <path class="gate" d={format!("M{:.1} {:.1}v18M{:.1} {:.1}v18", x - 5.0, y - 9.0, x - 1.0, y - 9.0)} /> }
}

fn element(queued: &QueuedElement, x: f64, y: f64, angle: f64) -> Html {
    let place = format!("translate({x:.1} {y:.1})");
    match queued {
        QueuedElement::Rows(rows, text) => html! {
            <g transform={place} class="element rows-element"><title>{format!("{rows} rows: {text}")}</title>
                <circle r={if *rows > 1 { "7" } else { "5" }} />
                if *rows > 1 { <text class="inside" y="3.5" text-anchor="middle">{if *rows > 99 { "…".to_owned() } else { rows.to_string() }}</text> }
            </g>
        },
        QueuedElement::Watermark(text) => html! {
            <g transform={place} class="element watermark-element"><title>{format!("watermark {text}")}</title>
                <path d="M0 -6.5L6.5 0L0 6.5L-6.5 0Z" />
            </g>
        },
        QueuedElement::Barrier(id) => html! {
            <g transform={place} class="element barrier-element"><title>{format!("barrier of checkpoint {id}")}</title>
                <path transform={format!("rotate({angle:.0})")} d="M0 -12V12" />
                <text y="-15" text-anchor="middle">{format!("barrier {id}")}</text>
            </g>
        },
        QueuedElement::Idle(idle) => html! {
            <g transform={place} class="element idle-element"><title>{if *idle { "idle" } else { "active" }}</title>
                <circle r="5" />
            </g>
        },
        QueuedElement::End => html! {
            <g transform={place} class="element end-element"><title>{"end of input"}</title><path d="M-5 -5H5V5H-5Z" /></g>
        },
    }
}
