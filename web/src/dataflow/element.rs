//! The elements on a channel, told apart by their shapes.

use tidegate_protocol::QueuedElement;
use yew::prelude::*;

use crate::ui::short;

/// An element at a place on a line that has this angle there; `named` where there is room for its number or name.
pub fn element(queued: &QueuedElement, (x, y, angle): (f64, f64, f64), named: bool) -> Html {
    let place = format!("translate({x:.1} {y:.1})");
    match queued {
        QueuedElement::Rows(rows, _) => rows_mark(u64::from(if named { *rows } else { 1 }), x, y),
        QueuedElement::Watermark(text) => html! {
            <g transform={place} class="element watermark-element"><title>{format!("watermark {text}")}</title>
                <path d="M0 -6.5L6.5 0L0 6.5L-6.5 0Z" />
            </g>
        },
        QueuedElement::Barrier(id) => html! {
            <g transform={place} class="element barrier-element"><title>{format!("barrier of checkpoint {id}")}</title>
                <path transform={format!("rotate({angle:.0})")} d="M0 -12V12" />
                if named { <text y="-15" text-anchor="middle">{format!("barrier {id}")}</text> }
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

/// One row as a dot, more as their number.
pub fn rows_mark(rows: u64, x: f64, y: f64) -> Html {
    let text = short(rows);
    let width = 9.0 + 6.8 * text.chars().count() as f64;
    html! {
        <g transform={format!("translate({x:.1} {y:.1})")} class="element rows-element"><title>{crate::ui::rows(rows)}</title>
            if rows == 1 {
                <circle r="5" />
            } else {
                <rect x={format!("{:.1}", -width / 2.0)} y="-8" width={format!("{width:.1}")} height="16" rx="8" />
                <text class="inside" y="4" text-anchor="middle">{text}</text>
            }
        </g>
    }
}
