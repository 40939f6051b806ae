//! What can be compared: nine engines under the same crashes, or one service in two ways.

use yew::prelude::*;

use super::bills::BillsView;
use super::nine::NineView;

/// Guarantees side by side.
#[component(GuaranteesView)]
pub fn guarantees_view() -> Html {
    let bills = use_state_eq(|| false);
    let show = |wanted: bool| {
        let bills = bills.setter();
        Callback::from(move |_: MouseEvent| bills.set(wanted))
    };
    html! {
        <>
            <p class="choices" role="group" aria-label="What is compared">
                <button class="small" id="compare-nine" aria-pressed={(!*bills).to_string()} onclick={show(false)}>{"Nine engines"}</button>
                <button class="small" id="compare-bills" aria-pressed={bills.to_string()} onclick={show(true)}>{"The bill service, twice"}</button>
            </p>
            if *bills { <BillsView /> } else { <NineView /> }
        </>
    }
}
