//! The plan, as EXPLAIN prints it.

use yew::prelude::*;

/// Properties of [`PlanView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Its lines.
    pub plan: Vec<String>,
}

/// The plan.
#[component(PlanView)]
pub fn plan_view(props: &Props) -> Html {
    html! { <pre class="plan scroll" id="plan" tabindex="0" aria-label="Plan">{props.plan.join("\n")}</pre> }
}
