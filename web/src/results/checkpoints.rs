//! Checkpoints: the one under way, subtask by subtask, the history with its figures, and what a checkpoint costs in each mode.

use tidegate_protocol::{CheckpointFrame, Command};
use yew::prelude::*;

use super::checkpoint_parts::{PartsView, progress};
use super::savepoint::SavepointButtons;
use crate::app::Desk;
use crate::costs::{CostsView, SoFarView};
use crate::state::Phase;
use crate::ui::bytes;

/// The checkpoints of the chosen job.
#[component(CheckpointsView)]
pub fn checkpoints_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let compared = use_state_eq(|| false);
    // The one that is shown subtask by subtask; the newest, if none is chosen.
    let chosen = use_state_eq(|| None::<(u64, u64)>);
    let page = &*desk.page;
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job));
    let job = page.frame.as_ref().and_then(|frame| frame.job.as_ref());
    let (Some(layout), Some(job)) = (layout, job) else {
        return Html::default();
    };
    let checkpoints = &job.checkpoints;
    let mut open_ones: Vec<&CheckpointFrame> = checkpoints.current.iter().chain(&checkpoints.others).collect();
    open_ones.sort_by_key(|one| one.id);
    let live = page.phase == Phase::Live && !page.stale;
    let restore = |checkpoint: &CheckpointFrame| {
        let (desk, job, id) = (desk.clone(), page.job as u32, checkpoint.id);
        let onclick = {
            let desk = desk.clone();
            Callback::from(move |_: MouseEvent| desk.tell(Command::Restore { job, checkpoint: id }))
        };
        let run_from = {
            let checkpoint = checkpoint.clone();
            Callback::from(move |_: MouseEvent| desk.run_from(job, &checkpoint))
        };
        html! {
            if checkpoint.kept {
                <button class="small" id={format!("restore-{id}")} disabled={!live} {onclick}
                    title="The job goes back to it and reads again what came after. What a sink has committed since stays, and comes a second time.">{"Restore"}</button>
                <button class="small" id={format!("run-from-{id}")} disabled={!live} onclick={run_from}
                    title="Runs the editor’s script, whatever was changed in it, from this state, with the inputs, logs and tables that are there. What does not fit is refused.">{"Run from here"}</button>
            }
        }
    };
    let show = |compare: bool| {
        let compared = compared.setter();
        Callback::from(move |_: MouseEvent| compared.set(compare))
    };
    let interval = match checkpoints.interval {
        Some(ms) => format!("every {} s", ms as f64 / 1000.0),
        None => "by hand only (no execution.checkpointing.interval is set)".to_owned(),
    };
    // A number comes again where the job went back to before it.
    let key = |checkpoint: &CheckpointFrame| (checkpoint.id, checkpoint.triggered.0);
    let open = chosen.filter(|chosen| checkpoints.history.iter().any(|one| key(one) == *chosen));
    let open = open.or(checkpoints.history.first().map(key));
    let row = |checkpoint: &CheckpointFrame| {
        let (id, of) = (checkpoint.id, key(checkpoint));
        let (is_open, chosen) = (open == Some(of), chosen.setter());
        let aligned = checkpoint.subtasks.iter().map(|part| part.alignment_steps).max().unwrap_or(0);
        let queued: u64 = checkpoint.subtasks.iter().map(|part| part.queued).sum();
        let restored = job.replays.iter().filter(|replay| replay.checkpoint == id && replay.from == of.1).count();
        let reason = checkpoint.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
        html! {
            <>
                <tr class={checkpoint.status.replace(' ', "-")} data-checkpoint={id.to_string()}>
                    <td><button class="small quiet of" aria-expanded={is_open.to_string()} title={format!("Checkpoint {id}, subtask by subtask")}
                        onclick={move |_| chosen.set(Some(of))}>{id}</button></td>
                    <td class="checkpoint-name" title="Its name in SET 'execution.state-recovery.path'">{format!("{}-{id}", if checkpoint.savepoint { "savepoint" } else { "checkpoint" })}</td>
                    <td>{&checkpoint.status}{reason}{ match restored {
                        0 => String::new(),
                        1 => " · restored once".to_owned(),
                        times => format!(" · restored {times} times"),
                    } }</td>
                    <td class="right">{format!("{} ms", checkpoint.duration)}</td>
                    <td class="right">{bytes(checkpoint.bytes)}</td>
                    <td class="right">{format!("{aligned} steps")}</td>
                    <td class="right">{queued}</td>
                    <td>{ restore(checkpoint) }</td>
                </tr>
                if is_open {
                    <tr class="detail"><td colspan="8"><PartsView layout={layout.clone()} checkpoint={checkpoint.clone()} /></td></tr>
                }
            </>
        }
    };
    html! {
        <div class="checkpoints scroll" id="checkpoints" tabindex="0" aria-label="Checkpoints">
            <p class="choices" role="group" aria-label="Checkpoints of this job, or what they cost in each mode">
                <button class="small" id="checkpoints-here" aria-pressed={(!*compared).to_string()} onclick={show(false)}>{"This job"}</button>
                <button class="small" id="checkpoints-compared" aria-pressed={compared.to_string()} onclick={show(true)}>{"What a checkpoint costs, by mode"}</button>
            </p>
            if *compared {
                <CostsView />
            } else {
                <p class="label mute">{format!("{} completed, {} failed · {interval}", checkpoints.completed, checkpoints.failed)}</p>
                <SavepointButtons />
                { for open_ones.iter().map(|one| html! {
                    <div key={one.id} class="open-one">
                        { progress(layout, one) }
                        <PartsView layout={layout.clone()} checkpoint={(*one).clone()} />
                    </div>
                }) }
                if checkpoints.history.is_empty() && checkpoints.current.is_none() {
                    <p class="empty">{"No checkpoint yet. “Checkpoint” below sends the barriers on their way."}</p>
                } else if !checkpoints.history.is_empty() {
                    <SoFarView checkpoints={checkpoints.clone()} />
                    <table>
                        <thead><tr>
                            <th scope="col">{"id"}</th><th scope="col">{"kind"}</th><th scope="col">{"status"}</th><th scope="col" class="right">{"took"}</th>
                            <th scope="col" class="right">{"written"}</th><th scope="col" class="right">{"aligned"}</th><th scope="col" class="right">{"queued"}</th>
                            <th scope="col"><span class="unseen">{"Go on from it"}</span></th>
                        </tr></thead>
                        <tbody>{ for checkpoints.history.iter().map(row) }</tbody>
                    </table>
                }
            }
        </div>
    }
}
