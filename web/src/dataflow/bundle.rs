//! All channels between two vertices as one line: how many rows, which barriers, how many are blocked.

use std::collections::BTreeSet;

use tidegate_protocol::{ChannelFrame, QueuedElement};
use yew::prelude::*;

use super::channel::gate;
use super::element::{element, rows_mark};
use super::geometry::{Geometry, Shape};
use crate::ui::count;

/// A line shorter than this has no room for all marks, px.
const SHORT: f64 = 90.0;
/// How much further along the marks of one of several are that take the same way.
const BESIDE: f64 = 0.14;

/// What a bundle's channels hold in all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Channels.
    pub channels: usize,
    /// Blocked ones.
    pub blocked: usize,
    /// Full ones.
    pub full: usize,
    /// Elements queued.
    pub queued: u64,
    /// Rows among those in sight.
    pub rows: u64,
    /// Rows that have passed.
    pub passed: u64,
    /// Barriers, by checkpoint.
    pub barriers: BTreeSet<u64>,
    /// The lowest watermark queued.
    pub watermark: Option<String>,
}

impl Load {
    /// Of the channels between two vertices.
    pub fn of<'a>(channels: impl Iterator<Item = &'a ChannelFrame>) -> Load {
        let mut load = Load::default();
        for channel in channels {
            load.channels += 1;
            load.blocked += usize::from(channel.blocked);
            load.full += usize::from(channel.length >= channel.capacity && channel.capacity > 0);
            load.queued += u64::from(channel.length);
            load.passed += channel.rows;
            for queued in &channel.queued {
                match queued {
                    QueuedElement::Rows(rows, _) => load.rows += u64::from(*rows),
                    QueuedElement::Barrier(id) => {
                        load.barriers.insert(*id);
                    }
                    QueuedElement::Watermark(text) if load.watermark.as_ref().is_none_or(|least| text < least) => {
                        load.watermark = Some(text.clone());
                    }
                    _ => {}
                }
            }
        }
        load
    }

    /// In words.
    pub fn told(&self) -> String {
        let mut parts = vec![match self.channels {
            1 => "1 channel".to_owned(),
            several => format!("{several} channels"),
        }];
        parts.push(format!("{} rows passed", count(self.passed)));
        if self.queued > 0 {
            parts.push(format!("{} elements queued", count(self.queued)));
        }
        parts.extend(self.barriers.iter().map(|id| format!("barrier {id} on its way")));
        if self.blocked > 0 {
            parts.push(format!("{} blocked", self.blocked));
        }
        if self.full > 0 {
            parts.push(format!("{} full", self.full));
        }
        parts.join(" · ")
    }
}

/// Draws the bundle between two vertices.
pub fn bundle(geometry: &Geometry, from: u32, to: u32, load: &Load, onfocus: &Callback<Option<(u32, u32)>>) -> Html {
    let Some(curve) = geometry.edge(from, to) else {
        return Html::default();
    };
    let focus = |on: bool| onfocus.reform(move |()| on.then_some((from, to)));
    let (enter, leave) = (focus(true), focus(false));
    let (focused, blurred) = (enter.clone(), leave.clone());
    // Where a line is short, barriers go over it and watermarks below, beside the number of rows.
    let place = |t: f64, aside: f64| {
        let (x, y, angle) = curve.at(if curve.length() < SHORT { 0.5 } else { t + curve.turn * BESIDE });
        if curve.length() >= SHORT {
            (x, y, angle)
        } else if geometry.shape == Shape::Chips {
            (x + aside * 1.4, y, angle)
        } else {
            (x, y + aside, angle)
        }
    };
    let width = 1.8 + (load.channels as f64).sqrt() * 0.6;
    html! {
        <g class={classes!("channel", "bundle", (load.blocked > 0).then_some("blocked"), (load.full > 0).then_some("full"))}
            tabindex="0" role="img" aria-label={load.told()} data-edge={format!("{from}.{to}")}
            data-queued={load.queued.to_string()} data-blocked={load.blocked.to_string()}
            onmouseenter={move |_| enter.emit(())} onmouseleave={move |_| leave.emit(())}
            onfocus={move |_| focused.emit(())} onblur={move |_| blurred.emit(())}>
            <title>{load.told()}</title>
            <path class="reach" d={curve.path()} />
            <path class="line" d={curve.path()} style={format!("stroke-width:{width:.1}px")} />
            if load.blocked > 0 { { gate(&curve) } }
            if let Some(watermark) = &load.watermark {
                { element(&QueuedElement::Watermark(watermark.clone()), place(0.24, 17.0), false) }
            }
            if let Some(id) = load.barriers.first() {
                { element(&QueuedElement::Barrier(*id), place(0.78, -22.0), false) }
            }
            if load.rows > 0 {
                { { let (x, y, _) = curve.at(0.5 + curve.turn * BESIDE); rows_mark(load.rows, x, y) } }
            }
        </g>
    }
}
