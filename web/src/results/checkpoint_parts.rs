//! A checkpoint subtask by subtask: how far it is, and what each part came to.

use tidegate_protocol::{Acknowledgement, CheckpointFrame, JobLayout};
use yew::prelude::*;

use crate::ui::{bytes, count};

/// Properties of [`PartsView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The job.
    pub layout: JobLayout,
    /// The checkpoint.
    pub checkpoint: CheckpointFrame,
}

/// What each subtask has done for it.
#[component(PartsView)]
pub fn parts_view(props: &Props) -> Html {
    let under_way = props.checkpoint.status == "in progress";
    html! {
        <ul class="parts" aria-label={format!("Checkpoint {}, subtask by subtask", props.checkpoint.id)}>
            { for shown(&props.layout, &props.checkpoint).into_iter().map(|(name, part)| html! {
                <li class={classes!(part.acknowledged.then_some("acknowledged"), (under_way && !part.acknowledged).then(|| part.state.clone()))}>
                    <span aria-hidden="true">{match (part.acknowledged, under_way, part.state.as_str()) {
                        (true, ..) => "✓",
                        (_, true, "writing" | "sent") => "↑",
                        (_, true, "") => "·",
                        _ => "✕",
                    }}</span>
                    <span class="cell" title={name.clone()}>{name}</span>
                    <span class="mute right">{ match (part.acknowledged, under_way) {
                        (true, _) => told(part),
                        (false, true) => match part.state.as_str() {
                            "writing" => "state is read out and being written",
                            "sent" => "written, acknowledgement on its way",
                            "lost" => "written, acknowledgement lost",
                            _ => "not yet",
                        }.to_owned(),
                        (false, false) => "has not acknowledged it".to_owned(),
                    } }</span>
                </li>
            }) }
        </ul>
    }
}

fn told(part: &Acknowledgement) -> String {
    let entries = if part.entries == 1 { "entry" } else { "entries" };
    format!(
        "after {} ms · {} in {} {entries} · aligned {} steps ({} ms), {} queued · snapshot {:.1} ms",
        count(part.after_ms),
        bytes(part.bytes),
        count(part.entries),
        part.alignment_steps,
        part.alignment_ms,
        part.queued,
        part.sync_us as f64 / 1000.0
    )
}

/// How many have acknowledged the one that is under way.
pub fn progress(layout: &JobLayout, checkpoint: &CheckpointFrame) -> Html {
    let shown = shown(layout, checkpoint);
    let all = shown.len().max(1);
    let done = shown.iter().filter(|(_, part)| part.acknowledged).count();
    html! {
        <>
            <p class="label">{format!("Checkpoint {} · {done} of {all} acknowledged · {} ms", checkpoint.id, checkpoint.duration)}</p>
            <div class="progress" role="progressbar" aria-valuemin="0" aria-valuemax={all.to_string()} aria-valuenow={done.to_string()}
                aria-label="Acknowledged"><b style={format!("width:{}%", done * 100 / all)}></b></div>
        </>
    }
}

/// The parts of a checkpoint with the names of their subtasks; what only watches is left out.
fn shown<'a>(layout: &JobLayout, checkpoint: &'a CheckpointFrame) -> Vec<(String, &'a Acknowledgement)> {
    let names = layout.vertices.iter().flat_map(|vertex| {
        (0..vertex.parallelism).map(|index| (!vertex.hidden).then(|| format!("{}[{index}]", vertex.name)))
    });
    names.zip(&checkpoint.subtasks).filter_map(|(name, part)| Some((name?, part))).collect()
}
