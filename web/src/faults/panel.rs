//! The panel: where and when, a button for each fault, and scenarios made of them.

use tidegate_protocol::{Answer, Command, CommitMoment, Fault, PlannedFault, StoragePlace};
use yew::prelude::*;

use super::offers::{Chosen, Offer, offers};
use super::outages::OutagesView;
use super::places::{Choice, channels, subtasks};
use super::planned::PlannedView;
use super::scenarios::ScenariosView;
use super::words::{MOMENTS, never};
use super::zombie::ZombieView;
use crate::app::Desk;
use crate::guarantees::GuaranteesView;
use crate::state::{Action, Phase};
use crate::ui::value_of_input;

/// Whose storage, in the order of the choice.
const PLACES: [(StoragePlace, &str); 2] =
    [(StoragePlace::Checkpoints, "checkpoint storage"), (StoragePlace::Sinks, "the sink’s store")];

/// What is chosen, by number.
#[derive(Clone, Copy, PartialEq)]
struct Numbers {
    subtask: usize,
    channel: usize,
    place: usize,
    moment: usize,
    /// Seconds.
    lasts: f64,
    pace: u32,
    rate: u32,
}

/// The faults of the chosen job.
#[component(FaultsView)]
pub fn faults_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let numbers =
        use_state_eq(|| Numbers { subtask: 0, channel: 0, place: 0, moment: 0, lasts: 10.0, pace: 1_000, rate: 0 });
    let draft = use_state_eq(Vec::<PlannedFault>::new);
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
    let running = match (live, state) {
        (true, "RUNNING") => None,
        (true, _) => Some("the job does not run"),
        (false, _) => Some("the engine is starting"),
    };
    let moment = MOMENTS.get(numbers.moment).and_then(|(moment, _)| *moment);
    let aligns = channels.iter().any(|((_, to), _)| channels.iter().filter(|((_, other), _)| other == to).count() > 1);
    let not = running.or(never(moment, layout, aligns));
    let chosen = Chosen {
        subtask: subtasks.get(numbers.subtask).or(subtasks.first()).map(|(place, _)| *place),
        channel: channels.get(numbers.channel).or(channels.first()).map(|(places, _)| *places),
        place: PLACES[numbers.place.min(1)].0,
        lasts: (numbers.lasts * 1000.0).clamp(0.0, 3_600_000.0) as u32,
        pace: numbers.pace,
        rate: numbers.rate,
    };
    let choose = |set: fn(&mut Numbers, usize)| {
        let numbers = numbers.clone();
        Callback::from(move |place: usize| {
            let mut next = *numbers;
            set(&mut next, place);
            numbers.set(next);
        })
    };
    let number = |id: &'static str, label: &'static str, value: f64, set: fn(&mut Numbers, f64)| {
        let numbers = numbers.clone();
        let oninput = Callback::from(move |event: InputEvent| {
            if let Ok(value) = value_of_input(&event).parse::<f64>() {
                let mut next = *numbers;
                set(&mut next, value.clamp(0.0, 1e9));
                numbers.set(next);
            }
        });
        html! { <label>{label}{" "}<input {id} type="number" min="0" value={value.to_string()} {oninput} /></label> }
    };
    let ondraft = {
        let draft = draft.clone();
        Callback::from(move |steps| draft.set(steps))
    };
    let scenarios = page.frame.as_ref().map(|frame| frame.scenarios.clone()).unwrap_or_default();
    let slow_channels: Vec<(String, Fault)> = channels
        .iter()
        .filter_map(|((from, to), name)| {
            let channel = frame.channels.iter().find(|channel| (channel.from, channel.to) == (*from, *to))?;
            let text = format!("{name} takes {} ms an element", channel.pace);
            (channel.pace > 0).then_some((text, Fault::SlowChannel { from: *from, to: *to, ms: 0 }))
        })
        .collect();
    let quiet = slow_channels.is_empty()
        && frame.outages.is_empty()
        && frame.slow.is_empty()
        && frame.zombie.is_none()
        && frame.planned.is_empty();
    html! {
        <div class="faults scroll" tabindex="0" role="region" aria-label="Faults">
            <p class="choices" role="group" aria-label="Faults of this job, or guarantees side by side">
                <button class="small" id="faults-by-hand" aria-pressed={(!*compared).to_string()} onclick={show(false)}>{"This job, by hand"}</button>
                <button class="small" id="faults-compared" aria-pressed={compared.to_string()} onclick={show(true)}>{"Guarantees side by side"}</button>
            </p>
            if *compared {
                <GuaranteesView />
            } else {
            <p class="label mute">{"What goes wrong here goes wrong in the engine and in its storage, at the moment that is chosen; what follows is what the job makes of it."}</p>
            // A place of its own, so that nothing moves when something begins or ends.
            <div class="under-way" tabindex="0" role="region" aria-label="What goes wrong now">
                if quiet { <p class="mute">{"Nothing goes wrong now."}</p> }
                <OutagesView outages={frame.outages.clone()} slow={frame.slow.clone()} channels={slow_channels} />
                if let Some(zombie) = &frame.zombie { <ZombieView zombie={zombie.clone()} /> }
                <PlannedView layout={layout.clone()} planned={frame.planned.clone()} />
            </div>
            <p class="choices">
                <Choice id="fault-moment" label="When" offers={MOMENTS.iter().map(|(_, name)| (*name).to_owned()).collect::<Vec<_>>()}
                    chosen={numbers.moment} onchoose={choose(|numbers, place| numbers.moment = place)} />
                <Choice id="fault-subtask-of" label="Subtask" offers={names(subtasks.into_iter().map(|(_, name)| name), "no subtask")}
                    chosen={numbers.subtask} onchoose={choose(|numbers, place| numbers.subtask = place)} />
                // It stays while there are none, so that nothing moves.
                    <Choice id="fault-channel" label="Channel" offers={names(channels.into_iter().map(|(_, name)| name), "no channel")}
                        chosen={numbers.channel} onchoose={choose(|numbers, place| numbers.channel = place)} />
                <Choice id="fault-place" label="Slow storage" offers={PLACES.iter().map(|(_, name)| (*name).to_owned()).collect::<Vec<_>>()}
                    chosen={numbers.place} onchoose={choose(|numbers, place| numbers.place = place)} />
                { number("fault-lasts", "for (s)", numbers.lasts, |numbers, value| numbers.lasts = value) }
                { number("fault-pace", "ms each", f64::from(numbers.pace), |numbers, value| numbers.pace = value as u32) }
                { number("fault-rate", "bytes/s", f64::from(numbers.rate), |numbers, value| numbers.rate = value as u32) }
            </p>
            <ul class="offers">
                { for offers(layout, frame, &chosen).into_iter().map(|offer| one(&desk, offer, moment, not, &draft)) }
            </ul>
            <ScenariosView layout={layout.clone()} {scenarios} draft={(*draft).clone()} {ondraft} not={running} />
            }
        </div>
    }
}

/// The names on offer, or that there are none.
fn names(offers: impl Iterator<Item = String>, none: &str) -> Vec<String> {
    let names: Vec<String> = offers.collect();
    if names.is_empty() { vec![none.to_owned()] } else { names }
}

fn one(
    desk: &Desk,
    offer: Offer,
    moment: Option<CommitMoment>,
    not: Option<&'static str>,
    draft: &UseStateHandle<Vec<PlannedFault>>,
) -> Html {
    // At another moment it may apply.
    let not = not.or(offer.not.filter(|_| moment.is_none() && offer.moment.is_none()));
    let moment = moment.or(offer.moment);
    let onclick = {
        let (desk, job, fault) = (desk.clone(), desk.page.job as u32, offer.fault);
        Callback::from(move |_: MouseEvent| {
            let Some(fault) = fault else { return };
            let page = desk.page.dispatcher();
            desk.link.send(Command::Fault { job, fault, moment }, move |answer| match answer {
                Answer::Spoiled { checkpoint } => page.dispatch(Action::Message(Some(format!(
                    "A part of checkpoint {checkpoint} is spoilt. Nobody knows yet: a crash makes the job look."
                )))),
                Answer::Failed { code, message } => page.dispatch(Action::Message(Some(format!("{code}: {message}")))),
                _ => {}
            });
        })
    };
    let add = {
        let (draft, fault) = (draft.clone(), offer.fault);
        Callback::from(move |_: MouseEvent| {
            let mut steps = (*draft).clone();
            steps.extend(fault.map(|fault| PlannedFault { moment, fault }));
            draft.set(steps);
        })
    };
    html! {
        <li key={offer.id}>
            <span class="pair">
                <button id={offer.id} class="small" disabled={not.is_some() || offer.fault.is_none()} {onclick}>{offer.name}</button>
                <button id={offer.id.replacen("fault", "add", 1)} class="small" disabled={offer.fault.is_none()}
                    aria-label={format!("Add to the scenario: {}", offer.name)} title="Add to the scenario" onclick={add}>{"+"}</button>
            </span>
            <span>{offer.shows}
                // A line of its own, also while there is no reason: nothing moves.
                <i class="mute why" title={not}>{ not.map_or_else(String::new, |why| format!("Not now: {why}.")) }</i>
            </span>
        </li>
    }
}
