//! A channel: its line, and the elements queued on it, the first in line at the receiver.

use tidegate_protocol::{ChannelFrame, QueuedElement};
use yew::prelude::*;

use super::element::element;
use super::geometry::{Geometry, Shape};
use super::route::Curve;

/// Space that an element takes on the line, px.
const STEP: f64 = 19.0;

/// Draws a channel.
pub fn channel(geometry: &Geometry, frame: &ChannelFrame) -> Html {
    let Some(curve) = geometry.channel(frame.from, frame.to) else {
        return Html::default();
    };
    let roomy = geometry.shape == Shape::Boxes;
    let step = (STEP / curve.length().max(STEP)).min(0.5);
    let places = (0.86 / step) as usize;
    let shown = frame.queued.len().min(places.max(1));
    let full = frame.length >= frame.capacity && frame.capacity > 0;
    let (lx, ly, _) = curve.at(1.0);
    // Above the line, or below where it comes in below others.
    let ly = if geometry.port(frame.from, frame.to) > 0.0 { ly + 21.0 } else { ly - 13.0 };
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
            if frame.blocked && roomy {
                { gate(&curve) }
            }
            { for frame.queued.iter().take(shown).enumerate().map(|(place, queued)| {
                let t = 1.0 - (place as f64 + 0.75) * step;
                // At the receiver, who waits for it says its name.
                let named = roomy && (t < 0.72 || !matches!(queued, QueuedElement::Barrier(_)));
                element(queued, curve.at(t), named)
            }) }
            if let (Some(label), true) = (label, roomy) {
                <text class="label" x={format!("{:.1}", lx - 9.0)} y={format!("{ly:.1}")} text-anchor="end">{label}</text>
            }
        </g>
    }
}

/// The closed gate at the receiver of a blocked channel.
pub fn gate(curve: &Curve) -> Html {
    let (x, y, angle) = curve.at(1.0);
    html! {
        <path class="gate" transform={format!("translate({x:.1} {y:.1}) rotate({angle:.0})")} d="M-6 -9v18M-2 -9v18" />
    }
}
