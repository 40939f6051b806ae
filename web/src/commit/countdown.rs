//! How long a transaction has, by the engine's own clock, and what was lost when that was not enough.

use tidegate_protocol::{Command, CommitMoment, Fault, JobFrame, ScenarioWish, TransactionFrame};
use yew::prelude::*;

use super::transactions::{short, time_left};
use crate::app::Desk;
use crate::ui::rows;

/// How long the transaction has once it is pre-committed, and how late the coordinator's decision comes, ms.
const LEFT: u32 = 8_000;
const LATE: u32 = 12_000;

/// Properties of [`Countdown`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The job.
    pub frame: JobFrame,
    /// Why nothing can be made to fail.
    pub not: Option<&'static str>,
}

/// The transaction that times out first, the loss so far, and the way to a loss.
#[component(Countdown)]
pub fn countdown(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let frame = &props.frame;
    let next = frame.transactions.iter().filter_map(|one| Some((one.left?, one))).min_by_key(|(left, _)| *left);
    let lost: Vec<&TransactionFrame> = frame.transactions.iter().filter(|one| one.state == "lost").collect();
    let count = lost.iter().map(|one| one.rows).sum::<u64>();
    let waits = frame.planned.iter().flatten().any(|planned| planned.fault == (Fault::Transactions { ms: LEFT }));
    let run_out = {
        let (desk, job) = (desk.clone(), desk.page.job as u32);
        Callback::from(move |_: MouseEvent| {
            // The decision waits for an acknowledgement that is late; meanwhile the transaction's time runs out.
            let late = Fault::DelayAcknowledgement { vertex: 0, subtask: 0, ms: LATE };
            let moments =
                [(CommitMoment::Requested, late), (CommitMoment::PreCommitted, Fault::Transactions { ms: LEFT })];
            for (moment, fault) in moments {
                desk.tell(Command::Fault { job, fault, moment: Some(moment) });
            }
        })
    };
    let stop = {
        let (desk, job) = (desk.clone(), desk.page.job as u32);
        Callback::from(move |_: MouseEvent| desk.tell(Command::Scenario { job, wish: ScenarioWish::Stop }))
    };
    html! {
        <div class="countdown">
            <p>
                <button class="small danger" id="run-out" disabled={props.not.is_some() || waits} onclick={run_out}
                    title="At the next checkpoint the coordinator’s decision is late, and the transaction has eight seconds.">
                    {"Let the time run out before the commit"}
                </button>
                if waits {
                    {" "}<span class="mute">{"comes with the next checkpoint "}</span>
                    <button class="small" onclick={stop}>{"Do not"}</button>
                }
            </p>
            if let Some((left, one)) = next {
                <p id="countdown" role="timer" class={(left < 60_000).then_some("soon")}>
                    <b class="number">{time_left(left)}</b>
                    {format!(" until transaction {} times out. ", short(&one.name))}
                    <span class="mute">{ match one.state.as_str() {
                        "open" => "Were it to time out now, its rows would come again.",
                        _ => "If it is not committed by then, the store rolls it back, and its rows are lost.",
                    } }</span>
                </p>
            } else {
                <p class="mute">{"No transaction is open."}</p>
            }
            if !lost.is_empty() {
                <p id="lost" role="status" class="soon">
                    <b>{format!("{} lost", rows(count))}</b>
                    {format!(": the time of {} was over before the commit, although the checkpoint that counts the rows as written is complete.",
                        lost.iter().map(|one| format!("transaction {}", short(&one.name))).collect::<Vec<_>>().join(", "))}
                </p>
            }
        </div>
    }
}
