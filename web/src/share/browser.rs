//! Bindings to `js/share.js`.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/js/share.js")]
extern "C" {
    /// The run in the page's address.
    #[wasm_bindgen(js_name = runInAddress)]
    pub fn run_in_address() -> Option<String>;

    /// Takes it out of the address.
    #[wasm_bindgen(js_name = forgetRun)]
    pub fn forget_run();

    /// Calls back when somebody puts another run into the address.
    #[wasm_bindgen(js_name = onRun)]
    pub fn on_run(callback: &Closure<dyn FnMut()>);

    /// The address of this page with a run in it.
    #[wasm_bindgen(js_name = addressOf)]
    pub fn address_of(run: &str, search: &str) -> String;

    /// The address of the whole page that shows what this frame showed first.
    #[wasm_bindgen(js_name = fullAddress)]
    pub fn full_address() -> String;

    /// Whether it was copied.
    #[wasm_bindgen(js_name = copyText)]
    pub async fn copy_text(text: &str) -> JsValue;

    /// Hands a text file to the person.
    #[wasm_bindgen(js_name = downloadText)]
    pub fn download_text(name: &str, text: &str);

    /// The text of the file chosen.
    #[wasm_bindgen(js_name = chosenText, catch)]
    pub async fn chosen_text(input: &web_sys::HtmlInputElement) -> Result<JsValue, JsValue>;
}
