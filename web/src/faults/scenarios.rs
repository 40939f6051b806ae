//! Scenarios: faults one after the other, put together here, kept with the run, set off by one press or drawn by a seed.

use tidegate_protocol::{Command, JobLayout, PlannedFault, Scenario, ScenarioWish};
use yew::prelude::*;

use super::words::step;
use crate::app::Desk;
use crate::ui::value_of_input;

/// Properties of [`ScenariosView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The job.
    pub layout: JobLayout,
    /// The scenarios that are kept.
    pub scenarios: Vec<Scenario>,
    /// The one that is being put together.
    pub draft: Vec<PlannedFault>,
    /// It is another one now.
    pub ondraft: Callback<Vec<PlannedFault>>,
    /// Why nothing can be set off.
    pub not: Option<&'static str>,
}

/// The scenarios, and what is under way.
#[component(ScenariosView)]
pub fn scenarios_view(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let name = use_state_eq(String::new);
    let seed = use_state_eq(|| 1u32);
    let job = desk.page.job as u32;
    let wish = |wish: ScenarioWish| {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.tell(Command::Scenario { job, wish: wish.clone() }))
    };
    let typed = {
        let name = name.clone();
        Callback::from(move |event: InputEvent| name.set(value_of_input(&event)))
    };
    let seeded = {
        let seed = seed.clone();
        Callback::from(move |event: InputEvent| seed.set(value_of_input(&event).parse().unwrap_or(*seed)))
    };
    let keep = {
        let (desk, draft, name, ondraft) = (desk.clone(), props.draft.clone(), name.clone(), props.ondraft.clone());
        Callback::from(move |_: MouseEvent| {
            let scenario = Scenario { name: name.trim().to_owned(), steps: draft.clone() };
            desk.tell(Command::Scenario { job, wish: ScenarioWish::Keep(scenario) });
            ondraft.emit(Vec::new());
            name.set(String::new());
        })
    };
    let steps = |steps: &[PlannedFault]| {
        html! { <ol>{ for steps.iter().map(|planned| html! { <li>{step(planned, &props.layout)}</li> }) }</ol> }
    };
    html! {
        <section class="scenarios" aria-label="Scenarios">
            <h3>{"Scenarios"}</h3>
            <p class="choices">
                <label>{"Seed "}<input id="scenario-seed" type="number" min="0" value={seed.to_string()} oninput={seeded} /></label>
                <button class="small" id="scenario-draw" disabled={props.not.is_some()} onclick={wish(ScenarioWish::Draw(*seed))}>{"Draw by this seed"}</button>
            </p>
            if !props.draft.is_empty() {
                <div id="draft">
                    <ol>{ for props.draft.iter().enumerate().map(|(place, planned)| {
                        let (draft, ondraft) = (props.draft.clone(), props.ondraft.clone());
                        let remove = Callback::from(move |_: MouseEvent| {
                            let mut draft = draft.clone();
                            draft.remove(place);
                            ondraft.emit(draft);
                        });
                        html! {
                            <li>{step(planned, &props.layout)}{" "}
                                <button class="small" aria-label={format!("Take fault {} out", place + 1)} onclick={remove}>{"×"}</button>
                            </li>
                        }
                    }) }</ol>
                    <p class="choices">
                        <input id="scenario-name" aria-label="The scenario’s name" placeholder="Name" maxlength="60" value={(*name).clone()} oninput={typed} />
                        <button class="small" id="scenario-keep" disabled={name.trim().is_empty()} onclick={keep}>{"Keep"}</button>
                    </p>
                </div>
            } else if props.scenarios.is_empty() {
                <p class="label mute">{"None yet. Put one together with “+” above, or let a seed draw one."}</p>
            }
            <ul id="scenarios" class="offers">
                { for props.scenarios.iter().map(|scenario| html! {
                    <li key={scenario.name.clone()} data-name={scenario.name.clone()}>
                        <button class="small run" disabled={props.not.is_some()} onclick={wish(ScenarioWish::Run(scenario.name.clone()))}>{format!("Run “{}”", scenario.name)}</button>
                        <div>
                            { steps(&scenario.steps) }
                            <button class="small forget" aria-label={format!("Forget {}", scenario.name)} onclick={wish(ScenarioWish::Forget(scenario.name.clone()))}>{"Forget"}</button>
                        </div>
                    </li>
                }) }
            </ul>
        </section>
    }
}
