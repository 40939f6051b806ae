//! Why a job failed, over the end of its result.

use tidegate_protocol::Problem;
use yew::prelude::*;

use crate::app::Desk;

/// Properties of [`Failure`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What happened.
    pub problem: Problem,
}

/// The failure, until it is put away; another one is shown again.
#[component(Failure)]
pub fn failure(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let away = use_state_eq(|| None::<String>);
    let problem = &props.problem;
    if away.as_ref() == Some(&problem.message) {
        return Html::default();
    }
    let put_away = {
        let (away, message) = (away.setter(), problem.message.clone());
        Callback::from(move |_: MouseEvent| away.set(Some(message.clone())))
    };
    let again = Callback::from(move |_: MouseEvent| {
        let page = &*desk.page;
        desk.run(page.running.as_deref().unwrap_or_default(), page.name.clone(), Vec::new(), None);
    });
    html! {
        <div class="failure" role="alert" id="failure">
            <div><b>{&problem.code}</b>{" "}{&problem.message}
                { for problem.hints.iter().map(|hint| html! { <span class="hint">{hint}</span> }) }
            </div>
            <button class="small again" id="run-again" title="Runs the script that has failed from its beginning, without the rows that were sent" onclick={again}>{"Run again"}</button>
            <button class="small" aria-label="Put the message away" onclick={put_away}>{"✕"}</button>
        </div>
    }
}
