//! The size that an element has on screen, as it changes.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// Width and height of the node's content in whole px; zero before it is known.
#[hook]
pub fn use_size(node: &NodeRef) -> (f64, f64) {
    let size = use_state_eq(|| (0.0, 0.0));
    let node = node.clone();
    let set = size.setter();
    use_effect_with((), move |()| {
        let element = node.cast::<Element>();
        let measured = element.clone();
        let measure = Closure::<dyn FnMut()>::new(move || {
            if let Some(element) = &measured {
                set.set((f64::from(element.client_width()), f64::from(element.client_height())));
            }
        });
        let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, &element) {
            observer.observe(element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(measure);
        }
    });
    *size
}
