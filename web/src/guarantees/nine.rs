//! The nine combinations, and the schedule of crashes that all of them go through.

use tidegate_protocol::{Answer, Command, GuaranteeOutcome};
use yew::prelude::*;

use super::outcome::OutcomeView;
use crate::app::Desk;
use crate::state::{Action, Phase};
use crate::ui::value_of_select;

/// What was answered last: of which schedule, the query, its columns, all combinations.
type Found = ((u32, u32), String, Vec<String>, Vec<GuaranteeOutcome>);

/// The nine, under one schedule.
#[component(NineView)]
pub fn nine_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let schedule = use_state_eq(|| (1u32, 2u32));
    let found = use_state(|| None::<Found>);
    let live = desk.page.phase == Phase::Live;
    // Only what was asked last counts: an answer to what came before may be later.
    let asked = use_mut_ref(|| (0u32, 0u32));
    {
        let (desk, found) = (desk.clone(), found.clone());
        use_effect_with((*schedule, live), move |((seed, crashes), live)| {
            if *live {
                let (page, of) = (desk.page.dispatcher(), (*seed, *crashes));
                *asked.borrow_mut() = of;
                desk.link.send(Command::Guarantees { seed: *seed, crashes: *crashes }, move |answer| match answer {
                    _ if *asked.borrow() != of => {}
                    Answer::Guarantees { sql, columns, outcomes } => {
                        found.set(Some((of, sql, columns, outcomes)));
                    }
                    Answer::Failed { code, message } => {
                        page.dispatch(Action::Message(Some(format!("{code}: {message}"))));
                    }
                    _ => {}
                });
            }
        });
    }
    let (seed, crashes) = *schedule;
    let another = {
        let schedule = schedule.clone();
        Callback::from(move |_: MouseEvent| schedule.set((seed + 1, crashes)))
    };
    let oncrashes = {
        let schedule = schedule.clone();
        Callback::from(move |event: Event| schedule.set((seed, value_of_select(&event).parse().unwrap_or(2))))
    };
    html! {
        <div class="guarantees" id="nine">
            <p class="label">
                <span class="mute">{"One query, one input, one schedule of crashes, in nine engines, each beside the truth. Plain: row after row. Idempotent: by primary key. Transactional: commits with checkpoints. ◇ is a checkpoint, a number a crash."}</span>
            </p>
            <p class="choices">
                <select id="crashes" aria-label="How often the job crashes" onchange={oncrashes}>
                    { for [(0u32, "no crash"), (1, "1 crash"), (2, "2 crashes"), (3, "3 crashes")].map(|(number, name)| html! {
                        <option value={number.to_string()} selected={number == crashes}>{name}</option>
                    }) }
                </select>
                <button class="small" id="another-schedule" onclick={another} disabled={!live}>{"Another schedule"}</button>
                <span class="mute" id="schedule">{format!("schedule {seed}")}</span>
            </p>
            if let Some((of, sql, columns, outcomes)) = &*found {
                <div class="nine" id="outcomes" data-schedule={format!("{}-{}", of.0, of.1)}>
                    { for outcomes.iter().map(|outcome| html! {
                        <OutcomeView key={format!("{} {}", outcome.state, outcome.sink)} columns={columns.clone()} outcome={outcome.clone()} />
                    }) }
                </div>
                <details class="label"><summary>{"The query, as it runs exactly once"}</summary><pre>{sql}</pre></details>
            }
        </div>
    }
}
