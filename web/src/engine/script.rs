//! Bindings to `js/page.js`.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/js/page.js")]
extern "C" {
    /// `{ id, forkOf, resumed }` or `{ error }`.
    #[wasm_bindgen(js_name = claimWorkspace)]
    pub async fn claim_workspace() -> JsValue;

    /// The editor's handle.
    #[wasm_bindgen(js_name = createEditor, catch)]
    pub async fn create_editor(address: &str, parent: &web_sys::Element, options: &JsValue)
    -> Result<JsValue, JsValue>;
}
