//! What a scrolled element has out of sight is told by its edges.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// Less than this is nothing, px.
const SLACK: i32 = 2;

/// Says in the node's `data-more` on which sides it goes on out of sight (`above`, `below`, `left`, `right`); styles fade these. It looks
/// again when it is scrolled, when it or a child gets another size, and with another `key`: other children.
#[hook]
pub fn use_more<K: PartialEq + 'static>(node: &NodeRef, key: K) {
    let node = node.clone();
    use_effect_with(key, move |_| {
        let element = node.cast::<Element>();
        let looked = element.clone();
        let look = Closure::<dyn FnMut()>::new(move || {
            if let Some(element) = &looked {
                let _ = element.set_attribute("data-more", &more(element));
            }
        });
        let call = look.as_ref().unchecked_ref();
        let observer = ResizeObserver::new(call).ok();
        if let (Some(observer), Some(element)) = (&observer, &element) {
            observer.observe(element);
            let mut child = element.first_element_child();
            while let Some(one) = child {
                observer.observe(&one);
                child = one.next_element_sibling();
            }
            let _ = element.add_event_listener_with_callback("scroll", call);
        }
        move || {
            if let (Some(observer), Some(element)) = (observer, element) {
                observer.disconnect();
                let _ = element.remove_event_listener_with_callback("scroll", look.as_ref().unchecked_ref());
            }
        }
    });
}

fn more(element: &Element) -> String {
    let (left, top) = (element.scroll_left(), element.scroll_top());
    let sides = [
        (top, "above "),
        (element.scroll_height() - element.client_height() - top, "below "),
        (left, "left "),
        (element.scroll_width() - element.client_width() - left, "right "),
    ];
    sides.into_iter().filter(|(hidden, _)| *hidden > SLACK).map(|(_, side)| side).collect()
}
