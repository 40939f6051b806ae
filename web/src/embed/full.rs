//! The way from a frame to the whole page.

use yew::prelude::*;

use super::is_embedded;
use crate::share::full_address;

/// The link, in a frame only.
#[component(OpenInFull)]
pub fn open_in_full() -> Html {
    if !is_embedded() {
        return Html::default();
    }
    html! {
        <a id="open-full" class="open-full" href={full_address()} target="_blank" rel="noopener">{"Open in full"}</a>
    }
}
