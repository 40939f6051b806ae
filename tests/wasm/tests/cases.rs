//! Every case gives in wasm what it gives natively, to the byte: a link to a run replays anywhere.
#![cfg(target_arch = "wasm32")]

use tidegate::case::{self, CaseOptions};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// What the command line gave, natively: an array of `{ "name", "sql", "result" }`. `cargo xtask test` makes it.
const NATIVE: &str = include_str!(env!("TIDEGATE_NATIVE_CASES"));

#[wasm_bindgen_test]
fn wasm_gives_what_native_gives() {
    let cases: Vec<serde_json::Value> = serde_json::from_str(NATIVE).expect("a list of cases");
    assert!(!cases.is_empty(), "no case to compare");
    let mut different = Vec::new();
    for case in &cases {
        let text = |field: &str| case[field].as_str().expect("name, script and result are text");
        let result = case::run(text("sql"), &CaseOptions::default());
        let ours = format!("{:#}", case::to_json(text("name"), &result));
        let lines = ours.lines().zip(text("result").lines());
        if let Some((wasm, native)) = lines.into_iter().find(|(wasm, native)| wasm != native) {
            different.push(format!("{}: wasm {} native {}", text("name"), wasm.trim(), native.trim()));
        }
    }
    assert!(different.is_empty(), "{} of {} cases differ:\n{}", different.len(), cases.len(), different.join("\n"));
}
