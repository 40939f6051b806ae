//! Why a job failed, over the end of its result.

use tidegate_protocol::Problem;
use yew::prelude::*;

/// Properties of [`Failure`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What happened.
    pub problem: Problem,
}

/// The failure, until it is put away; another one is shown again.
#[component(Failure)]
pub fn failure(props: &Props) -> Html {
    let away = use_state_eq(|| None::<String>);
    let problem = &props.problem;
    if away.as_ref() == Some(&problem.message) {
        return Html::default();
    }
    let put_away = {
        let (away, message) = (away.setter(), problem.message.clone());
        Callback::from(move |_: MouseEvent| away.set(Some(message.clone())))
    };
    html! {
        <div class="failure" role="alert" id="failure">
            <div><b>{&problem.code}</b>{" "}{&problem.message}
                { for problem.hints.iter().map(|hint| html! { <span class="hint">{hint}</span> }) }
            </div>
            <button class="small" aria-label="Put the message away" onclick={put_away}>{"✕"}</button>
        </div>
    }
}
