//! The faults on offer: a button for each, one sentence about what it shows, and why it does not apply where it does not.

use tidegate_protocol::{Answer, Command, Fault, JobFrame, JobLayout, StoragePlace};
use yew::prelude::*;

use super::outages::OutagesView;
use super::places::{Choice, channels, subtasks};
use crate::app::Desk;
use crate::guarantees::GuaranteesView;
use crate::state::{Action, Phase};

/// How long storage is away or full, ms.
const OUTAGE: u32 = 10_000;
/// How late an acknowledgement comes, ms.
const LATE: u32 = 5_000;
/// How long a slow channel takes for an element, ms.
const PACE: u32 = 1_000;

/// A fault on offer.
struct Offer {
    id: &'static str,
    name: &'static str,
    fault: Option<Fault>,
    /// What it shows, in one sentence.
    shows: &'static str,
    /// Why it does not apply.
    not: Option<&'static str>,
}

/// The faults of the chosen job.
#[component(FaultsView)]
pub fn faults_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let chosen = use_state_eq(|| (0usize, 0usize));
    let compared = use_state_eq(|| false);
    let show = |side: bool| {
        let compared = compared.setter();
        Callback::from(move |_: MouseEvent| compared.set(side))
    };
    let page = &*desk.page;
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job));
    let frame = page.frame.as_ref().and_then(|frame| frame.job.as_ref());
    let (Some(layout), Some(frame)) = (layout, frame) else {
        return Html::default();
    };
    let live = page.phase == Phase::Live && !page.stale;
    let state = page.frame.as_ref().and_then(|frame| frame.jobs.get(page.job)).map_or("", |job| job.state.as_str());
    let (subtasks, channels) = (subtasks(layout), channels(layout, frame));
    let subtask = subtasks.get(chosen.0).or(subtasks.first()).map(|(place, _)| *place);
    let channel = channels.get(chosen.1).or(channels.first()).map(|(places, _)| *places);
    let running = match (live, state) {
        (true, "RUNNING") => None,
        (true, _) => Some("the job does not run"),
        (false, _) => Some("the engine is starting"),
    };
    let offers = offers(layout, frame, subtask, channel);
    let choose_subtask = {
        let chosen = chosen.clone();
        Callback::from(move |place| chosen.set((place, chosen.1)))
    };
    let choose_channel = {
        let chosen = chosen.clone();
        Callback::from(move |place| chosen.set((chosen.0, place)))
    };
    html! {
        <div class="faults scroll" tabindex="0" role="region" aria-label="Faults">
            <p class="choices" role="group" aria-label="Faults of this job, or guarantees side by side">
                <button class="small" id="faults-by-hand" aria-pressed={(!*compared).to_string()} onclick={show(false)}>{"This job, by hand"}</button>
                <button class="small" id="faults-compared" aria-pressed={compared.to_string()} onclick={show(true)}>{"Guarantees side by side"}</button>
            </p>
            if *compared {
                <GuaranteesView />
            } else {
            <p class="label mute">{"What goes wrong here goes wrong in the engine and in its storage; what follows is what the job makes of it. Crashes are in the bar below."}</p>
            <OutagesView outages={frame.outages.clone()} />
            <p class="choices">
                <Choice id="fault-subtask" label="Whose acknowledgement" offers={subtasks.into_iter().map(|(_, name)| name).collect::<Vec<_>>()}
                    chosen={chosen.0} onchoose={choose_subtask} />
                if !channels.is_empty() {
                    <Choice id="fault-channel" label="Which channel" offers={channels.into_iter().map(|(_, name)| name).collect::<Vec<_>>()}
                        chosen={chosen.1} onchoose={choose_channel} />
                }
            </p>
            <ul>
                { for offers.into_iter().map(|offer| one(&desk, offer, running)) }
            </ul>
            }
        </div>
    }
}

fn one(desk: &Desk, offer: Offer, running: Option<&'static str>) -> Html {
    let not = running.or(offer.not);
    let onclick = {
        let (desk, job, fault) = (desk.clone(), desk.page.job as u32, offer.fault);
        Callback::from(move |_: MouseEvent| {
            let Some(fault) = fault else { return };
            let page = desk.page.dispatcher();
            desk.link.send(Command::Fault { job, fault }, move |answer| match answer {
                Answer::Spoiled { checkpoint } => page.dispatch(Action::Message(Some(format!(
                    "A part of checkpoint {checkpoint} is spoilt. Nobody knows yet: a crash makes the job look."
                )))),
                Answer::Failed { code, message } => page.dispatch(Action::Message(Some(format!("{code}: {message}")))),
                _ => {}
            });
        })
    };
    html! {
        <li key={offer.id}>
            <button id={offer.id} class="small" disabled={not.is_some() || offer.fault.is_none()} {onclick}>{offer.name}</button>
            <span>{offer.shows}{ not.map(|why| html! { <i class="mute why">{format!(" Not now: {why}.")}</i> }) }</span>
        </li>
    }
}

fn offers(
    layout: &JobLayout,
    frame: &JobFrame,
    subtask: Option<(u32, u32)>,
    channel: Option<((u32, u32), (u32, u32))>,
) -> Vec<Offer> {
    let external = layout.results.iter().any(|result| result.external);
    let sink = (!external).then_some("the job writes into no table and no log");
    let open = |state: &str| matches!(state, "open" | "pre-committed" | "committing");
    let transactions = (!frame.transactions.iter().any(|one| open(&one.state)))
        .then_some("no transaction is open; sinks have them with 'sink.delivery-guarantee' = 'exactly-once'");
    let kept = frame.checkpoints.history.iter().any(|checkpoint| checkpoint.kept);
    let part = (!kept).then_some("no checkpoint is kept");
    let wire = channel.is_none().then_some("the job has no channel: all of it is one chain");
    let storage = |place, full| Some(Fault::Storage { place, full, ms: OUTAGE });
    let offer = |id, name, fault, not, shows| Offer { id, name, fault, shows, not };
    vec![
        offer(
            "fault-coordinator",
            "Coordinator fails",
            Some(Fault::Coordinator),
            None,
            "At the next checkpoint, between its completion and the notification: the checkpoint counts, so the new attempt commits what the old one could not.",
        ),
        offer(
            "fault-lose-ack",
            "Acknowledgement lost",
            subtask.map(|(vertex, subtask)| Fault::LoseAcknowledgement { vertex, subtask }),
            None,
            "The next one of the chosen subtask: the checkpoint waits for it until it expires, and no transaction commits before a later one completes.",
        ),
        offer(
            "fault-late-ack",
            "Acknowledgement late",
            subtask.map(|(vertex, subtask)| Fault::DelayAcknowledgement { vertex, subtask, ms: LATE }),
            None,
            "By five seconds: all others have voted, and the sinks still wait.",
        ),
        offer(
            "fault-slow-channel",
            "Channel slow",
            channel.map(|(from, to)| Fault::SlowChannel { from, to, ms: PACE }),
            wire,
            "The chosen channel gives up one element a second: aligned barriers wait behind the rows, unaligned ones overtake them. Until the attempt ends.",
        ),
        offer(
            "fault-fast-channel",
            "… as before",
            channel.map(|(from, to)| Fault::SlowChannel { from, to, ms: 0 }),
            wire,
            "The chosen channel is as fast as it was.",
        ),
        offer(
            "fault-storage-away",
            "Storage fails",
            storage(StoragePlace::Checkpoints, false),
            None,
            "Checkpoint storage does not answer for ten seconds: checkpoints fail, and more failures than are tolerated fail the job.",
        ),
        offer(
            "fault-storage-full",
            "Storage full",
            storage(StoragePlace::Checkpoints, true),
            None,
            "Nothing can be written for ten seconds, but what is there can be restored.",
        ),
        offer(
            "fault-part-lost",
            "Part lost",
            Some(Fault::Part { lost: true }),
            part,
            "A part of the newest checkpoint is gone: the next restore misses it, names the checkpoint, and takes the one before.",
        ),
        offer(
            "fault-part-damaged",
            "Part damaged",
            Some(Fault::Part { lost: false }),
            part,
            "A bit of the newest checkpoint is another: the next restore finds it by the checksum, and takes the one before.",
        ),
        offer(
            "fault-sink-away",
            "Sink’s store away",
            storage(StoragePlace::Sinks, false),
            sink,
            "For ten seconds: barriers wait at the sink until what is buffered is written, and the whole checkpoint waits for them.",
        ),
        offer(
            "fault-transactions",
            "Transactions time out",
            Some(Fault::Transactions),
            transactions,
            "The store rolls back every open transaction. Rows that a completed checkpoint counts as written are lost, although everything else is right.",
        ),
    ]
}
