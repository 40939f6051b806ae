//! A `<select>` that shows what is in force.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// Keeps a `<select>` at the value in force. Once somebody has chosen in it, the attributes of its options no longer say what it shows.
#[hook]
pub fn use_choice(value: String) -> NodeRef {
    let node = use_node_ref();
    let of = node.clone();
    use_effect_with(value, move |value| {
        if let Some(select) = of.cast::<HtmlSelectElement>() {
            select.set_value(value);
        }
    });
    node
}
