//! Tests of what is different in wasm: `cargo xtask test` runs them inside a worker of a real browser.
