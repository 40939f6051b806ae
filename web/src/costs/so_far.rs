//! The figures of this job's last checkpoints as small charts: a bar each, the newest at the right.

use tidegate_protocol::{CheckpointFrame, Checkpoints};
use yew::prelude::*;

use super::median;
use crate::ui::{bytes, count};

/// Checkpoints shown.
const SHOWN: usize = 24;

/// Properties of [`SoFarView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The job's checkpoints.
    pub checkpoints: Checkpoints,
}

/// The charts.
#[component(SoFarView)]
pub fn so_far_view(props: &Props) -> Html {
    let shown: Vec<&CheckpointFrame> = props.checkpoints.history.iter().take(SHOWN).rev().collect();
    let ms = |ms: u64| format!("{} ms", count(ms));
    let blocked = |one: &CheckpointFrame| one.subtasks.iter().map(|part| part.alignment_ms).max().unwrap_or(0);
    let queued = |one: &CheckpointFrame| one.subtasks.iter().map(|part| part.queued).sum();
    html! {
        <div class="so-far" role="group" aria-label="The last checkpoints">
            { chart("took", &shown, |one| one.duration, ms) }
            { chart("aligned", &shown, blocked, ms) }
            { chart("queued", &shown, queued, count) }
            { chart("written", &shown, |one| one.bytes, bytes) }
        </div>
    }
}

fn chart(
    name: &'static str,
    shown: &[&CheckpointFrame],
    figure: impl Fn(&CheckpointFrame) -> u64,
    text: impl Fn(u64) -> String,
) -> Html {
    let figures: Vec<u64> = shown.iter().map(|one| figure(one)).collect();
    let most = figures.iter().copied().max().unwrap_or(0);
    let last = figures.last().copied().unwrap_or(0);
    let middle = median(figures.clone()).unwrap_or(0);
    let says = format!("{name}: last {}, median {}, most {}", text(last), text(middle), text(most));
    html! {
        <figure title={says.clone()}>
            <figcaption><span class="mute">{name}</span><b class="figure">{text(last)}</b><span class="mute figure">{format!("≤ {}", text(most))}</span></figcaption>
            <svg viewBox={format!("0 0 {} 30", SHOWN * 5)} preserveAspectRatio="none" role="img" aria-label={says}>
                { for figures.iter().zip(shown).enumerate().map(|(place, (figure, one))| {
                    // What is none still has its place.
                    let height = (*figure as f64 * 28.0 / most.max(1) as f64).max(1.5);
                    let x = (SHOWN - figures.len() + place) * 5;
                    html! {
                        <rect class={one.status.replace(' ', "-")} x={x.to_string()} y={format!("{:.1}", 30.0 - height)} width="4" height={format!("{height:.1}")}>
                            <title>{format!("checkpoint {}: {}", one.id, text(*figure))}</title>
                        </rect>
                    }
                }) }
            </svg>
        </figure>
    }
}
