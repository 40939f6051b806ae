//! The run of one combination as a line of steps: its checkpoints, its crashes, and how long nothing ran after each.

use tidegate_protocol::GuaranteeOutcome;
use yew::prelude::*;

/// Properties of [`RunLine`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The run.
    pub outcome: GuaranteeOutcome,
    /// The crash that is looked at.
    pub crash: Option<u32>,
    /// Somebody wants to look at a crash.
    pub onchoose: Callback<u32>,
}

/// The line.
#[component(RunLine)]
pub fn run_line(props: &Props) -> Html {
    let GuaranteeOutcome { crashes, checkpoints, steps, .. } = &props.outcome;
    let part = |step: u64| step as f64 * 100.0 / (*steps).max(1) as f64;
    html! {
        <ol class="run-line" aria-label={format!("{steps} steps")}>
            { for crashes.iter().map(|crash| html! {
                <li class="down" aria-hidden="true" style={format!("left:{:.2}%;width:{:.2}%", part(crash.step), part(crash.back.saturating_sub(crash.step)))}></li>
            }) }
            { for checkpoints.iter().map(|(id, step)| {
                let restored = crashes.iter().any(|crash| crash.restored == Some(*id) && props.crash == Some(crash.number));
                let says = format!("checkpoint {id} at step {step}");
                html! {
                    <li class={classes!("checkpoint", restored.then_some("taken"))} title={says.clone()} style={format!("left:{:.2}%", part(*step))}>
                        <span class="unseen">{says}</span>
                    </li>
                }
            }) }
            { for crashes.iter().map(|crash| {
                let (number, onchoose) = (crash.number, props.onchoose.clone());
                let due = props.outcome.rows.iter().filter(|row| row.crashes.contains(&number)).count();
                let says = format!("Crash {number} at step {}: {due} rows are due to it", crash.step);
                html! {
                    <li class="crash" style={format!("left:{:.2}%", part(crash.step))}>
                        <button data-crash={number.to_string()} aria-label={says.clone()} title={says} aria-pressed={(props.crash == Some(number)).to_string()}
                            onclick={move |_| onchoose.emit(number)}>{number}</button>
                    </li>
                }
            }) }
        </ol>
    }
}
