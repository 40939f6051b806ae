//! The worker's surroundings: its scope, its build id, its last words.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::DedicatedWorkerGlobalScope;

/// The scope of this worker.
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// The id of the build that this worker is of.
pub fn build() -> String {
    js_sys::Reflect::get(&js_sys::global(), &"TIDEGATE_BUILD".into())
        .ok()
        .and_then(|id| id.as_string())
        .unwrap_or_default()
}

/// Posts a message to the page.
pub fn post(message: &JsValue) {
    // It fails only for what cannot be cloned, and messages are plain data.
    let _ = scope().post_message(message);
}

/// Has a panic's message thrown as the error that the page sees, where a bare trap says nothing.
pub fn speak_on_panic() {
    std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
}

/// The worker's clock, ms.
pub fn clock() -> f64 {
    scope().performance().map_or_else(js_sys::Date::now, |performance| performance.now())
}
