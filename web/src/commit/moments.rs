//! The steps of a two-phase commit from the first row to the last acknowledgement, and a crash at each of them.

use tidegate_protocol::{Command, CommitMoment, Fault, JobFrame, TransactionFrame};
use yew::prelude::*;

use crate::app::Desk;

/// A step: who does what.
struct Step {
    id: &'static str,
    who: &'static str,
    what: &'static str,
    fault: Fault,
    /// What a crash here comes to.
    crash: &'static str,
}

const STEPS: [Step; 7] = [
    Step {
        id: "begun",
        who: "participant",
        what: "begins a transaction with the first row behind the last barrier",
        fault: Fault::At(CommitMoment::Begun),
        crash: "Nothing was promised: it is rolled back, and its rows come again.",
    },
    Step {
        id: "triggered",
        who: "coordinator",
        what: "asks for a vote: barriers set out",
        fault: Fault::At(CommitMoment::Triggered),
        crash: "The checkpoint is given up; what is open is rolled back.",
    },
    Step {
        id: "pre-committed",
        who: "participant",
        what: "pre-commits when the barrier is there: all rows are in the store",
        fault: Fault::At(CommitMoment::PreCommitted),
        crash: "It had not voted, so it is rolled back.",
    },
    Step {
        id: "voted",
        who: "participant",
        what: "votes yes: its acknowledgement holds the transaction",
        fault: Fault::At(CommitMoment::Voted),
        crash: "All have voted, nothing is decided: it is rolled back.",
    },
    Step {
        id: "decided",
        who: "coordinator",
        what: "decides: the checkpoint is complete once it is written down",
        fault: Fault::Coordinator,
        crash: "It is decided, though nobody was told: the new attempt commits.",
    },
    Step {
        id: "committing",
        who: "participant",
        what: "is told, and commits",
        fault: Fault::At(CommitMoment::CommitSent),
        crash: "Whether the commit went through is open: it is done again, which changes nothing where it did.",
    },
    Step {
        id: "committed",
        who: "participant",
        what: "has committed: every reader sees the rows",
        fault: Fault::At(CommitMoment::Committed),
        crash: "The restored state still holds the transaction: it is committed again, and found done.",
    },
];

/// Properties of [`Moments`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The job.
    pub frame: JobFrame,
    /// Why nothing can be made to fail.
    pub not: Option<&'static str>,
}

/// The steps, with the ones that are under way.
#[component(Moments)]
pub fn moments(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    // A crash that was asked for, and the attempts there had been then: with the next one it has come.
    let armed = use_state_eq(|| None::<(usize, u64)>);
    let job = desk.page.job as u32;
    let attempt = desk.page.frame.as_ref().and_then(|frame| frame.jobs.get(desk.page.job)).map_or(0, |job| job.attempt);
    let armed_now = armed.filter(|(_, then)| *then == attempt).map(|(step, _)| step);
    let under_way = under_way(&props.frame);
    html! {
        <ol class="moments" aria-label="Two-phase commit">
            { for STEPS.iter().enumerate().map(|(place, step)| {
                let onclick = {
                    let (desk, armed) = (desk.clone(), armed.clone());
                    Callback::from(move |_: MouseEvent| {
                        armed.set(Some((place, attempt)));
                        desk.tell(Command::Fault { job, fault: STEPS[place].fault, moment: None });
                    })
                };
                let is_armed = armed_now == Some(place);
                html! {
                    <li key={step.id} id={format!("moment-{}", step.id)} class={classes!(step.who, under_way.contains(&step.id).then_some("now"))}
                        aria-current={under_way.contains(&step.id).then_some("step")}>
                        <span class="who">{step.who}</span>
                        <span>{step.what}</span>
                        <button class="small danger" id={format!("crash-at-{}", step.id)} disabled={props.not.is_some() || is_armed} {onclick}
                            title={props.not.map_or_else(|| step.crash.to_owned(), |why| format!("Not now: {why}"))}>
                            { if is_armed { "comes next time" } else { "crash here" } }
                        </button>
                        if is_armed { <span class="mute outcome">{step.crash}</span> }
                    </li>
                }
            }) }
        </ol>
    }
}

/// The steps that transactions and the checkpoint are at.
fn under_way(frame: &JobFrame) -> Vec<&'static str> {
    let mut steps = Vec::new();
    let any = |state: &str| frame.transactions.iter().any(|one: &TransactionFrame| one.state == state);
    if any("open") {
        steps.push("begun");
    }
    if let Some(checkpoint) = &frame.checkpoints.current {
        steps.push(match checkpoint.subtasks.iter().all(|part| part.acknowledged) {
            true => "decided",
            false => "triggered",
        });
        let waits = |one: &TransactionFrame| one.state == "pre-committed" && one.checkpoint == Some(checkpoint.id);
        if frame.transactions.iter().any(waits) {
            steps.push("pre-committed");
        }
        let voted = frame.subtasks.iter().any(|subtask| {
            let of = |one: &TransactionFrame| waits(one) && one.subtask == (subtask.vertex, subtask.index);
            subtask.acknowledged.contains(&checkpoint.id) && frame.transactions.iter().any(of)
        });
        if voted {
            steps.push("voted");
        }
    }
    if any("committing") || any("commit sent") {
        steps.push("committing");
    }
    if frame.transactions.last().is_some_and(|last| last.state == "committed") {
        steps.push("committed");
    }
    steps
}
