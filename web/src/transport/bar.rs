//! Play, pause, step, speed, checkpoint, crash.

use tidegate_protocol::{Command, CrashTarget, Transport};
use yew::prelude::*;

use super::back::BackControls;
use super::timeline::Timeline;
use crate::app::Desk;
use crate::state::{Action, Phase};
use crate::ui::{count, hide_popover, use_choice, value_of_select};

/// Elements per second on offer; infinite is full speed.
const SPEEDS: &[f64] = &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 200.0, f64::INFINITY];

/// The transport bar.
#[component(TransportBar)]
pub fn transport_bar() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let live = page.phase == Phase::Live && page.layout.is_some() && !page.stale;
    let frame = page.frame.as_ref();
    let playing = frame.is_some_and(|frame| frame.playing);
    let speed = frame.map_or(1.0, |frame| frame.speed);
    let step = frame.and_then(|frame| frame.jobs.get(page.job)).map_or(0, |job| job.step);
    let past = frame.and_then(|frame| frame.past);
    let tell = |command: Command| {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.tell(command.clone()))
    };
    let onspeed = {
        let desk = desk.clone();
        Callback::from(move |event: Event| {
            if let Ok(speed) = value_of_select(&event).parse() {
                desk.tell(Command::Transport(Transport::Speed(speed)));
            }
        })
    };
    let job = page.job as u32;
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job));
    let crash = |target: Option<CrashTarget>| {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| {
            hide_popover("crash-menu");
            match target {
                Some(target) => desk.tell(Command::Crash { job, target }),
                None => {
                    desk.act(Action::Replace(false));
                    desk.link.crash_worker();
                }
            }
        })
    };
    // All jobs that run; where none does, the one shown says why there is no checkpoint.
    let checkpoint = {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| {
            let jobs = desk.page.frame.as_ref().map_or(&[][..], |frame| &frame.jobs);
            let running = jobs.iter().enumerate().filter(|(_, job)| job.state == "RUNNING");
            let mut targets: Vec<u32> = running.map(|(number, _)| number as u32).collect();
            if targets.is_empty() {
                targets.push(job);
            }
            targets.into_iter().for_each(|job| desk.tell(Command::Checkpoint { job }));
        })
    };
    let several = frame.is_some_and(|frame| frame.jobs.len() > 1);
    let under_way = frame.and_then(|frame| frame.job.as_ref()).and_then(|job| job.checkpoints.current.as_ref());
    let shown = SPEEDS.iter().copied().find(|offer| *offer == speed);
    let choice = use_choice(speed.to_string());
    html! {
        <footer>
            <button id="play" class={classes!((!playing).then_some("primary"))} disabled={!live} aria-label={if playing { "Pause" } else { "Play" }}
                onclick={tell(Command::Transport(if playing { Transport::Pause } else { Transport::Play }))}>
                {if playing { "❚❚" } else { "▶" }}
            </button>
            <button id="step-element" disabled={!live} title="One element by one subtask"
                onclick={tell(Command::Transport(Transport::StepElement))}>{"Step"}</button>
            <button id="step-row" disabled={!live} title="One input row, until quiet"
                onclick={tell(Command::Transport(Transport::StepRow))}>{"Next row"}</button>
            <select ref={choice} id="speed" aria-label="Speed" disabled={!live} onchange={onspeed}>
                if shown.is_none() { <option value={speed.to_string()} selected=true disabled=true>{format!("{speed} / s")}</option> }
                { for SPEEDS.iter().map(|offer| html! {
                    <option value={offer.to_string()} selected={*offer == speed}>
                        { if offer.is_infinite() { "full speed".to_owned() } else { format!("{offer} / s") } }
                    </option>
                }) }
            </select>
            <BackControls />
            <Timeline {live} step={past.map_or(step, |past| past.step)} end={past.map_or(step, |past| past.end)} />
            <span class="mute number steps" id="steps">{format!("step {}", count(step))}</span>
            <button id="checkpoint" disabled={!live} aria-disabled={under_way.map(|_| "true")} onclick={checkpoint}
                title={under_way.map_or_else(|| format!("Sends barriers on their way{}", if several { ", in all jobs" } else { "" }), |one| format!("Checkpoint {} is under way", one.id))}>{"Checkpoint"}</button>
            <button id="crash" class="danger" disabled={!live} popovertarget="crash-menu">{"Crash…"}</button>
            <div id="crash-menu" popover="auto" role="menu" aria-label="What is to crash">
                <button role="menuitem" id="crash-worker" onclick={crash(None)}>
                    <b>{"Worker"}</b><span class="mute">{if past.is_some() { "the whole engine is terminated; a new one restores from the store and goes on at the end of the run" } else { "the whole engine is terminated; a new one restores from the store" }}</span>
                </button>
                <button role="menuitem" id="crash-job" onclick={crash(Some(CrashTarget::Job))}>
                    <b>{"Job"}</b><span class="mute">{"all subtasks of the job shown; it restores from its last checkpoint"}</span>
                </button>
                <p class="mute menu-head" aria-hidden="true">{"One subtask"}</p>
                { for layout.iter().flat_map(|layout| layout.vertices.iter().enumerate()).filter(|(_, layout)| !layout.hidden).map(|(vertex, layout)| html! {
                    <div class="one-of" role="group" aria-label={layout.name.clone()}>
                        <span class="cell" title={layout.name.clone()}>{&layout.name}</span>
                        { for (0..layout.parallelism).map(|subtask| html! {
                            <button role="menuitem" class="small" id={format!("crash-{vertex}-{subtask}")} aria-label={format!("{}, subtask {subtask}", layout.name)}
                                onclick={crash(Some(CrashTarget::Subtask { vertex: vertex as u32, subtask }))}>{format!("[{subtask}]")}</button>
                        }) }
                    </div>
                }) }
            </div>
        </footer>
    }
}
