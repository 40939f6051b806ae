//! Checkpoints: the one under way, subtask by subtask, and the history.

use tidegate_protocol::{Acknowledgement, CheckpointFrame, Command, JobLayout};
use yew::prelude::*;

use super::savepoint::SavepointButtons;
use crate::app::Desk;
use crate::state::Phase;
use crate::ui::bytes;

/// The checkpoints of the chosen job.
#[component(CheckpointsView)]
pub fn checkpoints_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job));
    let job = page.frame.as_ref().and_then(|frame| frame.job.as_ref());
    let (Some(layout), Some(job)) = (layout, job) else {
        return Html::default();
    };
    let checkpoints = &job.checkpoints;
    let live = page.phase == Phase::Live && !page.stale;
    let restore = |checkpoint: &CheckpointFrame| {
        let (desk, job, id) = (desk.clone(), page.job as u32, checkpoint.id);
        let onclick = Callback::from(move |_: MouseEvent| desk.tell(Command::Restore { job, checkpoint: id }));
        html! {
            if checkpoint.kept {
                <button class="small" id={format!("restore-{id}")} disabled={!live} {onclick}
                    title="The job goes back to it and reads again what came after. What a sink has committed since stays, and comes a second time.">{"Restore"}</button>
            }
        }
    };
    let interval = match checkpoints.interval {
        Some(ms) => format!("every {} s", ms as f64 / 1000.0),
        None => "by hand only (no execution.checkpointing.interval is set)".to_owned(),
    };
    html! {
        <div class="checkpoints scroll" id="checkpoints" tabindex="0" aria-label="Checkpoints">
            <p class="label mute">{format!("{} completed, {} failed · {interval}", checkpoints.completed, checkpoints.failed)}</p>
            <SavepointButtons />
            if let Some(current) = &checkpoints.current {
                { progress(layout, current) }
                { parts(layout, current) }
            }
            if checkpoints.history.is_empty() && checkpoints.current.is_none() {
                <p class="empty">{"No checkpoint yet. “Checkpoint” below sends the barriers on their way."}</p>
            } else if !checkpoints.history.is_empty() {
                <table>
                    <thead><tr>
                        <th scope="col">{"id"}</th><th scope="col">{"kind"}</th><th scope="col">{"status"}</th><th scope="col" class="right">{"took"}</th>
                        <th scope="col" class="right">{"written"}</th><th scope="col" class="right">{"aligned"}</th><th scope="col" class="right">{"queued"}</th>
                        <th scope="col"><span class="unseen">{"Restore"}</span></th>
                    </tr></thead>
                    <tbody>{ for checkpoints.history.iter().map(|checkpoint| {
                        let aligned = checkpoint.subtasks.iter().map(|part| part.alignment_steps).max().unwrap_or(0);
                        let queued: u64 = checkpoint.subtasks.iter().map(|part| part.queued).sum();
                        html! {
                            <tr key={checkpoint.id} class={checkpoint.status.replace(' ', "-")} data-checkpoint={checkpoint.id.to_string()}>
                                <td>{checkpoint.id}</td>
                                <td>{if checkpoint.savepoint { "savepoint" } else { "checkpoint" }}</td>
                                <td>{&checkpoint.status}{ checkpoint.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default() }</td>
                                <td class="right">{format!("{} ms", checkpoint.duration)}</td>
                                <td class="right">{bytes(checkpoint.bytes)}</td>
                                <td class="right">{format!("{aligned} steps")}</td>
                                <td class="right">{queued}</td>
                                <td>{ restore(checkpoint) }</td>
                            </tr>
                        }
                    }) }</tbody>
                </table>
                if let Some(newest) = checkpoints.history.first() {
                    <p class="label mute">{format!("Checkpoint {}, subtask by subtask", newest.id)}</p>
                    { parts(layout, newest) }
                }
            }
        </div>
    }
}

/// The parts of a checkpoint with the names of their subtasks; what only watches is left out.
fn shown<'a>(layout: &JobLayout, checkpoint: &'a CheckpointFrame) -> Vec<(String, &'a Acknowledgement)> {
    let names = layout.vertices.iter().flat_map(|vertex| {
        (0..vertex.parallelism).map(|index| (!vertex.hidden).then(|| format!("{}[{index}]", vertex.name)))
    });
    names.zip(&checkpoint.subtasks).filter_map(|(name, part)| Some((name?, part))).collect()
}

fn progress(layout: &JobLayout, checkpoint: &CheckpointFrame) -> Html {
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

fn parts(layout: &JobLayout, checkpoint: &CheckpointFrame) -> Html {
    html! {
        <ul class="parts">
            { for shown(layout, checkpoint).into_iter().map(|(name, part)| html! {
                <li class={classes!(part.acknowledged.then_some("acknowledged"))}>
                    <span aria-hidden="true">{if part.acknowledged { "✓" } else { "·" }}</span>
                    <span class="cell" title={name.clone()}>{name}</span>
                    <span class="mute right">{ if part.acknowledged {
                        format!("{} · aligned {} steps, {} queued · snapshot {:.1} ms", bytes(part.bytes), part.alignment_steps, part.queued, part.sync_us as f64 / 1000.0)
                    } else { "not yet".to_owned() } }</span>
                </li>
            }) }
        </ul>
    }
}
