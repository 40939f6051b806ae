//! Bindings to `js/page.js`.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/js/page.js")]
extern "C" {
    /// `{ id, forkOf, resumed }` or `{ error }`.
    #[wasm_bindgen(js_name = claimWorkspace)]
    pub async fn claim_workspace() -> JsValue;

    /// Keeps a text that was not run yet over a reload; `None` forgets it.
    #[wasm_bindgen(js_name = keepDraft)]
    fn keep_draft_js(text: JsValue);

    /// The text that was not run before a reload.
    #[wasm_bindgen(js_name = keptDraft)]
    pub fn kept_draft() -> Option<String>;

    /// The text of the first file that was dropped.
    #[wasm_bindgen(js_name = droppedText)]
    pub fn dropped_text(event: &JsValue) -> js_sys::Promise;

    /// The text of the first file chosen in an input; an error where it is none.
    #[wasm_bindgen(js_name = chosenText)]
    pub fn chosen_text(event: &JsValue) -> js_sys::Promise;

    /// Has the address name the example that runs.
    #[wasm_bindgen(js_name = nameExample)]
    pub fn name_example(number: Option<u32>, chosen: bool);

    /// The text that was pasted.
    #[wasm_bindgen(js_name = pastedText)]
    pub fn pasted_text(event: &JsValue) -> String;

    /// Has the browser keep these texts as a file.
    pub fn download(name: &str, kind: &str, parts: &js_sys::Array);

    /// A worker that was started before the page: `{ worker, messages, errors }`, or undefined.
    #[wasm_bindgen(js_name = earlyWorker)]
    pub fn early_worker(name: &str) -> JsValue;

    /// The editor's handle.
    #[wasm_bindgen(js_name = createEditor, catch)]
    pub async fn create_editor(address: &str, parent: &web_sys::Element, options: &JsValue)
    -> Result<JsValue, JsValue>;
}

/// Keeps a text that was not run yet over a reload; `None` forgets it.
pub fn keep_draft(text: Option<&str>) {
    keep_draft_js(text.map_or(JsValue::NULL, Into::into));
}
