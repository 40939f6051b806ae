//! A strip of tabs: where it is wider than its room it scrolls, and the chosen one is in sight.

use web_sys::Element;
use yew::prelude::*;

use super::{use_more, use_size};

/// Width of a faded edge, px.
const FADE: f64 = 28.0;

/// Properties of [`Tabs`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// What they are.
    pub label: AttrValue,
    /// Says which is chosen, of which.
    pub chosen: String,
    /// The tabs.
    pub children: Html,
}

/// The strip.
#[component(Tabs)]
pub fn tabs(props: &Props) -> Html {
    let node = use_node_ref();
    let size = use_size(&node);
    use_more(&node, props.chosen.clone());
    {
        let node = node.clone();
        use_effect_with((props.chosen.clone(), size), move |_| show_chosen(&node));
    }
    html! { <div class="tablist" role="tablist" aria-label={&props.label} ref={node}>{props.children.clone()}</div> }
}

/// Scrolls the strip, and nothing around it, so far that the chosen tab is in sight, and of its neighbours so much that one sees that
/// there are some.
fn show_chosen(strip: &NodeRef) {
    let Some(strip) = strip.cast::<Element>() else { return };
    let Ok(Some(chosen)) = strip.query_selector("[aria-selected=true]") else { return };
    let (all, own) = (strip.get_bounding_client_rect(), chosen.get_bounding_client_rect());
    let (before, behind) = (own.left() - all.left() - FADE, own.right() - all.right() + FADE);
    if before < 0.0 || behind > 0.0 {
        let by = if before < 0.0 { before } else { behind.min(before) };
        strip.set_scroll_left(strip.scroll_left() + by as i32);
    }
}
